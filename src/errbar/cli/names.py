"""Words that the help shows, and that the Tab key offers as values of options."""

import tomllib
from pathlib import Path
from typing import Any

from errbar._plain import Names

_PACKAGE = Path(__file__).parents[1]


def _table(*place: str) -> dict[str, Any]:
    """Return a table of the package, without importing it: that takes too long for help."""
    with _PACKAGE.joinpath(*place).open("rb") as file:
        return tomllib.load(file)


def losses() -> Names:
    """Return the keys of the losses."""
    return list(_table("metrics", "metrics.toml")["losses"])


def rows() -> Names:
    """Return what a row of a file may be said to be: the kinds of splits, or examples."""
    kinds = _table("plans", "kinds.toml")
    return ["examples", *(key for key, facts in kinds.items() if "stated" in facts)]


def metrics() -> Names:
    """Return the keys of the losses and metrics."""
    from errbar.metrics import LOSSES, METRICS

    return [*LOSSES, *METRICS]


def methods() -> Names:
    """Return the keys of the methods."""
    from errbar.methods import catalogue

    return list(catalogue())

"""Words that the help shows, and that the Tab key offers as values of options."""

import tomllib
from pathlib import Path
from runpy import run_path

from errbar._plain import Names

_PACKAGE = Path(__file__).parents[1]


def losses() -> Names:
    """Return the keys of the losses, from their table: to import them takes too long for help."""
    with (_PACKAGE / "metrics" / "metrics.toml").open("rb") as file:
        return list(tomllib.load(file)["losses"])


def rows() -> Names:
    """Return what a row of a file may be said to be: the kinds of splits, read as the losses are, or examples."""
    kinds = run_path(str(_PACKAGE / "plans" / "_kinds.py"))["KINDS"]
    return ["examples", *(key for key, kind in kinds.items() if kind.stated)]


def metrics() -> Names:
    """Return the keys of the losses and metrics."""
    from errbar.metrics import LOSSES, METRICS

    return [*LOSSES, *METRICS]


def methods() -> Names:
    """Return the keys of the methods."""
    from errbar.methods import catalogue

    return list(catalogue())

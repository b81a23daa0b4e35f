"""The command `errbar lab`, which errbar-lab brings by an entry point."""

from importlib.metadata import entry_points
from typing import Any

from errbar.errors import MissingPackageError


def __getattr__(name: str) -> Any:
    for one in entry_points(group="errbar.commands", name=name.lower()):
        return one.load()
    if name.startswith("_"):
        raise AttributeError(name)
    raise MissingPackageError(
        "errbar lab needs another package; install it with: pip install errbar-lab"
    )

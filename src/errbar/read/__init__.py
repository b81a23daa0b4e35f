"""Tables that people have, read by contract: roles are said, or taken from one table of names. No fits.

The package is called as its function `read` is, and may be called in its place: ``errbar.read("scores.csv", fold="fold")``.
"""

import sys
from types import ModuleType
from typing import Any

from errbar.read.description import Description, describe
from errbar.read.judged import from_judged
from errbar.read.losses import from_losses
from errbar.read.predictions import from_predictions
from errbar.read.roles import UnsaidRoleError
from errbar.read.scores import from_scores
from errbar.read.table import from_long, read
from errbar.table import LossTable

__all__ = [
    "Description",
    "UnsaidRoleError",
    "describe",
    "from_judged",
    "from_long",
    "from_losses",
    "from_predictions",
    "from_scores",
    "read",
]


class _Door(ModuleType):
    """A package that is called as its function of the same name."""

    def __call__(self, source: Any, **said: Any) -> LossTable:
        """Read a table; see `errbar.read.read`."""
        return read(source, **said)


sys.modules[__name__].__class__ = _Door

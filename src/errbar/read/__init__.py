"""Tables that people have, read by contract: roles are said, or taken from one table of names. No fits."""

from errbar.read.description import Description, describe
from errbar.read.roles import UnsaidRoleError
from errbar.read.scores import from_judged
from errbar.read.table import from_losses, from_predictions, from_scores, read_table

__all__ = [
    "Description",
    "UnsaidRoleError",
    "describe",
    "from_judged",
    "from_losses",
    "from_predictions",
    "from_scores",
    "read_table",
]

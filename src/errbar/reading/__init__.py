"""Tables that people have, read by contract: roles are said, or taken from one table of names. No fits."""

from errbar.reading.known import from_known
from errbar.reading.scores import from_judged
from errbar.reading.sheet import UnsaidRoleError
from errbar.reading.table import (
    Description,
    describe,
    from_losses,
    from_predictions,
    from_scores,
    read_table,
)

__all__ = [
    "Description",
    "UnsaidRoleError",
    "describe",
    "from_judged",
    "from_known",
    "from_losses",
    "from_predictions",
    "from_scores",
    "read_table",
]

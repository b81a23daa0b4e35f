"""What is asked must be a table; what people give in its place is told from it."""

from typing import Any

from errbar.errors import InvalidInputError
from errbar.table import LossTable


def require_table(value: Any) -> LossTable:
    if isinstance(value, LossTable):
        return value
    kind = type(value).__name__
    if isinstance(getattr(value, "table", None), LossTable):
        remedy = f"give its table, {kind.lower()}.table"
    else:
        remedy = "errbar.from_scores and errbar.from_losses make one of numbers, errbar.run of learners and data"
    raise InvalidInputError(
        f"must be a LossTable, got an object of class {kind}; {remedy}", argument="table"
    )

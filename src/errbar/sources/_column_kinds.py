"""How columns of a table are read as features."""

from collections.abc import Mapping

NUMBER, TEXT, WORDY, DATE, PROSE, NAME = "number", "text", "wordy", "date", "prose", "name"

MOST_CATEGORIES = 100
"""Of text with more values than this the others are one."""

SAID = {
    NUMBER: "numbers_as_they_are",
    TEXT: "one_hot",
    WORDY: "one_hot_of_the_commonest",
    DATE: "dates_as_days",
    PROSE: "prose_left_out",
    NAME: "row_names_left_out",
}
"""How columns of each kind are read."""


def of_kind(columns: Mapping[str, str], kind: str) -> list[str]:
    """Return the names of the columns that are read in one way."""
    return [name for name, own in columns.items() if own == kind]

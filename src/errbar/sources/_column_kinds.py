"""How columns of a table are read as features."""

from collections.abc import Mapping

NUMBER, TEXT, WORDY, DATE, PROSE, NAME = "number", "text", "wordy", "date", "prose", "name"

MOST_CATEGORIES = 100
"""Of text with more values than this the others are one."""

SAID = {
    NUMBER: "numbers as they are",
    TEXT: "text one-hot encoded",
    WORDY: f"text one-hot encoded, its {MOST_CATEGORIES} commonest values",
    DATE: "dates as days",
    PROSE: "left out, text with another value in nearly every row",
    NAME: "left out, a name or number of the row",
}
"""Each kind in words."""
READ_AS = {
    NUMBER: "numbers_as_they_are",
    TEXT: "one_hot",
    WORDY: "one_hot_of_the_commonest",
    DATE: "dates_as_days",
    PROSE: "prose_left_out",
    NAME: "row_names_left_out",
}
"""How notes call the columns of each kind."""


def of_kind(columns: Mapping[str, str], kind: str) -> list[str]:
    """Return the names of the columns that are read in one way."""
    return [name for name, own in columns.items() if own == kind]

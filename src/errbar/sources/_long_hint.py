"""The call that reads a long table, where one was given as if it had a column for each learner."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from errbar._check import is_number
from errbar.errors import InvalidInputError
from errbar.losses._directions import score_words
from errbar.sources._columns import STRUCTURE, counts_rows, is_label

LEARNERS = ("learner", "model", "method", "algorithm", "classifier", "regressor", "estimator")
"""Names of columns that hold the learner of a row."""
_IN_LONG_TABLES = (*LEARNERS, "system", "name")
"""Those that may be of something else, unless the learners stand there again and again."""
FRAME = "the frame"
"""What messages call a table that is no file."""
_SECONDS = ("_time", "time_s", "seconds")
_EXAMPLES = ("question", "item", "doc_id", "question_id", "item_id")


def long_call(columns: Mapping[str, Any], path: str | Path) -> str | None:
    """Return the command that reads a table as a long one, if it has a column of learners and one of numbers; None if not."""
    learner = _learner_column(columns)
    value = _value_column(columns)
    if learner is None or value is None:
        return None
    examples = [name for name in columns if name.lower() in _EXAMPLES and name != learner]
    parts = ["errbar test", str(path), "--learner", learner, "--value", value]
    parts += ["--example", examples[0]] if examples else []
    parts += ["--higher-is-better"] if score_words(value) else []
    return " ".join(f"'{part}'" if " " in part and part != "errbar test" else part for part in parts)


def refuse_long(columns: Mapping[str, Any], where: str, kind: str | None = None) -> None:
    """Raise if a table looks like a long one, with a row for each learner and example, split or data set."""
    call = long_call(columns, where)
    if call is None:
        return
    value = str(_value_column(columns))
    if is_number(value):
        raise InvalidInputError(
            f"the first row of {where} has {value!r} where the name of a column is expected; write a row with the names of the columns above it"
        )
    said = f"{call}{f' --kind {kind}' * (kind is not None)}, or with `errbar.read_long`"
    if where == FRAME:
        of = "" if kind is None else f", kind={kind!r}"
        said = f"errbar.from_long(frame, {_learner_column(columns)!r}, {_value_column(columns)!r}{of})"
    raise InvalidInputError(
        f"{where} looks like a long table, with a row for each learner and split or example; read it with {said}"
    )


def _learner_column(columns: Mapping[str, Any]) -> str | None:
    """Return the column of words, each in several rows; one that is called a model before others."""
    texts = [
        name
        for name, column in columns.items()
        if column.dtype.kind not in "biufmM" and 2 <= column.nunique() <= column.size / 2
    ]
    called = [name for word in _IN_LONG_TABLES for name in texts if name.lower() == word]
    return next(iter(called or (texts if len(texts) == 1 else [])), None)


def _value_column(columns: Mapping[str, Any]) -> str | None:
    """Return the column of numbers that are not labels; one that is called a score or a loss before others."""
    numbers = [
        name
        for name, column in columns.items()
        if column.dtype.kind in "biuf"
        and name.lower() not in STRUCTURE
        and not is_label(name)
        and not counts_rows(column)
        and not name.lower().endswith(_SECONDS)
    ]
    called = [name for name in numbers if score_words(name) is not None]
    return next(iter(called or (numbers if len(numbers) == 1 else [])), None)

"""The target of a table as people have it: blanks, words for no value, numbers as text, and classes that are written in two ways."""

from collections.abc import Iterator
from typing import Any, NamedTuple

from errbar._check import listed
from errbar.errors import InvalidInputError
from errbar.result import Note
from errbar.sources._frames import FileTable
from errbar.sources._numerals import MANY, Numerals, as_whole, is_text, number_texts, odd_cell, said

FEW_ROWS = 10
"""Usual plans have so many folds; of a class with fewer rows, some test sets have none."""
_CLASSES = {"none", "unknown", "unbekannt"}
"""What stands for no value, and may be a class beside few numbers."""
_MOST_LOST = 0.05
"""Of more rows than this share, a text that is read as no value may well be a class."""


class TargetColumn(NamedTuple):
    """A target, with gaps where no value is known.

    Attributes
    ----------
    values : Series
        The target.
    notes : tuple of Note
        How it was read.
    """

    values: Any
    notes: tuple[Note, ...]


def target_column(table: FileTable, name: str) -> TargetColumn:
    """Return the target of a table, and how it was read.

    Raises
    ------
    InvalidInputError
        If a class may be taken for a gap, two classes differ in capital letters only, or a number is none.
    """
    column, notes = stripped(table.frame[name]), []
    if is_text(column) and not column.equals(table.frame[name]):
        notes.append(Note("read", blanks_stripped=[name]))
    read = table.numerals(number_texts(column), table.style) if is_text(column) else None
    if read is not None and _is_number(read):
        notes.append(Note("read", numbers=said({name: read})))
        column = type(column)(read.numbers, index=column.index, name=column.name)
    elif is_text(column):
        _refuse_odd_cell(column, name)
        _refuse_capitals(column, name)
    known = column[column.notna()].infer_objects()
    notes += _gaps(table, column, name)
    if known.nunique() == 1 and len(known) < len(column):
        raise InvalidInputError(
            f"the target {name!r} holds {known.iloc[0]!r} in {len(known)} rows and no value in the other {len(column) - len(known)}; write the other class there"
        )
    if known.dtype.kind == "f" and len(known) < len(column):  # gaps make floats of whole numbers
        known = type(known)(as_whole(known.to_numpy(dtype=float)), index=known.index, name=known.name)
    return TargetColumn(known, (*notes, *_rare(known)))


def stripped(column: Any) -> Any:
    """Return a column of text without outer blanks; what is blank is a gap."""
    if not is_text(column) or all(
        text == text.strip() != "" for text in column.dropna().unique() if isinstance(text, str)
    ):
        return column
    return column.map(lambda cell: (cell.strip() or None) if isinstance(cell, str) else cell)


def _is_number(read: Numerals) -> bool:
    """Tell whether text is a number to predict, not classes such as ``10%`` and ``20%``."""
    distinct = len(set(read.numbers[read.numbers == read.numbers].tolist()))
    return distinct > MANY or (not read.unit and bool(read.gaps))


def _refuse_odd_cell(column: Any, name: str) -> None:
    """Raise if nearly all of a text is numbers."""
    odd = odd_cell(column)
    if odd is not None:
        raise InvalidInputError(
            f"the target {name!r} holds numbers, and {odd}; write a number there, or leave the cell empty where none is known"
        )


def _refuse_capitals(column: Any, name: str) -> None:
    """Raise if two classes are the same word but for capital letters; those of one letter, such as AA and Aa, may well be two classes."""
    counts = column.astype(str).where(column.notna()).value_counts()
    alike: dict[str, list[str]] = {}
    for text in sorted(counts.index):
        alike.setdefault(text.casefold(), []).append(text)
    for texts in alike.values():
        if len(texts) > 1 and len(set(texts[0].casefold())) > 1:
            named = [f"{text!r} ({counts[text]} rows)" for text in texts]
            raise InvalidInputError(
                f"the classes {listed(named, 4)} of the target {name!r} differ in capital letters only; write them alike, or give one another name"
            )


def _gaps(table: FileTable, column: Any, name: str) -> Iterator[Note]:
    """Say which rows have no target, and which texts were taken for none."""
    missing = column.isna().to_numpy()
    count = int(missing.sum())
    if count == 0:
        return
    known = table.written(name)
    texts = [] if known is None else [text for text in known[missing].str.strip() if text]
    words = {text: texts.count(text) for text in dict.fromkeys(texts)}
    few = column.nunique() <= MANY
    named = {text: rows for text, rows in words.items() if is_text(column) or (few and text.lower() in _CLASSES)}
    if sum(named.values()) > _MOST_LOST * len(column):
        word = max(named, key=lambda text: named[text])
        raise InvalidInputError(
            f"{words[word]} of {len(column)} rows hold {word!r} in the target {name!r}, which is read as no value; give it another name if it "
            "is a class, or leave these cells empty"
        )
    held = [f"{word!r} in {rows} rows" for word, rows in words.items()]
    yield Note("read", rows_without_target=[count], **({"read_as_no_value": held} if held else {}))


def _rare(known: Any) -> Iterator[Note]:
    """Say which classes have fewer rows than usual plans have folds."""
    if not is_text(known) and known.nunique() > 2:
        return
    counts = known.astype(str).value_counts()
    if len(counts) > MANY:
        return
    rare = [f"{text} ({count})" for text, count in counts.items() if count < FEW_ROWS]
    if rare and len(known) > FEW_ROWS * 2:
        yield Note("read", rare_classes=rare)

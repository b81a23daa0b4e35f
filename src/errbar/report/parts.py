"""What documents are made of: plain data that every renderer reads."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from errbar.report.cells import Cell


@dataclass(frozen=True)
class ReportColumn:
    """One column of a table: its head, its cells, and its room.

    Attributes
    ----------
    header : Cell
        What it holds.
    cells : sequence of Cell
        One per row.
    kind : {"name", "number", "words", "mark"}
        What its cells are: names and words stand at the left, the others at the right; a mark is a single character.
    spare : int
        When a narrow terminal leaves it out: columns with the largest number first, those with 0 never.
    """

    header: Cell
    cells: Sequence[Cell]
    kind: Literal["name", "number", "words", "mark"] = "number"
    spare: int = 0

    @property
    def align(self) -> Literal["left", "right"]:
        """Where its cells stand."""
        return "left" if self.kind in ("name", "words") else "right"


@dataclass(frozen=True)
class Table:
    """A table.

    Attributes
    ----------
    key : str
        Short name, for anchors and labels.
    caption : str
        What it shows.
    columns : tuple of ReportColumn
        The first names the row.
    remark : str
        How to read it.
    """

    key: str
    caption: str
    columns: tuple[ReportColumn, ...]
    remark: str = ""

    @property
    def marks(self) -> int:
        """Number of its columns of marks, which come last."""
        return sum(column.kind == "mark" for column in self.columns)

    @property
    def rows(self) -> tuple[tuple[Cell, ...], ...]:
        """Its cells, row by row."""
        return tuple(zip(*(column.cells for column in self.columns), strict=True))


@dataclass(frozen=True)
class Section:
    """A part of the report with a heading.

    Attributes
    ----------
    key : str
        Short name, for anchors.
    title : str
        Heading.
    tables : tuple of Table
        What it shows.
    remarks : tuple of Cell
        Sentences that belong to it, before its tables.
    aside : tuple of Table
        What a page shows on demand, and other forms leave to the data.
    """

    key: str
    title: str
    tables: tuple[Table, ...] = ()
    remarks: tuple[Cell, ...] = ()
    aside: tuple[Table, ...] = ()


@dataclass(frozen=True)
class Fact:
    """One line of a list of terms.

    Attributes
    ----------
    term, text : str
        What it is about, and what it says.
    """

    term: str
    text: str

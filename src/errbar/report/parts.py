"""What documents are made of: plain data that every renderer reads."""

import math
from dataclasses import dataclass
from typing import Literal

from errbar.plots import Forest, Paths, RhoCurve
from errbar.result import Note


@dataclass(frozen=True)
class Cell:
    """One cell of a table.

    Attributes
    ----------
    text : str
        What it shows, in plain text that every renderer escapes.
    kind : {"name", "pair", "number", "words"}
        What it is: a name given by the user, the difference of two, digits or words made here.
    parts : tuple of str
        Both names of a pair.
    strong : bool
        Whether it stands out.
    value : float
        The number behind the text, by which rows are sorted: of an interval the estimate. NaN where there is none.
    """

    text: str
    kind: Literal["name", "pair", "number", "words"] = "number"
    parts: tuple[str, ...] = ()
    strong: bool = False
    value: float = math.nan


@dataclass(frozen=True)
class Column:
    """Head and alignment of one column.

    Attributes
    ----------
    header : str
        What it holds.
    align : {"left", "right"}
        Where its cells stand.
    optional : bool
        Whether a narrow terminal may leave it out.
    """

    header: str
    align: Literal["left", "right"] = "right"
    optional: bool = False


@dataclass(frozen=True)
class Table:
    """A table.

    Attributes
    ----------
    key : str
        Short name, for anchors and labels.
    caption : str
        What it shows.
    columns : tuple of Column
        Heads.
    rows : tuple of tuple of Cell
        As many cells each as there are columns; the first names the row.
    remark : str
        How to read it.
    """

    key: str
    caption: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[Cell, ...], ...]
    remark: str = ""


@dataclass(frozen=True)
class Figure:
    """A figure, computed but not drawn.

    Attributes
    ----------
    key : str
        Short name, for ids.
    caption : str
        What it shows.
    alt : str
        What there is to see, for those who cannot see it.
    chart : Forest, Paths or RhoCurve
        What `errbar.plots.svg` draws.
    """

    key: str
    caption: str
    alt: str
    chart: Forest | Paths | RhoCurve


@dataclass(frozen=True)
class Section:
    """A part of the report with a heading.

    Attributes
    ----------
    key : str
        Short name, for anchors.
    title : str
        Heading.
    tables, figures : tuple
        What it shows.
    remarks : tuple of str
        Sentences that belong to it, before its tables.
    """

    key: str
    title: str
    tables: tuple[Table, ...] = ()
    figures: tuple[Figure, ...] = ()
    remarks: tuple[str, ...] = ()


@dataclass(frozen=True)
class View:
    """The same differences seen from one learner.

    Attributes
    ----------
    name : str
        The learner that is subtracted from all others.
    section : Section
        Table and figure of the differences from it.
    """

    name: str
    section: Section


@dataclass(frozen=True)
class Fact:
    """One line of a list of terms."""

    term: str
    text: str


@dataclass(frozen=True)
class Document:
    """A whole report.

    Attributes
    ----------
    title : str
        Heading.
    subtitle : str
        Learners, measure, plan and method on one line.
    conclusion : tuple of str
        Sentences.
    sections : tuple of Section
        Tables and figures.
    estimated : str
        What the numbers are about, in a sentence.
    assumptions : tuple of str
        What must hold for the numbers to mean what they say.
    certainty : Section or None
        What each verdict hangs on; None where nothing is tested.
    notes : tuple of Note
        Caveats with their codes.
    computed : tuple of Fact
        How the numbers were computed.
    references : tuple of str
        Literature.
    call : str
        The command or call that makes the numbers again.
    reproduction : tuple of Fact
        Seed, versions and digests that go with it.
    """

    title: str
    subtitle: str
    conclusion: tuple[str, ...]
    sections: tuple[Section, ...]
    estimated: str
    assumptions: tuple[str, ...]
    certainty: Section | None
    notes: tuple[Note, ...]
    computed: tuple[Fact, ...]
    references: tuple[str, ...]
    call: str
    reproduction: tuple[Fact, ...]

"""What all studies return: title, settings, tables and sentences for people, numbers for JSON and CSV, and a picture."""

import csv
import io
import shutil
import textwrap
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from errbar._plain import defused, plain
from errbar._version import __version__
from errbar.report.screen import aligned, display_width
from errbar_lab._experiment import Problem
from errbar_lab._summary import Interval, Proportion
from errbar_lab.plots import Picture

Column = tuple[str, Callable[[Any], str]]


@dataclass(frozen=True)
class StudyTable:
    """A table of texts.

    Attributes
    ----------
    caption, remark : str
        What stands above it and below.
    headers, rows : tuple
        Its cells.
    optional : tuple of str
        Headers of columns that may be left out where there is no room, the last first.
    """

    caption: str
    headers: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    remark: str = ""
    optional: tuple[str, ...] = ()


def tabulate(
    caption: str,
    columns: Sequence[Column],
    items: Iterable[Any],
    remark: str = "",
    optional: tuple[str, ...] = (),
) -> StudyTable:
    """Return the table of items with a column per function of an item."""
    heads = tuple(head for head, _ in columns)
    rows = tuple(tuple(cell(item) for _, cell in columns) for item in items)
    return StudyTable(caption, heads, rows, remark, optional)


@dataclass(frozen=True, eq=False)
class Study:
    """What a study found.

    Attributes
    ----------
    key : str
        Name of the command.
    title : str
        What was studied.
    settings : mapping of str to str
        What it depends on.
    tables : tuple of StudyTable
        For people.
    conclusion : tuple of str
        Sentences.
    content : mapping
        All numbers, for JSON.
    records : sequence of mapping, or DataFrame
        The numbers row by row, for CSV.
    picture : sequence of panels
        What `errbar_lab.plots.study` draws.
    outcomes : DataFrame or None
        What the numbers come from: a row per data set, method and target.
    """

    key: str
    title: str
    settings: Mapping[str, str]
    tables: tuple[StudyTable, ...]
    conclusion: tuple[str, ...]
    content: Mapping[str, Any]
    records: Any
    picture: Picture
    outcomes: Any = None

    def to_dict(self) -> dict[str, Any]:
        """Return the numbers as plain data for JSON."""
        return plain({"study": self.key, **self.content})

    def text(self, width: int | None = None) -> str:
        """Return tables and sentences for a terminal."""
        columns = width or shutil.get_terminal_size((100, 24)).columns
        prose = min(columns, 100)
        settings = [f"{name}: {value}" for name, value in self.settings.items()]
        parts = [
            self.title,
            *(_table(table, columns) for table in self.tables),
            "\n".join(textwrap.fill(one, prose) for one in self.conclusion),
            "\n".join(textwrap.fill(one, prose, subsequent_indent="  ") for one in settings),
        ]
        return "\n\n".join(parts)

    def csv(self, command: str) -> str:
        """Return the records with the command that made them on the first line."""
        frame = hasattr(self.records, "columns")
        rows = self.records.to_dict("records") if frame else self.records
        buffer = io.StringIO()
        buffer.write(f"# {' '.join(command.split())}, errbar {__version__}\n")
        writer = csv.DictWriter(buffer, list(rows[0]), lineterminator="\n")
        writer.writeheader()
        for row in rows:
            writer.writerow({key: _cell(value) for key, value in row.items()})
        return buffer.getvalue()


def _table(table: StudyTable, width: int) -> str:
    heads = list(table.headers)
    while True:
        chosen = [table.headers.index(head) for head in heads]
        columns = [[table.headers[k], *(row[k] for row in table.rows)] for k in chosen]
        lines = aligned(columns)
        spare = [head for head in heads if head in table.optional]
        if not spare or max(map(display_width, lines)) <= width:
            break
        heads.remove(spare[-1])
    body = [table.caption, *(line.rstrip() for line in lines)]
    return "\n".join([*body, *textwrap.wrap(table.remark, min(width, 100))])


def _cell(value: object) -> object:
    return f"{value:.6g}" if isinstance(value, float) else defused(value)


def described(problem: Problem, n: int, replicates: int, root: int, **more: str) -> dict[str, str]:
    """Return the settings that most studies have."""
    return {
        "Population": problem.population.name,
        "Data sets": f"{replicates} of {n} examples",
        **{f"Learner {name}": repr(learner) for name, learner in problem.learners.items()},
        **more,
        "Random state": str(root),
    }


def spread_out(name: str, found: Interval | Proportion) -> dict[str, float]:
    """Return a value and its interval under names of their own."""
    return {name: found.value, f"{name}_low": found.low, f"{name}_high": found.high}


def percent(value: float, digits: int = 1) -> str:
    """Return a share in per cent, without the sign."""
    return f"{100.0 * value:.{digits}f}"


def share(found: Interval | Proportion) -> str:
    """Return a share with its interval, in per cent."""
    return f"{percent(found.value)} [{percent(found.low)}, {percent(found.high)}]"


def with_error(found: Proportion) -> str:
    """Return a share with its standard error, in per cent."""
    return f"{percent(found.value)} ± {percent(found.error)}"


def ratio(found: Interval) -> str:
    """Return a ratio with its interval."""
    return f"{found.value:.2f} [{found.low:.2f}, {found.high:.2f}]"

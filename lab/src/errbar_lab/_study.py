"""What all studies return: title, settings, tables and sentences for people, numbers for JSON and CSV, and a picture."""

import shutil
import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from errbar._plain import defused, plain
from errbar._version import __version__
from errbar.report.page import aligned
from errbar_lab._experiment import Problem
from errbar_lab._summary import Interval, Proportion
from errbar_lab.plots import Picture


@dataclass(frozen=True)
class StudyTable:
    """A table for people.

    Attributes
    ----------
    caption, remark : str
        What stands above it and below.
    rows : sequence of mapping
        Values by the headers of their columns.
    """

    caption: str
    rows: Sequence[Mapping[str, Any]]
    remark: str = ""


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
        import pandas as pd

        rows = pd.DataFrame(self.records).map(_cell).to_csv(index=False, lineterminator="\n")
        return f"# {' '.join(command.split())}, errbar {__version__}\n{rows}"


def _table(table: StudyTable, width: int) -> str:
    columns = [[head, *(_shown(row[head]) for row in table.rows)] for head in table.rows[0]]
    lines = [line.rstrip() for line in aligned(columns)]
    return "\n".join([table.caption, *lines, *textwrap.wrap(table.remark, min(width, 100))])


def _shown(value: Any) -> str:
    """Return a value in a table: four digits; intervals with their ends."""
    if isinstance(value, (Interval, Proportion)):
        return f"{value.value:.3g} [{value.low:.3g}, {value.high:.3g}]"
    if isinstance(value, float):
        return f"{value:.4g}"
    return "" if value is None else str(value)


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

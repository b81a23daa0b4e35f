"""How a study of the laboratory is shown: as text, and as a file of its raw numbers."""

import csv
import io

from errbar._plain import defused
from errbar._version import __version__
from errbar.report.cells import sentence
from errbar.report.parts import Fact, ReportColumn, Table
from errbar.report.renderers.text import render_study
from errbar_lab.studies._study import SimulationStudy, StudyTable


def text(study: SimulationStudy, *, width: int | None = None, color: bool | None = None) -> str:
    """Return a study as text.

    Parameters
    ----------
    study : SimulationStudy
        Such as `errbar_lab.figure1` returns.
    width : int, optional
        Characters per line; by default those of the terminal.
    color : bool, optional
        Whether to use bold and colour; by default only on a terminal, and not where NO_COLOR is set.

    Returns
    -------
    str
        Tables, conclusion and settings.
    """
    facts = [Fact(name, value) for name, value in study.settings.items()]
    tables = [_table(table) for table in study.tables()]
    return render_study(study.title, tables, study.conclusion(), facts, width=width, color=color)


def raw(study: SimulationStudy, command: str) -> str:
    """Return the raw summary of a study as the text of a CSV file, with the command that made it on the first line.

    Parameters
    ----------
    study : SimulationStudy
        Such as `errbar_lab.figure1` returns.
    command : str
        Command or call that makes the same numbers again.

    Returns
    -------
    str
        A comment, a head and one line per row; what is not defined is empty.
    """
    rows = list(study.records())
    buffer = io.StringIO()
    buffer.write(f"# {' '.join(command.split())}, errbar {__version__}\n")
    writer = csv.DictWriter(buffer, list(rows[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows({key: _number(value) for key, value in row.items()} for row in rows)
    return buffer.getvalue()


def _table(table: StudyTable) -> Table:
    columns = tuple(
        ReportColumn(
            sentence(head),
            [sentence(row[place]) for row in table.rows],
            "number" if place else "name",
            int(head in table.optional),
        )
        for place, head in enumerate(table.headers)
    )
    return Table(table.key, table.caption, columns, table.remark)


def _number(value: object) -> object:
    return f"{value:.6g}" if isinstance(value, float) else defused(value)

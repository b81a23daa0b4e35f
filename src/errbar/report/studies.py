"""How a study of the laboratory is shown: as text, and as a file of its raw numbers."""

import csv
import io
import shutil
import textwrap

from errbar._plain import defused
from errbar._version import __version__
from errbar.lab.studies._study import SimulationStudy, StudyTable
from errbar.report.screen import aligned, display_width


def text(study: SimulationStudy, *, width: int | None = None) -> str:
    """Return a study as text.

    Parameters
    ----------
    study : SimulationStudy
        Such as `errbar.lab.figure1` returns.
    width : int, optional
        Characters per line; by default those of the terminal.

    Returns
    -------
    str
        Tables, conclusion and settings.
    """
    columns = width or shutil.get_terminal_size((100, 24)).columns
    prose = min(columns, 100)
    parts = [study.title, *(_table(table, columns) for table in study.tables())]
    parts.append("\n".join(textwrap.fill(one, prose) for one in study.conclusion()))
    settings = (f"{name}: {value}" for name, value in study.settings.items())
    parts.append("\n".join(textwrap.fill(one, prose, subsequent_indent="  ") for one in settings))
    return "\n\n".join(parts)


def raw(study: SimulationStudy, command: str) -> str:
    """Return the raw summary of a study as the text of a CSV file, with the command that made it on the first line.

    Parameters
    ----------
    study : SimulationStudy
        Such as `errbar.lab.figure1` returns.
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


def _table(table: StudyTable, width: int) -> str:
    """Return a table; columns that may be left out are, from the last on, where there is no room."""
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


def _number(value: object) -> object:
    return f"{value:.6g}" if isinstance(value, float) else defused(value)

"""Adapters, one file per tool: each makes one long frame of a log or object, and says what its columns are.

A file is known by what it holds. A new kind of file is one module with `is_log` and a reader, and one entry in `TOOLS`.
"""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple
from zipfile import BadZipFile

from errbar.errors import InvalidInputError
from errbar.reading.tools import inspect, lm_eval
from errbar.reading.tools._questions import files_of
from errbar.reading.tools.inspect import read_inspect
from errbar.reading.tools.lm_eval import read_lm_eval
from errbar.table import LossTable

__all__ = ["TOOLS", "Tool", "kind_of_log", "tool_of"]


class Tool(NamedTuple):
    """A tool whose logs are known by what they hold.

    Attributes
    ----------
    name : as messages call it
    is_log : tells whether a file is one of its logs
    read : callable
        Takes paths, or a mapping from names to paths, with ``groups``, ``missing``,
        ``higher_is_better`` and `options`.
    options : its own options, called alike on the command line
    """

    name: str
    is_log: Callable[[Path], bool]
    read: Callable[..., LossTable]
    options: tuple[str, ...]


TOOLS = {
    "lm-eval": Tool(lm_eval.TOOL, lm_eval.is_log, read_lm_eval, ("metric", "filter", "tasks")),
    "inspect": Tool(inspect.TOOL, inspect.is_log, read_inspect, ("scorer", "tasks")),
}


def kind_of_log(path: str | Path) -> str | None:
    """Return the key in `TOOLS` of a log, or of the first log in a folder; None where there is none."""
    for place in files_of(path):
        for kind, tool in TOOLS.items():
            try:
                if place.is_file() and tool.is_log(place):
                    return kind
            except (OSError, BadZipFile):
                continue
    return None


def tool_of(places: Sequence[str | Path]) -> Tool | None:
    """Return the tool whose logs files and folders are; None of a single one that is no log."""
    kinds = {kind_of_log(place) for place in places}
    if len(kinds) != 1 or (kinds == {None} and len(places) > 1):
        names = " or ".join(tool.name for tool in TOOLS.values())
        listed = ", ".join(map(str, places))
        raise InvalidInputError(f"give one file, or logs of one tool, {names}, got {listed}")
    kind = kinds.pop()
    return None if kind is None else TOOLS[kind]

"""Tables of numbers that are given: logs by their own readers, all others by the one reader of tables."""

from collections.abc import Sequence
from dataclasses import fields
from pathlib import Path
from typing import Any

from errbar.cli import checks
from errbar.cli.given_options import GivenOptions
from errbar.errors import InvalidInputError
from errbar.read.table import read_table
from errbar.read.tools import TOOLS, kind_of_log
from errbar.table import LossTable

_TOOLS = " or ".join(tool.name for tool in TOOLS.values())
_OF_LOGS = dict.fromkeys(
    name for tool in TOOLS.values() for name in tool.options if name != "metric"
)


def tables(asked: GivenOptions, scores: Sequence[str]) -> list[LossTable]:
    """Return the table of what is given, for each loss."""
    logs = _named(scores)
    kinds = {kind_of_log(place) for _, place in logs}
    if kinds & {*TOOLS}:
        return [_of_logs(asked, logs, kinds)]
    if len(scores) > 1 or Path(scores[0]).is_dir():
        raise InvalidInputError(f"give one file, or logs of {_TOOLS}, got {', '.join(scores)}")
    checks.refuse(asked, _OF_LOGS, f"is for logs of {_TOOLS}, and '{scores[0]}' is none")
    others = ("truth", "judge", "kind", "n_train", "n_test", "positive", "pool")
    said = asked.said | {name: getattr(asked, name) for name in others}
    wanted = list(dict.fromkeys(asked.loss)) if asked.loss else [None]
    return [read_table(scores[0], loss=loss, **said) for loss in wanted]


def _named(scores: Sequence[str]) -> list[tuple[str | None, str]]:
    """Return the places that are given, each with the name of its learner where it is written NAME=FILE."""
    found: list[tuple[str | None, str]] = []
    for text in scores:
        name, equals, place = text.partition("=")
        named = bool(name and equals and Path(place).exists() and not Path(text).exists())
        found.append((name, place) if named else (None, text))
    return found


def _of_logs(
    asked: GivenOptions, logs: Sequence[tuple[str | None, str]], kinds: set[str | None]
) -> LossTable:
    """Return the table of logs, which are all of one tool."""
    if len(kinds) > 1:
        raise InvalidInputError(f"give logs of one tool, of {_TOOLS}")
    tool = TOOLS[str(kinds.pop())]
    stated = {"groups": asked.groups, "missing": asked.missing}
    stated |= {name: getattr(asked, name) for name in tool.options}
    goes = {*stated, "higher_is_better", "lower_is_better"}
    others = [one.name for one in fields(GivenOptions) if one.name not in goes]
    checks.refuse(asked, others, f"does not go with logs of {tool.name}")
    stated["higher_is_better"] = asked.said.get("higher_is_better")
    return tool.read(
        _by_name(logs), **{name: value for name, value in stated.items() if value is not None}
    )


def _by_name(logs: Sequence[tuple[str | None, str]]) -> Any:
    """Return the places, by the names of their learners where these are given."""
    if not any(name for name, _ in logs):
        return [place for _, place in logs]
    if not all(name for name, _ in logs):
        raise InvalidInputError("name every log, NAME=FILE, or none")
    found: dict[str, list[str]] = {}
    for name, place in logs:
        found.setdefault(str(name), []).append(place)
    return found

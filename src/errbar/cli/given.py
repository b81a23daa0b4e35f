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
    if kinds & set(TOOLS):
        return [_of_logs(asked, logs, kinds)]
    for place in scores:
        if Path(place).is_dir():
            raise InvalidInputError(f"the folder '{place}' has no logs of {_TOOLS}")
    checks.refuse(asked, _OF_LOGS, f"is for logs of {_TOOLS}, and '{scores[0]}' is none")
    if len(scores) > 1:
        raise InvalidInputError(
            f"one file with scores, losses or predictions can be read, got {len(scores)}: {', '.join(scores)}; only logs "
            "of language-model evaluations may be several files"
        )
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
    others = [place for _, place in logs if kind_of_log(place) is None]
    if others:
        raise InvalidInputError(f"'{others[0]}' is no log of {_TOOLS}, and other files are")
    out = getattr(asked, "out", None)
    if out is not None and kind_of_log(out) is not None:
        raise InvalidInputError(f"'{out}' is a log; give another file to write to")
    if len(kinds) > 1:
        raise InvalidInputError(
            f"the files are logs of several tools, of {_TOOLS}; give those of one"
        )
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
    unnamed = [place for name, place in logs if name is None]
    if unnamed:
        raise InvalidInputError(
            f"all learners need a name, or none: write '{unnamed[0]}' as name={unnamed[0]}"
        )
    found: dict[str, list[str]] = {}
    for name, place in logs:
        found.setdefault(str(name), []).append(place)
    return found

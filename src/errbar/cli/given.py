"""Tables of numbers that are given: which reader reads the files, and which options go with it."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from errbar import losses
from errbar.cli.scores_app import GivenOptions
from errbar.errors import InvalidInputError
from errbar.methods import Method, lookup
from errbar.read.tools import TOOLS, kind_of_log
from errbar.sources import read_judged, read_long, read_predictions, read_scores
from errbar.table import LossTable

_OF_PREDICTIONS = ("truth", "loss", "positive", "pool")
_OF_LOGS = dict.fromkeys(option for tool in TOOLS.values() for option in tool.options)


def tables(asked: GivenOptions, methods: Sequence[str | None] = (), *, pointwise: bool = False) -> list[LossTable]:
    """Return the table of what is given, for each loss.

    With `pointwise`, or a method that needs it, a row of a file is the loss of a test example.
    """
    logs = _named(asked.places)
    kinds = {kind_of_log(place) for _, place in logs}
    if kinds & set(TOOLS):
        return [_of_logs(asked, logs, kinds)]
    _refuse_logs(asked)
    if asked.judge is not None:
        return [_of_judged(asked)]
    if asked.learner is not None:
        _refuse(asked, ("columns",), "is for a file with a column for each learner, and --learner is for a long table")
    else:
        said = "goes with --learner, which names the column with the learner of a long table"
        _refuse(asked, ("value", *(("missing",) if asked.truth is not None else ())), said)
    if asked.truth is not None:
        return _of_predictions(asked)
    return _of_scores(asked, [lookup(key) for key in methods if key is not None], pointwise=pointwise)


def _refuse_logs(asked: GivenOptions) -> None:
    """Raise if what was given is no single file, or an option is about logs."""
    for place in asked.places:
        if Path(place).is_dir():
            raise InvalidInputError(f"the folder '{place}' has no logs of {_tools()}")
    options = [name for name in _OF_LOGS if name != "metric"]
    _refuse(asked, options, f"is for logs of {_tools()}, and '{asked.places[0]}' is none")
    if len(asked.places) > 1:
        raise InvalidInputError(
            f"one file with scores, losses or predictions can be read, got {len(asked.places)}: {', '.join(asked.places)}; only logs "
            "of language-model evaluations may be several files"
        )


def _named(scores: Sequence[str]) -> list[tuple[str | None, str]]:
    """Return the places that are given, each with the name of its learner where it is written NAME=FILE."""
    found: list[tuple[str | None, str]] = []
    for text in scores:
        name, equals, place = text.partition("=")
        named = bool(name and equals and Path(place).exists() and not Path(text).exists())
        found.append((name, place) if named else (None, text))
    return found


def _of_logs(asked: GivenOptions, logs: Sequence[tuple[str | None, str]], kinds: set[str | None]) -> LossTable:
    """Return the table of logs, which are all of one tool."""
    others = [place for _, place in logs if kind_of_log(place) is None]
    if others:
        raise InvalidInputError(f"'{others[0]}' is no log of {_tools()}, and other files are")
    out = getattr(asked, "out", None)
    if out is not None and kind_of_log(out) is not None:
        raise InvalidInputError(f"'{out}' is a log; give another file to write to")
    if len(kinds) > 1:
        raise InvalidInputError(f"the files are logs of several tools, of {_tools()}; give those of one")
    tool = TOOLS[str(kinds.pop())]
    other = [name for name in _OF_LOGS if name not in tool.options]
    labels = [role for role in asked.roles if role != "groups"]
    rest = (*_OF_PREDICTIONS, "kind", "n_train", "n_test", "learner", "value", "columns", *labels, *other)
    _refuse(asked, rest, f"does not go with logs of {tool.name}")
    stated = {"groups": asked.groups, "missing": asked.missing, "higher_is_better": asked.direction}
    stated |= {name: getattr(asked, name) for name in tool.options}
    return tool.read(_by_name(logs), **{name: value for name, value in stated.items() if value is not None})


def _tools() -> str:
    return " or ".join(tool.name for tool in TOOLS.values())


def _by_name(logs: Sequence[tuple[str | None, str]]) -> Any:
    """Return the places, by the names of their learners where these are given."""
    if not any(name for name, _ in logs):
        return [place for _, place in logs]
    unnamed = [place for name, place in logs if name is None]
    if unnamed:
        raise InvalidInputError(f"all learners need a name, or none: write '{unnamed[0]}' as name={unnamed[0]}")
    found: dict[str, list[str]] = {}
    for name, place in logs:
        found.setdefault(str(name), []).append(place)
    return found


def _of_scores(asked: GivenOptions, methods: Sequence[Method], *, pointwise: bool) -> list[LossTable]:
    """Return the table of a file of scores or losses."""
    for key in asked.loss or ():
        losses.lookup(key)
    _refuse(
        asked, ("loss", "positive", "pool"), "goes with --truth, which names the column with the truth of predictions"
    )
    if asked.learner is not None:
        stated: dict[str, Any] = {"metric": asked.metric, "higher_is_better": asked.direction}
        return [_as_stated(asked, _of_long(asked, kind=asked.kind, **stated))]
    table = read_scores(
        asked.places[0],
        n_train=asked.n_train,
        n_test=asked.n_test,
        pointwise=pointwise or any(spec.pointwise for spec in methods),
        metric=asked.metric,
        kind=asked.kind,
        higher_is_better=asked.direction,
        roles=asked.roles,
        names=asked.columns,
        missing=asked.missing,
    )
    return [_as_stated(asked, table)]


def _as_stated(asked: GivenOptions, table: LossTable) -> LossTable:
    """Return the table, if its splits are what --kind and --n-test say of them."""
    if asked.kind is not None and set(table.splits.kinds) != {asked.kind}:
        raise InvalidInputError(
            f"--kind {asked.kind} is for scores of splits; the rows of '{asked.places[0]}' are losses of examples of a plan of kind "
            f"{', '.join(map(repr, table.splits.kinds))}; leave it out"
        )
    if asked.n_test is not None and table.points is not None and (table.splits.n_test != asked.n_test).any():
        raise InvalidInputError(
            f"--n-test is {asked.n_test:g}, and the rows of '{asked.places[0]}' are losses of examples, of which a split tests "
            f"{table.splits.n_test[0]:g}; leave it out"
        )
    return table


def _of_predictions(asked: GivenOptions) -> list[LossTable]:
    """Return the table of a file of predictions for each loss."""
    about_scores = ("metric", "higher_is_better", "lower_is_better", "kind", "n_test")
    _refuse(
        asked,
        about_scores,
        "is for numbers that are scores already, and with --truth they are computed from predictions",
    )
    wanted = list(dict.fromkeys(asked.loss)) if asked.loss else [None]
    if asked.learner is not None:
        return [_of_long(asked, truth=asked.truth, loss=loss, **asked.judged_by) for loss in wanted]
    assert asked.truth is not None
    if "," in asked.truth:
        raise InvalidInputError(
            f"--truth names one column, got {asked.truth!r}; several labels of one example can't be judged together yet, so give one, as in "
            f"--truth {asked.truth.partition(',')[0]}, and name its predictions with --columns"
        )
    return [
        read_predictions(
            asked.places[0],
            asked.truth,
            loss=loss,
            n_train=asked.n_train,
            roles=asked.roles,
            names=asked.columns,
            **asked.judged_by,
        )
        for loss in wanted
    ]


def _of_judged(asked: GivenOptions) -> LossTable:
    """Return the table of losses by people and by a judge."""
    if asked.value is None or asked.judge is None:
        raise InvalidInputError(
            "--judge names the column of a judge; say with --value which column holds what people say"
        )
    rest = (
        *_OF_PREDICTIONS,
        "kind",
        "n_test",
        "missing",
        "columns",
        *(role for role in asked.roles if role != "example"),
    )
    _refuse(asked, rest, "does not go with --judge")
    return read_judged(
        asked.places[0],
        asked.value,
        asked.judge,
        learner=asked.learner,
        example=asked.example,
        higher_is_better=asked.direction,
        n_train=asked.n_train,
        metric=asked.metric,
    )


def _of_long(asked: GivenOptions, **options: Any) -> LossTable:
    """Return the table of a long table."""
    assert asked.learner is not None
    if asked.value is None:
        raise InvalidInputError(
            "--learner names the learners of a long table; say with --value which column holds their numbers"
        )
    options |= {"n_train": asked.n_train, "n_test": asked.n_test, "missing": asked.missing or "learners"}
    return read_long(asked.places[0], asked.learner, asked.value, **asked.roles, **options)


def _refuse(asked: GivenOptions, names: Sequence[str], why: str) -> None:
    for name in names:
        if getattr(asked, name) not in (None, False):
            raise InvalidInputError(f"--{name.replace('_', '-')} {why}")

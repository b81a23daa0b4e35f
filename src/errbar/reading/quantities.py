"""Tables in which a statistic needs several columns of a learner: sums of a ratio, times with events, or several labels."""

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from errbar import _check, statistics
from errbar.errors import InvalidInputError
from errbar.metrics._names import FORMS
from errbar.reading import checks
from errbar.reading.rows import from_rows, parts_of
from errbar.reading.scores import ends_in_common
from errbar.reading.sheet import (
    EXAMPLES,
    INDEX,
    PLACES,
    PREDICTIONS,
    Labels,
    Names,
    UnsaidRoleError,
    columns_named,
    option,
    require_equal_lengths,
    roles_of,
    sheet_of,
)
from errbar.result import Note
from errbar.statistics import Statistic
from errbar.table import LossTable

SCORE = "score"
"""What a concordance calls the numbers of a learner."""

_BETWEEN = " _.:~/-"
_CENSORED: dict[str, Labels] = {
    "c-index": {},
    "c-index-of-times": {"risk": False},
    "c-index-uno": {"kind": "uno"},
    "c-index-uno-of-times": {"kind": "uno", "risk": False},
}
_AVERAGES = ("macro", "micro", "samples")
_OF_LABELS = {f"{kind}_{how}": (kind, how) for kind in FORMS for how in _AVERAGES}


class Asked(NamedTuple):
    """A statistic of several columns.

    Attributes
    ----------
    statistic : what is computed of the rows of a learner
    shared : columns that all learners have in common, by what the statistic calls them
    own : what each learner has in columns of its own
    rows : what a row is: `PREDICTIONS` beside truths, else `EXAMPLES`
    argument : what has asked for it
    """

    statistic: Statistic
    shared: dict[str, str]
    own: list[str]
    rows: str = PREDICTIONS
    argument: str = "truth"


def asked_of(columns: Names, roles: Labels, *, ratio: Any, loss: Any) -> Asked | None:
    """Return the statistic that is asked for, and take its roles out; None where numbers have one column each."""
    truth, event = roles.get("truth"), roles.get("event")
    if ratio is not None:
        must = "goes without `truth` and `event`"
        _check.require(truth is None and event is None, must, ratio, "ratio")
        return _of_ratio(ratio, columns)
    if event is not None:
        return _of_times(roles.pop("truth", None), roles.pop("event"), columns, loss)
    if isinstance(truth, str) and truth not in columns and "," in truth:
        return _of_labels(columns_named(roles.pop("truth"), columns, "truth"), loss)
    return None


def _of_times(truth: Any, event: Any, columns: Names, loss: Any) -> Asked:
    names = {"time": columns_named(truth, columns, "truth")}
    names["event"] = columns_named(event, columns, "event")
    for argument, own in zip(("truth", "event"), names.values(), strict=True):
        _check.require(len(own) == 1, "must be one column, of times or events", own, argument)
    how = _CENSORED[_check.choice(loss or "c-index", _CENSORED, "loss")]
    found = statistics.concordance("time", "event", SCORE, **how)
    return Asked(found, {name: own for name, [own] in names.items()}, [SCORE])


def _of_ratio(text: str, columns: Names) -> Asked:
    names = [name.strip() for name in text.split("/")]
    must = "must name two columns, as in errors/words"
    _check.require(len(names) == 2 and all(names), must, text, "ratio")
    shared = {name: name for name in names if name in columns}
    own = [name for name in names if name not in columns]
    return Asked(statistics.ratio(*names), shared, own, EXAMPLES, "ratio")


def _of_labels(truths: Sequence[str], loss: Any) -> Asked:
    """Return a metric of labels, which are what names of their truths don't have in common."""
    kind, how = _OF_LABELS[_check.choice(loss or "f1_macro", _OF_LABELS, "loss")]
    start, end = ends_in_common(truths)
    start, end = _whole_words(start), _whole_words(end[::-1])[::-1]
    labels = [name.removeprefix(start).removesuffix(end) for name in truths]
    shared = {f"true {label}": truth for label, truth in zip(labels, truths, strict=True)}
    found = statistics.multilabel([*shared], labels, kind=kind, average=how)
    return Asked(found, shared, labels)


def _whole_words(start: str) -> str:
    """Return the whole words of what names have in common: of is_red and is_rosy ``is_``, not ``is_r``."""
    return start[: 1 + max(start.rfind(mark) for mark in _BETWEEN)]


def quantities_table(
    frame: Any,
    asked: Asked,
    said: Labels,
    stated: Labels,
    chosen: list[str],
    *,
    missing: str | None = None,
    **options: Any,
) -> LossTable:
    """Return the table of a statistic that needs several columns of each learner."""
    parts, whose = _parts(frame, asked, said, chosen)
    shared = asked.shared.values()
    used = dict.fromkeys([*shared, *(name for own in whose.values() for name in own.values())])
    roles = {role: name for role, name in said.items() if role != "learner"}
    first, *others = parts.values()
    sheet = sheet_of(first, roles, stated, [*used], rows=asked.rows, wanted=INDEX, kind=EXAMPLES)
    checks.ask(sheet, checks.gaps, *checks.OF_ROWS)
    if any(part is not first for part in others):  # each learner has rows of its own
        places = [sheet.roles[role] for role in PLACES if role in sheet.roles]
        must = "must name the column by which rows of learners belong together"
        _check.require(len(places) > 0, must, None, "example")
        parts = {
            name: part.sort_values(places, kind="stable", ignore_index=True)
            for name, part in parts.items()
        }
        require_equal_lengths(parts)
    keys = [*sheet.roles.values()]
    frames = {
        name: part[[*shared, *own.values(), *keys]].set_axis([*asked.shared, *own, *keys], axis=1)
        for (name, part), own in zip(parts.items(), whose.values(), strict=True)
    }
    gaps = np.any([own.isna().any(axis=1) for own in frames.values()], axis=0)
    if gaps.any() and missing != "examples":
        why = f"a number is missing in {gaps.sum()} of {gaps.size} rows, first {gaps.argmax() + 1}"
        raise UnsaidRoleError(why, option("missing", "examples"))
    frames = {name: own[~gaps] for name, own in frames.items()}
    table = from_rows(frames, asked.statistic, **sheet.roles, **sheet.stated, **options)
    left = [f"{gaps.sum()} of {gaps.size} rows"] if gaps.any() else []
    notes = tuple(Note("left-out", what=left, why="missing numbers") for _ in left)
    return replace(table, notes=(*sheet.notes(), *notes, *table.notes))


def _parts(
    frame: Any, asked: Asked, said: Labels, chosen: list[str]
) -> tuple[Labels, dict[str, Labels]]:
    """Return the rows of each learner, and its columns by what the statistic calls them."""
    learner = said.get("learner") or roles_of(frame, {}, ("learner",), chosen).get("learner")
    if learner is not None:
        alike = {name: name for name in asked.own}
        if asked.own == [SCORE]:
            [alike[SCORE]] = columns_named(said.pop("value", SCORE), frame, "value")
        else:
            columns_named(asked.own, frame, asked.argument)
        parts = parts_of(frame, learner)
        return parts, dict.fromkeys(parts, alike)
    free = chosen or [
        name for name in frame if name not in {*said.values(), *asked.shared.values()}
    ]
    if asked.own == [SCORE]:
        if not chosen:
            raise UnsaidRoleError("beside times and events, scores are named", "--columns A,B")
        whose = {name: {SCORE: name} for name in chosen}
    elif asked.own:
        whose = _named_alike(asked, free)
    else:
        whose = {asked.statistic.key: {}}
    return dict.fromkeys(whose, frame), whose


def _named_alike(asked: Asked, columns: Sequence[str]) -> dict[str, Labels]:
    """Return columns by learner and by which of the wanted they hold, as ``errors_base`` holds errors of base."""
    found: dict[str, Labels] = {}
    for name in asked.own:
        word = re.escape(name)
        for column in columns:
            one = re.fullmatch(rf"{word}[{_BETWEEN}]+(.+)|(.+?)[{_BETWEEN}]+{word}", column)
            if one:
                found.setdefault(one[1] or one[2], {})[name] = column
    for learner, own in found.items():
        for name in asked.own:
            if name not in own:
                raise InvalidInputError(
                    f"has no column of {name!r} for {learner!r}, whose are {[*own.values()]}",
                    argument=asked.argument,
                )
    if not found:
        name = asked.own[0]
        raise InvalidInputError(
            f"needs {name!r}: a column of this name, or one of each learner, as {name}_a and {name}_b",
            argument=asked.argument,
        )
    return found

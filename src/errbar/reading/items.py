"""Scores of models on items, a row each, from tables, logs and lists of what each model has solved."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from errbar import _check
from errbar._check import FloatArray, IntArray
from errbar.errors import InvalidInputError
from errbar.reading.scores import is_score
from errbar.reading.sheet import (
    EXAMPLES,
    Labels,
    UnsaidRoleError,
    columns_named,
    frame_of,
    option,
    sheet_of,
    told,
)
from errbar.reading.tools.logs import logged_scores, tool_of
from errbar.result import Note
from errbar.table import LossTable

ALL = "all items"
"""Name of the one task where no tasks are known."""

_ROLES = ("learner", "value", "example", "dataset", "answer", "seed")
_AVERAGED = ("answer", "seed")
_SOLVED = ("resolved_ids", "resolved")
_FILES = ("results", "report", "resolved", "evaluation")
"""Names of files that name no model; its folder does."""


@dataclass(frozen=True, eq=False)
class ItemScores:
    """Scores of K models on n items.

    Attributes
    ----------
    models, tasks : names
    task : number of each item's task, ascending, shape (n,)
    values : shape (K, n), NaN where a model lacks an item
    measure : name of the score
    higher_is_better : whether a higher score is better
    notes : caveats on how the numbers were read
    """

    models: tuple[str, ...]
    tasks: tuple[str, ...]
    task: IntArray
    values: FloatArray
    measure: str
    higher_is_better: bool
    notes: tuple[Note, ...] = ()


def read_items(
    source: Any,
    *,
    metric: str | None = None,
    filter: str | None = None,  # noqa: A002 - as the harness calls it
    higher_is_better: bool | None = None,
    instances: int | None = None,
    columns: Any = None,
    ignore: Any = None,
    **roles: str | None,
) -> ItemScores:
    """Return the scores of models on items; see `errbar.board`."""
    of_table = {"columns": columns, "ignore": ignore} | roles
    of_frame: Labels = {"columns": columns, "ignore": ignore, "metric": metric}
    of_frame |= {"higher_is_better": higher_is_better}
    if isinstance(source, LossTable):
        _refuse(of_table | of_frame | {"filter": filter, "instances": instances}, "a LossTable")
        return _of_losses(source)
    named = isinstance(source, Mapping) and all(
        isinstance(one, str | Path) for one in source.values()
    )
    places = list(source.values()) if named else source
    places = [places] if isinstance(places, str | Path) else places
    of_files = isinstance(places, list | tuple) and all(isinstance(p, str | Path) for p in places)
    if not of_files:
        _refuse({"filter": filter, "instances": instances}, "a table")
        return _of_frame(source, roles, **of_frame)
    solved = _solved([Path(place) for place in places], list(source) if named else None)
    if solved:
        _refuse(of_table | of_frame | {"filter": filter}, "lists of resolved instances")
        return _of_solved(solved, instances)
    _refuse({"instances": instances}, "what has a row for each item")
    if tool_of(places) is not None:
        _refuse(of_table, "logs")
        frame, key, higher, notes = logged_scores(
            source, metric, filter, None, higher_is_better=higher_is_better
        )
        labels = {
            "learner": frame["model"],
            "dataset": frame["task"],
            "example": frame["number"],
        }
        values, repeated = _by_item(frame[["score"]], labels)
        if repeated:
            notes += (Note("read", averaged_rows=["answer"]),)
        return _sorted(values, key, notes, higher=higher)
    _check.require(len(places) == 1, "must be one table, or logs, or lists", places, "source")
    _refuse({"filter": filter}, "a table")
    return _of_frame(places[0], roles, **of_frame)


def _refuse(given: Mapping[str, Any], what: str) -> None:
    """Refuse options that do not go with what is given."""
    for name, value in given.items():
        if value is not None:
            raise InvalidInputError(f"does not go with {what}", argument=name)


def _of_losses(table: LossTable) -> ItemScores:
    """Return the scores of a table: the mean of each example over splits; groups of examples are tasks."""
    if table.points is None or table.cells is None or not table.loss.pointwise:
        raise InvalidInputError("must hold a loss for each example", argument="source")
    example = _check.compact(table.cells.example)
    values = [np.bincount(example, row) / np.bincount(example) for row in table.points]
    task = np.zeros(example.max() + 1, dtype=int)
    names: tuple[str, ...] = (ALL,)
    clusters = table.splits.designs[0].clusters
    if clusters is not None:
        task = _check.compact(clusters[np.unique(table.cells.example)])
        names = tuple(f"group {place + 1}" for place in range(task.max() + 1))
    order = np.argsort(task, kind="stable")
    shown = table.loss.sign * np.array(values)[:, order]
    higher = table.loss.higher_is_better
    return ItemScores(
        table.learners, names, task[order], shown, table.loss.key, higher, table.notes
    )


def _of_frame(
    source: Any,
    roles: Mapping[str, str | None],
    *,
    metric: str | None,
    higher_is_better: bool | None,
    columns: Any,
    ignore: Any,
) -> ItemScores:
    """Return the scores of a long or wide table."""
    frame = frame_of(source)
    frame = frame.drop(columns=columns_named(ignore, frame, "ignore"))
    said, stated = told(dict(roles), _ROLES, frame.columns)
    chosen = columns_named(columns, frame, "columns")
    sheet = sheet_of(frame, said, stated, chosen, rows=EXAMPLES, wanted=_ROLES)
    if not sheet.learners:
        raise UnsaidRoleError("no column holds scores of models", "--learner", "--columns A,B")
    labels = sheet.labels()
    if sheet.long and "example" not in labels:
        raise UnsaidRoleError("nothing says which item a row is", "--example COLUMN")
    name = metric or (sheet.learners[0] if sheet.long else "score")
    notes = sheet.notes()
    averaged = [role for role in _AVERAGED if role in labels]
    values, repeated = _by_item(frame[sheet.learners], labels)
    if repeated and not averaged:
        left = [option("answer", one) for one in sheet.left] or ["--answer COLUMN"]
        raise UnsaidRoleError(f"several rows are of {repeated}", *left[:3])
    if repeated:
        notes += (Note("read", averaged_rows=averaged),)
    if higher_is_better is None:
        higher_is_better = is_score(name)
    if higher_is_better is None:
        higher_is_better = True  # a board shows scores, unless its name or somebody says otherwise
        notes += (Note("direction", what=name, better="higher", say="higher_is_better"),)
    return _sorted(values, name, notes, higher=higher_is_better)


def _by_item(values: Any, labels: Labels) -> tuple[Any, str]:
    """Return a frame with a row for each item and a column for each model, and an item that has several rows.

    `values` holds the numbers of all models, or a column of numbers beside a label for the learner.
    """
    try:
        values = values.astype(float)
    except (TypeError, ValueError):
        raise InvalidInputError("must be columns of numbers", argument="value") from None
    if np.isinf(values).any(axis=None):
        raise InvalidInputError("must hold finite numbers", argument="value")
    frame = _check.package("pandas", "app").DataFrame(
        {"dataset": ALL, "example": np.arange(len(values))} | labels, index=values.index
    )
    keys = [role for role in ("dataset", "example", "learner") if role in frame]
    for role in keys:
        if frame[role].isna().any():
            raise InvalidInputError("has cells without a name", argument=role)
        if role != "example" or frame[role].dtype == object:
            frame[role] = frame[role].astype(str)
    again = frame.duplicated(keys).to_numpy()
    repeated = ""
    if again.any():
        places = frame[keys[::-1]].iloc[again.argmax()]
        repeated = " of ".join(map(_check.brief, map(str, places)))
    cells = values.groupby([frame[role] for role in keys], observed=True)
    # A model lacks an item where one of its answers has no score.
    values = cells.mean().where(cells.count().eq(cells.size(), axis=0))
    return values.iloc[:, 0].unstack("learner") if "learner" in keys else values, repeated


def _sorted(values: Any, measure: str, notes: tuple[Note, ...], *, higher: bool) -> ItemScores:
    """Return scores in the order of tasks and items, whatever that of the rows was."""
    values = values.sort_index()
    task, names = values.index.get_level_values("dataset").factorize()
    models = _check.names(list(values.columns), "model")
    numbers = np.ascontiguousarray(values.to_numpy().T)
    return ItemScores(models, tuple(map(str, names)), task, numbers, measure, higher, notes)


# Lists of solved instances, a file for each model, as the harness and the experiments of SWE-bench write them.


def _solved(places: Sequence[Path], names: Sequence[str] | None) -> dict[str, Any]:
    """Return the lists of each model; nothing where the files hold none."""
    found: dict[str, Any] = {}
    without: list[Path] = []
    for number, place in enumerate(places):
        files = sorted(place.rglob("*.json")) if place.is_dir() else [place]
        before = len(found)
        for file in files:
            lists = _lists_of(file)
            if lists is None:
                continue
            name = names[number] if names else _model_of(file, lists)
            if name in found:
                raise InvalidInputError(
                    f"two lists are of {name!r}; name each, {{'old': path}}", argument="source"
                )
            found[name] = lists
        if len(found) == before:
            without.append(place)
    if found and without:
        raise InvalidInputError(
            f"'{without[0]}' lists no resolved instances, as others do", argument="source"
        )
    return found


def _lists_of(file: Path) -> Any:
    """Return what a file says of a model's instances; None where it lists none that were resolved."""
    if file.suffix != ".json" or not file.is_file():
        return None
    text = file.read_bytes()
    try:
        lists = json.loads(text) if b'"resolved' in text else None
    except ValueError:
        return None
    listed = isinstance(lists, dict) and any(isinstance(lists.get(key), list) for key in _SOLVED)
    return lists if listed else None


def _model_of(file: Path, lists: Mapping[str, Any]) -> str:
    """Return the model of a list: as the list says, or the name of its file or folder."""
    said = lists.get("model_name_or_path") or lists.get("model")
    if isinstance(said, str):
        return said
    if file.stem.lower() not in _FILES:
        return file.stem
    folders = [one.name for one in file.resolve().parents]
    return next(name for name in folders if name.lower() not in _FILES)


def _of_solved(lists: Mapping[str, Any], instances: int | None) -> ItemScores:
    """Return 1 for each instance that a model resolved, and else 0."""
    known: set[str] = set()
    solved = {}
    totals = {one["total_instances"] for one in lists.values() if "total_instances" in one}
    complete = all("submitted_ids" in one or "unresolved_ids" in one for one in lists.values())
    for name, one in lists.items():
        key = next(key for key in _SOLVED if isinstance(one.get(key), list))
        solved[name] = set(map(str, one[key]))
        for ids in one.values():
            known |= {str(text) for text in ids} if isinstance(ids, list) else set()
    count = instances if instances is not None else max(totals, default=len(known))
    if instances is None and len(totals) > 1:
        raise InvalidInputError(
            f"lists are of {sorted(totals)} instances; give those of one benchmark",
            argument="source",
        )
    if instances is None and not totals and not complete:
        raise UnsaidRoleError("no list says how many instances there are", "--instances N")
    _check.count(count, "instances", len(known))
    # Those on no list were resolved by no model.
    rest = [f"~{place}" for place in range(count - len(known))]
    items = [*sorted(known), *rest]
    values = np.array([[float(item in own) for item in items] for own in solved.values()])
    task = np.zeros(len(items), dtype=int)
    return ItemScores(tuple(solved), (ALL,), task, values, "resolved", higher_is_better=True)

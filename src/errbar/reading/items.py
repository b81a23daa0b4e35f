"""Scores of models on items, a row each, from tables and logs."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path
from typing import Any, Self

import numpy as np

from errbar import _check
from errbar._check import FloatArray, IntArray
from errbar._plain import Names
from errbar.errors import InvalidInputError
from errbar.reading import checks
from errbar.reading.scores import is_score
from errbar.reading.sheet import (
    EXAMPLES,
    Labels,
    Notes,
    Sheet,
    UnsaidRoleError,
    columns_named,
    frame_of,
    mean_of_rows,
    option,
    says,
    sheet_of,
    told,
)
from errbar.reading.tools import as_list, swe_bench
from errbar.reading.tools.logs import TOOLS, logged_scores, tool_of
from errbar.reading.tools.several import together
from errbar.result import Note
from errbar.table import LossTable

ALL = "all items"
"""Name of the one task where no tasks are known."""

_ROLES = ("learner", "value", "example", "dataset", "answer", "seed")
_AVERAGED = ("answer", "seed")
_OF_LOGS = ("metric", "filter", "higher_is_better", "instances")
_TOOLS = (*TOOLS, swe_bench)


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
    notes: Notes = ()

    def part(self, models: Any, items: Any) -> Self:
        """Return the scores of models at these places, and of some items."""
        left, task = np.unique(self.task[items], return_inverse=True)
        return replace(
            self,
            models=tuple(self.models[place] for place in models),
            tasks=tuple(self.tasks[place] for place in left),
            task=task,
            values=self.values[models][:, items],
        )


def read_items(source: Any, **said: Any) -> ItemScores:
    """Return the scores of models on items; see `errbar.board`."""
    said = {name: value for name, value in said.items() if value is not None}

    def only(what: str, *options: str) -> Labels:
        for name in said:
            if name not in options:
                raise InvalidInputError(f"does not go with {what}", argument=name)
        return said

    if isinstance(source, LossTable):
        return _of_losses(source, **only("a LossTable"))
    given = source.values() if isinstance(source, Mapping) else [source]
    places = list(chain.from_iterable(map(as_list, given)))
    if places and all(isinstance(place, str | Path) for place in places):
        if tool_of(places, _TOOLS) is not None:
            return _of_logs(source, **only("logs", *_OF_LOGS))
        if len(places) > 1:  # of a model each, or parts of one table
            source, said = together(source, said)
        else:
            [source] = places
    of_roles = {*said} - {"filter", "instances"}  # of which a name that is none is refused later
    return _of_table(source, **only("a table", *of_roles))


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
    loss, shown = table.loss, table.loss.sign * np.array(values)[:, order]
    better = loss.higher_is_better
    return ItemScores(table.learners, names, task[order], shown, loss.key, better, table.notes)


def _of_logs(
    source: Any,
    *,
    metric: str | None = None,
    filter: str | None = None,  # noqa: A002 - as the harness calls it
    higher_is_better: bool | None = None,
    instances: int | None = None,
) -> ItemScores:
    frame, name, higher, notes = logged_scores(
        source, metric, filter, None, higher_is_better=higher_is_better, tools=_TOOLS
    )
    roles = {"learner": "model", "dataset": "task", "example": "number"}
    labels = {role: frame[name].to_numpy() for role, name in roles.items()}
    values, repeated = _by_item(frame[["score"]], labels)
    if "instances" in frame:
        values = _of_all_instances(values, frame, instances)
    else:
        _check.require(
            instances is None, "goes with lists of those resolved", instances, "instances"
        )
    averaged = (Note("read", averaged_rows=["answer"]),) if repeated else ()
    return _sorted(values.sort_index(axis=1), name, notes + averaged, higher=higher)


def _of_all_instances(values: Any, frame: Any, instances: int | None) -> Any:
    """Return 1 for each instance that a model resolved, and 0 for the others, on lists or not."""
    if frame["run"].max() > 1:
        raise InvalidInputError("must hold one list of each model", argument="source")
    said = frame.drop_duplicates("log")["instances"]  # 0: all are on the lists
    totals = {*said.dropna()} - {0}
    if len(totals) > 1:
        raise InvalidInputError(
            f"lists are of {sorted(totals)} instances; give those of one benchmark",
            argument="source",
        )
    if instances is None:
        if not totals and said.isna().any():
            raise UnsaidRoleError("no list says how many instances there are", "--instances N")
        instances = int([*totals, len(values)][0])
    listed = len(values)
    _check.count(instances, "instances", listed)
    unlisted = [(ALL, f"unlisted {place}") for place in range(instances - listed)]
    return values.reindex([*values.index, *unlisted]).fillna(0.0)


def _of_table(
    source: Any,
    *,
    metric: str | None = None,
    higher_is_better: bool | None = None,
    columns: Any = None,
    ignore: Any = None,
    **roles: str,
) -> ItemScores:
    values, sheet, notes = answers_of(source, roles, _ROLES, columns=columns, ignore=ignore)
    if values.stack().nunique() < 2:
        raise InvalidInputError("must hold scores that differ", argument="value")
    if sheet.long:
        values = values.sort_index(axis=1)
    name = metric or (sheet.learners[0] if sheet.long else "score")
    if higher_is_better is None:
        higher_is_better = is_score(name)
    if higher_is_better is None:
        higher_is_better = True  # a board shows scores, unless its name or somebody says otherwise
        notes += (Note("direction", what=name, better="higher", say="higher_is_better"),)
    return _sorted(values, name, notes, higher=higher_is_better)


def answers_of(
    source: Any,
    roles: Labels,
    wanted: Names,
    *,
    columns: Any = None,
    ignore: Any = None,
    like: Sheet | None = None,
) -> tuple[Any, Sheet, Notes]:
    """Return a frame with a row for each item, by its task and name, and a column for each model; its sheet; and how it was read.

    A column has the role that it has in another sheet.
    """
    frame = frame_of(source)
    frame = frame.drop(columns=columns_named(ignore, frame, "ignore"))
    alike = {} if like is None else like.roles
    said, stated = told(
        {role: name for role, name in alike.items() if name in frame} | roles, wanted, frame
    )
    chosen = columns_named(columns, frame, "columns")
    frame, said, chosen = checks.with_columns_as_labels(frame, said, chosen)
    sheet = sheet_of(frame, said, stated, chosen, rows=EXAMPLES, wanted=wanted)
    rules = checks.columns_that_are_no_learners, checks.gaps, checks.words_for_numbers
    checks.ask(sheet, *rules, checks.codes)
    labels, notes = sheet.labels(), sheet.notes()
    if sheet.long and "example" not in labels:
        raise UnsaidRoleError("nothing says which item a row is", "--example COLUMN")
    values, repeated = _by_item(sheet.frame[sheet.learners].astype(float), labels)
    averaged = [role for role in _AVERAGED if role in labels]
    if repeated and not averaged:
        left = [option("answer", one) for one in sheet.left] or ["--answer COLUMN"]
        raise UnsaidRoleError(f"several rows are of {repeated}", *left[:3])
    for why, *_, ignore in checks.shared_values(sheet):
        first = says(ignore)["ignore"].split(",")[0]
        task = [option("dataset", first)] * ("dataset" in wanted)
        raise UnsaidRoleError(why, *task, ignore)
    return values, sheet, notes + (Note("read", averaged_rows=averaged),) * bool(repeated)


def _by_item(values: Any, labels: Labels) -> tuple[Any, str]:
    """Return a frame with a row for each item and a column for each model, as they come, and an item that has several rows.

    `values` holds the numbers of all models, or a column of numbers beside a label for the learner.
    """
    pandas = _check.package("pandas", "app")
    frame = pandas.DataFrame({"dataset": ALL, "example": np.arange(len(values))} | labels)
    keys = [role for role in ("dataset", "example", "learner") if role in frame]
    for role in keys:
        if role != "example" or frame[role].dtype == object:
            frame[role] = frame[role].astype(str)
    values, repeated = values.set_axis(pandas.MultiIndex.from_frame(frame[keys])), ""
    again = frame[frame.duplicated(keys)]
    if len(again):
        names = [str(again[role].iloc[0]) for role in keys[::-1] if role in labels]
        repeated = " of ".join(map(_check.brief, names))
        values = mean_of_rows(values, keys)
    if "learner" in keys:
        items = values.index.droplevel("learner").unique()
        models = frame["learner"].unique()
        values = values.iloc[:, 0].unstack("learner").reindex(items, columns=models)
    return values, repeated


def _sorted(values: Any, measure: str, notes: Notes, *, higher: bool) -> ItemScores:
    """Return scores in the order of tasks and items, whatever that of the rows was."""
    values = values.sort_index()
    task, names = values.index.get_level_values("dataset").factorize()
    models = _check.names(list(values.columns), "model")
    numbers = np.ascontiguousarray(values.to_numpy().T)
    if np.isinf(numbers).any():
        raise InvalidInputError("must hold finite numbers", argument="value")
    return ItemScores(models, tuple(map(str, names)), task, numbers, measure, higher, notes)

"""Logs of answers to questions, as tools for language models write them: files that are meant, and the table."""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from errbar import _check
from errbar.errors import InvalidInputError, PairingError
from errbar.needs import FEWEST_CLUSTERS
from errbar.reading.frame import existing
from errbar.reading.table import from_losses, read_table
from errbar.result import Note
from errbar.table import LossTable

TASK, NONE, QUESTION = "task", "none", "question"
"""What groups may be beside a field of the questions: tasks, nothing, or each question."""
POOLED, EQUAL = "pooled", "equal"
"""What is averaged over several tasks: all questions, or the means of the tasks."""

# Letters and words for scores, as the metrics of Inspect take them; True and False are also how NumPy's are written.
_NUMBERS = {"c": 1, "p": 0.5, "i": 0, "n": 0, "yes": 1, "true": 1, "no": 0, "false": 0}

_ENDINGS = (".jsonl", ".json", ".eval")
_HEAD = 2**16


class Log(NamedTuple):
    """A file, and the name that the user has given its learner, if any."""

    path: Path
    learner: str | None = None

    def columns(self, model: str) -> dict[str, Any]:
        """Return the columns of its answers that say where they are from; `model` is what the log calls the learner."""
        named = self.learner is not None
        return {"log": str(self.path), "named": named, "model": self.learner or model}


def head(place: Path) -> bytes:
    """Return the first bytes of a text."""
    with place.open("rb") as log:
        return log.read(_HEAD).removeprefix(b"\xef\xbb\xbf").lstrip()


def files_of(one: str | Path) -> list[Path]:
    """Return the files that are meant: those in a folder, or the one."""
    place = Path(one)
    if place.is_dir():
        return sorted(file for file in place.rglob("*") if file.suffix in _ENDINGS)
    return [place]


def logs_of(given: Any, is_log: Callable[[Path], bool], tool: str) -> list[Log]:
    """Return the logs of a tool: of paths, folders, or any of these by the name of a learner."""
    if not isinstance(given, Mapping) or not given:
        given = {None: given}
    found: dict[Path, Log] = {}
    for name, places in given.items():
        several = [places] if isinstance(places, (str, Path)) else places
        paths = isinstance(several, Iterable) and all(isinstance(p, (str, Path)) for p in several)
        must = "must be paths, or a mapping from names to paths"
        _check.require(paths and several, must, places, "logs")
        for one in several:
            files = [file for file in files_of(one) if not Path(one).is_dir() or is_log(file)]
            if not files:
                raise InvalidInputError(f"there is no log of {tool} in '{one}'")
            found |= {existing(file): Log(file, name and str(name)) for file in files}
    return [*found.values()]


def chosen(given: str | None, there: Sequence[str], name: str, where: str) -> str:
    """Return which of several is meant, or raise; `where` says in what they are."""
    if given is None and len(there) == 1:
        return there[0]
    if given is None or given not in there:
        listed = ", ".join(map(repr, there)) or "none"
        raise InvalidInputError(f"{where} has {listed}; say which with `{name}`, got {given!r}")
    return given


def group_of(groups: str | None, task: str, number: str, fields: Any) -> str:
    """Return the group of a question: its task, what one of its fields says, or the question where no field is called so."""
    if groups in (None, TASK, NONE):
        return task
    fields = fields if isinstance(fields, Mapping) else {}
    question = {QUESTION: f"{task}/{number}"}
    return str(
        (question | fields)[_check.choice(groups, (TASK, NONE, QUESTION, *fields), "groups")]
    )


def table_of_answers(
    frame: Any,
    groups: str | None,
    tasks: str | None,
    notes: tuple[Note, ...],
    options: Mapping[str, Any],
) -> LossTable:
    """Return the table of answers: those of a log to a question are averaged, logs of a task are seeds.

    A row of `frame` is an answer, in the order of logs and lines: ``log``, where it stands; ``named``,
    whether the user has named the learner; ``model``, ``task`` and ``number`` of the question in the
    task; ``score``, None where there is none; ``group``, as `group_of` returns it; ``check``, what must
    be the same for all learners. `options` are ``metric``, ``higher_is_better`` and ``missing``.
    """
    count = frame["task"].nunique()
    several = count > 1
    frame["question"] = frame["task"] + "/" + frame["number"] if several else frame["number"]
    frame["score"] = frame["score"].map(_number)
    # Runs of a learner on a task, in the order of its logs; answers of a log to a question, in that of its lines.
    new = ~frame.duplicated(["model", "task", "log"])
    frame["run"] = new.groupby([frame["model"], frame["task"]]).cumsum()
    frame["answer"] = frame.groupby(["log", "model", "question"]).cumcount() + 1
    other = frame["check"] != frame.groupby("question")["check"].transform("first")
    for question, log in frame.loc[other, ["question", "log"]].to_numpy():
        raise PairingError(f"question {question!r} in '{log}' is not that of the other logs")
    again = (frame["run"] > 1) & ~frame["named"]
    for model, log in frame.loc[again, ["model", "log"]].to_numpy():
        raise InvalidInputError(
            f"'{log}' is another log of {model!r}; name each: old=FILE new=FILE ({{'old': path}})"
        )
    if tasks is None and frame.groupby("task")["question"].nunique().nunique() > 1:
        raise InvalidInputError(
            "the tasks differ in size: say --tasks equal (tasks='equal') or pooled"
        )
    mean = _check.choice(tasks or POOLED, (POOLED, EQUAL), "tasks")
    by_task = groups in (None, TASK)
    if mean == EQUAL:
        _check.choice(groups or TASK, (TASK, NONE), "groups")
    equal = several and mean == EQUAL
    few = groups is None and several and count < FEWEST_CLUSTERS
    new_tasks = not few and groups != NONE
    grouped = equal or (new_tasks and (several or not by_task))
    roles: dict[str, Any] = {"learner": "model", "value": "score", "example": "question"}
    roles |= {"seed": "run"} if frame["run"].max() > 1 else {}
    roles |= {"groups": "group"} if grouped else {}
    if frame["answer"].max() > 1:
        roles["answer"] = "answer"
        if grouped and frame["group"].nunique() == frame["question"].nunique():
            # Where the groups are the questions, each answer is an example of its own.
            frame["question"] += "/" + frame["answer"].astype(str)
            del roles["answer"]
    table = read_table(frame[[*roles.values()]], **roles, **options)
    if equal:
        table = of_equal_tasks(table, new=new_tasks)
    if several and (equal or groups is None):
        said = f"(tasks={mean!r})"
        if new_tasks:
            kind = "a group, of which new ones may follow"
            notes += (Note("taken-as", what=f"each task {said}", kind=kind, say=["groups='none'"]),)
        else:
            notes += (Note("fixed", what=f"tasks {said}"),)
    # Groups may be numbered within each task.
    shared = frame.groupby("group", sort=False)["task"].nunique() > 1
    if grouped and not by_task and shared.any():
        what = [f"group {group}" for group in shared.index[shared]]
        say = ["one task at a time"]
        notes += (Note("taken-as", what=what, kind="the same in all tasks", say=say),)
    return replace(table, notes=table.notes + notes)


def _number(score: Any) -> float:
    try:
        return math.nan if score is None else float(_NUMBERS.get(str(score).lower(), score))
    except (TypeError, ValueError):
        raise InvalidInputError(
            f"a question has the score {score!r}, no number; name another metric or scorer"
        ) from None


def of_equal_tasks(table: LossTable, *, new: bool) -> LossTable:
    """Return the table whose numbers have the mean of the means of tasks for their mean.

    If tasks are `new`, each is one example, with its mean; else the result is about new questions of
    these tasks. With n_t questions of variance s_t^2 in each of T tasks, the squared standard error is
    then the sum of s_t^2/n_t over T^2. Question i of task t contributes the mean M of all tasks plus
    its deviation from the mean of its task times sqrt(n (n - 1)/(n_t (n_t - 1)))/T: the mean of the n
    contributions is M, and their variance over n that squared standard error.
    """
    design, cells, points = table.splits.designs[0], table.cells, table.points
    if design.clusters is None or cells is None or points is None:
        return table  # every task has one question
    sizes = np.bincount(design.clusters)
    fewest, needed = (sizes.size, FEWEST_CLUSTERS) if new else (sizes.min(), 2)
    if fewest < needed:
        what = "tasks" if new else "question of a task"
        raise InvalidInputError(
            f"{fewest} {what} tell nothing about others; give {needed}, or say --tasks pooled (tasks='pooled')"
        )
    seeds, seed = np.unique(table.splits.labels["seed"][cells.split], return_inverse=True)
    task = design.clusters[cells.example]
    unit = seed * sizes.size + task  # a task with a seed
    shown = table.loss.sign * points  # (K, N)
    means = np.stack([np.bincount(unit, own) for own in shown]) / np.tile(sizes, seeds.size)
    if new:
        rows, example = means, np.tile(np.arange(sizes.size), seeds.size)
        seed = np.repeat(np.arange(seeds.size), sizes.size)
    else:
        weight = np.sqrt(sizes.sum() * (sizes.sum() - 1.0) / (sizes * (sizes - 1.0))) / sizes.size
        centre = means.reshape(len(shown), seeds.size, sizes.size).mean(axis=2)
        rows = centre[:, seed] + weight[task] * (shown - means[:, unit])
        example = cells.example
    made = from_losses(
        rows.T,
        names=table.learners,
        metric=table.loss.key,
        higher_is_better=table.loss.higher_is_better,
        example=example,
        seed=seed if seeds.size > 1 else None,
    )
    # Contributions are no losses of questions: few questions may carry the variance, as for a metric.
    loss = made.loss if new else replace(table.loss, pointwise=False, influence=True)
    return replace(made, loss=loss, notes=table.notes)

"""Logs of answers to questions, as tools for language models write them.

A file is known by what it holds. A tool is a module with its `NAME`, `is_log`, and `rows_of`, which yields for each answer

* ``number`` of the question in the task, and ``scores`` by name;
* where it has such, ``model``, ``task``, ``filter``, ``time`` of the log, ``check``, what must be the same for all learners,
  ``fields`` of the question, by which it may be grouped, and ``doubts``: in which ways the log did not end well.

It may have `MAIN_FIRST`, which says that the first score of an answer is the main one, and `higher_of`, whether a higher score
of some name is better: None where only the user knows. Else it always is.
"""

import math
import struct
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

import numpy as np

from errbar import _check
from errbar._check import FloatArray, IntArray
from errbar.design import FEWEST_CLUSTERS
from errbar.errors import InvalidInputError, PairingError, one_line
from errbar.reading.sheet import (
    Labels,
    Notes,
    UnsaidRoleError,
    columns_named,
    frame_of,
    option,
    require_column,
    roles_of,
    told,
)
from errbar.reading.table import from_losses, read_table
from errbar.reading.tools import as_list, deepeval, helm, inspect, lm_eval, promptfoo, trec_eval
from errbar.result import Note
from errbar.table import LossTable

TOOLS = (inspect, lm_eval, promptfoo, deepeval, helm, trec_eval)
NAMES = ", ".join(tool.NAME for tool in TOOLS)
OPTIONS = ("metric", "filter", "tasks", "groups", "missing", "higher_is_better")

TASK, NONE, QUESTION = "task", "none", "question"
"""What groups may be beside a field of the questions: tasks, nothing, or each question."""
_OF_TASKS = ("learner", "value", "dataset", "example", "seed")
POOLED, EQUAL = "pooled", "equal"
"""What is averaged over several tasks: all questions, or the means of the tasks."""

# Letters and words for scores, as the metrics of Inspect take them; True and False are also how NumPy's are written.
_NUMBERS = {"c": 1, "p": 0.5, "i": 0, "n": 0, "yes": 1, "true": 1, "no": 0, "false": 0}
_ENDINGS = (".jsonl", ".json", ".eval", ".txt")
_SHOWN = 4
_UNREADABLE = (AttributeError, KeyError, OSError, TypeError, ValueError, BadZipFile, struct.error)


def read_logs(
    logs: Any,
    *,
    metric: str | None = None,
    filter: str | None = None,  # noqa: A002 - as the harness calls it
    groups: str | None = None,
    tasks: str | None = None,
    higher_is_better: bool | None = None,
    missing: str | float = "learners",
) -> LossTable:
    r"""Read logs of answers to questions, as lm-evaluation-harness, Inspect and others write them; needs pandas.

    A learner is a model, an example a document or sample, and its number is a metric or score.

    The harness, with ``--log_samples``, writes a file ``samples_<task>_<time>.jsonl`` for each task, in a
    folder for each model; a file of any other name is one learner, called like it. Documents must be the
    same for all learners, by their ``doc_hash``. Several lines for a document in one file are several
    answers, and their mean is its value, as is that over the epochs of Inspect.

    Inspect writes ``.eval`` or ``.json``. Scores C, P, I and N count 1, 0.5, 0 and 0; so do yes, no, true
    and false. A sample that ended in an error, or has no score, lacks its number.

    Of promptfoo's JSON a learner is a provider, with a prompt where there are several, and a question a
    set of variables; repeated tests are answers. Of a test run of deepeval a question is the input, and of
    trec_eval's ``-q`` a topic; both files are called like a learner. HELM writes a folder for each model
    and scenario with ``per_instance_stats.json``: trials are answers, and perturbed copies are left out.

    Parameters
    ----------
    logs : str, Path, sequence or mapping of str to these
        Files, or folders that hold files at any depth. A mapping gives the learners other names; several
        files of a task under one name are several runs, a seed each.
    metric : str, optional
        Metric of the harness, by default the first one of each line, if it is the same for all tasks; or
        which of several scores of another tool: ``"grader/style"`` is the key ``style`` of a score of
        Inspect that is a mapping. Of promptfoo it is ``"success"`` by default.
    filter : str, optional
        Which filter of the responses, of tasks that have several, such as ``"strict-match"``; of HELM,
        which split.
    groups : str, optional
        What is alike within groups: ``"task"`` (default from five tasks on), ``"none"``, or a field of
        ``doc`` or ``metadata``, such as the passage; ``"question"`` where its answers are to be kept, as to
        plan with them.
    tasks : {"equal", "pooled"}, optional
        What is averaged over several tasks: the means of the tasks, as on leaderboards, or all questions.
        It must be said where the tasks differ in size.
    higher_is_better : bool, optional
        By default as the name of a metric of the harness or HELM says, and else True, but for scores of
        harm, such as toxicity. It must be said where the name says nothing, and of ``perplexity``, for
        which the harness logs the log-likelihood.
    missing : {"learners", "examples", "pairs", "refuse"}, name or float, default "learners"
        What is done where a learner lacks questions that others have; see `read_table`.

    Returns
    -------
    LossTable
        A number per learner and question.

    Raises
    ------
    InvalidInputError, PairingError, MissingPackageError
        If a file is no such log; if several metrics or filters are there and none is named, or a score is
        no number; if questions differ between learners, or no two have all; if pyarrow is needed to
        unpack zstandard.

    References
    ----------
    EleutherAI, `lm-evaluation-harness <https://github.com/EleutherAI/lm-evaluation-harness>`_: the
    schema is that of ``SampleResult`` in ``lm_eval/result_schema.py``. UK AI Security Institute,
    `Inspect <https://inspect.aisi.org.uk/eval-logs.html>`_: that of ``EvalLog`` in
    ``inspect_ai/log/_log.py``. `promptfoo <https://www.promptfoo.dev>`_: ``EvaluateResult``.
    `deepeval <https://github.com/confident-ai/deepeval>`_: ``LLMApiTestCase``. Stanford CRFM,
    `HELM <https://github.com/stanford-crfm/helm>`_: ``PerInstanceStats``. NIST,
    `trec_eval <https://github.com/usnistgov/trec_eval>`_.

    Examples
    --------
    >>> import json, errbar
    >>> from pathlib import Path
    >>> for model, letters in {"small": "CIIC", "large": "CCIC"}.items():
    ...     scores = [{"match": {"value": letter}} for letter in letters]
    ...     samples = [{"id": i, "epoch": 1, "input": "?", "scores": s} for i, s in enumerate(scores)]
    ...     log = {"eval": {"task": "arc", "model": model}, "status": "success", "samples": samples}
    ...     characters = Path(f"{model}.json").write_text(json.dumps(log))
    >>> table = errbar.read_logs(["small.json", "large.json"])
    >>> errbar.infer(table, "holdout-t", "large", minus="small").estimate
    0.25
    """
    frame, key, higher, notes = logged_scores(
        logs, metric, filter, groups, higher_is_better=higher_is_better
    )
    options = {"metric": key, "higher_is_better": higher, "missing": missing}
    return _table(frame, groups, tasks, notes, options)


def logged_scores(
    logs: Any,
    metric: str | None,
    wanted: str | None,
    groups: str | None,
    *,
    higher_is_better: bool | None,
    tools: Sequence[Any] = TOOLS,
) -> tuple[Any, str, bool, Notes]:
    """Return a frame with a row for each answer, the name of its score, whether higher is better, and caveats.

    `wanted` is the filter of responses.
    """
    by_name = logs if isinstance(logs, Mapping) and logs else {None: logs}
    places = [(name, place) for name, given in by_name.items() for place in as_list(given)]
    paths = all(isinstance(place, str | Path) for _, place in places)
    must = "must be paths, or a mapping from names to paths"
    _check.require(paths and {name for name, _ in places} == {*by_name}, must, logs, "logs")
    tool = tool_of([place for _, place in places], tools)
    if tool is None:
        raise InvalidInputError(f"there is no log of {NAMES} in '{places[0][1]}'")
    found = {
        file: name
        for name, place in places
        for file in files_of(place)
        if not Path(place).is_dir() or tool.is_log(file)
    }
    rows = chain.from_iterable(_rows(tool, *one, metric, groups) for one in found.items())
    frame = _check.package("pandas", "app").DataFrame(rows)
    frame = frame.sort_values("time", kind="stable", ignore_index=True)
    several = frame.groupby("task")["filter"].transform("nunique") > 1
    if several.any() or wanted is not None:
        filters = frame["filter"][several | ~several.any()].unique().tolist()
        wanted = chosen(wanted, filters, "filter", "a task of these logs")
    frame = frame[~several | (frame["filter"] == wanted)].copy()
    if frame["log"].nunique() < len(found):
        raise InvalidInputError("some of these logs lack the filter of their task")
    shown = 1 if hasattr(tool, "MAIN_FIRST") and not metric else None
    there = dict.fromkeys(name for own in frame["scores"] for name in [*own][:shown])
    key = chosen(metric, [*there], "metric", "an answer")
    frame["score"] = [_number(own.get(key)) for own in frame["scores"]]
    if higher_is_better is None:
        higher_is_better = tool.higher_of(key) if hasattr(tool, "higher_of") else True
        # The harness calls a lower perplexity better, and logs log-likelihoods, of which higher are.
        negative = (frame["score"] < 0.0).any()
        known = higher_is_better or (higher_is_better is False and not negative)
        must = f"must say whether a higher {key!r} is better"
        _check.require(known, must, None, "higher_is_better")
        higher_is_better = bool(higher_is_better)
    _refuse_other_questions(frame)
    ends = frame.drop_duplicates("log")
    doubts = [
        f"{model} ({one})" for model, own in ends[["model", "doubts"]].to_numpy() for one in own
    ]
    by = "a log that is finished, valid and without errors"
    notes = (Note("not-verified", what=doubts, by=by),) if doubts else ()
    return frame, key, higher_is_better, notes


def _refuse_other_questions(frame: Any) -> None:
    """Name the questions and the runs of a learner, and refuse questions and logs that are not those of the others."""
    several = frame["task"].nunique() > 1
    frame["question"] = frame["task"] + "/" + frame["number"] if several else frame["number"]
    # Runs of a learner on a task, in the order of its logs.
    new = ~frame.duplicated(["model", "task", "log"])
    frame["run"] = new.groupby([frame["model"], frame["task"]]).cumsum()
    other = frame["check"] != frame.groupby("question")["check"].transform("first")
    for question, log in frame.loc[other, ["question", "log"]].to_numpy():
        raise PairingError(f"question {question!r} in '{log}' is not that of the other logs")
    again = (frame["run"] > 1) & ~frame["named"]
    for model, log in frame.loc[again, ["model", "log"]].to_numpy():
        raise InvalidInputError(
            f"'{log}' is another log of {model!r}; name each: old=FILE new=FILE ({{'old': path}})"
        )


def tool_of(places: Sequence[str | Path], tools: Sequence[Any] = TOOLS) -> Any:
    """Return the tool whose logs files and folders are; None where they hold no log."""

    def tool(file: Path) -> Any:
        try:
            return next((one for one in tools if file.is_file() and one.is_log(file)), None)
        except (OSError, BadZipFile):
            return None

    found = {next(filter(None, map(tool, files_of(place))), None) for place in places}
    if len(found) > 1:
        listed = ", ".join(map(str, places))
        raise InvalidInputError(f"give logs of one tool, {NAMES}, or tables, got {listed}")
    return found.pop()


def files_of(one: str | Path) -> list[Path]:
    """Return the files that are meant: those in a folder, or the one."""
    place = Path(one)
    if place.is_dir():
        return sorted(file for file in place.rglob("*") if file.suffix in _ENDINGS)
    return [place]


def _rows(
    tool: Any, file: Path, name: Any, metric: str | None, groups: str | None
) -> Iterator[Labels]:
    """Yield the answers of a log; the texts, which are most of it, are not kept."""
    unsaid = {
        "model": file.stem,
        "task": "all",
        "filter": "none",
        "time": "",
        "check": "",
        "fields": None,
        "doubts": (),
    }
    where = {"log": str(file), "named": name is not None}
    where |= {} if name is None else {"model": str(name)}
    row: Labels = {}
    try:
        for answer in tool.rows_of(file, metric):
            row = unsaid | answer | where
            yield row | {"group": _group_of(groups, row["task"], row["number"], row.pop("fields"))}
        if not row:
            raise ValueError("it holds no answers")
    except InvalidInputError:
        raise
    except _UNREADABLE as error:
        raise InvalidInputError(f"'{file}' is no log of {tool.NAME}: {one_line(error)}") from None


def chosen(given: str | None, there: Sequence[str], name: str, where: str) -> str:
    """Return which of several is meant, or raise; `where` says in what they are."""
    if given is None and len(there) == 1:
        return there[0]
    if given is None and there:
        raise UnsaidRoleError(
            f"{where} has several", *[option(name, one) for one in there[:_SHOWN]]
        )
    if given is None or given not in there:
        listed = ", ".join(map(repr, there[:_SHOWN])) or "none"
        raise InvalidInputError(f"is {given!r}, and {where} has {listed}", argument=name)
    return given


def _group_of(groups: str | None, task: str, number: str, fields: Any) -> str:
    """Return the group of a question: its task, what one of its fields says, or the question where no field is called so."""
    if groups in (None, TASK, NONE):
        return task
    known = {QUESTION: f"{task}/{number}"} | (fields if isinstance(fields, dict) else {})
    return str(known[_check.choice(groups, (TASK, NONE, *known), "groups")])


def _table(
    frame: Any, groups: str | None, tasks: str | None, notes: Notes, options: Labels
) -> LossTable:
    """Return the table of answers: those of a log to a question are averaged, logs of a task are seeds."""
    count = frame["task"].nunique()
    several = count > 1
    # Answers of a log to a question, in the order of its lines.
    frame["answer"] = frame.groupby(["log", "model", "question"]).cumcount() + 1
    if tasks is None and frame.groupby("task")["question"].nunique().nunique() > 1:
        raise InvalidInputError(
            "the tasks differ in size; say 'equal' or 'pooled'", argument="tasks"
        )
    mean = _check.choice(tasks or POOLED, (POOLED, EQUAL), "tasks")
    by_task = groups in (None, TASK)
    if mean == EQUAL:
        _check.choice(groups or TASK, (TASK, NONE), "groups")
    equal = several and mean == EQUAL
    few = groups is None and several and count < FEWEST_CLUSTERS
    new_tasks = not few and groups != NONE
    grouped = equal or (new_tasks and (several or not by_task))
    answered = frame["answer"].max() > 1
    if answered and grouped and frame["group"].nunique() == frame["question"].nunique():
        # Where the groups are the questions, each answer is an example of its own.
        frame["question"] += "/" + frame["answer"].astype(str)
        answered = False
    roles: Labels = {"learner": "model", "value": "score", "example": "question"}
    roles |= {"seed": "run"} if frame["run"].max() > 1 else {}
    roles |= {"groups": "group"} if grouped else {}
    roles |= {"answer": "answer"} if answered else {}
    table = read_table(frame[[*roles.values()]], **roles, **options)
    if equal:
        table.require_matched("the mean of tasks")
        table = of_equal_tasks(table, new=new_tasks)
    if several and (equal or groups is None):
        each, kind = f"each task (tasks={mean!r})", "a group, of which new ones may follow"
        taken = Note("taken-as", what=each, kind=kind, say=["groups='none'"])
        notes += (taken if new_tasks else Note("fixed", what=f"tasks (tasks={mean!r})"),)
    # Groups may be numbered within each task.
    shared = frame.groupby("group", sort=False)["task"].nunique() > 1
    if grouped and not by_task and shared.any():
        what = [f"group {group}" for group in shared.index[shared]]
        say = ["one task at a time"]
        notes += (Note("taken-as", what=what, kind="the same in all tasks", say=say),)
    return replace(table, notes=table.notes + notes)


def table_of_tasks(
    source: Any,
    tasks: str,
    *,
    columns: Any = None,
    ignore: Any = None,
    groups: str | None = None,
    metric: str | None = None,
    higher_is_better: bool | None = None,
    missing: str | float | None = None,
    **said: Any,
) -> LossTable:
    """Return the table of questions of several tasks, as of logs; each learner is a column, or has rows of its own."""
    frame = frame_of(source)
    frame = frame.drop(columns=columns_named(ignore, frame, "ignore"))
    named = columns_named(columns, frame, "columns")
    known = roles_of(frame, told(said, _OF_TASKS)[0], _OF_TASKS, named)
    for role, what in (("dataset", "task"), ("example", "question")):
        if role not in known:
            raise UnsaidRoleError(f"nothing says which {what} a row is of", option(role))
    task = frame[known["dataset"]].astype(str)
    group = task
    if groups not in (None, TASK, NONE):
        require_column(groups, frame, "groups")
        group = frame[groups].astype(str)
    of_rows = {
        "task": task,
        "question": task + "/" + frame[known["example"]].astype(str),
        "group": group,
        "run": frame[known["seed"]] if "seed" in known else 1,
        "log": "",
    }
    pandas = _check.package("pandas", "app")
    rows, numbers = pandas.DataFrame(of_rows), "value"
    if "learner" in known:
        _check.require("value" in known, "must name the column of numbers", None, "value")
        numbers = known["value"]
        model = frame[known["learner"]].astype(str)
        made = rows.assign(model=model, score=frame[numbers].astype(float))
    elif named:
        each = [rows.assign(model=name, score=frame[name].astype(float)) for name in named]
        made = pandas.concat(each, ignore_index=True)
    else:
        raise UnsaidRoleError("beside tasks, learners are named", "--columns A,B")
    options: Labels = {"metric": metric or numbers, "missing": missing}
    return _table(made, groups, tasks, (), options | {"higher_is_better": higher_is_better})


def _number(score: Any) -> float:
    try:
        return math.nan if score is None else float(_NUMBERS.get(str(score).lower(), score))
    except (TypeError, ValueError):
        raise InvalidInputError(
            f"a question has the score {score!r}, no number; name another metric or scorer"
        ) from None


def task_weights(sizes: IntArray) -> FloatArray:
    """Return how deviations from the mean of a task count: sqrt(n (n - 1)/(n_t (n_t - 1)))/T, of n questions in T tasks."""
    count = sizes.sum()
    return np.sqrt(count * (count - 1.0) / (sizes * (sizes - 1.0))) / sizes.size


def of_equal_tasks(table: LossTable, *, new: bool) -> LossTable:
    """Return the table whose numbers have the mean of the means of tasks for their mean.

    If tasks are `new`, each is one example, with its mean; else the result is about new questions of
    these tasks. With n_t questions of variance s_t^2 in each of T tasks, the squared standard error is
    then the sum of s_t^2/n_t over T^2. Question i of task t contributes the mean M of all tasks plus
    its deviation from the mean of its task times the weight of that task (`task_weights`): the mean of
    the n contributions is M, and their variance over n that squared standard error.
    """
    design, cells = table.splits.designs[0], table.cells
    if design.clusters is None or cells is None:
        return table  # every task has one question
    sizes = np.bincount(design.clusters)
    fewest, needed = (sizes.size, FEWEST_CLUSTERS) if new else (sizes.min(), 2)
    if fewest < needed:
        what = "tasks" if new else "question of a task"
        raise InvalidInputError(
            f"{fewest} {what} tell nothing about others; give {needed}, or say --tasks pooled (tasks='pooled')"
        )
    each = [table.losses(name) for name in table.learners]
    means = np.stack([one.means("seed", "group") for one in each])  # (K, seeds x tasks)
    by_seed = means.reshape(len(each), -1, sizes.size)
    if new:
        seed, task = np.indices(by_seed.shape[1:]).reshape(2, -1)
        roles: Labels = {"example": task} | ({"seed": seed} if seed.any() else {})
        how: Labels = {"metric": table.loss.key, "higher_is_better": table.loss.higher_is_better}
        made = from_losses(table.loss.sign * means.T, names=table.learners, **how, **roles)
        return replace(made, notes=table.notes)
    weight = task_weights(sizes)
    centre, index = by_seed.mean(axis=2), each[0].index
    gaps = np.stack([one.value for one in each]) - means[:, index.codes("seed", "group")]
    points = centre[:, cells.split] + weight[index["group"]] * gaps
    # Contributions are no losses of questions: few questions may carry the variance, as for a metric.
    loss = replace(table.loss, pointwise=False, influence=True)
    splits = replace(table.splits, designs=(replace(design, clusters=None),))
    return replace(table, loss=loss, splits=splits, scores=centre, points=points)

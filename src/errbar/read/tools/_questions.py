"""Logs of answers to questions, as tools for language models write them: files that are meant, and the table."""

import gzip
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from glob import glob
from io import BufferedReader
from pathlib import Path
from typing import Any, NamedTuple

from errbar import _check
from errbar.errors import InvalidInputError, PairingError
from errbar.needs import FEWEST_CLUSTERS
from errbar.read.tools._equal_tasks import of_equal_tasks
from errbar.read.tools._said import Said, table_of
from errbar.result import Note
from errbar.sources._columns import existing
from errbar.table import LossTable

TASK, NONE, QUESTION = "task", "none", "question"
"""What groups may be beside a field of the questions: tasks, nothing, or each question."""
POOLED, EQUAL = "pooled", "equal"
"""What is averaged over several tasks: all questions, or the means of the tasks."""

_ENDINGS = (".jsonl", ".jsonl.gz", ".json", ".eval")
_HEAD = 2**16


class Log(NamedTuple):
    """A file, and the name that the user has given its learner, if any."""

    path: Path
    learner: str | None = None


class Answer(NamedTuple):
    """What a learner got for one answer to one question.

    Attributes
    ----------
    log : str
        Where it stands.
    named : bool
        Whether the user has named the learner.
    model, task, number : str
        Names; that of a question is its own within the task.
    score : float
        The number; NaN where there is none.
    group : str
        What `group_of` returns.
    check : str
        What must be the same for all learners, such as the digest of the question.
    """

    log: str
    named: bool
    model: str
    task: str
    number: str
    score: float
    group: str
    check: str


def head(place: Path) -> bytes:
    """Return the first bytes of a text, unpacked."""
    with opened(place) as log:
        return log.read(_HEAD).removeprefix(b"\xef\xbb\xbf").lstrip()


def opened(place: Path) -> gzip.GzipFile | BufferedReader:
    """Open a file, unpacked where it ends in .gz."""
    return gzip.open(place) if place.suffix == ".gz" else place.open("rb")


def files_of(one: str | Path) -> list[Path]:
    """Return the files that are meant: those in a folder, those of a pattern, or the one."""
    place = Path(one)
    if place.is_dir():
        return sorted(
            file for file in place.rglob("*") if file.name.endswith(_ENDINGS) and file.is_file()
        )
    if re.search(r"[*?\[]", str(one)) and not place.exists():
        return sorted(map(Path, glob(str(one), recursive=True)))  # noqa: PTH207 - a pattern may be absolute
    return [place]


def logs_of(given: Any, is_log: Callable[[Path], bool], tool: str) -> list[Log]:
    """Return the logs of a tool: of paths, patterns, folders, or any of these by the name of a learner."""
    if isinstance(given, Mapping) and given:
        return [
            Log(log.path, str(name))
            for name, own in given.items()
            for log in logs_of(own, is_log, tool)
        ]
    several = [given] if isinstance(given, (str, Path)) else given
    if not isinstance(several, Iterable) or not all(
        isinstance(one, (str, Path)) for one in several
    ):
        raise InvalidInputError(
            f"logs must be paths, patterns or folders, or a mapping from names to these, got {given!r}"
        )
    found: dict[Path, None] = {}
    for one in several:
        files = [file for file in files_of(one) if not Path(one).is_dir() or is_log(file)]
        if not files:
            raise InvalidInputError(f"there is no log of {tool} in '{one}'")
        found |= dict.fromkeys(files)
    if not found:
        raise InvalidInputError("at least one log is needed, got none")
    return [Log(existing(place)) for place in found]


def chosen(given: str | None, there: Sequence[str], name: str, where: str) -> str:
    """Return which of several is meant, or raise; `where` says in what they are."""
    if given is None and len(there) == 1:
        return there[0]
    if given is not None and given in there:
        return given
    listed = ", ".join(map(repr, there)) or "none"
    said = "and none is named" if given is None else f"not {given!r}"
    raise InvalidInputError(f"{where} has {listed}, {said}; say which with `{name}`")


def group_of(groups: str | None, task: str, number: str, fields: Any) -> str:
    """Return the group of a question: its task, what one of its fields says, or the question where no field is called so."""
    if groups in (None, TASK, NONE):
        return task
    if isinstance(fields, Mapping) and groups in fields:
        return str(fields[groups])
    if groups == QUESTION:
        return f"{task}/{number}"
    listed = ", ".join(map(repr, fields or ())) or "none"
    raise InvalidInputError(
        f"must be {TASK!r}, {NONE!r}, {QUESTION!r} or a field of the questions of {task!r} ({listed}), got {groups!r}",
        argument="groups",
    )


def table_of_answers(
    answers: Sequence[Answer],
    groups: str | None,
    tasks: str | None,
    notes: tuple[Note, ...],
    **options: Any,
) -> LossTable:
    """Return the table of answers: those of one log to a question are averaged, and several logs of a task are seeds.

    Parameters
    ----------
    answers : sequence of Answer
        In the order of logs and lines.
    groups, tasks : str or None
        What the user says is alike, and what is averaged.
    notes : tuple of Note
        What the logs say of themselves.
    **options : object
        ``metric``, ``higher_is_better`` and ``missing`` of `errbar.from_long`.
    """
    pandas = _check.package("pandas", "app")
    frame = pandas.DataFrame(answers)
    count = frame["task"].nunique()
    several, few = count > 1, groups is None and 1 < count < FEWEST_CLUSTERS
    frame["question"] = frame["task"] + "/" + frame["number"] if several else frame["number"]
    _refuse_other_questions(frame)
    _refuse_several_logs(frame)
    runs = frame.groupby(["model", "task"])["log"]
    frame["run"] = runs.transform(lambda logs: pandas.factorize(logs)[0])
    frame["answer"] = frame.groupby(["log", "model", "question"]).cumcount()
    roles = {"learner": "model", "value": "score", "example": "question"}
    if frame["run"].any():
        roles["seed"] = "run"
    if frame["answer"].any():
        roles["answer"] = "answer"
    equal = several and _are_equal(tasks, groups, frame)
    if equal or not (few or groups == NONE or (groups in (None, TASK) and not several)):
        roles["groups"] = "group"
    if {"answer", "groups"} <= roles.keys() and frame["group"].nunique() == frame[
        "question"
    ].nunique():
        # Where the groups are the questions, each answer is an example of its own.
        frame["one"] = frame["question"] + "/" + frame[roles.pop("answer")].astype(str)
        roles["example"] = "one"
    table = table_of(Said(frame, roles, options))
    if equal:
        table = of_equal_tasks(table, new=not few and groups != NONE)
    if several and (equal or groups is None):
        notes += (_of_tasks(equal=equal, fixed=few or groups == NONE),)
    if "groups" in roles and groups not in (None, TASK):
        notes += _shared(frame)
    return replace(table, notes=table.notes + notes)


def _are_equal(tasks: str | None, groups: str | None, frame: Any) -> bool:
    """Return whether the means of tasks are averaged, or raise where nobody says so and it matters."""
    if tasks is not None:
        equal = _check.choice(tasks, (POOLED, EQUAL), "tasks") == EQUAL
        if equal and groups not in (None, TASK, NONE):
            raise InvalidInputError(
                f"must be {TASK!r} or {NONE!r} with tasks={EQUAL!r}, got {groups!r}",
                argument="groups",
            )
        return equal
    sizes = frame.groupby("task")["question"].nunique()
    if sizes.nunique() > 1:
        raise InvalidInputError(
            f"{len(sizes)} tasks have {sizes.min()} to {sizes.max()} questions: say tasks={EQUAL!r} (--tasks {EQUAL}) for the "
            f"mean of their means, or {POOLED!r} for the mean over all questions"
        )
    return False


def _of_tasks(*, equal: bool, fixed: bool) -> Note:
    """Say whether the result is about these tasks, and which mean over them it is."""
    mean = f"(tasks={(EQUAL if equal else POOLED)!r})"
    if fixed:
        return Note("fixed", what=f"tasks {mean}")
    kind = "a group, of which new ones may follow"
    return Note("taken-as", what=f"each task {mean}", kind=kind, say=["groups='none'"])


def _shared(frame: Any) -> tuple[Note, ...]:
    """Say that groups of several tasks have the same name: they may be numbered within each task."""
    tasks = frame.groupby("group", sort=False)["task"].nunique()
    what = [f"group {group}" for group in tasks.index[tasks > 1]]
    kind = "the same in all tasks"
    return (Note("taken-as", what=what, kind=kind, say=["one task at a time"]),) if what else ()


def _refuse_other_questions(frame: Any) -> None:
    """Raise if a question of one learner is not that of another."""
    differs = frame["check"] != frame.groupby("question")["check"].transform("first")
    if differs.any():
        other = frame[differs].iloc[0]
        raise PairingError(
            f"question {other['question']!r} of {other['model']!r} ('{other['log']}') is not that of the other learners; all "
            "must have been asked the same"
        )


def _refuse_several_logs(frame: Any) -> None:
    """Raise if nobody has said that several logs of a task are of one learner."""
    logs = frame[~frame["named"]].groupby(["model", "task"])["log"].unique()
    for (model, task), places in logs.items():
        if len(places) > 1:
            raise InvalidInputError(
                f"there are {len(places)} logs of {task!r} by {model!r}, such as '{places[1]}'; give one, or names as in old=FILE "
                "new=FILE ({'old': path} in Python): one name for several makes them seeds"
            )

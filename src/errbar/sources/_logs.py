"""What logs of language-model evaluations have in common: files that are found and recognised, and answers put into a table."""

import gzip
import re
import zlib
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from glob import glob
from io import BufferedReader
from pathlib import Path
from typing import Any, NamedTuple
from zipfile import BadZipFile, ZipFile, is_zipfile

from errbar import _check
from errbar.errors import InvalidInputError, PairingError
from errbar.needs import FEWEST_CLUSTERS
from errbar.read.table import from_long
from errbar.read.tasks import of_equal_tasks
from errbar.result import Note
from errbar.sources._columns import annotated, existing
from errbar.table import LossTable

LM_EVAL, INSPECT = "lm-eval", "inspect"
TASK, NONE, QUESTION = "task", "none", "question"
"""What groups are by default, where there are several tasks; that there are none; and that each question is one, of several answers."""
POOLED, EQUAL = "pooled", "equal"
"""What is averaged over several tasks: all questions, or the means of the tasks."""

_TOOLS = {LM_EVAL: "lm-evaluation-harness", INSPECT: "Inspect"}
_PATTERN = re.compile(r"[*?\[]")
_ENDINGS = (".jsonl", ".jsonl.gz", ".json", ".eval")
_HEAD = 2**16
_IN_ARCHIVE = {"header.json", "_journal/start.json"}


class Log(NamedTuple):
    """A file, and the name that the user has given its learner, if any."""

    path: Path
    learner: str | None = None


class LoggedAnswer(NamedTuple):
    """What a learner got for one answer to one question.

    Attributes
    ----------
    log : Log
        Where it stands.
    learner, task, example : str
        Names; that of an example is its own within the task.
    score : float
        The number; NaN where there is none.
    group : str
        Its task, or what a field of the example says.
    check : str
        What must be the same for all learners, such as the digest of the document.
    """

    log: Log
    learner: str
    task: str
    example: str
    score: float
    group: str
    check: str


def kind_of_log(path: str | Path) -> str | None:
    """Tell by its content whether a file, or what a folder or pattern holds, is a log, and of which tool; None where it is not."""
    files = _files_of(path)
    if files != [Path(path)]:
        return next((kind for one in files if (kind := kind_of_log(one))), None)
    try:
        return _kind_of_file(files[0])
    except (OSError, EOFError, zlib.error, BadZipFile):
        return None


def _kind_of_file(place: Path) -> str | None:
    if not place.is_file():
        return None
    if is_zipfile(place):
        with ZipFile(place) as archive:
            return INSPECT if _IN_ARCHIVE & set(archive.namelist()) else None
    with opened(place) as log:
        head = log.read(_HEAD).removeprefix(b"\xef\xbb\xbf").lstrip()
    if re.match(rb'(\[\s*)?\{\s*"doc_id"\s*:', head) or (
        head[:1] == b"{" and ".jsonl" in place.suffixes and b'"doc_id"' in head
    ):
        return LM_EVAL
    # The manifest of a folder of logs, logs.json, holds the headers of all, each under the name of its file.
    return INSPECT if re.match(rb'\{\s*"(version|status|eval)"\s*:', head) and b'"eval"' in head else None


def opened(place: Path) -> gzip.GzipFile | BufferedReader:
    """Open a file of text, unpacked where it ends in .gz."""
    return gzip.open(place) if place.suffix == ".gz" else place.open("rb")


def _files_of(one: str | Path) -> list[Path]:
    """Return the files that are meant: those in a folder, those of a pattern, or the one."""
    place = Path(one)
    if place.is_dir():
        return sorted(file for file in place.rglob("*") if file.name.endswith(_ENDINGS) and file.is_file())
    if _PATTERN.search(str(one)) and not place.exists():
        return sorted(map(Path, glob(str(one), recursive=True)))  # noqa: PTH207 - a pattern may be absolute
    return [place]


def logs_of(given: Any, kind: str) -> list[Log]:
    """Find the files of a kind: paths, patterns, folders, or any of these by the name of a learner.

    Parameters
    ----------
    given : str, Path, sequence or mapping
        What the user says.
    kind : str
        Of which tool.

    Raises
    ------
    InvalidInputError
        If there is no such file.
    """
    if isinstance(given, Mapping) and given:
        return [Log(place, str(name)) for name, own in given.items() for place in _places(own, kind)]
    return [Log(place) for place in _places(given, kind)]


def _places(given: Any, kind: str) -> list[Path]:
    found: dict[Path, None] = {}
    several: list[Any] = (
        [given] if isinstance(given, (str, Path)) else list(given) if isinstance(given, Iterable) else [None]
    )
    if not all(isinstance(one, (str, Path)) for one in several):
        raise InvalidInputError(
            f"logs must be paths, patterns or folders, or a mapping from names to these, got {given!r}"
        )
    for one in several:
        files = _files_of(one)
        if Path(one).is_dir():
            files = [file for file in files if kind_of_log(file) == kind]
        if not files:
            raise InvalidInputError(f"there is no log of {_TOOLS[kind]} in '{one}'")
        found |= dict.fromkeys(files)
    if not found:
        raise InvalidInputError("at least one log is needed, got none")
    return [existing(place) for place in found]


def chosen(given: str | None, there: Sequence[str], name: str, where: str) -> str:
    """Return which of several is meant, or raise; `where` says in what they are."""
    if given is None and len(there) == 1:
        return there[0]
    if given is not None and given in there:
        return given
    listed = ", ".join(map(repr, there))
    if given is None:
        raise InvalidInputError(f"{where} has {listed}; say which with `{name}`, such as {there[0]!r}")
    raise InvalidInputError(f"{where} has no {name} {given!r}; it has {listed or 'none'}")


def group_of(groups: str | None, task: str, number: str, example: Mapping[str, Any], what: str) -> str:
    """Return the group of an example: its task, what one of its fields says, or the question itself where no field is called so."""
    if groups in (None, TASK, NONE):
        return task
    assert groups is not None
    if groups == QUESTION and groups not in example:
        return f"{task}/{number}"
    if groups not in example:
        listed = ", ".join(map(repr, example)) or "none"
        raise InvalidInputError(
            f"must be {TASK!r}, {NONE!r}, {QUESTION!r} or a field of {what} of {task!r}, got {groups!r}; the fields are {listed}",
            argument="groups",
        )
    return str(example[groups])


def tabled(
    answers: Sequence[LoggedAnswer], *, groups: str | None, averaged: str | None = None, **options: Any
) -> LossTable:
    """Put answers into a table: several in a log are averaged, several logs are of different seeds, and five tasks or more are groups.

    Parameters
    ----------
    answers : sequence of LoggedAnswer
        In the order of logs and lines.
    groups : str or None
        What the user says of groups.
    averaged : str or None
        What the user says is averaged: ``"pooled"`` questions, or the means of ``"equal"`` tasks.
    **options : object
        As for `errbar.from_long`: ``metric``, ``higher_is_better``, ``missing``.

    Raises
    ------
    InvalidInputError
        If there are several logs of a task by a learner without a name.
    PairingError
        If an example is another one for another learner.
    """
    _refuse_other_examples(answers)
    _refuse_several_logs(answers)
    tasks = len({one.task for one in answers})
    several, few = tasks > 1, groups is None and 1 < tasks < FEWEST_CLUSTERS
    columns: dict[str, list[Any]] = {
        "model": [one.learner for one in answers],
        "score": [one.score for one in answers],
        "question": [f"{one.task}/{one.example}" if several else one.example for one in answers],
        "run": _runs(answers),
        "answer": _numbered(answers),
        "group": [one.group for one in answers],
    }
    equal = several and _are_equal(averaged, groups, columns["question"], [one.task for one in answers])
    for name in ("run", "answer"):
        if max(columns[name]) == 1:
            columns.pop(name)
    if not equal and (groups == NONE or few or (groups in (None, TASK) and not several)):
        columns.pop("group")
    example = "question"
    if "answer" in columns and len(set(columns.get("group", ()))) == len(set(columns["question"])):
        # Where the groups are the questions, each answer is an example of its own.
        columns["one"] = [f"{q}/{a}" for q, a in zip(columns["question"], columns.pop("answer"), strict=True)]
        example = "one"
    named = (("seed", "run"), ("answer", "answer"), ("groups", "group"))
    roles: dict[str, Any] = {role: name for role, name in named if name in columns}
    table = from_long(columns, "model", "score", example=example, **roles, **options)
    if equal:
        table = of_equal_tasks(table, new=not few and groups != NONE)
    # The direction is known, or said, by here.
    table = replace(table, notes=tuple(note for note in table.notes if note.code != "direction"))
    notes = (
        (_these_tasks(equal=equal),) * (few or (equal and groups == NONE))
        + (_new_tasks(equal=equal),) * (several and not few and (groups is None or (equal and groups != NONE)))
        + (_shared(answers) if "group" in columns and groups not in (None, TASK) else ())
    )
    return annotated(table, notes) if notes else table


def _are_equal(averaged: str | None, groups: str | None, questions: Sequence[str], tasks: Sequence[str]) -> bool:
    """Return whether the means of tasks are averaged, or raise where nobody says so and it matters."""
    if averaged is not None:
        equal = _check.choice(averaged, (POOLED, EQUAL), "tasks") == EQUAL
        if equal and groups not in (None, TASK, NONE):
            raise InvalidInputError(
                f"must be {TASK!r} or {NONE!r} with tasks={EQUAL!r}, got {groups!r}", argument="groups"
            )
        return equal
    sizes = Counter(task for _, task in set(zip(questions, tasks, strict=True)))
    if len(set(sizes.values())) > 1:
        raise InvalidInputError(
            f"there are {len(sizes)} tasks of {min(sizes.values())} to {max(sizes.values())} questions: say tasks={EQUAL!r} (--tasks {EQUAL}) for "
            f"the mean of their means, as on leaderboards, or tasks={POOLED!r} (--tasks {POOLED}) for the mean over all questions"
        )
    return False


def _these_tasks(*, equal: bool) -> Note:
    return Note("fixed", what=_of_tasks("tasks", equal=equal))


def _new_tasks(*, equal: bool) -> Note:
    kind = "a group, of which new ones may follow"
    return Note("taken-as", what=_of_tasks("each task", equal=equal), kind=kind, say=["groups='none'"])


def _of_tasks(what: str, *, equal: bool) -> str:
    """Say which mean over tasks the numbers are."""
    return f"{what} (tasks={(EQUAL if equal else POOLED)!r})"


def _shared(answers: Sequence[LoggedAnswer]) -> tuple[Note, ...]:
    """Say that groups of several tasks have the same name: they may be numbered within each task."""
    tasks: dict[str, set[str]] = {}
    for one in answers:
        tasks.setdefault(one.group, set()).add(one.task)
    shared = [group for group, own in tasks.items() if len(own) > 1]
    if not shared:
        return ()
    what = [f"group {group}" for group in shared]
    return (Note("taken-as", what=what, kind="the same in all tasks", say=["one task at a time"]),)


def _runs(answers: Sequence[LoggedAnswer]) -> list[int]:
    """Number the logs of a learner and task, from 1: each is a run that has answered all questions."""
    seen: dict[tuple[str, str], dict[Path, int]] = {}
    logs = (seen.setdefault((one.learner, one.task), {}) for one in answers)
    return [own.setdefault(one.log.path, len(own) + 1) for own, one in zip(logs, answers, strict=True)]


def _numbered(answers: Sequence[LoggedAnswer]) -> list[int]:
    """Number the answers of a learner to each question in a log, from 1: they are drawn anew for each question."""
    seen: dict[tuple[str, Path, str, str], int] = {}
    numbers = []
    for one in answers:
        place = (one.learner, one.log.path, one.task, one.example)
        seen[place] = seen.get(place, 0) + 1
        numbers.append(seen[place])
    return numbers


def _refuse_other_examples(answers: Sequence[LoggedAnswer]) -> None:
    """Raise if an example of one learner is not that of another."""
    first: dict[tuple[str, str], LoggedAnswer] = {}
    for one in answers:
        known = first.setdefault((one.task, one.example), one)
        if known.check != one.check:
            raise PairingError(
                f"example {one.example} of {one.task!r} is not the same for {known.learner!r} ('{known.log.path}') as for "
                f"{one.learner!r} ('{one.log.path}'); learners must have been asked the same questions"
            )


def _refuse_several_logs(answers: Sequence[LoggedAnswer]) -> None:
    """Raise if nobody has said that several logs of a task are of one learner."""
    logs: dict[tuple[str, str], dict[Path, None]] = {}
    for one in answers:
        if one.log.learner is None:
            logs.setdefault((one.learner, one.task), {})[one.log.path] = None
    for (learner, task), places in logs.items():
        if len(places) > 1:
            listed = ", ".join(f"'{place}'" for place in places)
            raise InvalidInputError(
                f"there are {len(places)} logs of {task!r} by {learner!r}: {listed}; give one of them, or a name to each, as in "
                "{'old': path, 'new': path} (old=path new=path on the command line); logs under one name are several runs, a "
                "seed each"
            )

"""Tables from the logs of the lm-evaluation-harness of EleutherAI: a line for each document and filter."""

import json
import math
import re
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from gzip import BadGzipFile
from io import TextIOWrapper
from typing import Any

from errbar.errors import InvalidInputError, one_line
from errbar.result import Note
from errbar.sources._columns import annotated
from errbar.sources._logs import LM_EVAL, Log, LoggedAnswer, chosen, group_of, logs_of, opened, tabled
from errbar.table import LossTable

_NAMED = re.compile(r"samples_(?P<task>.+?)(?:_(?P<time>\d{4}-\d\d-\d\dT[^_]*))?\.jsonl?(?:\.gz)?")
"""How the harness names a file; the time is left out by some who rename it."""

_ALL_FILTERS = "none"
"""The filter of lines that do not name any."""

_GROUP = "the group"
_TEXTS = {"doc", "target", "arguments", "resps", "filtered_resps"}
_NO_METRICS = _TEXTS | {_GROUP, "doc_id", "filter", "metrics", "doc_hash", "prompt_hash", "target_hash"}
_SCORES = {"acc", "acc_norm", "acc_bytes", "acc_mutual_info", "exact_match", "f1", "bleu", "chrf", "likelihood", "mcc"}
"""Metrics of which the harness itself says that higher is better."""

_LOSSES = {"brier_score", "word_perplexity", "byte_perplexity", "bits_per_byte", "wer"}
"""Metrics of which it says that lower is better; and the word error rate."""

_LIKELIHOOD, _PERPLEXITY = "log-likelihood", "perplexity"
_TRUTH = {"True": 1.0, "False": 0.0}


def read_lm_eval(
    logs: Any,
    *,
    metric: str | None = None,
    filter: str | None = None,  # noqa: A002 - as the harness calls it
    groups: str | None = None,
    tasks: str | None = None,
    higher_is_better: bool | None = None,
    missing: str = "learners",
) -> LossTable:
    r"""Read logs of EleutherAI's lm-evaluation-harness, written with ``--log_samples``; needs pandas.

    The harness writes a file ``samples_<task>_<time>.jsonl`` for each task, in a folder for each model, with a line for
    each document and filter. Files may be packed (``.jsonl.gz``). A file of any other name is taken for one learner, called like
    the file. A learner is a model, an example a document of a task, and its number is a metric. Documents must be the same for all
    learners, by their ``doc_hash``. With several tasks `tasks` says what is averaged.

    Parameters
    ----------
    logs : str, Path, sequence or mapping of str to these
        Files, patterns such as ``"samples_*.jsonl"``, or folders that hold such files at any depth. The name of a learner is
        that of the folder of its files, unless a mapping gives it another. Several files of a task under one name of a
        mapping are several runs, a seed each; several lines for a document in one file are several answers, and their mean is its value.
    metric : str, optional
        Which metric; by default the first one of each line, if it is the same for all tasks.
    filter : str, optional
        Which filter of the responses, of tasks that have several, such as ``"strict-match"``.
    groups : str, optional
        What is alike within groups: ``"task"`` (default from five tasks on), ``"none"``, or a field of ``doc``, such as the
        passage that a question is about; ``"question"`` where its answers are to be kept, as to plan with them.
    tasks : {"equal", "pooled"}, optional
        What is averaged over several tasks: the means of the tasks, as on leaderboards, or all documents. It must be said where the tasks
        differ in size.
    higher_is_better : bool, optional
        Direction of the metric; by default what the harness says in the file ``results_<time>.json`` beside, else what it says of its
        own metrics, else True, with a note.
    missing : {"learners", "examples"}, default "learners"
        What is left out where a learner lacks documents that others have; see `from_long`.

    Returns
    -------
    LossTable
        A number per learner and document. ``perplexity`` of a log is the log-likelihood of each document, and is called so.

    Raises
    ------
    InvalidInputError
        If a file is not such a log, there are several filters and none is named, or the metric has no number for a document.
    PairingError
        If documents differ between learners, or no two learners have all.

    See Also
    --------
    read_inspect : Logs of Inspect.
    from_long : Any other table with a row per learner and example.

    References
    ----------
    EleutherAI, `lm-evaluation-harness <https://github.com/EleutherAI/lm-evaluation-harness>`_: the schema is that of
    ``SampleResult`` in ``lm_eval/result_schema.py``.

    Examples
    --------
    >>> import json
    >>> from pathlib import Path
    >>> import errbar
    >>> for model, right in {"small": [1, 0, 0, 1], "large": [1, 1, 0, 1]}.items():
    ...     lines = [
    ...         {"doc_id": i, "filter": "none", "metrics": ["acc"], "doc_hash": f"{i}", "acc": acc}
    ...         for i, acc in enumerate(right)
    ...     ]
    ...     Path("logs", model).mkdir(parents=True)
    ...     log = Path("logs", model, "samples_arc_2026-01-01T00-00-00.jsonl")
    ...     characters = log.write_text("\n".join(map(json.dumps, lines)))
    >>> table = errbar.read_lm_eval("logs")
    >>> table
    LossTable(2 learners, 1 splits, loss 'acc', plans ['holdout'])
    >>> errbar.infer(table, "holdout-t", "large", minus="small").estimate
    0.25
    """
    files = [_Samples.of(log, groups) for log in logs_of(logs, LM_EVAL)]
    files.sort(key=lambda file: file.time)
    filters = _filters(files, filter)
    key = _metric(files, filters, metric)
    answers = [one for file in files for one in file.answers(key, filters[file.task])]
    likelihood = key == _PERPLEXITY and all(one.score <= 0.0 or math.isnan(one.score) for one in answers)
    notes: tuple[Note, ...] = ()
    if likelihood:
        text = (
            "what the log calls perplexity is the log-likelihood of each document; the perplexity of all is exp(-mean)"
        )
        notes, higher_is_better = (Note("log-likelihood", text),), True
    elif higher_is_better is None:
        higher_is_better, notes = _direction(files, key)
    name = _LIKELIHOOD if likelihood else key
    table = tabled(
        answers, groups=groups, averaged=tasks, metric=name, higher_is_better=higher_is_better, missing=missing
    )
    return annotated(table, notes)


@dataclass(frozen=True, eq=False)
class _Samples:
    """A file of samples.

    Attributes
    ----------
    log : Log
        Where it is.
    learner, task, time : str
        The learner, from the name of the file and of its folder.
    groups : str or None
        What the user says of groups.
    """

    log: Log
    learner: str
    task: str
    time: str
    groups: str | None

    @classmethod
    def of(cls, log: Log, groups: str | None) -> "_Samples":
        """Read the names."""
        named = _NAMED.fullmatch(log.path.name)
        if named is None:  # a name of somebody's own, as of one file for each learner
            return cls(log, log.learner or log.path.name.partition(".json")[0], "all", "", groups)
        return cls(log, log.learner or log.path.resolve().parent.name, named["task"], named["time"] or "", groups)

    @cached_property
    def lines(self) -> list[dict[str, Any]]:
        """Return what the lines hold; the texts, which are most of it, are not kept."""
        found = []
        for number, sample in self._samples():
            if "doc_id" not in sample:
                raise InvalidInputError(
                    f"'{self.log.path}' is not a log of samples: line {number} is not a JSON object with a doc_id"
                )
            doc = sample.get("doc")
            group = group_of(
                self.groups, self.task, str(sample["doc_id"]), doc if isinstance(doc, dict) else {}, "the documents"
            )
            found.append({name: part for name, part in sample.items() if name not in _TEXTS} | {_GROUP: group})
        if not found:
            raise InvalidInputError(f"'{self.log.path}' is empty")
        return found

    def _samples(self) -> Iterator[tuple[int, dict[str, Any]]]:
        """Yield the object on each line, {} where there is none, or those of the list that version 0.4.0 writes; counted from 1."""
        try:
            with TextIOWrapper(opened(self.log.path), encoding="utf-8-sig", errors="replace") as log:
                for number, line in enumerate(log, 1):
                    if line.lstrip().startswith("["):
                        found = _read(line + log.read())
                        yield from enumerate(map(_object, found if isinstance(found, list) else [None]), 1)
                    elif line.strip():
                        yield number, _object(_read(line))
        except (EOFError, BadGzipFile, zlib.error) as error:
            raise InvalidInputError(f"'{self.log.path}' cannot be unpacked: {one_line(error)}") from None

    @cached_property
    def filters(self) -> tuple[str, ...]:
        """Return the filters of the lines."""
        return tuple(dict.fromkeys(str(line.get("filter", _ALL_FILTERS)) for line in self.lines))

    def of_filter(self, name: str) -> list[dict[str, Any]]:
        """Return the lines of a filter."""
        return [line for line in self.lines if str(line.get("filter", _ALL_FILTERS)) == name]

    def metrics(self, name: str) -> list[str]:
        """Return the metrics of a filter."""
        first = self.of_filter(name)[0]
        return list(first.get("metrics") or [key for key in first if key not in _NO_METRICS])

    def answers(self, metric: str, name: str) -> Iterator[LoggedAnswer]:
        """Yield the number of each document."""
        for line in self.of_filter(name):
            score, check = self._number(line, metric), str(line.get("doc_hash"))
            yield LoggedAnswer(self.log, self.learner, self.task, str(line["doc_id"]), score, line[_GROUP], check)

    def _number(self, line: Mapping[str, Any], metric: str) -> float:
        value = line.get(metric, math.nan)
        if isinstance(value, str):
            value = _TRUTH.get(value, value)
        try:
            return math.nan if value is None else float(value)
        except (TypeError, ValueError):
            others = [key for key in line if key not in _NO_METRICS and isinstance(line[key], (int, float))]
            hint = f"; the metrics with numbers are {', '.join(map(repr, others))}" if others else ""
            raise InvalidInputError(
                f"'{self.log.path}' has no number of each document for {metric!r}, which is computed of all documents together{hint}"
            ) from None


def _read(text: str) -> Any:
    """Return what a text of JSON holds, or None where it holds nothing that can be read."""
    try:
        return json.loads(text)
    except ValueError:
        return None


def _object(found: Any) -> dict[str, Any]:
    return found if isinstance(found, dict) else {}


def _filters(files: Sequence[_Samples], given: str | None) -> dict[str, str]:
    """Return the filter of each task: the one that is named, or the only one."""
    of_task: dict[str, dict[str, None]] = {}
    for file in files:
        of_task.setdefault(file.task, {}).update(dict.fromkeys(file.filters))
    if given is not None and not any(given in filters for filters in of_task.values()):
        listed = ", ".join(map(repr, dict.fromkeys(name for filters in of_task.values() for name in filters)))
        raise InvalidInputError(f"there is no filter {given!r} in these logs; they have {listed}")
    return {
        task: next(iter(filters)) if len(filters) == 1 else chosen(given, list(filters), "filter", f"task {task!r}")
        for task, filters in of_task.items()
    }


def _metric(files: Sequence[_Samples], filters: Mapping[str, str], given: str | None) -> str:
    """Return the metric that is named, or comes first in all tasks."""
    first: dict[str, str] = {}
    for file in files:
        if filters[file.task] not in file.filters:
            raise InvalidInputError(f"'{file.log.path}' has no line with the filter {filters[file.task]!r}")
        there = file.metrics(filters[file.task])
        if not there:
            raise InvalidInputError(f"'{file.log.path}' has no metric")
        if given is not None:
            chosen(given, there, "metric", f"task {file.task!r}")
        first.setdefault(file.task, there[0])
    if given is None and len(set(first.values())) > 1:
        listed = ", ".join(f"{metric!r} of {task!r}" for task, metric in first.items())
        raise InvalidInputError(f"the tasks have different metrics, {listed}; name one that all have with `metric`")
    return given or next(iter(first.values()))


def _direction(files: Sequence[_Samples], metric: str) -> tuple[bool, tuple[Note, ...]]:
    """Return whether the harness says that a higher metric is better."""
    said = {answer for file in files if (answer := _said(file, metric)) is not None}
    if len(said) > 1:
        raise InvalidInputError(
            f"higher values of {metric!r} are better in some of these tasks and worse in others; read them one by one"
        )
    if said:
        return said.pop(), ()
    if metric in _LOSSES:
        return False, ()
    text = (
        f"higher values of {metric!r} are taken to be better; say so where they are not (`higher_is_better=False`, or "
        "--lower-is-better)"
    )
    return True, () if metric in _SCORES else (Note("direction", text),)


def _said(file: _Samples, metric: str) -> bool | None:
    """Return what the results beside a file say of the direction of a metric."""
    place = file.log.path.with_name(f"results_{file.time}.json")
    try:
        found = json.loads(place.read_text(encoding="utf-8"))["higher_is_better"][file.task][metric]
    except (OSError, ValueError, KeyError, TypeError):
        return None
    return found if isinstance(found, bool) else None

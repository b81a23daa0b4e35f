"""Logs of the lm-evaluation-harness of EleutherAI: a line for each document and filter."""

import json
import math
import re
import zlib
from collections.abc import Iterator
from io import TextIOWrapper
from itertools import chain
from pathlib import Path
from typing import Any

from errbar import _check
from errbar.errors import InvalidInputError, one_line
from errbar.losses._directions import score_words
from errbar.read.tools._questions import (
    Answer,
    Log,
    chosen,
    group_of,
    head,
    logs_of,
    opened,
    table_of_answers,
)
from errbar.result import Note
from errbar.table import LossTable

TOOL = "lm-evaluation-harness"

# How the harness names a file; some who rename it leave the time out.
_NAMED = re.compile(r"samples_(?P<task>.+?)(_(?P<time>\d{4}-\d\d-\d\dT[^_]*))?\.jsonl?(\.gz)?")

_TEXTS = ("doc", "target", "arguments", "resps", "filtered_resps")
_NO_METRICS = {*_TEXTS, "doc_id", "filter", "metrics", "doc_hash", "prompt_hash", "target_hash"}
_PERPLEXITY = "perplexity"


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
    files = sorted(
        (_named(log) for log in logs_of(logs, is_log, TOOL)), key=lambda file: file["time"]
    )
    lines = _check.package("pandas", "app").DataFrame(
        [file | line for file in files for line in _lines(file, groups)]
    )
    lines = lines[_is_chosen(lines, filter)]
    lacking = [file["log"] for file in files if file["log"] not in set(lines["log"])]
    if lacking:
        raise InvalidInputError(f"'{lacking[0]}' has no line with the filter of its task")
    key = _metric(lines, metric)
    lines["score"] = [_number(line) for line in lines[["log", key]].itertuples(index=False)]
    answers = [Answer(*line) for line in lines[[*Answer._fields]].itertuples(index=False)]
    notes: tuple[Note, ...] = ()
    if key == _PERPLEXITY and not (lines["score"] > 0.0).any():
        # The harness calls a lower perplexity better, and logs log-likelihoods, of which higher are.
        key, higher_is_better = "log-likelihood", True
        notes = (Note("read", log_likelihood=[_PERPLEXITY]),)
    elif higher_is_better is None:
        higher_is_better = _direction(files, key)
    if higher_is_better is None:
        higher_is_better = True
        notes = (Note("direction", what=key, better="higher", say="higher_is_better"),)
    return table_of_answers(
        answers,
        groups,
        tasks,
        notes,
        metric=key,
        higher_is_better=higher_is_better,
        missing=missing,
    )


def is_log(place: Path) -> bool:
    """Tell by its first bytes whether a file holds samples of the harness, as lines or as the list of version 0.4.0."""
    return re.match(rb'(\[\s*)?\{\s*"doc_id"\s*:', head(place)) is not None


def _named(log: Log) -> dict[str, Any]:
    """Return what the name of a file tells: learner, task and time."""
    found = _NAMED.fullmatch(log.path.name)
    if found is None:  # a name of somebody's own, as of one file for each learner
        model, task, time = log.path.name.partition(".json")[0], "all", ""
    else:
        model, task, time = log.path.resolve().parent.name, found["task"], found["time"] or ""
    named = log.learner is not None
    return {
        "log": str(log.path),
        "named": named,
        "model": log.learner or model,
        "task": task,
        "time": time,
    }


def _lines(file: dict[str, Any], groups: str | None) -> Iterator[dict[str, Any]]:
    """Yield what the lines of a file hold; the texts, which are most of it, are not kept."""
    empty = True
    try:
        for sample in _samples(Path(file["log"])):
            empty = False
            number = str(sample["doc_id"])
            line = {name: part for name, part in sample.items() if name not in _NO_METRICS}
            yield line | {
                "number": number,
                "check": str(sample.get("doc_hash")),
                "filter": str(sample.get("filter", "none")),
                "metrics": sample.get("metrics") or list(line),
                "group": group_of(groups, file["task"], number, sample.get("doc")),
            }
    except InvalidInputError:
        raise
    except (
        OSError,
        EOFError,
        zlib.error,
        ValueError,
        KeyError,
        TypeError,
        AttributeError,
    ) as error:
        raise InvalidInputError(
            f"'{file['log']}' is not a log of {TOOL}: {one_line(error)}"
        ) from None
    if empty:
        raise InvalidInputError(f"'{file['log']}' is empty")


def _samples(place: Path) -> Iterator[dict[str, Any]]:
    with TextIOWrapper(opened(place), encoding="utf-8-sig", errors="replace") as text:
        lines = filter(str.strip, text)
        first = next(lines, "")
        if first.lstrip().startswith("["):
            yield from json.loads(first + "".join(text))
        elif first:
            yield from map(json.loads, chain([first], lines))


def _is_chosen(lines: Any, given: str | None) -> Any:
    """Tell which lines are of the filter of their task: the one that is named, or the only one."""
    if given is not None:
        chosen(given, lines["filter"].unique().tolist(), "filter", "these logs")
    filters = lines.groupby("task")["filter"].unique()
    of_task = {
        task: found[0]
        if len(found) == 1
        else chosen(given, found.tolist(), "filter", f"task {task!r}")
        for task, found in filters.items()
    }
    return lines["filter"] == lines["task"].map(of_task)


def _metric(lines: Any, given: str | None) -> str:
    """Return the metric that is named, or comes first in all tasks."""
    first = {}
    for line in lines.drop_duplicates("log").itertuples():
        if not line.metrics:
            raise InvalidInputError(f"'{line.log}' has no metric")
        if given is not None:
            chosen(given, line.metrics, "metric", f"task {line.task!r}")
        first.setdefault(line.task, line.metrics[0])
    if given is None and len(set(first.values())) > 1:
        listed = ", ".join(f"{metric!r} of {task!r}" for task, metric in first.items())
        raise InvalidInputError(
            f"the tasks have different metrics, {listed}; name one that all have with `metric`"
        )
    return given or next(iter(first.values()))


def _number(line: Any) -> float:
    log, value = line
    if value is None:
        return math.nan
    try:
        # Truth values of NumPy are written as texts.
        return float({"True": 1, "False": 0}.get(value, value) if isinstance(value, str) else value)
    except (TypeError, ValueError):
        raise InvalidInputError(
            f"'{log}' has no number of each document for this metric, which is computed of all together; name another with `metric`"
        ) from None


def _direction(files: list[dict[str, Any]], metric: str) -> bool | None:
    """Return whether the harness says that a higher metric is better, or its name does; None where neither does."""
    said = {_said(file, metric) for file in files} - {None}
    if len(said) > 1:
        raise InvalidInputError(
            f"higher values of {metric!r} are better in some of these tasks and worse in others; read them one by one"
        )
    return said.pop() if said else score_words(metric)


def _said(file: dict[str, Any], metric: str) -> bool | None:
    """Return what the results beside a file say of the direction of a metric."""
    place = Path(file["log"]).with_name(f"results_{file['time']}.json")
    try:
        found = json.loads(place.read_text(encoding="utf-8"))["higher_is_better"][file["task"]][
            metric
        ]
    except (OSError, ValueError, KeyError, TypeError):
        return None
    return found if isinstance(found, bool) else None

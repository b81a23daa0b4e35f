"""Logs of the lm-evaluation-harness of EleutherAI: a line for each document and filter."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from errbar import _check
from errbar.errors import InvalidInputError, one_line
from errbar.metrics._directions import score_words
from errbar.reading.roles import Labels
from errbar.reading.tools._questions import (
    Log,
    chosen,
    group_of,
    head,
    logs_of,
    table_of_answers,
)
from errbar.table import LossTable

TOOL = "lm-evaluation-harness"

# How the harness names a file; some who rename it leave the time out.
_NAMED = re.compile(r"samples_(?P<task>.+?)(_(?P<time>\d{4}-\d\d-\d\dT[^_]*))?\.jsonl?")


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

    The harness writes a file ``samples_<task>_<time>.jsonl`` for each task, in a folder for each model,
    with a line for each document and filter; a file of any other name is one learner, called like it.
    A learner is a model, an example a document, and its number is a metric. Documents must be the same
    for all learners, by their ``doc_hash``.

    Parameters
    ----------
    logs : str, Path, sequence or mapping of str to these
        Files, or folders that hold files at any depth. A mapping gives the learners other names than those of their folders; several
        files of a task under one name are several runs, a seed each. Several lines for a document in
        one file are several answers, and their mean is its value.
    metric : str, optional
        By default the first one of each line, if it is the same for all tasks.
    filter : str, optional
        Which filter of the responses, of tasks that have several, such as ``"strict-match"``.
    groups : str, optional
        What is alike within groups: ``"task"`` (default from five tasks on), ``"none"``, or a field of
        ``doc``, such as the passage; ``"question"`` where its answers are to be kept.
    tasks : {"equal", "pooled"}, optional
        What is averaged over several tasks: the means of the tasks, as on leaderboards, or all
        documents. It must be said where the tasks differ in size.
    higher_is_better : bool, optional
        By default as the name of the metric says. It must be said where the name says nothing, and of
        ``perplexity``, for which the harness logs the log-likelihood.
    missing : {"learners", "examples"}, default "learners"
        What is left out where a learner lacks documents that others have; see `read_table`.

    Returns
    -------
    LossTable
        A number per learner and document.

    Raises
    ------
    InvalidInputError, PairingError
        If a file is no such log, there are several filters and none is named, or a document has no
        number; if documents differ between learners, or no two learners have all.

    References
    ----------
    EleutherAI, `lm-evaluation-harness <https://github.com/EleutherAI/lm-evaluation-harness>`_: the
    schema is that of ``SampleResult`` in ``lm_eval/result_schema.py``.

    Examples
    --------
    >>> import json, errbar
    >>> from pathlib import Path
    >>> for model, right in {"small": [1, 0, 0, 1], "large": [1, 1, 0, 1]}.items():
    ...     lines = [
    ...         {"doc_id": i, "filter": "none", "metrics": ["acc"], "doc_hash": f"{i}", "acc": acc}
    ...         for i, acc in enumerate(right)
    ...     ]
    ...     Path("logs", model).mkdir(parents=True)
    ...     log = Path("logs", model, "samples_arc_2026-01-01T00-00-00.jsonl")
    ...     characters = log.write_text("\n".join(map(json.dumps, lines)))
    >>> table = errbar.read_lm_eval("logs")
    >>> errbar.infer(table, "holdout-t", "large", minus="small").estimate
    0.25
    """
    files = sorted(map(_named, logs_of(logs, is_log, TOOL)), key=lambda file: file["time"])
    pandas = _check.package("pandas", "app")
    lines = pandas.DataFrame([file | row for file in files for row in _rows(file, metric, groups)])
    several = lines.groupby("task")["filter"].transform("nunique") > 1
    if several.any() or filter is not None:
        there = lines["filter"][several if several.any() else lines.index]
        filter = chosen(filter, there.unique().tolist(), "filter", "a task of these logs")  # noqa: A001
    lines = lines[~several | (lines["filter"] == filter)].copy()
    first = lines.drop_duplicates(["log", "model"])
    if len(first) < len(files):
        raise InvalidInputError("some of these logs lack the filter of their task")
    leading = dict.fromkeys(own[0] for own in first["metrics"])
    key = metric or chosen(None, list(leading), "metric", "the logs")
    for log, own in zip(first["log"], first["metrics"], strict=True):
        chosen(key, own, "metric", f"'{log}'")
    lines["score"] = lines[key]
    if higher_is_better is None:
        higher_is_better = score_words(key)
        # The harness calls a lower perplexity better, and logs log-likelihoods, of which higher are.
        negative = (pandas.to_numeric(lines[key], errors="coerce") < 0.0).any()
        known = higher_is_better or (higher_is_better is False and not negative)
        must = f"must say whether a higher {key!r} is better"
        _check.require(known, must, None, "higher_is_better")
    options = {"metric": key, "higher_is_better": higher_is_better, "missing": missing}
    return table_of_answers(lines, groups, tasks, (), options)


def is_log(place: Path) -> bool:
    """Tell by its first bytes whether a file holds samples of the harness."""
    return re.match(rb'\{\s*"doc_id"\s*:', head(place)) is not None


def _named(log: Log) -> Labels:
    """Return what the name of a file tells: learner, task and time."""
    found = _NAMED.fullmatch(log.path.name)
    if found is None:  # a name of somebody's own, as of one file for each learner
        return log.columns(log.path.name.partition(".json")[0]) | {"task": "all", "time": ""}
    return log.columns(log.path.resolve().parent.name) | found.groupdict("")


def _rows(file: Labels, metric: str | None, groups: str | None) -> Iterator[Labels]:
    """Yield what is read of each line; the texts, which are most of it, are not kept."""
    sample = None
    try:
        with Path(file["log"]).open(encoding="utf-8-sig", errors="replace") as text:
            for sample in map(json.loads, filter(str.strip, text)):
                number = str(sample["doc_id"])
                metrics = sample["metrics"] if metric is None else sample.get("metrics", [metric])
                yield {name: sample.get(name) for name in metrics} | {
                    "number": number,
                    "metrics": metrics,
                    "filter": str(sample.get("filter", "none")),
                    "check": str(sample.get("doc_hash")),
                    "group": group_of(groups, file["task"], number, sample.get("doc")),
                }
        if sample is None:
            raise ValueError("no line")
    except InvalidInputError:
        raise
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise InvalidInputError(
            f"'{file['log']}' is not a log of {TOOL}: {one_line(error)}"
        ) from None

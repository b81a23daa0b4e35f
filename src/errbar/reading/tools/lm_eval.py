"""Logs of the lm-evaluation-harness of EleutherAI: a line for each document and filter."""

import json
import re
from collections.abc import Iterator
from pathlib import Path

from errbar.metrics._loss import score_words
from errbar.reading.sheet import Labels
from errbar.reading.tools import begins

NAME = "lm-evaluation-harness"
MAIN_FIRST = True

higher_of = score_words

# How the harness names a file; some who rename it leave the time out.
_NAMED = re.compile(r"samples_(?P<task>.+?)(_(?P<time>\d{4}-\d\d-\d\dT[^_]*))?\.jsonl?")


is_log = begins(rb'\{\s*"doc_id"\s*:')


def rows_of(path: Path, metric: str | None) -> Iterator[Labels]:
    """Yield the lines of a log; its name tells learner, task and time."""
    found = _NAMED.fullmatch(path.name)
    if found is not None:
        said = found.groupdict("") | {"model": path.resolve().parent.name}
    else:  # a name of somebody's own, as of one file for each learner
        said = {"model": path.name.partition(".json")[0]}
    with path.open(encoding="utf-8-sig", errors="replace") as text:
        for sample in map(json.loads, filter(str.strip, text)):
            metrics = sample["metrics"] if metric is None else sample.get("metrics", [metric])
            yield said | {
                "number": str(sample["doc_id"]),
                "scores": {name: sample.get(name) for name in metrics},
                "filter": str(sample.get("filter", "none")),
                "check": str(sample.get("doc_hash")),
                "fields": sample.get("doc"),
            }

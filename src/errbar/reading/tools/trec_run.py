"""Runs of a search engine as TREC has them, ranked documents for each topic, and judgements of what is relevant."""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from errbar import _check, statistics
from errbar.errors import InvalidInputError, one_line
from errbar.reading.rows import from_rows
from errbar.reading.sheet import UnsaidRoleError, option
from errbar.reading.tools import head
from errbar.table import LossTable

NAME = "TREC"

_LINE = re.compile(rb"\S+[ \t]+Q0[ \t]+\S+[ \t]+\d+[ \t]+-?\d[\d.eE+-]*[ \t]+\S+\s")
_METRIC = re.compile(r"(map|ndcg|recip_rank)(?:_cut_(\d+))?")
_KINDS = {"map": "ap", "ndcg": "ndcg", "recip_rank": "rr"}


def is_results(place: Path) -> bool:
    """Tell by the first line whether a file is a run: topic, Q0, document, rank, score and name."""
    return _LINE.match(head(place)) is not None


def from_results(
    results: Mapping[str, Any], truth: Any = None, metric: str | None = None
) -> LossTable:
    """Return the table of a measure of each topic with a relevant document, as trec_eval has them.

    Documents are in the order of their scores, of equal scores the last name first; topics that a run
    lacks are 0.
    """
    if truth is None:
        raise UnsaidRoleError("runs are judged by relevant documents", "--truth QRELS")
    found = _METRIC.fullmatch(metric or "")
    if found is None:
        names = ("map", "ndcg_cut_10", "recip_rank")
        raise UnsaidRoleError(
            "runs have several measures", *(option("metric", one) for one in names)
        )
    pandas = _check.package("pandas", "app")
    how = {"sep": r"\s+", "header": None, "dtype": {0: str, 2: str}}
    try:
        judged = pandas.read_csv(truth, names=["topic", "zero", "document", "grade"], **how)
        columns = ["topic", "Q0", "document", "rank", "score", "run"]
        runs = {
            name: pandas.read_csv(place, names=columns, **how) for name, place in results.items()
        }
        judged["grade"] = judged["grade"].astype(float)
    except (OSError, ValueError) as error:
        raise InvalidInputError(f"these are no files of {NAME}: {one_line(error)}") from None
    known = judged.groupby("topic")["grade"].agg(list)
    known = known[known.map(max) > 0.0]  # trec_eval leaves out what has nothing relevant
    frames = {}
    for name, run in runs.items():
        ranked = run.merge(judged, how="left", on=["topic", "document"])
        ranked = ranked.sort_values(["score", "document"], ascending=False, kind="stable")
        grades = ranked.fillna({"grade": 0.0}).groupby("topic")["grade"].agg(list)
        own = [grades.get(topic, []) for topic in known.index]
        frames[name] = pandas.DataFrame({"grades": own, "judged": known.to_list()})
    kind, at = found.groups()
    measure = statistics.ranking(
        "grades", "judged", kind=_KINDS[kind], at=None if at is None else int(at)
    )
    return from_rows(frames, measure, example=known.index.to_numpy())

"""Test runs of deepeval, as it writes them into its folder of results."""

import re
from collections.abc import Iterator
from pathlib import Path

from errbar.reading.sheet import Labels
from errbar.reading.tools import begins, label_of, loaded

NAME = "deepeval"

_HARM = re.compile("(?i)bias|toxic|hallucinat|leakage|misuse|violation")


def higher_of(name: str) -> bool | None:
    """Say that higher is better, but for harm, whose scores were turned round between versions."""
    return None if _HARM.search(name) else True


is_log = begins(rb'(?s)\{(?=.*"testCases")(?=.*"metricsData")')


def rows_of(path: Path, _: str | None) -> Iterator[Labels]:
    """Yield the test cases, single and of conversations; the learner is called like the file."""
    run = loaded(path)
    run = run.get("testRunData", run)  # the file of the latest run wraps it
    for case in [*run["testCases"], *run.get("conversationalTestCases", ())]:
        scores = {one["name"]: one.get("score") for one in case.get("metricsData") or ()}
        yield {
            "number": label_of(case.get("input") or case["name"]),
            "scores": {"success": case.get("success")} | scores,
            "fields": case.get("metadata"),
        }

"""Names that the command line knows without loading what they stand for.

Kinds of splits, losses and problems are read from the text of the files that declare them: importing those takes longer
than a user waits for the Tab key. A test holds the lists to the library's own.
"""

import re
from pathlib import Path


def declared(files: str, function: str) -> dict[str, str]:
    """Return the first text that a function is called with in files of the package, and the rest of the call."""
    calls = re.compile(rf'\b(?:{function})\(\s*"([^"]+)"((?:[^()]|\([^()]*\))*)\)')
    texts = (file.read_text(encoding="utf-8") for file in sorted(_PACKAGE.glob(files)))
    return {key: rest for text in texts for key, rest in calls.findall(text)}


def _words(rest: str) -> list[str]:
    """Return the texts of a call that are no keywords."""
    return re.findall(r'"([^"]+)"', re.sub(r'\w+="[^"]*"', "", rest))


_PACKAGE = Path(__file__).parents[1]

KINDS = {
    key: _words(rest)[0]
    for key, rest in declared("plans/*.py", "Kind").items()
    if "stated=True" in rest
}
"""Kinds of splits that people may state for numbers of their own."""

ROWS = ("examples", *KINDS)
"""What a row of a file may be said to be."""

ALTERNATIVES = ("two-sided", "less", "greater")
ADJUSTMENTS = ("holm", "bonferroni", "hommel", "benjamini-hochberg", "benjamini-yekutieli", "none")
JOINT = ("max-t",)
LOSSES = tuple(declared("metrics/_pointwise.py", "Loss"))
METRICS = {
    key: texts[-1]
    for key, rest in declared(
        "metrics/_metrics.py", "_mean|_metric|_of_class|_with_averages"
    ).items()
    if (texts := _words(rest))
}
"""Metrics of many examples by key, in words; averages and variants of them are not listed."""

POOLS = ("none", "folds", "splits")
MISSING = ("learners", "examples")
TASKS = ("equal", "pooled")
POST_HOC = ("nemenyi", "holm", "wilcoxon")
_GAUSSIAN = [
    f"gaussian-{kind}-{n}" for kind in ("regression", "ridge", "classification") for n in (20, 100)
]
PROBLEMS = (*_GAUSSIAN, "friedman-1")
DATASETS = ("letter", "forest")
RISKS = ("ER(n1)", "ER(n)", "PQ", "R")


def listed(names: tuple[str, ...]) -> str:
    """Return names as in "a, b or c"."""
    return f"{', '.join(names[:-1])} or {names[-1]}"

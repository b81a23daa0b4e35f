"""Names that the command line knows without loading what they stand for.

A test holds the lists to the library's own.
"""

import tomllib
from pathlib import Path
from runpy import run_path

_PACKAGE = Path(__file__).parents[1]


# Read by itself, since the package of the plans loads NumPy.
_DECLARED = run_path(str(_PACKAGE / "plans" / "_kinds.py"))["KINDS"]
KINDS: dict[str, str] = {key: kind.words for key, kind in _DECLARED.items() if kind.stated}
"""Kinds of splits that people may state for numbers of their own."""

ROWS = ("examples", *KINDS)
"""What a row of a file may be said to be."""

ALTERNATIVES = ("two-sided", "less", "greater")
ADJUSTMENTS = ("holm", "bonferroni", "hommel", "benjamini-hochberg", "benjamini-yekutieli", "none")
JOINT = ("max-t",)
with (_PACKAGE / "metrics" / "metrics.toml").open("rb") as _file:
    LOSSES = tuple(tomllib.load(_file)["losses"])
POOLS = ("none", "folds", "splits")
MISSING = ("learners", "examples")
TASKS = ("equal", "pooled")
POST_HOC = ("nemenyi", "holm", "wilcoxon")


def listed(names: tuple[str, ...]) -> str:
    """Return names as in "a, b or c"."""
    return f"{', '.join(names[:-1])} or {names[-1]}"

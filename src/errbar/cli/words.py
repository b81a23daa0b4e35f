"""Names that the command line knows without loading what they stand for.

A test holds the lists to the library's own.
"""

import re
from pathlib import Path
from runpy import run_path

_PACKAGE = Path(__file__).parents[1]


def declared(files: str, function: str, package: Path = _PACKAGE) -> dict[str, str]:
    """Return the first text that a function is called with in files of the package, and the last one of each call."""
    calls = re.compile(rf'\b(?:{function})\(\s*"([^"]+)"((?:[^()]|\([^()]*\))*)\)')
    found = {}
    for file in sorted(package.glob(files)):
        for key, rest in calls.findall(file.read_text(encoding="utf-8")):
            texts = re.findall(r'"([^"]+)"', re.sub(r'\w+="[^"]*"', "", rest))
            found[key] = texts[-1] if texts else ""
    return found


# Read by itself, since the package of the plans loads NumPy.
_DECLARED = run_path(str(_PACKAGE / "plans" / "_kinds.py"))["KINDS"]
KINDS: dict[str, str] = {key: kind.words for key, kind in _DECLARED.items() if kind.stated}
"""Kinds of splits that people may state for numbers of their own."""

ROWS = ("examples", *KINDS)
"""What a row of a file may be said to be."""

ALTERNATIVES = ("two-sided", "less", "greater")
ADJUSTMENTS = ("holm", "bonferroni", "hommel", "benjamini-hochberg", "benjamini-yekutieli", "none")
JOINT = ("max-t",)
LOSSES = tuple(declared("metrics/_pointwise.py", "Loss"))
POOLS = ("none", "folds", "splits")
MISSING = ("learners", "examples")
TASKS = ("equal", "pooled")
POST_HOC = ("nemenyi", "holm", "wilcoxon")


def listed(names: tuple[str, ...]) -> str:
    """Return names as in "a, b or c"."""
    return f"{', '.join(names[:-1])} or {names[-1]}"

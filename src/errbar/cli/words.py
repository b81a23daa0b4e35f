"""Names that the command line knows without loading what they stand for.

Kinds of splits and losses are read from the syntax of the files that declare them: importing those takes longer than a user
waits for the Tab key. A test holds the lists to the library's own.
"""

import ast
from collections.abc import Iterator
from pathlib import Path


def _calls(files: str, function: str) -> Iterator[tuple[list[str], list[str | None]]]:
    """Yield the texts that a function is called with in files of the package, and the names of its other arguments."""
    for file in sorted(Path(__file__).parents[1].glob(files)):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if (
                isinstance(node, ast.Call)
                and isinstance(node.func, ast.Name)
                and node.func.id == function
            ):
                texts = [
                    str(argument.value)
                    for argument in node.args
                    if isinstance(argument, ast.Constant)
                ]
                yield texts, [keyword.arg for keyword in node.keywords]


KINDS = {
    texts[0]: texts[1]
    for texts, named in _calls("plans/*.py", "Kind")
    if "stated" in named and len(texts) == 2
}
"""Kinds of splits that people may state for numbers of their own."""

ROWS = ("examples", *KINDS)
"""What a row of a file may be said to be."""

ALTERNATIVES = ("two-sided", "less", "greater")
ADJUSTMENTS = ("holm", "bonferroni", "hommel", "benjamini-hochberg", "benjamini-yekutieli", "none")
JOINT = ("max-t",)
LOSSES = tuple(texts[0] for texts, _ in _calls("metrics/_pointwise.py", "Loss"))
METRICS = {
    texts[0]: texts[-1]
    for function in ("_mean", "_metric", "_of_class", "_with_averages")
    for texts, _ in _calls("metrics/_metrics.py", function)
    if len(texts) > 1
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
ATLAS = tuple(
    texts[0]
    for function in ("_real", "Problem")
    for texts, _ in _calls("lab/_atlas/_problems.py", function)
    if texts
)


def listed(names: tuple[str, ...]) -> str:
    """Return names as in "a, b or c"."""
    return f"{', '.join(names[:-1])} or {names[-1]}"

"""Names that the command line knows without loading what they stand for.

Kinds of splits and losses are read from the syntax of the files that declare them: importing those takes longer than a user
waits for the Tab key. A test holds the lists to the library's own.
"""

import ast
from collections.abc import Iterator
from pathlib import Path

_PACKAGE = Path(__file__).parents[1]


def _calls(files: str, function: str) -> Iterator[ast.Call]:
    """Yield the calls of a function in files of the package."""
    for file in sorted(_PACKAGE.glob(files)):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == function:
                yield node


def _texts(call: ast.Call) -> list[str]:
    return [str(argument.value) for argument in call.args if isinstance(argument, ast.Constant)]


KINDS = {
    _texts(call)[0]: _texts(call)[1]
    for call in _calls("plans/*.py", "Kind")
    if any(keyword.arg == "stated" for keyword in call.keywords) and len(_texts(call)) == 2
}
"""Kinds of splits that people may state for numbers of their own."""

ALTERNATIVES = ("two-sided", "less", "greater")
ADJUSTMENTS = ("holm", "bonferroni", "hommel", "benjamini-hochberg", "benjamini-yekutieli", "none")
LOSSES = tuple(_texts(call)[0] for call in _calls("losses/_pointwise.py", "Loss"))
SCORERS = {
    "roc_auc": "area under the ROC curve",
    "average_precision": "area under the precision-recall curve",
    "balanced_accuracy": "mean recall of the classes",
    "f1_macro": "F1, mean of the classes",
    "f1": "F1 of the class 1",
    "accuracy": "share of right labels",
    "matthews_corrcoef": "correlation of labels and truth",
    "r2": "share of the variance explained",
    "neg_root_mean_squared_error": "for regression",
    "neg_median_absolute_error": "for regression",
}
POST_HOC = ("nemenyi", "holm", "wilcoxon")
PROBLEMS = (
    "gaussian-regression-20",
    "gaussian-regression-100",
    "gaussian-ridge-20",
    "gaussian-ridge-100",
    "gaussian-classification-20",
    "gaussian-classification-100",
    "friedman-1",
)
DATASETS = ("letter", "forest")


def listed(names: tuple[str, ...]) -> str:
    """Return names as in "a, b or c"."""
    return f"{', '.join(names[:-1])} or {names[-1]}"

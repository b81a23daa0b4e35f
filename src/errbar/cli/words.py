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
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == function:
                texts = [str(argument.value) for argument in node.args if isinstance(argument, ast.Constant)]
                yield texts, [keyword.arg for keyword in node.keywords]


KINDS = {texts[0]: texts[1] for texts, named in _calls("plans/*.py", "Kind") if "stated" in named and len(texts) == 2}
"""Kinds of splits that people may state for numbers of their own."""

ALTERNATIVES = ("two-sided", "less", "greater")
ADJUSTMENTS = ("holm", "bonferroni", "hommel", "benjamini-hochberg", "benjamini-yekutieli", "none")
LOSSES = tuple(texts[0] for texts, _ in _calls("losses/_pointwise.py", "Loss"))
AVERAGES = {"macro": "mean of the classes", "weighted": "mean of the classes by their shares", "micro": "of all counts"}
METRICS = {
    "accuracy": "share of right labels",
    **dict.fromkeys(("f1", "precision", "recall", "jaccard", "specificity", "npv"), "of the class --positive"),
    **{f"{key}_{name}": words for key in ("f1", "precision", "recall", "jaccard") for name, words in AVERAGES.items()},
    "balanced_accuracy": "mean recall of the classes",
    "matthews_corrcoef": "correlation of labels and truth",
    "kappa": "agreement beyond chance",
    "kappa_linear": "of ordered classes",
    "kappa_quadratic": "of ordered classes",
    "roc_auc": "area under the ROC curve",
    **{f"roc_auc_{kind}{ending}": "of several classes" for kind in ("ovr", "ovo") for ending in ("", "_weighted")},
    "average_precision": "area under the precision-recall curve",
    "log_loss": "of probabilities",
    "brier_score": "of probabilities",
    "d2_log_loss_score": "skill of probabilities",
    "d2_brier_score": "skill of probabilities",
    "calibration_error": "of probabilities",
    "r2": "share of the variance explained",
    "explained_variance": "for regression",
    "d2_absolute_error_score": "for regression",
    "mean_squared_error": "for regression",
    "mean_absolute_error": "for regression",
    "mean_squared_log_error": "for regression",
    "mean_absolute_percentage_error": "for regression",
    "root_mean_squared_error": "for regression",
    "root_mean_squared_log_error": "for regression",
    "wape": "sum of absolute errors over sum of targets",
}
"""Metrics of many examples by key, with what they are; a test holds them to `errbar.losses.METRICS`."""
POOLS = ("none", "folds", "splits")
POST_HOC = ("nemenyi", "holm", "wilcoxon")
_GAUSSIAN = [f"gaussian-{kind}-{n}" for kind in ("regression", "ridge", "classification") for n in (20, 100)]
PROBLEMS = (*_GAUSSIAN, "friedman-1")
DATASETS = ("letter", "forest")


def listed(names: tuple[str, ...]) -> str:
    """Return names as in "a, b or c"."""
    return f"{', '.join(names[:-1])} or {names[-1]}"

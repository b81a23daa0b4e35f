"""Names that the command line knows without loading what they stand for; a test holds them to the library's own."""

KINDS = {
    "other": "other splits",
    "data-sets": "several data sets",
    "bootstrap": "bootstrap samples",
    "subsampling": "random splits",
    "halves": "random splits, also of halves",
    "halved-kfold": "K-fold, also of halves",
    "holdout": "one split",
    "kfold": "K-fold cross-validation",
    "5x2": "five repeats of two-fold cross-validation",
}
"""Kinds of splits that people may state for numbers of their own."""

ALTERNATIVES = ("two-sided", "less", "greater")
ADJUSTMENTS = ("holm", "bonferroni", "hommel", "benjamini-hochberg", "benjamini-yekutieli", "none")
LOSSES = ("zero-one", "log-loss", "brier", "squared-error", "absolute-error")
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

"""Names that the command line knows without loading what they stand for; a test holds them to the library's own."""

KINDS = {
    "holdout": "one split",
    "subsampling": "random splits",
    "kfold": "K-fold",
    "5x2": "5 x 2-fold",
    "nested-kfold": "nested K-fold",
    "halves": "random splits, also of halves",
    "halved-kfold": "K-fold, also of halves",
    "bootstrap": "bootstrap samples",
    "replace-one": "K-fold with replaced examples",
    "data-sets": "several data sets",
    "other": "other splits",
}
SCORED = tuple(kind for kind in KINDS if kind not in ("nested-kfold", "replace-one"))
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

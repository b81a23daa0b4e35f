"""Names that the command line knows without loading what they stand for."""

PLANS = (
    "Bootstrap",
    "EqualKFold",
    "FiveByTwo",
    "HalvedKFold",
    "Holdout",
    "KFold",
    "NestedKFold",
    "PairedHalves",
    "ReplaceOne",
    "Subsampling",
)
KINDS = {
    "subsampling": "random splits",
    "kfold": "K-fold cross-validation",
    "5x2": "five repeats of two-fold cross-validation",
    "holdout": "one split",
    "bootstrap": "bootstrap samples",
    "halves": "random splits, also of halves",
    "halved-kfold": "K-fold, also of halves",
    "data-sets": "several data sets",
    "other": "anything else",
}
ALTERNATIVES = {
    "two-sided": "the difference is not zero",
    "less": "the first has less",
    "greater": "the first has more",
}
ADJUSTMENTS = {
    "holm": "any false rejection, step down",
    "bonferroni": "any false rejection, the simplest",
    "hommel": "any false rejection, step up",
    "benjamini-hochberg": "share of false rejections",
    "benjamini-yekutieli": "share of false rejections under any dependence",
    "none": "no adjustment",
}
LOSSES = {
    "zero-one": "share of wrong labels",
    "log-loss": "minus the log of the probability given to the truth",
    "brier": "squared distance of probabilities from the truth",
    "squared-error": "for regression",
    "absolute-error": "for regression",
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
POST_HOC = {
    "nemenyi": "all pairs by their mean ranks",
    "holm": "by mean ranks, adjusted step down",
    "wilcoxon": "signed ranks of each pair",
}
PROBLEMS = (
    "gaussian-regression-20",
    "gaussian-regression-100",
    "gaussian-ridge-20",
    "gaussian-ridge-100",
    "gaussian-classification-20",
    "gaussian-classification-100",
    "friedman-1",
)
DATASETS = {"letter": "A-M against N-Z", "forest": "CoverType, class 2 against the rest"}

"""Independent values of metrics, test examples for them, and a learner that says what its features hold."""

from functools import partial

import numpy as np
from sklearn import metrics as sk
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin

from errbar.metrics import DECISION, LABEL, METRICS, PROBABILITY, REGRESSION, Target

POSITIVE = 1


def sample(task, classes=3, n=60, *, seed=0, skill=0.6, ties=True):
    """Return a target and predictions of all kinds: classes all occur and are all predicted, numbers are positive."""
    rng = np.random.default_rng(seed)
    if task == REGRESSION:
        truth = rng.gamma(4.0, 1.0, n)
        return Target(truth), {LABEL: truth * rng.uniform(1.0 - skill / 2, 1.6 - skill, n)}
    truth = rng.permutation(np.arange(n) % classes)
    odds = rng.gamma(1.0, 1.0, (n, classes)) + skill * 2.0 * np.eye(classes)[truth]
    probability = odds / odds.sum(axis=1, keepdims=True)
    if ties:
        probability = np.stack([rng.multinomial(10, row) for row in probability]) / 10.0
    # A little off the probabilities, so that labels are neither perfect nor tied to the first of equal classes.
    label = (probability + rng.uniform(0.0, 0.05, probability.shape)).argmax(axis=1)
    predictions = {LABEL: label, PROBABILITY: probability}
    if classes == 2:
        predictions[DECISION] = np.round(probability[:, 1] - 0.5, 1)
    return Target(truth, np.arange(classes), POSITIVE), predictions


def shown(loss, target, predictions):
    """Return a metric and its influence values in the direction in which people know it."""
    part = {loss.kind(predictions): predictions[loss.kind(predictions)]}
    if loss.pointwise:
        points = loss.sign * loss.points(target.values, part)
        return points.mean(), points - points.mean()
    value, influence = loss.measured(loss.sample(target, target.values, part))
    return loss.sign * value, loss.sign * influence


def _of_labels(function, **options):
    return lambda y, p, w: function(y, p[LABEL], sample_weight=w, **options)


def _of_one(function, *, against=False):
    """Return a metric of the positive class, or of all others."""
    return lambda y, p, w: function(
        (y == POSITIVE) != against, (p[LABEL] == POSITIVE) != against, sample_weight=w
    )


def _of_score(function):
    def value(y, p, w):
        score = p[DECISION] if DECISION in p else p[PROBABILITY][:, POSITIVE]
        return function(y == POSITIVE, score, sample_weight=w)

    return value


def _of_probability(function, **options):
    def value(y, p, w):
        given = p[PROBABILITY]
        two = given.shape[1] == 2 and function is not sk.log_loss
        return function(y, given[:, 1] if two else given, sample_weight=w, **options)

    return value


def _of_pairs(average):
    """Return an area under the curve that takes no weights."""

    def value(y, p, w):
        assert w is None
        given = p[PROBABILITY]
        given = given[:, 1] if given.shape[1] == 2 else given
        return sk.roc_auc_score(y, given, multi_class="ovo", average=average)

    return value


def _wape(y, p, w):
    return np.average(np.abs(y - p[LABEL]), weights=w) / np.average(np.abs(y), weights=w)


def _calibration_error(y, p, w):
    """The formula in a loop: 15 bins of how sure, each with its share, accuracy and mean sureness."""
    w = np.ones(y.size) if w is None else w
    sure, right = p[PROBABILITY].max(axis=1), p[PROBABILITY].argmax(axis=1) == y
    total = 0.0
    for k in range(15):
        inside = (sure >= k / 15) & ((sure < (k + 1) / 15) | (k == 14))
        if inside.any():
            gap = np.average(right[inside], weights=w[inside]) - np.average(
                sure[inside], weights=w[inside]
            )
            total += w[inside].sum() / w.sum() * abs(gap)
    return total


# function(truth, predictions, weights), of scikit-learn wherever it has one.
KNOWN = {
    "accuracy": _of_labels(sk.accuracy_score),
    **{
        key if average is None else f"{key}_{average}": _of_one(function)
        if average is None
        else _of_labels(function, average=average)
        for key, function in (
            ("f1", sk.f1_score),
            ("precision", sk.precision_score),
            ("recall", sk.recall_score),
            ("jaccard", sk.jaccard_score),
        )
        for average in (None, "macro", "weighted", "micro")
    },
    "specificity": _of_one(sk.recall_score, against=True),
    "npv": _of_one(sk.precision_score, against=True),
    "balanced_accuracy": _of_labels(sk.balanced_accuracy_score),
    "matthews_corrcoef": _of_labels(sk.matthews_corrcoef),
    "kappa": _of_labels(sk.cohen_kappa_score),
    "kappa_linear": _of_labels(sk.cohen_kappa_score, weights="linear"),
    "kappa_quadratic": _of_labels(sk.cohen_kappa_score, weights="quadratic"),
    "roc_auc": _of_score(sk.roc_auc_score),
    "roc_auc_ovr": _of_probability(sk.roc_auc_score, multi_class="ovr"),
    "roc_auc_ovr_weighted": _of_probability(
        sk.roc_auc_score, multi_class="ovr", average="weighted"
    ),
    "roc_auc_ovo": _of_pairs("macro"),
    "roc_auc_ovo_weighted": _of_pairs("weighted"),
    "average_precision": _of_score(sk.average_precision_score),
    "log_loss": _of_probability(sk.log_loss),
    "brier_score": _of_probability(sk.brier_score_loss),
    "d2_log_loss_score": _of_probability(sk.d2_log_loss_score),
    "d2_brier_score": _of_probability(getattr(sk, "d2_brier_score", None)),
    "calibration_error": _calibration_error,
    "mean_squared_error": _of_labels(sk.mean_squared_error),
    "mean_absolute_error": _of_labels(sk.mean_absolute_error),
    "mean_squared_log_error": _of_labels(sk.mean_squared_log_error),
    "mean_absolute_percentage_error": _of_labels(sk.mean_absolute_percentage_error),
    "r2": _of_labels(sk.r2_score),
    "explained_variance": _of_labels(sk.explained_variance_score),
    "d2_absolute_error_score": _of_labels(sk.d2_absolute_error_score),
    "root_mean_squared_error": _of_labels(sk.root_mean_squared_error),
    "root_mean_squared_log_error": _of_labels(sk.root_mean_squared_log_error),
    "wape": _wape,
}
WITHOUT_WEIGHTS = ("roc_auc_ovo", "roc_auc_ovo_weighted")


def known(key):
    """Return the independent function of a metric; a new one is held against its own values until it has one here."""
    return KNOWN.get(key, partial(_own, key))


def _own(key, y, p, w):
    assert w is None
    classes = None if y.dtype.kind == "f" else np.arange(int(y.max()) + 1)
    return shown(METRICS[key], Target(y, classes, None if classes is None else POSITIVE), p)[0]


def takes_weights(key):
    return key in KNOWN and key not in WITHOUT_WEIGHTS


class Says(ClassifierMixin, BaseEstimator):
    """A classifier that predicts what its features hold: a probability for each class, those of learner after learner."""

    def __init__(self, place=0):
        self.place = place

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        return self

    def predict_proba(self, X):
        count = self.classes_.size
        return X[:, self.place * count : (self.place + 1) * count]

    def predict(self, X):
        return self.classes_[self.predict_proba(X).argmax(axis=1)]


class SaysNumber(RegressorMixin, BaseEstimator):
    """A regressor that predicts the feature at its place."""

    def __init__(self, place=0):
        self.place = place

    def fit(self, X, y):
        self.n_features_in_ = X.shape[1]
        return self

    def predict(self, X):
        return X[:, self.place]

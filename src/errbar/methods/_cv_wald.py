"""The cross-validation interval of Bayle et al."""

import math

import numpy as np
from numpy.typing import NDArray

from errbar import _check
from errbar._check import FloatArray
from errbar.errors import InvalidInputError
from errbar.losses import Losses
from errbar.methods._core.answer import Answer
from errbar.methods._core.blocks import require_one_partition
from errbar.methods._core.registry import register
from errbar.methods._core.steady import Known, known
from errbar.methods.distributions import mean, variance as sample_variance
from errbar.needs import EXAMPLES, FOLD_MODELS
from errbar.plans import KFold
from errbar.result import Estimand

BoolArray = NDArray[np.bool_]

VARIANCES = ("all-pairs", "within-fold", "by-class")

# With fewer examples of a class in a fold, squares about the mean of the fold are too small by a tenth and more.
_MANY_OF_A_CLASS = 10

# Farther from an edge than so many standard errors, the plain interval and that of the logit agree.
_NEAR = 5.0


@register(
    "cv-wald",
    pointwise=True,
    default_plan=KFold(),
    needs=(EXAMPLES,),
    estimand=Estimand.PROXY,
    claim="The mean risk of the K fold models, for large n and learners that change little with one example.",
    formula="SE = sigma / sqrt(n), sigma^2 = mean (l_i - mean l)^2, standard normal",
    fits="K (10 by default)",
    references=("bayle2020", "ledell2015"),
    assumptions=(
        "The learner is stable: one example more or less hardly changes the loss of the model.",
        "For a comparison, the difference of the losses is stable, relative to its own spread.",
        "There are many examples.",
    ),
    once=True,
)
def cv_wald(losses: Losses, *, variance: str | None = None) -> Answer:
    r"""Normal interval from the out-of-fold losses of one K-fold cross-validation.

    Estimates the mean risk of the K models that were trained. Out-of-fold losses are not independent. For stable learners
    and many examples their mean behaves as if they were ([1]_, Theorems 1 to 4). For a difference the stability is needed of
    the difference: two stable learners that nearly agree need not have it.

    Parameters
    ----------
    losses : Losses
        One loss (or difference of losses) per example, with its fold; every example is tested once.
    level : float, default 0.95
        Confidence level of the interval.
    null : float, default 0.0
        Mean risk (or difference) under the null hypothesis.
    alternative : {"two-sided", "less", "greater"}, default "two-sided"
        Alternative hypothesis; a one-sided one gives a one-sided interval.
    variance : {"all-pairs", "within-fold", "by-class"}, optional
        Variance estimator. By default ``"all-pairs"`` for losses and for metrics of pooled predictions. A metric that is
        averaged over folds has ``"within-fold"``; one that is given the classes, such as the AUC, has ``"all-pairs"``
        where each fold has at least 10 examples of each class, and ``"by-class"`` otherwise.

    Returns
    -------
    Result
        The estimate is the mean over examples, also where folds differ in size; of a metric that is averaged over folds
        it is the mean over folds.

    Raises
    ------
    UnsuitablePlanError
        For repeated cross-validation.
    InvalidInputError
        For ``variance="within-fold"`` where a fold has a single example, as in leave-one-out, and for ``"by-class"``
        without classes, or with a class that no fold has two examples of.

    See Also
    --------
    kfold_t : From the fold scores alone.
    corrected_t : A statement about the learning algorithm.

    Notes
    -----
    With l_i the n out-of-fold losses, all-pairs :math:`\hat\sigma^2 = \frac{1}{n}\sum_i (l_i - \bar l)^2` ([1]_, eq. 4.2),
    within-fold :math:`\hat\sigma^2 = \frac{1}{K}\sum_k \frac{1}{n_k-1}\sum_{i \in k} (l_i - \bar l_k)^2` ([1]_, eq. 4.1),
    and :math:`\sqrt{n}(\bar l - \mu_0)/\hat\sigma` is referred to the standard normal distribution.

    A metric that is averaged over folds, :math:`\bar\theta = \frac{1}{K} \sum_k \theta_k`, has influence values
    :math:`I_i` about the metric of their own fold. Then all-pairs is
    :math:`\hat\sigma^2 = \frac{1}{K}\sum_k \frac{1}{n_k} \sum_{i \in k} I_i^2`, which for the AUC is the estimator of [2]_;
    within-fold is :math:`SE^2 = K^{-2} \sum_k s_k^2/n_k`, with :math:`s_k^2` the sample variance in units of the fold's own class
    shares; and by-class is
    :math:`SE^2 = K^{-2} \sum_k \sum_c (n_{kc}/n_k)^2 s_{kc}^2/n_{kc}`, with the sample variance within class c of fold k in
    units of the fold's own class shares. With one example of a class in a fold, :math:`s_{kc}^2` is that of all folds together.

    References
    ----------
    .. [1] Bayle, Bayle, Janson & Mackey (2020), Advances in Neural Information Processing Systems 33.
    .. [2] LeDell, Petersen & van der Laan (2015), Electronic Journal of Statistics 9(1), 1583-1607.

    Examples
    --------
    >>> import errbar
    >>> losses = errbar.Losses([0.1, 0.4, 0, 0.9, 0.3, 0.2, 0.7, 0.4], fold=[0, 0, 0, 1, 1, 1, 2, 2])
    >>> result = errbar.methods.cv_wald(losses)
    >>> round(result.low, 4), round(result.high, 4)
    (0.1798, 0.5702)
    """
    require_one_partition(losses, "cv-wald")
    folds = [losses.fold == fold for fold in np.unique(losses.fold)]
    by_fold = losses.metric is not None and losses.metric.by_fold
    kind = (
        _default(losses, folds)
        if variance is None
        else _check.choice(variance, VARIANCES, "variance")
    )
    values = [losses.value[fold] for fold in folds]
    n, means = losses.value.size, np.array([mean(own) for own in values])
    if kind == "by-class":
        squared = _by_class(losses, folds)
    elif kind == "within-fold":
        squared = _within_fold(
            _in_own_shares(losses, folds) if by_fold else values, by_fold=by_fold
        )
    elif by_fold:
        squared = float(np.mean([sample_variance(own, own.size) for own in values])) / n
    else:
        squared = sample_variance(losses.value, n) / n
    estimate, se = mean(means) if by_fold else mean(losses.value), math.sqrt(squared)
    # Losses, and the estimator of LeDell et al., have the normal distribution; the latter is plain unless near an edge.
    law: Known | None = None
    theirs = by_fold and kind == "all-pairs"
    if losses.metric is not None and not theirs:
        centres = np.repeat(means, [own.size for own in values]) if by_fold else estimate
        law = known(losses, estimate, se, np.concatenate(values) - centres)
    return Answer(
        estimate=estimate,
        se=se,
        df=None if law is None else law.df,
        n_train=losses.n_train,
        n_splits=losses.folds,
        law=None if law is None else law.law,
        statistic=None if law is None else law.statistic,
        notes=(FOLD_MODELS, *(() if law is None else law.notes)),
        near=_NEAR if theirs else math.inf,
    )


def _default(losses: Losses, folds: list[BoolArray]) -> str:
    """Return the variance estimator that is taken where none is named."""
    if losses.metric is None or not losses.metric.by_fold:
        return "all-pairs"
    if losses.classes is None:
        return "within-fold"
    few = min(
        np.bincount(losses.classes[fold], minlength=int(losses.classes.max()) + 1).min()
        for fold in folds
    )
    return "all-pairs" if few >= _MANY_OF_A_CLASS else "by-class"


def _within_fold(values: list[FloatArray], *, by_fold: bool) -> float:
    """Return the squared standard error from the variances within folds."""
    if min(fold.size for fold in values) < 2:
        raise InvalidInputError(
            "'within-fold' needs at least two examples in every fold; try 'all-pairs'",
            argument="variance",
        )
    variances, sizes = (
        np.array([sample_variance(fold) for fold in values]),
        np.array([fold.size for fold in values]),
    )
    if by_fold:
        return float((variances / sizes).sum()) / len(values) ** 2
    return float(variances.mean()) / float(sizes.sum())


def _in_own_shares(losses: Losses, folds: list[BoolArray]) -> list[FloatArray]:
    """Return the values of each fold; influence values in units of the class shares of the fold and not of all."""
    if losses.classes is None:
        return [losses.value[fold] for fold in folds]
    shares, found = np.bincount(losses.classes) / losses.classes.size, []
    for fold in folds:
        own, value = losses.classes[fold], losses.value[fold]
        centre = mean(value)
        found.append(
            centre
            + (value - centre)
            * (shares * own.size / np.maximum(np.bincount(own, minlength=shares.size), 1))[own]
        )
    return found


def _by_class(losses: Losses, folds: list[BoolArray]) -> float:
    """Return the squared standard error from the variances within the classes of folds."""
    if losses.classes is None or losses.metric is None or not losses.metric.by_fold:
        raise InvalidInputError(
            "'by-class' is for metrics that are taken given the class and averaged over folds, such as 'roc_auc'",
            argument="variance",
        )
    shares = np.bincount(losses.classes) / losses.classes.size
    total = 0.0
    for label in np.unique(losses.classes):
        own = [losses.value[fold & (losses.classes == label)] for fold in folds]
        several = [part for part in own if part.size > 1]
        if not several:
            raise InvalidInputError(
                "'by-class' needs a fold with at least two examples of each class; use fewer folds, or 'all-pairs'",
                argument="variance",
            )
        squares = [sample_variance(part) for part in several]
        freedom = [part.size - 1 for part in several]
        together = float(np.average(squares, weights=freedom))
        # Influence values are in units of the class shares of all folds; the area of a fold weighs its own examples equally.
        total += shares[label] ** 2 * sum(
            (sample_variance(part) if part.size > 1 else together) / part.size for part in own
        )
    return total / len(folds) ** 2

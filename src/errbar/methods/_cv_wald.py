"""The cross-validation interval of Bayle et al."""

import math

import numpy as np

from errbar import _check
from errbar.errors import InvalidInputError
from errbar.index import compact
from errbar.losses import Losses
from errbar.methods._core.answer import Answer
from errbar.methods._core.registry import register
from errbar.methods.distributions import mean, variance as sample_variance
from errbar.methods.variance import law_of_metric, require_one_partition, variances_within
from errbar.needs import EXAMPLES, FOLD_MODELS
from errbar.plans import KFold
from errbar.result import Estimand

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
    references=("bayle2020", "ledell2015"),
    once=True,
)
def cv_wald(losses: Losses, *, variance: str | None = None) -> Answer:
    r"""Normal interval from the out-of-fold losses of one K-fold cross-validation.

    :Claim: The mean risk of the K fold models, for large n and learners that change little with
        one example.
    :Formula: ``SE = sigma / sqrt(n), sigma^2 = mean (l_i - mean l)^2, standard normal``
    :Fits: K (10 by default)
    :Assumption: The learner is stable: one example more or less hardly changes the loss of the
        model.
    :Assumption: For a comparison, the difference of the losses is stable, relative to its own
        spread.
    :Assumption: There are many examples.

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
    loss, by_fold, fold = losses.value, losses.by_fold, compact(losses.fold)
    n, n_k = loss.size, np.bincount(fold)
    K, mu_k = n_k.size, np.bincount(fold, loss) / n_k
    allowed, usual = ["all-pairs", "within-fold"], "within-fold" if by_fold else "all-pairs"
    given_class = by_fold and losses.classes is not None
    if given_class:
        c = compact(losses.index["classes"])
        C = int(c.max()) + 1
        n_kc = np.bincount(fold * C + c, minlength=K * C).reshape(K, C)
        p_c = np.bincount(c) / n
        allowed.append("by-class")
        usual = "all-pairs" if n_kc.min() >= _MANY_OF_A_CLASS else "by-class"
    kind = usual if variance is None else _check.choice(variance, allowed, "variance")

    s2_k = variances_within(loss, fold, K)
    if kind == "within-fold" and n_k.min() < 2:
        raise InvalidInputError(
            "'within-fold' needs at least two examples in every fold; try 'all-pairs'",
            argument="variance",
        )
    if kind == "all-pairs" and by_fold:  # LeDell et al.
        squared = (s2_k * (n_k - 1) / n_k).mean() / n
    elif kind == "all-pairs":
        squared = sample_variance(loss, n) / n
    elif not by_fold:
        squared = s2_k.mean() / n
    elif kind == "within-fold":
        if given_class:
            # Influence values are in units of the shares of the classes in all folds; here in those of the own fold.
            units = (p_c * n_k[:, None] / np.maximum(n_kc, 1))[fold, c]
            s2_k = variances_within(mu_k[fold] + (loss - mu_k[fold]) * units, fold, K)
        squared = (s2_k / n_k).sum() / K**2
    else:
        s2_kc = variances_within(loss, fold * C + c, K * C).reshape(K, C)
        if (n_kc.max(axis=0) < 2).any():
            raise InvalidInputError(
                "'by-class' needs a fold with at least two examples of each class; use fewer folds, or 'all-pairs'",
                argument="variance",
            )
        # A class with one example in a fold has there the variance of the other folds.
        pooled = np.average(s2_kc, axis=0, weights=n_kc - 1)
        s2_kc = np.where(n_kc > 1, s2_kc, pooled)
        squared = (np.square(p_c) * s2_kc / n_kc).sum() / K**2

    theirs = by_fold and kind == "all-pairs"
    answer = Answer(
        estimate=mean(mu_k) if by_fold else mean(loss),
        se=math.sqrt(squared),
        n_train=losses.n_train,
        n_splits=K,
        notes=(FOLD_MODELS,),
        near=_NEAR if theirs else math.inf,
    )
    # Losses, and the estimator of LeDell et al., have the normal distribution; the latter is plain unless near an edge.
    if losses.metric is not None and not theirs:
        left = loss - (mu_k[fold] if by_fold else answer.estimate)
        law = law_of_metric(losses, answer.estimate, answer.se, left, n - 1)
        answer.df, answer.law, answer.statistic = law.df, law.law, law.statistic
        answer.notes += law.notes
    return answer

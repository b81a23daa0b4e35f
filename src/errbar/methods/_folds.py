"""Methods for cross-validation: from scores of folds, from losses of examples, and from fits without some of the data."""

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from errbar import _check
from errbar._check import FloatArray, compact
from errbar._plain import plain
from errbar.design import FOLD_MODELS
from errbar.losses import Losses, difference, whole
from errbar.methods._core.registry import method
from errbar.methods.distributions import Answer, mean, quantile, variance as variance_of
from errbar.methods.variance import (
    fold_variances,
    law_of_metric,
    nested_cells,
    ratio_of_sizes,
    require_layout,
    require_single,
    t_of_folds,
    t_of_splits,
    variance_of_shares,
    variances_within,
)
from errbar.result import Note


@method("kfold-t")
def kfold_t(losses: Losses, *, rho: float = 0.0) -> Answer:
    r"""Student's t on the K fold scores of one cross-validation, with between-block correlation rho.

    :Claim: The expected loss at training size n - n/K, if the between-block correlation is the rho
        that is assumed.
    :Formula: ``SE = sqrt(theta3 / (1 - rho)), theta3 = sum (mu_k - mu)^2 / (K (K - 1)), t with K -
        1 degrees of freedom``
    :Assumption: Fold scores are normal, with one variance and one covariance between any two of
        them.
    :Assumption: The share of the between-fold covariance in the variance of the mean is rho.

    rho = 0 is the paired K-fold t of textbooks ([2]_), which is liberal. rho = 0.7 is the test of
    [1]_, the largest value that its authors had measured; it makes intervals 1.8 times as wide. In
    repetitions of their study 95 % intervals then held 97 to 99.4 %. `corrected_t` on the same
    folds amounts to rho = K/(2 K - 1), 0.53 for ten folds, and is better calibrated.

    Parameters
    ----------
    losses : Losses
        One score (or difference of scores) per fold of a single partition.
    rho : float, default 0.0
        Share gamma/theta of the between-fold covariance in the variance of the mean, above -1/(K -
        1) and below 1. **Not** the correlation r of two fold scores: rho = K r / (1 + (K - 1) r).

    See Also
    --------
    rho_threshold, rho_sensitivity, rho_from_correlation, correlation_from_rho, halved_kfold_t, corrected_t

    Notes
    -----
    With mu_k the fold scores and mu their unweighted mean, :math:`\hat\theta_3 = \sum_k (\mu_k -
    \hat\mu)^2/(K(K-1))` and :math:`t = \sqrt{1-\rho}\,(\hat\mu - \mu_0)/\sqrt{\hat\theta_3}`,
    referred to t with K - 1 degrees of freedom ([1]_, section 4).

    Examples
    --------
    >>> import errbar
    >>> losses = errbar.Losses([0.02, 0.01, 0.03, -0.01, 0.02, 0.0, 0.04, 0.01, 0.02, 0.01])
    >>> round(errbar.methods.kfold_t(losses, rho=0.7).statistic, 4)
    1.8121
    """
    K = losses.splits.value.size
    # Below, K fold scores cannot all be correlated.
    least = -1.0 / (K - 1)
    must = f"must lie between -1/(K - 1) = {least:.4g} and 1 for K = {K} folds"
    _check.require(least < _check.finite(rho, "rho") < 1.0, must, rho, "rho")
    notes = (Note("liberal", assumed="uncorrelated fold scores, rho = 0"),) if rho <= 0.0 else ()
    return t_of_splits(losses, rho / (K * (1.0 - rho)), notes)


def rho_from_correlation(correlation: float, folds: int) -> float:
    r"""Share rho of the covariance in the variance of the mean of K fold scores with a correlation.

    Parameters
    ----------
    correlation : float
        Correlation r of two fold scores, in [0, 1].
    folds : int
        Number of folds K, at least 2.

    Returns
    -------
    float
        :math:`\rho = K r / (1 + (K - 1) r)`, as `kfold_t` takes it.

    Examples
    --------
    >>> import errbar
    >>> round(errbar.methods.rho_from_correlation(0.1, 10), 3)
    0.526
    """
    K, r = _check.count(folds, "folds", 2), _check.between(correlation, 0.0, 1.0, "correlation")
    return K * r / (1.0 + (K - 1) * r)


def correlation_from_rho(rho: float, folds: int) -> float:
    r"""Correlation of two fold scores that makes up a share rho, the inverse of `rho_from_correlation`.

    Parameters
    ----------
    rho : float
        Share of the between-fold covariance in the variance of the mean, in [0, 1].
    folds : int
        Number of folds K, at least 2.

    Returns
    -------
    float
        :math:`r = \rho / (K - (K - 1) \rho)`.

    Examples
    --------
    >>> import errbar
    >>> round(errbar.methods.correlation_from_rho(0.7, 10), 3)
    0.189
    """
    K, share = _check.count(folds, "folds", 2), _check.between(rho, 0.0, 1.0, "rho")
    return share / (K - (K - 1) * share)


def rho_threshold(
    losses: Losses, *, level: float = 0.95, null: float = 0.0, alternative: str = "two-sided"
) -> float:
    r"""Between-block correlation up to which the K-fold t rejects.

    `kfold_t` rejects at 1 - level exactly for smaller rho.

    Parameters
    ----------
    losses : Losses
        One score (or difference of scores) per fold of a single partition.
    level, null : float, default 0.95, 0.0
        The test is at 1 - level; at least 0.5 for a one-sided alternative. Risk (or difference)
        under the null hypothesis.
    alternative : {"two-sided", "less", "greater"}, default "two-sided"

    Returns
    -------
    float
        At most 1; negative where even rho = 0 does not reject, ``-inf`` where the statistic is 0 or
        has the other sign than `alternative`, 1 where the scores do not vary.

    Notes
    -----
    :math:`\rho_\alpha = 1 - (t_{K-1,1-\alpha/2}/t_0)^2` with t_0 the statistic at rho = 0 ([1]_,
    section 5), and :math:`t_{K-1,1-\alpha}` for a one-sided alternative.

    References
    ----------
    .. [1] Grandvalet & Bengio (2006), Technical report 1285, Universite de Montreal.

    Examples
    --------
    >>> import errbar
    >>> losses = errbar.Losses([0.02, 0.01, 0.03, -0.01, 0.02, 0.0, 0.04, 0.01, 0.02, 0.01])
    >>> round(errbar.methods.rho_threshold(losses), 4)
    0.5325
    """
    two_sided = alternative == "two-sided"
    _check.between(level, 0.0 if two_sided else 0.5, 1.0, "level")
    found = kfold_t(losses, level=level, null=null, alternative=alternative)
    t0 = found.statistic
    t0 = {"two-sided": abs(t0), "greater": t0, "less": -t0}[alternative]
    if t0 <= 0.0:
        return -math.inf
    t = quantile(0.5 + level / 2 if two_sided else level, losses.splits.value.size - 1)
    u = (t / t0) * (t / t0)  # infinite where a power of floats would fail
    # It rejects where 1/u is larger than (1 - b)/(1 - rho) + b; the share b of the strata does not shrink with rho.
    b = variance_of_shares(losses) / found.se**2 if found.se else 0.0
    return 1.0 - u * (1.0 - b) / (1.0 - u * b) if u * b < 1.0 else -math.inf


class RhoSensitivity(NamedTuple):
    """What the K-fold t says for every between-block correlation rho.

    Attributes
    ----------
    estimate, folds : Mean of the fold scores, the same for every rho, and number of folds K.
    level, null, alternative : As asked for.
    threshold : The smallest rho at which the test does not reject, see `rho_threshold`.
    rho, pvalue, low, high : Ascending values of rho, with p-value and interval for each.
    marks : Values of rho that have a name.
    """

    estimate: float
    folds: int
    level: float
    null: float
    alternative: str
    threshold: float
    rho: FloatArray
    pvalue: FloatArray
    low: FloatArray
    high: FloatArray
    marks: dict[str, float]

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON: an unbounded end is None, an infinite threshold ``"-inf"``."""
        return plain(self, infinite=("threshold",))


def rho_sensitivity(
    losses: Losses, *, rhos: ArrayLike | None = None, **asked: Any
) -> RhoSensitivity:
    r"""P-value and interval of the K-fold t for many between-block correlations rho.

    No estimator of rho from one cross-validation is unbiased for all distributions. Four values are
    marked: 0, the textbook test; the one that makes it the corrected t of Nadeau and Bengio; 0.7,
    the largest value measured by [1]_; and the threshold, where it lies in [0, 1).

    Parameters
    ----------
    losses : Losses
        One score (or difference of scores) per fold of a single partition.
    rhos : array-like, shape (m,), optional
        Values of rho; by default 0, 0.01, ..., 0.99. The marked ones are added.
    **asked
        `level`, `null` and `alternative`, as for `rho_threshold`.

    Returns
    -------
    RhoSensitivity

    Notes
    -----
    For each rho the statistic is :math:`\sqrt{1-\rho}\,t_0` with t_0 the one at rho = 0, referred
    to t with K - 1 degrees of freedom ([1]_, section 4). The corrected t takes r = n2/(n1 + n2) for
    the correlation of two fold scores ([2]_, section 3.3), 1/K where the sizes are not known; see
    `rho_from_correlation`.

    References
    ----------
    .. [1] Grandvalet & Bengio (2006), Technical report 1285, Universite de Montreal.
    .. [2] Nadeau & Bengio (2003), Machine Learning 52(3), 239-281.

    Examples
    --------
    >>> import errbar
    >>> losses = errbar.Losses([0.02, 0.01, 0.03, -0.01, 0.02, 0.0, 0.04, 0.01, 0.02, 0.01])
    >>> found = errbar.methods.rho_sensitivity(losses, rhos=[0.3])
    >>> for rho, pvalue in zip(found.rho, found.pvalue):
    ...     print(round(rho, 3), round(pvalue, 4))
    0.0 0.0091
    0.3 0.0218
    0.526 0.0488
    0.532 0.05
    0.7 0.1034
    """
    threshold, K = rho_threshold(losses, **asked), losses.splits.value.size
    known = {"n_train", "n_test"} <= set(losses.splits.index)
    ratio = ratio_of_sizes(losses) if known else 1.0 / (K - 1)
    marks = {
        "uncorrected": 0.0,
        "Nadeau-Bengio": rho_from_correlation(ratio / (1.0 + ratio), K),
        "conservative": 0.7,
    }
    if 0.0 <= threshold < 1.0:
        marks["threshold"] = threshold
    wanted = np.arange(100) / 100.0 if rhos is None else _check.vector(rhos, "rhos", "value")
    rho = np.union1d(wanted, list(marks.values()))
    results = [kfold_t(losses, rho=one, **asked) for one in rho.tolist()]
    pvalue, low, high = np.transpose([(one.pvalue, *one.interval) for one in results])
    first = results[0]
    return RhoSensitivity(
        first.estimate,
        K,
        first.level,
        first.null,
        first.alternative,
        threshold,
        rho,
        pvalue,
        low,
        high,
        marks,
    )


_ASSUMED = {
    "theta2": "no covariance within folds, omega = 0",
    "theta3": "no covariance between folds, gamma = 0",
    "theta4": "covariances that cancel, gamma = -m/(n - m) omega",
    "theta5": "no covariance at all, omega = gamma = 0",
}


@method("kfold-theta")
def kfold_theta(losses: Losses, *, estimator: str = "theta3") -> Answer:
    r"""Test of one K-fold cross-validation with one of four variance estimators.

    :Claim: The expected loss at training size n - n/K, under the assumption on covariances that
        goes with the chosen estimator.
    :Formula: ``SE = sqrt(theta_m), m = 2 to 5; theta3 by default: sum (mu_k - mu)^2 / (K (K - 1)),
        t with K - 1 degrees of freedom``
    :Assumption: theta2 to theta5 neglect covariances: within folds, between folds, a combination
        that cancels, or all of them.
    :Assumption: All folds are of one size.

    No estimator of the variance of the mean is unbiased under all covariances of the losses ([1]_).
    Those offered here are so under an assumption each ([2]_, section 3); in practice theta3, theta4
    and theta5 are close to each other, and too small.

    Parameters
    ----------
    losses : Losses
        One loss (or difference) per example, with its fold, every example tested once; all folds
        are of one size m, at least 2.
    estimator : {"theta2", "theta3", "theta4", "theta5"}, default "theta3"
        Unbiased if omega, the covariance of two losses in one fold, is 0 (theta2); if gamma, that
        of two in different folds, is 0 (theta3); if gamma = -m/(n - m) omega (theta4); if both are
        0 (theta5).

    Raises
    ------
    InvalidInputError
        For ``"theta1"``, which is no use in a test, and for ``"theta2"`` where it is negative.

    See Also
    --------
    kfold_variance, kfold_t, halved_kfold_t

    Notes
    -----
    With e_i the n losses, T_k the K folds of m = n/K examples, :math:`\hat\mu_k` the fold means and
    :math:`\hat\mu` their mean, the variance :math:`\theta = \sigma^2/n + \omega (m-1)/n + \gamma
    (n-m)/n` is estimated by

    .. math:: \hat\theta_3 = \frac{\sum_k (\hat\mu_k - \hat\mu)^2}{K(K-1)}, \quad
              \hat\theta_4 = \frac{1}{nK} \sum_k \sum_{i \in T_k} \frac{(e_i - \hat\mu_k)^2}{m-1}, \quad
              \hat\theta_5 = \frac{\sum_i (e_i - \hat\mu)^2}{n(n-1)},

    and :math:`\hat\theta_2 = K \hat\theta_4 - (K-1) \hat\theta_3`. Then :math:`(\hat\mu -
    \mu_0)/\sqrt{\hat\theta}` is referred to t with K - 1 degrees of freedom for theta3, n - K for
    theta4 and n - 1 for theta5, and to the standard normal distribution for theta2, which is not a
    sum of squares ([1]_, [2]_).

    Examples
    --------
    >>> import errbar
    >>> losses = errbar.Losses([0.1, 0.4, 0.3, 0.9, 0.3, 0.2, 0.7, 0.4], fold=[0, 0, 1, 1, 2, 2, 3, 3])
    >>> result = errbar.methods.kfold_theta(losses, null=0.25, estimator="theta4")
    >>> round(result.se, 4), result.df, round(result.pvalue, 3)
    (0.0927, 4, 0.154)
    """
    # theta1 is the squared mean, with which every statistic of a zero null is 1 or -1.
    squared = kfold_variance(losses)[estimator]
    must = "'theta2' is negative for these losses, and a variance cannot be; try 'theta3'"
    _check.require(squared >= 0.0, must, squared, "estimator")
    losses = losses.outer
    K, n = losses.folds, losses.value.size
    return Answer(
        mean(losses.value),
        math.sqrt(squared),
        {"theta3": K - 1, "theta4": n - K, "theta5": n - 1}.get(estimator),
        n_splits=K,
        notes=(Note("liberal", assumed=_ASSUMED[estimator]),),
    )


def kfold_variance(losses: Losses) -> dict[str, float]:
    r"""Estimate the variance of the mean of one K-fold cross-validation in five ways.

    Each of the five combinations of three moments is unbiased under an assumption on the
    covariances, and biased by a known amount otherwise ([2]_, Table 1); none is so for all of them
    ([1]_).

    Parameters
    ----------
    losses : Losses
        One loss (or difference) per example, with its fold, every example tested once; all folds
        are of one size m, at least 2.

    Returns
    -------
    dict
        The moments ``"s1"``, ``"s2"``, ``"s3"``, and the estimates ``"theta1"`` to ``"theta5"``.

    Raises
    ------
    UnsuitablePlanError, InvalidInputError
        For repeated cross-validation, and for folds that differ in size or have a single example.

    Notes
    -----
    With e_i the n losses and T_k the folds of m examples,

    .. math:: s_1 = \frac{1}{n} \sum_i e_i^2, \quad
              s_2 = \frac{1}{n(m-1)} \sum_k \sum_{i \ne j \in T_k} e_i e_j, \quad
              s_3 = \frac{1}{n(n-m)} \sum_{k \ne l} \sum_{i \in T_k, j \in T_l} e_i e_j

    ([2]_, section 2), :math:`\hat\theta_1 = \hat\mu^2` is unbiased where the mean is 0, and
    :math:`\hat\theta_2 = \hat\mu^2 - s_2` has the bias :math:`-\omega`. That of
    :math:`\hat\theta_3` is :math:`-\gamma`, of :math:`\hat\theta_4 = (s_1 - s_2)/n` it is
    :math:`-\omega m/n - \gamma (n-m)/n`, and of :math:`\hat\theta_5` :math:`-\omega (m-1)/(n-1) -
    \gamma (n-m)/(n-1)`; see `kfold_theta`.

    References
    ----------
    .. [1] Bengio & Grandvalet (2004), Journal of Machine Learning Research 5, 1089-1105.
    .. [2] Grandvalet & Bengio (2006), Technical report 1285, Universite de Montreal.

    Examples
    --------
    >>> import errbar
    >>> losses = errbar.Losses([0, 0, 1, 1, 0, 1], fold=[0, 0, 1, 1, 2, 2])
    >>> variance = errbar.methods.kfold_variance(losses)
    >>> round(variance["theta2"], 3), round(variance["theta3"], 3)
    (-0.083, 0.083)
    """
    require_single(losses, "kfold-theta", "partition")
    losses = losses.outer
    fold, n = compact(losses.fold), losses.value.size
    sizes = np.bincount(fold)
    K, m = sizes.size, int(sizes[0])
    must = "must name at least two folds of one size, of at least two examples (plan EqualKFold); try 'kfold-t'"
    _check.require(min(K, m) > 1 and (sizes == m).all(), must, sizes.tolist(), "fold")
    theta1 = mean(losses.value) ** 2
    theta3 = variance_of(np.bincount(fold, losses.value) / m) / K
    theta4 = mean(variances_within(losses.value, fold, K)) / n
    theta5 = ((n - K) * theta4 + (K - 1) * theta3) / (n - 1)
    theta2 = float(difference(np.array(K * theta4), np.array((K - 1) * theta3)))
    return {
        "s1": theta1 + (n - 1) * theta5,
        "s2": theta1 - theta2,
        "s3": theta1 - theta3,
        "theta1": theta1,
        "theta2": theta2,
        "theta3": theta3,
        "theta4": theta4,
        "theta5": theta5,
    }


# With fewer examples of a class in a fold, squares about the mean of the fold are too small by a tenth and more.
_MANY_OF_A_CLASS = 10

# Farther from an edge than so many standard errors, the plain interval and that of the logit agree.
_NEAR = 5.0


@method("cv-wald")
def cv_wald(losses: Losses, *, variance: str | None = None) -> Answer:
    r"""Normal interval from the out-of-fold losses of one K-fold cross-validation.

    :Claim: The mean risk of the K fold models, for large n and learners that change little with one
        example.
    :Formula: ``SE = sigma / sqrt(n), sigma^2 = mean (l_i - mean l)^2, standard normal``
    :Assumption: The learner is stable: one example more or less hardly changes the loss of the
        model.
    :Assumption: For a comparison, the difference of the losses is stable, relative to its own
        spread.
    :Assumption: There are many examples.

    For stable learners and many examples, the mean of out-of-fold losses behaves as if they were
    independent ([1]_, Theorems 1 to 4). For a comparison the difference must be stable, which two
    stable learners that nearly agree need not have. The estimate is the mean over examples; of a
    metric that is averaged over folds, the mean over folds.

    Parameters
    ----------
    losses : Losses
        One loss (or difference) per example, with its fold; every example is tested once.
    variance : {"all-pairs", "within-fold", "by-class"}, optional
        By default ``"all-pairs"`` for losses and metrics of pooled predictions, which may have
        ``"within-fold"``, too. A metric averaged over folds has ``"within-fold"`` alone. One that is
        given the classes, such as the AUC, has ``"all-pairs"`` where each fold has at least 10
        examples of each class, and ``"by-class"`` otherwise.

    Raises
    ------
    InvalidInputError
        For ``"within-fold"`` where a fold has a single example, and for ``"by-class"`` without
        classes, or with a class that no fold has two examples of.

    See Also
    --------
    kfold_t, corrected_t

    Notes
    -----
    With l_i the n out-of-fold losses, all-pairs :math:`\hat\sigma^2 = \frac{1}{n}\sum_i (l_i - \bar
    l)^2` ([1]_, eq. 4.2), within-fold :math:`\hat\sigma^2 = \frac{1}{K}\sum_k
    \frac{1}{n_k-1}\sum_{i \in k} (l_i - \bar l_k)^2` ([1]_, eq. 4.1), and :math:`\sqrt{n}(\bar l -
    \mu_0)/\hat\sigma` is referred to the standard normal distribution.

    A metric that is averaged over folds has influence values :math:`I_i` about the metric of their
    own fold. Then all-pairs is :math:`\hat\sigma^2 = \frac{1}{K}\sum_k \frac{1}{n_k} \sum_{i \in k}
    I_i^2`, which for the AUC is the estimator of [2]_; within-fold is :math:`SE^2 = K^{-2} \sum_k
    s_k^2/n_k`, and by-class :math:`SE^2 = K^{-2} \sum_k \sum_c (n_{kc}/n_k)^2 s_{kc}^2/n_{kc}`,
    with the sample variances of fold k, and of class c in it, in units of the fold's own class
    shares. With one example of a class in a fold, :math:`s_{kc}^2` is that of all folds together.

    Examples
    --------
    >>> import errbar
    >>> losses = errbar.Losses([0.1, 0.4, 0, 0.9, 0.3, 0.2, 0.7, 0.4], fold=[0, 0, 0, 1, 1, 1, 2, 2])
    >>> result = errbar.methods.cv_wald(losses)
    >>> round(result.low, 4), round(result.high, 4)
    (0.1798, 0.5702)
    """
    loss, by_fold, fold = losses.value, losses.by_fold, compact(losses.fold)
    n, n_k = loss.size, np.bincount(fold)
    K, mu_k = n_k.size, np.bincount(fold, loss) / n_k
    # Of a metric that is given the class, examples of each class vary by themselves.
    c = np.zeros_like(fold)
    if by_fold and losses.classes is not None:
        c = compact(losses.classes)
    C = int(c.max()) + 1
    n_kc = np.bincount(fold * C + c, minlength=K * C).reshape(K, C)
    allowed = ["within-fold"] if by_fold else ["all-pairs", "within-fold"]
    if C > 1:
        allowed = ["all-pairs" if n_kc.min() >= _MANY_OF_A_CLASS else "by-class"]
    kind = allowed[0] if variance is None else _check.choice(variance, allowed, "variance")
    le_dell = by_fold and kind == "all-pairs"
    if le_dell:
        squared = (variances_within(loss, fold, K) * (n_k - 1) / n_k).mean() / n
    elif kind == "all-pairs":
        squared = variance_of(loss, n) / n
    else:
        fewest = n_kc.max(axis=0) if C > 1 else n_k
        must = "must hold two examples each, or one of them two of each class; use fewer folds"
        _check.require(fewest.min() > 1, must, n_kc.tolist(), "fold")
        s2_kc = variances_within(loss, fold * C + c, K * C).reshape(K, C)
        # A class with one example in a fold has there the variance of the other folds.
        pooled = np.average(s2_kc, axis=0, weights=n_kc - 1)
        s2_kc = np.where(n_kc > 1, s2_kc, pooled)
        of_folds = np.square(n_kc.sum(axis=0) / n) * s2_kc / n_kc
        squared = of_folds.sum() / K**2 if by_fold else s2_kc.mean() / n
    estimate = mean(mu_k) if by_fold else mean(loss)
    answer = Answer(estimate, math.sqrt(squared), notes=(FOLD_MODELS,))
    # Losses, and the estimator of LeDell et al., have the normal distribution; the latter is plain unless near an edge.
    if le_dell:
        answer.near = _NEAR
    elif losses.metric is not None:
        left = loss - (mu_k[fold] if by_fold else estimate)
        law_of_metric(answer, losses, left, n - 1)
    return answer


@method("cv-t")
def cv_t(losses: Losses, *, variance: str = "larger") -> Answer:
    r"""Student's t from the out-of-fold losses of K-fold cross-validation, once or repeated.

    :Claim: The expected loss of the learning algorithm at training size n1, from the losses of all
        examples.
    :Formula: ``SE^2 = max(W/n, S_f^2/K) n/n1, t with K - 1 degrees of freedom``
    :Assumption: The training sets add little to the variance of the estimate, beyond what the
        examples that are tested do.
    :Assumption: There are clearly more examples than the learner has to fit parameters.
    :Assumption: The mean of the losses is close to normal.

    The variance of the n losses tells how much the estimate changes with the examples that are
    tested. The factor n/n1 and the few degrees of freedom are for what the training sets add, which
    is not estimated. It is at least K/(K - 1), also where not all examples have losses. Where that is large, take `cv_jackknife`; the note ``uneven-folds`` says so if
    the means of the folds show it. The estimate is the mean over all losses; of a metric that is
    averaged over folds, the mean over folds.

    Parameters
    ----------
    losses : Losses
        Losses (or differences) with their fold and repeat; every repeat tests the same examples
        once.
    variance : {"larger", "examples"}, default "larger"
        The larger of W/n, from all losses, and S_f^2/K, from the means of folds; or W/n in any
        case.

    See Also
    --------
    corrected_t, cv_wald, cv_jackknife

    Notes
    -----
    With :math:`l_{ri}` the loss of example i in repeat r, :math:`\bar l_r` their mean,
    :math:`\bar l_{rk}` the mean of fold k, and :math:`\bar m_r` the mean of these over folds,

    .. math:: W = \frac{1}{R} \sum_r \frac{1}{n-1} \sum_i (l_{ri} - \bar l_r)^2, \qquad
              S_f^2 = \frac{1}{R} \sum_r \frac{1}{K-1} \sum_k (\bar l_{rk} - \bar m_r)^2, \qquad
              SE^2 = \max\left(\frac{W}{n}, \frac{S_f^2}{K}\right) \frac{n}{n_1}

    and :math:`(\bar l - \mu_0)/SE` is referred to t with K - 1 degrees of freedom. W/n is the
    variance of [1]_ (eq. 4.2) for stable learners and large n; n/n1 is that of the correction of
    [2]_ for K folds, 1/K + n2/n1. The note ``uneven-folds`` is given, not for metrics, where (K -
    1) times the ratio of :math:`S_f^2/K` to :math:`W/n` is above the 99 % quantile of chi-squared
    with K - 1 degrees of freedom.

    For a metric that is not a mean of losses, l is the metric plus the influence value of the
    example, and deviations are from the metric of what is put together: of each fold, or of all
    folds of a repeat. Degrees of freedom are at most :math:`2n/(\kappa - 1)`, with the kurtosis
    :math:`\kappa` of the influence values. Where examples come in groups, folds hold whole groups,
    W/n is the squared standard error of `cluster_t`, averaged over the repeats, and the degrees of
    freedom are at most those of its groups. The interval near the least or largest loss is as for
    `cluster_t`.

    Examples
    --------
    >>> import errbar
    >>> losses = errbar.Losses([0.1, 0.4, 0, 0.9, 0.3, 0.2, 0.7, 0.4], fold=[0, 0, 0, 1, 1, 1, 2, 2], n_train=16 / 3)
    >>> result = errbar.methods.cv_t(losses)
    >>> round(result.se, 4), result.df
    (0.1426, 2)
    """
    folds = fold_variances(losses)
    K, of_examples, of_folds = folds.K, folds.of_examples, folds.of_folds
    squared = of_examples if variance == "examples" else max(of_examples, of_folds)
    # n/n1, or K/(K - 1) where n1 is not known, or more examples were trained on than have losses.
    squared *= max(K / (K - 1), folds.n / losses.n_train)
    answer, df = t_of_folds(losses, folds, squared)
    answer.df = whole(min(K - 1.0, df))
    # Of independent losses K - 1 times the ratio is about chi-squared with K - 1 degrees of freedom, of several repeats less
    # variable. The mean of a metric of few examples varies more than its influence values tell, so nothing is said of it.
    bound = float(special.chdtri(K - 1, 0.01)) / (K - 1)
    if losses.metric is None and of_folds > bound * of_examples > 0.0:
        answer.notes = (Note("uneven-folds", ratio=of_folds / of_examples),)
    return answer


class NestedMoments(NamedTuple):
    """Mean inner and outer loss, estimated mean squared error (can be negative), least standard error, and sizes."""

    inner: float
    outer: float
    mse: float
    se_low: float
    folds: int
    n: int


@method("nested-cv")
def nested_cv(losses: Losses, *, bias_exponent: float = 1.0) -> Answer:
    r"""Normal interval for the risk of the fitted model, with its error measured by nested cross-validation.

    :Claim: The risk of the model fitted on all n examples, with the error of cross-validation
        measured within the training sets.
    :Formula: ``SE^2 = (K - 1)/K mean(a - b), a = (inner mean - outer mean)^2, b = outer variance /
        n_k, within bounds; standard normal``
    :Assumption: A cross-validation inside a training set errs about the held-out fold as one of all
        data errs about the risk.
    :Assumption: The expected loss changes with the training size as from (K - 2) n/K to (K - 1)
        n/K.
    :Assumption: The error of the estimate is close to normal.

    How far the mean of a cross-validation inside the training set of a fold lies from the mean loss
    on that fold, beyond the noise of the fold, estimates the mean squared error of cross-validation
    ([1]_, section 4). Few repeats make this noisy, and coverage too low: with one repeat it was 86
    to 92 % for 95 % intervals, in three simulated settings. The estimate is corrected to training
    size n, so it is not the mean of the outer losses.

    Parameters
    ----------
    losses : Losses
        Losses (or differences) with their repeat, fold and inner fold, at least three folds: outer
        ones have ``inner`` -1; inner ones belong to a model trained without folds ``fold`` and
        ``inner``, tested on ``inner``.
    bias_exponent : float, default 1.0
        Positive exponent of (K - 2)/K in the correction for the smaller training sets; 1.5 is that
        of the authors' own program, and a very large one gives the plain mean of the outer losses.

    Raises
    ------
    InvalidInputError
        If inner losses are missing, a fold has a single example, or repeats differ in their
        examples.

    See Also
    --------
    cv_wald, corrected_t

    Notes
    -----
    With o the n_k outer losses and q the inner losses of one fold of one repeat, :math:`a = (\bar q
    - \bar o)^2` and :math:`b = \operatorname{var}(o)/n_k` (divisor n_k - 1),

    .. math:: \widehat{MSE} = \frac{K-1}{K}\, \overline{a - b}, \qquad
              SE = \max\left(SE_0, \min\left(\sqrt{\max(\widehat{MSE}, 0)}, \sqrt{K} SE_0\right)\right)

    with the mean over folds and repeats, and :math:`SE_0` the standard deviation of all inner
    losses over :math:`\sqrt n`. With the means of all inner and all outer losses and p the
    `bias_exponent` the estimate is :math:`\widehat{Err}_{in} - (1 +
    (\tfrac{K-2}{K})^p)(\widehat{Err}_{in} - \widehat{Err}_{out})` ([1]_, section 4). The model
    trained without folds k and j serves both inner splits (k, j) and (j, k).

    For a metric that is not a mean of losses, o and q are the metric plus influence values: of the
    outer folds of a repeat together, and of the inner folds of one outer fold. That holds for large
    folds.

    Examples
    --------
    >>> import errbar
    >>> import numpy as np
    >>> split = [(fold, inner) for fold in range(3) for inner in (-1, 0, 1, 2) if inner != fold]
    >>> fold, inner = np.repeat(split, 4, axis=0).T
    >>> losses = errbar.Losses(np.cos(np.arange(36)) ** 2, fold=fold, inner=inner)
    >>> result = errbar.methods.nested_cv(losses)
    >>> round(result.estimate, 4), round(result.se, 4), result.n_train
    (0.523, 0.104, 12.0)
    """
    inner, outer, mse, se_low, K, n = moments(losses)
    wanted = math.sqrt(max(mse, 0.0))
    se = max(se_low, min(wanted, math.sqrt(K) * se_low))
    bias = (1.0 + ((K - 2) / K) ** bias_exponent) * (inner - outer)
    answer = Answer(inner - bias, se, n_train=float(n))
    if se != wanted and se > 0.0:
        bound = Note("out-of-bounds", quantity="mean squared error", used="the nearer bound")
        answer.notes = (bound,)
    return answer


def moments(losses: Losses) -> NestedMoments:
    cell, sizes = nested_cells(losses)
    K = sizes.shape[1]
    sums = np.bincount(cell, losses.value).reshape(sizes.shape)
    off = ~np.eye(K, dtype=bool)
    n_k = sizes[:, ~off]  # (R, K)
    o = sums[:, ~off] / n_k
    q = sums.sum(axis=2, where=off) / sizes.sum(axis=2, where=off)
    within = variances_within(losses.value, cell, sizes.size).reshape(sizes.shape)
    a, b = np.square(q - o), within[:, ~off] / n_k
    n = int(n_k[0].sum())
    inner = losses.value[losses.inner != -1]
    mse = (K - 1) / K * float((a - b).mean())
    se_low = math.sqrt(variance_of(inner) / n)
    return NestedMoments(mean(inner), mean(losses.outer.value), mse, se_low, K, n)


@method("part-jackknife")
def part_jackknife(losses: Losses) -> Answer:
    r"""Student's t with the jackknife variance of repeated cross-validation: parts of the data are left out, alone and in pairs.

    :Claim: The expected loss of the learning algorithm at training size n1, above all for learners
        that nearly agree.
    :Formula: ``SE^2 = max(w - (G - 1)/(2 G) q, w/2) + S_r^2/R, w = max(v - noise, v/4), v = (G -
        1)/G sum (T_g - mean T)^2, q = mean (Q_g^2 - noise), t with G - 1 degrees of freedom``
    :Assumption: The result without a part of the data varies as the result of all data does.
    :Assumption: The result is close to normal.

    What an example does as a test example and what it does as a training example both show when it
    is left out. For two learners that nearly agree, such as two strengths of one regularization,
    the two cancel almost; methods that add variances of test examples have intervals that are too
    wide. What is left comes from pairs of examples. A jackknife counts that twice [1]_; leaving out
    two parts at once shows how much it is. The estimate is the mean over the cross-validations of
    all data.

    Parameters
    ----------
    losses : Losses
        Results (or differences) of R cross-validations of all data, without each of G parts on the
        same folds, and without each part and the next.

    See Also
    --------
    cv_t, cv_jackknife

    Notes
    -----
    With :math:`\theta_r` the result of repeat r on all data, :math:`T_{gr}` without part g
    (delete-a-group jackknife, [2]_) and :math:`U_{gr}` without the parts g and g + 1, bars for
    means over the repeats, and :math:`\bar T` the mean of all :math:`T_{gr}`,

    .. math:: v = \frac{G-1}{G} \sum_g (\bar T_g - \bar T)^2, \qquad
              w = \max\left(v - \frac{(G-1)^2}{G} \frac{s^2}{R},\ \frac{v}{4}\right),

    where :math:`s^2 = \sum_{gr} (T_{gr} - \bar T_g - \bar T_{\cdot r} + \bar T)^2 / ((G-1)(R-1))`
    is the noise from the finite number of partitions. Let the result be :math:`\mu + \sum_g a_g / m
    + \sum_{g<h} b_{gh} / m^2` on m parts. Then w is on average the variance of the sum of the
    :math:`a_g` and, to order 1/G, twice that of the sum of the :math:`b_{gh}`. The excess is
    :math:`(G-1)/(2G)` times the mean square, to order :math:`1/G^2`, of

    .. math:: Q_{gr} = G \theta_r - (G-1) (T_{gr} + T_{g+1,r}) + (G-2) U_{gr}, \qquad
              q = \frac{1}{G} \sum_g \left(\bar Q_g^2 - \frac{S_{Q,g}^2}{R}\right),

    with :math:`S_{Q,g}^2` the variance of :math:`Q_{gr}` over the repeats; [1]_ correct in this
    way. So

    .. math:: SE^2 = \max\left(w - \frac{G-1}{2G} q,\ \frac{w}{2}\right) + \frac{S_\theta^2}{R},

    where :math:`S_\theta^2` is the variance of :math:`\theta_r`. :math:`(\bar\theta - \mu_0)/SE` is
    referred to t with G - 1 degrees of freedom. Terms of higher order are counted more than twice
    and not taken off, so that intervals for losses with jumps, such as the error rate, are too
    wide.

    Examples
    --------
    >>> import errbar
    >>> results = [0.2, 0.22, 0.21, 0.23, 0.19, 0.2, 0.2, 0.22, 0.2, 0.21, 0.19, 0.2, 0.21, 0.23]
    >>> parts = {"part": [-1, -1, *[0, 0, 1, 1, 2, 2] * 2], "pair": [-1] * 8 + [0, 0, 1, 1, 2, 2]}
    >>> result = errbar.methods.part_jackknife(errbar.Losses(results, **parts, repeat=[0, 1] * 7, n_train=90))
    >>> round(result.estimate, 4), round(result.se, 4), result.df
    (0.21, 0.0163, 2)
    """
    theta, T, U = results_without_parts(losses)
    G, R = T.shape
    T_g = T.mean(axis=1)
    v = (G - 1) ** 2 / G * variance_of(T_g)
    # The noise of the partitions: what is left of T beside parts and repeats.
    left = T - T_g[:, None] - T.mean(axis=0) + T_g.mean()
    s2 = float(np.square(left).sum()) / ((G - 1) * (R - 1))
    # Without the noise, what is left may be close to 0, or below it, by chance.
    w = max(v - (G - 1) ** 2 / G * s2 / R, v / 4)
    Q = G * theta - (G - 1) * (T + np.roll(T, -1, axis=0)) + (G - 2) * U
    q = float(np.square(Q.mean(axis=1)).mean() - Q.var(axis=1, ddof=1).mean() / R)
    # A statistic of second order alone has half the jackknife variance; more is not taken off.
    of_data = max(w - (G - 1) / (2 * G) * max(q, 0.0), w / 2)
    splits = losses.splits
    whole = (splits.index.label("part") < 0) & (splits.index.label("pair") < 0)
    return Answer(
        mean(theta),
        math.sqrt(of_data + variance_of(theta) / R),
        G - 1,
        n_train=splits.only(whole).n_train,
    )


def results_without_parts(losses: Losses) -> Any:
    """Return the results of R repeats: of all data (R,), without each of G parts (G, R), and without each and the next (G, R)."""
    splits, index = losses.splits, losses.splits.index
    part, pair, repeat = index.label("part"), index.label("pair"), index.codes("repeat")
    G, R = int(part.max()) + 1, int(repeat.max()) + 1
    # What is left out, in this order: nothing, a part, a part and the next.
    left_out = np.where(pair < 0, part + 1, G + 1 + pair)
    cell = left_out * R + repeat
    counts = np.bincount(cell, minlength=(2 * G + 1) * R)
    full = counts.min() > 0 and counts.size == (2 * G + 1) * R
    require_layout(G > 2 and R > 1 and full, "PartJackknife()")
    by_size = "n_test" in index and losses.is_mean
    weight = index["n_test"] if by_size else np.ones(cell.size)
    results = np.bincount(cell, splits.value * weight) / np.bincount(cell, weight)
    results = results.reshape(2 * G + 1, R)
    return results[0], results[1 : G + 1], results[G + 1 :]


@method("replace-one")
def replace_one(losses: Losses, *, factor: float = 0.25) -> Answer:
    r"""Normal interval for cross-validation, with a variance from replacing single examples.

    :Claim: The expected loss at training size n - n/K, with a variance from replacing one example
        after another.
    :Formula: ``SE = S / sqrt(n), S^2 = (n/4) sum_i (mu_0 - mu_i)^2 over the n/2 examples of a half,
        standard normal``
    :Assumption: The learner is stable: replacing one example changes the mean loss by an amount of
        order 1/n.
    :Assumption: n is large enough for the mean of the cross-validation to be normal.
    :Assumption: Half the data show how much the mean varies at n.

    The mean of a cross-validation is a function of n independent examples, whose variance shows in
    how much it changes when one of them is replaced by a fresh one. Fresh ones are found in the
    second half of the data, so the changes are measured on a cross-validation of the first half
    ([1]_). The estimate is the mean over all data.

    Parameters
    ----------
    losses : Losses
        Mean loss (or difference) of the cross-validation of all data, of half of it, and of that
        half with one example after another replaced.
    factor : float, default 0.25
        Positive: 1/4 is what the inequality of Efron and Stein gives ([2]_), 1/2 is as published.

    See Also
    --------
    cv_wald, nested_cv

    Notes
    -----
    With mu_0 the mean of the cross-validation of the n/2 examples of the first half and mu_i the
    mean with example i replaced,

    .. math:: S^2 = \frac{n}{4} \sum_{i=1}^{n/2} (\mu_0 - \mu_i)^2, \qquad SE = S/\sqrt{n},

    and :math:`(\hat\mu - \mu_0^*)/SE` with null value :math:`\mu_0^*` is referred to the standard
    normal distribution. Half the sum bounds the variance of the mean over n/2 examples ([2]_),
    which is twice that over n: hence the 1/4. Where m of the n/2 examples were replaced, the sum is
    scaled up by (n/2)/m.

    Examples
    --------
    >>> import errbar
    >>> index = {"half": [-1] * 6 + [0] * 4, "replaced": [-1] * 7 + [0, 1, 2], "example": [*range(6), 0, 0, 0, 0]}
    >>> losses = errbar.Losses([0.43] * 6 + [0.33, 0.45, 0.22, 0.52], **index, fold=0)
    >>> round(errbar.methods.replace_one(losses).se, 4)
    0.1251
    """
    splits = losses.splits
    n: Any = losses.examples
    half, replaced = splits.index.label("half"), splits.index.label("replaced")
    require_layout(half.min() < 0 <= replaced.max() and n is not None, "ReplaceOne()")
    # Cross-validations in this order: of all data, of half of them, and of this half with one example after another replaced.
    run = compact(np.where(half < 0, 0, replaced + 2))
    sizes = splits.index.get("n_test", np.ones(run.size))
    mu = np.bincount(run, splits.value * sizes) / np.bincount(run, sizes)
    mu_0, mu_i = mu[1], mu[2:]
    possible = n // 2
    # Where only some are replaced, they stand for all; no squares, which would leave the range.
    S = math.hypot(*difference(mu_i, np.full(mu_i.size, mu_0)).tolist())
    answer = Answer(
        float(mu[0]),
        math.sqrt(factor * possible / mu_i.size) * S,
        n_train=splits.only(half < 0).n_train,
        n_splits=int((half < 0).sum()) * (mu_i.size + 2),
    )
    if mu_i.size != possible:
        left_out = f"{possible - mu_i.size} of {possible} examples"
        answer.notes = (Note("left-out", what=[left_out], why="not being replaced"),)
    return answer

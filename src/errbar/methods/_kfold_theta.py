"""The variance estimators of K-fold cross-validation of Bengio & Grandvalet, and the tests they give."""

import math
from dataclasses import dataclass

import numpy as np

from errbar import _check
from errbar.errors import InvalidInputError
from errbar.index import compact
from errbar.losses import Losses, difference
from errbar.methods._core.answer import Answer
from errbar.methods._core.registry import register
from errbar.methods.distributions import mean, variance
from errbar.methods.variance import require_one_partition, variances_within
from errbar.needs import PLAIN, TRAINING_SETS
from errbar.plans import EqualKFold
from errbar.result import Estimand, Note

_ASSUMED = {
    "theta2": "no covariance within folds, omega = 0",
    "theta3": "no covariance between folds, gamma = 0",
    "theta4": "covariances that cancel, gamma = -m/(n - m) omega",
    "theta5": "no covariance at all, omega = gamma = 0",
}


@dataclass(frozen=True)
class KFoldVariance:
    """Five estimates of the variance of the mean of one K-fold cross-validation.

    Every estimate is a combination of three moments of the n = K m losses, and unbiased under an assumption of its own
    on the covariance omega of two losses in one fold and gamma of two losses in different folds. None is unbiased for
    all of them.

    Attributes
    ----------
    s1, s2, s3 : float
        Mean square of a loss, mean product of two losses in one fold, and of two losses in different folds.
    theta1 : float
        Square of the mean; unbiased where the expected loss is 0, biased by its square. Useless in a test, in which
        the statistic would be 1 or -1 whatever the losses.
    theta2 : float
        Unbiased where omega = 0, biased by -omega. Can be negative.
    theta3 : float
        Variance of the fold means over K; unbiased where gamma = 0, biased by -gamma.
    theta4 : float
        Mean variance within a fold over n; unbiased where gamma = -m/(n - m) omega, biased by
        -m/n omega - (n - m)/n gamma.
    theta5 : float
        Variance of the losses over n; unbiased where omega = gamma = 0, biased by
        -(m - 1)/(n - 1) omega - (n - m)/(n - 1) gamma.
    folds, n : int
        Number of folds K and of losses n.
    mean : float
        Mean of the losses, whose variance is estimated.
    """

    s1: float
    s2: float
    s3: float
    theta1: float
    theta2: float
    theta3: float
    theta4: float
    theta5: float
    folds: int
    n: int
    mean: float


def kfold_variance(losses: Losses) -> KFoldVariance:
    r"""Estimate the variance of the mean of one K-fold cross-validation in five ways.

    There is no estimator that is unbiased whatever the covariances of the losses are ([1]_). Each of the five is
    unbiased under an assumption, and biased by a known amount otherwise ([2]_, Table 1); see `KFoldVariance`.

    Parameters
    ----------
    losses : Losses
        One loss (or difference of losses) per example, with its fold; every example is tested once. All folds are of
        one size m, at least 2.

    Returns
    -------
    KFoldVariance
        The three moments and the five estimates.

    Raises
    ------
    UnsuitablePlanError
        For repeated cross-validation.
    InvalidInputError
        If folds differ in size, or have a single example each.

    See Also
    --------
    kfold_theta : The tests that the estimates give.
    rho_from_halves : How large gamma is, from random halves.

    Notes
    -----
    With e_i the losses, T_k the K folds of m = n/K examples, :math:`\hat\mu_k` the fold means and :math:`\hat\mu` their mean,

    .. math:: s_1 = \frac{1}{n} \sum_i e_i^2, \quad
              s_2 = \frac{1}{n(m-1)} \sum_k \sum_{i \ne j \in T_k} e_i e_j, \quad
              s_3 = \frac{1}{n(n-m)} \sum_{k \ne l} \sum_{i \in T_k, j \in T_l} e_i e_j

    ([2]_, section 2), and the variance :math:`\theta = \sigma^2/n + \omega (m-1)/n + \gamma (n-m)/n` is estimated by

    .. math:: \hat\theta_1 = \hat\mu^2, \quad \hat\theta_2 = \hat\mu^2 - s_2, \quad
              \hat\theta_3 = \frac{\sum_k (\hat\mu_k - \hat\mu)^2}{K(K-1)}, \quad
              \hat\theta_4 = \frac{s_1 - s_2}{n}, \quad
              \hat\theta_5 = \frac{\sum_i (e_i - \hat\mu)^2}{n(n-1)}.

    Products are never summed: with :math:`\hat\theta_3` and :math:`\hat\theta_4`, which are sums of squared deviations,
    :math:`\hat\theta_2 = K \hat\theta_4 - (K-1) \hat\theta_3`,
    :math:`\hat\theta_5 = ((n-K) \hat\theta_4 + (K-1) \hat\theta_3)/(n-1)`, :math:`s_2 = \hat\mu^2 - \hat\theta_2` and
    :math:`s_3 = \hat\mu^2 - \hat\theta_3`.

    References
    ----------
    .. [1] Bengio & Grandvalet (2004), Journal of Machine Learning Research 5, 1089-1105.
    .. [2] Grandvalet & Bengio (2006), Technical report 1285, Universite de Montreal.

    Examples
    --------
    >>> import errbar
    >>> losses = errbar.Losses([0.1, 0.4, 0.3, 0.9, 0.3, 0.2, 0.7, 0.4], fold=[0, 0, 1, 1, 2, 2, 3, 3])
    >>> variance = errbar.methods.kfold_variance(losses)
    >>> round(variance.theta3, 6), round(variance.theta4, 6), round(variance.theta5, 6)
    (0.008906, 0.008594, 0.008728)
    """
    require_one_partition(losses, "kfold-theta")
    losses = losses.outer
    fold, n = compact(losses.fold), losses.value.size
    sizes = np.bincount(fold)
    K, m = sizes.size, int(sizes[0])
    if K < 2 or m < 2 or (sizes != m).any():
        raise InvalidInputError(
            f"must name at least two folds of one size, of at least two examples, got {K} of {sizes.min()} to {sizes.max()}; "
            "use plan EqualKFold(), which leaves the rest of the examples out, or try 'kfold-t'",
            argument="fold",
        )
    mu = mean(losses.value)
    theta3 = variance(np.bincount(fold, losses.value) / m) / K
    theta4 = mean(variances_within(losses.value, fold, K)) / n
    theta5 = ((n - K) * theta4 + (K - 1) * theta3) / (n - 1)
    theta2 = float(difference(np.array(K * theta4), np.array((K - 1) * theta3)))
    return KFoldVariance(
        s1=mu * mu + (n - 1) * theta5,
        s2=mu * mu - theta2,
        s3=mu * mu - theta3,
        theta1=mu * mu,
        theta2=theta2,
        theta3=theta3,
        theta4=theta4,
        theta5=theta5,
        folds=K,
        n=n,
        mean=mu,
    )


@register(
    "kfold-theta",
    pointwise=True,
    default_plan=EqualKFold(),
    needs=(TRAINING_SETS, PLAIN),
    estimand=Estimand.EXPECTED_RISK,
    references=("bengio2004", "grandvalet2006"),
    once=True,
)
def kfold_theta(losses: Losses, *, estimator: str = "theta3") -> Answer:
    r"""Test of one K-fold cross-validation with one of four variance estimators.

    :Claim: The expected loss at training size n - n/K, under the assumption on covariances that
        goes with the chosen estimator.
    :Formula: ``SE = sqrt(theta_m), m = 2 to 5; theta3 by default: sum (mu_k - mu)^2 / (K (K -
        1)), t with K - 1 degrees of freedom``
    :Fits: K (10 by default)
    :Assumption: theta2 to theta5 neglect covariances: within folds, between folds, a
        combination that cancels, or all of them.
    :Assumption: All folds are of one size.

    The variance of the mean of a cross-validation has no estimator that is unbiased under all covariances of the
    losses ([1]_). Those offered here are unbiased under an assumption each ([2]_, section 3); in practice theta3, theta4
    and theta5 are close to each other, and too small.

    Parameters
    ----------
    losses : Losses
        One loss (or difference of losses) per example, with its fold; every example is tested once. All folds are of
        one size m, at least 2.
    level : float, default 0.95
        Confidence level of the interval.
    null : float, default 0.0
        Expected risk (or difference) under the null hypothesis.
    alternative : {"two-sided", "less", "greater"}, default "two-sided"
        Alternative hypothesis; a one-sided one gives a one-sided interval.
    estimator : {"theta2", "theta3", "theta4", "theta5"}, default "theta3"
        Variance estimator. It is unbiased if omega, the covariance of two losses in one fold, is 0 (theta2); if
        gamma, that of two losses in different folds, is 0 (theta3); if gamma = -m/(n - m) omega (theta4); if both are 0
        (theta5).

    Returns
    -------
    Result
        Estimate, standard error, interval and test.

    Raises
    ------
    UnsuitablePlanError
        For repeated cross-validation.
    InvalidInputError
        If folds differ in size or have a single example each; for ``"theta1"``, which is no use in a test; for
        ``"theta2"`` where it is negative.

    See Also
    --------
    kfold_variance : All five estimates and the moments.
    kfold_t : The same as theta3, with an assumed correlation between folds.
    halved_kfold_t : The same as theta3, with an estimated one.

    Notes
    -----
    With :math:`\hat\theta` the estimate (see `kfold_variance`), :math:`(\hat\mu - \mu_0)/\sqrt{\hat\theta}` is referred to
    t with K - 1 degrees of freedom for theta3, n - K for theta4 and n - 1 for theta5, the numbers of squares that are
    free, and to the standard normal distribution for theta2, which is not a sum of squares. theta1, the squared mean, would make
    the statistic of a zero null 1 or -1 whatever the losses ([2]_, section 3.1).

    References
    ----------
    .. [1] Bengio & Grandvalet (2004), Journal of Machine Learning Research 5, 1089-1105.
    .. [2] Grandvalet & Bengio (2006), Technical report 1285, Universite de Montreal.

    Examples
    --------
    >>> import errbar
    >>> losses = errbar.Losses([0.1, 0.4, 0.3, 0.9, 0.3, 0.2, 0.7, 0.4], fold=[0, 0, 1, 1, 2, 2, 3, 3])
    >>> for estimator in ("theta3", "theta4", "theta5"):
    ...     result = errbar.methods.kfold_theta(losses, null=0.25, estimator=estimator)
    ...     print(estimator, round(result.se, 4), result.df, round(result.pvalue, 3))
    theta3 0.0944 3 0.184
    theta4 0.0927 4 0.154
    theta5 0.0934 7 0.126
    """
    # theta1 is the squared mean, with which every statistic of a zero null is 1 or -1.
    chosen = _check.choice(estimator, _ASSUMED, "estimator")
    found = kfold_variance(losses)
    K, n = found.folds, found.n
    theta: float = getattr(found, chosen)
    if theta < 0.0:
        raise InvalidInputError(
            f"'theta2' is negative for these losses, {theta:.4g}, and a variance cannot be; try 'theta3'",
            argument="estimator",
        )
    return Answer(
        estimate=found.mean,
        se=math.sqrt(theta),
        df={"theta2": None, "theta3": K - 1, "theta4": n - K, "theta5": n - 1}[chosen],
        n_train=losses.n_train,
        n_splits=K,
        notes=(Note("liberal", assumed=_ASSUMED[chosen]),),
    )

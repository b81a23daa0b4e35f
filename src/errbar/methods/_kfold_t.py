"""The t of one K-fold cross-validation, with an assumed correlation between blocks, and how much depends on it."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from errbar import _check
from errbar._check import FloatArray
from errbar._plain import plain
from errbar.errors import InvalidInputError
from errbar.losses import Losses
from errbar.methods._core.answer import Answer, Asked
from errbar.methods._core.registry import register
from errbar.methods._core.strata import variance_of_shares
from errbar.methods.distributions import ROUNDING, Pivot, mean, quantile, variance
from errbar.methods.variance import ratio_of_sizes, require_one_partition, t_of_splits
from errbar.needs import TRAINING_SETS
from errbar.plans import KFold
from errbar.result import Estimand, Note


@register(
    "kfold-t",
    default_plan=KFold(),
    needs=(TRAINING_SETS,),
    estimand=Estimand.EXPECTED_RISK,
    references=("grandvalet2006", "mitchell1997"),
    once=True,
)
def kfold_t(losses: Losses, *, rho: float = 0.0) -> Answer:
    r"""Student's t on the K fold scores of one cross-validation, with between-block correlation rho.

    :Claim: The expected loss at training size n - n/K, if the between-block correlation is the
        rho that is assumed.
    :Formula: ``SE = sqrt(theta3 / (1 - rho)), theta3 = sum (mu_k - mu)^2 / (K (K - 1)), t with
        K - 1 degrees of freedom``
    :Fits: K (10 by default)
    :Assumption: Fold scores are normal, with one variance and one covariance between any two of
        them.
    :Assumption: The share of the between-fold covariance in the variance of the mean is rho.

    rho = 0 is the usual paired K-fold t of textbooks ([2]_), which is liberal. rho = 0.7 is the test of [1]_, whose
    authors took the largest value that they had measured. It makes intervals 1.8 times as wide as rho = 0: in repetitions of
    their study the coverage of 95 % intervals was then 97 to 99.4 %. `corrected_t` on the same folds amounts to rho = K/(2 K - 1), 0.53 for
    ten folds, and is better calibrated.

    Parameters
    ----------
    losses : Losses
        One score (or difference of scores) per fold of a single partition.
    level : float, default 0.95
        Confidence level of the interval.
    null : float, default 0.0
        Expected risk (or difference) under the null hypothesis.
    alternative : {"two-sided", "less", "greater"}, default "two-sided"
        Alternative hypothesis; a one-sided one gives a one-sided interval.
    rho : float, default 0.0
        Assumed share gamma/theta of the between-fold covariance in the variance of the mean, above -1/(K - 1) and below
        1. This is **not** the correlation r of two fold scores: rho = K r / (1 + (K - 1) r).

    Returns
    -------
    Result
        Estimate, standard error, interval and test.

    Raises
    ------
    UnsuitablePlanError
        If the scores come from repeated cross-validation.

    See Also
    --------
    rho_threshold : The rho up to which the test rejects.
    rho_sensitivity : The test for many rho.
    rho_from_correlation : From r to rho.
    halved_kfold_t : With rho estimated from random halves.
    corrected_t : Also for repeated cross-validation.

    Notes
    -----
    With mu_k the fold scores and mu their unweighted mean, :math:`\hat\theta_3 = \sum_k (\mu_k - \hat\mu)^2/(K(K-1))`,

    .. math:: t = \sqrt{1-\rho}\,\frac{\hat\mu - \mu_0}{\sqrt{\hat\theta_3}},

    which is referred to t with K - 1 degrees of freedom ([1]_, section 4).

    References
    ----------
    .. [1] Grandvalet & Bengio (2006), Technical report 1285, Universite de Montreal.
    .. [2] Mitchell (1997), Machine Learning, chapter 5.

    Examples
    --------
    >>> import errbar
    >>> losses = errbar.Losses([0.02, 0.01, 0.03, -0.01, 0.02, 0.0, 0.04, 0.01, 0.02, 0.01])
    >>> round(errbar.methods.kfold_t(losses, rho=0.7).statistic, 4)
    1.8121
    """
    require_one_partition(losses, "kfold-t")
    K = losses.splits.value.size
    rho = _checked(rho, K, "rho")
    notes = (Note("liberal", assumed="uncorrelated fold scores, rho = 0"),) if rho <= 0.0 else ()
    return t_of_splits(losses, 1.0 / (K * (1.0 - rho)), notes)


def _checked(value: float, K: int, name: str) -> float:
    """Return a rho above -1/(K - 1), below which K fold scores cannot all be correlated, and below 1."""
    rho = _check.finite(value, name)
    if not -1.0 / (K - 1) < rho < 1.0:
        raise InvalidInputError(
            f"must lie between -1/(K - 1) = {-1.0 / (K - 1):.4g} and 1 for K = {K} folds, got {value!r}",
            argument=name,
        )
    return rho


def rho_from_correlation(correlation: float, folds: int) -> float:
    r"""Return the between-block correlation rho that belongs to a correlation of two fold scores.

    Parameters
    ----------
    correlation : float
        Correlation r of the scores of two folds, in [0, 1].
    folds : int
        Number of folds K, at least 2.

    Returns
    -------
    float
        Between-block correlation, in [0, 1].

    Raises
    ------
    InvalidInputError
        If `correlation` or `folds` is out of range.

    See Also
    --------
    correlation_from_rho : The other way round.
    kfold_t : Takes rho.
    corrected_t : Takes r.

    Notes
    -----
    With gamma the covariance of the losses of two examples in different folds, r is gamma over the variance of a fold
    score, and rho is gamma over the variance theta of the mean ([1]_, section 4), so
    :math:`\rho = K r / (1 + (K - 1) r)`.

    References
    ----------
    .. [1] Grandvalet & Bengio (2006), Technical report 1285, Universite de Montreal.

    Examples
    --------
    >>> import errbar
    >>> round(errbar.methods.rho_from_correlation(0.1, 10), 4)
    0.5263
    """
    r = _check.between(correlation, 0.0, 1.0, "correlation")
    K = _check.count(folds, "folds", 2)
    return K * r / (1.0 + (K - 1) * r)


def correlation_from_rho(rho: float, folds: int) -> float:
    r"""Return the correlation of two fold scores that belongs to a between-block correlation rho.

    Parameters
    ----------
    rho : float
        Share gamma/theta of the between-fold covariance in the variance of the mean, in [0, 1].
    folds : int
        Number of folds K, at least 2.

    Returns
    -------
    float
        Correlation r of the scores of two folds, in [0, 1].

    Raises
    ------
    InvalidInputError
        If `rho` or `folds` is out of range.

    See Also
    --------
    rho_from_correlation : The other way round.
    kfold_t : Takes rho.
    corrected_t : Takes r.

    Notes
    -----
    :math:`r = \rho / (K - (K - 1) \rho)`, which solves :math:`\rho = K r / (1 + (K - 1) r)` for r ([1]_, section 4).

    References
    ----------
    .. [1] Grandvalet & Bengio (2006), Technical report 1285, Universite de Montreal.

    Examples
    --------
    >>> import errbar
    >>> round(errbar.methods.correlation_from_rho(0.7, 10), 4)
    0.1892
    """
    share = _check.between(rho, 0.0, 1.0, "rho")
    K = _check.count(folds, "folds", 2)
    return share / (K - (K - 1) * share)


def rho_threshold(
    losses: Losses, *, level: float = 0.95, null: float = 0.0, alternative: str = "two-sided"
) -> float:
    r"""Between-block correlation up to which the K-fold t rejects.

    Significant unless rho exceeds the returned value: `kfold_t` rejects at 1 - level exactly for smaller rho.

    Parameters
    ----------
    losses : Losses
        One score (or difference of scores) per fold of a single partition.
    level : float, default 0.95
        Confidence level; the test is at 1 - level. At least 0.5 for a one-sided alternative.
    null : float, default 0.0
        Expected risk (or difference) under the null hypothesis.
    alternative : {"two-sided", "less", "greater"}, default "two-sided"
        Alternative hypothesis.

    Returns
    -------
    float
        Threshold, at most 1; negative where even rho = 0 does not reject, ``-inf`` where the statistic is 0 or has the
        sign that the alternative does not ask for, 1 where the scores do not vary.

    Raises
    ------
    UnsuitablePlanError
        If the scores come from repeated cross-validation.

    See Also
    --------
    kfold_t : The test.
    rho_sensitivity : P-value and interval for many rho.

    Notes
    -----
    :math:`\rho_\alpha = 1 - (t_{K-1,1-\alpha/2}/t_0)^2` with t_0 the statistic at rho = 0 ([1]_, section 5), and
    :math:`t_{K-1,1-\alpha}` for a one-sided alternative.

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
    level, null, alternative, _ = Asked(level, null, alternative).checked()
    if alternative != "two-sided" and level < 0.5:
        raise InvalidInputError(
            f"must be at least 0.5 for a one-sided alternative, got {level!r}", argument="level"
        )
    require_one_partition(losses, "kfold-t")
    mu_k = losses.splits.value
    K, mu = mu_k.size, mean(mu_k)
    gap = {"two-sided": abs(mu - null), "greater": mu - null, "less": null - mu}[alternative]
    if gap <= ROUNDING * max(abs(mu), abs(null)):
        return -math.inf
    t = quantile(0.5 + level / 2 if alternative == "two-sided" else level, K - 1)
    # It rejects where (gap/t)^2 is larger than theta3/(1 - rho) + B/n1; the variance between strata does not shrink with rho.
    theta3 = variance(mu_k) / K
    room = gap**2 - t**2 * variance_of_shares(losses)[0]
    return 1.0 - t**2 * theta3 / room if room > 0.0 else -math.inf


@dataclass(frozen=True, eq=False)
class RhoSensitivity:
    """What the K-fold t says for every between-block correlation rho.

    Attributes
    ----------
    estimate : float
        Mean of the fold scores, the same for every rho.
    folds : int
        Number of folds K.
    level, null, alternative : float, float, str
        As asked for.
    threshold : float
        The rho up to which the test rejects; negative where it never does.
    rho : ndarray, shape (m,)
        Ascending values of rho, the marked ones among them.
    pvalue, low, high : ndarray, shape (m,)
        P-value and ends of the interval for each.
    marks : mapping of str to float
        Values of rho that have a name.

    Examples
    --------
    >>> import errbar
    >>> losses = errbar.Losses([0.02, 0.01, 0.03, -0.01, 0.02, 0.0, 0.04, 0.01, 0.02, 0.01], n_train=90, n_test=10)
    >>> print(errbar.methods.rho_sensitivity(losses))
    kfold-t: 0.015 from 10 folds; significant at the 5 % level unless rho exceeds 0.532
                      rho           p   95 % interval
    uncorrected     0.000    0.009106   [0.004744, 0.02526]
    Nadeau-Bengio   0.526      0.0488   [9.806e-05, 0.0299]
    threshold       0.532        0.05   [0, 0.03]
    conservative    0.700      0.1034   [-0.003725, 0.03373]
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
    marks: Mapping[str, float] = field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON: an unbounded end is None, an infinite threshold ``"-inf"``."""
        return plain(self, infinite=("threshold",))

    def to_frame(self) -> Any:
        """Return a pandas frame with one row per rho; the column ``mark`` names the marked ones."""
        pandas = _check.package("pandas", "app")
        columns = {"rho": self.rho, "pvalue": self.pvalue, "low": self.low, "high": self.high}
        named = [
            ", ".join(name for name, marked in self.marks.items() if marked == rho)
            for rho in self.rho.tolist()
        ]
        return pandas.DataFrame(columns | {"mark": named})

    def at(self, rho: float) -> int:
        """Return the position of a rho that is among the values."""
        return int(np.searchsorted(self.rho, rho))

    @property
    def verdict(self) -> str:
        """What the threshold means, in words."""
        risk = f"{100 * (1.0 - self.level):.6g} %"
        if self.threshold >= 1.0:
            return f"significant at the {risk} level whatever rho is"
        if self.threshold <= 0.0:
            return f"not significant at the {risk} level whatever rho is"
        return f"significant at the {risk} level unless rho exceeds {self.threshold:.3f}"

    def __str__(self) -> str:
        """Return the verdict and a table of the marked values."""
        lines = [
            f"kfold-t: {self.estimate:.6g} from {self.folds} folds; {self.verdict}",
            f"{'':15}{'rho':>6}{'p':>12}   {100 * self.level:.6g} % interval",
        ]
        for name, rho in sorted(self.marks.items(), key=lambda mark: mark[1]):
            i = self.at(rho)
            ends = np.array([self.low[i], self.high[i]])
            # An end that is 0 but for rounding, as at the threshold, is 0.
            low, high = np.where(np.abs(ends) <= 1e-12 * abs(self.estimate), 0.0, ends)
            lines.append(f"{name:15}{rho:6.3f}{self.pvalue[i]:12.4g}   [{low:.4g}, {high:.4g}]")
        return "\n".join(lines)


def rho_sensitivity(
    losses: Losses,
    *,
    level: float = 0.95,
    null: float = 0.0,
    alternative: str = "two-sided",
    rhos: ArrayLike | None = None,
) -> RhoSensitivity:
    r"""P-value and interval of the K-fold t for many between-block correlations rho.

    No estimator of rho from one cross-validation is unbiased for all distributions, so this shows what different values
    lead to. Four values are marked: 0, the textbook
    test; the one that makes the test equal to the corrected t of Nadeau and Bengio; 0.7, the largest value measured by [1]_;
    and the threshold up to which the test rejects, where it lies in [0, 1).

    Parameters
    ----------
    losses : Losses
        One score (or difference of scores) per fold of a single partition.
    level : float, default 0.95
        Confidence level of the intervals. At least 0.5 for a one-sided alternative.
    null : float, default 0.0
        Expected risk (or difference) under the null hypothesis.
    alternative : {"two-sided", "less", "greater"}, default "two-sided"
        Alternative hypothesis; a one-sided one gives one-sided intervals.
    rhos : array-like, shape (m,), optional
        Values of rho, in [0, 1); by default 0, 0.01, ..., 0.99. The marked ones are added.

    Returns
    -------
    RhoSensitivity
        Prints as a table; `to_dict`, `to_frame` and `errbar.plots.rho_sensitivity` give other forms.

    Raises
    ------
    UnsuitablePlanError
        If the scores come from repeated cross-validation.
    InvalidInputError
        If one of `rhos` is outside [0, 1).

    See Also
    --------
    kfold_t : The test for one rho.
    rho_threshold : The threshold alone.
    rho_from_halves : An estimate of rho, from more fits.

    Notes
    -----
    For each rho the statistic is :math:`\sqrt{1-\rho}\,t_0` with t_0 the one at rho = 0, referred to t with K - 1 degrees
    of freedom ([1]_, section 4). The corrected t takes two fold scores to correlate by r = n2/(n1 + n2) ([2]_, section 3.3),
    1/K for equal folds, which is :math:`\rho = K r/(1 + (K-1) r)`.

    References
    ----------
    .. [1] Grandvalet & Bengio (2006), Technical report 1285, Universite de Montreal.
    .. [2] Nadeau & Bengio (2003), Machine Learning 52(3), 239-281.

    Examples
    --------
    >>> import errbar
    >>> losses = errbar.Losses([0.02, 0.01, 0.03, -0.01, 0.02, 0.0, 0.04, 0.01, 0.02, 0.01], n_train=90, n_test=10)
    >>> found = errbar.methods.rho_sensitivity(losses)
    >>> {name: round(rho, 4) for name, rho in found.marks.items()}
    {'uncorrected': 0.0, 'Nadeau-Bengio': 0.5263, 'conservative': 0.7, 'threshold': 0.5325}
    """
    threshold = rho_threshold(losses, level=level, null=null, alternative=alternative)
    first = kfold_t(losses, level=level, null=null, alternative=alternative)
    K, index = first.n_splits, losses.splits.index
    sized = "n_train" in index and "n_test" in index
    ratio = ratio_of_sizes(losses) if sized else 1.0 / (K - 1)
    marks = {
        "uncorrected": 0.0,
        "Nadeau-Bengio": rho_from_correlation(ratio / (1.0 + ratio), K),
        "conservative": 0.7,
    }
    if 0.0 <= threshold < 1.0:
        marks["threshold"] = threshold
    wanted = np.arange(100) / 100.0 if rhos is None else _check.vector(rhos, "rhos", "value")
    rho = np.union1d([_checked(one, K, "rhos") for one in wanted.tolist()], list(marks.values()))
    # As t_of_splits has it.
    squared = variance(losses.splits.value) * (1.0 / (K * (1.0 - rho)))
    squared += variance_of_shares(losses)[0]
    pivots = [Pivot(first.estimate, se, K - 1) for se in np.sqrt(squared).tolist()]
    low, high = np.transpose([pivot.interval(first.level, alternative) for pivot in pivots])
    return RhoSensitivity(
        estimate=first.estimate,
        folds=K,
        level=first.level,
        null=first.null,
        alternative=alternative,
        threshold=threshold,
        rho=rho,
        pvalue=np.array([pivot.pvalue(first.null, alternative) for pivot in pivots]),
        low=low,
        high=high,
        marks=marks,
    )

"""The t of one K-fold cross-validation, with an assumed correlation between blocks."""

import math

from errbar import _check
from errbar.errors import UnsuitablePlanError
from errbar.methods._core.pivot import mean, pivot, quantile, standardised, variance
from errbar.methods._core.registry import register
from errbar.plans import KFold
from errbar.result import Estimand, Note, Result
from errbar.views import SplitScores

_NO_CORRELATION = Note(
    "rho-zero",
    "rho = 0 takes fold scores for uncorrelated, which is liberal; rho = 0.7 is the conservative choice",
)


@register(
    "kfold-t",
    plans=("kfold",),
    default_plan=KFold(),
    estimand=Estimand.EXPECTED_RISK,
    claim="The expected loss at training size n - n/K, if the between-block correlation is the rho that is assumed.",
    formula="SE = sqrt(theta3 / (1 - rho)), theta3 = sum (mu_k - mu)^2 / (K (K - 1)), t with K - 1 degrees of freedom",
    fits="K (10 by default)",
    references=("grandvalet2006", "mitchell1997"),
    once=True,
)
def kfold_t(
    scores: SplitScores,
    *,
    level: float = 0.95,
    null: float = 0.0,
    alternative: str = "two-sided",
    rho: float = 0.0,
) -> Result:
    r"""Student's t on the K fold scores of one cross-validation, with between-block correlation rho.

    rho = 0 is the usual paired K-fold t of textbooks ([2]_), which is liberal; rho = 0.7 is the conservative test
    of [1]_, which exceeds every correlation that was measured there.

    Parameters
    ----------
    scores : SplitScores
        One score (or difference of scores) per fold of a single partition.
    level : float, default 0.95
        Confidence level of the interval.
    null : float, default 0.0
        Expected risk (or difference) under the null hypothesis.
    alternative : {"two-sided", "less", "greater"}, default "two-sided"
        Alternative hypothesis; a one-sided one gives a one-sided interval.
    rho : float, default 0.0
        Assumed share gamma/theta of the between-fold covariance in the variance of the mean; in [0, 1). This is
        **not** the correlation r of two fold scores: rho = K r / (1 + (K - 1) r).

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
    >>> scores = errbar.SplitScores([0.02, 0.01, 0.03, -0.01, 0.02, 0.0, 0.04, 0.01, 0.02, 0.01])
    >>> round(errbar.methods.kfold_t(scores, rho=0.7).statistic, 4)
    1.8121
    """
    share = _check.between(rho, 0.0, 1.0, "rho", closed=False)
    _require_single(scores)
    count = scores.value.size
    return pivot(
        "kfold-t",
        Estimand.EXPECTED_RISK,
        estimate=mean(scores.value),
        se=math.sqrt(variance(scores.value) / count / (1.0 - share)),
        df=count - 1,
        n_train=scores.training_size,
        n_splits=count,
        level=level,
        null=null,
        alternative=alternative,
        notes=(_NO_CORRELATION,) if share == 0.0 else (),
    )


def rho_threshold(scores: SplitScores, *, level: float = 0.95, null: float = 0.0) -> float:
    r"""Between-block correlation up to which the two-sided K-fold t rejects.

    Significant unless rho exceeds the returned value: `kfold_t` rejects at 1 - level exactly for smaller rho.

    Parameters
    ----------
    scores : SplitScores
        One score (or difference of scores) per fold of a single partition.
    level : float, default 0.95
        Confidence level; the test is at 1 - level.
    null : float, default 0.0
        Expected risk (or difference) under the null hypothesis.

    Returns
    -------
    float
        Threshold, below 1; negative where even rho = 0 does not reject, ``-inf`` where the statistic is 0.

    See Also
    --------
    kfold_t : The test.

    Notes
    -----
    :math:`\rho_\alpha = 1 - (t_{K-1,1-\alpha/2}/t_0)^2` with t_0 the statistic at rho = 0 ([1]_, section 5).

    References
    ----------
    .. [1] Grandvalet & Bengio (2006), Technical report 1285, Universite de Montreal.

    Examples
    --------
    >>> import errbar
    >>> scores = errbar.SplitScores([0.02, 0.01, 0.03, -0.01, 0.02, 0.0, 0.04, 0.01, 0.02, 0.01])
    >>> round(errbar.methods.rho_threshold(scores), 4)
    0.5325
    """
    level = _check.level(level)
    _require_single(scores)
    count = scores.value.size
    se = math.sqrt(variance(scores.value) / count)
    statistic = standardised(mean(scores.value), se, _check.finite(null, "null"))
    if statistic == 0.0:
        return -math.inf
    ratio = quantile(0.5 + level / 2, count - 1) / statistic
    return 1.0 - ratio * ratio


def _require_single(scores: SplitScores) -> None:
    if scores.repeats > 1:
        raise UnsuitablePlanError(
            f"method 'kfold-t' needs a single partition into folds, got {scores.repeats} repeats; try 'corrected-t'"
        )

"""The t of one K-fold cross-validation, with the correlation between blocks estimated from random halves."""

import math

from errbar.errors import InvalidInputError
from errbar.losses import Losses
from errbar.methods._core.answer import Answer
from errbar.methods._core.blocks import deviations, root_sum_of_squares, spread_of_halves, theta3
from errbar.methods._core.layouts import Halves, halves_of
from errbar.methods._core.registry import register
from errbar.methods.distributions import mean
from errbar.needs import TRAINING_SETS
from errbar.plans import HalvedKFold
from errbar.result import Estimand, Note

_LARGEST = 0.99


def rho_from_halves(losses: Losses) -> float:
    r"""Estimate the between-block correlation rho from K-fold cross-validations of random halves.

    The two halves of a halving share no example, so half the squared difference of their means estimates the true
    variance theta of such a mean, correlations included; the scatter of the fold means within a half, theta3, leaves
    the correlation between folds out. The share that is missing is rho.

    Parameters
    ----------
    losses : Losses
        A score (or difference of scores) per fold, of all data and, by ``halving`` and ``half``, of both halves of M halvings.

    Returns
    -------
    float
        Estimate of rho at half the number of examples, truncated to [0, 0.99]; 0.99 where the scores do not vary, so
        that nothing is known.

    Raises
    ------
    InvalidInputError
        If ``halves`` holds means instead of a score per fold.

    See Also
    --------
    halved_kfold_t : The test that uses it.
    kfold_t : The test with a rho of your own.
    correlation_from_rho : The correlation of two fold scores that belongs to rho.

    Notes
    -----
    With :math:`\hat\mu_{(m)}, \hat\mu^c_{(m)}` the means on the halves of halving m = 1..M ([1]_, section 4.2; [2]_, section 6),

    .. math:: \hat\theta = \frac{1}{2M} \sum_m (\hat\mu_{(m)} - \hat\mu^c_{(m)})^2, \qquad
              \hat\rho = 1 - \frac{\overline{\theta_3}}{\hat\theta},

    with the mean of :math:`\theta_3 = \sum_k (\mu_k - \hat\mu)^2/(K(K-1))` over the 2M halves. The estimate is
    about n/2 examples, where rho is mostly larger than at n, and it is biased down by about (1 - rho)/(M/2 - 1), since a mean of
    M squares is in the denominator: at M = 10 a true 0.25 gives 0.22 on average after truncation. It is not an upper bound.

    References
    ----------
    .. [1] Nadeau & Bengio (2003), Machine Learning 52(3), 239-281.
    .. [2] Grandvalet & Bengio (2006), Technical report 1285, Universite de Montreal.

    Examples
    --------
    >>> import errbar
    >>> folds = [[[0.1, 0.3, 0.2], [0.4, 0.3, 0.4]], [[0.3, 0.1, 0.2], [0.3, 0.5, 0.4]]]
    >>> round(errbar.methods.rho_from_halves(errbar.testing.forms.halves([0.2, 0.3, 0.3], folds)), 4)
    0.8361
    """
    return _truncated(_untruncated(halves_of(losses)))


def _untruncated(halves: Halves) -> float:
    """Return the estimate as it comes: -inf where the means of all halves agree, NaN where nothing varies at all."""
    if halves.parts.shape[2] < 2:
        raise InvalidInputError(
            "must tell at least two folds of each half apart, as plan HalvedKFold() makes them",
            argument="fold",
        )
    scores = halves.parts.reshape(2 * halves.halvings, -1)
    within = root_sum_of_squares(deviations(scores)) / math.sqrt(
        scores.size * (scores.shape[1] - 1)
    )
    between = spread_of_halves(halves)
    if between == 0.0:
        return math.nan if within == 0.0 else -math.inf
    share = within / between
    return 1.0 - share * share


def _truncated(found: float) -> float:
    return _LARGEST if math.isnan(found) else min(max(found, 0.0), _LARGEST)


@register(
    "halved-kfold-t",
    default_plan=HalvedKFold(),
    needs=(TRAINING_SETS,),
    estimand=Estimand.EXPECTED_RISK,
    learning=True,
    claim="The expected loss at training size n - n/K, with the correlation between folds estimated from halves of the data.",
    formula="SE = sqrt(theta3 / (1 - rho)), rho = 1 - mean theta3 of halves / (sum_m (mu_m - mu_m^c)^2 / (2 M)), t with K - 1 degrees of freedom",
    fits="K + 2 M K (210 by default)",
    references=("grandvalet2006", "nadeau2003"),
    assumptions=(
        "The between-block correlation is no larger at n than it is estimated to be at n/2.",
        "Fold scores are normal, with one variance and one covariance between any two of them.",
        "The halvings are enough for rho to be known; that it is estimated is not allowed for.",
    ),
)
def halved_kfold_t(losses: Losses) -> Answer:
    r"""Student's t on the K fold scores of one cross-validation, with rho estimated from random halves.

    The K-fold t needs the between-block correlation rho, for which no estimator from a single cross-validation is unbiased
    for all distributions. Here it is
    estimated from cross-validations of both halves of M random halvings of the data ([1]_, section 6; [2]_, section 4.2).

    Parameters
    ----------
    losses : Losses
        One score (or difference of scores) per fold, of all data and of both halves of M halvings.
    level : float, default 0.95
        Confidence level of the interval.
    null : float, default 0.0
        Expected risk (or difference) under the null hypothesis.
    alternative : {"two-sided", "less", "greater"}, default "two-sided"
        Alternative hypothesis; a one-sided one gives a one-sided interval.

    Returns
    -------
    Result
        Estimate, standard error, interval and test; a note says the rho that was used.

    Raises
    ------
    InvalidInputError
        If a half has another number of folds than all data, or there is a mean per half instead of a score per fold.

    See Also
    --------
    rho_from_halves : The estimate of rho.
    kfold_t : With a rho of your own, for 1/(1 + 2 M) of the fits.
    conservative_z : Uses the variance of the halves itself.

    Notes
    -----
    With mu_k the fold scores, mu their mean and :math:`\hat\rho` the estimate of `rho_from_halves`,
    :math:`\hat\theta_3 = \sum_k (\mu_k - \hat\mu)^2/(K(K-1))` and

    .. math:: t = \sqrt{1-\hat\rho}\,\frac{\hat\mu - \mu_0}{\sqrt{\hat\theta_3}},

    which is referred to t with K - 1 degrees of freedom ([1]_, section 4).

    References
    ----------
    .. [1] Grandvalet & Bengio (2006), Technical report 1285, Universite de Montreal.
    .. [2] Nadeau & Bengio (2003), Machine Learning 52(3), 239-281.

    Examples
    --------
    >>> import errbar
    >>> folds = [[[0.1, 0.3, 0.2], [0.4, 0.3, 0.4]], [[0.3, 0.1, 0.2], [0.3, 0.5, 0.4]]]
    >>> result = errbar.methods.halved_kfold_t(errbar.testing.forms.halves([0.2, 0.3, 0.3], folds))
    >>> round(result.se, 4), round(result.pvalue, 4)
    (0.0823, 0.0835)
    """
    halves = halves_of(losses)
    found = _untruncated(halves)
    folds = halves.scores.size
    if folds != halves.parts.shape[2]:
        raise InvalidInputError(
            f"must be as many on each half as on all data, {folds}, got {halves.parts.shape[2]}: rho depends on it",
            argument="fold",
        )
    rho = _truncated(found)
    return Answer(
        estimate=mean(halves.scores),
        se=math.sqrt(theta3(halves.scores) / (1.0 - rho)),
        df=folds - 1,
        n_train=halves.whole.n_train,
        n_splits=halves.n_splits,
        notes=_notes(found, rho, halves.halvings),
    )


def _notes(found: float, rho: float, halvings: int) -> tuple[Note, ...]:
    estimated = found if math.isfinite(found) else "no estimate"
    return (Note("rho-estimated", rho=rho, halvings=halvings, found=estimated),)

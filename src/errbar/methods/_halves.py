"""Methods that measure on random halves of the data how much a mean varies: the conservative Z, and the t with an estimated rho."""

import math

import numpy as np

from errbar import _check
from errbar._check import FloatArray
from errbar.errors import InvalidInputError
from errbar.losses import Losses, difference
from errbar.methods._core.answer import Answer
from errbar.methods._core.registry import register
from errbar.methods.distributions import ROUNDING, mean, variance
from errbar.needs import TRAINING_SETS
from errbar.plans import HalvedKFold, PairedHalves
from errbar.result import Estimand, Note

_ENOUGH_HALVINGS = 20
_FEW_EXAMPLES = 10
_LARGEST_RHO = 0.99


def halves_of(losses: Losses) -> tuple[Losses, Losses, FloatArray]:
    """Return the splits of all data, those of the halves, and the scores of the latter, shape (M, 2, K)."""
    splits = losses.splits
    is_inside = splits.index.label("halving") >= 0
    whole, inside = splits.only(~is_inside), splits.only(is_inside)
    some = whole.value.size and inside.value.size
    if not some or inside.value.size % (2 * inside.count("halving")):
        raise InvalidInputError(
            "scores on all data are needed, and on halves of it as many for each half, as plan PairedHalves() makes them"
        )
    order = np.lexsort([inside.index.label(role) for role in ("fold", "repeat", "half", "halving")])
    return whole, inside, inside.value[order].reshape(inside.count("halving"), 2, -1)


def error_of_halves(parts: FloatArray) -> float:
    """Return the standard error of a mean on half the data, sqrt(sum_m (mu_m - mu_m^c)^2 / (2 M))."""
    mu = parts.mean(axis=2)  # (M, 2)
    return _root_of_squares(difference(mu[:, 0], mu[:, 1])) / math.sqrt(mu.size)


def _root_of_squares(values: FloatArray) -> float:
    """Return the root of the sum of squares; squares of very small and very large numbers would leave the range."""
    return math.hypot(*values.ravel().tolist())


@register(
    "conservative-z",
    default_plan=PairedHalves(),
    needs=(TRAINING_SETS,),
    estimand=Estimand.EXPECTED_RISK,
    learning=True,
    references=("nadeau2003",),
)
def conservative_z(losses: Losses, *, reference: str = "auto") -> Answer:
    r"""Conservative Z: random splits, with a variance measured on disjoint halves of the data.

    :Claim: The expected loss of the learning algorithm at training size n1, with the variance
        of the mean measured on halves of the data.
    :Formula: ``SE = sqrt(sum_m (mu_m - mu_m^c)^2 / (2 M)), standard normal, or t with M degrees
        of freedom``
    :Fits: J + 2 M J (315 by default)
    :Assumption: The mean varies more at the smaller training size of the halves than at n1.
    :Assumption: The mean over splits is close to normal.
    :Assumption: The differences of the halves are close to uncorrelated between halvings.

    Estimates the expected risk of the learning algorithm at training size n1 from J random splits of all data. How
    much that mean varies is measured, not assumed: the data are cut M times into two halves at random, and the same
    is done in each half with fewer training examples. The halves share no example, so their means differ as those of
    two independent data sets do. The authors conjecture that means from less data differ more, hence the name ([1]_,
    section 4.2).

    Parameters
    ----------
    losses : Losses
        Scores (or differences of scores) on splits of all data, and mean scores on both halves of M halvings.
    level : float, default 0.95
        Confidence level of the interval.
    null : float, default 0.0
        Expected risk (or difference) under the null hypothesis.
    alternative : {"two-sided", "less", "greater"}, default "two-sided"
        Alternative hypothesis; a one-sided one gives a one-sided interval.
    reference : {"auto", "normal", "t"}, default "auto"
        Reference distribution: the standard normal distribution as published, or t with M degrees of freedom, which allows for the
        variance being estimated from M numbers only. "auto" takes t below M = 20, where the normal distribution is liberal.

    Returns
    -------
    Result
        Estimate, standard error, interval and test.

    Raises
    ------
    InvalidInputError
        If `reference` is another word.

    See Also
    --------
    corrected_t : From the J splits alone, with the correlation taken to be n2/(n1 + n2).
    halved_kfold_t : The same idea for K-fold cross-validation.

    Notes
    -----
    With :math:`\hat\mu` the mean of the J scores, and :math:`\hat\mu_{(m)}, \hat\mu^c_{(m)}` the means on the halves of
    halving m, which are made with n1' = floor(n/2) - n2 training and the same number n2 of test examples,

    .. math:: \hat\sigma^2 = \frac{1}{2M} \sum_{m=1}^M (\hat\mu_{(m)} - \hat\mu^c_{(m)})^2, \qquad
              Z = \frac{\hat\mu - \mu_0}{\hat\sigma}

    ([1]_, section 4.2). The expectation of the first is the variance of the mean at n1'. That it is larger than the one at
    n1 is a conjecture of the authors, not a theorem. The M squared differences are nearly uncorrelated, so Z is close to t
    with M degrees of freedom where n1' is close to n1: with the normal quantile a nominal 10 % is 16.1 % for M = 5, 13.1 %
    for M = 10 and 11.6 % for M = 20.

    References
    ----------
    .. [1] Nadeau & Bengio (2003), Machine Learning 52(3), 239-281.

    Examples
    --------
    >>> import errbar
    >>> scores = [0.22, 0.27, 0.23, 0.31, 0.24, 0.28, 0.27, 0.25, 0.33, 0.29, 0.26]
    >>> losses = errbar.Losses(
    ...     scores,
    ...     halving=[-1, -1, -1, 0, 0, 1, 1, 2, 2, 3, 3],
    ...     half=[-1, -1, -1, 0, 1, 0, 1, 0, 1, 0, 1],
    ...     fold=[0, 1, 2, 0, 0, 0, 0, 0, 0, 0, 0],
    ...     n_train=[90] * 3 + [40] * 8,
    ...     n_test=10,
    ... )
    >>> result = errbar.methods.conservative_z(losses, reference="t")
    >>> round(result.estimate, 4), round(result.se, 4), result.df
    (0.24, 0.0392, 4)
    """
    whole, inside, parts = halves_of(losses)
    M, n_train = len(parts), inside.n_train
    if _check.choice(reference, ("auto", "normal", "t"), "reference") == "auto":
        reference = "t" if M < _ENOUGH_HALVINGS else "normal"
    notes = []
    if n_train < max(_FEW_EXAMPLES, whole.size("n_test")):  # false where the sizes are not known
        notes.append(Note("few", count=n_train, what="training examples on the halves"))
    if reference == "normal" and M < _ENOUGH_HALVINGS:
        notes.append(Note("few", count=M, what="halvings"))
    return Answer(
        estimate=mean(whole.value),
        se=error_of_halves(parts),
        df=M if reference == "t" else None,
        n_train=whole.n_train,
        n_splits=losses.splits.value.size,
        notes=tuple(notes),
    )


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
    return _truncated(_rho(halves_of(losses)[2]))


def _rho(parts: FloatArray) -> float:
    """Return the estimate as it comes: -inf where the means of all halves agree, NaN where nothing varies at all."""
    K = parts.shape[2]
    if K < 2:
        raise InvalidInputError(
            "must tell at least two folds of each half apart, as plan HalvedKFold() makes them",
            argument="fold",
        )
    # Scores of a half that are equal up to rounding do not vary.
    deviations = parts - parts.mean(axis=2, keepdims=True)
    deviations[np.ptp(parts, axis=2) <= ROUNDING * np.abs(parts).max(axis=2)] = 0.0
    left = _root_of_squares(deviations)
    root_of_theta = error_of_halves(parts)
    if root_of_theta == 0.0:
        return math.nan if left == 0.0 else -math.inf
    root_of_theta3 = left / math.sqrt(parts.size * (K - 1))
    return 1.0 - (root_of_theta3 / root_of_theta) ** 2


def _truncated(rho: float) -> float:
    return _LARGEST_RHO if math.isnan(rho) else min(max(rho, 0.0), _LARGEST_RHO)


@register(
    "halved-kfold-t",
    default_plan=HalvedKFold(),
    needs=(TRAINING_SETS,),
    estimand=Estimand.EXPECTED_RISK,
    learning=True,
    references=("grandvalet2006", "nadeau2003"),
)
def halved_kfold_t(losses: Losses) -> Answer:
    r"""Student's t on the K fold scores of one cross-validation, with rho estimated from random halves.

    :Claim: The expected loss at training size n - n/K, with the correlation between folds
        estimated from halves of the data.
    :Formula: ``SE = sqrt(theta3 / (1 - rho)), rho = 1 - mean theta3 of halves / (sum_m (mu_m -
        mu_m^c)^2 / (2 M)), t with K - 1 degrees of freedom``
    :Fits: K + 2 M K (210 by default)
    :Assumption: The between-block correlation is no larger at n than it is estimated to be at
        n/2.
    :Assumption: Fold scores are normal, with one variance and one covariance between any two of
        them.
    :Assumption: The halvings are enough for rho to be known; that it is estimated is not
        allowed for.

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
    whole, _, parts = halves_of(losses)
    mu_k = whole.value
    K, M = mu_k.size, len(parts)
    found = _rho(parts)
    if parts.shape[2] != K:
        raise InvalidInputError(
            f"must be as many on each half as on all data, {K}, got {parts.shape[2]}: rho depends on it",
            argument="fold",
        )
    rho, theta3 = _truncated(found), variance(mu_k) / K
    said = found if math.isfinite(found) else "no estimate"
    return Answer(
        estimate=mean(mu_k),
        se=math.sqrt(theta3 / (1.0 - rho)),
        df=K - 1,
        n_train=whole.n_train,
        n_splits=losses.splits.value.size,
        notes=(Note("rho-estimated", rho=rho, halvings=M, found=said),),
    )

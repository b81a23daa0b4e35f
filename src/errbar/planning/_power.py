"""Power of the corrected resampled t, and its three inverses."""

import math
from dataclasses import replace

from errbar import _check
from errbar.errors import InvalidInputError
from errbar.planning._setting import (
    Setting,
    first,
    number_of_examples,
    number_of_splits,
    positive,
    setting_of,
)
from errbar.planning._student import StudentTest


def power(
    difference: float,
    *,
    deviation: float | None = None,
    variance: float | None = None,
    correlation: float | None = None,
    n_train: float,
    n_test: float,
    repeats: int = 15,
    level: float = 0.95,
    alternative: str = "two-sided",
) -> float:
    r"""Probability that the corrected resampled t finds a true difference.

    Parameters
    ----------
    difference : float
        True difference of the expected losses, in units of the loss.
    deviation : float, optional
        Expected sample standard deviation of the split differences, in units of the loss; with divisor J - 1, as a
        pilot shows it. Give this or `variance`.
    variance : float, optional
        Variance of one split difference over data sets and splits, in squared units of the loss (:math:`\sigma_1` in
        [1]_, where it is not a standard deviation).
    correlation : float, optional
        True correlation of two split differences, in [0, 1); by default n2/(n1 + n2), which the corrected t takes it
        to be.
    n_train, n_test : float
        Training and test size n1 and n2 of the splits.
    repeats : int, default 15
        Number of splits J.
    level : float, default 0.95
        Confidence level; the test rejects at 1 - level.
    alternative : {"two-sided", "less", "greater"}, default "two-sided"
        Alternative hypothesis.

    Returns
    -------
    float
        Probability of rejecting that the difference is 0.

    Raises
    ------
    InvalidInputError
        If an argument is out of its range, or not exactly one of `deviation` and `variance` is given.

    See Also
    --------
    detectable_difference : The difference that has a wanted power.
    smallest_repeats : The number of splits that has.
    smallest_examples : The number of examples that has.
    errbar.methods.corrected_t : The test itself.

    Notes
    -----
    The split differences are taken to be jointly normal with variance :math:`\sigma_1` and correlation :math:`\rho`
    ([1]_, section 2). Then :math:`S^2`, their sample variance, is independent of their mean,

    .. math:: E S^2 = \tilde S^2 = \sigma_1 (1 - \rho), \qquad
              (J - 1) S^2 / \tilde S^2 \sim \chi^2_{J-1}, \qquad
              V = \tilde S^2 \Bigl(\frac{1}{J} + \frac{\rho}{1 - \rho}\Bigr)

    with V the variance of the mean. The statistic of the corrected t,
    :math:`\hat\mu / (S \sqrt{1/J + n_2/n_1})`, therefore has the distribution of

    .. math:: c \; t_{J-1}\bigl(\delta / \sqrt{V}\bigr), \qquad
              c^2 = \Bigl(\frac{1}{J} + \frac{\rho}{1 - \rho}\Bigr) \Big/ \Bigl(\frac{1}{J} + \frac{n_2}{n_1}\Bigr),

    a noncentral t at a true difference :math:`\delta`. With the default correlation c is 1. With another one it is not,
    and then the power at difference 0 is the true size of the test. As J grows V goes to
    :math:`\tilde S^2 \rho / (1 - \rho)` and not to 0: more splits of the same data cannot give any power that is wanted.

    References
    ----------
    .. [1] Nadeau & Bengio (2003), Machine Learning 52(3), 239-281.

    Examples
    --------
    >>> from errbar.planning import power
    >>> round(power(0.02, deviation=0.02, n_train=270, n_test=30), 3)
    0.598
    >>> round(power(0.0, deviation=0.02, n_train=270, n_test=30), 3)
    0.05
    """
    setting = setting_of(deviation, variance, correlation, n_train, n_test, level, alternative)
    return setting.power(_check.finite(difference, "difference"), number_of_splits(repeats))


def detectable_difference(
    power: float = 0.8,
    *,
    deviation: float | None = None,
    variance: float | None = None,
    correlation: float | None = None,
    n_train: float,
    n_test: float,
    repeats: int = 15,
    level: float = 0.95,
    alternative: str = "two-sided",
) -> float:
    r"""Smallest true difference that the corrected resampled t finds with a wanted power.

    Parameters
    ----------
    power : float, default 0.8
        Wanted probability of finding the difference.
    deviation : float, optional
        Expected sample standard deviation of the split differences, in units of the loss. Give this or `variance`.
    variance : float, optional
        Variance of one split difference over data sets and splits, in squared units of the loss.
    correlation : float, optional
        True correlation of two split differences, in [0, 1); by default n2/(n1 + n2).
    n_train, n_test : float
        Training and test size n1 and n2 of the splits.
    repeats : int, default 15
        Number of splits J.
    level : float, default 0.95
        Confidence level; the test rejects at 1 - level.
    alternative : {"two-sided", "less", "greater"}, default "two-sided"
        Alternative hypothesis; the difference lies on its side.

    Returns
    -------
    float
        Size of the difference, without sign, in units of the loss. It is 0 where the test rejects a true null
        hypothesis with the wanted probability already.

    Raises
    ------
    InvalidInputError
        If an argument is out of its range, or not exactly one of `deviation` and `variance` is given.

    See Also
    --------
    power : The model, and the inverse of this function.

    Notes
    -----
    Power increases with the size of the difference, so the equation of `power` is solved by bisection.

    Examples
    --------
    >>> from errbar.planning import detectable_difference, power
    >>> found = detectable_difference(0.8, deviation=0.02, n_train=270, n_test=30)
    >>> round(found, 4), round(power(found, deviation=0.02, n_train=270, n_test=30), 6)
    (0.0254, 0.8)
    """
    setting = setting_of(deviation, variance, correlation, n_train, n_test, level, alternative)
    return setting.detectable(_check.level(power, "power"), number_of_splits(repeats))


def smallest_repeats(
    difference: float,
    power: float = 0.8,
    *,
    deviation: float | None = None,
    variance: float | None = None,
    correlation: float | None = None,
    n_train: float,
    n_test: float,
    level: float = 0.95,
    alternative: str = "two-sided",
) -> int:
    r"""Smallest number of splits with which the corrected resampled t has a wanted power.

    Parameters
    ----------
    difference : float
        True difference of the expected losses, in units of the loss.
    power : float, default 0.8
        Wanted probability of finding the difference.
    deviation : float, optional
        Expected sample standard deviation of the split differences, in units of the loss. Give this or `variance`.
    variance : float, optional
        Variance of one split difference over data sets and splits, in squared units of the loss.
    correlation : float, optional
        True correlation of two split differences, in [0, 1); by default n2/(n1 + n2).
    n_train, n_test : float
        Training and test size n1 and n2 of the splits.
    level : float, default 0.95
        Confidence level; the test rejects at 1 - level.
    alternative : {"two-sided", "less", "greater"}, default "two-sided"
        Alternative hypothesis.

    Returns
    -------
    int
        Number of splits J, at least 2.

    Raises
    ------
    InvalidInputError
        If no number of splits has the wanted power, or an argument is out of its range.

    See Also
    --------
    smallest_examples : What helps where no number of splits is enough.
    power : The model.

    Notes
    -----
    The variance of the mean of J splits does not go to 0 (see `power`), so power has a limit below 1. With the default
    correlation power increases with J. With a smaller one it may rise and fall, so all J up to 1000 are
    tried in turn, and larger ones up to a million in steps of 2 %, between which power is taken to increase.

    Examples
    --------
    >>> from errbar.planning import smallest_repeats
    >>> smallest_repeats(0.022, deviation=0.02, n_train=270, n_test=30)
    31
    """
    setting = setting_of(deviation, variance, correlation, n_train, n_test, level, alternative)
    gap, wanted = true_difference(difference, setting), _check.level(power, "power")
    found = setting.enough_repeats(gap, wanted)
    if found is None:
        raise InvalidInputError(
            f"of {wanted:g} is out of reach for a difference of {gap:g}: no number of splits into {setting.n_train:g} "
            f"training and {setting.n_test:g} test examples gives more than {setting.most(gap):.4g}; "
            "more examples would help, see smallest_examples",
            argument="power",
        )
    return found


def smallest_examples(
    difference: float,
    power: float = 0.8,
    *,
    deviation: float,
    n_test: float,
    test_fraction: float = 0.1,
    repeats: int = 15,
    level: float = 0.95,
    alternative: str = "two-sided",
) -> int:
    r"""Roughly the smallest number of examples with which the corrected resampled t has a wanted power.

    Parameters
    ----------
    difference : float
        True difference of the expected losses, in units of the loss; at the training size that is found.
    power : float, default 0.8
        Wanted probability of finding the difference.
    deviation : float
        Expected sample standard deviation of the split differences, in units of the loss, as in a pilot.
    n_test : float
        Test size of the splits to which `deviation` belongs.
    test_fraction : float, default 0.1
        Share of the examples that every split tests on; it trains on all others.
    repeats : int, default 15
        Number of splits J.
    level : float, default 0.95
        Confidence level; the test rejects at 1 - level.
    alternative : {"two-sided", "less", "greater"}, default "two-sided"
        Alternative hypothesis.

    Returns
    -------
    int
        Number of examples n = n1 + n2, with n2 = n `test_fraction`, rounded down.

    Raises
    ------
    InvalidInputError
        If more than 10^15 examples were needed, or an argument is out of its range.

    See Also
    --------
    smallest_repeats : More splits instead of more examples.
    power : The model.

    Notes
    -----
    A rough guide, which rests on an assumption: the squared deviation is inversely proportional to the test size,

    .. math:: \tilde S^2(n) = \tilde S^2_0 \, n_{2,0} / n_2,

    with :math:`n_{2,0}` the test size that `deviation` belongs to, and the correlation is n2/(n1 + n2). That is
    right for the part of the variance that comes from the choice of test examples. The part that comes from the choice
    of training examples usually shrinks too, but neither need it do so at that rate, nor need the
    difference be the same at the larger training size. Repeat the pilot when there are more examples.

    Examples
    --------
    >>> from errbar.planning import smallest_examples
    >>> smallest_examples(0.02, deviation=0.02, n_test=30)
    487
    """
    share = _check.level(test_fraction, "test_fraction")
    spread, tested = positive(deviation, "deviation"), number_of_examples(n_test, "n_test")
    splits, wanted = number_of_splits(repeats), _check.level(power, "power")
    setting = setting_of(spread, None, None, tested, tested, level, alternative)
    gap = true_difference(difference, setting)
    found = enough_examples(setting, gap, wanted, splits, share)
    if found is None:
        raise InvalidInputError(
            f"of {wanted:g} is out of reach for a difference of {gap:g}: "
            f"more than {_check.MOST_EXAMPLES:g} examples would be needed",
            argument="power",
        )
    return found


def enough_examples(
    setting: Setting, difference: float, wanted: float, repeats: int, share: float
) -> int | None:
    """Return the smallest number of examples with the wanted power, or None; correlations are n2/(n1 + n2)."""

    def is_enough(n: int) -> bool:
        test = min(n - 1, max(1, int(n * share + 1e-9)))
        train = n - test
        spread = setting.deviation * math.sqrt(setting.n_test / test)
        larger = replace(
            setting,
            deviation=spread,
            correlation=test / n,
            overlap=test / train,
            n_train=train,
            n_test=test,
        )
        return larger.power(difference, repeats) >= wanted

    high = 2
    while not is_enough(high):
        high *= 2
        if high > _check.MOST_EXAMPLES:
            return None
    return first(high // 2, high, is_enough)


def true_difference(difference: float, setting: Setting | StudentTest) -> float:
    """Return a difference that the test could find."""
    number = _check.finite(difference, "difference")
    if setting.towards(number) > 0.0:
        return number
    sides = {"two-sided": "other than 0", "greater": "positive", "less": "negative"}
    raise InvalidInputError(
        f"must be {sides[setting.alternative]} for the alternative {setting.alternative!r}, got {number:g}",
        argument="difference",
    )

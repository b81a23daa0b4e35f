"""How many rejections a simulation may show before its method is called wrong."""

from errbar import _check


def binomial_band(trials: int, rate: float, alarm: float = 1e-6) -> tuple[int, int]:
    """Return the counts between which a correct method stays, but for a false alarm.

    Parameters
    ----------
    trials : int
        Number of independent trials.
    rate : float
        Probability of the counted event if all is right.
    alarm : float, default 1e-6
        Probability of a count outside the band if all is right; half of it on each side.

    Returns
    -------
    low, high : int
        Ends of the band; both belong to it.

    Examples
    --------
    >>> from tests.bands import binomial_band
    >>> binomial_band(20_000, 0.05)
    (853, 1154)
    """
    from scipy.stats import binom

    trials = _check.count(trials, "trials")
    rate = _check.between(rate, 0.0, 1.0, "rate")
    alarm = _check.level(alarm, "alarm")
    return int(binom.ppf(alarm / 2, trials, rate)), int(binom.isf(alarm / 2, trials, rate))


def binomial_power(trials: int, rate: float, true_rate: float, alarm: float = 1e-6) -> float:
    """Return the probability that a method with another rate leaves the band.

    Parameters
    ----------
    trials : int
        Number of independent trials.
    rate : float
        Rate for which the band is made.
    true_rate : float
        Rate that the method really has.
    alarm : float, default 1e-6
        As for `binomial_band`.

    Returns
    -------
    float
        Power of the check.

    Examples
    --------
    >>> from tests.bands import binomial_power
    >>> round(binomial_power(20_000, 0.05, 0.06), 2)
    0.91
    """
    from scipy.stats import binom

    low, high = binomial_band(trials, rate, alarm)
    true_rate = _check.between(true_rate, 0.0, 1.0, "true_rate")
    return float(binom.cdf(low - 1, trials, true_rate) + binom.sf(high, trials, true_rate))

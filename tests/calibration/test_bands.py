import pytest
from scipy import stats

from errbar import InvalidInputError
from tests.bands import binomial_band, binomial_power


@pytest.mark.parametrize(
    ("trials", "rate"), [(20_000, 0.05), (1_000, 0.5), (500, 0.001), (10, 0.9)]
)
@pytest.mark.parametrize("alarm", [1e-6, 1e-3, 0.05])
def test_the_band_is_the_central_region(trials, rate, alarm):
    low, high = binomial_band(trials, rate, alarm)
    law = stats.binom(trials, rate)
    assert law.cdf(low - 1) <= alarm / 2
    assert law.sf(high) <= alarm / 2
    assert law.cdf(low) > alarm / 2
    assert law.sf(high - 1) > alarm / 2


@pytest.mark.parametrize(
    ("trials", "low", "high"),
    [(1_000, 0.020, 0.087), (2_000, 0.028, 0.076), (4_000, 0.034, 0.068), (10_000, 0.040, 0.061)],
)
def test_accepted_rates_at_nominal_five_percent(trials, low, high):
    band = binomial_band(trials, 0.05)
    assert (band[0] / trials, band[1] / trials) == pytest.approx((low, high), abs=1.1e-3)


@pytest.mark.parametrize(
    ("trials", "true_rate", "power"),
    [
        (1_000, 0.10, 0.91),
        (2_000, 0.08, 0.76),
        (4_000, 0.07, 0.70),
        (10_000, 0.06, 0.33),
        (20_000, 0.06, 0.91),
    ],
)
def test_power(trials, true_rate, power):
    assert binomial_power(trials, 0.05, true_rate) == pytest.approx(power, abs=0.006)


def test_a_correct_method_hardly_ever_raises_an_alarm():
    assert binomial_power(20_000, 0.05, 0.05) <= 1e-6


@pytest.mark.parametrize(
    ("arguments", "name"),
    [((0, 0.05), "trials"), ((10, 1.5), "rate"), ((10, 0.5, 0.0), "alarm")],
)
def test_arguments_are_checked(arguments, name):
    with pytest.raises(InvalidInputError):
        binomial_band(*arguments)

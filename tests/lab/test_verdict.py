"""The verdict on a coverage: given only where the whole interval speaks for it."""

import math

import pytest
from hypothesis import given, strategies as st
from scipy import stats

from errbar_lab._summary import bounds, proportion, to_decide, verdict


def judged(count, total, level=0.95):
    found = proportion(count, total)
    return verdict(found.low, found.high, level)


@pytest.mark.parametrize(
    ("low", "high", "said"),
    [
        (0.93, 0.97, "nominal"),
        (0.9299, 0.97, "undecided"),
        (0.93, 0.9701, "undecided"),
        (0.90, 0.9299, "liberal"),
        (0.90, 0.93, "undecided"),
        (0.9701, 1.0, "conservative"),
        (0.97, 1.0, "undecided"),
        (0.90, 0.99, "undecided"),
        (0.941, 0.949, "nominal"),
        (0.951, 0.959, "nominal"),
    ],
)
def test_at_the_bounds(low, high, said):
    """An interval that lies wholly below the level is no fault, if it lies within two points of it."""
    assert verdict(low, high, 0.95) == said


@pytest.mark.parametrize(
    ("level", "ends"), [(0.9, (0.88, 0.92)), (0.95, (0.93, 0.97)), (0.99, (0.97, 1.0))]
)
def test_two_points_on_either_side(level, ends):
    assert bounds(level) == ends
    assert verdict(*ends, level) == "nominal"


def test_no_method_is_conservative_at_99_percent():
    assert judged(5000, 5000, 0.99) == "nominal"


@pytest.mark.parametrize("total", [1, 10, 50, 100, 300])
def test_few_data_sets_show_no_method_to_be_nominal(total):
    assert "nominal" not in {judged(count, total) for count in range(total + 1)}


def test_one_fault_in_two_is_seen_soon():
    assert judged(5, 10) == "liberal"


@given(st.integers(0, 2000), st.integers(1, 2000), st.sampled_from([0.8, 0.9, 0.95, 0.99]))
def test_a_verdict_says_what_the_wilson_interval_says(count, total, level):
    count = min(count, total)
    ends = stats.binomtest(count, total).proportion_ci(method="wilson")
    found = judged(count, total, level)
    inside = [abs(end - level) <= 0.02 + 1e-9 for end in ends]
    assert (found == "nominal") == all(inside)
    if found in ("liberal", "conservative"):
        assert not any(inside)
        assert (found == "liberal") == (count / total < level)


@given(st.integers(0, 400), st.sampled_from([0.9, 0.95]))
def test_the_number_of_data_sets_that_would_tell(count, level):
    """With the share at hand, so many tell and a hundredth fewer do not; counts are whole, so that shares move a little."""
    share = count / 400
    needed = to_decide(share, level)
    if math.isinf(needed):
        assert min(abs(share - end) for end in bounds(level)) < 1e-9
        return
    for total, decided in ((needed, True), (0.99 * needed - 1, False)):
        if total >= 1:
            assert (_of_share(share, total, level) != "undecided") == decided


def _of_share(share, total, level):
    """The verdict on a share that need not be a count over the total, by Wilson's formula."""
    z = stats.norm.ppf(0.975)
    middle = (share + z**2 / (2 * total)) / (1 + z**2 / total)
    reach = z / (1 + z**2 / total) * math.sqrt(share * (1 - share) / total + z**2 / (4 * total**2))
    return verdict(middle - reach, middle + reach, level)

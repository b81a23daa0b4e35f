import numpy as np
import pytest
from hypothesis import given, strategies as st
from statsmodels.stats.multitest import multipletests

from errbar import InvalidInputError
from errbar.simultaneous import ADJUSTMENTS, adjust, pairs_of
from tests.refusals import refused

NAMES = {
    "holm": "holm",
    "bonferroni": "bonferroni",
    "hommel": "hommel",
    "benjamini-hochberg": "fdr_bh",
    "benjamini-yekutieli": "fdr_by",
}


def by_statsmodels(p, method):
    return multipletests(p, method=NAMES[method])[1]


@pytest.mark.parametrize("method", NAMES)
@pytest.mark.parametrize("size", [1, 2, 5, 45])
@pytest.mark.parametrize("digits", [1, 17])
def test_adjusted_p_values_are_those_of_statsmodels(method, size, digits, rng):
    """One digit gives many ties, and zeros and ones."""
    p = np.round(rng.random(size) ** 2, digits)
    assert adjust(p, method) == pytest.approx(by_statsmodels(p, method), abs=1e-12)


@pytest.mark.parametrize("method", NAMES)
@pytest.mark.parametrize("p", [[0.0] * 4, [1.0] * 4, [0.02] * 5, [0.0, 1.0], [1e-300, 1e-10, 0.5]])
def test_extreme_families(method, p):
    assert adjust(p, method) == pytest.approx(by_statsmodels(p, method), rel=1e-10)


@pytest.mark.parametrize(
    ("method", "expected"),
    [
        # statsmodels 0.15.0 multipletests([0.01, 0.02, 0.03, 0.04])
        ("bonferroni", [0.04, 0.08, 0.12, 0.16]),
        ("holm", [0.04, 0.06, 0.06, 0.06]),
        ("hommel", [0.04, 0.04, 0.04, 0.04]),
        ("benjamini-hochberg", [0.04, 0.04, 0.04, 0.04]),
        ("benjamini-yekutieli", [0.08333333333333331] * 4),
        ("none", [0.01, 0.02, 0.03, 0.04]),
    ],
)
def test_a_family_of_four(method, expected):
    assert adjust([0.01, 0.02, 0.03, 0.04], method) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("digits", [2, 17])
def test_many_hypotheses(digits, rng):
    p = np.round(rng.random(700) ** 4, digits)
    assert adjust(p, "hommel") == pytest.approx(by_statsmodels(p, "hommel"), rel=1e-12)


families = st.lists(st.floats(0.0, 1.0), min_size=1, max_size=25)


@given(families, st.sampled_from(ADJUSTMENTS))
def test_adjusting_raises_no_hopes_and_keeps_the_order(p, method):
    adjusted = adjust(p, method)
    assert (adjusted >= np.array(p) - 1e-12).all()
    assert (adjusted <= 1.0).all()
    ascending = np.argsort(p, kind="stable")
    assert (np.diff(adjusted[ascending]) >= -1e-12).all()


@given(families, st.randoms(use_true_random=False), st.sampled_from(ADJUSTMENTS))
def test_the_order_of_hypotheses_is_irrelevant(p, random, method):
    order = random.sample(range(len(p)), len(p))
    assert adjust(np.array(p)[order], method) == pytest.approx(adjust(p, method)[order], abs=1e-12)


@given(families)
def test_hommel_lies_between_simes_and_holm(p):
    hommel = adjust(p, "hommel")
    assert (hommel <= adjust(p, "holm") + 1e-12).all()
    assert (adjust(p, "holm") <= adjust(p, "bonferroni") + 1e-12).all()
    assert (adjust(p, "benjamini-hochberg") <= hommel + 1e-12).all()


@pytest.mark.parametrize("method", ADJUSTMENTS)
def test_an_empty_family_stays_empty(method):
    assert adjust([], method).shape == (0,)


@pytest.mark.parametrize("method", ADJUSTMENTS)
def test_the_input_is_not_modified(method):
    p = np.array([0.5, 0.01, 0.3])
    adjust(p, method)[:] = 9.0
    assert p.tolist() == [0.5, 0.01, 0.3]


@pytest.mark.parametrize("method", ["sidak", "", None, 3, "Holm"])
def test_an_unknown_adjustment_is_refused(method):
    with pytest.raises(InvalidInputError):
        adjust([0.1], method)


def test_a_near_miss_is_pointed_out():
    with pytest.raises(InvalidInputError):
        adjust([0.1], "bonferoni")


@pytest.mark.parametrize("p", [[-0.1, 0.5], [0.5, 1.1]])
def test_p_values_outside_the_unit_interval_are_refused(p):
    with refused("pvalues"):
        adjust(p)


def test_a_missing_p_value_is_refused_by_place():
    with refused("pvalues"):
        adjust([0.1, float("nan")])


def test_all_pairs_are_first_minus_later():
    assert pairs_of(("a", "b", "c")) == [("a", "b"), ("a", "c"), ("b", "c")]


def test_all_others_minus_the_baseline():
    assert pairs_of(("a", "b", "c"), "b") == [("a", "b"), ("c", "b")]


def test_one_learner_makes_no_pair():
    assert pairs_of(("a",)) == pairs_of(("a",), "a") == []


def test_an_unknown_baseline_is_refused():
    with refused("baseline"):
        pairs_of(("a", "b"), "x")

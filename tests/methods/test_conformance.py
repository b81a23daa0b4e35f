"""Every law for every method, and proof that the laws see what they are there to see."""

import math
from dataclasses import replace

import numpy as np
import pytest

import errbar
from errbar import InvalidInputError, Losses
from errbar.methods import METHODS
from errbar.testing import LAWS, check_method
from tests.laws import OPTION_VALUES, QUICK, VIEWS, cases, check

# Methods that draw random numbers take their time over every question, so they are asked on one seed only.
ASKED = [
    pytest.param(key, seed, marks=[pytest.mark.thorough] if seed else [])
    for key, m in METHODS.items()
    for seed in ((0,) if set(QUICK) & set(m.options) else (0, 1000, 2000))
]


@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize(("key", "extra_seed"), ASKED)
def test_every_method_obeys_every_law(key, law, extra_seed, any_seed):
    check(law, METHODS[key], any_seed + extra_seed)


def test_check_method_tries_all_laws():
    check_method(METHODS["kfold-t"], options=[{"rho": 0.2}], seed=7)


def test_check_method_takes_tables_of_the_author():
    losses = errbar.Losses.of_grid(
        np.random.default_rng(3).gamma(1.0, size=(3, 20)), "seed", "example"
    )
    check_method(METHODS["crossed-t"], [losses])
    with pytest.raises(AssertionError, match="corrected-t"):
        check_method(wrong(one_tail))


def test_every_option_of_every_method_is_tried():
    own = {(method.key, name) for method in METHODS.values() for name in method.options}
    assert [
        pair for pair in own if pair[1] not in OPTION_VALUES and ".".join(pair) not in OPTION_VALUES
    ] == []


EXEMPTIONS = [(key, law) for key, method in METHODS.items() for law in method.exempt]


@pytest.mark.long
@pytest.mark.parametrize(("key", "law"), EXEMPTIONS)
def test_an_exemption_names_a_law_that_is_really_broken(key, law):
    assert law in LAWS
    assert METHODS[key].exempt[law].strip()
    bound = replace(METHODS[key], exempt={})
    with pytest.raises((AssertionError, FloatingPointError, InvalidInputError)):
        for seed in (*range(20), 1000, 2000):
            check(law, bound, seed)


def test_every_view_of_every_method_can_be_made():
    assert {method.view for method in METHODS.values()} <= set(VIEWS)


@pytest.mark.parametrize("key", METHODS)
def test_cases_hold_unequal_splits_where_the_method_allows_several(key):
    method = METHODS[key]
    views = [case.view for case in cases(method)]
    if not isinstance(views[0], errbar.Losses) or key in ("halved-kfold-t", "kfold-theta"):
        return
    if any("n_test" in view.index for view in views):
        assert any(
            "n_test" in view.index and np.unique(view.index["n_test"]).size > 1 for view in views
        )
    elif method.pointwise and method.plans == ("kfold",):
        assert any(
            np.unique(np.unique(view.fold, return_counts=True)[1]).size > 1 for view in views
        )


GOOD = METHODS["corrected-t"]


def wrong(change):
    """A copy of corrected-t whose results are spoilt."""

    def spoilt(scores: Losses, *, level=0.95, null=0.0, alternative="two-sided", correlation=None):
        """Wrong on purpose."""
        request = {
            "level": level,
            "null": null,
            "alternative": alternative,
            "correlation": correlation,
        }
        return change(GOOD.function, scores, request)

    return replace(GOOD, function=spoilt)


def narrow_interval(method, scores, request):
    result = method(scores, **request)
    half = 0.9 * (result.interval.high - result.estimate)
    return replace(
        result, interval=type(result.interval)(result.estimate - half, result.estimate + half)
    )


def one_tail(method, scores, request):
    result = method(scores, **request)
    return replace(result, pvalue=result.pvalue / 2)


def swapped_alternatives(method, scores, request):
    turned = {"less": "greater", "greater": "less"}.get(
        request["alternative"], request["alternative"]
    )
    return replace(
        method(scores, **request | {"alternative": turned}), alternative=request["alternative"]
    )


def negative_statistic(method, scores, request):
    result = method(scores, **request)
    return replace(result, statistic=-result.statistic)


def misplaced_root(method, scores, request):
    """Variance where the standard deviation belongs: the slip of a much-copied implementation."""
    result = method(scores, **request)
    return replace(result, se=result.se**2)


def uncentred(method, scores, request):
    result = method(scores, **request)
    return replace(result, se=result.se + abs(result.estimate))


def absolute_estimate(method, scores, request):
    result = method(scores, **request)
    return replace(result, estimate=abs(result.estimate))


def first_split_only(method, scores, request):
    result = method(scores, **request)
    return replace(result, estimate=float(scores.value[0]))


def unseeded(method, scores, request):
    result = method(scores, **request)
    return replace(result, se=result.se * (1.0 + 1e-12 * np.random.default_rng().random()))


def silent_about_constants(method, scores, request):
    return replace(method(scores, **request), notes=())


def nan_for_constants(method, scores, request):
    result = method(scores, **request)
    return result if result.se else replace(result, statistic=math.nan)


def any_level(method, scores, request):
    level = request["level"]
    usable = isinstance(level, float) and 0.0 < level < 1.0
    return method(scores, **request | {"level": level if usable else 0.95})


def forgets_the_null(method, scores, request):
    return replace(method(scores, **request), null=0.0)


def same_width(method, scores, request):
    interval = method(scores, **request | {"level": 0.95}).interval
    return replace(method(scores, **request), interval=interval)


def loses_df(method, scores, request):
    return replace(method(scores, **request), df=object())


def one_alternative_missing(method, scores, request):
    if request["alternative"] == "less":
        raise InvalidInputError("`alternative` cannot be 'less'")
    return method(scores, **request)


def one_sided_quantile(method, scores, request):
    if request["alternative"] != "two-sided":
        return method(scores, **request)
    level = request["level"]
    if not isinstance(level, float) or not 0.5 < level < 1.0:
        return method(scores, **request)
    interval = method(scores, **request | {"level": 2 * level - 1}).interval
    return replace(method(scores, **request), interval=interval)


@pytest.mark.parametrize(
    ("fault", "law"),
    [
        (narrow_interval, "interval-and-test-agree"),
        (one_sided_quantile, "interval-and-test-agree"),
        (one_tail, "sides-add-up"),
        (swapped_alternatives, "estimate-inside"),
        (negative_statistic, "direction"),
        (misplaced_root, "scale"),
        (uncentred, "shift"),
        (absolute_estimate, "sign-flip"),
        (first_split_only, "order"),
        (unseeded, "repeatable"),
        (silent_about_constants, "degenerate"),
        (nan_for_constants, "degenerate"),
        (any_level, "refuses-bad-requests"),
        (forgets_the_null, "declares-itself"),
        (same_width, "nested-in-level"),
        (one_alternative_missing, "estimate-inside"),
        (first_split_only, "estimate-inside"),
    ],
)
def test_a_planted_fault_breaks_its_law(fault, law):
    with pytest.raises(AssertionError, match=f"'corrected-t' breaks the law '{law}'"):
        check(law, wrong(fault), 0)


def test_a_result_that_json_cannot_hold_is_found():
    with pytest.raises(TypeError):
        check("json-round-trip", wrong(loses_df), 0)


def test_a_method_that_writes_into_its_input_cannot():
    def overwrites(method, scores, request):
        scores.value[0] = 0.0
        return method(scores, **request)

    with pytest.raises(ValueError, match="read-only"):
        check("repeatable", wrong(overwrites), 0)

"""Laws that hold for every metric: its value, its influence values, its range. A new entry is tested by being there."""

import pickle

import numpy as np
import pytest
from hypothesis import given, strategies as st
from sklearn import metrics as sk

from errbar.errors import UndefinedMetricError
from errbar.metrics import (
    DECISION,
    LABEL,
    METRICS,
    PROBABILITY,
    REGRESSION,
    Target,
    known as called,
)
from tests.metrics.cases import KNOWN, POSITIVE, known, sample, shown, takes_weights

BEFORE_1_7 = pytest.mark.skipif(
    not hasattr(sk, "d2_brier_score"), reason="scikit-learn has it from 1.7 on"
)
CASES = [
    pytest.param(
        key,
        classes,
        id=key if classes == 0 else f"{key}-{classes}",
        marks=BEFORE_1_7 if key == "d2_brier_score" or (key, classes) == ("brier_score", 3) else (),
    )
    for key, loss in METRICS.items()
    for classes in ((0,) if loss.task == REGRESSION else (2, 3))
]
STEP = 1e-4


def made(key, classes, **facts):
    target, predictions = sample(METRICS[key].task, classes, **facts)
    if key == "calibration_error":
        # Too sure in every bin: where a bin is calibrated, the error has a kink and no derivative.
        sharp = predictions[PROBABILITY] ** 3
        predictions[PROBABILITY] = sharp / sharp.sum(axis=1, keepdims=True)
    return target, predictions


def derivatives(function, n, of):
    """n times the derivative in the weight of some examples."""
    found = []
    for i in of:
        up, down = np.ones(n), np.ones(n)
        up[i], down[i] = 1.0 + STEP, 1.0 - STEP
        found.append(n * (function(up) - function(down)) / (2.0 * STEP))
    return np.array(found)


def jackknife(key, target, predictions, of):
    n, function = target.values.size, known(key)
    whole = function(target.values, predictions, None)
    rest = [np.delete(np.arange(n), i) for i in of]
    without = [
        function(target.values[r], {kind: p[r] for kind, p in predictions.items()}, None)
        for r in rest
    ]
    return (n - 1) * (whole - np.array(without))


@pytest.mark.parametrize(("key", "classes"), CASES)
@pytest.mark.parametrize("ties", [False, True])
def test_value_is_that_of_an_independent_program(key, classes, ties):
    target, predictions = made(key, classes, seed=1, ties=ties)
    assert shown(METRICS[key], target, predictions)[0] == pytest.approx(
        known(key)(target.values, predictions, None), rel=1e-12, abs=1e-12
    )


def test_all_metrics_but_none_are_checked_against_an_independent_program():
    assert set(KNOWN) == set(METRICS)


@pytest.mark.parametrize("every", [9, pytest.param(1, marks=pytest.mark.thorough)])
@pytest.mark.parametrize(
    ("key", "classes"), [case for case in CASES if takes_weights(case.values[0])]
)
@pytest.mark.parametrize("ties", [False, True])
def test_influence_is_the_derivative_in_the_weight_of_an_example(key, classes, ties, every):
    # An odd number, so that the median, to which D2 compares, does not jump with a weight.
    target, predictions = made(key, classes, n=61, seed=2, ties=ties)
    some = np.arange(0, 61, every)
    expected = derivatives(lambda w: known(key)(target.values, predictions, w), 61, some)
    influence = shown(METRICS[key], target, predictions)[1][some]
    assert np.ptp(expected) > 0.01
    assert influence == pytest.approx(expected, rel=1e-5, abs=1e-5 * np.abs(expected).max())


# A whole example may carry a bin of the calibration error over its kink; its derivative is checked above.
# Areas under curves of several classes take their time, so all examples are left out in make test-thorough only.
@pytest.mark.long
@pytest.mark.parametrize("every", [16, pytest.param(1, marks=pytest.mark.thorough)])
@pytest.mark.parametrize(
    ("key", "classes"), [case for case in CASES if case.values[0] != "calibration_error"]
)
def test_influence_is_the_jackknife_for_many_examples(key, classes, every):
    n = 301 if classes == 0 else 300
    target, predictions = made(key, classes, n=n, seed=3)
    some = np.arange(0, n, every if classes else 1)
    influence, other = (
        shown(METRICS[key], target, predictions)[1][some],
        jackknife(key, target, predictions, some),
    )
    assert np.corrcoef(influence, other)[0, 1] > 0.99
    assert influence.std() == pytest.approx(other.std(), rel=0.03)


@pytest.mark.parametrize(("key", "classes"), CASES)
def test_influence_has_mean_0_and_follows_its_example(key, classes):
    target, predictions = made(key, classes, seed=4)
    value, influence = shown(METRICS[key], target, predictions)
    assert abs(influence.mean()) < 1e-12 * max(1.0, np.abs(influence).max())
    order = np.random.default_rng(5).permutation(target.values.size)
    moved = Target(target.values[order], target.classes, target.positive)
    again, other = shown(METRICS[key], moved, {kind: p[order] for kind, p in predictions.items()})
    assert again == pytest.approx(value, rel=1e-12)
    assert other == pytest.approx(influence[order], rel=1e-9, abs=1e-9)


@pytest.mark.parametrize(("key", "classes"), CASES)
def test_equal_examples_have_equal_influence(key, classes):
    target, predictions = made(key, classes, n=30, seed=6)
    twice = Target(np.tile(target.values, 2), target.classes, target.positive)
    value, influence = shown(METRICS[key], target, predictions)
    again, other = shown(
        METRICS[key], twice, {kind: np.concatenate([p, p]) for kind, p in predictions.items()}
    )
    assert again == pytest.approx(value, rel=1e-12)
    assert other == pytest.approx(np.tile(influence, 2), rel=1e-9, abs=1e-9)


@pytest.mark.parametrize(("key", "classes"), CASES)
def test_flawless_predictions_have_the_best_value_of_the_range(key, classes):
    loss, (target, _) = METRICS[key], made(key, classes)
    flawless = {LABEL: target.values}
    if classes:
        flawless[PROBABILITY] = np.eye(classes)[target.values]
    if classes == 2:
        flawless[DECISION] = target.values - 0.5
    value, influence = shown(loss, target, flawless)
    assert value == pytest.approx(
        loss.range[1] if loss.higher_is_better else loss.range[0], abs=1e-12
    )
    assert np.abs(influence).max() == pytest.approx(0.0, abs=1e-12)


@pytest.mark.parametrize(("key", "classes"), CASES)
@given(seed=st.integers(0, 2**32 - 1), n=st.integers(4, 40), skill=st.floats(0.0, 1.0))
def test_values_lie_in_the_range_or_are_undefined(key, classes, seed, n, skill):
    loss = METRICS[key]
    target, predictions = made(key, classes, n=n, seed=seed, skill=skill)
    if loss.pointwise:
        value = shown(loss, target, predictions)[0]
    else:
        part = {loss.kind(predictions): predictions[loss.kind(predictions)]}
        try:
            found = loss.measured(loss.sample(target, target.values, part))
        except UndefinedMetricError:
            return
        value, influence = loss.sign * found[0], found[1]
        assert np.isfinite(influence).all()
        assert influence.shape == (n,)
    assert loss.range[0] - 1e-12 <= value <= loss.range[1] + 1e-12


@pytest.mark.parametrize("key", METRICS)
def test_it_can_be_sent_to_another_process(key):
    assert pickle.loads(pickle.dumps(METRICS[key])) is not None


@pytest.mark.parametrize(
    ("alias", "key"),
    [
        ("mcc", "matthews_corrcoef"),
        ("auc", "roc_auc"),
        ("rmse", "root_mean_squared_error"),
        ("neg_root_mean_squared_error", "root_mean_squared_error"),
        ("mae", "mean_absolute_error"),
        ("cohen_kappa", "kappa"),
        ("f2", "f2"),
        ("f0.5", "f0.5"),
    ],
)
def test_names_that_people_use(alias, key):
    assert called(alias).key == key


@pytest.mark.parametrize("beta", [0.5, 2.0, 3.0])
def test_f_scores_of_any_beta(beta):
    from sklearn.metrics import fbeta_score

    target, predictions = sample("classification", 2, seed=7)
    loss = called(f"f{beta:g}")

    def value(w):
        return fbeta_score(
            target.values, predictions[LABEL], beta=beta, pos_label=POSITIVE, sample_weight=w
        )

    found, influence = shown(loss, target, predictions)
    assert found == pytest.approx(value(None))
    some = np.arange(0, 60, 7)
    assert influence[some] == pytest.approx(derivatives(value, 60, some), rel=1e-5, abs=1e-5)


@pytest.mark.parametrize("key", ["f0", "f-1", "fx", "f", "f2x"])
def test_what_is_no_f_score(key):
    assert called(key) is None

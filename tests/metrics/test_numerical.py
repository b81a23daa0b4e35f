"""Influence values of any scorer: by weights, or by leaving examples out; and where neither is right."""

import numpy as np
import pytest
from sklearn import metrics as sk

import errbar
from errbar.errors import InvalidInputError
from errbar.metrics import metric, resolve
from errbar.metrics._loss import DERIVATIVE, MOST, WHOLE, by_moving
from errbar.plans import Holdout, KFold
from tests.metrics.cases import Says, SaysNumber, sample
from tests.metrics.test_pooling import classes


def f1_without_weights(truth, predicted):
    return sk.f1_score(truth, predicted)


def by_hand(loss, plan, n=200):
    """Numbers of two learners with influence values that no formula gives."""
    X, y = classes(n)
    table = errbar.run({"a": Says(0), "b": Says(1)}, X, y, plan=plan, loss=loss, random_state=4)
    return table, table.with_influence()


def test_by_leaving_out_it_is_the_formula_but_for_terms_of_order_1_over_n():
    plain, table = by_hand(metric(f1_without_weights, higher_is_better=True), Holdout(0.25))
    assert plain.points is None
    exact = table.with_loss("f1")
    assert table.scores == pytest.approx(exact.scores, rel=1e-12)
    for found, known in zip(table.points, exact.points, strict=True):
        assert np.corrcoef(found, known)[0, 1] > 0.999
        assert found.std() == pytest.approx(known.std(), rel=0.03)


def test_by_weights_it_is_the_formula():
    # An option that is not among those of the catalogue, so that the scorer stays one.
    scorer = sk.make_scorer(sk.f1_score, zero_division=0.0)
    assert not resolve(scorer, "classification").influence
    table = by_hand(scorer, Holdout(0.25))[1]
    exact = table.with_loss("f1")
    assert table.points == pytest.approx(exact.points, rel=1e-6, abs=1e-6)


@pytest.mark.parametrize("score", [sk.f1_score, sk.balanced_accuracy_score])
def test_a_function_with_weights_needs_no_leaving_out(score):
    loss = metric(score, higher_is_better=True)
    assert loss.weighable
    table = by_hand(loss, Holdout(0.25))[1]
    exact = table.with_loss(
        {"f1_score": "f1", "balanced_accuracy_score": "balanced_accuracy"}[score.__name__]
    )
    assert table.points == pytest.approx(exact.points, rel=1e-6, abs=1e-6)


def test_results_from_it_agree_with_the_formula_and_say_where_they_come_from():
    scorer = sk.make_scorer(sk.f1_score, zero_division=0.0)
    X, y = classes(200)
    learners = {"a": Says(0), "b": Says(1)}
    found, known = (
        errbar.compare(learners, X, y, method="holdout-t", loss=loss, random_state=4)
        .pairs[0]
        .result
        for loss in (scorer, "f1")
    )
    assert (found.estimate, found.se, found.low, found.high) == pytest.approx(
        (known.estimate, known.se, known.low, known.high), rel=1e-5
    )
    assert "influence-values" in [note.code for note in found.notes]


MAX_ERROR = sk.make_scorer(sk.max_error, greater_is_better=False)


@pytest.mark.parametrize("score", [MAX_ERROR, "neg_median_absolute_error"])
def test_what_jumps_is_refused(score):
    target, predictions = sample("regression", n=200, seed=5)
    X = predictions["label"][:, None]
    learners = {"a": SaysNumber()}
    table = errbar.run(learners, X, target.values, plan=Holdout(0.25), loss=score, random_state=4)
    with pytest.raises(InvalidInputError):
        errbar.infer(table, "holdout-t", "a")


def test_folds_are_refused_as_well():
    target, predictions = sample("regression", n=100, seed=5)
    X = predictions["label"][:, None]
    with pytest.raises(InvalidInputError):
        errbar.evaluate(
            SaysNumber(),
            X,
            target.values,
            method="cv-wald",
            plan=KFold(5),
            loss=MAX_ERROR,
            random_state=4,
        )


class TestMany:
    @pytest.mark.parametrize("step", [DERIVATIVE, WHOLE])
    def test_too_many_different_examples_are_refused_before_the_work(self, step):
        asked = []
        with pytest.raises(InvalidInputError):
            by_moving("slow", asked.append, [np.arange(MOST + 1)], step)
        assert not asked

    def test_equal_examples_count_once(self):
        values, calls = np.arange(20_000) % 3, []

        def mean(weights):
            calls.append(1)
            return float(weights @ values / weights.sum())

        value, influence = by_moving("mean", mean, [values], DERIVATIVE)
        assert value == pytest.approx(values.mean())
        assert influence == pytest.approx(values - values.mean(), abs=1e-6)
        assert len(calls) < 20


def test_a_mean_has_its_deviations_in_both_ways(rng):
    x = rng.normal(size=50)

    def mean(weights):
        return float(weights @ x / weights.sum())

    _, one = by_moving("mean", mean, [x], DERIVATIVE)
    _, other = by_moving("mean", mean, [x], WHOLE)
    assert one == pytest.approx(x - x.mean(), abs=1e-6)
    assert other == pytest.approx(x - x.mean(), rel=1e-3)


def test_what_takes_weights():
    assert metric(sk.f1_score).weighable
    assert not metric(f1_without_weights).weighable
    assert not metric(max).weighable

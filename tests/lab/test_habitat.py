"""Corrected t and conservative Z with n1 = 9n/10: what is shared, what is counted, and what is said."""

import json
import math

import numpy as np
import pytest
from sklearn.linear_model import LinearRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier

import errbar_lab as lab
from errbar import fits, plans
from errbar_lab.studies import Habitat, habitat
from tests.refusals import refused

REGRESSION = lab.GaussianRegression(features=2, relevant=1)
CLASSIFICATION = lab.GaussianClassification(features=3, relevant=2)
SQUARES = {"squares": LinearRegression()}
SMALL = {"n": 40, "repeats": (3, 5), "halvings": (2, 4), "half_repeats": (3,)}


def same(one, other):
    return np.array_equal(one.train, other.train) and np.array_equal(one.test, other.test)


@pytest.mark.parametrize("few", [5, 10, 15])
def test_few_splits_are_the_first_of_many(few):
    first = list(plans.Subsampling(270, 30, few).splits(300, 7))
    many = list(plans.Subsampling(270, 30, 25).splits(300, 7))
    assert len(first) == few
    assert all(same(one, other) for one, other in zip(first, many[:few], strict=True))


@pytest.mark.parametrize(("repeats", "halvings"), [(15, 5), (15, 10), (5, 20)])
def test_few_halvings_are_the_first_of_many(repeats, halvings):
    many = {tuple(s.labels.items()): s for s in plans.PairedHalves(270, 30, 15, 20).splits(300, 7)}
    few = list(plans.PairedHalves(270, 30, repeats, halvings).splits(300, 7))
    assert len(few) == repeats * (1 + 2 * halvings)
    assert all(same(split, many[tuple(split.labels.items())]) for split in few)


def test_all_plans_together_cost_what_the_largest_do():
    every = [plans.Subsampling(36, 4, j) for j in (5, 10, 15, 25)]
    every += [plans.PairedHalves(36, 4, 3, m) for m in (2, 4)]
    sample = REGRESSION.sample(40, np.random.default_rng(0))
    table = fits.run(
        SQUARES, *sample, plan=plans._base.Union(tuple(every)), random_state=0, n_jobs=1
    )
    assert table.counts.fits == 25 + 2 * 4 * 3


@pytest.fixture(scope="module")
def study():
    return habitat(REGRESSION, SQUARES, replicates=25, distances=(1, 3), **SMALL)


@pytest.fixture(scope="module")
def asked(study):
    """The same methods asked one at a time, without the study."""
    found = {}
    scenario = lab.Scenario(REGRESSION, 40, SQUARES)
    for one in study.judged:
        method = one.method
        if method.key == "corrected-t":
            plan, options = plans.Subsampling(36, 4, method.repeats), {}
        else:
            plan, options = (
                plans.PairedHalves(36, 4, method.repeats, method.halvings),
                {"reference": method.reference},
            )
        analysis = lab.Analysis(method.key, plan, options)
        [found[method.name]] = lab.simulate(scenario, [analysis], replicates=25, level=0.9)
    return found


@pytest.mark.long
def test_size_and_power_are_counted_as_by_hand(study, asked):
    truth = REGRESSION.least_squares_expected_risk(36)
    assert study.truth.of("squares") == (truth, 0.0)
    for one in study.judged:
        found = asked[one.method.name]
        assert all(0.0 <= power.low <= power.value <= power.high <= 1.0 for power in one.power)
        rejected = sum(
            not low <= truth <= high for low, high in zip(found.low, found.high, strict=True)
        )
        assert (one.performance.size.count, one.performance.size.total) == (rejected, 25)
        for distance, power in zip((1.0, 3.0), one.power, strict=True):
            shift = distance * study.units["squares"]
            sides = [lab.power(found, truth - shift), lab.power(found, truth + shift)]
            assert power.value == pytest.approx(np.mean(sides))


def test_the_unit_is_the_deviation_of_the_mean_nearest_to_fifteen_splits(study, asked):
    assert study.units == {
        "squares": pytest.approx(asked["corrected t, J = 5"].estimate.std(ddof=1))
    }


def test_gains_are_differences_in_the_same_data_sets(study, asked):
    judged = {one.method.name: one for one in study.judged}
    truth = REGRESSION.least_squares_expected_risk(36)
    assert [(one.method, one.baseline) for one in study.gains] == [
        ("corrected t, J = 3", "corrected t, J = 5"),
        ("conservative Z, J = 3, M = 2", "conservative Z, J = 3, M = 4"),
        ("conservative Z (t), J = 3, M = 2", "conservative Z (t), J = 3, M = 4"),
    ]
    for gain in study.gains:
        mine, other = (judged[name].performance.size.value for name in (gain.method, gain.baseline))
        assert gain.size.value == pytest.approx(mine - other)
        for k, power in enumerate(gain.power):
            assert power.value == pytest.approx(
                judged[gain.method].power[k].value - judged[gain.baseline].power[k].value
            )
        rejected = [
            (one.low > truth) | (one.high < truth)
            for one in map(asked.get, (gain.method, gain.baseline))
        ]
        difference = rejected[0].astype(float) - rejected[1]
        reach = 1.959963984540054 * difference.std(ddof=1) / math.sqrt(25)
        assert gain.size.high - gain.size.value == pytest.approx(reach)


def test_baselines_are_fifteen_splits_and_ten_halvings():
    found = habitat(REGRESSION, SQUARES, n=60, half_repeats=(2,), replicates=3)
    assert {one.baseline for one in found.gains} == {
        "corrected t, J = 15",
        "conservative Z, J = 2, M = 10",
        "conservative Z (t), J = 2, M = 10",
    }
    assert [one.method.repeats for one in found.judged[:4]] == [5, 10, 15, 25]


def test_the_normal_law_rejects_whatever_the_t_law_rejects(study):
    rates = {one.method.name: [one.performance.size, *one.power] for one in study.judged}
    for halvings in (2, 4):
        normal, student = (
            rates[f"conservative Z{law}, J = 3, M = {halvings}"] for law in ("", " (t)")
        )
        assert all(one.value >= other.value for one, other in zip(normal, student, strict=True))


def test_learners_and_their_difference_are_judged():
    learners = {"bayes": GaussianNB(), "near": KNeighborsClassifier(1)}
    found = habitat(
        CLASSIFICATION, learners, replicates=6, truth_draws=20, truth_examples=50, **SMALL
    )
    assert found.targets == ("bayes", "near", "bayes - near")
    assert len(found.judged) == 3 * 6
    expected, error = found.truth.of("bayes", "near")
    assert found.truth_errors["bayes - near"] == error > 0.0
    assert found.judged[-1].performance.truth == pytest.approx(expected)
    assert found.truth.n_train == 36
    assert found.settings["Truth"] == "20 independent training sets"


def test_the_study_says_what_it_found(study):
    assert isinstance(study, Habitat)
    assert [table.key for table in study.tables()] == ["size-squares", "gains"]
    for table in study.tables():
        assert all(len(row) == len(table.headers) for row in table.rows)
    assert len(study.tables()[0].rows) == 6
    assert study.conclusion()
    assert study.settings["Splits"] == "36 training and 4 test examples"
    assert {"target", "method", "size", "power_1", "power_3_high", "ratio"} <= set(
        study.records()[0]
    )
    assert len(study.records()) == 6
    plain = json.loads(json.dumps(study.to_dict(), allow_nan=False))
    assert (plain["study"], len(plain["results"]), len(plain["gains"])) == ("habitat", 6, 3)


def test_a_store_gives_identical_results_and_two_workers_too(tmp_path):
    plain = habitat(REGRESSION, SQUARES, replicates=8, **SMALL).to_dict()
    store, reports = tmp_path / "habitat.db", []
    habitat(REGRESSION, SQUARES, replicates=5, store=store, n_jobs=2, **SMALL)
    again = habitat(
        REGRESSION, SQUARES, replicates=8, store=store, progress=reports.append, **SMALL
    )
    assert again.to_dict() == plain
    assert len(reports) == 3


def test_a_generator_is_drawn_from_once():
    one = habitat(REGRESSION, SQUARES, replicates=3, random_state=np.random.default_rng(4), **SMALL)
    root = int(one.settings["Random state"])
    assert (
        habitat(REGRESSION, SQUARES, replicates=3, random_state=root, **SMALL).to_dict()
        == one.to_dict()
    )


@pytest.mark.parametrize(
    ("options", "argument"),
    [
        ({"n": 19}, "n"),
        ({"repeats": (1,)}, "repeats"),
        ({"repeats": ()}, "repeats"),
        ({"halvings": (0,)}, "halvings"),
        ({"half_repeats": ()}, "half_repeats"),
        ({"distances": (0.0,)}, "distances"),
        ({"distances": ()}, "distances"),
        ({"replicates": 2}, "replicates"),
        ({"level": 1.0}, "level"),
    ],
)
def test_arguments_that_cannot_be_used(options, argument):
    with refused(argument):
        habitat(REGRESSION, SQUARES, **options)

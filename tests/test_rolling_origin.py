"""Training on the past and testing on what follows."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, strategies as st

import errbar
from errbar import InvalidInputError, plans
from errbar.plans import RollingOrigin, Seeds, Training, draw
from tests.fits.learners import Majority
from tests.refusals import refused

SPLITS = [
    (RollingOrigin(4, 2), [((0, 4), (4, 6)), ((2, 6), (6, 8)), ((4, 8), (8, 10))]),
    (RollingOrigin(4, 2, expanding=True), [((0, 4), (4, 6)), ((0, 6), (6, 8)), ((0, 8), (8, 10))]),
    (RollingOrigin(4, 3), [((0, 4), (4, 7)), ((3, 7), (7, 10))]),
    (RollingOrigin(5, 3), [((2, 7), (7, 10))]),
    (RollingOrigin(4, 2, gap=1), [((1, 5), (6, 8)), ((3, 7), (8, 10))]),
    (RollingOrigin(4, 2, step=4), [((0, 4), (4, 6)), ((4, 8), (8, 10))]),
    (RollingOrigin(6, 2, step=1), [((0, 6), (6, 8)), ((1, 7), (7, 9)), ((2, 8), (8, 10))]),
    (RollingOrigin(0.8, 0.1, gap=0.1), [((0, 8), (9, 10))]),
]


@pytest.mark.parametrize(
    ("plan", "expected"),
    SPLITS,
    ids=lambda value: str(value) if isinstance(value, RollingOrigin) else "",
)
def test_origins(plan, expected):
    found = list(plan.splits(10))
    assert [(split.train.tolist(), split.test.tolist()) for split in found] == [
        (list(range(*train)), list(range(*test))) for train, test in expected
    ]
    assert [dict(split.labels) for split in found] == [
        {"repeat": 0, "fold": fold} for fold in range(len(expected))
    ]


def test_by_default_the_last_half_is_tested():
    splits = list(RollingOrigin().splits(200))
    assert len(splits) == 10
    assert np.concatenate([split.test for split in splits]).tolist() == list(range(100, 200))
    assert {split.train.size for split in splits} == {100}


@given(
    st.lists(st.integers(0, 25), min_size=30, max_size=120).map(np.array),
    st.integers(1, 6),
    st.integers(1, 4),
    st.integers(1, 5),
    st.integers(0, 3),
    st.booleans(),
)
def test_no_time_is_trained_on_and_tested(time, train, test, step, gap, expanding):
    plan = RollingOrigin(train, test, step, gap, expanding)
    ranks = np.unique(time, return_inverse=True)[1]
    if train + test + gap > ranks.max() + 1:
        return
    splits = list(plan.splits(time.size, time=time))
    for split in splits:
        past, future = ranks[split.train], ranks[split.test]
        assert future.min() - past.max() == gap + 1
        assert np.unique(future).size == test
        assert (np.unique(past).size >= train) if expanding else (np.unique(past).size == train)
        for own in (split.train, split.test):
            assert np.isin(time, time[own]).sum() == own.size
    assert ranks[splits[-1].test].max() == ranks.max()
    starts = [ranks[split.test].min() for split in splits]
    assert (np.diff(starts) == step).all()
    assert starts[0] - step - gap - train < 0


@pytest.mark.parametrize(
    "time",
    [
        ["2026-01-03", "2026-01-01", "2026-01-02", "2026-01-04"],
        np.array(["2026-03-01", "2026-01-01", "2026-02-01", "2026-04-01"], dtype="datetime64[D]"),
        [9.5, 0.5, 1.5, 10.5],
        [20, 3, 10, 100],
    ],
)
def test_the_order_is_that_of_time(time):
    splits = list(RollingOrigin(2, 1).splits(4, time=time))
    assert [(split.train.tolist(), split.test.tolist()) for split in splits] == [
        ([1, 2], [0]),
        ([0, 2], [3]),
    ]


@pytest.mark.parametrize(
    ("plan", "more", "argument"),
    [
        (RollingOrigin(8, 3), {}, "n_train"),
        (RollingOrigin(3, 3), {"time": np.arange(10) // 2}, "n_train"),
        (RollingOrigin(0), {}, "n_train"),
        (RollingOrigin(gap=-1), {}, "gap"),
        (RollingOrigin(step=0), {}, "step"),
        (RollingOrigin(), {"time": list("abcdefghij")}, "time"),
        (RollingOrigin(), {"time": [1.0] * 9 + [np.nan]}, "time"),
        (RollingOrigin(), {"time": [1, 2]}, "time"),
    ],
    ids=str,
)
def test_refusals(plan, more, argument):
    with refused(argument):
        list(plan.splits(10, **more))


def design(plan, **more):
    X, y = np.arange(40.0)[:, None], np.arange(40) % 2
    [found] = errbar.run({"a": Majority()}, X, y, plan=plan, random_state=0, **more).splits.designs
    return found


class TestDesign:
    def test_disjoint_test_sets(self):
        found = design(RollingOrigin(10, 5))
        assert (found.kind, found.training, found.testing) == (
            "rolling-origin",
            Training.ORDERED,
            plans.Testing.DISJOINT,
        )
        assert found.time.tolist() == list(range(40))
        assert found.seeds == 1

    def test_overlapping_test_sets(self):
        assert design(RollingOrigin(10, 5, step=2)).testing is plans.Testing.OVERLAPPING
        assert design(RollingOrigin(10, 5, step=9)).testing is plans.Testing.DISJOINT
        assert design(RollingOrigin(30, 10)).testing is plans.Testing.ONE_SET

    def test_groups_need_not_be_whole(self):
        shops, day = np.arange(40) % 4, np.arange(40) // 4
        found = design(RollingOrigin(4, 2), groups=shops, time=day)
        assert found.n_clusters == 4
        assert found.time.tolist() == day.tolist()

    def test_with_seeds(self):
        found = design(Seeds(3, plan=RollingOrigin(10, 5)))
        assert (found.training, found.testing, found.seeds) == (
            Training.ORDERED,
            plans.Testing.DISJOINT,
            3,
        )

    def test_methods_for_random_splits_refuse_it(self):
        X, y = np.arange(40.0)[:, None], np.arange(40) % 2
        with pytest.raises(errbar.UnsuitablePlanError):
            errbar.evaluate(
                Majority(), X, y, plan=RollingOrigin(), method="corrected-t", random_state=0
            )


def test_it_is_drawn_without_randomness():
    assert draw(RollingOrigin(), 50, 0).fingerprint == draw(RollingOrigin(), 50, 1).fingerprint


class TestOrderOfTimes:
    HOURS = pd.date_range("2026-10-25", periods=8, freq="h", tz="Europe/Berlin")
    DAYS = pd.date_range("2026-09-27", periods=8, freq="D")

    @pytest.mark.parametrize(
        "times",
        [
            [str(k) for k in range(6, 14)],
            [f"{k}.5" for k in range(6, 14)],
            HOURS,  # clocks are put back: 02:00 comes twice
            list(HOURS.astype(str)),
            list(DAYS.strftime("%Y-%m-%d")),
            list(DAYS.date),
            [f"202{k // 4}Q{k % 4 + 1}" for k in range(8)],
            [f"week {k:02d}" for k in range(6, 14)],
        ],
        ids=[
            "numbers",
            "fractions",
            "time-zone",
            "time-zone-as-text",
            "days",
            "dates",
            "quarters",
            "weeks",
        ],
    )
    def test_the_order_is_that_of_time(self, times):
        shuffled = np.random.default_rng(0).permutation(8)
        mixed = [times[k] for k in shuffled]
        found = list(RollingOrigin(4, 1).splits(8, time=mixed))
        assert [sorted(shuffled[split.test]) for split in found] == [[4], [5], [6], [7]]
        losses = np.cumsum([0.3, 0.1, -0.2, 0.5, 0.4, -0.1, 0.2, 0.6])
        table = errbar.from_losses({"a": losses[shuffled]}, time=mixed)
        expected = errbar.methods.diebold_mariano(errbar.Losses(losses), horizon=2)
        assert errbar.infer(table, "diebold-mariano", horizon=2).se == pytest.approx(
            expected.se, rel=1e-12
        )
        scores = errbar.from_scores({"a": losses[shuffled]}, time=mixed)
        assert errbar.infer(scores, "diebold-mariano", horizon=2).se == pytest.approx(
            expected.se, rel=1e-12
        )

    @pytest.mark.parametrize(
        "times",
        [
            ["w9", "w10"],
            ["01/02/2026", "02/03/2026"],
            ["Jan 2026", "Feb 2026"],
            ["01/02/26", "01/03/26"],
        ],
    )
    def test_text_that_does_not_sort_as_time_is_refused(self, times):
        for call in (
            lambda: draw(RollingOrigin(1, 1), 2, time=times),
            lambda: draw(plans.KFold(2), 2, time=times),
            lambda: errbar.from_losses({"a": [0.1, 0.2]}, time=times),
            lambda: errbar.from_scores({"a": [0.1, 0.2]}, time=times),
        ):
            with pytest.raises(InvalidInputError):
                call()

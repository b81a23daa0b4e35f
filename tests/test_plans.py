import warnings

import numpy as np
import pytest
from hypothesis import given, strategies as st
from sklearn import model_selection as ms

from errbar import InvalidInputError
from errbar.plans import (
    EqualKFold,
    FiveByTwo,
    HalvedKFold,
    Holdout,
    KFold,
    PairedHalves,
    Plan,
    Predefined,
    ReplaceOne,
    Subsampling,
    draw,
)
from tests.refusals import refused

PLANS = [
    Subsampling(repeats=4),
    Subsampling(n_train=20, n_test=7, repeats=3),
    KFold(4),
    KFold(3, repeats=2),
    FiveByTwo(),
    Holdout(),
    Holdout(n_train=0.5, n_test=3),
    Predefined(ms.ShuffleSplit(3)),
]
CLASSES = np.arange(40) % 2
GROUPS = np.arange(40) // 4


def indices(splits):
    return [(split.train.tolist(), split.test.tolist()) for split in splits]


def identical(one, other):
    return indices(one) == indices(other)


@pytest.mark.parametrize("plan", PLANS, ids=str)
@pytest.mark.parametrize("n", [29, 40])
class TestEveryPlan:
    def test_training_and_test_sets_are_disjoint_and_in_range(self, plan, n, any_seed):
        for split in plan.splits(n, any_seed):
            together = np.concatenate([split.train, split.test])
            assert np.unique(together).size == together.size
            assert together.min() >= 0
            assert together.max() < n

    def test_a_seed_gives_the_same_splits(self, plan, n, any_seed):
        assert identical(plan.splits(n, any_seed), plan.splits(n, any_seed))

    def test_another_seed_gives_others(self, plan, n, any_seed):
        assert not identical(plan.splits(n, any_seed), plan.splits(n, any_seed + 1))

    def test_a_generator_is_a_seed_that_moves_on(self, plan, n, any_seed):
        one, other = np.random.default_rng(any_seed), np.random.default_rng(any_seed)
        assert identical(plan.splits(n, one), plan.splits(n, other))
        assert not identical(plan.splits(n, one), plan.splits(n, any_seed))

    def test_drawing_twice_gives_one_fingerprint(self, plan, n, any_seed):
        one, other = draw(plan, n, any_seed), draw(plan, n, any_seed)
        assert one.fingerprint == other.fingerprint != draw(plan, n, any_seed + 1).fingerprint


class TestSubsampling:
    def test_default_is_fifteen_splits_with_a_tenth_tested(self):
        splits = list(Subsampling().splits(300, 0))
        assert [(s.train.size, s.test.size) for s in splits] == [(270, 30)] * 15
        assert [dict(s.labels) for s in splits] == [{"repeat": i} for i in range(15)]

    @pytest.mark.parametrize(
        ("fraction", "n", "count"),
        [(0.29, 100, 29), (0.1, 10, 1), (0.57, 100, 57), (0.1, 19, 1), (0.01, 20, 1)],
    )
    def test_fractions_are_exact_and_rounded_down_to_one_at_least(self, fraction, n, count):
        assert next(Subsampling(n_test=fraction).splits(n, 0)).test.size == count

    def test_some_examples_may_stay_unused(self):
        split = next(Subsampling(n_train=150, n_test=30).splits(300, 0))
        assert (split.train.size, split.test.size) == (150, 30)

    def test_more_repeats_keep_the_first_ones(self):
        few, many = Subsampling(repeats=3).splits(50, 0), list(Subsampling(repeats=8).splits(50, 0))
        assert identical(few, many[:3])

    def test_test_sets_are_uniform(self, any_seed):
        tests = np.concatenate(
            [s.test for s in Subsampling(n_test=5, repeats=2000).splits(20, any_seed)]
        )
        counts = np.bincount(tests, minlength=20)
        assert abs(counts - 500).max() < 6 * np.sqrt(2000 * 0.25 * 0.75)

    @pytest.mark.parametrize(
        ("plan", "argument"),
        [
            (Subsampling(n_test=30), "n_test"),
            (Subsampling(n_test=0), "n_test"),
            (Subsampling(n_test=1.0), "n_test"),
            (Subsampling(n_test=5.0), "n_test"),
            (Subsampling(n_test=True), "n_test"),
            (Subsampling(n_test=float("nan")), "n_test"),
            (Subsampling(n_train=-1), "n_train"),
            (Subsampling(n_train=28, n_test=3), "n_train"),
        ],
        ids=str,
    )
    def test_sizes_that_do_not_fit_are_refused(self, plan, argument):
        with refused(argument):
            draw(plan, 30, 0)

    @pytest.mark.parametrize("repeats", [0, -1, 2.0, True, "3"])
    def test_repeats_are_checked_at_once(self, repeats):
        with refused("repeats"):
            Subsampling(repeats=repeats)


class TestKFold:
    @given(st.integers(2, 60), st.data())
    def test_folds_partition_the_examples_evenly(self, n, data):
        folds = data.draw(st.integers(2, n))
        splits = list(KFold(folds).splits(n, 0))
        assert np.sort(np.concatenate([s.test for s in splits])).tolist() == list(range(n))
        sizes = [s.test.size for s in splits]
        assert len(sizes) == folds
        assert max(sizes) - min(sizes) <= 1
        assert all(s.train.size + s.test.size == n for s in splits)

    def test_labels(self):
        labels = [dict(s.labels) for s in KFold(2, repeats=2).splits(10, 0)]
        assert labels == [{"repeat": r, "fold": f} for r in range(2) for f in range(2)]

    def test_repeats_cut_anew(self):
        splits = list(KFold(5, repeats=2).splits(50, 0))
        assert not identical(splits[:5], splits[5:])

    def test_leave_one_out(self):
        assert sorted(s.test.tolist() for s in KFold(7).splits(7, 0)) == [[i] for i in range(7)]

    def test_more_folds_than_examples_are_refused(self):
        with refused("folds"):
            draw(KFold(), 5)

    @pytest.mark.parametrize("folds", [1, 0, 2.0, "10", None])
    def test_folds_are_checked_at_once(self, folds):
        with refused("folds"):
            KFold(folds)

    def test_a_numpy_number_of_folds_is_the_same_plan(self):
        assert identical(KFold(np.int64(5)).splits(20, 0), KFold(5).splits(20, 0))

    def test_five_by_two_is_two_folds_five_times(self):
        assert identical(FiveByTwo().splits(31, 0), KFold(2, repeats=5).splits(31, 0))


class TestUnion:
    def test_partitions_are_shared(self):
        both = list((KFold(10, repeats=10) + KFold(10)).splits(100, 0))
        assert identical(both[:10], both[100:])

    def test_five_by_two_shares_its_training_sets_with_two_folds(self):
        both = list((FiveByTwo() + KFold(2, repeats=5)).splits(40, 0))
        assert identical(both[:10], both[10:])

    @pytest.mark.parametrize("root", [0, np.int64(3), None])
    def test_one_root_serves_all_parts(self, root):
        both = list((KFold(5) + KFold(5)).splits(40, root))
        assert identical(both[:5], both[5:])

    def test_a_part_is_drawn_as_it_would_be_alone(self):
        both = list((KFold(5) + Subsampling()).splits(40, 0))
        assert identical(both[5:], Subsampling().splits(40, 0))

    def test_draw_says_which_plan_each_split_belongs_to(self):
        drawn = draw(KFold(3) + Subsampling(repeats=2) + Holdout(), 30, 0)
        assert drawn.plan.tolist() == [0, 0, 0, 1, 1, 2]
        assert drawn.kinds == ("kfold", "subsampling", "holdout")
        assert str(drawn.parts[0]) == "KFold(folds=3, repeats=1)"

    def test_unions_add_up_flat(self):
        union = (KFold(3) + FiveByTwo()) + (Holdout() + KFold(5))
        assert [plan.kind for plan in union.parts()] == ["kfold", "5x2", "holdout", "kfold"]


class TestDraw:
    @pytest.mark.parametrize("plan", ["kfold", None, True, 2.5, {}, [1, 2]])
    def test_what_is_no_plan_is_refused(self, plan):
        with refused("plan"):
            draw(plan, 10)

    @pytest.mark.parametrize("n", [1, 0, 2.5])
    def test_two_examples_are_needed(self, n):
        with refused("n"):
            draw(KFold(2), n)

    @pytest.mark.parametrize(
        "plan", [FiveByTwo(), EqualKFold(4), PairedHalves(), HalvedKFold(3), ReplaceOne(3)], ids=str
    )
    def test_groups_are_not_ignored_in_silence(self, plan):
        with refused("groups"):
            draw(plan, 40, 0, groups=GROUPS)

    def test_a_plan_from_elsewhere(self):
        class Odd(Plan):
            kind = "odd"

            def drawn(self, rows):
                yield from Holdout(n_test=1).of(rows)

        assert draw(Odd() + KFold(2), 6, 0).kinds == ("odd", "kfold")

    def test_splits_describe_themselves(self):
        assert next(KFold(2).splits(4, 0)).describe() == "repeat 0, fold 0"


def predefined(splitter, **kwargs):
    return draw(Predefined(splitter), 40, 0, y=CLASSES, **kwargs)


class TestPredefined:
    @pytest.mark.parametrize(
        ("splitter", "kind", "count"),
        [
            (ms.KFold(5), "kfold", 5),
            (ms.StratifiedKFold(5, shuffle=True), "kfold", 5),
            (ms.RepeatedStratifiedKFold(n_splits=4, n_repeats=3), "kfold", 12),
            (ms.LeaveOneOut(), "kfold", 40),
            (ms.ShuffleSplit(6), "subsampling", 6),
            (ms.StratifiedShuffleSplit(6), "subsampling", 6),
            (ms.ShuffleSplit(1), "holdout", 1),
            (ms.TimeSeriesSplit(4), "other", 4),
            (ms.TimeSeriesSplit(4, max_train_size=8, test_size=4), "other", 4),
            (ms.PredefinedSplit(np.arange(40) % 3), "kfold", 3),
            (ms.PredefinedSplit(np.where(np.arange(40) < 30, -1, 0)), "holdout", 1),
            (ms.PredefinedSplit(np.where(np.arange(40) < 30, -1, np.arange(40) % 2)), "other", 2),
        ],
        ids=lambda value: type(value).__name__ if hasattr(value, "split") else str(value),
    )
    def test_the_structure_is_read_off_the_splits(self, splitter, kind, count):
        drawn = predefined(splitter)
        assert drawn.kinds == (kind,)
        assert len(drawn.splits) == count

    @pytest.mark.parametrize(
        "splitter",
        [ms.GroupKFold(5), ms.LeaveOneGroupOut(), ms.StratifiedGroupKFold(2)],
        ids=lambda s: type(s).__name__,
    )
    def test_groups_stay_together(self, splitter):
        drawn = predefined(splitter, groups=GROUPS)
        assert drawn.kinds == ("kfold",)
        for split in drawn.splits:
            assert not set(GROUPS[split.train]) & set(GROUPS[split.test])

    def test_group_shuffle_split_is_subsampling(self):
        assert predefined(ms.GroupShuffleSplit(4), groups=GROUPS).kinds == ("subsampling",)

    def test_groups_that_a_splitter_needs_and_lacks_are_named(self):
        with pytest.raises(InvalidInputError):
            predefined(ms.GroupKFold(5))

    @pytest.mark.parametrize("splitter", [ms.KFold(4), ms.StratifiedKFold(4)], ids=str)
    @pytest.mark.filterwarnings("ignore:The groups parameter is ignored")
    def test_a_splitter_that_ignores_groups_is_refused_where_it_tears_them_apart(self, splitter):
        with pytest.raises(InvalidInputError):
            predefined(splitter, groups=GROUPS)

    @pytest.mark.filterwarnings("ignore:The groups parameter is ignored")
    def test_a_splitter_that_ignores_groups_may_keep_them_whole(self):
        drawn = predefined(ms.PredefinedSplit(GROUPS % 4), groups=GROUPS)
        assert (drawn.kinds, drawn.groups is None) == (("kfold",), False)

    def test_labels_of_repeated_folds(self):
        labels = [
            dict(s.labels) for s in predefined(ms.RepeatedKFold(n_splits=2, n_repeats=2)).splits
        ]
        assert labels == [{"repeat": r, "fold": f} for r in range(2) for f in range(2)]

    def test_stratification_is_that_of_the_splitter(self):
        for split in predefined(ms.StratifiedKFold(4)).splits:
            assert CLASSES[split.test].mean() == 0.5

    def test_an_unseeded_splitter_follows_the_root(self):
        plan = Predefined(ms.ShuffleSplit(3))
        assert identical(plan.splits(40, 1), plan.splits(40, 1))
        assert not identical(plan.splits(40, 1), plan.splits(40, 2))

    def test_a_seeded_splitter_keeps_its_seed(self):
        plan = Predefined(ms.ShuffleSplit(3, random_state=5))
        own = [
            (train.tolist(), test.tolist())
            for train, test in ms.ShuffleSplit(3, random_state=5).split(np.zeros(40))
        ]
        assert indices(plan.splits(40, 1)) == indices(plan.splits(40, 2)) == own

    def test_the_users_splitter_is_not_modified(self):
        unseeded, moving = (
            ms.ShuffleSplit(3),
            ms.ShuffleSplit(3, random_state=np.random.RandomState(0)),
        )
        before = moving.random_state.get_state()[1].copy()
        list(Predefined(unseeded).splits(40, 0))
        list(Predefined(moving).splits(40, 0))
        assert unseeded.random_state is None
        assert (moving.random_state.get_state()[1] == before).all()

    def test_pairs_of_positions(self):
        drawn = draw(Predefined([([0, 1], [2, 3]), ([2, 3], [0, 1])]), 4)
        assert drawn.kinds == ("kfold",)
        assert drawn.splits[1].train.tolist() == [2, 3]

    def test_a_generator_of_pairs_is_kept(self):
        plan = Predefined(ms.KFold(4).split(np.zeros(8)))
        assert len(list(plan.splits(8))) == len(list(plan.splits(8))) == 4

    def test_a_bootstrap_sample_may_train_twice_on_an_example(self):
        assert draw(Predefined([([0, 0, 1], [2, 3])]), 4).splits[0].train.tolist() == [0, 0, 1]

    def test_folds_in_an_interrupted_order_are_no_partition(self):
        pairs = [([2, 3], [0, 1]), ([2, 3], [0, 1]), ([0, 1], [2, 3]), ([0, 1], [2, 3])]
        assert "fold" not in draw(Predefined(pairs), 4).splits[0].labels

    def test_a_stated_kind_is_believed(self):
        pairs = [([2, 3], [0, 1]), ([0, 1], [2, 3])]
        drawn = draw(Predefined(pairs, kind="subsampling"), 4)
        assert drawn.kinds == ("subsampling",)
        assert dict(drawn.splits[1].labels) == {"repeat": 1}

    @pytest.mark.parametrize("kind", ["kfold", "holdout", 3])
    def test_a_kind_that_can_be_read_off_cannot_be_stated(self, kind):
        with refused("kind"):
            Predefined([([0], [1])], kind=kind)

    @pytest.mark.parametrize(
        "pair",
        [
            ([0, 1], [1, 2]),
            ([0, 1], []),
            ([], [1]),
            ([0, 1], [4]),
            ([-1, 0], [1]),
            ([0], [1, 1]),
            ([0.0], [1]),
            ([[0]], [1]),
            ([True, False], [1]),
        ],
    )
    def test_wrong_pairs_are_refused(self, pair):
        with pytest.raises(InvalidInputError):
            draw(Predefined([pair]), 4)

    @pytest.mark.parametrize(
        "splitter", [5, "kfold", {"a": 1}, [], [1, 2], [([0], [1], [2])], ["ab"], None]
    )
    def test_what_is_no_list_of_pairs_is_refused(self, splitter):
        with refused("plan"):
            Predefined(splitter)

    @pytest.mark.parametrize("kind", [np.arange, lambda *ends: list(range(*ends)), range])
    def test_a_pair_outside_of_a_list_is_told_from_a_list(self, kind):
        pair = kind(0, 30), kind(30, 40)
        with pytest.raises(InvalidInputError):
            draw(pair, 40)
        assert draw([pair], 40).kinds == ("holdout",)

    @pytest.mark.parametrize("given", [KFold, ms.KFold])
    def test_a_class_is_no_plan_yet(self, given):
        with refused("plan"):
            draw(given, 40)

    def test_arrays_are_not_shown_in_full(self):
        with pytest.raises(InvalidInputError):
            draw(np.arange(100.0), 100)
        with pytest.raises(InvalidInputError):
            draw([(np.arange(99.0), [99])], 100)

    def test_a_splitter_of_groups_is_shown_as_given_and_asks_for_them(self):
        splitter = ms.GroupShuffleSplit(3)
        with pytest.raises(InvalidInputError):
            draw(Predefined(splitter), 40, 0)

    def test_a_splitter_that_cannot_is_quoted(self):
        with pytest.raises(InvalidInputError):
            draw(Predefined(ms.KFold(50)), 10)

    def test_no_warning_of_the_users_is_swallowed(self):
        class Warns:
            def split(self, X, y=None, groups=None):
                warnings.warn("mind the step", UserWarning, stacklevel=1)
                yield np.arange(3), np.arange(3, 5)

        with pytest.warns(UserWarning, match="mind the step"):
            draw(Predefined(Warns()), 5)

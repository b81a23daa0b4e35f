"""Plans that single methods bring: nested folds, halves, bootstrap samples, replaced examples."""

import numpy as np
import pytest

from errbar import InvalidInputError
from errbar.plans import (
    Bootstrap,
    EqualKFold,
    HalvedKFold,
    KFold,
    NestedKFold,
    PairedHalves,
    ReplaceOne,
    Subsampling,
    draw,
)
from tests.refusals import refused


def labelled(splits, **wanted):
    return [
        s for s in splits if all(s.labels.get(name, -1) == value for name, value in wanted.items())
    ]


class TestNestedKFold:
    def test_cost_and_shared_fits_of_the_union(self):
        plan = KFold(folds=10, repeats=10) + KFold(folds=10) + NestedKFold(folds=10, repeats=10)
        drawn = draw(plan, 200, 0)
        assert (len(drawn.splits), len(set(drawn.training_sets))) == (1110, 550)

    @pytest.mark.parametrize(("folds", "n"), [(3, 3), (3, 10), (5, 23), (10, 100)])
    def test_inner_splits_leave_out_both_folds(self, folds, n):
        splits = list(NestedKFold(folds, repeats=2).splits(n, 1))
        assert len(splits) == 2 * folds**2
        for repeat in range(2):
            tests = {s.labels["fold"]: s.test for s in labelled(splits, repeat=repeat, inner=-1)}
            assert sorted(np.concatenate(list(tests.values())).tolist()) == list(range(n))
            for split in splits:
                if split.labels["repeat"] == repeat and "inner" in split.labels:
                    k, j = split.labels["fold"], split.labels["inner"]
                    assert np.array_equal(split.test, tests[j])
                    assert set(split.train) == set(range(n)) - set(tests[k]) - set(tests[j])

    def test_both_orders_of_two_folds_share_a_training_set(self):
        drawn = draw(NestedKFold(7, 1), 50, 3)
        assert len(set(drawn.training_sets)) == 7 * 8 // 2

    def test_outer_splits_are_those_of_kfold(self):
        nested = labelled(NestedKFold(5, 1).splits(40, 9), inner=-1)
        plain = list(KFold(5).splits(40, 9))
        assert all(np.array_equal(a.train, b.train) for a, b in zip(nested, plain, strict=True))

    @pytest.mark.parametrize(("folds", "n"), [(2, 10), (11, 10), (2.5, 10), (True, 10)])
    def test_impossible_numbers_of_folds(self, folds, n):
        with refused("folds"):
            list(NestedKFold(folds).splits(n, 0))


class TestPairedHalves:
    def test_sizes_and_labels(self):
        splits = list(PairedHalves(n_test=0.1, repeats=4, halvings=3).splits(101, 0))
        assert len(splits) == 4 + 2 * 3 * 4
        whole, halves = splits[:4], splits[4:]
        assert {(s.train.size, s.test.size) for s in whole} == {(91, 10)}
        assert {(s.train.size, s.test.size) for s in halves} == {(40, 10)}

    def test_halves_are_disjoint_and_each_split_stays_inside_its_own(self):
        splits = list(PairedHalves(n_test=5, repeats=6, halvings=4).splits(41, 2))
        for halving in range(4):
            used = [
                set(
                    np.concatenate(
                        [
                            np.concatenate([s.train, s.test])
                            for s in labelled(splits, halving=halving, half=h)
                        ]
                    )
                )
                for h in (0, 1)
            ]
            assert not used[0] & used[1]
            assert max(map(len, used)) <= 20

    def test_an_example_left_out_of_an_odd_number_is_drawn_anew_for_each_halving(self):
        splits = list(PairedHalves(n_test=1, repeats=1, halvings=40).splits(5, 0))
        left_out = set()
        for halving in range(40):
            parts = [np.concatenate([s.train, s.test]) for s in labelled(splits, halving=halving)]
            left_out |= set(range(5)) - set(np.concatenate(parts).tolist())
        assert left_out == set(range(5))

    def test_splits_of_all_data_are_those_of_subsampling(self):
        mine = labelled(PairedHalves(repeats=5).splits(60, 4), half=-1)
        plain = list(Subsampling(repeats=5).splits(60, 4))
        assert all(np.array_equal(a.train, b.train) for a, b in zip(mine, plain, strict=True))

    def test_more_halvings_keep_the_first_ones(self):
        few, many = (list(PairedHalves(repeats=2, halvings=m).splits(50, 8)) for m in (2, 5))
        assert all(np.array_equal(a.test, b.test) for a, b in zip(few, many, strict=False))

    @pytest.mark.parametrize(("n", "n_test"), [(10, 5), (11, 5), (10, 0.5), (4, 3)])
    def test_a_test_set_as_large_as_a_half_is_refused(self, n, n_test):
        with refused("n_test"):
            list(PairedHalves(n_test=n_test).splits(n, 0))

    @pytest.mark.parametrize("name", ["repeats", "halvings"])
    def test_counts_are_checked(self, name):
        with pytest.raises(InvalidInputError):
            PairedHalves(**{name: 0})


class TestHalvedKFold:
    def test_folds_partition_every_half(self):
        splits = list(HalvedKFold(folds=4, halvings=3).splits(43, 5))
        assert len(splits) == 4 + 2 * 3 * 4
        for halving in range(3):
            members = []
            for half in (0, 1):
                mine = labelled(splits, halving=halving, half=half)
                tested = np.concatenate([s.test for s in mine])
                assert np.unique(tested).size == tested.size == 21
                assert all(set(s.train) == set(tested) - set(s.test) for s in mine)
                members.append(set(tested))
            assert not members[0] & members[1]

    def test_the_halves_are_those_of_paired_halves(self):
        folds = labelled(HalvedKFold(folds=5, halvings=1).splits(40, 6), halving=0, half=0)
        splits = labelled(
            PairedHalves(n_test=4, repeats=30, halvings=1).splits(40, 6), halving=0, half=0
        )
        assert set(np.concatenate([s.test for s in folds])) >= set(
            np.concatenate([s.test for s in splits])
        )

    def test_more_folds_than_examples_in_a_half_are_refused(self):
        with pytest.raises(InvalidInputError):
            list(HalvedKFold(folds=6).splits(11, 0))


class TestEqualKFold:
    @pytest.mark.parametrize(("folds", "n"), [(10, 569), (3, 10), (7, 50), (5, 5)])
    def test_folds_are_equal_and_nothing_else_is_used(self, folds, n):
        splits = list(EqualKFold(folds, repeats=2).splits(n, 0))
        assert {s.test.size for s in splits} == {n // folds}
        for repeat in range(2):
            mine = labelled(splits, repeat=repeat)
            used = np.concatenate([s.test for s in mine])
            assert np.unique(used).size == used.size == n - n % folds
            assert all(set(s.train) == set(used) - set(s.test) for s in mine)

    def test_where_nothing_remains_it_is_kfold(self):
        one, other = draw(EqualKFold(5), 40, 3), draw(KFold(5), 40, 3)
        assert one.fingerprint == other.fingerprint


class TestReplaceOne:
    def test_each_replacement_changes_one_example_of_the_half(self):
        splits = list(ReplaceOne(folds=3, replacements=50).splits(21, 0))
        half = labelled(splits, half=0, replaced=-1)
        base = set(np.concatenate([s.test for s in half]))
        assert len(base) == 10
        newcomers = set()
        for i in range(10):
            mine = labelled(splits, replaced=i)
            other = set(np.concatenate([s.test for s in mine]))
            assert (len(base - other), len(other - base)) == (1, 1)
            newcomers |= other - base
            same = [np.array_equal(a.train, b.train) for a, b in zip(half, mine, strict=True)]
            assert sum(same) == 1  # its own fold is trained on the others
        assert len(newcomers) == 10
        assert not newcomers & base

    def test_cost(self):
        drawn = draw(ReplaceOne(folds=5, replacements=50), 60, 0)
        assert len(set(drawn.training_sets)) == 5 + 5 + 30 * 4

    def test_some_replacements_are_some_of_all(self):
        some = {
            s.labels["replaced"]
            for s in ReplaceOne(3, replacements=7).splits(100, 0)
            if "replaced" in s.labels
        }
        assert len(some) == 7
        assert some < set(range(50))

    def test_refusals(self):
        with refused("folds"):
            list(ReplaceOne(folds=6).splits(11, 0))
        with refused("replacements"):
            ReplaceOne(replacements=1)


@pytest.mark.parametrize(
    "plan", [NestedKFold(3, 1), PairedHalves(), HalvedKFold(3), Bootstrap(3), ReplaceOne(3)]
)
class TestAll:
    def test_train_and_test_are_disjoint_and_inside(self, plan):
        for split in plan.splits(30, 0):
            assert not set(split.train) & set(split.test)
            assert split.test.size > 0
            assert set(split.train) | set(split.test) <= set(range(30))

    def test_the_same_root_gives_the_same_splits(self, plan):
        one, other = draw(plan, 30, 5), draw(plan, 30, 5)
        assert one.fingerprint == other.fingerprint != draw(plan, 30, 6).fingerprint

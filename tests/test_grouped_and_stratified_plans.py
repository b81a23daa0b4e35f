"""Plans that keep groups whole and class shares: every example once, no group torn, counts off by less than one."""

import numpy as np
import pytest
from hypothesis import given, strategies as st

from errbar import InvalidInputError
from errbar.plans import (
    Bootstrap,
    EqualKFold,
    FiveByTwo,
    Holdout,
    KFold,
    NestedKFold,
    Predefined,
    Seeds,
    Subsampling,
    draw,
    plan_of,
)
from tests.refusals import refused

# Digests of splits of 61 examples under root 3, as they were drawn before plans knew of groups and classes.
PINNED = {
    Holdout(n_test=0.3): "0b1549b9045aa4c72d848cd9d7da8ef6",
    Subsampling(repeats=3): "2d0e5a776a956c17d0ef401af2da7904",
    KFold(4): "54a4a1d09b68a03b22b95404afa4a55b",
    EqualKFold(4): "04e8edf9c8e838c7512329fc4b6908e2",
    FiveByTwo(): "7615341cc3e3349a9c96d748acfea3e6",
    NestedKFold(3, 1): "5735be9b21f600ef159f8f3a4a793310",
    Bootstrap(8, training_error=True): "44351bbfe380ad79fb05ffe5a59b534d",
}
seeds = st.integers(0, 2**31)
labels = st.lists(st.integers(0, 4), min_size=12, max_size=80).map(np.array)
sized_groups = st.lists(st.integers(1, 9), min_size=6, max_size=25).map(
    lambda n: np.repeat(np.arange(len(n)), n)
)


@pytest.mark.parametrize("plan", PINNED, ids=str)
def test_plain_plans_draw_what_they_always_drew(plan):
    assert draw(plan, 61, 3).fingerprint == PINNED[plan]


def partitions(splits):
    """The folds of each repeat."""
    found = {}
    for split in splits:
        if "inner" not in split.labels:
            found.setdefault(split.labels["repeat"], []).append(split)
    return found.values()


def off(tested, everywhere, size, n):
    """How far the counts of classes are from their shares."""
    codes = np.unique(everywhere, return_inverse=True)[1]
    return np.abs(
        np.bincount(codes[tested], minlength=codes.max() + 1) - np.bincount(codes) * size / n
    ).max()


@given(labels, seeds, st.integers(2, 6))
def test_stratified_folds(y, root, folds):
    n = y.size
    for plan in (KFold(folds, 2, stratify=True), NestedKFold(max(folds, 3), 1, stratify=True)):
        for parts in partitions(plan.splits(n, root, y)):
            tests = [split.test for split in parts]
            np.testing.assert_array_equal(np.sort(np.concatenate(tests)), np.arange(n))
            sizes = [test.size for test in tests]
            assert max(sizes) - min(sizes) <= 1
            assert max(off(test, y, n / len(tests), n) for test in tests) < 1.0


@given(labels, seeds, st.integers(2, 6))
def test_stratified_folds_of_equal_size(y, root, folds):
    splits = list(EqualKFold(folds, stratify=True).splits(y.size, root, y))
    assert {split.test.size for split in splits} == {y.size // folds}
    kept = np.concatenate([split.test for split in splits])
    assert np.unique(kept).size == kept.size
    assert off(kept, y, kept.size, y.size) < 1.0
    for split in splits:
        np.testing.assert_array_equal(split.train, np.setdiff1d(np.sort(kept), split.test))


@given(labels, seeds, st.floats(0.05, 0.6))
def test_stratified_splits(y, root, fraction):
    n = y.size
    for plan in (
        Subsampling(n_test=fraction, repeats=3, stratify=True),
        Holdout(n_test=fraction, stratify=True),
    ):
        for split in plan.splits(n, root, y):
            np.testing.assert_array_equal(
                np.sort(np.concatenate([split.train, split.test])), np.arange(n)
            )
            assert split.test.size == max(1, int(fraction * n + 1e-9))
            assert off(split.test, y, split.test.size, n) < 1.0
            assert off(split.train, y, split.train.size, n) < 1.0


def test_smaller_training_sets_keep_shares_as_well():
    y = np.repeat([0, 1], [90, 10])
    for split in Subsampling(n_train=50, n_test=20, stratify=True).splits(100, 0, y):
        assert (y[split.train].sum(), y[split.test].sum()) == (5, 2)
        assert (split.train.size, split.test.size) == (50, 20)
        assert not set(split.train) & set(split.test)


@given(sized_groups, seeds, st.integers(2, 6), st.booleans(), st.data())
def test_groups_are_whole(groups, root, folds, stratify, data):
    n = groups.size
    y = (
        np.array(data.draw(st.lists(st.integers(0, 2), min_size=n, max_size=n)))
        if stratify
        else None
    )
    names = np.array([f"patient {group}" for group in groups])
    for plan in (
        KFold(folds, 2, stratify=stratify),
        NestedKFold(max(folds, 3), 1, stratify=stratify),
    ):
        splits = list(plan.splits(n, root, y, names))
        for parts in partitions(splits):
            np.testing.assert_array_equal(
                np.sort(np.concatenate([split.test for split in parts])), np.arange(n)
            )
            sizes = [split.test.size for split in parts]
            if not stratify:
                assert max(sizes) - min(sizes) <= np.bincount(groups).max()
        for split in splits:
            assert split.test.size
            assert not set(names[split.train]) & set(names[split.test])


@given(sized_groups, seeds, st.booleans(), st.data())
def test_sizes_are_of_groups(groups, root, stratify, data):
    n, count = groups.size, groups.max() + 1
    y = (
        np.array(data.draw(st.lists(st.integers(0, 2), min_size=n, max_size=n)))
        if stratify
        else None
    )
    plans = {
        Holdout(n_test=0.25, stratify=stratify): (count - max(1, count // 4), max(1, count // 4)),
        Subsampling(n_train=3, n_test=2, repeats=3, stratify=stratify): (3, 2),
    }
    for plan, sizes in plans.items():
        for split in plan.splits(n, root, y, groups):
            trained, tested = set(groups[split.train]), set(groups[split.test])
            assert not trained & tested
            assert (len(trained), len(tested)) == sizes
            for own in (split.train, split.test):
                assert np.isin(groups, groups[own]).sum() == own.size


def test_groups_of_one_class_are_shared_out_evenly():
    groups = np.repeat(np.arange(40), 3)
    y = (groups < 10).astype(int)
    for split in KFold(5, 3, stratify=True).splits(120, 0, y, groups):
        assert (split.test.size, y[split.test].sum()) == (24, 6)
    for split in Subsampling(n_test=8, repeats=5, stratify=True).splits(120, 0, y, groups):
        assert (split.test.size, y[split.test].sum()) == (24, 6)


def test_shares_of_mixed_groups_are_more_even_than_at_random(rng):
    groups = np.repeat(np.arange(60), rng.integers(1, 9, 60))
    y = (rng.random(groups.size) < rng.random(60)[groups]).astype(int)

    def spread(stratify):
        splits = KFold(5, 20, stratify=stratify).splits(groups.size, 0, y, groups)
        return np.std([y[split.test].mean() for split in splits])

    assert spread(stratify=True) < 0.5 * spread(stratify=False)


def test_bootstrap_draws_groups():
    groups = np.repeat(np.arange(20), [1, 2, 3, 4] * 5)
    for split in Bootstrap(30, training_error=True).splits(50, 0, groups=groups):
        if "resubstitution" in split.labels:
            assert split.train.size == split.test.size == 50
            continue
        times = np.bincount(split.train, minlength=50)
        for group in range(20):
            assert np.unique(times[groups == group]).size == 1
        assert times[np.searchsorted(groups, np.arange(20))].sum() == 20
        np.testing.assert_array_equal(split.test, np.flatnonzero(times == 0))


def test_stratified_bootstrap():
    y = np.repeat([0, 1, 2], [30, 15, 5])
    for split in Bootstrap(20, stratify=True).splits(50, 0, y):
        assert np.bincount(y[split.train]).tolist() == [30, 15, 5]
    groups = np.arange(50) // 5
    for split in Bootstrap(20, stratify=True).splits(50, 0, y, groups):
        assert np.bincount(y[split.train]).tolist() == [30, 15, 5]
        assert not set(groups[split.train]) & set(groups[split.test])
    with pytest.raises(InvalidInputError):
        list(Bootstrap(stratify=True).splits(4, 0, range(4)))


@pytest.mark.long
def test_every_example_is_tested_as_often(any_seed):
    """Counts of 4000 draws, each example with probability 1/5: five standard deviations are 126."""
    y, groups = np.repeat([0, 1], [37, 13]), np.arange(50) // 5
    for more in ({"y": y}, {"y": y, "groups": groups}, {"groups": groups}):
        plan = Subsampling(n_test=0.2, repeats=4000, stratify="y" in more and "groups" not in more)
        counts = np.bincount(
            np.concatenate([s.test for s in plan.splits(50, any_seed, **more)]), minlength=50
        )
        assert np.abs(counts - 800).max() < 127


def test_repeats_differ_and_plans_share_partitions():
    groups = np.arange(60) // 4
    folds = [split.test.tolist() for split in KFold(5, 2).splits(60, 0, groups=groups)]
    assert folds[:5] != folds[5:]
    both = draw(KFold(5, 2) + NestedKFold(5, 1), 60, 0, groups=groups)
    assert len(set(both.training_sets)) == 10 + 10


@pytest.mark.parametrize(
    "plan", [KFold(3), Subsampling(), Holdout(), NestedKFold(3, 1), Bootstrap(5), EqualKFold(3)]
)
def test_the_option_is_seen(plan):
    found = plan_of(plan, stratify=True)
    assert (plan.stratify, found.stratify) == (False, True)
    assert "stratify" not in repr(plan)
    assert repr(found) == repr(plan)[:-1] + ", stratify=True)"
    assert plan_of(Seeds(2, plan=plan), stratify=True).stratify


@pytest.mark.parametrize(
    "plan", [FiveByTwo(), Predefined([([0], [1])]), Seeds(2, plan=[([0], [1])])]
)
def test_plans_without_the_option(plan):
    with refused("stratify"):
        plan_of(KFold(3) + plan, stratify=True)


def test_what_cannot_be_stratified():
    plan = KFold(3, stratify=True)
    with refused("stratify"):
        list(plan.splits(9, 0))
    with refused("stratify"):
        list(plan.splits(3, 0, [1.0, 0.5, 2.0]))
    with refused("stratify"):
        KFold(3, stratify=1)


def test_too_few_groups():
    with refused("folds"):
        list(KFold(5).splits(9, 0, groups=np.arange(9) // 3))
    with refused("n_test"):
        list(Holdout(n_test=3).splits(9, 0, groups=np.arange(9) // 3))
    with refused("groups"):
        list(KFold(5).splits(9, 0, groups=np.arange(8)))


@pytest.mark.parametrize("given", [5, np.int64(5)])
def test_a_number_is_one_of_folds(given):
    assert plan_of(given) == KFold(5)
    assert Seeds(2, plan=given).plan == KFold(5)

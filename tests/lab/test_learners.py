"""The learners of the laboratory: all splits at once equal one by one, and both equal plain oracles and scikit-learn."""

import pickle
from collections import Counter
from fractions import Fraction
from itertools import pairwise
from math import log, prod

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from sklearn.base import clone, is_classifier, is_regressor
from sklearn.model_selection import cross_val_score
from sklearn.neighbors import KNeighborsClassifier
from sklearn.tree import DecisionTreeClassifier

import errbar
from tests.refusals import refused

pytestmark = pytest.mark.long

pytest.importorskip("numba")
learners = pytest.importorskip("errbar_lab.learners")

# The first call compiles.
settings.register_profile("kernels", deadline=None, max_examples=120)
KERNELS = settings.get_profile("kernels")

TREES = [
    learners.SplusTree(),
    learners.SplusTree(min_split=4, min_leaf=2, min_deviance=0.1),
    learners.SplusTree(min_split=2, min_leaf=1, min_deviance=0.0),
    learners.GiniTree(),
    learners.GiniTree(min_split=5, min_leaf=2),
]
NEIGHBOURS = [
    learners.DistortedNearestNeighbour(weight=3.0, stretched=(0,), shrunk=()),
    learners.DistortedNearestNeighbour(weight=26.0, stretched=(), shrunk=(0,)),
    learners.DistortedNearestNeighbour(weight=0.7, stretched=(), shrunk=()),
]
CLASSIFIERS = [*TREES, *NEIGHBOURS]


@st.composite
def data_sets(draw, classes=4):
    """Features with ties, constants and few or many values, and labels of which some may be missing in a split."""
    n, p = draw(st.integers(2, 32)), draw(st.integers(1, 4))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    scales = [draw(st.sampled_from([0, 1, 2, 5, 1000])) for _ in range(p)]
    X = np.column_stack([rng.integers(0, scale + 1, n) for scale in scales]).astype(float)
    if draw(st.booleans()):
        X = X * 0.1 - rng.normal(size=p).round(1)
    y = rng.integers(0, draw(st.integers(1, classes)), n)
    if draw(st.booleans()):
        y = np.minimum(y, (X[:, 0] > np.median(X[:, 0])) + rng.integers(0, 2, n))
    return X, y.astype(np.int64), rng


def some_splits(rng, n, count):
    """Training sets of all kinds: without order, with repeats, of one example; test sets that may overlap or be empty."""
    trains, tests = [], []
    for _ in range(count):
        size = int(rng.integers(1, n + 1))
        trains.append(rng.choice(n, size, replace=bool(rng.integers(2))))
        tests.append(rng.choice(n, int(rng.integers(0, n + 1)), replace=bool(rng.integers(2))))
    return trains, tests


def together(learner, X, y, trains, tests):
    return np.concatenate(learner.fit_predict_many(X, y, trains, tests))


def one_by_one(learner, X, y, trains, tests):
    """The meaning of `fit_predict_many`."""
    parts = [
        learner.fit(X[a], y[a]).predict(X[b]) if b.size else y[:0]
        for a, b in zip(trains, tests, strict=True)
    ]
    return np.concatenate(parts)


def letters(rng, n, classes=26, features=16):
    """Data like Letter Recognition: whole numbers from 0 to 15, many ties."""
    centres = np.random.default_rng(2).uniform(3, 12, (classes, features))
    y = rng.integers(0, classes, n)
    return np.clip(np.rint(rng.normal(centres[y], 2.0)), 0, 15), y


@pytest.mark.thorough
class TestAllSplitsAtOnce:
    @KERNELS
    @given(data=data_sets(), which=st.sampled_from(CLASSIFIERS), count=st.integers(1, 12))
    def test_classifiers_equal_fit_and_predict(self, data, which, count):
        X, y, rng = data
        trains, tests = some_splits(rng, y.size, count)
        found = together(clone(which), X, y, trains, tests)
        np.testing.assert_array_equal(found, one_by_one(clone(which), X, y, trains, tests))

    @pytest.mark.parametrize("learner", [*TREES, learners.DistortedNearestNeighbour()], ids=repr)
    def test_it_does_so_on_the_sizes_of_the_studies(self, learner, rng):
        X, y = letters(rng, 300)
        orders = [rng.permutation(300) for _ in range(30)]
        trains = [order[:150] for order in orders] + [np.sort(order[:120]) for order in orders]
        tests = [order[150:] for order in orders] + [order[150:180] for order in orders]
        found = together(learner, X, y, trains, tests)
        np.testing.assert_array_equal(found, one_by_one(clone(learner), X, y, trains, tests))
        assert found.dtype == np.int64

    def test_a_split_does_not_depend_on_the_others(self, rng):
        X, y = letters(rng, 60)
        trains, tests = some_splits(rng, 60, 200)
        for learner in (learners.GiniTree(), learners.DistortedNearestNeighbour()):
            every = together(learner, X, y, trains, tests)
            alone = [together(learner, X, y, [a], [b]) for a, b in zip(trains, tests, strict=True)]
            np.testing.assert_array_equal(every, np.concatenate(alone))

    @pytest.mark.parametrize("learner", CLASSIFIERS, ids=repr)
    def test_data_in_another_layout_or_read_only_give_the_same(self, learner, rng):
        X, y = letters(rng, 50)
        trains, tests = some_splits(rng, 50, 3)
        locked = X.copy()
        locked.setflags(write=False)
        expected = together(learner, X, y, trains, tests)
        for other in (np.asfortranarray(X), locked, X.astype(np.int16)):
            np.testing.assert_array_equal(
                together(learner, other, y.astype(np.int8), trains, tests), expected
            )


def purity(labels, gini):
    """How pure a node is, exactly: gini's sum of squares, or the largest likelihood of the labels."""
    count, n = [int(k) for k in Counter(np.asarray(labels).tolist()).values()], len(labels)
    return (
        Fraction(sum(k * k for k in count), n)
        if gini
        else Fraction(prod(k**k for k in count), n**n)
    )


def plain_tree(X, y, new, learner):
    """Predictions of the tree grown by the written rules, with exact numbers: slow, recursive, brute force."""
    gini = isinstance(learner, learners.GiniTree)

    def deviance(labels):
        count = Counter(labels)
        return -2 * sum(k * log(k / len(labels)) for k in count.values())

    def together(a, b):
        return a + b if gini else a * b

    def best_split(rows):
        labels = [y[i] for i in rows]
        best, found = (Fraction(-1) if gini else purity(labels, gini)), None
        for f in range(X.shape[1]):
            values = sorted({X[i, f] for i in rows})
            for low, high in pairwise(values):
                left = [i for i in rows if X[i, f] <= low]
                right = [i for i in rows if X[i, f] > low]
                if min(len(left), len(right)) < learner.min_leaf:
                    continue
                score = together(
                    purity([y[i] for i in left], gini), purity([y[i] for i in right], gini)
                )
                if score > best:
                    best, found = score, (f, (low + high) / 2, left, right)
        return found

    def label(rows):
        count = Counter(y[i] for i in rows)
        return min(count, key=lambda c: (-count[c], c))

    least = 0.0 if gini else learner.min_deviance * deviance(list(y)) - 1e-9

    def answer(rows, x):
        labels = [y[i] for i in rows]
        if len(rows) < learner.min_split or len(set(labels)) == 1 or deviance(labels) < least:
            return label(rows)
        split = best_split(rows)
        if split is None:
            return label(rows)
        f, threshold, left, right = split
        return answer(left if x[f] <= threshold else right, x)

    return np.array([answer(list(range(len(y))), x) for x in new])


class TestTrees:
    @settings(KERNELS, max_examples=60)
    @given(data=data_sets(), which=st.sampled_from(TREES))
    def test_they_follow_the_written_rules(self, data, which):
        X, y, rng = data
        new = X[rng.integers(0, y.size, 6)] + rng.choice([0.0, 0.0, 0.37], (6, X.shape[1]))
        np.testing.assert_array_equal(
            clone(which).fit(X, y).predict(new), plain_tree(X, y, new, which)
        )

    @pytest.mark.parametrize("which", TREES, ids=repr)
    def test_they_do_on_data_like_letters(self, which, rng):
        X, y = letters(rng, 70, classes=6, features=5)
        new, _ = letters(rng, 25, classes=6, features=5)
        np.testing.assert_array_equal(
            clone(which).fit(X, y).predict(new), plain_tree(X, y, new, which)
        )

    @pytest.mark.parametrize("features", [1, 4])
    @pytest.mark.parametrize(
        ("ours", "theirs"),
        [
            (learners.GiniTree(), DecisionTreeClassifier()),
            (
                learners.GiniTree(min_split=30, min_leaf=4),
                DecisionTreeClassifier(min_samples_split=30, min_samples_leaf=4),
            ),
            (
                learners.SplusTree(min_deviance=0.0),
                DecisionTreeClassifier(
                    criterion="log_loss", min_samples_split=10, min_samples_leaf=5
                ),
            ),
        ],
        ids=["gini", "gini with leaves", "deviance"],
    )
    def test_they_part_from_scikit_learn_at_exact_ties_only(self, ours, theirs, features, any_seed):
        shared = 0
        for seed in range(10 * any_seed, 10 * any_seed + 10):
            X, y, _ = overlapping(seed, features)
            found = clone(ours).fit(X, y), clone(theirs).set_params(random_state=seed).fit(X, y)
            shared += splits_in_common(*found, X, y)
        assert shared >= 10 * 4

    @pytest.mark.parametrize("criterion", ["gini", "log_loss"])
    def test_without_ties_they_predict_what_scikit_learn_does(self, criterion, any_seed):
        # Large nodes with many possible splits hardly ever tie.
        for seed in range(20 * any_seed, 20 * any_seed + 20):
            X, y, new = overlapping(seed, 4)
            theirs = DecisionTreeClassifier(
                criterion=criterion, min_samples_split=100, min_samples_leaf=15, random_state=0
            )
            ours = (
                learners.GiniTree(100, 15)
                if criterion == "gini"
                else learners.SplusTree(100, 15, 0.0)
            )
            np.testing.assert_array_equal(
                ours.fit(X, y).predict(new), theirs.fit(X, y).predict(new)
            )

    def test_a_fully_grown_tree_errs_as_often_as_that_of_scikit_learn(self, rng):
        differences = []
        for _ in range(60):
            X, y = letters(rng, 400, classes=10)
            X = X[:, rng.permutation(X.shape[1])]
            ours = learners.GiniTree().fit(X[:120], y[:120]).predict(X[120:])
            theirs = DecisionTreeClassifier(random_state=0).fit(X[:120], y[:120]).predict(X[120:])
            differences.append(np.mean(ours != y[120:]) - np.mean(theirs != y[120:]))
        assert abs(np.mean(differences)) < 5 * np.std(differences) / np.sqrt(len(differences))
        assert np.std(differences) / np.sqrt(len(differences)) < 0.01

    def test_fully_grown_means_that_distinct_training_examples_are_learned(self, rng):
        X, y = rng.normal(size=(200, 3)), rng.integers(0, 5, 200)
        tree = learners.GiniTree().fit(X, y)
        np.testing.assert_array_equal(tree.predict(X), y)
        assert (
            tree.nodes_.shape[0] == tree.thresholds_.size == 2 * np.sum(tree.nodes_[:, 0] == -1) - 1
        )

    def test_large_nodes_are_handled(self, rng):
        X = rng.normal(size=(20_000, 1)).astype(np.float32).astype(np.float64)
        y = (X[:, 0] + rng.normal(size=20_000) > 0).astype(int)
        theirs = DecisionTreeClassifier(criterion="log_loss", max_depth=1).fit(X, y)
        assert learners.SplusTree().fit(X, y).thresholds_[0] == theirs.tree_.threshold[0]

    @pytest.mark.parametrize(
        "learner", [learners.SplusTree(2, 1, 0.0), learners.GiniTree()], ids=repr
    )
    def test_a_threshold_that_cannot_be_told_from_the_upper_value_becomes_the_lower_one(
        self, learner
    ):
        tiny = 5e-324
        for low, high in [
            (1.0, np.nextafter(1.0, 2)),
            (0.0, tiny),
            (tiny, 2 * tiny),
            (-tiny, 0.0),
            (-1e308, 1.7e308),
        ]:
            X = np.array([[low], [low], [high], [high]])
            np.testing.assert_array_equal(learner.fit(X, [0, 0, 1, 1]).predict(X), [0, 0, 1, 1])

    def test_of_equally_good_splits_the_first_feature_and_lowest_threshold_wins(self):
        X = np.repeat(np.arange(3.0), 6)[:, None] * [1.0, 1.0]
        y = np.repeat([0, 1, 0], 6)
        for learner in (learners.SplusTree(), learners.GiniTree()):
            tree = learner.fit(X, y)
            assert tree.nodes_[0, 0] == 0
            assert tree.thresholds_[0] == 0.5

    def test_splus_stops_by_its_three_rules(self):
        X, y = np.arange(10.0)[:, None], np.repeat([0, 1], 5)
        assert learners.SplusTree().fit(X, y).nodes_.shape == (3, 4)
        assert learners.SplusTree(min_split=11).fit(X, y).nodes_.shape == (1, 4)
        assert learners.SplusTree(min_leaf=6).fit(X, y).nodes_.shape == (1, 4)
        y[4] = 1
        assert learners.SplusTree(min_leaf=4).fit(X, y).thresholds_[0] == 3.5
        # The first 18 are split off; what is left, 2 and 20, has a known share of the deviance of 20 and 20.
        X, y = np.arange(40.0)[:, None], np.repeat([0, 1, 0, 1], [18, 2, 2, 18])
        share = (2 * log(2 / 22) + 20 * log(20 / 22)) / (40 * log(1 / 2))
        rules = {"min_split": 2, "min_leaf": 1}
        assert learners.SplusTree(min_deviance=share * 1.001, **rules).fit(X, y).nodes_.shape == (
            3,
            4,
        )
        assert learners.SplusTree(min_deviance=share * 0.999, **rules).fit(X, y).nodes_.shape[0] > 3


def overlapping(seed, features):
    """Continuous features in single precision, as scikit-learn sees them, and three overlapping classes."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(300, features)).astype(np.float32).astype(np.float64)
    y = np.digitize(X @ rng.normal(size=features) + rng.normal(size=300), [-0.7, 0.7])
    return X, y, rng.normal(size=(500, features)).astype(np.float32).astype(np.float64)


def splits_in_common(ours, theirs, X, y):
    """Follow both trees from the root to where they part, and see that what they chose there is equally good."""
    gini = isinstance(ours, learners.GiniTree)

    def score(rows, f, threshold):
        left = X[rows, f] <= threshold
        a, b = purity(y[rows[left]], gini), purity(y[rows[~left]], gini)
        return a + b if gini else a * b

    def follow(rows, a, b):
        f, g = ours.nodes_[a, 0], theirs.tree_.feature[b]
        here, there = ours.thresholds_[a], theirs.tree_.threshold[b]
        if f < 0 or g < 0:
            assert (f < 0 and g < 0) or score(rows, g, there) == purity(y[rows], gini)
            return 0
        if (f, here) != (g, there):
            assert score(rows, f, here) == score(rows, g, there)
            return 0
        left = X[rows, f] <= here
        on_the_left = follow(rows[left], ours.nodes_[a, 1], theirs.tree_.children_left[b])
        return (
            1 + on_the_left + follow(rows[~left], ours.nodes_[a, 2], theirs.tree_.children_right[b])
        )

    return follow(np.arange(y.size), 0, 0)


def plain_neighbour(X, y, new, learner):
    weight = [Fraction(1)] * X.shape[1]
    for f in learner.stretched:
        weight[f] = Fraction(learner.weight)
    for f in learner.shrunk:
        weight[f] = 1 / Fraction(learner.weight)
    labels = []
    for x in new:
        far = [
            sum(
                w * (Fraction(a) - Fraction(b)) ** 2 for w, a, b in zip(weight, row, x, strict=True)
            )
            for row in X
        ]
        labels.append(y[far.index(min(far))])
    return np.array(labels)


class TestNeighbour:
    @settings(KERNELS, max_examples=60)
    @given(data=data_sets(), weight=st.sampled_from([1.0, 3.0, 26.0, 0.25]), swapped=st.booleans())
    def test_it_is_the_first_of_the_nearest(self, data, weight, swapped):
        X, y, rng = data
        X = np.rint(X)
        stretched, shrunk = (0,), (X.shape[1] - 1,) if X.shape[1] > 1 else ()
        if swapped:
            stretched, shrunk = shrunk, stretched
        learner = learners.DistortedNearestNeighbour(weight, stretched, shrunk)
        new = X[rng.integers(0, y.size, 5)] + rng.integers(-1, 2, (5, X.shape[1]))
        np.testing.assert_array_equal(
            learner.fit(X, y).predict(new), plain_neighbour(X, y, new, learner)
        )

    def test_the_order_of_the_training_set_decides_ties(self):
        X, y = np.array([[0.0], [2.0], [1.0], [2.0]]), np.array([0, 1, 2, 3])
        learner = learners.DistortedNearestNeighbour(2.0, (), ())
        trains = [np.array(train) for train in ([0, 1, 3], [1, 0, 3], [3, 1, 0], [3, 3, 1])]
        for repeats in (1, 20):
            found = together(learner, X, y, trains * repeats, [np.array([2, 1])] * 4 * repeats)
            assert found.tolist() == [0, 1, 1, 1, 3, 3, 3, 3] * repeats

    def test_without_distortion_it_is_scikit_learn(self, rng):
        X, y, new = rng.normal(size=(200, 16)), rng.integers(0, 9, 200), rng.normal(size=(300, 16))
        plain = KNeighborsClassifier(1).fit(X, y).predict(new)
        np.testing.assert_array_equal(
            learners.DistortedNearestNeighbour(1.0).fit(X, y).predict(new), plain
        )

    def test_the_weight_multiplies_squared_differences(self, rng):
        X, y, new = rng.normal(size=(200, 16)), rng.integers(0, 9, 200), rng.normal(size=(300, 16))
        scale = np.ones(16)
        scale[[0, 2, 8, 15]], scale[[4, 10, 12]] = np.sqrt(7.0), 1 / np.sqrt(7.0)
        scaled = KNeighborsClassifier(1).fit(X * scale, y).predict(new * scale)
        np.testing.assert_array_equal(
            learners.DistortedNearestNeighbour(7.0).fit(X, y).predict(new), scaled
        )
        assert (scaled != KNeighborsClassifier(1).fit(X, y).predict(new)).any()


ALL = [
    learners.SplusTree(),
    learners.GiniTree(),
    learners.DistortedNearestNeighbour(5.0, (0,), (1,)),
]


@pytest.mark.parametrize("learner", ALL, ids=repr)
class TestEstimators:
    def data(self, learner, rng):
        X = rng.normal(size=(60, 3))
        y = 4 * X[:, 0] + rng.normal(size=60)
        return X, y if is_regressor(learner) else np.where(y > 0, "yes", "no")

    def test_they_can_be_cloned_and_pickled(self, learner, rng):
        X, y = self.data(learner, rng)
        copy = clone(learner)
        assert copy.get_params() == learner.get_params()
        fitted = copy.fit(X, y)
        again = pickle.loads(pickle.dumps(fitted))
        np.testing.assert_array_equal(again.predict(X), fitted.predict(X))
        assert fitted is copy
        assert fitted.n_features_in_ == 3

    def test_they_say_what_they_are(self, learner, rng):
        assert is_regressor(learner) != is_classifier(learner)
        if is_classifier(learner):
            X, y = self.data(learner, rng)
            fitted = clone(learner).fit(X, y)
            assert fitted.classes_.tolist() == ["no", "yes"]
            assert set(fitted.predict(X)) <= {"no", "yes"}

    def test_scikit_learn_can_cross_validate_them(self, learner, rng):
        X, y = self.data(learner, rng)
        assert cross_val_score(learner, X, y, cv=4).mean() > (
            0.7 if is_regressor(learner) else 0.65
        )

    def test_the_engine_gives_what_fits_one_by_one_give(self, learner, rng):
        X, y = self.data(learner, rng)
        plan = errbar.plans.KFold(folds=6)
        table = errbar.run({"it": learner}, X, y, plan=plan, random_state=3)
        expected = []
        for split in plan.splits(60, 3):
            predicted = clone(learner).fit(X[split.train], y[split.train]).predict(X[split.test])
            if is_regressor(learner):
                expected.append(np.mean((predicted - y[split.test]) ** 2))
            else:
                expected.append(np.mean(predicted != y[split.test]))
        np.testing.assert_allclose(
            errbar.infer(table, "kfold-t", "it").estimate, np.mean(expected), rtol=1e-12
        )

    @pytest.mark.parametrize("bad", [np.nan, np.inf])
    def test_features_must_be_finite(self, learner, bad, rng):
        X, y = self.data(learner, rng)
        fitted = clone(learner).fit(X, y)
        X[7, 1] = bad
        with pytest.raises(ValueError, match=r"."):
            learner.fit(X, y)
        with pytest.raises(ValueError, match=r"."):
            fitted.predict(X)

    def test_features_must_be_a_table_of_numbers(self, learner):
        for X, y in (
            ([1.0, 2, 3, 4], [0, 1, 0, 1]),
            ([["a", "b"], ["c", "d"]], [0, 1]),
            ([[1.0, 2], [3, 4], [5, 6]], [0, 1]),
        ):
            with pytest.raises(ValueError, match=r"."):
                learner.fit(X, y)

    def test_predictions_need_as_many_features_as_training(self, learner, rng):
        X, y = self.data(learner, rng)
        with refused("X"):
            clone(learner).fit(X, y).predict(X[:, :2])

    @pytest.mark.parametrize(("trains", "tests"), [([[0, 4]], [[1]]), ([[0, 1]], [[-1]])])
    def test_positions_are_checked(self, learner, trains, tests):
        X, y = np.arange(8.0).reshape(4, 2), np.array([0, 1, 0, 1])
        with refused("train_rows"):
            together(learner, X, y, [np.array(a) for a in trains], [np.array(b) for b in tests])


@pytest.mark.parametrize(
    ("learner", "argument"),
    [
        (learners.SplusTree(min_leaf=0), "min_leaf"),
        (learners.SplusTree(min_split=1), "min_split"),
        (learners.SplusTree(min_deviance=-0.1), "min_deviance"),
        (learners.SplusTree(min_deviance=np.nan), "min_deviance"),
        (learners.GiniTree(min_leaf=2.5), "min_leaf"),
        (learners.DistortedNearestNeighbour(weight=0), "weight"),
        (learners.DistortedNearestNeighbour(weight=-1.0), "weight"),
        (learners.DistortedNearestNeighbour(weight=np.inf), "weight"),
        (learners.DistortedNearestNeighbour(2.0, (0, 2), ()), "stretched"),
        (learners.DistortedNearestNeighbour(2.0, (), (-1,)), "stretched"),
        (learners.DistortedNearestNeighbour(2.0, (0,), (0,)), "stretched"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_parameters_are_checked(learner, argument):
    X, y = np.arange(8.0).reshape(4, 2), np.array([0, 1, 0, 1])
    with refused(argument):
        learner.fit(X, y)
    with refused(argument):
        together(learner, X, y, [np.arange(3)], [np.arange(3)])


def test_labels_are_those_of_classes():
    with pytest.raises(ValueError, match=r"."):
        learners.GiniTree().fit(np.arange(4.0)[:, None], [0.5, 1.3, 0.2, 2.2])

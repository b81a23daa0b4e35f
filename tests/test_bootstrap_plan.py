"""The bootstrap plan: copies of an example stay together, samples are uniform, and runs make the right fits of them."""

import numpy as np
import pytest
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.datasets import load_breast_cancer, load_diabetes
from sklearn.dummy import DummyRegressor
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

import errbar
from errbar import _rng
from errbar.plans import Bootstrap, KFold, draw
from tests.refusals import refused

X_CANCER, Y_CANCER = load_breast_cancer(return_X_y=True)
X_DIABETES, Y_DIABETES = load_diabetes(return_X_y=True)


def indices(splits):
    return [(split.train.tolist(), split.test.tolist()) for split in splits]


class TestSamples:
    @pytest.mark.parametrize("n", [2, 3, 7, 100])
    def test_copies_are_never_on_both_sides(self, n, any_seed):
        for split in Bootstrap(repeats=50).splits(n, any_seed):
            assert split.train.size == n
            assert not set(split.train.tolist()) & set(split.test.tolist())
            assert set(split.train.tolist()) | set(split.test.tolist()) == set(range(n))
            assert split.test.size > 0
            assert np.unique(split.test).size == split.test.size

    def test_with_copies(self):
        assert all(
            np.unique(split.train).size < 100 for split in Bootstrap(repeats=20).splits(100, 0)
        )

    @pytest.mark.parametrize("n", [20, 100])
    def test_share_of_distinct_examples(self, n, any_seed):
        """The number left out has mean n q with q = (1 - 1/n)^n and a variance that is known exactly."""
        left_out = np.array(
            [split.test.size for split in Bootstrap(repeats=1000).splits(n, any_seed)]
        )
        one, two = (1 - 1 / n) ** n, (1 - 2 / n) ** n
        variance = n * one + n * (n - 1) * two - (n * one) ** 2
        assert abs(left_out.mean() - n * one) < 5 * np.sqrt(variance / 1000)
        assert left_out.var() == pytest.approx(variance, rel=0.3)
        assert 1 - left_out.mean() / n == pytest.approx(0.632, abs=0.02)

    def test_every_example_is_drawn_as_often(self, any_seed):
        total = np.bincount(
            np.concatenate([s.train for s in Bootstrap(repeats=500).splits(30, any_seed)]),
            minlength=30,
        )
        # 15000 draws, each example with probability 1/30
        assert np.square(total - 500.0).sum() / 500.0 < 29 + 6 * np.sqrt(2 * 29)

    def test_two_examples_leave_one_out_every_time(self, any_seed):
        firsts = [split.train.tolist() for split in Bootstrap(repeats=60).splits(2, any_seed)]
        assert {tuple(train) for train in firsts} == {(0, 0), (1, 1)}

    def test_more_samples_keep_the_first_ones(self, any_seed):
        few, many = (
            Bootstrap(repeats=4).splits(40, any_seed),
            Bootstrap(repeats=30).splits(40, any_seed),
        )
        assert indices(few) == indices(many)[:4]

    def test_the_training_error_changes_no_sample(self, any_seed):
        plain = list(Bootstrap(repeats=4).splits(40, any_seed))
        more = list(Bootstrap(repeats=4, training_error=True).splits(40, any_seed))
        assert indices(plain) == indices(more[:4])
        assert indices(more[4:]) == [(list(range(40)), list(range(40)))]
        assert [dict(split.labels) for split in more] == [{"repeat": b} for b in range(4)] + [
            {"resubstitution": 0}
        ]

    def test_samples_differ(self, any_seed):
        trains = {
            tuple(split.train.tolist()) for split in Bootstrap(repeats=50).splits(40, any_seed)
        }
        assert len(trains) == 50

    def test_another_seed_gives_others(self, any_seed):
        assert indices(Bootstrap().splits(40, any_seed)) == indices(
            Bootstrap().splits(40, any_seed)
        )
        assert indices(Bootstrap().splits(40, any_seed)) != indices(
            Bootstrap().splits(40, any_seed + 1)
        )

    def test_each_sample_has_the_stream_of_its_own_name(self):
        split = list(Bootstrap(repeats=6).splits(25, 9))[5]
        assert split.train.tolist() == sorted(
            _rng.stream(9, "bootstrap", 5).integers(25, size=25).tolist()
        )

    @pytest.mark.parametrize("repeats", [1, 0, -3, 2.0, True, "9"])
    def test_the_number_of_samples_is_checked(self, repeats):
        with refused("repeats"):
            Bootstrap(repeats=repeats)

    @pytest.mark.parametrize("flag", [1, None, "yes"])
    def test_the_training_error_is_a_yes_or_no(self, flag):
        with refused("training_error"):
            Bootstrap(training_error=flag)

    def test_one_group_is_refused(self):
        with refused("groups"):
            list(Bootstrap().splits(10, 0, groups=["a"] * 10))


class TestSharedFits:
    X, y = X_CANCER[::8], Y_CANCER[::8]

    def test_a_longer_plan_shares_the_samples_of_a_shorter_one(self):
        plan = Bootstrap(repeats=5) + Bootstrap(repeats=12, training_error=True)
        table = errbar.run({"bayes": GaussianNB()}, self.X, self.y, plan=plan, random_state=0)
        assert table.counts.fits == 13
        assert table.scores.shape == (1, 5 + 13)

    def test_a_store_keeps_them(self):
        store = errbar.Store()
        learner = {"bayes": GaussianNB()}
        errbar.run(learner, self.X, self.y, plan=Bootstrap(repeats=6), random_state=0, store=store)
        again = errbar.run(
            learner, self.X, self.y, plan=Bootstrap(repeats=9), random_state=0, store=store
        )
        assert (again.counts.fits, again.counts.reused) == (3, 6)
        more = errbar.run(
            learner, self.X, self.y, plan=Bootstrap(repeats=12), random_state=0, store=store
        )
        assert (more.counts.fits, more.counts.reused) == (3, 9)

    def test_each_plan_of_a_union_keeps_its_own_splits(self):
        learners = {"bayes": GaussianNB(), "tree": DecisionTreeClassifier(max_depth=2)}
        plan = KFold(5) + Bootstrap(repeats=15, training_error=True)
        both = errbar.run(learners, self.X, self.y, plan=plan, random_state=4)
        alone = errbar.run(learners, self.X, self.y, plan=plan.parts()[1], random_state=4)
        for key in ("oob-bootstrap", "632", "632-plus", "bootstrap-benchmark"):
            assert errbar.infer(both, key, "bayes", "tree") == errbar.infer(
                alone, key, "bayes", "tree"
            )
        of_folds = errbar.run(learners, self.X, self.y, plan=KFold(5), random_state=4)
        assert errbar.infer(both, "cv-wald", "tree") == errbar.infer(of_folds, "cv-wald", "tree")


class CountsCopies(RegressorMixin, BaseEstimator):
    """Predicts, for everything, how many examples it was given; and refuses to be given an example it has seen."""

    def fit(self, X, y):
        self.seen_ = set(np.asarray(X)[:, 0].tolist())
        self.size_ = len(y)
        return self

    def predict(self, X):
        assert not self.seen_ & set(np.asarray(X)[:, 0].tolist())
        return np.full(len(X), float(self.size_))


class TestRuns:
    def test_learners_get_the_copies_and_no_test_example(self):
        X = np.arange(30.0)[:, np.newaxis]
        table = errbar.run(
            {"count": CountsCopies()}, X, np.zeros(30), plan=Bootstrap(repeats=10), random_state=0
        )
        np.testing.assert_array_equal(table.points, 900.0)

    def test_copies_weigh_as_often_as_they_are_drawn(self):
        y = Y_DIABETES[:50]
        plan = Bootstrap(repeats=8, training_error=True)
        table = errbar.run(
            {"mean": DummyRegressor()}, X_DIABETES[:50], y, plan=plan, random_state=2
        )
        splits = draw(plan, 50, 2).splits
        for j, split in enumerate(splits):
            expected = np.mean(
                [(y[i] - np.mean([y[k] for k in split.train])) ** 2 for i in split.test]
            )
            assert table.scores[0, j] == pytest.approx(expected, rel=1e-12)

    def test_breast_cancer_by_hand(self):
        learners = {"bayes": GaussianNB(), "tree": DecisionTreeClassifier(random_state=0)}
        plan = Bootstrap(repeats=6, training_error=True)
        table = errbar.run(learners, X_CANCER, Y_CANCER, plan=plan, random_state=1)
        splits = list(plan.splits(len(Y_CANCER), 1))
        assert table.counts.fits == 14
        np.testing.assert_array_equal(table.splits.n_train, [len(Y_CANCER)] * 7)
        for row, learner in enumerate(learners.values()):
            for j, split in enumerate(splits):
                model = learner.fit(X_CANCER[split.train], Y_CANCER[split.train])
                wrong = model.predict(X_CANCER[split.test]) != Y_CANCER[split.test]
                np.testing.assert_array_equal(table.points[row, table.cells.split == j], wrong)

    def test_the_view_knows_what_each_sample_holds(self):
        plan = Bootstrap(repeats=7, training_error=True)
        table = errbar.run({"bayes": GaussianNB()}, X_CANCER, Y_CANCER, plan=plan, random_state=1)
        view = errbar.OutOfBag.of(table.losses("bayes"))
        splits = list(plan.splits(len(Y_CANCER), 1))[:7]
        assert view.counts.shape == (len(Y_CANCER), 7)
        for b, split in enumerate(splits):
            np.testing.assert_array_equal(
                view.counts[:, b], np.bincount(split.train, minlength=len(Y_CANCER))
            )
            np.testing.assert_array_equal(np.sort(view.example[view.sample == b]), split.test)
        assert view.training_error == table.scores[0, 7]

    @pytest.mark.long
    def test_workers_do_not_matter(self):
        plan = Bootstrap(repeats=4, training_error=True)
        learners = {"tree": DecisionTreeClassifier()}
        one, two = (
            errbar.run(
                learners, X_CANCER[::6], Y_CANCER[::6], plan=plan, random_state=0, n_jobs=jobs
            )
            for jobs in (1, 2)
        )
        np.testing.assert_array_equal(one.points, two.points)

"""Several fits on each training set, each with a seed of its own."""

import numpy as np
import pytest
from sklearn.base import is_regressor
from sklearn.datasets import load_iris
from sklearn.model_selection import StratifiedKFold
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

import errbar
from errbar import plans
from errbar.plans import (
    Holdout,
    KFold,
    NestedKFold,
    Predefined,
    Seeds,
    Subsampling,
    Training,
    draw,
)
from tests.fits.learners import GlobalNoise, Legacy, OwnNoise
from tests.refusals import refused

X, Y = load_iris(return_X_y=True)
TREE = DecisionTreeClassifier(max_features=1)


def run(plan, learner=TREE, **more):
    return errbar.run({"m": learner}, X, Y, plan=plan, random_state=0, **more)


def different(table, seeds):
    """Whether the predictions of all seeds, which are the same splits, differ."""
    return len({own.tobytes() for own in table.predictions[0]["label"].reshape(seeds, -1)}) == seeds


class TestPlan:
    @pytest.mark.parametrize(
        "inner",
        [Holdout(n_test=0.3), KFold(4, 2), Subsampling(repeats=3), NestedKFold(3, 1)],
        ids=str,
    )
    def test_the_splits_are_those_of_the_plan(self, inner):
        once, found = list(inner.splits(60, 7)), list(Seeds(3, plan=inner).splits(60, 7))
        assert len(found) == 3 * len(once)
        for place, split in enumerate(found):
            seed, own = place // len(once), once[place % len(once)]
            np.testing.assert_array_equal(split.train, own.train)
            np.testing.assert_array_equal(split.test, own.test)
            assert dict(split.labels) == {**own.labels, "seed": seed}

    def test_the_contract(self):
        assert Seeds(5, plan=errbar.plans.Holdout(0.2)).plan == Holdout(n_train=0.2)
        assert Seeds().seeds == 5

    @pytest.mark.parametrize("seeds", [1, 0, True, 2.0, None])
    def test_at_least_two(self, seeds):
        with refused("seeds"):
            Seeds(seeds)

    def test_refusals(self):
        with refused("plan"):
            Seeds(2, plan=Seeds(2))
        with refused("plan"):
            Seeds(2, plan=KFold(3) + Holdout())
        with refused("plan"):
            Seeds(2, plan="kfold")

    def test_fits(self):
        drawn = draw(Seeds(3, plan=KFold(4)) + KFold(4), 60, 0)
        assert (len(set(drawn.training_sets)), len(set(drawn.fits))) == (4, 16)


class TestDesign:
    @pytest.mark.parametrize(
        ("inner", "kind", "training", "testing"),
        [
            (Holdout(), "holdout", Training.ONE, plans.Testing.SAME),
            (
                Predefined([(range(100), range(100, 150))]),
                "holdout",
                Training.ONE,
                plans.Testing.SAME,
            ),
            (KFold(3), "kfold", Training.RANDOM, plans.Testing.FOLDS),
            (Subsampling(repeats=3), "subsampling", Training.RANDOM, plans.Testing.OVERLAPPING),
            (StratifiedKFold(3), "kfold", Training.RANDOM, plans.Testing.FOLDS),
        ],
        ids=str,
    )
    def test_what_it_is(self, inner, kind, training, testing):
        plan = Seeds(4, plan=inner)
        [design] = run(plan).splits.designs
        assert (design.kind, design.training, design.testing, design.seeds) == (
            kind,
            training,
            testing,
            4,
        )
        assert design.stratified == isinstance(inner, StratifiedKFold)

    def test_beside_other_plans(self):
        table = run(Seeds(3, plan=KFold(4)) + KFold(4))
        assert [design.seeds for design in table.splits.designs] == [3, 1]
        assert table.counts.fits == 16
        single = run(KFold(4))
        np.testing.assert_array_equal(table.scores[:, 12:], single.scores)

    @pytest.mark.parametrize(
        "method", ["holdout-t", "corrected-t", "cv-wald", "bootstrap", "paired-proportions"]
    )
    def test_seeds_are_not_taken_for_independent_numbers(self, method):
        plan = Seeds(3, plan=KFold(4)) if method == "cv-wald" else Seeds(3)
        learners = {"a": TREE, "b": GaussianNB()}
        with pytest.raises(errbar.UnsuitablePlanError):
            errbar.compare(learners, X, Y, plan=plan, method=method, random_state=0)


class TestFits:
    @pytest.mark.parametrize("learner", [TREE, Legacy(), GlobalNoise(), OwnNoise()], ids=str)
    def test_seeds_differ_and_more_seeds_keep_the_first(self, learner):
        y = X[:, 0] if is_regressor(learner) else Y
        few, many = (
            errbar.run({"m": learner}, X, y, plan=Seeds(s, plan=KFold(3)), random_state=0)
            for s in (2, 4)
        )
        np.testing.assert_array_equal(few.points[0], many.points[0][: few.points.shape[1]])
        assert different(many, 4)

    def test_a_seed_is_another_fit_than_none(self):
        table = run(Seeds(2, plan=KFold(3)) + KFold(3))
        assert different(table, 3)

    def test_the_store(self, tmp_path):
        store = tmp_path / "runs.db"
        alone = run(Seeds(4, plan=KFold(3)))
        assert run(KFold(3), store=store).counts.fits == 3
        for seeds, counts in ((2, (6, 0)), (4, (6, 6)), (3, (0, 9)), (4, (0, 12))):
            found = run(Seeds(seeds, plan=KFold(3)), store=store)
            assert (found.counts.fits, found.counts.reused) == counts
            np.testing.assert_array_equal(found.scores[0], alone.scores[0, : 3 * seeds])
        assert run(Seeds(2, plan=KFold(3)) + KFold(3), store=store).counts.reused == 9

    def test_a_fixed_random_state_is_pointed_out(self):
        fixed = run(Seeds(3), DecisionTreeClassifier(max_features=1, random_state=0))
        assert [note.code for note in fixed.notes] == ["same-for-every-seed"]
        assert fixed.notes[0].numbers["learners"] == ("m",)
        assert not run(Seeds(3)).notes

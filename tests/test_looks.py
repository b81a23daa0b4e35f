"""Comparisons that stop when they are decided: which fits are done, what is answered, and what is refused."""

import json

import numpy as np
import pytest
from sklearn.datasets import make_classification
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

import errbar
from errbar import InvalidInputError, UnsuitablePlanError, report
from errbar.plans import KFold, Seeds, Subsampling
from tests.fits.learners import Counting, Majority
from tests.refusals import refused

X, Y = make_classification(240, 6, n_informative=4, random_state=1)
LOOKS = (8, 16, 40)
LEARNERS = {
    "linear": LogisticRegression(),
    "ridge": LogisticRegression(C=0.9),
    "bayes": GaussianNB(),
    "majority": Majority(),
}
ASKED = {"looks": LOOKS, "random_state": 0}


@pytest.fixture(scope="module")
def raced():
    return errbar.compare(LEARNERS, X, Y, **ASKED)


class Sometimes(LogisticRegression):
    """Fails once it has been fitted so many times."""

    fits = 0
    patience = 10

    def fit(self, X, y):
        type(self).fits += 1
        if type(self).fits > self.patience:
            raise ValueError("enough")
        return super().fit(X, y)


class TestRace:
    def test_learners_whose_pairs_are_decided_get_no_more_fits(self, raced):
        assert raced.looks.splits["majority"] < raced.looks.splits["linear"] == LOOKS[-1]
        assert raced.table.counts.fits == sum(raced.looks.splits.values())

    def test_every_pair_is_judged_by_all_splits_up_to_its_look(self, raced):
        whole = errbar.run(LEARNERS, X, Y, plan=Subsampling(repeats=LOOKS[-1]), random_state=0)
        for pair in raced.pairs:
            count = pair.result.n_splits
            part = whole.select(np.arange(LOOKS[-1]) < count)
            assert pair.result == errbar.infer(part, "corrected-t", pair.a, pair.b, looks=LOOKS)
            assert raced.table_of(pair.a, pair.b).scores.shape[1] == count
        for name, result in raced.learners.items():
            part = whole.select(np.arange(LOOKS[-1]) < raced.looks.splits[name])
            assert result == errbar.infer(part, "corrected-t", name, looks=LOOKS)

    def test_a_decided_pair_stays_decided(self, raced):
        for pair in raced.pairs:
            assert pair.significant or pair.result.n_splits == raced.looks.made[-1]

    def test_the_table_has_all_learners_on_the_splits_of_all(self, raced):
        assert raced.table.learners == tuple(LEARNERS)
        assert raced.table.scores.shape[1] == min(raced.looks.splits.values())

    def test_what_was_looked_at_is_told(self, raced):
        looks = raced.looks
        assert looks.planned == looks.made == LOOKS
        assert looks.each == pytest.approx(
            errbar.methods.look_alpha(LOOKS, ratio=24 / 216), rel=1e-12
        )
        data = json.loads(json.dumps(raced.to_dict()))
        assert data["looks"]["splits"] == looks.splits
        assert [pair["n_splits"] for pair in data["pairs"]] == [
            pair.result.n_splits for pair in raced.pairs
        ]

    def test_ends_after_the_first_look_where_all_is_clear(self):
        found = errbar.compare(
            {"linear": LEARNERS["linear"], "majority": Majority()}, X, Y, **ASKED
        )
        assert found.looks.made == LOOKS[:1]
        assert found.table.counts.fits == 2 * LOOKS[0]

    def test_ends_where_equivalence_is_shown(self):
        near = {"linear": LEARNERS["linear"], "ridge": LEARNERS["ridge"]}
        found = errbar.compare(near, X, Y, rope=0.1, loss="log-loss", **ASKED)
        assert found.pairs[0].equivalent
        assert found.looks.made[-1] < LOOKS[-1]

    @pytest.mark.long
    def test_goes_on_where_learners_agree_throughout_and_no_test_can_say_more(self):
        found = errbar.compare(
            {"linear": LEARNERS["linear"], "ridge": LEARNERS["ridge"]}, X, Y, rope=0.1, **ASKED
        )
        assert found.pairs[0].result.degenerate
        assert found.looks.made == LOOKS

    def test_against_a_baseline(self):
        found = errbar.compare(LEARNERS, X, Y, baseline="majority", **ASKED)
        assert {pair.b for pair in found.pairs} == {"majority"}
        assert found.looks.splits["majority"] == max(found.looks.splits.values())

    def test_one_sided(self):
        found = errbar.compare(LEARNERS, X, Y, baseline="majority", alternative="less", **ASKED)
        assert all(one.significant for one in found.pairs)
        assert found.looks.each == errbar.methods.look_alpha(
            LOOKS, ratio=24 / 216, alternative="less"
        )

    @pytest.mark.long
    def test_stratified_splits(self):
        found = errbar.compare(LEARNERS, X, Y, stratify=True, **ASKED)
        assert found.table.splits.designs[0].stratified

    @pytest.mark.long
    def test_whole_groups(self):
        found = errbar.compare(LEARNERS, X, Y, groups=np.arange(240) // 6, **ASKED)
        assert "whole-groups" in {note.code for note in found.notes}

    @pytest.mark.long
    def test_splits_are_those_that_the_plan_describes(self):
        found = errbar.compare(LEARNERS, X, Y, plan=Subsampling(n_train=100, n_test=50), **ASKED)
        assert found.table.splits.n_train[0] == 100
        assert found.table.splits.n_test[0] == 50

    @pytest.mark.parametrize(
        "more", [{"loss": ["zero-one", "f1"]}, {"questions": [{}, {"baseline": "majority"}]}]
    )
    def test_they_are_for_one_loss_and_one_question(self, more):
        with refused("looks"):
            errbar.study.compare_all(LEARNERS, X, Y, **{"questions": [{}]} | more, **ASKED)


class TestRuns:
    @pytest.mark.long
    def test_answers_do_not_depend_on_workers(self, raced):
        other = errbar.compare(LEARNERS, X, Y, n_jobs=2, **ASKED).to_dict()
        own = raced.to_dict()
        assert {**own, "counts": 0} == {**other, "counts": 0}

    @pytest.mark.long
    def test_a_run_that_was_stopped_goes_on(self, raced, tmp_path):
        def stop(state):
            if state.done == 45:
                raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            errbar.compare(LEARNERS, X, Y, store=tmp_path / "runs.db", progress=stop, **ASKED)
        found = errbar.compare(LEARNERS, X, Y, store=tmp_path / "runs.db", **ASKED)
        assert found.table.counts.reused > 0
        assert found.table.counts.fits + found.table.counts.reused == raced.table.counts.fits
        assert [pair.result for pair in found.pairs] == [pair.result for pair in raced.pairs]
        again = errbar.compare(LEARNERS, X, Y, store=tmp_path / "runs.db", **ASKED)
        assert (again.table.counts.fits, again.table.counts.reused) == (0, raced.table.counts.fits)

    @pytest.mark.long
    def test_a_plan_of_the_same_splits_takes_the_fits(self, tmp_path):
        store = errbar.Store()
        errbar.compare(
            LEARNERS, X, Y, plan=Subsampling(repeats=LOOKS[-1]), store=store, random_state=0
        )
        assert errbar.compare(LEARNERS, X, Y, store=store, **ASKED).table.counts.fits == 0

    def test_no_fit_is_done_twice(self):
        Counting.fits.clear()

        class Local(Counting):
            """Cannot be written down, as it is no part of a module."""

            scale = staticmethod(lambda value: value)

        found = errbar.compare(
            {"linear": LEARNERS["linear"], "local": Local(), "same": Local()}, X, Y, **ASKED
        )
        trained = [size for size in Counting.fits if size == 216]
        assert len(trained) == found.looks.splits["local"] + found.looks.splits["same"]

    def test_a_learner_that_fails_later_is_left_out(self):
        learners = {
            "bayes": LEARNERS["bayes"],
            "linear": LEARNERS["linear"],
            "sometimes": Sometimes(C=0.5),
        }
        asked = {"looks": (8, 16), "random_state": 0, "alternative": "greater"}
        Sometimes.fits = 0
        with pytest.raises(errbar.FitFailedError) as raised:
            errbar.compare(learners, X, Y, **asked)
        assert raised.value.table.learners == ("bayes", "linear")
        Sometimes.fits = 0
        found = errbar.compare(learners, X, Y, on_error="keep", **asked)
        assert tuple(found.learners) == ("bayes", "linear")
        assert [(pair.a, pair.b) for pair in found.pairs] == [("bayes", "linear")]
        assert found.looks.made == (8, 16)
        assert found.table.failures[0].learner == "sometimes"
        assert ("sometimes",) in {
            note.numbers["what"] for note in found.notes if note.code == "left-out"
        }

    def test_a_baseline_that_fails_later_leaves_estimates(self):
        learners = {
            "sometimes": Sometimes(C=0.5),
            "linear": LEARNERS["linear"],
            "bayes": LEARNERS["bayes"],
        }
        Sometimes.fits = 0
        asked = {"looks": (8, 16), "random_state": 0, "alternative": "greater", "on_error": "keep"}
        found = errbar.compare(learners, X, Y, baseline="sometimes", **asked)
        assert tuple(found.learners) == ("linear", "bayes")
        assert found.pairs == ()
        assert str(found)


class TestShown:
    def test_one_sentence_says_what_was_looked_at(self, raced):
        said = [
            text
            for text in report.conclude(raced)
            if text.startswith("After 40 of 40 planned splits")
        ]
        assert len(said) == 1
        assert "majority had stopped before" in said[0]

    def test_a_pair_that_is_decided(self):
        found = errbar.compare(
            {"linear": LEARNERS["linear"], "majority": Majority()}, X, Y, **ASKED
        )
        assert found.looks.made == (8,)

    def test_all_forms_show_it(self, raced, tmp_path):
        for form in ("md", "tex", "html", "json"):
            text = raced.save(tmp_path / f"report.{form}").read_text()
            assert "planned" in text

    def test_splits_are_those_used(self, raced):
        low = min(raced.looks.splits.values())
        assert f"{low} to 40 random splits" in str(raced)


class TestAsking:
    def test_a_gate_reads_the_splits_of_its_pair(self, raced):
        pair = next(one for one in raced.pairs if one.a == "linear" and one.b == "majority")
        test = errbar.Gate.parse("linear worse-than majority by 0").judge(raced).test
        assert test.estimate == pair.result.estimate
        one_sided = errbar.infer(
            raced.table_of("linear", "majority"),
            "corrected-t",
            "linear",
            "majority",
            alternative="less",
            looks=LOOKS,
        )
        assert test.pvalue == one_sided.pvalue
        with pytest.raises(InvalidInputError):
            errbar.Gate.parse("linear worse-than nobody by 0").judge(raced)

    def test_given_scores_can_be_looked_at(self):
        scores = np.random.default_rng(0).normal(size=(2, 30))
        table = errbar.from_scores({"a": scores[0], "b": scores[1]}, n_train=90, n_test=10)
        found = errbar.compare_table(table, method="corrected-t", looks=(15, 30))
        assert found.looks is None
        assert "looks" in {note.code for note in found.notes}


class TestRefused:
    @pytest.mark.parametrize(
        ("asked", "argument"),
        [
            ({"method": "cv-wald"}, "looks"),
            ({"method": "kfold-t"}, "looks"),
            ({"plan": 5}, "looks"),
            ({"plan": KFold(folds=5, repeats=3)}, "looks"),
            ({"plan": Seeds(3, plan=Subsampling())}, "looks"),
            ({"time": np.arange(240)}, "looks"),
            ({"adjust": "benjamini-hochberg"}, "adjust"),
            ({"looks": (16, 8)}, "looks"),
            ({"looks": "8,16"}, "looks"),
            ({"correlation": 0.0}, "looks"),
        ],
    )
    def test_before_any_fit(self, asked, argument):
        def fitted(_):
            raise AssertionError

        with refused(argument):
            errbar.compare(LEARNERS, X, Y, progress=fitted, **(ASKED | asked))

    def test_plans_are_refused_as_plans(self):
        with pytest.raises(UnsuitablePlanError):
            errbar.compare(LEARNERS, X, Y, plan=5, **ASKED)

    def test_one_learner(self):
        with pytest.raises(InvalidInputError):
            errbar.compare({"tree": DecisionTreeClassifier()}, X, Y, **ASKED)

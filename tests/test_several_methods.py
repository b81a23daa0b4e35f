"""Several methods asked of one run, partners of methods, and tests of all learners at once."""

from functools import partial

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_breast_cancer, load_diabetes
from sklearn.linear_model import LinearRegression, Ridge
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from sklearn.tree import DecisionTreeClassifier

import errbar
from errbar import InvalidInputError
from errbar.methods import METHODS, catalogue, suitable
from errbar.plans import KFold, NestedKFold
from errbar.study import compare_all
from tests.refusals import refused

CLASSIFIERS = {
    "tree": DecisionTreeClassifier(),
    "bayes": GaussianNB(),
    "1-NN": KNeighborsClassifier(1),
}
REGRESSORS = {"linear": LinearRegression(), "ridge": Ridge(), "nn": KNeighborsRegressor(5)}


@pytest.fixture(scope="module")
def cancer():
    X, y = load_breast_cancer(return_X_y=True)
    return X[:568:3], y[:568:3]


@pytest.fixture(scope="module")
def diabetes():
    X, y = load_diabetes(return_X_y=True)
    return X[::3], y[::3]


def test_a_union_fits_shared_training_sets_once(cancer):
    plan = KFold(folds=10, repeats=10) + KFold(folds=10) + NestedKFold(folds=10, repeats=10)
    questions = [{"method": key} for key in ("corrected-t", "cv-wald", "nested-cv")]
    found = compare_all({"bayes": GaussianNB()}, *cancer, questions, plan=plan, random_state=0)
    assert found[0].table.counts.fits == 550
    assert found[0].table.scores.shape == (1, 1110)
    assert [one.reference.n_splits for one in found] == [100, 10, 1000]


def test_several_questions_give_what_each_gives_alone(diabetes):
    pair = {name: REGRESSORS[name] for name in ("linear", "nn")}
    questions = [
        {"method": "corrected-t"},
        {"method": "kfold-t", "rho": 0.7},
        {"method": "632-plus", "level": 0.9},
    ]
    together = compare_all(pair, *diabetes, questions, random_state=3)
    for question, found in zip(questions, together, strict=True):
        alone = errbar.compare(pair, *diabetes, random_state=3, **question)
        assert found.pairs[0].result == alone.pairs[0].result


LEARNER_AND_PAIR = [key for key, method in METHODS.items() if method.default_plan is not None]
CHEAP = {
    "kfold-theta": errbar.plans.EqualKFold(4),
    "nested-cv": NestedKFold(4, 1),
    "cv-jackknife": NestedKFold(4, 1),
    "part-jackknife": errbar.plans.PartJackknife(4, 4, 2),
    "conservative-z": errbar.plans.PairedHalves(repeats=4, halvings=3),
    "halved-kfold-t": errbar.plans.HalvedKFold(folds=4, halvings=3),
    "replace-one": errbar.plans.ReplaceOne(folds=3, replacements=5),
    "632": errbar.plans.Bootstrap(12, training_error=True),
    "632-plus": errbar.plans.Bootstrap(12, training_error=True),
    "oob-bootstrap": errbar.plans.Bootstrap(12),
    "bootstrap-benchmark": errbar.plans.Bootstrap(12),
}


def facts_for(key, y):
    """Clusters, for the method that is about them."""
    groups, time = np.arange(y.size) % 30, np.arange(y.size)
    of_methods = {"cluster-t": {"groups": groups}, "two-way-t": {"groups": groups, "time": time}}
    return of_methods.get(key, {})


@pytest.mark.long
@pytest.mark.parametrize("key", LEARNER_AND_PAIR)
def test_every_method_compares_and_evaluates_on_real_data(key, cancer, tmp_path):
    method = METHODS[key]
    pair = {name: CLASSIFIERS[name] for name in ("tree", "bayes")}
    call = {"method": key, "plan": CHEAP.get(key), "random_state": 0, **facts_for(key, cancer[1])}
    found = errbar.compare(pair, *cancer, **call)
    assert set(found.learners) == {"tree", "bayes"}
    [couple] = found.pairs
    assert couple.result.method == method.about("pair").key
    assert couple.result.low <= couple.result.estimate <= couple.result.high
    assert str(found)
    for ending in ("html", "md", "tex", "json"):
        assert found.save(tmp_path / f"report.{ending}").stat().st_size > 500
    if method.subject != "pair":
        result = errbar.evaluate(CLASSIFIERS["tree"], *cancer, name="tree", **call)
        assert result.estimate == pytest.approx(found.learners["tree"].estimate, rel=1e-12)
        assert result.method == key


@pytest.mark.parametrize("key", [k for k in LEARNER_AND_PAIR if METHODS[k].loss is None])
def test_every_method_for_any_loss_works_on_regression_too(key, diabetes):
    pair = {name: REGRESSORS[name] for name in ("ridge", "nn")}
    call = {"plan": CHEAP.get(key), **facts_for(key, diabetes[1])}
    found = errbar.compare(pair, *diabetes, method=key, random_state=0, **call)
    assert np.isfinite(found.pairs[0].result.estimate)


@pytest.mark.parametrize(
    ("key", "pairwise"), [("cochran-q", "mcnemar"), ("friedman", "bootstrap-benchmark")]
)
def test_a_test_of_all_learners_comes_with_its_pairs(key, pairwise, cancer):
    plan = errbar.plans.Bootstrap(12) if key == "friedman" else None
    found = errbar.compare(CLASSIFIERS, *cancer, method=key, plan=plan, random_state=0)
    assert found.overall.method == key
    assert found.overall.learners == tuple(CLASSIFIERS)
    assert {pair.result.method for pair in found.pairs} == {pairwise}
    same = errbar.compare(CLASSIFIERS, *cancer, method=pairwise, plan=plan, random_state=0)
    assert same.overall == found.overall
    assert found.to_dict()["overall"]["pvalue"] == found.overall.pvalue


def test_with_two_learners_there_is_no_test_of_all_unless_it_is_asked_for(cancer):
    pair = {name: CLASSIFIERS[name] for name in ("tree", "bayes")}
    assert errbar.compare(pair, *cancer, method="mcnemar", random_state=0).overall is None
    assert errbar.compare(pair, *cancer, method="cochran-q", random_state=0).overall is not None


def test_the_auc_is_the_loss_of_methods_that_are_about_it(cancer):
    pair = {name: CLASSIFIERS[name] for name in ("tree", "bayes")}
    found = errbar.compare(pair, *cancer, method="delong", random_state=0)
    assert found.table.loss.key == "roc_auc"
    aucs = {name: result.estimate for name, result in found.learners.items()}
    assert aucs == pytest.approx(
        {name: -score for name, score in zip(aucs, found.table.scores[:, 0], strict=True)}
    )
    assert found.pairs[0].result.estimate == pytest.approx(aucs["tree"] - aucs["bayes"])


@pytest.mark.parametrize(
    ("key", "loss"),
    [
        ("mcnemar", "log-loss"),
        ("delong", "zero-one"),
        ("632", "f1"),
    ],
)
def test_a_loss_that_does_not_fit_is_refused_before_any_fit(key, loss, cancer):
    class Never(GaussianNB):
        def fit(self, X, y, sample_weight=None):
            raise AssertionError("fitted")

    with pytest.raises(InvalidInputError):
        errbar.compare({"a": Never(), "b": Never()}, *cancer, method=key, loss=loss, random_state=0)


def test_a_method_of_pairs_says_what_judges_a_single_learner(cancer):
    with pytest.raises(InvalidInputError):
        errbar.evaluate(GaussianNB(), *cancer, method="mcnemar", random_state=0)
    table = errbar.run(
        {"a": GaussianNB(), "b": GaussianNB()}, *cancer, plan=errbar.plans.Holdout(), random_state=0
    )
    with pytest.raises(InvalidInputError):
        errbar.infer(table, "binomial", "a", minus="b")
    with pytest.raises(InvalidInputError):
        errbar.infer(table, "cochran-q", "a")
    with pytest.raises(InvalidInputError):
        errbar.overall(table, "binomial")


def test_a_single_column_of_differences_can_be_judged_by_methods_of_pairs(rng):
    table = errbar.from_losses({"difference": rng.standard_normal(20)})
    assert errbar.infer(table, "permutation").method == "permutation"


def test_methods_that_draw_random_numbers_follow_the_seed_of_the_run(cancer):
    pair = {name: CLASSIFIERS[name] for name in ("tree", "bayes")}
    one, same, other = (
        errbar.compare(pair, *cancer, method="bootstrap", random_state=seed) for seed in (1, 1, 2)
    )
    assert one.pairs[0].result == same.pairs[0].result
    assert one.pairs[0].result.interval != other.pairs[0].result.interval


def test_the_rope_reaches_bayesian_methods(diabetes):
    pair = {name: REGRESSORS[name] for name in ("linear", "ridge")}
    found = errbar.compare(
        pair, *diabetes, method="bayes-correlated-t", rope=20000.0, random_state=0
    )
    assert found.pairs[0].result.posterior["rope"] > 0.9


def test_options_go_to_the_method_that_was_asked_for_only(cancer):
    pair = {name: CLASSIFIERS[name] for name in ("tree", "bayes")}
    found = errbar.compare(pair, *cancer, method="binomial", kind="clopper-pearson", random_state=0)
    assert found.pairs[0].result.method == "paired-proportions"
    with pytest.raises(InvalidInputError):
        errbar.compare(pair, *cancer, method="binomial", rho=0.7)
    for name in ("cv", "scoring", "alpha", "pos_label", "n_splits", "n_repeats", "verbose"):
        with pytest.raises(InvalidInputError):
            errbar.compare(pair, *cancer, **{name: 5})
    with pytest.raises(InvalidInputError):
        errbar.compare(pair, *cancer, sample_weight=[1.0])


@pytest.mark.parametrize(
    "wrong", ["random_sate", "stratfy", "group", "njobs", "postive_", "levell"]
)
def test_misspelt_keywords_are_told_from_options_of_methods(cancer, wrong):
    tree, table = (
        CLASSIFIERS["tree"],
        errbar.from_scores({"a": [0.1, 0.2], "b": [0.2, 0.1]}, n_train=9, n_test=1),
    )
    for function, source in ((errbar.compare, {"tree": tree}), (errbar.evaluate, tree)):
        with refused(wrong):
            function(source, *cancer, **{wrong: 1})
    for function, baselin in (
        (errbar.compare, (({"tree": tree}, *cancer))),
        (errbar.compare_table, (table,)),
    ):
        with refused("baselin"):
            function(*baselin, baselin="a")

    @pytest.mark.parametrize(
        "ask",
        [
            errbar.compare_table,
            partial(errbar.infer, method="corrected-t"),
            partial(errbar.overall, method="friedman"),
        ],
    )
    def test_what_is_no_table_is_told_how_to_become_one(self, ask):
        with pytest.raises(InvalidInputError):
            ask(self.found)
        for given in ({"a": [0.1]}, pd.DataFrame({"a": [0.1]})):
            with refused("table"):
                ask(given)


class TestSuitable:
    def test_every_method_is_judged_and_what_fits_works(self, cancer):
        table = errbar.run(CLASSIFIERS, *cancer, plan=KFold(5), random_state=0)
        found = suitable(table)
        assert {one.key for one in found} == set(catalogue())
        for one in found:
            spec = catalogue()[one.key]
            if not one.suitable:
                assert one.reason
                continue
            if spec.subject == "all":
                errbar.overall(table, one.key)
            else:
                errbar.infer(
                    table, one.key, "tree", minus=None if spec.subject == "learner" else "bayes"
                )
        assert {"corrected-t", "kfold-t", "cv-wald"} <= {one.key for one in found if one.suitable}

    def test_it_says_why_not(self):
        table = errbar.from_scores({"a": [0.1, 0.2, 0.3]})
        single = {
            one.key: one.reason
            for one in suitable(errbar.from_losses({"a": [0, 1, 1]}))
            if not one.suitable
        }
        assert single["cochran-q"]
        reasons = {one.key: one.reason for one in suitable(table) if not one.suitable}
        assert reasons["corrected-t"]
        assert reasons["cv-wald"]
        sized = errbar.from_scores({"a": [0.1, 0.2, 0.3]}, n_train=90, n_test=10)
        assert "corrected-t" in {one.key for one in suitable(sized) if one.suitable}

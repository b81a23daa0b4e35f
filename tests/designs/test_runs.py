"""Runs on data in groups or in time, from Python and from the command line, and what is said where nobody names them."""

from types import MappingProxyType

import numpy as np
import pandas as pd
import pytest
from sklearn.dummy import DummyClassifier, DummyRegressor
from sklearn.ensemble import ExtraTreesRegressor
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.model_selection import GroupKFold, StratifiedKFold

import errbar as eb
from errbar.cli.runs import plan_of
from errbar.plans import Holdout, KFold, RollingOrigin, Seeds, Subsampling, Training
from errbar.reading.examples import read_examples
from tests import dependent
from tests.refusals import refused

MODELS = (
    "--model",
    "line=sklearn.linear_model.LinearRegression",
    "--model",
    "mean=sklearn.dummy.DummyRegressor",
)
LEARNERS = {"line": LinearRegression(), "mean": DummyRegressor()}


@pytest.fixture
def rng():
    return np.random.default_rng(3)


@pytest.fixture
def sales(tmp_path):
    dependent.write(tmp_path)
    return pd.read_csv(tmp_path / "sales.csv")


@pytest.fixture
def patients(tmp_path):
    dependent.write(tmp_path)
    return pd.read_csv(tmp_path / "patients.csv")


@pytest.fixture
def write(tmp_path):
    def written(frame, name="data.csv"):
        frame.to_csv(tmp_path / name, index=False)
        return tmp_path / name

    return written


def read(outcome):
    """How columns were read."""
    return next(note["numbers"] for note in outcome.data["notes"] if note["code"] == "read")


class TestGroups:
    def test_whole_groups_in_seven_folds(self, errbar, write, patients):
        call = ("compare", write(patients), "--target", "sbp", *MODELS, "--json", "--quiet")
        outcome = errbar(*call, "--groups", "patient")
        assert outcome.status == 0, outcome.err
        assert outcome.data["method"] == "cv-jackknife"
        X, groups = patients[["age"]].to_numpy(float), patients["patient"]
        found = eb.compare(LEARNERS, X, patients["sbp"], groups=groups, random_state=0)
        pair, [other] = found.pairs[0].result, outcome.data["pairs"]
        assert pair.estimate == pytest.approx(other["estimate"])
        assert found.table.splits.descriptions == ("NestedKFold(folds=7, repeats=1)",)

    def test_without_a_word_a_column_is_a_feature(self, errbar, write, patients):
        call = ("compare", write(patients), "--target", "sbp", *MODELS, "--quiet", "--json")
        outcome = errbar(*call)
        assert outcome.status == 0, outcome.err
        assert outcome.data["pairs"] == errbar(*call, "--feature", "patient").data["pairs"]
        assert outcome.data["pairs"] != errbar(*call, "--drop", "patient").data["pairs"]

    @pytest.mark.parametrize(
        ("named", "plan"),
        [
            (None, "NestedKFold(folds=6, repeats=1)"),
            ("cluster-t", "KFold(folds=6, repeats=1)"),
        ],
    )
    def test_there_are_no_more_folds_than_groups(self, patients, named, plan):
        few = patients.assign(site=np.arange(len(patients)) % 6)
        asked = {"groups": few["site"], "method": named, "random_state": 0}
        found = eb.compare(LEARNERS, few[["age"]], few["sbp"], **asked)
        assert found.table.splits.descriptions == (plan,)

    def test_few_groups(self, patients):
        few = patients.assign(site=np.arange(len(patients)) % 4)
        table = eb.compare(
            LEARNERS, few[["age"]], few["sbp"], groups=few["site"], random_state=0
        ).table
        assert table.splits.plan.size == 4
        with refused("groups"):
            eb.compare(LEARNERS, few[["age"]], few["sbp"], groups=["a"] * len(few), random_state=0)

    def test_more_options(self, errbar, write, patients):
        call = (
            "evaluate",
            write(patients),
            "--target",
            "sbp",
            "--groups",
            "patient",
            *MODELS[:2],
            "--json",
            "--quiet",
        )
        call += ("--method", "corrected-t")
        assert errbar(*call, "--plan", "KFold(folds=5, repeats=3)").data["n_splits"] == 15
        assert errbar(*call, "--plan", "Subsampling(n_test=5, repeats=7)").data["n_splits"] == 7

    def test_too_many_names(self, errbar, write, rng):
        frame = pd.DataFrame(
            {
                "who": np.repeat([f"u{i}" for i in range(150)], 2),
                "x": rng.random(300),
                "y": rng.random(300),
            }
        )
        call = ("--target", "y", *MODELS, "--json", "--quiet")
        outcome = errbar("compare", write(frame), *call)
        assert outcome.status == 0, outcome.err
        assert read(outcome)["one_hot"] == ["who"]
        assert (
            errbar("compare", write(frame.assign(who=[f"u{i}" for i in range(300)])), *call).status
            == 2
        )


class TestTime:
    PLAN = RollingOrigin(n_train=200, n_test=20)

    def test_the_run(self, sales):
        X, y, time = sales[["price"]].to_numpy(), sales["sales"], sales["date"]
        table = eb.run(LEARNERS, X, y, plan=self.PLAN, time=time, random_state=0)
        [design] = table.splits.designs
        assert (design.kind, design.training) == ("rolling-origin", Training.ORDERED)
        assert table.splits.plan.size == 5
        order = np.argsort(time.to_numpy())
        for fold in range(5):
            begin = 200 + 20 * fold
            past, future = order[begin - 200 : begin], order[begin : begin + 20]
            line = LinearRegression().fit(X[past], y.to_numpy()[past])
            expected = np.mean((line.predict(X[future]) - y.to_numpy()[future]) ** 2)
            assert table.scores[0, fold] == pytest.approx(expected)

    def test_the_command(self, errbar, write, sales):
        call = (
            "compare",
            write(sales),
            "--target",
            "sales",
            "--time",
            "date",
            *MODELS,
            "--json",
            "--quiet",
        )
        outcome = errbar(*call, "--plan", "RollingOrigin(n_train=200, n_test=20)")
        assert outcome.status == 0, outcome.err
        assert (outcome.data["method"], outcome.data["n_train"]) == ("diebold-mariano", 200.0)
        assert errbar(*call).data["n_train"] == 150.0
        assert errbar(*call, "--method", "corrected-t").status == 2

    def test_by_default_origins_roll(self, sales):
        for more in ({}, {"groups": np.arange(300) % 7}):
            assert eb.study.default_plan([None], time=sales["date"], **more) == RollingOrigin()
        assert eb.study.default_plan(["corrected-t"], time=sales["date"]) == Subsampling()

    @pytest.mark.long
    def test_dates_however_they_are_written(self, errbar, write, sales, tmp_path):
        call = ("--target", "sales", *MODELS, "--json", "--quiet")
        sales.assign(date=pd.to_datetime(sales["date"])).to_parquet(tmp_path / "sales.parquet")
        german = sales.assign(date=pd.to_datetime(sales["date"]).dt.strftime("%d.%m.%Y"))
        for more in (("--time", "date"), ("--drop", "date"), ("--feature", "date")):
            files = (write(sales), write(german, "german.csv"), tmp_path / "sales.parquet")
            first, *others = [errbar("compare", file, *call, *more).data for file in files]
            assert all(one["pairs"] == first["pairs"] for one in others)
            assert first["method"] == ("diebold-mariano" if more[0] == "--time" else "cv-jackknife")

    def test_random_splits_do_not_take_the_options_of_origins(self, errbar, write, sales):
        call = ("compare", write(sales), "--target", "sales", "--time", "date", *MODELS)
        assert errbar(*call, "--plan", "RollingOrigin(repeats=3)").status == 2


def test_a_named_column_is_no_feature_and_no_other_is_proposed_since_no_method_takes_both(
    write, sales
):
    path = write(sales.head(60).assign(shop=np.arange(60) % 12))
    assert read_examples(path, "sales", groups="shop", time="date").X.shape == (60, 1)
    assert not read_examples(path, "sales", time="date").notes
    assert [note.code for note in read_examples(path, "sales", groups="shop").notes] == ["read"]


@pytest.mark.parametrize("count", [3, 8])
def test_groups_and_time_are_for_one_method_that_needs_five_groups(sales, count):
    few = sales.head(120)
    asked = {"groups": np.arange(120) % count, "time": few["date"], "random_state": 0}
    if count < 5:
        with pytest.raises(eb.errors.UnsuitablePlanError):
            eb.compare(LEARNERS, few[["price"]], few["sales"], **asked)
    else:
        plan = eb.plans.RollingOrigin(n_train=60, n_test=10)
        found = eb.compare(LEARNERS, few[["price"]], few["sales"], plan=plan, **asked)
        assert found.method == "two-way-t"


class TestWhatIsGivenAsAPlan:
    X, y = np.random.default_rng(0).normal(size=(90, 2)), np.arange(90) % 9 // 6
    learners = MappingProxyType({"a": LogisticRegression(), "b": LogisticRegression(C=0.01)})

    @pytest.mark.parametrize(
        ("given", "kind", "count"),
        [
            (5, "kfold", 5),
            (StratifiedKFold(3), "kfold", 3),
            ([(range(60), range(60, 90))], "holdout", 1),
            (((range(60), range(60, 90)) for _ in range(1)), "holdout", 1),
            (Seeds(2, plan=3), "kfold", 6),
        ],
        ids=lambda value: type(value).__name__,
    )
    def test_it_is_taken_everywhere(self, given, kind, count):
        table = eb.run(self.learners, self.X, self.y, plan=given, random_state=0)
        assert (table.splits.kinds, table.splits.plan.size) == ((kind,), count)

    def test_by_every_entry(self):
        call = {"plan": 4, "random_state": 0, "stratify": True}
        tables = [
            eb.run(self.learners, self.X, self.y, **call),
            eb.compare(self.learners, self.X, self.y, **call).table,
            eb.study.compare_all(self.learners, self.X, self.y, [{"method": "cv-wald"}], **call)[
                0
            ].table,
        ]
        assert len({table.splits.fingerprint for table in tables}) == 1
        assert tables[0].splits.designs[0].stratified
        assert eb.evaluate(self.learners["a"], self.X, self.y, **call).n_splits == 4
        groups = np.arange(90) // 3
        folds = eb.evaluate(
            self.learners["a"], self.X, self.y, plan=GroupKFold(5), groups=groups, random_state=0
        )
        assert folds.n_splits == 5

    def test_the_default_plan_is_stratified_too(self):
        table = eb.compare(self.learners, self.X, self.y, stratify=True, random_state=0).table
        assert table.splits.descriptions == ("NestedKFold(folds=7, repeats=1, stratify=True)",)

    def test_splits_that_nobody_asked_for_are_stratified_where_a_class_is_rare(self):
        """Of four ones, two in each of two folds would leave none without these."""
        X = np.random.default_rng(1).normal(size=(40, 2))
        y = np.r_[np.zeros(36, int), np.ones(4, int)]
        learners = {"a": LogisticRegression(), "b": DummyClassifier()}
        found = [eb.compare(learners, X, y, random_state=seed) for seed in range(20)]
        plans = {one.table.splits.descriptions for one in found}
        assert plans <= {
            ("NestedKFold(folds=7, repeats=1)",),
            ("NestedKFold(folds=7, repeats=1, stratify=True)",),
        }
        assert len(plans) == 2
        for one in found:
            said = "taken-as" in [note.code for note in one.notes]
            assert said == ("stratify" in one.table.splits.descriptions[0])

    def test_regressors_have_no_classes(self):
        with refused("stratify"):
            eb.evaluate(LinearRegression(), self.X, self.y, stratify=True, random_state=0)
        with refused("stratify"):
            eb.evaluate(LinearRegression(), self.X, self.y, stratify="yes", random_state=0)

    @pytest.mark.parametrize("given", ["kfold", 2.5, True, {}])
    def test_what_is_none(self, given):
        with refused("plan"):
            eb.run(self.learners, self.X, self.y, plan=given, random_state=0)


@pytest.mark.parametrize(
    ("text", "plan"),
    [
        ("Seeds(5, plan=Holdout(n_test=0.2))", Seeds(5, plan=Holdout(n_test=0.2))),
        (
            "Seeds(seeds=3, plan=KFold(folds=4, stratify=True))",
            Seeds(3, plan=KFold(4, stratify=True)),
        ),
        ("Seeds", Seeds()),
        ("Seeds(plan=KFold)", Seeds(plan=KFold())),
        (
            "RollingOrigin(n_train=200, n_test=20, expanding=True)",
            RollingOrigin(200, 20, expanding=True),
        ),
    ],
)
def test_plans_written_as_text(text, plan):
    assert plan_of([text]) == plan


def test_seeds_on_the_command_line(errbar, write, sales):
    trees = ("--model", "trees=sklearn.ensemble.ExtraTreesRegressor(n_estimators=5)")
    call = (
        "compare",
        write(sales),
        "--target",
        "sales",
        "--drop",
        "date",
        *trees,
        *MODELS[:2],
        "--quiet",
    )
    call += ("--plan", "Seeds(5, plan=Holdout(n_test=0.2))")
    outcome = errbar(*call, "--json")
    assert outcome.status == 0, outcome.err
    assert outcome.data["method"] == "crossed-t"
    [note] = [note for note in outcome.data["notes"] if note["code"] == "same-for-every-seed"]
    assert note["numbers"]["learners"] == ["line"]
    assert "5 seeds on 60 test examples" in errbar(*call).out
    outcome = errbar(*call, "--method", "holdout-t")
    assert outcome.status == 2


def test_seeds_of_folds(patients):
    learners = {"trees": ExtraTreesRegressor(5), "line": LinearRegression()}
    plan = Seeds(3, plan=KFold(4))
    found = eb.compare(learners, patients[["age"]], patients["sbp"], plan=plan, random_state=0)
    assert (found.method, found.pairs[0].result.n_splits) == ("crossed-t", 12)


class TestSeedsOption:
    @pytest.fixture
    def call(self, errbar, write, patients):
        base = ("compare", write(patients), "--target", "sbp", *MODELS, "--json", "--quiet")
        return lambda *words: errbar(*base, *words)

    @pytest.mark.parametrize(
        ("words", "method", "splits"),
        [
            (("--plan", "Seeds(3)"), "crossed-t", 3),
            (("--plan", "Seeds(3, plan=Holdout(n_test=0.3))"), "crossed-t", 3),
            (("--plan", "Seeds(3, plan=10)", "--groups", "patient"), "crossed-t", 30),
            (("--plan", "Seeds(3)", "--method", "crossed-or"), "crossed-or", 3),
        ],
    )
    def test_each_training_set_has_so_many_fits(self, call, words, method, splits):
        outcome = call(*words)
        assert outcome.status == 0, outcome.err
        assert (outcome.data["method"], outcome.data["n_splits"]) == (method, splits)

    def test_refused(self, call):
        assert call("--plan", "Seeds(1)").status == 2

    def test_stratified(self):
        X, y = np.arange(60.0)[:, np.newaxis], np.arange(60) % 3 == 0
        table = eb.run(
            {"a": DummyClassifier()},
            X,
            y,
            plan=Seeds(2, plan=KFold(5)),
            stratify=True,
            random_state=0,
        )
        assert table.splits.designs[0].stratified


@pytest.mark.parametrize("repeats", [1, 3])
def test_folds_of_data_in_time_are_answered_if_they_are_drawn_once(rng, repeats):
    X = rng.normal(size=(60, 2))
    asked = {"plan": KFold(5, repeats), "time": np.arange(60), "random_state": 0}
    if repeats > 1:
        with pytest.raises(eb.UnsuitablePlanError):
            eb.compare(LEARNERS, X, X[:, 0], **asked)
        return
    found = eb.compare(LEARNERS, X, X[:, 0], **asked)
    assert found.method == "diebold-mariano"
    assert "order-in-time" in [note.code for note in found.pairs[0].result.notes]


@pytest.mark.parametrize("method", ["cv-t", "corrected-t", "cv-wald", "kfold-t"])
def test_outer_folds_of_a_default_run_are_a_cross_validation(rng, method):
    X = rng.normal(size=(50, 2))
    y = X[:, 0] + rng.normal(size=50)
    found = eb.compare(LEARNERS, X, y, random_state=0)
    folds = eb.compare(LEARNERS, X, y, plan=KFold(7), method=method, random_state=0)
    again = eb.compare_table(found.table, method=method)
    one, other = again.pairs[0].result, folds.pairs[0].result
    assert (one.estimate, one.se, one.df) == pytest.approx((other.estimate, other.se, other.df))
    assert one.n_splits == 7
    naive = [compared.pairs[0].naive.se for compared in (found, again, folds)]
    assert naive == pytest.approx([naive[0]] * 3)


def test_seeds_of_nested_folds_are_averaged(rng):
    X = rng.normal(size=(30, 2))
    plan = Seeds(2, eb.plans.NestedKFold(3, 1))
    found = eb.compare(LEARNERS, X, X[:, 0], plan=plan, random_state=0)
    assert found.method == "cv-jackknife"
    assert "means" in [note.code for note in found.notes]


def test_seeds_of_plans_that_no_method_takes_are_refused_with_one_that_works(rng):
    X = rng.normal(size=(30, 2))
    plan = eb.plans.Bootstrap(3, training_error=True)
    with pytest.raises(eb.UnsuitablePlanError):
        eb.compare(LEARNERS, X, X[:, 0], plan=Seeds(2, plan), random_state=0)
    for works in (Holdout(0.2), KFold(3)):
        found = eb.compare(
            LEARNERS, X, X[:, 0], plan=Seeds(2, works), method="crossed-t", random_state=0
        )
        assert found.method == "crossed-t"


def test_seeds_of_few_groups_are_refused_with_a_call_that_works(rng):
    losses = {"a": rng.random(60), "b": rng.random(60)}
    facts = {"seed": np.repeat([0, 1, 2], 20), "example": np.tile(np.arange(20), 3)}
    with pytest.raises(eb.UnsuitablePlanError):
        eb.compare_table(eb.from_losses(losses, groups=np.tile(np.arange(20) % 3, 3), **facts))
    assert eb.compare_table(eb.from_losses(losses, **facts)).method == "crossed-t"

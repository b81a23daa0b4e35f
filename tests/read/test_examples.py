"""Features and target of a table: what is a feature, how learners get it, and what is refused."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.compose import make_column_transformer
from sklearn.dummy import DummyClassifier
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

import errbar
from errbar.errors import InvalidInputError
from tests.refusals import refused

COUNT = 240


@pytest.fixture
def rng():
    return np.random.default_rng(8)


@pytest.fixture
def frame():
    rng = np.random.default_rng(5)
    signup = pd.Timestamp("2023-01-01") + pd.to_timedelta(rng.integers(0, 900, COUNT), "D")
    income = np.where(rng.random(COUNT) < 0.1, np.nan, rng.lognormal(0, 0.4, COUNT))
    plan = rng.choice(["basic", "plus"], COUNT)
    chance = 1 / (1 + np.exp(-2.0 * (plan == "basic") + 2.0))
    return pd.DataFrame(
        {
            "customer_id": [f"C{100000 + i}" for i in range(COUNT)],
            "account id": rng.permutation(COUNT) + 7000,
            "signup": signup.strftime("%Y-%m-%d"),
            "plan": np.where(rng.random(COUNT) < 0.1, None, plan),
            "city": [f"c{i}" for i in range(110)] * 2 + ["x"] * 20,
            "income": income,
            "paid": rng.random(COUNT) < 0.5,
            "churn": np.where(rng.random(COUNT) < chance, "yes", "no"),
        }
    )


@pytest.fixture
def write(tmp_path):
    def written(frame, name="data.csv", **how):
        frame.to_csv(tmp_path / name, index=False, **how)
        return tmp_path / name

    return written


@pytest.fixture
def churn(frame, write):
    return errbar.read_examples(write(frame), "churn", drop="customer_id,account id")


def said(found):
    """How columns were read."""
    return next((dict(note.numbers) for note in found.notes if note.code == "read"), {})


class TestColumns:
    def test_all_without_a_role_are_features(self, churn):
        assert list(churn.X) == ["signup", "plan", "city", "income", "paid"]
        assert [churn.X[name].dtype.kind for name in churn.X] == list("MOOff")
        assert said(churn) == {
            "one_hot": ("plan", "city"),
            "dates_as_days": ("signup",),
            "gaps_filled": ("income",),
        }

    def test_numbers_without_gaps_are_an_array_and_learners_what_they_are(self, write):
        found = errbar.read_examples(
            write(pd.DataFrame({"x": [0.5, 1, 3], "z": [1, 0, 1], "y": [1, 2, 3]})), "y"
        )
        learner = LinearRegression()
        assert (found.X.dtype, found.X.tolist()) == (
            np.float64,
            [[0.5, 1.0], [1.0, 0.0], [3.0, 1.0]],
        )
        assert found.prepared({"a": learner})["a"] is learner
        assert not found.notes

    def test_groups_and_time_are_no_features(self, frame, write):
        path = write(frame.assign(customer_id=np.arange(COUNT) // 3))
        found = errbar.read_examples(
            path, "churn", groups="customer_id", time="signup", drop="account id"
        )
        assert list(found.X) == ["plan", "city", "income", "paid"]
        assert found.groups.tolist() == (np.arange(COUNT) // 3).tolist()
        assert (found.time == pd.to_datetime(frame["signup"]).to_numpy()).all()

    def test_names_in_a_list_and_names_with_commas(self, frame, write):
        found = errbar.read_examples(
            write(frame), "churn", drop="city, signup,customer_id", features=["account id"]
        )
        assert list(found.X) == ["account id", "plan", "income", "paid"]
        strange = write(frame.rename(columns={"customer_id": "city,plan"}), "strange.csv")
        found = errbar.read_examples(strange, "churn", drop=["city,plan", "account id"])
        assert {"city", "plan"} <= set(found.X)

    @pytest.mark.parametrize("how", ["%Y-%m-%d", "%d.%m.%Y", "%m/%d/%Y", "%Y-%m-%dT%H:%M:%SZ"])
    def test_dates_however_they_are_written(self, churn, frame, write, how):
        frame["signup"] = pd.to_datetime(frame["signup"]).dt.strftime(how)
        found = errbar.read_examples(
            write(frame, "other.csv"), "churn", drop="customer_id,account id"
        )
        assert (found.X["signup"] == churn.X["signup"]).all()

    def test_gaps_in_dates(self, frame, write):
        frame.loc[[2, 5], "signup"] = None
        found = errbar.read_examples(write(frame), "churn", drop="customer_id,account id")
        assert said(found)["gaps_filled"] == ("signup", "income")
        assert found.X["signup"].isna().to_numpy().nonzero()[0].tolist() == [2, 5]
        learner = found.prepared({"a": LogisticRegression(max_iter=9999)})["a"]
        assert learner.fit(found.X, found.y).predict(found.X).shape == (COUNT,)

    def test_a_parquet_file_with_an_index_lists_and_durations(self, rng, tmp_path):
        frame = pd.DataFrame({"x": rng.normal(size=50), "y": rng.normal(size=50)})
        frame["td"] = pd.to_timedelta(rng.integers(0, 99, 50), "h")
        frame["lists"] = [[i, 2] for i in range(50)]
        frame["when"] = pd.date_range("2024-01-01", periods=50, tz="Europe/Berlin")
        frame["kind"] = pd.Categorical(rng.choice(["u", "v"], 50))
        frame["count"] = pd.array(rng.integers(0, 9, 50), dtype="Int64")
        frame.loc[3, "count"] = None
        frame.index = pd.Index(["u", "v"] * 25, name="colour")
        frame.to_parquet(tmp_path / "data.parquet")
        with pytest.raises(InvalidInputError):
            errbar.read_examples(tmp_path / "data.parquet", "y")
        found = errbar.read_examples(tmp_path / "data.parquet", "y", drop="lists")
        assert list(found.X) == ["colour", "x", "td", "when", "kind", "count"]
        assert found.X["td"].to_numpy() == pytest.approx(
            frame["td"].dt.total_seconds().to_numpy() / 86400
        )
        assert found.X["when"][0] == pd.Timestamp("2023-12-31 23:00")
        assert said(found)["gaps_filled"] == ("count",)

    def test_decimal_commas(self, rng, write):
        frame = pd.DataFrame({"a": rng.normal(size=30), "y": rng.normal(size=30)})
        found = errbar.read_examples(write(frame, sep=";", decimal=","), "y")
        assert found.X.ravel().tolist() == frame["a"].tolist()

    def test_numbers_with_marks_are_text(self, rng, write):
        frame = pd.DataFrame(
            {"price": rng.choice(["$3", "$1,200", "$7"], 60), "y": rng.normal(size=60)}
        )
        assert said(errbar.read_examples(write(frame), "y"))["one_hot"] == ("price",)

    def test_a_frame_as_well_as_a_file(self, frame, churn):
        found = errbar.read_examples(frame, "churn", drop="customer_id,account id")
        pd.testing.assert_frame_equal(found.X, churn.X, check_dtype=False)


class TestRefused:
    def test_what_is_no_column(self, frame, write):
        path = write(frame)
        for role in ("groups", "time", "drop", "features"):
            with refused(role):
                errbar.read_examples(path, "churn", **{role: "nothing"})
        with refused("target"):
            errbar.read_examples(path, "Churn")

    def test_no_feature(self, frame, write):
        with pytest.raises(InvalidInputError):
            errbar.read_examples(write(frame[["churn"]]), "churn")
        with pytest.raises(InvalidInputError):
            errbar.read_examples(write(frame[["city", "churn"]]), "churn", drop="city")

    @pytest.mark.parametrize("name", ["customer_id", "account id", "comment"])
    def test_columns_that_name_the_rows(self, frame, write, name):
        frame["comment"] = [f"he said {'abc'[i % 3]} and more of {i % 200}" for i in range(COUNT)]
        both = frame[[name, "paid", "churn"]]
        with pytest.raises(InvalidInputError) as caught:
            errbar.read_examples(write(both), "churn")
        assert f"--drop '{name}'" in str(caught.value)
        assert errbar.read_examples(write(both), "churn", drop=name).X.shape == (COUNT, 1)
        assert list(errbar.read_examples(write(both.assign(z="z")), "churn", features=name).X) == [
            name,
            "paid",
            "z",
        ]

    def test_all_columns_that_name_the_rows_are_named_at_once(self, frame, write):
        with pytest.raises(InvalidInputError) as caught:
            errbar.read_examples(write(frame), "churn")
        assert "--drop 'customer_id,account id'" in str(caught.value)

    def test_numbers_that_are_all_different_are_features(self, rng, write):
        frame = pd.DataFrame({"x": 2 * rng.permutation(60), "y": rng.normal(size=60)})
        assert errbar.read_examples(write(frame), "y").X.shape == (60, 1)

    def test_an_infinite_number(self, rng, write):
        frame = pd.DataFrame({"x": rng.normal(size=60), "y": rng.normal(size=60)})
        frame.loc[3, "x"] = np.inf
        with pytest.raises(InvalidInputError):
            errbar.read_examples(write(frame.assign(z=1)), "y")
        assert errbar.read_examples(write(frame.assign(z=1)), "y", drop="x").X.shape == (60, 1)

    @pytest.mark.parametrize("role", ["groups", "time"])
    def test_groups_and_times_with_gaps(self, frame, write, role):
        frame = frame.assign(who=np.arange(COUNT) // 2 + 0.0).drop(
            columns=["customer_id", "account id"]
        )
        assert (
            getattr(errbar.read_examples(write(frame), "churn", **{role: "who"}), role).size
            == COUNT
        )
        frame.loc[7, "who"] = np.nan
        with pytest.raises(InvalidInputError):
            found = errbar.read_examples(write(frame), "churn", **{role: "who"})
            errbar.evaluate(DummyClassifier(), found.X, found.y, groups=found.groups)


class TestTarget:
    @pytest.fixture
    def severity(self, rng):
        return pd.DataFrame({"x": rng.normal(size=60), "y": rng.choice(["mild", "severe"], 60)})

    def test_rows_without_one_are_left_out(self, severity, write):
        severity.loc[[3, 5], "y"] = None
        found = errbar.read_examples(write(severity), "y")
        assert (len(found.y), len(found.X), list(found.y.index)) == (58, 58, list(range(58)))
        assert said(found) == {"rows_without_target": (2,)}

    def test_many_rows_without_one(self, severity, write):
        """pandas reads the word None as no value, and it may be a class."""
        severity.loc[:9, "y"] = "None"
        with refused("target"):
            errbar.read_examples(write(severity), "y")

    @pytest.mark.parametrize("value", ["mild", 1.5, None])
    def test_one_value_only(self, severity, write, value):
        with refused("target"):
            errbar.read_examples(write(severity.assign(y=value)), "y")

    def test_whole_numbers_with_a_gap_and_truth_values_with_a_gap(self, write):
        frame = pd.DataFrame(
            {"x": [1, 2, 5, 7], "y": [0, None, 1, 0], "z": [True, None, False, True]}
        )
        assert errbar.read_examples(write(frame), "y", drop="z").y.tolist() == [0, 1, 0]
        found = errbar.read_examples(write(frame), "z", drop="y").y
        assert (found.dtype, found.tolist()) == (bool, [True, False, True])


class TakesText(ClassifierMixin, BaseEstimator):
    """Takes the frame as it is, and says so as scikit-learn has it."""

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.string = True
        return tags

    def fit(self, X, y):
        assert set(X["plan"].dropna()) <= {"basic", "plus"}
        self.classes_ = np.unique(y)
        return self

    def predict(self, X):
        return np.where(X["plan"] == "basic", "yes", "no")


class TestPrepared:
    @pytest.mark.parametrize(
        ("learner", "steps"),
        [
            (HistGradientBoostingClassifier(max_iter=3), 2),
            (RandomForestClassifier(3), 2),
            (make_pipeline(SimpleImputer(strategy="most_frequent"), LogisticRegression()), 2),
            (LogisticRegression(), 3),
            (make_pipeline(StandardScaler(), LogisticRegression()), 3),
        ],
        ids=["boosting", "forest", "imputer", "logistic", "scaler"],
    )
    @pytest.mark.filterwarnings("ignore:lbfgs")
    def test_gaps_are_filled_where_a_learner_takes_none(self, churn, learner, steps):
        made = churn.prepared({"a": learner})["a"]
        assert len(made.steps) == steps
        assert made.fit(churn.X, churn.y).predict(churn.X).shape == (COUNT,)
        full = churn.X["income"].notna() & churn.X["plan"].notna()
        made.fit(churn.X[full], churn.y[full])
        assert made.predict(churn.X).shape == (COUNT,), "whatever rows a training set has"

    # skrub is no dependency: it comes with skore, which the group of tests names.
    @pytest.mark.parametrize(
        "make", [TakesText, lambda: pytest.importorskip("skrub").tabular_pipeline("classifier")]
    )
    def test_learners_that_take_text_get_the_frame(self, churn, make):
        learner = make()
        assert churn.prepared({"a": learner})["a"] is learner
        assert learner.fit(churn.X, churn.y).predict(churn.X).shape == (COUNT,)

    def test_a_pipeline_that_names_its_columns_gets_the_frame(self, churn, frame):
        columns = make_column_transformer(
            (OneHotEncoder(handle_unknown="ignore"), ["plan"]),
            (make_pipeline(SimpleImputer(), StandardScaler()), ["income"]),
        )
        own = make_pipeline(columns, LogisticRegression())
        made = churn.prepared({"a": own})["a"].fit(churn.X, churn.y)
        expected = own.fit(frame[["plan", "income"]], frame["churn"]).predict_proba(frame)
        assert made.predict_proba(churn.X) == pytest.approx(expected)

    def test_numbers_by_hand(self, frame, write):
        found = errbar.read_examples(write(frame[["plan", "income", "signup", "churn"]]), "churn")
        made = found.prepared({"a": LogisticRegression(C=1e-3)})["a"].fit(found.X, found.y)
        plain = pd.get_dummies(frame["plan"], dtype=float, dummy_na=True)
        plain["signup"] = (pd.to_datetime(frame["signup"]) - pd.Timestamp("1970-01-01")).dt.days
        plain["income"] = frame["income"].fillna(frame["income"].median())
        assert made[:-1].transform(found.X) == pytest.approx(
            plain[[*plain.columns[:3], "signup", "income"]].to_numpy()
        )

    def test_what_a_training_set_teaches_is_that_of_its_rows(self, frame, write):
        found = errbar.read_examples(write(frame[["plan", "income", "churn"]]), "churn")
        rows = (frame["plan"] == "plus").to_numpy()
        made = found.prepared({"a": LogisticRegression()})["a"].fit(found.X[rows], found.y[rows])
        seen = made[:-1].transform(found.X)
        assert seen.shape == (COUNT, 2)
        assert (seen[:, 0] == rows).all(), "values that a training set lacks are zeros"
        gaps = frame["income"].isna().to_numpy()
        assert set(seen[gaps, 1]) == {frame["income"][rows].median()}

    def test_of_many_values_the_rarer_ones_are_one(self, frame, write):
        found = errbar.read_examples(write(frame[["city", "churn"]]), "churn")
        made = found.prepared({"a": RandomForestClassifier(3)})["a"].fit(found.X, found.y)
        assert made[:-1].transform(found.X).shape == (COUNT, 101)

    def test_text_that_could_be_a_number_is_text(self, rng, write):
        frame = pd.DataFrame(
            {"code": rng.choice(["1_0", "2_0", "3_4"], 60), "y": rng.normal(size=60)}
        )
        found = errbar.read_examples(write(frame), "y")
        assert (
            found.prepared({"a": LinearRegression()})["a"].fit(found.X, found.y)[-1].coef_.size == 3
        )

    def test_the_error_is_that_of_the_learner(self, churn):
        learner = churn.prepared({"a": LogisticRegression(max_iter=-1)})["a"]
        with pytest.raises(errbar.FitFailedError):
            errbar.evaluate(learner, churn.X, churn.y, random_state=0)

    def test_kept_fits_are_taken_again(self, churn, tmp_path):
        asked = {"plan": 3, "random_state": 0, "store": tmp_path / "fits.db"}
        learners = {"forest": RandomForestClassifier(3), "line": LogisticRegression(C=1e-6)}
        first, second = (
            errbar.compare(churn.prepared(learners), churn.X, churn.y, **asked) for _ in range(2)
        )
        counts = first.table.counts, second.table.counts
        assert (counts[0].fits, counts[1].fits, counts[1].reused) == (6, 0, 6)
        assert first.pairs[0].result == second.pairs[0].result

"""Tables as people have them: what becomes of text, dates, names, gaps, groups and times."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.compose import make_column_transformer
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

import errbar
from errbar.sources._suspects import correlation_in_order, correlation_within, looks_like_groups, looks_like_time
from tests.refusals import refused

COUNT = 240


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
            "city": [f"{'abcdefghij'[i % 10]}{'klmnopqrst'[i // 10 % 10]}{'uv'[i // 100 % 2]}" for i in range(110)] * 2
            + ["x"] * 20,
            "comment": [f"he said {'abc'[i % 3]} and then much more of {i % 200}" for i in range(COUNT)],
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


def codes(found):
    return [note.code for note in found.notes]


class TestColumns:
    def test_each_kind(self, frame, write):
        found = errbar.read_examples(write(frame), "churn")
        assert found.columns == {
            "customer_id": "name",
            "account id": "name",
            "signup": "date",
            "plan": "text",
            "city": "wordy",
            "comment": "prose",
            "income": "number",
            "paid": "number",
        }
        assert list(found.X) == ["signup", "plan", "city", "comment", "income", "paid"]
        assert found.X["signup"].dtype.kind == "M"
        [how] = [note.numbers for note in found.notes if note.code == "read"]
        assert (how["dates_as_days"], how["gaps_filled"], how["gaps_as_text"]) == (("signup",), ("income",), ("plan",))

    def test_numbers_without_gaps_stay_an_array_and_learners_what_they_are(self, write):
        found = errbar.read_examples(write(pd.DataFrame({"x": [0.5, 1, 3], "z": [1, 0, 1], "y": [1, 2, 3]})), "y")
        learner = LinearRegression()
        assert isinstance(found.X, np.ndarray)
        assert found.prepared({"a": learner})["a"] is learner
        assert not found.notes

    def test_features_and_drop_take_lists(self, frame, write):
        path = write(frame)
        found = errbar.read_examples(path, "churn", drop="city, comment,signup", features=["account id"])
        assert set(found.columns) == {"customer_id", "account id", "plan", "income", "paid"}
        assert found.columns["account id"] == "number"
        strange = write(frame.rename(columns={"city": "city,comment"}), "strange.csv")
        assert "comment" in errbar.read_examples(strange, "churn", drop=["city,comment"]).columns

    def test_what_is_no_column(self, frame, write):
        with refused("target"):
            errbar.read_examples(write(frame), "Churn")
        with refused("features"):
            errbar.read_examples(write(frame), "churn", features="nothing")
        with pytest.raises(errbar.InvalidInputError):
            errbar.read_examples(write(frame[["churn"]]), "churn")
        with pytest.raises(errbar.InvalidInputError):
            errbar.read_examples(write(frame[["customer_id", "churn"]]), "churn")

    def test_rows_without_a_target(self, frame, write):
        frame.loc[[3, 5], "churn"] = None
        found = errbar.read_examples(write(frame), "churn")
        assert (len(found.y), len(found.X), list(found.y.index)) == (COUNT - 2, COUNT - 2, list(range(COUNT - 2)))
        assert found.notes[0].numbers["rows_without_target"] == (2,)

    def test_dates_that_may_be_read_in_two_ways(self, frame, write):
        frame["signup"] = [f"{1 + i % 12:02}/{1 + i // 20:02}/2024" for i in range(COUNT)]
        with pytest.raises(errbar.InvalidInputError):
            errbar.read_examples(write(frame), "churn")
        assert "signup" not in errbar.read_examples(write(frame), "churn", drop="signup").columns

    @pytest.mark.parametrize("how", ["%d.%m.%Y", "%m/%d/%Y", "%Y-%m-%dT%H:%M:%SZ"])
    def test_dates_however_they_are_written(self, frame, write, how):
        plain = errbar.read_examples(write(frame), "churn").X["signup"]
        frame["signup"] = pd.to_datetime(frame["signup"]).dt.strftime(how)
        assert (errbar.read_examples(write(frame, "other.csv"), "churn").X["signup"] == plain).all()


class Picky(ClassifierMixin, BaseEstimator):
    """Takes the frame as it is in the file."""

    def fit(self, X, y):
        assert set(X["plan"].dropna()) <= {"basic", "plus"}
        self.classes_ = np.unique(y)
        return self

    def predict(self, X):
        return np.where(X["plan"] == "basic", "yes", "no")


class TestPrepared:
    @pytest.mark.filterwarnings("ignore")
    @pytest.mark.parametrize(
        ("learner", "steps"),
        [
            (Picky(), None),
            (HistGradientBoostingClassifier(max_iter=3), 2),
            (RandomForestClassifier(3), 2),
            (LogisticRegression(max_iter=5000, solver="newton-cg"), 3),
        ],
        ids=lambda value: type(value).__name__,
    )
    def test_a_learner_gets_no_more_in_front_of_it_than_it_needs(self, frame, write, learner, steps):
        found = errbar.read_examples(write(frame), "churn")
        made = found.prepared({"a": learner})["a"]
        assert made.fit(found.X, found.y).predict(found.X).shape == (COUNT,)
        assert len(getattr(made.fitted_, "steps", [])) == (steps or 0)
        full = found.X["income"].notna() & found.X["plan"].notna()
        made.fit(found.X[full], found.y[full])
        assert len(getattr(made.fitted_, "steps", [])) == (steps or 0), "whatever rows a training set has"

    def test_a_pipeline_that_names_its_columns(self, frame, write):
        columns = make_column_transformer(
            (OneHotEncoder(handle_unknown="ignore"), ["plan"]),
            (make_pipeline(SimpleImputer(), StandardScaler()), ["income"]),
        )
        own = make_pipeline(columns, LogisticRegression())
        found = errbar.read_examples(write(frame), "churn")
        made = found.prepared({"a": own})["a"].fit(found.X, found.y)
        expected = own.fit(frame[["plan", "income"]], frame["churn"]).predict_proba(frame)
        assert made.predict_proba(found.X) == pytest.approx(expected)

    def test_numbers_by_hand(self, frame, write):
        found = errbar.read_examples(write(frame[["plan", "income", "churn"]]), "churn")
        made = found.prepared({"a": LogisticRegression()})["a"].fit(found.X, found.y)
        plain = pd.get_dummies(frame["plan"], dtype=float, dummy_na=True)
        plain["income"] = frame["income"].fillna(frame["income"].median())
        expected = LogisticRegression().fit(plain.to_numpy(), frame["churn"]).predict_proba(plain.to_numpy())
        assert made.predict_proba(found.X) == pytest.approx(expected, abs=1e-6)

    def test_what_a_learner_cannot_do_it_cannot_do_prepared(self, frame, write):
        made = errbar.read_examples(write(frame), "churn").prepared({"a": Picky()})["a"]
        assert not hasattr(made, "predict_proba")
        assert not hasattr(made, "decision_function")

    def test_the_error_is_that_of_the_learner(self, frame, write):
        found = errbar.read_examples(write(frame), "churn")
        with pytest.raises(errbar.FitFailedError):
            errbar.evaluate(
                found.prepared({"a": LogisticRegression(max_iter=-1)})["a"], found.X, found.y, random_state=0
            )

    def test_kept_fits_are_taken_again(self, frame, write, tmp_path):
        found = errbar.read_examples(write(frame), "churn")
        asked = {"plan": 3, "random_state": 0, "store": tmp_path / "fits.db"}
        learners = {"forest": RandomForestClassifier(3), "line": LogisticRegression()}
        first, second = (errbar.compare(found.prepared(learners), found.X, found.y, **asked) for _ in range(2))
        assert (first.counts.fits, second.counts.fits, second.counts.reused) == (6, 0, 6)
        assert first.pairs[0].result == second.pairs[0].result


class TestSuspicions:
    def test_correlation_within_groups_against_the_textbook(self):
        """Snedecor & Cochran's analysis of variance of k groups of n: (MSB - MSW) / (MSB + (n - 1) MSW)."""
        rng = np.random.default_rng(0)
        groups = np.repeat(np.arange(30), 6)
        values = rng.normal(size=30)[groups] + rng.normal(size=180)
        ranks = pd.Series(values).rank().to_numpy()
        means = ranks.reshape(30, 6).mean(axis=1)
        among = 6 * means.var(ddof=1)
        within = ranks.reshape(30, 6).var(axis=1, ddof=1).mean()
        expected = (among - within) / (among + 5 * within)
        assert correlation_within(values, groups) == pytest.approx(expected)

    @pytest.mark.parametrize("classes", [0, 2, 4])
    def test_independent_examples_are_seldom_suspected(self, classes):
        rng = np.random.default_rng(classes)
        alarms = np.zeros(2)
        for _ in range(400):
            y = rng.integers(classes, size=200).astype(str) if classes else rng.exponential(size=200)
            groups = np.sort(rng.integers(30, size=200))
            alarms += [correlation_within(y, groups) is not None, correlation_in_order(y, np.arange(200)) is not None]
        assert (alarms <= 4).all()  # one in a thousand is allowed each

    def test_order(self):
        walk = np.random.default_rng(1).normal(size=300).cumsum()
        shuffled = np.random.default_rng(2).permutation(300)
        assert correlation_in_order(walk[shuffled], shuffled) == correlation_in_order(walk, np.arange(300)) > 0.8
        assert correlation_in_order(walk[:5], np.arange(5)) is None
        assert correlation_in_order(np.ones(300), np.arange(300)) is None

    def test_few_groups_are_pointed_out_and_not_refused(self, frame, write):
        frame["site"] = np.where(frame["churn"] == "yes", "s1", "s2")
        assert "looks-like" in codes(errbar.read_examples(write(frame), "churn"))


class TestNamesOfGroupsAndTimes:
    """Names and texts that look like groups or times, and those that only hold such a word."""

    @pytest.mark.parametrize(
        "name", ["patient", "patientId", "ID", "id_klinik", "store_nr", "customer_code", "site1", "schools", "pid"]
    )
    def test_groups(self, name):
        assert looks_like_groups(pd.Series(np.arange(60) // 4), name)

    @pytest.mark.parametrize(
        "name", ["patient_age", "family_size", "session_length", "center_x", "user_rating", "household_income", "width"]
    )
    def test_numbers_of_groups_are_none(self, name):
        assert not looks_like_groups(pd.Series(np.arange(60) // 4), name)

    @pytest.mark.parametrize("form", ["P-{}", "S{:02}", "ab{}", "{}f9a", "A{}-B6", "12-{}-AB", "Q1 20{}", "u{}"])
    def test_codes(self, form):
        for least in (0, 5, 10):
            assert looks_like_groups(pd.Series([form.format(least + i % 15) for i in range(60)]), "who")
        assert looks_like_groups(pd.Series([form.format(i % 10) for i in range(60)]), "who")

    @pytest.mark.parametrize(
        "form", ["{}-99", "[{}, 99)", "{} to 99 y", "{}+ years", "<{} km", "{}:30 PM", "{}-99 days"]
    )
    def test_bins_and_clock_times_are_no_codes(self, form):
        assert not looks_like_groups(pd.Series([form.format(10 + i % 15) for i in range(60)]), "what")

    def test_grades_are_no_codes(self):
        grades = pd.Series([f"{'ABCDEFG'[i % 7]}{1 + i % 5}" for i in range(175)])
        assert grades.nunique() == 35
        assert not looks_like_groups(grades, "sub_grade")

    @pytest.mark.parametrize("name", ["date", "visit_date", "order_date", "Datum"])
    def test_dates(self, name):
        assert looks_like_time(pd.Series(pd.date_range("2020-01-01", periods=9)), name)

    @pytest.mark.parametrize("name", ["date_of_birth", "dateOfBirth", "DOB", "birthdate", "Geburtsdatum"])
    def test_days_of_birth_are_no_time(self, name):
        assert not looks_like_time(pd.Series(pd.date_range("1950-01-01", periods=9)), name)

    def test_numbers_in_order(self):
        rows = pd.Series(np.arange(20))
        assert all(looks_like_time(rows, name) for name in ("year", "time", "week_no"))
        assert not any(
            looks_like_time(rows, name) for name in ("year_built", "birth_year", "follow_up_time", "time_to_event")
        )

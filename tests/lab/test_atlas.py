"""The atlas: populations, kept fits, rows, parts, files; and a small one against the full one."""

import numpy as np
import pandas as pd
import pytest

import errbar
import errbar_lab as lab
from errbar import InvalidInputError
from errbar_lab._atlas import PROBLEMS, _fits, _summary, _tables
from errbar_lab._atlas._learners import learners, pairs
from errbar_lab._atlas._study import save
from errbar_lab._experiment import data_stream
from tests.refusals import refused

pytestmark = pytest.mark.long

SMALL = {"data_sets": 2, "truth_draws": 4, "cheap": True}


@pytest.fixture(scope="module")
def small(tmp_path_factory):
    store = tmp_path_factory.mktemp("atlas") / "atlas.db"
    return lab.atlas(["no-signal", "heavy-tail"], [60], store=store, **SMALL), store


@pytest.fixture(scope="module")
def larger():
    return lab.atlas(["heavy-tail"], [60], **{**SMALL, "data_sets": 4})


class TestTables:
    def test_text_becomes_a_column_per_level_and_gaps_the_median(self):
        frame = pd.DataFrame(
            {
                "size": [1.0, None, 3.0, 8.0],
                "colour": ["red", "blue", None, "red"],
                "same": [1, 1, 1, 1],
            }
        )
        X = _tables.encoded(frame)
        assert X.shape == (
            4,
            3,
        )  # the size, and two of the levels blue, none and red; what is constant is left out
        assert X.mean(axis=0) == pytest.approx(0.0, abs=1e-12)
        assert X.std(axis=0) == pytest.approx(1.0)
        assert X[1, 0] == pytest.approx((3.0 - 3.75) / np.std([1.0, 3.0, 3.0, 8.0]))

    def test_whole_groups_are_drawn_and_the_last_is_cut(self):
        table = _tables.RealTable(
            "t", np.arange(40.0)[:, None], np.arange(40.0), np.repeat(np.arange(8), 5)
        )
        data = table.drawn(23, 0, np.random.default_rng(0))
        X, groups = data.X, data.groups
        assert np.bincount(groups).tolist() == [5, 5, 5, 5, 3]
        assert all(np.ptp(X[groups == g, 0] // 5) == 0.0 for g in range(5))

    def test_no_row_and_no_group_is_drawn_twice(self):
        """Tests are on other rows, or on other groups."""
        plain = _tables.RealTable("t", np.arange(40.0)[:, None], np.arange(40.0))
        drawn = plain.drawn(30, 100, np.random.default_rng(0))
        assert np.unique(drawn.y).size == drawn.y.size == 40
        table = _tables.RealTable("t", plain.X, plain.y, np.repeat(np.arange(8), 5))
        drawn = table.drawn(23, 100, np.random.default_rng(0))
        groups = drawn.X[:, 0] // 5
        assert drawn.y.size == 23 + 15
        assert not set(groups[:23]) & set(groups[23:])

    def test_large_tables_are_cut_down_the_same_way_every_time(self):
        X, y = np.random.default_rng(0).standard_normal((12_000, 2)), np.arange(12_000.0)
        one, other = (_tables.cut_down("t", X, y) for _ in range(2))
        assert (one.size, one.digest) == (_tables.MOST_ROWS, other.digest)


def answers_of(key, number):
    """The experiment, what it says of a data set, and the data set."""
    problem = PROBLEMS[key]
    answers, _ = _fits.experiments_of(problem, 60, cheap=True, part="many")
    rng = data_stream(0, problem.population, 60, number)
    data = problem.population.drawn(60, answers.test_examples, rng)
    return answers, answers.replicate(0, number), data


class TestFits:
    @pytest.mark.thorough
    @pytest.mark.parametrize("key", ["no-signal", "heavy-tail"])
    def test_answers_are_those_of_the_library(self, key):
        answers, found, data = answers_of(key, 5)
        table = errbar.run(
            answers.learners,
            data.X[:60],
            data.y[:60],
            plan=errbar.plans.Union(tuple(answers.plans.values())),
            random_state=errbar._rng.seed(0, "splits", 60, 5),
        )
        own = errbar.infer(table.of_plan(0), "corrected-t", "tree")
        place = list(answers.learners).index("tree")
        expected = [own.estimate, own.se, own.n_train, 15, own.low, own.high]
        assert found["results"][0, 0, place, :6] == pytest.approx(expected, rel=1e-9)
        assert np.isnan(found["results"][0, 0, place, 6:]).all()

    def test_risks_of_models_are_those_of_their_predictions(self):
        """The dummy's risk on the rows that are left is that of the commonest class of its training set."""
        answers, found, data = answers_of("no-signal", 1)
        population = PROBLEMS["no-signal"].population
        assert answers.test_examples == population.size - 60
        share = data.y[60:].mean()
        commonest = int(np.bincount(data.y[:60]).argmax())
        place = list(answers.learners).index("dummy")
        risk = share if commonest == 0 else 1.0 - share
        assert found["risks"][0, place, -1] == pytest.approx(risk)


class TestRows:
    @pytest.mark.thorough
    def test_every_interval_is_counted(self, small):
        frame = small[0].outcomes
        own = frame[(frame["method"] == "cv-t, folds x2") & (frame["loss"] == "zero-one")]
        assert set(own["data_sets"]) == {2}
        assert (
            len(own) == len(learners("classification", cheap=True)) + 6
        )  # pairs without forest and boosting

    def test_identical_learners_are_a_pair_of_true_difference_zero(self, small):
        frame = small[0].outcomes
        same = frame[frame["pair"] == "identical"]
        assert set(same["learner"]) == {"random tree a"}
        assert ("random tree a", "random tree b", "identical") in pairs(
            "regression", ("random tree a", "random tree b")
        )

    def test_what_a_dummy_gets_by_a_metric_is_left_out_of_summaries(self, small):
        own = _summary.about(small[0].outcomes, "learners")
        assert not ((own["learner"] == "dummy") & (own["loss"] == "f1")).any()
        assert ((own["learner"] == "dummy") & (own["loss"] == "zero-one")).any()

    def test_the_reference_has_width_one(self, small):
        rows = {row["method"]: row for row in _summary.by_method(small[0].outcomes, "pairs")}
        assert rows[_summary.REFERENCE]["width"] == pytest.approx(1.0)


class TestStudy:
    def test_a_run_goes_on(self, small, larger, tmp_path):
        found, store = small
        again = lab.atlas(["heavy-tail"], [60], store=store, **{**SMALL, "data_sets": 4})
        pd.testing.assert_frame_equal(again.outcomes, larger.outcomes)
        paths = tmp_path / "one.parquet", tmp_path / "two.parquet"
        for one, path in zip((found, again), paths, strict=True):
            save(one, path)
        joined = lab.read_atlas(*paths).outcomes
        assert joined.groupby("problem", observed=True)["data_sets"].first().to_dict() == {
            "heavy-tail": 4,
            "no-signal": 2,
        }

    @pytest.mark.slow
    def test_costly_methods_have_rows_of_their_own(self, small):
        found, store = small
        more = lab.atlas(
            ["no-signal"], [60], part="costly", store=store, **{**SMALL, "data_sets": 2}
        )
        costly = {
            "nested-cv, nested",
            "cv-jackknife, nested",
            "conservative-z, halves",
            "replace-one, replaced",
            "632, samples",
        }
        assert costly <= set(more.outcomes["method"])
        assert not costly & set(found.outcomes["method"])

    @pytest.mark.thorough
    def test_candidates_of_the_default_have_every_level(self, small):
        _, store = small
        found = lab.atlas(["groups"], [300], part="default", store=store, **SMALL).outcomes
        own = found[found["method"] == "cv-jackknife, 7 folds"]
        assert set(own["level"]) == {80, 90, 95, 99}
        assert set(own["fits"]) == {28}
        widths = own[own["learner"] == "logistic"].groupby("level", observed=True)["width"].mean()
        assert (np.diff(widths) > 0).all()
        assert not set(found["method"]) & {"cv-t, folds x3", "corrected-t, folds x3"}

    def test_fits_are_counted(self, small):
        rows = small[0].outcomes
        assert set(rows["fits"][rows["method"] == "cv-t, folds x2"]) == {20}

    def test_files(self, small, tmp_path):
        found, path = small[0], tmp_path / "rows.parquet"
        save(found, path)
        back = lab.read_atlas(path, path)
        assert len(back.outcomes) == len(found.outcomes)
        assert back.settings == found.settings
        assert np.allclose(back.outcomes["width"], found.outcomes["width"], rtol=1e-6)

    def test_tables_and_settings(self, small):
        tables = small[0].tables
        assert len(tables) == 3
        assert any(row["method"] == "cv-t, folds x2" for row in tables[0].rows)

    @pytest.mark.parametrize(
        ("asked", "argument"),
        [
            ({"problems": ["bogus"]}, "problems"),
            ({"problems": ["rare"], "n": [60]}, "n"),
            ({"problems": ["no-signal"], "n": [60], "data_sets": 1}, "data_sets"),
        ],
    )
    def test_what_cannot_be_run_is_refused(self, asked, argument):
        with refused(argument):
            lab.atlas(**asked)

    def test_files_that_are_none_are_refused(self, tmp_path):
        other = tmp_path / "other.parquet"
        pd.DataFrame({"a": [1]}).to_parquet(other)
        for path in (tmp_path / "none.parquet", other):
            with pytest.raises(InvalidInputError):
                lab.read_atlas(path)

"""A method does not say how numbers came about, and a message proposes a role with all that it needs."""

import numpy as np
import pandas as pd
import pytest

import errbar as eb
from tests.cli.test_errors import refused

RETURNS = {
    "qmix": [14.84, 14.19, 13.24, 10.1, 14.23, 15.87, 16.08, 13.23, 18.21, 17.7],
    "mappo": [15.56, 15.67, 17.34, 15.52, 16.24, 17.73, 17.68, 15.11, 15.22, 15.08],
}
"""One return per seed."""
HIGHER = ("--higher-is-better",)


@pytest.fixture
def write(tmp_path):
    def to_file(**columns):
        path = tmp_path / "table.csv"
        pd.DataFrame(columns).to_csv(path, index=False)
        return path

    return to_file


KINDS = {
    "outperformance": "bootstrap",
    "bootstrap-benchmark": "bootstrap",
    "wilcoxon": "data-sets",
    "sign-test": "data-sets",
    "bayes-sign": "data-sets",
    "kfold-t": "kfold",
    "5x2cv-t": "5x2",
}


@pytest.mark.parametrize("method", KINDS)
def test_a_method_does_not_say_what_rows_are(errbar, write, method):
    path = write(**RETURNS)
    call = ("test", path, *HIGHER, "--method", method)
    refused(errbar(*call))
    assert errbar(*call, "--kind", KINDS[method]).status == 0


class TestOneNumberPerSeed:
    @pytest.mark.parametrize("method", [None, "resampled-t", *KINDS])
    def test_what_a_seed_is_has_to_be_said(self, errbar, write, method):
        path = write(seed=range(10), **RETURNS)
        asked = () if method is None else ("--method", method)
        refused(errbar("test", path, *HIGHER, *asked))

    @pytest.mark.parametrize(
        "method", [None, "resampled-t", "corrected-t", "wilcoxon", "outperformance"]
    )
    def test_as_a_seed_it_has_no_method_yet(self, errbar, write, method):
        path = write(seed=range(10), **RETURNS)
        asked = () if method is None else ("--method", method)
        refused(errbar("test", path, *HIGHER, "--seed", "seed", *asked))

    def test_seeds_of_each_learner(self, errbar, write):
        names, seeds = ["qmix"] * 10 + ["mappo"] * 6, [*range(10), *range(100, 106)]
        path = write(algorithm=names, seed=seeds, value=RETURNS["qmix"] + RETURNS["mappo"][:6])
        call = (
            "test",
            path,
            "--learner",
            "algorithm",
            "--value",
            "value",
            "--seed",
            "seed",
            *HIGHER,
        )
        refused(errbar(*call))

    def test_one_seed_for_all_and_a_kind_need_no_word(self):
        frame = pd.DataFrame({"seed": 7, **RETURNS})
        assert eb.from_scores(frame, n_train=90, n_test=10).learners == ("qmix", "mappo")
        frame["seed"] = range(10)
        with pytest.raises(eb.InvalidInputError):
            eb.from_scores(frame, n_train=90, n_test=10)


class TestRaters:
    """Six raters, 80 cases: each rater has judged all cases, so the rows of a rater are not just alike."""

    RATERS, CASES = 6, 80

    @pytest.fixture
    def table(self, rng):
        truth = np.tile(rng.random(self.CASES) < 0.5, self.RATERS)
        harsh = np.repeat(rng.normal(scale=0.5, size=self.RATERS), self.CASES)
        hard = np.tile(rng.normal(size=self.CASES), self.RATERS)
        wrong = {name: rng.normal(size=truth.size) + harsh + hard > 1.0 for name in "AB"}
        words = np.array(["no", "yes"])
        said = {name: words[(truth ^ own).astype(int)] for name, own in wrong.items()}
        rater, case = np.divmod(np.arange(truth.size), self.CASES)
        gap = wrong["A"].astype(float) - wrong["B"]
        return {
            "rater": [f"R{r}" for r in rater],
            "case": case + 1,
            "truth": words[truth.astype(int)],
            **said,
        }, gap

    def test_the_call_that_is_named(self, errbar, write, table):
        columns, gap = table
        path = write(**columns)
        refused(errbar("test", path, "--truth", "truth"))
        call = (
            "test",
            path,
            "--truth",
            "truth",
            "--columns",
            "A,B",
            "--seed",
            "rater",
            "--example",
            "case",
            "--fold",
            "none",
            "--method",
            "crossed-or",
        )
        pair = errbar(*call, "--json").data["pairs"][0]
        assert pair["estimate"] == pytest.approx(gap.mean())
        # Obuchowski and Rockette's model with examples and raters as random, not below what examples alone add.
        means = gap.reshape(self.RATERS, self.CASES)
        assert pair["se"] >= means.mean(axis=1).std(ddof=1) / self.RATERS**0.5 * 0.99

    def test_a_column_of_numbers(self, errbar, write, table):
        columns, gap = table
        path = write(rater=columns["rater"], case=columns["case"], A=np.abs(gap) / 3.0, B=0.1)
        refused(errbar("test", path))


def test_dates_are_times(errbar, write, rng):
    """A frame of forecasts: 10 series, 24 months."""
    months = pd.date_range("2024-01-01", periods=24, freq="MS").strftime("%Y-%m-%d")
    y = rng.normal(100.0, 5.0, 240)
    forecasts = {
        name: y + rng.normal(scale=scale, size=240) for name, scale in (("A", 1.0), ("B", 2.0))
    }
    path = write(
        series=np.repeat([f"H{i}" for i in range(10)], 24), ds=np.tile(months, 10), y=y, **forecasts
    )
    call = ("test", path, "--truth", "y", "--columns", "A,B", "--time", "ds", "--groups", "series")
    assert errbar(*call, "--json").data["method"] == "two-way-t"
    refused(errbar("test", path, "--truth", "y", "--time", "ds", "--columns", "A,B"))
    found = errbar(
        "test",
        path,
        "--truth",
        "y",
        "--time",
        "ds",
        "--columns",
        "A,B",
        "--ignore",
        "series",
        "--json",
    ).data
    gap = ((forecasts["A"] - y) ** 2 - (forecasts["B"] - y) ** 2).reshape(10, 24).mean(axis=0)
    assert found["method"] == "diebold-mariano"
    assert found["pairs"][0]["estimate"] == pytest.approx(gap.mean())
    refused(errbar("test", path, "--truth", "y"))


def test_rows_of_a_group_alone_are_still_groups(errbar, write, rng):
    words = np.array(["no", "yes"])
    rows = {name: words[(rng.random(40) < 0.5).astype(int)] for name in ("y", "a", "b")}
    path = write(**rows, scene=[f"s{i // 4}" for i in range(40)])
    refused(errbar("test", path, "--truth", "y"))

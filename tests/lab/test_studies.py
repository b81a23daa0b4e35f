"""The studies: what they count, what they say, and their pictures."""

import csv
import json
import math
from importlib.resources import files

import numpy as np
import pytest
from scipy import stats
from sklearn.dummy import DummyRegressor
from sklearn.linear_model import LinearRegression, LogisticRegression, Ridge

import errbar_lab as lab
from errbar.errors import InvalidInputError
from errbar.methods import evidence
from errbar.metrics import Loss
from errbar_lab import plots
from errbar_lab._summary import (
    jackknife_error,
    mean_interval,
    proportion,
    rejects,
    variance_ratio,
)
from errbar_lab.studies.coverage import METHODS, TRUTHS
from errbar_lab.studies.problems import PROBLEMS
from tests.bands import binomial_band, binomial_power
from tests.refusals import refused

pytestmark = pytest.mark.long

X = np.random.default_rng(0).normal(size=(400, 16))
LETTERS = lab.FinitePopulation(X, X[:, 0] > 0, name="letters", replacement=True)
LINE = lab.GaussianRegression(features=2, relevant=1)
SQUARES = {"squares": LinearRegression()}
RUN = {
    "figure1": lambda: lab.figure1(LETTERS, data_sets=3, n=40, truth_draws=4),
    "habitat": lambda: lab.habitat(
        LINE, SQUARES, n=40, repeats=(3, 5), halvings=(2, 4), replicates=25
    ),
    "moments": lambda: lab.table1(LINE, SQUARES, n=40, repeats=3, replicates=5),
    "table2": lambda: lab.table2(LETTERS, n=(20, 40), replicates=12, printed="letter"),
    "coverage": lambda: lab.coverage(
        ["gaussian-ridge-20", "friedman-1"],
        ["holdout-t", "kfold-t", lab.Analysis("kfold-t", options={"rho": 0.7})],
        n=[60, 80],
        replicates=6,
        truth_draws=20,
        test_examples=200,
    ),
}


@pytest.fixture(scope="module")
def studies():
    return {name: run() for name, run in RUN.items()}


@pytest.mark.parametrize("name", RUN)
class TestEveryStudy:
    def test_it_has_a_text_and_numbers(self, studies, name):
        found = studies[name]
        assert found.key == name
        assert found.title in found.text(80)
        for table in found.tables:
            assert len({tuple(row) for row in table.rows}) == 1
        assert json.loads(json.dumps(found.to_dict(), allow_nan=False)) == found.to_dict()
        head, *rows = found.csv("errbar lab it").splitlines()
        assert head.startswith("# errbar lab it")
        assert len(list(csv.DictReader(rows))) == len(found.records)

    def test_its_picture_shows_all_its_panels(self, studies, name, tmp_path):
        first = plots.study(studies[name])
        count = sum(map(len, studies[name].picture))
        assert len(first.figure.axes) == count + 1
        first.figure.savefig(tmp_path / "it.png")


def test_only_studies_have_pictures():
    with refused("found"):
        plots.study({"a": 1})


def test_in_figure_1_curves_are_shares_of_intervals(studies):
    found = studies["figure1"]
    [curve] = [
        one
        for one in found.content["power"]
        if (one["target"], one["statistic"]) == ("A-B", "5x2cv-t")
    ]
    own = found.outcomes
    own = own[(own["target"] == "A - B") & (own["method"] == "5x2cv-t")]
    by_hand = [((own["low"] > mu) | (own["high"] < mu)).mean() for mu in curve["mu0"]]
    np.testing.assert_array_equal(curve["power"], by_hand)
    size = next(one for one in found.content["sizes"] if one["statistic"] == "5x2cv-t")
    assert size["low"] <= size["size"] <= size["high"]


@pytest.mark.parametrize("n", [41, 43])
def test_figure1_takes_even_sizes_only(n):
    """Two folds of an odd number of examples have different training sizes, and neither is that of the others."""
    with refused("n"):
        lab.figure1(LETTERS, n=n)


def test_size_and_power_of_the_habitat_by_hand(studies):
    found = studies["habitat"]
    truth = LINE.least_squares_expected_risk(36)
    cells = dict(iter(found.outcomes.groupby("method", sort=False)))
    unit = cells["corrected t, J = 5"]["estimate"].std()
    assert found.content["units"] == {"squares": pytest.approx(unit)}
    for one in found.content["results"]:
        cell, size = cells[one["method"]["name"]], one["performance"].size
        assert size.count == ((cell["low"] > truth) | (cell["high"] < truth)).sum()
        assert size.total == 25
        far = rejects(cell, [truth - 3 * unit, truth + 3 * unit]).mean()
        assert one["power"][2].value == pytest.approx(far)


@pytest.mark.parametrize(
    ("options", "argument"),
    [
        ({"n": 19}, "n"),
        ({"repeats": (1,)}, "repeats"),
        ({"repeats": ()}, "repeats"),
        ({"halvings": (0,)}, "halvings"),
        ({"replicates": 2}, "replicates"),
        ({"level": 1.0}, "level"),
    ],
)
def test_what_the_habitat_cannot_use(options, argument):
    with refused(argument):
        lab.habitat(LINE, SQUARES, **options)


def test_in_table_2_a_larger_correlation_rejects_no_more(studies):
    for row in studies["table2"].records:
        assert row["type_1_rho_0.7"] <= row["type_1_rho_0"]
        assert 0.0 < row["printed_rho"] < 1.0


def signed(truth, predicted):
    return truth - predicted


@pytest.fixture(scope="module")
def constant():
    """Losses are standard normal whatever the training set, so that intervals for their mean are textbook ones."""
    zero = {"zero": DummyRegressor(strategy="constant", constant=0.0)}
    loss = Loss("signed-error", signed, task="regression")
    problem = lab.Problem(lab.GaussianRegression(features=1, relevant=0), zero, loss, "constant")
    options = {"truth_draws": 500, "test_examples": 4000, "random_state": 1}
    return lab.coverage([problem], ["holdout-t", "resampled-t"], n=[40], replicates=600, **options)


class TestCoverage:
    @pytest.mark.thorough
    def test_the_holdout_t_is_exact_where_losses_are_normal_and_do_not_depend_on_training(
        self, constant
    ):
        low, high = binomial_band(600, 0.95)
        assert binomial_power(600, 0.95, 0.86) > 0.99
        found = [row for row in constant.records if row["method"] == "holdout-t"]
        assert [row["target"] for row in found] == list(TRUTHS)
        assert all(low <= row["covered"] <= high for row in found)

    @pytest.mark.thorough
    def test_the_resampled_t_falls_short_as_theory_says(self, constant):
        """Means over 15 tests of 4 of 40 examples: their t would need to be larger by the root of 1 + J rho/(1 - rho)."""
        rho, repeats = 4 / 40, 15
        quantile = stats.t.ppf(0.975, repeats - 1) / math.sqrt(1 + repeats * rho / (1 - rho))
        low, high = binomial_band(600, 1 - 2 * stats.t.sf(quantile, repeats - 1))
        [row] = [
            row
            for row in constant.records
            if (row["method"], row["target"]) == ("resampled-t", "ER(n1)")
        ]
        assert low <= row["covered"] <= high

    def test_least_squares_has_an_exact_truth_and_the_risks_agree(self):
        study = lab.coverage(["gaussian-regression-20"], ["holdout-t"], n=[100], replicates=100)
        first, risks = study.outcomes.iloc[0], study.outcomes["R"]
        assert (round(first["ER(n)"], 4), first["ER(n) error"]) == (1.2690, 0.0)
        assert abs(risks.mean() - first["ER(n)"]) < 5 * risks.sem()
        assert study.outcomes["ER(n1)"].iloc[0] == pytest.approx(1 + 20 / 53 + 73 / (75 * 53))

    def test_records_have_the_columns_of_the_evidence(self, studies):
        lines = files("errbar.methods").joinpath("evidence.csv").read_text("utf-8").splitlines()
        header = next(csv.reader(line for line in lines if not line.startswith("#")))
        rows = studies["coverage"].records
        assert all(list(row) == header for row in rows)
        assert len(rows) == 2 * 3 * 3 + 2 * 2 * 3 * 3
        known = {row.problem for row in evidence.of("cv-wald")}
        assert f"least squares, {lab.problem('gaussian-regression-20').words}" in known

    @pytest.mark.parametrize("loss", ["f1", "matthews_corrcoef", "roc_auc", "r2", "rmse"])
    def test_methods_judge_a_metric(self, loss):
        population, learner = LINE, Ridge()
        if loss not in ("r2", "rmse"):
            population, learner = lab.GaussianClassification(4, 2), LogisticRegression()
        problem = lab.Problem(population, {"linear": learner}, key="linear")
        methods = ["holdout-t", "corrected-t", "cv-wald", "nested-cv"]
        options = {"n": [160], "replicates": 3, "truth_draws": 6, "test_examples": 500}
        study = lab.coverage([problem], methods, loss=loss, **options)
        assert all(abs(one["bias"]) < 0.3 for one in study.records)

    def test_methods_that_need_losses_are_refused_for_a_metric(self):
        problem = lab.Problem(LETTERS, {"logit": LogisticRegression()}, key="letters")
        with pytest.raises(InvalidInputError):
            lab.coverage([problem], ["632"], loss="f1", n=[60], replicates=2)

    @pytest.mark.parametrize("key", PROBLEMS)
    def test_problems_have_the_names_they_are_asked_by(self, key):
        assert lab.problem(key).key == key

    @pytest.mark.parametrize(
        ("problem", "methods", "more", "argument"),
        [
            (["gaussian-regresion-20"], METHODS, {}, "problems"),
            ("friedman-1", METHODS, {}, "problems"),
            ([], METHODS, {}, "problems"),
            (["friedman-1", "friedman-1"], METHODS, {}, None),
            (["friedman-1"], "cv-wald", {}, "methods"),
            (["friedman-1"], ["binomial"], {}, None),
            (["friedman-1"], ["wilcoxon"], {}, None),
            (["friedman-1"], ["cv-wald", "cv-wald"], {}, None),
            (["gaussian-regression-100"], METHODS, {"n": [100]}, "n"),
            (["friedman-1"], METHODS, {"n": []}, "n"),
            (["friedman-1"], METHODS, {"n": "100"}, "n"),
            (["friedman-1"], METHODS, {"level": 95}, "level"),
            (["friedman-1"], METHODS, {"replicates": 1}, "replicates"),
            (["friedman-1"], METHODS, {"test_examples": 0}, "test_examples"),
            (["friedman-1"], METHODS, {"loss": "f1"}, "loss"),
        ],
    )
    def test_what_cannot_be_used_is_said_in_one_sentence(self, problem, methods, more, argument):
        with refused(argument):
            lab.coverage(problem, methods, **more)


class TestSummaries:
    def test_variance_ratio_and_its_jackknife(self, rng):
        estimates, errors = rng.normal(size=40), rng.gamma(2.0, size=40)
        found = variance_ratio(estimates, errors)
        assert found.value == pytest.approx(estimates.var(ddof=1) / np.mean(errors**2))
        logs = []
        for i in range(40):
            rest = np.delete(estimates, i), np.delete(errors, i)
            logs.append(np.log(rest[0].var(ddof=1) / np.mean(rest[1] ** 2)))
        error = np.sqrt(39 / 40 * np.sum((np.array(logs) - np.mean(logs)) ** 2))
        assert jackknife_error(np.array(logs)) == pytest.approx(error)
        assert found.low == pytest.approx(found.value * np.exp(-stats.norm.ppf(0.975) * error))
        assert np.isnan(variance_ratio(np.ones(5), np.zeros(5)).value)

    def test_proportion_is_wilsons(self):
        from statsmodels.stats.proportion import proportion_confint

        found = proportion(7, 90)
        assert (found.low, found.high) == pytest.approx(proportion_confint(7, 90, method="wilson"))

    def test_the_interval_of_a_mean_is_the_textbook_one(self):
        found = mean_interval(np.array([1.0, 2.0, 3.0, 6.0]))
        reach = 1.959963984540054 * np.sqrt(14.0 / 3.0) / 2.0
        assert (found.value, found.high) == (3.0, pytest.approx(3.0 + reach))
        assert found.value - found.low == pytest.approx(reach)

    def test_performances_say_whether_a_method_is_liberal(self):
        outcomes = lab.Experiment([lab.Problem(LINE, SQUARES)], [20], ["holdout-t"]).run(200)
        verdicts, more = [], []
        for covered in (150, 190, 200, 184):
            low = np.where(np.arange(200) < covered, -1e6, 1e5)
            [found] = lab.summary(outcomes.assign(low=low, high=1e6))
            assert found.coverage.count == covered
            verdicts.append(found.verdict)
            more.append(found.more)
        assert verdicts == ["liberal", "undecided", "conservative", "undecided"]
        # At 95 % two points above the level less two points, 626 would tell; at 92 % one below it, 2501.
        assert more == [0.0, 626 - 200, 0.0, 2501 - 200]

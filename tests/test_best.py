"""Who may be the best: multiple comparisons with the best, the model confidence set, and what a comparison says of it."""

import json
import subprocess
import sys

import numpy as np
import pytest
from scipy.special import stdtrit

import errbar
from errbar.simultaneous import Maximum, confidence_set, contrasts_of
from tests.refusals import refused


class TestHsu:
    """Formula of Hsu (1996), one-sided critical values per learner; mvtnorm's pmvt gives .95 at those checked."""

    COVARIANCE = np.array([[4e-4, 1e-4, 5e-5], [1e-4, 3e-4, 1.5e-4], [5e-5, 1.5e-4, 5e-4]])
    CRITICAL = (2.049415390331452, 2.118118658083205, 2.049415390331452)

    def test_critical_values(self):
        for place, expected in enumerate(self.CRITICAL):
            others = contrasts_of(3, [(place, other) for other in range(3) if other != place])
            law = Maximum.of(others, self.COVARIANCE, df=14, two_sided=False)
            assert -stdtrit(14, law.each(0.05)) == pytest.approx(expected, abs=2e-6)


# numpy.random.default_rng(20261123): base = integers(0, 10, (60, 1)); (base + integers(0, 8, (60, 5)) + [0, 0, 1, 2, 4]) / 10
def losses_of_five():
    rng = np.random.default_rng(20261123)
    base = rng.integers(0, 10, (60, 1))
    values = (base + rng.integers(0, 8, (60, 5)) + np.array([0, 0, 1, 2, 4])) / 10
    return dict(zip("abcde", values.T, strict=True))


class TestConfidenceSet:
    def test_p_values_of_arch(self):
        """arch 8.0.0: MCS(losses, size=.1, reps=20000, block_size=1, method="R", bootstrap="stationary"), seeds 0 and 1.

        Printed: .5963 and .6029 for b, .0011 and .00095 for c, .00035 and .0003 for d, 0 for e. They come from a bootstrap with
        standard errors of .0035 for the first.
        """
        found = confidence_set(losses_of_five())
        assert found["a"] == 1.0
        assert found["b"] == pytest.approx(0.5996, abs=0.01)
        assert found["c"] == pytest.approx(0.001, abs=0.0006)
        assert found["d"] == pytest.approx(0.0003, abs=0.0002)
        assert found["e"] < 1e-4

    def test_losses_that_do_not_vary(self):
        same = [0.0, 1.0, 1.0, 0.0]
        found = confidence_set({"a": same, "b": same, "c": [1.0, 2.0, 2.0, 1.0]})
        assert found["a"] > 0.05 < found["b"]
        assert found["c"] == 0.0

    @pytest.mark.parametrize("losses", [{"a": [1, 2]}, {"a": [1, 2], "b": [1, 2, 3]}])
    def test_what_is_refused(self, losses):
        with refused("losses"):
            confidence_set(losses)

    @pytest.mark.thorough
    def test_it_holds_the_best_as_often_as_it_says(self):
        rng, held, times = np.random.default_rng(3), 0, 400
        for _ in range(times):
            values = rng.standard_normal((4, 60)) + rng.standard_normal(60)
            held += confidence_set({str(i): row for i, row in enumerate(values)})["0"] > 0.05
        # Equal models: any of them is a best one, and each is left out in at most 5 %; four standard errors.
        assert held / times > 0.95 - 4 * (0.05 * 0.95 / times) ** 0.5


def comparison(**options):
    rng = np.random.default_rng(1)
    common = rng.normal(0.0, 0.02, 15)
    own = {
        name: risk + common + rng.normal(0.0, 0.01, 15)
        for name, risk in (("a", 0.2), ("b", 0.205), ("c", 0.4))
    }
    return errbar.compare_table(
        errbar.from_scores(own, n_train=90, n_test=10), method="corrected-t", **options
    )


class TestOfAComparison:
    def test_who_is_ruled_out_and_why(self):
        found = comparison().best
        assert set(found.learners) == {"a", "b"}
        why = found.ruled_out["c"]
        assert why.by in ("a", "b")
        assert why.estimate == pytest.approx(0.2, abs=0.03)
        assert 0.0 < why.low < why.estimate < why.high
        assert why.adjusted < 0.001

    @pytest.mark.parametrize(
        "options", [{"baseline": "c"}, {"alternative": "less"}, {"adjust": "none"}]
    )
    def test_it_does_not_depend_on_which_pairs_are_tested(self, options):
        assert comparison(**options).best.to_dict() == comparison().best.to_dict()

    def test_scores_where_higher_is_better(self):
        table = comparison().table
        gains = dict(zip(table.learners, 1.0 - table.scores, strict=True))
        again = errbar.compare_table(
            errbar.from_scores(gains, n_train=90, n_test=10, higher_is_better=True),
            method="corrected-t",
        )
        assert again.best.learners == comparison().best.learners

    def test_the_winners_risk_is_wider_than_its_plain_interval(self):
        found = comparison()
        plain = found.learners[found.best.winner]
        assert found.best.risk.low < plain.low
        assert plain.high < found.best.risk.high
        assert found.best.risk == found.simultaneous.learners[found.best.winner]

    def test_json(self):
        data = json.loads(json.dumps(comparison().to_dict(), allow_nan=False))
        assert data["best"]["winner"] in ("a", "b")
        assert [pair["a"] for pair in data["simultaneous"]["pairs"]] == ["a", "a", "b"]
        assert data["simultaneous"]["correlations"]["of"] == "splits"

    def test_losses_of_examples_have_a_confidence_set(self):
        table = errbar.from_losses(losses_of_five(), fold=np.arange(60) % 10, example=np.arange(60))
        found = errbar.compare_table(table, method="cv-t").best.confidence_set
        assert found == pytest.approx(confidence_set(losses_of_five()))


@pytest.mark.long
def test_the_command_line_says_it(tmp_path):
    """A real run: the bottom line of the text, and the data."""
    rng = np.random.default_rng(1)
    common = rng.normal(0.0, 0.02, 15)
    rows = [common + risk + rng.normal(0.0, 0.01, 15) for risk in (0.2, 0.205, 0.4)]
    np.savetxt(
        tmp_path / "scores.csv", np.transpose(rows), delimiter=",", header="a,b,c", comments=""
    )
    command = [
        sys.executable,
        "-m",
        "errbar.cli",
        "test",
        "scores.csv",
        "--n-train",
        "90",
        "--n-test",
        "10",
    ]
    command += ["--adjust", "max-t"]
    text = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True).stdout
    assert "Simultaneous" in text
    data = subprocess.run(
        [*command, "--json"], cwd=tmp_path, capture_output=True, text=True, check=True
    ).stdout
    found = json.loads(data)
    assert set(found["best"]["learners"]) == {"a", "b"}
    assert found["best"]["ruled_out"]["c"]["adjusted"] < 0.001
    for pair, interval in zip(found["pairs"], found["simultaneous"]["pairs"], strict=True):
        assert (pair["adjusted"] < 0.05) == (not interval["low"] <= 0.0 <= interval["high"])
        assert interval["low"] < pair["low"] < pair["high"] < interval["high"]

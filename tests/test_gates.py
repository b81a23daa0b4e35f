"""Gates: what their sentences mean, and that they agree with the tests behind them."""

import json

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy import stats

import errbar
from errbar import InvalidInputError
from errbar.gates import Gate, Threshold
from errbar.testing import assert_not_worse
from tests.bands import binomial_band
from tests.refusals import refused

ERRORS = {"new": [0.11, 0.10, 0.13, 0.10], "old": [0.10, 0.11, 0.10, 0.10]}
ACCURACIES = {name: [1 - x for x in values] for name, values in ERRORS.items()}


def table(scores=ERRORS, **options):
    return errbar.from_scores(scores, **{"n_train": 90, "n_test": 10} | options)


def by_hand(differences, ratio):
    """Mean, standard error and degrees of freedom of the corrected t, in plain steps."""
    count = len(differences)
    return (
        np.mean(differences),
        np.sqrt(np.var(differences, ddof=1) * (1 / count + ratio)),
        count - 1,
    )


class TestParsing:
    @pytest.mark.parametrize(
        ("text", "expected"),
        [
            ("new worse-than old by 0", Gate("new", "old", margin=0.0)),
            ("new not-better-than old", Gate("new", "old", "not-better-than", 0.0)),
            ("new worse-than old by 0.01", Gate("new", "old", "worse-than", 0.01)),
            ("  new   worse-than\told by 1e-2 ", Gate("new", "old", "worse-than", 0.01)),
            ("new not-better-than old by 0.02", Gate("new", "old", "not-better-than", 0.02)),
            (
                "'random forest' worse-than \"old model\" by 1",
                Gate("random forest", "old model", margin=1.0),
            ),
            (
                '"it\'s" worse-than \'the "old" one\' by 1',
                Gate("it's", 'the "old" one', "worse-than", 1.0),
            ),
            ("by worse-than worse-than by 0", Gate("by", "worse-than", margin=0.0)),
            ("new worse-than old by 0.01 on f1", Gate("new", "old", margin=0.01, loss="f1")),
            (
                "new worse-than old by 0.01 on 'my loss'",
                Gate("new", "old", "worse-than", 0.01, "my loss"),
            ),
        ],
    )
    def test_what_is_understood(self, text, expected):
        assert Gate.parse(text) == expected

    @pytest.mark.parametrize(
        "text",
        ["", "new", "new worse-than", "new better-than old", "new worse-than old 0.01", "new worse-than old by",
         "a b worse-than old", "new worse-than old by 0.01 please",
         "new worse-than old on", "new worse-than old on f1 by 0.01", "new worse-than old by 0.01 by 0.02", "new WORSE-THAN old", None, 3],
    )  # fmt: skip
    def test_anything_else_is_refused(self, text):
        with pytest.raises(InvalidInputError):
            Gate.parse(text)

    @pytest.mark.parametrize("amount", ["-0.01", "nan", "inf", "x", "0,01"])
    def test_margins_that_are_none(self, amount):
        with pytest.raises(InvalidInputError):
            Gate.parse(f"new worse-than old by {amount}")

    def test_percentages_are_told_from_units_of_the_loss(self):
        with pytest.raises(InvalidInputError):
            Gate.parse("new worse-than old by 2%")

    @pytest.mark.parametrize("loss", ["", " on f1"])
    def test_worse_than_needs_a_margin(self, loss):
        with pytest.raises(InvalidInputError):
            Gate.parse(f"new worse-than old{loss}")

    @pytest.mark.parametrize(
        "text", ["'new worse-than old", "new worse-than old'", 'new worse-than "old model']
    )
    def test_quotation_marks_must_be_closed(self, text):
        with pytest.raises(InvalidInputError):
            Gate.parse(text)

    def test_a_learner_has_no_gate_against_itself(self):
        with pytest.raises(InvalidInputError):
            Gate.parse("a worse-than a by 0")

    @pytest.mark.parametrize(
        ("given", "argument"),
        [
            ({"claim": "better-than"}, "claim"),
            ({"margin": -1.0}, "margin"),
            ({"margin": float("nan")}, "margin"),
            ({"new": " "}, None),
        ],
    )
    def test_a_gate_checks_its_arguments(self, given, argument):
        with refused(argument):
            Gate(**{"new": "a", "old": "b", "margin": 0.01} | given)

    names = st.text("ab \"'-.", min_size=1).filter(
        lambda s: s.strip() and not ("'" in s and '"' in s)
    )

    @given(names, names, st.sampled_from(["worse-than", "not-better-than"]), st.integers(0, 10**6))
    def test_its_text_is_read_back(self, new, old, claim, margin):
        if new != old:
            gate = Gate(new, old, claim, margin / 10**6)
            assert Gate.parse(str(gate)) == gate


class TestJudging:
    @pytest.mark.parametrize("level", [0.9, 0.95])
    @pytest.mark.parametrize("margin", [0.0, 0.005, 0.01, 0.02, 0.05])
    @pytest.mark.parametrize("claim", ["worse-than", "not-better-than"])
    def test_of_losses_by_hand(self, claim, margin, level):
        mean, se, df = by_hand(np.subtract(ERRORS["new"], ERRORS["old"]), 10 / 90)
        null = margin if claim == "worse-than" else -margin
        test = Gate("new", "old", claim, margin).judge(table(), level=level).test
        assert test.pvalue == pytest.approx(stats.t.cdf((mean - null) / se, df), rel=1e-10)
        assert test.interval == pytest.approx((-np.inf, mean + stats.t.ppf(level, df) * se))
        assert test.shown == (test.interval.high < null)

    @pytest.mark.parametrize("margin", [0.0, 0.01, 0.05])
    @pytest.mark.parametrize("claim", ["worse-than", "not-better-than"])
    def test_scores_are_losses_the_other_way_round(self, claim, margin):
        gate = Gate("new", "old", claim, margin)
        of_losses, of_scores = (
            gate.judge(table()).test,
            gate.judge(table(ACCURACIES, higher_is_better=True)).test,
        )
        assert of_scores.pvalue == pytest.approx(of_losses.pvalue, rel=1e-9)
        assert of_scores.estimate == pytest.approx(-of_losses.estimate)
        assert of_scores.interval == pytest.approx((-of_losses.interval.high, np.inf))

    @pytest.mark.parametrize("margin", [0.0, 0.01, 0.05])
    @pytest.mark.parametrize("higher", [False, True])
    def test_worse_than_is_non_inferiority(self, margin, higher):
        numbers = table(ACCURACIES if higher else ERRORS, higher_is_better=higher)
        known = errbar.non_inferiority(numbers, "corrected-t", "new", "old", margin=margin)
        assert Gate("new", "old", margin=margin).judge(numbers).test == known

    def test_superiority_is_the_opposite_of_the_rival_being_no_worse(self):
        """That new is better by more than d is shown at level c just where 'old is worse by less than d' has p > c."""
        p = Gate("new", "old", "not-better-than", 0.02).judge(table()).test.pvalue
        mirrored = Gate("old", "new", "worse-than", 0.02).judge(table()).test.pvalue
        assert p + mirrored == pytest.approx(1.0)

    def test_the_sentences(self):
        passed, sentence, _ = Gate.parse("new worse-than old by 0.04").judge(table())
        assert passed
        assert "new worse-than old by 0.04" in sentence
        passed, sentence, _ = Gate.parse("new worse-than old by 0.001").judge(table())
        assert not passed
        for part in ("0.0075,", "upper bound 0.0", "at 95 %", "p = 0.", "(corrected-t)"):
            assert part in sentence
        passed, sentence, _ = Gate.parse("new not-better-than old by 0.5").judge(
            table(ACCURACIES, higher_is_better=True)
        )
        assert not passed
        assert "lower bound -0.0" in sentence

    def test_too_few_data_fail(self):
        """Equal on average, but with a wide interval: nothing is shown, so the gate is not passed."""
        numbers = table({"new": [0.0, 0.4], "old": [0.4, 0.0]})
        assert not Gate.parse("new worse-than old by 0.1").judge(numbers).passed
        assert not Gate.parse("old worse-than new by 0.1").judge(numbers).passed

    @pytest.mark.parametrize(("text", "passed"), [("by 0.01", True), ("by 0", False)])
    def test_learners_that_agree_everywhere(self, text, passed):
        numbers = table({"new": [0.1, 0.2, 0.3], "old": [0.1, 0.2, 0.3]})
        assert Gate.parse(f"new worse-than old {text}").judge(numbers).passed is passed

    def test_a_comparison_gives_method_options_and_level(self):
        comparison = errbar.compare_table(
            table(kind="kfold", n_test=30), method="kfold-t", rho=0.5, level=0.8
        )
        gate = Gate("new", "old", margin=0.01)
        wanted = errbar.non_inferiority(
            comparison.table, "kfold-t", "new", "old", margin=0.01, level=0.8, rho=0.5
        )
        assert gate.judge(comparison).test == wanted
        assert gate.judge(comparison, level=0.99).test.level == 0.99
        assert gate.judge(comparison, method="corrected-t").test.method == "corrected-t"
        assert gate.judge(comparison, rho=0.6).test.pvalue != wanted.pvalue

    def test_the_design_of_a_table_gives_the_method(self):
        losses = errbar.from_losses(
            {"new": [0.1, 0.2, 0.1, 0.3, 0.2], "old": [0.2, 0.2, 0.3, 0.4, 0.1]}
        )
        assert Gate("new", "old", margin=0.0).judge(losses).test.method == "holdout-t"
        assert Gate("new", "old", margin=0.0).judge(table()).test.method == "corrected-t"

    def test_pairs_that_a_baseline_leaves_out(self):
        three = ERRORS | {"third": [0.2, 0.2, 0.21, 0.2]}
        comparison = errbar.compare_table(table(three), baseline="third")
        assert Gate("new", "old", margin=0.04).judge(comparison).passed

    def test_bootstrap_methods_give_the_same_answer_twice(self):
        from sklearn.datasets import load_iris
        from sklearn.naive_bayes import GaussianNB
        from sklearn.tree import DecisionTreeClassifier

        learners = {"a": GaussianNB(), "b": DecisionTreeClassifier()}
        comparison = errbar.compare(
            learners,
            *load_iris(return_X_y=True),
            plan=errbar.plans.Holdout(n_test=0.4),
            method="holdout-t",
            random_state=1,
        )
        gate = Gate("a", "b", margin=0.05)
        assert gate.judge(comparison) == gate.judge(comparison)

    @pytest.mark.parametrize(
        ("gate", "numbers", "options", "argument"),
        [
            (Gate("new", "x", margin=0.0), table(), {}, None),
            (Gate("new", "old", margin=0.0), ERRORS, {}, "table"),
            (Gate("new", "old", margin=0.0), table(), {"level": 95}, "level"),
            (
                Gate("new", "old", margin=0.0),
                table(kind="5x2", fold=[0, 1] * 2),
                {"method": "5x2cv-f"},
                None,
            ),
            (Gate("new", "old", margin=0.0), table(), {"rho": 1}, "rho"),
        ],
    )
    def test_refusals(self, gate, numbers, options, argument):
        with refused(argument):
            gate.judge(numbers, **options)

    @pytest.mark.long
    def test_at_the_margin_it_passes_as_often_as_it_may(self):
        """With the correlation that the correction assumes, the pivot has the t distribution exactly."""
        rng, trials, ratio, count = np.random.default_rng(3), 2000, 1 / 9, 10
        rho = ratio / (1 + ratio)
        passed = 0
        for _ in range(trials):
            common, own = rng.normal(), rng.normal(size=count)
            difference = 0.01 + 0.02 * (np.sqrt(rho) * common + np.sqrt(1 - rho) * own)
            numbers = table({"new": difference, "old": np.zeros(count)})
            passed += Gate("new", "old", margin=0.01).judge(numbers).passed
        low, high = binomial_band(trials, 0.05)
        assert low <= passed <= high


class TestAssertNotWorse:
    def test_it_returns_the_test_that_was_passed(self):
        assert (
            assert_not_worse(table(), "new", "old", by=0.04)
            == Gate("new", "old", margin=0.04).judge(table()).test
        )

    def test_it_raises_the_sentence(self):
        with pytest.raises(AssertionError) as caught:
            assert_not_worse(table(), "new", "old", by=0.001, level=0.9)
        assert (
            str(caught.value) == Gate("new", "old", margin=0.001).judge(table(), level=0.9).sentence
        )

    def test_options_go_to_the_method(self):
        numbers = table(kind="kfold", n_test=30)
        found = assert_not_worse(numbers, "new", "old", by=0.1, method="kfold-t", rho=0.5)
        assert (
            found.pvalue
            == Gate("new", "old", margin=0.1).judge(numbers, method="kfold-t", rho=0.5).test.pvalue
        )
        assert json.dumps(found.to_dict())

    def test_bad_arguments_are_no_failed_assertions(self):
        with refused("margin"):
            assert_not_worse(table(), "new", "old", by=-0.01)
        with pytest.raises(InvalidInputError):
            assert_not_worse(table(), "new", "old", margin=0.01)


class TestSeveralLosses:
    ERRORS = errbar.compare_table(table(metric="zero-one"))
    AREAS = errbar.compare_table(
        table(ACCURACIES, metric="roc_auc", higher_is_better=True), method="resampled-t"
    )

    @pytest.mark.parametrize(
        ("loss", "chosen"), [("zero-one", "ERRORS"), ("roc_auc", "AREAS"), ("auc", "AREAS")]
    )
    def test_a_gate_knows_its_loss(self, loss, chosen):
        gate, one = Gate("new", "old", "worse-than", 0.01, loss), getattr(self, chosen)
        assert [gate.is_of(found.table.loss.key) for found in (self.ERRORS, self.AREAS)] == [
            chosen == "ERRORS",
            chosen == "AREAS",
        ]
        assert gate.judge(one).test == Gate("new", "old", "worse-than", 0.01).judge(one).test
        assert Gate.parse(str(gate)) == gate

    @pytest.mark.parametrize("numbers", [ERRORS, [ERRORS], ERRORS.table])
    def test_a_loss_that_is_not_there(self, numbers):
        with pytest.raises(InvalidInputError):
            Gate("new", "old", margin=0.01, loss="f1").judge(numbers)


class TestThreshold:
    AREAS = table({"tree": [0.81, 0.84, 0.79, 0.80]}, metric="roc_auc", higher_is_better=True)

    @pytest.mark.parametrize("text", ["roc_auc below 0.7", "above 0.25", "'my loss' above -1e-05"])
    def test_sentences_are_read_back(self, text):
        assert str(Threshold.parse(text)).replace('"', "'") == text

    @pytest.mark.parametrize(
        "text", ["", "below", "f1 under 0.7", "f1 below", "a f1 below 0.7", None]
    )
    def test_anything_else_is_refused(self, text):
        with pytest.raises(InvalidInputError):
            Threshold.parse(text)

    @pytest.mark.parametrize("value", ["x", "nan", "inf", "70%"])
    def test_thresholds_that_are_none(self, value):
        with pytest.raises(InvalidInputError):
            Threshold.parse(f"f1 below {value}")

    @pytest.mark.parametrize(("claim", "side"), [("below", "greater"), ("above", "less")])
    def test_it_is_the_one_sided_corrected_t_by_hand(self, claim, side):
        values = self.AREAS.loss.sign * self.AREAS.scores[0]
        mean, error, df = by_hand(values, 10 / 90)
        t = (mean - 0.75) / error
        pvalue = stats.t.sf(t, df) if side == "greater" else stats.t.cdf(t, df)
        test = Threshold(claim, 0.75, "auc").judge(self.AREAS).test
        assert test.pvalue == pytest.approx(pvalue)
        assert Threshold(claim, 0.75).judge(errbar.compare_table(self.AREAS)).passed == (
            pvalue < 0.05
        )

    def test_of_a_loss_the_other_side_is_good(self):
        errors = table({"tree": [0.1, 0.12, 0.11]}, metric="zero-one")
        passed, sentence, test = Threshold.parse("zero-one above 0.3").judge(errors)
        assert passed
        assert "upper bound" in sentence
        assert test.estimate == pytest.approx(0.11)

    def test_a_threshold_outside_the_range_would_demand_nothing(self):
        with pytest.raises(InvalidInputError):
            Threshold.parse("roc_auc above 70").judge(self.AREAS)

    def test_it_is_about_one_learner(self):
        with pytest.raises(InvalidInputError):
            Threshold("below", 0.5).judge(table())

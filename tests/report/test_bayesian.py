"""Bayesian methods speak of probabilities, and tests of p-values."""

import re

import numpy as np
import pytest

import errbar
from errbar import report
from errbar.report import conclude
from tests.report.comparisons import many, shifted

TESTS = re.compile(
    r"\bp [=<]|\bp-value|adjusted|significant|TOST|Holm|null hypothesis", re.IGNORECASE
)
FORMS = (report.text, report.markdown, report.html, report.latex, repr)


def bayesian(shift, **options):
    return shifted(shift, method="bayes-correlated-t", **options)


@pytest.mark.long
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("options", [{}, {"rope": 0.1}])
def test_no_form_speaks_of_tests(form, options):
    for found in (
        bayesian(2.0, **options),
        bayesian(0.2, **options),
        many(3, method="bayes-correlated-t", **options),
    ):
        shown = re.sub(r"<style>.*?</style>|<script.*?</script>", "", form(found), flags=re.DOTALL)
        said = re.sub(r"corrected-t|(?i:references).*", "", shown, flags=re.DOTALL)
        assert TESTS.search(said) is None


def test_the_verdict_is_that_of_the_posterior():
    for shift in np.linspace(-2.0, 2.0, 21):
        found = bayesian(shift, rope=0.3)
        [decision] = found.decisions
        left, inside, right = (
            found.pairs[0].result.posterior[name] for name in ("left", "rope", "right")
        )
        assert decision.significant == (max(left, right) >= 0.95)
        assert decision.equivalent == (inside >= 0.95)
        better = "a" if left > right else "b"
        [said] = conclude(found)
        if decision.significant:
            assert said.split()[0] == better
            assert f"{max(left, right):.3f}"[:-1] in said or ">0.999" in said
        elif not decision.equivalent:
            assert f"{inside:.3f}" in said


def test_a_one_sided_question_is_answered_for_its_side():
    assert bayesian(-2.0, alternative="less").decisions[0].significant
    assert not bayesian(2.0, alternative="less").decisions[0].significant


def test_practically_equal():
    [decision] = bayesian(0.01, rope=3.0).decisions
    assert (decision.equivalent, decision.significant) == (True, False)


def test_the_better_learner_has_its_probability_whatever_the_direction_and_order():
    lower, higher = bayesian(-0.5), bayesian(0.5, higher_is_better=True)
    assert conclude(lower)[0].replace("lower", "X").replace("higher", "Y") == conclude(higher)[
        0
    ].replace("higher", "X").replace("lower", "Y")


def test_the_bottom_line_gives_a_probability_or_its_bound():
    sure = bayesian(-2.0)
    few = many(3, method="bayes-correlated-t")
    assert ">0.999 or more" not in conclude(few)[0]
    level = {fact.term: fact.text for fact in report.build(sure).computed}["Level"]
    assert level == "95 % intervals"


def test_nobody_is_ruled_out_without_a_probability():
    rng = np.random.default_rng(3)
    scores = {f"m{i}": rng.normal(size=10) for i in range(4)}
    found = errbar.compare_table(
        errbar.from_scores(scores, n_train=90, n_test=10), method="bayes-correlated-t"
    )
    assert set(found.possible_best) == {
        name
        for name in scores
        if not any(
            pair.result.posterior["right" if pair.a == name else "left"] >= 0.95
            for pair in found.pairs
            if name in (pair.a, pair.b)
        )
    }


def test_methods_side_by_side_show_probabilities_and_p_values():
    found = [many(3), many(3, method="bayes-correlated-t")]
    section = report.several.agreement_of(found)
    assert [str(column.header) for column in section.tables[0].columns[1:]] == [
        "corrected-t, adjusted p",
        "bayes-correlated-t, P(better)",
    ]


def test_a_printed_result_has_no_p_value():
    found = bayesian(0.5).pairs[0].result
    assert "p = " not in str(found)

"""The sentences of the first screen: the only words that tests pin."""

import pytest

import errbar
from errbar.report import conclude
from tests.report.comparisons import many, shifted, single

SCREENS = {
    "a difference": (
        lambda: shifted(2.0),
        "b has lower score than a at the 5 % level, by 2.000 [0.961, 3.039], p = 0.002.",
    ),
    "one learner": (
        single,
        "The score of alone trained on 90 examples is 5.000, 95 % interval [3.961, 6.039]; the naive interval would have been [4.285, 5.715].",
    ),
}
STARTS = {
    "a winner where nobody said which numbers are better": (
        lambda: errbar.compare_table(
            errbar.from_scores(
                {"a": [0.8, 0.82, 0.81], "b": [0.7, 0.72, 0.71]}, n_train=90, n_test=10
            )
        ),
        "If lower is better, which nobody has said: b has lower ",
    ),
    "a winner": (lambda: many(3), "m0 is best: it has the lowest score, "),
    "one side": (
        lambda: shifted(-2.0, alternative="less"),
        "At the 5 % level a has lower score than b: it is 2.000 lower, at least 1.",
    ),
    "a posterior": (
        lambda: shifted(0.01, method="bayes-correlated-t", rope=3.0),
        "b and a are practically equal (within ±3) with probability ",
    ),
}


@pytest.mark.parametrize("case", SCREENS)
def test_the_sentence(case):
    made, sentence = SCREENS[case]
    assert conclude(made()) == [sentence]


@pytest.mark.parametrize("case", STARTS)
def test_how_it_begins(case):
    made, start = STARTS[case]
    assert conclude(made())[0].startswith(start)

"""Every planted fault changes what a method says, and none survives the tests."""

from dataclasses import replace

import pytest

from errbar import Discordance, Losses
from errbar.methods import METHODS, catalogue
from tests.faults.catalogue import FAULTS, TESTS
from tests.faults.fault import bent, found
from tests.faults.of_all import answer_of, faults_of
from tests.faults.of_each import WRONG
from tests.faults.of_functions import SHARED
from tests.faults.runner import try_faults
from tests.laws import cases

pytestmark = pytest.mark.long

RARE = {
    "outperformance": [Losses([-0.2, 0.0, 0.1, 0.0, -0.3])],
    "mcnemar": [Discordance(9, 3, n=32)],
}
"""Views of a kind that the laws are not tried on."""


@pytest.mark.slow
def test_none_of_some_survives(rng):
    """All of them take the better part of an hour: that is what ``make faults`` is for."""
    chosen = rng.choice(sorted(FAULTS), 20, replace=False)
    verdicts = try_faults(FAULTS[name] for name in chosen)
    assert [str(verdict) for verdict in verdicts if verdict.outcome != "caught"] == []


def test_every_method_has_faults_of_its_own_and_tests():
    assert [key for key in catalogue() if len(WRONG[key]) < 3] == []
    assert set(TESTS) == set(catalogue())


@pytest.mark.parametrize(
    ("key", "mistake"), [(key, mistake) for key in METHODS for mistake in WRONG[key]]
)
def test_a_wrong_formula_says_something_else(key, mistake):
    """Some view shows the difference; else no test could."""
    formula = bent(key, WRONG[key][mistake])
    tried = [case for seed in range(5) for case in cases(METHODS[key], seed)]
    tried += [replace(tried[0], view=view) for view in RARE.get(key, ())]
    assert any(
        _said(answer_of(case)) != _said(formula(case.view, **case.options)) for case in tried
    )


def _said(answer):
    asked = [(0.9, 0.01, alternative) for alternative in ("two-sided", "less")]
    law = answer.law
    statistic = None if answer.statistic is None else answer.statistic(0.01)
    tests = (
        [(law.interval(level, side), law.pvalue(null, side)) for level, null, side in asked]
        if law
        else []
    )
    return str(
        (
            answer.estimate,
            answer.se,
            answer.df,
            answer.n_train,
            answer.notes,
            answer.posterior,
            statistic,
            tests,
        )
    )


@pytest.mark.parametrize("path", sorted({fault.subject for fault in SHARED}))
def test_the_function_of_a_fault_is_there(path):
    _, _, right = found(path)
    assert callable(right) or isinstance(right, property)


def test_names_are_unique():
    """The catalogue holds faults by name, and one of them would be lost."""
    assert len(FAULTS) == sum(len(own) for own in (*WRONG.values(), SHARED, *of_all().values()))


def of_all():
    return {key: list(faults_of(method, ())) for key, method in catalogue().items()}

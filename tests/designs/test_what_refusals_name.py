"""A refusal names a method that the same numbers then get, whatever the design and whatever was asked."""

import re
from itertools import product

import numpy as np
import pytest

import errbar
from errbar import InvalidInputError, UnsuitablePlanError

N = 60
EXAMPLE = np.arange(N)
FACTS = {
    "plain": {},
    "groups": {"groups": EXAMPLE // 5},
    "three groups": {"groups": EXAMPLE // 20},
    "time": {"time": EXAMPLE},
    "groups in time": {"groups": EXAMPLE // 5, "time": EXAMPLE},
    "folds": {"fold": EXAMPLE % 5},
    "folds of groups": {"fold": EXAMPLE // 5 % 4, "groups": EXAMPLE // 5},
    "folds in time": {"fold": EXAMPLE % 5, "time": EXAMPLE},
}
ASKED = (
    "holdout-t",
    "cv-wald",
    "cluster-t",
    "crossed-t",
    "crossed-or",
    "diebold-mariano",
    "mcnemar",
    "ppi",
)


def table(facts, seeds):
    rng = np.random.default_rng(0)
    losses = {name: rng.random(N * seeds) < 0.5 for name in "ab"}
    labels = {name: np.tile(label, seeds) for name, label in facts.items()}
    labels |= {"seed": np.repeat(np.arange(seeds), N)} if seeds > 1 else {}
    return errbar.from_losses(losses, example=np.tile(EXAMPLE, seeds), **labels)


@pytest.mark.parametrize(
    ("design", "seeds"), [*product(FACTS, [1]), *product(["plain", "groups", "three groups"], [3])]
)
def test_the_method_that_is_named_answers(design, seeds):
    facts = FACTS[design]
    given = table(facts, seeds)
    for method in ASKED:
        try:
            errbar.infer(given, method, "a", minus="b")
        except UnsuitablePlanError as refusal:
            told = str(refusal)
            own = (
                table({k: v for k, v in facts.items() if k != "groups"}, seeds)
                if "without `groups`" in told
                else given
            )
            named = re.findall(r"'([a-z-]+)'", told.rpartition("try ")[2]) if "try " in told else []
            for other in named:
                errbar.infer(own, other, "a", minus="b")


def test_scores_in_time_are_sent_to_what_takes_them():
    """Not to the corrected t, which the same design refuses."""
    given = errbar.from_scores(
        {name: np.random.default_rng(1).random(30) for name in "ab"}, time=range(30)
    )
    with pytest.raises(InvalidInputError):
        errbar.infer(given, "632", "a", minus="b")

"""A role that is stated is used or refused by every method, never dropped; and so are two of them."""

from itertools import combinations

import numpy as np
import pytest
from scipy import stats

import errbar
from errbar.methods import lookup

N = 60
EXAMPLE = np.arange(N)
GROUPS, TIME = EXAMPLE // 5, EXAMPLE % 15
FOLD = GROUPS % 4
RNG = np.random.default_rng(0)
LOSSES = {name: RNG.gamma(2.0, size=N) for name in "ab"}
ANSWERS = {name: (RNG.random(N) < 0.4).astype(float) for name in "ab"}
REFITS = {name: np.tile(values, 2) + RNG.normal(size=2 * N) for name, values in LOSSES.items()}
SPLIT = np.concatenate([np.full(15, j) for j in range(10)])
IN_SPLIT = np.concatenate(
    [np.flatnonzero(np.isin(GROUPS, RNG.choice(12, 3, replace=False))) for _ in range(10)]
)
IN_SPLITS = {name: RNG.gamma(2.0, size=IN_SPLIT.size) for name in "ab"}
SCORES = {name: RNG.random(12) for name in "ab"}
TWICE = np.tile(EXAMPLE, 2)

TABLES = {
    "one test set": lambda **roles: errbar.from_losses(LOSSES, **roles),
    "right and wrong": lambda **roles: errbar.from_losses(ANSWERS, metric="zero-one", **roles),
    "folds": lambda **roles: errbar.from_losses(LOSSES, fold=FOLD, **roles),
    "folds, repeated": lambda **roles: errbar.from_losses(
        REFITS, fold=np.tile(FOLD, 2), repeat=np.repeat([0, 1], N), example=TWICE, **twice(roles)
    ),
    "seeds": lambda **roles: errbar.from_losses(
        REFITS, seed=np.repeat([0, 1], N), example=TWICE, **twice(roles)
    ),
    "splits": lambda **roles: errbar.from_losses(
        IN_SPLITS,
        repeat=SPLIT,
        example=IN_SPLIT,
        n_train=45,
        **{name: role[IN_SPLIT] for name, role in roles.items()},
    ),
    "labels": lambda **roles: errbar.from_predictions(
        ANSWERS, EXAMPLE % 2, **{"loss": "zero-one", "fold": "none", **roles}
    ),
}
OF_EXAMPLES = {"groups": GROUPS, "time": TIME}
KINDS = (None, "kfold", "data-sets", "bootstrap")
OF_SCORES = {"groups": np.arange(12) // 2, "time": np.arange(12), "seed": np.arange(12)}
WHOLE_GROUPS = {
    "corrected-t",
    "bayes-correlated-t",
    "resampled-t",
    "kfold-t",
    "kfold-theta",
    "cv-t",
}
"""Methods whose number need not change: their sample are splits (or folds) of whole groups, and torn groups are refused."""


def twice(roles):
    return {name: np.tile(role, 2) for name, role in roles.items()}


def scores(kind, **roles):
    return errbar.from_scores(SCORES, kind=kind, n_train=90, n_test=10, **roles)


def asked(key, table):
    """What a method says of a table, or None where it refuses."""
    method = lookup(key)
    try:
        if method.subject == "all":
            found = errbar.overall(table, key)
            return found.statistic, found.pvalue
        found = errbar.infer(table, key, "a", *(["b"] if method.subject == "pair" else []))
    except errbar.InvalidInputError:
        return None
    return found.estimate, found.se, found.df, found.low, found.high


@pytest.mark.parametrize("key", errbar.methods.catalogue())
class TestEveryMethod:
    @pytest.mark.parametrize("design", TABLES)
    def test_roles_of_examples(self, key, design):
        before = asked(key, TABLES[design]())
        for role, values in OF_EXAMPLES.items():
            found = asked(key, TABLES[design](**{role: values}))
            kept = role == "groups" and key in WHOLE_GROUPS
            assert found is None or found != before or kept, f"{key} does not use {role}"

    @pytest.mark.parametrize("design", TABLES)
    def test_two_roles_of_examples(self, key, design):
        for one, other in combinations(OF_EXAMPLES, 2):
            both = {name: OF_EXAMPLES[name] for name in (one, other)}
            found = asked(key, TABLES[design](**both))
            if key != "two-way-t":
                assert found is None
            # Seeds and several tests of an example are a third fact, which it refuses.
            elif design in ("one test set", "right and wrong", "folds", "labels"):
                for name, coarser in (("groups", GROUPS % 8), ("time", TIME // 2)):
                    changed = asked(key, TABLES[design](**{**both, name: coarser}))
                    assert None not in (found, changed)
                    assert found != changed
            else:
                assert found is None

    @pytest.mark.parametrize("kind", KINDS)
    def test_roles_of_scores(self, key, kind):
        before = asked(key, scores(kind))
        for role, values in OF_SCORES.items():
            found = asked(key, scores(kind, **{role: values}))
            assert found is None or found != before, f"{key} does not use {role}"

    def test_classes_of_data_sets_are_refused(self, key):
        assert asked(key, scores("data-sets", stratified=True)) is None


def test_a_repeat_and_a_fold_are_used():
    split = {"repeat": np.arange(12) // 4, "fold": np.arange(12) % 4}
    table = errbar.from_scores(SCORES, n_train=75, n_test=25, **split)
    assert (table.splits.kinds, table.splits.repeats(0)) == (("kfold",), 3)


class TestGroupsInTime:
    """30 series of 24 months with a shock per month, equal models: groups alone, with the time dropped, rejected 26 % at 5 %."""

    SERIES, MONTHS = 30, 24

    def losses(self, rng):
        shock = rng.normal(size=self.MONTHS)
        gap = (
            rng.normal(scale=0.3, size=(self.SERIES, 1))
            + 0.5 * shock
            + rng.normal(size=(self.SERIES, self.MONTHS))
        )
        base = rng.gamma(4.0, size=gap.shape)
        return {"a": (base + gap / 2).ravel(), "b": (base - gap / 2).ravel()}

    @property
    def roles(self):
        months = np.tile(np.arange(self.MONTHS), self.SERIES)
        return {"groups": np.repeat(np.arange(self.SERIES), self.MONTHS), "time": months}

    def test_one_method_takes_both(self, rng):
        table = errbar.from_losses(self.losses(rng), **self.roles)
        assert errbar.compare_table(table).method == "two-way-t"

    @pytest.mark.parametrize("method", ["cluster-t", "diebold-mariano", "holdout-t"])
    def test_refused(self, rng, method):
        table = errbar.from_losses(self.losses(rng), **self.roles)
        with pytest.raises(errbar.UnsuitablePlanError):
            errbar.compare_table(table, method=method)

    def test_the_means_by_time_are_what_time_alone_takes(self, rng):
        losses = self.losses(rng)
        found = (
            errbar.compare_table(errbar.from_losses(losses, time=self.roles["time"]))
            .pairs[0]
            .result
        )
        means = (losses["a"] - losses["b"]).reshape(self.SERIES, self.MONTHS).mean(axis=0)
        assert found.estimate == pytest.approx(means.mean())
        assert found.df == self.MONTHS - 1
        assert found.se == pytest.approx(stats.sem(means))

"""Data sets with seeds that each learner has for itself, and gaps."""

import numpy as np
import pandas as pd
import pytest

import errbar
from errbar.datasets import ranks
from tests.bands import binomial_band
from tests.refusals import refused

SAID = {"learner": "algo", "dataset": "game", "kind": "data-sets", "higher_is_better": False}


def runs(rng, counts, sets=6, effect=0.0):
    """Return rows of learners, with so many runs each, of which no two have one number."""
    rows = [
        (algo, f"g{place}", rng.normal(place + effect * which, 0.3))
        for which, (algo, count) in enumerate(counts.items())
        for place in range(sets)
        for _ in range(count)
    ]
    frame = pd.DataFrame(rows, columns=["algo", "game", "score"])
    return frame.assign(trial_id=1000 + np.arange(len(frame)))


@pytest.mark.parametrize("role", ["seed", "repeat"])
def test_the_mean_of_what_each_learner_has_is_ranked(rng, role):
    frame = runs(rng, {"a": 3, "b": 5, "c": 4})
    table = errbar.read_table(frame, **SAID, **{role: "trial_id"})
    means = frame.groupby(["algo", "game"])["score"].mean().unstack()
    for name in "abc":
        own = table.scores[table.learners.index(name)]
        assert own == pytest.approx(means.loc[name].to_numpy())
    assert [note.numbers["count"] for note in table.notes if note.code == "means"] == ["3 to 5"]
    assert ranks(table).differences == ()  # no seed of one is paired with one of another


def test_rows_in_another_order_change_nothing(rng):
    """Numbers that come sorted would make pairs that are alike."""
    frame = runs(rng, {"a": 4, "b": 4})
    one, other = (
        ranks(errbar.read_table(own, **SAID, seed="trial_id"))
        for own in (frame, frame.sort_values(["algo", "score"]))
    )
    assert one.pairs[0].pvalue == other.pairs[0].pvalue


def test_seeds_that_all_share_are_pairs_and_one_that_is_lost_is_none(rng):
    frame = runs(rng, {"a": 3, "b": 3, "c": 3})
    frame["seed"] = frame.groupby(["algo", "game"]).cumcount()
    assert len(ranks(errbar.read_table(frame, **SAID)).differences) == 3
    table = errbar.read_table(frame.drop(index=1), **SAID)
    assert table.scores[0, 0] == pytest.approx(frame["score"][[0, 2]].mean())
    # A data set that a learner lacks is a gap, and its seeds are pairs still.
    shorter = frame[(frame["algo"] != "b") | (frame["game"] != "g1")]
    with refused("missing", errbar.UnsaidRoleError) as caught:
        errbar.read_table(shorter, **SAID)
    for option in caught.value.options:
        found = ranks(errbar.read_table(shorter, **SAID, missing=option.split()[1]))
        assert found.differences


def test_rows_that_nothing_tells_apart_are_asked_about(rng):
    frame = runs(rng, {"a": 3, "b": 3}).astype({"game": str}).rename(columns={"trial_id": "try"})
    frame["try"] %= 3
    with refused("repeat", errbar.UnsaidRoleError) as caught:
        errbar.read_table(frame, **SAID)
    for option in caught.value.options:
        role, column = option.removeprefix("--").split()
        assert errbar.read_table(frame, **SAID, **{role: column}).scores.shape[0] == 2
    with refused(
        error=errbar.InvalidInputError
    ) as caught:  # a time is no seed: no option is offered
        errbar.read_table(frame.rename(columns={"try": "time"}), **SAID)
    assert not getattr(caught.value, "options", ())


def test_a_method_for_pairs_of_seeds_is_refused(rng):
    table = errbar.read_table(runs(rng, {"a": 3, "b": 4}), **SAID, seed="trial_id")
    with pytest.raises(errbar.UnsuitablePlanError):
        errbar.infer(table, "data-sets-t", "a", "b")


def test_level_with_three_and_five_seeds_of_their_own(rng):
    """Ten data sets on which two learners differ at random, equal on the whole."""
    repeats, hits = 1000, 0
    for _ in range(repeats):
        a = rng.normal(0, 0.2, 10) + rng.normal(0, 0.5, (3, 10)).mean(axis=0)
        b = rng.normal(0, 0.5, (5, 10)).mean(axis=0)
        table = errbar.from_scores({"a": a, "b": b}, kind="data-sets")
        hits += errbar.infer(table, "wilcoxon", "a", "b").pvalue < 0.05
    low, high = binomial_band(repeats, 0.0488)  # the exact level with ten
    assert low <= hits <= high

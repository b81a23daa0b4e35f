"""Seeds and examples crossed: what each of them, and both together, add to the squared error of a mean."""

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from errbar import _check
from errbar._check import FloatArray, IntArray
from errbar.design import FOLD_MODELS, SEEDS_OF_ONE_TRAINING_SET
from errbar.losses import Losses, Units, difference, whole
from errbar.methods.distributions import variance
from errbar.result import Notes


class Tables(NamedTuple):
    """Losses of seeds (rows) and examples (columns) of one learner or two, and the class of each example."""

    value: FloatArray
    minus: FloatArray | None
    units: Units
    classes: IntArray | None


def tables_of(losses: Losses) -> Tables:
    one = losses.each[0]
    value, *minus = [_table(own) for own in losses.each]
    for other in minus:
        must = f"must hold losses of the same {value.shape[1]} examples"
        _check.require(other.shape[1] == value.shape[1], must, other, "minus")
    first = one.index.first("example")
    fold = one.fold[first] if one.by_fold and one.folds > 1 else None
    cluster = one.index.codes("group" if "group" in one.index else "example")[first]
    units = one.index.kept(("crossed units", fold is not None), lambda: Units.of(cluster, fold))
    classes = None if one.classes is None else one.classes[first]
    return Tables(value, minus[0] if minus else None, units, classes)


def _table(losses: Losses) -> FloatArray:
    index = losses.index
    seeds, examples = index.count("seed"), index.count("example")
    complete = index.rows == seeds * examples == index.first("seed", "example").size
    crossed = complete and min(seeds, examples) > 1 and index["seed"].min() >= 0
    must = "and `example` must tell a loss for each of at least 2 seeds and 2 examples, once, in a single repeat"
    found = f"{index.rows} losses of {seeds} seeds and {examples} examples"
    _check.require(crossed, must, found, "seed")
    order = np.lexsort((index["example"], index["seed"]))
    return losses.value[order].reshape(seeds, -1)


class Term(NamedTuple):
    size: float
    df: float


class Crossed(NamedTuple):
    r"""Mean squares MS_s/(Sn), MS_i/(Sn) and MS_e/(Sn) of a table of S seeds and n examples."""

    estimate: float
    seed: Term
    example: Term
    both: Term


def crossed(values: FloatArray, units: Units) -> Crossed:
    S, of_example = len(values), values.mean(axis=0)
    means = np.array([units.mean(row) for row in values])
    # What is left of a row without its own mean and those of the examples; `squared_error` takes the means of rows away.
    left = sum(units.squared_error(difference(row, of_example)) for row in values)
    return Crossed(
        float(means.mean()),
        Term(variance(means) / S, S - 1.0),
        Term(units.squared_error(of_example), units.df),
        Term(left / ((S - 1) * S), (S - 1.0) * units.df),
    )


def of_which_training(losses: Losses) -> Notes:
    """Return what seeds of one training set are about, and of the training sets of folds."""
    folds = losses.n_splits > losses.each[0].count("seed")
    return (SEEDS_OF_ONE_TRAINING_SET, FOLD_MODELS) if folds else (SEEDS_OF_ONE_TRAINING_SET,)


def satterthwaite(terms: Iterable[Term]) -> float:
    """Return the degrees of freedom of a sum of independent terms, no fewer than those of any added one."""
    found = [term for term in terms if term.size != 0.0]
    if not found:
        return np.inf
    sizes, dfs = np.transpose(found)
    df = sizes.sum() ** 2 / (sizes**2 / dfs).sum()
    return whole(float(max(df, dfs.min())))

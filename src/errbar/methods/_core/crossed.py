"""Seeds and examples crossed: what each of them, and both together, add to the squared error of a mean."""

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from errbar._check import FloatArray
from errbar.methods._core.pivot import variance
from errbar.needs import FOLD_MODELS, SEEDS_OF_ONE_TRAINING_SET
from errbar.result import Note
from errbar.views import CrossedLosses, Units, difference
from errbar.views._clusters import whole


class Term(NamedTuple):
    """A part of a squared error, with the degrees of freedom with which it is known."""

    size: float
    df: float


class Crossed(NamedTuple):
    r"""Mean squares of a two-way table of seeds and examples, over the number S n of its cells.

    Attributes
    ----------
    estimate : float
        Mean of the table.
    seed, example, both : Term
        :math:`MS_s/(Sn)`, the variance of the means of seeds over S; :math:`MS_i/(Sn)`, that of the means of examples over n;
        and :math:`MS_e/(Sn)`, that of what is left. For clusters of examples, the sums of clusters with CR2 weights take the
        place of examples.
    """

    estimate: float
    seed: Term
    example: Term
    both: Term


def crossed(values: FloatArray, units: Units) -> Crossed:
    """Take a table apart, with a row for each seed and a column for each example."""
    seeds = values.shape[0]
    means, of_example = np.array([units.mean(row) for row in values]), values.mean(axis=0)
    of_seeds = variance(means) / seeds
    # What is left of a row without its own mean and those of the examples; `squared_error` takes the means of rows away.
    left = sum(units.squared_error(difference(row, of_example)) for row in values) / ((seeds - 1) * seeds)
    return Crossed(
        estimate=float(means.mean()),
        seed=Term(of_seeds, seeds - 1.0),
        example=Term(units.squared_error(of_example), units.df),
        both=Term(left, (seeds - 1.0) * units.df),
    )


def of_which_training(losses: CrossedLosses) -> tuple[Note, ...]:
    """Return what seeds of one training set are about, and of the training sets of folds."""
    folds = losses.n_splits > losses.value.shape[0]
    return (SEEDS_OF_ONE_TRAINING_SET, FOLD_MODELS) if folds else (SEEDS_OF_ONE_TRAINING_SET,)


def satterthwaite(terms: Iterable[Term]) -> float:
    """Return the degrees of freedom of the sum of independent terms: its square over the sum of their squares over theirs.

    They are no fewer than those of the term with the fewest, as they are for any terms that are added. Terms that are subtracted
    can leave a small sum of large terms, and so next to none.
    """
    found = [term for term in terms if term.size != 0.0]
    if not found:
        return np.inf
    df = sum(term.size for term in found) ** 2 / sum(term.size**2 / term.df for term in found)
    return whole(max(df, min(term.df for term in found)))

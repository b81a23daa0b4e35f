"""Shared fits: all splits of one learner computed together, with the predictions that refitting gives.

A family says for which learners and data it can do that (`supports`); whatever is outside of it is refitted. A family
also names the splits that it could not do safely, such as ones with nearly singular equations; these are refitted too.
"""

from collections.abc import Container, Mapping
from typing import Any

from numpy.random import Generator

from errbar.engine.shared._family import Array, Family, Outcome, Positions
from errbar.engine.shared._verify import agrees
from errbar.engine.shared.dummy import Dummy
from errbar.engine.shared.least_squares import LeastSquares
from errbar.engine.shared.linear_discriminant import LinearDiscriminant
from errbar.engine.shared.naive_bayes import NaiveBayes
from errbar.engine.shared.neighbours import NearestNeighbours
from errbar.engine.shared.own import Own
from errbar.engine.shared.quadratic_discriminant import QuadraticDiscriminant
from errbar.losses import Target

FAMILIES: tuple[Family, ...] = (
    Own(),
    NearestNeighbours(),
    LeastSquares(),
    LinearDiscriminant(),
    QuadraticDiscriminant(),
    NaiveBayes(),
    Dummy(),
)


def family_of(estimator: Any, X: Any, target: Target, kinds: tuple[str, ...]) -> Family | None:
    """Return the family that computes all splits of a learner together, if there is one.

    Parameters
    ----------
    estimator : estimator
        The learner, not fitted.
    X : array-like, sparse matrix or data frame
        Features as the learner would see them.
    target : Target
        What is to be predicted.
    kinds : tuple of str
        Kinds of prediction that are needed.

    Returns
    -------
    Family or None
        The family; None if the learner, its parameters or the data are outside of what is reproduced exactly.

    Examples
    --------
    >>> import numpy as np
    >>> from errbar.engine.shared import family_of
    >>> from errbar.losses import LABEL, Target
    >>> from sklearn.linear_model import Ridge
    >>> X, target = np.array([[0.0], [1.0], [2.0], [4.0]]), Target(np.array([1.0, 3.0, 4.0, 9.0]))
    >>> family_of(Ridge(), X, target, (LABEL,)).name
    'least-squares'
    >>> family_of(Ridge(positive=True), X, target, (LABEL,)) is None
    True
    """
    return next((family for family in FAMILIES if family.supports(estimator, X, target, kinds)), None)


def verify(
    estimator: Any,
    X: Array,
    target: Target,
    trains: Positions,
    tests: Positions,
    kinds: tuple[str, ...],
    values: Mapping[str, Array],
    rng: Generator,
    *,
    splits: int = 3,
    undone: Container[int] = (),
    family: Family | None = None,
) -> bool:
    """Refit on a few splits drawn at random, and tell whether the shared predictions are the same.

    Numbers must agree to 1e-8, and labels wherever they do not hang on a tie.

    Parameters
    ----------
    estimator : estimator
        The learner, not fitted.
    X : ndarray, shape (n, p)
        Features.
    target : Target
        What was predicted.
    trains, tests : sequence of ndarray of int
        Positions of the training and of the test examples, an array of each per split.
    kinds : tuple of str
        Kinds of prediction to compare.
    values : mapping of str to ndarray
        Shared predictions by kind, all splits one after another.
    rng : numpy.random.Generator
        Draws the splits.
    splits : int, default 3
        How many splits to refit.
    undone : container of int, optional
        Splits that were not done.
    family : Family, optional
        Whose predictions they are, where that is known.

    Returns
    -------
    bool
        Whether everything agrees.
    """
    family = family or family_of(estimator, X, target, kinds)
    if family is None:
        return False
    wanted = {kind: values[kind] for kind in kinds}
    return agrees(family, estimator, X, target, trains, tests, wanted, rng=rng, splits=splits, undone=undone)


__all__ = ["FAMILIES", "Family", "Outcome", "family_of", "verify"]

"""Shared fits: all splits of one learner computed together, with the predictions that refitting gives.

A family says for which learners and data it can do that (`supports`); whatever is outside of it is refitted. A family
also names the splits that it could not do safely, such as ones with nearly singular equations; these are refitted too.
Learners with a method ``predict_splits`` do all their splits themselves, and are taken at their word.
"""

import numpy as np
from numpy.random import Generator

from errbar.fits.shared._family import (
    LearnerFamily,
    LearningProblem,
    Positions,
    SharedPredictions,
)
from errbar.fits.shared.dummy import Dummy
from errbar.fits.shared.gaussian import LinearDiscriminant, NaiveBayes, QuadraticDiscriminant
from errbar.fits.shared.least_squares import NormalEquations
from errbar.fits.shared.neighbours import NearestNeighbours
from errbar.fits.shared.own import Own

FAMILIES: tuple[type[LearnerFamily], ...] = (
    Own,
    NearestNeighbours,
    NormalEquations,
    LinearDiscriminant,
    QuadraticDiscriminant,
    NaiveBayes,
    Dummy,
)


def family_of(problem: LearningProblem) -> type[LearnerFamily] | None:
    """Return the family that computes all splits of a learner together, if there is one.

    Parameters
    ----------
    problem : LearningProblem
        The learner, not fitted, with the data and the kinds of prediction that are needed.

    Returns
    -------
    type or None
        The family; None if the learner, its parameters or the data are outside of what is reproduced exactly.

    Examples
    --------
    >>> import numpy as np
    >>> from errbar.fits.shared import LearningProblem, family_of
    >>> from errbar.metrics import LABEL, Target
    >>> from sklearn.linear_model import Ridge
    >>> X, target = np.array([[0.0], [1.0], [2.0], [4.0]]), Target(np.array([1.0, 3.0, 4.0, 9.0]))
    >>> family_of(LearningProblem(Ridge(), X, target, (LABEL,))).name
    'least-squares'
    >>> family_of(LearningProblem(Ridge(positive=True), X, target, (LABEL,))) is None
    True
    """
    return next((family for family in FAMILIES if family.supports(problem)), None)


def predict_all(
    problem: LearningProblem, trains: Positions, tests: Positions, rng: Generator
) -> SharedPredictions:
    """Compute all splits together, unless refitting a few that `rng` draws shows that all have to be refitted.

    Which ones it draws depends on the problem only, and the predictions of a split on its training set only.
    """
    nothing = SharedPredictions({}, range(len(tests)))
    kind = family_of(problem)
    if kind is None:
        return nothing
    try:
        with np.errstate(all="ignore"):
            family = kind(problem)
            if family.checked and not family.agrees(rng):
                return nothing._replace(refused=True)
            return family.predict(trains, tests)
    except Exception:  # noqa: BLE001 - one by one the fits that cannot be done say so themselves
        return nothing


__all__ = [
    "FAMILIES",
    "LearnerFamily",
    "LearningProblem",
    "SharedPredictions",
    "family_of",
    "predict_all",
]

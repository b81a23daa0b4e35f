"""Shared fits: all splits of one learner computed together, with the predictions that refitting gives.

A family says for which learners and data it can do that (`supports`); whatever is outside of it is refitted. A family
also names the splits that it could not do safely, such as ones with nearly singular equations; these are refitted too.
Learners with a method ``predict_splits`` do all their splits themselves, and are taken at their word.
"""

from numpy.random import Generator

from errbar.engine.shared._family import Case, Family, Positions, SharedPredictions
from errbar.engine.shared._verify import agrees
from errbar.engine.shared.dummy import Dummy
from errbar.engine.shared.gaussian import LinearDiscriminant, NaiveBayes, QuadraticDiscriminant
from errbar.engine.shared.least_squares import NormalEquations
from errbar.engine.shared.neighbours import NearestNeighbours
from errbar.engine.shared.own import Own

FAMILIES: tuple[Family, ...] = (
    Own(),
    NearestNeighbours(),
    NormalEquations(),
    LinearDiscriminant(),
    QuadraticDiscriminant(),
    NaiveBayes(),
    Dummy(),
)


def family_of(case: Case) -> Family | None:
    """Return the family that computes all splits of a learner together, if there is one.

    Parameters
    ----------
    case : Case
        The learner, not fitted, with the data and the kinds of prediction that are needed.

    Returns
    -------
    Family or None
        The family; None if the learner, its parameters or the data are outside of what is reproduced exactly.

    Examples
    --------
    >>> import numpy as np
    >>> from errbar.engine.shared import Case, family_of
    >>> from errbar.losses import LABEL, Target
    >>> from sklearn.linear_model import Ridge
    >>> X, target = np.array([[0.0], [1.0], [2.0], [4.0]]), Target(np.array([1.0, 3.0, 4.0, 9.0]))
    >>> family_of(Case(Ridge(), X, target, (LABEL,))).name
    'least-squares'
    >>> family_of(Case(Ridge(positive=True), X, target, (LABEL,))) is None
    True
    """
    return next((family for family in FAMILIES if family.supports(case)), None)


def predict_all(case: Case, trains: Positions, tests: Positions, rng: Generator) -> SharedPredictions:
    """Compute all splits together, and refit a few that `rng` draws: where these differ, all have to be refitted."""
    nothing = SharedPredictions({}, range(len(tests)))
    family = family_of(case)
    if family is None:
        return nothing
    try:
        found = family.predict(case, trains, tests)
        if family.checked and not agrees(family, case, trains, tests, found.values, rng, undone=found.undone):
            return nothing._replace(refused=True)
    except Exception:  # noqa: BLE001 - one by one the fits that cannot be done say so themselves
        return nothing
    return found


__all__ = ["FAMILIES", "Case", "Family", "SharedPredictions", "agrees", "family_of", "predict_all"]

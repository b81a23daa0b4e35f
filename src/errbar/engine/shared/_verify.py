"""A check of shared fits against real ones, on a few splits drawn at random."""

import warnings
from collections.abc import Container, Mapping

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from errbar.engine.predictions import predicted
from errbar.engine.shared._family import TOLERANCE, Array, Case, Family, Positions
from errbar.losses import LABEL


def agrees(
    family: Family,
    case: Case,
    trains: Positions,
    tests: Positions,
    values: Mapping[str, Array],
    rng: Generator,
    *,
    splits: int = 3,
    undone: Container[int] = (),
) -> bool:
    """Refit on a few splits drawn at random, and tell whether the shared predictions are the same.

    Numbers must agree to 1e-8, and labels wherever they do not hang on a tie.

    Parameters
    ----------
    family : Family
        Whose predictions they are.
    case : Case
        Learner, data, and kinds of prediction to compare.
    trains, tests : sequence of ndarray of int
        Positions of the training and of the test examples, an array of each per split.
    values : mapping of str to ndarray
        Shared predictions by kind, all splits one after another.
    rng : numpy.random.Generator
        Draws the splits.
    splits : int, default 3
        How many splits to refit.
    undone : container of int, optional
        Splits that were not done.

    Returns
    -------
    bool
        Whether everything agrees.
    """
    done = [j for j in range(len(tests)) if j not in undone and len(tests[j])]
    ends = np.cumsum([len(test) for test in tests])
    for j in rng.permutation(len(done))[:splits].tolist():
        split = done[j]
        own = {kind: values[kind][ends[split] - len(tests[split]) : ends[split]] for kind in case.kinds}
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                if not _split_agrees(family, case, trains[split], tests[split], own):
                    return False
        except Exception:  # noqa: BLE001 - a learner that refuses what was shared does not agree
            return False
    return True


def _split_agrees(family: Family, case: Case, train: Array, test: Array, own: Mapping[str, Array]) -> bool:
    from sklearn.base import clone

    target, examples = case.target, case.X[test]
    fitted = clone(case.estimator).fit(case.X[train], target.original(target.values[train]))
    answers = predicted(fitted, examples, target, case.kinds, len(test))
    # Probabilities, and the scores of a classifier, are of order one.
    usual = float(np.sqrt(np.mean(target.values[train] ** 2))) if target.classes is None else 1.0
    for kind, found in own.items():
        answer = answers[kind]
        if answer.shape != found.shape:
            return False
        labels = kind == LABEL and target.classes is not None
        same = answer == found if labels else _close(found, answer, usual)
        if not same.all() and not (same | ~family.clear(fitted, examples)).all():
            return False
    return True


def _close(found: Array, answer: Array, usual: float) -> NDArray[np.bool_]:
    """Tell which rows agree to `TOLERANCE`, relative to their own size or to the usual size of an answer."""
    apart = np.abs(found - answer) > TOLERANCE * np.maximum(np.abs(answer), usual)
    same: NDArray[np.bool_] = ~apart.reshape(len(apart), -1).any(axis=1)
    return same

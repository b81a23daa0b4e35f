"""Scores of splits as the plans of some methods lay them out: five by two, halves, replaced examples, parts left out."""

from typing import NamedTuple

import numpy as np

from errbar._check import FloatArray
from errbar.errors import InvalidInputError
from errbar.losses import Losses
from errbar.plans import FiveByTwo


def five_by_two(losses: Losses) -> FloatArray:
    """Return the ten scores of five repeats of two-fold cross-validation, a row for each repeat."""
    scores, index = losses.splits.value, losses.splits.index
    # Ten scores in a row are five by two where that was said; ten folds of one partition look the same.
    labelled = "fold" in index and int(index["fold"].min()) >= 0
    if scores.size == 10 and not labelled and losses.kind == FiveByTwo.kind:
        return scores.reshape(5, 2)
    found = [
        np.unique(index.codes(*roles)).size for roles in (["repeat"], ["fold"], ["repeat", "fold"])
    ]
    if scores.size != 10 or found != [5, 2, 10]:
        raise InvalidInputError(
            "five repeats of two-fold cross-validation are needed, as plan FiveByTwo() makes them; "
            f"got {scores.size} splits"
        )
    return scores[np.lexsort((index["fold"], index["repeat"]))].reshape(5, 2)


def squares_of_repeats(scores: FloatArray) -> FloatArray:
    """Return the five s_i^2: squared deviations of a repeat's two scores from their mean, summed."""
    gap = scores[:, 0] - scores[:, 1]
    rounding = 1e-12 * np.abs(scores).max(axis=1)
    return np.where(np.abs(gap) <= rounding, 0.0, gap) ** 2 / 2.0


class Halves(NamedTuple):
    """Scores on all data, and on both halves of M halvings.

    Attributes
    ----------
    scores : ndarray, shape (J,)
        Score of each split of all data.
    parts : ndarray, shape (M, 2, K)
        Score of each split of each half.
    whole : Losses
        The splits of all data.
    half_train : float
        Training size of the splits of a half, NaN where it is not known.
    """

    scores: FloatArray
    parts: FloatArray
    whole: Losses
    half_train: float

    @property
    def halvings(self) -> int:
        """Number of halvings M."""
        return len(self.parts)

    @property
    def means(self) -> FloatArray:
        """Mean score on each half, shape (M, 2)."""
        return np.asarray(self.parts.mean(axis=2))

    @property
    def n_splits(self) -> int:
        """Number of splits behind all scores."""
        return self.scores.size + self.parts.size


def halves_of(losses: Losses) -> Halves:
    """Return the scores on all data and on halves of it."""
    splits, index = losses.splits, losses.splits.index
    halving = index.label("halving")
    whole = halving < 0
    if whole.all() or not whole.any():
        raise InvalidInputError(
            "scores on all data and on halves of it are needed, as plan PairedHalves() makes them"
        )
    count = int(halving.max()) + 1
    # What belongs to no halving comes first, its label being -1.
    columns = [index.label(role) for role in ("fold", "repeat", "half")]
    order = np.lexsort((*columns, halving))[np.count_nonzero(whole) :]
    if order.size % (2 * count):
        raise InvalidInputError(
            "every half needs the same number of splits, as plan PairedHalves() makes them"
        )
    parts = splits.value[order].reshape(count, 2, -1)
    return Halves(splits.value[whole], parts, splits.only(whole), splits.only(~whole).n_train)


class Replaced(NamedTuple):
    """Means of cross-validation, on all data and on half of it with one example after another replaced.

    Attributes
    ----------
    estimate, baseline : float
        Mean loss of all data, and mu_0 of half of them.
    means : ndarray, shape (m,)
        Mean loss mu_i of the half with example i replaced.
    n : int
        Number of examples of all data.
    n_train : float
        Training size of the cross-validation of all data.
    folds : int
        Number of its folds.
    """

    estimate: float
    baseline: float
    means: FloatArray
    n: int
    n_train: float
    folds: int


def replaced_of(losses: Losses) -> Replaced:
    """Return the means of cross-validation with replaced examples."""
    splits, index = losses.splits, losses.splits.index
    half, replaced = index.label("half"), index.label("replaced")
    n = losses.examples
    if not (half < 0).any() or not (replaced >= 0).any() or n is None:
        raise InvalidInputError(
            "cross-validation with replaced examples is needed, as plan ReplaceOne() makes it"
        )
    sizes = index["n_test"] if "n_test" in index else np.ones(half.size)

    def mean(chosen: np.ndarray) -> float:
        return float(np.average(splits.value[chosen], weights=sizes[chosen]))

    whole = half < 0
    return Replaced(
        estimate=mean(whole),
        baseline=mean((half == 0) & (replaced < 0)),
        means=np.array([mean(replaced == i) for i in np.unique(replaced[replaced >= 0])]),
        n=n,
        n_train=splits.only(whole).n_train,
        folds=int(whole.sum()),
    )


class LeftOut(NamedTuple):
    """Results of repeated cross-validation: of all data, without each of G parts, and without each part and the next.

    Attributes
    ----------
    whole : ndarray, shape (R,)
        Result of all data by repeat.
    without : ndarray, shape (G, R)
        Result without each part, by repeat.
    without_two : ndarray, shape (G, R)
        Result without each part and the one after it; the first comes after the last.
    n_train : float
        Training size of the cross-validation of all data.
    n_splits : int
        Number of splits behind all results.
    """

    whole: FloatArray
    without: FloatArray
    without_two: FloatArray
    n_train: float
    n_splits: int


def left_out_of(losses: Losses) -> LeftOut:
    """Return the results of cross-validations without parts of the data."""
    splits, index = losses.splits, losses.splits.index
    part, pair, repeat = index.label("part"), index.label("pair"), index.codes("repeat")
    repeats, parts = int(repeat.max()) + 1, int(part.max()) + 1
    out = np.where(pair < 0, part + 1, parts + 1 + pair)
    place = out * repeats + repeat
    counts = np.bincount(place, minlength=(2 * parts + 1) * repeats)
    if parts < 3 or repeats < 2 or counts.min() == 0 or counts.size > (2 * parts + 1) * repeats:
        raise InvalidInputError(
            "cross-validations without parts of the data are needed, in at least two repeats, as plan PartJackknife() makes them"
        )
    by_size = "n_test" in index and losses.is_mean
    weight = index["n_test"] if by_size else np.ones(place.size)
    means = np.bincount(place, splits.value * weight) / np.bincount(place, weight)
    found = means.reshape(2 * parts + 1, repeats)
    n_train = splits.only(out == 0).n_train
    return LeftOut(found[0], found[1 : parts + 1], found[parts + 1 :], n_train, place.size)

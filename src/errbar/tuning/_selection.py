"""What selecting the best of many candidates does to its estimate: bootstrap of the selection on out-of-fold losses."""

from collections.abc import Iterator
from functools import cached_property
from typing import NamedTuple, Self

import numpy as np
from numpy.typing import NDArray
from scipy import special

from errbar._check import FloatArray, IntArray
from errbar._plain import record
from errbar.methods.distributions import ROUNDING
from errbar.table import LossTable

# Single precision: a product of matrices takes half the time, and a mean of losses has seven digits.
Values = NDArray[np.float32]

_ROUNDING = 1e-6
"""So much of the largest mean do equal means of single precision differ at most, whatever has added them up."""

_BLOCK = 100
"""So many samples are drawn at once, which bounds the memory."""


@record
class Losses:
    """Losses of candidates by unit, which is an example or a group of them.

    Attributes
    ----------
    value : Weighted loss of each unit and candidate, shape (n, C): means over units are means over splits.
    square : Its second moment.
    means : Mean loss of each candidate, shape (C,), in double precision.
    training : Mean of test size over training size: what training sets add to the variance, n2/n1.
    """

    value: Values
    square: Values
    means: FloatArray
    training: float

    @classmethod
    def of(cls, table: LossTable) -> Self:
        points, cells, splits = table.points, table.cells, table.splits
        assert points is not None
        assert cells is not None
        starts = np.flatnonzero(np.diff(cells.split, prepend=-1))
        sizes = np.diff(starts, append=cells.split.size)
        tested, row = np.unique(cells.example, return_inverse=True)
        value = np.zeros((tested.size, len(points)), np.float32)
        square = np.zeros_like(value)
        for start, size in zip(starts, sizes, strict=True):
            own = slice(start, start + size)
            lost = points[:, own].T
            weight = tested.size / (sizes.size * size)
            value[row[own]] += weight * lost
            square[row[own]] += weight * lost**2
        # One test set is about the models that were trained.
        several = sizes.size > 1
        training = float(np.mean(splits.n_test / splits.n_train)) if several else 0.0
        found = cls(value, square, table.scores.mean(axis=1), training)
        groups = splits.designs[0].clusters
        return found if groups is None else found.together(groups[tested])

    def together(self, groups: IntArray) -> Self:
        """Return whole groups as units: sums, scaled so that the means stay."""
        codes = np.unique(groups, return_inverse=True)[1]
        count = int(codes.max()) + 1
        sums = np.zeros((count, self.value.shape[1]), np.float32)
        np.add.at(sums, codes, self.value * np.float32(count / codes.size))
        return type(self)(sums, sums**2, self.means, self.training)

    def only(self, count: int) -> Self:
        own = self.value[:, :count], self.square[:, :count], self.means[:count]
        return type(self)(*own, self.training)

    def minus(self, candidate: int) -> Self:
        """Return the losses of a candidate less those of each."""
        value = self.value[:, [candidate]] - self.value
        return type(self)(value, value**2, self.means[candidate] - self.means, self.training)

    def squared_error(self, variance: float) -> float:
        """Return the part of a squared standard error that comes from the units that are tested."""
        return variance / len(self.value) * (1.0 + self.training)


class LeftOut(NamedTuple):
    """What units that a bootstrap sample has left out say of the candidates that it has selected.

    Attributes
    ----------
    mean : Mean loss over samples.
    variance : Mean variance of the losses from unit to unit.
    """

    mean: float
    variance: float


@record
class Samples:
    """Bootstrap samples of the units: which they have left out, and the mean loss of each candidate.

    Attributes
    ----------
    out : Which units are in no draw of a sample, shape (samples, n).
    means : Shape (samples, C).
    best : The candidate with the best mean in the data.
    """

    out: NDArray[np.bool_]
    means: Values
    best: int

    @classmethod
    def of(cls, losses: Losses, count: int, rng: np.random.Generator) -> Self:
        n, candidates = losses.value.shape
        out = np.empty((count, n), np.bool_)
        means = np.empty((count, candidates), np.float32)
        for at in _blocks(count):
            size = at.stop - at.start
            place = rng.integers(0, n, (size, n)) + n * np.arange(size)[:, np.newaxis]
            times = np.bincount(place.ravel(), minlength=size * n).reshape(size, n)
            out[at] = times == 0
            means[at] = times.astype(np.float32) @ losses.value / n
        return cls(out, means, int(losses.means.argmin()))

    @cached_property
    def chosen(self) -> IntArray:
        """The candidate that each sample selects; of equal ones the first, as searches do."""
        least = self.means.min(axis=1, keepdims=True)
        return (self.means <= least + _ROUNDING * np.abs(self.means).max()).argmax(axis=1)

    def left_out(self, losses: Losses, chosen: IntArray) -> LeftOut:
        """Return what the units left out say of candidates, one for each sample."""
        by_candidate = np.ascontiguousarray(losses.value.T)
        squares = np.ascontiguousarray(losses.square.T)
        mean, square = np.empty((2, len(chosen)))
        for at in _blocks(len(chosen)):
            out = self.out[at]
            count = np.maximum(out.sum(axis=1), 1)
            mean[at] = np.sum(by_candidate[chosen[at]], axis=1, where=out, dtype=float) / count
            square[at] = np.sum(squares[chosen[at]], axis=1, where=out, dtype=float) / count
        n = len(losses.value)
        spread = max(float((square - mean**2).mean()), 0.0)
        return LeftOut(float(mean.mean()), spread * n / (n - 1))


def _blocks(count: int) -> Iterator[slice]:
    for start in range(0, count, _BLOCK):
        yield slice(start, min(start + _BLOCK, count))


def possible_best(
    samples: Samples, losses: Losses, winner: int, alpha: float, wider: float
) -> NDArray[np.bool_]:
    """Return which candidates are not shown to be worse than some other, each by its own max-t against all (Lei 2020).

    A bootstrap knows nothing of other training sets, and few degrees of freedom make up for it:
    critical values are as many times `wider` as the quantile of t is than the normal one.
    """
    noise = samples.means - samples.means.mean(axis=0)  # (B, C)
    inflation = np.sqrt(1.0 + losses.training)
    spread = (noise - noise[:, [winner]]).std(axis=0) * inflation
    behind = losses.means - losses.means[winner]
    least = ROUNDING * max(float(np.abs(losses.means).max()), 1e-300)
    distance = behind / np.maximum(spread, least)
    # Bonferroni's value bounds all critical values, and that of one comparison is below them.
    most = -wider * float(special.ndtri(alpha / len(behind)))
    possible: NDArray[np.bool_] = distance <= -wider * float(special.ndtri(alpha))
    for one in np.flatnonzero(~possible & (distance <= most)):
        apart = noise[:, [one]] - noise
        apart /= np.maximum(apart.std(axis=0), least)
        possible[one] = distance[one] <= wider * float(np.quantile(apart.max(axis=1), 1.0 - alpha))
    return possible

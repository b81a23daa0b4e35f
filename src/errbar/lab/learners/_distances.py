"""The kernels of the nearest neighbour."""

import numpy as np
from numpy.typing import NDArray

from errbar.lab.learners._compile import compiled

Counts = NDArray[np.int64]
Floats = NDArray[np.float64]


@compiled
def distance(a: Floats, b: Floats, stretched: int, shrunk: int, factor: float) -> float:
    """Return `factor` times the squared distance of two examples: stretched features first, then the shrunk ones.

    Three sums and no division: with a whole factor, equal distances of whole numbers are equal to the last bit.
    """
    far = near = plain = 0.0
    for k in range(stretched):
        far += (a[k] - b[k]) ** 2
    for k in range(stretched, stretched + shrunk):
        near += (a[k] - b[k]) ** 2
    for k in range(stretched + shrunk, a.size):
        plain += (a[k] - b[k]) ** 2
    return factor * factor * far + near + factor * plain


@compiled
def all_distances(X: Floats, stretched: int, shrunk: int, factor: float) -> Floats:
    """Return the distances of all pairs of examples."""
    n = X.shape[0]
    found = np.zeros((n, n))
    for i in range(n):
        for j in range(i):
            found[i, j] = distance(X[i], X[j], stretched, shrunk, factor)
            found[j, i] = found[i, j]
    return found


@compiled
def nearest(
    X: Floats, train: Counts, other: Floats, test: Counts, stretched: int, shrunk: int, factor: float, found: Counts
) -> None:
    """Write down the position of each test example's nearest training example, of equally near ones the first."""
    square = factor * factor
    for i in range(test.size):
        least = np.inf
        for position in train:
            far = 0.0
            for k in range(stretched):
                far += (X[position, k] - other[test[i], k]) ** 2
            # The other sums only add to it, so most training examples need not be looked at any further.
            if square * far < least:
                whole = distance(X[position], other[test[i]], stretched, shrunk, factor)
                if whole < least:
                    least, found[i] = whole, position


@compiled
def nearest_of_splits(distances: Floats, train: Counts, ends: Counts, test: Counts, test_ends: Counts) -> Counts:
    """Return the same for all splits, given the distances of all pairs of examples."""
    found = np.empty(test.size, dtype=np.int64)
    begin = slot = 0
    for j in range(ends.size):
        for i in range(slot, test_ends[j]):
            own, least = distances[test[i]], np.inf
            for position in train[begin : ends[j]]:
                if own[position] < least:
                    least, found[i] = own[position], position
        begin, slot = ends[j], test_ends[j]
    return found

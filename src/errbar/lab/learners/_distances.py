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

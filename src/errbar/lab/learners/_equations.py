"""The kernels of least squares: centred normal equations, solved by Cholesky."""

import numpy as np
from numpy.typing import NDArray

from errbar.lab.learners._compile import compiled

Counts = NDArray[np.int64]
Floats = NDArray[np.float64]

# A feature of which the features before it leave no larger share unexplained makes the equations ill conditioned.
LEAST_SHARE = 1e-6
# So does one that varies no more than this, compared with its mean.
LEAST_SPREAD = 1e-8


@compiled
def solve(data: Floats, rows: Counts) -> tuple[bool, Floats, Floats]:
    """Return whether the equations are well conditioned, the means of all columns, and the slopes.

    The last column of everything belongs to the target.
    """
    features = data.shape[1] - 1
    centre, equations = np.zeros(features + 1), np.zeros((features, features + 1))
    if rows.size <= features:
        return False, centre, centre
    for row in rows:
        for k in range(centre.size):
            centre[k] += data[row, k]
    centre /= rows.size
    table = np.empty((rows.size, features + 1))
    for i in range(rows.size):
        for k in range(centre.size):
            table[i, k] = data[rows[i], k] - centre[k]
    _accumulate(table, equations)
    varies = True
    for j in range(features):
        varies &= equations[j, j] > rows.size * (LEAST_SPREAD * centre[j]) ** 2
    if not (varies and _eliminate(equations)):
        return False, centre, centre
    _substitute(equations)
    return True, centre, equations[:, features].copy()


@compiled
def _accumulate(table: Floats, equations: Floats) -> None:
    """Add up the products of all pairs of columns. The innermost loop has no sum, so it runs in vector registers."""
    rows, columns = table.shape
    # Four rows at a time: the equations are read and written a quarter as often.
    for i in range(0, rows - rows % 4, 4):
        for j in range(columns - 1):
            a, b, c, d = table[i, j], table[i + 1, j], table[i + 2, j], table[i + 3, j]
            for k in range(j, columns):
                equations[j, k] += a * table[i, k] + b * table[i + 1, k] + c * table[i + 2, k] + d * table[i + 3, k]
    for i in range(rows - rows % 4, rows):
        for j in range(columns - 1):
            for k in range(j, columns):
                equations[j, k] += table[i, j] * table[i, k]


@compiled
def _eliminate(equations: Floats) -> bool:
    """Put the triangular factor in place of the equations, or return False if they are ill conditioned."""
    features = equations.shape[0]
    for j in range(features):
        # What the earlier features leave unexplained of feature j; above it stands what they explain.
        left, explained = equations[j, j], 0.0
        for i in range(j):
            explained += equations[i, j] ** 2
        if not left > LEAST_SHARE * (left + explained):
            return False
        equations[j, j:] /= np.sqrt(left)
        for i in range(j + 1, features):
            factor = equations[j, i]
            for k in range(i, features + 1):
                equations[i, k] -= factor * equations[j, k]
    return True


@compiled
def _substitute(equations: Floats) -> None:
    """Put the solution into the last column of the triangular equations."""
    features = equations.shape[0]
    for j in range(features - 1, -1, -1):
        total = equations[j, features]
        for k in range(j + 1, features):
            total -= equations[j, k] * equations[k, features]
        equations[j, features] = total / equations[j, j]


@compiled
def predict(X: Floats, rows: Counts, centre: Floats, slopes: Floats, found: Floats) -> None:
    """Write down the predictions for some rows."""
    features = slopes.size
    for i in range(rows.size):
        total = centre[features]
        for k in range(features):
            total += (X[rows[i], k] - centre[k]) * slopes[k]
        found[i] = total

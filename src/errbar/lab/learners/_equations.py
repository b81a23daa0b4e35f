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
def solve(X: Floats, y: Floats, rows: Counts, centre: Floats, table: Floats, equations: Floats) -> bool:
    """Leave the solution in the last column of the equations, or return False if they are ill conditioned.

    The last column of everything belongs to the target.
    """
    if rows.size <= X.shape[1]:
        return False
    _centre(X, y, rows, centre, table)
    _accumulate(table[: rows.size], equations)
    for j in range(X.shape[1]):
        if equations[j, j] <= rows.size * (LEAST_SPREAD * centre[j]) ** 2:
            return False
    if not _eliminate(equations):
        return False
    _substitute(equations)
    return True


@compiled
def _centre(X: Floats, y: Floats, rows: Counts, centre: Floats, table: Floats) -> None:
    features = X.shape[1]
    centre[:] = 0.0
    for row in rows:
        for k in range(features):
            centre[k] += X[row, k]
        centre[features] += y[row]
    centre /= rows.size
    for i in range(rows.size):
        for k in range(features):
            table[i, k] = X[rows[i], k] - centre[k]
        table[i, features] = y[rows[i]] - centre[features]


@compiled
def _accumulate(table: Floats, equations: Floats) -> None:
    """Add up the products of all pairs of columns. The innermost loop has no sum, so it runs in vector registers."""
    rows, columns = table.shape
    equations[:] = 0.0
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


@compiled
def predict_splits(
    X: Floats, y: Floats, train: Counts, ends: Counts, test: Counts, test_ends: Counts, found: Floats
) -> NDArray[np.bool_]:
    """Write down the predictions of all splits, and return which splits are ill conditioned and left out."""
    features = X.shape[1]
    largest = ends[0]
    for j in range(1, ends.size):
        largest = max(largest, ends[j] - ends[j - 1])
    centre, table = np.empty(features + 1), np.empty((largest, features + 1))
    equations = np.empty((features, features + 1))
    refused = np.zeros(ends.size, dtype=np.bool_)
    begin = first = 0
    for j in range(ends.size):
        end, last = ends[j], test_ends[j]
        if solve(X, y, train[begin:end], centre, table, equations):
            predict(X, test[first:last], centre, equations[:, features].copy(), found[first:last])
        else:
            refused[j] = True
        begin, first = end, last
    return refused

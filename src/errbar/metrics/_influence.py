"""Influence values of any metric: how much one more copy of an example moves it."""

from collections.abc import Callable, Sequence

import numpy as np

from errbar._check import FloatArray
from errbar.errors import InvalidInputError, UndefinedMetricError
from errbar.metrics._sample import Array, Measured

MOST = 20_000
"""So many different examples at most: the metric is computed twice for each."""

DERIVATIVE, WHOLE = 1e-4, 1.0
"""Steps in the weight of an example: one that is large against rounding and small against curvature, or a whole example."""

# Both ways to move an example agree but for terms of order 1/n, and are compared for so many examples at most.
_ALIKE = 0.25
_COMPARED = 40


def by_moving(
    key: str, metric: Callable[[FloatArray], float], columns: Sequence[Array], step: float
) -> Measured:
    """Return a metric and I_i = n (theta(w + eps e_i) - theta(w - eps e_i)) / 2 eps; equal examples are moved once."""
    n = len(columns[0])
    table = np.column_stack([column.reshape(n, -1) for column in columns])
    _, first, same, counts = np.unique(
        table, axis=0, return_index=True, return_inverse=True, return_counts=True
    )
    if first.size > MOST:
        raise InvalidInputError(
            f"influence values of {key!r} would take {2 * first.size} computations of it, and the limit is "
            f"{2 * MOST}; try a method for one score per split, such as 'corrected-t'"
        )
    weights = np.ones(n)

    def moved(examples: Array, by: float) -> FloatArray:
        found = np.empty(examples.size)
        for place, i in enumerate(examples):
            weights[i] = 1.0 + by
            found[place] = metric(weights)
            weights[i] = 1.0
        return found

    value = metric(weights)
    up, down = moved(first, step), moved(first, -step)
    influence = n * (up - down) / (2.0 * step)
    if step == WHOLE:
        one, other = n * (up - value), n * (value - down)
    else:
        some = np.linspace(0, first.size - 1, min(first.size, _COMPARED)).astype(int)
        one = influence[some]
        other = n * (moved(first[some], WHOLE) - moved(first[some], -WHOLE)) / 2.0
    size = (np.linalg.norm(one) + np.linalg.norm(other)) / 2.0
    if not np.linalg.norm(one - other) <= _ALIKE * size < np.inf:
        raise UndefinedMetricError(
            f"{key!r} does not change smoothly with its examples, so that it has no influence values; "
            "try a method for one score per split, such as 'corrected-t'"
        )
    # What the steps have left of the mean is taken out.
    return value, influence[same.ravel()] - counts @ influence / n

"""The kernel of the classification trees: grow a tree on data whose features were sorted once for all training sets.

Loops take plain arrays: to look one up in a tuple inside a loop is slow.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from errbar_lab.learners._compile import compiled

Counts = NDArray[np.int64]
Positions = NDArray[np.uint32]
Floats = NDArray[np.float64]

LEAF = -1
# Two deviance splits are as good as each other if they differ by no more than this many units: far more than rounding
# can do (half a unit per class), and far less than what tells two splits apart.
ROUNDING = 4096


class Rules(NamedTuple):
    """When to split, and whether to judge splits by gini or by the deviance."""

    gini: bool
    min_split: int
    min_leaf: int
    min_deviance: float


class Grounds(NamedTuple):
    """What the trees of all training sets of a data set grow on.

    Features have a row each: `columns` holds their values, and `sorted` the positions of the examples in ascending order.

    A side of a split is worth the sum over its classes of ``worth[k]``, k examples of the class; ``step[k]`` is what one
    more adds. Splits are compared by what both sides are worth together: for the deviance less ``worth[n]`` of each side,
    for gini times ``share[n]``.
    """

    columns: Floats
    sorted: Positions
    y: Positions
    classes: int
    worth: Counts
    step: Counts
    share: Floats
    rules: Rules


@compiled
def predict_splits(
    grounds: Grounds, X: Floats, train: Counts, ends: Counts, test: Counts, test_ends: Counts
) -> Counts:
    """Label the test examples of all splits. Training sets stand one after another, that of split j up to its end."""
    labels = np.empty(test.size, dtype=np.int64)
    nodes, threshold = (
        np.empty((2 * grounds.share.size, 4), dtype=np.int64),
        np.empty(2 * grounds.share.size),
    )
    begin = first = 0
    for j in range(ends.size):
        end, last = ends[j], test_ends[j]
        grow(grounds, train[begin:end], nodes, threshold)
        predict(X, test[first:last], nodes, threshold, labels[first:last])
        begin, first = end, last
    return labels


@compiled
def predict(X: Floats, rows: Counts, nodes: Counts, threshold: Floats, labels: Counts) -> None:
    """Write down the labels of some examples."""
    for i in range(rows.size):
        node = 0
        while nodes[node, 0] != LEAF:
            node = nodes[node, 1 if X[rows[i], nodes[node, 0]] <= threshold[node] else 2]
        labels[i] = nodes[node, 3]


@compiled
def grow(grounds: Grounds, train: Counts, nodes: Counts, threshold: Floats) -> int:
    """Grow one tree, and return the number of its nodes.

    Each has a row of `nodes`: feature or LEAF, left child, right child, label; and a threshold.
    """
    columns, y, worth, rules = grounds.columns, grounds.y, grounds.worth, grounds.rules
    order = _laid_out(grounds.sorted, train)
    spare, goes_left = np.empty(train.size + 1, dtype=np.uint32), np.zeros(y.size, dtype=np.uint8)
    smallest, least, made = max(rules.min_split, 2 * rules.min_leaf), 0.0, 1
    # Where a node's examples stand, its number, and a feature by which they are in order.
    waiting = [(0, train.size, 0, 0)]
    while len(waiting) > 0:
        begin, end, number, feature = waiting.pop()
        own = order[:, begin:end]
        count = _counted(own[feature], y, grounds.classes)
        deviance = worth[end - begin] - worth[count].sum()
        if number == 0:
            least = rules.min_deviance * deviance - _rounding(rules.gini, worth, end - begin)
        feature, size = LEAF, 0
        if end - begin >= smallest and deviance > 0 and deviance >= least:
            feature, size = _best_split(grounds, own, count, deviance)
        nodes[number, 0] = feature
        if feature == LEAF:
            nodes[number, 3] = np.argmax(count)
            continue
        low, high = columns[feature, own[feature, size - 1]], columns[feature, own[feature, size]]
        threshold[number], nodes[number, 1], nodes[number, 2] = _between(low, high), made, made + 1
        if max(size, end - begin - size) >= smallest:
            _divide(own, columns, feature, size, spare, goes_left)
        left, right = (begin, begin + size, made, feature), (begin + size, end, made + 1, feature)
        waiting.append(right if 2 * size < end - begin else left)
        waiting.append(left if 2 * size < end - begin else right)
        made += 2
    return made


@compiled
def _laid_out(everyone: Positions, train: Counts) -> Positions:
    """Return the positions of the training examples in the order of every feature, as often as they are given."""
    copies = np.zeros(everyone.shape[1], dtype=np.int64)
    for position in train:
        copies[position] += 1
    order = np.empty((everyone.shape[0], train.size + 1), dtype=np.uint32)
    for f in range(everyone.shape[0]):
        i = 0
        for position in everyone[f]:
            # Written in any case, and overwritten if not wanted: faster than a jump that nobody can foresee.
            order[f, i] = position
            i += min(copies[position], 1)
            for _ in range(copies[position] - 1):
                order[f, i] = position
                i += 1
    return order


@compiled
def _counted(order: Positions, y: Positions, classes: int) -> Counts:
    """Return the number of examples of each class."""
    count = np.zeros(classes, dtype=np.int64)
    for position in order:
        count[y[position]] += 1
    return count


@compiled
def _rounding(gini: bool, worth: Counts, n: int) -> float:
    """Return how far apart the scores of two equally good splits of n examples may seem."""
    return n * 2.0**-50 if gini else float(ROUNDING + (worth[n] >> 48))


@compiled
def _best_split(
    grounds: Grounds, order: Positions, count: Counts, deviance: int
) -> tuple[int, int]:
    """Return the feature of the best split and the size of its left side; LEAF if none is worth making."""
    columns, y, worth, step, share = (
        grounds.columns,
        grounds.y,
        grounds.worth,
        grounds.step,
        grounds.share,
    )
    gini, min_leaf = grounds.rules.gini, grounds.rules.min_leaf
    n, seen = order.shape[1], np.empty_like(count)
    whole, rounding = worth[n] - deviance, _rounding(gini, worth, n)
    # Gini takes any split, as scikit-learn does; the deviance has to fall.
    best = 0.0 if gini else float(-deviance)
    feature, size = LEAF, 0
    for f in range(columns.shape[0]):
        column, own = columns[f], order[f]
        value = column[own[0]]
        if value == column[own[-1]]:
            continue
        seen[:] = 0
        left, right = 0, whole
        for i in range(1, n - min_leaf + 1):
            c = y[own[i - 1]]
            left += step[seen[c]]
            seen[c] += 1
            right -= step[count[c] - seen[c]]
            following = column[own[i]]
            if following != value:
                score = (
                    left * share[i] + right * share[n - i]
                    if gini
                    else float(left + right - worth[i] - worth[n - i])
                )
                if (i >= min_leaf) & (score > best + rounding):
                    best, feature, size = score, f, i
                value = following
    return feature, size


@compiled
def _between(low: float, high: float) -> float:
    """Return the midpoint of two neighbouring values, or the lower one where rounding leaves the interval."""
    middle = low / 2 + high / 2
    return float(middle if low <= middle < high else low)


@compiled
def _divide(
    order: Positions,
    columns: Floats,
    feature: int,
    size: int,
    spare: Positions,
    goes_left: NDArray[np.uint8],
) -> None:
    """Move those who go left to the front, in the order of every feature that varies; the others follow."""
    for position in order[feature, :size]:
        goes_left[position] = 1
    # Unsigned numbers need no check whether they count from the end.
    one = np.uint64(1)
    for f in range(columns.shape[0]):
        own = order[f]
        if f == feature or columns[f, own[0]] == columns[f, own[-1]]:
            continue
        begin = aside = np.uint64(0)
        for i in range(own.size):
            position = own[i]
            own[begin] = position
            spare[aside] = position
            begin += np.uint64(goes_left[position])
            aside += one - np.uint64(goes_left[position])
        for i in range(aside):
            own[begin + i] = spare[i]
    for position in order[feature, :size]:
        goes_left[position] = 0

"""The loops of the classification trees. They take plain arrays: to look one up in a tuple inside a loop is slow."""

import numpy as np
from numpy.typing import NDArray

from errbar.lab.learners._compile import compiled

Counts = NDArray[np.int64]
Positions = NDArray[np.uint32]
Floats = NDArray[np.float64]

# Logarithms are kept in whole units of 2**-36: their sums are then exact, whatever the order.
UNITS = 2.0**36


@compiled
def log_worth(n: int) -> Counts:
    """Return k log k for k up to n, in whole units."""
    worth = np.zeros(n + 1, dtype=np.int64)
    for k in range(2, n + 1):
        worth[k] = np.int64(np.rint(k * np.log(k) * UNITS))
    return worth


@compiled
def ranks(X: Floats, order: Positions) -> Positions:
    """Number the distinct values of every feature in ascending order."""
    rank = np.empty(order.shape, dtype=np.uint32)
    for f in range(order.shape[0]):
        number = 0
        for i in range(order.shape[1]):
            if i > 0 and X[order[f, i], f] != X[order[f, i - 1], f]:
                number += 1
            rank[f, order[f, i]] = number
    return rank


@compiled
def select(order: Positions, copies: Counts, selected: Positions) -> None:
    """Copy the positions of which there are copies, in their order and as often as there are."""
    i = 0
    for position in order:
        # Written in any case, and overwritten if not wanted: faster than a jump that nobody can foresee.
        selected[i] = position
        i += min(copies[position], 1)
        for _ in range(copies[position] - 1):
            selected[i] = position
            i += 1


@compiled
def count_classes(order: Positions, y: Positions, count: Counts) -> None:
    """Count the examples of each class."""
    count[:] = 0
    for position in order:
        count[y[position]] += 1


@compiled
def total_worth(count: Counts, worth: Counts) -> int:
    """Return the sum over the classes of what its examples are worth."""
    total = 0
    for c in range(count.size):
        total += worth[count[c]]
    return total


@compiled
def most_frequent(count: Counts) -> int:
    """Return the most frequent class, of equally frequent ones the first."""
    label = 0
    for c in range(1, count.size):
        if count[c] > count[label]:
            label = c
    return label


@compiled
def tabulate(worth: Counts, total: Counts, start: Counts, gain: Counts, loss: Counts) -> None:
    """Write down what every move of an example from right to left is worth.

    When the k-th example of class c moves, the left side gains and the right side loses the same at every feature.
    Both stand at ``start[c] + k``.
    """
    at = 0
    for c in range(total.size):
        start[c] = at
        for k in range(total[c]):
            left = total[c] - k
            gain[at] = worth[k + 1] - worth[k]
            loss[at] = worth[left] - worth[left - 1]
            at += 1


@compiled
def copy(start: Counts, place: Counts) -> None:
    """Copy a short array."""
    for c in range(start.size):
        place[c] = start[c]


@compiled
def subtract(count: Counts, total: Counts) -> None:
    """Subtract a short array from another."""
    for c in range(total.size):
        total[c] -= count[c]


@compiled
def scan_log(
    order: Positions,
    rank: Positions,
    y: Positions,
    place: Counts,
    gain: Counts,
    loss: Counts,
    worth: Counts,
    both: int,
    min_leaf: int,
    goal: float,
    rounding: float,
) -> tuple[float, int]:
    """Return the best deviance score of the splits at a feature, and the size of its left side: 0 if below the goal."""
    n, found = order.size, 0
    best, slack = np.int64(goal), np.int64(rounding)
    least = best + slack
    value = rank[order[0]]
    for i in range(1, n - min_leaf + 1):
        c = y[order[i - 1]]
        both += gain[place[c]] - loss[place[c]]
        place[c] += 1
        following = rank[order[i]]
        score = both - worth[i] - worth[n - i]
        # One jump that is hardly ever taken; whether two neighbours differ is what nobody can foresee.
        if (following != value) & (i >= min_leaf) & (score > least):
            best, least, found = score, score + slack, i
        value = following
    return float(best), found


@compiled
def scan_gini(
    order: Positions,
    rank: Positions,
    y: Positions,
    place: Counts,
    gain: Counts,
    loss: Counts,
    share: Floats,
    right: int,
    min_leaf: int,
    goal: float,
    rounding: float,
) -> tuple[float, int]:
    """Return the best gini score of the splits at a feature, and the size of its left side: 0 if below the goal."""
    n, left, found = order.size, 0, 0
    value = rank[order[0]]
    for i in range(1, n - min_leaf + 1):
        c = y[order[i - 1]]
        left += gain[place[c]]
        right -= loss[place[c]]
        place[c] += 1
        following = rank[order[i]]
        score = left * share[i] + right * share[n - i]
        if (following != value) & (i >= min_leaf) & (score > goal + rounding):
            goal, found = score, i
        value = following
    return goal, found


@compiled
def lowest_run(order: Positions, rank: Positions) -> int:
    """Return how many examples have the lowest value, at a feature with two values."""
    low, high = 0, order.size - 1
    while high - low > 1:
        middle = (low + high) // 2
        if rank[order[middle]] == rank[order[0]]:
            low = middle
        else:
            high = middle
    return high


@compiled
def worth_of_sides(
    order: Positions, y: Positions, size: int, total: Counts, count: Counts, worth: Counts
) -> tuple[int, int]:
    """Return what the first `size` examples are worth, and the others; only the smaller side is looked at."""
    first = 2 * size <= order.size
    count_classes(order[:size] if first else order[size:], y, count)
    counted = rest = 0
    for c in range(total.size):
        counted += worth[count[c]]
        rest += worth[total[c] - count[c]]
    return (counted, rest) if first else (rest, counted)


@compiled
def two_valued(
    order: Positions,
    rank: Positions,
    y: Positions,
    total: Counts,
    count: Counts,
    worth: Counts,
    share: Floats,
    gini: bool,
    min_leaf: int,
    goal: float,
    rounding: float,
) -> tuple[float, int]:
    """Return the same as a scan, at a feature that allows one split only."""
    size = lowest_run(order, rank)
    rest = order.size - size
    if size < min_leaf or rest < min_leaf:
        return goal, 0
    left, right = worth_of_sides(order, y, size, total, count, worth)
    score = left * share[size] + right * share[rest] if gini else float(left + right - worth[size] - worth[rest])
    return (score, size) if score > goal + rounding else (goal, 0)


@compiled
def send(tests: Counts, test: Counts, X: Floats, feature: int, threshold: float) -> int:
    """Move the test examples that go left to the front, and return how many they are."""
    left = 0
    for i in range(tests.size):
        slot = tests[i]
        if X[test[slot], feature] <= threshold:
            tests[i] = tests[left]
            tests[left] = slot
            left += 1
    return left


@compiled
def part(order: Positions, spare: Positions, goes_left: NDArray[np.uint8], left: bool, right: bool) -> None:
    """Move those who go left to the front and the others to the end, as far as the sides are wanted."""
    if not left:
        _to_the_end(order, goes_left)
        return
    # Unsigned numbers need no check whether they count from the end.
    one, begin, aside = np.uint64(1), np.uint64(0), np.uint64(0)
    for i in range(order.size):
        position = order[i]
        order[begin] = position
        spare[aside] = position
        begin += np.uint64(goes_left[position])
        aside += one - np.uint64(goes_left[position])
    if right:
        for i in range(aside):
            order[begin + i] = spare[i]


@compiled
def _to_the_end(order: Positions, goes_left: NDArray[np.uint8]) -> None:
    one, end = np.uint64(1), np.uint64(order.size - 1)
    for i in range(order.size - 1, -1, -1):
        position = order[i]
        order[end] = position
        end -= one - np.uint64(goes_left[position])

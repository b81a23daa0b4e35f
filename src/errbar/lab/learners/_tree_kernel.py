"""The kernel of the classification trees: grow a tree on data whose features were sorted once for all training sets."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from errbar.lab.learners import _scans
from errbar.lab.learners._compile import compiled
from errbar.lab.learners._scans import Counts, Floats, Positions

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


class Workspace(NamedTuple):
    """The data set, the rules, the tree and the working memory of the kernel.

    The data set: `sorted` (features, examples) holds the positions of the examples in ascending order of each feature,
    and `rank` the number of their values among the distinct ones.

    The rules: a side is worth the sum over its classes of ``worth[k]``, k examples of the class. Splits are compared by
    what both sides are worth together: for the deviance less ``worth[n]`` of each side, for gini times ``share[n]``.

    The test examples of all splits, `test`, and their labels. The tree, with a row of `nodes` per node (feature or
    LEAF, left child, right child, label); without rows it is not kept. The rest is working memory; `active` (features
    that may vary) and `waiting` have a row per node that waits to be split.
    """

    X: Floats
    y: Positions
    sorted: Positions
    rank: Positions
    rules: Rules
    worth: Counts
    share: Floats
    test: Counts
    labels: Counts
    nodes: Counts
    threshold: Floats
    order: Positions
    active: Counts
    waiting: Counts
    tests: Counts
    spare: Positions
    goes_left: NDArray[np.uint8]
    copies: Counts
    total: Counts
    left_total: Counts
    start: Counts
    place: Counts
    gain: Counts
    loss: Counts


class Node(NamedTuple):
    """Where a node's training and test examples stand, its number, and how many features may vary in it."""

    begin: int
    end: int
    first: int
    last: int
    number: int
    features: int


class Cut(NamedTuple):
    """A split: the first `size` examples in the order of `feature` go left. LEAF if there is none worth making."""

    feature: int
    size: int


@compiled
def predict_splits(work: Workspace, train: Counts, ends: Counts, test_ends: Counts) -> None:
    """Label the test examples of all splits. Training sets stand one after another, that of split j up to its end."""
    begin = first = 0
    for j in range(ends.size):
        grow(work, train[begin : ends[j]], first, test_ends[j])
        begin, first = ends[j], test_ends[j]


@compiled
def predict(nodes: Counts, threshold: Floats, X: Floats) -> Counts:
    """Return the labels of examples that a fitted tree has not seen."""
    labels = np.empty(X.shape[0], dtype=np.int64)
    for i in range(X.shape[0]):
        node = 0
        while nodes[node, 0] != LEAF:
            node = nodes[node, 1 if X[i, nodes[node, 0]] <= threshold[node] else 2]
        labels[i] = nodes[node, 3]
    return labels


@compiled
def grow(work: Workspace, train: Counts, first: int, last: int) -> int:
    """Grow one tree, label the test examples from first to last, and return the number of nodes.

    Where the tree is not kept, branches that no test example reaches are not grown.
    """
    n = train.size
    root = Node(0, n, first, last, 0, _enter(work, train, first, last))
    deviance = work.worth[n] - _scans.total_worth(work.total, work.worth)
    least = work.rules.min_deviance * deviance - _rounding(work.rules.gini, work.worth, n)
    waiting = _settle(work, work.total, root, _promising(work, work.total, root, least), 0)
    nodes = 1
    while waiting > 0:
        waiting -= 1
        node, cut = _look_at(work, waiting)
        if cut.feature == LEAF:
            _become_leaf(work, work.total, node)
        else:
            waiting = _divide(work, node, cut, least, waiting, nodes)
            nodes += 2
    return nodes


@compiled
def _enter(work: Workspace, train: Counts, first: int, last: int) -> int:
    """Lay out the training examples in the order of every feature, and return how many features vary."""
    y, rank, copies, total = work.y, work.rank, work.copies, work.total
    order, active, tests = work.order, work.active, work.tests
    copies[:] = 0
    total[:] = 0
    for position in train:
        copies[position] += 1
        total[y[position]] += 1
    varying = 0
    for f in range(rank.shape[0]):
        _scans.select(work.sorted[f], copies, order[f])
        if rank[f, order[f, 0]] != rank[f, order[f, train.size - 1]]:
            active[0, varying] = f
            varying += 1
    for slot in range(first, last):
        tests[slot] = slot
    return varying


@compiled
def _settle(work: Workspace, count: Counts, node: Node, promising: bool, waiting: int) -> int:
    """Let a node wait to be split if that may come to something, else make it a leaf; return how many wait."""
    if not promising:
        _become_leaf(work, count, node)
        return waiting
    row = work.waiting[waiting]
    row[0], row[1], row[2], row[3], row[4], row[5] = node
    return waiting + 1


@compiled
def _promising(work: Workspace, count: Counts, node: Node, least: float) -> bool:
    size = node.end - node.begin
    if size < work.rules.min_split or size < 2 * work.rules.min_leaf or node.features == 0:
        return False
    if node.first == node.last and work.threshold.size == 0:
        return False
    deviance = work.worth[size] - _scans.total_worth(count, work.worth)
    return bool(deviance > 0 and deviance >= least)


@compiled
def _become_leaf(work: Workspace, count: Counts, node: Node) -> None:
    label = _scans.most_frequent(count)
    labels, tests = work.labels, work.tests
    for i in range(node.first, node.last):
        labels[tests[i]] = label
    if work.threshold.size > 0:
        work.nodes[node.number, 0] = LEAF
        work.nodes[node.number, 3] = label


@compiled
def _look_at(work: Workspace, row: int) -> tuple[Node, Cut]:
    """Return a waiting node with its best split."""
    waiting = work.waiting[row]
    begin, end = waiting[0], waiting[1]
    _scans.count_classes(work.order[work.active[row, 0], begin:end], work.y, work.total)
    cut, features = _best_cut(work, begin, end, row, waiting[5])
    return Node(begin, end, waiting[2], waiting[3], waiting[4], features), cut


@compiled
def _best_cut(work: Workspace, begin: int, end: int, row: int, features: int) -> tuple[Cut, int]:
    """Return the best split of a node, and how many features vary in it; only those stay in its row."""
    y, orders, ranks, everyone, active = work.y, work.order, work.rank, work.sorted, work.active
    gini, worth, share, min_leaf = work.rules.gini, work.worth, work.share, work.rules.min_leaf
    total, count, start, place, gain, loss = work.total, work.left_total, work.start, work.place, work.gain, work.loss
    _scans.tabulate(worth, total, start, gain, loss)
    here = _scans.total_worth(total, worth)
    rounding = _rounding(gini, worth, end - begin)
    # Gini takes any split, as scikit-learn does; the deviance has to fall.
    goal = 0.0 if gini else float(here - worth[end - begin])
    best, varying = Cut(LEAF, 0), 0
    for i in range(features):
        f = active[row, i]
        order, rank = orders[f, begin:end], ranks[f]
        if rank[order[0]] == rank[order[-1]]:
            continue
        active[row, varying] = f
        varying += 1
        if rank[everyone[f, -1]] == 1:
            goal, size = _scans.two_valued(order, rank, y, total, count, worth, share, gini, min_leaf, goal, rounding)
        else:
            _scans.copy(start, place)
            if gini:
                goal, size = _scans.scan_gini(order, rank, y, place, gain, loss, share, here, min_leaf, goal, rounding)
            else:
                goal, size = _scans.scan_log(order, rank, y, place, gain, loss, worth, here, min_leaf, goal, rounding)
        if size > 0:
            best = Cut(f, size)
    return best, varying


@compiled
def _rounding(gini: bool, worth: Counts, n: int) -> float:
    """Return how far apart the scores of two equally good splits of n examples may seem."""
    return n * 2.0**-50 if gini else float(ROUNDING + (worth[n] >> 48))


@compiled
def _divide(work: Workspace, node: Node, cut: Cut, least: float, row: int, nodes: int) -> int:
    """Split a node, settle both sides, and return how many nodes wait."""
    edge = node.begin + cut.size
    threshold = _threshold(work.X, work.order[cut.feature], edge, cut.feature)
    tests = work.tests[node.first : node.last]
    middle = node.first + _scans.send(tests, work.test, work.X, cut.feature, threshold)
    if work.threshold.size > 0:
        work.threshold[node.number] = threshold
        work.nodes[node.number, 0] = cut.feature
        work.nodes[node.number, 1], work.nodes[node.number, 2] = nodes, nodes + 1
    left = Node(node.begin, edge, node.first, middle, nodes, node.features)
    right = Node(edge, node.end, middle, node.last, nodes + 1, node.features)
    total, count = work.total, work.left_total
    _scans.count_classes(work.order[cut.feature, node.begin : edge], work.y, count)
    _scans.subtract(count, total)
    go_left, go_right = _promising(work, count, left, least), _promising(work, total, right, least)
    _sort_out(work, node, cut, row, go_left, go_right)
    if cut.size < node.end - edge:
        left, right, count, total, go_left, go_right = right, left, total, count, go_right, go_left
    waiting = _settle(work, count, left, go_left, row)
    waiting = _settle(work, total, right, go_right, waiting)
    if waiting == row + 2:
        _scans.copy(work.active[row, : node.features], work.active[row + 1])
    return waiting


@compiled
def _threshold(X: Floats, order: Positions, edge: int, feature: int) -> float:
    """Return the midpoint of two neighbouring values, or the lower one where rounding leaves the interval."""
    low, high = X[order[edge - 1], feature], X[order[edge], feature]
    middle = low / 2 + high / 2
    return float(middle if low <= middle < high else low)


@compiled
def _sort_out(work: Workspace, node: Node, cut: Cut, row: int, left: bool, right: bool) -> None:
    """Lay out each side that will be split again in the order of every feature."""
    if not (left or right):
        return
    order, active, spare, goes_left = work.order, work.active, work.spare, work.goes_left
    lefts = order[cut.feature, node.begin : node.begin + cut.size]
    for position in lefts:
        goes_left[position] = 1
    for i in range(node.features):
        f = active[row, i]
        if f != cut.feature:
            _scans.part(order[f, node.begin : node.end], spare, goes_left, left, right)
    for position in lefts:
        goes_left[position] = 0

"""What the classification trees of the laboratory have in common."""

import numpy as np

from errbar import _check
from errbar._check import FloatArray, IntArray
from errbar.errors import InvalidInputError
from errbar.lab.learners import _scans, _tree_kernel
from errbar.lab.learners._classifier import SplitClassifier
from errbar.lab.learners._splits import Splits
from errbar.lab.learners._tree_kernel import Rules, Workspace

# Larger sums of logarithms would not fit into 64 bits.
_MOST_EXAMPLES = 4_000_000


class ClassificationTree(SplitClassifier):
    """A tree of binary splits."""

    min_split: int
    min_leaf: int

    def _rules(self) -> Rules:
        raise NotImplementedError

    def _check_parameters(self, features: int) -> None:  # noqa: ARG002 - trees take any number
        _check.count(self.min_split, "min_split", 2, _check.MOST_EXAMPLES)
        _check.count(self.min_leaf, "min_leaf", 1, _check.MOST_EXAMPLES)

    def _fit(self, X: FloatArray, codes: IntArray) -> None:
        n = X.shape[0]
        work = _workspace(X, codes, self._rules(), n_train=n, test=np.empty(0, dtype=np.int64), nodes=2 * n - 1)
        grown = _tree_kernel.grow(work, np.arange(n), 0, 0)
        self.nodes_, self.thresholds_ = work.nodes[:grown].copy(), work.threshold[:grown].copy()

    def _predict(self, X: FloatArray) -> IntArray:
        return _tree_kernel.predict(self.nodes_, self.thresholds_, X)

    def _predict_splits(self, X: FloatArray, codes: IntArray, splits: Splits) -> IntArray:
        work = _workspace(X, codes, self._rules(), n_train=splits.largest, test=splits.test, nodes=0)
        _tree_kernel.predict_splits(work, splits.train, splits.ends, splits.test_ends)
        return work.labels


def _workspace(X: FloatArray, codes: IntArray, rules: Rules, *, n_train: int, test: IntArray, nodes: int) -> Workspace:
    if n_train > _MOST_EXAMPLES:
        raise InvalidInputError(f"a tree takes at most {_MOST_EXAMPLES} training examples, got {n_train}")
    n, features = X.shape
    order = np.argsort(X.T, axis=1, kind="stable").astype(np.uint32)
    sizes = np.arange(n_train + 1)
    # Of two children the smaller is dealt with first, so few nodes wait at a time.
    rows = n_train.bit_length() + 2
    total, left_total, start, place = np.empty((4, int(codes.max()) + 1), dtype=np.int64)
    gain, loss = np.empty((2, n_train), dtype=np.int64)
    return Workspace(
        X=X,
        y=codes.astype(np.uint32),
        sorted=order,
        rank=_scans.ranks(X, order),
        rules=rules,
        worth=sizes**2 if rules.gini else _scans.log_worth(n_train),
        share=1.0 / np.maximum(sizes, 1),
        test=test,
        labels=np.empty(test.size, dtype=np.int64),
        nodes=np.full((nodes, 4), _tree_kernel.LEAF),
        threshold=np.zeros(nodes),
        order=np.empty((features, n_train + 1), dtype=np.uint32),
        active=np.empty((rows, features), dtype=np.int64),
        waiting=np.empty((rows, 6), dtype=np.int64),
        tests=np.empty(test.size, dtype=np.int64),
        spare=np.empty(n_train + 1, dtype=np.uint32),
        goes_left=np.zeros(n, dtype=np.uint8),
        copies=np.empty(n, dtype=np.int64),
        total=total,
        left_total=left_total,
        start=start,
        place=place,
        gain=gain,
        loss=loss,
    )

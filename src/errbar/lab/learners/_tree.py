"""What the classification trees of the laboratory have in common."""

import numpy as np

from errbar import _check
from errbar._check import FloatArray, IntArray
from errbar.errors import InvalidInputError
from errbar.lab.learners import _tree_kernel
from errbar.lab.learners._base import SplitClassifier
from errbar.lab.learners._splits import Splits
from errbar.lab.learners._tree_kernel import Grounds, Rules

# Logarithms are kept in whole units of 2**-36: their sums are then exact, whatever the order.
_UNITS = 2.0**36
# Larger sums of them would not fit into 64 bits.
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
        nodes, thresholds = np.full((2 * n - 1, 4), _tree_kernel.LEAF), np.zeros(2 * n - 1)
        grown = _tree_kernel.grow(_grounds(X, codes, self._rules(), n), np.arange(n), nodes, thresholds)
        self.nodes_, self.thresholds_ = nodes[:grown].copy(), thresholds[:grown].copy()

    def _predict(self, X: FloatArray) -> IntArray:
        labels = np.empty(X.shape[0], dtype=np.int64)
        _tree_kernel.predict(X, np.arange(X.shape[0]), self.nodes_, self.thresholds_, labels)
        return labels

    def _predict_splits(self, X: FloatArray, codes: IntArray, splits: Splits) -> IntArray:
        return _tree_kernel.predict_splits(_grounds(X, codes, self._rules(), splits.largest), X, *splits)


def _grounds(X: FloatArray, codes: IntArray, rules: Rules, largest: int) -> Grounds:
    """Return what trees grow on, for training sets that are not larger than this."""
    if largest > _MOST_EXAMPLES:
        raise InvalidInputError(f"a tree takes at most {_MOST_EXAMPLES} training examples, got {largest}")
    columns, sizes = np.ascontiguousarray(X.T), np.arange(largest + 1)
    logarithms = np.rint(sizes * np.log(np.maximum(sizes, 1)) * _UNITS).astype(np.int64)
    worth = sizes**2 if rules.gini else logarithms
    return Grounds(
        columns=columns,
        sorted=np.argsort(columns, axis=1, kind="stable").astype(np.uint32),
        y=codes.astype(np.uint32),
        classes=int(codes.max()) + 1,
        worth=worth,
        step=np.diff(worth),
        share=1.0 / np.maximum(sizes, 1),
        rules=rules,
    )

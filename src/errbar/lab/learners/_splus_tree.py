"""The classification tree of S-PLUS."""

from errbar import _check
from errbar.lab.learners._tree import ClassificationTree
from errbar.lab.learners._tree_kernel import Rules


class SplusTree(ClassificationTree):
    r"""Classification tree by the rules of ``tree`` in S-PLUS and R.

    The tree of Nadeau & Bengio's Figure 1 ([1]_, with the rules of [2]_): splits are judged by the deviance, and
    nothing is pruned.

    Parameters
    ----------
    min_split : int, default 10
        Smallest number of examples in a node that is split.
    min_leaf : int, default 5
        Smallest number of examples on either side of a split.
    min_deviance : float, default 0.01
        Smallest deviance of a node that is split, as a share of the deviance of the root.

    Attributes
    ----------
    classes_ : ndarray
        Labels in sorted order.
    n_features_in_ : int
        Number of features.
    nodes_ : ndarray of int, shape (nodes, 4)
        Per node the feature it is split at (-1 in a leaf), its left and its right child, and in a leaf the label's
        position in `classes_`.
    thresholds_ : ndarray, shape (nodes,)
        An example goes left if its feature does not exceed the threshold of the node.

    See Also
    --------
    GiniTree : Another criterion, and fully grown.

    Notes
    -----
    The deviance of a node with :math:`n_c` examples of class c is

    .. math:: D = -2 \sum_c n_c \log\frac{n_c}{n}.

    Of all features and all midpoints between neighbouring values in the node the split is taken for which the
    deviances of both sides have the smallest sum, provided that it is below the deviance of the node. Of equally
    good splits the first feature's is taken, and of those the one with the lowest threshold; ties are exact, not a
    matter of rounding. A leaf predicts its most frequent class, of equally frequent ones the first.

    References
    ----------
    .. [1] Nadeau & Bengio (2003), Machine Learning 52(3), 239-281.
    .. [2] Clark & Pregibon (1992), Tree-based models, in Chambers & Hastie (eds.), Statistical Models in S.

    Examples
    --------
    >>> from errbar.lab.learners import SplusTree
    >>> X = [[i] for i in range(12)]
    >>> SplusTree().fit(X, ["a"] * 6 + ["b"] * 6).predict([[5.4], [5.6]]).tolist()
    ['a', 'b']
    """

    def __init__(self, min_split: int = 10, min_leaf: int = 5, min_deviance: float = 0.01) -> None:
        self.min_split = min_split
        self.min_leaf = min_leaf
        self.min_deviance = min_deviance

    def _check_parameters(self, features: int) -> None:
        super()._check_parameters(features)
        _check.between(self.min_deviance, 0.0, 1.0, "min_deviance")

    def _rules(self) -> Rules:
        return Rules(False, int(self.min_split), int(self.min_leaf), float(self.min_deviance))

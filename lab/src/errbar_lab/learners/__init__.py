"""Learners of the published studies, made to do all splits of a data set at once.

Each is a scikit-learn estimator with one more method, `fit_predict_many`: the predictions of as many training sets as
there are, with all that depends on the data set alone done once.
"""

from errbar_lab.learners._nearest_neighbour import DistortedNearestNeighbour
from errbar_lab.learners._tree import GiniTree, SplusTree

__all__ = ["DistortedNearestNeighbour", "GiniTree", "SplusTree"]

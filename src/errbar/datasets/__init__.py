"""Several data sets: one score per data set and learner, ranks over them, and tests that take data sets as the sample."""

from errbar.datasets._data import DataSets, refuse_folds
from errbar.datasets._friedman import FriedmanResult, critical_difference, friedman, mean_ranks
from errbar.datasets._hierarchical import bayesian_hierarchical
from errbar.datasets._pairs import RankPair, holm, nemenyi
from errbar.datasets._ranking import Ranking, ranks
from errbar.methods import sign_test, wilcoxon
from errbar.methods._data_sets import Posterior, bayesian_sign, bayesian_signed_rank

__all__ = [
    "DataSets",
    "FriedmanResult",
    "Posterior",
    "RankPair",
    "Ranking",
    "bayesian_hierarchical",
    "bayesian_sign",
    "bayesian_signed_rank",
    "critical_difference",
    "friedman",
    "holm",
    "mean_ranks",
    "nemenyi",
    "ranks",
    "refuse_folds",
    "sign_test",
    "wilcoxon",
]

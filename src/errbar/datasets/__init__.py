"""Several data sets: one score per data set and learner, ranks over them, and tests that take data sets as the sample."""

from errbar.datasets._data import DataSets, refuse_folds
from errbar.datasets._friedman import FriedmanResult, critical_difference, friedman, mean_ranks
from errbar.datasets._hierarchical import bayesian_hierarchical
from errbar.datasets._pairs import RankPair, holm, nemenyi
from errbar.datasets._ranking import Ranking, ranks
from errbar.methods._core.bayes import Posterior, bayesian_sign, bayesian_signed_rank
from errbar.methods._core.sign_test import sign_test
from errbar.methods._core.wilcoxon import wilcoxon

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

"""Views: what one kind of method sees of a table, checked once so that methods need not."""

from errbar.rows import Column, Rows, difference
from errbar.views._blocks import Blocks
from errbar.views._clusters import ClusterLosses, Units
from errbar.views._counts import Discordance, TwoSamples
from errbar.views._cross_validate import require_same_splits, scores_of, split_sizes
from errbar.views._crossed import CrossedLosses
from errbar.views._judged import JudgedLosses
from errbar.views._out_of_bag import OutOfBag
from errbar.views._points import MetricValues, PointLosses
from errbar.views._ranking import RankScores
from errbar.views._series import SeriesLosses

__all__ = [
    "Blocks",
    "ClusterLosses",
    "Column",
    "CrossedLosses",
    "Discordance",
    "JudgedLosses",
    "MetricValues",
    "OutOfBag",
    "PointLosses",
    "RankScores",
    "Rows",
    "SeriesLosses",
    "TwoSamples",
    "Units",
    "difference",
    "require_same_splits",
    "scores_of",
    "split_sizes",
]

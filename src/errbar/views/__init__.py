"""Views: what one kind of method sees of a table, checked once so that methods need not."""

from errbar.views._blocks import Blocks
from errbar.views._counts import Discordance, TwoSamples
from errbar.views._cross_validate import require_same_splits, scores_of, split_sizes
from errbar.views._out_of_bag import OutOfBag
from errbar.views._ranking import RankScores

__all__ = [
    "Blocks",
    "Discordance",
    "OutOfBag",
    "RankScores",
    "TwoSamples",
    "require_same_splits",
    "scores_of",
    "split_sizes",
]

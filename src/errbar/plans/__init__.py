"""Plans: which training sets are needed, and what each is tested on."""

from errbar.plans._base import Draw, Plan, Split, Union, draw
from errbar.plans.holdout import Holdout
from errbar.plans.kfold import FiveByTwo, KFold
from errbar.plans.predefined import Predefined
from errbar.plans.subsampling import Subsampling

__all__ = ["Draw", "FiveByTwo", "Holdout", "KFold", "Plan", "Predefined", "Split", "Subsampling", "Union", "draw"]

"""Plans: which training sets are needed, and what each is tested on."""

from errbar.plans._base import Draw, Plan, Split, Union, draw
from errbar.plans.bootstrap import Bootstrap
from errbar.plans.halves import HalvedKFold, PairedHalves
from errbar.plans.holdout import Holdout
from errbar.plans.kfold import EqualKFold, FiveByTwo, KFold
from errbar.plans.nested import NestedKFold
from errbar.plans.predefined import Predefined
from errbar.plans.replace_one import ReplaceOne
from errbar.plans.subsampling import Subsampling
from errbar.plans.within import Within

__all__ = [
    "Bootstrap",
    "Draw",
    "EqualKFold",
    "FiveByTwo",
    "HalvedKFold",
    "Holdout",
    "KFold",
    "NestedKFold",
    "PairedHalves",
    "Plan",
    "Predefined",
    "ReplaceOne",
    "Split",
    "Subsampling",
    "Union",
    "Within",
    "draw",
]

"""Plans: which training sets are needed, and what each is tested on."""

from errbar.plans._base import Draw, Plan, Split, Union, Within, draw
from errbar.plans._kinds import KINDS, Kind, Testing, Training
from errbar.plans.halves import HalvedKFold, PairedHalves
from errbar.plans.holdout import Holdout
from errbar.plans.kfold import EqualKFold, FiveByTwo, KFold, NestedKFold, ReplaceOne
from errbar.plans.predefined import Predefined
from errbar.plans.subsampling import Bootstrap, Subsampling

__all__ = [
    "KINDS",
    "Bootstrap",
    "Draw",
    "EqualKFold",
    "FiveByTwo",
    "HalvedKFold",
    "Holdout",
    "KFold",
    "Kind",
    "NestedKFold",
    "PairedHalves",
    "Plan",
    "Predefined",
    "ReplaceOne",
    "Split",
    "Subsampling",
    "Testing",
    "Training",
    "Union",
    "Within",
    "draw",
]

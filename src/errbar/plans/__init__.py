"""Plans: which training sets are needed, and what each is tested on."""

from typing import TYPE_CHECKING

from errbar._lazy import names_of

if TYPE_CHECKING:
    from errbar.plans._base import Plan, Split, Union
    from errbar.plans._draw import Draw, draw
    from errbar.plans._given import plan_of
    from errbar.plans._kinds import KINDS, Kind, Testing, Training
    from errbar.plans.halves import HalvedKFold, PairedHalves
    from errbar.plans.holdout import Holdout
    from errbar.plans.jackknife import PartJackknife
    from errbar.plans.kfold import EqualKFold, FiveByTwo, KFold, NestedKFold, ReplaceOne
    from errbar.plans.predefined import Predefined
    from errbar.plans.rolling import RollingOrigin
    from errbar.plans.seeds import Seeds
    from errbar.plans.subsampling import Bootstrap, Subsampling
    from errbar.plans.within import Within

_HOMES = {
    "_base": ("Plan", "Split", "Union"),
    "_draw": ("Draw", "draw"),
    "_given": ("plan_of",),
    "_kinds": ("KINDS", "Kind", "Testing", "Training"),
    "halves": ("HalvedKFold", "PairedHalves"),
    "holdout": ("Holdout",),
    "jackknife": ("PartJackknife",),
    "kfold": ("EqualKFold", "FiveByTwo", "KFold", "NestedKFold", "ReplaceOne"),
    "predefined": ("Predefined",),
    "rolling": ("RollingOrigin",),
    "seeds": ("Seeds",),
    "subsampling": ("Bootstrap", "Subsampling"),
    "within": ("Within",),
}

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
    "PartJackknife",
    "Plan",
    "Predefined",
    "ReplaceOne",
    "RollingOrigin",
    "Seeds",
    "Split",
    "Subsampling",
    "Testing",
    "Training",
    "Union",
    "Within",
    "draw",
    "plan_of",
]

__getattr__ = names_of(__name__, _HOMES)

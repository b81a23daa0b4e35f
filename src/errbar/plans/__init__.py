"""Plans: which training sets are needed, and what each is tested on."""

from errbar.plans._base import Plan, Split, Union as Union
from errbar.plans._drawn import (
    Bootstrap,
    EqualKFold,
    FiveByTwo,
    HalvedKFold,
    Holdout,
    KFold,
    NestedKFold,
    PairedHalves,
    PartJackknife,
    ReplaceOne,
    Subsampling,
)
from errbar.plans._given import (
    Draw as Draw,
    Predefined,
    RollingOrigin,
    Seeds,
    draw,
    plan_of as plan_of,
)
from errbar.plans._kinds import (
    KINDS as KINDS,
    Kind as Kind,
    Testing as Testing,
    Training as Training,
)
from errbar.plans._rows import Rows as Rows

__all__ = [
    "Bootstrap",
    "EqualKFold",
    "FiveByTwo",
    "HalvedKFold",
    "Holdout",
    "KFold",
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
    "draw",
]

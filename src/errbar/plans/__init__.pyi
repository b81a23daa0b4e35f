# The names of plans, for type checkers, and at run time for `errbar.plans.__getattr__`.

from errbar.plans._base import (
    KINDS as KINDS,
    Kind as Kind,
    Plan as Plan,
    Rows as Rows,
    Split as Split,
    Testing as Testing,
    Training as Training,
    Union as Union,
)
from errbar.plans._plans import (
    Bootstrap as Bootstrap,
    Draw as Draw,
    EqualKFold as EqualKFold,
    FiveByTwo as FiveByTwo,
    HalvedKFold as HalvedKFold,
    Holdout as Holdout,
    KFold as KFold,
    NestedKFold as NestedKFold,
    PairedHalves as PairedHalves,
    PartJackknife as PartJackknife,
    Predefined as Predefined,
    ReplaceOne as ReplaceOne,
    RollingOrigin as RollingOrigin,
    Seeds as Seeds,
    Subsampling as Subsampling,
    draw as draw,
    plan_of as plan_of,
)

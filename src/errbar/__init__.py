"""Honest error bars on generalization errors, and whether one learning algorithm really beats another."""

from typing import TYPE_CHECKING

from errbar._lazy import names_of
from errbar._version import __version__ as __version__

if TYPE_CHECKING:
    from errbar import (
        datasets as datasets,
        fits as fits,
        gates as gates,
        margins as margins,
        methods as methods,
        metrics as metrics,
        planning as planning,
        plans as plans,
        plots as plots,
        report as report,
        simultaneous as simultaneous,
        study as study,
        testing as testing,
    )
    from errbar.comparison import (
        Comparison as Comparison,
        Pair as Pair,
        compare_table as compare_table,
    )
    from errbar.errors import (
        ErrbarError as ErrbarError,
        FitFailedError as FitFailedError,
        InvalidInputError as InvalidInputError,
        MissingPackageError as MissingPackageError,
        PairingError as PairingError,
        StoreError as StoreError,
        UnsuitablePlanError as UnsuitablePlanError,
    )
    from errbar.fits import (
        Progress as Progress,
        Store as Store,
        run as run,
    )
    from errbar.fits.function import function as function
    from errbar.gates import Gate as Gate, Threshold as Threshold, Verdict as Verdict
    from errbar.losses import Losses as Losses
    from errbar.margins import (
        Equivalence as Equivalence,
        equivalence as equivalence,
        non_inferiority as non_inferiority,
    )
    from errbar.methods import infer as infer, overall as overall
    from errbar.methods.inputs import (
        Blocks as Blocks,
        Discordance as Discordance,
        OutOfBag as OutOfBag,
        RankScores as RankScores,
        TwoSamples as TwoSamples,
    )
    from errbar.read import (
        UnsaidRoleError as UnsaidRoleError,
        describe as describe,
        from_judged as from_judged,
        from_losses as from_losses,
        from_predictions as from_predictions,
        from_scores as from_scores,
        read_table as read_table,
    )
    from errbar.read.examples import read_examples as read_examples
    from errbar.read.tools.inspect import read_inspect as read_inspect
    from errbar.read.tools.lm_eval import read_lm_eval as read_lm_eval
    from errbar.read.tools.sklearn import from_cross_validate as from_cross_validate
    from errbar.read.tools.skore import from_skore as from_skore
    from errbar.read.tools.weka import weka_tables as weka_tables
    from errbar.result import (
        Estimand as Estimand,
        GlobalResult as GlobalResult,
        Interval as Interval,
        Note as Note,
        Result as Result,
    )
    from errbar.study import compare as compare, evaluate as evaluate
    from errbar.table import LossTable as LossTable


_MODULES = (
    "datasets",
    "errors",
    "fits",
    "gates",
    "metrics",
    "margins",
    "methods",
    "planning",
    "plans",
    "plots",
    "read",
    "report",
    "simultaneous",
    "study",
    "testing",
)

# Names are looked up on first use, so that `import errbar` costs next to nothing.
_HOMES = {
    "fits": ("Progress", "Store", "run"),
    "fits.function": ("function",),
    "errors": (
        "ErrbarError",
        "FitFailedError",
        "InvalidInputError",
        "MissingPackageError",
        "PairingError",
        "StoreError",
        "UnsuitablePlanError",
    ),
    "gates": ("Gate", "Threshold", "Verdict"),
    "losses": ("Losses",),
    "margins": ("Equivalence", "equivalence", "non_inferiority"),
    "methods": ("infer", "overall"),
    "read.tools.inspect": ("read_inspect",),
    "read.tools.lm_eval": ("read_lm_eval",),
    "read.tools.sklearn": ("from_cross_validate",),
    "read.tools.skore": ("from_skore",),
    "read.tools.weka": ("weka_tables",),
    "read.examples": ("read_examples",),
    "result": ("Estimand", "GlobalResult", "Interval", "Note", "Result"),
    "read": (
        "UnsaidRoleError",
        "describe",
        "from_judged",
        "from_losses",
        "from_predictions",
        "from_scores",
        "read_table",
    ),
    "comparison": ("Comparison", "Pair", "compare_table"),
    "study": ("compare", "evaluate"),
    "table": ("LossTable",),
    "methods.inputs": (
        "Blocks",
        "Discordance",
        "OutOfBag",
        "RankScores",
        "TwoSamples",
    ),
}

__all__ = sorted({"__version__", *_MODULES, *(name for own in _HOMES.values() for name in own)})  # noqa: PLE0605 - the names stand in one place
__getattr__ = names_of(__name__, _HOMES, _MODULES)


def __dir__() -> list[str]:
    return __all__

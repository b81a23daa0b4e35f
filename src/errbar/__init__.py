"""Honest error bars on generalization errors, and whether one learning algorithm really beats another."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from errbar._version import __version__

if TYPE_CHECKING:
    from errbar import (
        datasets,
        engine,
        families,
        gates,
        lab,
        losses,
        margins,
        methods,
        planning,
        plans,
        plots,
        report,
        study,
        testing,
    )
    from errbar.engine import MemoryStore, Progress, SQLiteStore, run
    from errbar.errors import (
        ErrbarError,
        FitFailedError,
        InvalidInputError,
        MissingPackageError,
        PairingError,
        StoreError,
        UnsuitablePlanError,
    )
    from errbar.gates import Gate, Verdict
    from errbar.margins import Equivalence, equivalence, non_inferiority
    from errbar.methods import infer, overall
    from errbar.result import Estimand, GlobalResult, Interval, Note, Result
    from errbar.sources import (
        from_cross_validate,
        from_cv_results,
        from_julearn,
        from_losses,
        from_scores,
        from_skore,
        from_weka_csv,
        read_scores,
        weka_tables,
    )
    from errbar.study import Comparison, Pair, compare, compare_all, compare_table, evaluate
    from errbar.table import LossTable
    from errbar.views import (
        Blocks,
        Discordance,
        FiveByTwoScores,
        HalvesScores,
        OutOfBag,
        PointLosses,
        RankScores,
        ReplaceOneMeans,
        SplitScores,
        TwoSamples,
    )


_MODULES = (
    "datasets",
    "engine",
    "errors",
    "families",
    "gates",
    "lab",
    "losses",
    "margins",
    "methods",
    "planning",
    "plans",
    "plots",
    "report",
    "study",
    "testing",
)

# Names are looked up on first use, so that `import errbar` costs next to nothing.
_HOMES = {
    "engine": ("MemoryStore", "Progress", "SQLiteStore", "run"),
    "errors": (
        "ErrbarError",
        "FitFailedError",
        "InvalidInputError",
        "MissingPackageError",
        "PairingError",
        "StoreError",
        "UnsuitablePlanError",
    ),
    "gates": ("Gate", "Verdict"),
    "margins": ("Equivalence", "equivalence", "non_inferiority"),
    "methods": ("infer", "overall"),
    "result": ("Estimand", "GlobalResult", "Interval", "Note", "Result"),
    "sources": (
        "from_cross_validate",
        "from_cv_results",
        "from_julearn",
        "from_losses",
        "from_scores",
        "from_skore",
        "from_weka_csv",
        "read_scores",
        "weka_tables",
    ),
    "study": ("Comparison", "Pair", "compare", "compare_all", "compare_table", "evaluate"),
    "table": ("LossTable",),
    "views": (
        "Blocks",
        "Discordance",
        "FiveByTwoScores",
        "FiveByTwo",
        "OutOfBag",
        "HalvesScores",
        "PairedHalves",
        "PointLosses",
        "RankScores",
        "ReplaceOneMeans",
        "ReplaceOne",
        "SplitScores",
        "TwoSamples",
    ),
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}

__all__ = [
    "Blocks",
    "Comparison",
    "Discordance",
    "Equivalence",
    "ErrbarError",
    "Estimand",
    "FitFailedError",
    "FiveByTwoScores",
    "Gate",
    "GlobalResult",
    "HalvesScores",
    "Interval",
    "InvalidInputError",
    "LossTable",
    "MemoryStore",
    "MissingPackageError",
    "Note",
    "OutOfBag",
    "Pair",
    "PairingError",
    "PointLosses",
    "Progress",
    "RankScores",
    "ReplaceOneMeans",
    "Result",
    "SQLiteStore",
    "SplitScores",
    "StoreError",
    "TwoSamples",
    "UnsuitablePlanError",
    "Verdict",
    "__version__",
    "compare",
    "compare_all",
    "compare_table",
    "datasets",
    "engine",
    "equivalence",
    "evaluate",
    "families",
    "from_cross_validate",
    "from_cv_results",
    "from_julearn",
    "from_losses",
    "from_scores",
    "from_skore",
    "from_weka_csv",
    "gates",
    "infer",
    "lab",
    "losses",
    "margins",
    "methods",
    "non_inferiority",
    "overall",
    "planning",
    "plans",
    "plots",
    "read_scores",
    "report",
    "run",
    "study",
    "testing",
    "weka_tables",
]


def __getattr__(name: str) -> Any:
    if name in _HOME_OF:
        value = getattr(import_module(f"errbar.{_HOME_OF[name]}"), name)
    elif name in _MODULES:
        value = import_module(f"errbar.{name}")
    else:
        raise AttributeError(f"module 'errbar' has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return __all__

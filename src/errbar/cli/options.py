"""Options that several kinds of commands have: a class has the options of its bases, the last first."""

from functools import partial
from pathlib import Path
from typing import ClassVar

from errbar.cli import completion, words
from errbar.cli.commands import OUTPUT, QUESTION, Options, choice, flag, option

# Larger numbers are slips of the keyboard, and would take all memory before anything is said.
MOST, MOST_JOBS = 10_000_000, 4096
DEFAULT_METHOD = "cv-t"
LOSS_OFFERS = completion.losses


LEVEL = option(
    "LEVEL",
    "Confidence level; tests are at 1 - level.",
    default=0.95,
    panel=QUESTION,
)
ALTERNATIVE = choice(
    "SIDE",
    "{}: of the differences a - b, as shown.",
    words.ALTERNATIVES,
    default="two-sided",
    panel=QUESTION,
)
BASELINE = option("LEARNER", "Compare all others with this one, not all pairs.", panel=QUESTION)
_ADJUST = partial(choice, "KEY", "Adjustment of p-values for several pairs: {}.", panel=QUESTION)
ADJUST = _ADJUST(
    (*words.ADJUSTMENTS[:-1], *words.JOINT, words.ADJUSTMENTS[-1]),
    default=None,
)
ADJUST_RANKS = _ADJUST(words.ADJUSTMENTS, default="holm")
AS_JSON = flag("Print one JSON object instead of tables.", "--json", panel=OUTPUT)


class MethodOptions(Options, heading=QUESTION):
    """The methods that answer, and their own options."""

    common: ClassVar[tuple[str, ...]] = ("level",)
    """What all methods are asked alike: keyword arguments of `errbar.compare_table`."""

    level: float = LEVEL
    method: list[str] | None = option(
        "KEY",
        f"Key of the method; errbar methods lists all. Several are asked of the same fits. By default the design decides, {DEFAULT_METHOD} for folds.",
        complete=completion.methods,
    )
    options: list[str] | None = option(
        "NAME=VALUE",
        "An option of the method's own, such as rho=0.7; errbar methods KEY lists them.",
        "--option",
    )

    @property
    def methods(self) -> list[str | None]:
        """Keys of the methods, without repetitions; None alone leaves the choice to the design."""
        return list(dict.fromkeys(self.method)) if self.method else [None]


class PairOptions(MethodOptions, heading=QUESTION):
    """The question about pairs of learners."""

    common: ClassVar[tuple[str, ...]] = ("baseline", "adjust", "rope", "level", "alternative")
    baseline: str | None = BASELINE
    adjust: str | None = ADJUST
    alternative: str = ALTERNATIVE
    rope: float | None = option(
        "WIDTH", "Half-width of practical equivalence, in units of the loss."
    )
    fail_if: list[str] | None = option(
        "GATE",
        "Exit with status 1 unless the opposite is shown at the level: 'NEW worse-than OLD by 0.01' demands that NEW is not worse by 0.01 or more; 'NEW not-better-than OLD' demands that it is better. With several losses it ends in 'on LOSS'.",
    )


class ReportOptions(Options, heading=OUTPUT):
    """Where the answer goes."""

    as_json: bool = AS_JSON
    out: Path | None = option("FILE", "Report: .html, .md, .tex; numbers: .json, .csv.")
    name: str | None = option("TEXT", "What the report calls the data.")
    details: bool = flag("Print also method, splits, notes, and the call.", "--details")
    quiet: bool = flag("Show no progress bar.", "--quiet")


class PlotOptions(Options, heading=OUTPUT):
    """Where a plot goes."""

    as_json: bool = AS_JSON
    out: Path | None = option("FILE", "Write the plot: .png, .svg or .pdf.")

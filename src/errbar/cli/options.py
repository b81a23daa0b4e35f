"""Options, each declared once: a command has the options of its bases, the last first."""

from pathlib import Path
from typing import ClassVar

from errbar.cli import completion, words
from errbar.cli.commands import (
    LEARNERS,
    OUTPUT,
    QUESTION,
    SPLITS,
    WORK,
    argument,
    choice,
    flag,
    option,
    options,
)

# Larger numbers are slips of the keyboard, and would take all memory before anything is said.
MOST, MOST_JOBS = 10_000_000, 4096
DEFAULT_METHOD = "cv-t"


@options(LEARNERS)
class DataOptions:
    """A file with data, what its columns are, and the learners."""

    data: str = argument("DATA", "CSV file (also .gz, .xz) or Parquet file with a header.")
    target: str = option("COLUMN", "Column to predict.", default=...)
    model: list[str] = option(
        "MODEL",
        "A learner: a class of scikit-learn such as Ridge or 'Ridge(alpha=0.1)', 'make_pipeline(StandardScaler(), SVC())', package.Class, or "
        "file.py:object; with a name of yours in front, such as small=Ridge. Give one --model per learner.",
        default=...,
    )
    drop: list[str] | None = option("COLUMNS", "Columns to leave out, such as id,name.")
    feature: list[str] | None = option(
        "COLUMNS", "Columns that are features although their values name the rows."
    )


@options(SPLITS)
class GroupsOption:
    """Which examples belong together."""

    groups: str | None = option(
        "COLUMN",
        "Column with the group of each example, such as the patient: splits keep groups together, and by default these are "
        "folds. It is no feature.",
    )


@options(SPLITS)
class StratifyOption:
    """Whether splits are stratified."""

    stratify: bool = flag("Keep the shares of the classes in every split.", "--stratify")


@options(SPLITS)
class GroupedDataOptions(GroupsOption, DataOptions):
    """A file with data, in which examples may belong together."""

    time: str | None = option(
        "COLUMN",
        "Column with the time of each example, a number or a date such as 2026-01-31: by default learners are trained on the "
        "past and tested on the future. It is no feature.",
    )


@options(QUESTION)
class LevelOption:
    """The confidence level."""

    level: float = option(
        "LEVEL", "Confidence level, between 0 and 1; tests are at 1 - level.", default=0.95
    )


@options(QUESTION)
class TestOptions(LevelOption):
    """Level and side of a test."""

    alternative: str = choice(
        "SIDE", "{}: of the differences a - b, as shown.", words.ALTERNATIVES, default="two-sided"
    )


@options(QUESTION)
class FamilyOptions:
    """Which pairs are tested, and how their p-values are adjusted."""

    baseline: str | None = option(
        "LEARNER", "Compare every other learner with this one, not all pairs."
    )
    adjust: str = choice(
        "KEY",
        "How p-values are adjusted for several pairs: {}.",
        (*words.ADJUSTMENTS[:-1], *words.JOINT, words.ADJUSTMENTS[-1]),
        default="holm",
    )


@options(QUESTION)
class MethodOptions(LevelOption):
    """The methods that answer, and their own options."""

    common: ClassVar[tuple[str, ...]] = ("level",)
    """What all methods are asked alike: keyword arguments of `errbar.compare_table`."""

    method: list[str] | None = option(
        "KEY",
        "Key of the method; errbar methods lists all. Give several to ask them all of the same fits. "
        f"By default the one that the design calls for, {DEFAULT_METHOD} for folds.",
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


@options(QUESTION)
class PairOptions(MethodOptions, TestOptions, FamilyOptions):
    """The question about pairs of learners."""

    common: ClassVar[tuple[str, ...]] = ("baseline", "adjust", "rope", "level", "alternative")
    rope: float | None = option(
        "WIDTH", "Half-width of the region of practical equivalence, in units of the loss."
    )
    fail_if: list[str] | None = option(
        "GATE",
        "Exit with status 1 unless the opposite is shown at the level: 'NEW worse-than OLD by 0.01' demands that NEW is "
        "not worse by 0.01 or more, in units of the loss or score; 'NEW not-better-than OLD' demands that it is better. With "
        "several losses it ends in 'on LOSS'.",
    )


@options(SPLITS)
class SplitOptions(StratifyOption):
    """How the data are split, as far as the user says."""

    plan: list[str] | None = option(
        "PLAN",
        "Splits: a number of folds, or a plan such as 'KFold(folds=10, repeats=10)' or 'NestedKFold(folds=10)'; several are run as one and share "
        "their fits. By default the plan of the method.",
    )
    folds: int | None = option("K", "Use K-fold cross-validation with so many folds.", max=MOST)
    repeats: int | None = option(
        "J", "Number of random splits, or of partitions into folds.", max=MOST
    )
    halvings: int | None = option(
        "M", "Number of random halvings, for methods that use halves.", max=MOST
    )
    n_train: str | None = option(
        "SIZE", "Training size of a split, in examples or as a fraction of all."
    )
    n_test: str | None = option(
        "SIZE", "Test size of a split, in examples or as a fraction of all."
    )
    seeds: int | None = option(
        "S",
        "Fit each training set so many times, each with a seed of its own; by default on one training set of four fifths of the "
        "examples, and with --groups on those of folds.",
        max=MOST,
    )


@options(WORK)
class WorkOptions:
    """Workers and random numbers."""

    jobs: int = option(
        "COUNT",
        "Workers; -1 takes all cores. The numbers do not depend on it.",
        default=1,
        max=MOST_JOBS,
    )
    random_state: int = option(
        "SEED", "Root of every random choice. Equal roots give equal numbers.", default=0
    )


@options(WORK)
class ClusterOption:
    """A cluster that does the work."""

    cluster: str | None = option(
        "ADDRESS", "Do the fits on a Dask cluster, such as tcp://host:8786."
    )


LOSSES = f"{', '.join(words.LOSSES)}, a metric such as f1, roc_auc, matthews_corrcoef or r2, or a scikit-learn scorer. "
DEFAULT_LOSS = "By default zero-one for classifiers and squared-error for regressors."
LOSS_OFFERS = completion.among({**dict.fromkeys(words.LOSSES, ""), **words.METRICS})


@options(QUESTION)
class LossOption:
    """The loss or score, where there can be one only."""

    loss: str | None = option("KEY", LOSSES + DEFAULT_LOSS, complete=LOSS_OFFERS)


@options(QUESTION)
class PositiveOption:
    """The class that metrics of two classes are about."""

    positive: str | None = option(
        "CLASS", "The class to be found, for metrics such as f1 and recall."
    )


@options(QUESTION)
class LossesOption(PositiveOption):
    """The losses or scores, and what those of many examples are computed of."""

    loss: list[str] | None = option(
        "KEY",
        f"{LOSSES}Give several to compute them all of the same fits. {DEFAULT_LOSS}",
        complete=LOSS_OFFERS,
    )
    pool: str | None = choice(
        "WHICH",
        "What a metric is computed of: {}, where folds means those of one repeat together. By default each metric knows: "
        "folds for f1 and its like, none for roc_auc.",
        words.POOLS,
    )

    @property
    def losses(self) -> tuple[str, ...]:
        """Keys of the losses, without repetitions; none where the task is to decide."""
        return tuple(dict.fromkeys(self.loss or ()))


@options(OUTPUT)
class JsonOption:
    """Whether the answer is for a program."""

    as_json: bool = flag("Print one JSON object instead of tables.", "--json")


@options(OUTPUT)
class ReportOptions(JsonOption):
    """Where the answer goes."""

    out: Path | None = option(
        "FILE", "Report: .html, .md, .tex, .txt; numbers: .json, .csv, .parquet."
    )


@options(OUTPUT)
class QuietOption:
    """Whether a progress bar is shown."""

    quiet: bool = flag("Show no progress bar.", "--quiet")


@options(OUTPUT)
class PlotOptions(JsonOption):
    """Where a plot goes."""

    out: Path | None = option("FILE", "Write the plot: .png, .svg or .pdf.")


@options(WORK)
class FitOptions(
    ReportOptions,
    QuietOption,
    WorkOptions,
    ClusterOption,
    LossesOption,
    SplitOptions,
    MethodOptions,
):
    """How learners are fitted and judged, and where the answer goes."""

    store: Path | None = option(
        "FILE",
        "File that keeps finished fits. Run the same command again to go on after an interruption; what is in it is not "
        "fitted again, whatever else is asked.",
    )
    fit_timeout: float | None = option(
        "SECONDS", "Seconds that one fit may take; longer ones fail and are named."
    )
    model_version: list[str] | None = option(
        "NAME=TEXT",
        "With --store, a text that stands for the code of a model, where this cannot be written down; change it whenever "
        "the code changes.",
    )
    reuse: str = choice(
        "WHICH",
        "Which kept fits are taken: {}, the second also where they were made with other versions of installed packages.",
        ("same-version", "any-version"),
        default="same-version",
    )
    no_share: bool = flag(
        "Fit every learner anew on every training set, also where fits could be computed together.",
        "--no-share",
    )
    draws: int | None = option(
        "COUNT",
        "Score a split by so many test examples drawn with replacement, instead of by all its test examples.",
        panel=SPLITS,
        max=MOST,
    )

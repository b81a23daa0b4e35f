"""Options of commands that fit learners."""

from pathlib import Path

from errbar.cli import words
from errbar.cli.commands import (
    LEARNERS,
    QUESTION,
    SPLITS,
    WORK,
    Options,
    argument,
    choice,
    flag,
    option,
)
from errbar.cli.options import LOSS_OFFERS, MOST_JOBS, MethodOptions, ReportOptions

LOSSES = f"{', '.join(words.LOSSES)}, a metric such as f1, roc_auc, matthews_corrcoef or r2, or a scikit-learn scorer. "
DEFAULT_LOSS = "By default zero-one for classifiers and squared-error for regressors."


class DataOptions(Options, heading=LEARNERS):
    """A file with data, what its columns are, and the learners."""

    data: str = argument("DATA", "CSV file (also .gz, .xz) or Parquet file with a header.")
    target: str = option("COLUMN", "Column to predict.", default=...)
    model: list[str] = option(
        "MODEL",
        "A learner: a class of scikit-learn such as Ridge, an expression such as 'small=Ridge(alpha=0.1)' with a name of yours in front, package.Class, or file.py:object. Give one --model each.",
        default=...,
    )
    drop: list[str] | None = option("COLUMNS", "Columns to leave out, such as id,name.")
    feature: list[str] | None = option("COLUMNS", "Features whose values name the rows.")


class GroupsOption(Options, heading=SPLITS):
    """Which examples belong together."""

    groups: str | None = option(
        "COLUMN",
        "Column with the group of each example, such as the patient, which splits keep together. It is no feature.",
    )


class StratifyOption(Options, heading=SPLITS):
    """Whether splits are stratified."""

    stratify: bool = flag("Keep the shares of the classes in every split.", "--stratify")


class GroupedDataOptions(GroupsOption, DataOptions, heading=SPLITS):
    """A file with data, in which examples may belong together."""

    time: str | None = option(
        "COLUMN",
        "Column with the time of each example, a number or date: learners are trained on the past. It is no feature.",
    )


class SplitOptions(StratifyOption, heading=SPLITS):
    """How the data are split, as far as the user says."""

    plan: list[str] | None = option(
        "PLAN",
        "Splits: a number of folds, or a plan such as 'KFold(folds=10, repeats=10)', 'Subsampling(n_test=0.2)' or 'Seeds(5, plan=Holdout())'; several share their fits. By default the method's.",
    )


class WorkOptions(Options, heading=WORK):
    """Workers and random numbers."""

    jobs: int = option(
        "COUNT",
        "Workers; -1 takes all cores.",
        default=1,
        max=MOST_JOBS,
    )
    random_state: int = option("SEED", "Root of every random choice.", default=0)


class ClusterOption(Options, heading=WORK):
    """A cluster that does the work."""

    cluster: str | None = option(
        "ADDRESS", "Do the fits on a Dask cluster, such as tcp://host:8786."
    )


class LossOption(Options, heading=QUESTION):
    """The loss or score, where there can be one only."""

    loss: str | None = option("KEY", LOSSES + DEFAULT_LOSS, complete=LOSS_OFFERS)


class PositiveOption(Options, heading=QUESTION):
    """The class that metrics of two classes are about."""

    positive: str | None = option(
        "CLASS", "The class to be found, for metrics such as f1 and recall."
    )


class LossesOption(PositiveOption, heading=QUESTION):
    """The losses or scores, and what those of many examples are computed of."""

    loss: list[str] | None = option(
        "KEY",
        f"{LOSSES}Several share their fits. {DEFAULT_LOSS}",
        complete=LOSS_OFFERS,
    )
    pool: str | None = choice(
        "WHICH",
        "What a metric is computed of, {}, folds being those of a repeat together. By default folds for f1 and its like, none for roc_auc.",
        words.POOLS,
    )

    @property
    def losses(self) -> tuple[str, ...]:
        """Keys of the losses, without repetitions; none where the task is to decide."""
        return tuple(dict.fromkeys(self.loss or ()))


class FitOptions(
    ReportOptions,
    WorkOptions,
    ClusterOption,
    LossesOption,
    SplitOptions,
    MethodOptions,
    heading=WORK,
):
    """How learners are fitted and judged, and where the answer goes."""

    store: Path | None = option(
        "FILE",
        "File that keeps finished fits; the same command goes on from there, and others use them.",
    )
    fit_timeout: float | None = option("SECONDS", "Seconds that one fit may take.")

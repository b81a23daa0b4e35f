"""The commands under `errbar lab`; the options of a study are named like its keyword arguments."""

import tomllib
from dataclasses import fields
from pathlib import Path
from typing import Any

from errbar.cli import completion, words
from errbar.cli.commands import (
    DONE,
    LEARNERS,
    OUTPUT,
    QUESTION,
    SIMULATION,
    STOPPED,
    USAGE,
    WORK,
    Options,
    choice,
    flag,
    option,
)
from errbar.cli.fit_options import (
    ClusterOption,
    DataOptions,
    GroupsOption,
    LossOption,
    PositiveOption,
    StratifyOption,
    WorkOptions,
)
from errbar.cli.options import LEVEL, MOST, PlotOptions
from errbar.cli.scores_app import METHODS

# What the library knows too, which would take longer to import than a user waits for help.
_GAUSSIAN = [
    f"gaussian-{kind}-{n}" for kind in ("regression", "ridge", "classification") for n in (20, 100)
]
PROBLEMS = (*_GAUSSIAN, "friedman-1")
DATASETS = ("letter", "forest")
_ATLAS = tomllib.loads((Path(__file__).parent / "_atlas" / "problems.toml").read_text("utf-8"))
RISKS = ("ER(n1)", "ER(n)", "PQ", "R")


class StudyRun(WorkOptions, ClusterOption, PlotOptions, heading=WORK):
    """How a study is run, and where its results go: the options that all studies have."""

    store: Path | None = option(
        "FILE",
        "File that keeps finished replicates; run again with it to go on after an interruption.",
    )
    csv: Path | None = option("FILE", "Write the raw numbers as a CSV file.", panel=OUTPUT)
    quiet: bool = flag("Show no progress bar.", "--quiet", panel=OUTPUT)

    @property
    def given(self) -> dict[str, Any]:
        """Options of the study itself that were given, so that its own defaults hold for the others."""
        aside = {
            one.name
            for kind in (StudyRun, UciOption, DataOptions, GroupsOption)
            for one in fields(kind)
        } | {
            "dataset",
            "read",
            "rows",
        }
        return {
            name: value
            for name, value in vars(self).items()
            if name not in aside and value is not None
        }


def _replicates(default: int, *names: str) -> Any:
    return option("COUNT", "Data sets.", *names, default=default, max=MOST)


def _truth_draws(default: int) -> Any:
    return option(
        "COUNT",
        "Independent training sets behind every true expected risk.",
        default=default,
        max=MOST,
    )


def _size(words: str, default: int | None = None) -> Any:
    return option("N", words, "--n", default=default, max=MOST)


def _level(default: float) -> Any:
    return option(
        "LEVEL",
        "Confidence level, between 0 and 1; tests are at 1 - level.",
        default=default,
        panel=QUESTION,
    )


ONE_SIZE = "Examples in a data set."
SIZES = "Examples in a data set; give several for several sizes."


class UciOption(Options, heading=LEARNERS):
    """A data set of the UCI repository."""

    data: str | None = option(
        "PATH",
        "File or folder with the UCI data set, plain, .gz or .xz. By default the folder in ERRBAR_DATA, else OpenML.",
    )


class MethodsOption(Options, heading=QUESTION):
    """The methods that are studied, and the level."""

    level: float = LEVEL
    methods: list[str] | None = option(
        "KEY",
        "Key of a method; errbar methods lists all. By default several that are often used.",
        "--method",
        complete=completion.methods,
    )


STATUS = (DONE, USAGE, "3 fits failed", STOPPED)


_STUDY: dict[str, Any] = {"heading": SIMULATION, "does": "does", "status": STATUS}
_STUDIES = ("figure1", "habitat", "table2", "moments", "coverage", "atlas", "calibrate")


class Lab(Options, commands=dict.fromkeys(_STUDIES, "commands"), panel=METHODS, status=STATUS):
    r"""Measure size, power and coverage of the methods by simulation, and repeat the papers' own studies.

    Examples
    --------
    # Coverage of an interval where the truth is known
    errbar lab coverage --problem gaussian-regression-20 \
        --method corrected-t --n 100 --replicates 100 --jobs 2
    """


class Figure1(StudyRun, UciOption, **_STUDY):
    r"""Size and power of eight tests on letters: figure 1 of Nadeau & Bengio (2003).

    Examples
    --------
    # The whole figure, minutes; with --datasets 20 a look at it
    errbar lab figure1 --data letter-recognition.data --jobs 2 \
        --out figure1.png
    """

    data_sets: int = _replicates(500, "--datasets")
    n: int = _size(ONE_SIZE, 300)
    level: float = _level(0.9)
    truth_draws: int = _truth_draws(6000)


class Habitat(StudyRun, UciOption, **_STUDY):
    """Corrected t and conservative Z with n1 = 9n/10 and n2 = n/10, where they are meant to be used.

    Examples
    --------
    # The study with its own numbers of splits and halvings
    errbar lab habitat --data letter-recognition.data --jobs 2
    """

    replicates: int = _replicates(500, "--datasets")
    n: int = _size(ONE_SIZE, 300)
    level: float = _level(0.9)
    repeats: list[int] | None = option("J", "Number of splits.", max=MOST)
    halvings: list[int] | None = option("M", "Number of halvings.", max=MOST)
    truth_draws: int = _truth_draws(4000)


class Table2(StudyRun, UciOption, **_STUDY):
    r"""Between-block correlation and type-I error of the K-fold t: table 2 of Grandvalet & Bengio (2006).

    Examples
    --------
    # Two sizes of data sets
    errbar lab table2 --data letter-recognition.data --dataset letter --n 20 \
        --n 40 --jobs 2
    """

    dataset: str = choice(
        "NAME",
        "letter (A-M against N-Z) or forest (CoverType, class 2 against the rest).",
        DATASETS,
        default="letter",
        panel=LEARNERS,
    )
    n: list[int] | None = _size(SIZES)
    replicates: int = _replicates(10000)
    folds: int = option("K", "Number of folds.", default=10, max=MOST)
    level: float = _level(0.95)


class Moments(StudyRun, UciOption, **_STUDY):
    r"""Variances and covariances of losses on letters, and the ratios of table 1 of Nadeau & Bengio (2003).

    Examples
    --------
    # Variances with 200 data sets
    errbar lab moments --data letter-recognition.data --datasets 200 \
        --jobs 2
    """

    replicates: int = _replicates(500, "--datasets")
    n: int = _size(ONE_SIZE, 300)
    repeats: int = option("J", "Number of splits.", default=15, max=MOST)


class Coverage(StudyRun, MethodsOption, LossOption, **_STUDY):
    r"""Coverage and width of intervals where the truth is known: methods, problems and sizes of data sets.

    Examples
    --------
    # Two methods, data sets of 100 examples
    errbar lab coverage --problem gaussian-regression-20 \
        --method corrected-t --method cv-wald --n 100 --jobs 2

    # A metric in place of the loss of the problem
    errbar lab coverage --problem gaussian-classification-20 --loss f1 \
        --method cv-wald --n 200 --jobs 2
    """

    problems: list[str] | None = option(
        "KEY",
        "Problem: gaussian-regression-20, gaussian-ridge-20, gaussian-classification-20 (each also with 100 features) or "
        "friedman-1. By default gaussian-regression-20.",
        "--problem",
        complete=completion.among(PROBLEMS),
    )
    n: list[int] | None = _size(SIZES)
    replicates: int = _replicates(500)
    truth_draws: int = _truth_draws(4000)


class Atlas(StudyRun, **_STUDY):
    r"""Coverage and width of intervals on many real and simulated problems: the evidence for what this package advises.

    Examples
    --------
    # Two problems, kept in a file; run it again to go on
    errbar lab atlas --problem no-signal --problem rare --n 60 \
        --store atlas.db --rows part1.parquet --jobs 2

    # What the parts say together
    errbar lab atlas --read part1.parquet --read part2.parquet \
        --rows atlas.parquet
    """

    problems: list[str] | None = option(
        "KEY",
        "Problem, such as letters or attrition; by default all.",
        "--problem",
        complete=completion.among(list(_ATLAS)),
    )
    n: list[int] | None = _size(SIZES)
    data_sets: int = _replicates(75, "--datasets")
    truth_draws: int = _truth_draws(60)
    cheap: bool = flag(
        "Leave out learners whose fits take more than a few milliseconds.", "--cheap"
    )
    costly: bool = flag(
        "Measure the methods that take hundreds of fits, in place of the others.", "--costly"
    )
    read: list[Path] | None = option(
        "FILE",
        "Parquet file of an earlier run; give several to put them together. Nothing is fitted then.",
        "--read",
    )
    rows: Path | None = option("FILE", "Write all rows as a Parquet file.", panel=OUTPUT)


class Calibrate(
    StudyRun,
    MethodsOption,
    PositiveOption,
    LossOption,
    StratifyOption,
    GroupsOption,
    DataOptions,
    **_STUDY,
):
    r"""Size and coverage of each method for your own learners, with your data as the population, and which to use.

    A method is recommended for a risk only if it was shown to hold it, and only against methods about the same risk.
    Columns of the file are treated as by errbar compare; with --groups whole groups are drawn.

    Examples
    --------
    # Which method for these data and learners?
    errbar lab calibrate diabetes.csv --target target \
        --model linear=LinearRegression \
        --model tree=DecisionTreeRegressor --n 100 --jobs 2

    # Text columns, an uneven class, and one of the risks only
    errbar lab calibrate churn.csv --target churn --positive yes \
        --loss f1 --about 'ER(n)' --stratify --n 100 \
        --model tree=DecisionTreeClassifier
    """

    n: int | None = _size(
        "Examples in a data set; by default a tenth of the file's, but at least 50, and 20 groups, and at most 300."
    )
    replicates: int = _replicates(1000)
    truth_draws: int = _truth_draws(2000)
    about: list[str] | None = option(
        "RISK",
        f"What intervals are to hold: {words.listed(RISKS)}. By default all; R and PQ take longest where predictions are slow.",
        complete=completion.among(RISKS),
        panel=QUESTION,
    )
    replacement: bool = flag("Draw data sets with replacement.", "--replacement")

"""The commands under `errbar lab`. Everything heavy is imported when a command runs."""

from collections.abc import Callable

from errbar.cli.commands import DONE, STOPPED, USAGE, command, group
from errbar.cli.lab_options import (
    CalibrateOptions,
    CoverageOptions,
    Figure1Options,
    HabitatOptions,
    MomentsOptions,
    StudyRun,
    Table2Data,
    Table2Options,
    UciOption,
)
from errbar.cli.options import DataOptions

STATUS = (DONE, USAGE, "3 fits failed", STOPPED)

lab = group(
    "lab",
    "Measure size, power and coverage of the methods by simulation, and repeat the papers' own studies.",
    (
        "Coverage of an interval where the truth is known",
        "errbar lab coverage --problem gaussian-regression-20 --method corrected-t --n 100 --replicates 100 --jobs 2",
    ),
    status=STATUS,
)


def _study(explained: str, example: str) -> Callable[[Callable[..., int]], Callable[..., int]]:
    """Enter a study among the commands, with an example for its help."""
    return command(lab, (explained, example), status=STATUS)


@_study(
    "The whole figure, minutes; with --datasets 20 a look at it",
    "errbar lab figure1 --data letter-recognition.data --jobs 2 --out figure1.png",
)
def figure1(data: UciOption, study: Figure1Options, run: StudyRun) -> int:
    """Size and power of eight tests on letters: figure 1 of Nadeau & Bengio (2003)."""
    from errbar.cli import lab as actions

    return actions.figure1(data, study, run)


@_study(
    "The study with its own numbers of splits and halvings",
    "errbar lab habitat --data letter-recognition.data --jobs 2",
)
def habitat(data: UciOption, study: HabitatOptions, run: StudyRun) -> int:
    """Corrected t and conservative Z with n1 = 9n/10 and n2 = n/10, where they are meant to be used."""
    from errbar.cli import lab as actions

    return actions.habitat(data, study, run)


@_study(
    "Two sizes of data sets",
    "errbar lab table2 --data letter-recognition.data --dataset letter --n 20 --n 40 --jobs 2",
)
def table2(data: Table2Data, study: Table2Options, run: StudyRun) -> int:
    """Between-block correlation and type-I error of the K-fold t: table 2 of Grandvalet & Bengio (2006)."""
    from errbar.cli import lab as actions

    return actions.table2(data, study, run)


@_study(
    "Variances with 200 data sets",
    "errbar lab moments --data letter-recognition.data --datasets 200 --jobs 2",
)
def moments(data: UciOption, study: MomentsOptions, run: StudyRun) -> int:
    """Variances and covariances of losses on letters, and the ratios of table 1 of Nadeau & Bengio (2003)."""
    from errbar.cli import lab as actions

    return actions.moments(data, study, run)


@_study(
    "Two methods, data sets of 100 examples",
    "errbar lab coverage --problem gaussian-regression-20 --method corrected-t --method cv-wald --n 100 --jobs 2",
)
def coverage(study: CoverageOptions, run: StudyRun) -> int:
    """Coverage and width of intervals where the truth is known: methods, problems and sizes of data sets."""
    from errbar.cli import lab as actions

    return actions.coverage(study, run)


@_study(
    "Which method for these data and learners?",
    "errbar lab calibrate diabetes.csv --target target --model linear=sklearn.linear_model.LinearRegression "
    "--model tree=sklearn.tree.DecisionTreeRegressor --n 100 --jobs 2",
)
def calibrate(data: DataOptions, study: CalibrateOptions, run: StudyRun) -> int:
    """Size and coverage of each method for your own learners, with your data as the population, and which to use."""
    from errbar.cli import lab as actions

    return actions.calibrate(data, study, run)

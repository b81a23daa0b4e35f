"""The commands under `errbar lab`."""

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


@group("lab", status=STATUS)
def lab() -> None:
    r"""Measure size, power and coverage of the methods by simulation, and repeat the papers' own studies.

    Examples
    --------
    # Coverage of an interval where the truth is known
    errbar lab coverage --problem gaussian-regression-20 \
        --method corrected-t --n 100 --replicates 100 --jobs 2
    """


_study = command(lab, "lab", status=STATUS)


@_study
def figure1(data: UciOption, study: Figure1Options, run: StudyRun) -> None:
    r"""Size and power of eight tests on letters: figure 1 of Nadeau & Bengio (2003).

    Examples
    --------
    # The whole figure, minutes; with --datasets 20 a look at it
    errbar lab figure1 --data letter-recognition.data --jobs 2 \
        --out figure1.png
    """


@_study
def habitat(data: UciOption, study: HabitatOptions, run: StudyRun) -> None:
    """Corrected t and conservative Z with n1 = 9n/10 and n2 = n/10, where they are meant to be used.

    Examples
    --------
    # The study with its own numbers of splits and halvings
    errbar lab habitat --data letter-recognition.data --jobs 2
    """


@_study
def table2(data: Table2Data, study: Table2Options, run: StudyRun) -> None:
    r"""Between-block correlation and type-I error of the K-fold t: table 2 of Grandvalet & Bengio (2006).

    Examples
    --------
    # Two sizes of data sets
    errbar lab table2 --data letter-recognition.data --dataset letter --n 20 \
        --n 40 --jobs 2
    """


@_study
def moments(data: UciOption, study: MomentsOptions, run: StudyRun) -> None:
    r"""Variances and covariances of losses on letters, and the ratios of table 1 of Nadeau & Bengio (2003).

    Examples
    --------
    # Variances with 200 data sets
    errbar lab moments --data letter-recognition.data --datasets 200 \
        --jobs 2
    """


@_study
def coverage(study: CoverageOptions, run: StudyRun) -> None:
    r"""Coverage and width of intervals where the truth is known: methods, problems and sizes of data sets.

    Examples
    --------
    # Two methods, data sets of 100 examples
    errbar lab coverage --problem gaussian-regression-20 \
        --method corrected-t --method cv-wald --n 100 --jobs 2
    """


@_study
def calibrate(data: DataOptions, study: CalibrateOptions, run: StudyRun) -> None:
    r"""Size and coverage of each method for your own learners, with your data as the population, and which to use.

    Examples
    --------
    # Which method for these data and learners?
    errbar lab calibrate diabetes.csv --target target \
        --model linear=sklearn.linear_model.LinearRegression \
        --model tree=sklearn.tree.DecisionTreeRegressor --n 100 --jobs 2
    """

"""The commands under `errbar lab`. Everything heavy is imported when a command runs."""

from collections.abc import Callable
from typing import Annotated, Any

import typer

from errbar.cli import completion, words
from errbar.cli.help import DONE, STOPPED, USAGE, Command, Group, epilog
from errbar.cli.lab_options import (
    SIMULATION,
    Data,
    Replicates,
    Size,
    Sizes,
    Studied,
    StudyRun,
    Truth,
    with_run,
)
from errbar.cli.options import LEARNERS, MOST, DataFile, Drop, Level, LossKey, Models, Target

STATUS = (DONE, USAGE, "3 fits failed", STOPPED)

lab = typer.Typer(
    name="lab",
    cls=Group,
    help="Measure size, power and coverage of the methods by simulation, and repeat the papers' own studies.",
    epilog=epilog(
        (
            "Coverage of an interval where the truth is known",
            "errbar lab coverage --problem gaussian-regression-20 --method corrected-t --n 100 --replicates 100 --jobs 2",
        ),
        status=STATUS,
    ),
    no_args_is_help=True,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _study(explained: str, example: str) -> Callable[[Callable[..., int]], Callable[..., int]]:
    """Enter a study among the commands, with the options that all have and an example for its help."""

    def enter(function: Callable[..., int]) -> Callable[..., int]:
        return lab.command(cls=Command, epilog=epilog((explained, example), status=STATUS))(with_run(function))

    return enter


def _given(**options: Any) -> dict[str, Any]:
    """Return the options that were given, so that a study's own defaults hold for the others."""
    return {name: value for name, value in options.items() if value is not None}


@_study(
    "The whole figure, minutes; with --datasets 20 a look at it",
    "errbar lab figure1 --data letter-recognition.data --jobs 2 --out figure1.png",
)
def figure1(
    *,
    data: Data = None,
    datasets: Replicates = 500,
    n: Size = 300,
    level: Level = 0.9,
    weight: Annotated[
        float | None,
        typer.Option(
            metavar="W",
            help="Distortion of the nearest neighbour's metric; by default both learners do equally well.",
            rich_help_panel=SIMULATION,
        ),
    ] = None,
    truth_draws: Truth = 6000,
    run: StudyRun,
) -> int:
    """Size and power of eight tests on letters: figure 1 of Nadeau & Bengio (2003)."""
    from errbar.cli import lab as actions

    return actions.figure1(
        data,
        {"data_sets": datasets, "n": n, "level": level, "weight": weight, "truth_draws": truth_draws},
        run,
    )


@_study(
    "The study with its own numbers of splits and halvings",
    "errbar lab habitat --data letter-recognition.data --jobs 2",
)
def habitat(
    *,
    data: Data = None,
    datasets: Replicates = 500,
    n: Size = 300,
    level: Level = 0.9,
    repeats: Annotated[
        list[int] | None, typer.Option(metavar="J", max=MOST, help="Number of splits.", rich_help_panel=SIMULATION)
    ] = None,
    halvings: Annotated[
        list[int] | None, typer.Option(metavar="M", max=MOST, help="Number of halvings.", rich_help_panel=SIMULATION)
    ] = None,
    truth_draws: Truth = 4000,
    run: StudyRun,
) -> int:
    """Corrected t and conservative Z with n1 = 9n/10 and n2 = n/10, where they are meant to be used."""
    from errbar.cli import lab as actions

    return actions.habitat(
        data,
        _given(replicates=datasets, n=n, level=level, repeats=repeats, halvings=halvings, truth_draws=truth_draws),
        run,
    )


@_study(
    "Two sizes of data sets",
    "errbar lab table2 --data letter-recognition.data --dataset letter --n 20 --n 40 --jobs 2",
)
def table2(
    *,
    data: Data = None,
    dataset: Annotated[
        str,
        typer.Option(
            metavar="NAME",
            help="letter (A-M against N-Z) or forest (CoverType, class 2 against the rest).",
            rich_help_panel=LEARNERS,
            autocompletion=completion.among(words.DATASETS),
        ),
    ] = "letter",
    n: Sizes = None,
    replicates: Replicates = 10000,
    folds: Annotated[
        int, typer.Option(metavar="K", max=MOST, help="Number of folds.", rich_help_panel=SIMULATION)
    ] = 10,
    level: Level = 0.95,
    run: StudyRun,
) -> int:
    """Between-block correlation and type-I error of the K-fold t: table 2 of Grandvalet & Bengio (2006)."""
    from errbar.cli import lab as actions

    return actions.table2(
        data,
        dataset,
        _given(n=n, replicates=replicates, folds=folds, level=level),
        run,
    )


@_study(
    "Variances with 200 data sets",
    "errbar lab moments --data letter-recognition.data --datasets 200 --jobs 2",
)
def moments(
    *,
    data: Data = None,
    datasets: Replicates = 500,
    n: Size = 300,
    n_train: Annotated[
        str | None,
        typer.Option(
            "--n-train",
            metavar="SIZE",
            help="Training size, in examples or as a fraction of n; by default what is not tested on.",
            rich_help_panel=SIMULATION,
        ),
    ] = None,
    n_test: Annotated[
        str | None,
        typer.Option(
            "--n-test",
            metavar="SIZE",
            help="Test size, in examples or as a fraction of n; by default n/10.",
            rich_help_panel=SIMULATION,
        ),
    ] = None,
    repeats: Annotated[
        int, typer.Option(metavar="J", max=MOST, help="Number of splits.", rich_help_panel=SIMULATION)
    ] = 15,
    run: StudyRun,
) -> int:
    """Variances and covariances of losses on letters, and the ratios of table 1 of Nadeau & Bengio (2003)."""
    from errbar.cli import lab as actions

    return actions.moments(
        data,
        _given(
            replicates=datasets,
            n=n,
            repeats=repeats,
            n_train=actions.size_of(n_train, "--n-train"),
            n_test=actions.size_of(n_test, "--n-test"),
        ),
        run,
    )


@_study(
    "Two methods, data sets of 100 examples",
    "errbar lab coverage --problem gaussian-regression-20 --method corrected-t --method cv-wald --n 100 --jobs 2",
)
def coverage(
    *,
    problem: Annotated[
        list[str] | None,
        typer.Option(
            metavar="KEY",
            help="Problem: gaussian-regression-20, gaussian-ridge-20, gaussian-classification-20 (each also with 100 "
            "features) or friedman-1. By default gaussian-regression-20.",
            rich_help_panel=SIMULATION,
            autocompletion=completion.among(words.PROBLEMS),
        ),
    ] = None,
    method: Studied = None,
    n: Sizes = None,
    replicates: Replicates = 500,
    level: Level = 0.95,
    run: StudyRun,
) -> int:
    """Coverage and width of intervals where the truth is known: methods, problems and sizes of data sets."""
    from errbar.cli import lab as actions

    return actions.coverage(
        _given(problems=problem, methods=method, n=n, replicates=replicates, level=level),
        run,
    )


@_study(
    "Which method for these data and learners?",
    "errbar lab calibrate diabetes.csv --target target --model linear=sklearn.linear_model.LinearRegression --model tree=sklearn.tree.DecisionTreeRegressor --n 100 --jobs 2",
)
def calibrate(
    data: DataFile,
    *,
    target: Target,
    model: Models,
    method: Studied = None,
    n: Annotated[
        int | None,
        typer.Option(
            "--n",
            metavar="N",
            max=MOST,
            help="Examples in a data set; by default a tenth of the file's.",
            rich_help_panel=SIMULATION,
        ),
    ] = None,
    loss: LossKey = None,
    replicates: Replicates = 300,
    level: Level = 0.95,
    truth_draws: Truth = 2000,
    replacement: Annotated[
        bool, typer.Option("--replacement", help="Draw data sets with replacement.", rich_help_panel=SIMULATION)
    ] = False,
    drop: Drop = None,
    run: StudyRun,
) -> int:
    """Size and coverage of each method for your own learners, with your data as the population, and which to use."""
    from errbar.cli import lab as actions

    return actions.calibrate(
        actions.Source(data, target, tuple(model), tuple(drop or ())),
        _given(
            methods=method,
            n=n,
            loss=loss,
            replicates=replicates,
            level=level,
            replacement=replacement,
            truth_draws=truth_draws,
        ),
        run,
    )

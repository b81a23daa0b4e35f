"""The commands under `errbar lab`. Everything heavy is imported when a command runs."""

from pathlib import Path
from typing import Annotated

import typer

from errbar.cli.options import AsJson, Cluster, DataFile, Drop, Jobs, LossKey, Models, Quiet, RandomState, Target

lab = typer.Typer(
    name="lab",
    help="Measure size, power and coverage of the methods by simulation, and repeat the papers' own studies.",
    epilog="Example: errbar lab figure1 --data letter-recognition.data --datasets 100 --jobs 2",
    no_args_is_help=True,
    context_settings={"help_option_names": ["-h", "--help"]},
)

Data = Annotated[
    str | None,
    typer.Option(
        help="File or folder with the UCI data set, plain, .gz or .xz. By default the folder in ERRBAR_DATA, else OpenML."
    ),
]
Store = Annotated[
    Path | None,
    typer.Option(help="File that keeps finished replicates; run again with it to go on after an interruption."),
]
Picture = Annotated[Path | None, typer.Option("--out", help="Write the plot: .png, .svg or .pdf.")]
Raw = Annotated[Path | None, typer.Option("--csv", help="Write the raw numbers as a CSV file.")]
Level = Annotated[float, typer.Option(help="Confidence level; tests are at 1 - level.")]
Truth = Annotated[int, typer.Option(help="Independent training sets behind every true expected risk.")]
Replicates = Annotated[int, typer.Option(help="Data sets.")]
Sizes = Annotated[list[int] | None, typer.Option("--n", help="Examples in a data set; give several for several sizes.")]


@lab.command(epilog="Example: errbar lab figure1 --data letter-recognition.data --jobs 2 --out figure1.png")
def figure1(
    *,
    data: Data = None,
    datasets: Annotated[int, typer.Option(help="Data sets.")] = 500,
    n: Annotated[int, typer.Option("--n", help="Examples in a data set.")] = 300,
    level: Level = 0.9,
    weight: Annotated[
        float | None,
        typer.Option(help="Distortion of the nearest neighbour's metric; by default both learners do equally well."),
    ] = None,
    truth_draws: Truth = 6000,
    jobs: Jobs = 1,
    random_state: RandomState = 0,
    store: Store = None,
    cluster: Cluster = None,
    out: Picture = None,
    csv: Raw = None,
    as_json: AsJson = False,
    quiet: Quiet = False,
) -> int:
    """Size and power of eight tests on letters: figure 1 of Nadeau & Bengio (2003)."""
    from errbar.cli import lab as actions

    return actions.figure1(
        data,
        {"data_sets": datasets, "n": n, "level": level, "weight": weight, "truth_draws": truth_draws},
        actions.means(jobs, random_state, store, cluster, quiet=quiet),
        actions.Output(out, csv, as_json),
    )


@lab.command(epilog="Example: errbar lab habitat --data letter-recognition.data --jobs 2")
def habitat(
    *,
    data: Data = None,
    datasets: Annotated[int, typer.Option(help="Data sets.")] = 500,
    n: Annotated[int, typer.Option("--n", help="Examples in a data set.")] = 300,
    level: Level = 0.9,
    repeats: Annotated[list[int] | None, typer.Option(help="Numbers of splits; several may be given.")] = None,
    halvings: Annotated[list[int] | None, typer.Option(help="Numbers of halvings; several may be given.")] = None,
    truth_draws: Truth = 4000,
    jobs: Jobs = 1,
    random_state: RandomState = 0,
    store: Store = None,
    cluster: Cluster = None,
    out: Picture = None,
    csv: Raw = None,
    as_json: AsJson = False,
    quiet: Quiet = False,
) -> int:
    """Corrected t and conservative Z with n1 = 9n/10 and n2 = n/10, where they are meant to be used."""
    from errbar.cli import lab as actions

    return actions.habitat(
        data,
        actions.given(
            replicates=datasets, n=n, level=level, repeats=repeats, halvings=halvings, truth_draws=truth_draws
        ),
        actions.means(jobs, random_state, store, cluster, quiet=quiet),
        actions.Output(out, csv, as_json),
    )


@lab.command(epilog="Example: errbar lab table2 --data letter-recognition.data --dataset letter --n 20 --n 40 --jobs 2")
def table2(
    *,
    data: Data = None,
    dataset: Annotated[
        str, typer.Option(help="letter (A-M against N-Z) or forest (CoverType, class 2 against the rest).")
    ] = "letter",
    n: Sizes = None,
    replicates: Replicates = 10000,
    folds: Annotated[int, typer.Option(help="Number of folds.")] = 10,
    level: Level = 0.95,
    jobs: Jobs = 1,
    random_state: RandomState = 0,
    store: Store = None,
    cluster: Cluster = None,
    out: Picture = None,
    csv: Raw = None,
    as_json: AsJson = False,
    quiet: Quiet = False,
) -> int:
    """Between-block correlation and type-I error of the K-fold t: table 2 of Grandvalet & Bengio (2006)."""
    from errbar.cli import lab as actions

    return actions.table2(
        data,
        dataset,
        actions.given(n=n, replicates=replicates, folds=folds, level=level),
        actions.means(jobs, random_state, store, cluster, quiet=quiet),
        actions.Output(out, csv, as_json),
    )


@lab.command(epilog="Example: errbar lab moments --data letter-recognition.data --datasets 200 --jobs 2")
def moments(
    *,
    data: Data = None,
    datasets: Annotated[int, typer.Option(help="Data sets.")] = 500,
    n: Annotated[int, typer.Option("--n", help="Examples in a data set.")] = 300,
    n_train: Annotated[
        str | None,
        typer.Option("--n-train", help="Training size, as a count or a fraction; by default what is not tested on."),
    ] = None,
    n_test: Annotated[
        str | None, typer.Option("--n-test", help="Test size, as a count or a fraction; by default n/10.")
    ] = None,
    repeats: Annotated[int, typer.Option(help="Number of splits J.")] = 15,
    jobs: Jobs = 1,
    random_state: RandomState = 0,
    store: Store = None,
    cluster: Cluster = None,
    out: Picture = None,
    csv: Raw = None,
    as_json: AsJson = False,
    quiet: Quiet = False,
) -> int:
    """Variances and covariances of losses on letters, and the ratios of table 1 of Nadeau & Bengio (2003)."""
    from errbar.cli import lab as actions

    return actions.moments(
        data,
        actions.given(
            replicates=datasets,
            n=n,
            repeats=repeats,
            n_train=actions.size_of(n_train, "--n-train"),
            n_test=actions.size_of(n_test, "--n-test"),
        ),
        actions.means(jobs, random_state, store, cluster, quiet=quiet),
        actions.Output(out, csv, as_json),
    )


@lab.command(
    epilog="Example: errbar lab coverage --problem gaussian-regression-20 --method corrected-t --n 100 --jobs 2"
)
def coverage(
    *,
    problem: Annotated[
        list[str] | None,
        typer.Option(
            metavar="KEY",
            help="Problem, such as gaussian-regression-20, gaussian-classification-20 or friedman1; several may be given.",
        ),
    ] = None,
    method: Annotated[list[str] | None, typer.Option(metavar="KEY", help="Method; several may be given.")] = None,
    n: Sizes = None,
    replicates: Replicates = 500,
    level: Level = 0.95,
    jobs: Jobs = 1,
    random_state: RandomState = 0,
    store: Store = None,
    cluster: Cluster = None,
    out: Picture = None,
    csv: Raw = None,
    as_json: AsJson = False,
    quiet: Quiet = False,
) -> int:
    """Coverage and width of intervals where the truth is known: methods, problems and sizes of data sets."""
    from errbar.cli import lab as actions

    return actions.coverage(
        actions.given(problems=problem, methods=method, n=n, replicates=replicates, level=level),
        actions.means(jobs, random_state, store, cluster, quiet=quiet),
        actions.Output(out, csv, as_json),
    )


@lab.command(
    epilog="Example: errbar lab calibrate letter.csv --target letter --model tree=sklearn.tree.DecisionTreeClassifier "
    "--model bayes=sklearn.naive_bayes.GaussianNB --n 300 --jobs 2"
)
def calibrate(
    data: DataFile,
    *,
    target: Target,
    model: Models,
    method: Annotated[list[str] | None, typer.Option(metavar="KEY", help="Method; several may be given.")] = None,
    n: Annotated[
        int | None, typer.Option("--n", help="Examples in a data set; by default a tenth of the file's.")
    ] = None,
    loss: LossKey = None,
    replicates: Replicates = 300,
    level: Level = 0.95,
    truth_draws: Truth = 2000,
    replacement: Annotated[bool, typer.Option("--replacement", help="Draw data sets with replacement.")] = False,
    drop: Drop = None,
    jobs: Jobs = 1,
    random_state: RandomState = 0,
    store: Store = None,
    cluster: Cluster = None,
    out: Picture = None,
    csv: Raw = None,
    as_json: AsJson = False,
    quiet: Quiet = False,
) -> int:
    """Size and coverage of each method for your own learners, with your data as the population, and which to use."""
    from errbar.cli import lab as actions

    return actions.calibrate(
        actions.Source(data, target, tuple(model), tuple(drop or ())),
        actions.given(
            methods=method,
            n=n,
            loss=loss,
            replicates=replicates,
            level=level,
            replacement=replacement,
            truth_draws=truth_draws,
        ),
        actions.means(jobs, random_state, store, cluster, quiet=quiet),
        actions.Output(out, csv, as_json),
    )

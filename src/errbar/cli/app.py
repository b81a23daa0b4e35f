"""The command tree. Everything heavy is imported when a command runs, so that help comes at once."""

import os
import sys
from pathlib import Path
from typing import Annotated, Any

from errbar import __version__
from errbar.cli.complain import StoppedError, complain
from errbar.errors import ErrbarError, MissingPackageError

try:
    import typer
except ImportError:
    complain("the command line needs more packages; install them with: pip install 'errbar[app]'")
    sys.exit(2)

from errbar.cli.invocation import remember
from errbar.cli.lab_app import lab
from errbar.cli.options import (
    Adjust,
    Alternative,
    AsJson,
    Baseline,
    Cluster,
    DataFile,
    Draws,
    Drop,
    FitTimeout,
    Folds,
    Groups,
    Halvings,
    Jobs,
    Level,
    LossKey,
    MemoryLimit,
    MethodOptions,
    Methods,
    Models,
    ModelVersion,
    NoShare,
    NTest,
    NTrain,
    Out,
    Plans,
    Quiet,
    RandomState,
    Repeats,
    Rope,
    Store,
    Stratify,
    Target,
)
from errbar.cli.store_app import store as store_commands

app = typer.Typer(
    name="errbar",
    help="Honest error bars on generalization errors, and whether one learning algorithm really beats another.",
    epilog="Exit status: 0 done, 1 a requested gate failed, 2 bad input or usage, 3 fits failed.",
    no_args_is_help=True,
    add_completion=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)

INTERNAL_ERROR = 70
INTERRUPTED = 130


def _version(value: bool) -> None:  # noqa: FBT001 - typer passes it by position
    if value:
        typer.echo(f"errbar {__version__}")
        raise typer.Exit


app.add_typer(lab)
app.add_typer(store_commands)


@app.callback()
def common(
    *,
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version.")
    ] = False,
) -> None:
    """Honest error bars on generalization errors, and whether one learning algorithm really beats another."""


@app.command(epilog="Example: errbar demo --jobs 2")
def demo(
    *,
    jobs: Jobs = 1,
    random_state: RandomState = 0,
    out: Out = Path("errbar-demo.html"),
    as_json: AsJson = False,
    quiet: Quiet = False,
) -> int:
    """Compare a random forest, a support vector machine and a linear model on the bundled diabetes data.

    Squared error, 15 random splits, corrected t: a table, a conclusion and an HTML report.
    """
    from errbar.cli import actions

    return actions.demo(actions.Output(out, as_json, quiet), jobs=jobs, random_state=random_state)


@app.command(
    epilog="Example: errbar compare letter.csv --target letter --model tree=sklearn.tree.DecisionTreeClassifier "
    "--model 'nn=sklearn.neighbors.KNeighborsClassifier(n_neighbors=1)' --jobs 2 --out report.html"
)
def compare(
    data: DataFile,
    *,
    target: Target,
    model: Models,
    method: Methods = None,
    loss: LossKey = None,
    baseline: Baseline = None,
    adjust: Adjust = "holm",
    rope: Rope = None,
    level: Level = 0.95,
    alternative: Alternative = "two-sided",
    option: MethodOptions = None,
    plan: Plans = None,
    folds: Folds = None,
    repeats: Repeats = None,
    halvings: Halvings = None,
    n_train: NTrain = None,
    n_test: NTest = None,
    stratify: Stratify = False,
    groups: Groups = None,
    drop: Drop = None,
    draws: Draws = None,
    jobs: Jobs = 1,
    random_state: RandomState = 0,
    store: Store = None,
    fit_timeout: FitTimeout = None,
    memory_limit: MemoryLimit = None,
    cluster: Cluster = None,
    model_version: ModelVersion = None,
    no_share: NoShare = False,
    out: Out = None,
    as_json: AsJson = False,
    quiet: Quiet = False,
) -> int:
    """Fit several learners on the data of a file and say which of them differ.

    Columns that are text are one-hot encoded inside every training set; text with more than 100 different values,
    dates and times are refused. Missing values go to the learners as they are.
    """
    from errbar.cli import actions

    return actions.compare_file(
        data,
        target,
        model,
        question=actions.Question(method or ["corrected-t"], baseline, adjust, rope, level, alternative, option or ()),
        splitting=actions.Splitting(plan or (), folds, repeats, halvings, n_train, n_test, stratify, groups),
        fitting=actions.Fitting(loss, jobs, random_state, drop or (), draws),
        keeping=actions.Keeping(store, fit_timeout, memory_limit, cluster, tuple(model_version or ()), not no_share),
        output=actions.Output(out, as_json, quiet),
        single=False,
    )


@app.command(
    epilog="Example: errbar evaluate letter.csv --target letter --model sklearn.tree.DecisionTreeClassifier --method cv-wald"
)
def evaluate(
    data: DataFile,
    *,
    target: Target,
    model: Models,
    method: Methods = None,
    loss: LossKey = None,
    level: Level = 0.95,
    option: MethodOptions = None,
    plan: Plans = None,
    folds: Folds = None,
    repeats: Repeats = None,
    halvings: Halvings = None,
    n_train: NTrain = None,
    n_test: NTest = None,
    stratify: Stratify = False,
    groups: Groups = None,
    drop: Drop = None,
    draws: Draws = None,
    jobs: Jobs = 1,
    random_state: RandomState = 0,
    store: Store = None,
    fit_timeout: FitTimeout = None,
    memory_limit: MemoryLimit = None,
    cluster: Cluster = None,
    model_version: ModelVersion = None,
    no_share: NoShare = False,
    out: Out = None,
    as_json: AsJson = False,
    quiet: Quiet = False,
) -> int:
    """Fit one learner on the data of a file and estimate its generalization error, with an interval.

    Columns of the file are treated as by errbar compare.
    """
    from errbar.cli import actions

    return actions.compare_file(
        data,
        target,
        model,
        question=actions.Question(method or ["corrected-t"], level=level, options=option or ()),
        splitting=actions.Splitting(plan or (), folds, repeats, halvings, n_train, n_test, stratify, groups),
        fitting=actions.Fitting(loss, jobs, random_state, drop or (), draws),
        keeping=actions.Keeping(store, fit_timeout, memory_limit, cluster, tuple(model_version or ()), not no_share),
        output=actions.Output(out, as_json, quiet),
        single=True,
    )


@app.command(epilog="Example: errbar test scores.csv --method corrected-t --n-train 270 --n-test 30")
def test(
    scores: Annotated[
        str,
        typer.Argument(
            metavar="SCORES",
            help="CSV or Parquet file: a column per learner; repeat, fold, example are optional labels.",
        ),
    ],
    *,
    method: Methods = None,
    n_train: Annotated[str | None, typer.Option("--n-train", help="Training size of the splits.")] = None,
    n_test: Annotated[str | None, typer.Option("--n-test", help="Test size of the splits.")] = None,
    kind: Annotated[
        str | None,
        typer.Option(
            help="Kind of splits: subsampling, kfold, 5x2, holdout, bootstrap, halves, halved-kfold, data-sets or other; by default told by labels."
        ),
    ] = None,
    metric: Annotated[str | None, typer.Option(help="Name of the numbers, for the report.")] = None,
    higher_is_better: Annotated[
        bool, typer.Option("--higher-is-better", help="The numbers are scores such as accuracy, not losses.")
    ] = False,
    null: Annotated[
        float | None,
        typer.Option(
            help="Value under the null hypothesis, for a file with a single column; by default the method's own."
        ),
    ] = None,
    baseline: Baseline = None,
    adjust: Adjust = "holm",
    rope: Rope = None,
    level: Level = 0.95,
    alternative: Alternative = "two-sided",
    option: MethodOptions = None,
    out: Out = None,
    as_json: AsJson = False,
) -> int:
    """Apply a method to scores of your own; nothing is fitted.

    A row is one split, unless there is a column example, several rows share a fold, or the method needs one loss per
    example: then a row is one test example.
    """
    from errbar.cli import actions

    return actions.judge_scores(
        scores,
        question=actions.Question(method or ["corrected-t"], baseline, adjust, rope, level, alternative, option or ()),
        output=actions.Output(out, as_json),
        n_train=n_train,
        n_test=n_test,
        kind=kind,
        metric=metric,
        null=null,
        higher_is_better=higher_is_better,
    )


@app.command(
    epilog="Example: errbar power --deviation 0.02 --n-train 270 --n-test 30 --difference 0.02, or from a pilot: "
    "errbar power scores.csv --n-train 270 --n-test 30 --difference 0.02 --out power.png"
)
def power(
    scores: Annotated[
        str | None,
        typer.Argument(
            metavar="SCORES",
            help="Pilot: a CSV or Parquet file as for errbar test, with a row per split, and a column per learner or a "
            "single one of differences.",
        ),
    ] = None,
    *,
    deviation: Annotated[
        float | None, typer.Option(help="Without a pilot: expected standard deviation of the split differences.")
    ] = None,
    variance: Annotated[
        float | None,
        typer.Option(help="Instead of --deviation: variance of one split difference over data sets and splits."),
    ] = None,
    correlation: Annotated[
        float | None,
        typer.Option(help="True correlation of two split differences; by default n2/(n1 + n2), as the test takes it."),
    ] = None,
    n_train: Annotated[float | None, typer.Option("--n-train", help="Training size n1 of the splits.")] = None,
    n_test: Annotated[float | None, typer.Option("--n-test", help="Test size n2 of the splits.")] = None,
    repeats: Annotated[int, typer.Option(help="Number of splits.")] = 15,
    difference: Annotated[
        float | None,
        typer.Option(help="True difference that the study should find, in units of the loss: one that would matter."),
    ] = None,
    wanted: Annotated[float, typer.Option("--power", help="Wanted probability of finding it.")] = 0.8,
    pair: Annotated[
        str | None, typer.Option(metavar="A,B", help="Columns to compare, where the pilot has more than two.")
    ] = None,
    metric: Annotated[str | None, typer.Option(help="Name of the loss or score, for the plot.")] = None,
    level: Level = 0.95,
    alternative: Alternative = "two-sided",
    out: Annotated[Path | None, typer.Option(help="Write the plot of power: .png, .svg or .pdf.")] = None,
    as_json: AsJson = False,
) -> int:
    """Say what a study with the corrected t can find, and the splits or examples that a difference needs.

    The spread of the split differences is assumed, or read from a pilot.
    """
    from errbar.cli import power as planning

    return planning.plan_of(
        scores,
        pair=pair,
        metric=metric,
        assumed=planning.Assumed(deviation, variance, correlation, n_train, n_test),
        goal=planning.Goal(difference, wanted, repeats, level, alternative),
        out=out,
        as_json=as_json,
    )


@app.command(epilog="Example: errbar ranks accuracies.csv --higher-is-better --out ranks.png")
def ranks(
    scores: Annotated[
        str,
        typer.Argument(
            metavar="SCORES",
            help="CSV or Parquet file: a row per data set, a column per learner; a first column of text names the rows.",
        ),
    ],
    *,
    post_hoc: Annotated[
        str, typer.Option("--post-hoc", help="Test of the pairs: nemenyi, holm or wilcoxon.")
    ] = "nemenyi",
    baseline: Baseline = None,
    adjust: Adjust = "holm",
    level: Level = 0.95,
    higher_is_better: Annotated[
        bool, typer.Option("--higher-is-better", help="The numbers are scores such as accuracy, not losses.")
    ] = False,
    out: Annotated[Path | None, typer.Option(help="Write the critical-difference diagram: .png, .svg or .pdf.")] = None,
    as_json: AsJson = False,
) -> int:
    """Rank learners over several data sets: Friedman's test, mean ranks, and which learners are told apart."""
    from errbar.cli import questions

    return questions.ranks(
        scores,
        post_hoc=post_hoc,
        baseline=baseline,
        adjust=adjust,
        level=level,
        higher_is_better=higher_is_better,
        out=out,
        as_json=as_json,
    )


@app.command(epilog="Example: errbar sensitivity folds.csv --pair tree,forest --out rho.png")
def sensitivity(
    scores: Annotated[
        str,
        typer.Argument(
            metavar="SCORES",
            help="CSV or Parquet file with the fold scores of one K-fold cross-validation: a column per learner, or a single "
            "one of differences.",
        ),
    ],
    *,
    pair: Annotated[
        str | None, typer.Option(metavar="A,B", help="Columns to compare, where the file has more than two.")
    ] = None,
    n_train: Annotated[float | None, typer.Option("--n-train", help="Training size of the folds.")] = None,
    n_test: Annotated[float | None, typer.Option("--n-test", help="Test size of the folds.")] = None,
    null: Annotated[float, typer.Option(help="Value under the null hypothesis.")] = 0.0,
    level: Level = 0.95,
    alternative: Alternative = "two-sided",
    out: Annotated[Path | None, typer.Option(help="Write the plot of p against rho: .png, .svg or .pdf.")] = None,
    as_json: AsJson = False,
) -> int:
    """Say how the K-fold t depends on the correlation between folds, and up to which one the difference is significant."""
    from errbar.cli import questions

    return questions.sensitivity(
        scores,
        pair=pair,
        n_train=n_train,
        n_test=n_test,
        null=null,
        level=level,
        alternative=alternative,
        out=out,
        as_json=as_json,
    )


@app.command(epilog="Example: errbar methods corrected-t")
def methods(
    key: Annotated[str | None, typer.Argument(metavar="[KEY]", help="Explain this one.")] = None,
    *,
    scores: Annotated[
        str | None,
        typer.Option(
            "--for", metavar="SCORES", help="Say which methods fit the scores of this file, and why others do not."
        ),
    ] = None,
    n_train: Annotated[float | None, typer.Option("--n-train", help="Training size of the splits, with --for.")] = None,
    n_test: Annotated[float | None, typer.Option("--n-test", help="Test size of the splits, with --for.")] = None,
    kind: Annotated[str | None, typer.Option(help="Kind of splits, with --for; see errbar test.")] = None,
    as_json: AsJson = False,
) -> int:
    """List the catalogue of methods, or explain one: claim, formula, what it estimates, cost, assumptions, references."""
    from errbar.cli import actions

    if scores is not None:
        from errbar.cli import questions

        return questions.suitable(scores, n_train=n_train, n_test=n_test, kind=kind, as_json=as_json)

    return actions.list_methods(key, as_json=as_json)


@app.command(epilog="Example: errbar export runs.db predictions.parquet")
def export(
    store: Annotated[Path, typer.Argument(metavar="STORE", help="File that keeps fits.")],
    out: Annotated[Path, typer.Argument(metavar="OUT", help="File to write: .csv, .csv.gz, .csv.xz or .parquet.")],
) -> int:
    """Write every kept prediction of a store into a table: a row per fit and example."""
    from errbar.cli import stores

    return stores.export(store, out)


def main(arguments: list[str] | None = None) -> None:
    """Run the command line; every error is one line on standard error, and the status says what kind it was."""
    sys.exit(_run(arguments))


def _run(arguments: list[str] | None) -> int:
    remember(arguments)
    try:
        status: Any = app(args=arguments, standalone_mode=False)
        # typer turns an interrupt into this status without a word.
        return _fail("stopped", INTERRUPTED) if status == INTERRUPTED else int(status or 0)
    except (ErrbarError, MissingPackageError) as error:
        return _fail(str(error), INTERRUPTED if isinstance(error, StoppedError) else 2)
    except KeyboardInterrupt as error:
        return _fail(str(error) or "stopped", INTERRUPTED)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except Exception as error:
        if hasattr(error, "format_message"):
            return _fail(f"{error.format_message()} (errbar --help shows the usage)", 2)
        if isinstance(error, typer.Abort):
            return _fail("stopped", INTERRUPTED)
        if os.environ.get("ERRBAR_DEBUG"):
            raise
        reason = f"{type(error).__name__}: {error}"
        return _fail(
            f"internal error, {reason}; run again with ERRBAR_DEBUG=1 and report what it prints", INTERNAL_ERROR
        )


def _fail(message: str, status: int) -> int:
    complain(message)
    return status

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

from errbar.cli import completion, words
from errbar.cli.help import DONE, FITS, GATE, STOPPED, USAGE, Command, Group, epilog
from errbar.cli.invocation import remember
from errbar.cli.lab_app import lab
from errbar.cli.options import (
    MOST,
    NUMBERS,
    QUESTION,
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
    Gates,
    Groups,
    Halvings,
    HigherIsBetter,
    Jobs,
    Kind,
    Level,
    LossKey,
    MemoryLimit,
    MethodOptions,
    Methods,
    Metric,
    Models,
    ModelVersion,
    NoShare,
    NTest,
    NTrain,
    Out,
    Pair,
    Picture,
    Plans,
    Quiet,
    RandomState,
    Repeats,
    Rope,
    ScoresTest,
    ScoresTrain,
    Store,
    Stratify,
    Target,
    TestedTest,
    TestedTrain,
)
from errbar.cli.store_app import store as store_commands
from errbar.cli.terminal import forgive

app = typer.Typer(
    name="errbar",
    help="Honest error bars on generalization errors, and whether one learning algorithm really beats another.",
    cls=Group,
    epilog=epilog(
        ("Three learners on scikit-learn's diabetes data, with a report", "errbar demo --jobs 2"),
        ("The catalogue of methods, and one of them explained", "errbar methods corrected-t"),
        ("Everything about one command", "errbar compare --help"),
        status=(DONE, "1 a gate of --fail-if failed, or errbar store verify found damage", USAGE, FITS, STOPPED),
    ),
    no_args_is_help=True,
    add_completion=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)

LEARN, GIVEN = "Compare learners", "Ask of numbers that are there already"
METHODS, STORES = "Know the methods", "Keep fits"

INTERNAL_ERROR = 70
INTERRUPTED = 130


def _version(value: bool) -> None:  # noqa: FBT001 - typer passes it by position
    if value:
        typer.echo(f"errbar {__version__}")
        raise typer.Exit


@app.callback()
def common(
    *,
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version.")
    ] = False,
) -> None:
    """Honest error bars on generalization errors, and whether one learning algorithm really beats another."""


@app.command(
    cls=Command,
    rich_help_panel=LEARN,
    epilog=epilog(
        ("The table, the conclusion, and the report in errbar-demo.html", "errbar demo --jobs 2"),
        ("The numbers for a program, the report elsewhere", "errbar demo --json --out demo.md"),
        status=(DONE, USAGE, FITS),
    ),
)
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
    cls=Command,
    rich_help_panel=LEARN,
    epilog=epilog(
        (
            "Two learners, 15 random splits, corrected t; a report to send on",
            (
                "errbar compare diabetes.csv --target target --model linear=sklearn.linear_model.LinearRegression "
                "--model 'nn=sklearn.neighbors.KNeighborsRegressor(n_neighbors=5)' --jobs 2 --out report.html"
            ),
        ),
        (
            "Two methods of one run: their splits are put together, and what they share is fitted once",
            (
                "errbar compare diabetes.csv --target target --model linear=sklearn.linear_model.LinearRegression "
                "--model ridge=sklearn.linear_model.Ridge --method kfold-t --option rho=0.7 --method cv-wald"
            ),
        ),
        (
            "In continuous integration: fail unless the new model is shown not to be worse by 100 squared units",
            (
                "errbar compare diabetes.csv --target target --model old=sklearn.linear_model.LinearRegression "
                "--model 'new=sklearn.linear_model.Ridge(alpha=0.1)' --fail-if 'new worse-than old by 100'"
            ),
        ),
        (
            "A long run that can be stopped and goes on with the same command",
            (
                "errbar compare diabetes.csv --target target --model tree=sklearn.tree.DecisionTreeRegressor "
                "--model linear=sklearn.linear_model.LinearRegression --store runs.db --fit-timeout 60"
            ),
        ),
        status=(DONE, GATE, USAGE, FITS, STOPPED),
    ),
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
    fail_if: Gates = None,
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
        question=actions.Question(
            method or ["corrected-t"], baseline, adjust, rope, level, alternative, option or (), fail_if or ()
        ),
        splitting=actions.Splitting(plan or (), folds, repeats, halvings, n_train, n_test, stratify, groups),
        fitting=actions.Fitting(loss, jobs, random_state, drop or (), draws),
        keeping=actions.Keeping(store, fit_timeout, memory_limit, cluster, tuple(model_version or ()), not no_share),
        output=actions.Output(out, as_json, quiet),
        single=False,
    )


@app.command(
    cls=Command,
    rich_help_panel=LEARN,
    epilog=epilog(
        (
            "The expected error of a learner, with an interval",
            "errbar evaluate diabetes.csv --target target --model sklearn.linear_model.LinearRegression",
        ),
        (
            "The risk of the model that is fitted on all the data",
            (
                "errbar evaluate diabetes.csv --target target --model sklearn.linear_model.LinearRegression "
                "--method nested-cv --plan 'NestedKFold(folds=5, repeats=2)'"
            ),
        ),
        (
            "A pipeline from a Python file, by its mean absolute error",
            "errbar evaluate diabetes.csv --target target --model mine=models.py:pipeline --loss absolute-error",
        ),
        status=(DONE, USAGE, FITS, STOPPED),
    ),
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


@app.command(
    cls=Command,
    rich_help_panel=GIVEN,
    epilog=epilog(
        (
            "Scores of 15 random splits: corrected t",
            "errbar test scores.csv --method corrected-t --n-train 270 --n-test 30",
        ),
        (
            "Probabilities that one is better, or that both are as good within 0.01",
            "errbar test scores.csv --method bayes-correlated-t --rope 0.01 --n-train 270 --n-test 30",
        ),
        (
            "Fail unless 1-NN is shown not to be worse than the tree by 0.02",
            "errbar test scores.csv --n-train 270 --n-test 30 --fail-if '1-NN worse-than tree by 0.02'",
        ),
        status=(DONE, GATE, USAGE),
    ),
)
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
    n_train: TestedTrain = None,
    n_test: TestedTest = None,
    kind: Kind = None,
    metric: Metric = None,
    higher_is_better: HigherIsBetter = False,
    null: Annotated[
        float | None,
        typer.Option(
            metavar="VALUE",
            help="Value under the null hypothesis, for a file with a single column; by default the method's own.",
            rich_help_panel=QUESTION,
        ),
    ] = None,
    baseline: Baseline = None,
    adjust: Adjust = "holm",
    rope: Rope = None,
    level: Level = 0.95,
    alternative: Alternative = "two-sided",
    option: MethodOptions = None,
    fail_if: Gates = None,
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
        question=actions.Question(
            method or ["corrected-t"], baseline, adjust, rope, level, alternative, option or (), fail_if or ()
        ),
        output=actions.Output(out, as_json),
        n_train=n_train,
        n_test=n_test,
        kind=kind,
        metric=metric,
        null=null,
        higher_is_better=higher_is_better,
    )


@app.command(
    cls=Command,
    rich_help_panel=GIVEN,
    epilog=epilog(
        (
            "From an assumed spread of the split differences",
            "errbar power --deviation 0.02 --n-train 270 --n-test 30 --difference 0.02",
        ),
        (
            "From a pilot, with a plot",
            "errbar power scores.csv --n-train 270 --n-test 30 --difference 0.02 --out power.png",
        ),
    ),
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
        float | None,
        typer.Option(
            metavar="S",
            help="Without a pilot: expected standard deviation of the split differences, in units of the loss.",
            rich_help_panel=NUMBERS,
        ),
    ] = None,
    variance: Annotated[
        float | None,
        typer.Option(
            metavar="V",
            help="Instead of --deviation: variance of one split difference over data sets and splits.",
            rich_help_panel=NUMBERS,
        ),
    ] = None,
    correlation: Annotated[
        float | None,
        typer.Option(
            metavar="RHO",
            help="True correlation of two split differences; by default n2/(n1 + n2), as the test takes it.",
            rich_help_panel=NUMBERS,
        ),
    ] = None,
    n_train: ScoresTrain = None,
    n_test: ScoresTest = None,
    repeats: Annotated[
        int, typer.Option(metavar="J", max=MOST, help="Number of splits.", rich_help_panel=QUESTION)
    ] = 15,
    difference: Annotated[
        float | None,
        typer.Option(
            metavar="DELTA",
            help="True difference that the study should find, in units of the loss: one that would matter.",
            rich_help_panel=QUESTION,
        ),
    ] = None,
    wanted: Annotated[
        float,
        typer.Option(
            "--power",
            metavar="POWER",
            help="Wanted probability of finding it, between 0 and 1.",
            rich_help_panel=QUESTION,
        ),
    ] = 0.8,
    pair: Pair = None,
    metric: Metric = None,
    level: Level = 0.95,
    alternative: Alternative = "two-sided",
    out: Picture = None,
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


@app.command(
    cls=Command,
    rich_help_panel=GIVEN,
    epilog=epilog(
        (
            "Accuracies on several data sets, with a critical-difference diagram",
            "errbar ranks accuracies.csv --higher-is-better --out ranks.png",
        ),
        (
            "Every learner against one, by signed ranks",
            "errbar ranks accuracies.csv --higher-is-better --baseline tree --post-hoc wilcoxon",
        ),
    ),
)
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
        str,
        typer.Option(
            "--post-hoc",
            metavar="KEY",
            help="Test of the pairs: nemenyi, holm or wilcoxon.",
            rich_help_panel=QUESTION,
            autocompletion=completion.among(words.POST_HOC),
        ),
    ] = "nemenyi",
    baseline: Baseline = None,
    adjust: Adjust = "holm",
    level: Level = 0.95,
    higher_is_better: HigherIsBetter = False,
    out: Picture = None,
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


@app.command(
    cls=Command,
    rich_help_panel=GIVEN,
    epilog=epilog(
        (
            "Up to which correlation is the difference significant?",
            "errbar sensitivity folds.csv --pair tree,1-NN --out rho.png",
        ),
    ),
)
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
    pair: Pair = None,
    n_train: ScoresTrain = None,
    n_test: ScoresTest = None,
    null: Annotated[
        float, typer.Option(metavar="VALUE", help="Value under the null hypothesis.", rich_help_panel=QUESTION)
    ] = 0.0,
    level: Level = 0.95,
    alternative: Alternative = "two-sided",
    out: Picture = None,
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


@app.command(
    cls=Command,
    rich_help_panel=METHODS,
    epilog=epilog(
        ("The catalogue, by what is estimated", "errbar methods"),
        ("One method: claim, formula, assumptions, cost, what was measured, literature", "errbar methods nested-cv"),
        ("Which methods fit a file of scores, and why others do not", "errbar methods --for scores.csv"),
    ),
)
def methods(
    key: Annotated[
        str | None, typer.Argument(metavar="[KEY]", help="Explain this one.", autocompletion=completion.methods)
    ] = None,
    *,
    scores: Annotated[
        str | None,
        typer.Option(
            "--for",
            metavar="SCORES",
            help="Say which methods fit the scores of this file, and why others do not; the options below go with it.",
            rich_help_panel=NUMBERS,
        ),
    ] = None,
    n_train: ScoresTrain = None,
    n_test: ScoresTest = None,
    kind: Kind = None,
    as_json: AsJson = False,
) -> int:
    """List the catalogue of methods, or explain one: claim, formula, what it estimates, cost, assumptions, references."""
    from errbar.cli import actions

    if scores is not None:
        from errbar.cli import questions

        return questions.suitable(scores, n_train=n_train, n_test=n_test, kind=kind, as_json=as_json)

    return actions.list_methods(key, as_json=as_json)


@app.command(
    cls=Command,
    rich_help_panel=STORES,
    epilog=epilog(("For pandas, R or a spreadsheet", "errbar export runs.db predictions.csv")),
)
def export(
    store: Annotated[Path, typer.Argument(metavar="STORE", help="File that keeps fits.")],
    out: Annotated[Path, typer.Argument(metavar="OUT", help="File to write: .csv, .csv.gz, .csv.xz or .parquet.")],
) -> int:
    """Write every kept prediction of a store into a table: a row per fit and example."""
    from errbar.cli import stores

    return stores.export(store, out)


app.add_typer(store_commands, rich_help_panel=STORES)
app.add_typer(lab, rich_help_panel=METHODS)


def main(arguments: list[str] | None = None) -> None:
    """Run the command line; every error is one line on standard error, and the status says what kind it was."""
    sys.exit(_run(arguments))


def _run(arguments: list[str] | None) -> int:
    remember(arguments)
    completion.rejoin()
    forgive()
    try:
        status: Any = app(args=arguments, prog_name="errbar", standalone_mode=False)
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
        wrong = _usage(error) if not isinstance(error, OSError) else _no_file(error)
        if wrong is not None:
            return wrong
        if isinstance(error, typer.Abort):
            return _fail("stopped", INTERRUPTED)
        if os.environ.get("ERRBAR_DEBUG"):
            raise
        reason = f"{type(error).__name__}: {error}"
        return _fail(
            f"internal error, {reason}; run again with ERRBAR_DEBUG=1 and report what it prints", INTERNAL_ERROR
        )


def _usage(error: Exception) -> int | None:
    """Answer a command line that cannot be read; return the status, or None where that is not what happened."""
    if type(error).__name__ == "NoArgsIsHelpError":  # the help is its message
        typer.echo(str(error), err=True)
        return 2
    if not hasattr(error, "format_message"):
        return None
    message = " ".join(error.format_message().split()).rstrip(".")
    return _fail(f"{message} (errbar --help shows the usage)", 2)


def _no_file(error: OSError) -> int | None:
    """Answer a file that the system refuses; return the status, or None where no file is to blame."""
    if error.filename is None:
        return None
    return _fail(f"{error.strerror or type(error).__name__}: '{error.filename}'", 2)


def _fail(message: str, status: int) -> int:
    complain(message)
    return status

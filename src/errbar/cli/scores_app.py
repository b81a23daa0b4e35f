"""The commands that ask of numbers that are there already, and the catalogue of methods."""

from dataclasses import fields
from typing import Any

from typer import Typer

from errbar.cli import completion, words
from errbar.cli.commands import (
    DONE,
    GATE,
    NUMBERS,
    QUESTION,
    USAGE,
    argument,
    choice,
    command,
    flag,
    option,
    options,
)
from errbar.cli.options import (
    LOSS_OFFERS,
    MOST,
    FamilyOptions,
    JsonOption,
    LevelOption,
    PairOptions,
    PlotOptions,
    QuietOption,
    ReportOptions,
    TestOptions,
)
from errbar.cli.power_options import ComponentOptions, DesignOptions
from errbar.errors import InvalidInputError

PANEL, METHODS = "Ask of numbers that are there already", "Know the methods"

app = Typer()


@options(NUMBERS)
class SizeOptions:
    """Sizes of the splits that given numbers come from."""

    n_train: float | None = option("SIZE", "Training size of the splits, in examples.")
    n_test: float | None = option("SIZE", "Test size of the splits, in examples.")


@options(NUMBERS)
class KindOptions(SizeOptions):
    """The splits that given numbers come from."""

    kind: str | None = choice(
        "KIND",
        "What a row is, where no column says it: {}; all but the first are kinds of splits.",
        words.ROWS,
    )


@options(NUMBERS)
class RoleOptions:
    """What columns of a file hold; with none in place of a column, no column has the role."""

    fold: str | None = option("COLUMN", "Column with the fold.")
    split: str | None = option("COLUMN", "Column with the number of a random split.")
    repeat: str | None = option("COLUMN", "Column with the repeat of a partition into folds.")
    inner: str | None = option(
        "COLUMN", "Column with the inner fold of nested cross-validation; -1 for outer losses."
    )
    halving: str | None = option("COLUMN", "Column with the halving; -1 for scores on all data.")
    half: str | None = option("COLUMN", "Column with the half, 0 or 1.")
    example: str | None = option(
        "COLUMN", "Column with the test example (question); a row is then one loss."
    )
    seed: str | None = option(
        "COLUMN",
        "Column with the seed of a fit on one training set: a run that has tested (or answered) all examples.",
    )
    answer: str | None = option(
        "COLUMN",
        "Column with the number of an answer, drawn anew for each question (--example): their mean is its value.",
    )
    groups: str | None = option(
        "COLUMN", "Column with the group of each example, such as the passage."
    )
    time: str | None = option("COLUMN", "Column with the time of each row.")
    strata: str | None = option(
        "COLUMN", "Column with the class of each example, where splits keep the shares of classes."
    )
    dataset: str | None = option(
        "COLUMN", "Column with the data set; a learner has its mean on each."
    )

    @property
    def roles(self) -> dict[str, str]:
        """Columns by what they hold."""
        columns = {one.name: getattr(self, one.name) for one in fields(RoleOptions)}
        return {role: column for role, column in columns.items() if column is not None}


@options(NUMBERS)
class LongOptions:
    """Columns of a long table: a row for each learner and example, or split."""

    learner: str | None = option(
        "COLUMN",
        "For a long table: column with the learner. A row is its number on one example, or split.",
    )
    value: str | None = option(
        "COLUMN", "With --learner, column with the number; with --truth, with the prediction."
    )
    missing: str | None = choice(
        "WHICH",
        "What is left out where a learner lacks numbers that others have, {}; by default learners, and nothing of a file with a column for each.",
        words.MISSING,
    )


@options(NUMBERS)
class JudgeOption:
    """Another judge beside people."""

    judge: str | None = option(
        "COLUMN",
        "Column with the number that another judge gives to every example; --value then holds those of people, and is empty where they "
        "have not judged.",
    )


@options(NUMBERS)
class DirectionOption:
    """Which numbers are better."""

    higher_is_better: bool = flag(
        "The numbers are scores such as accuracy, not losses.", "--higher-is-better"
    )
    lower_is_better: bool = flag(
        "The numbers are losses. Without either flag those of a file are read so, with a note, and those of logs where the logs say so.",
        "--lower-is-better",
    )

    @property
    def direction(self) -> bool | None:
        """Whether higher is better; None where nothing says so."""
        if self.lower_is_better and self.higher_is_better:
            raise InvalidInputError(
                "--lower-is-better and --higher-is-better contradict each other; give one of them"
            )
        return False if self.lower_is_better else self.higher_is_better or None


@options(NUMBERS)
class ColumnsOption:
    """Which columns are learners."""

    columns: list[str] | None = option(
        "A,B",
        "Columns of learners, with commas between them; by default all columns of numbers that have no role, and none beside --truth.",
    )


@options(NUMBERS)
class MetricOption:
    """What the numbers are called."""

    metric: str | None = option(
        "NAME",
        "Name of the loss or score, to be shown; where a column metric names several, the one to read.",
    )


@options(NUMBERS)
class TableOptions(LongOptions, RoleOptions, DirectionOption, ColumnsOption, MetricOption):
    """What is said of the columns of a table: alike by every command."""

    ignore: list[str] | None = option("A,B", "Columns that are neither learners nor labels.")

    @property
    def said(self) -> dict[str, Any]:
        """Keyword arguments of `errbar.read_table`."""
        names = ("learner", "value", "missing", "columns", "metric", "ignore")
        own: dict[str, Any] = {name: getattr(self, name) for name in names}
        return own | self.roles | {"higher_is_better": self.direction}


@options(NUMBERS)
class LogOptions(MetricOption):
    """What is read of logs of language-model evaluations."""

    metric: str | None = option(
        "NAME",
        "Name of the loss or score, to be shown; of logs of lm-evaluation-harness, and where a column metric names several, the one to read.",
    )
    filter: str | None = option(
        "NAME", "Of logs of lm-evaluation-harness, the filter of the responses."
    )
    scorer: str | None = option("NAME", "Of logs of Inspect, the score that is read.")
    tasks: str | None = choice(
        "WHICH",
        "Of logs with several tasks, what is averaged: {}; the means of tasks, or all questions.",
        words.TASKS,
    )


@options(NUMBERS)
class PredictionOptions:
    """What a file of predictions is judged by; without its first option the file holds scores or losses."""

    truth: str | None = option(
        "COLUMN",
        "Column with the truth: the others then hold what each learner predicted, labels or numbers, a row per test example. "
        "Probabilities of each class are in columns such as forest:yes and forest:no.",
    )
    loss: list[str] | None = option(
        "KEY",
        "With --truth, a loss or metric such as f1, roc_auc or r2; give several to have them all. By default zero-one for labels, "
        "roc_auc for scores of two classes, squared-error for numbers.",
        complete=LOSS_OFFERS,
    )
    positive: str | None = option(
        "CLASS", "With --truth, the positive class, for metrics such as f1, and for scores."
    )
    pool: str | None = choice(
        "WHICH",
        "With --truth, the predictions that a metric is computed of together: {}.",
        words.POOLS,
    )

    @property
    def judged_by(self) -> dict[str, str | None]:
        """Keyword arguments of `errbar.read_table` that each loss shares."""
        return {"positive": self.positive, "pool": self.pool}


@options(NUMBERS)
class GivenOptions(PredictionOptions, KindOptions, JudgeOption, LogOptions, TableOptions):
    """How files of scores, losses or predictions, or logs, are read: alike by every command."""

    @property
    def places(self) -> list[str]:
        """The files, which each command declares as its `scores`."""
        return list(getattr(self, "scores", None) or ())


@options(NUMBERS)
class SpreadOptions(GivenOptions):
    """How much split differences vary: from a pilot, or assumed."""

    scores: list[str] | None = argument(
        "SCORES",
        "Pilot: a file (or logs) as for errbar test, with a row per split or per loss, and a column per learner or a single one of "
        "differences.",
        default=None,
    )
    pair: str | None = option("A,B", "Columns to compare, where the file has more than two.")
    deviation: float | None = option(
        "S",
        "Without a pilot: expected standard deviation of the split differences, in units of the loss.",
    )
    variance: float | None = option(
        "V", "Instead of --deviation: variance of one split difference over data sets and splits."
    )
    correlation: float | None = option(
        "RHO",
        "True correlation of two split differences; by default n2/(n1 + n2), as the test takes it.",
    )


@command(app, "questions", panel=PANEL, heading=NUMBERS, status=(DONE, GATE, USAGE))
class Test(ReportOptions, QuietOption, PairOptions, GivenOptions):
    r"""Apply a method to scores, losses or predictions of your own; nothing is fitted.

    Columns have the roles that options say, or that their names say (fold, repeat, seed, example, group ...); what was taken is
    printed. All other columns of numbers are learners. With --truth they hold predictions; with --learner a row is what one
    learner got, or predicted. Where nothing says what a row is, --kind does. errbar describe FILE proposes the options.

    Logs of lm-evaluation-harness (.jsonl) and Inspect (.eval, .json) are known by their content. Give files, folders, or
    NAME=FILE to name the learners; several tasks are groups, unless --groups is none or a field of the examples.

    Examples
    --------
    # Scores of 15 random splits: corrected t
    errbar test scores.csv --method corrected-t --n-train 270 --n-test 30

    # Probabilities that one is better, or that both are as good within 0.01
    errbar test scores.csv --method bayes-correlated-t --rope 0.01 \
        --n-train 270 --n-test 30

    # Fail unless 1-NN is shown not to be worse than the tree by 0.02
    errbar test scores.csv --n-train 270 --n-test 30 \
        --fail-if '1-NN worse-than tree by 0.02'

    # Predicted labels beside the truth: F1 of each learner, and the differences
    errbar test answers.csv --truth y --columns tree,1-NN --fold fold \
        --loss f1 --positive yes

    # A long table: a row per model and question
    errbar test long.csv --learner model --value correct \
        --example question --higher-is-better

    # Few answers judged by people, all of them by another model
    errbar test judged.csv --learner model --value people --judge model_says \
        --example question --higher-is-better

    # Logs of two language models, a folder each, written by lm_eval
    errbar test results/small results/large --metric acc
    """

    scores: list[str] = argument(
        "SCORES",
        "CSV, Parquet, JSON lines or Excel file: a column per learner, or with --learner a row per learner and example. "
        "Or logs: files, or folders of them.",
    )
    null: float | None = option(
        "VALUE",
        "Value under the null hypothesis, for a file with a single column; by default the method's own.",
        panel=QUESTION,
    )


@command(app, "questions", panel=PANEL, heading=NUMBERS)
class Describe(JsonOption):
    """Say what each column of a table may be and why, and print the command that reads it, or what only you know.

    Examples
    --------
    # Which options does this file need?
    errbar describe scores.csv
    """

    scores: str = argument("FILE", "CSV, Parquet, JSON lines or Excel file.")


@command(app, "powering", panel=PANEL, heading=QUESTION)
class Power(PlotOptions, TestOptions, DesignOptions, ComponentOptions, SpreadOptions):
    r"""Say what a study can find, and the splits, seeds, examples or clusters that a difference needs.

    By default a study with the corrected t: the spread of the split differences is assumed, or read from a pilot. With --design
    crossed several seeds judge the same examples, with --design clusters examples come in groups: then it says where
    the squared standard error comes from, what to buy next and, with costs, what the cheapest study is.

    Examples
    --------
    # From an assumed spread of the split differences
    errbar power --deviation 0.02 --n-train 270 --n-test 30 \
        --difference 0.02

    # From a pilot, with a plot
    errbar power scores.csv --n-train 270 --n-test 30 --difference 0.02 \
        --out power.png

    # Several runs on the same questions: more runs, or more questions?
    errbar power repeated.csv --design crossed --example question \
        --seed sample --cost-seed 3 --cost-example 0.05 --difference 0.02

    # Answers drawn anew for each question: more of them, or more questions?
    errbar power repeated.csv --design clusters --groups question \
        --ignore sample --difference 0.02

    # The same of the answers of two language models, logged by lm_eval
    errbar power sampled/small sampled/large --metric acc \
        --design clusters --groups question

    # Patients with several rows, from assumed standard deviations
    errbar power --design clusters --cluster-sd 0.14 --within-sd 0.42 \
        --clusters 40 --per-cluster 5
    """

    repeats: int = option("J", "Number of splits.", default=15, max=MOST)
    difference: float | None = option(
        "DELTA",
        "True difference that the study should find, in units of the loss: one that would matter.",
    )
    power: float = option(
        "POWER", "Wanted probability of finding it, between 0 and 1.", default=0.8
    )


@command(app, "questions", panel=PANEL, heading=QUESTION)
class Ranks(PlotOptions, FamilyOptions, LevelOption, TableOptions):
    r"""Rank learners over several data sets: Friedman's test, mean ranks, and which learners are told apart.

    A row is a data set and a column a learner, or, with --learner, a row is what one of them got on the data set in column --dataset.

    Examples
    --------
    # Accuracies on several data sets, with a critical-difference diagram
    errbar ranks accuracies.csv --higher-is-better --out ranks.png

    # Every learner against one, by signed ranks
    errbar ranks accuracies.csv --higher-is-better --baseline tree \
        --post-hoc wilcoxon
    """

    scores: str = argument(
        "SCORES",
        "CSV, Parquet or Excel file: a row per data set, a column per learner; or a long table.",
    )
    post_hoc: str | None = choice(
        "KEY", "Test of the pairs: {}; by default nemenyi, or holm with a baseline.", words.POST_HOC
    )


@command(app, "questions", panel=PANEL, heading=NUMBERS)
class Sensitivity(PlotOptions, TestOptions, SizeOptions, ColumnsOption):
    """Say how the K-fold t depends on the correlation between folds, and up to which one the difference is significant.

    Examples
    --------
    # Up to which correlation is the difference significant?
    errbar sensitivity folds.csv --pair tree,1-NN --out rho.png
    """

    scores: str = argument(
        "SCORES",
        "CSV or Parquet file with the fold scores of one K-fold cross-validation: a column per learner, or a single one of "
        "differences.",
    )
    pair: str | None = option("A,B", "Columns to compare, where the file has more than two.")
    null: float = option("VALUE", "Value under the null hypothesis.", default=0.0, panel=QUESTION)


@command(app, "catalogue", panel=METHODS, heading=NUMBERS)
class Methods(JsonOption, GivenOptions):
    r"""List the catalogue of methods, or explain one: claim, formula, what it estimates, cost, assumptions, references.

    Examples
    --------
    # The catalogue, by what is estimated
    errbar methods

    # One method: claim, formula, assumptions, cost, measurements, literature
    errbar methods nested-cv

    # Which methods fit a file of scores, and why others do not
    errbar methods --for scores.csv --n-train 270 --n-test 30

    # The same of a long table, with a row for each model and question
    errbar methods --for long.csv --learner model --value correct \
        --example question --higher-is-better
    """

    key: str | None = argument(
        "[KEY]", "Explain this one.", default=None, complete=completion.methods
    )
    scores: list[str] | None = option(
        "SCORES",
        "Say which methods fit the numbers of this file, or of logs, and why others do not; all other options here say how it is read.",
        "--for",
    )

"""The options of errbar test."""

from errbar.cli.commands import DONE, GATE, NUMBERS, QUESTION, USAGE, argument, option
from errbar.cli.given_options import PANEL, GivenOptions
from errbar.cli.options import PairOptions, ReportOptions


class Test(
    ReportOptions,
    PairOptions,
    GivenOptions,
    does="questions",
    panel=PANEL,
    heading=NUMBERS,
    status=(DONE, GATE, USAGE),
):
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
        "CSV, Parquet, JSON lines or Excel file, or logs: files, or folders of them.",
    )
    null: float | None = option(
        "VALUE",
        "Null hypothesis of a file with a single column.",
        panel=QUESTION,
    )

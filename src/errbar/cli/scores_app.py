"""Smaller commands that ask of numbers that are there already, and the catalogue of methods."""

from errbar.cli import completion, words
from errbar.cli.commands import NUMBERS, QUESTION, Options, argument, choice, option
from errbar.cli.given_options import PANEL, GivenOptions, TableOptions
from errbar.cli.options import ADJUST_RANKS, AS_JSON, BASELINE, LEVEL, PlotOptions

METHODS = "Know the methods"


class Describe(Options, does="questions", panel=PANEL, heading=NUMBERS):
    """Say what each column of a table may be and why, and print the command that reads it, or what only you know.

    Examples
    --------
    # Which options does this file need?
    errbar describe scores.csv
    """

    as_json: bool = AS_JSON
    scores: str = argument("FILE", "CSV, Parquet, JSON lines or Excel file.")


class Ranks(PlotOptions, TableOptions, does="questions", panel=PANEL, heading=QUESTION):
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
        "CSV, Parquet or Excel file: a row per data set, a column per learner, or long.",
    )
    baseline: str | None = BASELINE
    adjust: str = ADJUST_RANKS
    level: float = LEVEL
    post_hoc: str | None = choice(
        "KEY", "Test of the pairs: {}; by default nemenyi, or holm with a baseline.", words.POST_HOC
    )


class Methods(GivenOptions, does="catalogue", panel=METHODS, heading=NUMBERS):
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

    as_json: bool = AS_JSON
    key: str | None = argument(
        "[KEY]", "Explain this one.", default=None, complete=completion.methods
    )
    scores: list[str] | None = option(
        "SCORES",
        "Say which methods fit these numbers, and why others do not.",
        "--for",
    )

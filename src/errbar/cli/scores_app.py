"""The commands that ask of numbers that are there already, and the catalogue of methods."""

from typer import Typer

from errbar.cli.commands import DONE, GATE, USAGE, command
from errbar.cli.options import JsonOption, PairOptions, PlotOptions, ReportOptions
from errbar.cli.score_options import (
    CatalogueOptions,
    FoldOptions,
    FoldTestOptions,
    GoalOptions,
    NullOption,
    RankOptions,
    ScoreOptions,
    SpreadOptions,
)

PANEL, METHODS = "Ask of numbers that are there already", "Know the methods"

app = Typer()


@command(app, "questions", panel=PANEL, status=(DONE, GATE, USAGE))
def test(given: ScoreOptions, null: NullOption, question: PairOptions, output: ReportOptions) -> None:
    r"""Apply a method to scores of your own; nothing is fitted.

    A row is one split, unless there is a column example, several rows share a fold, or the method needs one loss per
    example: then a row is one test example.

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
    """


@command(app, "questions", panel=PANEL)
def power(spread: SpreadOptions, goal: GoalOptions, output: PlotOptions) -> None:
    r"""Say what a study with the corrected t can find, and the splits or examples that a difference needs.

    The spread of the split differences is assumed, or read from a pilot.

    Examples
    --------
    # From an assumed spread of the split differences
    errbar power --deviation 0.02 --n-train 270 --n-test 30 \
        --difference 0.02

    # From a pilot, with a plot
    errbar power scores.csv --n-train 270 --n-test 30 --difference 0.02 \
        --out power.png
    """


@command(app, "questions", panel=PANEL)
def ranks(question: RankOptions, output: PlotOptions) -> None:
    r"""Rank learners over several data sets: Friedman's test, mean ranks, and which learners are told apart.

    Examples
    --------
    # Accuracies on several data sets, with a critical-difference diagram
    errbar ranks accuracies.csv --higher-is-better --out ranks.png

    # Every learner against one, by signed ranks
    errbar ranks accuracies.csv --higher-is-better --baseline tree \
        --post-hoc wilcoxon
    """


@command(app, "questions", panel=PANEL)
def sensitivity(given: FoldOptions, question: FoldTestOptions, output: PlotOptions) -> None:
    """Say how the K-fold t depends on the correlation between folds, and up to which one the difference is significant.

    Examples
    --------
    # Up to which correlation is the difference significant?
    errbar sensitivity folds.csv --pair tree,1-NN --out rho.png
    """


@command(app, "catalogue", panel=METHODS)
def methods(given: CatalogueOptions, output: JsonOption) -> None:
    """List the catalogue of methods, or explain one: claim, formula, what it estimates, cost, assumptions, references.

    Examples
    --------
    # The catalogue, by what is estimated
    errbar methods

    # One method: claim, formula, assumptions, cost, measurements, literature
    errbar methods nested-cv

    # Which methods fit a file of scores, and why others do not
    errbar methods --for scores.csv
    """

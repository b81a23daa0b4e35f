"""The options that several commands share."""

from pathlib import Path
from typing import Annotated

import typer

from errbar.cli import completion, words

LEARNERS, QUESTION, SPLITS = "Data and learners", "Question", "Splits"
FITS, OUTPUT, NUMBERS = "Fits", "Output", "The numbers"

# Larger ones are slips of the keyboard, and would take all memory before anything is said.
MOST, MOST_JOBS = 10_000_000, 4096

DataFile = Annotated[
    str, typer.Argument(metavar="DATA", help="CSV file (also .gz, .xz) or Parquet file with a header.")
]
Target = Annotated[
    str,
    typer.Option(
        metavar="COLUMN", help="Column to predict.", rich_help_panel=LEARNERS, autocompletion=completion.columns
    ),
]
Models = Annotated[
    list[str],
    typer.Option(
        "--model",
        help="A learner, as name=package.Class(parameter=value) or name=file.py:object. Give one per learner.",
        metavar="MODEL",
        rich_help_panel=LEARNERS,
        autocompletion=completion.models,
    ),
]
Methods = Annotated[
    list[str] | None,
    typer.Option(
        "--method",
        metavar="KEY",
        help="Key of the method; errbar methods lists all. Give several to ask them all of the same fits. "
        "By default corrected-t.",
        rich_help_panel=QUESTION,
        autocompletion=completion.methods,
    ),
]
Plans = Annotated[
    list[str] | None,
    typer.Option(
        "--plan",
        metavar="PLAN",
        help="Splits, such as 'KFold(folds=10, repeats=10)' or 'NestedKFold(folds=10)'; several are run as one and share "
        "their fits. By default the plan of the method.",
        rich_help_panel=SPLITS,
        autocompletion=completion.plans,
    ),
]
Halvings = Annotated[
    int | None,
    typer.Option(
        metavar="M", max=MOST, help="Number of random halvings, for methods that use halves.", rich_help_panel=SPLITS
    ),
]
Draws = Annotated[
    int | None,
    typer.Option(
        metavar="COUNT",
        max=MOST,
        help="Score a split by so many test examples drawn with replacement, instead of by all its test examples.",
        rich_help_panel=SPLITS,
    ),
]
LossKey = Annotated[
    str | None,
    typer.Option(
        metavar="KEY",
        help="zero-one, log-loss, brier, squared-error, absolute-error, or a scikit-learn scorer such as roc_auc or r2. "
        "By default zero-one for classifiers and squared-error for regressors.",
        rich_help_panel=QUESTION,
        autocompletion=completion.among(words.LOSSES),
    ),
]
Baseline = Annotated[
    str | None,
    typer.Option(
        metavar="LEARNER",
        help="Compare every other learner with this one, not all pairs.",
        rich_help_panel=QUESTION,
        autocompletion=completion.learners,
    ),
]
Adjust = Annotated[
    str,
    typer.Option(
        metavar="KEY",
        help="How p-values are adjusted for several pairs: holm, bonferroni, hommel, benjamini-hochberg, "
        "benjamini-yekutieli or none.",
        rich_help_panel=QUESTION,
        autocompletion=completion.among(words.ADJUSTMENTS),
    ),
]
Rope = Annotated[
    float | None,
    typer.Option(
        metavar="WIDTH",
        help="Half-width of the region of practical equivalence, in units of the loss.",
        rich_help_panel=QUESTION,
    ),
]
Level = Annotated[
    float,
    typer.Option(
        metavar="LEVEL",
        help="Confidence level, between 0 and 1; tests are at 1 - level.",
        rich_help_panel=QUESTION,
    ),
]
Alternative = Annotated[
    str,
    typer.Option(
        metavar="SIDE",
        help="two-sided, less or greater: of the differences a - b, as shown.",
        rich_help_panel=QUESTION,
        autocompletion=completion.among(words.ALTERNATIVES),
    ),
]
MethodOptions = Annotated[
    list[str] | None,
    typer.Option(
        "--option",
        metavar="NAME=VALUE",
        help="An option of the method's own, such as rho=0.7; errbar methods KEY lists them.",
        rich_help_panel=QUESTION,
    ),
]
Gates = Annotated[
    list[str] | None,
    typer.Option(
        "--fail-if",
        metavar="GATE",
        help="Exit with status 1 unless the opposite is shown at the level: 'NEW worse-than OLD by 0.01' demands that NEW "
        "is not worse by 0.01 or more, in units of the loss or score; 'NEW not-better-than OLD' demands that it is better.",
        rich_help_panel=QUESTION,
    ),
]
Folds = Annotated[
    int | None,
    typer.Option(metavar="K", max=MOST, help="Use K-fold cross-validation with so many folds.", rich_help_panel=SPLITS),
]
Repeats = Annotated[
    int | None,
    typer.Option(
        metavar="J", max=MOST, help="Number of random splits, or of partitions into folds.", rich_help_panel=SPLITS
    ),
]
NTrain = Annotated[
    str | None,
    typer.Option(
        "--n-train",
        metavar="SIZE",
        help="Training size of a split, in examples or as a fraction of all.",
        rich_help_panel=SPLITS,
    ),
]
NTest = Annotated[
    str | None,
    typer.Option(
        "--n-test",
        metavar="SIZE",
        help="Test size of a split, in examples or as a fraction of all.",
        rich_help_panel=SPLITS,
    ),
]
TestedTrain = Annotated[
    str | None,
    typer.Option(
        "--n-train", metavar="SIZE", help="Training size of the splits, in examples.", rich_help_panel=NUMBERS
    ),
]
TestedTest = Annotated[
    str | None,
    typer.Option("--n-test", metavar="SIZE", help="Test size of the splits, in examples.", rich_help_panel=NUMBERS),
]
ScoresTrain = Annotated[
    float | None,
    typer.Option(
        "--n-train", metavar="SIZE", help="Training size of the splits, in examples.", rich_help_panel=NUMBERS
    ),
]
ScoresTest = Annotated[
    float | None,
    typer.Option("--n-test", metavar="SIZE", help="Test size of the splits, in examples.", rich_help_panel=NUMBERS),
]
Kind = Annotated[
    str | None,
    typer.Option(
        metavar="KIND",
        help="Kind of splits: subsampling, kfold, 5x2, holdout, bootstrap, halves, halved-kfold, data-sets or other. "
        "By default told by the labels in the file.",
        rich_help_panel=NUMBERS,
        autocompletion=completion.among(words.KINDS),
    ),
]
Metric = Annotated[
    str | None, typer.Option(metavar="NAME", help="Name of the loss or score, to be shown.", rich_help_panel=NUMBERS)
]
HigherIsBetter = Annotated[
    bool,
    typer.Option(
        "--higher-is-better", help="The numbers are scores such as accuracy, not losses.", rich_help_panel=NUMBERS
    ),
]
Pair = Annotated[
    str | None,
    typer.Option(metavar="A,B", help="Columns to compare, where the file has more than two.", rich_help_panel=NUMBERS),
]
Stratify = Annotated[
    bool, typer.Option("--stratify", help="Keep the shares of the classes in every split.", rich_help_panel=SPLITS)
]
Groups = Annotated[
    str | None,
    typer.Option(
        metavar="COLUMN",
        help="Column with groups that must not be torn apart.",
        rich_help_panel=SPLITS,
        autocompletion=completion.columns,
    ),
]
Drop = Annotated[
    list[str] | None,
    typer.Option(
        metavar="COLUMN", help="Column to leave out.", rich_help_panel=LEARNERS, autocompletion=completion.columns
    ),
]
Jobs = Annotated[
    int,
    typer.Option(
        metavar="COUNT",
        max=MOST_JOBS,
        help="Workers; -1 takes all cores. The numbers do not depend on it.",
        rich_help_panel=FITS,
    ),
]
RandomState = Annotated[
    int,
    typer.Option(
        metavar="SEED", help="Root of every random choice. Equal roots give equal numbers.", rich_help_panel=FITS
    ),
]
Out = Annotated[
    Path | None,
    typer.Option(metavar="FILE", help="Write the report: .html, .md, .tex, .txt or .json.", rich_help_panel=OUTPUT),
]
Picture = Annotated[
    Path | None,
    typer.Option("--out", metavar="FILE", help="Write the plot: .png, .svg or .pdf.", rich_help_panel=OUTPUT),
]
AsJson = Annotated[
    bool, typer.Option("--json", help="Print one JSON object instead of tables.", rich_help_panel=OUTPUT)
]
Quiet = Annotated[bool, typer.Option("--quiet", help="Show no progress bar.", rich_help_panel=OUTPUT)]

Store = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE",
        help="File that keeps finished fits. Run the same command again to go on after an interruption; what is in it is "
        "not fitted again, whatever else is asked.",
        rich_help_panel=FITS,
    ),
]
FitTimeout = Annotated[
    float | None,
    typer.Option(
        metavar="SECONDS", help="Seconds that one fit may take; longer ones fail and are named.", rich_help_panel=FITS
    ),
]
MemoryLimit = Annotated[
    str | None,
    typer.Option(
        metavar="SIZE",
        help="Memory that a fit may take, such as 2GB; those that want more fail and are named.",
        rich_help_panel=FITS,
    ),
]
Cluster = Annotated[
    str | None,
    typer.Option(
        metavar="ADDRESS", help="Do the fits on a Dask cluster, such as tcp://host:8786.", rich_help_panel=FITS
    ),
]
ModelVersion = Annotated[
    list[str] | None,
    typer.Option(
        metavar="NAME=TEXT",
        help="With --store, for a model that cannot be recognised in a later run: any text, changed whenever the model is.",
        rich_help_panel=FITS,
    ),
]
NoShare = Annotated[
    bool,
    typer.Option(
        "--no-share",
        help="Fit every learner anew on every training set, also where fits could be computed together.",
        rich_help_panel=FITS,
    ),
]

"""The options that several commands share."""

from pathlib import Path
from typing import Annotated

import typer

DataFile = Annotated[
    str, typer.Argument(metavar="DATA", help="CSV file (also .gz, .xz) or Parquet file with a header.")
]
Target = Annotated[str, typer.Option(help="Column to predict.")]
Models = Annotated[
    list[str],
    typer.Option(
        "--model",
        help="A learner, as name=package.Class(parameter=value) or name=file.py:object. Give one per learner.",
        metavar="MODEL",
    ),
]
Methods = Annotated[
    list[str] | None,
    typer.Option(
        "--method",
        metavar="KEY",
        help="Key of the method; errbar methods lists all. Give several to ask them all of the same fits. "
        "By default corrected-t.",
    ),
]
Plans = Annotated[
    list[str] | None,
    typer.Option(
        "--plan",
        metavar="PLAN",
        help="Splits, such as 'KFold(folds=10, repeats=10)' or 'NestedKFold(folds=10)'; several are run as one and share "
        "their fits. By default the plan of the method.",
    ),
]
Halvings = Annotated[int | None, typer.Option(help="Number of random halvings, for methods that use halves.")]
Draws = Annotated[
    int | None,
    typer.Option(
        help="Score a split by so many test examples drawn with replacement, instead of by all its test examples."
    ),
]
LossKey = Annotated[
    str | None,
    typer.Option(
        help="zero-one, log-loss, brier, squared-error, absolute-error, or a scikit-learn scorer such as roc_auc or r2. "
        "By default zero-one for classifiers and squared-error for regressors."
    ),
]
Baseline = Annotated[str | None, typer.Option(help="Compare every other learner with this one, not all pairs.")]
Adjust = Annotated[
    str,
    typer.Option(help="holm, bonferroni, hommel, benjamini-hochberg, benjamini-yekutieli or none."),
]
Rope = Annotated[
    float | None, typer.Option(help="Half-width of the region of practical equivalence, in units of the loss.")
]
Level = Annotated[float, typer.Option(help="Confidence level.")]
Alternative = Annotated[str, typer.Option(help="two-sided, less or greater: of the differences a - b, as shown.")]
MethodOptions = Annotated[
    list[str] | None,
    typer.Option("--option", metavar="NAME=VALUE", help="An option of the method's own, such as rho=0.7."),
]
Folds = Annotated[int | None, typer.Option(help="Use K-fold cross-validation with so many folds.")]
Repeats = Annotated[int | None, typer.Option(help="Number of random splits, or of partitions into folds.")]
NTrain = Annotated[str | None, typer.Option("--n-train", help="Training size of a split, as a count or a fraction.")]
NTest = Annotated[str | None, typer.Option("--n-test", help="Test size of a split, as a count or a fraction.")]
Stratify = Annotated[bool, typer.Option("--stratify", help="Keep the shares of the classes in every split.")]
Groups = Annotated[str | None, typer.Option(help="Column with groups that must not be torn apart.")]
Drop = Annotated[list[str] | None, typer.Option(metavar="COLUMN", help="Column to leave out.")]
Jobs = Annotated[int, typer.Option(help="Workers; -1 takes all cores. The numbers do not depend on it.")]
RandomState = Annotated[int, typer.Option(help="Root of every random choice. Equal roots give equal numbers.")]
Out = Annotated[Path | None, typer.Option(help="Write the report: .html, .md, .tex, .txt or .json.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON object instead of tables.")]
Quiet = Annotated[bool, typer.Option("--quiet", help="Show no progress bar.")]

Store = Annotated[
    Path | None,
    typer.Option(
        help="File that keeps finished fits. Run the same command again to go on after an interruption; what is in it is "
        "not fitted again, whatever else is asked."
    ),
]
FitTimeout = Annotated[
    float | None, typer.Option(help="Seconds that one fit may take; longer ones fail and are named.")
]
MemoryLimit = Annotated[
    str | None, typer.Option(help="Memory that a fit may take, such as 2GB; those that want more fail and are named.")
]
Cluster = Annotated[
    str | None, typer.Option(metavar="ADDRESS", help="Do the fits on a Dask cluster, such as tcp://host:8786.")
]
ModelVersion = Annotated[
    list[str] | None,
    typer.Option(
        metavar="NAME=TEXT",
        help="With --store, for a model that cannot be recognised in a later run: any text, changed whenever the model is.",
    ),
]
NoShare = Annotated[
    bool,
    typer.Option(
        "--no-share", help="Fit every learner anew on every training set, also where fits could be computed together."
    ),
]

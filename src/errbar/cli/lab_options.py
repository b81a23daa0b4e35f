"""Options of the commands under `errbar lab`."""

from pathlib import Path
from typing import Annotated

import typer

from errbar.cli import completion, words
from errbar.cli.options import LEARNERS, MOST_JOBS, QUESTION

FITS, OUTPUT = "Fits", "Output"

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
Drop = Annotated[
    list[str] | None,
    typer.Option(
        metavar="COLUMN", help="Column to leave out.", rich_help_panel=LEARNERS, autocompletion=completion.columns
    ),
]
LossKey = Annotated[
    str | None,
    typer.Option(
        metavar="KEY",
        help="zero-one, log-loss, brier, squared-error, absolute-error, or a scikit-learn scorer such as roc_auc or r2. "
        "By default zero-one for classifiers and squared-error for regressors.",
        rich_help_panel=QUESTION,
        autocompletion=completion.among({**dict.fromkeys(words.LOSSES, ""), **words.SCORERS}),
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
Picture = Annotated[
    Path | None,
    typer.Option("--out", metavar="FILE", help="Write the plot: .png, .svg or .pdf.", rich_help_panel=OUTPUT),
]
AsJson = Annotated[
    bool, typer.Option("--json", help="Print one JSON object instead of tables.", rich_help_panel=OUTPUT)
]
Quiet = Annotated[bool, typer.Option("--quiet", help="Show no progress bar.", rich_help_panel=OUTPUT)]
Cluster = Annotated[
    str | None,
    typer.Option(
        metavar="ADDRESS", help="Do the fits on a Dask cluster, such as tcp://host:8786.", rich_help_panel=FITS
    ),
]

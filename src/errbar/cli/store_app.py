"""The commands under `errbar store`, and `errbar export`."""

from pathlib import Path

from errbar.cli.commands import DAMAGED, DONE, USAGE, Options, argument, option
from errbar.cli.options import AS_JSON

PANEL = "Keep fits"


class Store(
    Options,
    commands=dict.fromkeys(("info", "prune"), "store_app"),
    panel=PANEL,
    status=(DONE, DAMAGED, USAGE),
):
    """Look at files that keep fits and replicates.

    Examples
    --------
    # What a store holds
    errbar store info runs.db
    """


class StoreFile(Options):
    """A file that keeps fits."""

    path: Path = argument("STORE", "File that keeps fits.")


class Info(StoreFile, does="stores", status=(DONE, DAMAGED, USAGE)):
    """Check every record of a store against its digest, and say what it holds; status 1 if one is damaged.

    Examples
    --------
    # Fits by learner with their time, and failures
    errbar store info runs.db
    """

    as_json: bool = AS_JSON


class Prune(StoreFile, does="stores"):
    """Remove the fits of learners from a store, and give the room back.

    Examples
    --------
    # Forget a learner, so that it is fitted again
    errbar store prune runs.db --learner tree
    """

    learner: list[str] = option("NAME", "Remove the fits of a learner.", default=...)


class Export(StoreFile, does="stores", panel=PANEL):
    """Write every kept prediction of a store into a table, beside what is true: a row per fit and example.

    Examples
    --------
    # For pandas, R or a spreadsheet
    errbar export runs.db predictions.csv
    """

    out: Path = argument("OUT", "File to write: .csv, .csv.gz, .csv.xz or .parquet.")
    learner: list[str] | None = option("NAME", "Only the fits of a learner.")

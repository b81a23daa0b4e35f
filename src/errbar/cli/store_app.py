"""The commands under `errbar store`, and `errbar export`."""

from pathlib import Path

from errbar.cli.commands import DAMAGED, DONE, USAGE, Options, argument, flag, option
from errbar.cli.options import AS_JSON

PANEL = "Keep fits"


class Store(
    Options,
    commands=dict.fromkeys(("info", "verify", "prune"), "store_app"),
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


class Info(StoreFile, does="stores"):
    """Say what a store holds: fits by learner with their time, failures, versions of libraries, size.

    Examples
    --------
    # Fits, time and failures
    errbar store info runs.db
    """

    as_json: bool = AS_JSON


class Verify(StoreFile, does="stores", status=(DONE, DAMAGED, USAGE)):
    """Check every record of a store against its digest; status 1 if any is damaged.

    Examples
    --------
    # Is every record what it was?
    errbar store verify runs.db
    """


class Prune(StoreFile, does="stores", heading="What is removed"):
    """Remove records from a store, and give the room back.

    Examples
    --------
    # Forget a learner, and what failed, so that it is fitted again
    errbar store prune runs.db --failed --learner tree
    """

    failed: bool = flag("Remove what is known of failed fits.", "--failed")
    damaged: bool = flag("Remove records that are damaged.", "--damaged")
    learner: list[str] | None = option("NAME", "Remove the fits of a learner.")
    data: list[str] | None = option(
        "DIGEST", "Remove the fits on a data set; errbar store info lists them."
    )


class Export(StoreFile, does="stores", panel=PANEL, heading="What is written"):
    """Write every kept prediction of a store into a table, beside what is true: a row per fit and example.

    Examples
    --------
    # For pandas, R or a spreadsheet
    errbar export runs.db predictions.csv
    # What one learner has predicted
    errbar export runs.db tree.parquet --learner tree
    """

    out: Path = argument("OUT", "File to write: .csv, .csv.gz, .csv.xz or .parquet.")
    learner: list[str] | None = option("NAME", "Only the fits of a learner.")
    data: list[str] | None = option(
        "DIGEST", "Only the fits on a data set; errbar store info lists them."
    )

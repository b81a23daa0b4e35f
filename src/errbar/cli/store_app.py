"""The commands under `errbar store`, and `errbar export`."""

from pathlib import Path

from typer import Typer

from errbar.cli.commands import (
    DAMAGED,
    DONE,
    USAGE,
    argument,
    command,
    flag,
    group,
    option,
    options,
)
from errbar.cli.options import JsonOption

PANEL = "Keep fits"

app = Typer()


@group("store", status=(DONE, DAMAGED, USAGE))
def store() -> None:
    """Look at files that keep fits and replicates.

    Examples
    --------
    # What a store holds
    errbar store info runs.db
    """


app.add_typer(store, rich_help_panel=PANEL)


@options()
class StoreFile:
    """A file that keeps fits."""

    path: Path = argument("STORE", "File that keeps fits.")


@command(store, "stores")
class Info(JsonOption, StoreFile):
    """Say what a store holds: fits by learner with their time, failures, versions of libraries, size.

    Examples
    --------
    # Fits, time and failures
    errbar store info runs.db
    """


@command(store, "stores", status=(DONE, DAMAGED, USAGE))
class Verify(StoreFile):
    """Check every record of a store against its digest; status 1 if any is damaged.

    Examples
    --------
    # Is every record what it was?
    errbar store verify runs.db
    """


@command(store, "stores", heading="What is removed")
class Prune(StoreFile):
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


@command(app, "stores", panel=PANEL, heading="What is written")
class Export(StoreFile):
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

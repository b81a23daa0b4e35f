"""The commands under `errbar store`, and `errbar export`."""

from typer import Typer

from errbar.cli.commands import DAMAGED, DONE, USAGE, command, group
from errbar.cli.options import ExportOptions, JsonOption, PruneOptions, RescueOptions, StoreFile

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


@command(store, "stores")
def info(file: StoreFile, output: JsonOption) -> None:
    """Say what a store holds: fits by learner with their time, failures, versions of libraries, size.

    Examples
    --------
    # Fits, time and failures
    errbar store info runs.db
    """


@command(store, "stores", status=(DONE, DAMAGED, USAGE))
def verify(file: StoreFile) -> None:
    """Check every record of a store against its digest; status 1 if any is damaged.

    Examples
    --------
    # Is every record what it was?
    errbar store verify runs.db
    """


@command(store, "stores")
def prune(what: PruneOptions) -> None:
    """Remove records from a store, and give the room back.

    Examples
    --------
    # Forget a learner, and what failed, so that it is fitted again
    errbar store prune runs.db --failed --learner tree
    """


@command(store, "stores")
def rescue(files: RescueOptions) -> None:
    """Write the records of a damaged store that are still what they were into a new file.

    Examples
    --------
    # Save what is left of a damaged store
    errbar store rescue runs.db rescued.db
    """


@command(app, "stores", panel=PANEL)
def export(files: ExportOptions) -> None:
    """Write every kept prediction of a store into a table: a row per fit and example.

    Examples
    --------
    # For pandas, R or a spreadsheet
    errbar export runs.db predictions.csv
    """

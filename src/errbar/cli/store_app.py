"""The commands under `errbar store`, and `errbar export`."""

from pathlib import Path
from typing import ClassVar

from typer import Typer

from errbar.cli.commands import DAMAGED, DONE, USAGE, argument, command, flag, group, option, options
from errbar.cli.options import JsonOption

PANEL = "Keep fits"

app = Typer()
store = group(
    "store",
    "Look at files that keep fits and replicates.",
    ("What a store holds", "errbar store info runs.db"),
    status=(DONE, DAMAGED, USAGE),
)
app.add_typer(store, rich_help_panel=PANEL)


@options
class StoreFile:
    """A file that keeps fits."""

    path: Path = argument("STORE", "File that keeps fits.")


@options
class RescueOptions(StoreFile):
    """A damaged store, and where what is left of it goes."""

    new: Path = argument("NEW", "File to make.")


@options
class ExportOptions(StoreFile):
    """A store, and the table that is written."""

    out: Path = argument("OUT", "File to write: .csv, .csv.gz, .csv.xz or .parquet.")


@options
class PruneOptions(StoreFile):
    """What is removed."""

    panel: ClassVar[str] = "What is removed"
    failed: bool = flag("Remove what is known of failed fits.", "--failed")
    damaged: bool = flag("Remove records that are damaged.", "--damaged")
    learner: list[str] | None = option("NAME", "Remove the fits of a learner.")
    data: list[str] | None = option("DIGEST", "Remove the fits on a data set; errbar store info lists them.")


@command(store, ("Fits, time and failures", "errbar store info runs.db"))
def info(file: StoreFile, output: JsonOption) -> int:
    """Say what a store holds: fits by learner with their time, failures, versions of libraries, size."""
    from errbar.cli import stores

    return stores.info(file.path, as_json=output.as_json)


@command(store, ("Is every record what it was?", "errbar store verify runs.db"), status=(DONE, DAMAGED, USAGE))
def verify(file: StoreFile) -> int:
    """Check every record of a store against its digest; status 1 if any is damaged."""
    from errbar.cli import stores

    return stores.verify(file.path)


@command(
    store,
    (
        "Forget a learner, and what failed, so that it is fitted again",
        "errbar store prune runs.db --failed --learner tree",
    ),
)
def prune(what: PruneOptions) -> int:
    """Remove records from a store, and give the room back."""
    from errbar.cli import stores

    return stores.prune(
        what.path, failed=what.failed, damaged=what.damaged, learners=what.learner or (), data=what.data or ()
    )


@command(store, ("Save what is left of a damaged store", "errbar store rescue runs.db rescued.db"))
def rescue(files: RescueOptions) -> int:
    """Write the records of a damaged store that are still what they were into a new file."""
    from errbar.cli import stores

    return stores.rescue(files.path, files.new)


@command(app, ("For pandas, R or a spreadsheet", "errbar export runs.db predictions.csv"), panel=PANEL)
def export(files: ExportOptions) -> int:
    """Write every kept prediction of a store into a table: a row per fit and example."""
    from errbar.cli import stores

    return stores.export(files.path, files.out)

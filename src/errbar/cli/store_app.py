"""The commands under `errbar store`."""

from pathlib import Path
from typing import Annotated

import typer

from errbar.cli.help import DAMAGED, DONE, USAGE, Command, Group, epilog
from errbar.cli.options import AsJson

store = typer.Typer(
    name="store",
    help="Look at files that keep fits and replicates.",
    cls=Group,
    epilog=epilog(("What a store holds", "errbar store info runs.db"), status=(DONE, DAMAGED, USAGE)),
    no_args_is_help=True,
    context_settings={"help_option_names": ["-h", "--help"]},
)

File = Annotated[Path, typer.Argument(metavar="STORE", help="File that keeps fits.")]


@store.command(cls=Command, epilog=epilog(("Fits, time and failures", "errbar store info runs.db")))
def info(path: File, *, as_json: AsJson = False) -> int:
    """Say what a store holds: fits by learner with their time, failures, versions of libraries, size."""
    from errbar.cli import stores

    return stores.info(path, as_json=as_json)


@store.command(
    cls=Command,
    epilog=epilog(("Is every record what it was?", "errbar store verify runs.db"), status=(DONE, DAMAGED, USAGE)),
)
def verify(path: File) -> int:
    """Check every record of a store against its digest; status 1 if any is damaged."""
    from errbar.cli import stores

    return stores.verify(path)


@store.command(
    cls=Command,
    epilog=epilog(
        (
            "Forget a learner, and what failed, so that it is fitted again",
            "errbar store prune runs.db --failed --learner tree",
        )
    ),
)
def prune(
    path: File,
    *,
    failed: Annotated[bool, typer.Option("--failed", help="Remove what is known of failed fits.")] = False,
    damaged: Annotated[bool, typer.Option("--damaged", help="Remove records that are damaged.")] = False,
    learner: Annotated[list[str] | None, typer.Option(metavar="NAME", help="Remove the fits of a learner.")] = None,
    data: Annotated[
        list[str] | None,
        typer.Option(metavar="DIGEST", help="Remove the fits on a data set; errbar store info lists them."),
    ] = None,
) -> int:
    """Remove records from a store, and give the room back."""
    from errbar.cli import stores

    return stores.prune(path, failed=failed, damaged=damaged, learners=learner or (), data=data or ())


@store.command(
    cls=Command,
    epilog=epilog(("Save what is left of a damaged store", "errbar store rescue runs.db rescued.db")),
)
def rescue(
    path: File,
    new: Annotated[Path, typer.Argument(metavar="NEW", help="File to make.")],
) -> int:
    """Write the records of a damaged store that are still what they were into a new file."""
    from errbar.cli import stores

    return stores.rescue(path, new)

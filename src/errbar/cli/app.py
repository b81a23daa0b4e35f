"""The command tree, and what becomes of an error. Everything heavy is imported when a command runs."""

import os
import sys
from typing import Annotated, Any

from errbar import __version__
from errbar.cli.messages import StoppedError, print_error
from errbar.errors import ErrbarError, MissingPackageError

try:
    import typer
except ImportError:
    print_error("the command line needs more packages; install them with: pip install 'errbar[app]'")
    sys.exit(2)

from errbar.cli import completion, options, scores_app, store_app
from errbar.cli.commands import DONE, FAILED, FITS, STOPPED, USAGE, group
from errbar.cli.invocation import remember
from errbar.cli.lab_app import lab

INTERNAL_ERROR = 70
INTERRUPTED = 130


def _version(value: bool) -> None:  # noqa: FBT001 - typer passes it by position
    if value:
        typer.echo(f"errbar {__version__}")
        raise typer.Exit


@group("errbar", status=(DONE, FAILED, USAGE, FITS, STOPPED))
def app(
    *,
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version.")
    ] = False,
) -> None:
    """Honest error bars on generalization errors, and whether one learning algorithm really beats another.

    Examples
    --------
    # Three learners on scikit-learn's diabetes data, with a report
    errbar demo --jobs 2

    # The catalogue of methods, and one of them explained
    errbar methods corrected-t

    # Everything about one command
    errbar compare --help
    """


for family in (options, scores_app, store_app):
    app.add_typer(family.app)
app.add_typer(lab, rich_help_panel=scores_app.METHODS)


def main(arguments: list[str] | None = None) -> None:
    """Run the command line; every error is one line on standard error, and the status says what kind it was."""
    sys.exit(_run(arguments))


def _run(arguments: list[str] | None) -> int:
    remember(arguments)
    completion.rejoin()
    if hasattr(sys.stdout, "reconfigure"):  # what the encoding lacks is shown by an escape, and stops no table
        sys.stdout.reconfigure(errors="backslashreplace")
    try:
        status: Any = app(args=arguments, prog_name="errbar", standalone_mode=False)
        # typer turns an interrupt into this status without a word.
        return _fail("stopped", INTERRUPTED) if status == INTERRUPTED else int(status or 0)
    except (ErrbarError, MissingPackageError) as error:
        return _fail(str(error), INTERRUPTED if isinstance(error, StoppedError) else 2)
    except (KeyboardInterrupt, typer.Abort) as error:
        return _fail(str(error) or "stopped", INTERRUPTED)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except Exception as error:
        message = _misuse(error)
        if message is not None:
            return _fail(message, 2)
        if os.environ.get("ERRBAR_DEBUG"):
            raise
        reason = f"{type(error).__name__}: {error}"
        return _fail(
            f"internal error, {reason}; run again with ERRBAR_DEBUG=1 and report what it prints", INTERNAL_ERROR
        )


def _misuse(error: Exception) -> str | None:
    """Return the message about a command line that cannot be read, or a file that the system refuses; else None."""
    if hasattr(error, "format_message"):
        return f"{' '.join(error.format_message().split()).rstrip('.')} (errbar --help shows the usage)"
    if isinstance(error, OSError) and error.filename is not None:
        return f"{error.strerror or type(error).__name__}: '{error.filename}'"
    return None


def _fail(message: str, status: int) -> int:
    print_error(message)
    return status

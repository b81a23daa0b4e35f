"""The command tree, and what becomes of an error. Everything heavy is imported when a command runs."""

import logging
import os
import sys
import warnings
from typing import Any

from errbar import __version__
from errbar.cli.messages import StoppedError, print_error, unwritable
from errbar.errors import ErrbarError, MissingPackageError, one_line

try:
    import typer
except ImportError:
    print_error("pip install 'errbar[app]' brings what the command line needs")
    sys.exit(2)

from errbar.cli.commands import DONE, FAILED, FITS, STOPPED, USAGE, Options, flag, made
from errbar.cli.invocation import remember

INTERRUPTED = 130


def _version(value: bool) -> None:  # noqa: FBT001 - typer passes it by position
    if value:
        typer.echo(f"errbar {__version__}")
        raise typer.Exit


COMMANDS = {
    "demo": "learners_app",
    "compare": "learners_app",
    "evaluate": "learners_app",
    "test": "numbers_app",
    "describe": "scores_app",
    "power": "power_app",
    "ranks": "scores_app",
    "methods": "scores_app",
    "lab": "errbar-lab",
    "export": "store_app",
    "store": "store_app",
}
"""All commands, and the module or distribution that declares each: only the one that is asked for is imported."""


class Errbar(Options, commands=COMMANDS, status=(DONE, FAILED, USAGE, FITS, STOPPED)):
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

    version: bool = flag("Show the version.", "--version", callback=_version, is_eager=True)


app = made(Errbar, add_completion=True)
"""The whole command line, as typer runs it."""


def main(arguments: list[str] | None = None) -> None:
    """Run the command line; every error and warning is one line on standard error, and the status says what kind it was."""
    with warnings.catch_warnings():
        warnings.showwarning = lambda message, *_: print_error(str(message))
        status = _run(arguments)
    sys.exit(status)


def _run(arguments: list[str] | None) -> int:
    remember(arguments)
    logging.getLogger("errbar").addHandler(logging.NullHandler())  # failures are said at the end
    if sys.stdout is None:
        return _fail("standard output is closed", 2)
    if hasattr(sys.stdout, "reconfigure"):  # what the encoding lacks is shown by an escape
        sys.stdout.reconfigure(errors="backslashreplace")
    try:
        status: Any = app.main(args=arguments, prog_name="errbar", standalone_mode=False)
        sys.stdout.flush()
        # typer turns an interrupt into this status without a word.
        return _fail("stopped", INTERRUPTED) if status == INTERRUPTED else int(status or 0)
    except (KeyboardInterrupt, typer.Abort) as error:
        return _fail(str(error) or "stopped", INTERRUPTED)
    except BaseException as error:
        # typer ends the process after the Tab key.
        completing = isinstance(error, SystemExit) and "_ERRBAR_COMPLETE" in os.environ
        if completing or os.environ.get("ERRBAR_DEBUG"):
            raise
        helped = {"-h", "--help"} & {*(arguments or sys.argv)}
        if helped and isinstance(error.__context__, BrokenPipeError):
            unwritable(error.__context__)
            return 0
        return _fail(_sentence(error), INTERRUPTED if isinstance(error, StoppedError) else 2)


def _sentence(error: BaseException) -> str:
    """Return what is said of an exception that ends the command."""
    if isinstance(error, (ErrbarError, MissingPackageError)):
        return str(error)
    if hasattr(error, "format_message"):
        message = " ".join(error.format_message().split()).rstrip(".")
        return f"{message} (errbar --help shows the usage)"
    if isinstance(error, OSError):
        place = unwritable(error) if error.filename is None else f"'{error.filename}'"
        return f"{error.strerror or type(error).__name__}: {place}"
    if isinstance(error, MemoryError):
        return f"not enough memory; {one_line(error)}"
    return f"internal error, {one_line(error)}; please report what ERRBAR_DEBUG=1 prints"


def _fail(message: str, status: int) -> int:
    print_error(message)
    return status

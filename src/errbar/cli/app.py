"""The command tree, and what becomes of an error. Everything heavy is imported when a command runs."""

import gc
import logging
import os
import sys
import warnings
from typing import Any

from errbar import __version__
from errbar._plain import Names
from errbar.cli import messages
from errbar.cli.messages import StoppedError, print_error, unwritable
from errbar.errors import ErrbarError, one_line

try:
    import typer
except ImportError:
    print_error("pip install 'errbar[app]' brings what the command line needs")
    sys.exit(2)

from errbar.cli.commands import made

USAGE, INTERRUPTED = 2, 130

app = made("errbar")
"""The whole command line, as typer runs it."""


def main(arguments: Names | None = None) -> None:
    """Run the command line; every error and warning is one line on standard error, and the status says what kind it was."""
    # Most of a short command is imports, which leave little garbage to look for.
    gc.set_threshold(50_000)
    with warnings.catch_warnings():
        warnings.showwarning = lambda message, *_: print_error(str(message))
        status = _run(sys.argv[1:] if arguments is None else arguments)
    sys.exit(status)


def _run(arguments: Names) -> int:
    logging.getLogger("errbar").addHandler(logging.NullHandler())  # failures are said at the end
    if sys.stdout is None:
        return _fail("standard output is closed", USAGE)
    if hasattr(sys.stdout, "reconfigure"):  # what the encoding lacks is shown by an escape
        sys.stdout.reconfigure(errors="backslashreplace")
    try:
        # A locale that knows no UTF-8 escapes its bytes.
        words = [word.encode(errors="surrogateescape").decode() for word in arguments]
        messages.given[:] = words
        if words == ["--version"]:
            typer.echo(f"errbar {__version__}")
            return 0
        status: Any = app.main(args=words, prog_name="errbar", standalone_mode=False)
        sys.stdout.flush()
        # typer turns an interrupt into this status without a word.
        return _fail("stopped", INTERRUPTED) if status == INTERRUPTED else int(status or 0)
    except (KeyboardInterrupt, StoppedError, typer.Abort) as error:
        return _fail(str(error) or "stopped", INTERRUPTED)
    except BaseException as error:
        # typer ends the process after the Tab key.
        completing = isinstance(error, SystemExit) and "_ERRBAR_COMPLETE" in os.environ
        if completing or os.environ.get("ERRBAR_DEBUG"):
            raise
        if isinstance(error.__context__, BrokenPipeError):  # nobody reads the help
            unwritable(error.__context__)
            return 0
        return _fail(_sentence(error), USAGE)


def _sentence(error: BaseException) -> str:
    """Return what is said of an exception that ends the command."""
    if isinstance(error, ErrbarError):
        return str(error)
    if hasattr(error, "format_message"):
        message = " ".join(error.format_message().split()).rstrip(".")
        return f"{message} (errbar --help shows the usage)"
    if isinstance(error, UnicodeEncodeError | UnicodeDecodeError):
        return "the command is no text in UTF-8"
    if isinstance(error, OSError):
        place = unwritable(error) if error.filename is None else f"'{error.filename}'"
        return f"{error.strerror or type(error).__name__}: {place}"
    if isinstance(error, MemoryError):
        return f"not enough memory; {one_line(error)}"
    return f"internal error, {one_line(error)}; please report what ERRBAR_DEBUG=1 prints"


def _fail(message: str, status: int) -> int:
    print_error(message)
    return status

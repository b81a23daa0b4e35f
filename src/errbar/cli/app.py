"""The command tree, and what becomes of an error. Everything heavy is imported when a command runs."""

import gc
import logging
import os
import shlex
import sys
import warnings
from contextlib import suppress
from typing import Any

from errbar import __version__
from errbar._plain import Names
from errbar.cli.commands import made
from errbar.errors import ErrbarError, one_line

LONGEST_WORD = 400

given: list[str] = []
"""The words of the command that runs."""

# What changes from machine to machine and does not change the numbers.
_ASIDE = ("--data", "--store", "--out", "--csv", "--jobs", "--cluster")
_ASIDE_FLAGS = ("--json", "--quiet")


class StoppedError(ErrbarError):
    """The user stopped a run, and there is something to say about what is kept of it."""


def command() -> str:
    """Return the command without what does not change the numbers: places of files, workers, forms of output."""
    kept, skip = ["errbar"], False
    for word in given:
        name, equals, _ = word.partition("=")
        aside = name in _ASIDE
        if not skip and not aside and word not in _ASIDE_FLAGS:
            kept.append(word)
        skip = aside and not equals
    return shlex.join(kept)


def printable(text: str) -> str:
    """Return text on one line, without what could steer a terminal."""
    return "".join(char if char.isprintable() else "?" for char in text)


def print_error(message: str) -> None:
    """Write one line to standard error: nothing in it can steer a terminal, and nothing given at length floods it."""
    words = [
        word if len(word) <= LONGEST_WORD else f"{word[:120]}...{word[-40:]}"
        for word in message.split()
    ]
    with suppress(OSError, ValueError):  # nobody reads it; the status still tells
        print(f"errbar: {printable(' '.join(words))}", file=sys.stderr)  # noqa: T201 - this is the command line


def unwritable(error: Exception) -> str | None:
    """Return why standard output takes no more, and write nothing to it from now on; None if its reader has gone."""
    with suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    if isinstance(error, BrokenPipeError):
        return None
    reason = getattr(error, "strerror", None) or "it is closed"
    return f"standard output cannot be written: {reason}"


try:
    import typer
except ImportError:
    print_error("pip install 'errbar[app]' brings what the command line needs")
    sys.exit(2)


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
        given[:] = words
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

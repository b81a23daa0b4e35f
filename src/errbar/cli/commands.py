"""How commands are declared: shared options as dataclasses, and help that ends with examples and exit statuses."""

import inspect
import re
import sys
from collections.abc import Callable, Sequence
from contextlib import redirect_stdout
from copy import copy
from dataclasses import MISSING, dataclass, field, fields
from textwrap import indent
from typing import Any, TypeVar, dataclass_transform, get_type_hints

import typer
from typer.core import TyperCommand, TyperGroup
from typer.models import OptionInfo

WIDTH = 76  # characters of an example; a terminal of 80 shows it without breaking its lines

DONE = "0 done"
GATE = "1 a gate of --fail-if failed"
DAMAGED = "1 a record is damaged"
USAGE = "2 bad input or usage: one line on standard error says which"
FITS = "3 fits failed: standard error names them; the other learners were compared"
STOPPED = "130 stopped; with --store, the same command goes on"

Example = tuple[str, str]
Kind = TypeVar("Kind")


class _Examples:
    """Help that ends with the epilog as it was written: some versions of typer join its lines."""

    epilog: str | None

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Show the help."""
        ending, self.epilog = self.epilog, None
        super().format_help(ctx, formatter)  # type: ignore[misc] # of typer's class
        self.epilog = ending
        typer.echo(indent(ending or "", " "))


class Command(_Examples, TyperCommand):
    """A command."""


class Group(_Examples, TyperGroup):
    """Commands under one name; called without any, it shows its help on standard error and ends with status 2."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Read the words after the name of the group."""
        if not args and not ctx.resilient_parsing:
            with redirect_stdout(sys.stderr):
                self.get_help(ctx)
            ctx.exit(2)
        return super().parse_args(ctx, args)


def group(name: str, words: str, *examples: Example, status: Sequence[str] = (DONE, USAGE)) -> typer.Typer:
    """Return an empty group of commands."""
    return typer.Typer(
        name=name,
        help=words,
        cls=Group,
        epilog=epilog(*examples, status=status),
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
    )


def command(
    parent: typer.Typer, *examples: Example, panel: str | None = None, status: Sequence[str] = (DONE, USAGE)
) -> Callable[[Callable[..., int]], Callable[..., int]]:
    """Enter the decorated function as a command. Its parameters are dataclasses; their fields are its options.

    Parameters
    ----------
    parent : typer.Typer
        Group that it belongs to.
    *examples : tuple of str
        What each example does, and its command.
    panel : str, optional
        Heading in the help of the group.
    status : sequence of str
        Exit statuses, each a number and what it means.
    """

    def enter(function: Callable[..., int]) -> Callable[..., int]:
        paragraphs = (inspect.getdoc(function) or "").split("\n\n")
        words = "\n\n".join(" ".join(paragraph.split()) for paragraph in paragraphs)
        parent.command(
            function.__name__,
            cls=Command,
            help=words,
            epilog=epilog(*examples, status=status),
            rich_help_panel=panel,
        )(_flat(function))
        return function

    return enter


@dataclass_transform(frozen_default=True, kw_only_default=True)
def options(kind: type[Kind]) -> type[Kind]:
    """Make the decorated class a dataclass of options; `panel` is their heading in the help."""
    return dataclass(frozen=True, kw_only=True, eq=False, repr=False)(kind)  # each of their methods costs time


def argument(metavar: str, words: str, *, default: Any = ..., complete: Any = None) -> Any:
    """Return a field of a dataclass that is an argument of the command line, required unless it has a default."""
    shown = typer.Argument(default, metavar=metavar, help=words, autocompletion=complete)
    return field(default=MISSING if default is ... else default, metadata={"typer": shown})


def option(
    metavar: str | None,
    words: str,
    *names: str,
    default: Any = None,
    panel: str | None = None,
    complete: Any = None,
    **limits: Any,
) -> Any:
    """Return a field of a dataclass that is an option; without `names` it is called like the field.

    Parameters
    ----------
    metavar : str or None
        What its value is called in the help.
    words : str
        Its help.
    *names : str
        Such as ``"--method"``.
    default : object
        Its default; ``...`` where it is required.
    panel : str, optional
        Heading in the help, if it is not the one of its dataclass.
    complete : callable, optional
        What the Tab key offers.
    **limits : object
        Such as ``max``.
    """
    shown = typer.Option(
        default, *names, metavar=metavar, help=words, rich_help_panel=panel, autocompletion=complete, **limits
    )
    return field(default=MISSING if default is ... else default, metadata={"typer": shown})


def flag(words: str, name: str) -> Any:
    """Return a field of a dataclass that is an option without a value."""
    return option(None, words, name, default=False)


def epilog(*examples: Example, status: Sequence[str] = (DONE, USAGE)) -> str:
    """Return the end of a help text."""
    shown = "\n\n".join(f"  # {words}\n{_broken(line)}" for words, line in examples)
    return f"Examples:\n{shown}\n\nExit status:\n" + "\n".join(f"  {one}" for one in status)


def _broken(line: str) -> str:
    """Return a command on lines that a shell joins, broken before its options."""
    lines = [" "]
    for part in re.split(r" (?=--)", line):
        if len(lines[-1]) + len(part) + 3 > WIDTH:
            lines[-1] += " \\"
            lines.append("     ")
        lines[-1] += f" {part}"
    return "\n".join(lines)


def _flat(function: Callable[..., int]) -> Callable[..., int]:
    """Return a function whose parameters are the fields of the dataclasses that `function` takes.

    typer reads the options of a command from the signature of its function.
    """
    kinds = {name: one.annotation for name, one in inspect.signature(function).parameters.items()}
    parameters = [parameter for kind in kinds.values() for parameter in _parameters(kind)]

    def called(**given: Any) -> int:
        return function(
            **{name: kind(**{one.name: given[one.name] for one in fields(kind)}) for name, kind in kinds.items()}
        )

    called.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined] # what typer reads
    called.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    return called


def _parameters(kind: Any) -> list[inspect.Parameter]:
    """Return the options of a dataclass, each under its own heading or else that of the class that declares it."""
    types = get_type_hints(kind)
    found = []
    for one in fields(kind):
        shown = copy(one.metadata["typer"])
        if isinstance(shown, OptionInfo) and shown.rich_help_panel is None:
            declaring: Any = next(base for base in kind.__mro__ if one.name in inspect.get_annotations(base))
            shown.rich_help_panel = declaring.panel
        found.append(
            inspect.Parameter(one.name, inspect.Parameter.KEYWORD_ONLY, default=shown, annotation=types[one.name])
        )
    return found

"""How commands are declared: a dataclass of options, whose docstring is the help."""

import inspect
import sys
from collections.abc import Callable, Iterable, Sequence
from contextlib import redirect_stdout
from dataclasses import MISSING, dataclass, field, fields
from importlib import import_module
from textwrap import indent
from typing import Any, TypeVar, cast, dataclass_transform, get_type_hints

import typer
from typer.core import TyperCommand, TyperGroup
from typer.models import OptionInfo

from errbar.cli import completion
from errbar.cli.words import listed
from errbar.errors import InvalidInputError

DONE = "0 done"
GATE = "1 a gate of --fail-if failed"
FAILED = "1 a gate of --fail-if failed, or errbar store verify found damage"
DAMAGED = "1 a record is damaged"
USAGE = "2 bad input or usage: one line on standard error says which"
FITS = "3 fits failed: standard error names them; the other learners were compared"
STOPPED = "130 stopped; with --store, the same command goes on"

LEARNERS, NUMBERS, SPLITS, QUESTION = "Data and learners", "The numbers", "Splits", "Question"
SIMULATION, WORK, OUTPUT = "Simulation", "Fits", "Output"
PLACES = {
    name: place
    for place, name in enumerate((LEARNERS, NUMBERS, SPLITS, SIMULATION, QUESTION, WORK, OUTPUT))
}
"""Where headings of options stand in the help; those of a single command come first."""

COMPLETERS: dict[str | None, Any] = {
    "COLUMN": completion.columns,
    "COLUMNS": completion.columns,
    "LEARNER": completion.learners,
    "MODEL": completion.models,
    "PLAN": completion.plans,
}
"""What the Tab key offers, by what a value is called in the help."""

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


def group(name: str, *, status: Sequence[str]) -> Callable[[Callable[..., None]], typer.Typer]:
    """Make an empty group of commands of the decorated function, whose parameters are the options of the group."""

    def enter(function: Callable[..., None]) -> typer.Typer:
        made = typer.Typer(
            name=name,
            cls=Group,
            pretty_exceptions_enable=False,
            context_settings={"help_option_names": ["-h", "--help"]},
        )
        made.callback(**_help(function, status))(function)
        return made

    return enter


def command(
    parent: typer.Typer,
    module: str,
    *,
    panel: str | None = None,
    heading: str | None = None,
    status: Sequence[str] = (DONE, USAGE),
) -> Callable[[type[Kind]], type[Kind]]:
    """Enter the decorated class of options as a command: its docstring is the help.

    The function of its name in `module`, in small letters and without Run, takes the options, does the work and returns
    the exit status. That module is imported when the command runs, so that help comes at once.

    Parameters
    ----------
    parent : typer.Typer
        Group that it belongs to.
    module : str
        Module of `errbar.cli`.
    panel : str, optional
        Heading in the help of the group.
    heading : str, optional
        Heading of the options that are its own.
    status : sequence of str
        Exit statuses, each a number and what it means.
    """

    def enter(kind: type[Kind]) -> type[Kind]:
        name, made = kind.__name__.removesuffix("Run").lower(), options(heading)(kind)

        def called(**given: Any) -> int:
            does: Callable[[Kind], int] = getattr(import_module(f"errbar.cli.{module}"), name)
            return does(
                made(**{option: _readable(option, value) for option, value in given.items()})
            )

        # typer reads the options of a command from the signature of its function.
        parameters = _parameters(made)
        called.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined] # what typer reads
        called.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
        parent.command(name, cls=Command, rich_help_panel=panel, **_help(made, status))(called)
        return made

    return enter


def _readable(option: str, value: Any) -> Any:
    """Return text that the locale could not decode as the UTF-8 that it most likely is; places of files stay as they are."""
    if isinstance(value, list):
        return [_readable(option, one) for one in value]
    if not isinstance(value, str) or option in ("data", "scores"):
        return value
    try:
        return value.encode(errors="surrogateescape").decode()
    except UnicodeError:
        shown = value.encode("ascii", "backslashreplace").decode()
        raise InvalidInputError(
            f"--{option.replace('_', '-')} '{shown}' is no text in UTF-8"
        ) from None


def _help(declared: Callable[..., Any], status: Sequence[str]) -> dict[str, Any]:
    """Return help from the docstring of a command or group; the examples, as they are written there, and the statuses end it."""
    words, _, examples = (inspect.getdoc(declared) or "").partition("\n\nExamples\n--------\n")
    paragraphs = [" ".join(paragraph.split()) for paragraph in words.split("\n\n")]
    statuses = "\n".join(status)
    ending = f"Examples:\n{indent(examples, '  ')}\n\nExit status:\n{indent(statuses, '  ')}"
    return {"help": "\n\n".join(paragraphs), "epilog": ending}


@dataclass_transform(frozen_default=True, kw_only_default=True)
def options(heading: str | None = None) -> Callable[[type[Kind]], type[Kind]]:
    """Make the decorated class a dataclass of options, which stand under a heading in the help unless they have their own."""

    def enter(kind: type[Kind]) -> type[Kind]:
        made: Any = dataclass(frozen=True, kw_only=True, eq=False, repr=False)(
            kind
        )  # each of their methods costs time
        for one in fields(made):
            shown = one.metadata["typer"]
            if (
                isinstance(shown, OptionInfo) and shown.rich_help_panel is None
            ):  # those of the bases have theirs
                shown.rich_help_panel = heading
        return cast("type[Kind]", made)

    return enter


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
        What the Tab key offers, if `metavar` does not tell.
    **limits : object
        Such as ``max``.
    """
    complete = complete or COMPLETERS.get(metavar)
    shown = typer.Option(
        default,
        *names,
        metavar=metavar,
        help=words,
        rich_help_panel=panel,
        autocompletion=complete,
        **limits,
    )
    return field(default=MISSING if default is ... else default, metadata={"typer": shown})


def choice(
    metavar: str, words: str, names: Iterable[str], *, default: Any = None, panel: str | None = None
) -> Any:
    """Return a field of a dataclass that is an option with one of some names, which stand in `words` where it has {}."""
    shown = words.format(listed(tuple(names)))
    return option(metavar, shown, default=default, panel=panel, complete=completion.among(names))


def flag(words: str, name: str) -> Any:
    """Return a field of a dataclass that is an option without a value."""
    return option(None, words, name, default=False)


def _parameters(kind: Any) -> list[inspect.Parameter]:
    """Return the options of a dataclass, their headings in the order that all commands have."""
    types, found = get_type_hints(kind), {one.name: one.metadata["typer"] for one in fields(kind)}
    return [
        inspect.Parameter(
            name, inspect.Parameter.KEYWORD_ONLY, default=found[name], annotation=types[name]
        )
        for name in sorted(found, key=lambda name: PLACES.get(found[name].rich_help_panel, -1))
    ]

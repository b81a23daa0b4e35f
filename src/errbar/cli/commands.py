"""How commands are declared: a class of options, whose docstring is the help."""

import inspect
import sys
from collections.abc import Iterable, Mapping, Sequence
from contextlib import redirect_stdout
from dataclasses import MISSING, dataclass, field, fields
from importlib import import_module
from textwrap import indent
from typing import Any, ClassVar, dataclass_transform, get_type_hints

import typer
from typer.core import TyperCommand, TyperGroup
from typer.models import OptionInfo

from errbar.cli import completion
from errbar.cli.words import listed
from errbar.errors import InvalidInputError, MissingPackageError

DONE = "0 done"
GATE = "1 a gate of --fail-if failed"
FAILED = "1 a gate of --fail-if failed, or errbar store info found damage"
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


def option(
    metavar: str | None,
    words: str,
    *names: str,
    default: Any = None,
    panel: str | None = None,
    complete: Any = None,
    **limits: Any,
) -> Any:
    """Return a field of a class of options that is an option; without `names` it is called like the field.

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
        Heading in the help, if it is not the one of its class.
    complete : callable, optional
        What the Tab key offers.
    **limits : object
        Such as ``max``.
    """
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


def argument(metavar: str, words: str, *, default: Any = ..., complete: Any = None) -> Any:
    """Return a field of a class of options that is an argument, required unless it has a default."""
    shown = typer.Argument(default, metavar=metavar, help=words, autocompletion=complete)
    return field(default=MISSING if default is ... else default, metadata={"typer": shown})


def choice(
    metavar: str, words: str, names: Iterable[str], *, default: Any = None, panel: str | None = None
) -> Any:
    """Return a field that is an option with one of some names, which stand in `words` where it has {}."""
    shown = words.format(listed(tuple(names)))
    return option(metavar, shown, default=default, panel=panel, complete=completion.among(names))


def flag(words: str, name: str, **how: Any) -> Any:
    """Return a field that is an option without a value."""
    return option(None, words, name, default=False, **how)


@dataclass_transform(
    frozen_default=True, kw_only_default=True, field_specifiers=(option, argument, choice, flag)
)
class Options:
    """Base of all classes of options; a command or group of commands is one with keywords.

    Parameters
    ----------
    heading : str, optional
        Heading in the help of the options that are its own, unless they have theirs.
    does : str, optional
        Module beside that of the class whose function, called like the class in small letters, takes the options, does the work
        and returns the exit status. It is imported when the command runs, so that help comes at once.
    commands : mapping of str to str, optional
        Commands of a group, and the module beside that of the class that declares each, or the distribution that brings it by
        an entry point. It is imported when the command is asked for.
    panel : str, optional
        Heading in the help of the group that it belongs to.
    status : sequence of str
        Exit statuses, each a number and what it means.
    """

    does: ClassVar[str | None]
    commands: ClassVar[Mapping[str, str]]
    panel: ClassVar[str | None]
    status: ClassVar[Sequence[str]]

    def __init_subclass__(
        cls,
        *,
        heading: str | None = None,
        does: str | None = None,
        commands: Mapping[str, str] | None = None,
        panel: str | None = None,
        status: Sequence[str] = (DONE, USAGE),
    ) -> None:
        # Each of the other methods of a dataclass costs time.
        dataclass(frozen=True, kw_only=True, eq=False, repr=False)(cls)
        cls.does, cls.commands, cls.panel, cls.status = does, commands or {}, panel, status
        for one in fields(cls):  # type: ignore[arg-type] # a dataclass since the first line
            shown = one.metadata["typer"]
            if isinstance(shown, OptionInfo) and shown.rich_help_panel is None:
                shown.rich_help_panel = heading


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

    def get_command(self, ctx: Any, cmd_name: str) -> Any:  # noqa: ARG002 - click's signature
        """Return a command, or None; `commands` holds the module of one that nobody has asked for."""
        found: Any = self.commands.get(cmd_name)
        if isinstance(found, str):
            kind = _declared(found, cmd_name)
            if kind is None:
                return None
            found = self.commands[cmd_name] = made(kind)
        return found

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Return the command that is asked for, and the words after its name."""
        brought = self.commands.get(args[0])
        if isinstance(brought, str) and self.get_command(ctx, args[0]) is None:
            raise MissingPackageError(f"errbar {args[0]} needs more: pip install {brought}")
        return super().resolve_command(ctx, args)

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Read the words after the name of the group."""
        if not args and not ctx.resilient_parsing:
            with redirect_stdout(sys.stderr):
                self.get_help(ctx)
            ctx.exit(2)
        return super().parse_args(ctx, args)


def _declared(place: str, name: str) -> type[Options] | None:
    """Return the options of a command from a module, or from a distribution if that is installed."""
    if "." in place:
        declared: type[Options] = getattr(import_module(place), name.capitalize())
        return declared
    from importlib.metadata import entry_points  # takes a while, and only this command needs it

    found = entry_points(group="errbar.commands", name=name)
    return next((one.load() for one in found), None)


def made(kind: type[Options], *, add_completion: bool = False) -> Any:
    """Return the command or group of a class of options.

    Its docstring is the help; the examples, as they are written there, and the statuses end it.
    """
    name, beside = kind.__name__.lower(), kind.__module__.rpartition(".")[0]

    def called(**given: Any) -> Any:
        if kind.does is not None:
            does = getattr(import_module(f"{beside}.{kind.does}"), name)
            return does(kind(**{one: _readable(one, value) for one, value in given.items()}))
        return None

    # typer reads the options of a command from the signature of its function; headings stand in the order of all commands.
    types = get_type_hints(kind)
    found = {one.name: one.metadata["typer"] for one in fields(kind)}  # type: ignore[arg-type]
    names = sorted(found, key=lambda name: PLACES.get(found[name].rich_help_panel, -1))
    called.__annotations__ = {one: types[one] for one in names}
    called.__signature__ = inspect.Signature(  # type: ignore[attr-defined]
        [
            inspect.Parameter(
                one, inspect.Parameter.KEYWORD_ONLY, default=found[one], annotation=types[one]
            )
            for one in names
        ]
    )
    words, _, examples = (inspect.getdoc(kind) or "").partition("\n\nExamples\n--------\n")
    paragraphs = [" ".join(paragraph.split()) for paragraph in words.split("\n\n")]
    statuses = "\n".join(kind.status)
    shown: dict[str, Any] = {
        "help": "\n\n".join(paragraphs),
        "epilog": f"Examples:\n{indent(examples, '  ')}\n\nExit status:\n{indent(statuses, '  ')}",
        "rich_help_panel": kind.panel,
    }
    app = typer.Typer(
        name=name,
        add_completion=add_completion,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    if not kind.commands:
        app.command(name, cls=Command, **shown)(called)
        return typer.main.get_command(app)
    app.callback(cls=Group, **shown)(called)
    group = typer.main.get_command(app)
    group.commands |= {  # type: ignore[attr-defined] # a group
        name: place if "-" in place else f"{beside}.{place}"
        for name, place in kind.commands.items()
    }
    return group


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

"""The command line as typer knows it, from the tables of commands and options in ``commands.toml``."""

import inspect
import re
import sys
import tomllib
from contextlib import redirect_stdout
from functools import partial
from pathlib import Path
from pkgutil import resolve_name
from textwrap import indent
from typing import Any

import typer
from typer.core import TyperCommand, TyperGroup

from errbar._plain import Data, Names
from errbar.errors import MissingPackageError

_TYPES: Any = {"text": str, "int": int, "float": float, "flag": bool}


def declared(path: Path) -> Data:
    """Return the tables of a file."""
    return tomllib.loads(path.read_text(encoding="utf-8"))


TABLES = declared(Path(__file__).with_name("commands.toml"))
BROUGHT = "errbar.commands"
"""Entry points of distributions that bring a command; its table is empty."""


def made(path: str, tables: Data = TABLES) -> Any:
    """Return the command, or group of commands, of a name such as ``errbar store info``."""
    about, name = tables["commands"][path], path.rpartition(" ")[2]
    if not about:
        from importlib.metadata import entry_points  # takes a while, and only this command needs it

        return next((one.load() for one in entry_points(group=BROUGHT, name=name)), None)
    options = [tables["options"][group] for group in about["options"]]
    found = {
        one: _parameter(one, option, group.get("heading"))
        for group in options
        for one, option in group.items()
        if one != "heading"
    }

    def called(**given: Any) -> Any:
        return resolve_name(about["does"])(**given) if "does" in about else None

    # typer reads the options of a command from the signature of its function.
    called.__annotations__ = {one: shown.annotation for one, shown in found.items()}
    called.__signature__ = inspect.Signature(list(found.values()))  # type: ignore[attr-defined]
    statuses = "\n".join(TABLES["status"][status] for status in about["status"])
    examples = indent(about["examples"], "  ")
    shown: Data = {
        "help": re.sub(r"(?<!\n)\n(?!\n)", " ", about["help"]),
        "epilog": f"Examples:\n{examples}\n\nExit status:\n{indent(statuses, '  ')}",
        "rich_help_panel": about.get("panel"),
    }
    app = typer.Typer(
        name=name,
        add_completion=path == "errbar",
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    inner = {
        other.rpartition(" ")[2]: (other, tables)
        for other in tables["commands"]
        if other.rpartition(" ")[0] == path
    }
    if inner:
        app.callback(cls=Group, **shown)(called)
    else:
        app.command(name, cls=Command, **shown)(called)
    command: Any = typer.main.get_command(app)
    for one in command.params:
        one.process_value = partial(_converted, one.process_value, one)
    if inner:
        command.commands |= inner
    return command


def _parameter(name: str, about: Data, heading: str | None) -> inspect.Parameter:
    """Return an option or argument of a command, as a parameter of its function."""
    words, kind = " ".join(about["help"].split()), _TYPES[about.get("type", "text")]
    choices = about.get("choices", ())
    if "{}" in words:
        *others, last = _words(choices)
        words = words.replace("{}", f"{', '.join(others)} or {last}")
    offers = about.get("complete", choices)

    def offered(incomplete: str) -> Names:
        return [word for word in _words(offers) if word.startswith(incomplete)]

    default = about.get("default", False if kind is bool else None)
    default = ... if about.get("required") else default
    shown: Data = {
        "metavar": about.get("value"),
        "help": words,
        "autocompletion": offered if offers else None,
        "max": about.get("max"),
    }
    if about.get("argument"):
        option = typer.Argument(default, **shown)
    else:
        written = about.get("name", f"--{name.replace('_', '-')}")
        option = typer.Option(default, written, rich_help_panel=heading, **shown)
    return inspect.Parameter(
        name,
        inspect.Parameter.KEYWORD_ONLY,
        default=option,
        annotation=list[kind] if about.get("many") else kind,  # type: ignore[valid-type]
    )


def _words(choices: Any) -> Names:
    """Return words to choose from, which are listed, or come from the function at a place."""
    return resolve_name(choices)() if isinstance(choices, str) else list(choices)


def _converted(convert: Any, parameter: Any, ctx: Any, value: Any) -> Any:
    """Let typer convert numbers only: it does so by pydantic, whose import takes as long as a small comparison."""
    text = parameter.type_descriptor.annotation in (str, list[str])
    given = value not in (None, ())
    done = text or isinstance(value, int | float) if given else not parameter.required
    # That a flag is set may be the end, as with --help.
    return value if done and value is not True else convert(ctx, value)


class _Own:
    """What is not as typer has it."""

    epilog: str | None

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Show the help, which ends with the epilog as it was written: typer joins its lines."""
        ending, self.epilog = self.epilog, None
        super().format_help(ctx, formatter)  # type: ignore[misc] # of typer's class
        self.epilog = ending
        typer.echo(indent(ending or "", " "))


class Command(_Own, TyperCommand):
    """A command."""


class Group(_Own, TyperGroup):
    """Commands under one name; called without any, it shows its help on standard error and ends with status 2."""

    def get_command(self, ctx: Any, cmd_name: str) -> Any:  # noqa: ARG002 - click's signature
        """Return a command, or None; those that nobody has asked for are not made."""
        found: Any = self.commands.get(cmd_name)
        if isinstance(found, tuple):
            found = self.commands[cmd_name] = made(*found)
        return found

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Return the command that is asked for, and the words after its name."""
        name = args[0]
        if name in self.commands and self.get_command(ctx, name) is None:
            raise MissingPackageError(f"errbar {name} needs more: pip install errbar-{name}")
        return super().resolve_command(ctx, args)

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Read the words after the name of the group."""
        if not args and not ctx.resilient_parsing:
            with redirect_stdout(sys.stderr):
                self.get_help(ctx)
            ctx.exit(2)
        return super().parse_args(ctx, args)


# Words that the help shows, and that the Tab key offers as values of options.

_PACKAGE = Path(__file__).parents[1]


def _table(*place: str) -> dict[str, Any]:
    """Return a table of the package, without importing it: that takes too long for help."""
    with _PACKAGE.joinpath(*place).open("rb") as file:
        return tomllib.load(file)


def losses() -> Names:
    """Return the keys of the losses."""
    return list(_table("metrics", "metrics.toml")["losses"])


def rows() -> Names:
    """Return what a row of a file may be said to be: the kinds of splits, or examples."""
    kinds = _table("plans", "kinds.toml")
    return ["examples", *(key for key, facts in kinds.items() if "stated" in facts)]


def metrics() -> Names:
    """Return the keys of the losses and metrics."""
    from errbar.metrics import LOSSES, METRICS

    return [*LOSSES, *METRICS]


def methods() -> Names:
    """Return the keys of the methods."""
    from errbar.methods import catalogue

    return list(catalogue())

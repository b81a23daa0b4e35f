"""How help is shown: as plain paragraphs and columns that fit any terminal, with examples that can be copied."""

import inspect
import re
import shlex
import textwrap
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from typer.core import TyperCommand, TyperGroup

from errbar.cli.terminal import styled, width_of

WIDEST = 100
NARROW = 64
LONGEST_HEAD = 26
KEPT = "\xa0"  # a space where no line is broken

DONE = "0 done"
GATE = "1 a gate of --fail-if failed"
DAMAGED = "1 a record is damaged"
USAGE = "2 bad input or usage: one line on standard error says which"
FITS = "3 fits failed: the learners that are left were compared, and standard error says which failed and why"
STOPPED = "130 stopped; with --store, the same command goes on"


def epilog(*examples: tuple[str, str], status: Sequence[str] = (DONE, USAGE)) -> str:
    """Return the end of a help text.

    Parameters
    ----------
    *examples : tuple of str
        What each example does, and its command.
    status : sequence of str
        Exit statuses, each a number and what it means.
    """
    shown = [f"  # {words}\n  {command}" for words, command in examples]
    return "\n\n".join(
        ["Examples:\n" + shown[0], *shown[1:], "\n".join(["Exit status:", *(f"  {one}" for one in status)])]
    )


def commands_in(text: str) -> list[str]:
    """Return the commands in the examples of an epilog."""
    return re.findall(r"^ *(errbar .*)$", text, re.MULTILINE)


class Command(TyperCommand):
    """A command with help like a manual page."""

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Write the help."""
        formatter.write(_page(self, ctx))


class Group(TyperGroup):
    """Commands under one name, with help like a manual page."""

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Write the help."""
        formatter.write(_page(self, ctx))


def _page(command: Any, ctx: Any) -> str:
    width = min(width_of(fallback=80), WIDEST)
    pieces = " ".join(command.collect_usage_pieces(ctx))
    parts = [
        _wrapped(f"{_bold('Usage:')} {ctx.command_path} {_plain_pieces(pieces)}", width, "       "),
        *(_wrapped(text, width) for text in _paragraphs(command.help)),
        *_commands(command, ctx, width),
        *_parameters(command, ctx, width),
        *_ending(command.epilog or "", width),
    ]
    return "\n\n".join(parts) + "\n"


def _plain_pieces(pieces: str) -> str:
    return re.sub(r"[{}]", "", pieces)


def _paragraphs(text: str | None) -> list[str]:
    found = inspect.cleandoc(text or "").split("\n\n")
    return [" ".join(part.split()) for part in found if part.strip()]


def _commands(command: Any, ctx: Any, width: int) -> Iterable[str]:
    panels: dict[str, list[tuple[str, str]]] = {}
    for name in getattr(command, "commands", ()):
        inner = command.get_command(ctx, name)
        if not inner.hidden:
            words = _paragraphs(inner.help)[0]
            panels.setdefault(_panel(inner, "Commands"), []).append((name, words))
    longest = max((len(name) for rows in panels.values() for name, _ in rows), default=0)
    return [_block(title, rows, width, longest) for title, rows in panels.items()]


def _parameters(command: Any, ctx: Any, width: int) -> Iterable[str]:
    panels: dict[str, list[tuple[str, str]]] = {}
    for parameter in command.get_params(ctx):
        if getattr(parameter, "hidden", False):
            continue
        argument = parameter.param_type_name == "argument"
        title = _panel(parameter, "Arguments" if argument else "Options")
        panels.setdefault(title, []).append((_head(parameter), _meaning(parameter)))
    last = [panels.pop(name) for name in ("Options",) if name in panels]  # the general ones: --help and the like
    every = [*panels.items(), *(("Options", rows) for rows in last)]
    longest = max((len(head) for _, rows in every for head, _ in rows), default=0)
    return [_block(title, rows, width, min(longest, LONGEST_HEAD)) for title, rows in every]


def _panel(thing: Any, otherwise: str) -> str:
    panel = getattr(thing, "rich_help_panel", None)
    return panel if isinstance(panel, str) else otherwise


def _head(parameter: Any) -> str:
    if parameter.param_type_name == "argument":
        return str(parameter.metavar or parameter.name.upper())
    names = ", ".join(sorted([*parameter.opts, *parameter.secondary_opts], key=len))
    takes = not (parameter.is_flag or getattr(parameter, "count", False))
    return f"{names} {parameter.metavar or parameter.name.upper()}" if takes else names


def _meaning(parameter: Any) -> str:
    text = " ".join((getattr(parameter, "help", None) or "").split())
    text = text if not text or text.endswith(".") else f"{text}."
    marks = ["required"] if parameter.required else []
    marks += ["repeatable"] if getattr(parameter, "multiple", False) else []
    default = parameter.default
    if isinstance(default, (int, float, str, Path)) and not getattr(parameter, "is_flag", False):
        marks.append(f"default: {default}")
    return f"{text} [{'; '.join(marks)}]".replace("[default: ", f"[default:{KEPT}") if marks else text


def _block(title: str, rows: Sequence[tuple[str, str]], width: int, head_width: int) -> str:
    lines = [_bold(f"{title}:")]
    for head, text in rows:
        lines += _row(head, text, width, head_width)
    return "\n".join(lines)


def _row(head: str, text: str, width: int, head_width: int) -> list[str]:
    """Return a head with its text beside it, or below it where there is no room."""
    shown = styled(head, fg="cyan")
    if width < NARROW:
        head_width = 2
    indent = " " * (head_width + 4)
    wrapped = textwrap.wrap(text, width, initial_indent=indent, subsequent_indent=indent, break_on_hyphens=False)
    lines = [line.replace(KEPT, " ") for line in wrapped]
    if len(head) > head_width or not lines:
        return [f"  {shown}", *lines]
    return [f"  {shown}{' ' * (head_width - len(head))}  {lines[0].strip()}", *lines[1:]]


def _ending(text: str, width: int) -> list[str]:
    """Return an epilog: titles in bold, commands over several lines where they are long, the rest wrapped."""
    parts = []
    for part in text.split("\n\n"):
        lines = []
        for line in part.splitlines():
            if not line.startswith(" "):
                lines.append(_bold(line))
            elif line.lstrip().startswith("errbar "):
                lines += _continued(line.strip(), width)
            else:
                remark = line.lstrip().startswith("#")
                lines.append(styled(_wrapped(line, width, "  # " if remark else " " * 6), dim=remark))
        parts.append("\n".join(lines))
    return [part for part in parts if part]


def _continued(command: str, width: int) -> list[str]:
    """Return a command on lines that a shell joins, broken before its options."""
    words: list[str] = []
    for word in shlex.split(command):
        quoted = _quoted(word)
        if words and words[-1].startswith("-") and " " not in words[-1] and not word.startswith("-"):
            words[-1] += f" {quoted}"
        else:
            words.append(quoted)
    lines = [f"  {words[0]}"]
    for word in words[1:]:
        if len(lines[-1]) + len(word) + 3 > width:
            lines[-1] += " \\"
            lines.append(f"      {word}")
        else:
            lines[-1] += f" {word}"
    return lines


def _quoted(word: str) -> str:
    return word if re.fullmatch(r"[\w@%+=:,./-]+", word) else f'"{word}"' if "'" in word else f"'{word}'"


def _wrapped(text: str, width: int, deeper: str = "") -> str:
    return textwrap.fill(text, width, subsequent_indent=deeper, break_on_hyphens=False)


def _bold(text: str) -> str:
    return styled(text, bold=True)

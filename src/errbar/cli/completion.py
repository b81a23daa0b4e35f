"""What the Tab key offers. Nothing heavy is imported: an answer must come at once."""

import ast
import csv
import gzip
import lzma
import os
import shlex
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from pkgutil import iter_modules
from typing import Any

import typer

from errbar.cli.modules import PUBLIC, classes, located, parsed, public_classes

Offer = tuple[str, str]

LONGEST_HEADER = 100_000


def among(names: Mapping[str, str] | Iterable[str]) -> Callable[[str], list[Offer]]:
    """Return a completer that offers some names, with what they mean where that is known."""
    offers = list(names.items()) if isinstance(names, Mapping) else [(name, "") for name in names]

    def complete(incomplete: str) -> list[Offer]:
        return [offer for offer in offers if offer[0].startswith(incomplete)]

    return complete


def method_keys() -> dict[str, str]:
    """Return the keys of the methods, each with the first line of its documentation.

    They are read from the syntax of the files of the methods: importing those takes three times as long as a user
    waits for the Tab key.
    """
    found = {}
    for file in sorted((Path(__file__).parents[1] / "methods").glob("_*.py")):
        for node in parsed(file):
            for decorator in getattr(node, "decorator_list", ()):
                if (
                    isinstance(decorator, ast.Call)
                    and getattr(decorator.func, "id", "") == "register"
                ):
                    summary = (ast.get_docstring(node) or "").partition("\n")[0]  # type: ignore[arg-type] # a function
                    found[ast.literal_eval(decorator.args[0])] = summary.rstrip(".")
    return dict(sorted(found.items()))


def methods(incomplete: str) -> list[Offer]:
    """Offer the keys of the methods."""
    return among(method_keys())(incomplete)


def plans(incomplete: str) -> list[Offer]:
    """Offer the plans that can be written as text."""
    from errbar.cli.plan_text import writable

    return [(name, "") for name in writable() if name.lower().startswith(incomplete.lower())]


def models(incomplete: str) -> list[Offer]:
    """Offer packages, modules and classes for what is typed so far, without importing any."""
    before, equals, path = incomplete.rpartition("=")
    if ".py" in path or "/" in path or "(" in path:
        return []
    return [(before + equals + name, "") for name in _dotted(path)]


def columns(ctx: typer.Context, incomplete: str) -> list[Offer]:
    """Offer the columns of the file that the command is about."""
    scores = ctx.params.get("scores")
    given = [
        ctx.params.get("data"),
        *([scores] if isinstance(scores, str) else scores or ()),
        *ctx.args,
    ]
    files = [Path(word).expanduser() for word in given if word]
    return among(next((_header(file) for file in files if file.is_file()), []))(incomplete)


def learners(ctx: typer.Context, incomplete: str) -> list[Offer]:
    """Offer the names of the models given, or the columns of a file of scores."""
    if "model" not in ctx.params:
        return columns(ctx, incomplete)
    from errbar.cli.models import name_of

    return among(filter(None, map(name_of, ctx.params["model"] or ())))(incomplete)


def _dotted(path: str) -> Iterator[str]:
    """Yield what a dotted path may go on with; a lone module is opened at once."""
    package, dot, start = path.rpartition(".")
    if not dot:
        if path and "sklearn".startswith(path):
            yield from _members("sklearn", "")
        if PUBLIC.match(path):
            yield from sorted(name for name in public_classes() if name.startswith(path))
        return
    found = list(_members(package, start))
    if len(found) == 1 and not PUBLIC.match(found[0].rpartition(".")[2]):
        found = list(_members(found[0], "")) or found
    yield from found


def _members(package: str, start: str) -> Iterator[str]:
    spec = located(package)
    if spec is None or spec.origin is None:
        return
    names = set(classes(Path(spec.origin)))
    names |= {module.name for module in iter_modules(spec.submodule_search_locations or [])} - {
        "tests"
    }
    for name in sorted(names):
        if name.startswith(start) and (start.startswith("_") or not name.startswith("_")):
            yield f"{package}.{name}"


def _header(file: Path) -> list[str]:
    """Return the columns of a text file, also of a compressed one."""
    opened: Any = {".gz": gzip.open, ".xz": lzma.open}.get(file.suffix, open)
    try:
        with opened(file, "rt", encoding="utf-8-sig") as stream:
            line = stream.readline(LONGEST_HEADER)
    except (OSError, ValueError, EOFError, lzma.LZMAError):
        return []
    return [name.strip() for name in next(csv.reader([line]), [])]


def rejoin() -> None:
    """Undo that bash takes ``name=value`` for three words, so that typer recognises options and models.

    What stands before the equals sign of the word that is being completed is left out, unless it is an option: bash
    keeps it by itself.
    """
    position = os.environ.get("COMP_CWORD", "")
    if not (
        os.environ.get("_ERRBAR_COMPLETE", "").startswith("complete_bash") and position.isdigit()
    ):
        return
    try:
        words = shlex.split(os.environ.get("COMP_WORDS", ""))
    except ValueError:  # a quotation mark that is still open
        return
    before, current = words[: int(position)], "".join(words[int(position) :][:1])
    if current == "=":
        before, current = [*before, "="], ""
    joined: list[str] = []
    for word in before:
        if joined and (word == "=" or joined[-1].endswith("=")):
            joined[-1] += word
        else:
            joined.append(word)
    if joined[-1:] and joined[-1].endswith("="):
        name = joined.pop().removesuffix("=")
        joined += [name] if name.startswith("--") else []
    os.environ["COMP_WORDS"] = shlex.join(joined) + " " + (shlex.quote(current) if current else "")
    os.environ["COMP_CWORD"] = str(len(joined))

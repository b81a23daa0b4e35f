"""What the Tab key offers. Nothing heavy is imported: an answer must come at once."""

import ast
import csv
import os
import re
import shlex
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from errbar.cli import words

Offer = tuple[str, str]
Completer = Callable[[Any, list[str], str], list[Offer]]

# The function may stand after constants and helpers, but not after another entry of the catalogue.
_ENTRY = re.compile(
    r'^@register\(\s*"([^"]+)"(?:(?!^@register).)*?^def \w+\(.*?^    r?"""(.*?)(?:\.?\n|""")', re.MULTILINE | re.DOTALL
)
TABLES = (".csv", ".gz", ".xz", ".txt", ".tsv")
_PUBLIC = re.compile(r"^[A-Z]\w*$")


def among(names: Mapping[str, str] | Iterable[str]) -> Completer:
    """Return a completer that offers some names."""
    offers = [(name, names[name]) if isinstance(names, Mapping) else (name, "") for name in names]

    def complete(ctx: Any, args: list[str], incomplete: str) -> list[Offer]:  # noqa: ARG001 - typer's signature
        return [offer for offer in offers if offer[0].startswith(incomplete)]

    return complete


@cache
def method_keys() -> dict[str, str]:
    """Return the keys of the methods, each with its first line, read from their files without running them."""
    spec = find_spec("errbar")
    folder = Path(spec.origin).parent / "methods" if spec and spec.origin else Path()
    texts = [path.read_text(encoding="utf-8") for path in sorted(folder.glob("_*.py"))]
    found = {match[1]: " ".join(match[2].split()) for text in texts for match in _ENTRY.finditer(text)}
    return dict(sorted(found.items()))


def methods(ctx: Any, args: list[str], incomplete: str) -> list[Offer]:
    """Offer the keys of the methods."""
    return among(method_keys())(ctx, args, incomplete)


def plans(ctx: Any, args: list[str], incomplete: str) -> list[Offer]:  # noqa: ARG001 - typer's signature
    """Offer plans as text."""
    return [(name, "") for name in words.PLANS if name.lower().startswith(incomplete.lower())]


def models(ctx: Any, args: list[str], incomplete: str) -> list[Offer]:  # noqa: ARG001 - typer's signature
    """Offer packages, modules and classes for what is typed so far, without importing any."""
    before, equals, path = incomplete.rpartition("=")
    if ".py" in path or "/" in path or "(" in path:
        return []
    return [(before + equals + name, "") for name in _dotted(path)]


def columns(ctx: Any, args: list[str], incomplete: str) -> list[Offer]:  # noqa: ARG001 - typer's signature
    """Offer the columns of the file that the command is about: the option without its value hides it from typer."""
    typed = _split(os.environ.get("COMP_WORDS") or os.environ.get("_TYPER_COMPLETE_ARGS", ""))
    files = [word for word in typed if Path(word).suffix in TABLES and Path(word).is_file()]
    return [(name, "") for name in _header(files[0]) if name.startswith(incomplete)] if files else []


def learners(ctx: Any, args: list[str], incomplete: str) -> list[Offer]:
    """Offer the names of the models given, or the columns of a file of scores."""
    given = [text.partition("=")[0] for text in ctx.params.get("model") or () if "=" in text]
    return [(name, "") for name in given if name.startswith(incomplete)] or (
        [] if "model" in ctx.params else columns(ctx, args, incomplete)
    )


def _dotted(path: str) -> Iterator[str]:
    """Yield what a dotted path may go on with; a lone module is opened at once."""
    package, dot, start = path.rpartition(".")
    if not dot:
        if path and "sklearn".startswith(path):
            yield from _members("sklearn", "")
        return
    found = list(_members(package, start))
    if len(found) == 1 and not _PUBLIC.match(found[0].rpartition(".")[2]):
        found = list(_members(found[0], "")) or found
    yield from found


def _members(package: str, start: str) -> Iterator[str]:
    folder = _folder(package)
    if folder is None:
        return
    names = set(_classes(folder / "__init__.py" if folder.is_dir() else folder))
    if folder.is_dir():
        names |= {child.stem for child in folder.glob("[a-z]*.py")}
        names |= {child.name for child in folder.iterdir() if (child / "__init__.py").is_file()} - {"tests"}
    for name in sorted(names):
        if name.startswith(start) and (start.startswith("_") or not name.startswith("_")):
            yield f"{package}.{name}"


def _folder(package: str) -> Path | None:
    """Return the folder or file of a module, by looking for it on disk only."""
    first, *rest = package.split(".")
    try:
        spec = find_spec(first)
    except (ImportError, ValueError):
        return None
    if spec is None or spec.origin is None:
        return None
    place = Path(spec.origin).parent if spec.submodule_search_locations else Path(spec.origin)
    for name in rest:
        inner = place / name
        place = inner if inner.is_dir() else inner.with_suffix(".py")
    return place if place.exists() else None


def _classes(file: Path) -> list[str]:
    """Return the classes that a module names in ``__all__`` or defines."""
    try:
        tree = ast.parse(file.read_text(encoding="utf-8"))
    except (OSError, SyntaxError, ValueError):
        return []
    found: list[Any] = [node.name for node in tree.body if isinstance(node, ast.ClassDef)]
    for node in tree.body:
        if isinstance(node, ast.Assign) and any(getattr(target, "id", "") == "__all__" for target in node.targets):
            found += [item.value for item in ast.walk(node.value) if isinstance(item, ast.Constant)]
    return [name for name in found if isinstance(name, str) and _PUBLIC.match(name) and not name.startswith("Base")]


def _header(path: str) -> list[str]:
    """Return the columns of a text file, also of a compressed one."""
    try:
        with _opened(Path(path).expanduser()) as stream:
            line = stream.readline(100_000)
    except (OSError, ValueError, EOFError):
        return []
    return [name.strip() for name in next(csv.reader([line]), [])]


def _opened(path: Path) -> Any:
    if path.suffix == ".gz":
        import gzip

        return gzip.open(path, "rt", encoding="utf-8-sig")
    if path.suffix == ".xz":
        import lzma

        return lzma.open(path, "rt", encoding="utf-8-sig")
    return path.open(encoding="utf-8-sig")


def rejoin() -> None:
    """Undo that bash takes ``name=value`` for three words, so that options are recognised.

    What stands before the last equals sign is left out where it is being completed: bash keeps it by itself.
    """
    if not os.environ.get("_ERRBAR_COMPLETE", "").startswith("complete_bash"):
        return
    given, position = os.environ.get("COMP_WORDS", ""), os.environ.get("COMP_CWORD", "")
    if "=" not in given or not position.isdigit():
        return
    listed = _split(given)
    current = int(position)
    before, now = listed[:current], "".join(listed[current : current + 1])
    if now == "=":
        before, now = [*before, "="], ""
    if before[-1:] == ["="]:
        before = before[:-1] if before[-2:-1] and before[-2].startswith("--") else before[:-2]
    joined: list[str] = []
    for word in before:
        if joined and (word == "=" or joined[-1].endswith("=")):
            joined[-1] += word
        else:
            joined.append(word)
    os.environ["COMP_WORDS"] = shlex.join([*joined, now]) if now else shlex.join(joined) + " "
    os.environ["COMP_CWORD"] = str(len(joined))


def _split(text: str) -> list[str]:
    lexer = shlex.shlex(text, posix=True)
    lexer.whitespace_split, lexer.commenters = True, ""
    found: list[str] = []
    try:
        found.extend(lexer)
    except ValueError:  # a quotation mark that is still open
        found.append(lexer.token)
    return found

"""What fits find in a process besides data and learner, the same in every process that fits, and a part of each fit.

That are the user's files from which learners come, which may change anything when they run, and the settings of
scikit-learn and NumPy.
"""

import ast
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from hashlib import blake2b
from importlib.util import resolve_name
from pathlib import Path
from types import ModuleType
from typing import Any, Self

import numpy as np

from errbar._ways_out import no_way_out
from errbar.engine.reached import installed_package
from errbar.errors import one_line


@dataclass(frozen=True)
class UserFile:
    """A Python file as it was when it was read: a module named after its place and text, or what a function in it makes."""

    path: str
    source: bytes
    factory: str = ""

    @property
    def stem(self) -> str:
        """Name of the module but for what is particular to this place and text."""
        return f"errbar_models_{Path(self.path).stem}"

    @property
    def name(self) -> str:
        """Name of the module."""
        return f"{self.stem}_{blake2b(self.path.encode() + self.source, digest_size=8).hexdigest()}"

    def run(self) -> Any:
        """Return the module, which is run once in each process, or what its function makes."""
        if self.name not in sys.modules:
            module = ModuleType(self.name)
            module.__file__ = self.path
            sys.modules[self.name] = module
            try:
                with no_way_out():
                    exec(compile(self.source, self.path, "exec"), vars(module))
            except BaseException:
                del sys.modules[self.name]
                raise
        made = sys.modules[self.name]
        if self.factory:
            made = getattr(made, self.factory)()
        if self not in _run:
            _run.append(self)
        return made


_run: list[UserFile] = []
"""The files that have been run in this process, and the functions that were called, in their order."""


def load(path: Path, factory: str = "") -> Any:
    """Run a file of the user's, or call a function in it, here and in every process that does fits of the same command."""
    return UserFile(str(path.absolute()), path.read_bytes(), factory).run()


@contextmanager
def of_one_command() -> Iterator[None]:
    """Let the files of a command be those that are loaded in this context."""
    _run.clear()
    try:
        yield
    finally:
        _run.clear()


def stem(module: str) -> str:
    """Return the name of a module, without what is particular to the text of a file."""
    return next((file.stem for file in _run if file.name == module), module)


class Surroundings:
    """Files that have been run and settings, as one process has them; a process that takes them over is alike.

    Parameters
    ----------
    files : tuple of UserFile
        In the order in which they were run.
    config : dict
        Settings of scikit-learn.
    errors : dict
        What NumPy does with floating-point errors.
    problem : str, optional
        Why this process is not alike.
    """

    def __init__(
        self, files: tuple[UserFile, ...], config: Any, errors: Any, problem: str = ""
    ) -> None:
        self.files, self.config, self.errors, self.problem = files, config, errors, problem

    @classmethod
    def here(cls) -> Self:
        """Return those of this process."""
        from sklearn import get_config

        return cls(tuple(_run), get_config(), np.geterr())

    def __reduce__(self) -> Any:
        """Run the files where this arrives, before the learners do, whose classes they define."""
        return _arrived, (self.files, self.config, self.errors)

    @property
    def is_alone(self) -> bool:
        """Tell whether no other files have been run in this process."""
        return set(_run) == set(self.files)

    @contextmanager
    def around(self) -> Iterator[None]:
        """Let fits find them."""
        from sklearn import config_context

        if self.problem:
            raise RuntimeError(self.problem)
        with config_context(**self.config), np.errstate(**self.errors):
            yield

    def digest(self, *, code: bool) -> str:
        """Return a digest of the settings and, with `code`, of the files and what they import of the user's own."""
        parts: list[Any] = [sorted(self.config.items()), sorted(self.errors.items())]
        sources: dict[str, bytes] = {}
        for file in self.files if code else ():
            parts.append(file.source)
            _add_imports(file.source, "", sources)
        return blake2b(repr((parts, sorted(sources.items()))).encode(), digest_size=16).hexdigest()


def _arrived(files: tuple[UserFile, ...], config: Any, errors: Any) -> Surroundings:
    problem = ""
    for file in files:
        try:
            if file not in _run:
                file.run()
        except BaseException as error:  # noqa: BLE001 - whatever a file does in another process
            problem = problem or f"{file.path} raised in the process that fits: {one_line(error)}"
    return Surroundings(files, config, errors, problem)


def _add_imports(source: bytes, package: str, found: dict[str, bytes]) -> None:
    """Add the sources of the user's own modules that a source imports, wherever in it, and of those that they import."""
    for name in _imports(source, package):
        module = sys.modules.get(name)
        place = Path(getattr(module, "__file__", None) or "")
        if name not in found and installed_package(name) is None and place.is_file():
            found[name] = place.read_bytes()
            _add_imports(found[name], getattr(module, "__package__", None) or "", found)


def _imports(source: bytes, package: str) -> Iterator[str]:
    nodes: list[ast.AST] = []
    with suppress(SyntaxError, ValueError):  # of a compiled module
        nodes = [*ast.walk(ast.parse(source))]
    for node in nodes:
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            module = "." * node.level + (node.module or "")
            module = resolve_name(module, package) if node.level else module
            names = [module, *(f"{module}.{alias.name}" for alias in node.names)]
        else:
            continue
        for name in names:
            parts = name.split(".")
            yield from (".".join(parts[: end + 1]) for end in range(len(parts)))

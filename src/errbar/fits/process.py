"""The process that fits: whatever way fits are run, each finds the same files, settings and threads there."""

import random
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from hashlib import blake2b
from pathlib import Path
from types import ModuleType
from typing import Any, Self

import numpy as np


@dataclass(frozen=True)
class UserFile:
    """A Python file of the user's as it was when it was read, which is a module named after its text."""

    path: str
    source: bytes

    @property
    def name(self) -> str:
        """Name of the module."""
        content = blake2b(self.source, digest_size=8).hexdigest()
        return f"errbar_models_{Path(self.path).stem}_{content}"

    def module(self) -> ModuleType:
        """Return the module, which is run once in each process."""
        found = sys.modules.get(self.name)
        if found is None:
            found = sys.modules[self.name] = ModuleType(self.name)
            found.__file__ = self.path
            try:
                exec(compile(self.source, self.path, "exec"), vars(found))
            except BaseException:
                del sys.modules[self.name]
                raise
            loaded[self.name] = self
        return found


loaded: dict[str, UserFile] = {}
"""The files that this process has run, by name of their module."""


def load(path: Path) -> ModuleType:
    """Run a file of the user's, here and in every process that does fits of learners from it."""
    file = UserFile(str(path.absolute()), path.read_bytes())
    module = file.module()
    for other in [one for one in loaded.values() if one.path == file.path]:
        del loaded[other.name]
    loaded[file.name] = file
    return module


@dataclass(frozen=True)
class Settings:
    """What fits find in a process: files that define learners, and settings of scikit-learn and NumPy."""

    files: tuple[UserFile, ...]
    sklearn: dict[str, Any]
    numpy: dict[str, Any]

    @classmethod
    def here(cls, files: tuple[UserFile, ...] = ()) -> Self:
        """Return those of this process."""
        from sklearn import get_config

        return cls(files, get_config(), dict(np.geterr()))

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
        for file in self.files:
            file.module()

    @contextmanager
    def around_fit(self) -> Iterator[list[warnings.WarningMessage]]:
        """Let one fit find them, whatever the fits before it did; give the warnings that it causes."""
        from sklearn import config_context

        with (
            config_context(**self.sklearn),
            np.errstate(**self.numpy),
            warnings.catch_warnings(record=True) as caught,
        ):
            warnings.simplefilter("default")
            yield caught


@contextmanager
def fitting() -> Iterator[None]:
    """Lend the process to fits, with one thread for linear algebra, so that sums come out the same."""
    before, python = np.random.get_state(), random.getstate()  # noqa: NPY002
    try:
        with _thread_pools(len(sys.modules)).limit(limits=1):
            yield
    finally:
        np.random.set_state(before)  # noqa: NPY002
        random.setstate(python)


@lru_cache(maxsize=1)
def _thread_pools(modules: int) -> Any:  # noqa: ARG001 - new modules may bring new pools
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()

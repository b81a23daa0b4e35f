"""What a planted fault is: a deliberate wrong behaviour, put in place of the right one while tests run."""

import inspect
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial, wraps
from importlib import import_module
from typing import Any

from errbar.methods import GLOBAL_TESTS, METHODS, catalogue
from errbar.methods._core.registry import with_common_options

FOUND = "tests/methods/test_found_by_faults.py"
"""Tests of what faults have survived; they come last everywhere."""


@dataclass(frozen=True)
class Fault:
    """A deliberate mistake, and the tests that must notice it.

    `subject` is the key of a method or the name of what is wrong. ``plant()`` puts the mistake into the running process,
    which must be one of its own. Each of `tests` holds the arguments of one run of pytest; they are run in order until
    one fails.
    """

    subject: str
    mistake: str
    plant: Callable[[], None]
    tests: tuple[str, ...]

    @property
    def name(self) -> str:
        return f"{self.subject}: {self.mistake}"


def laws(key: str) -> str:
    """Arguments that try the laws of all methods on one of them."""
    return f"tests/methods/test_conformance.py -k 0-{key}-0-"


def rebind(right: Any, wrong: Any) -> None:
    """Put one function in the place of another wherever the package has bound it: in modules and in their tables."""
    for name, module in list(sys.modules.items()):
        if name.partition(".")[0] == "errbar":
            tables = [value for value in vars(module).values() if type(value) is dict]
            for table in [vars(module), *tables]:
                for bound in [bound for bound, value in table.items() if value is right]:
                    table[bound] = wrong


def install(key: str, function: Callable[..., Any]) -> None:
    """Put a function in the place of a method's."""
    home = METHODS if key in METHODS else GLOBAL_TESTS
    rebind(home[key].function, function)
    home[key] = replace(home[key], function=function)


def of_formula(key: str, mistake: str, wrong: Callable[..., Any], tests: tuple[str, ...]) -> Fault:
    """Return a fault in a method's formula: ``wrong(right, view, options)`` returns the answer in the place of `right`."""

    def plant() -> None:
        method = catalogue()[key]
        install(key, with_common_options(replace(method, function=bent(key, wrong))))

    return Fault(key, mistake, plant, tests)


def bent(key: str, wrong: Callable[..., Any]) -> Callable[..., Any]:
    """Return the formula of a method, gone wrong."""
    right = inspect.unwrap(catalogue()[key].function)

    @wraps(right)
    def formula(view: Any, **options: Any) -> Any:
        return wrong(right, view, options)

    return formula


def of_call(key: str, mistake: str, wrong: Callable[..., Any], tests: tuple[str, ...]) -> Fault:
    """Return a fault in how a method is asked: ``wrong(right, asked)`` returns a result; ``asked`` are the keywords."""

    def plant() -> None:
        right = catalogue()[key].function

        @wraps(right)
        def call(*view: Any, **asked: Any) -> Any:
            return wrong(lambda **options: right(*view, **options), asked)

        install(key, call)

    return Fault(key, mistake, plant, tests)


def of_function(
    path: str, tests: tuple[str, ...], mistakes: Mapping[str, Callable[..., Any]]
) -> Iterator[Fault]:
    """Yield faults in a function or method of a class; each mistake is given the right one before its arguments."""
    for mistake, wrong in mistakes.items():
        yield Fault(path, mistake, partial(_replace, path, wrong), (*tests, FOUND))


def found(path: str) -> tuple[Any, str, Any]:
    """Return where a function is, its name there, and itself: ``"module.function"`` or ``"module:Class.method"``."""
    home, _, name = path.rpartition(".")
    module, _, owner = home.partition(":")
    place = import_module(f"errbar.{module}")
    if owner:
        place = getattr(place, owner)
    return place, name, inspect.getattr_static(place, name)


def _replace(path: str, wrong: Callable[..., Any]) -> None:
    place, name, right = found(path)
    if isinstance(right, property):
        setattr(place, name, property(lambda self: wrong(right.fget, self)))
        return

    @wraps(right)
    def function(*arguments: Any, **options: Any) -> Any:
        return wrong(right, *arguments, **options)

    if inspect.ismodule(place):
        rebind(right, function)
    else:
        setattr(place, name, function)

"""From a model string on the command line to an estimator; nothing in the string is ever evaluated."""

import ast
import inspect
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from runpy import run_path
from typing import Any

from errbar.cli import checks
from errbar.errors import InvalidInputError

_EXAMPLE = "'nn=sklearn.neighbors.KNeighborsClassifier(n_neighbors=1)' or 'mine=models.py:pipeline'"
NOT_LITERAL = (ValueError, SyntaxError, TypeError, MemoryError, RecursionError)
"""What Python raises of a text that is no plain value, or too deep to be read."""

_UNNAMED = re.compile(r"^\w+(\.\w+)+\s*(\(|$)")
_IN_FILE = re.compile(r"^(.+\.py):([A-Za-z_]\w*)$")


def parse_models(texts: Sequence[str]) -> dict[str, Any]:
    """Return estimators by name from strings such as ``name=package.Class(parameter=value)``."""
    learners: dict[str, Any] = {}
    for text in map(_readable, texts):
        try:
            name, estimator = _parse_model(text)
            checks.name(name, "what stands before the equals sign")
        except InvalidInputError as error:
            raise InvalidInputError(f"--model {text!r}: {error}") from None
        if name in learners:
            raise InvalidInputError(f"two models are called {name!r}; give each a name of its own: --model name=...")
        learners[name] = estimator
    return learners


def _readable(text: str) -> str:
    """Return an argument that the locale could not decode as the UTF-8 that it most likely is."""
    try:
        return text.encode(errors="surrogateescape").decode()
    except UnicodeError:
        shown = text.encode("ascii", "backslashreplace").decode()
        raise InvalidInputError(f"--model '{shown}' is no text in UTF-8") from None


def _parse_model(text: str) -> tuple[str, Any]:
    """Return name and estimator of one model string; without a name it is that of the class."""
    given, source, in_file = _split(text)
    if in_file:
        return given or in_file.group(2), _from_file(Path(in_file.group(1)), in_file.group(2))
    path, parameters = parse_call(source)
    kind = _find_class(path)
    return given or kind.__name__, _make(kind, parameters)


def _split(text: str) -> tuple[str, str, re.Match[str] | None]:
    """Split a model into its name, which may be empty, and its source; a match tells that this is an object in a file.

    The first equals sign separates them, unless it belongs to a parameter; a name may hold anything else.
    """
    name, equals, source = text.strip().partition("=")
    if not equals or _UNNAMED.match(text.strip()):
        name, source = "", text
    return name.strip(), source.strip(), _IN_FILE.match(source.strip())


def parse_call(source: str) -> tuple[str, dict[str, Any]]:
    """Split ``package.Class(parameter=value)`` into the dotted name and literal values; nothing is evaluated."""
    try:
        node = ast.parse(source, mode="eval").body
        call = node if isinstance(node, ast.Call) else ast.Call(node, [], [])
        name = ast.unparse(call.func)
    except NOT_LITERAL:
        raise InvalidInputError(f"it cannot be read; write it like {_EXAMPLE}") from None
    if call.args or any(keyword.arg is None for keyword in call.keywords):
        raise InvalidInputError("parameters need names, such as (n_neighbors=1)")
    if not all(part.isidentifier() for part in name.split(".")):
        raise InvalidInputError(f"it is no dotted class path; write it like {_EXAMPLE}")
    parameters: dict[str, Any] = {}
    for keyword in call.keywords:
        try:
            parameters[str(keyword.arg)] = ast.literal_eval(keyword.value)
        except NOT_LITERAL:
            raise InvalidInputError(
                f"parameter {keyword.arg!r} must be a plain value (number, text, list, None ...); "
                "build anything else in a file and use file.py:name"
            ) from None
    return name, parameters


def _find_class(path: str) -> type:
    module_name, dot, class_name = path.rpartition(".")
    if not dot:
        raise InvalidInputError(f"it is no dotted class path; write it like {_EXAMPLE}")
    with _foreign_code(f"{module_name!r} cannot be imported:"):
        module = import_module(module_name)
    if not hasattr(module, class_name):
        raise InvalidInputError(f"{module_name!r} has no {class_name!r}{checks.hint(class_name, dir(module))}")
    kind = getattr(module, class_name)
    if not inspect.isclass(kind) or not _is_estimator(kind):
        raise InvalidInputError(f"{path} is not a scikit-learn estimator class")
    return kind


def _is_estimator(value: Any) -> bool:
    return all(hasattr(value, name) for name in ("fit", "get_params", "set_params"))


def _make(kind: type, parameters: dict[str, Any]) -> Any:
    known = [name for name in inspect.signature(kind).parameters if name not in ("args", "kwargs")]
    takes_any = any(p.kind is p.VAR_KEYWORD for p in inspect.signature(kind).parameters.values())
    for name in parameters:
        if name not in known and not takes_any:
            raise InvalidInputError(f"{kind.__name__} has no parameter {name!r}{checks.hint(name, known)}")
    with _foreign_code(f"{kind.__name__} cannot be made:"):
        return kind(**parameters)


def _from_file(path: Path, name: str) -> Any:
    """Run a Python file of the user's and return the estimator that it defines under a name."""
    if not path.is_file():
        raise InvalidInputError(f"there is no file {str(path)!r}")
    # Workers cannot import the file; a class of a module that is not listed travels to them by value.
    with _foreign_code(f"{path} raised"):
        defined = run_path(str(path.absolute()), run_name=f"errbar_models_{path.stem}")
    if name not in defined:
        raise InvalidInputError(f"{path} defines no {name!r}")
    value = defined[name]
    if inspect.isclass(value) or (callable(value) and not _is_estimator(value)):
        with _foreign_code("calling it without arguments raised"):
            value = value()
    if not _is_estimator(value):
        raise InvalidInputError(f"{name} is no scikit-learn estimator, got {type(value).__name__}")
    return value


@contextmanager
def _foreign_code(failed: str) -> Iterator[None]:
    """Turn whatever code of others raises into one line that begins with `failed`."""
    try:
        yield
    except (Exception, SystemExit) as error:  # noqa: BLE001 - it may raise anything
        raise InvalidInputError(f"{failed} {type(error).__name__}: {' '.join(str(error).split())}") from None

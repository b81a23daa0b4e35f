"""From a model string on the command line to an estimator; nothing in the string is ever evaluated."""

import ast
import inspect
import re
from collections.abc import Callable, Sequence
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

from errbar.cli import checks, modules
from errbar.cli.foreign import ForeignError, running
from errbar.errors import Failure, InvalidInputError, hint, one_line
from errbar.fits import process

_EXAMPLE = "'nn=KNeighborsClassifier(n_neighbors=1)' or 'mine=models.py:pipeline'"

_ANY_NAME = (
    r"import\s*\*|__getattr__|__dict__|globals\(|vars\(|locals\(|exec\(|setattr\(|sys\.modules"
)
"""How a module may come to have a name that does not stand in its text."""

_UNNAMED = re.compile(r"^\w+(\.\w+)*\s*(\(|$)")
_IN_FILE = re.compile(r"^(.+\.py):([A-Za-z_]\w*)$")


class Models(NamedTuple):
    """What became of the models on the command line.

    Attributes
    ----------
    learners : dict of str to estimator
        Those that were made, by name.
    failures : tuple of Failure
        Those whose own code failed.
    """

    learners: dict[str, Any]
    failures: tuple[Failure, ...]

    @property
    def names(self) -> list[str]:
        """Names of all."""
        return [*self.learners, *(one.learner for one in self.failures)]


def parse_models(texts: Sequence[str]) -> Models:
    """Return estimators by name from strings such as ``name=package.Class(parameter=value)``, and what failed itself."""
    from sklearn.base import clone

    process.loaded.clear()  # the files of a command are those that it names
    found = Models({}, ())
    for text in texts:
        try:
            name, make = _parsed(text)
            checks.name(name, "what stands before the equals sign")
            if name in found.names:
                raise InvalidInputError(
                    f"two models are called {name!r}; give each a name of its own: name=..."
                )
            made = make()
            with running("copying it raised"):
                clone(made)
            found.learners[name] = made
        except ForeignError as error:
            found = found._replace(failures=(*found.failures, Failure(name, "", str(error))))
        except InvalidInputError as error:
            raise InvalidInputError(f"--model {text!r}: {error}") from None
    return found


def _parsed(text: str) -> tuple[str, Callable[[], Any]]:
    """Return the name of a model, which is that of its class or object if none is given, and what makes it."""
    given, source, in_file = _split(text)
    if in_file:
        return given or in_file.group(2), partial(
            _from_file, Path(in_file.group(1)), in_file.group(2)
        )
    steps = _steps(source)
    path, parameters = steps[-1] if steps else parse_call(source)
    make = partial(_piped, steps) if steps else partial(_made, path, parameters)
    return given or path.rpartition(".")[2], make


def name_of(text: str) -> str:
    """Return the name of a model; an empty one where the text cannot be read."""
    try:
        return _parsed(text)[0]
    except InvalidInputError:
        return ""


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
    except checks.NOT_LITERAL:
        raise InvalidInputError(f"it cannot be read; write it like {_EXAMPLE}") from None
    if call.args or any(keyword.arg is None for keyword in call.keywords):
        inside = any(isinstance(one, ast.Call | ast.List) for one in call.args)
        more = (
            "; build a learner that holds others in a file, and use file.py:name, or make_pipeline(...)"
            * inside
        )
        raise InvalidInputError(f"parameters need names, such as (n_neighbors=1){more}")
    if not all(part.isidentifier() for part in name.split(".")):
        raise InvalidInputError(f"it cannot be read; write it like {_EXAMPLE}")
    parameters: dict[str, Any] = {}
    for keyword in call.keywords:
        try:
            parameters[str(keyword.arg)] = ast.literal_eval(keyword.value)
        except checks.NOT_LITERAL:
            raise InvalidInputError(
                f"parameter {keyword.arg!r} must be a plain value (number, text, list, None ...); "
                "build anything else in a file and use file.py:name"
            ) from None
    return name, parameters


def _steps(source: str) -> list[tuple[str, dict[str, Any]]]:
    """Return the steps of ``make_pipeline(StandardScaler(), SVC(C=2))`` as `parse_call` does; none of any other text."""
    try:
        node = ast.parse(source, mode="eval").body
    except checks.NOT_LITERAL:
        return []
    if not isinstance(node, ast.Call) or ast.unparse(node.func) not in (
        "make_pipeline",
        "sklearn.pipeline.make_pipeline",
    ):
        return []
    if node.keywords or not node.args:
        raise InvalidInputError(
            "make_pipeline takes steps only, such as make_pipeline(StandardScaler(), SVC(C=2))"
        )
    return [parse_call(ast.unparse(step)) for step in node.args]


def _piped(steps: Sequence[tuple[str, dict[str, Any]]]) -> Any:
    """Return a pipeline of objects of classes that are named."""
    from sklearn.pipeline import make_pipeline

    made = [_made(path, parameters) for path, parameters in steps]
    for (path, _), one in zip(steps[:-1], made, strict=False):
        if not hasattr(one, "transform"):
            raise InvalidInputError(
                f"{path} is no transformer, and only the last step of a pipeline may be a learner"
            )
    return make_pipeline(*made)


def _made(path: str, parameters: dict[str, Any]) -> Any:
    """Return an object of a class that is named by its module and its own name."""
    module_name, dot, name = path.rpartition(".")
    if not dot:
        module_name = modules.place_of(name) or ""
        if not module_name:
            advice = f"; write others with their module, such as package.module.Class, or take an object from a file: {_EXAMPLE}"
            raise InvalidInputError(f"scikit-learn has no class {name!r}{_nearest(name) or advice}")
    _require_source(module_name, name)
    with running(f"{module_name!r} cannot be imported:"):
        module = _imported(module_name)
        if not hasattr(module, name):
            raise InvalidInputError(f"{module_name!r} has no {name!r}{hint(name, dir(module))}")
        kind = getattr(module, name)
        if not inspect.isclass(kind) or not _is_estimator(kind):
            raise InvalidInputError(f"{path} is not a scikit-learn estimator class")
    with running(f"{name} cannot be made:"):
        signature = inspect.signature(kind)
        known = [one for one in signature.parameters if one not in ("args", "kwargs")]
        takes_any = any(one.kind is one.VAR_KEYWORD for one in signature.parameters.values())
        for parameter in parameters:
            if parameter not in known and not takes_any:
                raise InvalidInputError(
                    f"{name} has no parameter {parameter!r}{hint(parameter, known)}"
                )
        try:
            signature.bind(**parameters)
        except TypeError as error:
            raise InvalidInputError(f"{name} cannot be made: {one_line(error)}") from None
        return kind(**parameters)


def _nearest(name: str) -> str:
    """Return the end of a message that names classes which may be meant: of such a name, or with it in theirs."""
    known = modules.public_classes()
    plain = re.sub(r"[\W_]+", "", name).lower()
    holding = sorted((one for one in known if len(plain) > 2 and plain in one.lower()), key=len)[:3]
    return f"; did you mean {' or '.join(map(repr, holding))}?" if holding else hint(name, known)


def _require_source(module_name: str, name: str) -> None:
    """Raise if a module cannot have a class, as far as its text tells: the import of some modules runs a program."""
    if "__main__" in module_name.split("."):
        raise InvalidInputError(f"{module_name!r} is a program, which has no classes to take")
    spec = modules.located(module_name)
    if spec is None or not (spec.origin or "").endswith(".py"):
        return
    file = Path(str(spec.origin))
    if not re.search(
        rf"\b{name}\b|{_ANY_NAME}", file.read_text(encoding="utf-8", errors="replace")
    ):
        raise InvalidInputError(
            f"{module_name!r} has no {name!r}{hint(name, modules.classes(file))}"
        )


def _imported(name: str) -> Any:
    """Import a module; raise in our own name only if it is not there, and not if one that it needs is not."""
    try:
        return import_module(name)
    except ModuleNotFoundError as error:
        if f"{name}.".startswith(f"{error.name}."):
            raise InvalidInputError(f"{name!r} cannot be imported: {one_line(error)}") from None
        raise


def _is_estimator(value: Any) -> bool:
    return all(hasattr(value, name) for name in ("fit", "get_params", "set_params"))


def _from_file(path: Path, name: str) -> Any:
    """Run a Python file of the user's and return the estimator that it defines under a name."""
    if not path.is_file():
        raise InvalidInputError(f"there is no file {str(path)!r}")
    with running(f"{path} raised"):
        module = process.load(path)
    if not hasattr(module, name):
        raise InvalidInputError(f"{path} defines no {name!r}")
    value = getattr(module, name)
    with running("calling it without arguments raised"):
        if inspect.isclass(value) or (callable(value) and not _is_estimator(value)):
            value = value()
        if not _is_estimator(value):
            raise InvalidInputError(
                f"{name} is no scikit-learn estimator, got {type(value).__name__}"
            )
    return value

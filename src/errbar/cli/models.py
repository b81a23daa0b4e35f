"""From a model string on the command line to an estimator; nothing in the string is ever evaluated."""

import ast
import inspect
import re
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

from errbar.cli import checks
from errbar.cli.show import stdout_for_answers
from errbar.errors import ErrbarError, Failure, InvalidInputError, hint, one_line
from errbar.fits import process

_IN_FILE = re.compile(r"(.+\.py):([A-Za-z_]\w*)")
_CALL = re.compile(r"\w+(\.\w+)*\s*\(")
_PIPELINES = ("make_pipeline", "sklearn.pipeline.make_pipeline")
_NAMES = (ast.Call, ast.Name, ast.Attribute)


class Models(NamedTuple):
    """What became of the models on the command line: learners that were made, by name, and failures of the others."""

    learners: dict[str, Any]
    failures: list[Failure]

    @property
    def names(self) -> list[str]:
        """Names of all."""
        return [*self.learners, *(one.learner for one in self.failures)]


def parse_models(texts: Sequence[str]) -> Models:
    """Return estimators by name from strings such as ``name=package.Class(parameter=value)``, and what failed itself."""
    process.loaded.clear()  # the files of a command are those that it names
    found = Models({}, [])
    for text in texts:
        name, equals, source = text.partition("=")
        if not equals or _CALL.match(text.strip()):  # the equals sign of a parameter
            name, source = "", text
        source = source.strip()
        try:
            name = checks.name(name.strip() or _own_name(source), "the name of a model")
            if name in found.names:
                raise InvalidInputError(f"two models are called {name!r}; write NAME=...")
            with stdout_for_answers():
                found.learners[name] = _made(source)
        except InvalidInputError as error:
            raise InvalidInputError(f"--model {text!r}: {error}") from None
        except (ErrbarError, KeyboardInterrupt):
            raise
        except BaseException as error:  # noqa: BLE001 - code of others raises anything
            found.failures.append(Failure(name, "", f"{source} raised {one_line(error)}"))
    return found


def _own_name(source: str) -> str:
    """Return the name of the class or object that a model is."""
    in_file = _IN_FILE.fullmatch(source)
    if in_file:
        return in_file.group(2)
    node = _expression(source)
    if isinstance(node, ast.Call) and ast.unparse(node.func) in _PIPELINES and node.args:
        node = node.args[-1]
    return ast.unparse(node).partition("(")[0].rpartition(".")[2]


def _made(source: str) -> Any:
    from sklearn.base import clone

    in_file = _IN_FILE.fullmatch(source)
    if in_file:
        made = _from_file(Path(in_file.group(1)), in_file.group(2))
    else:
        made = _called(_expression(source))
    clone(made)
    return made


def _expression(source: str) -> ast.expr:
    try:
        node = ast.parse(source, mode="eval").body
    except checks.NOT_LITERAL:
        node = None
    if not isinstance(node, _NAMES):
        raise InvalidInputError(
            "write it like 'nn=KNeighborsClassifier(n_neighbors=1)' or 'mine=models.py:pipeline'"
        )
    return node


def _called(node: ast.expr) -> Any:
    """Return what a call of a class makes; a name alone is a call without parameters."""
    call = node if isinstance(node, ast.Call) else ast.Call(node, [], [])
    kind = _class_of(ast.unparse(call.func))
    arguments = [_value(one) for one in call.args]
    parameters = {str(one.arg): _value(one.value) for one in call.keywords}
    try:
        inspect.signature(kind).bind(*arguments, **parameters)
    except TypeError as error:
        raise InvalidInputError(f"{kind.__name__} cannot be made: {error}") from None
    return kind(*arguments, **parameters)


def _value(node: ast.expr) -> Any:
    if isinstance(node, _NAMES):
        return _called(node)
    try:
        return ast.literal_eval(node)
    except checks.NOT_LITERAL:
        raise InvalidInputError(
            f"{ast.unparse(node)!r} is no plain value; build it in a file and use file.py:name"
        ) from None


def _class_of(path: str) -> Any:
    """Return a class that is named, with its module unless it is scikit-learn's."""
    if path in _PIPELINES:
        from sklearn.pipeline import make_pipeline

        return make_pipeline
    module, _, name = path.rpartition(".")
    module = module or _module_of(name)
    try:
        program = "__main__" in module.split(".")
        kind = None if program else getattr(import_module(module), name, None)
    except ModuleNotFoundError as error:
        if not f"{module}.".startswith(f"{error.name}."):  # it needs another, and has failed
            raise
        raise InvalidInputError(f"there is no module {module!r}") from None
    if not inspect.isclass(kind) or not _is_estimator(kind):
        raise InvalidInputError(f"{module!r} has no scikit-learn estimator class {name!r}")
    return kind


def _module_of(name: str) -> str:
    """Return the module of scikit-learn that offers a class, from its text: importing all takes a second."""
    import sklearn

    folder = Path(sklearn.__path__[0])
    offered = re.compile(rf'"{re.escape(name)}"|^class {re.escape(name)}\(', re.MULTILINE)
    for file in (*sorted(folder.glob("[a-z]*/__init__.py")), *sorted(folder.glob("[a-z]*.py"))):
        if offered.search(file.read_text(encoding="utf-8")):
            return f"sklearn.{file.parent.name if file.stem == '__init__' else file.stem}"
    from sklearn.utils import all_estimators

    known = [one for one, _ in all_estimators()]
    raise InvalidInputError(
        f"scikit-learn has no class {name!r}{hint(name, known)}; write others as package.Class or file.py:object"
    )


def _is_estimator(value: Any) -> bool:
    return all(hasattr(value, name) for name in ("fit", "get_params", "set_params"))


def _from_file(path: Path, name: str) -> Any:
    """Run a Python file of the user's and return the estimator that it defines under a name."""
    if not path.is_file():
        raise InvalidInputError(f"there is no file {str(path)!r}")
    value = getattr(process.load(path), name, None)
    if inspect.isclass(value) or (callable(value) and not _is_estimator(value)):
        value = value()
    if not _is_estimator(value):
        raise InvalidInputError(f"{path} defines no scikit-learn estimator {name!r}")
    return value

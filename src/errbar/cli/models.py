"""From a model string on the command line to an estimator; nothing in the string is ever evaluated."""

import ast
import inspect
import re
from collections.abc import Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

from errbar.cli import checks
from errbar.cli.foreign import ForeignError, running
from errbar.errors import Failure, InvalidInputError, hint, one_line
from errbar.fits import process

_UNNAMED = re.compile(r"\w+(\.\w+)*\s*(\(|$)")
_IN_FILE = re.compile(r"(.+\.py):([A-Za-z_]\w*)")
_PIPELINES = ("make_pipeline", "sklearn.pipeline.make_pipeline")


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
        # The first equals sign ends a name, unless it belongs to a parameter.
        name, equals, source = text.partition("=")
        if not equals or _UNNAMED.match(text.strip()):
            name, source = "", text
        source = source.strip()
        try:
            name = checks.name(name.strip() or _own_name(source), "the name of a model")
            if name in found.names:
                raise InvalidInputError(
                    f"two models are called {name!r}; give each a name of its own: name=..."
                )
            found.learners[name] = _made(source)
        except ForeignError as error:
            found.failures.append(Failure(name, "", str(error)))
        except InvalidInputError as error:
            raise InvalidInputError(f"--model {text!r}: {error}") from None
    return found


def _made(source: str) -> Any:
    in_file = _IN_FILE.fullmatch(source)
    if in_file:
        made = _from_file(Path(in_file.group(1)), in_file.group(2))
    else:
        made = _called(_expression(source))
    with running("copying it raised"):
        from sklearn.base import clone

        clone(made)
    return made


def _own_name(source: str) -> str:
    """Return the name of the class or object that a model is."""
    in_file = _IN_FILE.fullmatch(source)
    if in_file:
        return in_file.group(2)
    call = _expression(source)
    last = call.args[-1] if ast.unparse(call.func) in _PIPELINES and call.args else call
    return ast.unparse(last).partition("(")[0].rpartition(".")[2]


def _expression(source: str) -> ast.Call:
    """Return the call that a text is; a name alone is one without parameters."""
    try:
        node = ast.parse(source, mode="eval").body
        call = node if isinstance(node, ast.Call) else ast.Call(node, [], [])
        name = ast.unparse(call.func)
    except checks.NOT_LITERAL:
        name = ""
    if not all(part.isidentifier() for part in name.split(".")):
        raise InvalidInputError(
            "it cannot be read; write it like 'nn=KNeighborsClassifier(n_neighbors=1)' or 'mine=models.py:pipeline'"
        )
    return call


def _called(call: ast.Call) -> Any:
    """Return the pipeline or the object of a class that a call makes."""
    path = ast.unparse(call.func)
    if path not in _PIPELINES:
        if call.args:
            raise InvalidInputError(
                "parameters need names, such as (n_neighbors=1); build a learner that holds others in a file, and use file.py:name"
            )
        return _object(path, {str(one.arg): _value(one) for one in call.keywords})
    if call.keywords or not call.args:
        raise InvalidInputError(
            "make_pipeline takes steps only, such as make_pipeline(StandardScaler(), SVC(C=2))"
        )
    from sklearn.pipeline import make_pipeline

    steps = [_called(_expression(ast.unparse(step))) for step in call.args]
    with running("it cannot be made:"):
        pipeline = make_pipeline(*steps)
        for step in steps[:-1]:
            if not hasattr(step, "transform"):
                raise InvalidInputError(
                    f"{type(step).__name__} is no transformer, and only the last step of a pipeline may be a learner"
                )
        return pipeline


def _value(keyword: ast.keyword) -> Any:
    try:
        return ast.literal_eval(keyword.value)
    except checks.NOT_LITERAL:
        raise InvalidInputError(
            f"parameter {keyword.arg!r} must be a plain value (number, text, list, None ...); build anything else in a file "
            "and use file.py:name"
        ) from None


def _object(path: str, parameters: Mapping[str, Any]) -> Any:
    """Return an object of a class that is named, with its module unless it is scikit-learn's."""
    module, _, name = path.rpartition(".")
    module = module or _module_of(name)
    if "__main__" in module.split("."):
        raise InvalidInputError(f"{module!r} is a program, which has no classes to take")
    with running(f"{module!r} cannot be imported:"):
        kind = getattr(_imported(module), name, None)
    if not inspect.isclass(kind) or not _is_estimator(kind):
        raise InvalidInputError(f"{module!r} has no scikit-learn estimator class {name!r}")
    with running(f"{name} cannot be made:"):
        try:
            inspect.signature(kind).bind(**parameters)
        except TypeError as error:
            known = list(inspect.signature(kind).parameters)
            wrong = next((one for one in parameters if one not in known), "")
            raise InvalidInputError(
                f"{name} cannot be made: {one_line(error)}{hint(wrong, known)}"
            ) from None
        return kind(**parameters)


def _imported(module: str) -> Any:
    """Import a module; one that is not there is wrong input, one that needs what is not there has failed."""
    try:
        return import_module(module)
    except ModuleNotFoundError as error:
        if f"{module}.".startswith(f"{error.name}."):
            raise InvalidInputError(f"{module!r} cannot be imported: {one_line(error)}") from None
        raise


def _module_of(name: str) -> str:
    """Return the module of scikit-learn that offers a class, from its text: importing all takes a second."""
    import sklearn

    folder = Path(sklearn.__path__[0])
    for file in sorted(folder.glob("[a-z]*/__init__.py")):
        if f'"{name}"' in file.read_text(encoding="utf-8"):
            return f"sklearn.{file.parent.name}"
    for file in sorted(folder.glob("[a-z]*.py")):
        if f"class {name}(" in file.read_text(encoding="utf-8"):
            return f"sklearn.{file.stem}"
    from sklearn.utils import all_estimators

    known = [one for one, _ in all_estimators()]
    raise InvalidInputError(
        f"scikit-learn has no class {name!r}{hint(name, known)}; write others with their module, such as package.Class, or as file.py:object"
    )


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
        raise InvalidInputError(f"{name} is no scikit-learn estimator, got {type(value).__name__}")
    return value

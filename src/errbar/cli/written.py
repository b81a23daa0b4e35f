"""Models and plans that are written as calls; nothing in their text is ever evaluated."""

import ast
import inspect
import re
from collections.abc import Callable, Sequence
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any

from errbar import plans
from errbar.cli.messages import NOT_LITERAL
from errbar.cli.output import stdout_for_answers
from errbar.errors import ErrbarError, Failure, InvalidInputError, hint, one_line
from errbar.fits import process
from errbar.plans import Plan, Union

_CALLS = (ast.Call, ast.Name, ast.Attribute)
_PIPELINES = ("make_pipeline", "sklearn.pipeline.make_pipeline")


def _call(text: str, like: str, argument: str) -> ast.expr:
    """Return a text as the call that it is."""
    try:
        node = ast.parse(text.strip(), mode="eval").body
    except NOT_LITERAL:
        node = None
    if not isinstance(node, _CALLS):
        raise InvalidInputError(f"must be written like {like}, got {text!r}", argument=argument)
    return node


def _made(node: ast.expr, kind_of: Callable[[str], Any], argument: str) -> Any:
    """Return what a call makes, or a plain value; a name alone is a call without arguments."""
    if not isinstance(node, _CALLS):
        try:
            return ast.literal_eval(node)
        except NOT_LITERAL:
            text = ast.unparse(node)
            raise InvalidInputError(f"has {text!r}, no plain value", argument=argument) from None
    call = node if isinstance(node, ast.Call) else ast.Call(node, [], [])
    kind = kind_of(ast.unparse(call.func))
    values = [_made(one, kind_of, argument) for one in call.args]
    named = {str(one.arg): _made(one.value, kind_of, argument) for one in call.keywords}
    try:
        inspect.signature(kind).bind(*values, **named)
    except TypeError as error:
        raise InvalidInputError(f": {kind.__name__}: {error}", argument=argument) from None
    return kind(*values, **named)


def plan_of(texts: Sequence[str] | None) -> Plan | None:
    """Return the plans that are written, as one; None where none is, since the method knows its own.

    A plan is a number of folds, or written as in Python, in small letters too: ``Seeds(5, plan=Holdout())``.
    """
    found: list[Plan] = []
    for text in dict.fromkeys(texts or ()):
        call = f"KFold({text})" if text.strip().isdigit() else text
        found.append(_made(_call(call, "KFold(folds=10, repeats=2)", "plan"), _plan_class, "plan"))
    return Union(tuple(found)) if len(found) > 1 else next(iter(found), None)


def _plan_class(name: str) -> type[Plan]:
    """Return the class of a plan."""
    known = {
        one: kind
        for one in plans.__all__
        if inspect.isclass(kind := getattr(plans, one))
        and issubclass(kind, Plan)
        and not inspect.isabstract(kind)
    }
    for one, kind in known.items():
        if one.lower() == name.lower():
            return kind
    raise InvalidInputError(f"must be one of {', '.join(known)}, got {name!r}", argument="plan")


def parse_models(texts: Sequence[str]) -> tuple[dict[str, Any], list[Failure]]:
    """Return estimators by name from texts such as ``name=package.Class(parameter=value)``, and what failed by itself."""
    from sklearn.base import clone

    process.loaded.clear()  # the files of a command are those that it names
    learners: dict[str, Any] = {}
    failed: list[Failure] = []
    for text in texts:
        name, equals, source = text.partition("=")
        if not equals or re.match(r"\s*[\w.]+\s*\(", text):  # the equals sign of a parameter
            name, source = "", text
        own, make = _maker(source.strip())
        name = name.strip() or own
        if name in [*learners, *(one.learner for one in failed)]:
            raise InvalidInputError(f"two models are called {name!r}; write NAME=...")
        try:
            with stdout_for_answers():
                learners[name] = make()
                clone(learners[name])
        except (ErrbarError, KeyboardInterrupt):
            raise
        except BaseException as error:  # noqa: BLE001 - code of others raises anything
            learners.pop(name, None)
            failed.append(Failure(name, "", f"{source} raised {one_line(error)}"))
    return learners, failed


def _maker(source: str) -> tuple[str, Callable[[], Any]]:
    """Return the name of the class or object that a model is, and what makes it."""
    file, _, name = source.rpartition(":")
    if file.endswith(".py"):
        return name, partial(_from_file, Path(file), name)
    like = "'nn=KNeighborsClassifier(n_neighbors=1)' or 'mine=models.py:pipeline'"
    node = last = _call(source, like, "model")
    if isinstance(node, ast.Call) and ast.unparse(node.func) in _PIPELINES and node.args:
        last = node.args[-1]
    name = ast.unparse(last).partition("(")[0].rpartition(".")[2]
    return name, partial(_made, node, _class_of, "model")


def _class_of(path: str) -> Any:
    """Return a class that is named, with its module unless it is scikit-learn's."""
    if path in _PIPELINES:
        from sklearn.pipeline import make_pipeline

        return make_pipeline
    module, _, name = path.rpartition(".")
    module = module or _module_of(name)
    try:
        kind = (
            None if "__main__" in module.split(".") else getattr(import_module(module), name, None)
        )
    except ModuleNotFoundError as error:
        if not f"{module}.".startswith(f"{error.name}."):  # it needs another, and has failed
            raise
        kind = None
    if not inspect.isclass(kind) or not _is_estimator(kind):
        raise InvalidInputError(f": {module} has no estimator class {name!r}", argument="model")
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

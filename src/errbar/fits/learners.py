"""Learners as fits need them: private copies whose every random choice can be seeded."""

import ast
import functools
import importlib.metadata
import importlib.util
import inspect
import pickle
import platform
import sys
import sysconfig
import threading
import types
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from hashlib import blake2b
from pathlib import Path
from typing import Any, Self

import numpy as np
from joblib.hashing import NumpyHasher, Pickler
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin

from errbar import _check, _rng, metrics
from errbar._plain import record
from errbar.errors import InvalidInputError, one_line
from errbar.fits.parallel import loaded
from errbar.metrics import CLASSIFICATION, DECISION, LABEL, REGRESSION, RESPONSES

_INSTALLED = tuple(sysconfig.get_paths()[name] for name in ("stdlib", "purelib", "platlib"))
_CODE = (types.FunctionType, type)
_LOCKS = (type(threading.Lock()), type(threading.RLock()))
_DISTRIBUTIONS = {"sklearn": "scikit-learn"}


@dataclass(frozen=True)
class Identity:
    """What a learner is; `digest` is empty where something, the `obstacle`, cannot be written down."""

    digest: str
    code: str
    versions: Mapping[str, str]
    obstacle: str = ""


def identify(value: Any) -> Identity:
    """Return what a learner, or a function, is."""
    found = _Content()
    for _, module in loaded.values():  # a file that was run may have changed anything
        found.add(module)
    try:
        content, obstacle = found.hash(value), ""
    except (Exception, SystemExit) as error:  # noqa: BLE001 - an object may raise anything when it is pickled
        content, obstacle = "", one_line(error)
    code = hashed(sorted(found.sources.items()))
    packages = versions(found.packages)
    return Identity(content and hashed(content, code, packages), code, packages, obstacle)


def versions(packages: Iterable[str] = ()) -> dict[str, str]:
    """Return the versions of Python, errbar, the libraries it stands on and more packages, by name."""
    found = {"python": platform.python_version()}
    for name in sorted({"errbar", "numpy", "scipy", "sklearn", *packages}):
        version = _distributed(name) or getattr(sys.modules.get(name), "__version__", "")
        if version:
            found[_DISTRIBUTIONS.get(name, name)] = str(version)
    return found


class _Content(NumpyHasher):  # type: ignore[misc] # joblib has no types
    """The digest of an object as joblib makes it; code is described, and its modules are collected."""

    def __init__(self) -> None:
        super().__init__()
        self.sources: dict[str, str] = {}
        self.packages: set[str] = set()
        self._seen: set[Any] = set()

    def memoize(self, obj: Any) -> None:
        # Equal parts are to look the same, whether they are one object or two.
        if not isinstance(obj, (str, bytes, tuple)):
            super().memoize(obj)

    def _batch_setitems(self, items: Any, *more: Any) -> None:
        # That of joblib takes an error of a value for one of the order of keys.
        ordered = sorted(items, key=lambda pair: repr(pair[0]))
        Pickler._batch_setitems(self, iter(ordered), *more)

    def reducer_override(self, obj: Any) -> Any:
        """Say what pickle, which knows code by its name alone, is to write of an object."""
        if isinstance(obj, _CODE):
            found = self._of_code(obj)
        elif isinstance(obj, _LOCKS):
            found = "lock"
        elif isinstance(obj, frozenset):
            found = set(obj)
        elif hasattr(obj, "__wrapped__"):
            found = obj.__wrapped__
        elif isinstance(obj, types.ModuleType):
            self.add(obj)
            found = obj.__name__
        elif hasattr(obj, "iloc") and hasattr(obj, "columns"):
            found = _of_frame(obj)
        elif hasattr(obj, "get_params"):
            found = [type(obj), obj.get_params(deep=False)]
        else:
            return NotImplemented
        return NotImplemented if found is None else (tuple, ([type(obj).__qualname__, found],))

    def _of_code(self, code: Any) -> Any:
        """Return name, caught values and, where no module has its text, the text of a function or class."""
        module = sys.modules.get(code.__module__ or "")
        self.add(module)
        typed_in = module is not None and _is_interactive(module)
        is_function = isinstance(code, types.FunctionType)
        if not (is_function or typed_in or code.__module__ in self.sources):
            return None
        name = [code.__module__, code.__qualname__]
        # A function may have caught itself.
        if code in self._seen:
            return name
        self._seen.add(code)
        if not is_function:
            own = {key: value for key, value in vars(code).items() if isinstance(value, _CODE)}
            return [name, typed_in and [own, code.__bases__]]
        variables = inspect.getclosurevars(code)
        used = {key: value for key, value in variables.globals.items() if value is not code}
        caught = [code.__defaults__, code.__kwdefaults__, variables.nonlocals, typed_in and used]
        # Two functions without a name may stand in one line.
        return [name, caught, _compiled(code.__code__)]

    def add(self, module: types.ModuleType | None) -> None:
        """Take the text of a user's module and of those that it imports, and the name of any other's package."""
        if module is None or module.__name__ in self.sources or _is_interactive(module):
            return
        place = getattr(module, "__file__", None)
        package = module.__name__.partition(".")[0]
        if (
            place is None
            or str(Path(place).absolute()).startswith(_INSTALLED)
            or _distributed(package)
        ):
            self.packages.add(package)
            return
        file = Path(place)
        source = file.read_bytes().decode(errors="replace") if file.is_file() else ""
        self.sources[module.__name__] = source
        for name in _imports(source, module.__package__ or ""):
            self.add(sys.modules.get(name))


def digest(*parts: Any) -> str:
    """Return a digest of the content of arrays, frames and other objects."""
    return str(_Content().hash(parts))


def _of_frame(frame: Any) -> Any:
    """Return what a frame consists of; pickle would write what pandas has cached, too."""
    labels = (frame.columns, frame.index)
    about = [[type(one).__name__, list(one.names), getattr(one, "freqstr", None)] for one in labels]
    levels = [one.get_level_values(j) for one in labels for j in range(one.nlevels)]
    columns = [frame.iloc[:, j] for j in range(frame.shape[1])]
    return [frame.attrs, about, *map(_of_column, [*columns, *levels])]


def _of_column(column: Any) -> Any:
    """Return type and values of a column, and of categories their own, in their order."""
    kind = column.dtype
    plain = isinstance(kind, np.dtype) and kind.kind in "biufcmM"
    values = column.to_numpy() if plain else column.tolist()
    return [repr(kind), hasattr(kind, "categories") and _of_column(kind.categories), values]


def _is_interactive(module: types.ModuleType) -> bool:
    return module.__name__ == "__main__" and getattr(module, "__file__", None) is None


def _imports(source: str, package: str) -> Iterator[str]:
    try:
        nodes = list(ast.walk(ast.parse(source)))
    except (SyntaxError, ValueError):  # of a compiled module
        return
    for node in nodes:
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            name = "." * node.level + (node.module or "")
            name = importlib.util.resolve_name(name, package) if node.level and package else name
            yield name
            yield from (f"{name}.{alias.name}" for alias in node.names)


@functools.cache
def _distributed(module: str) -> str:
    try:
        return importlib.metadata.version(_DISTRIBUTIONS.get(module, module))
    except importlib.metadata.PackageNotFoundError:
        return "0" if module == "errbar" else ""


def _compiled(code: types.CodeType) -> Any:
    inside = [
        _compiled(one) if isinstance(one, types.CodeType) else repr(one) for one in code.co_consts
    ]
    return code.co_code.hex(), code.co_names, inside


def hashed(*parts: Any) -> str:
    """Return a digest of plain values."""
    return blake2b(repr(parts).encode(errors="surrogatepass"), digest_size=16).hexdigest()


Learners = Mapping[str, Any]

_TASKS = {"classifier": CLASSIFICATION, "regressor": REGRESSION}

_WEIGHTS = ("class_weight", "priors", "class_prior")
_HALF = 0.5  # the threshold that minimises the error rate

# predict() of these is, in scikit-learn's own code, the class of the largest predicted probability.
_LARGEST_PROBABILITY = {
    "DecisionTreeClassifier",
    "ExtraTreeClassifier",
    "ExtraTreesClassifier",
    "RandomForestClassifier",
}


@record
class Prototype:
    """An unfitted private copy of a learner.

    `unseeded` holds the path to every ``random_state`` that is None. `kinds` are all predictions
    that it offers, so that another loss costs no fit; `needed` are those for the loss of this run.
    `reweighted` means that it weighs classes otherwise than a loss does, `seeded` that a
    ``random_state`` is a number.
    """

    name: str
    estimator: Any
    unseeded: Any
    kinds: tuple[str, ...]
    needed: tuple[str, ...]
    labels_from_probabilities: bool
    reweighted: bool
    seeded: bool
    batched: bool

    @cached_property
    def identity(self) -> Identity:
        """What it is, for a later run that may have kept fits of it."""
        return identify(self.estimator)

    def fresh(self, base: int, *streams: str | int) -> Any:
        """Return an unfitted copy with every random choice seeded for one fit: its training set, and maybe a seed."""
        from sklearn.base import clone

        estimator = clone(self.estimator)
        for path in self.unseeded:
            owner = estimator
            for step in path:
                inside = isinstance(owner, (list, tuple, dict))
                owner = owner[step] if inside else getattr(owner, str(step))
            owner.random_state = _rng.seed(base, self.name, *streams, *path)
        return estimator


def check(learners: Learners) -> tuple[Learners, str]:
    """Return the learners by name as text, and the task they agree on."""
    checked = named(learners)
    tasks = {name: _task_of(name, estimator) for name, estimator in checked.items()}
    if len(set(tasks.values())) > 1:
        listed = ", ".join(f"{name} does {task}" for name, task in tasks.items())
        raise InvalidInputError(f"classifiers and regressors cannot be compared: {listed}")
    return checked, next(iter(tasks.values()))


def named(learners: Learners) -> Learners:
    """Return the learners by name as text."""
    mapped = isinstance(learners, Mapping) and learners
    must = "must map names to estimators, such as {'tree': tree} (errbar.evaluate takes one)"
    _check.require(mapped, must, learners, "learners")
    return dict(zip(_check.names(list(learners), "learner"), learners.values(), strict=True))


def prepared(
    learners: Learners,
    wanted: Sequence[Any] = (None,),
    *,
    pool: str | None = None,
    weighted: bool = False,
    only_loss: bool = False,
) -> tuple[Any, str, Any]:
    """Prepare learners for all losses that are wanted; return them, what they do, and the losses."""
    checked, task = check(learners)
    losses: Any = {}
    for loss in (metrics.resolve(one, task, pool, weighted=weighted) for one in wanted):
        if _measures(losses.setdefault(loss.key, loss)) != _measures(loss):
            raise InvalidInputError(
                f"holds two different losses that are called {loss.key!r}; give one a name of its own, such as "
                "errbar.metrics.metric(f, key='own')",
                argument="loss",
            )
    found = tuple(losses.values())
    prototypes = [
        _prototype(name, estimator, found, task, only_loss=only_loss)
        for name, estimator in checked.items()
    ]
    return tuple(prototypes), task, found


def weight_parameter(estimator: Any) -> str | None:
    """Return the name under which `fit` takes weights of examples, such as ``svc__sample_weight``; None where it takes none."""
    steps = getattr(estimator, "steps", None)
    if isinstance(steps, list):  # of a pipeline, the last step is the learner
        name, last = steps[-1]
        found = weight_parameter(last)
        return found and f"{name}__{found}"
    known = inspect.signature(estimator.fit).parameters
    own = "sample_weight" if "sample_weight" in known else None
    around = ("estimator", "regressor", "final_estimator")
    inside = [getattr(estimator, name, None) for name in around]
    inside += [one for _, one in getattr(estimator, "estimators", None) or ()]
    # What is around other learners hands them the weights, or all that it does not know, and they must take it.
    [name, *others] = {weight_parameter(one) for one in inside if hasattr(one, "fit")} or {own}
    handed_on = own is None and any(one.kind is one.VAR_KEYWORD for one in known.values())
    return name if not others and (own == name or handed_on) else None


def require_weights(prototypes: Sequence["Prototype"]) -> None:
    """Raise if a learner takes no weights of examples."""
    for one in prototypes:
        if weight_parameter(one.estimator) is None:
            raise InvalidInputError(
                f"learner {one.name!r} takes no sample_weight; fit_weights=False (--unweighted-fits) weights the loss alone",
                argument="weights",
            )


def _has(estimator: Any, method: str) -> bool:
    # A stack says only after the fit what it can do.
    return hasattr(estimator, method) or (
        not hasattr(estimator, "predict") and hasattr(type(estimator), method)
    )


def _task_of(name: str, estimator: Any) -> str:
    """Return what an estimator does; an error if it is none, or does not say."""
    from sklearn.base import is_classifier, is_regressor

    usable = all(_has(estimator, method) for method in ("fit", "predict", "get_params"))
    if isinstance(estimator, type) or not usable:
        raise InvalidInputError(
            f"learner {name!r} must be an estimator, an object with fit, predict and get_params, got "
            f"{_check.brief(estimator)}; errbar.function takes a training function"
        )
    try:
        if is_classifier(estimator):
            return CLASSIFICATION
        kind = "regressor" if is_regressor(estimator) else ""
    except (AttributeError, TypeError):
        # Estimators from before scikit-learn's tags, and without its base classes, say it like this.
        kind = getattr(estimator, "_estimator_type", "")
    if kind not in _TASKS:
        raise InvalidInputError(
            f"learner {name!r} ({type(estimator).__name__}) does not say whether it is a classifier or a regressor; name "
            "scikit-learn's ClassifierMixin or RegressorMixin among its bases, before BaseEstimator"
        )
    return _TASKS[kind]


def _measures(loss: Any) -> Any:
    """Return what two losses of one name share if they are the same; a function that cannot be sent away is like itself alone."""
    try:
        function = pickle.dumps(loss.function)
    except Exception:  # noqa: BLE001 - an object may raise anything when it is pickled
        function = getattr(loss.function, "args", loss.function)
    return function, loss.sign, loss.needs, loss.pool, loss.positive


def _prototype(name: str, estimator: Any, losses: Any, task: str, *, only_loss: bool) -> Prototype:
    from sklearn.base import clone

    try:
        copy = clone(estimator)
        parameters = list(_parameters(copy, ()))
    except (Exception, SystemExit) as error:
        raise InvalidInputError(
            f"learner {name!r} cannot be copied by scikit-learn's clone: {one_line(error)}"
        ) from error
    batched = callable(getattr(copy, "fit_predict_many", None))
    offered: Any = (LABEL,)
    if task == CLASSIFICATION:
        # A batch is answered with labels, or with probabilities where there are any.
        offered = tuple(
            kind
            for kind, method in RESPONSES.items()
            if _has(copy, method) and not (batched and kind == DECISION)
        )
    for loss in losses:
        if not set(loss.needs) & set(offered):
            wanted = " or ".join(RESPONSES[kind] for kind in loss.needs)
            raise InvalidInputError(
                f"the loss {loss.key!r} needs {wanted}, which learner {name!r} does not have"
            )
    needed = tuple(dict.fromkeys(loss.kind(offered) for loss in losses))
    return Prototype(
        name,
        copy,
        tuple(path for path, own, value in parameters if own == "random_state" and value is None),
        needed if only_loss and not batched else offered,
        needed,
        batched or _labels_from_probabilities(copy),
        task == CLASSIFICATION and _reweighted(parameters),
        any(own == "random_state" and value is not None for _, own, value in parameters),
        batched,
    )


def _reweighted(parameters: Any) -> bool:
    """Tell whether classes have weights, or a threshold of a response was moved."""
    responses = {path for path, name, _ in parameters if name == "response_method"}
    return any(
        (name in _WEIGHTS and value is not None)
        or (
            name in ("threshold", "thresholds")
            and path in responses
            and not isinstance(value, str)
            and np.any(np.asarray(value) != _HALF)
        )
        for path, name, value in parameters
    )


def _labels_from_probabilities(estimator: Any) -> bool:
    steps = getattr(estimator, "steps", None)
    last = steps[-1][1] if steps else estimator
    home, kind = type(last).__module__, type(last).__name__
    uniform = kind == "KNeighborsClassifier" and last.weights == "uniform"
    known = home.startswith("sklearn.") and (kind in _LARGEST_PROBABILITY or uniform)
    return known or home == "errbar.fits.learners"


def _parameters(value: Any, path: Any) -> Iterator[Any]:
    """Yield owner, name and value of all parameters, also inside lists and dicts; the owner is a path of attributes and places."""
    if isinstance(value, (str, type)):
        return
    if isinstance(value, (list, tuple, dict)):
        items = value.items() if isinstance(value, dict) else enumerate(value)
        for key, item in items:
            yield from _parameters(item, (*path, key))
    elif hasattr(value, "get_params"):
        for name, parameter in sorted(value.get_params(deep=False).items()):
            yield path, name, parameter
            yield from _parameters(parameter, (*path, name))
    # A splitter of cross-validation has no get_params, but may draw.
    elif hasattr(value, "split") and hasattr(value, "random_state"):
        yield path, "random_state", value.random_state


# A training function as a learner: what trains and predicts in one call need not be a class.


def function(
    fit_predict: Callable[..., Any],
    *,
    predicts: str = "labels",
    fit_predict_many: Callable[..., Any] | None = None,
) -> Any:
    """Make a learner of a function that trains and predicts.

    Parameters
    ----------
    fit_predict : callable
        Takes ``(X_train, y_train, X_test, seed)`` and returns predictions for the rows of
        ``X_test``; equal seeds, whole numbers, should give equal predictions.
    predicts : {"labels", "probabilities", "numbers"}, default "labels"
        What is returned: labels of classes, shape (m,); probabilities, shape (m, classes), with a
        column for each sorted class of the training set; or numbers of a regression, shape (m,).
    fit_predict_many : callable, optional
        Does all training sets of a plan in one call: takes ``(X, y, train_rows, test_rows,
        seeds)``, the last three lists with an entry for each, and returns a list of predictions.
        Probabilities may have a column for each class of `y`. Two training sets, drawn at random,
        are also given to `fit_predict`, and the run fails where the predictions differ.

    Returns
    -------
    estimator
        It can be cloned, and be the last step of a pipeline.

    Examples
    --------
    >>> import errbar
    >>> import numpy as np
    >>> from sklearn.datasets import load_diabetes
    >>> X, y = load_diabetes(return_X_y=True)
    >>> def mean(X_train, y_train, X_test, seed):
    ...     return np.full(len(X_test), y_train.mean())
    >>> result = errbar.evaluate(errbar.function(mean, predicts="numbers"), X, y, random_state=0)
    >>> result.learner
    'mean'
    """
    kinds = {"labels": _Labels, "probabilities": _Probabilities, "numbers": _Numbers}
    kind = kinds[_check.choice(predicts, kinds, "predicts")]
    many = fit_predict_many is None or callable(fit_predict_many)
    _check.require(callable(fit_predict), "must be a function", fit_predict, "fit_predict")
    _check.require(many, "must be a function", fit_predict_many, "fit_predict_many")
    return kind(fit_predict, fit_predict_many)


class _Function(BaseEstimator):  # type: ignore[misc]  # scikit-learn has no types
    def __init__(
        self,
        fit_predict: Any,
        fit_predict_many: Any = None,
        random_state: Any = None,
    ) -> None:
        self.fit_predict = fit_predict
        self.fit_predict_many = fit_predict_many
        self.random_state = random_state

    @property
    def __name__(self) -> str:
        return str(getattr(self.fit_predict, "__name__", type(self).__name__))

    def fit(self, X: Any, y: Any) -> Self:
        self.X_, self.y_ = X, y
        return self

    def predict(self, X: Any) -> Any:
        return self.fit_predict(self.X_, self.y_, X, self.random_state)


class _Labels(ClassifierMixin, _Function):  # type: ignore[misc]
    @property
    def classes_(self) -> NDArray[Any]:
        return np.unique(self.y_)


class _Probabilities(_Labels):
    def predict_proba(self, X: Any) -> Any:
        return super().predict(X)

    def predict(self, X: Any) -> Any:
        return self.classes_[np.argmax(self.predict_proba(X), axis=1)]


class _Numbers(RegressorMixin, _Function):  # type: ignore[misc]
    pass

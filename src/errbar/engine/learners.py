"""Learners as the engine needs them: private copies whose every random choice can be seeded."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any
from uuid import uuid4

from errbar import _check, _rng
from errbar.errors import InvalidInputError
from errbar.losses import CLASSIFICATION, LABEL, REGRESSION, RESPONSES, Loss

ParameterPath = tuple[str | int, ...]

_TASKS = {"classifier": CLASSIFICATION, "regressor": REGRESSION}

# predict() of these is, in scikit-learn's own code, the class of the largest predicted probability.
_LARGEST_PROBABILITY = {
    "DecisionTreeClassifier",
    "ExtraTreeClassifier",
    "ExtraTreesClassifier",
    "RandomForestClassifier",
}


@dataclass(frozen=True, eq=False)
class Prototype:
    """An unfitted private copy of a learner.

    Attributes
    ----------
    name : str
        Name of the learner.
    estimator : object
        The copy; never fitted itself.
    unseeded : tuple of tuple
        Where every ``random_state`` sits that is None: in pipelines, ensembles, searches, their splitters and
        candidates too. Each is the path there: names of parameters, and keys of lists and dicts.
    kinds : tuple of str
        Kinds of prediction to make.
    optional : tuple of str
        Those of them that are kept for later losses only. A search may lose the ability when it is fitted.
    labels_from_probabilities : bool
        Whether the label is by definition that of the largest probability, so one prediction serves for both.
    nested_jobs : bool
        Whether the learner itself asks for several workers.
    digest : str
        Digest of the full specification.
    recognisable : bool
        Whether a later run would come to the same digest.
    """

    name: str
    estimator: Any
    unseeded: tuple[ParameterPath, ...]
    kinds: tuple[str, ...]
    optional: tuple[str, ...]
    labels_from_probabilities: bool
    nested_jobs: bool
    digest: str
    recognisable: bool

    def fresh(self, base: int, training_set: str) -> Any:
        """Return an unfitted copy with every random choice seeded for one training set."""
        from sklearn.base import clone

        estimator = clone(self.estimator)
        for path in self.unseeded:
            owner = estimator
            for step in path:
                owner = owner[step] if type(step) is not str or isinstance(owner, dict) else getattr(owner, step)
            owner.random_state = _rng.seed(base, self.name, training_set, *path)
        return estimator


def check(learners: Mapping[str, Any]) -> tuple[dict[str, Any], str]:
    """Return the learners by name as text, and the task they agree on."""
    if not isinstance(learners, Mapping) or not learners:
        raise InvalidInputError(f"`learners` must map names to estimators, such as {{'tree': tree}}, got {learners!r}")
    names = _check.names(list(learners), "learner")
    checked = dict(zip(names, learners.values(), strict=True))
    for name, estimator in checked.items():
        require_estimator(estimator, name)
    tasks = {name: _task(name, estimator) for name, estimator in checked.items()}
    if len(set(tasks.values())) > 1:
        listed = ", ".join(f"{name} does {task}" for name, task in tasks.items())
        raise InvalidInputError(f"classifiers and regressors cannot be compared: {listed}")
    return checked, tasks[names[0]]


def prototypes(
    learners: Mapping[str, Any], task: str, loss: Loss | None, versions: Mapping[str, str] | None = None
) -> tuple[Prototype, ...]:
    """Return a prototype of each checked learner, which predicts what the loss needs, or for None all it can."""
    given = dict(versions or {})
    for name, text in given.items():
        _check.choice(name, learners, "version")
        if not isinstance(text, str):
            raise InvalidInputError(f"`version` of learner {name!r} must be a text such as '1', got {text!r}")
    return tuple(_prototype(name, estimator, loss, task, given.get(name)) for name, estimator in learners.items())


def require_estimator(estimator: Any, name: str) -> None:
    """Raise unless this is an estimator that can be copied, fitted and asked for predictions."""
    if isinstance(estimator, type):
        raise InvalidInputError(
            f"learner {name!r} is the class {estimator.__name__}; make it an object: {estimator.__name__}()"
        )
    for needed in ("fit", "predict", "get_params"):
        if not hasattr(estimator, needed):
            raise InvalidInputError(
                f"learner {name!r} must be a scikit-learn estimator with fit, predict and get_params; "
                f"{type(estimator).__name__} has no {needed}"
            )


def _task(name: str, estimator: Any) -> str:
    from sklearn.base import is_classifier, is_regressor

    try:
        found = "classifier" if is_classifier(estimator) else "regressor" if is_regressor(estimator) else ""
    except (AttributeError, TypeError):
        # Estimators from before scikit-learn's tags, and without its base classes, say it like this.
        found = getattr(estimator, "_estimator_type", "")
    if found not in _TASKS:
        raise InvalidInputError(
            f"learner {name!r} ({type(estimator).__name__}) does not say whether it is a classifier or a regressor; "
            "let its class inherit from scikit-learn's ClassifierMixin or RegressorMixin"
        )
    return _TASKS[found]


def _prototype(name: str, estimator: Any, loss: Loss | None, task: str, version: str | None) -> Prototype:
    from sklearn.base import clone

    try:
        copy = clone(estimator)
        places = list(_parameters(copy, ()))
    except (TypeError, RuntimeError, AttributeError) as error:
        raise InvalidInputError(f"learner {name!r} cannot be copied by scikit-learn's clone: {error}") from None
    kinds = _kinds(name, copy, loss, task)
    found = _content(copy) if version is None else f"version:{version}"
    return Prototype(
        name=name,
        estimator=copy,
        unseeded=tuple(path for path, name, value in places if name == "random_state" and value is None),
        kinds=kinds,
        optional=kinds[1:] if loss is None else (),
        labels_from_probabilities=_labels_from_probabilities(copy),
        nested_jobs=any(name == "n_jobs" and value not in (None, 1) for _, name, value in places),
        digest=digest(copy, found),
        recognisable=found is not None,
    )


def _kinds(name: str, estimator: Any, loss: Loss | None, task: str) -> tuple[str, ...]:
    available = [kind for kind, method in RESPONSES.items() if hasattr(estimator, method)]
    if task == REGRESSION:
        available = [LABEL]
    if loss is None:
        return tuple(available[:2])
    if not any(kind in available for kind in loss.needs):
        wanted = " or ".join(RESPONSES[kind] for kind in loss.needs)
        raise InvalidInputError(f"the loss {loss.key!r} needs {wanted}, which learner {name!r} does not have")
    return loss.kinds(available)


def _labels_from_probabilities(estimator: Any) -> bool:
    steps = getattr(estimator, "steps", None)
    last = steps[-1][1] if steps else estimator
    if not type(last).__module__.startswith("sklearn."):
        return False
    kind = type(last).__name__
    return kind in _LARGEST_PROBABILITY or (kind == "KNeighborsClassifier" and last.weights == "uniform")


def _parameters(value: Any, path: ParameterPath) -> Iterator[tuple[ParameterPath, str, Any]]:
    """Yield every parameter of a learner and of all it is made of: the path to its owner, its name and its value."""
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
    elif hasattr(value, "split") and hasattr(value, "random_state"):
        yield path, "random_state", value.random_state


def digest(estimator: Any, content: str | None = None) -> str:
    """Return a digest of the full specification of a learner; one that cannot be made out is never the same again."""
    kind = f"{type(estimator).__module__}.{type(estimator).__qualname__}"
    return f"{kind}:{content or _content(estimator) or uuid4().hex}"


def recognisable(estimator: Any) -> bool:
    """Tell whether a later run could see that a learner is the same; not if it holds a function without a name."""
    return _content(estimator) is not None


def _content(estimator: Any) -> str | None:
    """Return a digest of what a learner consists of, or None where that cannot be written down."""
    try:
        return str(_hasher()(hash_name="md5").hash(estimator))
    except Exception:  # noqa: BLE001 - whatever cannot be hashed is a learner of its own, never found in a store
        return None


@cache
def _hasher() -> Any:
    """Return joblib's hash with frozen sets in an order that is the same in every process, as it has it for sets."""
    from joblib.hashing import NumpyHasher

    class Hasher(NumpyHasher):  # type: ignore[misc]  # joblib has no types
        dispatch = NumpyHasher.dispatch.copy()

        def save_frozenset(self, items: frozenset[Any]) -> None:
            self.save(("frozenset", set(items)))

        dispatch[frozenset] = save_frozenset

    return Hasher

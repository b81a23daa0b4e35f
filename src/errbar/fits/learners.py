"""Learners as fits need them: private copies whose every random choice can be seeded."""

import traceback
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple
from uuid import uuid4

import numpy as np

from errbar import _check, _rng, metrics
from errbar.errors import Failure, FitFailedError, InvalidInputError, one_line
from errbar.fits.key import Identity, identify
from errbar.metrics import CLASSIFICATION, DECISION, LABEL, REGRESSION, RESPONSES, Loss

ParameterPath = tuple[str | int, ...]

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


@dataclass(frozen=True, eq=False)
class Prototype:
    """An unfitted private copy of a learner.

    `unseeded` holds the path to every ``random_state`` that is None. `kinds` are all predictions
    that it offers, so that another loss costs no fit; `needed` are those for the loss of this run.
    `reweighted` means that it weighs classes otherwise than a loss does.
    """

    name: str
    estimator: Any
    unseeded: tuple[ParameterPath, ...]
    kinds: tuple[str, ...]
    needed: tuple[str, ...]
    labels_from_probabilities: bool
    nested_jobs: bool
    version: str | None = None
    reweighted: bool = False
    batched: bool = False

    @cached_property
    def identity(self) -> Identity:
        """What it is, for a later run that may have kept fits of it."""
        return identify(self.estimator, self.version)

    @cached_property
    def token(self) -> str:
        """Return what names its fits where its code cannot be written down: it is never the same in another run."""
        return uuid4().hex

    def fresh(self, base: int, *streams: str | int) -> Any:
        """Return an unfitted copy with every random choice seeded for one fit: its training set, and maybe a seed."""
        from sklearn.base import clone

        estimator = clone(self.estimator)
        for path in self.unseeded:
            owner = estimator
            for step in path:
                owner = (
                    owner[step]
                    if type(step) is not str or isinstance(owner, dict)
                    else getattr(owner, step)
                )
            owner.random_state = _rng.seed(base, self.name, *streams, *path)
        return estimator


def check(learners: Mapping[str, Any]) -> tuple[dict[str, Any], str]:
    """Return the learners by name as text, and the task they agree on."""
    checked = named(learners)
    return checked, agreed({name: task_of(name, estimator) for name, estimator in checked.items()})


def named(learners: Mapping[str, Any]) -> dict[str, Any]:
    """Return the learners by name as text."""
    if not isinstance(learners, Mapping) or not learners:
        raise InvalidInputError(
            f"must map names to estimators, such as {{'tree': tree}}, got {_check.brief(learners)}; errbar.evaluate takes "
            "a single learner",
            argument="learners",
        )
    return dict(zip(_check.names(list(learners), "learner"), learners.values(), strict=True))


def agreed(tasks: Mapping[str, str]) -> str:
    """Return the task of all learners."""
    if len(set(tasks.values())) > 1:
        listed = ", ".join(f"{name} does {task}" for name, task in tasks.items())
        raise InvalidInputError(f"classifiers and regressors cannot be compared: {listed}")
    return next(iter(tasks.values()))


class Prepared(NamedTuple):
    """Learners that can be fitted, what they do and are judged by, and what became of the others."""

    prototypes: tuple[Prototype, ...]
    task: str
    losses: tuple[Loss, ...]
    failures: tuple[Failure, ...]


def prepared(
    learners: Mapping[str, Any],
    wanted: Sequence[Any] = (None,),
    versions: Mapping[str, str] | None = None,
    *,
    pool: str | None = None,
    only_loss: bool = False,
    keep: bool = False,
) -> Prepared:
    """Prepare learners for all losses that are wanted; with `keep` the others go on without one that cannot be prepared."""
    checked, given = named(learners), dict(versions or {})
    for name, text in given.items():
        _check.choice(name, checked, "version")
        if not isinstance(text, str):
            raise InvalidInputError(
                f"of learner {name!r} must be a text such as '1', got {text!r}", argument="version"
            )
    failures: list[Failure] = []
    tasks, found = {}, []
    for name, estimator in checked.items():
        with _contained(name, failures, keep=keep):
            tasks[name] = task_of(name, estimator)
    if not tasks:
        raise nothing_left(failures)
    task = agreed(tasks)
    resolved = _different([metrics.resolve(loss, task, pool) for loss in wanted])
    for name in tasks:
        with _contained(name, failures, keep=keep):
            found.append(
                _prototype(
                    name, checked[name], resolved, task, given.get(name), only_loss=only_loss
                )
            )
    if not found:
        raise nothing_left(failures)
    return Prepared(tuple(found), task, resolved, tuple(failures))


def _different(each: Sequence[Loss]) -> tuple[Loss, ...]:
    found: dict[str, Loss] = {}
    for loss in each:
        if not metrics.same_measure(found.setdefault(loss.key, loss), loss):
            raise InvalidInputError(
                f"holds two different losses that are called {loss.key!r}; give one a name of its own, such as "
                "errbar.metrics.metric(f, key='own')",
                argument="loss",
            )
    return tuple(found.values())


def nothing_left(failures: Sequence[Failure]) -> FitFailedError:
    """Return the error of a run all of whose learners have failed before the first fit."""
    first = failures[0]
    return FitFailedError(f"learner {first.learner!r} failed: {first.message}", failures)


@contextmanager
def _contained(name: str, failures: list[Failure], *, keep: bool) -> Iterator[None]:
    try:
        yield
    except InvalidInputError:
        raise
    except (Exception, SystemExit) as error:
        if not keep:
            raise InvalidInputError(
                f"learner {name!r} cannot be prepared: it raised {one_line(error)}"
            ) from error
        failures.append(Failure(name, "", one_line(error), traceback.format_exc()))


def require_estimator(estimator: Any, name: str) -> None:
    """Raise unless this is an estimator that can be copied, fitted and asked for predictions."""
    if isinstance(estimator, type):
        raise InvalidInputError(
            f"learner {name!r} is the class {estimator.__name__}; make it an object: {estimator.__name__}()"
        )
    for needed in ("fit", "predict", "get_params"):
        if not _has(estimator, needed):
            raise InvalidInputError(
                f"learner {name!r} must be an estimator with fit, predict and get_params, and {_check.brief(estimator)} has "
                f"no {needed}; sklearn.base.BaseEstimator has get_params, errbar.function takes a training function"
            )


def _has(estimator: Any, method: str) -> bool:
    return hasattr(estimator, method) or (
        not hasattr(estimator, "predict") and hasattr(type(estimator), method)
    )


def task_of(name: str, estimator: Any) -> str:
    """Return what an estimator does; an error if it is none, or does not say."""
    require_estimator(estimator, name)
    from sklearn.base import is_classifier, is_regressor

    try:
        kinds = {"classifier": is_classifier, "regressor": is_regressor}
        found = next((kind for kind, is_kind in kinds.items() if is_kind(estimator)), "")
    except (AttributeError, TypeError):
        # Estimators from before scikit-learn's tags, and without its base classes, say it like this.
        found = getattr(estimator, "_estimator_type", "")
    if found not in _TASKS:
        raise InvalidInputError(
            f"learner {name!r} ({type(estimator).__name__}) does not say whether it is a classifier or a regressor; name "
            "scikit-learn's ClassifierMixin or RegressorMixin among its bases, before BaseEstimator"
        )
    return _TASKS[found]


def _prototype(
    name: str,
    estimator: Any,
    each: Sequence[Loss],
    task: str,
    version: str | None,
    *,
    only_loss: bool,
) -> Prototype:
    from sklearn.base import clone

    try:
        copy = clone(estimator)
        places = list(_parameters(copy, ()))
    except (TypeError, RuntimeError, AttributeError) as error:
        raise InvalidInputError(
            f"learner {name!r} cannot be copied by scikit-learn's clone: {error}"
        ) from None
    batched = callable(getattr(copy, "fit_predict_many", None))
    offered = [LABEL]
    if task != REGRESSION:
        offered = [kind for kind, method in RESPONSES.items() if _has(copy, method)]
    if batched:  # it answers with labels, or with probabilities where it has them
        offered = [kind for kind in offered if kind != DECISION]
    for loss in each:
        if not any(kind in offered for kind in loss.needs):
            wanted = " or ".join(RESPONSES[kind] for kind in loss.needs)
            raise InvalidInputError(
                f"the loss {loss.key!r} needs {wanted}, which learner {name!r} does not have"
            )
    needed = tuple(dict.fromkeys(loss.kind(offered) for loss in each))
    return Prototype(
        name=name,
        estimator=copy,
        unseeded=tuple(
            path for path, name, value in places if name == "random_state" and value is None
        ),
        kinds=needed if only_loss and not batched else tuple(offered),
        needed=needed,
        labels_from_probabilities=batched or _labels_from_probabilities(copy),
        nested_jobs=any(name == "n_jobs" and value not in (None, 1) for _, name, value in places),
        version=version,
        reweighted=task == CLASSIFICATION and _reweighted(places),
        batched=batched,
    )


def _reweighted(places: Sequence[tuple[ParameterPath, str, Any]]) -> bool:
    responses = {path for path, name, _ in places if name == "response_method"}
    weighs = any(name in _WEIGHTS and value is not None for _, name, value in places)
    moved = any(
        name in ("threshold", "thresholds")
        and path in responses
        and not isinstance(value, str)
        and np.any(np.asarray(value) != _HALF)
        for path, name, value in places
    )
    return weighs or moved


def _labels_from_probabilities(estimator: Any) -> bool:
    steps = getattr(estimator, "steps", None)
    last = steps[-1][1] if steps else estimator
    if type(last).__module__ == "errbar.fits.function":
        return True
    if not type(last).__module__.startswith("sklearn."):
        return False
    kind = type(last).__name__
    return kind in _LARGEST_PROBABILITY or (
        kind == "KNeighborsClassifier" and last.weights == "uniform"
    )


def _parameters(value: Any, path: ParameterPath) -> Iterator[tuple[ParameterPath, str, Any]]:
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

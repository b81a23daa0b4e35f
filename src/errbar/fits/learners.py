"""Learners as fits need them: private copies whose every random choice can be seeded."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from errbar import _check, _rng, metrics
from errbar.errors import InvalidInputError, one_line
from errbar.fits.key import Identity, identify
from errbar.metrics import CLASSIFICATION, DECISION, LABEL, REGRESSION, RESPONSES

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


@dataclass(frozen=True, eq=False)
class Prototype:
    """An unfitted private copy of a learner.

    `unseeded` holds the path to every ``random_state`` that is None. `kinds` are all predictions
    that it offers, so that another loss costs no fit; `needed` are those for the loss of this run.
    `reweighted` means that it weighs classes otherwise than a loss does.
    """

    name: str
    estimator: Any
    unseeded: Any
    kinds: tuple[str, ...]
    needed: tuple[str, ...]
    labels_from_probabilities: bool
    reweighted: bool
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
    only_loss: bool = False,
) -> tuple[Any, str, Any]:
    """Prepare learners for all losses that are wanted; return them, what they do, and the losses."""
    checked, task = check(learners)
    losses: Any = {}
    for loss in (metrics.resolve(one, task, pool) for one in wanted):
        if losses.setdefault(loss.key, loss) != loss:
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
    return known or home == "errbar.fits.function"


def _parameters(value: Any, path: Any) -> Iterator[Any]:
    """Yield owner, name and value of all parameters, the owner as a path of attributes and places."""
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

"""Which estimators, parameters and data the shared fits reproduce."""

from collections.abc import Callable, Mapping
from inspect import signature
from numbers import Integral, Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from errbar.metrics import Target

Array = NDArray[Any]
Rule = Callable[[Any], bool]
Rules = Mapping[str, Rule]

_LARGEST = 1e50
_OFFSET = 1e4


def boolean(value: Any) -> bool:
    """Allow both truth values."""
    return isinstance(value, (bool, np.bool_))


def one_of(*values: Any) -> Rule:
    """Allow some texts, or None."""
    return lambda value: (value is None or isinstance(value, str)) and value in values


def integer(least: int) -> Rule:
    """Allow whole numbers from some least one on."""
    return lambda value: isinstance(value, Integral) and not boolean(value) and int(value) >= least


def real(least: float, largest: float = np.inf) -> Rule:
    """Allow numbers within a range."""
    return lambda value: (
        isinstance(value, Real) and not boolean(value) and least <= float(value) <= largest
    )


def optional(rule: Rule) -> Rule:
    """Allow None too."""
    return lambda value: value is None or rule(value)


def seed(value: Any) -> bool:
    """Allow whatever scikit-learn takes as a seed."""
    return value is None or integer(0)(value) or isinstance(value, np.random.RandomState)


def shares(value: Any) -> bool:
    """Allow positive numbers that add up to one."""
    if value is None:
        return True
    try:
        array = np.asarray(value, dtype=np.float64)
    except (TypeError, ValueError):
        return False
    return (
        array.ndim == 1
        and array.size > 1
        and bool((array > 0).all())
        and abs(array.sum() - 1) < 1e-9
    )


def kind_of(estimator: Any) -> str:
    """Return the name of a class of scikit-learn itself, and nothing for others, subclasses too."""
    kind = type(estimator)
    return kind.__name__ if kind.__module__.partition(".")[0] == "sklearn" else ""


def within(estimator: Any, rules: Rules) -> bool:
    """Tell whether every parameter is allowed by its rule, or has its default value where there is none."""
    known = signature(type(estimator)).parameters
    return all(
        rules[name](value)
        if name in rules
        else type(value) is type(known[name].default) and value == known[name].default
        for name, value in estimator.get_params(deep=False).items()
    )


def learner(estimator: Any) -> Any:
    """Return the learner in a pipeline that standardizes features before it, and whatever else is given as it is."""
    if kind_of(estimator) == "Pipeline" and within(
        estimator, {"steps": lambda value: isinstance(value, list)}
    ):
        scaler, *others = (step for _, step in estimator.steps)
        if (
            len(others) == 1
            and kind_of(scaler) == "StandardScaler"
            and within(scaler, {"copy": boolean})
        ):
            return others[0]
    return estimator


def numeric(X: Any, target: Target) -> bool:
    """Tell whether features are a dense table of finite numbers with which scikit-learn computes in double precision."""
    if type(X) is not np.ndarray or X.ndim != 2 or 0 in X.shape or X.shape[0] != target.values.size:
        return False
    if X.dtype.kind not in "biu" and X.dtype != np.float64:
        return False
    if target.classes is None and not np.isfinite(target.values).all():
        return False
    largest = float(np.abs(X).max())
    # Squares are to be numbers, and not zero. A comparison with what is not a number is false.
    return largest == 0 or 1 / _LARGEST < largest < _LARGEST


def centred_enough(X: Array) -> bool:
    """Tell whether no feature lies so far from zero that its differences are lost in rounding.

    Features that are constant are not considered.
    """
    table = np.asarray(X, dtype=np.float64)
    near = np.abs(table.mean(axis=0)) <= _OFFSET * table.std(axis=0)
    return bool((near | constant(table)).all())


def constant(X: Array) -> NDArray[np.bool_]:
    """Tell which features are the same for all examples."""
    return np.asarray(np.not_equal(X, X[:1]).sum(axis=0) == 0)

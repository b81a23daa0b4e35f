"""Argument checks: each returns the cleaned value or raises one clear sentence."""

import math
from collections.abc import Iterable, Sequence
from importlib import import_module
from numbers import Integral, Number, Real
from types import ModuleType
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from errbar.errors import InvalidInputError, MissingPackageError, hint

Alternative = Literal["two-sided", "less", "greater"]
FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]
Array = NDArray[Any]
Facts = dict[str, Any]

_LARGEST = 1e150
MOST = 10_000_000
"""The largest count of what is computed one by one: more would take all memory or all time before anything is said."""
MOST_EXAMPLES = 10**15
"""The largest count of what is only spoken of."""

ALTERNATIVES = ("two-sided", "less", "greater")


def require(holds: object, must: str, value: Any, name: str) -> None:
    """Raise unless something holds, in the form "must be ..., got ..."."""
    if not holds:
        raise InvalidInputError(f"{must}, got {brief(value)}", argument=name)


def level(value: float, name: str = "level") -> float:
    """Return a confidence level strictly between 0 and 1."""
    number = _real(value)
    require(0.0 < number < 1.0, "must be a number between 0 and 1 such as 0.95", value, name)
    return number


def alternative(value: str) -> str:
    """Return one of the three alternatives."""
    return choice(value, ALTERNATIVES, "alternative")


def choice(value: Any, allowed: Iterable[str], name: str) -> str:
    """Return `value` if it is one of the `allowed` words."""
    words = list(allowed)
    if isinstance(value, str) and value in words:
        return value
    listed = ", ".join(map(repr, words))
    raise InvalidInputError(
        f"must be one of {listed}, got {value!r}{hint(str(value), words)}", argument=name
    )


def finite(value: float, name: str) -> float:
    """Return a finite real number."""
    number = _real(value)
    require(math.isfinite(number), "must be a finite number", value, name)
    return number


def positive(value: float, name: str) -> float:
    """Return a finite number above 0."""
    number = finite(value, name)
    require(number > 0.0, "must be positive", value, name)
    return number


def between(value: float, low: float, high: float, name: str, *, closed: bool = True) -> float:
    """Return a number in [low, high], or in [low, high) where `closed` is false."""
    number = _real(value)
    inside = low <= number <= high and (closed or number < high)
    require(inside, f"must lie in [{low:g}, {high:g}{']' if closed else ')'}", value, name)
    return number


def count(value: int, name: str, minimum: int = 1, most: float = MOST) -> int:
    """Return a whole number of at least `minimum`, and of no absurd size."""
    whole = isinstance(value, Integral) and not isinstance(value, bool)
    must = f"must be a whole number of at least {minimum} and at most {most:,}"
    require(whole and minimum <= value <= most, must, value, name)
    return int(value)


def flag(value: bool, name: str) -> bool:  # noqa: FBT001 - a check takes its value by position
    """Return True or False, and nothing that merely counts as such."""
    require(isinstance(value, (bool, np.bool_)), "must be True or False", value, name)
    return bool(value)


def is_number(text: str) -> bool:
    """Tell whether Python makes a number of a text."""
    try:
        float(text)
    except ValueError:
        return False
    return True


def sizes(value: ArrayLike, length: int, name: str) -> FloatArray:
    """Return one size of at least 1 per split from a number or an array of `length` numbers."""
    array = numbers(np.atleast_1d(value), name, "split")
    must = f"must be numbers of examples, at least 1 each: one, or {length}, one per split"
    require(array.shape in ((1,), (length,)) and array.min() >= 1.0, must, value, name)
    return np.broadcast_to(array, length)


def vector(value: ArrayLike, name: str, unit: str, minimum: int = 1) -> FloatArray:
    """Return a one-dimensional array of at least `minimum` finite numbers, as a read-only copy."""
    array = numbers(value, name, unit)
    must = f"must be one-dimensional, with at least {minimum} values, one per {unit}"
    require(array.ndim == 1 and array.size >= minimum, must, value, name)
    return array


def numbers(value: ArrayLike, name: str, unit: str) -> FloatArray:
    """Return an array of finite numbers of any shape, as a read-only copy."""
    try:
        masked = np.ma.is_masked(value)
        array = np.array(value, dtype=np.float64)
    except (TypeError, ValueError):
        masked = True
    require(not masked, "must hold finite numbers only", value, name)
    # Larger ones overflow when squared.
    wrong = np.argwhere(~(np.abs(array) <= _LARGEST))
    if wrong.size:
        place = tuple(wrong[0].tolist())
        must = f"must be finite and at most {_LARGEST:g} at {unit} {place} (counted from 0)"
        require(holds=False, must=must, value=array[place], name=name)
    array.setflags(write=False)
    return array


def labels(value: ArrayLike, length: int, name: str) -> IntArray:
    """Return whole-number labels, one each, from a number or an array of `length` numbers."""
    array = np.asarray(value)
    if array.dtype.kind == "f" and np.isfinite(array).all() and (array == np.floor(array)).all():
        array = array.astype(np.int64)
    whole = array.dtype.kind in "iub" and not np.ma.is_masked(value)
    fits = array.shape in ((), (length,))
    require(whole and fits, f"must be one whole number or {length} of them", value, name)
    return np.array(np.broadcast_to(array, length), dtype=np.int64)


def categories(value: Any, what: str, rows: int | None = None) -> NDArray[Any]:
    r"""Return labels of one type, one each: numbers, text, dates; refuse what NumPy would lose, or make one of two.

    Of a list ``["1", 1]`` it makes the text "1" twice, of "a" and "a\0" the same text, of a mask nothing.
    """
    array = np.asarray(value, dtype=object if isinstance(value, (list, tuple)) else None)
    if array.ndim == 2 and array.shape[1] == 1:
        array = array.ravel()
    if array.ndim != 1 or rows not in (None, array.size):
        raise _fault(what, f"must hold one value per example, got shape {array.shape}")
    missing = np.ma.getmaskarray(value) if np.ma.is_masked(value) else np.zeros(array.size, bool)
    if array.dtype.kind in "fmM":
        missing |= ~np.isfinite(array)
    if array.dtype.kind in ("O", "T"):
        given = array.tolist()
        missing |= [_is_missing(one) for one in given]
        kinds = {_kind(one) for one in given}
        array = array if missing.any() else np.array(given)
        if not missing.any() and (len(kinds) > 1 or array.ndim != 1 or array.tolist() != given):
            raise _fault(
                what,
                f"must hold values of one type that NumPy keeps as they are, got {' and '.join(sorted(kinds))}; give them as text",
            )
    if missing.any():
        raise _fault(what, f"has no finite value for example {missing.argmax()} (counted from 0)")
    return array


def _is_missing(value: Any) -> bool:
    return value is None or type(value).__name__ == "NAType" or bool(np.any(value != value))


def _kind(value: Any) -> str:
    kinds = (kind for kind in (str, bool, Number) if isinstance(value, kind))
    return next(kinds, type(value)).__name__


def _fault(what: str, fault: str) -> InvalidInputError:
    """Return the refusal of labels; in backticks they are an argument, which the refusal then carries."""
    name = what.strip("`")
    if what == f"`{name}`":
        return InvalidInputError(fault, argument=name)
    return InvalidInputError(f"{what} {fault}")


def names(value: Sequence[str], what: str) -> tuple[str, ...]:
    """Return unique, non-empty names."""
    cleaned = tuple(map(str, value))
    shown = {" ".join(name.split()) for name in cleaned}
    if not shown or "" in shown or len(shown) < len(cleaned):
        raise InvalidInputError(
            f"every {what} needs a name of its own, and there must be one, got {brief(list(cleaned))}"
        )
    return cleaned


def package(name: str, extra: str | None) -> ModuleType:
    """Import an optional package, or say which extra brings it; None for one that no extra brings."""
    try:
        return import_module(name)
    except ImportError:
        needed = name.partition(".")[0]
        source = f"'errbar[{extra}]'" if extra else needed
        raise MissingPackageError(
            f"this needs the package {needed!r}; install it with: pip install {source}"
        ) from None


def _real(value: Any) -> float:
    """Return a real number; NaN for anything else, truth values too."""
    if not isinstance(value, Real) or isinstance(value, bool):
        return math.nan
    try:
        return float(value)
    except OverflowError:
        return math.inf


def brief(value: Any) -> str:
    """Return a value as a message shows it: on one line, no longer than 60 characters, and of an array its shape alone."""
    if np.size(shape := getattr(value, "shape", ())):
        return f"{type(value).__name__} of shape {shape}"
    try:
        text = " ".join(repr(value).split())
    except ValueError:  # Python writes no numbers of more than 4300 digits
        return type(value).__name__
    return text if len(text) <= 60 else text[:57] + "..."


def listed(names: Sequence[str], shown: int) -> str:
    """Return the first names of a list for a message, and how many there are besides."""
    more = f" and {len(names) - shown} more" if len(names) > shown else ""
    return ", ".join(names[:shown]) + more


def compact(labels: NDArray[Any]) -> IntArray:
    """Return labels as numbers from 0 on, in their order; without sorting where they are whole numbers that lie close together."""
    if labels.dtype.kind in "iu" and labels.size:
        low = int(labels.min())
        if int(labels.max()) - low < 4 * labels.size:
            shifted = labels.astype(np.int64, copy=False) - low
            present = np.bincount(shifted) > 0
            return shifted if present.all() else (np.cumsum(present) - 1)[shifted]
    return np.unique(labels, return_inverse=True)[1].ravel()


def numbered(*columns: NDArray[Any]) -> IntArray:
    """Return a number from 0 on for each row of columns, the same for the same labels, in their order."""
    number = compact(columns[0])
    for column in columns[1:]:
        own = compact(column)
        number = compact(number * (int(own.max()) + 1) + own)
    return number


def distinct(*columns: NDArray[Any]) -> int:
    """Return how many different rows columns have."""
    return int(numbered(*columns).max()) + 1

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

_LARGEST = 1e150
_FEW = 6
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
    inside = _is_real(value) and 0.0 < value < 1.0
    require(inside, "must be a number between 0 and 1 such as 0.95", value, name)
    return float(value)


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
    try:
        number = float(value) if _is_real(value) else math.nan
    except OverflowError:
        number = math.inf
    require(math.isfinite(number), "must be a finite number", value, name)
    return number


def positive(value: float, name: str) -> float:
    """Return a finite number above 0."""
    number = finite(value, name)
    require(number > 0.0, "must be positive", value, name)
    return number


def between(value: float, low: float, high: float, name: str, *, closed: bool = True) -> float:
    """Return a number in [low, high], or in [low, high) where `closed` is false."""
    inside = _is_real(value) and low <= value and (value <= high if closed else value < high)
    require(inside, f"must lie in [{low:g}, {high:g}{']' if closed else ')'}", value, name)
    return float(value)


def count(value: int, name: str, minimum: int = 1, most: float = MOST) -> int:
    """Return a whole number of at least `minimum`, and of no absurd size."""
    whole = isinstance(value, Integral) and not isinstance(value, (bool, np.bool_))
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
    array = numbers(np.atleast_1d(np.asarray(value)), name, "split")
    fits = array.ndim == 1 and array.size in (1, length)
    require(fits, f"must be one number or {length} numbers, one per split", value, name)
    must = "must be a number of examples, at least 1, and not a share of them"
    require(array.min() >= 1.0, must, float(array.min()), name)
    return array if array.size == length else np.full(length, array[0])


def vector(value: ArrayLike, name: str, unit: str, minimum: int = 1) -> FloatArray:
    """Return a one-dimensional array of at least `minimum` finite numbers, as a read-only copy."""
    array = numbers(value, name, unit)
    must = f"must be one-dimensional, with at least {minimum} values, one per {unit}"
    require(array.ndim == 1 and array.size >= minimum, must, value, name)
    return array


def numbers(value: ArrayLike, name: str, unit: str) -> FloatArray:
    """Return an array of finite numbers of any shape, as a read-only copy."""
    try:
        if isinstance(value, np.ma.MaskedArray):
            value = np.ma.filled(value.astype(np.float64), np.nan)
        array = np.array(value, dtype=np.float64)
    except (TypeError, ValueError):
        array = np.array(math.nan)
    require(array.ndim or np.isfinite(array), "must hold finite numbers only", value, name)
    # Larger ones overflow when squared.
    wrong = ~(np.abs(array) <= _LARGEST)
    if wrong.any():
        place = tuple(np.argwhere(wrong)[0].tolist())
        raise InvalidInputError(
            f"holds {array[place]:g} at {unit} {place[0] if len(place) == 1 else place} (counted from 0); every value must be finite, "
            f"and at most {_LARGEST:g}",
            argument=name,
        )
    array.setflags(write=False)
    return array


def labels(value: ArrayLike, length: int, name: str) -> IntArray:
    """Return whole-number labels, one each, from a number or an array of `length` numbers."""
    array = np.asarray(value)
    if array.dtype.kind == "f" and np.isfinite(array).all() and (array == np.floor(array)).all():
        array = array.astype(np.int64)
    whole = array.dtype.kind in "iub" and not np.ma.is_masked(value)
    fits = array.ndim == 0 or array.shape == (length,)
    require(whole and fits, f"must be one whole number or {length} of them", value, name)
    return np.array(np.broadcast_to(array, length), dtype=np.int64)


def categories(value: Any, what: str) -> NDArray[Any]:
    r"""Return labels of one type, one each: numbers, text, dates; refuse what NumPy would lose, or make one of two.

    Of a list ``["1", 1]`` it makes the text "1" twice, of "a" and "a\0" the same text, of a mask nothing.
    """
    array = np.asarray(value, dtype=object if isinstance(value, (list, tuple)) else None)
    array = array.ravel() if array.ndim == 2 and array.shape[1] == 1 else array
    if array.ndim != 1:
        raise _fault(what, f"must hold one value per example, got shape {array.shape}")
    missing = np.ma.getmaskarray(value) if np.ma.is_masked(value) else None
    if array.dtype.kind in ("O", "T"):
        given = array.tolist()
        missing = np.array([_is_missing(one) for one in given], dtype=bool)
        array = np.array(given) if not missing.any() else array
        kinds = dict.fromkeys(map(_kind, given))
        if not missing.any() and (len(kinds) > 1 or array.ndim != 1 or array.tolist() != given):
            raise _fault(
                what,
                f"must hold values of one type that stay as they are in an array, got {' and '.join(kinds)}; give them as text",
            )
    elif missing is None and array.dtype.kind in "fmM":
        missing = ~np.isfinite(array)
    if missing is not None and missing.any():
        place = int(np.flatnonzero(missing)[0])
        raise _fault(what, f"has no finite value for example {place} (counted from 0)")
    return array


def labels_of_any_kind(value: Any, rows: int, name: str) -> NDArray[Any]:
    """Return labels of one type, one for each row."""
    array = categories(value, f"`{name}`")
    require(array.size == rows, f"must hold one value per row, {rows} in all", value, name)
    return array


def _is_missing(value: Any) -> bool:
    return value is None or type(value).__name__ == "NAType" or bool(np.any(value != value))


def _fault(what: str, fault: str) -> InvalidInputError:
    """Return the refusal of labels; in backticks they are an argument, which the refusal then carries."""
    name = what.strip("`")
    if what == f"`{name}`" and name.isidentifier():
        return InvalidInputError(fault, argument=name)
    return InvalidInputError(f"{what} {fault}")


def _kind(value: Any) -> str:
    kinds: dict[str, Any] = {
        "text": str,
        "truth values": (bool, np.bool_),
        "numbers": Number,
    }
    found = (kind for kind, types in kinds.items() if isinstance(value, types))
    return next(found, type(value).__name__)


def names(value: Sequence[str], what: str) -> tuple[str, ...]:
    """Return unique, non-empty names."""
    cleaned = tuple(str(name) for name in value)
    shown = [" ".join(name.split()) for name in cleaned]
    if not cleaned or not all(shown) or len(set(shown)) < len(shown):
        raise InvalidInputError(
            f"every {what} needs a name of its own, and there must be one, got {brief(list(cleaned))}"
        )
    return cleaned


def package(name: str, extra: str | None) -> ModuleType:
    """Import an optional package, or say which extra brings it; None for one that no extra brings."""
    try:
        return import_module(name)
    except ImportError:
        needed = name.split(".", maxsplit=1)[0]
        source = needed if extra is None else f"'errbar[{extra}]'"
        message = f"this needs the package {needed!r}; install it with: pip install {source}"
        raise MissingPackageError(message) from None


def _is_real(value: Any) -> bool:
    return isinstance(value, Real) and not isinstance(value, (bool, np.bool_))


def brief(value: Any) -> str:
    """Return a value as a message shows it: on one line, no longer than 60 characters, and of an array its shape alone."""
    shape = getattr(value, "shape", ())
    if isinstance(shape, tuple) and shape and math.prod(shape) > _FEW:
        article = "an array" if isinstance(value, np.ndarray) else f"a {type(value).__name__}"
        return f"{article} of shape {shape}"
    try:
        text = " ".join(repr(value).split())
    except ValueError:  # Python writes no numbers of more than 4300 digits
        text = (
            f"a number of {value.bit_length()} bits"
            if isinstance(value, int)
            else type(value).__name__
        )
    return text if len(text) <= 60 else text[:57] + "..."


def listed(names: Sequence[str], shown: int, separator: str = ", ") -> str:
    """Return the first names of a list for a message, and how many there are besides."""
    more = f" and {len(names) - shown} more" if len(names) > shown else ""
    return separator.join(names[:shown]) + more


def compact(labels: NDArray[Any]) -> IntArray:
    """Return labels as numbers from 0 on, in their order; without sorting where they are whole numbers that lie close together."""
    if labels.dtype.kind in "iu" and labels.size:
        low = int(labels.min())
        if int(labels.max()) - low < 4 * labels.size:
            whole: IntArray = labels.astype(np.int64, copy=False)
            shifted = whole - low if low else whole
            present = np.bincount(shifted) > 0
            return shifted if present.all() else (np.cumsum(present) - 1)[shifted]
    codes: IntArray = np.unique(labels, return_inverse=True)[1].ravel()
    return codes


def numbered(*columns: NDArray[Any]) -> IntArray:
    """Return a number from 0 for each row of columns, the same for the same labels and in their order: faster to compare than rows."""
    number = compact(columns[0])
    for column in columns[1:]:
        own = compact(column)
        width = int(own.max()) + 1
        if (int(number.max()) + 1) * width > _MOST_NUMBERS:
            number = compact(number)
        number = number * width + own
    return number


def distinct(*columns: NDArray[Any]) -> int:
    """Return how many different rows columns have."""
    return int(compact(numbered(*columns)).max()) + 1


_MOST_NUMBERS = 2**62

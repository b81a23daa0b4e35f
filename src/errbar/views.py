"""Views: what one kind of method sees of a table, checked once so that methods need not."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol, Self

import numpy as np
from numpy.typing import ArrayLike

from errbar import _check
from errbar._check import FloatArray, IntArray
from errbar.errors import InvalidInputError, PairingError

__all__ = ["FiveByTwo", "PointLosses", "Rows", "SplitScores", "View"]


@dataclass(frozen=True, eq=False)
class Rows:
    """The columns of one learner, or of a difference, under one plan: what views are made from.

    Attributes
    ----------
    kind : str
        Kind of the plan.
    score : ndarray, shape (S,)
        Mean loss of each split.
    n_train, n_test : ndarray, shape (S,)
        Sizes of each split; NaN where unknown.
    repeat, fold, inner : ndarray of int, shape (S,)
        Labels of each split; -1 where a label does not apply.
    point : ndarray, shape (C,), or None
        Loss of each example, where there is one.
    split, example : ndarray of int, shape (C,), or None
        Split (position in the arrays above) and example that each loss belongs to.
    """

    kind: str
    score: FloatArray
    n_train: FloatArray
    n_test: FloatArray
    repeat: IntArray
    fold: IntArray
    inner: IntArray
    point: FloatArray | None = None
    split: IntArray | None = None
    example: IntArray | None = None


class View(Protocol):
    """Something that can be made from rows of a table."""

    @classmethod
    def of(cls, rows: Rows) -> Self:
        """Make the view."""


@dataclass(frozen=True, eq=False)
class SplitScores:
    """One score per split, of a learner or of the difference of two.

    Parameters
    ----------
    value : array-like, shape (J,)
        Scores; at least two.
    n_train, n_test : float or array-like, shape (J,), optional
        Training and test size of the splits. Methods that correct for overlap need them.
    kind : str, optional
        Kind of plan the scores come from, such as ``"subsampling"`` or ``"kfold"``, where it is known.
    repeats : int, default 1
        Number of partitions, for repeated K-fold.

    Examples
    --------
    >>> import errbar
    >>> scores = errbar.SplitScores([0.02, 0.01, 0.03, -0.01], n_train=90, n_test=10)
    >>> round(scores.ratio, 4)
    0.1111
    """

    value: FloatArray
    n_train: FloatArray | None = None
    n_test: FloatArray | None = None
    kind: str | None = None
    repeats: int = 1

    def __init__(
        self,
        value: ArrayLike,
        n_train: ArrayLike | None = None,
        n_test: ArrayLike | None = None,
        *,
        kind: str | None = None,
        repeats: int = 1,
    ) -> None:
        cleaned = _check.vector(value, "value", "split", 2)
        put = object.__setattr__
        put(self, "value", cleaned)
        put(self, "n_train", None if n_train is None else _check.sizes(n_train, cleaned.size, "n_train"))
        put(self, "n_test", None if n_test is None else _check.sizes(n_test, cleaned.size, "n_test"))
        put(self, "kind", kind)
        put(self, "repeats", _check.count(repeats, "repeats"))

    @property
    def ratio(self) -> float:
        """Mean over splits of test size over training size, n2/n1."""
        if self.n_train is None or self.n_test is None:
            raise InvalidInputError(
                "this method needs the sizes of the splits: give `n_train` and `n_test` (on the command line --n-train and --n-test)"
            )
        return float(np.add.reduce(self.n_test / self.n_train)) / self.value.size

    @property
    def training_size(self) -> float:
        """Mean training size, NaN where unknown."""
        return math.nan if self.n_train is None else float(np.add.reduce(self.n_train)) / self.value.size

    @classmethod
    def of(cls, rows: Rows) -> Self:
        """Make the view from rows of a table."""
        known = not np.isnan(rows.n_train).any() and not np.isnan(rows.n_test).any()
        sizes = (rows.n_train, rows.n_test) if known else (None, None)
        return cls(rows.score, *sizes, kind=rows.kind, repeats=max(1, int(np.unique(rows.repeat).size)))

    @classmethod
    def from_cross_validate(
        cls,
        scores_a: Mapping[str, Any],
        scores_b: Mapping[str, Any] | None = None,
        *,
        n_train: ArrayLike | None = None,
        n_test: ArrayLike | None = None,
        metric: str = "score",
    ) -> Self:
        """Take the scores of one, or the differences of two, results of scikit-learn's ``cross_validate``.

        Parameters
        ----------
        scores_a, scores_b : mapping
            Results of ``cross_validate`` on the same splits. The view holds a minus b in the scores' own
            direction: positive where a scores higher.
        n_train, n_test : float or array-like, optional
            Sizes of the splits; read from ``indices`` where ``cross_validate(..., return_indices=True)`` was used.
        metric : str, default "score"
            Which of several metrics; the entry ``test_<metric>`` is read.

        Returns
        -------
        SplitScores
            One number per split.

        Raises
        ------
        PairingError
            If the two results do not come from the same splits.
        """
        results = [scores_a] if scores_b is None else [scores_a, scores_b]
        values = [scores_of(result, metric) for result in results]
        require_same_splits(results, [v.size for v in values], [f"scores_{letter}" for letter in "ab"])
        found_train, found_test = split_sizes(scores_a)
        value = values[0] if scores_b is None else difference(*values)
        return cls(value, found_train if n_train is None else n_train, found_test if n_test is None else n_test)


@dataclass(frozen=True, eq=False)
class PointLosses:
    """One loss per test example, of a learner or of the difference of two.

    Parameters
    ----------
    value : array-like, shape (N,)
        Losses.
    fold, repeat : int or array-like of int, shape (N,), default 0
        Fold and repeat in which the example was tested.
    inner : int or array-like of int, shape (N,), default -1
        Inner fold of nested cross-validation; -1 marks outer losses.
    example : array-like of int, shape (N,), optional
        Which example the loss belongs to.
    n_train : float, optional
        Mean training size, for the statement of what is estimated.

    Attributes
    ----------
    folds, repeats : int
        Number of different folds and repeats.

    Examples
    --------
    >>> import errbar
    >>> losses = errbar.PointLosses([0, 1, 0, 0], fold=[0, 0, 1, 1])
    >>> losses.folds
    2
    """

    value: FloatArray
    fold: IntArray
    repeat: IntArray
    inner: IntArray
    example: IntArray
    n_train: float
    folds: int
    repeats: int

    def __init__(
        self,
        value: ArrayLike,
        fold: ArrayLike = 0,
        repeat: ArrayLike = 0,
        inner: ArrayLike = -1,
        example: ArrayLike | None = None,
        *,
        n_train: float = math.nan,
    ) -> None:
        cleaned = _check.vector(value, "value", "example", 2)
        put = object.__setattr__
        put(self, "value", cleaned)
        put(self, "fold", _check.labels(fold, cleaned.size, "fold"))
        put(self, "repeat", _check.labels(repeat, cleaned.size, "repeat"))
        put(self, "inner", _check.labels(inner, cleaned.size, "inner"))
        positions = np.arange(cleaned.size) if example is None else _check.labels(example, cleaned.size, "example")
        put(self, "example", positions)
        put(self, "n_train", float(n_train))
        put(self, "folds", int(np.unique(self.fold).size))
        put(self, "repeats", int(np.unique(self.repeat).size))

    @classmethod
    def of(cls, rows: Rows) -> Self:
        """Make the view from rows of a table."""
        if rows.point is None or rows.split is None:
            raise InvalidInputError(
                "this method needs one loss per example, and the table has one score per split only"
            )
        fold = rows.fold if (rows.fold >= 0).all() else np.zeros_like(rows.fold)
        repeat = np.maximum(rows.repeat, 0)
        mean_train = float(rows.n_train.mean())
        at = rows.split
        return cls(rows.point, fold[at], repeat[at], rows.inner[at], rows.example, n_train=mean_train)


@dataclass(frozen=True, eq=False)
class FiveByTwo:
    """The ten scores of five repeats of two-fold cross-validation.

    Parameters
    ----------
    value : array-like, shape (5, 2)
        Score of each repeat (row) and fold (column).
    n_train : float, optional
        Training size, half the examples.

    Examples
    --------
    >>> import errbar
    >>> errbar.FiveByTwo([[0.1, 0.2]] * 5).value.shape
    (5, 2)
    """

    value: FloatArray
    n_train: float

    def __init__(self, value: ArrayLike, *, n_train: float = math.nan) -> None:
        cleaned = _check.numbers(value, "value", "repeat and fold")
        if cleaned.shape != (5, 2):
            raise InvalidInputError(f"`value` must have shape (5, 2), five repeats of two folds, got {cleaned.shape}")
        object.__setattr__(self, "value", cleaned)
        object.__setattr__(self, "n_train", float(n_train))

    @property
    def squares(self) -> FloatArray:
        """The five s_i^2: squared deviations of a repeat's two scores from their mean, summed."""
        gap = self.value[:, 0] - self.value[:, 1]
        rounding = 1e-12 * np.abs(self.value).max(axis=1)
        return np.where(np.abs(gap) <= rounding, 0.0, gap) ** 2 / 2.0

    @classmethod
    def of(cls, rows: Rows) -> Self:
        """Make the view from rows of a table."""
        # Ten scores in a row are five by two where that was said; ten folds of one partition look the same.
        labelled = rows.kind != "5x2" or bool((rows.fold >= 0).all())
        columns = (rows.repeat, rows.fold, np.stack([rows.repeat, rows.fold]))
        found = tuple(np.unique(column, axis=-1).shape[-1] for column in columns) if labelled else (5, 2, 10)
        if rows.score.size != 10 or found != (5, 2, 10):
            raise InvalidInputError(
                f"five repeats of two-fold cross-validation are needed, as plan FiveByTwo() makes them; got {rows.score.size} splits"
            )
        order = np.lexsort((rows.fold, rows.repeat)) if labelled else np.arange(10)
        return cls(rows.score[order].reshape(5, 2), n_train=float(rows.n_train.mean()))


def difference(one: FloatArray, other: FloatArray) -> FloatArray:
    """Return one minus other; numbers that differ by rounding alone are equal."""
    gap = one - other
    rounding = 1e-12 * np.maximum(np.abs(one), np.abs(other))
    return np.where(np.abs(gap) <= rounding, 0.0, gap)


def scores_of(result: Mapping[str, Any], metric: str) -> FloatArray:
    """Return the test scores of a ``cross_validate`` result."""
    key = f"test_{metric}"
    if not isinstance(result, Mapping) or key not in result:
        there = ", ".join(sorted(map(str, result))) if isinstance(result, Mapping) else repr(type(result).__name__)
        raise InvalidInputError(f"a cross_validate result needs the entry {key!r}, got {there}")
    return _check.vector(result[key], key, "split", 1)


def split_sizes(result: Mapping[str, Any]) -> tuple[FloatArray | None, FloatArray | None]:
    """Return training and test sizes from the indices of a ``cross_validate`` result, where it has them."""
    if "indices" not in result:
        return None, None
    indices = result["indices"]
    return (
        np.array([len(part) for part in indices["train"]], dtype=np.float64),
        np.array([len(part) for part in indices["test"]], dtype=np.float64),
    )


def require_same_splits(results: list[Mapping[str, Any]], lengths: list[int], names: list[str]) -> bool:
    """Raise if results come from different splits; return whether that could be checked by their indices."""
    if len(set(lengths)) > 1:
        listed = ", ".join(f"{name}: {length}" for name, length in zip(names, lengths, strict=False))
        raise PairingError(
            f"the learners were scored on different numbers of splits ({listed}); use the same splits for all"
        )
    if not all("indices" in result for result in results):
        return False
    first = results[0]["indices"]
    for name, result in zip(names[1:], results[1:], strict=False):
        for role in ("train", "test"):
            pairs = zip(first[role], result["indices"][role], strict=True)
            if not all(np.array_equal(one, other) for one, other in pairs):
                raise PairingError(
                    f"{names[0]} and {name} were scored on different splits; use the same splits for all"
                )
    return True

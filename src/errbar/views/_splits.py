"""Views of scores, one per split."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike

from errbar import _check
from errbar._check import FloatArray
from errbar.errors import InvalidInputError
from errbar.plans import FiveByTwo
from errbar.rows import Rows, difference
from errbar.views._cross_validate import require_same_splits, scores_of, split_sizes
from errbar.views._strata import between_of


def _sizes(value: ArrayLike | None, scores: FloatArray, name: str) -> FloatArray | None:
    return None if value is None else _check.sizes(value, scores.size, name)


def _known_sizes(rows: Rows, chosen: Any = slice(None)) -> tuple[FloatArray | None, FloatArray | None]:
    """Return training and test sizes; neither where one is not known."""
    sizes = rows.n_train[chosen], rows.n_test[chosen]
    return (None, None) if np.isnan(sizes).any() else sizes


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
    between : float, default 0.0
        For stratified splits: the variance B between strata of the losses (or influence values), which such splits take
        out of the variation of their scores; see `errbar.views.between_strata`. NaN where it is not known.
    between_limit : float, optional
        Where B is not known, the largest it can be; NaN where that is not known either.

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
    between: float = 0.0
    between_limit: float = math.nan

    def __init__(
        self,
        value: ArrayLike,
        n_train: ArrayLike | None = None,
        n_test: ArrayLike | None = None,
        *,
        kind: str | None = None,
        repeats: int = 1,
        between: float = 0.0,
        between_limit: float = math.nan,
    ) -> None:
        cleaned = _check.vector(value, "value", "split", 2)
        if between < 0.0:
            raise InvalidInputError(f"is a variance and must be at least 0, got {between!r}", argument="between")
        vars(self).update(
            value=cleaned,
            n_train=_sizes(n_train, cleaned, "n_train"),
            n_test=_sizes(n_test, cleaned, "n_test"),
            kind=kind,
            repeats=_check.count(repeats, "repeats"),
            between=float(between),
            between_limit=float(between_limit),
        )

    @property
    def ratio(self) -> float:
        """Mean over splits of test size over training size, n2/n1."""
        if self.n_train is None or self.n_test is None:
            if self.kind == FiveByTwo.kind:
                return 1.0  # each half is the training set of one fold, and the test set of the other
            raise InvalidInputError(
                "and `n_test` are needed, the sizes of the splits: give them together with the numbers, such as n_train=90, "
                "n_test=10, or to errbar.from_cross_validate results with return_indices=True (on the command line --n-train and --n-test); where a row is one test example, give its column as `example`, "
                "or --example, and one of times as `time`, or --time",
                argument="n_train",
            )
        return float(np.add.reduce(self.n_test / self.n_train)) / self.value.size

    @property
    def training_size(self) -> float:
        """Mean training size, NaN where unknown."""
        return math.nan if self.n_train is None else float(np.add.reduce(self.n_train)) / self.value.size

    @classmethod
    def of(cls, rows: Rows) -> Self:
        """Make the view from rows of a table."""
        rows = rows.only(rows.label("resubstitution") < 0)
        between, limit = between_of(rows)
        return cls(
            rows.score,
            *_known_sizes(rows),
            kind=rows.design.kind,
            repeats=max(1, int(np.unique(rows.repeat).size)),
            between=between,
            between_limit=limit,
        )

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
class FiveByTwoScores:
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
    >>> errbar.FiveByTwoScores([[0.1, 0.2]] * 5).value.shape
    (5, 2)
    """

    value: FloatArray
    n_train: float

    def __init__(self, value: ArrayLike, *, n_train: float = math.nan) -> None:
        cleaned = _check.numbers(value, "value", "repeat and fold")
        if cleaned.shape != (5, 2):
            raise InvalidInputError(
                f"must have shape (5, 2), five repeats of two folds, got {cleaned.shape}", argument="value"
            )
        vars(self).update(value=cleaned, n_train=float(n_train))

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
        labelled = rows.design.kind != FiveByTwo.kind or bool((rows.fold >= 0).all())
        columns = (rows.repeat, rows.fold, np.stack([rows.repeat, rows.fold]))
        found = tuple(np.unique(column, axis=-1).shape[-1] for column in columns) if labelled else (5, 2, 10)
        if rows.score.size != 10 or found != (5, 2, 10):
            raise InvalidInputError(
                f"five repeats of two-fold cross-validation are needed, as plan FiveByTwo() makes them; got {rows.score.size} splits"
            )
        order = np.lexsort((rows.fold, rows.repeat)) if labelled else np.arange(10)
        return cls(rows.score[order].reshape(5, 2), n_train=float(rows.n_train.mean()))


@dataclass(frozen=True, eq=False)
class HalvesScores:
    """Scores on all data, and on both halves of M random halvings.

    Parameters
    ----------
    value : array-like, shape (J,)
        Score of each split of all data.
    halves : array-like, shape (M, 2) or (M, 2, J)
        Mean score on each half, or every score on it.
    n_train, n_test : float or array-like, shape (J,), optional
        Training and test size of the splits of all data.
    half_train : float, optional
        Training size of the splits of a half.

    Examples
    --------
    >>> import errbar
    >>> halves = errbar.HalvesScores([0.2, 0.3, 0.25], [[0.3, 0.2], [0.28, 0.31]], n_train=90, n_test=10)
    >>> halves.halvings, halves.means[:, 0].tolist()
    (2, [0.3, 0.28])
    """

    value: FloatArray
    halves: FloatArray
    n_train: FloatArray | None = None
    n_test: FloatArray | None = None
    half_train: float = math.nan

    def __init__(
        self,
        value: ArrayLike,
        halves: ArrayLike,
        n_train: ArrayLike | None = None,
        n_test: ArrayLike | None = None,
        *,
        half_train: float = math.nan,
    ) -> None:
        cleaned = _check.vector(value, "value", "split", 1)
        pairs = _check.numbers(halves, "halves", "halving, half and split")
        if pairs.ndim not in (2, 3) or pairs.shape[0] < 1 or pairs.shape[1] != 2 or pairs.size == 0:
            raise InvalidInputError(
                f"must have shape (M, 2) or (M, 2, J), a row per halving and a column per half, got {pairs.shape}",
                argument="halves",
            )
        vars(self).update(
            value=cleaned,
            halves=pairs,
            n_train=_sizes(n_train, cleaned, "n_train"),
            n_test=_sizes(n_test, cleaned, "n_test"),
            half_train=float(half_train),
        )

    @property
    def halvings(self) -> int:
        """Number of halvings M."""
        return int(self.halves.shape[0])

    @property
    def means(self) -> FloatArray:
        """Mean score on each half, shape (M, 2)."""
        return self.halves if self.halves.ndim == 2 else np.asarray(self.halves.mean(axis=2))

    @property
    def squares(self) -> FloatArray:
        """Squared differences of the means of two halves, shape (M,); differences by rounding alone are 0."""
        means = self.means
        return np.square(difference(means[:, 0], means[:, 1]))

    @property
    def training_size(self) -> float:
        """Mean training size of the splits of all data, NaN where unknown."""
        return math.nan if self.n_train is None else float(self.n_train.mean())

    @classmethod
    def of(cls, rows: Rows) -> Self:
        """Make the view from rows of a table."""
        halving = rows.label("halving")
        whole = halving < 0
        if whole.all() or not whole.any():
            raise InvalidInputError(
                "scores on all data and on halves of it are needed, as plan PairedHalves() makes them"
            )
        count = int(halving.max()) + 1
        # What belongs to no halving comes first, its label being -1.
        order = np.lexsort((rows.fold, rows.repeat, rows.label("half"), halving))[np.count_nonzero(whole) :]
        if order.size % (2 * count):
            raise InvalidInputError("every half needs the same number of splits, as plan PairedHalves() makes them")
        return cls(
            rows.score[whole],
            rows.score[order].reshape(count, 2, -1),
            *_known_sizes(rows, whole),
            half_train=float(rows.n_train[~whole].mean()),
        )


@dataclass(frozen=True, eq=False)
class ReplaceOneMeans:
    """Means of cross-validation, on all data and on half of it with one example after another replaced.

    Parameters
    ----------
    estimate : float
        Mean loss of the cross-validation of all data.
    baseline : float
        Mean loss mu_0 of the cross-validation of half the data.
    value : array-like, shape (m,)
        Mean loss mu_i of the same with example i replaced.
    n : int
        Number of examples of all data.
    n_train : float, optional
        Training size of the cross-validation of all data.
    folds : int, optional
        Number of its folds.

    Examples
    --------
    >>> import errbar
    >>> errbar.ReplaceOneMeans(0.43, 0.33, [0.45, 0.22, 0.52], n=6).value.size
    3
    """

    estimate: float
    baseline: float
    value: FloatArray
    n: int
    n_train: float
    folds: int

    def __init__(
        self,
        estimate: float,
        baseline: float,
        value: ArrayLike,
        *,
        n: int,
        n_train: float = math.nan,
        folds: int = 1,
    ) -> None:
        cleaned = _check.vector(value, "value", "replaced example", 2)
        examples = _check.count(n, "n", 4, _check.MOST_EXAMPLES)
        if cleaned.size > examples // 2:
            raise InvalidInputError(
                f"may hold at most n/2 = {examples // 2} means, one per replaced example, got {cleaned.size}",
                argument="value",
            )
        ends = _check.numbers([estimate, baseline], "estimate and baseline", "position")
        vars(self).update(
            estimate=float(ends[0]),
            baseline=float(ends[1]),
            value=cleaned,
            n=examples,
            n_train=float(n_train),
            folds=_check.count(folds, "folds"),
        )

    @classmethod
    def of(cls, rows: Rows) -> Self:
        """Make the view from rows of a table."""
        half, replaced = rows.label("half"), rows.label("replaced")
        if not (half < 0).any() or not (replaced >= 0).any() or rows.splits.n is None:
            raise InvalidInputError("cross-validation with replaced examples is needed, as plan ReplaceOne() makes it")

        def mean(chosen: Any) -> float:
            return float(np.average(rows.score[chosen], weights=rows.n_test[chosen]))

        whole = half < 0
        found = [mean(replaced == i) for i in np.unique(replaced[replaced >= 0])]
        return cls(
            mean(whole),
            mean((half == 0) & (replaced < 0)),
            found,
            n=rows.splits.n,
            n_train=float(rows.n_train[whole].mean()),
            folds=int(whole.sum()),
        )

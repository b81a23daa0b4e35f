"""What the few methods take that take no losses: counts, ranks, bootstrap samples, and all learners at once."""

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from errbar import _check
from errbar._check import FloatArray, IntArray
from errbar.errors import InvalidInputError
from errbar.losses import Losses
from errbar.plans._base import NO_LABEL

if TYPE_CHECKING:
    from errbar.table import LossTable

__all__ = ["Blocks", "Discordance", "OutOfBag", "RankScores", "TwoSamples"]


@dataclass(frozen=True)
class Discordance:
    """On how many examples just one of two models errs.

    Parameters
    ----------
    b : int
        Examples on which only the first model is wrong.
    c : int
        Examples on which only the second model is wrong.
    n : int, optional
        Number of test examples. Without it, differences are shares of the b + c discordant examples.
    both : int, optional
        Examples on which both are wrong.
    n_train : float, optional
        Training size of the models.

    Examples
    --------
    >>> import errbar
    >>> errbar.Discordance(25, 15, n=10000).difference
    0.001
    """

    b: int
    c: int
    n: int | None = None
    both: int | None = None
    n_train: float = math.nan

    def __post_init__(self) -> None:
        """Check the counts."""
        for name in ("b", "c", "n", "both"):
            value = getattr(self, name)
            if value is not None:
                vars(self)[name] = _check.count(value, name, 1 if name == "n" else 0, math.inf)
        if self.n is not None and self.b + self.c + (self.both or 0) > self.n:
            raise InvalidInputError(
                f"must be at least b + c + both = {self.b + self.c + (self.both or 0)}, got {self.n}",
                argument="n",
            )

    @property
    def size(self) -> int:
        """Number of examples that differences are shares of: n, or b + c where n is unknown; at least 1."""
        return max(1, self.b + self.c) if self.n is None else self.n

    @property
    def difference(self) -> float:
        """Error rate of the first minus that of the second, (b - c)/n."""
        return (self.b - self.c) / self.size

    @classmethod
    def of(cls, losses: Losses) -> Self:
        """Count the errors of two learners."""
        first, second = _errors(losses)
        return cls(
            int(np.count_nonzero(first & ~second)),
            int(np.count_nonzero(second & ~first)),
            int(first.size),
            int(np.count_nonzero(first & second)),
            losses.n_train,
        )


@dataclass(frozen=True)
class TwoSamples:
    """Error rates of two models on different test examples.

    Parameters
    ----------
    error_1, error_2 : float
        Error rates, in [0, 1].
    n_1, n_2 : int
        Numbers of test examples.
    n_train : float, optional
        Training size of the models.
    same_examples : bool, default False
        Whether the examples are the same in truth, so that the test neglects what they have in common.

    Examples
    --------
    >>> import errbar
    >>> errbar.TwoSamples(0.3, 100, 0.2, 100).n_1
    100
    """

    error_1: float
    n_1: int
    error_2: float
    n_2: int
    n_train: float = math.nan
    same_examples: bool = False

    def __post_init__(self) -> None:
        """Check rates and counts."""
        for name in ("error_1", "error_2"):
            vars(self)[name] = _check.between(getattr(self, name), 0.0, 1.0, name)
        for name in ("n_1", "n_2"):
            vars(self)[name] = _check.count(getattr(self, name), name, most=math.inf)

    @classmethod
    def of(cls, losses: Losses) -> Self:
        """Count the errors of two learners."""
        first, second = _errors(losses)
        size = int(first.size)
        return cls(
            float(first.mean()),
            size,
            float(second.mean()),
            size,
            losses.n_train,
            same_examples=True,
        )


def _errors(losses: Losses) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Return on which examples the first model errs, and on which the second."""
    if "example" not in losses.index:
        raise InvalidInputError(
            "this method needs one loss per example, and the table has one score per split only"
        )
    # 1 for each right answer is kept as -1, so that larger is worse, and an error is then 0.
    scores = losses.origin is not None and losses.origin.table.loss.sign < 0
    points = [one.value + scores for one in losses.each]
    if len(points) != 2:
        raise InvalidInputError(
            "two learners are needed, to see on which examples just one of them errs"
        )
    if not np.isin(points, (0.0, 1.0)).all():
        raise InvalidInputError("this method needs losses that are 0 or 1; use loss='zero-one'")
    return points[0] == 1.0, points[1] == 1.0


@dataclass(frozen=True, eq=False)
class RankScores:
    """Scores of one model, or of two, on test examples of two classes.

    Parameters
    ----------
    truth : array-like, shape (n,)
        Whether each example is of the positive class: True and False, or 1 and 0. Both must occur.
    value : array-like, shape (n,)
        Scores of the model: the larger, the more it takes the example for positive.
    minus : array-like, shape (n,), optional
        Scores of the model that is subtracted.
    n_train : float, optional
        Training size of the models.

    Examples
    --------
    >>> import errbar
    >>> errbar.RankScores([0, 1, 0, 1], [0.1, 0.4, 0.35, 0.8], [0.2, 0.3, 0.4, 0.7]).truth.tolist()
    [False, True, False, True]
    """

    truth: NDArray[np.bool_]
    value: FloatArray
    minus: FloatArray | None
    n_train: float

    def __init__(
        self,
        truth: ArrayLike,
        value: ArrayLike,
        minus: ArrayLike | None = None,
        *,
        n_train: float = math.nan,
    ) -> None:
        cleaned = _check.vector(value, "value", "example", 2)
        positive = np.asarray(_check.vector(truth, "truth", "example", 2))
        if not np.isin(positive, (0.0, 1.0)).all() or np.unique(positive).size < 2:
            raise InvalidInputError(
                "must hold 0 and 1 (or False and True), and both must occur", argument="truth"
            )
        other = None if minus is None else _check.vector(minus, "minus", "example", 2)
        for name, column in (("value", cleaned), ("minus", other)):
            if column is not None and column.size != positive.size:
                raise InvalidInputError(
                    f"must hold one score per example, {positive.size}, got {column.size}",
                    argument=name,
                )
        vars(self).update(truth=positive == 1.0, value=cleaned, minus=other, n_train=float(n_train))

    @classmethod
    def of(cls, losses: Losses) -> Self:
        """Take the scores from the predictions of the table that losses come from."""
        if losses.is_blank:
            return cls(
                np.arange(4) % 2, np.arange(4.0), np.arange(4.0) if len(losses.each) == 2 else None
            )
        table = None if losses.origin is None else losses.origin.table
        if table is None or table.loss.key != "roc_auc":
            raise InvalidInputError(
                "this method is about the area under the ROC curve; use loss='roc_auc'"
            )
        if table.target is None or table.cells is None or table.predictions is None:
            raise InvalidInputError(
                "this method needs the stored predictions of a run, and this table has numbers only"
            )
        truth, target, loss = table.target.values[table.cells.example], table.target, table.loss
        assert losses.origin is not None
        places = [table.position(name) for name in losses.origin.learners]
        samples = [loss.sample(target, truth, table.predictions[place]) for place in places]
        return cls(
            samples[0].is_positive, *(sample.score for sample in samples), n_train=losses.n_train
        )


@dataclass(frozen=True, eq=False)
class OutOfBag:
    """Losses of models trained on bootstrap samples, on the examples that each sample lacks.

    Parameters
    ----------
    value : array-like, shape (C,)
        Losses.
    sample : array-like of int, shape (C,)
        Bootstrap sample that each loss belongs to, from 0 to B - 1.
    example : array-like of int, shape (C,)
        Example that each loss belongs to, from 0 to n - 1.
    counts : array-like of int, shape (n, B)
        How often each sample holds each example.
    training_error : float, optional
        Mean loss of the model fitted on all examples, on the same examples.
    no_information : float, optional
        Mean loss of that model over all pairs of a prediction with a target.
    minus : OutOfBag, optional
        The learner that is subtracted, on the same samples.

    Attributes
    ----------
    n, samples : int
        Number of examples and of bootstrap samples.

    Examples
    --------
    >>> import errbar
    >>> losses = errbar.OutOfBag([0.4, 0.1, 0.3], [0, 1, 1], [2, 0, 1], [[2, 0], [1, 0], [0, 3]])
    >>> losses.n, losses.samples
    (3, 2)
    """

    value: FloatArray
    sample: IntArray
    example: IntArray
    counts: NDArray[np.integer]
    training_error: float | None
    no_information: float | None
    minus: "OutOfBag | None"

    def __init__(
        self,
        value: ArrayLike,
        sample: ArrayLike,
        example: ArrayLike,
        counts: ArrayLike,
        *,
        training_error: float | None = None,
        no_information: float | None = None,
        minus: "OutOfBag | None" = None,
    ) -> None:
        cleaned = _check.vector(value, "value", "loss", 2)
        vars(self).update(
            value=cleaned,
            sample=_check.labels(sample, cleaned.size, "sample"),
            example=_check.labels(example, cleaned.size, "example"),
            counts=_counts(counts),
            training_error=_given(training_error, "training_error"),
            no_information=_given(no_information, "no_information"),
            minus=minus,
        )
        self._check_places()

    def _check_places(self) -> None:
        for name, places, size in (
            ("sample", self.sample, self.samples),
            ("example", self.example, self.n),
        ):
            if places.min() < 0 or places.max() >= size:
                raise InvalidInputError(
                    f"must lie in 0 to {size - 1}, as `counts` has it, got {places.min()} to {places.max()}",
                    argument=name,
                )
        if self.counts[self.example, self.sample].any():
            raise InvalidInputError(
                "holds a loss on an example that its own bootstrap sample was trained on",
                argument="value",
            )
        places = self.sample * self.n + self.example
        if np.unique(places).size < places.size:
            raise InvalidInputError(
                "holds two losses on the same example in the same bootstrap sample",
                argument="value",
            )
        if self.minus is not None and not (
            np.array_equal(self.minus.sample, self.sample)
            and np.array_equal(self.minus.example, self.example)
        ):
            raise InvalidInputError(
                "must hold losses on the same samples and examples", argument="minus"
            )

    @property
    def n(self) -> int:
        """Number of examples."""
        return int(self.counts.shape[0])

    @property
    def samples(self) -> int:
        """Number of bootstrap samples B."""
        return int(self.counts.shape[1])

    @classmethod
    def of(cls, losses: Losses) -> Self:
        """Take the losses of a run with plan Bootstrap."""
        if "example" not in losses.index:
            raise InvalidInputError(
                "this method needs one loss per example, and the table has one score per split only"
            )
        table = None if losses.origin is None else losses.origin.table
        if (
            table is None
            or table.splits.train is None
            or table.splits.n is None
            or table.cells is None
        ):
            raise InvalidInputError(
                "it must be known which examples each bootstrap sample holds: use a table made by a run with plan Bootstrap()"
            )
        whole = table.splits.labels["resubstitution"] >= 0
        bags = table.select(~whole)
        fitted = table.select(whole) if whole.any() else None
        assert bags.cells is not None
        n, samples = table.splits.n, bags.splits.train or ()
        counts = np.stack([np.bincount(one, minlength=n) for one in samples], axis=1)
        found = None
        assert losses.origin is not None
        for name in reversed(losses.origin.learners):
            value = bags.losses(name).value
            told = {} if fitted is None else _told_by_fit(fitted, fitted.position(name))
            found = cls(value, bags.cells.split, bags.cells.example, counts, minus=found, **told)
        assert found is not None
        return found


def _told_by_fit(table: "LossTable", position: int) -> dict[str, Any]:
    """Return what the model that was fitted on all examples says of its learner."""
    return {
        "training_error": float(table.scores[position][0]),
        "no_information": _no_information(table, position),
    }


def _no_information(table: "LossTable", position: int) -> float | None:
    if table.blank:
        return 0.0
    if table.target is None or table.predictions is None or table.cells is None:
        return None
    return table.loss.no_information(
        table.target.values[table.cells.example], table.predictions[position]
    )


def _counts(value: ArrayLike) -> NDArray[np.integer]:
    table = np.asarray(value)
    if (
        table.ndim != 2
        or table.dtype.kind not in "iub"
        or table.shape[0] < 2
        or table.shape[1] < 2
        or table.min() < 0
    ):
        raise InvalidInputError(
            "must hold whole numbers, a row per example (at least 2) and a column per bootstrap sample (at least 2)",
            argument="counts",
        )
    smallest = np.min_scalar_type(int(table.max()))
    return table.astype(smallest)


def _given(value: float | None, name: str) -> float | None:
    return None if value is None else _check.finite(value, name)


@dataclass(frozen=True, eq=False)
class Blocks:
    """One number per block and learner, where a block is an example, a split or a data set.

    Parameters
    ----------
    value : array-like, shape (blocks, learners)
        Losses: larger is worse.
    n_train : float, optional
        Training size of the models.
    kind : str, optional
        Kind of plan that the blocks come from, such as ``"bootstrap"`` or ``"data-sets"``, where it is known.

    Examples
    --------
    >>> import errbar
    >>> errbar.Blocks([[0, 1, 0], [1, 1, 0]]).value.shape
    (2, 3)
    """

    value: FloatArray
    n_train: float
    kind: str | None

    def __init__(
        self, value: ArrayLike, *, n_train: float = math.nan, kind: str | None = None
    ) -> None:
        cleaned = _check.numbers(value, "value", "block and learner")
        if cleaned.ndim != 2 or cleaned.shape[0] < 2 or cleaned.shape[1] < 2:
            raise InvalidInputError(
                f"must have at least 2 rows, one per block, and 2 columns, one per learner, got shape {cleaned.shape}",
                argument="value",
            )
        vars(self).update(value=np.asarray(cleaned), n_train=float(n_train), kind=kind)

    @classmethod
    def of(cls, table: "LossTable", *, pointwise: bool = False) -> "Blocks":
        """Make the view from the table of one plan: a block is a split, or where `pointwise`, a test example."""
        design, splits = table.splits.designs[0], table.splits
        chosen = splits.labels["resubstitution"] == NO_LABEL
        n_train = float(splits.n_train[chosen].mean())
        if not pointwise:
            return cls(table.scores[:, chosen].T, n_train=n_train, kind=design.kind)
        if table.points is None or table.cells is None:
            raise InvalidInputError(
                "this method needs one loss per example, and the table has one score per split only"
            )
        return cls(table.points[:, chosen[table.cells.split]].T, n_train=n_train, kind=design.kind)

"""View of the losses on examples that a bootstrap sample lacks."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from errbar import _check
from errbar._check import FloatArray, IntArray
from errbar.errors import InvalidInputError
from errbar.loss_rows import Losses

if TYPE_CHECKING:
    from errbar.table import LossTable


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
        for name, places, size in (("sample", self.sample, self.samples), ("example", self.example, self.n)):
            if places.min() < 0 or places.max() >= size:
                raise InvalidInputError(
                    f"must lie in 0 to {size - 1}, as `counts` has it, got {places.min()} to {places.max()}",
                    argument=name,
                )
        if self.counts[self.example, self.sample].any():
            raise InvalidInputError(
                "holds a loss on an example that its own bootstrap sample was trained on", argument="value"
            )
        places = self.sample * self.n + self.example
        if np.unique(places).size < places.size:
            raise InvalidInputError(
                "holds two losses on the same example in the same bootstrap sample", argument="value"
            )
        if self.minus is not None and not (
            np.array_equal(self.minus.sample, self.sample) and np.array_equal(self.minus.example, self.example)
        ):
            raise InvalidInputError("must hold losses on the same samples and examples", argument="minus")

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
        if table is None or table.splits.train is None or table.splits.n is None or table.cells is None:
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
    return table.loss.no_information(table.target.values[table.cells.example], table.predictions[position])


def _counts(value: ArrayLike) -> NDArray[np.integer]:
    table = np.asarray(value)
    if table.ndim != 2 or table.dtype.kind not in "iub" or table.shape[0] < 2 or table.shape[1] < 2 or table.min() < 0:
        raise InvalidInputError(
            "must hold whole numbers, a row per example (at least 2) and a column per bootstrap sample (at least 2)",
            argument="counts",
        )
    smallest = np.min_scalar_type(int(table.max()))
    return table.astype(smallest)


def _given(value: float | None, name: str) -> float | None:
    return None if value is None else _check.finite(value, name)

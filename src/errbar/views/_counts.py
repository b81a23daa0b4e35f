"""Views of two error rates: on the same test examples, or on different ones."""

import math
from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from errbar import _check
from errbar.errors import InvalidInputError
from errbar.loss_rows import Losses


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
                f"must be at least b + c + both = {self.b + self.c + (self.both or 0)}, got {self.n}", argument="n"
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
        return cls(float(first.mean()), size, float(second.mean()), size, losses.n_train, same_examples=True)


def _errors(losses: Losses) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Return on which examples the first model errs, and on which the second."""
    if "example" not in losses.index:
        raise InvalidInputError("this method needs one loss per example, and the table has one score per split only")
    # 1 for each right answer is kept as -1, so that larger is worse, and an error is then 0.
    scores = losses.origin is not None and losses.origin.table.loss.sign < 0
    points = [one.value + scores for one in losses.each]
    if len(points) != 2:
        raise InvalidInputError("two learners are needed, to see on which examples just one of them errs")
    if not np.isin(points, (0.0, 1.0)).all():
        raise InvalidInputError("this method needs losses that are 0 or 1; use loss='zero-one'")
    return points[0] == 1.0, points[1] == 1.0

"""One random split."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

from errbar import _rng
from errbar.errors import InvalidInputError
from errbar.plans._base import Plan, Split, refuse_groups, size
from errbar.plans._kinds import Kind, Testing, Training
from errbar.plans.subsampling import random_split


@dataclass(frozen=True)
class Holdout(Plan):
    """One random split into a training and a test set.

    Parameters
    ----------
    n_train : int or float, optional
        Training examples, as a count or a fraction; by default all that are not tested on.
    n_test : int or float, default 0.25
        Test examples, as a count or a fraction.

    Examples
    --------
    >>> from errbar.plans import Holdout
    >>> [split] = Holdout(n_test=0.2).splits(100, 0)
    >>> split.train.size, split.test.size
    (80, 20)
    """

    n_train: float | None = None
    n_test: float = 0.25
    kind: ClassVar[Kind] = Kind("holdout", "one split", Training.ONE, Testing.ONE_SET, stated=True)

    def splits(self, n: int, rng: Any = None, y: Any = None, groups: Any = None) -> Iterator[Split]:  # noqa: ARG002
        """Yield the one split of `n` examples."""
        refuse_groups(self, groups)
        n_test = size(self.n_test, n, "n_test")
        n_train = n - n_test if self.n_train is None else size(self.n_train, n, "n_train")
        if n_train + n_test > n:
            raise InvalidInputError(f"`n_train` + `n_test` must be at most {n}, got {n_train} + {n_test}")
        train, test = random_split(_rng.stream(_rng.root(rng), "holdout"), n, n_train, n_test)
        yield Split(train, test, {"repeat": 0})

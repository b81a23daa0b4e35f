"""One random split."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from errbar import _rng
from errbar.plans._base import RandomPlan, Split
from errbar.plans._kinds import Kind, Testing, Training
from errbar.plans.subsampling import random_split, sizes


@dataclass(frozen=True)
class Holdout(RandomPlan):
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

    def drawn(self, n: int, base: int) -> Iterator[Split]:
        """Yield the one split of `n` examples."""
        n_train, n_test = sizes(self.n_train, self.n_test, n)
        train, test = random_split(_rng.stream(base, "holdout"), n, n_train, n_test)
        yield Split(train, test, {"repeat": 0})

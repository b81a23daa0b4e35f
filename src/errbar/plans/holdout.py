"""One random split."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from errbar import _rng
from errbar.plans._base import RandomPlan, Split
from errbar.plans._kinds import HOLDOUT, Kind
from errbar.plans._shares import DrawnUnits
from errbar.plans.subsampling import sizes


@dataclass(frozen=True, repr=False)
class Holdout(RandomPlan):
    """One random split into a training and a test set.

    Where a run is given groups, whole groups are drawn, and sizes are of groups: counts of them, or fractions of their
    number.

    Parameters
    ----------
    n_train : int or float, optional
        Training examples, as a count or a fraction; by default all that are not tested on.
    n_test : int or float, default 0.25
        Test examples, as a count or a fraction.
    stratify : bool, default False
        Whether both sets keep the shares of the classes; see `Subsampling`.

    Examples
    --------
    >>> from errbar.plans import Holdout
    >>> [split] = Holdout(n_test=0.2).splits(100, 0)
    >>> split.train.size, split.test.size
    (80, 20)
    """

    n_train: float | None = None
    n_test: float = 0.25
    stratify: bool = False
    kind: ClassVar[Kind] = HOLDOUT
    whole_groups = True

    def drawn(self, units: DrawnUnits, base: int) -> Iterator[Split]:
        """Yield the one split."""
        n_train, n_test = sizes(self.n_train, self.n_test, units.count, units.what)
        train, test = units.split(_rng.stream(base, *units.names, "holdout"), n_train, n_test)
        yield Split(train, test, {"repeat": 0})

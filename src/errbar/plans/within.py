"""A plan for some of the examples."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from errbar import _rng
from errbar.errors import InvalidInputError
from errbar.plans._base import Plan, Split, size, splits_of, take_after
from errbar.plans._kinds import Kind


@dataclass(frozen=True)
class Within(Plan):
    """Another plan, applied to some of the examples, which are drawn at random once.

    Nadeau & Bengio (2003, section 5) use it to study a ratio of training to test size that the data would not give: of
    300 examples they keep 180, and split those again and again into 150 and 30.

    Parameters
    ----------
    plan : Plan
        The plan for the examples that are kept; a single one.
    examples : int or float
        How many are kept, as a count or a fraction of all.

    Examples
    --------
    >>> from errbar.plans import Subsampling, Within
    >>> plan = Within(Subsampling(n_train=150, n_test=30, repeats=15), examples=180)
    >>> splits = list(plan.splits(300, 0))
    >>> len(splits), len({int(i) for split in splits for i in (*split.train, *split.test)})
    (15, 180)
    """

    plan: Plan
    examples: float

    def __post_init__(self) -> None:
        """Check what can be checked before the data are known."""
        if not isinstance(self.plan, Plan) or len(self.plan.parts()) != 1:
            raise InvalidInputError(
                f"must be a single plan such as errbar.plans.Subsampling(), got {self.plan!r}",
                argument="plan",
            )
        take_after(self, self.plan)

    def kind_of(self, splits: Sequence[Split]) -> Kind:
        """Return the kind of the plan for the examples that are kept."""
        return self.plan.kind_of(splits)

    def splits(
        self, n: int, rng: Any = None, y: Any = None, groups: Any = None, time: Any = None
    ) -> Iterator[Split]:
        """Yield the splits of the examples that are kept, with the labels of their plan."""
        count = size(self.examples, n, "examples")
        base = _rng.root(rng)
        kept = np.sort(_rng.stream(base, "within", count).choice(n, count, replace=False))
        own = [None if values is None else np.asarray(values)[kept] for values in (y, groups, time)]
        for split in splits_of(self.plan, count, _rng.seed(base, "within", count), *own):
            yield Split(kept[split.train], kept[split.test], split.labels)

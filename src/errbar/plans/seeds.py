"""Several fits on each training set, each with a seed of its own."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from errbar import _check
from errbar.errors import InvalidInputError
from errbar.plans._base import Plan, Split, refuse_size, splits_of, take_after
from errbar.plans._given import plan_of
from errbar.plans._kinds import Kind
from errbar.plans.holdout import Holdout

_ONE_SPLIT = Holdout(n_test=0.2)


@dataclass(frozen=True)
class Seeds(Plan):
    """Another plan, with each of its training sets fitted several times, each time with a seed of its own.

    What differs between the fits is what the learners draw at random: first weights, the order of examples, features that
    a tree may look at. A learner whose ``random_state`` is fixed draws the same each time; leave it at None.

    Parameters
    ----------
    seeds : int, default 5
        Number of fits S on each training set, at least 2.
    plan : Plan, int, splitter or iterable of (train, test)
        The splits; a single plan. By default one random split with a fifth of the examples in the test set.

    Examples
    --------
    >>> from errbar.plans import Holdout, Seeds
    >>> splits = list(Seeds(3, plan=Holdout(n_test=0.2)).splits(100, 0))
    >>> [dict(split.labels) for split in splits]
    [{'repeat': 0, 'seed': 0}, {'repeat': 0, 'seed': 1}, {'repeat': 0, 'seed': 2}]
    """

    seeds: int = 5
    plan: Plan = _ONE_SPLIT

    def __post_init__(self) -> None:
        """Check what can be checked before the data are known."""
        _check.count(self.seeds, "seeds", 2)
        plan = plan_of(self.plan)
        if len(plan.parts()) != 1:
            raise InvalidInputError(
                f"must be a single plan such as errbar.plans.Holdout(), got {plan!r}",
                argument="plan",
            )
        if isinstance(plan, Seeds):
            raise InvalidInputError(
                f"must fit each training set once, got {plan!r}; multiply the seeds",
                argument="plan",
            )
        object.__setattr__(self, "plan", plan)
        take_after(self, plan)

    def kind_of(self, splits: Sequence[Split]) -> Kind:
        """Return the kind of the plan that is repeated."""
        return self.plan.kind_of([split for split in splits if split.seed == 0])

    def splits(
        self, n: int, rng: Any = None, y: Any = None, groups: Any = None, time: Any = None
    ) -> Iterator[Split]:
        """Yield the splits of the plan for one seed after the other, labelled ``seed`` as well."""
        once = list(splits_of(self.plan, n, rng, y, groups, time))
        if any(split.seed is not None for split in once):
            raise InvalidInputError(
                f"must fit each training set once, and {self.plan} has seeds of its own",
                argument="plan",
            )
        refuse_size(self.seeds * len(once), 0, self)  # seeds share the positions of their splits
        for seed in range(self.seeds):
            for split in once:
                yield split.labelled(seed=seed)

"""Training on the past and testing on what follows."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from errbar import _check
from errbar.errors import InvalidInputError
from errbar.plans._base import MOST_POSITIONS, Plan, Split, refuse_size, size
from errbar.plans._kinds import ROLLING_ORIGIN, Kind
from errbar.plans._times import times_of


@dataclass(frozen=True)
class RollingOrigin(Plan):
    """Origin after origin in time: train on what lies before, test on what follows (Tashman 2000).

    The order is that of `time`, where a run is given it, and else that of the rows. Examples of the same time stay together:
    sizes then count different times, and no time is both trained on and tested. The last origin leaves the newest
    examples for its test set; what does not fill a step is left out at the start.

    Groups are not kept whole: what a shop sold before is known when its next day is predicted.

    Parameters
    ----------
    n_train : int or float, default 0.5
        Times to train on, as a count or a fraction: the last ones before the gap, or at least so many with `expanding`.
    n_test : int or float, default 0.05
        Times to test on, as a count or a fraction.
    step : int or float, optional
        Times from one origin to the next; by default `n_test`, so that test sets do not overlap.
    gap : int or float, default 0
        Times between training and test set that are in neither, as where labels are known late.
    expanding : bool, default False
        Whether to train on all that lies before the gap.

    References
    ----------
    Tashman, L. J. (2000). Out-of-sample tests of forecasting accuracy: an analysis and review. International Journal of
    Forecasting 16, 437-450.

    Examples
    --------
    >>> from errbar.plans import RollingOrigin
    >>> splits = list(RollingOrigin(n_train=5, n_test=2, gap=1).splits(12))
    >>> [(split.train.tolist(), split.test.tolist()) for split in splits]
    [([0, 1, 2, 3, 4], [6, 7]), ([2, 3, 4, 5, 6], [8, 9]), ([4, 5, 6, 7, 8], [10, 11])]
    >>> dict(splits[2].labels)
    {'repeat': 0, 'fold': 2}
    """

    n_train: float = 0.5
    n_test: float = 0.05
    step: float | None = None
    gap: float = 0
    expanding: bool = False
    kind: ClassVar[Kind] = ROLLING_ORIGIN

    def __post_init__(self) -> None:
        """Check what can be checked before the data are known."""
        _check.flag(self.expanding, "expanding")

    def splits(
        self,
        n: int,
        rng: Any = None,  # noqa: ARG002 - nothing is drawn
        y: Any = None,  # noqa: ARG002
        groups: Any = None,  # noqa: ARG002 - they are not kept whole
        time: Any = None,
    ) -> Iterator[Split]:
        """Yield the splits from the oldest to the newest, labelled ``repeat`` and ``fold``, the number of the origin."""
        n = _check.count(n, "n", 2, MOST_POSITIONS)
        codes = (
            np.arange(n)
            if time is None
            else np.unique(times_of(time, n), return_inverse=True)[1].ravel()
        )
        order, times = np.argsort(codes, kind="stable"), int(codes.max()) + 1
        starts = np.searchsorted(codes[order], np.arange(times + 1))
        what = "examples" if times == n else "different times"
        train, test, step, gap = self._sizes(times, what)
        if train + gap + test > times:
            raise InvalidInputError(
                f"+ `gap` + `n_test` must be at most {times}, the number of {what}, got {train} + {gap} + {test}",
                argument="n_train",
            )
        origins = range(times - test, train + gap - 1, -step)[::-1]
        refuse_size(len(origins), int(n * max(train, test) / times), self)
        for fold, origin in enumerate(origins):
            begin, end = (0 if self.expanding else origin - gap - train), origin - gap
            trained, tested = (
                order[starts[begin] : starts[end]],
                order[starts[origin] : starts[origin + test]],
            )
            yield Split(np.sort(trained), np.sort(tested), {"repeat": 0, "fold": fold})

    def _sizes(self, times: int, what: str) -> tuple[int, int, int, int]:
        train, test = (
            size(self.n_train, times, "n_train", what),
            size(self.n_test, times, "n_test", what),
        )
        step = test if self.step is None else size(self.step, times, "step", what)
        none = (
            isinstance(self.gap, (int, np.integer))
            and not isinstance(self.gap, bool)
            and self.gap == 0
        )
        return train, test, step, 0 if none else size(self.gap, times, "gap", what)

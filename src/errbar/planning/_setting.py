"""What power depends on, checked, and the arithmetic of the corrected t."""

import math
from bisect import bisect_left
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from errbar import _check
from errbar.errors import InvalidInputError
from errbar.planning._student import StudentTest, smallest_shift

MOST_REPEATS = 1_000_000


@dataclass(frozen=True, slots=True)
class Setting:
    """What power depends on besides the difference and the number of splits.

    Attributes
    ----------
    deviation : float
        Expected standard deviation of the split differences.
    correlation, overlap : float
        True correlation r of two of them, and r/(1 - r).
    n_train, n_test : float
        Sizes of a split.
    level, alternative : float, str
        Of the test.
    """

    deviation: float
    correlation: float
    overlap: float
    n_train: float
    n_test: float
    level: float
    alternative: str

    @property
    def matched(self) -> bool:
        """Whether the true correlation is the one that the corrected t takes it to be."""
        return self.overlap == self.n_test / self.n_train

    def standard_deviation(self, repeats: int) -> float:
        """Return that of the mean of the split differences, in units of their own deviation."""
        return math.sqrt(1.0 / repeats + self.overlap)

    @property
    def test(self) -> StudentTest:
        """The test."""
        return StudentTest(self.level, self.alternative)

    def rejects(self, shift: float, repeats: int) -> float:
        """Return the probability of rejection where the mean is so many standard deviations towards the alternative."""
        # The standard error that the test takes for true may not be the true one.
        assumed = math.sqrt(1.0 / repeats + self.n_test / self.n_train) / self.standard_deviation(
            repeats
        )
        return self.test.rejects(shift, repeats - 1, self.test.critical(repeats - 1) * assumed)

    def towards(self, difference: float) -> float:
        """Return the difference with the sign that speaks for the alternative."""
        return self.test.towards(difference)

    def power(self, difference: float, repeats: int) -> float:
        """Return the probability of rejection for a true difference."""
        shift = self.towards(difference) / self.deviation / self.standard_deviation(repeats)
        return self.rejects(shift, repeats)

    def detectable(self, wanted: float, repeats: int) -> float:
        """Return the size of the smallest difference with the wanted power."""
        shift = smallest_shift(lambda shift: self.rejects(shift, repeats), wanted)
        return shift * self.standard_deviation(repeats) * self.deviation

    def enough_repeats(self, difference: float, wanted: float) -> int | None:
        """Return the smallest number of splits with the wanted power, or None."""
        previous = 1
        for repeats in _ladder():
            if self.power(difference, repeats) >= wanted:
                return first(
                    previous, repeats, lambda number: self.power(difference, number) >= wanted
                )
            previous = repeats
        return None

    def most(self, difference: float) -> float:
        """Return the largest power that any number of splits gives."""
        return max(self.power(difference, repeats) for repeats in _ladder())


def setting_of(
    deviation: float | None,
    variance: float | None,
    correlation: float | None,
    n_train: float,
    n_test: float,
    level: float,
    alternative: str,
) -> Setting:
    """Check what was given and return the setting."""
    train, test = number_of_examples(n_train, "n_train"), number_of_examples(n_test, "n_test")
    true, overlap = test / (train + test), test / train
    if correlation is not None:
        true = _check.between(correlation, 0.0, 1.0, "correlation", closed=False)
        overlap = true / (1.0 - true)
    if (deviation is None) == (variance is None):
        given = "neither" if deviation is None else "both"
        raise InvalidInputError(
            f"give `deviation` or `variance` of the split differences, one of the two, got {given}"
        )
    if deviation is not None:
        spread = positive(deviation, "deviation")
    else:
        spread = math.sqrt(positive(variance, "variance") / (1.0 + overlap))
    return Setting(
        spread, true, overlap, train, test, _check.level(level), _check.alternative(alternative)
    )


def positive(value: Any, name: str) -> float:
    """Return a positive number that can be squared."""
    number = _check.finite(value, name)
    if not 1e-150 <= number <= 1e150:
        raise InvalidInputError(
            f"must be a positive number (from 1e-150 to 1e150), got {value!r}", argument=name
        )
    return number


def number_of_examples(value: Any, name: str) -> float:
    """Return a number of examples, which may be a mean over splits."""
    number = _check.finite(value, name)
    if not 1.0 <= number <= _check.MOST_EXAMPLES:
        raise InvalidInputError(
            f"must be a number of examples, from 1 to {_check.MOST_EXAMPLES:g}, got {value!r}",
            argument=name,
        )
    return number


def number_of_splits(value: Any) -> int:
    """Return a number of splits that has a standard deviation."""
    return _check.count(value, "repeats", 2, MOST_REPEATS)


def _ladder() -> Iterator[int]:
    """Yield numbers of splits to try: each up to a thousand, from there in steps of 2 %."""
    repeats = 2
    while repeats < MOST_REPEATS:
        yield repeats
        repeats += max(1, repeats // 50 if repeats >= 1000 else 1)
    yield MOST_REPEATS


def first(low: int, high: int, holds: Callable[[int], bool]) -> int:
    """Return the first number in (low, high] for which something holds, given that it does for the last."""
    numbers = range(low + 1, high)
    return low + 1 + bisect_left(numbers, x=True, key=holds)

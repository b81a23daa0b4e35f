"""What a pilot tells about the study to come."""

import math
from dataclasses import dataclass
from typing import Any

from scipy import special

from errbar import _check
from errbar._plain import plain
from errbar.errors import InvalidInputError
from errbar.index import SIZES
from errbar.methods import lookup
from errbar.methods._core.infer import settle
from errbar.methods.distributions import mean, variance
from errbar.table import LossTable


@dataclass(frozen=True)
class Pilot:
    """The split differences of a small study, as far as planning needs them.

    Attributes
    ----------
    a, b : str or None
        Learners whose difference a minus b it is; `b` is None where `a` is a column of differences.
    metric : str
        Name of the loss or score.
    estimate : float
        Mean difference, in the direction in which users know the number.
    deviation : float
        Sample standard deviation of the split differences, divisor J - 1.
    repeats : int
        Number of splits J.
    n_train, n_test : float
        Sizes of the splits, means where they differ.
    """

    a: str
    b: str | None
    metric: str
    estimate: float
    deviation: float
    repeats: int
    n_train: float
    n_test: float

    def __post_init__(self) -> None:
        """Refuse a pilot without a deviation."""
        _check.count(self.repeats, "repeats", 2)

    @property
    def name(self) -> str:
        """The difference in words, such as ``"tree - forest"``."""
        return self.a if self.b is None else f"{self.a} - {self.b}"

    def deviation_interval(self, level: float = 0.95) -> tuple[float, float]:
        """Return an interval for the expected deviation, from the chi-square distribution with J - 1 degrees of freedom.

        Parameters
        ----------
        level : float, default 0.95
            Confidence level.

        Returns
        -------
        low, high : float
            Ends of the interval.

        Notes
        -----
        With (J - 1) S^2 / E[S^2] chi-square, the ends are S sqrt((J - 1) / q) with q its upper and its lower quantile.
        """
        low, high = chi_square_ends(self.repeats - 1, level)
        return self.deviation * math.sqrt(low), self.deviation * math.sqrt(high)

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON."""
        low, high = self.deviation_interval()
        return plain(self) | {"deviation_low": low, "deviation_high": high}


def chi_square_ends(df: float, level: float) -> tuple[float, float]:
    """Return an interval for the expectation of a mean square, in units of the one that was found."""
    tail = 0.5 * (1.0 - _check.level(level))
    if math.isinf(df):
        return 1.0, 1.0
    upper, lower = float(special.chdtri(df, tail)), 2.0 * float(special.gammaincinv(0.5 * df, tail))
    return df / upper, df / lower


def pilot(table: LossTable, a: str | None = None, b: str | None = None) -> Pilot:
    """Read from a pilot study what planning needs.

    Parameters
    ----------
    table : LossTable
        From `errbar.run`, or from your own numbers; with the sizes of the splits, and at least two of them.
    a, b : str, optional
        Learners whose difference a minus b is planned for. Both may be left out where the table has two learners, or
        a single column that holds differences.

    Returns
    -------
    Pilot
        Deviation, number and sizes of the splits.

    Raises
    ------
    InvalidInputError
        If the learners are not named where there are several, the sizes of the splits are unknown, or the differences
        do not vary.
    UnsuitablePlanError
        If the splits are not of a kind that the corrected t is made for.

    See Also
    --------
    plan_study : What follows from it.

    Examples
    --------
    >>> import errbar
    >>> from errbar.planning import pilot
    >>> scores = {"tree": [0.31, 0.28, 0.35, 0.30, 0.29], "1-NN": [0.25, 0.27, 0.26, 0.24, 0.28]}
    >>> found = pilot(errbar.from_scores(scores, n_train=270, n_test=30))
    >>> found.name, round(found.estimate, 3), round(found.deviation, 4)
    ('tree - 1-NN', 0.046, 0.0351)
    """
    first, second = pair_of(table.learners, a, b)
    spec = lookup("corrected-t")
    splits = settle(spec, table, first, second).table.losses(first, second).splits
    if not set(SIZES) <= set(splits.index):
        raise InvalidInputError(
            "planning needs the sizes of the splits: give `n_train` and `n_test` (on the command line --n-train and --n-test)"
        )
    spread = math.sqrt(variance(splits.value))
    made = Pilot(
        a=first,
        b=second,
        metric=table.loss.key,
        estimate=table.loss.sign * mean(splits.value) + 0.0,
        deviation=spread,
        repeats=int(splits.value.size),
        n_train=splits.n_train,
        n_test=splits.size("n_test"),
    )
    if spread == 0.0:
        raise InvalidInputError(
            f"the differences of the pilot ({made.name}) do not vary, so nothing can be planned with them"
        )
    return made


def pair_of(learners: tuple[str, ...], a: str | None, b: str | None) -> tuple[str, str | None]:
    """Return the two learners, or the only column and None."""
    if a is not None and b is not None:
        return a, b
    if a is not None or b is not None:
        raise InvalidInputError("name both learners, `a` and `b`, or none of them")
    if len(learners) > 2:
        raise InvalidInputError(
            f"name two of the learners {', '.join(map(repr, learners))} as `a` and `b` (on the command line --pair)"
        )
    return learners[0], learners[1] if len(learners) == 2 else None

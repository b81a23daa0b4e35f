"""Equivalence and non-inferiority: two one-sided tests, or one, with a margin, by any method that has sides."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from errbar import _check
from errbar._plain import plain
from errbar.errors import InvalidInputError
from errbar.methods import infer, lookup
from errbar.result import Interval, Result
from errbar.table import LossTable

__all__ = ["Equivalence", "equivalence", "non_inferiority"]


@dataclass(frozen=True)
class Equivalence:
    """What tests with a margin say about the difference of two learners.

    Attributes
    ----------
    method : str
        Key of the method that gave the p-values.
    margin : float
        Half-width of the region of equivalence, or the loss that is put up with.
    estimate : float
        Estimate of the difference.
    interval : Interval
        For equivalence the two-sided interval at 2 level - 1 (where level > 1/2), which lies within the margins
        exactly when equivalence is shown; for non-inferiority the one-sided one.
    level : float
        The tests are at 1 - level.
    below, above : float or None
        P-values of the hypotheses that the difference is at least the margin, and at most minus the margin; None for
        the side that is not tested.
    pvalue : float
        P-value of the claim: the larger of both.
    adjusted : float or None
        The same adjusted over a family of pairs.
    """

    method: str
    margin: float
    estimate: float
    interval: Interval
    level: float
    below: float | None
    above: float | None
    pvalue: float
    adjusted: float | None = None

    @property
    def shown(self) -> bool:
        """Whether the claim is shown at 1 - level, by the adjusted p-value where there is one."""
        return (self.pvalue if self.adjusted is None else self.adjusted) < 1.0 - self.level

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON; an unbounded end is None."""
        found = plain(self)
        found |= found.pop("interval")
        return found | {"shown": self.shown}


def equivalence(
    numbers: Any,
    method: str,
    learner: str | None = None,
    minus: str | None = None,
    *,
    margin: float,
    level: float = 0.95,
    **options: Any,
) -> Equivalence:
    """Test whether a difference lies within plus and minus a margin, by two one-sided tests.

    The claim is shown at 1 - level when both one-sided tests reject at 1 - level: that the difference is at most
    -margin, and that it is at least +margin ([1]_). The p-value is the larger of both.

    Parameters
    ----------
    numbers : LossTable or view
        A table, or what the method sees, such as `errbar.Losses` of differences.
    method : str
        Key of a method that has one-sided alternatives.
    learner, minus : str, optional
        Names of the learners, for a table.
    margin : float
        Half-width of the region of equivalence, positive, in units of the loss.
    level : float, default 0.95
        Both tests are at 1 - level.
    **options
        Options of the method's own.

    Returns
    -------
    Equivalence
        P-values of both sides, and the interval that lies within the margins exactly when equivalence is shown.

    Raises
    ------
    InvalidInputError
        If the margin is not positive, or the method has no one-sided test.

    See Also
    --------
    non_inferiority : One side only.

    References
    ----------
    .. [1] Schuirmann (1987), Journal of Pharmacokinetics and Biopharmaceutics 15(6), 657-680.

    Examples
    --------
    >>> import errbar
    >>> differences = errbar.Losses([0.002, -0.001, 0.003, -0.001, 0.0], n_train=90, n_test=10)
    >>> errbar.equivalence(differences, "corrected-t", margin=0.01).shown
    True
    """
    return within(
        _Question(numbers, method, learner, minus, options).ask,
        lookup(method).key,
        _margin(margin),
        level,
    )


def within(ask: Callable[..., Result], method: str, margin: float, level: float) -> Equivalence:
    """Test whether a difference lies within plus and minus a margin.

    Parameters
    ----------
    ask : callable
        ``ask(null=..., alternative=..., level=...)`` returns what the method says of the difference.
    method : str
        Key of the method.
    margin, level : float
        As for `equivalence`.
    """
    above = ask(null=-margin, alternative="greater", level=level)
    below = ask(null=margin, alternative="less", level=level)
    both = ask(null=0.0, alternative="two-sided", level=2.0 * level - 1.0) if level > 0.5 else None
    interval = both.interval if both else Interval(above.low, below.high)
    larger = max(below.pvalue, above.pvalue)
    return Equivalence(
        method, margin, above.estimate, interval, level, below.pvalue, above.pvalue, larger
    )


def non_inferiority(
    numbers: Any,
    method: str,
    learner: str | None = None,
    minus: str | None = None,
    *,
    margin: float,
    level: float = 0.95,
    **options: Any,
) -> Equivalence:
    """Test whether the first learner is worse than the second by less than a margin.

    Parameters
    ----------
    numbers, method, learner, minus, level, **options
        As for `equivalence`.
    margin : float
        What the first may be worse by and still count as not inferior; 0 or more, in units of the loss. Of scores, where
        higher is better, the first may be lower by so much.

    Returns
    -------
    Equivalence
        With one side only.

    Raises
    ------
    InvalidInputError
        If the margin is negative, or the method has no one-sided test.

    See Also
    --------
    equivalence : Both sides.

    Examples
    --------
    >>> import errbar
    >>> differences = errbar.Losses([-0.02, -0.01, 0.003, -0.01, -0.02], n_train=90, n_test=10)
    >>> errbar.non_inferiority(differences, "corrected-t", margin=0.01).shown
    True
    """
    if _check.finite(margin, "margin") < 0.0:
        raise InvalidInputError(f"must not be negative, got {margin!r}", argument="margin")
    return not_worse(_Question(numbers, method, learner, minus, options), margin, level)


def not_worse(question: "_Question", margin: float, level: float) -> Equivalence:
    """Test whether the first learner is worse by less than a margin; if that is negative, whether it is better by more."""
    numbers = question.numbers
    higher = isinstance(numbers, LossTable) and numbers.loss.higher_is_better
    side, null = ("greater", 0.0 - margin) if higher else ("less", margin)
    found = question.ask(null=null, alternative=side, level=level)
    below, above = (None, found.pvalue) if higher else (found.pvalue, None)
    key = lookup(question.method).key
    return Equivalence(
        key, margin, found.estimate, found.interval, level, below, above, found.pvalue
    )


@dataclass(frozen=True, eq=False)
class _Question:
    """A method and the learners it is applied to, without null and alternative."""

    numbers: Any
    method: str
    learner: str | None
    minus: str | None
    options: dict[str, Any]

    def ask(self, **request: Any) -> Result:
        spec = lookup(self.method)
        if not spec.sides or spec.own_units or spec.subject not in ("either", "pair"):
            raise InvalidInputError(
                f"method {spec.key!r} has no one-sided test of a difference in units of the loss; try 'corrected-t'"
            )
        if isinstance(self.numbers, LossTable):
            return infer(
                self.numbers, spec.key, self.learner, self.minus, **request, **self.options
            )
        if not isinstance(self.numbers, spec.view):
            raise InvalidInputError(
                f"method {spec.key!r} needs a table or a {spec.view.__name__}, got {type(self.numbers).__name__}"
            )
        spec.check_options(self.options)
        result: Result = spec.function(self.numbers, **request, **self.options)
        return result


def _margin(value: float) -> float:
    if _check.finite(value, "margin") <= 0.0:
        raise InvalidInputError(f"must be positive, got {value!r}", argument="margin")
    return float(value)

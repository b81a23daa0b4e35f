"""Equivalence and non-inferiority: two one-sided tests, or one, with a margin, by any method that has sides."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from errbar import _check
from errbar._check import Facts
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
    method : key of the method that gave the p-values
    margin : half-width of the region of equivalence, or the loss that is put up with
    estimate : estimate of the difference
    interval : Interval
        For equivalence the two-sided interval at 2 level - 1 (where level > 1/2), which lies
        within the margins exactly when equivalence is shown; for non-inferiority the one-sided
        one.
    level : the tests are at 1 - level
    below, above : float or None
        P-values of the hypotheses that the difference is at least the margin, and at most minus
        the margin; None for the side that is not tested.
    pvalue : p-value of the claim: the larger of both
    adjusted : the same adjusted over a family of pairs
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
        pvalue = self.pvalue if self.adjusted is None else self.adjusted
        return pvalue < 1.0 - self.level

    def mirrored(self) -> "Equivalence":
        """Return the test of b minus a from that of a minus b."""
        return replace(
            self,
            estimate=0.0 - self.estimate,
            interval=self.interval.mirrored(),
            below=self.above,
            above=self.below,
        )

    def to_dict(self) -> Facts:
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

    The claim is shown at 1 - level when both one-sided tests reject at 1 - level: that the difference
    is at most -margin, and that it is at least +margin [1]_. The p-value is the larger of both.

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
    **options
        Options of the method's own.

    Returns
    -------
    Equivalence
        With the interval that lies within the margins exactly when equivalence is shown.

    Raises
    ------
    InvalidInputError
        If the margin is not positive, or the method has no one-sided test.

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
    key, ask = _asker(numbers, method, learner, minus, options)
    return within(ask, key, _check.positive(margin, "margin"), level)


def within(ask: Callable[..., Result], method: str, margin: float, level: float) -> Equivalence:
    """Test a difference by ``ask(null=..., alternative=..., level=...)``, as `equivalence` does."""
    above = ask(null=-margin, alternative="greater", level=level)
    below = ask(null=margin, alternative="less", level=level)
    interval = Interval(above.low, below.high)
    if level > 0.5:
        interval = ask(null=0.0, alternative="two-sided", level=2.0 * level - 1.0).interval
    pvalues = below.pvalue, above.pvalue
    return Equivalence(method, margin, above.estimate, interval, level, *pvalues, max(pvalues))


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
        What the first may be worse by and still count as not inferior. A negative margin asks
        whether it is better by more than that.

    Returns
    -------
    Equivalence
        With one side only.

    Raises
    ------
    InvalidInputError
        If the margin is not finite, or the method has no one-sided test.

    Examples
    --------
    >>> import errbar
    >>> differences = errbar.Losses([-0.02, -0.01, 0.003, -0.01, -0.02], n_train=90, n_test=10)
    >>> errbar.non_inferiority(differences, "corrected-t", margin=0.01).shown
    True
    """
    key, ask = _asker(numbers, method, learner, minus, options)
    margin = _check.finite(margin, "margin")
    higher = isinstance(numbers, LossTable) and numbers.loss.higher_is_better
    side, null = ("greater", 0.0 - margin) if higher else ("less", margin)
    found = ask(null=null, alternative=side, level=level)
    below, above = (None, found.pvalue) if higher else (found.pvalue, None)
    return Equivalence(
        key, margin, found.estimate, found.interval, level, below, above, found.pvalue
    )


def _asker(
    numbers: Any, method: str, learner: str | None, minus: str | None, options: Facts
) -> tuple[str, Callable[..., Result]]:
    """Return the key of a method, and a function of null, alternative and level that gives what it says of the difference."""
    spec = lookup(method)
    if not spec.sides or spec.own_units or spec.subject not in ("either", "pair"):
        raise InvalidInputError(
            f"method {spec.key!r} has no one-sided test of a difference in units of the loss; try 'corrected-t'"
        )
    if isinstance(numbers, LossTable):
        return spec.key, partial(infer, numbers, spec.key, learner, minus, **options)
    spec.check_options(options)
    return spec.key, partial(spec.function, numbers, **options)

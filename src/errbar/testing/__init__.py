"""Laws that every method must obey, for methods from elsewhere too, and an assertion for tests of models.

The laws see structure and never constants: a standard error that is wrong by a factor obeys them all. A method therefore also
needs a value from an independent source, and a simulation in which its size is known.
"""

from typing import Any

from errbar.gates import Gate
from errbar.margins import Equivalence
from errbar.testing._laws import check_method

__all__ = ["assert_not_worse", "check_method"]


def assert_not_worse(
    numbers: Any,
    new: str,
    old: str,
    *,
    by: float = 0.01,
    level: float = 0.95,
    method: str | None = None,
    **options: Any,
) -> Equivalence:
    """Assert that one learner is shown not to be worse than another by a margin.

    The burden of proof is on the new learner: with too few data the assertion fails.

    Parameters
    ----------
    numbers : Comparison or LossTable
        From `errbar.compare`, or numbers of your own, such as `errbar.from_scores`.
    new, old : str
        Names of the learners.
    by : float, default 0.01
        Margin, 0 or more, in units of the loss: what `new` may be worse by and still pass. With 0 it
        must be shown that `new` is better.
    level : float, default 0.95
        Confidence level of the one-sided test.
    method : str, optional
        Key of a method with one-sided tests; by default that of the comparison, or what the design of
        a table calls for.
    **options
        Options of the method's own; by default those of the comparison.

    Returns
    -------
    Equivalence
        The test that was passed.

    Raises
    ------
    AssertionError, InvalidInputError
        If it is not shown; the message holds the difference, its bound and the p-value; if a learner
        is unknown, or an argument cannot be used.

    Examples
    --------
    >>> import errbar
    >>> from errbar.testing import assert_not_worse
    >>> errors = {"new": [0.10, 0.08, 0.11], "old": [0.10, 0.09, 0.11]}
    >>> table = errbar.from_scores(errors, n_train=900, n_test=100)
    >>> assert_not_worse(table, "new", "old", by=0.02).shown
    True
    """
    __tracebackhide__ = True
    verdict = Gate(new, old, "worse-than", by).judge(numbers, method=method, level=level, **options)
    if not verdict.passed:
        raise AssertionError(verdict.sentence)
    found: Equivalence = verdict.test
    return found

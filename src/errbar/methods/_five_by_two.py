"""Five repeats of two-fold cross-validation: Dietterich's t, and Alpaydin's combined F."""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import special

from errbar._check import FloatArray
from errbar.errors import InvalidInputError
from errbar.losses import Losses, difference
from errbar.methods._core.answer import Answer, Asked
from errbar.methods._core.registry import register
from errbar.methods.distributions import DEGENERATE, Law, mean, standardised
from errbar.needs import PLAIN, TRAINING_SETS
from errbar.plans import FiveByTwo, KFold
from errbar.result import Estimand, Interval, Note

_ALIKE: dict[str, Any] = {
    "plans": (FiveByTwo.kind, KFold.kind),
    "default_plan": FiveByTwo(),
    "needs": (TRAINING_SETS, PLAIN),
    "estimand": Estimand.EXPECTED_RISK,
}


def five_by_two(losses: Losses) -> tuple[FloatArray, float]:
    """Return the ten scores p_ij, a row for each repeat i, and sum_i s_i^2, s_i^2 = (p_i1 - p_i2)^2 / 2."""
    scores, index = losses.splits.value, losses.splits.index
    # Ten scores in a row are five by two where that was said; ten folds of one partition look the same.
    if "fold" not in index and losses.kind == FiveByTwo.kind:
        order, shape = np.arange(scores.size), (5, 2)
    else:
        order, shape = index.first("repeat", "fold"), (index.count("repeat"), index.count("fold"))
    if shape != (5, 2) or order.size != 10 or scores.size != 10:
        raise InvalidInputError(
            "five repeats of two-fold cross-validation are needed, as plan FiveByTwo() makes them; "
            f"got {scores.size} splits"
        )
    p = scores[order].reshape(5, 2)
    return p, float(np.square(difference(p[:, 0], p[:, 1])).sum()) / 2.0


@register(
    "5x2cv-t",
    **_ALIKE,
    references=("dietterich1998",),
)
def five_by_two_t(losses: Losses) -> Answer:
    r"""Dietterich's t on five repeats of two-fold cross-validation.

    :Claim: The expected loss at training size n/2.
    :Formula: ``t = (p_11 - null) / sqrt(mean s_i^2), t with 5 degrees of freedom``
    :Fits: 10
    :Assumption: The scores of the five repeats are independent of each other and close to
        normal.
    :Assumption: Both scores of a repeat are independent of each other.

    Within one repeat the two training sets share nothing, so the spread of its two scores is an honest measure of
    the variance of one. The estimand is the expected risk at half the examples.

    Parameters
    ----------
    losses : Losses
        The ten scores (or differences of scores).
    level : float, default 0.95
        Confidence level of the interval.
    null : float, default 0.0
        Expected risk (or difference) under the null hypothesis.
    alternative : {"two-sided", "less", "greater"}, default "two-sided"
        Alternative hypothesis; a one-sided one gives a one-sided interval.

    Returns
    -------
    Result
        The estimate is p_11, the score of the first split.

    See Also
    --------
    five_by_two_f : Uses all ten scores in the numerator.

    Notes
    -----
    With p_ij the score of fold j in repeat i and :math:`s_i^2 = (p_{i1}-\bar p_i)^2 + (p_{i2}-\bar p_i)^2`,
    :math:`t = (p_{11} - \mu_0) / \sqrt{\frac{1}{5}\sum_i s_i^2}` is referred to t with 5 degrees of freedom ([1]_).

    References
    ----------
    .. [1] Dietterich (1998), Neural Computation 10(7), 1895-1923, section 3.5.

    Examples
    --------
    >>> import errbar
    >>> p = [[0.3, 0.25], [0.35, 0.28], [0.4, 0.22], [0.31, 0.27], [0.33, 0.29]]
    >>> result = errbar.methods.five_by_two_t(errbar.Losses.of_grid(p, "repeat", "fold"))
    >>> round(result.estimate, 2), round(result.se, 4)
    (0.3, 0.0656)
    """
    p, squares = five_by_two(losses)
    first = Note("as-defined", quantity="estimate", what="the score of the first split alone")
    return Answer(
        estimate=float(p[0, 0]),
        se=math.sqrt(squares / 5.0),
        df=5,
        n_train=losses.n_train,
        n_splits=10,
        notes=(first,),
    )


@register(
    "5x2cv-f",
    **_ALIKE,
    references=("alpaydin1999",),
    sides=False,
)
def five_by_two_f(losses: Losses, *, alternative: str = "two-sided") -> Answer:
    r"""Alpaydin's combined F on five repeats of two-fold cross-validation.

    :Claim: The expected loss at training size n/2, from all ten scores; two-sided only.
    :Formula: ``F = sum (p_ij - null)^2 / (2 sum s_i^2), F with 10 and 5 degrees of freedom``
    :Fits: 10
    :Assumption: The scores of the five repeats are independent of each other and close to
        normal.
    :Assumption: Both scores of a repeat are independent of each other.

    Parameters
    ----------
    losses : Losses
        The ten scores (or differences of scores).
    level : float, default 0.95
        Confidence level of the interval.
    null : float, default 0.0
        Expected risk (or difference) under the null hypothesis.
    alternative : {"two-sided"}, default "two-sided"
        The F statistic has no direction.

    Returns
    -------
    Result
        The estimate is the mean of the ten scores, the standard error that of a single score, and the interval
        holds the null values that the test does not reject.

    Raises
    ------
    InvalidInputError
        If `alternative` is one-sided.

    See Also
    --------
    five_by_two_t : Dietterich's t, which can be one-sided.

    Notes
    -----
    With p_ij the score of fold j in repeat i and :math:`s_i^2 = (p_{i1}-\bar p_i)^2 + (p_{i2}-\bar p_i)^2`,

    .. math:: F = \frac{\sum_{ij} (p_{ij} - \mu_0)^2}{2 \sum_i s_i^2}

    is referred to F with 10 and 5 degrees of freedom ([1]_). Solving F = F_crit for the null gives the interval
    :math:`\bar p \pm \sqrt{(2 F_{crit} \sum s_i^2 - \sum (p_{ij}-\bar p)^2)/10}`.

    References
    ----------
    .. [1] Alpaydin (1999), Neural Computation 11(8), 1885-1892.

    Examples
    --------
    >>> import errbar
    >>> p = [[0.3, 0.25], [0.35, 0.28], [0.4, 0.22], [0.31, 0.27], [0.33, 0.29]]
    >>> result = errbar.methods.five_by_two_f(errbar.Losses.of_grid(p, "repeat", "fold"), null=0.25)
    >>> round(result.statistic, 4), result.df
    (1.1349, (10.0, 5.0))
    """
    if alternative != "two-sided":
        raise InvalidInputError(
            "of method '5x2cv-f' must be 'two-sided', since F has no direction; try '5x2cv-t'",
            argument="alternative",
        )
    p, squares = five_by_two(losses)
    estimate = mean(p.ravel())
    law = _F(estimate, squares, float(np.square(p - estimate).sum()))
    return Answer(
        estimate=estimate,
        se=math.sqrt(squares / 5.0),
        df=(10.0, 5.0),
        n_train=losses.n_train,
        n_splits=10,
        law=law,
        notes=(Note("as-defined", quantity="standard error", what="that of a single score"),),
        statistic=law.statistic,
        remarks=law.remarks,
        directed=False,
    )


@dataclass(frozen=True)
class _F(Law):
    """The law of F = (around + 10 (estimate - null)^2) / (2 squares), with sums of squares around the mean and within repeats."""

    estimate: float
    squares: float
    around: float

    def statistic(self, null: float) -> float:
        if self.squares == 0.0:
            return abs(standardised(self.estimate, 0.0, null))
        return (self.around + 10.0 * (self.estimate - null) ** 2) / (2.0 * self.squares)

    def pvalue(self, null: float, _: str) -> float:
        return float(special.fdtrc(10.0, 5.0, self.statistic(null)))

    def interval(self, level: float, _: str) -> Interval:
        reach = math.sqrt(max(0.0, self._room(level)) / 10.0)
        return Interval(self.estimate - reach, self.estimate + reach)

    def remarks(self, asked: Asked, _: Interval) -> tuple[Note, ...]:
        if self.squares == 0.0:
            return (DEGENERATE,)
        if self._room(asked.level) >= 0.0:
            return ()
        alone = "the estimate alone, for every value is rejected"
        return (Note("as-defined", quantity="interval", what=alone),)

    def _room(self, level: float) -> float:
        """Return ten times the squared distance of the ends from the estimate; below 0 every value is rejected."""
        return 2.0 * float(special.fdtri(10.0, 5.0, level)) * self.squares - self.around

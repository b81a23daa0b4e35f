"""Alpaydin's combined 5x2cv F."""

import math
from typing import NamedTuple

import numpy as np
from scipy import special

from errbar._check import FloatArray
from errbar.errors import InvalidInputError
from errbar.losses import Losses
from errbar.methods._core.answer import Answer, Asked
from errbar.methods._core.five_by_two import FIVE_BY_TWO
from errbar.methods._core.layouts import five_by_two, squares_of_repeats
from errbar.methods._core.registry import register
from errbar.methods.distributions import DEGENERATE, mean, standardised
from errbar.result import Interval, Note

_EMPTY = Note(
    "as-defined", quantity="interval", what="the estimate alone, for every value is rejected"
)
_OF_ONE_SCORE = Note("as-defined", quantity="standard error", what="that of a single score")


@register(
    "5x2cv-f",
    **FIVE_BY_TWO,
    claim="The expected loss at training size n/2, from all ten scores; two-sided only.",
    formula="F = sum (p_ij - null)^2 / (2 sum s_i^2), F with 10 and 5 degrees of freedom",
    references=("alpaydin1999",),
    sides=False,
)
def five_by_two_f(losses: Losses, *, alternative: str = "two-sided") -> Answer:
    r"""Alpaydin's combined F on five repeats of two-fold cross-validation.

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
    scores = five_by_two(losses)
    values = scores.ravel()
    estimate = mean(values)
    law = _Law(
        values,
        float(squares_of_repeats(scores).sum()),
        estimate,
        float(np.square(values - estimate).sum()),
    )
    return Answer(
        estimate=estimate,
        se=math.sqrt(law.squares / 5.0),
        df=(10.0, 5.0),
        n_train=losses.n_train,
        n_splits=10,
        law=law,
        notes=(_OF_ONE_SCORE,),
        statistic=law.statistic,
        remarks=law.remarks,
        directed=False,
    )


class _Law(NamedTuple):
    """The F distribution of ten scores, with the sum of the five variances, their mean, and the sum of squares around it."""

    values: FloatArray
    squares: float
    estimate: float
    around: float

    def statistic(self, null: float) -> float:
        if self.squares == 0.0:
            return abs(standardised(self.estimate, 0.0, null))
        return float(np.square(self.values - null).sum()) / (2.0 * self.squares)

    def pvalue(self, null: float, alternative: str) -> float:
        del alternative  # two-sided only
        statistic = self.statistic(null)
        return float(special.fdtrc(10.0, 5.0, statistic)) if math.isfinite(statistic) else 0.0

    def interval(self, level: float, alternative: str) -> Interval:
        del alternative  # two-sided only
        reach = math.sqrt(max(0.0, self._room(level)) / 10.0) if self.squares > 0.0 else 0.0
        return Interval(self.estimate - reach, self.estimate + reach)

    def remarks(self, asked: Asked, _: Interval) -> tuple[Note, ...]:
        if self.squares == 0.0:
            return (DEGENERATE,)
        return (_EMPTY,) if self._room(asked.level) < 0.0 else ()

    def _room(self, level: float) -> float:
        """Return ten times the squared distance of the ends from the estimate; below 0 every value is rejected."""
        critical = float(special.fdtri(10.0, 5.0, level))
        return 2.0 * critical * self.squares - self.around

"""Alpaydin's combined 5x2cv F."""

import math

import numpy as np
from scipy import special

from errbar import _check
from errbar.errors import InvalidInputError
from errbar.methods._core.pivot import DEGENERATE, mean, standardised
from errbar.methods._core.registry import register
from errbar.needs import PLAIN, TRAINING_SETS
from errbar.plans import FiveByTwo as FiveByTwoPlan
from errbar.result import Estimand, Interval, Note, Result
from errbar.views import FiveByTwo

_EMPTY = Note(
    "every-value-rejected", "the test rejects every value at this level; the interval shown is the estimate alone"
)


@register(
    "5x2cv-f",
    plans=("5x2", "kfold"),
    default_plan=FiveByTwoPlan(),
    needs=(
        TRAINING_SETS,
        PLAIN,
    ),
    estimand=Estimand.EXPECTED_RISK,
    claim="The expected loss at training size n/2, from all ten scores; two-sided only.",
    formula="F = sum (p_ij - null)^2 / (2 sum s_i^2), F with 10 and 5 degrees of freedom",
    fits="10",
    references=("alpaydin1999",),
    assumptions=(
        "The scores of the five repeats are independent of each other and close to normal.",
        "Both scores of a repeat are independent of each other.",
    ),
    sides=False,
)
def five_by_two_f(
    scores: FiveByTwo, *, level: float = 0.95, null: float = 0.0, alternative: str = "two-sided"
) -> Result:
    r"""Alpaydin's combined F on five repeats of two-fold cross-validation.

    Parameters
    ----------
    scores : FiveByTwo
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
    >>> result = errbar.methods.five_by_two_f(errbar.FiveByTwo(p), null=0.25)
    >>> round(result.statistic, 4), result.df
    (1.1349, (10.0, 5.0))
    """
    level = _check.level(level)
    null = _check.finite(null, "null")
    if _check.alternative(alternative) != "two-sided":
        raise InvalidInputError(
            "`alternative` of method '5x2cv-f' must be 'two-sided', since F has no direction; try '5x2cv-t'"
        )
    values = scores.value.ravel()
    estimate = mean(values)
    squares = float(scores.squares.sum())
    statistic = _statistic(values, squares, estimate, null)
    interval, empty = _interval(values, squares, estimate, level)
    notes = (DEGENERATE,) if squares == 0.0 else (_EMPTY,) if empty else ()
    return Result(
        method="5x2cv-f",
        estimand=Estimand.EXPECTED_RISK,
        n_train=scores.n_train,
        estimate=estimate,
        se=math.sqrt(squares / 5.0),
        interval=interval,
        level=level,
        statistic=statistic,
        df=(10.0, 5.0),
        pvalue=float(special.fdtrc(10.0, 5.0, statistic)) if math.isfinite(statistic) else 0.0,
        null=null,
        alternative="two-sided",
        n_splits=10,
        notes=notes,
        directed=False,
    )


def _statistic(values: _check.FloatArray, squares: float, estimate: float, null: float) -> float:
    if squares == 0.0:
        return abs(standardised(estimate, 0.0, null))
    return float(np.square(values - null).sum()) / (2.0 * squares)


def _interval(values: _check.FloatArray, squares: float, estimate: float, level: float) -> tuple[Interval, bool]:
    critical = float(special.fdtri(10.0, 5.0, level))
    room = 2.0 * critical * squares - float(np.square(values - estimate).sum())
    reach = math.sqrt(max(0.0, room) / 10.0) if squares > 0.0 else 0.0
    return Interval(estimate - reach, estimate + reach), room < 0.0

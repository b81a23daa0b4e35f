"""Statistics of the rows of a table, each with an influence value for every row, for `errbar.from_rows`."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from errbar import _check
from errbar._check import Facts, FloatArray, IntArray
from errbar.errors import InvalidInputError, UndefinedMetricError
from errbar.metrics import _functions as metrics
from errbar.metrics._functions import Measured
from errbar.metrics._loss import moved
from errbar.metrics._names import FORMS
from errbar.result import Note

__all__ = [
    "Statistic",
    "average_precision",
    "bleu",
    "by_image",
    "chrf",
    "concordance",
    "crps",
    "iqm",
    "mean_of_groups",
    "multilabel",
    "pinball",
    "ranking",
    "ratio",
    "sensitivity_at_specificity",
    "weighted_interval_score",
]

_NOT_NEGATIVE = (0.0, math.inf)
_LOSS: Facts = {"higher_is_better": False, "range": _NOT_NEGATIVE}
_SHARE: Facts = {"higher_is_better": True, "range": (0.0, 1.0)}
_STEP = 1e-30
_PERCENT: Facts = {"higher_is_better": True, "range": (0.0, 100.0)}


@dataclass(frozen=True)
class Statistic:
    """A statistic of rows that has influence values; call it with a frame for its value.

    Attributes
    ----------
    key : name in reports
    columns : columns of the frame that it needs
    function : ``function(frame)`` returns the value and an influence value for each row: their mean is
        0, and one more copy of a row moves the value by about I/n.
    higher_is_better : by default as the name says
    range : least and largest value
    pool : of what it is computed by default; see `errbar.from_rows`
    mean : whether it is the mean of a number for each row, which is then the loss of that row
    units : column with what is drawn, if rows are not: they are the groups of the table
    notes : what is to be said with every number
    """

    key: str
    columns: tuple[str, ...]
    function: Callable[[Any], Measured] = field(repr=False)
    higher_is_better: bool | None = None
    range: tuple[float, float] = (-math.inf, math.inf)
    pool: str = "folds"
    mean: bool = False
    units: str | None = None
    notes: tuple[Note, ...] = ()

    def __call__(self, frame: Any) -> float:
        """Return the value for the rows of a frame."""
        return float(self.function(frame)[0])


def _mean(
    key: str, columns: Sequence[str], values: Callable[[Any], FloatArray], **facts: Any
) -> Statistic:
    """Return the mean of a number for each row."""

    def function(frame: Any) -> Measured:
        each = values(frame)
        mean = each.mean()
        return mean, each - mean

    return Statistic(key, (*columns,), function, mean=True, **facts)


def _numbers(frame: Any, *columns: str, least: float = -math.inf) -> FloatArray:
    """Return columns of finite numbers, shape (columns, rows)."""
    found = np.stack([_check.vector(frame[name], name, "row") for name in columns])
    for name, column in zip(columns, found, strict=True):
        _check.require(
            column.min() >= least, f"must be at least {least:g}", float(column.min()), name
        )
    return found


def _truths(frame: Any, *columns: str) -> FloatArray:
    """Return columns of 0 and 1, or False and True."""
    found = _numbers(frame, *columns)
    for name, column in zip(columns, found, strict=True):
        odd = column[~np.isin(column, (0.0, 1.0))]
        _check.require(not odd.size, "must hold 0 and 1", odd[:1].tolist(), name)
    return found


def _of_means(columns: FloatArray, form: Callable[[Any], Any]) -> Measured:
    """Return a smooth function of the means of columns, (columns, rows), and its influence values."""
    means = columns.mean(axis=1)
    # A step in the imaginary direction gives derivatives to the last digit (Squire & Trapp 1998).
    stepped = means + 1j * _STEP * np.eye(means.size)
    slopes = np.array([form(one).imag / _STEP for one in stepped])
    return form(means), slopes @ (columns - means[:, np.newaxis])


# Sums and means.


def ratio(
    top: str,
    bottom: str,
    *,
    bounds: tuple[float, float] = _NOT_NEGATIVE,
) -> Statistic:
    r"""Return the ratio of the sums of two columns, as the word error rate of a corpus is.

    Parameters
    ----------
    top, bottom : str
        Columns with what is counted above and below the line, such as errors and words.
    bounds : tuple of float, default (0, inf)
        Least and largest value, such as (0, 1) of a rate. Numbers are at least 0 if the ratio is.

    Returns
    -------
    Statistic
        :math:`\theta = \sum_i a_i / \sum_i b_i` with :math:`I_i = (a_i - \theta b_i) / \bar b`.

    Examples
    --------
    >>> from errbar.statistics import ratio
    >>> ratio("errors", "words")({"errors": [1, 3], "words": [10, 30]})
    0.1
    """
    least = 0.0 if bounds[0] >= 0.0 else -math.inf

    def function(frame: Any) -> Measured:
        return _of_means(_numbers(frame, top, bottom, least=least), lambda sums: sums[0] / sums[1])

    return Statistic(f"{top}/{bottom}", (top, bottom), function, range=bounds)


def mean_of_groups(
    value: str,
    group: str,
    *,
    new: bool = False,
    bounds: tuple[float, float] = (-math.inf, math.inf),
) -> Statistic:
    r"""Return the mean over groups of the mean of each, as a leaderboard of equal tasks shows it.

    Parameters
    ----------
    value, group : str
        Columns with the number of a row, and with its group, such as the task.
    new : bool, default False
        Whether the result is about new groups. Then groups are what is drawn, and a table has them as
        ``groups``. By default it is about these very groups, and rows are drawn within each.
    bounds : tuple of float, optional
        Least and largest value.

    Returns
    -------
    Statistic
        :math:`\theta = \frac1G \sum_g \bar x_g`. For new groups :math:`I_i = n (x_i - \theta) / (G n_g)`.
        For fixed groups :math:`I_i = n (x_i - \bar x_g) / (G n_g) \sqrt{n_g / (n_g - 1)}`, so that the
        variance is :math:`\sum_g s_g^2 / (n_g G^2)` but for a factor n/(n - 1); each has two rows or more.

    Examples
    --------
    >>> from errbar.statistics import mean_of_groups
    >>> answers = {"right": [1, 1, 0, 1, 0], "task": ["a", "a", "a", "b", "b"]}
    >>> round(mean_of_groups("right", "task")(answers), 3)
    0.583
    """

    def function(frame: Any) -> Measured:
        [x], codes = _numbers(frame, value), _groups(frame, group)
        counts = np.bincount(codes)
        means = np.bincount(codes, x) / counts
        mean, weight = means.mean(), x.size / (counts.size * counts)
        if new:
            return mean, weight[codes] * (x - mean)
        return mean, weight[codes] * _within(x, codes, group)

    notes = () if new else (Note("fixed", what=f"values of {group!r}"),)
    return Statistic(
        f"{value} by {group}",
        (value, group),
        function,
        range=bounds,
        units=group if new else None,
        notes=notes,
    )


def _groups(frame: Any, column: str) -> IntArray:
    return _check.compact(_check.categories(np.asarray(frame[column]), f"`{column}`"))


def _within(x: FloatArray, codes: IntArray, group: str) -> FloatArray:
    """Return differences to the mean of the group whose mean square is the unbiased variance in it."""
    counts = np.bincount(codes)
    if counts.min() < 2:
        raise InvalidInputError(
            f"has a group of one row, which says nothing about others of {group!r}",
            argument=group,
        )
    means = np.bincount(codes, x) / counts
    return np.sqrt(counts / (counts - 1.0))[codes] * (x - means[codes])


def iqm(score: str, task: str | None = None) -> Statistic:
    r"""Return the interquartile mean of runs: the mean without the lowest and the highest quarter.

    Parameters
    ----------
    score : str
        Column with the normalized score of each run; rows are runs, one for each task and seed.
    task : str, optional
        Column with the task. Then the result is about these very tasks, and runs are drawn within each,
        as in the stratified bootstrap of rliable; each has two runs or more.

    Returns
    -------
    Statistic
        :math:`I_i = (w_i - \bar w) n / (n - 2k)`, with :math:`k = \lfloor n/4 \rfloor` and the scores w
        in which those cut off are moved to the nearest one kept; within tasks, :math:`\bar w` is that of
        the task (Agarwal et al. 2021; Tukey & McLaughlin 1963).

    Examples
    --------
    >>> from errbar.statistics import iqm
    >>> iqm("score")({"score": [0.0, 1.0, 2.0, 9.0]})
    1.5
    """

    def function(frame: Any) -> Measured:
        [x] = _numbers(frame, score)
        ordered = np.sort(x)
        cut = x.size // 4
        kept = ordered[cut : x.size - cut]
        moved = x.clip(kept[0], kept[-1]) * (x.size / kept.size)
        if task is None:
            return kept.mean(), moved - moved.mean()
        return kept.mean(), _within(moved, _groups(frame, task), task)

    columns = (score,) if task is None else (score, task)
    notes = () if task is None else (Note("fixed", what=f"values of {task!r}"),)
    return Statistic(f"IQM of {score}", columns, function, higher_is_better=True, notes=notes)


# Survival times, labels and scores.


def concordance(
    time: str,
    event: str,
    score: str,
    *,
    kind: str = "harrell",
    tau: float | None = None,
    risk: bool = True,
) -> Statistic:
    r"""Return the concordance of scores with censored survival times (the C index).

    Pairs are comparable if the shorter time is that of an event; of equal times, if just one is. They are
    concordant if the row with the event has the higher risk, and equal scores count one half.

    Parameters
    ----------
    time, event, score : str
        Columns with the time until the event or censoring, whether it is the event (1 or 0), and the
        score of the model.
    kind : {"harrell", "uno"}, default "harrell"
        Uno's weighs pairs by :math:`1/\hat G(t)^2`, with the Kaplan-Meier estimate of the censoring
        distribution, so that it does not depend on that.
    tau : float, optional
        Only events before this time count.
    risk : bool, default True
        Whether higher scores mean shorter times, as for scikit-survival; those of lifelines are times.

    Returns
    -------
    Statistic
        For :math:`C = A/B`, with sums over pairs, :math:`I_k = n (A_k - C B_k) / B` with the sums over the
        pairs of row k, and for Uno's what the row adds to :math:`\hat G` (Uno et al. 2011).
        Scores of different fits are hardly comparable, so it is averaged over folds.

    Examples
    --------
    >>> from errbar.statistics import concordance
    >>> rows = {"months": [2, 4, 6, 9], "died": [1, 0, 1, 1], "risk": [0.9, 0.3, 0.4, 0.7]}
    >>> concordance("months", "died", "risk")(rows)
    0.75
    """
    _check.choice(kind, ("harrell", "uno"), "kind")
    columns = (time, event, score)

    def function(frame: Any) -> Measured:
        [times], [scores] = _numbers(frame, time, least=0.0), _numbers(frame, score)
        [died] = _truths(frame, event)
        used = died if tau is None else died * (times < tau)
        weight = used if kind == "harrell" else used / np.square(_uncensored(times, died, used))
        if not risk:
            scores = -scores
        pairs, agree = _pairs(times, died == 1.0, scores, weight)
        total = pairs[0].sum()
        if not total > 0.0:
            raise UndefinedMetricError("no pair of rows is comparable, so there is no concordance")
        value = agree[0].sum() / total
        excess = agree - value * pairs  # of pairs in which the row is the first, or the second
        influence = excess.sum(axis=0)
        if kind == "uno":
            influence -= 2.0 * _censoring(times, died, excess[0])
        return value, times.size * influence / total

    key = "c-index" if kind == "harrell" else "c-index (Uno)"
    return Statistic(key, columns, function, **_SHARE, pool="none")


_CHUNK = 4_000_000  # entries of a matrix of pairs at a time


def _pairs(times: FloatArray, died: Any, scores: FloatArray, weight: FloatArray) -> FloatArray:
    """Return weights of comparable and of concordant pairs in which each row is first, and second, shape (2, 2, n)."""
    found = np.zeros((2, 2, times.size))
    first = np.flatnonzero(weight > 0.0)
    for rows in np.array_split(first, 1 + first.size * times.size // _CHUNK):
        own = times[rows, np.newaxis]
        later = (own < times) | ((own == times) & ~died)  # (rows, n)
        higher = np.sign(scores[rows, np.newaxis] - scores)
        both = weight[rows, np.newaxis] * np.stack([later, later * (0.5 + 0.5 * higher)])
        found[:, 0, rows] = both.sum(axis=2)
        found[:, 1] += both.sum(axis=1)
    return found


def _at_risk(times: FloatArray, died: FloatArray) -> tuple[IntArray, FloatArray, FloatArray]:
    """Return the place of each row among the times, and by time how many are censored then, and of how many."""
    place = _check.compact(times)
    censored = np.bincount(place, weights=1.0 - died).astype(np.float64)
    # Events come before censoring, so those who die then are at risk no more.
    later = times.size - np.cumsum(np.bincount(place))
    return place, censored, np.maximum(later + censored, 1.0)


def _uncensored(times: FloatArray, died: FloatArray, used: FloatArray) -> FloatArray:
    """Return the Kaplan-Meier estimate of not being censored until the time of each row that is used, and 1 of others."""
    place, censored, at_risk = _at_risk(times, died)
    remaining = np.where(used > 0.0, np.cumprod(1.0 - censored / at_risk)[place], 1.0)
    if not remaining.all():
        raise UndefinedMetricError(
            "nobody is left uncensored at the last event; give a smaller `tau`"
        )
    return remaining


def _censoring(times: FloatArray, died: FloatArray, excess: FloatArray) -> FloatArray:
    """Return the sum of excess over rows, each times what another row adds to the log of its share uncensored."""
    place, censored, at_risk = _at_risk(times, died)
    # Excess at this time or later, which is where a row that is censored now counts.
    beyond = np.cumsum(np.bincount(place, excess)[::-1])[::-1] / at_risk
    gone = np.cumsum(censored * beyond / np.maximum(at_risk - censored, 1.0))
    before = np.concatenate([[0.0], gone])[place]  # at times before that of the row
    return before - (1.0 - died) * beyond[place]


AVERAGES = ("macro", "micro", "samples")
OF_SCORES: Mapping[str, Callable[[metrics.Sample], Measured]] = {
    "roc_auc": metrics.roc_auc,
    "average_precision": metrics.average_precision,
}


def multilabel(
    truth: Sequence[str],
    predicted: Sequence[str],
    *,
    kind: str = "f1",
    average: str = "macro",
    zero_division: float = 0.0,
) -> Statistic:
    """Return F1, Jaccard index, precision, area under the ROC curve or the like of several labels for each row.

    Parameters
    ----------
    truth, predicted : sequence of str
        Columns of 0 and 1, or of scores, one for each label, in the same order.
    kind : {"f1", "jaccard", "precision", "recall", "specificity", "npv"}, default "f1"
        Or ``"roc_auc"`` or ``"average_precision"`` of columns with scores, as means over labels.
    average : {"macro", "micro", "samples"}, default "macro"
        Mean over labels; ratio of the sums over labels; mean over rows.
    zero_division : float, default 0.0
        Number of a row for which it is 0/0, for samples, as in scikit-learn. A label for which it is 0/0
        is refused.

    Returns
    -------
    Statistic

    Examples
    --------
    >>> from errbar.statistics import multilabel
    >>> rows = {"joy": [1, 0, 1], "fear": [0, 1, 1], "p_joy": [1, 0, 0], "p_fear": [0, 1, 1]}
    >>> round(multilabel(["joy", "fear"], ["p_joy", "p_fear"])(rows), 3)
    0.833
    """
    _check.choice(kind, (*FORMS, *OF_SCORES), "kind")
    _check.choice(average, ("macro",) if kind in OF_SCORES else AVERAGES, "average")
    same = len(truth) == len(predicted) > 0
    _check.require(same, "must name a column for each of `truth`", predicted, "predicted")

    def of_scores(frame: Any) -> Measured:
        found = []
        for name, one, score in zip(
            truth, _truths(frame, *truth), _numbers(frame, *predicted), strict=True
        ):
            if one.min() == one.max():
                raise UndefinedMetricError(f"label {name!r} has one value; leave the label out")
            target = metrics.target_of(one, metrics.CLASSIFICATION)
            found.append(OF_SCORES[kind](metrics.Sample(target.values, score, target)))
        values, influence = zip(*found, strict=True)
        return float(np.mean(values)), np.mean(influence, axis=0)

    def function(frame: Any) -> Measured:
        form = FORMS[kind]
        true, said = _truths(frame, *truth), _truths(frame, *predicted)  # (labels, rows)
        counts = [np.ones_like(true), true, said, true * said]
        top, bottom = np.tensordot(form, counts, axes=1)  # (labels, rows) each
        if average != "macro":
            top, bottom = top.sum(axis=0, keepdims=True), bottom.sum(axis=0, keepdims=True)
        if average == "samples":
            nothing = np.full(top.shape, zero_division)
            [each] = np.divide(top, bottom, out=nothing, where=bottom > 0.0)
            return each.mean(), each - each.mean()
        for name, total in zip(truth, bottom.sum(axis=1), strict=False):
            if not total > 0.0:
                raise UndefinedMetricError(f"{kind} of label {name!r} is 0/0; leave the label out")
        count = len(top)
        return _of_means(
            np.vstack([top, bottom]), lambda sums: np.mean(sums[:count] / sums[count:])
        )

    columns = (*truth, *predicted)
    of_rows = average == "samples"
    how = of_scores if kind in OF_SCORES else function
    return Statistic(f"{kind} ({average})", columns, how, **_SHARE, mean=of_rows)


# Woodruff's (1952) interval of a quantile has this half-width in standard errors.
_NEAR = 2.0


def sensitivity_at_specificity(truth: str, score: str, *, specificity: float = 0.9) -> Statistic:
    r"""Return the share of positives above the threshold that gives negatives this specificity.

    Parameters
    ----------
    truth, score : str
        Columns with 1 and 0 for positive and negative, and with the score of the model.
    specificity : float, default 0.9
        Share of the negatives at or below the threshold, at least; the threshold is one of their scores.

    Returns
    -------
    Statistic
        With the ROC curve R, :math:`u = 1 -` specificity, and shares p and q of positives and negatives:
        :math:`I_i = (1[s_i > t] - R(u)) / p` of a positive, and
        :math:`-R'(u) (1[s_i > t] - u) / q` of a negative, by which the threshold moves (Pepe 2003, 5.2).
        R' is the slope over two standard errors of u to each side (Woodruff 1952).

    Examples
    --------
    >>> from errbar.statistics import sensitivity_at_specificity
    >>> rows = {"ill": [0, 0, 0, 0, 1, 1], "score": [1, 2, 3, 4, 3.5, 5]}
    >>> sensitivity_at_specificity("ill", "score", specificity=0.75)(rows)
    1.0
    """
    _check.level(specificity, "specificity")

    def function(frame: Any) -> Measured:
        [x], [ill] = _numbers(frame, score), _truths(frame, truth)
        positive = ill == 1.0
        negatives = x[~positive]
        if not 0 < negatives.size < x.size:
            raise UndefinedMetricError("all rows are of one class, so there is no specificity")

        def threshold(level: float) -> float:
            # Rounding must not ask for one negative more than the level does.
            return float(np.quantile(negatives, max(level - 1e-12, 0.0), method="inverted_cdf"))

        def curve(level: float) -> float:
            return float((x[positive] > threshold(level)).mean())

        value = curve(specificity)
        near = _NEAR * math.sqrt(specificity * (1.0 - specificity) / negatives.size)
        low, high = max(specificity - near, 0.0), min(specificity + near, 1.0)
        slope = (curve(low) - curve(high)) / (high - low)
        above = x > threshold(specificity)
        share = positive.mean()
        influence = np.where(
            positive,
            (above - value) / share,
            -slope * (above - above[~positive].mean()) / (1.0 - share),
        )
        return value, influence

    key = f"sensitivity at specificity {specificity:g}"
    return Statistic(key, (truth, score), function, **_SHARE)


# Forecasts: means of rows.


def _of_quantiles(
    key: str, truth: str, quantiles: Mapping[float, str], factor: float = 1.0
) -> Statistic:
    """Return a multiple of the mean pinball loss over rows and levels."""

    def values(frame: Any) -> FloatArray:
        y, *predicted = _numbers(frame, truth, *quantiles.values())
        above = y - np.array(predicted)  # (levels, rows)
        level = np.array([*quantiles])[:, None]
        return factor * np.maximum(level * above, (level - 1.0) * above).mean(axis=0)

    return _mean(key, (truth, *quantiles.values()), values, **_LOSS)


def pinball(truth: str, quantiles: Mapping[float, str]) -> Statistic:
    r"""Return the mean pinball loss of predicted quantiles.

    Parameters
    ----------
    truth : str
        Column with what came.
    quantiles : mapping of float to str
        Columns with the quantiles by their levels, such as ``{0.5: "q50", 0.9: "q90"}``.

    Returns
    -------
    Statistic
        The mean over rows and levels of :math:`\max(\tau (y - q), (\tau - 1)(y - q))`
        (Koenker & Bassett 1978).

    Examples
    --------
    >>> from errbar.statistics import pinball
    >>> round(pinball("y", {0.9: "q90"})({"y": [1.0, 4.0], "q90": [2.0, 3.0]}), 3)
    0.5
    """
    _check.require(len(quantiles) > 0, "must hold a level", quantiles, "quantiles")
    for level in quantiles:
        _check.level(level, "quantiles")
    levels = ", ".join(f"{level:g}" for level in quantiles)
    return _of_quantiles(f"pinball loss at {levels}", truth, quantiles)


def crps(truth: str, members: Sequence[str]) -> Statistic:
    r"""Return the mean continuous ranked probability score of an ensemble.

    Parameters
    ----------
    truth : str
        Column with what came.
    members : sequence of str
        Columns with the members of the ensemble, or draws of the predictive distribution.

    Returns
    -------
    Statistic
        The mean of :math:`\frac1M \sum_m |x_m - y| - \frac1{2M^2} \sum_{m,l} |x_m - x_l|` (Gneiting &
        Raftery 2007, equation 20).

    Examples
    --------
    >>> from errbar.statistics import crps
    >>> crps("y", ["x1", "x2"])({"y": [1.0, 0.0], "x1": [0.0, 1.0], "x2": [2.0, 3.0]})
    1.0
    """

    def values(frame: Any) -> FloatArray:
        y, *ensemble = _numbers(frame, truth, *members)
        x = np.array(ensemble)  # (M, rows)
        return np.abs(x - y).mean(axis=0) - metrics.distances(x) / len(x) ** 2

    return _mean("CRPS", (truth, *members), values, **_LOSS)


def weighted_interval_score(truth: str, quantiles: Mapping[float, str]) -> Statistic:
    r"""Return the mean weighted interval score of predicted quantiles.

    Parameters
    ----------
    truth : str
        Column with what came.
    quantiles : mapping of float to str
        Columns with the quantiles by their levels, such as ``{0.1: "q10", 0.5: "q50", 0.9: "q90"}``:
        the ends of central intervals, mostly with the median.

    Returns
    -------
    Statistic
        The mean over rows and levels of twice the pinball loss, which is
        :math:`\frac{1}{K + 1/2} (\frac12 |y - m| + \sum_k \frac{\alpha_k}{2} IS_{\alpha_k})` for K
        intervals and the median m (Bracher et al. 2021, equation 3).

    Examples
    --------
    >>> from errbar.statistics import weighted_interval_score
    >>> rows = {"y": [3.0, 9.0], "low": [2.0, 2.0], "mid": [4.0, 4.0], "high": [7.0, 7.0]}
    >>> round(weighted_interval_score("y", {0.1: "low", 0.5: "mid", 0.9: "high"})(rows), 4)
    2.0
    """
    levels = sorted(quantiles)
    mirrored = np.allclose(np.add(levels, levels[::-1]), 1.0) and levels[0] > 0.0
    must = "must have a level of 1 - p for each level p, between 0 and 1"
    _check.require(mirrored, must, levels, "quantiles")

    return _of_quantiles("weighted interval score", truth, quantiles, 2.0)


# Rankings, translations and detections.


def ranking(
    grades: str, judged: str | None = None, *, kind: str = "ndcg", at: int | None = None
) -> Statistic:
    r"""Return the mean over queries of nDCG, average precision (MAP) or reciprocal rank (MRR).

    Parameters
    ----------
    grades : str
        Column with a list for each query: the relevance of what was found, in the order of the ranking;
        0 for what is not relevant.
    judged : str, optional
        Column with a list for each query: the relevance of all that is known, found or not. By default
        all that is relevant was found.
    kind : {"ndcg", "ap", "rr"}, default "ndcg"
    at : int, optional
        Length at which rankings are cut.

    Returns
    -------
    Statistic
        The mean of :math:`DCG / DCG^*` with :math:`DCG = \sum_r g_r / \log_2(r + 1)` and that of the best
        order; of precision at each relevant one, summed and divided by the number of all relevant ones; or
        of one over the rank of the first. It is 0 for a query with nothing relevant, as in trec_eval.

    Examples
    --------
    >>> from errbar.statistics import ranking
    >>> found = {"grades": [[0, 2, 1], [1, 0, 0]]}
    >>> round(ranking("grades")(found), 4), ranking("grades", kind="rr")(found)
    (0.8348, 0.75)
    """
    _check.choice(kind, ("ndcg", "ap", "rr"), "kind")
    if at is not None:
        _check.count(at, "at")

    def discounted(gains: FloatArray) -> float:
        return float(gains @ (1.0 / np.log2(np.arange(2, gains.size + 2))))

    def of_query(found: Any, known: Any) -> float:
        gains = np.asarray(found, dtype=np.float64).clip(0.0)[:at]
        best = np.sort(np.asarray(known, dtype=np.float64).clip(0.0))[::-1]
        if not best.any():
            return 0.0
        if kind == "ndcg":
            return discounted(gains) / discounted(best[:at])
        relevant = gains > 0.0
        precision = (np.cumsum(relevant) / np.arange(1, gains.size + 1))[relevant]
        # At the first relevant one, precision is one over its rank.
        return float(precision[:1].sum() if kind == "rr" else precision.sum() / (best > 0.0).sum())

    def values(frame: Any) -> FloatArray:
        both = zip(frame[grades], frame[judged or grades], strict=True)
        return np.array([of_query(*query) for query in both])

    names = {"ndcg": "nDCG", "ap": "MAP", "rr": "MRR"}
    key = names[kind] + (f"@{at}" if at else "")
    columns = (grades,) if judged is None else (grades, judged)
    return _mean(key, columns, values, **_SHARE)


def bleu(order: int = 4, *, prefix: str = "") -> Statistic:
    r"""Return the BLEU score of a corpus from the counts of each sentence, between 0 and 100.

    Parameters
    ----------
    order : int, default 4
        Longest n-grams.
    prefix : str, default ""
        What the names of the columns begin with: ``sys_len`` and ``ref_len``, lengths of translation and
        reference; ``correct_1``, ``total_1`` and so on, n-grams that match, and all. They are the
        ``sys_len``, ``ref_len``, ``counts`` and ``totals`` of sacrebleu's ``sentence_score``.

    Returns
    -------
    Statistic
        :math:`100 \exp(\frac1N \sum_k \log(c_k/t_k) + \min(0, 1 - r/s))` with the sums c, t, r, s over
        sentences (Papineni et al. 2002). Without any match of the longest n-grams it is refused.

    Examples
    --------
    >>> from errbar.statistics import bleu
    >>> rows = {"sys_len": [4, 5], "ref_len": [4, 5], "correct_1": [3, 4], "total_1": [4, 5]}
    >>> round(bleu(1)(rows), 2)
    77.78
    """
    orders = range(1, _check.count(order, "order") + 1)
    names = [
        "sys_len",
        "ref_len",
        *(f"correct_{k}" for k in orders),
        *(f"total_{k}" for k in orders),
    ]
    columns = [prefix + name for name in names]

    def score(sums: Any) -> Any:
        (said, wanted), (right, total) = sums[:2], sums[2:].reshape(2, order)
        shorter = 1.0 - wanted / said if wanted.real > said.real else 0.0
        return 100.0 * np.exp(np.log(right / total).mean() + shorter)

    def function(frame: Any) -> Measured:
        counts = _numbers(frame, *columns, least=0.0)
        if not counts[2 : 2 + order].sum(axis=1).all():
            raise UndefinedMetricError(f"no n-gram of length {order} matches, so BLEU is 0")
        return _of_means(counts, score)

    return Statistic("BLEU", (*columns,), function, **_PERCENT)


def chrf(order: int = 6, *, beta: float = 2.0, prefix: str = "") -> Statistic:
    r"""Return the chrF score of a corpus from the counts of each sentence, between 0 and 100.

    Parameters
    ----------
    order : int, default 6
        How many kinds of n-grams are counted: characters, and of chrF++ (8) also words.
    beta : float, default 2.0
        Weight of recall.
    prefix : str, default ""
        What the names of the columns begin with: ``hyp_1``, ``ref_1``, ``match_1`` and so on, n-grams in
        the translation, in the reference, and in both, in this order in the statistics of sacrebleu.

    Returns
    -------
    Statistic
        :math:`100 (1 + \beta^2) P R / (\beta^2 P + R)`, with means over k of precision and recall (Popovic
        2015); n-grams that one side lacks altogether do not count.

    Examples
    --------
    >>> from errbar.statistics import chrf
    >>> round(chrf(1)({"hyp_1": [8, 9], "ref_1": [9, 9], "match_1": [7, 8]}), 2)
    84.27
    """
    orders = range(1, _check.count(order, "order") + 1)
    columns = [f"{prefix}{name}_{k}" for k in orders for name in ("hyp", "ref", "match")]
    weight = _check.positive(beta, "beta") ** 2

    def score(sums: Any) -> Any:
        said, true, both = sums.reshape(-1, 3).T
        precision, recall = (both / said).mean(), (both / true).mean()
        return 100.0 * (1.0 + weight) * precision * recall / (weight * precision + recall)

    def function(frame: Any) -> Measured:
        counts = _numbers(frame, *columns, least=0.0).reshape(order, 3, -1)
        there = counts[counts[:, :2].sum(axis=2).all(axis=1)]
        if not there[:, 2].any():
            raise UndefinedMetricError("nothing matches, so chrF is 0")
        return _of_means(there.reshape(-1, counts.shape[2]), score)

    return Statistic("chrF", (*columns,), function, **_PERCENT)


def by_image(
    detections: Any,
    truths: Any,
    *,
    image: str = "image_id",
    score: str = "score",
    hit: str = "hit",
    category: str | None = None,
    images: Sequence[Any] | None = None,
) -> Any:
    """Return a frame with a row for each image, for `average_precision`; needs pandas.

    Parameters
    ----------
    detections : frame
        A row for each detection of a learner: its image, its score, and whether it was matched to a true
        object (1 or 0), at one threshold of overlap, as by pycocotools.
    truths : frame
        A row for each true object: its image.
    image, score, hit : str
        Names of the columns.
    category : str, optional
        Column of both frames with the category.
    images : sequence, optional
        All images in order, those without an object among them; by default those of the truths, sorted.

    Returns
    -------
    DataFrame
        Columns ``image``, and lists ``scores``, ``hits``, ``kinds`` and ``truths``: the categories of
        detections and of true objects.

    Examples
    --------
    >>> from errbar.statistics import average_precision, by_image
    >>> found = {"image_id": [1, 1, 2], "score": [0.9, 0.4, 0.8], "hit": [1, 0, 1]}
    >>> rows = by_image(found, {"image_id": [1, 2, 2]})
    >>> round(average_precision()(rows), 4)
    0.6634
    """
    pandas = _check.package("pandas", "app")
    found, true = pandas.DataFrame(detections), pandas.DataFrame(truths)
    [scores], [hits] = _numbers(found, score), _truths(found, hit)
    kinds = [0 if category is None else table[category] for table in (found, true)]
    found = pandas.DataFrame(
        {image: found[image], "scores": scores, "hits": hits, "kinds": kinds[0]}
    )
    true = pandas.DataFrame({image: true[image], "truths": kinds[1]})
    every = pandas.Index(np.unique(true[image]) if images is None else images, name="image")
    strange = found.loc[~found[image].isin(every), image].head(1).tolist()
    must = "must name the image of every detection"
    _check.require(not strange, must, strange, "images")

    lists = (table.groupby(image).agg(list).reindex(every) for table in (found, true))
    frame = pandas.concat(lists, axis="columns")
    return frame.map(lambda cell: cell if isinstance(cell, list) else []).reset_index()


def average_precision(*, key: str = "mAP") -> Statistic:
    r"""Return the mean over categories of the average precision of detections, at 101 recalls as in COCO.

    Parameters
    ----------
    key : str, default "mAP"
        Name in reports, such as ``"mAP50"``.

    Returns
    -------
    Statistic
        For the frames of `by_image`: of each category the mean, over the recalls 0, 0.01, ... 1, of the
        largest precision at that recall or a higher one. Each image is left out and taken twice:
        :math:`I_i = n (\theta_{+i} - \theta_{-i}) / 2`.

    Examples
    --------
    See `by_image`.
    """

    def function(frame: Any) -> Measured:
        rows, size = frame.reset_index(drop=True), len(frame)
        found = rows[detected].explode(detected).dropna(how="all")
        if len(found):
            _numbers(found, "scores", "hits")  # none may be missing
        # Equal scores stay in their order, as in pycocotools.
        found = found.sort_values("scores", ascending=False, kind="stable")
        truths = rows["truths"].explode().dropna()
        if not len(truths):
            raise UndefinedMetricError("no image has a true object, so there is no precision")
        total, influence = 0.0, np.zeros(size)
        categories = truths.groupby(truths)
        for kind, own in categories:
            objects = np.bincount(own.index, minlength=size)
            value, each = _of_category(found[found["kinds"] == kind]["hits"], objects)
            total += value
            influence += each
        value, influence = total / categories.ngroups, influence / categories.ngroups
        return value, influence - influence.mean()

    detected = ["scores", "hits", "kinds"]
    return Statistic(key, (*detected, "truths"), function, **_SHARE)


_RECALLS = np.linspace(0.0, 1.0, 101)


def _of_category(hits: Any, objects: IntArray) -> Measured:
    """Return the average precision of detections in their order, and influence values of images."""
    image, right = hits.index.to_numpy(), hits.to_numpy(dtype=np.float64)
    ones = np.ones(objects.size)

    def area(weights: FloatArray) -> float:
        found, total = weights[image], weights @ objects
        if not total > 0.0:
            return 0.0
        hit, every = np.cumsum(found * right), np.cumsum(found)
        precision = hit / np.maximum(every, 1.0)
        envelope = np.maximum.accumulate(precision[::-1])[::-1]
        place = np.searchsorted(hit / total, _RECALLS)
        return float(np.append(envelope, 0.0)[place].mean())

    influence = np.zeros(objects.size)
    images = np.union1d(image, np.flatnonzero(objects))
    up, down = (moved(area, ones, images, by) for by in (1.0, -1.0))
    influence[images] = objects.size * (up - down) / 2.0
    return area(ones), influence

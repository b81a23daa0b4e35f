"""Methods for models judged on one test set: the mean of their losses, by one judge or two, and areas under the ROC curve."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.random import Generator

from errbar import _check, _rng
from errbar._check import FloatArray, IntArray
from errbar.errors import InvalidInputError
from errbar.losses import Losses
from errbar.methods._core.inputs import RankScores
from errbar.methods._core.registry import method
from errbar.methods._core.resample import (
    acceleration,
    arranged_values,
    bootstrap_means,
    flip_means,
    resampled,
)
from errbar.methods.distributions import (
    DEGENERATE,
    Answer,
    Bootstrapped,
    Limits,
    Pivot,
    mean,
    variance,
)
from errbar.methods.variance import ONE_TRAINING_SET, law_of_metric, skewed
from errbar.metrics._functions import placements
from errbar.result import Note, Notes


@method("holdout-t")
def holdout_t(losses: Losses) -> Answer:
    r"""Student's t on the test losses of a single split.

    :Claim: The mean loss, on new examples, of the one model (or the difference of the two models)
        that was trained.
    :Formula: ``SE = sd(losses) / sqrt(n2), t with n2 - 1 degrees of freedom``
    :Assumption: Test examples are independent of each other and of the training set.
    :Assumption: The mean of the test losses is close to normal.

    It takes no account of what another training set would have given, so as a statement about the
    learning algorithm it is liberal (called "t-test (McNemar)" in Table 1 of [1]_).

    Parameters
    ----------
    losses : Losses
        One loss (or difference) per test example of one split.

    See Also
    --------
    cv_wald, corrected_t

    Notes
    -----
    With L(i) the n2 losses, :math:`SE = \sqrt{\frac{1}{n_2(n_2-1)} \sum_i (L(i) - \bar L)^2}` and
    :math:`(\bar L - \mu_0)/SE` is referred to t with n2 - 1 degrees of freedom.

    For a metric that is not a mean of losses, L(i) is the metric plus the influence value of
    example i, and t has :math:`2 n_2/(\kappa - 1)` degrees of freedom if these are fewer, with the
    kurtosis :math:`\kappa` of the influence values (not for shares such as a recall). Where these
    are fewer than 15, a difference of metrics of labels, such as F1, has the squared error
    :math:`SE^2 + (\max_i |I_i| / n_2)^2`, with the largest influence value on either of the two:
    one more example could change it ([2]_ do so for paired shares).

    Examples
    --------
    >>> import errbar
    >>> result = errbar.methods.holdout_t(errbar.Losses([0.1, 0.4, 0, 0.9, 0.3, 0.2, 0.7, 0.4]))
    >>> round(result.estimate, 3), round(result.se, 4), result.df
    (0.375, 0.1065, 7)
    """
    n, estimate = losses.value.size, mean(losses.value)
    se = math.sqrt(variance(losses.value) / n)
    answer = Answer(estimate, se, notes=(ONE_TRAINING_SET,))
    return law_of_metric(answer, losses, losses.value - estimate, n - 1)


@method("permutation")
def permutation(losses: Losses, *, resamples: int = 9_999, random_state: int = 0) -> Answer:
    r"""Paired permutation test: flip the signs of the differences on one test set.

    :Claim: The mean difference of the losses, on new examples, of the two models that were trained.
    :Formula: ``p = (1 + number of sign flips at least as extreme) / (1 + number of flips)``
    :Assumption: The test examples are independent draws from the population, and were not used in
        training.
    :Assumption: Under the null hypothesis the two models are exchangeable on every example, up to
        the null as a constant.

    If two models are exchangeable on every example, flipping the sign of an example's difference
    gives a mean that was as likely as the observed one. The p-value is the share of flips with a
    mean at least as extreme ([1]_, section 21): it assumes no distribution of the losses, and is
    exact with all 2^n flips, for up to 14 examples. The interval holds the nulls that the same
    flips do not reject; with few examples it may be unbounded, which a note says. The statistic
    (estimate - null)/SE plays no part in the p-value.

    Parameters
    ----------
    losses : Losses
        Loss of one model minus loss of the other, for each test example of one split.
    resamples : int, default 9999
        Number of random sign flips where there are more than 14 examples.
    random_state : int, default 0

    See Also
    --------
    holdout_t, mcnemar, bootstrap

    Notes
    -----
    With d_i the n differences, a null mu and the signs of those in a set S flipped, the mean of the
    flipped d_i - mu is at least the observed one exactly if the mean of the d_i in S is at most mu,
    or S is empty. So with B random sets ([2]_)

    .. math:: p_{greater} = \frac{1 + \#\{S: \bar d_S \le \mu\}}{1 + B}, \qquad
              p_{less} = \frac{1 + \#\{S: \bar d_S \ge \mu\}}{1 + B},

    empty sets counting on both sides, and :math:`\min(1, 2\min(p_{less}, p_{greater}))` two-sided.
    Counting the observed differences as one more flip keeps the level with random flips, too
    ([3]_). The ends of the interval are sorted means :math:`\bar d_S`.

    For a metric that is not a mean of losses, the differences are of the metrics plus influence
    values. Flipping these is no exchange of the learners; the test is right for large n only.

    Examples
    --------
    >>> import errbar
    >>> result = errbar.methods.permutation(errbar.Losses([0.2, -0.1, 0.4, 0.3, 0.1, 0.5, 0.2, 0.6]))
    >>> result.pvalue, round(result.low, 3), round(result.high, 3)
    (0.0234375, 0.067, 0.467)
    """
    d = losses.value
    se = math.sqrt(variance(d) / d.size)
    return Answer(
        mean(d),
        se,
        law=flip_means(d, resamples, _rng.stream(_rng.root(random_state), "permutation")),
        notes=(ONE_TRAINING_SET,) if se > 0.0 else (ONE_TRAINING_SET, DEGENERATE),
        remarks=lambda asked, interval: asked.if_unbounded(interval, d.size, "examples"),
    )


# Values of resamples that a statistic is given at once.
_VALUES = 2**20


@method("bootstrap")
def bootstrap(
    losses: Losses,
    *,
    kind: str = "percentile",
    statistic: str | Callable[..., Any] = "mean",
    resamples: int = 10_000,
    bias_corrected: bool = False,
    random_state: int = 0,
) -> Answer:
    r"""Bootstrap of a statistic of the losses on one test set.

    :Claim: The mean loss (or another statistic of the losses), on new examples, of the model or
        models that were trained.
    :Formula: ``SE = sd of the statistic over resamples of the losses; percentile, basic, BCa or
        normal interval``
    :Assumption: The test examples are independent draws from the population, and were not used in
        training.
    :Assumption: The statistic's distribution over resamples of the examples resembles that over
        samples of the population.

    The spread of a statistic over resamples of the n losses stands for its spread over test sets
    ([1]_). The model is not trained again. Only the kind "normal" refers the statistic (estimate -
    null)/SE to its law. A note gives the bias where it exceeds a quarter of the standard error.

    Parameters
    ----------
    losses : Losses
        One loss (or difference) per test example of one split.
    kind : {"percentile", "basic", "bca", "normal"}, default "percentile"
        Kind of interval and test. "bca" corrects for bias and skewness; a statistic of your own it
        computes n times more.
    statistic : "mean" or callable, default "mean"
        ``statistic(values)`` returns one finite number, such as `numpy.median`; one that takes
        `axis` is called with many resamples at once. It should grow when the losses do. Of two
        learners it is that of the first minus that of the second; of losses that are differences,
        that of those.
    resamples : int, default 10000
        Number B of resamples: 200 serve for standard errors, 1000 or more for intervals.
    bias_corrected : bool, default False
        Subtract the bias from the estimate; other intervals than the normal do not depend on it.
    random_state : int, default 0

    See Also
    --------
    holdout_t, bootstrap_auc, permutation, oob_bootstrap

    Notes
    -----
    With :math:`\theta^*_b` the statistic of resample b, :math:`SE^2 = \frac{1}{B-1} \sum_b
    (\theta^*_b - \bar\theta^*)^2`, :math:`bias = \bar\theta^* - \hat\theta`, and the corrected
    estimate is :math:`2 \hat\theta - \bar\theta^*` ([1]_, chapters 6 and 10). The percentile
    interval lies between sorted :math:`\theta^*_b` ([1]_, section 13.3): with B = 999 and level 0.9
    the values 50 and 950. The basic one is that reflected about the estimate, :math:`2\hat\theta -
    \theta^*` ([2]_, eq. 5.6), BCa moves the levels ([1]_, section 14.3), and the normal one is
    :math:`\hat\theta \pm z\, SE`. A null is rejected exactly if it lies outside, with p-values such
    as :math:`(1 + \#\{\theta^*_b \le \mu_0\})/(1 + B)` against "greater", and twice the smaller of
    both two-sided. For a metric that is not a mean of losses, its linear part is resampled: the
    metric plus influence values.

    Examples
    --------
    >>> import errbar
    >>> losses = errbar.Losses([0.1, 0.4, 0, 0.9, 0.3, 0.2, 0.7, 0.4])
    >>> result = errbar.methods.bootstrap(losses, kind="bca")
    >>> round(result.estimate, 3), round(result.se, 2)
    (0.375, 0.1)
    """
    rng = _rng.stream(_rng.root(random_state), "bootstrap")
    d, n = losses.value, losses.value.size
    own = not isinstance(statistic, str)
    known = losses.is_mean and callable(statistic) if own else statistic == "mean"
    must = "must be 'mean' or, of losses but not of a metric, a function such as numpy.median"
    _check.require(known, must, statistic, "statistic")
    # The statistic of a difference is not a difference of statistics, so examples are drawn and both follow.
    sides = [one.value for one in losses.pair] if losses.pair else [arranged_values(d)]

    def theta(positions: Callable[[IntArray], IntArray], count: int) -> Any:
        """Return the statistic of so many samples, of which a bounded number of values is held at a time."""
        blocks = np.array_split(np.arange(count), math.ceil(count / max(1, _VALUES // n)))
        drawn = map(positions, blocks)
        found = [[_rowwise(statistic, side[rows]) for side in sides] for rows in drawn]
        return np.subtract.reduce(np.concatenate(found, axis=1))

    def draw(count: int) -> Bootstrapped:
        if not own:
            return Bootstrapped(mean(d), bootstrap_means(d, count, rng))
        [estimate] = theta(lambda _: np.arange(n)[np.newaxis], 1)
        drawn = theta(lambda rows: rng.integers(0, n, (rows.size, n)), count)
        return Bootstrapped(float(estimate), drawn)

    def influence() -> FloatArray:
        others = np.arange(n - 1)
        return -theta(lambda rows: others + (others >= rows[:, np.newaxis]), n) if own else d

    return resampled(
        draw,
        lambda: acceleration(influence()),
        kind=kind,
        resamples=resamples,
        bias_corrected=bias_corrected,
    )


def _rowwise(statistic: Any, samples: FloatArray) -> Any:
    try:
        try:
            found = np.asarray(statistic(samples, axis=-1))
        except TypeError:  # it knows no axis
            found = np.array([statistic(sample) for sample in samples])
        numbers = found.astype(np.float64, casting="same_kind")
    except Exception as error:  # noqa: BLE001 - whatever it raises, the statistic is at fault
        raise InvalidInputError(
            f"fails on a sample of the losses: {type(error).__name__}: {error}",
            argument="statistic",
        ) from None
    whole = numbers.shape == (len(samples),) and np.isfinite(numbers).all()
    must = f"must give one finite number for each of {len(samples)} samples"
    _check.require(whole, must, numbers, "statistic")
    return numbers


# Counts of examples that are worked on at once.
_BLOCK = 2**16


@method("delong")
def delong(scores: RankScores) -> Answer:
    r"""DeLong's interval and test for areas under the ROC curve.

    :Claim: The area under the ROC curve, on new examples, of the one model (or the difference of
        the two) that was trained.
    :Formula: ``SE^2 = S10 / m + S01 / n, variances of the placements of m positive and n negative
        examples, standard normal``
    :Assumption: The test examples of each class are independent draws from that class.
    :Assumption: Both classes have enough examples for a normal approximation, some ten or more, and
        the classes overlap.

    The variance of the area, and the covariance of two on the same examples, follow from how each
    example is placed among those of the other class ([1]_). Higher is better, also in a difference,
    first minus second. An interval that is cut at an edge shows that the normal distribution is a
    poor guide. An area of 1 has standard error 0, and the interval of as many trials that all agree
    as the smaller class has examples.

    Parameters
    ----------
    scores : RankScores
        Scores of one model, or of two on the same test examples; at least two examples of each
        class.
    null : float, default 0.0
        Difference of areas under the null hypothesis; for a single model its area, where 0.5 is
        that of guessing.

    See Also
    --------
    mcnemar, corrected_t

    Notes
    -----
    With m positive scores x_i and n negative ones y_j, and :math:`\psi` 1 where x > y, 1/2 where
    they are equal and 0 otherwise, the placements are :math:`V_{10}(x_i) = \frac{1}{n}\sum_j
    \psi(x_i, y_j)` and :math:`V_{01}(y_j) = \frac{1}{m}\sum_i \psi(x_i, y_j)`; the mean of either
    is the area A. For models r and s

    .. math:: \widehat{Cov}(A_r, A_s) = \frac{S_{10}^{rs}}{m} + \frac{S_{01}^{rs}}{n}

    with the sample covariances S of the placements (divisors m - 1 and n - 1; [1]_, section 3). The
    area, or the difference, over its standard error is referred to the standard normal
    distribution. Placements come from ranks, in time of order (m + n) log(m + n) ([2]_).

    Examples
    --------
    >>> import errbar
    >>> truth = [0, 0, 0, 0, 1, 1, 1, 1]
    >>> scores = errbar.RankScores(truth, [0.1, 0.3, 0.2, 0.6, 0.5, 0.9, 0.4, 0.8], [0.4, 0.3, 0.6, 0.5, 0.2, 0.7, 0.9, 0.5])
    >>> result = errbar.methods.delong(scores)
    >>> result.estimate, round(result.se, 4), round(result.pvalue, 4)
    (0.21875, 0.2539, 0.3889)
    """
    above, below = _placements(scores)
    m, n = _two_of_each(above, below, "truth")
    limits = Limits(-1.0, 1.0)
    if scores.minus is None:
        limits = Limits(0.0, 1.0, trials=lambda: float(min(m, n)))
    return Answer(mean(above), math.sqrt(variance(above) / m + variance(below) / n), limits=limits)


def _placements(scores: RankScores) -> tuple[FloatArray, FloatArray]:
    """Return V10 of the positive examples and V01 of the negative ones, those of the second model subtracted."""
    above, below = placements(scores.truth, scores.value)
    if scores.minus is None:
        return above, below
    # Models that agree everywhere differ by 0 with error 0, exactly.
    second = placements(scores.truth, scores.minus)
    return above - second[0], below - second[1]


def _two_of_each(above: FloatArray, below: FloatArray, argument: str) -> tuple[int, int]:
    m, n = above.size, below.size
    must = "needs at least two examples of either class, positive and negative"
    _check.require(min(m, n) > 1, must, [m, n], argument)
    return m, n


@method("bootstrap-auc")
def bootstrap_auc(
    scores: RankScores,
    *,
    kind: str = "percentile",
    resamples: int = 10_000,
    bias_corrected: bool = False,
    random_state: int = 0,
) -> Answer:
    r"""Bootstrap of the area under the ROC curve on one test set.

    :Claim: The area under the ROC curve, on new examples, of the one model (or the difference of
        the two) that was trained.
    :Formula: ``SE = sd of the area over resamples of the examples; percentile, basic, BCa or normal
        interval``
    :Assumption: The test examples are independent draws from the population, and were not used in
        training.
    :Assumption: Each class has enough examples for resamples to show how the area varies.

    The examples are drawn with their class and scores, so two models meet the same resamples
    ([1]_). A resample with a single class is drawn again. Higher is better, also in a difference,
    first minus second.

    Parameters
    ----------
    scores : RankScores
        Scores of one model, or of two on the same test examples; for "bca" at least two of each
        class.
    null : float, default 0.0
        Difference of areas under the null hypothesis; for a single model its area, where 0.5 is
        that of guessing.
    kind : {"percentile", "basic", "bca", "normal"}, default "percentile"
        Kind of interval and test; see `bootstrap`.
    resamples : int, default 10000
    bias_corrected : bool, default False
        Subtract the bias from the estimate; other intervals than the normal do not depend on it.
    random_state : int, default 0

    See Also
    --------
    delong, bootstrap, corrected_t

    Notes
    -----
    With :math:`\theta^*_b` the area of resample b, standard error, bias, intervals and p-values are
    those of `bootstrap` ([1]_; [2]_, section 5.3). The acceleration of BCa comes from leaving out
    one example after the other: without positive example i of m the area A is :math:`(m A -
    V_{10}(i))/(m - 1)`, with :math:`V_{10}(i)` the share of negative examples that it scores above,
    ties by half; likewise for negative ones.

    Examples
    --------
    >>> import errbar
    >>> truth = [0, 0, 0, 0, 1, 1, 1, 1]
    >>> scores = errbar.RankScores(truth, [0.1, 0.3, 0.2, 0.6, 0.5, 0.9, 0.4, 0.8])
    >>> result = errbar.methods.bootstrap_auc(scores, null=0.5)
    >>> result.estimate, round(result.se, 2)
    (0.875, 0.15)
    """
    rng = _rng.stream(_rng.root(random_state), "bootstrap-auc")
    above, below = _placements(scores)

    def jackknifed() -> FloatArray:
        m, n = _two_of_each(above, below, "kind")
        area = mean(above)
        return np.concatenate([(m * area - above) / (m - 1), (n * area - below) / (n - 1)])

    answer = resampled(
        lambda count: Bootstrapped(mean(above), resampled_areas(scores, count, rng)),
        lambda: acceleration(-jackknifed()),
        kind=kind,
        resamples=resamples,
        bias_corrected=bias_corrected,
    )
    answer.limits = Limits(0.0, 1.0) if scores.minus is None else Limits(-1.0, 1.0)
    return answer


def resampled_areas(scores: RankScores, resamples: int, rng: Generator) -> FloatArray:
    """Return areas, or differences, on resamples with both classes; a resample counts each example."""
    truth, sign, columns = scores.truth, 1.0, [scores.value]
    if scores.minus is not None:
        columns.append(scores.minus)
        first, second = (mean(placements(truth, column)[0]) for column in columns)
        # The better model comes first, whichever is subtracted.
        if first < second:
            sign, columns = -1.0, columns[::-1]
    order = np.lexsort((*columns[::-1], truth))
    positive = truth[order]
    areas_of = [_areas_of(positive, column[order]) for column in columns]
    n = truth.size
    rows = min(resamples, max(1, _BLOCK // n))
    found = np.empty(0)
    while found.size < resamples:
        drawn = rng.integers(0, n, (rows, n)) + np.arange(0, rows * n, n)[:, None]
        counts = np.bincount(drawn.ravel(), minlength=rows * n).reshape(rows, n)
        positives = counts[:, positive].sum(axis=1)
        counts = counts[(positives > 0) & (positives < n)]
        found = np.append(found, np.subtract.reduce([of(counts) for of in areas_of]))
    return sign * found[:resamples]


def _areas_of(positive: Any, score: FloatArray) -> Callable[[IntArray], Any]:
    """Return areas as a function of how often each example counts, a row for each area."""
    negatives, positives = np.flatnonzero(~positive), np.flatnonzero(positive)
    negatives = negatives[np.argsort(score[negatives], kind="stable")]
    # How many negative examples score below each positive one, and how many at most as high.
    below = score[negatives].searchsorted(score[positives], side="left")
    upto = score[negatives].searchsorted(score[positives], side="right")
    untied = bool((below == upto).all())

    def areas(counts: IntArray) -> Any:
        weights = counts[:, positives]
        passed = np.zeros((len(counts), negatives.size + 1), dtype=np.int64)
        np.cumsum(counts[:, negatives], axis=1, out=passed[:, 1:])
        # Whole numbers up to here: twice the pairs in the right order.
        twice = np.einsum("ij,ij->i", weights, passed[:, below])
        twice += twice if untied else np.einsum("ij,ij->i", weights, passed[:, upto])
        return twice / (2 * passed[:, -1] * np.add.reduce(weights, axis=1))

    return areas


_JUDGES = Note(
    "not-verified",
    what="that people have judged a random part of the examples",
    by="drawing them at random",
)


_FEWEST_PEOPLE, _FEWEST_RARE = 40, 5


@method("ppi")
def ppi(losses: Losses, *, weight: float | None = None) -> Answer:
    r"""Mean loss by people's judgement, made more precise by a judge that has seen more examples.

    :Claim: The mean loss that people would give to examples like these, of the models that were
        trained.
    :Formula: ``mean(Y) + w (mean f_U - mean f_L), SE^2 = w^2 var(f_U)/N + var(Y - w f)/n, standard
        normal``
    :Assumption: The examples that people have judged are a random part of all.
    :Assumption: Examples are independent, and there are some dozens that people have judged.

    The mean of people's losses is moved by what a cheap and biased judge finds on the other
    examples, less what it finds on theirs. A bad judge makes the interval no shorter, and no less
    valid. A difference has a weight of its own, so it need not be the difference of the two
    estimates.

    Parameters
    ----------
    losses : Losses
        Losses by people and by the judge (or differences of two learners).
    weight : float, optional
        Weight w of the judge, from 0 (people alone) to 1; by default that with the smallest
        standard error.

    See Also
    --------
    holdout_t, errbar.from_judged

    Notes
    -----
    With people's losses Y and the judge's f on the same n examples, and the judge's u on N others,
    :math:`\hat\theta = \bar Y + w(\bar u - \bar f)`, :math:`SE^2 = w^2 \mathrm{var}(u)/N +
    \mathrm{var}(Y - w f)/n`, and the best weight is :math:`w = \mathrm{cov}(Y, f)/((1 +
    n/N)\,\mathrm{var}(f))`, cut at 0 and 1 ([1]_). Variances and the covariance are sums over n, or
    N; var(f) in the weight is that of all judged examples, over n + N - 1. The interval near the
    least or largest loss is as for `cluster_t`, by the normal distribution.

    Examples
    --------
    >>> import errbar
    >>> people, judge = [1, 0, 1, 1, 0, 1, 1, 0, 1, 1], [1, 0, 1, 0, 0, 1, 1, 1, 1, 1]
    >>> others = [1, 1, 0, 1, 1, 0, 1, 1, 1, 0, 1, 1, 1, 0, 1, 1, 1, 1, 0, 1]
    >>> index = {"judge": [0] * 10 + [1] * 30, "example": [*range(10), *range(30)]}
    >>> result = errbar.methods.ppi(errbar.Losses(people + judge + others, **index))
    >>> round(result.estimate, 4), round(result.se, 4)
    (0.7181, 0.1304)
    """
    y, f, u = _judged(losses)
    n, more = y.size, u.size
    w = weight
    if w is None:
        pooled = variance(np.concatenate([f, u]))
        together = float((y - mean(y)) @ (f - mean(f))) / n
        best = together / ((1.0 + n / more) * pooled) if pooled else 0.0
        w = min(1.0, max(0.0, best))
    notes = (_JUDGES, *_few(y, "examples judged by people"))
    return Answer(
        mean(y) + w * (mean(u) - mean(f)),
        math.sqrt(w * w * variance(u, more) / more + variance(y - w * f, n) / n),
        n_splits=1,
        notes=notes,
        remarks=skewed(y, "losses by people"),
    )


def _few(y: FloatArray, what: str) -> Notes:
    """Return a note where few examples, or few that are unlike most, carry the standard error."""
    rare = y.size - int(np.unique(y, return_counts=True)[1].max())
    if y.size < _FEWEST_PEOPLE:
        return (Note("few", count=y.size, what=what),)
    if rare < _FEWEST_RARE:
        return (Note("few", count=rare, what=f"{what} unlike most"),)
    return ()


def _judged(losses: Losses) -> Any:
    """Return losses Y by people, those f of the same examples by the judge, and those u of others by the judge."""
    judge = losses.index.label("judge")
    known = not losses.is_blank and set(np.unique(judge).tolist()) == {0, 1}
    must = "must tell answers from what predicts them, 0 and 1; errbar.from_judged and errbar.from_known make such tables"
    _check.require(known, must, np.unique(judge).tolist(), "judge")
    value, example = losses.value, losses.example
    by_judge = np.flatnonzero(judge == 1)
    by_judge = by_judge[np.argsort(example[by_judge], kind="stable")]
    place = np.searchsorted(example[by_judge], example[judge == 0])
    return value[judge == 0], value[by_judge[place]], value[np.sort(np.delete(by_judge, place))]


_ASKED = Note(
    "not-verified",
    what="that the questions asked are a random part of the board",
    by="drawing them at random",
)
_BOARD = Note("fixed", what="questions of the board")
_NO_GAIN = Note(
    "as-defined",
    quantity="gain from the board",
    what="next to none for the difference of two new models",
)


@method("known")
def known(losses: Losses) -> Answer:
    r"""Mean over a board of which a new model has answered a part, by what known models answered.

    :Claim: The mean loss over the questions of this very board, or its difference to a known model.
    :Formula: ``mean(Y) + (1 - m/N) (mean f_U - mean f_A), SE^2 = (1 - m/N) var(Y - f)/m, t with m -
        1 degrees of freedom``
    :Assumption: The m questions that were asked are a random part of the N questions of the board.
    :Assumption: The mean of the m errors of prediction is close to normal.

    A board holds the answers of known models to all of its N questions. They predict what the new
    model would answer, and the standard error is that of the predictions' errors. So fewer
    questions are enough for an interval, and bad predictions make it no less valid. The board is
    finite: where all questions are asked, nothing is uncertain. The mean of a known model is exact,
    so its difference to a new one has the error of the new one alone. The difference of two new
    models gains nothing: what the board predicts is mostly how hard a question is, and that
    cancels.

    Parameters
    ----------
    losses : Losses
        Losses of the m answers, and predicted losses of all N questions, as `errbar.from_known`
        makes them (or differences of two models).

    See Also
    --------
    ppi, holdout_t, errbar.from_known, errbar.planning.plan_questions

    Notes
    -----
    With answers Y and predictions f on the m questions asked (A) and predictions on the N - m
    others (U), :math:`\hat\theta = \bar Y + (1 - m/N)(\bar f_U - \bar f_A)`. That is
    :math:`\bar Y + \bar f - \bar f_A`, with :math:`\bar f` over the board: the difference estimator of
    survey sampling ([3]_, chapter 6), and PPI++ with weight 1 - m/N ([1]_), for the finite board
    as in [2]_, where questions are also chosen one after the other. :math:`SE^2 = (1 - m/N)\,
    s^2/m`, with the variance :math:`s^2` of Y - f over m - 1. `errbar.from_known` predicts each
    question that was asked by a fit without it, so that these are errors of new questions.

    Examples
    --------
    >>> import errbar
    >>> answers, predicted = [1, 0, 1, 1, 0, 1, 1, 0], [0.9, 0.2, 0.7, 0.9, 0.3, 0.6, 0.9, 0.1]
    >>> others = [0.8, 0.9, 0.3, 0.9, 0.7, 0.2, 0.8, 0.9]
    >>> index = {"judge": [0] * 8 + [1] * 16, "example": [*range(8), *range(16)]}
    >>> result = errbar.methods.known(errbar.Losses(answers + predicted + others, **index))
    >>> round(result.estimate, 4), round(result.se, 4)
    (0.6813, 0.0598)
    """
    y, f, u = _judged(losses)
    m, others = y.size, u.size / (y.size + u.size)
    moved = others * (mean(u) - mean(f)) if others else 0.0
    answer = Answer(mean(y) + moved, math.sqrt(others * variance(y - f) / m), m - 1, n_splits=1)
    # A known model's predictions are its answers; those of a constant new one may be, too.
    exact = [np.ptp(one[0]) > 0.0 and np.array_equal(*one[:2]) for one in map(_judged, losses.each)]
    if all(exact) or not others:
        answer.law, answer.notes = Pivot(answer.estimate, 0.0, None), (_BOARD,)
        return answer
    new = (_NO_GAIN,) if losses.pair and not any(exact) else ()
    answer.notes = (_BOARD, _ASKED, *_few(y, "questions asked"), *new)
    answer.remarks = skewed(y - f, "errors of prediction")
    return answer

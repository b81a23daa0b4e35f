"""Methods for the scores of splits: corrected, Bayesian, by resampling, five times two-fold, and by halves of the data."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy import special

from errbar import _check, _rng
from errbar._check import FloatArray
from errbar.losses import Losses, difference
from errbar.methods._core.looks import over_looks
from errbar.methods._core.registry import method
from errbar.methods._core.resample import bootstrap_means
from errbar.methods.distributions import (
    DEGENERATE,
    ROUNDING,
    Answer,
    Asked,
    Bootstrapped,
    Ends,
    Tails,
    lower_tail,
    mean,
    percentile,
    standardised,
    variance,
)
from errbar.methods.variance import (
    Term,
    odds_of_correlation,
    require_layout,
    satterthwaite,
    t_of_scores,
    t_of_splits,
)
from errbar.plans import FiveByTwo
from errbar.result import Interval, Note, Notes

FEW_RUNS = 5
"""With fewer runs a variance is hardly known."""


@method("corrected-t")
def corrected_t(
    losses: Losses, *, correlation: float | None = None, looks: Sequence[int] | None = None
) -> Answer:
    r"""Corrected resampled t: split scores with their correlation accounted for.

    :Claim: The expected loss of the learning algorithm at training size n1, with the overlap of
        training sets accounted for.
    :Formula: ``SE^2 = S^2 (1/J + n2/n1), for stratified splits + B/n1, t with J - 1 degrees of
        freedom``
    :Assumption: Splits are drawn independently of each other, with the same sizes.
    :Assumption: The correlation of two split scores is n2/(n1 + n2), whatever learner and data.
    :Assumption: The mean of the split scores is close to normal.

    Scores of two splits are correlated because the training sets overlap. The correlation is taken
    to be n2/(n1 + n2), which depends on how much is shared and not on which examples ([1]_, section
    3.3). For r times K-fold cross-validation ([2]_) J = r K and n2/n1 = 1/(K - 1); there the
    correction is a heuristic.

    Parameters
    ----------
    losses : Losses
        One score (or difference of scores) per split, with the sizes of the splits.
    correlation : float, optional
        Correlation r of two split scores, in [0, 1), instead of n2/(n1 + n2); 0 is the resampled t.
    looks : sequence of int, optional
        Numbers of random splits at which it was planned, before the first fit, to look at the
        scores, such as ``(15, 30, 60, 100)``. Interval and p-value then hold over all looks
        together.

    Raises
    ------
    InvalidInputError
        Without sizes of the splits and `correlation`, or where the number of scores is no planned
        look.

    See Also
    --------
    look_alpha, resampled_t, kfold_t

    Notes
    -----
    With S^2 the variance of the J scores (divisor J - 1),

    .. math:: SE = S \sqrt{\frac{1}{J} + \frac{r}{1-r}}, \qquad r = \frac{n_2}{n_1+n_2}
              \;\Rightarrow\; SE = S \sqrt{\frac{1}{J} + \frac{n_2}{n_1}},

    and :math:`(\hat\mu - \mu_0)/SE` is referred to t with J - 1 degrees of freedom. Where sizes
    differ, n2/n1 is the mean of the ratios; the estimate is the unweighted mean of the scores.

    Stratified splits keep the shares p_c of the classes, which vary in the population. With I the
    loss minus its mean (or the influence value of a metric), :math:`B/n_1` is added to the
    variance, where :math:`B = \sum_c p_c \bar I_c^2` (`between_strata`). It needs one loss per
    example; with scores alone a note says what it can amount to.

    With looks, every look has a test at the level `look_alpha`, so that a true null is rejected at
    any of them with probability 1 - level at most. The interval is the one at that level (a
    repeated confidence interval, [3]_, chapter 9), and the p-value the smallest level of the whole
    procedure at which this look rejects.

    Examples
    --------
    >>> import errbar
    >>> differences = [0.02, 0.01, 0.03, -0.01, 0.02, 0.0, 0.04, 0.01, 0.02, 0.01]
    >>> result = errbar.methods.corrected_t(errbar.Losses(differences, n_train=90, n_test=10))
    >>> round(result.statistic, 4), round(result.pvalue, 4)
    (2.277, 0.0488)
    """
    odds = odds_of_correlation(losses, correlation)
    answer = t_of_splits(losses, odds)
    return answer if looks is None else over_looks(answer, losses, looks, odds)


@method("resampled-t")
def resampled_t(losses: Losses) -> Answer:
    r"""Student's t on the scores of J splits, as if they were independent.

    :Claim: What most people compute, and what corrected-t corrects. Kept for study and for the
        contrast in reports.
    :Formula: ``SE = S / sqrt(J), t with J - 1 degrees of freedom``
    :Assumption: Split scores are independent of each other, which splits of the same data are not.

    Liberal: training sets overlap, so the scores are correlated, and the more splits there are the
    more certain the test becomes of differences that are not there ([1]_, section 3.2; [2]_, Table
    1).

    Parameters
    ----------
    losses : Losses
        One score (or difference of scores) per split.

    See Also
    --------
    corrected_t

    Notes
    -----
    With S^2 the variance of the J scores (divisor J - 1), :math:`SE = S/\sqrt{J}` and
    :math:`(\hat\mu - \mu_0)/SE` is referred to t with J - 1 degrees of freedom.

    Examples
    --------
    >>> import errbar
    >>> losses = errbar.Losses([0.02, 0.01, 0.03, -0.01, 0.02, 0.0, 0.04, 0.01, 0.02, 0.01])
    >>> round(errbar.methods.resampled_t(losses).statistic, 4)
    3.3085
    """
    return t_of_splits(losses, 0.0, (Note("liberal", assumed="independent split scores"),))


@method("welch-t")
def welch_t(losses: Losses) -> Answer:
    r"""Welch's t: independent runs of one learner, or of two that have seeds of their own.

    :Claim: The mean over runs (seeds) of training and evaluation anew on this data, or in this
        environment.
    :Formula: ``SE^2 = S_a^2/n_a + S_b^2/n_b, t with Satterthwaite's degrees of freedom; of one
        learner S^2/n, t with n - 1``
    :Assumption: Runs are independent of each other, of one learner and of two; the data are the
        same.
    :Assumption: The mean of the runs is close to normal.

    Each number comes from a run of its own: a return, or an accuracy, for each seed ([3]_). Learners
    may have different numbers of runs, and their variances may differ ([1]_). Nothing is said of
    other data, since all runs share these. Where a seed draws the same splits or environments for
    both learners, the runs are paired, and this is not the method.

    Parameters
    ----------
    losses : Losses
        Losses of ``kind="runs"``, one for each run; or their difference, of which no run of one
        learner belongs to a run of the other.

    See Also
    --------
    crossed_t, corrected_t, resampled_t

    Notes
    -----
    With means :math:`\bar x`, variances S^2 (divisor n - 1) and numbers n of runs,

    .. math:: SE^2 = \frac{S_a^2}{n_a} + \frac{S_b^2}{n_b}, \qquad
              \nu = \frac{SE^4}{\frac{(S_a^2/n_a)^2}{n_a - 1} + \frac{(S_b^2/n_b)^2}{n_b - 1}},

    and :math:`(\bar x_a - \bar x_b - \mu_0)/SE` is referred to t with :math:`\nu` degrees of
    freedom ([1]_; [2]_). Several learners share no runs, so p-values of all pairs are
    adjusted by Holm, and simultaneous intervals are Bonferroni's.

    Examples
    --------
    >>> import errbar
    >>> one = errbar.Losses([14.8, 14.2, 13.2, 10.1, 14.2], kind="runs")
    >>> other = errbar.Losses([15.6, 15.7, 17.3], kind="runs")
    >>> result = errbar.methods.welch_t(one.minus(other))
    >>> round(result.estimate, 4), round(result.df, 4), round(result.pvalue, 4)
    (-2.9, 5.9711, 0.028)
    """
    samples = [one.splits.value for one in losses.each]
    _check.require(min(map(len, samples)) > 1, "must hold at least 2 runs of each", None, "value")
    sizes = np.array([variance(own) / own.size for own in samples])
    total = float(sizes.sum())
    df = float(sum(own.size - 1 for own in samples))
    if total > 0.0:
        shares = (sizes / total).tolist()
        df = satterthwaite(
            Term(share, own.size - 1.0) for share, own in zip(shares, samples, strict=True)
        )
    counts = [own.size for own in samples]
    few = [Note("few", count=min(counts), what="runs")] * (min(counts) < FEW_RUNS)
    estimate = mean(samples[0]) - sum(map(mean, samples[1:]))
    notes = (Note("fixed", what="data"), *few)
    return Answer(estimate, math.sqrt(total), df, n_splits=sum(counts), notes=notes)


@method("bayes-correlated-t")
def bayes_correlated_t(
    losses: Losses, *, rope: float = 0.0, correlation: float | None = None
) -> Answer:
    r"""Bayesian correlated t: posterior probabilities of a difference and of practical equivalence.

    :Claim: How probable it is that the expected loss at training size n1 lies below, within or
        above a region around 0.
    :Formula: ``posterior t with J - 1 degrees of freedom, location the mean, scale S sqrt(1/J +
        n2/n1)``
    :Assumption: The scores are normal, with one variance and one correlation between any two of
        them.
    :Assumption: That correlation is n2/(n1 + n2), or the one given.
    :Assumption: Nothing is known beforehand about the expected loss and its variance.

    Under a prior that says nothing, the expected risk at training size n1, or the difference of
    two, has a Student t posterior ([1]_). ``posterior`` holds its probabilities of (-inf, -rope) as
    ``left``, of [-rope, rope] as ``rope`` and of (rope, inf) as ``right``. The interval is the
    central credible interval.

    Parameters
    ----------
    losses : Losses
        One score (or difference of scores) per split, with the sizes of the splits.
    level : float, default 0.95
        Probability of the credible interval.
    null : float, default 0.0
        Value that the p-value is about; the posterior probabilities are relative to 0 in any case.
    alternative : {"two-sided", "less", "greater"}, default "two-sided"
        A one-sided one gives a one-sided credible interval.
    rope : float, default 0.0
        Half-width of the region of practical equivalence around 0, in units of the loss.
    correlation : float, optional
        Correlation r of two split scores, in [0, 1), instead of n2/(n1 + n2).

    See Also
    --------
    corrected_t

    Notes
    -----
    With S^2 the variance of the J scores (divisor J - 1), the posterior is

    .. math:: \mu \mid x \sim t_{J-1}\left(\bar x,\; S^2 \left(\frac{1}{J} + \frac{r}{1-r}\right)\right),
              \qquad r = \frac{n_2}{n_1 + n_2}

    ([1]_). Its credible interval is the confidence interval of the corrected t ([2]_), and
    ``pvalue`` is twice the smaller posterior probability of the two sides of `null`, the two-sided
    p-value. Scores that do not vary put all probability on the region that holds their mean.

    Examples
    --------
    >>> import errbar
    >>> differences = [0.02, 0.01, 0.03, -0.01, 0.02, 0.0, 0.04, 0.01, 0.02, 0.01]
    >>> view = errbar.Losses(differences, n_train=90, n_test=10)
    >>> result = errbar.methods.bayes_correlated_t(view, rope=0.01)
    >>> {region: round(probability, 4) for region, probability in result.posterior.items()}
    {'left': 0.0021, 'rope': 0.2315, 'right': 0.7664}
    """
    answer = t_of_splits(losses, odds_of_correlation(losses, correlation))
    m, scale, J = answer.estimate, answer.se, losses.splits.value.size
    if scale > 0.0:
        left, right = (lower_tail((side * m - rope) / scale, J - 1) for side in (-1.0, 1.0))
    else:
        beyond = abs(m) - rope > ROUNDING * rope
        left, right = float(beyond and m < 0.0), float(beyond and m > 0.0)
    within = max(0.0, 1.0 - left - right) if rope > 0.0 or scale == 0.0 else 0.0
    answer.posterior = {"left": left, "rope": within, "right": right}
    return answer


@method("bootstrap-benchmark")
def bootstrap_benchmark(losses: Losses) -> Answer:
    r"""Bootstrap benchmark experiment: out-of-bag performance of learners, paired by bootstrap sample.

    :Claim: The mean out-of-bag loss over bootstrap samples of these very data, not over other data
        sets.
    :Formula: ``SE = S / sqrt(B), t with B - 1 degrees of freedom``
    :Assumption: The examples at hand are all there is: their empirical distribution takes the place
        of the population.
    :Assumption: The mean over the bootstrap samples is nearly normal.

    The data at hand are taken for the population. Learners are trained on samples of it and tested
    on the examples that these lack: independent draws from the distribution of their performance
    ([1]_). Two learners share their samples, so the test is the paired t. By drawing more samples
    the interval can be made as narrow, and the p-value of any two learners that differ as small, as
    one likes; a note says so.

    Parameters
    ----------
    losses : Losses
        Mean out-of-bag loss (or difference of losses) of each sample.

    See Also
    --------
    friedman, oob_bootstrap, outperformance

    Notes
    -----
    With p_b the mean out-of-bag loss of sample b and S^2 the variance of the B of them (divisor B -
    1), :math:`SE = S/\sqrt B` and :math:`(\bar p - \mu_0)/SE` is referred to t with B - 1 degrees
    of freedom ([1]_).

    Examples
    --------
    >>> import errbar
    >>> result = errbar.methods.bootstrap_benchmark(errbar.Losses([0.02, 0.01, 0.03, -0.01, 0.02, 0.0]))
    >>> round(result.statistic, 4), result.df
    (1.9415, 5)
    """
    p = losses.splits.value
    return t_of_scores(losses, math.sqrt(variance(p) / p.size), (Note("fixed", what="data"),))


@method("outperformance")
def outperformance(
    losses: Losses,
    *,
    threshold: float = 0.75,
    resamples: int = 10_000,
    random_state: int = 0,
) -> Answer:
    r"""Probability of outperforming: in how many paired runs the first learner does better.

    :Claim: The probability that the first learner does better than the second in a run on resampled
        data.
    :Formula: ``share of paired runs won, ties count half, percentile bootstrap of the runs``
    :Assumption: The runs vary every source of randomness: the split, the initialisation, the seed
        of a search.
    :Assumption: The runs are independent of each other, given the data.

    Both learners are run J times, each time with another resample of the data and other seeds, the
    same for both. The estimate is the share of wins of the first ([1]_): larger is better for it,
    whether the number itself is a loss or a score. Standard error, percentile interval and test are
    of the bootstrap. The note ``verdict`` says whether it is significant, and meaningful.

    Parameters
    ----------
    losses : Losses
        Loss of the first learner minus loss of the second, for each bootstrap sample (run).
    null : float, default 0.5
        Probability under the null hypothesis.
    threshold : float, default 0.75
        Probability gamma, in [0.5, 1], that an improvement should reach to be meaningful.
    resamples : int, default 10000
    random_state : int, default 0

    See Also
    --------
    corrected_t, bootstrap_benchmark

    Notes
    -----
    With d_j the difference of run j,

    .. math:: \hat p = \frac1J \sum_j \left([d_j < 0] + \tfrac12 [d_j = 0]\right).

    The interval lies between quantiles of the shares in resamples of the runs, and a null is
    rejected where at most that many of them lie beyond it. The first learner is *significantly*
    better if the lower end of the two-sided interval exceeds 0.5, and *meaningfully* so if besides
    the upper end exceeds gamma ([1]_). The estimand is about resamples of these data, not new ones:
    with more runs the interval shrinks to a point, while the data stay the same.

    Examples
    --------
    >>> import errbar
    >>> differences = [-0.02, -0.01, 0.01, -0.03, 0.0, -0.02, -0.01, -0.04, 0.02, -0.01]
    >>> result = errbar.methods.outperformance(errbar.Losses(differences))
    >>> result.estimate, round(result.low, 2), round(result.high, 2), result.notes[0].numbers["verdict"]
    (0.75, 0.5, 1.0, 'not significant')
    """
    rng = _rng.stream(_rng.root(random_state), "outperformance")
    d = losses.splits.value
    wins = (d < 0.0) + 0.5 * (d == 0.0)
    sample = Bootstrapped(mean(wins), bootstrap_means(wins, resamples, rng))
    law = percentile(sample)

    def remarks(asked: Asked, _: Interval) -> Notes:
        low, high = law.interval(asked.level, "two-sided")
        verdict = "not significant"
        if low > 0.5:
            verdict = "significant, not meaningful"
            if high > threshold:
                verdict = "significant and meaningful"
        note = Note("verdict", low=low, high=high, verdict=verdict, threshold=threshold)
        return (note, DEGENERATE) if sample.se == 0.0 else (note,)

    return Answer(sample.estimate, sample.se, law=law, remarks=remarks)


def five_by_two(losses: Losses) -> tuple[FloatArray, float]:
    """Return the ten scores p_ij, a row for each repeat i, and sum_i s_i^2, s_i^2 = (p_i1 - p_i2)^2 / 2."""
    scores, index = losses.splits.value, losses.splits.index
    # Ten scores in a row are five by two where that was said; ten folds of one partition look the same.
    in_a_row = "fold" not in index and losses.kind == FiveByTwo.kind
    order = np.arange(scores.size) if in_a_row else index.first("repeat", "fold")
    shape = (5, 2) if in_a_row else (index.count("repeat"), index.count("fold"))
    require_layout(shape == (5, 2) and order.size == scores.size == 10, "FiveByTwo()")
    p = scores[order].reshape(5, 2)
    return p, float(np.square(difference(p[:, 0], p[:, 1])).sum()) / 2.0


@method("5x2cv-t")
def five_by_two_t(losses: Losses) -> Answer:
    r"""Dietterich's t on five repeats of two-fold cross-validation.

    :Claim: The expected loss at training size n/2.
    :Formula: ``t = (p_11 - null) / sqrt(mean s_i^2), t with 5 degrees of freedom``
    :Assumption: The scores of the five repeats are independent of each other and close to normal.
    :Assumption: Both scores of a repeat are independent of each other.

    Within one repeat the two training sets share nothing, so the spread of its two scores is an
    honest measure of the variance of one. The estimate is p_11, the score of the first split.

    Parameters
    ----------
    losses : Losses
        The ten scores (or differences of scores).

    See Also
    --------
    five_by_two_f

    Notes
    -----
    With p_ij the score of fold j in repeat i and :math:`s_i^2 = (p_{i1}-\bar p_i)^2 + (p_{i2}-\bar
    p_i)^2`, :math:`t = (p_{11} - \mu_0) / \sqrt{\frac{1}{5}\sum_i s_i^2}` is referred to t with 5
    degrees of freedom ([1]_, section 3.5).

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
    return Answer(float(p[0, 0]), math.sqrt(squares / 5.0), 5, notes=(first,))


@method("5x2cv-f")
def five_by_two_f(losses: Losses, *, alternative: str = "two-sided") -> Answer:
    r"""Alpaydin's combined F on five repeats of two-fold cross-validation.

    :Claim: The expected loss at training size n/2, from all ten scores; two-sided only.
    :Formula: ``F = sum (p_ij - null)^2 / (2 sum s_i^2), F with 10 and 5 degrees of freedom``
    :Assumption: The scores of the five repeats are independent of each other and close to normal.
    :Assumption: Both scores of a repeat are independent of each other.

    The estimate is the mean of the ten scores, the standard error that of a single score.

    Parameters
    ----------
    losses : Losses
        The ten scores (or differences of scores).
    alternative : {"two-sided"}, default "two-sided"
        The F statistic has no direction.

    See Also
    --------
    five_by_two_t

    Notes
    -----
    With p_ij the score of fold j in repeat i and :math:`s_i^2 = (p_{i1}-\bar p_i)^2 + (p_{i2}-\bar
    p_i)^2`, :math:`F = \sum_{ij} (p_{ij} - \mu_0)^2 / (2 \sum_i s_i^2)` is referred to F with 10
    and 5 degrees of freedom ([1]_). The interval :math:`\bar p \pm \sqrt{(2 F_{crit} \sum s_i^2 -
    \sum (p_{ij}-\bar p)^2)/10}` holds the nulls that are not rejected.

    Examples
    --------
    >>> import errbar
    >>> p = [[0.3, 0.25], [0.35, 0.28], [0.4, 0.22], [0.31, 0.27], [0.33, 0.29]]
    >>> result = errbar.methods.five_by_two_f(errbar.Losses.of_grid(p, "repeat", "fold"), null=0.25)
    >>> round(result.statistic, 4), result.df
    (1.1349, (10.0, 5.0))
    """
    must = "of method '5x2cv-f' must be 'two-sided', since F has no direction; try '5x2cv-t'"
    _check.require(alternative == "two-sided", must, alternative, "alternative")
    p, squares = five_by_two(losses)
    estimate = mean(p.ravel())
    around = float(np.square(p - estimate).sum())

    def statistic(null: float) -> float:
        if squares == 0.0:
            return abs(standardised(estimate, 0.0, null))
        return (around + 10.0 * (estimate - null) ** 2) / (2.0 * squares)

    def tails(null: float) -> Ends:
        pvalue = float(special.fdtrc(10.0, 5.0, statistic(null)))
        return pvalue / 2.0, pvalue / 2.0

    def ends(error: float) -> Ends:
        # Ten times the squared distance of the ends from the estimate; below 0 every value is rejected.
        room = 2.0 * float(special.fdtri(10.0, 5.0, 1.0 - 2.0 * error)) * squares - around
        reach = math.sqrt(max(0.0, room) / 10.0)
        return estimate - reach, estimate + reach

    def remarks(_: Asked, interval: Interval) -> Notes:
        if squares == 0.0:
            return (DEGENERATE,)
        alone = "the estimate alone, for every value is rejected"
        rejected = Note("as-defined", quantity="interval", what=alone)
        return (rejected,) if interval.low == interval.high else ()

    return Answer(
        estimate,
        math.sqrt(squares / 5.0),
        (10.0, 5.0),
        law=Tails(tails, ends),
        notes=(Note("as-defined", quantity="standard error", what="that of a single score"),),
        statistic=statistic,
        remarks=remarks,
        directed=False,
    )


_ENOUGH_HALVINGS = 20
_FEW_EXAMPLES = 10
_LARGEST_RHO = 0.99


def halves_of(losses: Losses) -> Any:
    """Return the splits of all data, those of the halves, and the scores of the latter, shape (M, 2, K)."""
    splits = losses.splits
    is_inside = splits.index.label("halving") >= 0
    whole, inside = splits.only(~is_inside), splits.only(is_inside)
    M = inside.count("halving")
    full = inside.value.size and inside.value.size % (2 * M) == 0
    require_layout(whole.value.size and full, "PairedHalves()")
    order = np.lexsort([inside.index.label(role) for role in ("fold", "repeat", "half", "halving")])
    return whole, inside, inside.value[order].reshape(M, 2, -1)


def error_of_halves(parts: FloatArray) -> float:
    """Return the standard error of a mean on half the data, sqrt(sum_m (mu_m - mu_m^c)^2 / (2 M))."""
    mu = parts.mean(axis=2)  # (M, 2)
    return _root_of_squares(difference(mu[:, 0], mu[:, 1])) / math.sqrt(mu.size)


def _root_of_squares(values: FloatArray) -> float:
    """Return the root of the sum of squares; squares of very small and very large numbers would leave the range."""
    return math.hypot(*values.ravel().tolist())


@method("conservative-z")
def conservative_z(losses: Losses, *, reference: str = "auto") -> Answer:
    r"""Conservative Z: random splits, with a variance measured on disjoint halves of the data.

    :Claim: The expected loss of the learning algorithm at training size n1, with the variance of
        the mean measured on halves of the data.
    :Formula: ``SE = sqrt(sum_m (mu_m - mu_m^c)^2 / (2 M)), standard normal, or t with M degrees of
        freedom``
    :Assumption: The mean varies more at the smaller training size of the halves than at n1.
    :Assumption: The mean over splits is close to normal.
    :Assumption: The differences of the halves are close to uncorrelated between halvings.

    The data are cut M times into two halves at random, and the same is done in each half with fewer
    training examples. The halves share no example, so their means differ as those of two
    independent data sets do. The authors conjecture that means from less data differ more, hence
    the name ([1]_, section 4.2).

    Parameters
    ----------
    losses : Losses
        Scores (or differences) on splits of all data, and mean scores on both halves of M halvings.
    reference : {"auto", "normal", "t"}, default "auto"
        The standard normal distribution as published, or t with M degrees of freedom. "auto" takes
        t below M = 20, where the normal distribution is liberal.

    See Also
    --------
    corrected_t, halved_kfold_t

    Notes
    -----
    With :math:`\hat\mu` the mean of the J scores, and :math:`\hat\mu_{(m)}, \hat\mu^c_{(m)}` the
    means on the halves of halving m, which are made with n1' = floor(n/2) - n2 training and n2 test
    examples,

    .. math:: \hat\sigma^2 = \frac{1}{2M} \sum_{m=1}^M (\hat\mu_{(m)} - \hat\mu^c_{(m)})^2, \qquad
              Z = \frac{\hat\mu - \mu_0}{\hat\sigma}

    ([1]_, section 4.2). The expectation of the first is the variance of the mean at n1'. The M
    squared differences are nearly uncorrelated, so Z is close to t with M degrees of freedom where
    n1' is close to n1: with the normal quantile a nominal 10 % is 16.1 % for M = 5, 13.1 % for M =
    10 and 11.6 % for M = 20.

    Examples
    --------
    >>> import errbar
    >>> halves = {"halving": [-1, -1, 0, 0, 1, 1, 2, 2], "half": [-1, -1, 0, 1, 0, 1, 0, 1]}
    >>> scores = [0.22, 0.27, 0.31, 0.24, 0.28, 0.27, 0.25, 0.33]
    >>> losses = errbar.Losses(scores, **halves, fold=[0, 1] + [0] * 6, n_train=[90] * 2 + [40] * 6, n_test=10)
    >>> result = errbar.methods.conservative_z(losses, reference="t")
    >>> round(result.estimate, 4), round(result.se, 4), result.df
    (0.245, 0.0436, 3)
    """
    whole, inside, parts = halves_of(losses)
    M, n_train = len(parts), inside.n_train
    if reference == "auto":
        reference = "t" if M < _ENOUGH_HALVINGS else "normal"
    notes = []
    if n_train < max(_FEW_EXAMPLES, whole.size("n_test")):  # false where the sizes are not known
        notes.append(Note("few", count=n_train, what="training examples on the halves"))
    if reference == "normal" and M < _ENOUGH_HALVINGS:
        notes.append(Note("few", count=M, what="halvings"))
    return Answer(
        mean(whole.value),
        error_of_halves(parts),
        M if reference == "t" else None,
        n_train=whole.n_train,
        notes=tuple(notes),
    )


@method("halved-kfold-t")
def halved_kfold_t(losses: Losses) -> Answer:
    r"""Student's t on the K fold scores of one cross-validation, with rho estimated from random halves.

    :Claim: The expected loss at training size n - n/K, with the correlation between folds estimated
        from halves of the data.
    :Formula: ``SE = sqrt(theta3 / (1 - rho)), rho = 1 - mean theta3 of halves / (sum_m (mu_m -
        mu_m^c)^2 / (2 M)), t with K - 1 degrees of freedom``
    :Assumption: The between-block correlation is no larger at n than it is estimated to be at n/2.
    :Assumption: Fold scores are normal, with one variance and one covariance between any two of
        them.
    :Assumption: The halvings are enough for rho to be known; that it is estimated is not allowed
        for.

    No estimator of rho from a single cross-validation is unbiased for all distributions. Here it
    comes from cross-validations of both halves of M random halvings of the data ([1]_, section 6;
    [2]_, section 4.2); a note says which was used.

    Parameters
    ----------
    losses : Losses
        One score (or difference) per fold, of all data and of both halves of M halvings.

    See Also
    --------
    kfold_t, conservative_z

    Notes
    -----
    With mu_k the fold scores, mu their mean and :math:`\hat\theta_3 = \sum_k (\mu_k -
    \hat\mu)^2/(K(K-1))`, :math:`t = \sqrt{1-\hat\rho}\,(\hat\mu - \mu_0)/\sqrt{\hat\theta_3}` is
    referred to t with K - 1 degrees of freedom ([1]_, section 4). With :math:`\hat\mu_{(m)},
    \hat\mu^c_{(m)}` the means on the halves of halving m = 1..M,

    .. math:: \hat\theta = \frac{1}{2M} \sum_m (\hat\mu_{(m)} - \hat\mu^c_{(m)})^2, \qquad
              \hat\rho = 1 - \frac{\overline{\theta_3}}{\hat\theta},

    with the mean of theta3 over the 2M halves, truncated to [0, 0.99]. At n/2 examples rho is mostly
    larger than at n. The estimate is biased down by about (1 - rho)/(M/2 - 1): at M = 10 a true 0.25
    gives 0.22 on average after truncation. It is not an upper bound.

    Examples
    --------
    >>> import errbar
    >>> scores = [0.2, 0.3, 0.3, 0.1, 0.3, 0.2, 0.4, 0.3, 0.4, 0.3, 0.1, 0.2, 0.3, 0.5, 0.4]
    >>> halves = {"halving": [-1] * 3 + [0] * 6 + [1] * 6, "half": [-1] * 3 + [0, 0, 0, 1, 1, 1] * 2}
    >>> result = errbar.methods.halved_kfold_t(errbar.Losses(scores, **halves, fold=[0, 1, 2] * 5))
    >>> round(result.se, 4), round(result.pvalue, 4)
    (0.0823, 0.0835)
    """
    whole, _, parts = halves_of(losses)
    K = whole.value.size
    must = f"must be as many on each half as on all data, {K}, and at least 2: rho depends on it"
    _check.require(parts.shape[2] == K > 1, must, parts.shape[2], "fold")
    found = rho_of_halves(parts)
    # Where nothing varies at all, the largest rho claims least.
    rho = _LARGEST_RHO if math.isnan(found) else min(max(found, 0.0), _LARGEST_RHO)
    said = found if math.isfinite(found) else "no estimate"
    answer = t_of_scores(
        whole,
        math.sqrt(variance(whole.value) / K / (1.0 - rho)),
        (Note("rho-estimated", rho=rho, halvings=len(parts), found=said),),
    )
    answer.n_train = whole.n_train
    return answer


def rho_of_halves(parts: FloatArray) -> float:
    """Return 1 - mean theta3/theta of halves: -inf where the means of all agree, NaN where nothing varies at all."""
    # Scores of a half that are equal up to rounding do not vary.
    deviations = parts - parts.mean(axis=2, keepdims=True)
    deviations[np.ptp(parts, axis=2) <= ROUNDING * np.abs(parts).max(axis=2)] = 0.0
    left = _root_of_squares(deviations)
    root_of_theta = error_of_halves(parts)
    if root_of_theta == 0.0:
        return math.nan if left == 0.0 else -math.inf
    root_of_theta3 = left / math.sqrt(parts.size * (parts.shape[2] - 1))
    return 1.0 - (root_of_theta3 / root_of_theta) ** 2

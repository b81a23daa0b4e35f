"""Several data sets: tests of all learners by ranks, and of two by signs, by ranks, by posteriors and by seeds within data sets."""

import math
from collections.abc import Callable
from inspect import unwrap
from typing import Any, NamedTuple

import numpy as np
from scipy import special

from errbar import _check, _rng
from errbar._check import FloatArray, IntArray
from errbar.losses import Losses, difference
from errbar.methods._core.inputs import Blocks
from errbar.methods._core.registry import method
from errbar.methods.distributions import (
    DEGENERATE,
    ROUNDING,
    Answer,
    Asked,
    Tails,
    both_tails,
    mean,
    variance,
)
from errbar.methods.variance import Term, satterthwaite, skewed, variances_within
from errbar.result import Estimand, GlobalResult, Interval, Note, Notes

_PSEUDO_MEDIAN = Note(
    "as-defined", quantity="estimate", what="the pseudo-median of Hodges and Lehmann"
)
# The Walsh averages of more differences would not fit into memory.
_MOST = 5000
_MOST_EXACT, _MOST_ON_REQUEST = 50, 1000
# So many weights are held in memory at a time.
_BLOCK = 2_000_000


@method("friedman")
def friedman(blocks: Blocks, *, correction: str = "iman-davenport") -> GlobalResult:
    r"""Friedman's test: whether all learners rank alike over the blocks.

    :Claim: Whether any of the learners tends to rank before another, over blocks such as bootstrap
        samples.
    :Formula: ``F = (J - 1) chi2 / (J (k - 1) - chi2), chi2 Friedman's, F with k - 1 and (k - 1)(J -
        1) degrees of freedom``
    :Assumption: The blocks are independent of each other.
    :Assumption: Within a block all orders of the learners are equally likely if no learner is
        better.

    A block is one set of numbers that all learners have in common: a bootstrap sample in a
    benchmark experiment ([3]_), or a data set. The ``means`` are the mean ranks, 1 for a learner
    that is best in every block. Where learners lack blocks, `errbar.datasets.ranks` has the test of
    Skillings & Mack ([4]_).

    Parameters
    ----------
    blocks : Blocks
        One loss per block (row) and learner (column); equal losses share the mean of their ranks.
    correction : {"iman-davenport", "none"}, default "iman-davenport"
        The F of Iman & Davenport, which keeps the level more closely, or Friedman's chi-square,
        which is conservative.

    See Also
    --------
    bootstrap_benchmark

    Notes
    -----
    With r_ij the rank of learner j in block i, R_j its mean over the J blocks and k learners,

    .. math:: \chi^2 = (k-1)\, \frac{J^2 \sum_j (R_j - (k+1)/2)^2}{\sum_{ij} (r_{ij} - (k+1)/2)^2}, \qquad
              F = \frac{(J-1)\, \chi^2}{J(k-1) - \chi^2}

    with k - 1, and k - 1 and (k - 1)(J - 1), degrees of freedom ([1]_, [2]_). Without ties
    :math:`\chi^2` is :math:`\frac{12 J}{k(k+1)} \sum_j (R_j - (k+1)/2)^2`. Where all learners are
    equal in every block the statistic is 0 and the p-value 1.

    Examples
    --------
    >>> import errbar
    >>> losses = [[0.3, 0.2, 0.1], [0.4, 0.3, 0.3], [0.2, 0.3, 0.1], [0.5, 0.4, 0.2]]
    >>> result = errbar.methods.friedman(errbar.Blocks(losses))
    >>> round(result.statistic, 4), round(result.pvalue, 4), result.means
    (7.5882, 0.0227, (2.75, 2.125, 1.125))
    """
    ranks = midranks(blocks.value)
    found = friedman_of(ranks)
    laws: dict[str, Any] = {"iman-davenport": found[3:], "none": found[:3]}
    statistic, df, pvalue = laws[correction]
    of_data_sets = blocks.kind == "data-sets"
    notes = [] if of_data_sets else [Note("fixed", what="data")]
    # All learners are equal in every block, or all blocks rank them alike.
    if math.isinf(statistic) or (ranks == ranks[0, 0]).all():
        notes.append(DEGENERATE)
    return GlobalResult(
        estimand=Estimand.DATA_SETS if of_data_sets else Estimand.PERFORMANCE,
        n_train=blocks.n_train,
        statistic=statistic,
        df=df,
        pvalue=pvalue,
        means=tuple(map(mean, ranks.T)),
        n_blocks=len(ranks),
        notes=tuple(notes),
    )


class Friedman(NamedTuple):
    chi2: float
    df: int
    chi2_pvalue: float
    f: float
    f_df: tuple[int, int]
    f_pvalue: float


def midranks(table: FloatArray) -> Any:
    """Return the ranks within each row, 1 for the smallest, NaN where there is none; numbers equal up to rounding share their mean."""
    found = table.copy()
    for row in found:
        known = ~np.isnan(row)
        row[known] = _midranks_of_row(row[known])
    return found


def _midranks_of_row(row: FloatArray) -> FloatArray:
    from scipy.stats import rankdata

    order = np.argsort(row, kind="stable")
    ascending = row[order]
    size = np.maximum(np.abs(ascending[1:]), np.abs(ascending[:-1]))
    steps = np.cumsum(np.diff(ascending) > ROUNDING * size)
    return rankdata(np.append(0, steps)[np.argsort(order)])


def friedman_of(ranks: FloatArray) -> Friedman:
    n, k = ranks.shape
    middle = (k + 1) / 2
    # Multiples of one quarter, so both sums are exact.
    between = float(np.square(np.add.reduce(ranks, axis=0) - n * middle).sum())
    within = float(np.square(ranks - middle).sum())
    chi2 = (k - 1) * between / within if within else 0.0
    df = k - 1
    f_df = (df, df * (n - 1))
    rest = n * within - between
    f = 0.0
    if between:
        f = (n - 1) * between / rest if rest else math.inf
    chi2_pvalue, f_pvalue = special.chdtrc(df, chi2), special.fdtrc(*f_df, f)
    return Friedman(chi2, df, float(chi2_pvalue), f, f_df, float(f_pvalue))


class SkillingsMack(NamedTuple):
    chi2: float
    df: int
    chi2_pvalue: float


def skillings_mack_of(ranks: FloatArray) -> SkillingsMack:
    """Return the test of ranks, shape (N, k), within the learners that each data set has; NaN where one is missing."""
    known = ~np.isnan(ranks)
    sizes = known.sum(axis=1, keepdims=True)  # (N, 1)
    left = np.where(known, ranks - (sizes + 1) / 2, 0.0)
    squared_weights = 12.0 / (sizes + 1)
    sums = (np.sqrt(squared_weights) * left).sum(axis=0)  # (k,)
    # Given its ties, a data set's ranks in random order have covariances of minus this, which
    # without ties is 1; Skillings & Mack take it as 1 throughout.
    pairs = np.maximum(sizes * (sizes - 1), 1)
    covariances = squared_weights * np.square(left).sum(axis=1, keepdims=True) / pairs
    together = (known * covariances).T @ known  # (k, k)
    covariance = np.diag((known * covariances * sizes).sum(axis=0)) - together
    # Rows add up to 0, but for rounding.
    inverse = np.linalg.pinv(covariance, rcond=1e-10, hermitian=True)
    chi2, df = float(sums @ inverse @ sums), ranks.shape[1] - 1
    return SkillingsMack(chi2, df, float(special.chdtrc(df, chi2)))


@method("sign-test")
def sign_test(losses: Losses, *, null: float = 0.0, zeros: str = "drop") -> Answer:
    r"""Sign test of two learners over several data sets.

    :Claim: Whether one learner does better than another on more than half of the data sets of a
        kind.
    :Formula: ``wins of m binomial with probability 1/2, m the data sets without a tie``
    :Assumption: The data sets are independent of each other: different problems, and not splits of
        the same data.

    The estimate is the median. The statistic is the number above minus the number below the null
    value, over the root of their sum; the p-value is exact. With too few data sets for the level an
    end of the interval is infinite, and a note says so.

    Parameters
    ----------
    losses : Losses
        Difference of the two learners on each data set, such as of their mean losses.
    null : float, default 0.0
        Median of the differences under the null hypothesis.
    zeros : {"drop", "split"}, default "drop"
        Differences equal to the null value: left out, or half of them counted on each side.

    See Also
    --------
    wilcoxon

    Notes
    -----
    With w of m differences above the null value and the others below it, the p-value is that of w
    under the binomial law with m trials and probability :math:`1/2`, as ``scipy.stats.binomtest``
    has it ([1]_, section 3.1.4). The interval lies between the order statistics number c + 1 from
    below and from above, where c is the largest count with :math:`P(B \le c) \le (1 -
    \mathrm{level})/2` for B binomial with N trials ([2]_, section 3.6). The standard error is half
    the distance of the order statistics :math:`\sqrt N / 2` positions on either side of the middle.

    Examples
    --------
    >>> import errbar
    >>> differences = [0.031, 0.012, -0.004, 0.022, 0.017, 0.009, 0.025, -0.002, 0.014, 0.008]
    >>> round(errbar.methods.sign_test(errbar.Losses(differences)).pvalue, 4)
    0.1094
    """
    d = losses.splits.value
    n = d.size
    left = difference(d, np.full(n, null))
    counts = np.array([np.count_nonzero(left > 0.0), np.count_nonzero(left < 0.0)])
    if zeros == "split":
        counts += (n - counts.sum()) // 2
    above, below = counts.tolist()
    m = above + below
    return _of_orders(
        d,
        np.sort(d),
        math.sqrt(n) / 2,
        _cut_by_law(special.bdtr(np.arange(n + 1), n, 0.5)),
        tails=special.bdtr(counts, m, 0.5).tolist(),
        statistic=(above - below) / math.sqrt(m) if m else 0.0,
        different=m,
    )


@method("wilcoxon")
def wilcoxon(
    losses: Losses, *, null: float = 0.0, zeros: str = "wilcox", law: str = "auto"
) -> Answer:
    r"""Wilcoxon's signed-rank test of two learners over several data sets.

    :Claim: Whether the differences of two learners over independent data sets are centred at 0.
    :Formula: ``z = sum sign(d_i) r_i / sqrt(sum r_i^2), r_i the ranks of |d_i|; exact up to 50
        differences``
    :Assumption: The data sets are independent of each other: different problems, and not splits of
        the same data.
    :Assumption: Differences can be compared in size from one data set to the next, and are
        symmetric about their centre.

    The estimate is the pseudo-median of Hodges & Lehmann, the median of all Walsh averages; the
    statistic is the signed-rank sum over its standard deviation. With too few data sets for the
    level an end of the interval is infinite, and a note says so.

    Parameters
    ----------
    losses : Losses
        Difference of the two learners on each data set, such as of their mean losses.
    zeros : {"wilcox", "pratt"}, default "wilcox"
        Differences equal to the null value: left out before ranking, or after it.
    law : {"auto", "exact", "normal"}, default "auto"
        Law of the p-value: exact for up to 50 differences, and the normal distribution beyond; or
        always so.

    See Also
    --------
    sign_test

    Notes
    -----
    With r_i the ranks of the sizes :math:`|d_i - \mu_0|`, equal sizes sharing their mean rank, the
    test refers

    .. math:: z = \frac{\sum_i \mathrm{sign}(d_i - \mu_0)\, r_i}{\sqrt{\sum_i r_i^2}}

    to its law when every sign is + or - with probability 1/2, given the sizes ([1]_; [2]_, section
    3.1.3). P-values equal those of ``scipy.stats.wilcoxon`` for "exact" without ties and zeros,
    "asymptotic", and ``PermutationMethod`` for the exact law with ties.

    The interval lies between the Walsh averages :math:`(d_i + d_j)/2`, i <= j, number c + 1 from
    below and from above, where c is the largest sum of positive ranks with a tail probability of at
    most (1 - level)/2 ([3]_, section 3.3). With equal differences or zeros c is that of differences
    without them, which makes the interval too wide; a note says so. The standard error is half the
    distance of the Walsh averages one standard deviation of the sum of positive ranks on either
    side of the middle.

    Examples
    --------
    >>> import errbar
    >>> differences = [0.031, 0.012, -0.004, 0.022, 0.017, 0.009, 0.025, -0.002, 0.014, 0.008]
    >>> result = errbar.methods.wilcoxon(errbar.Losses(differences))
    >>> round(result.estimate, 4), round(result.pvalue, 4)
    (0.013, 0.0098)
    """
    d = losses.splits.value
    n = d.size
    most = _MOST_ON_REQUEST if law == "exact" else _MOST
    _check.require(n <= most, f"must be of at most {most} data sets with law={law!r}", n, "value")
    left = difference(d, np.full(n, null))
    if zeros == "wilcox":
        left = left[left != 0.0]
    ranks = _midranks_of_row(np.abs(left))
    ranks, left = ranks[left != 0.0], left[left != 0.0]
    z = float(np.sign(left) @ ranks) / math.sqrt(float(ranks @ ranks)) if ranks.size else 0.0
    pairs = n * (n + 1) // 2
    deviation = math.sqrt(pairs * (2 * n + 1) / 12)
    if law == "exact" or (law == "auto" and ranks.size <= _MOST_EXACT):
        # Twice the ranks are whole numbers, also with ties.
        weights = np.rint(2.0 * ranks).astype(np.int64)
        probability = _law_of_sums(weights)
        positive = weights[left > 0.0].sum()
        both = probability[: positive + 1].sum(), probability[positive:].sum()
        tails = tuple(np.minimum(both, 1.0).tolist())
        cut = _cut_by_law(np.cumsum(_law_of_sums(np.arange(1, n + 1))))
    else:
        tails = both_tails(z, None)

        def cut(error: float) -> int:
            place = pairs / 2 + deviation * special.ndtri(error)
            return int(np.clip(np.floor(place), -1, pairs - 1))

    halves = 0.5 * d
    walsh = np.concatenate([half + halves[i:] for i, half in enumerate(halves)])
    different = np.unique(ranks).size
    answer = _of_orders(
        d, np.sort(walsh), deviation, cut, tails=tails, statistic=z, different=different
    )
    answer.notes = (_PSEUDO_MEDIAN,) if np.ptp(d) else ()
    return answer


def _law_of_sums(weights: IntArray) -> FloatArray:
    """Return the probability of each sum from 0, where every weight is in or out with probability 1/2."""
    law = np.zeros(int(weights.sum()) + 1)
    law[0] = 1.0
    for weight in weights.tolist():
        moved = law[: law.size - weight].copy()
        law[weight:] += moved
        law *= 0.5
    return law


def _cut_by_law(cumulative: Any) -> Callable[[float], int]:
    """Return the largest count with a probability of at most `error` up to it, -1 where there is none."""
    return lambda error: int(cumulative.searchsorted(error, side="right")) - 1


def _of_orders(
    d: FloatArray,
    ordered: FloatArray,
    deviation: float,
    cut: Callable[[float], int],
    *,
    tails: tuple[float, float],
    statistic: float,
    different: int,
) -> Answer:
    """Return a test with the interval between order statistics, of which ``cut(error)`` may be left out.

    `different` is how many differences are neither 0 nor tied.
    """

    def ends(error: float) -> Any:
        beyond = cut(error)
        return (-math.inf, math.inf) if beyond < 0 else ordered[[beyond, -1 - beyond]].tolist()

    def remarks(asked: Asked, interval: Interval) -> Notes:
        if not different:
            return (Note("ties", share="all"),)
        notes = asked.if_unbounded(interval, d.size, "data sets")
        if d.min() == d.max():
            notes += (DEGENERATE,)
        elif different < d.size:
            notes += (Note("ties", share="some"),)
        return notes

    # Half the distance of the values that lie a standard deviation on either side of the middle.
    share, place = math.modf(max(0.0, (ordered.size - 1) / 2 - deviation))
    k = int(place)
    outer, inner = (ordered[::-1] - ordered)[k : k + 2]
    return Answer(
        float(np.median(ordered)),
        float((1.0 - share) * outer + share * inner) / 2,
        n_train=math.nan,
        law=Tails(lambda _: tails, ends),
        statistic=lambda _: statistic,
        remarks=remarks,
    )


FEWEST_FOR_OTHERS = 6
"""Fewer data sets tell of themselves alone, unless somebody asks for others."""


@method("data-sets-t")
def data_sets_t(losses: Losses, *, data_sets: str = "auto") -> Answer:
    r"""Student's t on several seeds within each of several data sets.

    :Claim: The mean over data sets of the expected loss over seeds: on new data sets of a kind, or
        on these very ones.
    :Formula: ``new: SE^2 = s^2/N of the means of N data sets, t with N - 1; fixed: SE^2 = sum s_i^2/S_i
        / N^2 over the seeds of each, t with Satterthwaite's degrees of freedom``
    :Assumption: Seeds of a data set are independent of each other.
    :Assumption: For new data sets, these are independent: different problems, drawn from those that
        the answer is about.

    It is the model of random effects, :math:`d_{ij} = \mu + u_i + e_{ij}` for seed j on data set i, in
    closed form. Each data set counts alike, however many seeds it has. The ``components`` of the
    squared standard error are ``"data set"``, which falls with more data sets, and ``"seed"``,
    which also falls with more seeds.

    Parameters
    ----------
    losses : Losses
        A row for each seed on each data set: losses with a column ``dataset``.
    data_sets : {"auto", "new", "fixed"}, default "auto"
        Whether the answer is about new data sets or about these very ones, whose seeds alone are
        random; by default about new ones from 6 data sets on. The answer about fixed ones needs two
        seeds of each.

    See Also
    --------
    wilcoxon, crossed_t

    Notes
    -----
    With the mean :math:`m_i` and the variance :math:`s_i^2` of the :math:`S_i` seeds of data set i, the
    estimate is the mean of the :math:`m_i`, and

    .. math:: SE^2_{new} = \frac{1}{N(N-1)} \sum_i (m_i - \bar m)^2, \qquad
              SE^2_{fixed} = \frac{1}{N^2} \sum_i \frac{s_i^2}{S_i}.

    With as many seeds of each data set the first is exact, and where data sets differ it equals that
    of restricted maximum likelihood ([1]_, chapter 3). The second has
    :math:`(\sum_i v_i)^2 / \sum_i v_i^2/(S_i - 1)` degrees of freedom, :math:`v_i = s_i^2/S_i` ([2]_).

    At 5 %, equal learners differed on 3, 6 or 12 new data sets in 4.0 to 5.4 % of 20 000 simulations,
    where the difference varies over them; on these very ones in 4.5 to 5.3 % with five seeds, in 3.1
    to 5.7 % with three, and in up to 9.9 % with two of those that vary most
    (``benchmarks/ranks.py``).

    Examples
    --------
    >>> import errbar
    >>> data = [0, 0, 0, 1, 1, 1, 2, 2, 2]
    >>> gaps = [0.031, 0.027, 0.035, 0.012, 0.018, 0.014, 0.044, 0.039, 0.041]
    >>> losses = errbar.Losses(gaps, dataset=data, seed=[0, 1, 2] * 3)
    >>> fixed = errbar.methods.data_sets_t(losses)
    >>> new = errbar.methods.data_sets_t(losses, data_sets="new")
    >>> [round(one.se, 4) for one in (fixed, new)]
    [0.0011, 0.0078]
    """
    d, index = losses.splits.value, losses.splits.index
    told = "dataset" in index or "seed" not in index
    _check.require(told, "must be given beside `seed`", None, "dataset")
    of_set = index.codes("dataset")
    seeds = np.bincount(of_set)  # (N,)
    N = seeds.size
    _check.require(N > 1, "must name at least 2 data sets", N, "dataset")
    means = np.bincount(of_set, d) / seeds
    within = variances_within(d, of_set, N) / seeds / N**2  # (N,)
    squared, of_seeds = variance(means) / N, float(within.sum())
    if data_sets == "new" or (data_sets == "auto" and N >= FEWEST_FOR_OTHERS):
        return Answer(
            mean(means),
            math.sqrt(squared),
            N - 1,
            n_splits=N,
            components={
                "data set": max(squared - of_seeds, 0.0),
                "seed": min(squared, of_seeds),
            },
            remarks=skewed(means, "data sets"),
        )
    must = "must tell several seeds of each data set; else say data_sets='new'"
    _check.require(seeds.min() > 1, must, seeds, "seed")
    return Answer(
        mean(means),
        math.sqrt(of_seeds),
        satterthwaite(map(Term, within, seeds - 1)),
        components={"seed": of_seeds},
        notes=(Note("fixed", what="data sets"),),
        estimand=Estimand.OVER_SEEDS,
    )


@method("bayes-sign")
def bayes_sign(
    losses: Losses,
    *,
    null: float = 0.0,
    rope: float = 0.0,
    samples: int = 50_000,
    prior: float = 1.0,
    random_state: Any = 0,
) -> Answer:
    r"""Bayesian sign test of two learners over several data sets.

    :Claim: How probable it is that most data sets of a kind favour the one learner, the other, or
        neither.
    :Formula: ``(theta_l, theta_e, theta_r) ~ Dirichlet(n_l, n_e + s, n_r)``
    :Assumption: The data sets are independent of each other: different problems, and not splits of
        the same data.
    :Assumption: The prior counts for one of a data set, and lies in the region of practical
        equivalence.

    ``posterior`` holds the probabilities that most data sets lie left of the region, in it, or
    right of it. Estimate, interval and p-value are those of `sign_test`.

    Parameters
    ----------
    losses : Losses
        Difference of the two learners on each data set, such as of their mean losses.
    rope : float, default 0.0
        Half-width of the region of practical equivalence, whose ends belong to it.
    samples : int, default 50000
    prior : float, default 1.0
        Weight s of the prior, in data sets; it lies in the region.
    random_state : int or NumPy generator, default 0

    See Also
    --------
    errbar.methods.sign_test

    Notes
    -----
    With counts n_l, n_e, n_r of the differences below, in and above the region, the shares
    :math:`\theta` of the three regions have the posterior law :math:`\mathrm{Dirichlet}(n_l,\; n_e
    + s,\; n_r)` ([1]_). A draw counts for the region with the largest share. Probabilities are
    relative to 0, whatever the null value.

    Examples
    --------
    >>> import errbar
    >>> differences = errbar.Losses([-0.031, -0.012, 0.004, -0.022, -0.017, -0.009, -0.025, 0.002])
    >>> errbar.methods.bayes_sign(differences, rope=0.005).posterior["left"] > 0.8
    True
    """
    d = losses.splits.value
    left, right = int((d < -rope).sum()), int((d > rope).sum())
    rng = _rng.stream(_rng.root(random_state), "bayesian-sign")
    gammas = rng.standard_gamma([left, d.size - left - right + prior, right], (samples, 3))
    answer: Answer = unwrap(sign_test)(losses, null=null)
    answer.posterior = _posterior(gammas / gammas.sum(axis=1, keepdims=True))
    return answer


@method("bayes-signed-rank")
def bayes_signed_rank(
    losses: Losses,
    *,
    null: float = 0.0,
    rope: float = 0.0,
    samples: int = 50_000,
    prior: float = 0.5,
    random_state: Any = 0,
) -> Answer:
    r"""Bayesian signed-rank test of two learners over several data sets.

    :Claim: How probable it is that the one learner is better on data sets of a kind, the other, or
        neither by more than a rope.
    :Formula: ``theta = shares of pairs of data sets whose mean difference lies below, in and above
        the rope, weights Dirichlet``
    :Assumption: The data sets are independent of each other: different problems, and not splits of
        the same data.
    :Assumption: The prior counts for half of a data set, and lies in the region of practical
        equivalence.

    ``posterior`` holds the probabilities that the mean of two random data sets is most often left
    of the region, in it, or right of it. Estimate, interval and p-value are those of `wilcoxon`.

    Parameters
    ----------
    losses : Losses
        Difference of the two learners on each data set, such as of their mean losses.
    rope : float, default 0.0
        Half-width of the region of practical equivalence, whose ends belong to it.
    samples : int, default 50000
    prior : float, default 0.5
        Weight s of the prior, in data sets; it is one difference of 0.
    random_state : int or NumPy generator, default 0

    See Also
    --------
    errbar.methods.wilcoxon

    Notes
    -----
    The law of the differences has a Dirichlet process as prior, with weight s at z_0 = 0. Its
    posterior puts weights :math:`(w_0, \dots, w_N) \sim \mathrm{Dirichlet}(s, 1, \dots, 1)` on z_0
    and the N differences ([1]_), and

    .. math:: \theta_l = \sum_{ij} w_i w_j [z_i + z_j < -2r], \quad \theta_r = \sum_{ij} w_i w_j [z_i + z_j > 2r],
              \quad \theta_e = 1 - \theta_l - \theta_r

    with r the half-width of the region. A draw counts for the region with the largest share. With
    ``rope=0`` the package baycomp has no middle region; here it is what exact ties and the prior
    contribute. Probabilities are relative to 0, whatever the null value.

    Examples
    --------
    >>> import errbar
    >>> differences = errbar.Losses([-0.031, -0.012, 0.004, -0.022, -0.017, -0.009, -0.025, 0.002])
    >>> errbar.methods.bayes_signed_rank(differences, rope=0.005).posterior["left"] > 0.8
    True
    """
    d = losses.splits.value
    root = _rng.root(random_state)
    of_data_sets = _rng.stream(root, "bayesian-signed-rank", "data sets")
    of_prior = _rng.stream(root, "bayesian-signed-rank", "prior")
    # By size, so that neither the order of the data sets nor their signs change which weight a difference gets.
    halves = 0.5 * np.concatenate([[0.0], d[np.lexsort((d, np.abs(d)))]])
    means = halves[:, np.newaxis] + halves  # (N + 1, N + 1)
    regions = (means < -rope).astype(np.float64), (means > rope).astype(np.float64)
    shares = np.empty((samples, 3))
    for block in np.array_split(shares, math.ceil(samples * halves.size / _BLOCK)):
        own = of_prior.standard_gamma(prior, (len(block), 1))
        w = np.hstack([own, of_data_sets.standard_exponential((len(block), d.size))])
        w /= w.sum(axis=1, keepdims=True)
        for side, region in zip((0, 2), regions, strict=True):
            block[:, side] = np.einsum("si,si->s", w @ region, w)
    shares[:, 1] = np.maximum(0.0, 1.0 - shares[:, 0] - shares[:, 2])
    answer: Answer = unwrap(wilcoxon)(losses, null=null)
    answer.posterior = _posterior(shares)
    return answer


def _posterior(shares: FloatArray) -> dict[str, float]:
    """Return in which share of the draws each region is the most probable one."""
    largest = np.bincount(np.argmax(shares, axis=1), minlength=3) / len(shares)
    return dict(zip(("left", "rope", "right"), largest.tolist(), strict=True))

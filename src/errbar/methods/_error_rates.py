"""Error rates on one test set: of one model, of two on the same examples or on different ones, and of several."""

import math
from typing import Any

import numpy as np
from scipy import special

from errbar import _check
from errbar._check import Facts
from errbar.losses import Losses
from errbar.methods._core.inputs import Blocks, Discordance, TwoSamples, require_zero_one
from errbar.methods._core.registry import method
from errbar.methods.distributions import (
    DEGENERATE,
    ROUNDING,
    Answer,
    Ends,
    Law,
    Tails,
    at_least,
    at_most,
    exact,
    root,
    score_law,
    standardised,
    wilson_end,
    z_that_ends_at,
)
from errbar.result import Estimand, GlobalResult, Note


@method("binomial")
def binomial(losses: Losses, *, kind: str = "wilson") -> Answer:
    r"""Error rate of one trained model on one test set.

    :Claim: The error rate, on new examples, of the one model that was trained.
    :Formula: ``score (Wilson), Clopper-Pearson, Agresti-Coull, Jeffreys or normal interval of a
        binomial proportion``
    :Assumption: The test examples are independent draws from the population that the statement is
        about.
    :Assumption: The model was trained, and chosen, without a look at them.

    What another training set would have given is no part of it. The standard error is sqrt(e (1 -
    e)/n) for every `kind`.

    Parameters
    ----------
    losses : Losses
        Losses that are 0 or 1, one per test example of one split.
    null : float, default 0.5
        Error rate under the null hypothesis, in [0, 1].
    kind : {"wilson", "clopper-pearson", "agresti-coull", "jeffreys", "normal"}, default "wilson"
        Interval and test. Clopper-Pearson covers at least at its level for every error rate and is
        wider for it; Wilson, Agresti-Coull and Jeffreys cover near it on average. The normal one,
        of textbooks ([5]_, section 5.2), covers too seldom, and has no width at 0 or n errors.

    See Also
    --------
    paired_proportions, holdout_t

    Notes
    -----
    With x errors, e = x/n, z the normal quantile and n' = n + z^2,

    ================= ===================================================================================
    normal            :math:`e \pm z \sqrt{e(1-e)/n}`
    wilson            :math:`(x + z^2/2 \pm z \sqrt{x(n-x)/n + z^2/4})/n'` ([1]_)
    agresti-coull     :math:`\tilde e \pm z \sqrt{\tilde e(1-\tilde e)/n'}`, :math:`\tilde e = (x + z^2/2)/n'` ([3]_)
    clopper-pearson   quantiles of Beta(x, n - x + 1) and Beta(x + 1, n - x); 0 at x = 0, 1 at x = n ([2]_)
    jeffreys          quantiles of Beta(x + 1/2, n - x + 1/2), also at x = 0 and x = n ([4]_, section 3)
    ================= ===================================================================================

    The interval excludes the null exactly when p < 1 - `level`: p is that of the score statistic
    for wilson, twice the smaller binomial tail for clopper-pearson, twice the smaller posterior
    probability of either side of the null for jeffreys, and for agresti-coull that of the z whose
    interval ends at the null. The statistic is :math:`(e - \mu_0)/\sqrt{e(1-e)/n}` for normal and
    the score :math:`(e - \mu_0)/\sqrt{\mu_0(1-\mu_0)/n}` for the others, for information with all
    but wilson.

    Examples
    --------
    >>> import errbar
    >>> result = errbar.methods.binomial(errbar.Losses([0] * 17 + [1] * 3))
    >>> result.estimate, round(result.low, 4), round(result.high, 4)
    (0.15, 0.0524, 0.3604)
    """
    # Shares of right answers are kept as losses of 0 and -1, which are those of errors less 1.
    less = 1.0 if losses.value.min() == -1.0 and losses.value.max() <= 0.0 else 0.0
    value = losses.value + less
    require_zero_one(value)
    x, n = int(value.sum()), value.size
    laws, se = _of_a_share(x, n), _error(x, n)
    law = laws[kind]

    def statistic(null: float) -> float:
        share = _check.between(null + less, 0.0, 1.0, "null")
        return standardised(x / n, se if kind == "normal" else _error(n * share, n), share)

    def ends(tail: float) -> Ends:
        low, high = law.ends(tail)
        return low - less, high - less

    return Answer(
        x / n - less,
        se,
        law=Tails(lambda null: law.tails(null + less), ends),
        statistic=statistic,
        notes=(DEGENERATE,) if kind == "normal" and se == 0.0 else (),
    )


def _error(x: float, n: float) -> float:
    return math.sqrt(x / n * (1.0 - x / n) / n)


def _cut(end: float) -> float:
    return min(1.0, max(0.0, end))


def _of_a_share(x: int, n: int) -> dict[str, Law]:
    e, se, shape = x / n, _error(x, n), (x + 0.5, n - x + 0.5)

    def agresti_coull(z: float) -> float:
        more, size = x + z * z / 2.0, n + z * z  # z^2 more examples, of which half are errors
        return more / size + z * _error(more, size)

    return {
        "wilson": score_law(
            lambda null: standardised(e, _error(n * null, n), null), lambda z: wilson_end(x, n, z)
        ),
        "clopper-pearson": exact(x, n),
        "agresti-coull": score_law(
            lambda null: z_that_ends_at(null, e, agresti_coull), lambda z: _cut(agresti_coull(z))
        ),
        "jeffreys": Tails(
            lambda null: (
                float(special.betaincc(*shape, null)),
                float(special.betainc(*shape, null)),
            ),
            lambda tail: (
                float(special.betaincinv(*shape, tail)),
                float(special.betainccinv(*shape, tail)),
            ),
        ),
        "normal": score_law(lambda null: standardised(e, se, null), lambda z: _cut(e + z * se)),
    }


_SAME_EXAMPLES = Note(
    "taken-as",
    what="examples of both models",
    kind="different ones, and they are the same",
    say=["mcnemar", "paired-proportions"],
)


@method("two-proportion-z")
def two_proportion_z(samples: TwoSamples, *, null: float = 0.0, pooled: bool = False) -> Answer:
    r"""Normal test and interval for the difference of two error rates on different examples.

    :Claim: The difference in error rate of the two models that were trained, each tested on
        examples of its own.
    :Formula: ``z = (e1 - e2) / sqrt(e1 (1 - e1) / n_1 + e2 (1 - e2) / n_2), standard normal``
    :Assumption: The two models were tested on different examples, all drawn independently.
    :Assumption: Both test sets are large enough for a normal approximation: some ten errors and ten
        hits in each.

    For the two models that were trained ([1]_, section 5.5). On examples that both were tested on
    it neglects what the errors have in common, and is not valid ([2]_, section 3.2). The interval
    is not cut at -1 and 1, so that it goes with the test.

    Parameters
    ----------
    samples : TwoSamples
        Error rates e1 and e2, and the numbers n_1 and n_2 of test examples.
    pooled : bool, default False
        Whether the variance is that of two equal error rates; with a `null` of 0 only.

    See Also
    --------
    mcnemar, paired_proportions, binomial

    Notes
    -----
    With :math:`\bar e = (n_1 e_1 + n_2 e_2)/(n_1 + n_2)`,

    .. math:: SE^2 = \frac{e_1(1-e_1)}{n_1} + \frac{e_2(1-e_2)}{n_2}, \qquad
              SE_{pooled}^2 = \bar e (1 - \bar e) \left(\frac{1}{n_1} + \frac{1}{n_2}\right),

    and :math:`(e_1 - e_2 - \mu_0)/SE` is referred to the standard normal distribution ([1]_, eqs.
    5.12 and 5.13).

    Examples
    --------
    >>> import errbar
    >>> result = errbar.methods.two_proportion_z(errbar.TwoSamples(0.3, 100, 0.2, 100), alternative="greater")
    >>> round(result.se, 6), round(result.statistic, 6), round(1 - result.pvalue, 6)
    (0.060828, 1.64399, 0.949911)
    """
    must = "must be 0 with pooled=True, which takes the error rates as equal"
    _check.require(not pooled or null == 0.0, must, null, "null")
    e1, n_1 = samples.error_1, samples.n_1
    e2, n_2 = samples.error_2, samples.n_2
    squared = e1 * (1.0 - e1) / n_1 + e2 * (1.0 - e2) / n_2
    if pooled:
        e = (n_1 * e1 + n_2 * e2) / (n_1 + n_2)
        squared = e * (1.0 - e) * (1.0 / n_1 + 1.0 / n_2)
    notes = (_SAME_EXAMPLES,) if samples.same_examples else ()
    return Answer(e1 - e2, math.sqrt(squared), notes=notes)


@method("mcnemar")
def mcnemar(counts: Discordance, *, kind: str = "exact") -> Answer:
    r"""McNemar's test that two models err equally often on the same examples.

    :Claim: The difference in error rate of the two models that were trained, from the examples on
        which just one errs.
    :Formula: ``b of b + c binomial with probability 1/2 (exact, mid-p), or (b - c)^2 / (b + c),
        chi-square with 1 degree``
    :Assumption: The test examples are independent draws, and both models were tested on all of
        them.

    Given the number m = b + c of examples on which just one model errs, b has a binomial
    distribution whose probability is 1/2 where the error rates are equal ([1]_). The test is about
    the models that were trained ([4]_, section 3.1). The estimate is (b - c)/n, with standard error
    :math:`\sqrt{b + c - (b-c)^2/n}/n`; where n is unknown, shares are of m. The interval is
    conditional on m. For b = c the statistic is 0 and p is 1, also where both are 0; a note says so
    there.

    Parameters
    ----------
    counts : Discordance
        Numbers b and c of examples on which only the first, or the second, model errs, and n of
        all.
    null : float, default 0.0
        Difference of error rates under the null hypothesis, first minus second.
    kind : {"exact", "mid-p", "chi2", "chi2-corrected"}, default "exact"
        The exact test never rejects too often and the mid-p one seldom, with more power ([3]_); the
        chi-squares are for large m, with a continuity correction ([2]_) or without.

    See Also
    --------
    paired_proportions, two_proportion_z, cochran_q

    Notes
    -----
    A difference d of error rates stands for the probability :math:`\pi = (d n/m + 1)/2` that it is
    the first model that errs where just one does; a `null` for which this is not a probability has
    p-value 0, or 1 on the wrong side of a one-sided alternative. With X binomial of m trials with
    probability :math:`\pi_0`,

    ============== ================================================================================================
    exact          p-value against greater P(X >= b), against less P(X <= b); Clopper-Pearson interval
    mid-p          the same with half of P(X = b); the interval consists of what that does not reject ([3]_)
    chi2           :math:`(b - m\pi_0)^2/(m\pi_0(1-\pi_0))`, for `null` 0 :math:`(b-c)^2/(b+c)`; Wilson's interval
    chi2-corrected the same with :math:`\max(|b - m\pi_0| - 1/2, 0)`, for `null` 0 :math:`\max(|b-c|-1,0)^2/(b+c)`
    ============== ================================================================================================

    and two-sided p-values are twice the smaller one, at most 1. An interval [l, h] for :math:`\pi`
    is :math:`(m/n) [2l - 1, 2h - 1]` for d. One-sided p-values of the chi-squares come from the
    root of the statistic with the sign of :math:`b - m\pi_0`. For exact and mid-p that root,
    without correction, is the statistic, for information.

    Examples
    --------
    >>> import errbar
    >>> result = errbar.methods.mcnemar(errbar.Discordance(25, 15, n=10000), kind="chi2-corrected")
    >>> round(result.statistic, 4), result.df, round(result.pvalue, 4)
    (2.025, 1.0, 0.1547)
    """
    n, b, m = counts.size, counts.b, counts.b + counts.c
    correction = 0.5 if kind == "chi2-corrected" else 0.0
    chi_square = _chi_square(b, m, correction)
    laws: Facts = {"exact": exact, "mid-p": _mid_p}
    law: Law = laws[kind](b, m) if kind in laws else chi_square

    def share_of(null: float) -> float:
        """Return the probability of b, given b or c, that a difference stands for; none does outside of [0, 1]."""
        share = (null * n / (m or 1e-300) + 1.0) / 2.0
        return _cut(share) if abs(share - _cut(share)) <= ROUNDING else share

    def statistic(null: float) -> float:
        share = share_of(null)
        possible = 0.0 <= share <= 1.0
        root = _chi(b, m, share, correction) if possible else -math.copysign(math.inf, null)
        return root * root if law is chi_square else root

    def tails(null: float) -> Ends:
        share = share_of(null)
        if 0.0 <= share <= 1.0:
            return law.tails(share)
        return float(share < 0.0), float(share > 1.0)

    def ends(tail: float) -> Ends:
        low, high = law.ends(tail)
        return m / n * (2.0 * low - 1.0), m / n * (2.0 * high - 1.0)

    return Answer(
        counts.difference,
        counts.se,
        1.0 if law is chi_square else None,
        directed=law is not chi_square,
        law=Tails(tails, ends) if m else None,
        statistic=statistic,
    )


def _chi(b: int, m: int, share: float, correction: float) -> float:
    """Return the signed root of the chi-square, with or without the correction of Edwards (1948)."""
    difference = b - m * share
    excess = math.copysign(max(0.0, abs(difference) - correction), difference)
    return standardised(excess, math.sqrt(m * share * (1.0 - share)), 0.0)


def _mid_p(b: int, m: int) -> Tails:
    """Return the binomial distribution with half of the observed count's probability in either tail (Fagerland et al. 2013)."""

    def above(count: int, share: float) -> float:
        return (at_least(count, m, share) + at_least(count + 1, m, share)) / 2.0

    def low(count: int, tail: float) -> float:
        if above(count, 0.0) >= tail:
            return 0.0
        if above(count, 1.0) <= tail:
            return 1.0
        return root(lambda share: above(count, share) - tail, 0.0, 1.0)

    return Tails(
        lambda share: ((at_most(b, m, share) + at_most(b - 1, m, share)) / 2.0, above(b, share)),
        lambda tail: (low(b, tail), 1.0 - low(m - b, tail)),
    )


def _chi_square(b: int, m: int, correction: float) -> Law:
    def end(z: float) -> float:
        moved = b + math.copysign(correction, z)
        return wilson_end(min(float(m), max(0.0, moved)), m, z)

    return score_law(lambda share: _chi(b, m, share, correction), end)


@method("paired-proportions")
def paired_proportions(counts: Discordance, *, kind: str = "tango") -> Answer:
    r"""Score interval and test for the difference of two error rates on the same examples.

    :Claim: The difference in error rate of the two models that were trained, on new examples.
    :Formula: ``z = (b - c - n d) / sqrt(n (2 q + d (1 - d))), q the likeliest share c/n for a
        difference d, standard normal``
    :Assumption: The test examples are independent draws, and both models were tested on all of
        them.

    Unlike McNemar's the interval is not conditional on the number of examples on which just one
    model errs, and has a width also where there are none. The estimate is (b - c)/n, with standard
    error :math:`\sqrt{b + c - (b-c)^2/n}/n`, on which neither interval is built; where n is
    unknown, shares are of b + c. The statistic is the z below.

    Parameters
    ----------
    counts : Discordance
        Numbers b and c of examples on which only the first, or the second, model errs, n of all,
        and for ``"newcombe"`` the number on which both err.
    null : float, default 0.0
        Difference of error rates under the null hypothesis, first minus second, in [-1, 1].
    kind : {"tango", "newcombe"}, default "tango"
        Tango's score interval ([1]_), or the simpler one of Newcombe ([2]_, method 10), which puts
        together Wilson intervals ([3]_) of the two error rates.

    See Also
    --------
    mcnemar, two_proportion_z, binomial

    Notes
    -----
    **Tango.** For a difference d,

    .. math:: z(d) = \frac{b - c - n d}{\sqrt{n (2 \hat q + d (1 - d))}}, \qquad
              \hat q = \frac{\sqrt{B^2 + 8 n c d (1-d)} - B}{4 n}, \quad B = (2n - b + c) d - b - c,

    where q is the maximum-likelihood estimate, for that d, of the probability that only the second
    model errs. z is referred to the standard normal distribution; for d = 0 it is McNemar's
    :math:`(b-c)/\sqrt{b+c}`. The ends of the interval solve :math:`z(d) = \pm z_{1-\alpha/2}`.

    **Newcombe.** With e_i the error rates, [l_i, h_i] their Wilson intervals and :math:`\phi` their
    correlation, the lower end lies :math:`\sqrt{u^2 - 2 \phi u v + v^2}` below the estimate, where
    u = e_1 - l_1 and v = h_2 - e_2; for the upper end u = h_1 - e_1 and v = e_2 - l_2. :math:`\phi
    = A/\sqrt{(a+b)(c+d)(a+c)(b+d)}` with a examples on which both err, d on which neither does, and
    A = ad - bc where that is negative, else ad - bc - n/2 or 0, whichever is larger; it is 0 where
    the product is. The p-value is that of the z at which the interval ends at the null.

    Examples
    --------
    >>> import errbar
    >>> result = errbar.methods.paired_proportions(errbar.Discordance(9, 3, n=32, both=4))
    >>> result.estimate, round(result.low, 3), round(result.high, 3)
    (0.1875, -0.027, 0.39)
    """
    z, end = (_tango if kind == "tango" else _newcombe)(counts)
    return Answer(counts.difference, counts.se, law=score_law(z, end), statistic=z)


def _tango(counts: Discordance) -> Any:
    """Return the statistic of a null, and the end of the interval at a normal quantile, which is negative for the lower end."""
    estimate, n = counts.difference, counts.size

    def z(null: float) -> float:
        """Return Tango's z at a difference: of one that is not negative, where the estimate of q loses no digits."""
        side = -1.0 if null < 0.0 else 1.0
        b, c = (counts.c, counts.b) if null < 0.0 else (counts.b, counts.c)
        d = abs(null)
        linear = (2 * n - b + c) * d - b - c
        constant = 2.0 * n * c * d * (1.0 - d)
        root = math.sqrt(linear * linear + 4.0 * constant)
        q = (root - linear) / (4.0 * n) if linear <= 0.0 else constant / n / (root + linear)
        return side * standardised(b - c - n * d, math.sqrt(n * (2.0 * q + d * (1.0 - d))), 0.0)

    def end(quantile: float) -> float:
        limit = math.copysign(1.0, quantile)
        if quantile == 0.0 or estimate == limit:
            return estimate
        # z(d) has infinite values and its arc tangent has none.
        return root(lambda d: math.atan(z(d)) + math.atan(quantile), estimate, limit)

    return z, end


def _newcombe(counts: Discordance) -> Any:
    n: Any = counts.n
    a: Any = counts.both
    b, c = counts.b, counts.c
    must = (
        "'newcombe' needs the number of examples `n` and on how many `both` models err; try 'tango'"
    )
    _check.require(None not in (n, a), must, counts, "kind")
    d = n - a - b - c
    # The correlation of both errors; a positive one is corrected for continuity.
    margins = (a + b) * (c + d) * (a + c) * (b + d)
    excess = a * d - b * c
    corrected = max(min(excess, 0), excess - n / 2.0)
    phi = corrected / math.sqrt(margins) if margins else 0.0

    def end(z: float) -> float:
        u = wilson_end(a + b, n, z) - (a + b) / n
        v = (a + c) / n - wilson_end(a + c, n, -z)
        reach = math.sqrt(max(0.0, u * u - 2.0 * phi * u * v + v * v))
        return min(1.0, max(-1.0, counts.difference + math.copysign(reach, z)))

    return lambda null: z_that_ends_at(null, counts.difference, end), end


@method("cochran-q")
def cochran_q(blocks: Blocks) -> GlobalResult:
    r"""Cochran's Q test that several models have the same error rate.

    :Claim: Whether the models that were trained all have the same error rate on new examples.
    :Formula: ``Q = (k - 1) (k sum C_j^2 - T^2) / (k T - sum R_i^2), chi-square with k - 1 degrees
        of freedom``
    :Assumption: The test examples are independent draws, and every model was tested on all of them.
    :Assumption: Many examples are judged differently by the models: some 24 or more answers on such
        examples.

    It extends McNemar's test to k models on the same N test examples; ``means`` are the error
    rates. Where every example is judged alike by all models Q is 0, p is 1, and a note says so.

    Parameters
    ----------
    blocks : Blocks
        Losses that are 0 or 1: a row per test example, a column per learner.

    See Also
    --------
    mcnemar, paired_proportions

    Notes
    -----
    With column sums C_j, row sums R_i and their total T, the statistic ([1]_) has k - 1 degrees of
    freedom:

    .. math:: Q = \frac{(k-1) \left(k \sum_j C_j^2 - T^2\right)}{k T - \sum_i R_i^2}.

    Examples
    --------
    >>> import errbar
    >>> blocks = errbar.Blocks([[0, 0, 1], [1, 0, 1], [0, 0, 1], [0, 1, 1], [1, 1, 1], [0, 0, 0]])
    >>> result = errbar.methods.cochran_q(blocks)
    >>> result.statistic, result.df, round(result.pvalue, 4)
    (4.5, 2.0, 0.1054)
    """
    require_zero_one(blocks.value)
    n, k = blocks.value.shape
    errors = blocks.value.astype(np.int64)
    columns, rows = errors.sum(axis=0), errors.sum(axis=1)  # C_j, R_i
    total = int(rows.sum())
    between = k * int(columns @ columns) - total**2
    within = k * total - int(rows @ rows)
    statistic = (k - 1) * between / within if within else 0.0
    return GlobalResult(
        estimand=Estimand.PROXY,
        n_train=blocks.n_train,
        statistic=statistic,
        df=float(k - 1),
        pvalue=float(special.chdtrc(k - 1, statistic)),
        means=tuple((columns / n).tolist()),
        n_blocks=n,
        notes=() if within else (DEGENERATE,),
    )

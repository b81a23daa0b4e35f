"""Student's t for several seeds, or answers, crossed with examples."""

import math
from typing import NamedTuple

from errbar import _check
from errbar._check import FloatArray
from errbar.clusters import Units
from errbar.errors import InvalidInputError
from errbar.losses import Losses, difference
from errbar.methods._core.answer import Answer
from errbar.methods._core.crossed import (
    Term,
    crossed,
    of_which_training,
    satterthwaite,
    tables_of,
)
from errbar.methods._core.registry import register
from errbar.methods.variance import skewed
from errbar.needs import SEEDS
from errbar.plans import Holdout, KFold, Seeds
from errbar.result import Estimand


@register(
    "crossed-t",
    pointwise=True,
    plans=(Holdout.kind, KFold.kind),
    default_plan=Seeds(),
    needs=(SEEDS,),
    once=True,
    estimand=Estimand.OVER_SEEDS,
    scaled=True,
    references=("satterthwaite1946", "miller2024"),
)
def crossed_t(losses: Losses, *, seeds: str = "own", floors: bool = True) -> Answer:
    r"""Student's t on the losses of several seeds on the same examples, both of which are random.

    :Claim: The mean loss on new examples over the randomness of training, on this very training
        set.
    :Formula: ``SE^2 = s^2/n of the means over seeds + (MS_seed - MS_error)/(S n) of each
        learner, t with Satterthwaite's degrees of freedom``
    :Fits: S (5 by default)
    :Assumption: Examples (or clusters of them) are independent of each other and of the
        training set.
    :Assumption: Seeds are independent of each other, and those of two learners too where each
        has its own.
    :Assumption: Every seed has tested every example.

    Seeds are fits on one training set that differ in their random choices, or several answers to each question. The error has two
    sources: other examples, and other seeds. Averaging over the seeds and taking examples as random leaves out the second; taking
    one score per seed leaves out the first. Where seeds have nothing in common over examples, as answers of a language model to
    different questions, only the means of the examples count ([2]_); then the mean squares of seeds and of the rest agree.

    Parameters
    ----------
    losses : Losses
        Losses of each seed on each example, of a learner or of two; examples may come in clusters.
    level : float, default 0.95
        Confidence level of the interval.
    null : float, default 0.0
        Mean loss (or difference) under the null hypothesis.
    alternative : {"two-sided", "less", "greater"}, default "two-sided"
        Alternative hypothesis; a one-sided one gives a one-sided interval.
    seeds : {"own", "shared"}, default "own"
        Whether the seeds of two learners have nothing in common, or the same seed means the same to both, such as the same order
        of the training examples.
    floors : bool, default True
        Whether components of variance that come out negative count as 0. Without it, the squared standard error is that of the mean squares.

    Returns
    -------
    Result
        Its ``components`` are the parts of the squared standard error: ``"seed"`` falls with more seeds, ``"example"`` with more examples,
        and ``"seed x example"`` with either.

    Raises
    ------
    InvalidInputError
        If shared seeds are not as many for both learners, or a squared standard error without floors is negative.

    See Also
    --------
    crossed_or : The same for any metric by the model of Obuchowski and Rockette.
    holdout_t, cluster_t : One seed.

    Notes
    -----
    With the loss :math:`D_{si}` of seed s on example i, S seeds and n examples, let :math:`MS_s`, :math:`MS_i` and :math:`MS_e`
    be the mean squares of seeds, examples and the rest. For a learner, or for the difference of two that share their seeds,

    .. math:: SE^2 = \frac{\max(MS_s - MS_e, 0) + \max(MS_i - MS_e, 0) + MS_e}{S n}.

    For the difference of two learners with seeds of their own, with the variance :math:`s_d^2` of the differences of the
    examples' means over seeds,

    .. math:: SE^2 = \frac{s_d^2}{n} + \sum_l \frac{MS_{s,l} - MS_{e,l}}{S_l n},

    but no less than :math:`s_d^2/n`. Degrees of freedom are those of Satterthwaite ([1]_) over all mean squares; where a floor
    holds, over those that are left. They are never fewer than the least of S - 1 and those of the examples, n - 1. Mean squares
    that are subtracted would leave next to none where the sum happens to be small. With 2, 3 or 5 seeds of each learner and 30
    examples, equal learners differed at 5 % in 2.8 to 5.5 % of 2000 simulated data sets. With shared seeds it was 2.0 to 6.8 %, but
    8 to 11 % with two seeds that matter (``benchmarks/few_seeds.py``). For clusters of examples, sums of clusters with the weights of `cluster_t` take the
    place of examples. For a metric, D is the metric of a seed plus the influence value of the example.

    Where the least or largest loss is known, as for the zero-one loss, the interval of a learner is that of t on the logit (or
    logarithmic) scale, carried back; that of a difference is cut at the ends. Where all examples have the least loss, or all the
    largest, the interval is that of Clopper & Pearson for as many trials as there are clusters, or examples.

    References
    ----------
    .. [1] Satterthwaite (1946), Biometrics Bulletin 2(6), 110-114.
    .. [2] Miller (2024), arXiv:2411.00640.

    Examples
    --------
    >>> import errbar
    >>> a = [[0.1, 0.5, 0.2, 0.9, 0.4], [0.3, 0.6, 0.5, 1.0, 0.4], [0.2, 0.8, 0.3, 1.2, 0.7]]
    >>> b = [[0.3, 0.4, 0.5, 0.7, 0.3], [0.2, 0.7, 0.5, 0.8, 0.2], [0.4, 0.6, 0.4, 0.9, 0.5]]
    >>> result = errbar.methods.crossed_t(errbar.testing.forms.crossed(a, b))
    >>> round(result.estimate, 4), round(result.se, 4)
    (0.0467, 0.0943)
    """
    share = _check.choice(seeds, ("own", "shared"), "seeds")
    _check.flag(floors, "floors")
    x, y, units, _ = tables_of(losses)
    if y is not None and share == "shared":
        if y.shape != x.shape:
            raise InvalidInputError(
                f"'shared' needs as many seeds of both learners, got {x.shape[0]} and {y.shape[0]}; try 'own'",
                argument="seeds",
            )
        x, y = difference(x, y), None
    means = x.mean(axis=0)
    if y is None:
        error = _one_learner(x, units, floors=floors)
    else:
        means = difference(means, y.mean(axis=0))
        error = _two_learners(x, y, units.squared_error(means), units, floors=floors)
    squared = sum(term.size for term in error.terms)
    if squared < 0.0:
        raise InvalidInputError(
            f": without them the squared standard error is negative, {squared:.3g}; leave `floors` out",
            argument="floors",
        )
    what = "clusters" if "group" in losses.each[0].index else "examples"
    return Answer(
        estimate=error.estimate,
        se=math.sqrt(squared),
        df=satterthwaite(error.terms),
        n_train=losses.n_train,
        n_splits=losses.n_splits,
        notes=of_which_training(losses),
        components=error.components,
        remarks=skewed(units.sums(means), what, losses.metric),
    )


class _Error(NamedTuple):
    """An estimate, the mean squares whose sum is its squared standard error, and what each source of error adds to that."""

    estimate: float
    terms: tuple[Term, ...]
    components: dict[str, float]


def _one_learner(x: FloatArray, units: Units, *, floors: bool) -> _Error:
    found = crossed(x, units)
    both = found.both.size
    terms, components = [], {}
    for name, term in (("seed", found.seed), ("example", found.example)):
        added = term.size - both
        if added < 0.0 and floors:
            components[name] = 0.0
        else:
            components[name] = added
            terms.append(term)
    # Each component that is left has its mean square less that of the rest, and the rest comes once.
    rest = Term((1 - len(terms)) * both, found.both.df)
    return _Error(found.estimate, (*terms, rest), components | {"seed x example": both})


def _two_learners(
    x: FloatArray, y: FloatArray, items: float, units: Units, *, floors: bool
) -> _Error:
    """Return the error of a difference of learners with seeds of their own; `items` is that of the means over seeds."""
    one, other = crossed(x, units), crossed(y, units)
    seeds = [term for own in (one, other) for term in (own.seed, Term(-own.both.size, own.both.df))]
    added = sum(term.size for term in seeds)
    # The means over seeds vary with the examples, and with what seeds and examples add together.
    both = one.both.size + other.both.size
    if floors:
        both = min(both, items)
        if added < 0.0:
            seeds, added = [], 0.0
    components = {"seed": added, "example": items - both, "seed x example": both}
    return _Error(one.estimate - other.estimate, (Term(items, units.df), *seeds), components)

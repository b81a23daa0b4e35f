"""The out-of-bag bootstrap, .632 and .632+ of Efron & Tibshirani."""

import math
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from errbar import _check
from errbar._check import FloatArray
from errbar.losses import difference
from errbar.methods._core.inputs import OutOfBag
from errbar.methods._core.registry import method
from errbar.methods.distributions import Answer, mean, variance
from errbar.result import Note

_OPTIMISTIC = Note(
    "optimistic", what="a learner that fits its training examples much better", instead="'632-plus'"
)
_CAPPED = Note("out-of-bounds", quantity="out-of-bag error", used="the no-information rate")

# So many numbers are held in memory at a time.
_BLOCK = 1 << 18
_LARGEST = 1e150


@method("oob-bootstrap")
def oob_bootstrap(losses: OutOfBag, *, remove_monte_carlo: bool = True) -> Answer:
    r"""Out-of-bag bootstrap: mean loss on the examples that bootstrap samples lack.

    :Claim: The expected loss of the learning algorithm trained on bootstrap samples, that is on
        about 0.632 n distinct examples.
    :Formula: ``SE^2 = n/n_usable sum D_i^2, D_i the influence of example i by the delta method,
        standard normal``
    :Assumption: The examples are independent draws from one population.
    :Assumption: There are enough bootstrap samples for the Monte-Carlo part of the variance to be
        small, or it is removed.
    :Assumption: The estimate is nearly normal.

    Every example is judged by the models whose bootstrap sample lacks it ([1]_, where it is called
    the leave-one-out bootstrap). The estimate is too high for a learner that still improves with
    more examples; `bootstrap_632` and `bootstrap_632_plus` correct for that. The training size is
    the mean number of distinct examples in a sample. Notes say where Monte-Carlo noise is more than
    half of the variance, and where examples were never out of bag.

    Parameters
    ----------
    losses : OutOfBag
        Losses of the model of each bootstrap sample on the examples that it lacks; of one learner
        or two.
    remove_monte_carlo : bool, default False
        Subtract from the variance the part that comes from having only B samples. Without this, the
        standard error is too large unless B is several times n.

    See Also
    --------
    bootstrap_632_plus, nested_cv, bootstrap_benchmark

    Notes
    -----
    With :math:`N_{ib}` the number of times that sample b holds example i, :math:`I_{ib} = [N_{ib} =
    0]` and :math:`L_{ib}` the losses, :math:`E_i = \sum_b I_{ib} L_{ib} / \sum_b I_{ib}`, the
    estimate is the mean of the :math:`E_i` over the :math:`n_u` examples that some sample lacks,
    and ([1]_, eqs. 35 to 40)

    .. math:: SE^2 = \frac{n}{n_u} \sum_i D_i^2, \qquad
              D_i = \Bigl(2 + \frac{1}{n-1}\Bigr) \frac{E_i - \widehat{Err}}{n}
                    + \frac{\sum_b (N_{ib} - \bar N_i)\, q_b}{\sum_b I_{ib}}, \qquad
              q_b = \frac1n \sum_i I_{ib} L_{ib}.

    The variance that the :math:`D_i` owe to the finite B adds to their squares. With :math:`U_{ib}`
    what sample b contributes to :math:`D_i`, so that :math:`\sum_b U_{ib} = 0`, it is estimated as
    :math:`\frac{n}{n_u} \frac{B}{B-1} \sum_{ib} U_{ib}^2`, and `remove_monte_carlo` subtracts that,
    unless nothing would be left. Losses that are all equal have standard error 0.

    Examples
    --------
    >>> import errbar
    >>> counts = [[2, 1, 0, 1], [0, 1, 2, 0], [1, 0, 2, 1], [2, 3, 0, 1], [0, 0, 1, 2]]
    >>> losses = [0.989, 0.398, 0.116, 0.07, 0.244, 0.792, 0.34]
    >>> bags = errbar.OutOfBag(losses, sample=[0, 0, 1, 1, 2, 2, 3], example=[1, 4, 2, 4, 0, 3, 1], counts=counts)
    >>> result = errbar.methods.oob_bootstrap(bags)
    >>> round(result.estimate, 4), round(result.se, 4)
    (0.4101, 0.1808)
    """
    answer = _answer(losses, lambda err1, _: err1, remove=remove_monte_carlo)
    answer.n_train = np.count_nonzero(losses.counts) / losses.samples  # distinct examples
    answer.n_splits = losses.samples  # no model is fitted on all examples
    return answer


@method("632")
def bootstrap_632(losses: OutOfBag, *, remove_monte_carlo: bool = True) -> Answer:
    r"""The .632 bootstrap: out-of-bag error and training error, mixed.

    :Claim: The expected loss of the learning algorithm at training size n, for learners that do not
        overfit.
    :Formula: ``0.368 training error + 0.632 Err1, SE = SE(Err1) times estimate over Err1, standard
        normal``
    :Assumption: The examples are independent draws from one population.
    :Assumption: The learner does not overfit: its training error is not far below its error on
        other examples.
    :Assumption: The standard error keeps its proportion to the estimate when the training error is
        mixed in.

    The out-of-bag error is too high, since a bootstrap sample holds about 0.632 n distinct examples
    only; the training error is too low. The mixture is about right for learners that do not overfit
    ([1]_). For one that fits its training examples perfectly, such as 1-nearest neighbour, it is
    0.632 of the out-of-bag error and much too low.

    Parameters
    ----------
    losses : OutOfBag
        Losses on the examples that each sample lacks, with ``training_error``; of one learner or
        two.
    remove_monte_carlo : bool, default False
        See `oob_bootstrap`.

    See Also
    --------
    bootstrap_632_plus, oob_bootstrap

    Notes
    -----
    With :math:`Err_1` the out-of-bag error and :math:`err` the training error, the estimate is
    :math:`0.368\, err + 0.632\, Err_1` ([1]_; [2]_, section 3), and its standard error that of
    :math:`Err_1`, of `oob_bootstrap`, times estimate over :math:`Err_1`. For a difference each
    learner is estimated by itself; its standard error comes from the differences of the :math:`D_i`
    of both, each times its own learner's estimate over :math:`Err_1`. An out-of-bag error of 0
    gives the standard error 0.

    Examples
    --------
    >>> import errbar
    >>> counts = [[2, 1, 0, 1], [0, 1, 2, 0], [1, 0, 2, 1], [2, 3, 0, 1], [0, 0, 1, 2]]
    >>> losses = [0.989, 0.398, 0.116, 0.07, 0.244, 0.792, 0.34]
    >>> cells = {"sample": [0, 0, 1, 1, 2, 2, 3], "example": [1, 4, 2, 4, 0, 3, 1]}
    >>> result = errbar.methods.bootstrap_632(errbar.OutOfBag(losses, counts=counts, training_error=0.2, **cells))
    >>> round(result.estimate, 4), round(result.se, 4)
    (0.3328, 0.1467)
    """

    def estimate(err1: float, side: OutOfBag) -> float:
        return 0.368 * _told(side, "training_error") + 0.632 * err1

    return _answer(losses, estimate, [_OPTIMISTIC], remove=remove_monte_carlo)


@method("632-plus")
def bootstrap_632_plus(losses: OutOfBag, *, remove_monte_carlo: bool = True) -> Answer:
    r"""The .632+ bootstrap: out-of-bag error and training error, mixed by how much the learner overfits.

    :Claim: The expected loss of the learning algorithm at training size n, also for learners that
        overfit.
    :Formula: ``(1 - w) training error + w Err1, w = .632/(1 - .368 R), SE = SE(Err1) times estimate
        over Err1, standard normal``
    :Assumption: The examples are independent draws from one population.
    :Assumption: How much a learner overfits shows in its errors, between the training error and the
        no-information rate.
    :Assumption: The standard error keeps its proportion to the estimate when the training error is
        mixed in.

    As `bootstrap_632`, but the more a learner overfits, the more weight the out-of-bag error gets.
    Overfitting is measured by where that lies between the training error and the no-information
    rate: what the predictions would lose if they had nothing to do with the targets ([1]_, section
    3). A note says where a learner does worse than that.

    Parameters
    ----------
    losses : OutOfBag
        Losses on the examples that each sample lacks, with ``training_error`` and
        ``no_information``; of one learner or two.
    remove_monte_carlo : bool, default False
        See `oob_bootstrap`.

    See Also
    --------
    bootstrap_632, oob_bootstrap, nested_cv

    Notes
    -----
    With :math:`Err_1` the out-of-bag error, :math:`err` the training error of the model fitted on
    all examples, and :math:`\gamma` its mean loss over all pairs of a target with a prediction
    ([1]_, section 3),

    .. math:: Err_1' = \min(Err_1, \gamma), \qquad R' = \frac{Err_1' - err}{\gamma - err}
              \text{ if } Err_1, \gamma > err, \text{ else } 0,

    .. math:: \widehat{Err} = 0.368\, err + 0.632\, Err_1 + (Err_1' - err) \frac{0.368 \cdot 0.632\, R'}{1 - 0.368 R'},

    which is :math:`(1 - w)\, err + w\, Err_1` with :math:`w = 0.632/(1 - 0.368 R')` where
    :math:`Err_1 \le \gamma`. Standard errors, also of differences, are as for `bootstrap_632`.

    Examples
    --------
    >>> import errbar
    >>> counts = [[2, 1, 0, 1], [0, 1, 2, 0], [1, 0, 2, 1], [2, 3, 0, 1], [0, 0, 1, 2]]
    >>> known = {"sample": [0, 0, 1, 1, 2, 2, 3], "example": [1, 4, 2, 4, 0, 3, 1], "counts": counts}
    >>> losses = [0.989, 0.398, 0.116, 0.07, 0.244, 0.792, 0.34]
    >>> bags = errbar.OutOfBag(losses, **known, training_error=0.2, no_information=0.5)
    >>> result = errbar.methods.bootstrap_632_plus(bags)
    >>> round(result.estimate, 4), round(result.se, 4)
    (0.3789, 0.167)
    """
    notes = set()

    def estimate(err1: float, side: OutOfBag) -> float:
        err, gamma = _told(side, "training_error"), _told(side, "no_information")
        capped = min(err1, gamma)  # Err1'
        if capped < err1:
            notes.add(_CAPPED)
        overfit = min(1.0, (capped - err) / (gamma - err)) if capped > err else 0.0  # R'
        more = (capped - err) * 0.368 * 0.632 * overfit / (1.0 - 0.368 * overfit)
        return 0.368 * err + 0.632 * err1 + more

    return _answer(losses, estimate, notes, remove=remove_monte_carlo)


def _told(losses: OutOfBag, name: str) -> float:
    found: float | None = getattr(losses, name)
    must = "must be known; use plan Bootstrap(training_error=True) and a loss per example, or method 'oob-bootstrap'"
    _check.require(found is not None, must, found, name)
    return found or 0.0


def _answer(
    losses: OutOfBag,
    rule: Callable[[float, OutOfBag], float],
    notes: Iterable[Note] = (),
    *,
    remove: bool,
) -> Answer:
    """Return the estimate, or difference, of losses times estimate over Err1: the delta method follows."""
    estimates, scaled = [], []
    for side in filter(None, (losses, losses.minus)):
        err1 = error(side.value, side)
        estimates.append(rule(err1, side))
        weight = estimates[-1] / err1 if err1 else float(estimates[-1] == 0.0)
        fits = abs(weight) * float(np.abs(side.value).max()) <= _LARGEST
        must = f"and `no_information` must be of the size of the losses, whose mean is {err1:g}"
        _check.require(fits, must, estimates[-1], "training_error")
        scaled.append(weight * side.value)
    value, estimate = scaled[0], estimates[0]
    if losses.minus is not None:
        value = difference(*scaled)
        estimate = float(difference(*np.array(estimates)))
    squared, noise = spread(value, losses)
    said = list(notes)
    missing = losses.n - np.unique(losses.example).size
    if missing:
        never = f"{missing} of {losses.n} examples"
        said.append(Note("left-out", what=[never], why="being in every bootstrap sample"))
    if noise > squared / 2.0:
        said.append(Note("few", count=losses.samples, what="bootstrap samples"))
    # Noise that is all of the variance, or more, is not taken out.
    if remove and noise < squared:
        squared -= noise
    return Answer(
        estimate,
        math.sqrt(squared),
        n_train=float(losses.n),
        n_splits=losses.samples + 1,
        notes=tuple(said),
    )


def _means_by_example(value: FloatArray, losses: OutOfBag) -> Any:
    """Return the examples that some sample lacks, the number of such samples, and the example's mean loss E_i there."""
    times = np.bincount(losses.example)
    usable = np.flatnonzero(times)
    total = np.bincount(losses.example, value)
    return usable, times[usable], total[usable] / times[usable]


def error(value: FloatArray, losses: OutOfBag) -> float:
    """Return Err1, the mean of the E_i; examples that no sample lacks have no say."""
    return mean(_means_by_example(value, losses)[2])


def spread(value: FloatArray, losses: OutOfBag) -> tuple[float, float]:
    """Return the delta-method variance of Err1, sum D_i^2, and how much of it is noise of the finite number of samples."""
    # The formula's q_b vary with the number of examples out of bag, also where the losses do not vary at all.
    if variance(value) == 0.0:
        return 0.0, 0.0
    n, samples = losses.n, losses.samples
    usable, times, means = _means_by_example(value, losses)
    q = np.bincount(losses.sample, value, samples) / n
    centred = q - mean(q)
    factor = (2.0 + 1.0 / (n - 1)) / n
    err1 = mean(means)
    order = np.argsort(losses.example, kind="stable")
    place, sample = np.searchsorted(usable, losses.example[order]), losses.sample[order]
    # What a sample adds to E_i, and by that to Err1.
    own = factor * (value[order] - means[place]) / times[place]
    common = np.bincount(sample, own, samples) / usable.size
    total = noise = 0.0
    rows = max(1, _BLOCK // samples)
    for start in range(0, usable.size, rows):
        block = slice(start, start + rows)
        counts = losses.counts[usable[block]].astype(np.float64)
        slope = counts @ centred / times[block]
        d = factor * (means[block] - err1) + slope
        # What each sample adds to each D_i, shape (rows, B).
        added = counts - counts.mean(axis=1, keepdims=True)
        added *= centred / times[block, np.newaxis]
        added -= common
        first, last = np.searchsorted(place, [start, start + rows])
        inside = place[first:last] - start
        added[inside, sample[first:last]] += own[first:last] - (slope / times[block])[inside]
        total += d @ d
        noise += np.vdot(added, added)
    # Examples without a loss lack by chance alone, so the others stand for them.
    scale = n / usable.size
    return float(scale * total), float(scale * noise * samples / (samples - 1))

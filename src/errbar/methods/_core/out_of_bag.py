"""The mean loss on examples that bootstrap samples lack, and its variance by the delta method."""

import math
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np

from errbar import _check
from errbar._check import FloatArray, IntArray
from errbar.errors import InvalidInputError
from errbar.losses import difference
from errbar.methods._core.answer import Answer
from errbar.methods.distributions import mean, variance
from errbar.methods.inputs import OutOfBag
from errbar.needs import EXAMPLES, PLAIN
from errbar.plans import Bootstrap
from errbar.result import Estimand, Note

OUT_OF_BAG: dict[str, Any] = {
    "needs": (EXAMPLES, PLAIN),
    "estimand": Estimand.EXPECTED_RISK,
}
"""What methods for such losses declare alike."""

WITH_TRAINING_ERROR = {
    **OUT_OF_BAG,
    "default_plan": Bootstrap(training_error=True),
    "fits": "B + 1 (201 by default)",
    "exempt": {
        "shift": "the standard error is in proportion to the estimate, so it grows when a constant is added to the losses",
    },
}
"""What those declare alike that mix in the training error."""

# So many numbers are held in memory at a time.
_BLOCK = 1 << 18
_LARGEST = 1e150


Rule = Callable[[float, OutOfBag], tuple[float, tuple[Note, ...]]]
"""From the out-of-bag error of a learner, and what else is known of it, to an estimate with notes."""


class SampleSpread(NamedTuple):
    """Variance of a mean out-of-bag loss, and the part of it that is Monte-Carlo noise."""

    variance: float
    noise: float


def error(value: FloatArray, losses: OutOfBag) -> float:
    """Return Err1: the mean over examples of an example's mean loss in the samples that lack it.

    Parameters
    ----------
    value : ndarray, shape (C,)
        Losses, one for each entry of `losses`.
    losses : OutOfBag
        Which sample and example each belongs to.

    Returns
    -------
    float
        Examples that no sample lacks have no say.
    """
    return mean(_example_means(value, losses)[2])


def spread(value: FloatArray, losses: OutOfBag) -> SampleSpread:
    """Return the delta-method variance of `error`, and how much of it is noise of the finite number of samples.

    Parameters
    ----------
    value : ndarray, shape (C,)
        Losses, one for each entry of `losses`.
    losses : OutOfBag
        Which sample and example each belongs to, and how often each sample holds each example.

    Returns
    -------
    SampleSpread
        Zero for losses that do not vary.
    """
    # The formula's q_b vary with the number of examples out of bag, also where the losses do not vary at all.
    if variance(value) == 0.0:
        return SampleSpread(0.0, 0.0)
    usable, times, means = _example_means(value, losses)
    squares = np.add.reduce(list(_block_squares(value, losses, usable, times, means)), axis=0)
    # Examples without a loss lack by chance alone, so the others stand for them.
    total, noise = (losses.n / usable.size * squares).tolist()
    return SampleSpread(total, noise * losses.samples / (losses.samples - 1))


def _example_means(value: FloatArray, losses: OutOfBag) -> tuple[IntArray, IntArray, FloatArray]:
    """Return the examples that some sample lacks, the number of such samples, and the example's mean loss there."""
    times = np.bincount(losses.example, minlength=losses.n)
    usable = np.flatnonzero(times)
    total = np.bincount(losses.example, weights=value, minlength=losses.n)
    return usable, times[usable], total[usable] / times[usable]


def _block_squares(
    value: FloatArray, losses: OutOfBag, usable: IntArray, times: IntArray, means: FloatArray
) -> Iterator[tuple[float, float]]:
    """Yield, for one block of examples after another, the sums of D_i^2 and of their Monte-Carlo variances.

    D_i is a smooth function of averages over samples. What one sample contributes to it has, summed over samples, the
    square that estimates the variance of D_i over repetitions of the resampling (infinitesimal jackknife).
    """
    per_sample = np.bincount(losses.sample, weights=value, minlength=losses.samples) / losses.n
    centred = per_sample - mean(per_sample)
    factor = (2.0 + 1.0 / (losses.n - 1)) / losses.n
    estimate = mean(means)
    order = np.argsort(losses.example, kind="stable")
    place = np.searchsorted(usable, losses.example[order])
    sample = losses.sample[order]
    deviation = (value[order] - means[place]) / times[place]
    common = factor * np.bincount(sample, weights=deviation, minlength=losses.samples) / usable.size
    rows = max(1, _BLOCK // losses.samples)
    for start in range(0, usable.size, rows):
        block = slice(start, start + rows)
        counts = losses.counts[usable[block]].astype(np.float64)
        slope = counts @ centred / times[block]
        effect = factor * (means[block] - estimate) + slope
        counts -= counts.mean(axis=1, keepdims=True)
        counts *= centred / times[block, np.newaxis]
        counts -= common
        first, last = np.searchsorted(place, [start, start + rows])
        inside = place[first:last] - start
        counts[inside, sample[first:last]] += (
            factor * deviation[first:last] - (slope / times[block])[inside]
        )
        yield float(effect @ effect), float(np.vdot(counts, counts))


def out_of_bag(losses: OutOfBag, *, remove_monte_carlo: bool, rule: Rule | None = None) -> Answer:
    """Return the answer of a method that turns out-of-bag errors into estimates.

    Parameters
    ----------
    losses : OutOfBag
        Losses of a learner, or of two.
    remove_monte_carlo : bool
        Whether the Monte-Carlo part is taken out of the variance.
    rule : callable, optional
        From the out-of-bag error of a learner to its estimate; without it the error is the estimate.
    """
    remove = _check.flag(remove_monte_carlo, "remove_monte_carlo")
    _require_complete(losses)
    value, estimate, notes = _plain(losses) if rule is None else _ruled(losses, rule)
    found = spread(value, losses)
    kept, noisy = _kept(found, remove=remove)
    # The Monte-Carlo part is most of the variance, or all of it, and then it is not taken out.
    caveats = (Note("few", count=losses.samples, what="bootstrap samples"),) if noisy else ()
    return Answer(
        estimate=estimate,
        se=math.sqrt(kept),
        n_train=float(losses.n) if rule else np.count_nonzero(losses.counts) / losses.samples,
        n_splits=losses.samples + (rule is not None),
        notes=(*notes, *_never_out(losses), *caveats),
    )


def training_error(losses: OutOfBag, method: str) -> float:
    """Return the training error, or say how to get one."""
    if losses.training_error is None:
        raise InvalidInputError(
            f"of the model fitted on all examples is needed by method {method!r}; use plan Bootstrap(training_error=True)",
            argument="training_error",
        )
    return losses.training_error


def _plain(losses: OutOfBag) -> tuple[FloatArray, float, tuple[Note, ...]]:
    value = losses.value if losses.minus is None else difference(losses.value, losses.minus.value)
    return value, error(value, losses), ()


def _ruled(losses: OutOfBag, rule: Rule) -> tuple[FloatArray, float, tuple[Note, ...]]:
    """Return losses, each learner's times estimate over error, so that their delta method is the estimate's; and that."""
    scaled, estimates, notes = [], [], {}
    for side in (losses,) if losses.minus is None else (losses, losses.minus):
        out = error(side.value, losses)
        estimate, found = rule(out, side)
        scaled.append(_scaled(side.value, estimate, out))
        estimates.append(estimate)
        notes.update(dict.fromkeys(found))
    if len(scaled) == 1:
        return scaled[0], estimates[0], tuple(notes)
    return difference(*scaled), estimates[0] - estimates[1], tuple(notes)


def _scaled(value: FloatArray, estimate: float, out: float) -> FloatArray:
    weight = estimate / out if out else 0.0
    if not abs(weight) * float(np.abs(value).max()) <= _LARGEST:
        raise InvalidInputError(
            f"and `no_information` must be of the size of the losses: the estimate is {estimate:g}, "
            f"and the out-of-bag error {out:g}",
            argument="training_error",
        )
    return np.asarray(weight * value)


def _kept(found: SampleSpread, *, remove: bool) -> tuple[float, bool]:
    """Return the variance to use, and whether most of it was Monte-Carlo noise."""
    noisy = found.noise > found.variance / 2.0
    if not remove:
        return found.variance, noisy
    if found.noise >= found.variance:
        return found.variance, found.variance > 0.0
    return found.variance - found.noise, noisy


def _require_complete(losses: OutOfBag) -> None:
    wanted = losses.counts.size - np.count_nonzero(losses.counts)
    if losses.value.size != wanted:
        raise InvalidInputError(
            f"must hold one loss for every example that a bootstrap sample lacks, {wanted} in all, got {losses.value.size}",
            argument="value",
        )


def _never_out(losses: OutOfBag) -> tuple[Note, ...]:
    missing = losses.n - np.unique(losses.example).size
    if not missing:
        return ()
    return (
        Note(
            "left-out",
            what=[f"{missing} of {losses.n} examples"],
            why="being in every bootstrap sample",
        ),
    )

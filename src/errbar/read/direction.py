"""Which numbers are better, by what somebody says or by their name; and the loss of numbers that are given."""

from dataclasses import replace
from functools import partial
from typing import Any

from errbar import _check
from errbar._check import FloatArray
from errbar.errors import InvalidInputError
from errbar.metrics import LOSSES, METRICS, Loss, lookup
from errbar.metrics._directions import score_words, unturned
from errbar.result import Note

_EITHER = {"score", "scores"}
"""Names of numbers that may be losses, such as Brier scores, although the word is mostly said of others."""


def given_loss(
    metric: str | None, *, higher_is_better: bool, pointwise: bool, points: FloatArray | None = None
) -> Loss:
    """Return the loss of given numbers, which have a name by their direction at least.

    Named like one of ours, it has the range of that, if all `points` lie in it.
    """
    metric = metric or ("score" if higher_is_better else "loss")
    loss = Loss(metric, partial(_unavailable, metric), (), "any", pointwise, higher_is_better)
    ours = (LOSSES | METRICS).get(metric)
    if points is None or ours is None or ours.higher_is_better != higher_is_better:
        return loss
    low, high = sorted(loss.sign * end for end in ours.range)
    inside = float(points.min()) >= low and float(points.max()) <= high
    return replace(loss, range=ours.range) if inside else loss


def is_higher_better(metric: str | None, *, said: bool | None) -> bool:
    """Return whether higher is better: as somebody says, else as the name of the numbers says, and else not."""
    if said is not None:
        return _check.flag(said, "higher_is_better")
    return metric is not None and metric.lower() not in _EITHER and _is_score(metric) is True


def direction_notes(
    metric: str | None, points: FloatArray | None = None, *, said: bool | None
) -> tuple[Note, ...]:
    """Say which numbers are taken to be better, where neither the user says it nor a name that is known."""
    if said is not None:
        return ()
    named = None if metric is None else _is_score(metric)
    what = "the measure" if metric is None else metric
    lower = Note("direction", what=what, better="lower", say="higher_is_better")
    if named is False:
        negated = points is not None and bool((points < 0.0).all())  # as negated losses are
        return (lower,) if negated else ()
    if metric is not None and _is_known(metric):
        return ()
    if named and is_higher_better(metric, said=None):
        return (Note("direction", what=what, better="higher", say="higher_is_better"),)
    return (lower,)


def is_measure(metric: str) -> bool:
    """Tell whether a name says that numbers are losses or scores."""
    return _is_score(metric) is not None


def _is_score(metric: str) -> bool | None:
    """Tell whether a number of this name is a score; None where nobody knows."""
    return lookup(metric).higher_is_better if _is_known(metric) else score_words(metric)


def _is_known(metric: str) -> bool:
    """Tell whether a name is that of one of our losses; a negative one is a score, and the loss of that name is none."""
    try:
        lookup(metric)
    except ValueError:
        return False
    return not unturned(metric.lower())[1]


def _unavailable(metric: str, *_: Any) -> Any:
    raise InvalidInputError(f"{metric!r} was given as numbers and cannot be computed again")

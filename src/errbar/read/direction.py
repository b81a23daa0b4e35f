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
    metric: str | None,
    *,
    higher_is_better: bool,
    pointwise: bool,
    numbers: FloatArray | None = None,
) -> Loss:
    """Return the loss of given numbers, which have a name by their direction at least.

    Named like one of ours, it has the range of that, if all `numbers` lie in it.
    """
    metric = metric or ("score" if higher_is_better else "loss")
    loss = Loss(metric, partial(_unavailable, metric), (), "any", pointwise, higher_is_better)
    ours = (LOSSES | METRICS).get(metric)
    if numbers is None or ours is None or ours.higher_is_better != higher_is_better:
        return loss
    low, high = ours.range
    inside = low <= float(numbers.min()) and float(numbers.max()) <= high
    return replace(loss, range=ours.range) if inside else loss


def direction_of(
    metric: str | None, said: Any, numbers: FloatArray
) -> tuple[bool, tuple[Note, ...]]:
    """Return whether higher is better: as somebody says, else as the name of the numbers says, and else not.

    A note says what was taken where neither the user says it nor a name that is known.
    """
    if said is not None:
        return _check.flag(said, "higher_is_better"), ()
    score = None if metric is None else is_score(metric)
    higher = score is True and str(metric).lower() not in _EITHER
    negated = score is False and bool((numbers < 0.0).all())  # as negated losses are
    known = metric is not None and (score is False or _is_known(metric))
    if known and not negated:
        return higher, ()
    what = "the measure" if metric is None else metric
    better = "higher" if higher else "lower"
    return higher, (Note("direction", what=what, better=better, say="higher_is_better"),)


def is_score(metric: str) -> bool | None:
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

"""The number of one set of test examples, and what is refused because a set does not have one."""

import math
from collections.abc import Callable, Sequence

import numpy as np

from errbar._check import FloatArray, listed
from errbar.errors import InvalidInputError, UndefinedMetricError
from errbar.metrics._loss import Loss
from errbar.metrics._sample import DECISION, LABEL, PROBABILITY, Array, Sample, Target

_REMEDY = "use stratified splits (stratify=True, --stratify), fewer folds or larger test sets, or pool='splits'"


def dry_run(
    loss: Loss, target: Target, truths: Sequence[Array], describe: Callable[[int], str]
) -> None:
    """Compute a metric for flawless predictions, so that a hopeless one is refused before any fit.

    Parameters
    ----------
    loss : Loss
        What will be computed.
    target : Target
        What is to be predicted.
    truths : sequence of ndarray
        Truth of each set of examples that it is computed of.
    describe : callable
        Names one of these sets.

    Raises
    ------
    InvalidInputError
        If it cannot be computed on some set, such as an AUC where only one class occurs.
    """
    if loss.pointwise:
        return
    samples = [_flawless(loss, target, truth) for truth in truths]
    lacks = [
        (j, lack) for j, one in enumerate(samples) if (lack := _lack(loss, target, one)) is not None
    ]
    if lacks:
        where = listed([describe(j) for j, _ in lacks], 3, "; ")
        raise UndefinedMetricError(
            f"{loss.key!r} is undefined on {len(lacks)} of {len(truths)} splits ({where}): {lacks[0][1]}; {_REMEDY}"
        )
    for j, sample in enumerate(samples):
        number(loss, target, sample, describe(j))


def number(
    loss: Loss, target: Target, sample: Sample, name: str, *, derive: bool = False
) -> tuple[float, FloatArray | None]:
    """Return the number of one set of examples, larger is worse, and the influence values, where it has them.

    Parameters
    ----------
    loss : Loss
        What to compute.
    target : Target
        What was to be predicted.
    sample : Sample
        The examples.
    name : str
        Of the set, for messages.
    derive : bool, default False
        Whether influence values are computed by derivatives where the metric does not tell them.

    Raises
    ------
    UndefinedMetricError
        If the metric is undefined there.
    InvalidInputError
        If it cannot be computed.
    """
    lack = _lack(loss, target, sample)
    if lack is not None:
        raise UndefinedMetricError(
            f"{loss.key!r} is undefined on split {name!r}: {lack}; {_REMEDY}"
        )
    try:
        value, influence = (loss.by_derivative if derive else loss.measured)(target, sample)
    except InvalidInputError:
        raise
    except (
        UserWarning
    ) as error:  # scikit-learn's own word for it, such as a precision without predicted positives
        reason = " ".join(str(error).split()).partition(" Use `zero_division`")[0]
        raise UndefinedMetricError(
            f"{loss.key!r} is undefined on split {name!r}: {reason}"
        ) from None
    except (
        ValueError,
        TypeError,
        AttributeError,
        IndexError,
        KeyError,
        ZeroDivisionError,
    ) as error:
        if not (loss.influence and isinstance(error, ZeroDivisionError)):
            reason = " ".join(str(error).split())
            raise InvalidInputError(
                f"{loss.key!r} cannot be computed on split {name!r}: {reason}"
            ) from None
        value, influence = math.nan, None  # a correlation with labels that do not vary, say
    if not np.isfinite(value):
        raise UndefinedMetricError(
            f"{loss.key!r} is undefined on split {name!r}: {_why(loss, target, sample, value)}"
        )
    return value, influence


def _why(loss: Loss, target: Target, sample: Sample, value: float) -> str:
    """Return why a metric is not a number."""
    if loss.influence and LABEL in loss.needs and target.classes is not None:
        said = set(target.classes[np.unique(sample.labels)].tolist())
        missing = [one for one in target.classes.tolist() if one not in said]
        if missing:
            return f"no example is predicted to be of class {missing[0]!r}"
    return f"it gives {value}; {_REMEDY}"


def _lack(loss: Loss, target: Target, sample: Sample) -> str | None:
    """Return what a set of examples lacks for the metric to be defined, in words."""
    lack = None if loss.lacks is None else loss.lacks(sample)
    if lack is None or isinstance(lack, str):
        return lack
    assert target.classes is not None
    role = "the positive class" if lack == sample.positive else "class"
    return f"no example of {role} {target.classes.tolist()[lack]!r} is tested"


def _flawless(loss: Loss, target: Target, truth: Array) -> Sample:
    """Return a set of examples that is predicted without an error."""
    flawless: dict[str, Array] = {LABEL: truth}
    if target.classes is not None:
        flawless[PROBABILITY] = np.eye(target.n_classes)[truth]
        flawless[DECISION] = truth.astype(float) if target.n_classes == 2 else flawless[PROBABILITY]
    return loss.sample(target, truth, {kind: flawless[kind] for kind in loss.kinds(flawless)})

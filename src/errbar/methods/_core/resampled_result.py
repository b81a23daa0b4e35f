"""From a bootstrap distribution to a result: kinds of interval, bias, and what has to be said of them."""

import math
from collections.abc import Callable
from typing import NamedTuple

from errbar import _check
from errbar.methods._core.pivot import pivot, standardised
from errbar.methods._core.resample import (
    Bootstrapped,
    ConfidenceDistribution,
    NormalDistribution,
    basic,
    bca,
    least_resamples,
    percentile,
)
from errbar.result import Estimand, Note, Result

KINDS = ("percentile", "basic", "bca", "normal")

# A bias of less than this share of the standard error moves the coverage of an interval by little.
_NOTABLE_BIAS = 0.25

EXEMPT = {
    "estimate-inside": "a skewed bootstrap distribution has its middle beside the estimate, which one-sided bounds at low levels show",
    "pvalue-at-the-ends": "a bootstrap distribution has finitely many values, so p-values jump at the ends of the interval",
    "sides-add-up": "the estimate itself counts as one more resample on both sides",
}


class Request(NamedTuple):
    """What the user asked for, checked."""

    level: float
    null: float
    alternative: str
    kind: str
    resamples: int
    bias_corrected: bool

    @classmethod
    def of(
        cls, level: float, null: float, alternative: str, kind: str, resamples: int, *, bias_corrected: bool = False
    ) -> "Request":
        """Check every part."""
        return cls(
            _check.level(level),
            _check.finite(null, "null"),
            _check.alternative(alternative),
            _check.choice(kind, KINDS, "kind"),
            _check.count(resamples, "resamples", 2),
            _check.flag(bias_corrected, "bias_corrected"),
        )


def resampled_result(
    method: str,
    request: Request,
    sample: Bootstrapped,
    acceleration: Callable[[], float],
    *,
    n_train: float,
    notes: tuple[Note, ...],
) -> Result:
    """Return the result of a method that resamples the examples of one test set.

    Parameters
    ----------
    method : str
        Key of the method.
    request : Request
        What the user asked for.
    sample : Bootstrapped
        Estimate and bootstrap distribution.
    acceleration : callable
        Returns the constant a of BCa; called for that kind only.
    n_train : float
        Training size of the model.
    notes : tuple of Note
        Caveats of the method.
    """
    se = sample.se
    estimate = sample.corrected if request.bias_corrected else sample.estimate
    if se == 0.0:
        return pivot(
            method,
            Estimand.PROXY,
            estimate=estimate,
            se=se,
            df=None,
            n_train=n_train,
            n_splits=1,
            level=request.level,
            null=request.null,
            alternative=request.alternative,
            notes=notes,
        )
    law = _law(request.kind, sample, estimate, acceleration)
    interval = law.interval(request.level, request.alternative)
    found = (*notes, *_bias_note(sample, se, request), *_unbounded(interval, request))
    return Result(
        method=method,
        estimand=Estimand.PROXY,
        n_train=n_train,
        estimate=estimate,
        se=se,
        interval=interval,
        level=request.level,
        statistic=standardised(estimate, se, request.null),
        df=None,
        pvalue=law.pvalue(request.null, request.alternative),
        null=request.null,
        alternative=request.alternative,
        n_splits=1,
        notes=found,
    )


def _law(
    kind: str, sample: Bootstrapped, estimate: float, acceleration: Callable[[], float]
) -> ConfidenceDistribution | NormalDistribution:
    if kind == "normal":
        return NormalDistribution(estimate, sample.se)
    if kind == "bca":
        return bca(sample, acceleration())
    return basic(sample) if kind == "basic" else percentile(sample)


def _bias_note(sample: Bootstrapped, se: float, request: Request) -> tuple[Note, ...]:
    if abs(sample.bias) <= _NOTABLE_BIAS * se:
        return ()
    advice = "it was subtracted from the estimate" if request.bias_corrected else "bias_corrected=True subtracts it"
    return (Note("bias", f"the bias is {sample.bias:.3g}, {abs(sample.bias) / se:.2g} standard errors; {advice}"),)


def _unbounded(interval: tuple[float, float], request: Request) -> tuple[Note, ...]:
    sides = 2 if request.alternative == "two-sided" else 1
    if sum(map(math.isfinite, interval)) >= sides:
        return ()
    least = least_resamples(request.level, request.alternative)
    return (
        Note(
            "too-few-resamples",
            f"{request.resamples} resamples are too few for an interval at level {request.level:g}, so it is unbounded; "
            f"use at least {least}",
        ),
    )

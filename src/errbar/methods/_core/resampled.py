"""From a bootstrap distribution to a result: kinds of interval, bias, and what has to be said of them."""

from collections.abc import Callable

from errbar import _check
from errbar.methods._core.answer import Answer
from errbar.methods._core.one_split import ONE_TRAINING_SET
from errbar.methods.distributions import (
    Bootstrapped,
    Law,
    Pivot,
    basic,
    bca,
    least_resamples,
    percentile,
)
from errbar.result import Note

# A bias of less than this share of the standard error moves the coverage of an interval by little.
_NOTABLE_BIAS = 0.25

EXEMPT = {
    "estimate-inside": "a skewed bootstrap distribution has its middle beside the estimate, which one-sided bounds at low levels show",
    "sides-add-up": "the estimate itself counts as one more resample on both sides",
}


def resampled(
    draw: Callable[[int], Bootstrapped],
    acceleration: Callable[[], float],
    *,
    kind: str,
    resamples: int,
    bias_corrected: bool,
) -> Answer:
    laws: dict[str, Callable[[Bootstrapped], Law]] = {
        "percentile": percentile,
        "basic": basic,
        "bca": lambda sample: bca(sample, acceleration()),
        "normal": lambda sample: Pivot(estimate, sample.se, None),
    }
    chosen = _check.choice(kind, laws, "kind")
    count = _check.count(resamples, "resamples", 2)
    corrected = _check.flag(bias_corrected, "bias_corrected")
    sample = draw(count)
    estimate = sample.corrected if corrected else sample.estimate
    answer = Answer(estimate, sample.se, notes=(ONE_TRAINING_SET,))
    if sample.se == 0.0:
        return answer
    answer.law = laws[chosen](sample)
    errors = abs(sample.bias) / sample.se
    if errors > _NOTABLE_BIAS:
        answer.notes += (Note("bias", bias=sample.bias, errors=errors),)
    answer.remarks = lambda asked, interval: asked.if_unbounded(
        interval, count, "resamples", least_resamples(asked.level, asked.alternative)
    )
    return answer

"""From a bootstrap distribution to a result: kinds of interval, and what has to be said of them."""

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


def resampled(
    draw: Callable[[int], Bootstrapped],
    acceleration: Callable[[], float],
    *,
    kind: str,
    resamples: int,
) -> Answer:
    laws: dict[str, Callable[[Bootstrapped], Law]] = {
        "percentile": percentile,
        "basic": basic,
        "bca": lambda sample: bca(sample, acceleration()),
        "normal": lambda sample: Pivot(sample.estimate, sample.se, None),
    }
    chosen = _check.choice(kind, laws, "kind")
    count = _check.count(resamples, "resamples", 2)
    sample = draw(count)
    answer = Answer(sample.estimate, sample.se, notes=(ONE_TRAINING_SET,))
    if sample.se == 0.0:
        return answer
    answer.law = laws[chosen](sample)
    answer.remarks = lambda asked, interval: asked.if_unbounded(
        interval, count, "resamples", least_resamples(asked.level, asked.alternative)
    )
    return answer

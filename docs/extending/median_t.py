"""A toy method, to show what a method is."""

import math

import numpy as np

from errbar import Losses
from errbar.design import PLAIN, RANDOM_SPLITS
from errbar.methods._core.registry import register
from errbar.methods.distributions import Answer, variance
from errbar.methods.variance import ratio_of_sizes
from errbar.plans import Subsampling
from errbar.result import Estimand


@register(
    "median-t",
    default_plan=Subsampling(),
    needs=(RANDOM_SPLITS, PLAIN),
    estimand=Estimand.EXPECTED_RISK,
    references=("nadeau2003",),
    fits="J (15 by default)",
)
def median_t(losses: Losses) -> Answer:
    """Corrected t around the median of the split scores.

    :Claim: The median over splits of the expected loss at training size n1. A toy.
    :Formula: ``SE = S sqrt(pi/2) sqrt(1/J + n2/n1), t with J - 1 degrees of freedom``
    :Assumption: The split scores are normal, and correlated by n2/(n1 + n2).
    """
    score = losses.splits.value  # (J,)
    var = variance(score) * (1.0 / score.size + ratio_of_sizes(losses))
    return Answer(
        estimate=float(np.median(score)),
        se=math.sqrt(math.pi / 2.0 * var),
        df=score.size - 1,
        n_train=losses.n_train,
        n_splits=score.size,
    )

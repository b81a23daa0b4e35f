"""Losses: from predictions to numbers, one per example or one per split. Larger is worse throughout."""

from errbar.losses._answers import (
    by_class as by_class,
    labels as labels,
)
from errbar.losses._loss import (
    ANY as ANY,
    CLASSIFICATION as CLASSIFICATION,
    DECISION as DECISION,
    LABEL as LABEL,
    PROBABILITY as PROBABILITY,
    REGRESSION as REGRESSION,
    RESPONSES as RESPONSES,
    Loss,
    Predictions as Predictions,
    Target,
)
from errbar.losses._pointwise import (
    LOSSES,
)
from errbar.losses._resolve import (
    default,
    resolve,
)
from errbar.losses._scorers import (
    metric,
)
from errbar.losses._splits import (
    dry_run as dry_run,
    split_score as split_score,
)
from errbar.losses._words import (
    in_words as in_words,
)

__all__ = ["LOSSES", "Loss", "Target", "default", "metric", "resolve"]

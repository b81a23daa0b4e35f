"""Metrics: from predictions to numbers, one per example or one per split. Larger is worse throughout."""

from errbar.metrics._functions import (
    ANY as ANY,
    CLASSIFICATION as CLASSIFICATION,
    DECISION as DECISION,
    LABEL as LABEL,
    PROBABILITY as PROBABILITY,
    REGRESSION as REGRESSION,
    RESPONSES as RESPONSES,
    Predictions as Predictions,
    Sample,
    Target,
    target_of as target_of,
)
from errbar.metrics._loss import (
    POOLS as POOLS,
    Loss,
    by_class as by_class,
    labels as labels,
)
from errbar.metrics._names import (
    LOSSES,
    METRICS,
    default,
    in_words as in_words,
    key_of as key_of,
    known as known,
    lookup as lookup,
    metric,
    resolve,
)

__all__ = ["LOSSES", "METRICS", "Loss", "Sample", "Target", "default", "metric", "resolve"]

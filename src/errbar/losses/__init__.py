"""Losses: from predictions to numbers, one per example or one per split. Larger is worse throughout."""

from errbar.losses._loss import (
    ANY as ANY,
)
from errbar.losses._loss import (
    CLASSIFICATION as CLASSIFICATION,
)
from errbar.losses._loss import (
    DECISION as DECISION,
)
from errbar.losses._loss import (
    LABEL as LABEL,
)
from errbar.losses._loss import (
    PROBABILITY as PROBABILITY,
)
from errbar.losses._loss import (
    REGRESSION as REGRESSION,
)
from errbar.losses._loss import (
    RESPONSES as RESPONSES,
)
from errbar.losses._loss import (
    Loss,
    Target,
)
from errbar.losses._loss import (
    Predictions as Predictions,
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
)
from errbar.losses._splits import (
    split_score as split_score,
)
from errbar.losses._words import (
    in_words as in_words,
)

__all__ = ["LOSSES", "Loss", "Target", "default", "metric", "resolve"]

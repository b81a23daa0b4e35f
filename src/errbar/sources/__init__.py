"""Tables from people's own numbers: arrays, frames, files. No fits."""

from errbar.sources._files import read_scores
from errbar.sources._judged import from_judged, read_judged
from errbar.sources._long import from_long, read_long
from errbar.sources._losses import from_losses
from errbar.sources._prediction_files import read_predictions
from errbar.sources._predictions import from_predictions
from errbar.sources._scores import from_scores

__all__ = [
    "from_judged",
    "from_long",
    "from_losses",
    "from_predictions",
    "from_scores",
    "read_judged",
    "read_long",
    "read_predictions",
    "read_scores",
]

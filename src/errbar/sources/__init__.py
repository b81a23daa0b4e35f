"""Tables from people's own numbers: arrays, frames, results of other tools, files. No fits."""

from errbar.sources._files import read_scores
from errbar.sources._inspect import read_inspect
from errbar.sources._judged import from_judged, read_judged
from errbar.sources._julearn import from_julearn
from errbar.sources._lm_eval import read_lm_eval
from errbar.sources._logs import kind_of_log
from errbar.sources._long import from_long, read_long
from errbar.sources._losses import from_losses
from errbar.sources._prediction_files import read_predictions
from errbar.sources._predictions import from_predictions
from errbar.sources._scores import from_scores
from errbar.sources._sklearn import from_cross_validate, from_cv_results
from errbar.sources._skore import from_skore
from errbar.sources._weka import from_weka_csv, weka_tables

__all__ = [
    "from_cross_validate",
    "from_cv_results",
    "from_judged",
    "from_julearn",
    "from_long",
    "from_losses",
    "from_predictions",
    "from_scores",
    "from_skore",
    "from_weka_csv",
    "kind_of_log",
    "read_inspect",
    "read_judged",
    "read_lm_eval",
    "read_long",
    "read_predictions",
    "read_scores",
    "weka_tables",
]

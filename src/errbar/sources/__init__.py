"""Tables from results and logs of other tools, and examples for learners. No fits."""

from errbar.sources._examples import LabelledExamples, read_examples
from errbar.sources._inspect import read_inspect
from errbar.sources._julearn import from_julearn
from errbar.sources._lm_eval import read_lm_eval
from errbar.sources._logs import kind_of_log
from errbar.sources._sklearn import from_cross_validate, from_cv_results
from errbar.sources._skore import from_skore
from errbar.sources._weka import from_weka_csv, weka_tables

__all__ = [
    "LabelledExamples",
    "from_cross_validate",
    "from_cv_results",
    "from_julearn",
    "from_skore",
    "from_weka_csv",
    "kind_of_log",
    "read_examples",
    "read_inspect",
    "read_lm_eval",
    "weka_tables",
]

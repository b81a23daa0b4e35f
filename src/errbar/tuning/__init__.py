"""After a search: the risk of the candidate that was selected, what tuning bought, and which candidates may be the best."""

from errbar.tuning._kept import Kept, keep
from errbar.tuning._search import tune
from errbar.tuning._tuned import Tuned, tuned

__all__ = ["Kept", "Tuned", "keep", "tune", "tuned"]

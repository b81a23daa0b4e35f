"""After a search: the risk of the candidate that was selected, what tuning bought, and which candidates may be the best."""

from errbar._lazy import names_in_stub

__all__, __getattr__ = names_in_stub(__name__, __file__)

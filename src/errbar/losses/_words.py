"""Names of losses as people write them."""

from errbar.losses._pointwise import LOSSES

_SCORERS = {"roc_auc": "ROC AUC", "r2": "R2", "f1": "F1"}


def in_words(key: str) -> str:
    """Return the name of a loss as people write it; one that is not known stays as it is."""
    return (LOSSES[key].words if key in LOSSES else _SCORERS.get(key)) or key

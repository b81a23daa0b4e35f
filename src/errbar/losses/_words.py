"""Names of losses as people write them."""

_WORDS = {
    "zero-one": "zero-one loss",
    "log-loss": "log loss",
    "brier": "Brier score",
    "squared-error": "squared error",
    "absolute-error": "absolute error",
    "roc_auc": "ROC AUC",
    "r2": "R2",
    "f1": "F1",
}


def in_words(key: str) -> str:
    """Return the name of a loss as people write it; one that is not known stays as it is."""
    return _WORDS.get(key, key)

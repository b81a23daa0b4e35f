"""Losses by their names, and their names as people write them."""

from errbar.metrics._loss import Loss
from errbar.metrics._metrics import named
from errbar.metrics._pointwise import LOSSES


def known(key: str) -> Loss | None:
    """Return the loss or metric of a key, or of another name for it; None for scorers and losses of the user's own."""
    return LOSSES.get(key) or named(key)


def same(wanted: str, key: str) -> bool:
    """Return whether a text means the loss of a key: it is the key, or another name of the same metric."""
    found = known(wanted)
    return key in (wanted, None if found is None else found.key)


def in_words(key: str) -> str:
    """Return the name of a loss as people write it; one that is not known stays as it is."""
    found = known(key)
    return key if found is None else found.words

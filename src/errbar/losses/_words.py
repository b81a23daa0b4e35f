"""Names of losses as people write them."""

from errbar.losses._metrics import named
from errbar.losses._pointwise import LOSSES


def in_words(key: str) -> str:
    """Return the name of a loss as people write it; one that is not known stays as it is."""
    found = LOSSES.get(key) or named(key)
    return key if found is None else found.words

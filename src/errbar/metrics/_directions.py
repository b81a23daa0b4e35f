"""Whether higher numbers are better, by the words of their name, which stand in `measures.toml`."""

import re
from functools import cache

PART = re.compile(r"(train|training|test|val|valid|validation|eval|dev)[ _/.-]+")
_TURNED = re.compile(
    r"(?P<negative>(neg|negative)[. _-]+)|negated[ _]+|[-−–] ?(?=[a-z])|(1|one|100)(\.0)?%?( [-−–] | minus | ?/ ?)|"
    r"(?P<close>(1|one|100)(\.0)?%? ?[-−–] ?|non[ _-])"
)
"""What turns the direction of the number that follows; some do so before a known word only, unlike the beginning of ``1-NN accuracy``."""
_TURNS = re.compile(r"[ _,]*(\bnegated|\((negated|negative|neg\.?)\)|\breduction)( \(%\))?$")
"""What turns the direction of the number that it follows."""
_BETWEEN = re.compile(r"[^a-z0-9]+")


@cache
def _known() -> dict[str, set[str]]:
    import tomllib
    from importlib import resources

    text = resources.files("errbar").joinpath("measures.toml").read_text(encoding="utf-8")
    return {kind: set(words) for kind, words in tomllib.loads(text).items()}


def score_words(name: str) -> bool | None:
    bare, turned, negative = unturned(PART.sub("", name.lower()))
    words, known = _words(bare), _known()
    if words & known["loss"] and not words & known["better"]:
        return turned
    # The recall of negatives is no loss, and the negative log-likelihood is.
    if not words & known["score"] or (negative and not words & {"likelihood", "loglik"}):
        return None
    return not turned


def unturned(name: str) -> tuple[str, bool, bool]:
    """Return a name in lower case without what turns its direction, whether something does, and whether that is the word negative."""
    name = re.sub("c[- ]index", "cindex", name.replace("^", "").replace("²", "2"))
    start, end = _TURNED.match(name), _TURNS.search(name)
    if start and start["close"]:
        following = _words(_BETWEEN.split(name[start.end() :])[0])
        if not following & set.union({"balanced", "mean"}, *_known().values()):
            start = None
    rest = name[start.end() if start else 0 : end.start() if end else None]
    return rest, bool(start) != bool(end), bool(start and start["negative"])


def _words(name: str) -> set[str]:
    words = _BETWEEN.split(name)
    return {*words, *(word.rstrip("0123456789") for word in words)}

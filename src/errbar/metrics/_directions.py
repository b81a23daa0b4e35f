"""Whether higher numbers are better, by the words of their name."""

import re

PART = re.compile(r"(train|training|test|val|valid|validation|eval|dev)[ _/.-]+")
_SCORES = frozenset(
    """
    acc accuracy ap auc auroc bleu cindex concordance correct dice elbo em exact explained f f1 gain hit hits
    improvement iou jaccard kappa likelihood loglik map mcc meteor mrr ndcg pass passed pearson precision psnr qwk r2
    recall reward rho right roc rouge score sensitivity spearman specificity ssim success win
    """.split()
)
"""Words in the names of numbers of which higher ones are better."""
_LOSSES = frozenset(
    """
    brier cer crps deviance drop eer error errors inaccuracy logloss loss mae mape misclassification mse nll
    perplexity regret rmse smape wer
    """.split()
)
"""Words in the names of numbers of which lower ones are better, whatever else they say."""
_BETTER = {"explained", "gain", "improvement"}
"""Words that make a score even of a loss."""
_TURNED = re.compile(
    r"(?P<negative>(neg|negative)[. _-]+)|negated[ _]+|[-−–] ?(?=[a-z])|(1|one|100)(\.0)?%?( [-−–] | minus | ?/ ?)|"
    r"(?P<close>(1|one|100)(\.0)?%? ?[-−–] ?|non[ _-])"
)
"""What turns the direction of the number that follows; some do so before a known word only, unlike the beginning of ``1-NN accuracy``."""
_TURNS = re.compile(r"[ _,]*(\bnegated|\((negated|negative|neg\.?)\)|\breduction)( \(%\))?$")
"""What turns the direction of the number that it follows."""
_KNOWN = {*_SCORES, *_LOSSES, "balanced", "mean"}


def score_words(name: str) -> bool | None:
    """Tell by the words of a name whether it is that of a score; False of a loss, None where no word tells."""
    bare, turns, negative = unturned(PART.sub("", name.lower()))
    words = set(_words(bare))
    loss = bool(words & _LOSSES) and not words & _BETTER
    if not (loss or words & _SCORES):
        return None
    # The recall of negatives is no loss, and the negative log-likelihood is.
    if negative and not loss and not words & {"likelihood", "loglik"}:
        return None
    return loss if turns else not loss


def unturned(name: str) -> tuple[str, bool, bool]:
    """Return a name in lower case without what turns its direction, whether something does, and whether that is the word negative."""
    start, end = _TURNED.match(name), _TURNS.search(name)
    if start is not None and start["close"] and not {*_words(name[start.end() :])[:2]} & _KNOWN:
        start = None
    rest = name[0 if start is None else start.end() : None if end is None else end.start()]
    return (
        rest,
        (start is None) != (end is None),
        start is not None and start["negative"] is not None,
    )


def _words(name: str) -> list[str]:
    """Return the words of a name, each also without digits at its end."""
    spelled = (
        name.replace("^", "")
        .replace("²", "2")
        .replace("c-index", "cindex")
        .replace("c index", "cindex")
    )
    return [
        found
        for word in re.split(r"[^a-z0-9]+", spelled)
        for found in (word, word.rstrip("0123456789"))
    ]

"""Comparisons whose order is known, made from numbers."""

import numpy as np

import errbar

# In order of their losses; the names are in another order, and are no numbers in that of letters.
LEARNERS = {"m10": 0.0, "m9": 1.0, "zeta": 2.0, "alpha": 11.0}
NASTY = "<script>alert(1)</script>"
OTHER = '"><img src=x onerror=alert(2)>'


def table(names=tuple(LEARNERS)):
    """Return losses whose means are 0, 1, 2 and 11, so that in the order of letters 11 would come before 2."""
    rng = np.random.default_rng(3)
    noise = rng.normal(size=(4, 10))
    noise -= noise.mean(axis=1, keepdims=True)
    scores = {
        name: mean + one for name, mean, one in zip(names, LEARNERS.values(), noise, strict=True)
    }
    return errbar.from_scores(scores, n_train=90, n_test=10, kind="kfold")


def several():
    """Return what three methods say."""
    return [
        errbar.compare_table(table(), method=method)
        for method in ("corrected-t", "kfold-t", "resampled-t")
    ]


def one():
    """Return a comparison with all columns: a region of equivalence, and a pair that does not vary."""
    given = table()
    scores = dict(zip(given.learners, given.scores, strict=True))
    scores["twin"] = scores["zeta"]
    same = errbar.from_scores(scores, n_train=90, n_test=10, kind="kfold")
    return errbar.compare_table(same, rope=0.5)


def nasty():
    """Return a comparison of learners with names that a careless page would run."""
    return errbar.compare_table(table((NASTY, OTHER, "<b>bold</b>", "</title></style></script>")))

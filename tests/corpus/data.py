"""Inputs of the corpus: small, made from seeds, and rounded, so that they are the same on every machine."""

import zlib

import numpy as np


def stream(*names):
    """A generator of its own for every name."""
    return np.random.default_rng(zlib.crc32("/".join(map(str, names)).encode()))


def normal(rng, *shape, mean=0.0, sd=1.0, digits=3):
    return np.round(mean + sd * rng.standard_normal(shape or None), digits)


def uniform(rng, *shape, digits=3):
    return np.round(rng.random(shape or None), digits)


def waiting(rng, *shape, digits=3):
    """Positive and skewed, as losses are."""
    return np.round(-np.log1p(-rng.random(shape or None)), digits)


def coins(rng, *shape, share=0.3):
    return (rng.random(shape or None) < share).astype(float)


def learners(rng, count, size, *, like=waiting, shift=0.15, shared=1.0):
    """Numbers of several learners on the same units, which have a part in common."""
    common = shared * like(rng, size)
    return {
        name: np.round(common + like(rng, size) + shift * k, 3)
        for k, name in enumerate("abcdefgh"[:count])
    }


def folds(n, count):
    """A fold for every example; sizes differ where they must."""
    return np.arange(n) * 7 % n % count


def classes(rng, n, kinds=("no", "yes"), share=None):
    """Labels, none of them too rare for ten examples."""
    drawn = np.asarray(kinds)[(rng.random(n) * len(kinds)).astype(int)] if share is None else None
    if drawn is None:
        drawn = np.asarray(kinds)[(rng.random(n) < share).astype(int)]
    drawn[: len(kinds)] = kinds
    drawn[len(kinds) : 2 * len(kinds)] = kinds
    return drawn


def guesses(rng, truth, right=0.75):
    """Predicted labels, right with some probability."""
    kinds = np.unique(truth)
    other = kinds[(rng.random(truth.size) * kinds.size).astype(int)]
    return np.where(rng.random(truth.size) < right, truth, other)


def marks(rng, truth, positive="yes", pull=1.2):
    """Scores between 0 and 1 that are higher for the positive class."""
    raw = pull * (truth == positive) - pull / 2 + normal(rng, truth.size)
    return np.round(1 / (1 + np.exp(-raw)), 3)


def chances(rng, truth, pull=2.0):
    """A row of probabilities for each example, in thousandths that add up to 1."""
    kinds = np.unique(truth)
    raw = 0.2 + rng.random((truth.size, kinds.size)) + pull * (truth[:, None] == kinds)
    rows = np.round(raw / raw.sum(axis=1, keepdims=True), 3)
    rows[:, -1] = np.round(1.0 - rows[:, :-1].sum(axis=1), 3)
    return rows


def table(rows, n_features=3, *, task="numbers", name="table"):
    """Features and a target: numbers, or classes ``no`` and ``yes``, or three of them."""
    rng = stream("table", name, rows, n_features, task)
    X = normal(rng, rows, n_features)
    raw = X[:, 0] - 0.5 * X[:, 1] + 0.5 * normal(rng, rows)
    if task == "numbers":
        return X, np.round(raw, 2)
    if task == "two":
        return X, np.where(raw > 0.2, "yes", "no")
    return X, np.where(raw > 0.6, "high", np.where(raw < -0.4, "low", "mid"))

"""Losses of the layouts that some plans make, from arrays of scores."""

import math
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.linear_model import LinearRegression

import errbar
from errbar.losses import Losses
from errbar.plans import FiveByTwo

__all__ = [
    "crossed",
    "data_sets",
    "from_long",
    "halves",
    "judged",
    "left_out",
    "replaced",
    "ten_scores",
    "two_lines",
]


def ten_scores(value: ArrayLike, **more: Any) -> Losses:
    """Return the scores of five repeats (rows) of two-fold cross-validation (columns)."""
    return Losses.of_grid(value, "repeat", "fold", kind=FiveByTwo.kind, **more)


def halves(
    value: ArrayLike,
    parts: ArrayLike,
    n_train: ArrayLike = math.nan,
    n_test: ArrayLike = math.nan,
    *,
    half_train: float = math.nan,
) -> Losses:
    """Return scores of splits of all data, and of both halves of M halvings: shape (M, 2), or (M, 2, K) for K splits each.

    The training size of a half is by default what half the data leave beside the test set.
    """
    whole, split = np.asarray(value, dtype=float), np.asarray(parts, dtype=float)
    train, test = np.asarray(n_train, dtype=float), np.asarray(n_test, dtype=float)
    split = split[..., np.newaxis] if split.ndim == 2 else split
    if np.isnan(half_train):
        half_train = float(train.mean() - test.mean()) / 2.0
    halving, half, fold = (part.ravel() for part in np.indices(split.shape))
    outside = np.full(whole.size, -1)
    sizes: dict[str, Any] = {
        "n_train": np.append(np.broadcast_to(train, whole.shape), np.full(split.size, half_train)),
        "n_test": np.append(np.broadcast_to(test, whole.shape), np.full(split.size, test.mean())),
    }
    return Losses(
        np.append(whole, split),
        halving=np.append(outside, halving),
        half=np.append(outside, half),
        fold=np.append(np.arange(whole.size), fold),
        **{role: size for role, size in sizes.items() if not np.isnan(size).any()},
    )


def replaced(
    estimate: float,
    baseline: float,
    value: ArrayLike,
    *,
    n: int,
    n_train: float = math.nan,
    folds: int = 1,
) -> Losses:
    """Return means of cross-validation of all n examples, of half of them, and of these with one after another replaced.

    Each mean is that of `folds` folds; examples are in the first row of each split.
    """
    means = np.concatenate([[estimate, baseline], np.asarray(value, dtype=float)])
    half = np.concatenate([[-1], np.zeros(means.size - 1, dtype=int)])
    number = np.concatenate([[-1, -1], np.arange(means.size - 2)])
    # All examples are tested on all data, so that their number is known.
    rows = np.concatenate([np.zeros(n, dtype=int), np.arange(1, means.size)])
    sizes: dict[str, Any] = {} if math.isnan(n_train) else {"n_train": n_train}
    return Losses(
        means[rows],
        half=half[rows],
        replaced=number[rows],
        example=np.concatenate([np.arange(n), np.zeros(means.size - 1, dtype=int)]),
        fold=np.concatenate([np.arange(n) % folds, np.zeros(means.size - 1, dtype=int)]),
        **sizes,
    )


def left_out(
    whole: ArrayLike, value: ArrayLike, pair: ArrayLike, *, n_train: float = math.nan
) -> Losses:
    """Return results of all data by repeat, without each part (rows), and without each part and the next."""
    all_data, one, two = (
        np.atleast_2d(np.asarray(table, dtype=float)) for table in (whole, value, pair)
    )
    repeats = all_data.shape[1]
    sizes: dict[str, Any] = {} if math.isnan(n_train) else {"n_train": n_train}
    parts = np.concatenate([[-1], np.arange(len(one)), np.arange(len(two))])
    pairs = np.concatenate([[-1], np.full(len(one), -1), np.arange(len(two))])
    return Losses(
        np.concatenate([all_data, one, two]).ravel(),
        part=np.repeat(parts, repeats),
        pair=np.repeat(pairs, repeats),
        repeat=np.tile(np.arange(repeats), parts.size),
        **sizes,
    )


def crossed(value: ArrayLike, minus: ArrayLike | None = None, **more: Any) -> Losses:
    """Return losses of seeds (rows) and examples (columns), or their comparison with those of another learner."""
    more = {
        role: np.tile(given, len(value)) if np.shape(given) == np.shape(value)[1:] else given
        for role, given in more.items()
    }
    found = Losses.of_grid(value, "seed", "example", **more)
    return found if minus is None else found.minus(Losses.of_grid(minus, "seed", "example", **more))


def judged(value: ArrayLike, judged: ArrayLike, others: ArrayLike, **more: Any) -> Losses:
    """Return losses of examples by people, of the same by another judge, and of other examples by that judge."""
    columns = [np.asarray(column, dtype=float) for column in (value, judged, others)]
    people, more_examples = columns[0].size, columns[2].size
    return Losses(
        np.concatenate(columns),
        judge=np.repeat([0, 1, 1], [people, columns[1].size, more_examples]),
        example=np.concatenate(
            [np.arange(people), np.arange(columns[1].size), people + np.arange(more_examples)]
        ),
        **more,
    )


def same_splits(one, other):
    """Whether columns of splits tell the same, whoever says so."""
    columns = [
        np.stack([own.n_train, own.n_test, own.plan, *own.labels.values()]) for own in (one, other)
    ]
    said = ("origin", "backwards")
    facts = [
        [
            {name: fact for name, fact in vars(design).items() if name not in said}
            for design in own.designs
        ]
        for own in (one, other)
    ]
    return (
        one.fingerprint == other.fingerprint
        and np.array_equal(*columns, equal_nan=True)
        and len(facts[0]) == len(facts[1])
        and all(
            np.array_equal(mine[name], theirs[name])
            for mine, theirs in zip(*facts, strict=True)
            for name in mine
        )
    )


def from_long(frame: Any, learner: str, value: str, **said: Any) -> Any:
    """Return the table of a long frame: a row for each learner and example, or split."""
    import errbar

    return errbar.read_table(frame, learner=learner, value=value, **said)


def data_sets(scores, learners=None, *, higher_is_better=False):
    """Return a table with one number per data set and learner."""
    how = {"kind": "data-sets", "higher_is_better": higher_is_better}
    return errbar.from_scores(scores, names=learners, **how)


def two_lines(plan: Any, loss: str = "squared-error", **more: Any) -> Any:
    """Return the run of two lines, one through the origin, on 60 examples."""
    rng = np.random.default_rng(3)
    X = rng.standard_normal((60, 2))
    y = X[:, 0] + rng.standard_normal(60)
    learners = {"line": LinearRegression(), "flat": LinearRegression(fit_intercept=False)}
    return errbar.run(learners, X, y, plan=plan, loss=loss, random_state=0, **more)

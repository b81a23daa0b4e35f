"""Tables of every design: what each method says of them or why not, and what is answered where nobody names a method."""

import numpy as np

from tests.corpus import face
from tests.corpus.calls.methods import QUICK
from tests.corpus.data import (
    classes,
    coins,
    folds,
    guesses,
    learners,
    marks,
    normal,
    stream,
    uniform,
)


def scores(name, size, **facts):
    return face.from_scores(learners(stream("scores", name), 3, size), **facts)


def losses(name, size, like=None, **facts):
    rng = stream("losses", name)
    made = learners(rng, 3, size) if like is None else {key: like(rng, size) for key in "abc"}
    return face.from_losses(made, **facts)


def halves_of(J, M):
    """Scores of splits, then those of halves."""
    halving = np.r_[np.full(J, -1), np.repeat(np.arange(M), 2 * J)]
    half = np.r_[np.full(J, -1), np.tile(np.repeat([0, 1], J), M)]
    return {"halving": halving, "half": half}


def nested(n, count, repeats):
    fold, repeat, inner, example = [], [], [], []
    for r in range(repeats):
        part = (np.arange(n) * (7 if r else 1) + r) % n % count
        for k in range(count):
            for j in (-1, *(j for j in range(count) if j != k)):
                held = np.flatnonzero(part == (k if j < 0 else j))
                example += held.tolist()
                fold += [k] * held.size
                repeat += [r] * held.size
                inner += [j] * held.size
    return {"fold": fold, "repeat": repeat, "inner": inner, "example": example}


def per_example(name, n, times):
    """Losses of examples that are tested several times, which differ less within an example."""
    rng = stream("per example", name)
    base = normal(rng, 3, n)
    return {
        key: np.round(np.tile(row + 0.1 * k, times) + 0.5 * normal(rng, n * times), 3)
        for k, (key, row) in enumerate(zip("abc", base, strict=True))
    }


TABLES = {
    "random splits": lambda: scores("random", 15, n_train=90, n_test=10, kind="subsampling"),
    "splits, kind unsaid": lambda: scores(
        "unsaid", 10, n_train=90, n_test=10, higher_is_better=True
    ),
    "splits without sizes": lambda: scores("unsized", 10),
    "stratified splits": lambda: scores(
        "stratified", 10, n_train=90, n_test=10, kind="subsampling", stratified=True
    ),
    "two splits": lambda: scores("two", 2, n_train=50, n_test=50, kind="subsampling"),
    "fold scores": lambda: scores("folds", 10, n_train=90, n_test=10, fold=np.arange(10)),
    "repeated fold scores": lambda: scores(
        "repeated", 12, n_train=30, n_test=10, fold=np.arange(12) % 4, repeat=np.arange(12) // 4
    ),
    "5x2": lambda: scores(
        "5x2",
        10,
        n_train=50,
        n_test=50,
        fold=np.arange(10) % 2,
        repeat=np.arange(10) // 2,
        kind="5x2",
    ),
    "halves": lambda: scores(
        "halves", 4 + 2 * 3 * 4, n_train=90, n_test=10, kind="halves", **halves_of(4, 3)
    ),
    "seed scores": lambda: scores("seeds", 6, n_train=90, n_test=10, seed=np.arange(6)),
    "data sets": lambda: scores("data sets", 12, kind="data-sets"),
    "bootstrap scores": lambda: scores("bootstrap", 30, kind="bootstrap"),
    "equal scores": lambda: face.from_scores(
        {"a": [0.3] * 5, "b": [0.3] * 5}, n_train=90, n_test=10
    ),
    "split scores in groups": lambda: scores(
        "in groups", 10, n_train=90, n_test=10, groups=np.arange(10) // 2
    ),
    "split scores in time": lambda: scores(
        "in time", 12, n_train=90, n_test=10, time=np.arange(12)
    ),
    "holdout": lambda: losses("holdout", 30, n_train=60),
    "holdout, zero-one": lambda: losses("zero-one", 40, coins, n_train=60),
    "holdout, correct": lambda: losses("correct", 40, coins, n_train=60, higher_is_better=True),
    "folds": lambda: losses("folds", 30, fold=folds(30, 5), n_train=24),
    "folds, zero-one": lambda: losses("folds 01", 40, coins, fold=folds(40, 8), n_train=35),
    "uneven folds": lambda: losses(
        "uneven", 23, fold=np.repeat(np.arange(4), (9, 5, 6, 3)), n_train=17
    ),
    "repeated folds": lambda: face.from_losses(
        per_example("folds", 20, 3),
        fold=np.r_[
            np.arange(20) % 4, np.arange(20) // 5, (np.arange(20) * 3 + np.arange(20) // 7) % 4
        ],
        repeat=np.repeat(np.arange(3), 20),
        example=np.tile(np.arange(20), 3),
        n_train=15,
    ),
    "nested": lambda: losses(
        "nested", len(nested(15, 3, 2)["fold"]), n_train=10, **nested(15, 3, 2)
    ),
    "groups": lambda: losses("groups", 36, groups=np.arange(36) // 4, n_train=80),
    "groups of folds": lambda: losses(
        "groups of folds", 48, groups=np.arange(48) // 4, fold=np.arange(48) // 4 % 4, n_train=36
    ),
    "groups torn by folds": lambda: losses(
        "torn", 48, groups=np.arange(48) // 4, fold=np.arange(48) % 4, n_train=36
    ),
    "three groups": lambda: losses("three", 30, groups=np.arange(30) % 3, n_train=60),
    "seeds": lambda: face.from_losses(
        per_example("seeds", 15, 4),
        seed=np.repeat(np.arange(4), 15),
        example=np.tile(np.arange(15), 4),
        n_train=60,
    ),
    "seeds, zero-one": lambda: losses(
        "seeds 01",
        75,
        coins,
        seed=np.repeat(np.arange(5), 15),
        example=np.tile(np.arange(15), 5),
        n_train=60,
    ),
    "seeds in groups": lambda: face.from_losses(
        per_example("seeds in groups", 24, 3),
        seed=np.repeat(np.arange(3), 24),
        example=np.tile(np.arange(24), 3),
        groups=np.tile(np.arange(24) // 3, 3),
        n_train=60,
    ),
    "seeds beside folds": lambda: face.from_losses(
        per_example("seeds beside folds", 20, 3),
        seed=np.repeat(np.arange(3), 20),
        example=np.tile(np.arange(20), 3),
        fold=np.tile(np.arange(20) % 4, 3),
        n_train=15,
    ),
    "one seed": lambda: losses(
        "one seed", 20, seed=np.zeros(20, int), example=np.arange(20), n_train=60
    ),
    "time": lambda: losses("time", 40, time=np.arange(40), n_train=60),
    "time, several at once": lambda: losses("at once", 40, time=np.arange(40) // 2, n_train=60),
    "time and groups": lambda: losses(
        "time and groups", 40, time=np.arange(40) % 10, groups=np.arange(40) // 10, n_train=60
    ),
    "time and folds": lambda: losses(
        "time and folds", 40, time=np.arange(40), fold=np.arange(40) // 8, n_train=32
    ),
    "strata": lambda: losses(
        "strata", 40, fold=np.arange(40) % 5, strata=np.arange(40) % 3, n_train=32
    ),
    "random splits, examples": lambda: face.from_losses(
        per_example("random splits", 10, 4),
        repeat=np.repeat(np.arange(4), 10),
        example=np.r_[0:10, 5:15, 10:20, 2:12],
        n_train=15,
    ),
    "judged": lambda: face.from_judged(
        {
            key: np.r_[column, np.full(30, np.nan)]
            for key, column in learners(stream("people"), 3, 15).items()
        },
        learners(stream("judge"), 3, 45),
    ),
    "predicted labels": lambda: labels("holdout", 60, n_train=90),
    "predicted labels of folds": lambda: labels("folds", 60, fold=folds(60, 5), n_train=48),
    "predicted scores": lambda: ranked("holdout", 50, n_train=90),
    "predicted scores of folds": lambda: ranked("folds", 60, fold=np.arange(60) % 4, n_train=45),
    "predicted scores of seeds": lambda: ranked("seeds", 30, times=3, n_train=45),
    "predicted numbers": lambda: numbers("holdout", 30, n_train=60),
    "predicted numbers, r2": lambda: numbers(
        "folds", 40, fold=np.arange(40) % 5, n_train=32, loss="r2"
    ),
    "single learner": lambda: face.from_losses({"a": uniform(stream("single"), 25)}, n_train=60),
}


def labels(name, n, **facts):
    rng = stream("labels", name)
    truth = classes(rng, n)
    return face.from_predictions(
        {
            key: guesses(rng, truth, right)
            for key, right in zip("abc", (0.85, 0.75, 0.7), strict=True)
        },
        truth,
        positive="yes",
        **facts,
    )


def ranked(name, n, times=1, **facts):
    rng = stream("ranked", name)
    truth = np.tile(classes(rng, n), times)
    seeds = (
        {"seed": np.repeat(np.arange(times), n), "example": np.tile(np.arange(n), times)}
        if times > 1
        else {}
    )
    return face.from_predictions(
        {
            key: marks(rng, truth, pull=pull)
            for key, pull in zip("abc", (2.0, 1.2, 0.8), strict=True)
        },
        truth,
        loss="roc_auc",
        positive="yes",
        **seeds,
        **facts,
    )


def numbers(name, n, **facts):
    rng = stream("numbers", name)
    truth = normal(rng, n)
    return face.from_predictions(
        {
            key: np.round(truth + sd * normal(rng, n), 3)
            for key, sd in zip("abc", (0.5, 0.7, 0.9), strict=True)
        },
        truth,
        **facts,
    )


class Once:
    """Tables that are made when they are first asked for."""

    def __init__(self):
        self.made = {}

    def __call__(self, name):
        if name not in self.made:
            try:
                self.made[name] = TABLES[name]()
            except face.REFUSED as refusal:
                self.made[name] = refusal
        if isinstance(self.made[name], face.REFUSED):
            raise self.made[name]
        return self.made[name]


def calls():
    """What is in a table, which methods refuse it, and what the others say of it."""
    table = Once()
    for name in TABLES:
        yield f"{name}: table", lambda name=name: table(name)
        for subject, of in SUBJECTS.items():
            refused = {}
            for key in face.METHODS:
                try:
                    found = of(table(name), key)
                except face.REFUSED as refusal:
                    refused[key] = type(refusal).__name__
                else:
                    yield f"{name}: {subject}, {key}", lambda found=found: found
            yield f"{name}: {subject}, refused", lambda refused=refused: {"refusals": refused}


SUBJECTS = {
    "a": lambda table, key: face.infer(table, key, "a", **QUICK.get(key, {})),
    "a - b": lambda table, key: face.infer(table, key, "a", "b", **QUICK.get(key, {})),
    "all": face.overall,
}


def defaults():
    """Comparisons for which nobody has named a method."""
    table = Once()
    for name in TABLES:
        for words, asked in (ASKED if name in ASKED_MORE else {"plain": {}}).items():
            yield (
                f"{name}: {words}",
                lambda name=name, asked=asked: face.compare_table(table(name), **asked),
            )
        yield (
            f"{name}: a and b alone",
            lambda name=name: face.compare_table(table(name).subset(["a", "b"])),
        )


ASKED_MORE = (
    "random splits",
    "repeated fold scores",
    "holdout",
    "holdout, zero-one",
    "holdout, correct",
    "folds",
    "repeated folds",
    "groups of folds",
    "seeds",
    "seeds beside folds",
    "time",
    "strata",
    "judged",
    "predicted labels of folds",
    "predicted scores of folds",
)
ASKED = {
    "plain": {},
    "baseline": {"baseline": "b"},
    "max-t": {"adjust": "max-t", "level": 0.9},
    "less": {"alternative": "less", "baseline": "a"},
}

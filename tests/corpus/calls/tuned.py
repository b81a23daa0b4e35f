"""What is known after a search: of given losses, and of searches."""

import numpy as np
from sklearn.linear_model import Ridge
from sklearn.model_selection import GridSearchCV, GroupKFold, ShuffleSplit
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier

from tests.corpus import face
from tests.corpus.data import coins, folds, learners, normal, stream

DESIGNS = {
    "folds": lambda n: {"fold": folds(n, 5), "n_train": 48},
    "groups": lambda n: {"fold": folds(n, 5), "groups": folds(n, 5) + 5 * (np.arange(n) // 15)},
    "one test set": lambda n: {"n_train": 90},
    "repeats": lambda n: {
        "fold": folds(n, 3),
        "repeat": np.arange(n) // (n // 2),
        "example": np.tile(np.arange(n // 2), 2),
    },
    "forwards in time": lambda n: {"time": np.arange(n)},
}


def table(name, design, candidates=6, n=60):
    rng = stream("tuned", name)
    if name == "zero-one":
        values = {f"c{j}": coins(rng, n, share=0.3 + 0.01 * j) for j in range(candidates)}
        return face.from_losses(values, metric="zero-one", **DESIGNS[design](n))
    return face.from_losses(learners(rng, candidates, n, shift=0.05), **DESIGNS[design](n))


def examples(regression=False):
    rng = stream("tuned", "search")
    X = normal(rng, 90, 3)
    target = X[:, 0] - X[:, 1] + normal(rng, 90, sd=0.8)
    return X, target if regression else (target > 0.0).astype(int)


NEAR = GridSearchCV(KNeighborsClassifier(), {"n_neighbors": [1, 2, 4, 8, 16, 32]})


def calls():
    for design in DESIGNS:
        for name in ("waiting", "zero-one"):
            made = lambda n=name, d=design: table(n, d)
            yield f"{name}, {design}", lambda m=made: face.tuned(m(), random_state=1)
            first = "c0" if name == "zero-one" else "a"
            yield (
                f"{name}, {design}, gain",
                lambda m=made, f=first: face.tuned(m(), baseline=f, level=0.8, random_state=1),
            )
    yield "no such baseline", lambda: face.tuned(table("waiting", "folds"), baseline="z")
    yield "one candidate", lambda: face.tuned(table("waiting", "folds", 1), random_state=1)
    for loss in ("accuracy", "zero-one", "log-loss", "f1", "roc_auc"):
        yield f"neighbours by {loss}", lambda k=loss: face.tune(NEAR, *examples(), loss=k)
    yield "as the search selects", lambda: face.tune(NEAR, *examples())
    yield "no baseline", lambda: face.tune(NEAR, *examples(), baseline=None)
    yield "another baseline", lambda: face.tune(NEAR, *examples(), baseline=GaussianNB())
    yield "own splits", lambda: face.tune(NEAR, *examples(), plan=face.plans.KFold(folds=9))
    penalties = {"alpha": [0.01, 0.1, 1.0, 10.0, 100.0]}
    for name, splits, more in (
        ("random splits", ShuffleSplit(6, random_state=0), {}),
        ("groups", GroupKFold(5), {"groups": np.arange(90) // 3}),
    ):
        search = GridSearchCV(Ridge(), penalties, cv=splits, scoring="neg_mean_squared_error")
        yield f"ridge, {name}", lambda s=search, m=more: face.tune(s, *examples(True), **m)
    yield "kept", lambda: face.kept([Ridge(a) for a in penalties["alpha"]], *examples(True), plan=6)
    for weight in (None, 2.0, 1e6):
        losses = learners(stream("tuned", "argmin"), 8, 40, shift=0.1)
        yield f"argmin, weight {weight}", lambda k=losses, w=weight: face.argmin_set(k, weight=w)

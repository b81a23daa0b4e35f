"""An attack on shared fits: data on which rounding, ties or empty classes decide, against plain refits with scikit-learn.

What is shared must be what refitting gives: labels altogether, numbers to 1e-8. Nothing here asks errbar whether it is.
"""

import warnings
from itertools import product

import numpy as np
import pytest
from sklearn.base import clone, is_classifier
from sklearn.linear_model import LinearRegression, Ridge
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from threadpoolctl import threadpool_limits

from errbar.fits.shared import exact
from errbar.metrics import Target

pytestmark = pytest.mark.long

N = 60


def neighbours(kind):
    yield kind(1)
    yield kind(2)
    yield kind(5)
    yield kind(5, algorithm="brute")
    yield kind(5, algorithm="ball_tree", leaf_size=3)
    yield kind(2, algorithm="kd_tree", leaf_size=1)
    yield kind(20)


LEARNERS = [
    *neighbours(KNeighborsClassifier),
    *neighbours(KNeighborsRegressor),
    LinearRegression(),
    Ridge(1e-6),
    Ridge(),
    Ridge(100.0),
]


def normal(rng, codes, p=4):
    return (
        rng.normal(size=(codes.size, p)) @ rng.normal(size=(p, p)) + rng.normal(size=(4, p))[codes]
    )


def one_hot(rng, codes):
    return np.hstack(
        [
            np.eye(4)[rng.integers(0, 4, codes.size)],
            np.eye(3)[(codes + rng.integers(0, 2, codes.size)) % 3],
        ]
    )


def part_constant(rng, codes):
    X = normal(rng, codes)
    X[10:, 1] = 0.3
    return X


def with_column(make):
    return lambda rng, codes: np.column_stack([(X := normal(rng, codes)), make(rng, X)])


def mirrored(rng, codes):
    """Classes that are reflections of each other, tested on the mirror too."""
    X = np.round(normal(rng, codes), 2)
    X[codes == 1] = -X[codes == 0][np.arange((codes == 1).sum()) % (codes == 0).sum()]
    X[::7] = 0
    return X


def scattered(rng, codes):
    X = rng.standard_cauchy(size=(codes.size, 3)) + codes[:, None]
    X[5] *= 1e6
    return X


def duplicated(rng, codes):
    X = normal(rng, codes)
    return X[rng.integers(0, 15, codes.size)]


def halves(rng, codes):
    return np.column_stack([np.arange(codes.size) * 0.1, rng.integers(0, 4, codes.size) * 0.1])


SHAPES = {
    "normal": normal,
    "normal, wide": lambda rng, codes: normal(rng, codes, 20),
    "one feature": lambda rng, codes: normal(rng, codes, 1),
    "more features than examples": lambda rng, codes: (
        rng.normal(size=(codes.size, 70)) + codes[:, None] * 0.2
    ),
    "whole numbers": lambda rng, codes: rng.integers(0, 3, size=(codes.size, 3)) + codes[:, None],
    "larger whole numbers": lambda rng, codes: rng.integers(-90, 90, size=(codes.size, 3)).astype(
        np.int8
    ),
    "wide whole numbers": lambda rng, codes: rng.integers(0, 3, size=(codes.size, 18)).astype(
        np.uint8
    ),
    "truth values": lambda rng, codes: rng.random((codes.size, 6)) < 0.3 + 0.1 * codes[:, None],
    "categories": one_hot,
    "counts, mostly zero": lambda rng, codes: rng.poisson(0.2, size=(codes.size, 8)).astype(float),
    "wide counts, mostly zero": lambda rng, codes: rng.poisson(0.1, size=(codes.size, 30)).astype(
        float
    ),
    "one decimal": lambda rng, codes: np.round(normal(rng, codes, 2), 1),
    "one decimal, wide": lambda rng, codes: np.round(0.3 * normal(rng, codes, 17), 1),
    "one decimal, far off": lambda rng, codes: (
        np.round(rng.normal(size=(codes.size, 2)), 1) + 300.1
    ),
    "steps of a tenth": halves,
    "duplicated rows": duplicated,
    "duplicated wide rows": lambda rng, codes: normal(rng, codes, 20)[
        rng.integers(0, 20, codes.size)
    ],
    "mirrored classes": mirrored,
    "collinear": with_column(lambda rng, X: X[:, 0] - 2 * X[:, 1]),
    "nearly collinear": with_column(lambda rng, X: X[:, 0] + 1e-9 * rng.normal(size=len(X))),
    "rather collinear": with_column(lambda rng, X: X[:, 0] + 1e-4 * rng.normal(size=len(X))),
    "a feature twice": with_column(lambda rng, X: X[:, 2]),
    "a constant feature": with_column(lambda rng, X: np.full(len(X), 0.1)),
    "a feature of zeros": with_column(lambda rng, X: np.zeros(len(X))),
    "nearly constant": with_column(lambda rng, X: 1 + 1e-13 * rng.integers(0, 3, len(X))),
    "constant in parts": part_constant,
    "nothing varies": lambda rng, codes: np.full((codes.size, 3), 0.7),
    "around a million": lambda rng, codes: normal(rng, codes) + 1e6,
    "around a billion": lambda rng, codes: normal(rng, codes) + 1e9,
    "around a thousand": lambda rng, codes: normal(rng, codes) + 1e3,
    "one feature far off": with_column(lambda rng, X: 5e3 + rng.normal(size=len(X))),
    "tiny": lambda rng, codes: 1e-12 * normal(rng, codes),
    "tinier": lambda rng, codes: 1e-45 * normal(rng, codes),
    "huge": lambda rng, codes: 1e30 * normal(rng, codes),
    "unequal units": lambda rng, codes: normal(rng, codes) * np.array([1e-8, 1.0, 1e4, 1e8]),
    "far-flung": scattered,
    "very near each other": lambda rng, codes: np.vstack(
        [
            base := normal(rng, codes)[: codes.size // 2],
            base + 1e-7 * rng.normal(size=base.shape),
        ]
    ),
    "nearest at 1e-200": lambda rng, codes: (
        np.where(rng.random((codes.size, 2)) < 0.5, 1e-200, 1.0) * normal(rng, codes, 2)
    ),
    "columns first": lambda rng, codes: np.asfortranarray(normal(rng, codes)),
    "every other column": lambda rng, codes: normal(rng, codes, 8)[::-1, ::2],
}
UNTIED = ["normal", "normal, wide", "one feature", "columns first", "every other column"]


def regression_target(rng, X, turn):
    noise = rng.normal(size=len(X))
    return [
        noise * 10 + np.nan_to_num(np.asarray(X, dtype=float)[:, 0]),
        np.round(noise * 2),
        noise + 1e8,
        np.where(np.arange(len(X)) == 3, 1e12, noise),
        1e-9 * noise,
        np.full(len(X), 0.1),
    ][turn % 6]


def class_target(rng, turn):
    shares = [[0.5, 0.3, 0.2], [1 / 3] * 3, [0.9, 0.06, 0.04]][turn % 3]
    codes = rng.choice(3, N, p=shares)
    codes[:9] = [0, 1, 2, 0, 1, 2, 0, 1, 2]
    return rng.permutation(codes) if turn % 2 else np.sort(codes)


def training_sets(rng, codes):
    """Folds, halves, few, samples with replacement, and ones in which classes are absent, alone or of one example."""
    order = rng.permutation(codes.size)
    yield order[:54], order[54:]
    yield order[6:], order[:6]
    yield order[:30], order[30:]
    yield order[:8], order[8:]
    yield order[: rng.integers(1, 5)], order[8:30]
    yield rng.integers(0, N, N), np.arange(N)
    yield rng.integers(0, 10, 25), order
    yield np.flatnonzero(codes != 1), order[:20]
    yield np.flatnonzero(codes == 0), order[:20]
    yield np.array([np.flatnonzero(codes == code)[0] for code in range(3)]), order[:20]
    yield np.append(np.flatnonzero(codes != 2), np.flatnonzero(codes == 2)[:1]), order[:20]


def refitted(learner, X, target, train, test):
    """Return what scikit-learn answers, with a column for each class of the target; None if it does not."""
    try:
        fitted = clone(learner).fit(X[train], target.values[train])
        if target.classes is None:
            return fitted.predict(X[test])
        full = np.zeros((len(test), 3))
        full[:, fitted.classes_] = fitted.predict_proba(X[test])
        assert (full.argmax(axis=1) == fitted.predict(X[test])).all()
    except ValueError:  # whatever it raises, nothing can have been shared
        return None
    return full


def problem_of(learner, shape, seed):
    """Return a problem and its training and test sets."""
    rng = np.random.default_rng([seed, LEARNERS.index(learner), list(SHAPES).index(shape)])
    turn = int(rng.integers(0, 12))
    codes = class_target(rng, turn)
    X = SHAPES[shape](rng, codes)
    target = (
        Target(codes, np.array(["a", "b", "c"]))
        if is_classifier(learner)
        else Target(regression_target(rng, X, turn))
    )
    return (learner, X, target), *zip(*training_sets(rng, codes), strict=True)


def differences(own, problem, train, test):
    """Return in words what is not as refitted in one split that was shared."""
    answer, target = refitted(*problem, train, test), problem[2]
    if answer is None:
        return ["refitting fails"]
    usual = 1.0 if target.classes is not None else np.sqrt(np.mean(target.values[train] ** 2))
    wrong = ~(np.abs(own - answer) <= 1e-8 * np.maximum(np.abs(answer), usual))
    return [f"{own[wrong][0]} instead of {answer[wrong][0]}"] if wrong.any() else []


def attack(learner, shape, seed):
    """Return which splits were shared, and what differs."""
    problem, trains, tests = problem_of(learner, shape, seed)
    predict = exact(*problem)
    if predict is None:
        return np.zeros(len(trains), dtype=bool), []
    found = list(predict(trains, tests))
    done = np.array([one is not None for one in found])
    wrong = [
        f"split {j}: {words}"
        for j in np.flatnonzero(done)
        for words in differences(found[j], problem, trains[j], tests[j])
    ]
    return done, wrong


def campaign(cases):
    """Return how many splits were shared, what differs, and of which cases without ties how many folds were shared."""
    shared, differ, folds = 0, {}, {}
    with threadpool_limits(1), warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        for number, shape, seed in cases:
            done, wrong = attack(LEARNERS[number], shape, seed)
            shared += int(done.sum())
            name = " ".join(str(LEARNERS[number]).split())
            if wrong:
                differ[name, shape, seed] = wrong
            if shape in UNTIED:
                folds.setdefault(name, []).extend(done[:2])
    return shared, differ, folds


def test_a_sample(tell):
    rng = np.random.default_rng(0)
    cases = [
        (number, list(SHAPES)[rng.integers(0, len(SHAPES))], 1000)
        for number in range(len(LEARNERS))
    ]
    shared, differ, _ = campaign(cases)
    tell(splits=shared, differ=len(differ))
    assert differ == {}
    assert shared > 100


@pytest.mark.slow
def test_every_learner_on_all_data(tell):
    shared, differ, folds = campaign(product(range(len(LEARNERS)), SHAPES, (0,)))
    tell(splits=shared, differ=len(differ))
    assert differ == {}
    assert shared > 3_000
    assert all(
        np.mean(done) >= 0.5 for done in folds.values()
    )  # targets with one huge value are refitted
    assert len(folds) == len(LEARNERS)

"""How often 95 % intervals hold the expected loss on new groups, where splits keep groups whole.

30 groups of 10 examples, in three populations: one label per group, a random effect of the group on the label, and one on a
number. The learners are linear models on all five features and on two, and 5 nearest neighbours.
"""

import argparse

import numpy as np

from errbar import Losses
from errbar.methods import corrected_t, kfold_t

GROUPS, SIZE = 30, 10
WEIGHTS = np.array([1.0, 0.7, 0.4, 0.0, 0.0])
PAIRS = [
    ("full", None),
    ("two", None),
    ("5-NN", None),
    ("full", "two"),
    ("full", "5-NN"),
    ("two", "5-NN"),
]


def sample(rng, population, groups, size=SIZE):
    group = np.repeat(np.arange(groups), size)
    location = rng.standard_normal((groups, 5))
    X = np.sqrt(0.6) * location[group] + np.sqrt(0.4) * rng.standard_normal((group.size, 5))
    if population == "label":
        return X, (location @ WEIGHTS + rng.standard_normal(groups) > 0)[group].astype(float), group
    spread, noise = (1.5, 0.5) if population == "effect" else (1.0, 0.7)
    y = (
        X @ WEIGHTS
        + spread * rng.standard_normal(groups)[group]
        + noise * rng.standard_normal(group.size)
    )
    return X, (y > 0).astype(float) if population == "effect" else y, group


def linear(features):
    def predict(X, y, X_new):
        design, new = (
            np.column_stack([np.ones(len(part)), part[:, features]]) for part in (X, X_new)
        )
        return new @ np.linalg.lstsq(design, y, rcond=None)[0]

    return predict


def neighbours(X, y, X_new):
    squares = (
        np.square(X_new).sum(axis=1)[:, np.newaxis] - 2 * X_new @ X.T + np.square(X).sum(axis=1)
    )
    return y[np.argpartition(squares, 5, axis=1)[:, :5]].mean(axis=1)


LEARNERS = {"full": linear([0, 1, 2, 3, 4]), "two": linear([0, 3]), "5-NN": neighbours}


def losses(population, X, y, X_new, y_new):
    found = [learner(X, y, X_new) for learner in LEARNERS.values()]
    if population == "number":
        return np.array([np.square(y_new - answer).mean() for answer in found])
    return np.array([((answer > 0.5) != (y_new > 0.5)).mean() for answer in found])


def folds(rng, group, count):
    return [np.isin(group, part) for part in np.array_split(rng.permutation(GROUPS), count)]


PLANS = {
    "10 folds": (27, 1, lambda rng, group: folds(rng, group, 10)),
    "5 x 10 folds": (
        27,
        5,
        lambda rng, group: [test for _ in range(5) for test in folds(rng, group, 10)],
    ),
    "15 splits, 20 %": (
        24,
        15,
        lambda rng, group: [np.isin(group, rng.permutation(GROUPS)[:6]) for _ in range(15)],
    ),
}


def of(values, pair):
    names = list(LEARNERS)
    return values[names.index(pair[0])] - (0.0 if pair[1] is None else values[names.index(pair[1])])


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data-sets", type=int, default=1000)
    options = parser.parse_args()
    for population in ("label", "effect", "number"):
        rng = np.random.default_rng(1)
        truth = {}
        for groups in {plan[0] for plan in PLANS.values()}:
            pairs = [
                (sample(rng, population, groups), sample(rng, population, 200, 5))
                for _ in range(1500)
            ]
            truth[groups] = np.mean(
                [losses(population, *old[:2], *new[:2]) for old, new in pairs], axis=0
            )
        held = {}
        for _ in range(options.data_sets):
            X, y, group = sample(rng, population, GROUPS)
            for name, (groups, repeats, splits) in PLANS.items():
                tests = splits(rng, group)
                scores = np.array(
                    [losses(population, X[~test], y[~test], X[test], y[test]) for test in tests]
                ).T
                for method in (corrected_t, kfold_t)[: 2 if repeats == 1 else 1]:
                    for pair in PAIRS:
                        result = method(
                            Losses(of(scores, pair), n_train=10 * groups, n_test=300 - 10 * groups)
                        )
                        within = result.low <= of(truth[groups], pair) <= result.high
                        held.setdefault((name, method.__name__, pair[1] is None), {}).setdefault(
                            pair, []
                        ).append(within)
        for (name, method, single), found in held.items():
            shares = ", ".join(f"{100 * np.mean(one):.1f}" for one in found.values())
            print(
                f"{population}: {name}, {method}, {'learners' if single else 'differences'}: {shares} %"
            )


if __name__ == "__main__":
    main()

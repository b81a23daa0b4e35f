"""How often 95 % intervals hold the expected loss of learners that weigh classes otherwise than the loss, or have few of a class.

Features are standard normal, and the log odds are linear in the first five of ten. Logistic regression is measured with balanced class
weights and as it comes. The true risks are means over independent training sets of the size of the folds.

    python benchmarks/reweighted.py
"""

import argparse
from multiprocessing import Pool

import numpy as np
from scipy import optimize, special
from sklearn.linear_model import LogisticRegression

import errbar

FEATURES, WEIGHTS = 10, np.r_[np.full(5, 0.5), np.zeros(5)]
LEARNERS = {
    "balanced": LogisticRegression(class_weight="balanced"),
    "plain": LogisticRegression(),
}
LOSSES = ["zero-one", "log-loss"]
CELLS = ((0.054, 300), (0.031, 2000))
TRAINING_SETS, TESTED, FEWEST = 300, 20_000, 10


def intercept(share):
    """Return the log odds at 0 that leave so many positives."""
    odds = np.random.default_rng(0).standard_normal((200_000, FEATURES)) @ WEIGHTS
    return optimize.brentq(lambda at: special.expit(at + odds).mean() - share, -10.0, 5.0)


def sample(rng, n, at):
    """Draw examples, at least ten of them positive."""
    y = np.zeros(n, dtype=int)
    while y.sum() < FEWEST:
        X = rng.standard_normal((n, FEATURES))
        y = (rng.random(n) < special.expit(at + X @ WEIGHTS)).astype(int)
    return X, y


def risks(task):
    """Return the losses of models of one training set, (losses, learners)."""
    n, at, number = task
    rng = np.random.default_rng([1, n, number])
    X, y = sample(rng, n, at)
    new = rng.standard_normal((TESTED, FEATURES))
    chance = special.expit(at + new @ WEIGHTS)
    found = []
    for learner in LEARNERS.values():
        says = np.clip(learner.fit(X, y).predict_proba(new)[:, 1], 1e-15, 1 - 1e-15)
        wrong = np.where(says > 0.5, 1 - chance, chance).mean()
        found.append((wrong, -(chance * np.log(says) + (1 - chance) * np.log1p(-says)).mean()))
    return np.transpose(found)


def intervals(task):
    """Return the ends of the intervals of the learners, and of their difference, (losses, 3, 2)."""
    n, at, number, method = task
    X, y = sample(np.random.default_rng([2, n, number]), n, at)
    plan = errbar.methods.lookup(method).default_plan
    table = errbar.run(LEARNERS, X, y, plan=plan, random_state=number, n_jobs=1)
    found = []
    for loss in LOSSES:
        own = table.with_loss(loss)
        each = [errbar.infer(own, method, name) for name in LEARNERS] + [
            errbar.infer(own, method, "balanced", "plain")
        ]
        found.append([(one.low, one.high) for one in each])
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data-sets", type=int, default=150)
    parser.add_argument("--method", nargs="*", default=["cv-t"])
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--cell", type=int, nargs="*", default=range(len(CELLS)))
    arguments = parser.parse_args()
    print("positives,n,method,loss," + ",".join([*LEARNERS, "balanced - plain"]))
    with Pool(arguments.jobs) as workers:
        for share, n in (CELLS[k] for k in arguments.cell):
            at, trained = intercept(share), round(0.9 * n)
            true = np.mean(
                workers.map(risks, [(trained, at, k) for k in range(TRAINING_SETS)], chunksize=10),
                axis=0,
            )
            true = np.column_stack([true, true[:, 0] - true[:, 1]])
            for method in arguments.method:
                tasks = [(n, at, k, method) for k in range(arguments.data_sets)]
                ends = np.array(workers.map(intervals, tasks, chunksize=5))
                held = ((ends[..., 0] <= true) & (true <= ends[..., 1])).mean(axis=0)
                for loss, own in zip(LOSSES, held, strict=True):
                    print(
                        f"{share},{n},{method},{loss}," + ",".join(f"{value:.3f}" for value in own),
                        flush=True,
                    )


if __name__ == "__main__":
    main()

"""The fast bootstrap of cross-validation against cv-t: coverage and width over the oracle's.

Bootstrap samples of the data set are cross-validated, each over several partitions, and the variance between samples is that of a random-effects
model: (MS_between - MS_within) / repeats (Cai et al. 2023). Copies of an example stay in one fold, so that none is trained and tested on at once.
The interval has the estimate of two times ten folds and Student's t with one degree of freedom less than there are samples.

    python benchmarks/bootstrap_cv.py --data-sets 100 --csv bootstrap-cv.csv
"""

import argparse
import csv
import math
import sys
from pathlib import Path

import numpy as np
from near_equal import Discriminant
from scipy import stats
from scipy.spatial.distance import cdist
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.linear_model import LinearRegression, Ridge

import errbar
import errbar_lab as lab
from errbar.plans import KFold
from errbar_lab._summary import proportion

FOLDS = 10
METHODS = {"cv-t": KFold(FOLDS, repeats=2)}


class Nearest(ClassifierMixin, BaseEstimator):
    """The majority of the k nearest neighbours of two classes, k odd."""

    def __init__(self, k=1):
        self.k = k

    def fit(self, X, y):
        self.X_, self.y_, self.classes_ = X, y, np.unique(y)
        return self

    def predict(self, X):
        nearest = np.argpartition(cdist(X, self.X_, "sqeuclidean"), self.k - 1, axis=1)[:, : self.k]
        return np.median(self.y_[nearest], axis=1).astype(int)


def scenarios():
    line, classes = lab.GaussianRegression(20, 5), lab.GaussianClassification(5, 1)
    ols, ridge = (
        {"least squares": LinearRegression()},
        {"ridge": Ridge(5.0), "least squares": LinearRegression()},
    )
    near, five, linear = {"1-NN": Nearest()}, {"5-NN": Nearest(5)}, {"discriminant": Discriminant()}
    for n in (40, 60, 100, 300):
        yield f"least squares, n = {n}", n, lab.Problem(line, ols)
    for n in (80, 300):
        yield f"ridge - least squares, n = {n}", n, lab.Problem(line, ridge)
    yield "discriminant, n = 60", 60, lab.Problem(classes, linear)
    yield "1-NN, n = 100", 100, lab.Problem(classes, near)
    yield "5-NN, n = 100", 100, lab.Problem(classes, five)
    yield "5-NN - discriminant, n = 100", 100, lab.Problem(classes, five | linear)


def loss_of(y, predicted):
    return np.square(y - predicted) if y.dtype.kind == "f" else (y != predicted).astype(float)


def cross_validated(learners, X, y, weight, rng):
    """Return the mean loss of the first learner, less that of the second, over folds of examples that count `weight` times."""
    total, fold = 0.0, rng.permutation(len(y)) % FOLDS
    for k in range(FOLDS):
        train = np.repeat(np.arange(len(y)), np.where(fold == k, 0, weight))
        test = (fold == k) & (weight > 0)
        if not test.any():
            continue
        for sign, learner in zip((1.0, -1.0), learners, strict=False):
            total += (
                sign
                * weight[test]
                @ loss_of(y[test], learner.fit(X[train], y[train]).predict(X[test]))
            )
    return total / weight.sum()


def bootstrap_se(learners, X, y, samples, repeats, rng):
    """Return the square root of the between-sample component, and that of the variance of the samples' means."""
    means = np.array(
        [
            [cross_validated(learners, X, y, weight, rng) for _ in range(repeats)]
            for weight in rng.multinomial(len(y), np.full(len(y), 1 / len(y)), size=samples)
        ]
    )
    plain, within = means.mean(axis=1).var(ddof=1), means.var(axis=1, ddof=1).mean()
    return math.sqrt(max(plain - within / repeats, 0.0)), math.sqrt(plain)


def answers(problem, n, number, samples, repeats):
    """Return estimate and half width of each method on one data set."""
    rng = np.random.default_rng([9, number])
    X, y = problem.population.sample(n, rng)
    learners, found = problem.learners, {}
    for method, plan in METHODS.items():
        one = errbar.infer(
            errbar.run(learners, X, y, plan=plan, random_state=number), method, *learners
        )
        found[method] = (one.estimate, one.high - one.low)
    between, plain = bootstrap_se(list(learners.values()), X, y, samples, repeats, rng)
    estimate, factor = found["cv-t"][0], 2.0 * stats.t.ppf(0.975, samples - 1)
    return found | {
        "fast bootstrap": (estimate, factor * between),
        "plain bootstrap": (estimate, factor * plain),
    }


def rows_of(name, n, problem, asked):
    fits = {
        name: plan.repeats * (FOLDS if name == "cv-t" else FOLDS * (FOLDS + 1) // 2)
        for name, plan in METHODS.items()
    }
    fits |= dict.fromkeys(
        ("fast bootstrap", "plain bootstrap"), asked.samples * asked.repeats * FOLDS
    )
    n_train = n * (FOLDS - 1) // FOLDS
    truth = lab.expected_risks(problem, [n_train], draws=asked.truth_draws, random_state=0)[n_train]
    about = truth.of(*problem.learners)[0]
    found = [
        answers(problem, n, number, asked.samples, asked.repeats)
        for number in range(asked.data_sets)
    ]
    for method in found[0]:
        estimate, width = np.array([one[method] for one in found]).T
        held = proportion(int((np.abs(estimate - about) <= width / 2).sum()), asked.data_sets)
        sd = estimate.std(ddof=1)
        yield {
            "case": name,
            "method": method,
            "fits": fits[method],
            "data_sets": asked.data_sets,
            "truth": about,
            "sd": sd,
            "coverage": held.value,
            "low": held.low,
            "high": held.high,
            "over_oracle": np.median(width) / (2.0 * stats.norm.ppf(0.975) * sd),
        }


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data-sets", type=int, default=100)
    parser.add_argument("--samples", type=int, default=40)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--truth-draws", type=int, default=4000)
    parser.add_argument("--case", help="part of the name of one case", default="")
    parser.add_argument("--csv", help="file for the rows")
    asked = parser.parse_args()
    rows = []
    for name, n, problem in scenarios():
        if asked.case not in name:
            continue
        print(name, flush=True)
        for row in rows_of(name, n, problem, asked):
            rows.append(row)
            print(
                f"  {row['method']:16s} fits {row['fits']:5d} coverage {100 * row['coverage']:.1f} "
                f"width/oracle {row['over_oracle']:.2f}",
                flush=True,
            )
    if asked.csv:
        with Path(asked.csv).open("w", newline="", encoding="utf-8") as file:
            file.write(f"# python benchmarks/bootstrap_cv.py {' '.join(sys.argv[1:])}\n")
            writer = csv.DictWriter(file, list(rows[0]))
            writer.writeheader()
            writer.writerows(rows)


if __name__ == "__main__":
    main()

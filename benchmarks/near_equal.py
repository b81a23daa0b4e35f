"""Learners that nearly agree: coverage, width over the oracle's and power of every method, and of what was tried.

Four pairs: ridge regression minus least squares with 80 and 300 examples, two strengths of logistic regression by log-loss, and linear
discriminant analysis minus logistic regression by error rate, with 150 examples. A fifth has two strengths so different that they do not
nearly agree. The oracle is the interval that knows the standard deviation of the method's own estimate; power is that of finding a true
difference of two such standard deviations of the part-jackknife's estimate. The learners are those of scikit-learn, with which they are
compared at the start, in a few lines of linear algebra: a data set needs 7000 fits.

    python benchmarks/near_equal.py --data-sets 200 --keep FOLDER --csv near-equal.csv

Interrupted runs go on with --keep.
"""

import argparse
import csv
import math
import sys
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from scipy import stats
from scipy.special import expit
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.linear_model import LinearRegression, LogisticRegression, Ridge

import errbar_lab as lab
from errbar.methods import Answer
from errbar.methods._folds import results_without_parts
from errbar.methods.distributions import Asked
from errbar.plans import KFold, NestedKFold, PartJackknife, Subsampling
from errbar.result import Estimand
from errbar_lab._summary import proportion, rejects


class Line(RegressorMixin, BaseEstimator):
    """Least squares with a penalty on the squared coefficients."""

    def __init__(self, penalty=0.0):
        self.penalty = penalty

    def fit(self, X, y):
        mean, level = X.mean(axis=0), y.mean()
        X = X - mean
        self.coef_ = np.linalg.solve(X.T @ X + self.penalty * np.eye(X.shape[1]), X.T @ (y - level))
        self.intercept_ = level - mean @ self.coef_
        return self

    def predict(self, X):
        return X @ self.coef_ + self.intercept_


class Linear(ClassifierMixin, BaseEstimator):
    def predict(self, X):
        return self.classes_[(X @ self.coef_ + self.intercept_ > 0).astype(int)]

    def predict_proba(self, X):
        p = expit(X @ self.coef_ + self.intercept_)
        return np.column_stack([1 - p, p])


class Logistic(Linear):
    """Logistic regression by Newton's method."""

    def __init__(self, C=1.0):
        self.C = C

    def fit(self, X, y):
        self.classes_, y = np.unique(y, return_inverse=True)
        Z = np.column_stack([np.ones(len(X)), X])
        penalty = np.r_[0.0, np.full(X.shape[1], 1 / self.C)]
        beta = np.zeros(Z.shape[1])
        for _ in range(50):
            p = expit(Z @ beta)
            curved = (Z.T * (p * (1 - p))) @ Z
            curved.flat[:: beta.size + 1] += penalty
            step = np.linalg.solve(curved, Z.T @ (p - y) + penalty * beta)
            beta -= step
            if np.abs(step).max() < 1e-8:
                break
        self.intercept_, self.coef_ = beta[0], beta[1:]
        return self


class Discriminant(Linear):
    """Linear discriminant analysis."""

    def fit(self, X, y):
        self.classes_, y = np.unique(y, return_inverse=True)
        zero, one = X[y == 0], X[y == 1]
        low, high = zero.mean(axis=0), one.mean(axis=0)
        spread = ((zero - low).T @ (zero - low) + (one - high).T @ (one - high)) / len(X)
        self.coef_ = np.linalg.solve(spread, high - low)
        self.intercept_ = math.log(len(one) / len(zero)) - (high + low) @ self.coef_ / 2
        return self


def check():
    """Compare the learners with those of scikit-learn."""
    X, y = lab.GaussianRegression(20, 5).sample(72, np.random.default_rng(0))
    for own, other in ((Line(), LinearRegression()), (Line(5.0), Ridge(5.0))):
        np.testing.assert_allclose(own.fit(X, y).predict(X), other.fit(X, y).predict(X), atol=1e-8)
    X, y = lab.GaussianClassification(20, 5).sample(135, np.random.default_rng(0))
    for own, other in (
        (Logistic(0.3), LogisticRegression(C=0.3, tol=1e-9, max_iter=1000)),
        (Discriminant(), LinearDiscriminantAnalysis()),
    ):
        np.testing.assert_allclose(
            own.fit(X, y).predict_proba(X), other.fit(X, y).predict_proba(X), atol=1e-4
        )


PART = PartJackknife()
METHODS = (
    lab.Analysis("corrected-t", Subsampling(), name="corrected-t, 15 random splits"),
    lab.Analysis("corrected-t", KFold(repeats=3), name="corrected-t, 3 x 10 folds"),
    lab.Analysis("cv-t", KFold(repeats=2), name="cv-t, 2 x 10 folds"),
    lab.Analysis("cv-wald", KFold(), name="cv-wald"),
    lab.Analysis("cv-jackknife", NestedKFold(7, repeats=1), name="cv-jackknife"),
    lab.Analysis("conservative-z", name="conservative-z"),
    lab.Analysis("replace-one", name="replace-one"),
    lab.Analysis("part-jackknife", PART, name="part-jackknife"),
)


@dataclass(frozen=True)
class Attempt:
    """Another variance from the cross-validations without parts."""

    name: str
    plan: PartJackknife = PART

    @property
    def plans(self):
        return (self.plan,)

    def applies_to(self, _):
        return True

    def infer(self, table, positions, target, level):
        losses = table.losses(target[0], target[1] or None, plan=positions[0])
        theta, T, U = results_without_parts(losses)
        G, R = T.shape
        of_parts = T.mean(axis=1)
        v = (G - 1) ** 2 / G * of_parts.var(ddof=1)
        left = T - of_parts[:, None] - T.mean(axis=0) + of_parts.mean()
        noise = (G - 1) ** 2 / G * np.square(left).sum() / ((G - 1) * (R - 1)) / R
        Q = G * theta - (G - 1) * (T + np.roll(T, -1, axis=0)) + (G - 2) * U
        q = max(np.square(Q.mean(axis=1)).mean() - Q.var(axis=1, ddof=1).mean() / R, 0.0)
        kept, partition = max(v - noise, v / 4), theta.var(ddof=1) / R
        squared = {
            "v": v,
            "w, nothing taken off": kept + partition,
            "w/2": kept / 2 + partition,
            "w - q without bound": max(kept - (G - 1) / (2 * G) * q, v / 100) + partition,
        }[self.name.removeprefix("tried: ")]
        answer = Answer(
            estimate=theta.mean(), se=math.sqrt(squared), df=G - 1, n_train=losses.n_train
        )
        return answer.result("part-jackknife", Estimand.EXPECTED_RISK, Asked(level=level))


ATTEMPTS = (
    Attempt("tried: v"),
    Attempt("tried: w, nothing taken off"),
    Attempt("tried: w/2"),
    Attempt("tried: w - q without bound"),
)


def scenarios():
    line, classes = lab.GaussianRegression(20, 5), lab.GaussianClassification(20, 5)
    ridge = {"ridge": Line(5.0), "least squares": Line()}
    logistic = {"C = 1": Logistic(), "C = .3": Logistic(0.3)}
    far = {"C = 1": Logistic(), "C = .001": Logistic(0.001)}
    linear = {"discriminant": Discriminant(), "logistic": Logistic()}
    return (
        ("ridge - least squares, n = 80", 80, line, ridge, None),
        ("ridge - least squares, n = 300", 300, line, ridge, None),
        ("logistic C = 1 - C = .3, log-loss, n = 150", 150, classes, logistic, "log-loss"),
        ("discriminant - logistic, error rate, n = 150", 150, classes, linear, None),
        ("logistic C = 1 - C = .001, log-loss, n = 150", 150, classes, far, "log-loss"),
    )


def rows_of(name, n, problem, data_sets, draws, keep, jobs):
    store = None if keep is None else Path(keep) / f"{name.replace(' ', '-')}.fits"
    how = {"random_state": 0, "n_jobs": jobs, "store": store}
    experiment = lab.Experiment([problem], [n], [*METHODS, *ATTEMPTS])
    outcomes = experiment.run(data_sets, truth_draws=draws, **how)
    pairs = outcomes[outcomes["minus"] != ""]
    step = 2.0 * pairs["estimate"][pairs["method"] == "part-jackknife"].std()
    for method, one in pairs.groupby("method", sort=False):
        truth = one["ER(n1)"].iloc[0]
        sd = one["estimate"].std()
        held = proportion(int((~rejects(one, truth)).sum()), len(one))
        width = (one["high"] - one["low"]).mean()
        yield {
            "pair": name,
            "method": method,
            "data_sets": len(one),
            "truth": truth,
            "sd": sd,
            "se": math.sqrt(np.square(one["se"]).mean()),
            "coverage": held.value,
            "low": held.low,
            "high": held.high,
            "width": width,
            "over_oracle": width / (2.0 * stats.norm.ppf(0.975) * sd),
            "power": rejects(one, [truth - step, truth + step]).mean(),
        }


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data-sets", type=int, default=200)
    parser.add_argument("--truth-draws", type=int, default=20_000)
    parser.add_argument("--keep", help="folder that keeps finished data sets")
    parser.add_argument("--csv", help="file for the rows")
    parser.add_argument("--pair", help="part of the name of one pair", default="")
    parser.add_argument("--jobs", type=int, default=1)
    asked = parser.parse_args()
    if asked.keep:
        Path(asked.keep).mkdir(parents=True, exist_ok=True)
    check()
    rows = []
    for name, n, *data in scenarios():
        if asked.pair not in name:
            continue
        print(name, flush=True)
        how = (asked.data_sets, asked.truth_draws, asked.keep, asked.jobs)
        for row in rows_of(name, n, lab.Problem(*data), *how):
            rows.append(row)
            print(
                f"  {row['method']:34s} sd {row['sd']:.4g} se {row['se']:.4g} coverage {100 * row['coverage']:.1f} "
                f"width/oracle {row['over_oracle']:.2f} power {row['power']:.2f}",
                flush=True,
            )
    if asked.csv:
        with Path(asked.csv).open("w", newline="", encoding="utf-8") as file:
            file.write(f"# python benchmarks/near_equal.py {' '.join(sys.argv[1:])}\n")
            writer = csv.DictWriter(file, list(rows[0]))
            writer.writeheader()
            writer.writerows(rows)


if __name__ == "__main__":
    main()

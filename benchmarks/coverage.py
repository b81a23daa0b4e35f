"""Coverage of the intervals where the truth is known exactly: least squares on Gaussian data.

x ~ N(0, I_20), y = x_1 + ... + x_5 + N(0, 1), least squares with intercept, squared loss (Schulz-Kuempel et al. 2024,
section 4.1). The risk of a fitted model is R = 1 + |b - beta|^2 + b0^2, and its expectation over training sets of size n
is ER(n) = 1 + 20/(n - 22) + (n - 2)/(n (n - 22)).

    python benchmarks/coverage.py --replicates 2000 --out src/errbar/methods/evidence.csv
"""

import sys
from pathlib import Path

# A script's folder comes first on the path, and this one holds a file that is called like a standard module.
sys.path[:] = [place for place in sys.path if Path(place).resolve() != Path(__file__).resolve().parent]

import argparse
import csv
import math
from collections import defaultdict

import numpy as np
from joblib import Parallel, delayed
from sklearn.base import BaseEstimator, RegressorMixin

import errbar
from errbar import _rng, plans

P, SIGNALS, LEVEL = 20, 5, 0.95
BETA = np.repeat([1.0, 0.0], [SIGNALS, P - SIGNALS])
METHODS = {
    "holdout-t": plans.Holdout(n_test=0.25),
    "corrected-t": plans.Subsampling(),
    "conservative-z": plans.PairedHalves(),
    "cv-wald": plans.KFold(),
    "nested-cv": plans.NestedKFold(),
}


class LeastSquares(RegressorMixin, BaseEstimator):
    """Ordinary least squares with intercept by the normal equations, without the overhead of the general one."""

    def fit(self, X, y):
        design = np.column_stack([np.ones(len(y)), X])
        self.coefficients_ = np.linalg.solve(design.T @ design, design.T @ y)
        return self

    def predict(self, X):
        return self.coefficients_[0] + X @ self.coefficients_[1:]

    @property
    def risk(self):
        return 1.0 + float(np.square(self.coefficients_[1:] - BETA).sum()) + float(self.coefficients_[0] ** 2)


def expected_risk(n):
    return 1.0 + P / (n - P - 2) + (n - 2) / (n * (n - P - 2))


def replicate(n, number, seed):
    """Return one row per method: estimate, ends and the truths of one data set."""
    rng = _rng.stream(seed, "coverage", n, number)
    X = rng.standard_normal((n, P))
    y = X @ BETA + rng.standard_normal(n)
    table = errbar.run(
        {"least squares": LeastSquares()},
        X,
        y,
        plan=plans.Union(tuple(METHODS.values())),
        loss="squared-error",
        random_state=int(rng.integers(2**31)),
        n_jobs=1,
    )
    risk = LeastSquares().fit(X, y).risk
    found = {key: errbar.infer(table, key, level=LEVEL) for key in METHODS}
    return risk, {key: (r.estimate, r.low, r.high, r.n_train) for key, r in found.items()}


def batch(n, numbers, seed):
    return [replicate(n, number, seed) for number in numbers]


def simulate(n, replicates, seed, jobs):
    parts = np.array_split(np.arange(replicates), max(1, replicates // 25))
    found = Parallel(n_jobs=jobs)(delayed(batch)(n, part.tolist(), seed) for part in parts)
    return [one for part in found for one in part]


def rows_of(n, found):
    """Count how often each interval holds R, ER at n, and ER at the method's own training size."""
    risks = np.array([risk for risk, _ in found])
    for key in METHODS:
        estimate, low, high, n_train = np.array([results[key] for _, results in found]).T
        size = float(n_train[0])
        truths = {"R": risks, "ER(n)": expected_risk(n), "ER(n1)": expected_risk(size)}
        bias = estimate.mean() - expected_risk(size)
        error = estimate.std(ddof=1) / math.sqrt(len(found))
        for target, truth in truths.items():
            covered = int(((low <= truth) & (truth <= high)).sum())
            yield {
                "method": key,
                "problem": "least squares, 20 Gaussian features",
                "n": n,
                "target": target,
                "level": LEVEL,
                "covered": covered,
                "replicates": len(found),
                "width": round(float((high - low).mean()), 4),
                "n_train": size,
                "bias": round(bias, 5),
                "bias_error": round(error, 5),
            }


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--replicates", type=int, default=200)
    parser.add_argument("--n", type=int, action="append")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--random-state", type=int, default=0)
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    rows, checks = [], defaultdict(float)
    for n in options.n or [100, 500]:
        found = simulate(n, options.replicates, options.random_state, options.jobs)
        risks = np.array([risk for risk, _ in found])
        checks[n] = (risks.mean() - expected_risk(n)) / (risks.std(ddof=1) / math.sqrt(len(risks)))
        rows += rows_of(n, found)
    for row in rows:
        share = row["covered"] / row["replicates"]
        error = 100 * math.sqrt(share * (1 - share) / row["replicates"])
        print(
            f"{row['method']:<15} n = {row['n']:<4} {row['target']:<7} covered {100 * share:5.1f} % (± {error:.1f})  "
            f"width {row['width']:.3f}  bias {row['bias']:+.4f} (± {row['bias_error']:.4f})"
        )
    for n, z in checks.items():
        print(f"mean of R against ER({n}) = {expected_risk(n):.4f}: {z:+.2f} standard errors")
    if options.out is not None:
        with options.out.open("w", encoding="utf-8", newline="") as file:
            file.write(
                f"# benchmarks/coverage.py --replicates {options.replicates} --random-state {options.random_state}, "
                f"errbar {errbar.__version__}\n"
            )
            writer = csv.DictWriter(file, rows[0].keys())
            writer.writeheader()
            writer.writerows(rows)


if __name__ == "__main__":
    sys.exit(main())

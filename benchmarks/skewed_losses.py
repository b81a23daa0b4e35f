"""Squared errors whose noise has a heavy tail: how often 95 % intervals of cv-t hold, and whether the note on skewed losses tells.

Ridge regression on five normal features, noise of four laws, 40 to 1000 examples, two times ten folds. The expected risk is the variance of
the noise plus the mean squared error of the coefficients, over fresh training sets.

    python benchmarks/skewed_losses.py --data-sets 2000
"""

import argparse
import math

import numpy as np

import errbar

FEATURES, FOLDS, REPEATS = 5, 10, 2
# Each with its variance.
NOISE = {
    "normal": (lambda rng, n: rng.standard_normal(n), 1.0),
    "t5": (lambda rng, n: rng.standard_t(5, n), 5.0 / 3.0),
    "t3": (lambda rng, n: rng.standard_t(3, n), 3.0),
    "lognormal": (lambda rng, n: rng.lognormal(size=n) - math.exp(0.5), (math.e - 1.0) * math.e),
}


def sample(rng, noise, n):
    X = rng.standard_normal((n, FEATURES))
    return X, X.sum(axis=1) + noise(rng, n)


def fitted(X, y):
    """Return coefficients and intercept of ridge regression with strength 1."""
    means, centre = X.mean(axis=0), y.mean()
    Z = X - means
    slope = np.linalg.solve(Z.T @ Z + np.eye(FEATURES), Z.T @ (y - centre))
    return slope, centre - means @ slope


def expected_risk(noise, variance, n_train, draws=4000):
    rng = np.random.default_rng(1)
    found = [fitted(*sample(rng, noise, n_train)) for _ in range(draws)]
    return variance + float(
        np.mean([np.square(slope - 1.0).sum() + intercept**2 for slope, intercept in found])
    )


def answer(rng, noise, n):
    X, y = sample(rng, noise, n)
    losses, fold = (
        np.empty((REPEATS, n)),
        np.stack([rng.permutation(n) % FOLDS for _ in range(REPEATS)]),
    )
    for repeat in range(REPEATS):
        for k in range(FOLDS):
            test = fold[repeat] == k
            slope, intercept = fitted(X[~test], y[~test])
            losses[repeat, test] = np.square(y[test] - X[test] @ slope - intercept)
    table = errbar.from_losses(
        {"ridge": losses.ravel()},
        fold=fold.ravel(),
        repeat=np.repeat(np.arange(REPEATS), n),
        example=np.tile(np.arange(n), REPEATS),
        n_train=n - n // FOLDS,
        metric="squared-error",
    )
    return errbar.infer(table, "cv-t", "ridge")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data-sets", type=int, default=2000)
    asked = parser.parse_args()
    print("noise          n  all, %  noted, %  held if noted, %  held if not, %")
    for name, (noise, variance) in NOISE.items():
        for n in (40, 80, 300, 1000):
            truth = expected_risk(noise, variance, n - n // FOLDS)
            held, noted = np.zeros((2, asked.data_sets), dtype=bool)
            for number in range(asked.data_sets):
                found = answer(np.random.default_rng([n, number]), noise, n)
                held[number] = found.low <= truth <= found.high
                noted[number] = any(note.code == "skewed-losses" for note in found.notes)
            cells = [
                100 * part.mean() if part.size else math.nan
                for part in (held, noted, held[noted], held[~noted])
            ]
            print(
                f"{name:10s} {n:5d}  {cells[0]:6.1f}  {cells[1]:8.1f}  {cells[2]:16.1f}  {cells[3]:14.1f}",
                flush=True,
            )


if __name__ == "__main__":
    main()

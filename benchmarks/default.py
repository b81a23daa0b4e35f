"""Fits and seconds to a decision: the default, cv-jackknife on seven folds, against cv-t on two times ten.

Pairs of learners on data sets from three laws: two that differ, two of which one reweights its classes, and two that nearly
agree. Both methods in turn on every data set; what is printed is the ratio of their seconds, how often each finds a
difference at 5 %, and how wide its intervals are.
"""

import argparse
import time

import numpy as np
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.neighbors import KNeighborsRegressor
from sklearn.tree import DecisionTreeClassifier

import errbar

METHODS = NEW, OLD = "cv-jackknife", "cv-t"
"""Each on its own plan."""


def classes(rng, n, above):
    X = rng.standard_normal((n, 10))
    return X, (X[:, :5].sum(axis=1) + rng.logistic(size=n) > above).astype(int)


def numbers(rng, n):
    X = rng.standard_normal((n, 10))
    return X, X[:, :5].sum(axis=1) + rng.standard_normal(n)


LOGISTIC = LogisticRegression()
CASES = {
    "tree - logistic": (
        {"a": DecisionTreeClassifier(min_samples_leaf=5), "b": LOGISTIC},
        lambda rng: classes(rng, 300, 1.0),
    ),
    "balanced - plain logistic, 6 % positive": (
        {"a": LogisticRegression(class_weight="balanced"), "b": LOGISTIC},
        lambda rng: classes(rng, 500, 4.2),
    ),
    "ridge - ridge 20": ({"a": Ridge(5.0), "b": Ridge(20.0)}, lambda rng: numbers(rng, 300)),
    "neighbours - ridge": (
        {"a": KNeighborsRegressor(5), "b": Ridge(5.0)},
        lambda rng: numbers(rng, 100),
    ),
}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data-sets", type=int, default=40)
    count = parser.parse_args().data_sets
    for name, (learners, draw) in CASES.items():
        seconds = {method: [] for method in METHODS}
        found = {method: [] for method in METHODS}
        widths = {method: [] for method in METHODS}
        fits = {}
        for seed in range(count):
            X, y = draw(np.random.default_rng(seed))
            for method in METHODS:
                start = time.perf_counter()
                told = errbar.compare(learners, X, y, method=method, random_state=seed)
                seconds[method].append(time.perf_counter() - start)
                pair = told.pairs[0]
                found[method].append(pair.significant)
                widths[method].append(pair.result.high - pair.result.low)
                fits[method] = told.table.counts.fits // len(learners)
        ratio = np.median(seconds[NEW]) / np.median(seconds[OLD])
        print(f"{name}: {ratio:.2f} times the seconds of {OLD}")
        for method in METHODS:
            print(
                f"    {method}: {fits[method]} fits, found {100 * np.mean(found[method]):.0f} %, "
                f"width {np.mean(widths[method]):.3g}",
                flush=True,
            )


if __name__ == "__main__":
    main()

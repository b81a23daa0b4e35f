"""What an honest answer after a search costs: seconds and fits against the search alone and nested cross-validation.

With --shapes, seconds and memory of the answer alone, from losses that are given: candidates x examples.
"""

import argparse
import time
import tracemalloc
import warnings

import numpy as np
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

import errbar


def timed(function):
    started = time.perf_counter()
    found = function()
    return time.perf_counter() - started, found


def searches(rounds):
    """Print seconds of the search alone, with its errors, and nested, each the least of some rounds in turn."""
    X, y = load_breast_cancer(return_X_y=True)
    grid = {"svc__C": np.geomspace(0.01, 100, 10), "svc__gamma": np.geomspace(0.001, 1, 6)}
    search = GridSearchCV(make_pipeline(StandardScaler(), SVC()), grid, scoring="roc_auc")
    ways = {
        "search alone": (lambda: search.fit(X, y), 301),
        "errbar.tune, no baseline": (
            lambda: errbar.tune(search, X, y, baseline=None, random_state=0),
            301,
        ),
        "errbar.tune": (lambda: errbar.tune(search, X, y, random_state=0), 306),
        "nested, 5 folds": (lambda: cross_val_score(search, X, y, cv=5, scoring="roc_auc"), 1505),
    }
    seconds = {name: [] for name in ways}
    for _ in range(rounds):
        for name, (way, _) in ways.items():
            seconds[name].append(timed(way)[0])
    alone = min(seconds["search alone"])
    for name, (_, fits) in ways.items():
        least = min(seconds[name])
        print(f"{name:26s} {fits:5d} fits {least:7.2f} s {least / alone:6.2f} times", flush=True)


def shapes(sizes):
    """Print seconds and memory of the answer for tables of so many candidates and examples."""
    for candidates, n in sizes:
        rng = np.random.default_rng(0)
        common = rng.normal(size=n)
        values = {
            f"c{j}": common + rng.normal(0.01 * rng.normal(), 1.0, n) for j in range(candidates)
        }
        table = errbar.from_losses(values, fold=np.arange(n) % 10)
        seconds, found = timed(lambda table=table: errbar.tuned(table, random_state=0))
        more, _ = timed(lambda found=found: found.candidates)
        tracemalloc.start()
        errbar.tuned(table, random_state=0)
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        print(
            f"{candidates} candidates, {n} examples: {seconds:.2f} s, each candidate's own interval {more:.2f} s more, "
            f"{peak / 1e6:.0f} MB",
            flush=True,
        )


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--shapes", action="store_true")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    if options.shapes:
        shapes([(300, 300), (300, 1000), (500, 10_000)])
    else:
        searches(options.rounds)


if __name__ == "__main__":
    main()

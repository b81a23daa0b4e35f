"""What intervals of metrics cost: influence values beside 1000 bootstrap resamples of scikit-learn's function, in one run.

Usage: python benchmarks/metrics.py [--examples 1000000] [--rounds 3]

Both sides of a row take turns, round by round. The bootstrap does a part of its resamples and its time is scaled up in
proportion. Printed are medians over rounds, and the median of the ratios within a round. A row ends the run where the two
sides disagree about the metric itself. Rows of the package confidenceinterval are there where it is installed and has an
interval by a formula.
"""

import argparse
import sys
import time
from importlib.util import find_spec

import numpy as np
from sklearn import metrics
from threadpoolctl import threadpool_limits

import errbar

RESAMPLES, DONE = 1000, 3
LABELS = {
    "accuracy": metrics.accuracy_score,
    "f1": metrics.f1_score,
    "precision": metrics.precision_score,
    "recall": metrics.recall_score,
    "balanced_accuracy": metrics.balanced_accuracy_score,
    "matthews_corrcoef": metrics.matthews_corrcoef,
    "kappa": metrics.cohen_kappa_score,
    "f1_macro": lambda y, p: metrics.f1_score(y, p, average="macro"),
}
SCORES = {"roc_auc": metrics.roc_auc_score, "average_precision": metrics.average_precision_score}
PACKAGE = {
    "accuracy": "accuracy_score",
    "f1_macro": "f1_score",
    "precision": "ppv_score",
    "recall": "tpr_score",
    "roc_auc": "roc_auc_score",
}


def sample(examples):
    rng = np.random.default_rng(0)
    y = (rng.random(examples) < 0.2).astype(int)
    score = rng.standard_normal(examples) + 1.5 * y
    probability = 1.0 / (1.0 + np.exp(1.2 - score))
    return y, np.column_stack([1.0 - probability, probability])


def seconds(side):
    start = time.perf_counter()
    return side(), time.perf_counter() - start


def interval(table, key):
    return errbar.infer(table.with_loss(key), "holdout-t")


def bootstrapped(function, y, predicted):
    rng = np.random.default_rng(1)
    for _ in range(DONE):
        drawn = rng.integers(0, y.size, y.size)
        function(y[drawn], predicted[drawn])


def of_package(key, y, predicted):
    from confidenceinterval import binary_metrics, f1_score, roc_auc_score

    if key == "f1_macro":
        return f1_score(y, predicted, average="macro")
    if key == "roc_auc":
        return roc_auc_score(y, predicted)
    return getattr(binary_metrics, PACKAGE[key])(y, predicted)


def row(name, ours, other, rounds, scale=1.0):
    mine, theirs = [], []
    for _ in range(rounds):
        mine.append(seconds(ours)[1])
        theirs.append(scale * seconds(other)[1])
    ratio = np.median(np.divide(theirs, mine))
    print(f"{name:<44}{np.median(mine):>10.3f}{np.median(theirs):>12.2f}{ratio:>10.1f}")
    sys.stdout.flush()
    return np.median(mine), np.median(theirs)


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--examples", type=int, default=1_000_000)
    parser.add_argument("--rounds", type=int, default=3)
    arguments = parser.parse_args()
    y, probability = sample(arguments.examples)
    labels = probability.argmax(axis=1)
    table, took = seconds(
        lambda: errbar.from_predictions({"model": probability}, y, fold="none", loss="accuracy")
    )
    print(
        f"{arguments.examples} predictions; making the table takes {took:.2f} s, once for all metrics"
    )
    print(f"{'interval of':<44}{'errbar, s':>10}{'other, s':>12}{'ratio':>10}")
    total = [took, 0.0]
    for key, function in {**LABELS, **SCORES}.items():
        predicted = labels if key in LABELS else probability[:, 1]
        if abs(interval(table, key).estimate - function(y, predicted)) > 1e-9:
            sys.exit(f"the sides disagree about {key}")
        found = row(
            f"{key}, against {RESAMPLES} resamples",
            lambda key=key: interval(table, key),
            lambda function=function, predicted=predicted: bootstrapped(function, y, predicted),
            arguments.rounds,
            RESAMPLES / DONE,
        )
        total = [sum(pair) for pair in zip(total, found, strict=True)]
    print(
        f"{'all ten, with the table':<44}{total[0]:>10.3f}{total[1]:>12.2f}{total[1] / total[0]:>10.1f}"
    )
    if not find_spec("confidenceinterval"):
        return
    for key in PACKAGE:
        predicted = labels if key != "roc_auc" else probability[:, 1]
        row(
            f"{key}, against confidenceinterval",
            lambda key=key: interval(table, key),
            lambda key=key, predicted=predicted: of_package(key, y, predicted),
            arguments.rounds,
        )


if __name__ == "__main__":
    with threadpool_limits(1):
        main()

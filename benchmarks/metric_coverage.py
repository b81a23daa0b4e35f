"""How often 95 % intervals of metrics hold the metric on new examples, on one test set and under 10-fold cross-validation.

Classes are two Gaussians whose means lie `--distance` standard deviations apart; the learners are linear discriminants on all five
features and on two of them. Numbers are linear in five features, with least squares on all and on two. What a fitted model
gets on new examples is known exactly, as both its scores and its errors are Gaussian. Under cross-validation the truth
is the metric of the ten models together (with shares of hits averaged over them) or, for metrics that rank, its mean.
"""

import argparse
import sys
from dataclasses import replace
from multiprocessing import Pool

import numpy as np
from scipy import stats

import errbar
from errbar.metrics import Target, resolve

FEATURES = 5
SUBSETS = {"all": np.arange(FEATURES), "two": np.array([0, 1])}
CLASSES = (
    "f1",
    "precision",
    "recall",
    "matthews_corrcoef",
    "balanced_accuracy",
    "roc_auc",
    "average_precision",
)
NUMBERS = ("r2", "root_mean_squared_error")
SIZES, SHARES = (150, 400, 1000), (0.5, 0.1, 0.05)
WEIGHTS = np.array([1.0, 0.7, 0.4, 0.2, 0.1])


class Classes:
    """Two Gaussian classes; a model is a direction, and where along it the second class begins."""

    metrics = CLASSES

    def __init__(self, distance, share):
        self.share = share
        self.mean = distance * WEIGHTS / np.linalg.norm(WEIGHTS)

    def sample(self, rng, n):
        y = (rng.random(n) < self.share).astype(int)
        return rng.standard_normal((n, FEATURES)) + np.outer(y, self.mean), y

    @staticmethod
    def fit(X, y, subset):
        parts = [X[y == k][:, subset] for k in (0, 1)]
        means = [part.mean(axis=0) for part in parts]
        pooled = sum(
            (part - mean).T @ (part - mean) for part, mean in zip(parts, means, strict=True)
        ) / (len(y) - 2)
        direction = np.linalg.solve(pooled, means[1] - means[0])
        cut = direction @ (means[0] + means[1]) / 2 - np.log(len(parts[1]) / len(parts[0]))
        return np.where(
            np.isin(np.arange(FEATURES), subset), np.bincount(subset, direction, FEATURES), 0.0
        ), cut

    @staticmethod
    def predict(model, X):
        score = X @ model[0] - model[1]
        return {"label": (score > 0).astype(int), "decision": score}

    def truth(self, metric, models):
        sizes = [np.linalg.norm(direction) for direction, _ in models]
        lifts = [
            direction @ self.mean / size for (direction, _), size in zip(models, sizes, strict=True)
        ]
        cuts = [cut / size for (_, cut), size in zip(models, sizes, strict=True)]
        if metric == "roc_auc":
            return np.mean(stats.norm.cdf(np.array(lifts) / np.sqrt(2)))
        if metric == "average_precision":
            return np.mean([self.average_precision(lift) for lift in lifts])
        hit = [np.mean(stats.norm.cdf(cuts)), np.mean(stats.norm.sf(np.array(cuts) - lifts))]
        p = self.share
        found, said = p * hit[1], (1 - p) * (1 - hit[0]) + p * hit[1]
        return {
            "f1": 2 * found / (p + said),
            "precision": found / said,
            "recall": hit[1],
            "balanced_accuracy": np.mean(hit),
            "matthews_corrcoef": (found - p * said) / np.sqrt(p * (1 - p) * said * (1 - said)),
        }[metric]

    def average_precision(self, lift):
        cut = np.linspace(-8.0, 8.0 + lift, 4001)
        recall, false = stats.norm.sf(cut - lift), stats.norm.sf(cut)
        precision = (
            self.share * recall / np.maximum(self.share * recall + (1 - self.share) * false, 1e-300)
        )
        return -np.trapezoid(precision, recall)


class Numbers:
    """A number that is linear in Gaussian features; a model is an intercept and weights."""

    metrics = NUMBERS
    noise = 1.2

    def sample(self, rng, n):
        X = rng.standard_normal((n, FEATURES))
        return X, X @ WEIGHTS + self.noise * rng.standard_normal(n)

    @staticmethod
    def fit(X, y, subset):
        design = np.column_stack([np.ones(len(X)), X[:, subset]])
        found = np.linalg.lstsq(design, y, rcond=None)[0]
        return found[0], np.bincount(subset, found[1:], FEATURES), y.mean()

    @staticmethod
    def predict(model, X):
        return {"label": model[0] + X @ model[1]}

    def truth(self, metric, models):
        errors = np.mean(
            [self.noise**2 + m[0] ** 2 + np.square(m[1] - WEIGHTS).sum() for m in models]
        )
        if metric == "root_mean_squared_error":
            return np.sqrt(errors)
        spread = self.noise**2 + WEIGHTS @ WEIGHTS
        # The rival of folds is the mean of their training set, that of one test set the mean of the test set itself.
        rivals = spread + np.mean([m[2] ** 2 for m in models]) if len(models) > 1 else spread
        return 1 - errors / rivals


def table_of(population, rng, n, folds):
    """Return the table of both learners, and the models that were tested."""
    if folds:
        X, y = population.sample(rng, n)
        fold = rng.permutation(np.arange(n) % folds)
        train = [fold != k for k in range(folds)]
    else:
        X, y = population.sample(rng, 2 * n)
        fold, train = np.zeros(n, dtype=int), [np.arange(2 * n) >= n]
    order = np.argsort(fold, kind="stable")
    if (
        isinstance(population, Classes)
        and min(np.bincount(y[t], minlength=2).min() for t in train) < 2
    ):
        return None
    models = {
        name: [population.fit(X[t], y[t], subset) for t in train]
        for name, subset in SUBSETS.items()
    }
    predictions = []
    for own in models.values():
        parts = [population.predict(model, X[:n][fold == k]) for k, model in enumerate(own)]
        predictions.append(
            {kind: np.concatenate([part[kind] for part in parts]) for kind in parts[0]}
        )
    given = errbar.from_losses(
        {name: np.zeros(n) for name in models}, fold=fold[order], example=order
    )
    target = (
        Target(y[:n], np.array([0, 1]), 1) if isinstance(population, Classes) else Target(y[:n])
    )
    return replace(given, predictions=tuple(predictions), target=target), models


def one(task):
    """Return for every metric whether intervals hold the truth: single, difference; and whether a note says that few are tested."""
    population, n, folds, pool, seed = task
    rng = np.random.default_rng(seed)
    made = table_of(population, rng, n, folds)
    found = {}
    for metric in population.metrics if made else ():
        table, models = made
        truths = {name: population.truth(metric, own) for name, own in models.items()}
        if not np.isfinite(list(truths.values())).all():
            continue
        try:
            measured = table.with_loss(resolve(metric, table.target.task, pool))
            method = "cv-wald" if folds else "holdout-t"
            single = errbar.infer(measured, method, "two")
            pair = errbar.infer(measured, method, "all", minus="two")
        except errbar.InvalidInputError:
            continue
        codes = {note.code for note in (*single.notes, *pair.notes)}
        found[metric] = (
            single.low <= truths["two"] <= single.high,
            pair.low <= truths["all"] - truths["two"] <= pair.high,
            single.estimate - truths["two"],
            single.high - single.low,
            bool(codes & {"few-of-a-class", "few"}),
        )
    return found


COLUMNS = (
    "plan",
    "rarer",
    "n",
    "metric",
    "single",
    "difference",
    "bias",
    "width",
    "undefined",
    "said",
)


def cell(workers, population, share, n, folds, arguments):
    """Return a row for each metric."""
    tasks = [
        (population, n, folds, arguments.pool, (n, folds, k)) for k in range(arguments.data_sets)
    ]
    found = workers.map(one, tasks, chunksize=20)
    for metric in population.metrics:
        rows = np.array([own[metric] for own in found if metric in own], dtype=float)
        means = rows.mean(axis=0) if len(rows) else np.full(5, np.nan)
        single, pair, bias, width, said = means.tolist()
        yield (
            "10 folds" if folds else "one test set",
            share,
            n,
            metric,
            *(
                f"{value:.4f}"
                for value in (single, pair, bias, width, 1 - len(rows) / len(found), said)
            ),
        )


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data-sets", type=int, default=1000)
    parser.add_argument("--distance", type=float, default=1.7)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--pool", help="as loss pool; by default that of each metric")
    parser.add_argument("--n", type=int, nargs="*", default=SIZES)
    parser.add_argument(
        "--share",
        type=float,
        nargs="*",
        default=SHARES,
        help="of the positive class; none for numbers alone",
    )
    arguments = parser.parse_args()
    cells = [(Classes(arguments.distance, share), share) for share in arguments.share] + [
        (Numbers(), "")
    ]
    # As it stands in docs/studies/numbers: the command on the first line.
    print("# python", *sys.argv)
    print(",".join(COLUMNS))
    with Pool(arguments.jobs) as workers:
        for folds in (0, 10):
            for population, share in cells:
                for n in arguments.n:
                    for row in cell(workers, population, share, n, folds, arguments):
                        print(",".join(map(str, row)), flush=True)


if __name__ == "__main__":
    main()

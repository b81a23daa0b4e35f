"""How often the intervals of tuned candidates cover: the winner's expected risk, what tuning bought, and who may be the best.

A cell is one problem of the atlas, or "nothing", where classes are drawn without the features; one family of candidates, one
number of them, one size and one number of folds. In each data set all candidates predict out of fold, the one with the best mean is
selected, and `errbar.tuned` says what is known. A candidate's expected risk is the mean over data sets of the risk of its model of
the first fold on 2000 other rows.

    python benchmarks/tuned_coverage.py --cells 'credit neighbours 100 300 10' --data-sets 150 --rows rows.parquet
"""

import argparse
import time
import warnings
from itertools import product

import numpy as np
import pandas as pd
from scipy.stats import rankdata
from sklearn.model_selection import KFold, StratifiedKFold
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

import errbar
from errbar.design import stated_columns
from errbar.metrics import DECISION, LABEL, Target
from errbar.table import Cells, LossTable
from errbar.tuning._tuned import Candidates, told
from errbar_lab._atlas import PROBLEMS

CELLS = """
nothing three 100 100 10
nothing three 500 1000 10
nothing neighbours 100 300 10
nothing svm 100 100 10
logistic three 500 100 10
logistic svm 20 300 10
rare three 100 300 10
rare neighbours 100 1000 10
credit neighbours 100 100 10
credit tree 100 100 10
credit svm 100 100 10
credit three 500 300 10
letters tree 20 100 10
letters neighbours 100 300 5
letters svm 20 300 10
covertype svm 20 100 10
covertype tree 100 300 10
covertype three 500 1000 10
wa-churn svm 20 100 5
wa-churn three 500 300 10
wa-churn tree 20 1000 10
mlc-churn neighbours 100 300 10
taxi neighbours 20 1000 10
friedman ridge 100 100 10
friedman neighbours 100 300 10
friedman neighbours 20 1000 10
friedman tree 100 300 10
linear ridge 500 1000 10
linear-50 ridge 500 100 10
heavy-tail neighbours 100 100 10
ames ridge 500 100 5
ames neighbours 100 300 10
chicago ridge 500 300 10
diamonds ridge 100 1000 10
""".strip().splitlines()

TESTED = 2000


def scaled(X, train):
    """Return all rows by the means and standard deviations of the training rows."""
    spread = X[train].std(axis=0)
    return (X - X[train].mean(axis=0)) / np.where(spread < 1e-6, 1.0, spread)


def neighbours(count, X, y, train):
    """Return the predictions of nearest neighbours by their number, two metrics and two weights."""
    metrics = [(2, "uniform")] if count == 20 else list(product((2, 1), ("uniform", "distance")))
    each, most = count // len(metrics), train.size - 1
    numbers = np.unique(np.round(np.geomspace(1, 0.6 * train.size, each)).astype(int))
    others = np.setdiff1d(np.arange(1, most), numbers)
    numbers = np.sort(np.append(numbers, others[: each - numbers.size]))
    Z = scaled(X, train)
    found = []
    for power in dict.fromkeys(one for one, _ in metrics):
        if power == 2:
            squares = np.square(Z).sum(axis=1)
            distance = squares[:, None] + squares[train] - 2.0 * Z @ Z[train].T
            distance = np.sqrt(np.maximum(distance, 0.0))
        else:
            distance = sum(np.abs(Z[:, [j]] - Z[train, j]) for j in range(Z.shape[1]))
        order = np.argsort(distance, axis=1, kind="stable")
        near, label = np.take_along_axis(distance, order, axis=1), y[train][order]
        for _, kind in [one for one in metrics if one[0] == power]:
            weight = np.ones_like(near) if kind == "uniform" else 1.0 / np.maximum(near, 1e-9)
            means = np.cumsum(weight * label, axis=1) / np.cumsum(weight, axis=1)
            found.append(means[:, numbers - 1])
    return np.concatenate(found, axis=1), 0.5


DEPTHS, LEAVES = (1, 2, 3, 4, 5, 6, 8, 10, 12, None), (1, 2, 3, 4, 6, 8, 12, 16, 24, 32)


def trees(count, X, y, train):
    """Return the predictions of trees by depth and size of leaves."""
    grid = product((1, 2, 4, 8, None), (1, 3, 8, 20)) if count == 20 else product(DEPTHS, LEAVES)
    whole = not np.isin(y, (0, 1)).all()
    found = []
    for depth, leaf in grid:
        make = DecisionTreeRegressor if whole else DecisionTreeClassifier
        tree = make(max_depth=depth, min_samples_leaf=leaf, random_state=0).fit(X[train], y[train])
        found.append(tree.predict(X) if whole else tree.predict_proba(X)[:, -1])
    return np.array(found).T, 0.5


def machines(count, X, y, train):
    """Return the decision values of support vector machines by C and gamma."""
    costs, widths = (4, 5) if count == 20 else (10, 10)
    Z, found = scaled(X, train), []
    for cost in np.geomspace(0.1, 100, costs):
        found += [
            SVC(C=cost, gamma=width).fit(Z[train], y[train]).decision_function(Z)
            for width in np.geomspace(0.1, 10, widths) / X.shape[1] / 2
        ]
    return np.array(found).T, 0.0


def three(count, X, y, train):
    """Return the values of linear discriminants of three features each, drawn at random."""
    rng, found = np.random.default_rng(7), []
    for _ in range(count):
        chosen = rng.choice(X.shape[1], min(3, X.shape[1]), replace=False)
        A, label = X[train][:, chosen], y[train] == 1
        one, other, share = A[label].mean(axis=0), A[~label].mean(axis=0), label.mean()
        left = np.concatenate([A[label] - one, A[~label] - other])
        spread = left.T @ left / (label.size - 2) + 1e-6 * np.eye(chosen.size)
        slope = np.linalg.solve(spread, one - other)
        found.append(X[:, chosen] @ slope - slope @ (one + other) / 2 + np.log(share / (1 - share)))
    return np.array(found).T, 0.0


def ridge(count, X, y, train):
    """Return the predictions of ridge regression by its penalty, of several sets of features where there are many."""
    sets = [np.arange(X.shape[1])]
    if count > 100:
        size = max(2, X.shape[1] * 2 // 3)
        sets = [np.random.default_rng(j).choice(X.shape[1], size, replace=False) for j in range(5)]
    found = []
    for chosen in sets:
        Z = scaled(X[:, chosen], train)
        U, s, V = np.linalg.svd(Z[train], full_matrices=False)
        own = U.T @ (y[train] - y[train].mean())
        found += [
            Z @ (V.T @ (s / (s * s + penalty) * own)) + y[train].mean()
            for penalty in np.geomspace(1e-3, 1e4, count // len(sets))
        ]
    return np.array(found).T, None


FAMILIES = {
    "neighbours": neighbours,
    "tree": trees,
    "svm": machines,
    "three": three,
    "ridge": ridge,
}


def risks_of(score, cut, y):
    """Return the risk of each candidate by loss."""
    if set(np.unique(y)) - {0.0, 1.0}:
        return {"squared-error": np.square(score - y[:, None]).mean(axis=0)}
    one = y == 1
    ranks, own = rankdata(score, axis=0)[one].sum(axis=0), int(one.sum())
    area = (ranks - own * (own + 1) / 2) / own / (y.size - own)
    return {"zero-one": ((score > cut) != one[:, None]).mean(axis=0), "roc_auc": 1.0 - area}


def data_set(cell, number):
    """Return out-of-fold scores of all candidates, the fold and target of each example, the cut, and risks by loss."""
    problem, family, count, n, folds = cell
    rng = np.random.default_rng([11, n, number])
    regression = False
    if problem == "nothing":
        X = rng.standard_normal((n + TESTED, 10))
        y = rng.integers(0, 2, n + TESTED).astype(float)
    else:
        population = PROBLEMS[problem].population
        data, regression = population.drawn(n, TESTED, rng), population.task == "regression"
        X, y = np.asarray(data.X, float), np.asarray(data.y, float)
    scores, fold, risks, cut = np.empty((n, count), np.float32), np.empty(n, int), {}, None
    cross = KFold if regression else StratifiedKFold
    splits = cross(folds, shuffle=True, random_state=number).split(X[:n], y[:n])
    for place, (train, test) in enumerate(splits):
        found, cut = FAMILIES[family](count, X if place == 0 else X[:n], y, train)
        cut = None if regression else cut
        scores[test], fold[test] = found[test], place
        if place == 0:
            risks = risks_of(found[n:], cut, y[n:])
    return scores, fold, y[:n], cut, risks


def table_of(scores, fold, y, cut):
    """Return a table with the predictions of all candidates."""
    names = tuple(f"candidate {place}" for place in range(scores.shape[1]))
    stand_in = errbar.from_predictions({"one": y}, y, loss="squared-error", fold=fold)
    order = np.argsort(fold, kind="stable")
    # Folds one after the other, as a run has them.
    tests = [np.flatnonzero(fold == place) for place in range(fold.max() + 1)]
    target, kinds = Target(y), [{LABEL: column} for column in scores[order].T.astype(float)]
    if cut is not None:
        target = Target(y.astype(int), np.array([0, 1]), 1)
        kinds = [
            {LABEL: (column > cut).astype(int), DECISION: column}
            for column in scores[order].T.astype(float)
        ]
    sizes = np.bincount(fold)
    splits = stated_columns(
        stand_in.splits.designs[0],
        sizes.size,
        n_train=y.size - sizes * 1.0,
        n_test=sizes * 1.0,
        labels={"fold": np.arange(sizes.size), "repeat": np.zeros(sizes.size, int)},
    )
    return LossTable(
        names,
        stand_in.loss,
        splits,
        np.zeros((len(names), sizes.size)),
        cells=Cells.of(tests),
        predictions=tuple(kinds),
        target=target,
    )


def forms(found, sign):
    """Return the intervals that were weighed, larger is worse: by how much their ends move, and whether they widen."""
    plain, result = found.plain, found.result
    mean, moved = sign * plain.estimate, sign * result.estimate
    low, high = sorted((sign * plain.low, sign * plain.high))
    below, above, wider = mean - low, high - mean, result.se / plain.se if plain.se else 1.0
    return {
        "shift": (moved - below, moved + above),
        "shift, wider": (moved - wider * below, moved + wider * above),
        "union": (min(mean, moved) - below, moved + above),
        "union, wider": (min(mean, moved) - below, moved + wider * above),
        "half": ((min(mean, moved) + moved) / 2 - below, moved + above),
    }


def judged(made, level=0.95):
    """Return a row per loss of what the answers for data sets hold."""
    rows = []
    for key in made[0][-1]:
        expected = np.mean([risks[key] for *_, risks in made], axis=0)
        counted, seconds = [], 0.0
        for number, (scores, fold, y, cut, _) in enumerate(made):
            table = table_of(scores, fold, y, cut)
            try:
                table = table.with_loss(key)
            except errbar.InvalidInputError:  # a fold with one class
                continue
            # What people would take without tuning: a candidate in the middle of the grid.
            middle = table.learners[len(table.learners) // 2]
            started = time.perf_counter()
            none = {name: {} for name in table.learners}
            given = Candidates(table=table, parameters=none, baseline=middle)
            found = told(given, level=level, random_state=number)
            seconds += time.perf_counter() - started
            place, base = table.position(found.winner), table.position(middle)
            sign = table.loss.sign
            truth = expected[place] if sign > 0 else 1.0 - expected[place]
            bought = expected[base] - expected[place]
            best = table.learners[int(expected.argmin())]
            held = {}
            for name, (low, high) in forms(found, sign).items():
                held |= {f"{name} covers": low <= sign * truth <= high, f"{name} width": high - low}
            counted.append(
                held
                | {
                    "covers": found.interval.low <= truth <= found.interval.high,
                    "plain covers": found.plain.low <= truth <= found.plain.high,
                    "width": found.interval.high - found.interval.low,
                    "plain width": found.plain.high - found.plain.low,
                    "shift": found.shift,
                    "too good": sign * (truth - found.plain.estimate),
                    "gain covers": found.gain.low <= bought <= found.gain.high,
                    "gain claimed": found.gain.low > 0.0,
                    "gained": bought,
                    "holds best": best in found.possible_best,
                    "dropped": len(found.dropped) / len(table.learners),
                }
            )
        means = pd.DataFrame(counted).astype(float).mean()
        rows.append(
            {"loss": key, "data sets": len(counted), **means, "seconds": seconds / len(counted)}
        )
    return rows


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument(
        "--cells", nargs="+", default=CELLS, help="problem, family, candidates, n, folds"
    )
    parser.add_argument("--data-sets", type=int, default=100)
    parser.add_argument("--rows", help="Parquet file to write")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    rows = []
    for text in options.cells:
        problem, family, *numbers = text.split()
        cell = problem, family, *map(int, numbers)
        named = dict(zip(("problem", "family", "candidates", "n", "folds"), cell, strict=True))
        found = judged([data_set(cell, number) for number in range(options.data_sets)])
        rows += [named | row for row in found]
        print(
            pd.DataFrame(rows[-len(found) :]).round(3).to_string(header=len(rows) == len(found)),
            flush=True,
        )
    if options.rows:
        pd.DataFrame(rows).to_parquet(options.rows, index=False)


if __name__ == "__main__":
    main()

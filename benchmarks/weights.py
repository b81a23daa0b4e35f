"""Examples with weights: how often 95 % intervals hold, and their standard errors beside those of the bootstrap.

Two linear rules, by weighted least squares on three of four features, tell two classes of which one has 30 % of the examples. Examples are
harder the more they weigh. Rules are fixed for one test set and for clusters, and fitted to nine tenths in ten folds. The true metric is that
of 200 000 examples with weights, of folds its mean over 200 training sets. The bootstrap draws rows, or whole clusters, with their weights.

    python benchmarks/weights.py --data-sets 1000
"""

import argparse
import time

import numpy as np
from sklearn.metrics import accuracy_score, f1_score, roc_auc_score

import errbar

EXAMPLES, CLUSTER, FOLDS, BOOTSTRAPS, MANY, FITS = 300, 5, 10, 2000, 200_000, 200
METRICS = {"accuracy": accuracy_score, "f1": f1_score, "roc_auc": roc_auc_score}
# Standard deviation of the logarithm of a weight: 300 examples count as 234 and as 110.
LAWS = {"mild": 0.5, "heavy": 1.0}
METHODS = {"test set": "holdout-t", "clusters": "cluster-t", "folds": "cv-t"}
RULES = {"one": slice(0, 3), "other": slice(1, 4)}


def sample(rng, spread, n, *, clustered=False):
    """Return features, truth and weights; examples of a cluster share half of the variance of their noise."""
    noise = rng.standard_normal((n, 4))
    if clustered:
        shared = rng.standard_normal((n // CLUSTER, 4)).repeat(CLUSTER, axis=0)
        noise = np.sqrt(0.5) * (noise + shared)
    heavy = rng.standard_normal(n)
    truth = (rng.random(n) < 0.3).astype(int)
    signal = truth * (1.2 - 0.3 * heavy)
    return noise + signal[:, None], truth, np.exp(spread * heavy)


def rules_of(X, truth, weights):
    """Return the coefficients of both rules, the intercept last."""
    found = []
    for columns in RULES.values():
        rows = np.column_stack([X[:, columns], np.ones(truth.size)])
        found.append(np.linalg.solve(rows.T * weights @ rows, rows.T @ (weights * truth)))
    return found


def scores_of(rules, X):
    """Return the scores of both rules, a row each."""
    pairs = zip(rules, RULES.values(), strict=True)
    return np.stack([X[:, columns] @ rule[:-1] + rule[-1] for rule, columns in pairs])


def values_of(truth, scores, weights, name):
    """Return a metric of the first rule, and the difference of both, from scikit-learn."""
    predicted = scores if name == "roc_auc" else scores > 0.5
    one, other = (METRICS[name](truth, own, sample_weight=weights) for own in predicted)
    return np.array([one, one - other])


def results_of(truth, scores, weights, design):
    """Return errbar's results for the first rule and for the difference, by metric."""
    labels = {"fold": "none"}
    if design == "clusters":
        labels["groups"] = np.arange(truth.size) // CLUSTER
    elif design == "folds":
        labels["fold"] = np.arange(truth.size) % FOLDS
    chances = {
        name: np.column_stack([1.0 - own, own]).clip(0.0, 1.0)
        for name, own in zip(RULES, scores, strict=True)
    }
    table = errbar.from_predictions(chances, truth, positive=1, weights=weights, **labels)
    found = {}
    for name in METRICS:
        asked = table.with_loss(name), METHODS[design], "one"
        found[name] = errbar.infer(*asked), errbar.infer(*asked, "other")
    return found


def studied(rng, spread, design, rules):
    """Return truth, scores and weights of one data set; in folds each is scored by rules of the others."""
    X, truth, weights = sample(rng, spread, EXAMPLES, clustered=design == "clusters")
    if design != "folds":
        return truth, scores_of(rules, X), weights
    scores, fold = np.empty((2, EXAMPLES)), np.arange(EXAMPLES) % FOLDS
    for k in range(FOLDS):
        others = fold != k
        fitted = rules_of(X[others], truth[others], weights[others])
        scores[:, ~others] = scores_of(fitted, X[~others])
    return truth, scores, weights


def true_values(spread, design, rules):
    """Return each metric of the first rule, and the difference, on many examples."""
    rng = np.random.default_rng(1)
    if design != "folds":
        X, truth, weights = sample(rng, spread, MANY, clustered=design == "clusters")
        return {name: values_of(truth, scores_of(rules, X), weights, name) for name in METRICS}
    found = {name: [] for name in METRICS}
    for _ in range(FITS):
        fitted = rules_of(*sample(rng, spread, EXAMPLES - EXAMPLES // FOLDS))
        X, truth, weights = sample(rng, spread, MANY // 10)
        for name, values in found.items():
            values.append(values_of(truth, scores_of(fitted, X), weights, name))
    return {name: np.mean(values, axis=0) for name, values in found.items()}


def bootstrapped(rng, truth, scores, weights, size):
    """Return the standard deviation of each metric over samples of rows, or of whole clusters of some size."""
    units, drawn = truth.size // size, {name: [] for name in METRICS}
    for _ in range(BOOTSTRAPS):
        picked = rng.integers(0, units, units)
        rows = (picked[:, None] * size + np.arange(size)).ravel()
        for name, values in drawn.items():
            values.append(values_of(truth[rows], scores[:, rows], weights[rows], name))
    return {name: np.std(values, axis=0) for name, values in drawn.items()}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data-sets", type=int, default=1000)
    asked, started = parser.parse_args(), time.process_time()
    print("                              of a rule        of a difference")
    print("design     weights  metric     held, %  se/sd   held, %  se/sd")
    for design in METHODS:
        for law, spread in LAWS.items():
            rules = rules_of(*sample(np.random.default_rng(0), spread, MANY))
            true = true_values(spread, design, rules)
            held, errors, estimates = ({name: [] for name in METRICS} for _ in range(3))
            for number in range(asked.data_sets):
                rng = np.random.default_rng([number, len(law)])
                given = studied(rng, spread, design, rules)
                for name, results in results_of(*given, design).items():
                    pairs = zip(results, true[name], strict=True)
                    held[name].append([one.low <= target <= one.high for one, target in pairs])
                    errors[name].append([one.se for one in results])
                    estimates[name].append([one.estimate for one in results])
            for name in METRICS:
                one, other = 100 * np.mean(held[name], axis=0)
                usual = np.sqrt(np.mean(np.square(errors[name]), axis=0))
                ratio = usual / np.std(estimates[name], axis=0)
                print(
                    f"{design:9s}  {law:7s}  {name:9s}  {one:7.1f}  {ratio[0]:5.2f}"
                    f"   {other:7.1f}  {ratio[1]:5.2f}",
                    flush=True,
                )
    print("\nse of errbar / of the bootstrap, for one data set: a rule, a difference")
    for design in ("test set", "clusters"):
        rules = rules_of(*sample(np.random.default_rng(0), 1.0, MANY))
        rng = np.random.default_rng(7)
        given = studied(rng, 1.0, design, rules)
        results = results_of(*given, design)
        errors = bootstrapped(rng, *given, CLUSTER if design == "clusters" else 1)
        for name in METRICS:
            one, other = (r.se / se for r, se in zip(results[name], errors[name], strict=True))
            print(f"{design:9s}  heavy    {name:9s}  {one:5.2f}  {other:5.2f}", flush=True)
    print(f"\n{time.process_time() - started:.0f} seconds")


if __name__ == "__main__":
    main()

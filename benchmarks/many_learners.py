"""How often a comparison of many equal learners finds a difference, and what it says of the winner and of the best.

Each learner assigns an example to the nearer of two class means, on features of its own. Features of all learners have the same law, so
that all have the same expected risk, which is known to four digits from the exact risk of drawn rules. For 3, 5, 12 and 30 learners and
100, 300 and 1000 examples, by cv-t (two partitions into ten folds) and by the corrected t (15 random splits, a tenth tested):

- found: data sets in which some pair differs at 5 %, p-values adjusted by max-t, and by Holm;
- plain: pairs that differ at 5 %, each tested alone;
- winner: data sets in which the simultaneous interval of the learner with the least estimate holds its risk, and the plain one;
- best: data sets in which the first learner, as good as any, is not ruled out as best.

With few features (2 by default) a training set adds little to the variance of an estimate, with many (--features 40) it adds much.
"""

import argparse
import csv
import math
import time
from pathlib import Path

import numpy as np
from scipy import special

import errbar

SHIFT = 1.1  # distance of the class means in all features of a learner together
HEADS = (
    "method",
    "features",
    "learners",
    "n",
    "data sets",
    "found",
    "holm",
    "plain",
    "winner",
    "winner plain",
    "best",
)


def risk_of_rule(n_train, features, draws=400_000):
    """Return the expected risk of the rule after training on so many examples."""
    rng = np.random.default_rng(0)
    shift = np.full(features, SHIFT / math.sqrt(features))
    ones = np.clip(rng.binomial(n_train, 0.5, (draws, 1)), 1, n_train - 1)
    first = rng.standard_normal((draws, features)) / np.sqrt(n_train - ones)
    second = shift + rng.standard_normal((draws, features)) / np.sqrt(ones)
    way, middle = second - first, (second + first) / 2
    cut, length = (way * middle).sum(axis=1), np.linalg.norm(way, axis=1)
    return float(
        (special.ndtr(-cut / length) + special.ndtr((cut - way @ shift) / length)).mean() / 2
    )


def losses_of(rng, n, learners, features, tested):
    """Return the zero-one losses of all examples in all splits, shape (splits, n, learners)."""
    y = rng.integers(0, 2, n)
    X = (
        rng.standard_normal((n, learners, features))
        + SHIFT / math.sqrt(features) * y[:, None, None]
    )
    flat, means = X.reshape(n, -1), []
    for label in (0, 1):
        weight = (~tested & (y == label)).astype(float)
        means.append(
            (weight @ flat / weight.sum(axis=1, keepdims=True)).reshape(-1, learners, features)
        )
    way, middle = means[1] - means[0], (means[1] + means[0]) / 2
    # Learner by learner: (splits, features) times (features, n).
    along = np.matmul(way.transpose(1, 0, 2), X.transpose(1, 2, 0)).transpose(1, 2, 0)
    return ((along > (way * middle).sum(axis=2)[:, None]) != (y == 1)[:, None]).astype(float)


def table_of(method, rng, n, learners, features):
    names = [f"learner {place}" for place in range(learners)]
    if method == "cv-t":
        fold = np.stack([rng.permutation(n) % 10 for _ in range(2)])
        tested = (fold[:, None, :] == np.arange(10)[:, None]).reshape(20, n)
        values = losses_of(rng, n, learners, features, tested)
        split, example = np.nonzero(tested)
        own = dict(zip(names, values[split, example].T, strict=True))
        labels = {"fold": split % 10, "repeat": split // 10, "example": example}
        return errbar.from_losses(own, **labels, n_train=0.9 * n, metric="zero-one")
    tested = np.stack([rng.permutation(n) < n // 10 for _ in range(15)])
    values = losses_of(rng, n, learners, features, tested)
    scores = np.einsum("sn,snl->ls", tested.astype(float), values) / (n // 10)
    own = dict(zip(names, scores, strict=True))
    return errbar.from_scores(
        own, n_train=n - n // 10, n_test=n // 10, kind="subsampling", metric="zero-one"
    )


def cell(method, features, learners, n, data_sets, seed):
    risk = risk_of_rule(n - n // 10, features)
    counts = np.zeros(6)
    for number in range(data_sets):
        rng = np.random.default_rng([seed, learners, n, number])
        found = errbar.compare_table(
            table_of(method, rng, n, learners, features), method=method, adjust="max-t"
        )
        plain = np.array([pair.result.pvalue for pair in found.pairs])
        holm = errbar.simultaneous.adjust(plain, "holm").min() <= 0.05
        winner = found.learners[found.best.winner]
        counts += (
            min(pair.adjusted for pair in found.pairs) <= 0.05,
            holm,
            (plain <= 0.05).mean(),
            found.best.risk.low <= risk <= found.best.risk.high,
            winner.low <= risk <= winner.high,
            "learner 0" in found.best.learners,
        )
    return (
        method,
        features,
        learners,
        n,
        data_sets,
        *(round(float(100 * one / data_sets), 2) for one in counts),
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--methods", nargs="+", default=["corrected-t", "cv-t"])
    parser.add_argument("--learners", type=int, nargs="+", default=[3, 5, 12, 30])
    parser.add_argument("--n", type=int, nargs="+", default=[100, 300, 1000])
    parser.add_argument("--features", type=int, default=2)
    parser.add_argument("--data-sets", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--csv", metavar="FILE")
    options = parser.parse_args()
    print("  ".join(f"{head:>12}" for head in HEADS), "  seconds")
    rows = []
    for learners in options.learners:
        for method in options.methods:
            for n in options.n:
                start = time.perf_counter()
                rows.append(
                    cell(method, options.features, learners, n, options.data_sets, options.seed)
                )
                took = time.perf_counter() - start
                print("  ".join(f"{one:>12}" for one in rows[-1]), f"  {took:.0f}", flush=True)
    if options.csv:
        with Path(options.csv).open("w", newline="", encoding="utf-8") as stream:
            csv.writer(stream).writerows([HEADS, *rows])


if __name__ == "__main__":
    main()

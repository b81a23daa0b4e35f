"""How often a comparison of equal learners finds a difference, and how often the interval of the winner holds its risk.

Each learner is a 3-nearest neighbour on two features of its own, all equally informative, so that all have the same expected
risk. 100 examples, 15 random splits, corrected t, Holm's adjustment at 5 %.
"""

import argparse

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.neighbors import KNeighborsClassifier

import errbar

N, N_TRAIN = 100, 90


class OnTwoFeatures(ClassifierMixin, BaseEstimator):
    """A nearest neighbour that sees two of the features."""

    def __init__(self, first=0):
        self.first = first

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        self.model_ = KNeighborsClassifier(3).fit(X[:, self.first : self.first + 2], y)
        return self

    def predict(self, X):
        return self.model_.predict(X[:, self.first : self.first + 2])


def sample(rng, n, learners):
    y = rng.integers(0, 2, n)
    return rng.standard_normal((n, 2 * learners)) + 0.6 * y[:, np.newaxis], y


def expected_risk(rng, training_sets=400):
    X_new, y_new = sample(rng, 20_000, 1)
    risks = []
    for _ in range(training_sets):
        X, y = sample(rng, N_TRAIN, 1)
        risks.append((KNeighborsClassifier(3).fit(X, y).predict(X_new) != y_new).mean())
    return float(np.mean(risks))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data-sets", type=int, default=400)
    parser.add_argument("--learners", type=int, nargs="+", default=[3, 5, 12])
    options = parser.parse_args()
    rng = np.random.default_rng(5)
    risk = expected_risk(rng)
    print(f"expected risk {risk:.4f}, {options.data_sets} data sets of {N}")
    for count in options.learners:
        found = held_winner = held_first = 0
        for seed in range(options.data_sets):
            X, y = sample(rng, N, count)
            learners = {f"on {2 * j} and {2 * j + 1}": OnTwoFeatures(2 * j) for j in range(count)}
            comparison = errbar.compare(learners, X, y, method="corrected-t", random_state=seed)
            results = list(comparison.learners.values())
            winner = min(results, key=lambda result: result.estimate)
            found += any(pair.adjusted <= 0.05 for pair in comparison.pairs)
            held_winner += winner.low <= risk <= winner.high
            held_first += results[0].low <= risk <= results[0].high
        shares = [100 * number / options.data_sets for number in (found, held_winner, held_first)]
        print(
            "{:3d} learners: a difference in {:.1f} %, winner's interval {:.1f} %, any one's {:.1f} %".format(
                count, *shares
            )
        )


if __name__ == "__main__":
    main()

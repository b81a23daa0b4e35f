"""How often 95 % intervals of macro F1 hold: the package confidenceinterval beside influence values, on the same data sets.

Three balanced classes, 300 examples, labels right with probability 0.7. The truth comes from three million examples.
"""

import argparse

import numpy as np
from confidenceinterval import f1_score

import errbar


def sample(rng, n):
    truth = rng.integers(0, 3, n)
    right = rng.random(n) < 0.7
    return truth, np.where(right, truth, (truth + rng.integers(1, 3, n)) % 3)


def ours(truth, labels):
    table = errbar.from_predictions({"model": labels}, truth, fold="none", loss="f1_macro")
    result = errbar.infer(table, "holdout-t")
    return result.estimate, (result.low, result.high)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data-sets", type=int, default=1000)
    arguments = parser.parse_args()
    rng = np.random.default_rng(0)
    true = ours(*sample(rng, 3_000_000))[0]
    sides = {
        "confidenceinterval": lambda y, p: f1_score(y, p, average="macro"),
        "errbar, holdout-t": ours,
    }
    held, width = dict.fromkeys(sides, 0), dict.fromkeys(sides, 0.0)
    for _ in range(arguments.data_sets):
        truth, labels = sample(rng, 300)
        for name, side in sides.items():
            low, high = side(truth, labels)[1]
            held[name] += low <= true <= high
            width[name] += high - low
    for name in sides:
        print(
            f"{name:<20} held {held[name] / arguments.data_sets:6.1%}, mean width {width[name] / arguments.data_sets:.4f}"
        )


if __name__ == "__main__":
    main()

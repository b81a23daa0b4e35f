"""What all pairs of many models cost when examples come in clusters, beside one NumPy pass over their losses, in one run.

Usage: python benchmarks/losses.py [--models 20] [--examples 100000] [--clusters 2000] [--rounds 5]

Both sides take turns, round by round. Printed are the medians over rounds and the median of the ratios within a round. The run
ends where a standard error does not agree with that of a plain loop over clusters.
"""

import argparse
import sys
import time

import numpy as np

import errbar


def losses(models, examples, clusters, rng):
    """Zero-one losses of models whose errors agree within clusters."""
    cluster = rng.integers(0, clusters, examples)
    rates = 0.3 + 0.01 * np.arange(models)[:, np.newaxis] + rng.normal(0.0, 0.1, (models, clusters))
    return (rng.uniform(size=(models, examples)) < rates[:, cluster]).astype(float), cluster


def agrees(pair, values, cluster):
    """Tell whether the standard error of a pair is that of the sums of residuals of clusters."""
    left = values - values.mean()
    total = 0.0
    for code in np.unique(cluster):
        own = left[cluster == code]
        total += own.sum() ** 2 / (1.0 - own.size / values.size)
    return np.isclose(pair.result.se, np.sqrt(total) / values.size, rtol=1e-10)


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    for name, default in (("models", 20), ("examples", 100_000), ("clusters", 2000), ("rounds", 5)):
        parser.add_argument(f"--{name}", type=int, default=default)
    asked = parser.parse_args()
    matrix, cluster = losses(asked.models, asked.examples, asked.clusters, np.random.default_rng(0))
    table = errbar.from_losses({f"m{i}": row for i, row in enumerate(matrix)}, groups=cluster)
    found = errbar.compare_table(table)  # the first one also pays for imports
    if not agrees(found.pairs[0], matrix[0] - matrix[1], cluster):
        sys.exit(
            "the standard error of the first pair does not agree with a plain loop over clusters"
        )
    seconds = []
    for _ in range(asked.rounds):
        start = time.perf_counter()
        errbar.compare_table(table)
        middle = time.perf_counter()
        matrix.mean(axis=1)
        seconds.append((middle - start, time.perf_counter() - middle))
    ours, one_pass = np.median(seconds, axis=0)
    ratio = np.median([a / b for a, b in seconds])
    print(
        f"{len(found.pairs)} pairs of {asked.models} models, {asked.examples:,} examples, {asked.clusters:,} clusters: {ours:.3f} s; "
        f"one pass over the losses {1000 * one_pass:.2f} ms; ratio {ratio:.0f}"
    )


if __name__ == "__main__":
    main()

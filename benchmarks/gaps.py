"""How often true nulls are rejected where learners lack numbers, and where each has independent runs of its own.

Usage: python benchmarks/gaps.py [--tables 1000] [--pairs 2000] [--families 300]

First, tables of equal learners on the same examples, of which each lacks a share of its losses; differences are tested with
``missing="pairs"``. Losses are missing by chance, or the first learner lacks those of the examples on which it is worst. Then
pairs of learners with equal means, few runs, unequal variances and numbers, by ``welch-t``; and families of several learners.
Everything is in per cent, at 5 %.
"""

import argparse
from itertools import product
from typing import NamedTuple

import numpy as np

import errbar

LEARNERS, EXAMPLES = 4, 100
SHARES = (0.2, 0.4)
RUNS = ((3, 3), (5, 5), (10, 10), (3, 10), (10, 3), (5, 10), (10, 5))
RATIOS = (1, 4)
LAWS = ("normal", "exponential")
FAMILY = (3, 5, 7, 10)


class Rates(NamedTuple):
    """Shares of tables, in per cent.

    Attributes
    ----------
    single : the first pair is significant by itself
    family : some pair is, by the adjusted p-values
    apart : some simultaneous interval does not hold the difference, which is 0
    lost : the first learner, as good as any, is ruled out as best
    """

    single: float
    family: float
    apart: float
    lost: float


def losses(kind, rng):
    """Losses of equal learners, shape (learners, examples), that agree on which examples are hard."""
    hard = rng.normal(size=EXAMPLES)
    own = rng.normal(size=(LEARNERS, EXAMPLES))
    if kind == "right or wrong":
        return (hard + own > 1.0).astype(float)
    return hard + own


def missing(values, share, why, rng):
    """Losses with gaps: each cell by chance, or those of the first learner that are largest."""
    if why == "by chance":
        return np.where(rng.random(values.shape) < share, np.nan, values)
    found = values.copy()
    found[0, np.argsort(values[0] + 1e-9 * rng.random(EXAMPLES))[-round(share * EXAMPLES) :]] = (
        np.nan
    )
    return found


def judged(found):
    """What a comparison of equal learners says: booleans in the order of `Rates`."""
    return (
        found.pairs[0].result.pvalue <= 0.05,
        any(pair.significant for pair in found.pairs),
        any(not low <= 0.0 <= high for low, high in found.simultaneous.pairs.values()),
        found.pairs[0].a not in found.best.learners,
    )


def rates_of_gaps(kind, share, why, count, seed):
    """Rates over tables with gaps."""
    told = []
    for number in range(count):
        rng = np.random.default_rng([seed, number])
        values = missing(losses(kind, rng), share, why, rng)
        table = errbar.from_losses(
            {f"m{i}": row for i, row in enumerate(values)}, missing="pairs", higher_is_better=False
        )
        told.append(judged(errbar.compare_table(table, method="holdout-t")))
    return Rates(*(100.0 * np.mean(told, axis=0)).tolist())


def runs_of(law, size, sd, rng):
    """Numbers of runs, with mean 0."""
    drawn = rng.normal(size=size) if law == "normal" else rng.exponential(size=size) - 1.0
    return sd * drawn


def size_of_welch(law, counts, ratio, count, seed):
    """Share of pairs that are called different; the first learner varies `ratio` times as much."""
    wrong = 0
    for number in range(count):
        rng = np.random.default_rng([seed, number])
        one, other = (
            errbar.Losses(runs_of(law, size, sd, rng), kind="runs")
            for size, sd in zip(counts, (ratio, 1), strict=True)
        )
        wrong += errbar.methods.welch_t(one.minus(other)).pvalue <= 0.05
    return 100.0 * wrong / count


def rates_of_runs(law, ratio, count, seed):
    """Rates over tables of several learners with runs of their own; every second one varies more."""
    told = []
    for number in range(count):
        rng = np.random.default_rng([seed, number])
        runs = {
            f"m{i}": runs_of(law, size, ratio if i % 2 else 1, rng) for i, size in enumerate(FAMILY)
        }
        table = errbar.from_scores(runs, kind="runs", higher_is_better=True)
        told.append(judged(errbar.compare_table(table)))
    return Rates(*(100.0 * np.mean(told, axis=0)).tolist())


def cells_of_gaps():
    """Kind of losses, share that is missing, and why."""
    return [
        *product(("numbers", "right or wrong"), SHARES, ("by chance",)),
        ("numbers", 0.2, "where it is worst"),
    ]


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    for name, default in (("tables", 1000), ("pairs", 2000), ("families", 300)):
        parser.add_argument(f"--{name}", type=int, default=default)
    asked = parser.parse_args()
    head = f"{'one pair':>9} {'any, Holm':>10} {'any interval':>13} {'ruled out':>10}"
    print(f"{LEARNERS} equal learners, {EXAMPLES} examples, {asked.tables} tables\n{'':42}{head}")
    for kind, share, why in cells_of_gaps():
        count = asked.tables if why == "by chance" else asked.families
        found = rates_of_gaps(kind, share, why, count, 1)
        print(f"{kind:15} {share:4.0%} missing {why:18} " + line(found))
    print(f"\nwelch-t, {asked.pairs} pairs; standard deviations 1:1 and 4:1")
    for law, counts in product(LAWS, RUNS):
        sizes = [size_of_welch(law, counts, ratio, asked.pairs, 2) for ratio in RATIOS]
        print(f"{law:12} {counts[0]:2} and {counts[1]:2} runs {sizes[0]:6.1f} {sizes[1]:6.1f}")
    print(f"\n{len(FAMILY)} learners with {FAMILY} runs, {asked.families} tables\n{'':42}{head}")
    for law, ratio in product(LAWS, RATIOS):
        found = rates_of_runs(law, ratio, asked.families, 3)
        print(f"{law:12} {ratio}:1{'':26}" + line(found))


def line(found):
    return f"{found.single:9.1f} {found.family:10.1f} {found.apart:13.1f} {found.lost:10.1f}"


if __name__ == "__main__":
    main()

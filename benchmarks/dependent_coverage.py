"""How often 95 % intervals hold the mean risk where examples come in clusters, have several seeds, or follow each other in time.

Every cell has two learners of equal risk. `single` is the share of intervals of the first learner that hold its risk, `pair` that
of intervals of the difference that hold 0, and `other` what a method says that takes no account of the design (see `ignored`).

Risks are known exactly. Zero-one losses are 1 where a normal variable exceeds 0, made of parts for the example, the cluster, the seed
and what is left, so that their mean is a normal probability.

    python benchmarks/dependent_coverage.py --replicates 1000 --out docs/studies/numbers/dependent-coverage.csv
"""

import argparse
import csv
import math
import sys
from multiprocessing import Pool
from pathlib import Path

import numpy as np
from scipy import optimize, stats

import errbar

RISK = 0.3
SEEDS, ITEMS, DEVIATIONS = (3, 5, 10), (200, 1000, 5000), (0.0, 0.05, 0.15)
CLUSTERS = {
    "5 x 20": (20,) * 5,
    "20 x 10": (10,) * 20,
    "10 unequal": (2, 4, 6, 8, 10, 12, 18, 25, 35, 80),
    "40 x 5": (5,) * 40,
}
FORECASTS = (100, 200, 500)


def zero_one(rng, *parts):
    """Losses with mean RISK: 1 where the sum of normal parts, each given with its variance, exceeds a bound.

    A part is an array that broadcasts to the shape of the losses. What is left of a variance of 1 is a part of every loss.
    """
    total, shape = 1.0, np.broadcast_shapes(*(part.shape for part, _ in parts))
    latent = rng.standard_normal(shape)
    for part, variance in parts:
        latent = latent + part * math.sqrt(variance)
        total += variance
    return (latent > stats.norm.isf(RISK) * math.sqrt(total)).astype(float)


def seed_variance(deviation, others):
    """Return the variance of a normal part by which the mean loss of a seed has this standard deviation."""
    if deviation == 0.0:
        return 0.0

    def gap(variance):
        share = variance / (1.0 + others + variance)
        bound = stats.norm.isf(RISK)
        both = stats.multivariate_normal([0.0, 0.0], [[1.0, share], [share, 1.0]]).cdf(
            [-bound, -bound]
        )
        return both - RISK**2 - deviation**2

    return optimize.brentq(gap, 1e-6, 20.0, xtol=1e-6)


class Seeds:
    """Learners with seeds of their own on the same items; items are as hard for both."""

    def __init__(self, seeds, items, deviation):
        self.seeds, self.items = seeds, items
        self.name = ("seeds", f"{seeds} seeds, {items} items, deviation {deviation:g}")
        self.variance = seed_variance(deviation, 1.0)

    def draw(self, rng):
        item = rng.standard_normal(self.items)
        shape = (self.seeds, self.items)
        tables = [
            zero_one(
                rng,
                (item, 1.0),
                (rng.standard_normal((self.seeds, 1)), self.variance),
                (np.zeros(shape), 0.0),
            )
            for _ in "ab"
        ]
        example = np.tile(np.arange(self.items), self.seeds)
        seed = np.repeat(np.arange(self.seeds), self.items)
        losses = dict(zip("ab", (t.ravel() for t in tables), strict=True))
        table = errbar.from_losses(losses, example=example, seed=seed, metric="zero-one")
        means = errbar.from_losses(dict(zip("ab", (t.mean(axis=0) for t in tables), strict=True)))
        return table, "crossed-t", {}, (RISK, 0.0), means


class Answers(Seeds):
    """Several answers to each question, and questions on passages: clusters and seeds together."""

    def __init__(self, passages, questions, seeds, deviation):
        super().__init__(seeds, passages * questions, deviation)
        self.passage = np.repeat(np.arange(passages), questions)
        self.name = (
            "clusters and seeds",
            f"{passages} x {questions} questions, {seeds} answers, deviation {deviation:g}",
        )
        self.variance = seed_variance(deviation, 2.0)

    def draw(self, rng):
        shape, tables = (self.seeds, self.items), []
        item, passages = rng.standard_normal(self.items), self.passage.max() + 1
        for _ in "ab":
            own = rng.standard_normal(passages)[self.passage]
            seed = rng.standard_normal((self.seeds, 1))
            tables.append(
                zero_one(
                    rng, (item, 1.0), (own, 1.0), (seed, self.variance), (np.zeros(shape), 0.0)
                )
            )
        labels = {
            "example": np.tile(np.arange(self.items), self.seeds),
            "seed": np.repeat(np.arange(self.seeds), self.items),
        }
        losses = dict(zip("ab", (t.ravel() for t in tables), strict=True))
        table = errbar.from_losses(
            losses, groups=np.tile(self.passage, self.seeds), metric="zero-one", **labels
        )
        means = errbar.from_losses(dict(zip("ab", (t.mean(axis=0) for t in tables), strict=True)))
        return table, "crossed-t", {}, (RISK, 0.0), means


class Clusters:
    """One test set whose examples come in clusters; each learner has an effect of its own on each."""

    def __init__(self, name, sizes, kind):
        self.cluster, self.kind = np.repeat(np.arange(len(sizes)), sizes), kind
        self.name = ("clusters", f"{name}, {kind}")

    def draw(self, rng):
        count, n = self.cluster.max() + 1, self.cluster.size
        if self.kind == "zero-one":
            tables = [
                zero_one(rng, (rng.standard_normal(count)[self.cluster], 0.5), (np.zeros(n), 0.0))
                for _ in "ab"
            ]
        else:
            tables = [
                RISK + rng.standard_normal(count)[self.cluster] * 0.5 + rng.standard_normal(n)
                for _ in "ab"
            ]
        metric = "zero-one" if self.kind == "zero-one" else "loss"
        table = errbar.from_losses(
            dict(zip("ab", tables, strict=True)), groups=self.cluster, metric=metric
        )
        ignoring = errbar.from_losses(dict(zip("ab", tables, strict=True)))
        return table, "cluster-t", {}, (RISK, 0.0), ignoring


class GroupedFolds:
    """Least squares on data whose features and noise have parts for groups, in ten folds of whole groups.

    The truth is the mean risk of the ten models, on examples of new groups; the learners have three of four equal features each.
    """

    SUBSETS = (np.array([0, 1, 2]), np.array([1, 2, 3]))

    def __init__(self, groups, size):
        self.group = np.repeat(np.arange(groups), size)
        self.name = ("groups in ten folds", f"{groups} x {size}")

    def draw(self, rng):
        groups, n = self.group.max() + 1, self.group.size
        X = math.sqrt(0.5) * (
            rng.standard_normal((groups, 4))[self.group] + rng.standard_normal((n, 4))
        )
        y = (
            X.sum(axis=1)
            + math.sqrt(0.5) * rng.standard_normal(groups)[self.group]
            + rng.standard_normal(n)
        )
        fold = rng.permutation(np.arange(groups) % 10)[self.group]
        losses, risks = {}, []
        for name, subset in zip("ab", self.SUBSETS, strict=True):
            design, out, risk = np.column_stack([np.ones(n), X[:, subset]]), np.empty(n), 0.0
            for k in range(10):
                coefficients = np.linalg.lstsq(design[fold != k], y[fold != k], rcond=None)[0]
                out[fold == k] = np.square(y - design @ coefficients)[fold == k]
                off = np.ones(4)
                off[subset] -= coefficients[1:]
                risk += (1.5 + off @ off + coefficients[0] ** 2) * (fold == k).mean()
            losses[name] = out
            risks.append(risk)
        table = errbar.from_losses(losses, fold=fold, groups=self.group, metric="squared-error")
        return (
            table,
            "cluster-t",
            {},
            (risks[0], risks[0] - risks[1]),
            errbar.from_losses(losses, fold=fold),
        )


class Forecasts:
    """Squared errors of forecasts of an autoregression with coefficient .9; those of a pair are off by as much to either side."""

    PHI, OFF = 0.9, 0.1

    def __init__(self, n, horizon, variance=None):
        self.n, self.horizon = n, horizon
        self.options = {"horizon": horizon} | ({} if variance is None else {"variance": variance})
        self.name = (
            "forecasts",
            f"{n} times, horizon {horizon}" + (f", {variance}" if variance else ""),
        )

    def draw(self, rng):
        h, phi, before = self.horizon, self.PHI, 200
        shocks, series = rng.standard_normal(self.n + h + before), np.zeros(self.n + h + before)
        for t in range(1, series.size):
            series[t] = phi * series[t - 1] + shocks[t]
        now, later = series[before : before + self.n], series[before + h :]
        losses = {
            name: np.square(later - (phi**h + off) * now)
            for name, off in (("a", self.OFF), ("b", -self.OFF))
        }
        risk = (1.0 - phi ** (2 * h)) / (1.0 - phi**2) + self.OFF**2 / (1.0 - phi**2)
        table = errbar.from_losses(losses, time=np.arange(self.n), metric="squared-error")
        return table, "diebold-mariano", self.options, (risk, 0.0), errbar.from_losses(losses)


class Correlated:
    """Losses that are correlated with those before, as those of models that know no season, with nothing said of a horizon."""

    def __init__(self, n, phi):
        self.n, self.phi = n, phi
        self.name = ("correlated losses", f"{n} times, correlation {phi:g}")

    def draw(self, rng):
        losses = {}
        for name in "ab":
            shocks = rng.standard_normal(self.n + 100)
            losses[name] = np.convolve(shocks, self.phi ** np.arange(100))[100 : self.n + 100]
        return (
            errbar.from_losses(losses, time=np.arange(self.n)),
            "diebold-mariano",
            {},
            (0.0, 0.0),
            errbar.from_losses(losses),
        )


class Judges:
    """People judge some answers, and another judge all of them; an agreement of one half is that of chance."""

    def __init__(self, people, others, agreeing=0.85):
        self.people, self.others, self.agreeing = people, others, agreeing
        how = "" if agreeing == 0.85 else f" who agrees in {100 * agreeing:.0f} %"
        self.name = ("judges", f"{people} by people, {others} more by a judge{how}")

    def draw(self, rng):
        n = self.people + self.others
        truth = {name: (rng.random(n) < RISK).astype(float) for name in "ab"}
        judge = {
            name: np.where(rng.random(n) < self.agreeing, own, 1.0 - own)
            for name, own in truth.items()
        }
        asked = np.arange(n) < self.people
        known = {name: np.where(asked, own, np.nan) for name, own in truth.items()}
        return (
            errbar.from_judged(known, judge, metric="zero-one"),
            "ppi",
            {},
            (RISK, 0.0),
            errbar.from_losses(judge),
        )


def cells():
    """Return all cells."""
    found = [Seeds(s, n, d) for s in SEEDS for n in ITEMS for d in DEVIATIONS]
    found += [
        Clusters(name, sizes, kind)
        for name, sizes in CLUSTERS.items()
        for kind in ("zero-one", "normal")
    ]
    found += [Answers(p, 5, s, d) for p, s in ((20, 3), (40, 5), (40, 10)) for d in DEVIATIONS]
    found += [GroupedFolds(groups, size) for groups, size in ((20, 10), (30, 10), (60, 5))]
    found += [Forecasts(n, *how) for n in FORECASTS for how in ((1,), (5,), (5, "cosines"))]
    found += [Correlated(n, phi) for n in (100, 300) for phi in (0.0, 0.2, 0.5, 0.7)]
    found += [Judges(50, 500), Judges(200, 2000)]
    found += [Correlated(100, 0.9), Correlated(200, 0.95), Correlated(500, 0.95)]
    found += [Judges(50, 500, 0.5), Judges(200, 2000, 0.5)]
    return found


IGNORED = {"groups in ten folds": "cv-wald"}
"""What takes no account of the design: a method on means over seeds, or on examples as if they were independent."""


def one(task):
    """Return whether the intervals of one data set hold the truth, and their widths."""
    cell, entropy = task
    table, method, options, (risk, difference), ignoring = cell.draw(np.random.default_rng(entropy))
    single = errbar.infer(table, method, "a", **options)
    pair = errbar.infer(table, method, "a", "b", **options)
    other = errbar.infer(ignoring, IGNORED.get(cell.name[0], "holdout-t"), "a", "b")
    held = [
        found.low <= truth <= found.high
        for found, truth in ((single, risk), (pair, difference), (other, difference))
    ]
    return (*held, pair.high - pair.low, method)


def measured(workers, cell, number, replicates):
    """Return one row of the table."""
    found = workers.map(one, [(cell, [number, k]) for k in range(replicates)], chunksize=10)
    held = np.array([row[:3] for row in found], dtype=float).mean(axis=0)
    shown = [f"{100 * share:.1f}" for share in held]
    return [
        *cell.name,
        found[0][4],
        str(replicates),
        *shown,
        f"{np.mean([row[3] for row in found]):.4g}",
    ]


HEAD = ("design", "cell", "method", "replicates", "single", "pair", "ignoring", "width")


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--replicates", type=int, default=1000)
    parser.add_argument("--only", default="", help="designs whose name has this text")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--out", type=Path)
    asked = parser.parse_args()
    rows = []
    with Pool(asked.workers) as workers:
        for number, cell in enumerate(cells()):
            if asked.only in cell.name[0]:
                rows.append(measured(workers, cell, number, asked.replicates))
                print(*rows[-1], sep=" | ", flush=True)
    if asked.out:
        with asked.out.open("w", newline="") as out:
            print(f"# benchmarks/dependent_coverage.py --replicates {asked.replicates}", file=out)
            csv.writer(out, lineterminator="\n").writerows([HEAD, *rows])
    return 0


if __name__ == "__main__":
    sys.exit(main())

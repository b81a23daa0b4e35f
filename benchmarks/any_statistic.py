"""Standard errors of statistics of rows against the bootstrap, and how often 95 % intervals hold the truth.

Rows are drawn with a difficulty that is Gaussian; both learners see the same rows. In clusters, rows of five share half of the variance of
their difficulty. The truth is the mean over ten samples of 20 000 rows (of 2000 for concordance, whose cost grows with
the square, and over twenty; of 500 images). Folds are of rows that rules judge which learn nothing, so that only the putting together of
folds is tested. Standard errors are compared with 2000 bootstraps of one data set, whose own error is
1.6 % (of 400 where they take long, 3.5 %).

    python benchmarks/any_statistic.py > docs/studies/numbers/statistics.csv
"""

import argparse
import sys
import time
import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from scipy.special import expit

import errbar
from errbar import statistics

LEARNERS = {"a": 0.0, "b": 0.35}
FOLDS, CLUSTER = 5, 5
LABELS, GROUPS = 3, 10


def difficulty(rng, n, clusters):
    own = rng.standard_normal(n)
    if not clusters:
        return own
    shared = rng.standard_normal(-(-n // CLUSTER)).repeat(CLUSTER)[:n]
    return np.sqrt(0.5) * (own + shared)


def both(common, own):
    """Return a frame of each learner from shared columns, and a function of how bad it is."""
    return {name: pd.DataFrame(common | own(bad)) for name, bad in LEARNERS.items()}


def words(rng, hard):
    count = 3 + rng.poisson(12.0, hard.size)
    return both(
        {"words": count},
        lambda bad: {"errors": rng.binomial(count, expit(0.7 * hard - 2.0 + bad))},
    )


def survival(rng, hard):
    until = rng.exponential(np.exp(hard))
    censored = rng.exponential(3.0, hard.size)
    common = {"time": np.minimum(until, censored), "event": 1 * (until <= censored)}
    return both(common, lambda bad: {"score": rng.standard_normal(hard.size) * (1.0 + bad) - hard})


def several_labels(rng, hard):
    true = {
        f"true {k}": 1 * (rng.random(hard.size) < share)
        for k, share in enumerate((0.2, 0.4, 0.5)[:LABELS])
    }

    def said(bad):
        wrong = expit(hard - 1.5 + bad)
        return {
            f"said {k}": true[f"true {k}"] ^ (rng.random(hard.size) < wrong) for k in range(LABELS)
        }

    return both(true, said)


def scores_of_labels(rng, hard):
    true = {f"true {k}": 1 * (rng.random(hard.size) < 0.2 + 0.15 * k) for k in range(LABELS)}

    def said(bad):
        noise = rng.standard_normal((LABELS, hard.size)) * (1.0 + bad)
        return {f"said {k}": 1.2 * true[f"true {k}"] + 0.6 * hard + noise[k] for k in range(LABELS)}

    return both(true, said)


def screening(rng, hard):
    ill = 1 * (rng.random(hard.size) < 0.4)
    return both(
        {"ill": ill},
        lambda bad: {
            "score": 1.6 * ill + 0.6 * hard + (0.8 + bad) * rng.standard_normal(hard.size)
        },
    )


def forecasts(rng, hard):
    y = hard + np.exp(0.5 * rng.standard_normal(hard.size))
    center = y + 0.5 * rng.standard_normal(hard.size)
    return both(
        {"y": y},
        lambda bad: {
            name: center + bad * rng.standard_normal(hard.size) + shift
            for name, shift in (("low", -0.9), ("mid", 0.0), ("high", 0.9))
        },
    )


def sentences(rng, hard):
    length = 5 + rng.poisson(14.0, hard.size)
    reference = length + rng.integers(-2, 4, hard.size)

    def counts(bad):
        right = expit(1.2 - 0.5 * hard - bad)
        found = {"sys_len": length, "ref_len": reference}
        for k in range(1, 5):
            total = length - k + 1
            found |= {f"total_{k}": total, f"correct_{k}": rng.binomial(total, right**k)}
        for k in range(1, 7):
            said, wanted = 5 * length - k + 1, 5 * reference - k + 1
            least = np.minimum(said, wanted)
            found |= {f"hyp_{k}": said, f"ref_{k}": wanted}
            found |= {f"match_{k}": rng.binomial(least, right ** (0.3 * k))}
        return found

    return both({}, counts)


def queries(rng, hard):
    grades = rng.choice([0, 0, 0, 1, 2], (hard.size, 10))
    grades[:, 0] = 1

    def found(bad):
        noise = (0.6 + bad) * np.exp(0.4 * hard)[:, None] * rng.standard_normal(grades.shape)
        return {"grades": [*np.take_along_axis(grades, np.argsort(noise - grades, axis=1), 1)]}

    return both({}, found)


def tasks(rng, hard):
    group = np.arange(hard.size) % GROUPS
    effect = np.linspace(-1.0, 1.0, GROUPS)[group]
    return both(
        {"group": group},
        lambda bad: {"value": expit(effect - bad + hard + 0.5 * rng.standard_normal(hard.size))},
    )


def new_tasks(rng, hard):
    count = -(-hard.size // CLUSTER)
    group = np.arange(hard.size) // CLUSTER
    effect = rng.standard_normal(count)[group]

    def value(bad):
        own = rng.standard_normal(count)[group]
        return {"value": expit(effect + 0.5 * own - bad + hard)}

    return both({"group": group}, value)


def images(rng, hard):
    objects = rng.poisson(np.exp(0.3 * hard + 0.3), (2, hard.size))

    def found(bad):
        rows = {name: [] for name in ("scores", "hits", "kinds", "truths")}
        right = rng.binomial(objects, expit(1.0 - 0.5 * hard - bad))
        wrong = rng.poisson(0.8 + bad, objects.shape)
        for i in range(hard.size):
            hits = np.repeat([1, 0, 1, 0], [right[0, i], wrong[0, i], right[1, i], wrong[1, i]])
            sides = [right[0, i] + wrong[0, i], right[1, i] + wrong[1, i]]
            rows["hits"].append(hits)
            rows["scores"].append(expit(1.2 * hits + rng.standard_normal(hits.size)))
            rows["kinds"].append(np.repeat([0, 1], sides))
            rows["truths"].append(np.repeat([0, 1], objects[:, i]))
        return rows

    return both({}, found)


def log_ratio(frame):
    """A function of the reader's own: of no library, without a closed form."""
    return float(np.log(frame["errors"].sum() / frame["words"].sum()))


@dataclass(frozen=True)
class Case:
    """A statistic, how its rows are drawn, how many, and the designs it is tried in."""

    name: str
    statistic: Any
    draw: Any
    n: int = 200
    truth: tuple[int, int] = (10, 20_000)
    designs: tuple[str, ...] = ("one test set",)
    method: str = "holdout-t"
    share: float = 1.0


TRUE, SAID = ([f"{word} {k}" for k in range(LABELS)] for word in ("true", "said"))
QUANTILES = {0.1: "low", 0.5: "mid", 0.9: "high"}
ONE, ALL = ("one test set",), ("one test set", "clusters", "folds")
PAIRS = (20, 2000)
CASES = (
    Case("word error rate", statistics.ratio("errors", "words"), words, designs=ALL),
    Case("own function", log_ratio, words, 100, designs=ALL),
    Case("mean of fixed tasks", statistics.mean_of_groups("value", "group"), tasks),
    Case(
        "mean of new tasks",
        statistics.mean_of_groups("value", "group", new=True),
        new_tasks,
        method="cluster-t",
    ),
    Case("IQM of fixed tasks", statistics.iqm("value", "group"), tasks),
    Case(
        "c-index",
        statistics.concordance("time", "event", "score"),
        survival,
        truth=PAIRS,
        designs=ALL,
    ),
    Case(
        "c-index (Uno)",
        statistics.concordance("time", "event", "score", kind="uno", tau=3.0),
        survival,
        truth=PAIRS,
        designs=ALL,
    ),
    Case("F1 of labels (macro)", statistics.multilabel(TRUE, SAID), several_labels, designs=ALL),
    Case(
        "Jaccard (samples)",
        statistics.multilabel(TRUE, SAID, kind="jaccard", average="samples"),
        several_labels,
        designs=ALL,
    ),
    Case(
        "AUC of labels (macro)",
        statistics.multilabel(TRUE, SAID, kind="roc_auc"),
        scores_of_labels,
        designs=ALL,
    ),
    Case(
        "sensitivity at 90 %",
        statistics.sensitivity_at_specificity("ill", "score"),
        screening,
        designs=ALL,
    ),
    Case(
        "weighted interval score",
        statistics.weighted_interval_score("y", QUANTILES),
        forecasts,
        designs=ALL,
    ),
    Case("nDCG", statistics.ranking("grades"), queries, designs=ALL),
    Case("BLEU", statistics.bleu(), sentences, designs=ALL),
    Case("chrF", statistics.chrf(), sentences, designs=ALL),
    Case("mAP", statistics.average_precision(), images, 60, (20, 500), share=0.2),
)


def truths_of(case):
    """Return the value of each learner on very many rows."""
    times, n = case.truth
    found = []
    for k in range(times):
        rng = np.random.default_rng((n, k))
        frames = case.draw(rng, difficulty(rng, n, clusters=False))
        found.append([float(case.statistic(frame)) for frame in frames.values()])
    return dict(zip(LEARNERS, np.mean(found, axis=0), strict=True))


def said_of(case, design, n):
    """Return what is said of the rows, and the method."""
    said = {"groups": "none"} if case.method != "cluster-t" else {}
    if design == "clusters":
        return {"groups": np.arange(n) // CLUSTER}, "cluster-t"
    if design == "folds":
        return said | {"fold": np.arange(n) * 7 % FOLDS}, "cv-wald"
    return said, case.method


def coverage(case, design, truths, data_sets):
    """Return the shares of data sets in which intervals of a learner and of the difference hold the truth, and se over sd."""
    said, method = said_of(case, design, case.n)
    held, found = [], []
    for k in range(data_sets):
        rng = np.random.default_rng((case.n, k, len(design)))
        frames = case.draw(rng, difficulty(rng, case.n, design == "clusters"))
        try:
            table = errbar.from_rows(frames, case.statistic, higher_is_better=True, **said)
            own = errbar.infer(table, method, "a")
            pair = errbar.infer(table, method, "a", minus="b")
        except errbar.errors.UndefinedMetricError:
            continue
        held.append(
            (
                own.low <= truths["a"] <= own.high,
                pair.low <= truths["a"] - truths["b"] <= pair.high,
            )
        )
        found.append((own.estimate, own.se, pair.estimate, pair.se))
    spread = np.std(found, axis=0, ddof=1)
    squares = np.sqrt(np.mean(np.square(found), axis=0))
    return (*np.mean(held, axis=0), squares[1] / spread[0], squares[3] / spread[2], len(held))


def bootstraps(case, count):
    """Return standard errors of a learner and of the difference on one data set: errbar's, and from resampled rows."""
    said, method = said_of(case, ONE[0], case.n)
    rng = np.random.default_rng(case.n)
    frames = case.draw(rng, difficulty(rng, case.n, clusters=False))
    table = errbar.from_rows(frames, case.statistic, higher_is_better=True, **said)
    own, pair = (errbar.infer(table, method, "a", minus=minus) for minus in (None, "b"))
    drawn = np.array(
        [[case.statistic(own) for own in resampled(case, frames, rng)] for _ in range(count)]
    )
    return own.se, drawn[:, 0].std(), pair.se, (drawn[:, 0] - drawn[:, 1]).std()


def resampled(case, frames, rng):
    """Return the rows of each learner drawn again: of new tasks whole ones under new names, of fixed tasks within each."""
    first = frames["a"]
    n = len(first)
    if "tasks" not in case.name:
        rows = rng.integers(0, n, n)
        return [frame.iloc[rows] for frame in frames.values()]
    rows = [np.flatnonzero(first["group"] == group) for group in first["group"].unique()]
    if "new" in case.name:
        drawn = [rows[k] for k in rng.integers(0, len(rows), len(rows))]
        names = np.repeat(np.arange(len(drawn)), [len(own) for own in drawn])
        chosen = np.concatenate(drawn)
        return [frame.iloc[chosen].assign(group=names) for frame in frames.values()]
    chosen = np.concatenate([rng.choice(own, own.size) for own in rows])
    return [frame.iloc[chosen] for frame in frames.values()]


COLUMNS = "statistic,n,design,data_sets,single,difference,se_single,se_difference"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data-sets", type=int, default=1000)
    parser.add_argument("--bootstraps", type=int, default=2000)
    parser.add_argument("--only", nargs="*", help="parts of names of statistics")
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    print("# python", *sys.argv)
    print(COLUMNS)
    for case in CASES:
        if arguments.only and not any(part in case.name for part in arguments.only):
            continue
        start = time.perf_counter()
        count = round(case.share * arguments.bootstraps)
        one, ours, other, own = bootstraps(case, count)
        figures = (count, "", "", one / ours, other / own)
        report(case, "bootstrap", figures, start)
        truths = truths_of(case)
        for design in case.designs:
            start = time.perf_counter()
            single, pair, se, of_pair, count = coverage(
                case, design, truths, round(case.share * arguments.data_sets)
            )
            report(case, design, (count, single, pair, se, of_pair), start)


def report(case, design, figures, start):
    cells = [one if isinstance(one, str | int) else f"{one:.3f}" for one in figures]
    print(case.name, case.n, design, *cells, sep=",", flush=True)
    print(f"{case.name}, {design}: {time.perf_counter() - start:.0f} s", file=sys.stderr)


if __name__ == "__main__":
    main()

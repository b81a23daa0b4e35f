"""What the methods cost: resampling kernels and whole methods beside SciPy, scikit-learn and mlxtend, in one run.

Usage: python benchmarks/answers.py [--rounds 5]

Both sides of a row work on the same numbers and take turns, round by round, so that a change in the machine's speed
hits both. Linear algebra has one thread. Printed are medians over rounds, and the median of the ratios within a round.
Where the other side would take too long, it does a part of the work and its time is scaled up in proportion; the row
says by how much. A row ends the run where the two sides disagree by more than resampling explains.
"""

import sys
from pathlib import Path

# A script's folder comes first on the path, and this one holds a file that is called like a standard module.
sys.path[:] = [
    place for place in sys.path if Path(place).resolve() != Path(__file__).resolve().parent
]

import argparse
import statistics
import time
import tracemalloc
from collections.abc import Callable
from importlib.util import find_spec
from typing import Any

import numpy as np
from scipy import stats
from sklearn.datasets import load_breast_cancer
from sklearn.metrics import roc_auc_score
from sklearn.tree import DecisionTreeClassifier
from threadpoolctl import threadpool_limits

import errbar
from errbar.methods._core.resample import bootstrap_means
from errbar.methods._test_set import resampled_areas
from errbar.methods.distributions import Bootstrapped, percentile

Side = Callable[[], Any]


def seconds(side: Side) -> tuple[float, Any]:
    start = time.perf_counter()
    answer = side()
    return time.perf_counter() - start, answer


def row(
    name: str, ours: Side, other: Side, rounds: int, *, part: float = 1.0, tolerance: float = 0.0
) -> None:
    """Time both sides in turn; `part` is the share of the work that the other side does."""
    mine, theirs, gap = [], [], 0.0
    for _ in range(rounds):
        took, answer = seconds(ours)
        mine.append(took)
        took, known = seconds(other)
        theirs.append(took / part)
        gap = max(gap, float(np.max(np.abs(np.subtract(answer, known)))))
    if gap > tolerance:
        sys.exit(f"the sides of {name!r} disagree: {answer} and {known}")
    ratio = statistics.median(b / a for a, b in zip(mine, theirs, strict=True))
    scaled = f"  (other side: {part:.2%} of the work, scaled up)" if part < 1.0 else ""
    print(
        f"{name:<70}{statistics.median(mine):>11.4f}{statistics.median(theirs):>12.3f}{ratio:>11.1f}{scaled}"
    )


def peak(side: Side) -> int:
    tracemalloc.start()
    side()
    found = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return found


def ours_of_mean(values: np.ndarray, resamples: int) -> tuple[float, float]:
    return percentile(
        Bootstrapped(values.mean(), bootstrap_means(values, resamples, np.random.default_rng(0)))
    ).interval(0.95, "two-sided")


def scipy_of_mean(values: np.ndarray, resamples: int, batch: int) -> tuple[float, float]:
    ends = stats.bootstrap(
        (values,),
        np.mean,
        n_resamples=resamples,
        batch=batch,
        method="percentile",
        rng=np.random.default_rng(0),
    ).confidence_interval
    return ends.low, ends.high


def means(rounds: int) -> None:
    rng = np.random.default_rng(0)
    cases = [
        ("0-1 losses, n = 1 000 000", (rng.random(1_000_000) < 0.1).astype(float), 25, 1),
        (
            "differences of 0-1 losses, n = 100 000",
            rng.choice([-1.0, 0.0, 1.0], 100_000, p=[0.1, 0.8, 0.1]),
            250,
            1,
        ),
        ("continuous losses, n = 100 000", rng.gamma(1.0, size=100_000), 250, 1),
        ("continuous losses, n = 1000", rng.gamma(1.0, size=1000), 10_000, 1000),
    ]
    for name, values, part, batch in cases:
        row(
            f"bootstrap mean, B = 10 000, {name}",
            lambda values=values: ours_of_mean(values, 10_000),
            lambda values=values, part=part, batch=batch: scipy_of_mean(values, part, batch),
            rounds,
            part=part / 10_000,
            # Ends of intervals from few resamples are noisy.
            tolerance=3.0 * float(values.std()) / np.sqrt(values.size),
        )
    values = cases[2][1]
    mine, theirs = (
        peak(lambda: ours_of_mean(values, 10_000)),
        peak(lambda: scipy_of_mean(values, 250, 1)),
    )
    print(
        f"  peak memory at n = 100 000, as a multiple of the input: {mine / values.nbytes:.2f}, SciPy with one resample"
    )
    print(
        f"  at a time {theirs / values.nbytes:.2f}; all at once, its default, it would need {2 * 10_000}"
    )


def areas(rounds: int) -> None:
    rng = np.random.default_rng(0)
    truth = rng.random(2000) < 0.4
    score = rng.normal(size=2000) + truth

    def ours() -> float:
        scores = errbar.RankScores(truth, score)
        return float(resampled_areas(scores, 9999, np.random.default_rng(0)).std(ddof=1))

    def loop(metric: Callable[..., float], resamples: int) -> float:
        draws = np.random.default_rng(0)
        found = []
        for _ in range(resamples):
            drawn = draws.integers(0, 2000, 2000)
            found.append(metric(truth[drawn], score[drawn]))
        return float(np.std(found, ddof=1))

    for name, metric in (("roc_auc_score", roc_auc_score), ("ranks", auc_by_ranks)):
        row(
            f"bootstrap AUC, B = 9999, n = 2000, loop over {name}",
            ours,
            lambda metric=metric: loop(metric, 1000),
            rounds,
            part=1000 / 9999,
            tolerance=0.003,
        )


def auc_by_ranks(truth: np.ndarray, score: np.ndarray) -> float:
    ranks, positives = stats.rankdata(score), int(truth.sum())
    return (ranks[truth].sum() - positives * (positives + 1) / 2) / (
        positives * (truth.size - positives)
    )


def beside_mlxtend(rounds: int) -> None:
    if find_spec("mlxtend") is None:
        for name in (".632+", "Cochran's Q"):
            print(f"{name:<70}mlxtend is not installed: row left out")
        return
    from mlxtend.evaluate import bootstrap_point632_score, cochrans_q

    X, y = load_breast_cancer(return_X_y=True)
    tree = DecisionTreeClassifier(random_state=0)
    plan = errbar.plans.Bootstrap(repeats=200, training_error=True)
    row(
        ".632+, B = 200, breast_cancer, decision tree, mlxtend",
        lambda: errbar.evaluate(tree, X, y, method="632-plus", plan=plan, random_state=0).estimate,
        lambda: (
            1.0
            - np.mean(
                bootstrap_point632_score(tree, X, y, n_splits=20, method=".632+", random_seed=0)
            )
        ),
        min(rounds, 3),
        part=20 / 200,
        # Its training error is that of the bootstrap models, not that of the model fitted on all examples.
        tolerance=0.05,
    )
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 2, 1000)
    predicted = [np.where(rng.random(1000) < 0.1 + 0.002 * k, 1 - truth, truth) for k in range(16)]
    wrong = np.stack([(one != truth).astype(float) for one in predicted], axis=1)
    blocks = errbar.Blocks(wrong)
    row(
        "Cochran's Q, 16 learners, n = 1000, mlxtend",
        lambda: errbar.methods.cochran_q(blocks).statistic,
        lambda: cochrans_q(truth, *predicted)[0],
        # It goes through all 2^16 patterns of right and wrong.
        1,
        tolerance=1e-6,
    )


def corrected_t_calls(rounds: int) -> None:
    rng = np.random.default_rng(0)
    scores = [errbar.Losses(rng.normal(size=15), n_train=270, n_test=30) for _ in range(1000)]
    values = [one.value for one in scores]

    def ours() -> float:
        return sum(errbar.methods.corrected_t(one).estimate for _ in range(100) for one in scores)

    def scipy() -> float:
        ends = [stats.ttest_1samp(one, 0.0).confidence_interval() for one in values]
        return 100 * sum((low + high) / 2 for low, high in ends)

    row(
        "100 000 corrected t, SciPy's plain t with interval",
        ours,
        scipy,
        min(rounds, 3),
        part=0.01,
        tolerance=1e-6,
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--rounds", type=int, default=5)
    rounds = parser.parse_args().rounds
    with threadpool_limits(limits=1):
        print(f"{'':<70}{'errbar s':>11}{'other s':>12}{'ratio':>11}")
        means(rounds)
        areas(rounds)
        beside_mlxtend(rounds)
        corrected_t_calls(rounds)


if __name__ == "__main__":
    main()

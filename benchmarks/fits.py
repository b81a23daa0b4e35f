"""What fits cost: a bare loop, scikit-learn's cross_validate and errbar, side by side in one run.

Usage: python benchmarks/fits.py [--rounds 7]

All three sides fit the same learners on the same splits and are timed in turn, round by round, so that a change in the
machine's speed hits all of them. Linear algebra has one thread on every side. Printed are medians over rounds, and
medians of the ratios within a round; the milliseconds over the bare loop compare the fastest rounds, and the learner
that does nothing shows them best. The ceiling is the parallel efficiency of a bare loop cut into equal shares.
"""

import sys
from pathlib import Path

# A script's folder comes first on the path, and this one holds a file that is called like a standard module.
sys.path[:] = [
    place for place in sys.path if Path(place).resolve() != Path(__file__).resolve().parent
]

import argparse
import contextlib
import select
import statistics
import subprocess
import tempfile
import time
import timeit
import warnings
from collections.abc import Callable, Mapping
from dataclasses import replace
from itertools import combinations
from typing import Any

import numpy as np
import psutil
from joblib import Parallel, delayed
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_digits
from sklearn.dummy import DummyClassifier
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression, Perceptron, Ridge, SGDClassifier
from sklearn.model_selection import cross_validate
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier
from threadpoolctl import threadpool_limits

import errbar
from errbar import plans
from errbar.fits import execute, prepare

Learners = Mapping[str, Any]
Pairs = list[tuple[np.ndarray, np.ndarray]]


def light() -> Learners:
    return {
        "logistic": make_pipeline(
            StandardScaler(), LogisticRegression(max_iter=500, random_state=0)
        ),
        "5-NN": KNeighborsClassifier(5),
        "tree": DecisionTreeClassifier(random_state=0),
    }


def heavy() -> Learners:
    return {"forest": RandomForestClassifier(random_state=0), "SVC": SVC()}


def bare_loop(learners: Learners, X: Any, y: Any, pairs: Pairs, jobs: int) -> float:  # noqa: ARG001
    total = 0.0
    for estimator in learners.values():
        for train, test in pairs:
            predicted = clone(estimator).fit(X[train], y[train]).predict(X[test])
            total += float((predicted != y[test]).mean())
    return total


def with_cross_validate(learners: Learners, X: Any, y: Any, pairs: Pairs, jobs: int) -> float:
    results = [
        cross_validate(e, X, y, cv=pairs, scoring="accuracy", n_jobs=jobs)
        for e in learners.values()
    ]
    return float(sum((1.0 - result["test_score"]).sum() for result in results))


def with_errbar(learners: Learners, X: Any, y: Any, pairs: Pairs, jobs: int) -> float:
    plan = errbar.plans.Predefined(pairs)
    table = errbar.run(
        learners, X, y, plan=plan, loss="zero-one", random_state=0, n_jobs=jobs, share=False
    )
    return float(table.scores.sum())


def bare_shares(learners: Learners, X: Any, y: Any, pairs: Pairs, jobs: int) -> float:
    """Give each worker an equal share of the bare loop at once: what the machine itself allows."""
    call = delayed(bare_loop)
    return float(
        sum(Parallel(n_jobs=jobs)(call(learners, X, y, pairs[i::jobs], 1) for i in range(jobs)))
    )


SIDES: dict[str, Callable[..., float]] = {
    "bare loop": bare_loop,
    "cross_validate": with_cross_validate,
    "errbar": with_errbar,
}
PARALLEL_SIDES = SIDES | {"bare shares": bare_shares}


def times(
    learners: Learners, X: Any, y: Any, pairs: Pairs, jobs: int, rounds: int
) -> dict[str, list[float]]:
    """Return seconds of each side, round by round; a first round starts workers and is not counted."""
    sides = SIDES if jobs == 1 else PARALLEL_SIDES
    found: dict[str, list[float]] = {name: [] for name in sides}
    for turn in range(rounds + 1):
        answers = []
        for name, side in sides.items():
            start = time.perf_counter()
            answers.append(side(learners, X, y, pairs, jobs))
            if turn:
                found[name].append(time.perf_counter() - start)
        if max(answers) - min(answers) > 1e-6:
            sys.exit(f"the sides disagree: {dict(zip(sides, answers, strict=True))}")
    return found


def ratio(one: list[float], other: list[float]) -> float:
    return statistics.median(a / b for a, b in zip(one, other, strict=True))


def fits_table(rounds: int) -> None:
    cancer, digits = load_breast_cancer(return_X_y=True), load_digits(return_X_y=True)
    cases = [
        ("breast_cancer, dummy", cancer, {"dummy": DummyClassifier(random_state=0)}, 300, 1),
        ("breast_cancer", cancer, light(), 30, 1),
        ("digits", digits, light(), 30, 1),
        ("breast_cancer", cancer, light(), 30, 2),
        ("digits", digits, light(), 30, 2),
        ("digits, forest + SVC", digits, heavy(), 20, 1),
        ("digits, forest + SVC", digits, heavy(), 20, 2),
    ]
    print(
        f"{'data':<22}{'jobs':>5}{'fits':>6}{'bare s':>9}{'cross_v s':>10}{'errbar s':>9}", end=""
    )
    print(f"{'ms/fit over bare':>18}{'errbar/cross_v':>16}{'efficiency':>12}{'ceiling':>9}")
    for name, (X, y), learners, splits, jobs in cases:
        drawn = errbar.plans.draw(errbar.plans.Subsampling(repeats=splits), len(y), 0)
        pairs = [(split.train, split.test) for split in drawn.splits]
        seconds = times(
            learners, X, y, pairs, jobs, max(3, rounds // 2) if "forest" in learners else rounds
        )
        fits = len(learners) * splits
        medians = {side: statistics.median(values) for side, values in seconds.items()}
        extra = min(seconds["errbar"]) - min(seconds["bare loop"])
        over = f"{1000 * extra / fits:.3f}" if jobs == 1 else "-"
        efficiency = (
            f"{ratio(seconds['bare loop'], seconds['errbar']) / jobs:.2f}" if jobs > 1 else "-"
        )
        ceiling = (
            f"{ratio(seconds['bare loop'], seconds['bare shares']) / jobs:.2f}" if jobs > 1 else "-"
        )
        print(f"{name:<22}{jobs:>5}{fits:>6}", end="")
        print(
            "".join(
                f"{medians[side]:>{width}.3f}"
                for side, width in zip(SIDES, (9, 10, 9), strict=True)
            ),
            end="",
        )
        print(
            f"{over:>18}{ratio(seconds['errbar'], seconds['cross_validate']):>16.2f}{efficiency:>12}{ceiling:>9}"
        )


def start_up() -> None:
    def seconds(*command: str) -> float:
        runs = []
        for _ in range(5):
            start = time.perf_counter()
            subprocess.run(command, check=True, capture_output=True)
            runs.append(time.perf_counter() - start)
        return statistics.median(runs)

    empty = seconds(sys.executable, "-c", "pass")
    print(
        f"\nimport errbar       {seconds(sys.executable, '-c', 'import errbar') - empty:.3f} s (a bare Python start, {empty:.3f} s, taken off)"
    )
    print(
        f"errbar --help       {seconds(sys.executable, '-m', 'errbar.cli', '--help'):.3f} s (whole process)"
    )
    loaded = "import sys, errbar; print([m for m in ('sklearn', 'scipy.stats', 'pandas') if m in sys.modules])"
    shown = subprocess.run(
        [sys.executable, "-c", loaded], check=True, capture_output=True, text=True
    ).stdout.strip()
    print(f"loaded besides      {shown}")


def calls() -> None:
    rng = np.random.default_rng(0)
    scores = errbar.Losses(rng.normal(size=15), n_train=270, n_test=30)
    folds = errbar.Losses(rng.normal(size=10), n_train=270, n_test=30)
    points = errbar.Losses(rng.normal(size=300), fold=np.repeat(np.arange(10), 30))
    single = errbar.Losses(rng.normal(size=300))
    five = errbar.Losses.of_grid(
        rng.normal(size=(5, 2)), "repeat", "fold", kind=errbar.plans.FiveByTwo.kind
    )
    views = {
        "corrected-t": scores,
        "resampled-t": scores,
        "kfold-t": folds,
        "cv-wald": points,
        "holdout-t": single,
        "5x2cv-t": five,
        "5x2cv-f": five,
    }
    print("\nmicroseconds a call")
    for key, view in views.items():
        function = errbar.methods.METHODS[key].function
        best = min(timeit.repeat(lambda f=function, v=view: f(v), number=2000, repeat=5)) / 2000
        print(f"  {key:<14}{1e6 * best:7.1f}")


def with_mlxtend(learners: Learners, X: Any, y: Any) -> None:
    """Do four tests of all pairs for one metric; nothing is shared between metrics, so three take three times as long."""
    from mlxtend.evaluate import (
        combined_ftest_5x2cv,
        paired_ttest_5x2cv,
        paired_ttest_kfold_cv,
        paired_ttest_resampled,
    )

    for a, b in combinations(learners, 2):
        for test in (
            paired_ttest_5x2cv,
            combined_ftest_5x2cv,
            paired_ttest_kfold_cv,
            paired_ttest_resampled,
        ):
            test(learners[a], learners[b], X, y, scoring="accuracy", random_seed=1)


def with_one_run(learners: Learners, X: Any, y: Any, jobs: int = 1) -> int:
    plan = plans.FiveByTwo() + plans.KFold(10) + plans.Subsampling(n_test=0.3, repeats=30)
    table = errbar.run(learners, X, y, plan=plan, random_state=1, n_jobs=jobs)
    for metric in ("accuracy", "f1", "roc_auc"):
        own = table.with_loss(metric)
        for a, b in combinations(learners, 2):
            for number, key in ((0, "5x2cv-t"), (0, "5x2cv-f"), (1, "kfold-t"), (2, "resampled-t")):
                errbar.infer(own.of_plan(number), key, a, b)
    return table.counts.fits


def four_tests() -> None:
    """Print what four tests of five models under three metrics cost, with mlxtend and here."""
    X, y = load_breast_cancer(return_X_y=True)
    learners = {
        **light(),
        "bayes": GaussianNB(),
        "forest": RandomForestClassifier(20, random_state=0),
    }
    fits = with_one_run(learners, X, y)
    with_one_run(learners, X, y, 2)
    one, two, other = [], [], []
    for _ in range(3):
        one.append(clocked(with_one_run, learners, X, y))
        two.append(clocked(with_one_run, learners, X, y, 2))
        other.append(3.0 * clocked(with_mlxtend, learners, X, y))
    print("\nfour tests, 5 models, 3 metrics (mlxtend: one metric, times three)")
    print(f"  fits: 3600 and {fits}, ratio {3600 / fits:.1f}")
    print(
        f"  seconds: {statistics.median(other):.1f} and {statistics.median(one):.2f}, ratio {ratio(other, one):.1f}"
    )
    print(f"  with 2 workers here: {statistics.median(two):.2f}, ratio {ratio(other, two):.1f}")


def shared_fits() -> None:
    """Print what it saves to compute all splits together: in a whole run, and once its splits are drawn and checked."""
    print(
        "\nall splits together against refitting    refit, s   together, s     ratio   without drawing the splits"
    )
    rng = np.random.default_rng(0)
    cases = [
        ("k-NN, n = 2000, 100 splits", KNeighborsClassifier(5), 2000, plans.KFold(10, repeats=10)),
        ("ridge, n = 2000, 100 splits", Ridge(), 2000, plans.KFold(10, repeats=10)),
        (
            "k-NN, n = 300, 355 splits",
            KNeighborsClassifier(1),
            300,
            plans.Subsampling(n_test=0.1, repeats=355),
        ),
    ]
    for name, learner, n, plan in cases:
        X = rng.normal(size=(n, 20))
        value = X[:, :5].sum(axis=1) + rng.normal(size=n)
        y = value if isinstance(learner, Ridge) else (value > 0).astype(int)
        loss = "squared-error" if isinstance(learner, Ridge) else "zero-one"

        def drawn(
            learner: Any = learner, X: Any = X, y: Any = y, plan: Any = plan, loss: str = loss
        ) -> Any:
            return prepare({"it": learner}, X, y, plan=plan, loss=loss, random_state=0)

        def run(share: int, setup: Any = None, drawn: Any = drawn) -> None:
            execute(replace(setup or drawn(), share=bool(share)))

        setup = drawn()
        run(1)
        taken = [
            [clocked(run, *given) for given in ((0,), (1,), (0, setup), (1, setup))]
            for _ in range(7)
        ]
        alone, together, fits, shared = (list(column) for column in zip(*taken, strict=True))
        print(
            f"{name:<40}{statistics.median(alone):>10.3f}{statistics.median(together):>14.3f}{ratio(alone, together):>10.1f}"
            f"{ratio(fits, shared):>15.1f}"
        )


class Millisecond(DummyClassifier):
    """A learner whose fit takes a millisecond."""

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> "Millisecond":
        end = time.perf_counter() + 1e-3
        super().fit(X, y, sample_weight)
        while time.perf_counter() < end:
            pass
        return self


def stores() -> None:
    """Print what a store on disk costs per fit of a millisecond, and how long it takes to find 10 000 finished fits."""
    X, y = load_breast_cancer(return_X_y=True)
    with tempfile.TemporaryDirectory() as folder:

        def run(repeats: int, name: str | None) -> None:
            store = None if name is None else Path(folder) / name
            plan = plans.KFold(10, repeats=repeats)
            errbar.run(
                {"ms": Millisecond()},
                X,
                y,
                plan=plan,
                loss="zero-one",
                random_state=0,
                store=store,
                share=False,
            )

        without, within = [], []
        for number in range(5):
            without.append(clocked(run, 50, None))
            within.append(clocked(run, 50, f"{number}.db"))
        print("\nstore on disk, 500 fits of 1 ms")
        extra = 1e3 * (statistics.median(within) - statistics.median(without)) / 500
        share = statistics.median(a / b for a, b in zip(within, without, strict=True)) - 1
        print(f"  {extra:.3f} ms more per fit, {100 * share:.1f} %")
        run(1000, "many.db")
        print(
            f"  a finished run of 10 000 fits, found again: {clocked(run, 1000, 'many.db'):.2f} s"
        )


def memory() -> None:
    """Print how far memory grows in a large run, data included, next to a bare loop; training examples are a copy."""
    size = 8 * LARGE[0] * LARGE[1]
    print(
        f"\nmemory, {LARGE[0]} x {LARGE[1]} numbers, 10 x 10 folds, 5 learners, as a multiple of the data"
    )
    for side in ("a bare loop", "errbar", "errbar, 2 workers"):
        child = [sys.executable, __file__, "--large-run", side]
        with subprocess.Popen(child, stdout=subprocess.PIPE, text=True) as process:
            assert process.stdout is not None
            before = largest(psutil.Process(process.pid), process.stdout)
            during = largest(psutil.Process(process.pid), process.stdout)
        print(f"  {side:<20}{(during - before) / size + 1:.2f}", flush=True)


LARGE = (100_000, 100)


def largest(process: psutil.Process, output: Any) -> int:
    """Return the largest memory of a process and its children until it says something; shared pages count once."""
    peak = 0
    while not select.select([output], [], [], 0.05)[0]:
        with contextlib.suppress(psutil.NoSuchProcess):
            peak = max(
                peak,
                sum(
                    one.memory_full_info().pss
                    for one in [process, *process.children(recursive=True)]
                ),
            )
    output.readline()
    return peak


def large_run(side: str) -> None:
    X = np.random.default_rng(0).normal(size=LARGE)
    y = (X[:, 0] > 0).astype(int)
    # Learners that copy what they are given once more, such as ridge regression, take as much more on both sides.
    learners = {
        "dummy": DummyClassifier(),
        "bayes": GaussianNB(),
        "stump": DecisionTreeClassifier(max_depth=2, max_features=5, random_state=0),
        "linear": SGDClassifier(max_iter=5, random_state=0),
        "perceptron": Perceptron(max_iter=5, random_state=0),
    }
    plan = plans.KFold(10, repeats=10)
    for estimator in learners.values():
        estimator.fit(X[:100], y[:100])
    time.sleep(0.5)
    print("ready", flush=True)
    if side == "a bare loop":
        pairs = [(split.train, split.test) for split in plans.draw(plan, LARGE[0], 0).splits]
        bare_loop(learners, X, y, pairs, 1)
    else:
        jobs = 2 if "workers" in side else 1
        errbar.run(learners, X, y, plan=plan, loss="zero-one", random_state=0, n_jobs=jobs)
    print("done", flush=True)


def clocked(function: Callable[..., Any], *arguments: Any) -> float:
    started = time.perf_counter()
    function(*arguments)
    return time.perf_counter() - started


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--large-run", help=argparse.SUPPRESS)
    given = parser.parse_args()
    rounds = given.rounds
    warnings.simplefilter("ignore")
    if given.large_run:
        large_run(given.large_run)
        return
    with threadpool_limits(limits=1):
        fits_table(rounds)
        four_tests()
        shared_fits()
        stores()
    memory()
    start_up()
    calls()


if __name__ == "__main__":
    main()

"""The laboratory against a plain loop over scikit-learn, and two workers against one.

    python benchmarks/lab.py --data letter-recognition.data

Both sides of a row run in this process, in turn, with linear algebra on one thread. The plain loop does the fits and
predictions of figure 1 of Nadeau & Bengio (2003) and nothing else: no statistics, no bookkeeping.
"""

import sys
from pathlib import Path

# A script's folder comes first on the path, and this one holds a file that is called like a standard module.
sys.path[:] = [
    place for place in sys.path if Path(place).resolve() != Path(__file__).resolve().parent
]

import argparse
import resource
import statistics
import tempfile
import time

import numpy as np
from sklearn.neighbors import KNeighborsClassifier
from sklearn.tree import DecisionTreeClassifier
from threadpoolctl import threadpool_limits

import errbar_lab as lab
from errbar.plans import draw
from errbar_lab._experiment import joined
from errbar_lab.studies.figure1 import statistics as tests_of_figure_1


def plain_loop(sample, splits, metric):
    """Fit and predict on every split, as anyone would with scikit-learn."""
    X, y = sample
    scaled = X * metric
    wrong = 0
    for split in splits:
        tree = DecisionTreeClassifier(
            criterion="log_loss", min_samples_split=10, min_samples_leaf=5
        )
        wrong += int(
            (tree.fit(X[split.train], y[split.train]).predict(X[split.test]) != y[split.test]).sum()
        )
        near = KNeighborsClassifier(1, algorithm="brute")
        wrong += int(
            (
                near.fit(scaled[split.train], y[split.train]).predict(scaled[split.test])
                != y[split.test]
            ).sum()
        )
    return wrong


def metric_of(near, features):
    """Return by what each feature is multiplied: the weight counts squared differences."""
    factors = np.ones(features)
    factors[list(near.stretched)] = near.weight**0.5
    factors[list(near.shrunk)] = near.weight**-0.5
    return factors


def timed(function, *arguments):
    started = time.perf_counter()
    function(*arguments)
    return time.perf_counter() - started


def one_data_set(population, rounds):
    """Print the time of one data set on one core, both ways, in turn."""
    near = lab.DistortedNearestNeighbour()
    problem = lab.Problem(population, {"A": lab.SplusTree(), "B": near}, "zero-one")
    methods = tests_of_figure_1(300)
    experiment = lab.Experiment([problem], [300], methods, 0.9).simulated(problem, 300)
    plan, _ = joined(methods)
    splits = draw(plan, 300, 0).splits
    sample = population.sample(300, np.random.default_rng(0))
    experiment.replicate(0, 0)  # compiles, or reads what was compiled
    plain_loop(sample, splits[:5], metric_of(near, 16))
    loop, ours = [], []
    for number in range(rounds):
        loop.append(timed(plain_loop, sample, splits, metric_of(near, 16)))
        ours.append(min(timed(experiment.replicate, 0, number) for _ in range(3)))
    ratios = [a / b for a, b in zip(loop, ours, strict=True)]
    print(
        f"one data set, {len(splits)} splits x 2 learners: plain loop {1e3 * statistics.median(loop):.0f} ms, "
        f"lab {1e3 * statistics.median(ours):.1f} ms, ratio {statistics.median(ratios):.1f} "
        f"({min(ratios):.1f} to {max(ratios):.1f})"
    )


def workers(population, data_sets):
    """Print the time of the whole study with one worker and with two."""
    with tempfile.TemporaryDirectory() as folder:
        lab.figure1(
            population, data_sets=2, truth_draws=50, n_jobs=2
        )  # workers are up, kernels loaded
        times = {}
        for jobs in (1, 2):
            started = time.perf_counter()
            lab.figure1(
                population, data_sets=data_sets, n_jobs=jobs, store=Path(folder) / f"{jobs}.db"
            )
            times[jobs] = time.perf_counter() - started
    print(
        f"figure 1, {data_sets} data sets with the truth: 1 worker {times[1]:.1f} s, 2 workers {times[2]:.1f} s, "
        f"ratio {times[1] / times[2]:.2f}"
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument(
        "--data", help="file or folder with the letters; by default the folder in ERRBAR_DATA"
    )
    parser.add_argument("--data-sets", type=int, default=200)
    parser.add_argument("--rounds", type=int, default=7)
    options = parser.parse_args()
    population = lab.load_letter(options.data)
    with threadpool_limits(1):
        one_data_set(population, options.rounds)
    workers(population, options.data_sets)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    children = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
    print(f"largest memory: this process {peak:.0f} MB, a worker {children:.0f} MB")


if __name__ == "__main__":
    main()

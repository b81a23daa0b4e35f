"""How often a comparison of equal learners finds a difference, and how often the interval of the winner holds its risk.

Each learner sees features of its own, all equally informative, so that all have the same expected risk. Either it is a 3-nearest
neighbour on two features, 100 examples, or logistic regression with balanced class weights on five, 500 examples of which 6 %
are positive, where training sets are most of the variance. Each method on its own plan; adjustments at 5 %.

With --shown, how long many learners take instead: the answers, computed from given numbers, and each form that shows them. Nothing
shown may take longer than what was computed, but for the time that two pages of two learners take, who have one pair.
"""

import argparse
import json
import tempfile
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier

import errbar


class OnOwnFeatures(ClassifierMixin, BaseEstimator):
    """A classifier that sees some of the features."""

    def __init__(self, model=None, first=0, count=2):
        self.model = model
        self.first = first
        self.count = count

    def _own(self, X):
        return X[:, self.first : self.first + self.count]

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        self.model_ = clone(self.model).fit(self._own(X), y)
        return self

    def predict(self, X):
        return self.model_.predict(self._own(X))


class Neighbours:
    """Two classes of which every feature tells a little."""

    n, features, model = 100, 2, KNeighborsClassifier(3)

    def sample(self, rng, n, learners):
        y = rng.integers(0, 2, n)
        return rng.standard_normal((n, 2 * learners)) + 0.6 * y[:, np.newaxis], y


class Balanced:
    """A rare class that all features tell together."""

    n, features, model = 500, 5, LogisticRegression(class_weight="balanced")

    def sample(self, rng, n, learners):
        X = rng.standard_normal((n, 5 * learners))
        told = X.reshape(n, learners, 5)[:, :, :3].sum(axis=(1, 2)) / np.sqrt(learners)
        return X, (told + rng.logistic(size=n) > 4.0).astype(int)  # 6 % positive


PROBLEMS = {"neighbours": Neighbours(), "balanced": Balanced()}


def expected_risk(problem, learners, n_train, training_sets=400):
    rng, model = np.random.default_rng(5), OnOwnFeatures(problem.model, 0, problem.features)
    X_new, y_new = problem.sample(rng, 20_000, learners)
    risks = []
    for _ in range(training_sets):
        X, y = problem.sample(rng, n_train, learners)
        risks.append((model.fit(X, y).predict(X_new) != y_new).mean())
    return float(np.mean(risks))


FORMS = {
    "text": str,
    "html": errbar.report.html,
    "json": lambda comparison: json.dumps(comparison.to_dict()),
    "md": errbar.report.markdown,
    "frame": lambda comparison: comparison.to_frame(),
    "plot": lambda comparison: comparison.plot().figure.clear(),
    "csv": lambda comparison: written(comparison, ".csv"),
    "parquet": lambda comparison: written(comparison, ".parquet"),
}


def written(comparison, ending):
    with tempfile.TemporaryDirectory() as folder:
        return comparison.save(Path(folder) / f"all{ending}").read_bytes()


def scores_of(count, splits=15):
    rng = np.random.default_rng(7)
    common = rng.normal(0.0, 0.02, splits)
    risks = np.sort(rng.normal(0.25, 0.05, count))
    scores = {
        f"learner {i:03d}": risks[i] + common + rng.normal(0.0, 0.012, splits) for i in range(count)
    }
    return errbar.from_scores(scores, n_train=900, n_test=100)


def timed(function, *arguments, **options):
    start = time.perf_counter()
    found = function(*arguments, **options)
    return time.perf_counter() - start, found


def measured(count):
    """Return the seconds that computing takes, and each form."""
    computing, comparison = timed(errbar.compare_table, scores_of(count), method="corrected-t")
    taken, sizes = {}, {}
    for name, form in FORMS.items():
        # A copy has kept nothing that another form has asked for.
        taken[name], found = timed(form, replace(comparison))
        sizes[name] = len(found) if isinstance(found, str | bytes) else 0
    return computing, taken, sizes


def shown(counts):
    measured(2)  # imports
    _, least, _ = measured(2)
    print(
        "learners   pairs  computed  "
        + "  ".join(f"{name:>7}" for name in FORMS)
        + "   text, page in bytes"
    )
    late = []
    for count in counts:
        computing, taken, sizes = measured(count)
        cells = "  ".join(f"{taken[name]:7.3f}" for name in FORMS)
        pairs = count * (count - 1) // 2
        print(
            f"{count:8d}  {pairs:6d}  {computing:8.3f}  {cells}   {sizes['text']:,}, {sizes['html']:,}",
            flush=True,
        )
        late += [
            f"{name} of {count}" for name in FORMS if taken[name] > computing + 2.0 * least["html"]
        ]
    assert not late, f"took longer than what was computed: {', '.join(late)}"


HEADS = (
    "max-t finds",
    "Holm finds",
    "winner's selected interval holds",
    "winner's plain",
    "any one's",
    "first may be best",
)


def judged(comparison, risk):
    """Return what is found and what holds, as 0 or 1."""
    results = list(comparison.learners.values())
    winner, best = min(results, key=lambda result: result.estimate), comparison.best
    holm = errbar.compare_table(comparison.table, method=comparison.method, adjust="holm")
    return np.array(
        [
            any(pair.adjusted <= 0.05 for pair in comparison.pairs),
            any(pair.adjusted <= 0.05 for pair in holm.pairs),
            best.risk.low <= risk <= best.risk.high,
            winner.low <= risk <= winner.high,
            results[0].low <= risk <= results[0].high,
            next(iter(comparison.learners)) in best.learners,
        ],
        dtype=float,
    )


def equal(problem, count):
    """Return so many learners, each on features of its own."""
    return {
        f"learner {j}": OnOwnFeatures(problem.model, problem.features * j, problem.features)
        for j in range(count)
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data-sets", type=int, default=400)
    parser.add_argument("--learners", type=int, nargs="+", default=[3, 5, 12])
    parser.add_argument("--methods", nargs="+", default=["cv-jackknife", "cv-t", "corrected-t"])
    parser.add_argument("--problem", choices=PROBLEMS, default="neighbours")
    parser.add_argument("--shown", type=int, nargs="*", metavar="LEARNERS")
    options = parser.parse_args()
    if options.shown is not None:
        shown(options.shown or [12, 60, 200, 500])
        return
    problem = PROBLEMS[options.problem]
    print(f"{options.problem}, {options.data_sets} data sets of {problem.n}")
    for count in options.learners:
        for method in options.methods:
            counted = []
            for seed in range(options.data_sets):
                X, y = problem.sample(np.random.default_rng([5, count, seed]), problem.n, count)
                asked = {"method": method, "adjust": "max-t", "random_state": seed}
                found = errbar.compare(equal(problem, count), X, y, **asked)
                if not counted:
                    risk = expected_risk(problem, count, round(found.reference.n_train))
                counted.append(judged(found, risk))
            shares = (
                f"{head} {100 * share:.1f} %"
                for head, share in zip(HEADS, np.mean(counted, axis=0), strict=True)
            )
            print(f"{count:3d} learners, {method}: {', '.join(shares)}", flush=True)


if __name__ == "__main__":
    main()

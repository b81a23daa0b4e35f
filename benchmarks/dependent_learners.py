"""How often 95 % intervals hold what they are about, for learners of scikit-learn on data in groups and in time.

The way is that of a user, `errbar.compare`. `cluster-t` and `diebold-mariano` are held to the mean risk of the very models that were
trained, on a large sample of the population; `corrected-t` to the mean risk over 500 other samples of as many groups or times.

Groups have an effect on the features and one on the label. They have ten examples each, or sizes that are lognormal (1 to 150). Series
have an autoregressive error, and a feature that is one as well.

    python benchmarks/dependent_learners.py --data-sets 250
"""

import argparse
from collections import defaultdict

import numpy as np
from sklearn.base import clone
from sklearn.linear_model import LinearRegression, LogisticRegression, Ridge
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

import errbar
from errbar.plans import Holdout, KFold, RollingOrigin, Subsampling

WEIGHTS = np.array([1.0, 0.7, 0.4, 0.0, 0.0])
TRAINED = defaultdict(list)


def kept(base):
    """Return a learner that keeps all its models, with the size of what each has tested."""

    class Kept(base):
        def fit(self, X, y):
            TRAINED[base.__name__].append(self)
            self.tested_ = 0
            return super().fit(X, y)

        def predict(self, X):
            self.tested_ = self.tested_ or len(X)
            return super().predict(X)

    Kept.__name__ = Kept.__qualname__ = base.__name__
    Kept.__init__ = base.__init__  # where scikit-learn reads the parameters
    return Kept


LEARNERS = {
    "linear": kept(LinearRegression)(),
    "ridge": kept(Ridge)(alpha=30.0),
    "tree": kept(DecisionTreeRegressor)(max_depth=3, random_state=0),
}
CLASSES = {name: type(learner).__name__ for name, learner in LEARNERS.items()}


def equal(_rng, groups):
    return np.full(groups, 10)


def unequal(rng, groups):
    return np.clip(np.exp(1.2 + 1.1 * rng.standard_normal(groups)).astype(int) + 1, 1, 150)


def grouped(rng, sizes):
    group = np.repeat(np.arange(sizes.size), sizes)
    place = rng.standard_normal((sizes.size, 5))
    X = np.sqrt(0.6) * place[group] + np.sqrt(0.4) * rng.standard_normal((group.size, 5))
    y = X @ WEIGHTS + rng.standard_normal(sizes.size)[group] + 0.7 * rng.standard_normal(group.size)
    return X, y, group


def autoregressive(rng, n, correlation):
    found, steps = np.empty(n), np.sqrt(1 - correlation**2) * rng.standard_normal(n)
    found[0] = rng.standard_normal()
    for t in range(1, n):
        found[t] = correlation * found[t - 1] + steps[t]
    return found


def series(rng, n, correlation):
    slow, fast = autoregressive(rng, n, 0.7), rng.standard_normal(n)
    y = slow - 0.5 * fast + np.sin(2 * slow) + autoregressive(rng, n, correlation)
    return np.column_stack([slow, fast]), y


def risk(model, X, y):
    return float(np.square(y - model.predict(X)).mean())


def risk_of_trained(name, X, y):
    models = TRAINED[CLASSES[name]]
    return np.average(
        [risk(model, X, y) for model in models], weights=[model.tested_ for model in models]
    )


def study(title, draw, population, data_sets, truth=None, learners=LEARNERS, **asked):
    rng, held, notes = np.random.default_rng(1), defaultdict(list), defaultdict(int)
    for _ in range(data_sets):
        X, y, known = draw(rng)
        TRAINED.clear()
        found = errbar.compare(
            learners, X, y, share=False, random_state=int(rng.integers(1 << 30)), **known, **asked
        )
        risks = truth or {name: risk_of_trained(name, *population) for name in LEARNERS}
        for name, result in found.learners.items():
            held[name].append(result.low <= risks[name] <= result.high)
        for pair in found.pairs:
            low, high = pair.result.interval
            held[f"{pair.a} - {pair.b}"].append(low <= risks[pair.a] - risks[pair.b] <= high)
            for note in pair.result.notes:
                notes[note.code] += 1
    shares = ", ".join(f"{name} {100 * np.mean(own):.0f}" for name, own in held.items())
    print(f"{title}: {found.method}: {shares} %; {dict(notes)}", flush=True)


def of_examples(rng, count):
    """Independent examples, for comparison."""
    X, y, _ = grouped(rng, np.ones(20_000, dtype=int))

    def draw(rng, n):
        return *grouped(rng, np.ones(n, dtype=int))[:2], {}

    for n in (300, 1000):
        study(
            f"{n} examples",
            lambda rng, n=n: draw(rng, n),
            (X, y),
            count,
            plan=KFold(10),
            method="cv-wald",
        )


def drawn(sizes, groups):
    """Return what draws data of so many groups."""

    def draw(rng):
        X, y, group = grouped(rng, sizes(rng, groups))
        return X, y, {"groups": group}

    return draw


def of_groups(rng, count):
    for sizes in (equal, unequal):
        population = grouped(rng, sizes(rng, 2000))[:2]
        for groups in (30, 60, 120):
            for plan in (KFold(10), Holdout(0.5)):
                title = f"{groups} groups, {sizes.__name__}, {plan}"
                study(title, drawn(sizes, groups), population, count, plan=plan)


def of_random_splits_of_groups(rng, count):
    for sizes in (equal, unequal):
        X, y, _ = grouped(rng, sizes(rng, 2000))
        samples = [drawn(sizes, 24)(rng)[:2] for _ in range(500)]
        truth = {
            name: np.mean([risk(clone(own).fit(*sample), X, y) for sample in samples])
            for name, own in LEARNERS.items()
        }
        title = f"30 groups, {sizes.__name__}, 15 splits of a fifth"
        study(title, drawn(sizes, 30), None, count, truth, plan=Subsampling(n_test=0.2))


def of_stratified_splits_of_groups(rng, count):
    """All examples of a group are of one class; a third of the groups is of the rarer one."""

    def labelled(rng, groups):
        X, y, group = grouped(rng, np.full(groups, 10))
        y = (np.add.reduceat(y, np.arange(0, group.size, 10)) > 6.0)[group]
        return X, y.astype(float), {"groups": group}

    learners = {
        "logistic": LogisticRegression(),
        "tree": DecisionTreeClassifier(max_depth=3, random_state=0),
    }
    X, y, _ = labelled(rng, 2000)
    samples = [labelled(rng, 24)[:2] for _ in range(500)]
    truth = {
        name: np.mean([risk(clone(own).fit(*one), X, y) for one in samples])
        for name, own in learners.items()
    }
    for stratify in (False, True):
        plan = Subsampling(n_test=0.2, stratify=stratify)
        title = f"30 groups of one class each, 15 splits, {stratify=}"
        study(title, lambda rng: labelled(rng, 30), None, count, truth, learners, plan=plan)


def of_times(rng, count):
    for correlation in (0.0, 0.5, 0.8):
        population = series(rng, 60_000, correlation)
        for n in (120, 200, 400, 800):

            def draw(rng, n=n, correlation=correlation):
                return *series(rng, n, correlation), {"time": np.arange(n)}

            title = f"{n // 2} times to forecast, correlation {correlation} of the error"
            study(title, draw, population, count, plan=RollingOrigin(0.5, 0.05))
            if correlation:
                asked = {"method": "diebold-mariano", "variance": "cosines"}
                study(
                    f"{title}, cosines",
                    draw,
                    population,
                    count,
                    plan=RollingOrigin(0.5, 0.05),
                    **asked,
                )


def of_random_splits_in_time(rng, count):
    for correlation in (0.5, 0.9):
        X, y = series(rng, 60_000, correlation)

        def draw(rng, correlation=correlation):
            return *series(rng, 400, correlation), {"time": np.arange(400)}

        for plan, n_train in ((Subsampling(n_test=0.2), 320), (KFold(10, repeats=3), 360)):
            truth = defaultdict(float)
            for _ in range(500):
                old_X, old_y, _ = draw(rng)
                chosen = rng.permutation(400)[:n_train]
                for name, learner in LEARNERS.items():
                    truth[name] += (
                        risk(clone(learner).fit(old_X[chosen], old_y[chosen]), X, y) / 500
                    )
            title = f"400 times, correlation {correlation} of the error, {plan}"
            study(title, draw, None, count, truth, plan=plan)


PARTS = (
    of_examples,
    of_groups,
    of_random_splits_of_groups,
    of_stratified_splits_of_groups,
    of_times,
    of_random_splits_in_time,
)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data-sets", type=int, default=250)
    parser.add_argument("--only", choices=[part.__name__ for part in PARTS])
    asked = parser.parse_args()
    for part in PARTS:
        if asked.only in (None, part.__name__):
            part(np.random.default_rng(99), asked.data_sets)


if __name__ == "__main__":
    main()

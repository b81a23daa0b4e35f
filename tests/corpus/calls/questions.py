"""What is asked of a table: families of pairs, adjustments, sides, levels, margins, gates, and looks."""

import numpy as np

from tests.corpus import face
from tests.corpus.calls.designs import Once
from tests.corpus.data import learners, normal, stream

SIDES = ("two-sided", "less", "greater")
USED = (
    "random splits",
    "folds",
    "holdout",
    "holdout, zero-one",
    "groups",
    "seeds",
    "time",
    "repeated folds",
    "predicted scores",
    "splits, kind unsaid",
    "judged",
    "data sets",
)


def families():
    """All pairs or a baseline, every adjustment, sides and levels; and the functions behind them."""
    table = Once()
    for name in ("random splits", "folds", "holdout, zero-one"):
        for adjust in face.ADJUSTMENTS:
            for baseline in (None, "c"):
                yield (
                    f"{name}: adjust={adjust}, baseline={baseline}",
                    compared(table, name, adjust=adjust, baseline=baseline),
                )
    for name in USED:
        yield (
            f"{name}: greater",
            compared(table, name, alternative="greater", baseline="b", level=0.9),
        )
        yield f"{name}: rope", compared(table, name, rope=0.2, adjust="none")
    for count in (2, 4, 6):
        yield (
            f"{count} learners",
            lambda count=count: face.compare_table(
                face.from_scores(learners(stream("many"), count, 12), n_train=110, n_test=10)
            ),
        )
    yield "wrong baseline", compared(table, "folds", baseline="z")
    yield "wrong adjustment", compared(table, "folds", adjust="sidak")
    yield "wrong level", compared(table, "folds", level=1.5)
    yield "wrong side", compared(table, "folds", alternative="both")
    yield from adjusted()
    yield from joint()


def compared(table, name, **asked):
    return lambda: face.compare_table(table(name), **asked)


def adjusted():
    rng = stream("p-values")
    for label, values in {
        "five": np.round(rng.random(5) ** 3, 4),
        "ties": [0.01, 0.04, 0.04, 0.03],
        "one": [0.2],
        "ten": np.round(rng.random(10) ** 4, 5),
        "ends": [0.0, 1.0, 0.5],
    }.items():
        for adjust in face.families.ADJUSTMENTS:
            yield (
                f"adjust {label}, {adjust}",
                lambda values=values, adjust=adjust: face.families.adjust(values, adjust),
            )
    yield "adjust, above 1", lambda: face.families.adjust([0.2, 1.2])


COVARIANCES = {
    "three": (
        [0.30, 0.25, 0.20],
        [[0.0020, 0.0012, 0.0008], [0.0012, 0.0018, 0.0010], [0.0008, 0.0010, 0.0015]],
    ),
    "four": ([0.5, 0.4, 0.45, 0.3], (0.004 * (0.5 + 0.5 * np.eye(4))).tolist()),
    "near": ([0.11, 0.10, 0.10], (0.001 * (0.9 + 0.1 * np.eye(3))).tolist()),
    "five": ([1.0, 1.2, 0.9, 1.1, 1.6], (0.05 * (0.3 + 0.7 * np.eye(5))).tolist()),
}


def joint():
    for name, (estimates, covariance) in COVARIANCES.items():
        for df in (9,) if len(estimates) > 3 else (None, 14, 40):
            yield (
                f"max-t {name}, df={df}",
                lambda e=estimates, c=covariance, d=df: face.families.max_t(e, c, df=d),
            )
            yield (
                f"max-t {name}, df={df}, baseline",
                lambda e=estimates, c=covariance, d=df: face.families.max_t(
                    e, c, df=d, baseline=1, level=0.9
                ),
            )
            yield (
                f"best {name}, df={df}",
                lambda e=estimates, c=covariance, d=df: face.families.best(e, c, df=d),
            )
            yield (
                f"best {name}, df={df}, two-sided",
                lambda e=estimates, c=covariance, d=df: face.families.best(
                    e, c, df=d, level=0.9, two_sided=True
                ),
            )
    rng = stream("joint")
    for count, n in ((3, 20), (5, 40)):
        values = normal(rng, n, count) + 0.4 * np.arange(count)
        yield (
            f"confidence set of {count}",
            lambda values=values: face.families.confidence_set(
                {f"L{k}": values[:, k] for k in range(values.shape[1])}
            ),
        )
        yield f"shrunk {count}", lambda values=values: face.families.shrunk(values)
        yield (
            f"shrunk {count}, values",
            lambda values=values: face.families.shrunk(values, contrasts=False),
        )


def margins():
    """Equivalence and non-inferiority by every method that answers."""
    table = Once()
    for name in USED:
        for key in face.METHODS:
            if key in ("cochran-q", "friedman", "bootstrap", "permutation", "bootstrap-auc"):
                continue
            for label, made in {
                "equivalence": lambda n, k: face.equivalence(table(n), k, "a", "b", margin=0.2),
                "non-inferiority": lambda n, k: face.non_inferiority(
                    table(n), k, "a", "b", margin=0.05, level=0.9
                ),
            }.items():
                call = lambda made=made, name=name, key=key: made(name, key)
                if not face.refuses(call):
                    yield f"{name}: {label} by {key}", call
    for margin in (0.01, 0.1, 0.5, 2.0, 0.0, -1.0):
        for level in (0.9, 0.95):
            yield (
                f"folds: margin {margin}, level {level}",
                lambda m=margin, at=level: face.equivalence(
                    table("folds"), "cv-t", "a", "b", margin=m, level=at
                ),
            )


GATES = (
    "a worse-than b by 0.1",
    "b worse-than a by 0.1",
    "a worse-than b by 1",
    "b not-better-than a",
    "a not-better-than b",
    "a not-better-than b by 0.1",
)
MISSPELT = (
    "a worse-than b",
    "a worse-than z by 0.1",
    "a better-than b by 0.1",
    "a worse-than a by 0.1",
    "a worse-than b by -1",
    "a worse-than b by x",
    "",
)
THRESHOLDS = (
    "{loss} above 0.5",
    "{loss} above 3",
    "{loss} below 0.9",
    "{loss} below 0.1",
    "below 0.5",
)


def gates():
    """Gates that pass, fail, and cannot be judged."""
    table = Once()
    for name in USED:
        for text in GATES:
            yield (
                f"{name}: {text}",
                lambda name=name, text=text: judged(face.gate(text), table(name)),
            )
        for text in THRESHOLDS:
            yield (
                f"{name}: a, {text}",
                lambda name=name, text=text: judged(
                    face.threshold(text.format(loss=table(name).loss.key)),
                    table(name).subset(["a"]),
                ),
            )
    for text in MISSPELT:
        yield f"misspelt: {text}", lambda text=text: judged(face.gate(text), table("folds"))
    for text in ("f1 above 0.5", "loss over 0.5", "above"):
        yield (
            f"misspelt: a, {text}",
            lambda text=text: judged(face.threshold(text), table("folds").subset(["a"])),
        )
    for method in ("cv-t", "cv-wald", "kfold-t", "holdout-t"):
        for level in (0.8, 0.99):
            yield (
                f"folds by {method}, {level}",
                lambda m=method, at=level: judged(
                    face.gate(GATES[0]), table("folds"), method=m, level=at
                ),
            )


def judged(gate, table, **asked):
    verdict = gate.judge(table, **asked)
    return {"test": verdict.test, "verdict": verdict}


def looks():
    """Looks at splits that were planned beforehand."""
    for looks, ratio in (((15, 30, 60, 100), 1 / 9), ((5, 10), 0.25), ((10, 20, 30), 1.0)):
        for level in (0.95, 0.9):
            for side in SIDES[:2]:
                yield (
                    f"level of {len(looks)} looks, ratio {ratio:.2f}, {level}, {side}",
                    lambda k=looks, r=ratio, at=level, s=side: face.methods.look_alpha(
                        k, ratio=r, level=at, alternative=s
                    ),
                )
    rng = stream("looks")
    for looks in ((5, 10), (10, 20), (10, 15, 30), (10,)):
        values = normal(rng, 10, mean=0.1, sd=0.2)
        yield (
            f"ten splits, looks {looks}",
            lambda v=values, k=looks: face.ask(
                "corrected-t", {"value": v, "n_train": 90, "n_test": 10}, looks=k
            ),
        )
        yield (
            f"ten splits, looks {looks}, less",
            lambda v=values, k=looks: face.ask(
                "corrected-t",
                {"value": v, "n_train": 90, "n_test": 10},
                looks=k,
                alternative="less",
                level=0.9,
            ),
        )
    yield "looks in another order", lambda: face.methods.look_alpha((30, 15), ratio=0.1)


def sensitivity():
    """What hangs on the correlation of folds."""
    rng = stream("sensitivity")
    for name, values in {
        "clear": normal(rng, 10, mean=0.2, sd=0.1),
        "unclear": normal(rng, 10, mean=0.02, sd=0.1),
        "five": normal(rng, 5, mean=0.3, sd=0.2),
        "equal": np.full(5, 0.3),
    }.items():
        for request in (
            {},
            {"level": 0.9, "alternative": "less"},
            {"null": 0.1, "alternative": "greater"},
        ):
            words = " ".join(f"{key}={value}" for key, value in request.items())
            yield (
                f"threshold {name} {words}",
                lambda v=values, r=request: face.methods.rho_threshold(face.split_scores(v), **r),
            )
            yield (
                f"curve {name} {words}",
                lambda v=values, r=request: face.methods.rho_sensitivity(face.split_scores(v), **r),
            )
        yield (
            f"curve {name} at three",
            lambda v=values: face.methods.rho_sensitivity(
                face.split_scores(v), rhos=[0.0, 0.3, 0.7]
            ),
        )
    for folds in (2, 5, 10):
        for number in (0.0, 0.1, 0.5, 0.9):
            yield (
                f"rho of {number}, {folds} folds",
                lambda n=number, k=folds: face.methods.rho_from_correlation(n, k),
            )
            yield (
                f"correlation of {number}, {folds} folds",
                lambda n=number, k=folds: face.methods.correlation_from_rho(n, k),
            )
    for halvings in (3, 10):
        halves = {
            "value": normal(rng, 6, mean=0.3),
            "halves": normal(rng, halvings, 2, 6, mean=0.3),
            "n_train": 50,
            "n_test": 10,
        }
        yield (
            f"rho of {halvings} halvings",
            lambda h=halves: face.rho_of_halves(face.numbers_for("halved-kfold-t", h)),
        )
    for size, folds in ((20, 4), (30, 10)):
        losses = {"value": normal(rng, size), "fold": np.arange(size) % folds}
        yield (
            f"variances of {folds} folds",
            lambda c=losses: face.variances_of_folds(face.numbers_for("kfold-theta", c)),
        )

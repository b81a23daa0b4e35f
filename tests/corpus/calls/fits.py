"""Learners that are fitted: every plan, every method by a plan of its own, groups, time, strata, metrics, looks."""

import numpy as np
from sklearn.model_selection import GroupKFold, KFold, LeaveOneOut, ShuffleSplit

from tests.corpus import face
from tests.corpus.calls.methods import QUICK
from tests.corpus.data import table
from tests.corpus.learners import Broken, Commonest, Line, Mean, Stump, Wobble

plans = face.plans
NUMBERS = {"line": Line(), "mean": Mean(), "second": Line(1)}
CLASSES = {"stump": Stump(), "commonest": Commonest(), "other": Stump(1)}

PLANS = {
    "folds": lambda: plans.KFold(4),
    "folds twice": lambda: plans.KFold(5, repeats=2),
    "equal folds": lambda: plans.EqualKFold(4),
    "random splits": lambda: plans.Subsampling(repeats=6),
    "holdout": plans.Holdout,
    "halves of five": plans.FiveByTwo,
    "bootstrap": lambda: plans.Bootstrap(repeats=12),
    "bootstrap and training error": lambda: plans.Bootstrap(repeats=12, training_error=True),
    "nested": lambda: plans.NestedKFold(3, repeats=2),
    "pairs of halves": lambda: plans.PairedHalves(repeats=4, halvings=3),
    "halved folds": lambda: plans.HalvedKFold(3, halvings=3),
    "one replaced": lambda: plans.ReplaceOne(3, replacements=5),
    "parts left out": lambda: plans.PartJackknife(4, folds=3, repeats=2),
    "rolling": lambda: plans.RollingOrigin(n_train=12, n_test=4),
    "expanding": lambda: plans.RollingOrigin(n_train=0.5, n_test=3, step=2, gap=1, expanding=True),
    "seeds": lambda: plans.Seeds(3),
    "seeds of folds": lambda: plans.Seeds(2, plan=plans.KFold(3)),
    "splitter": lambda: plans.Predefined(KFold(5, shuffle=True, random_state=1)),
    "splitter of splits": lambda: plans.Predefined(ShuffleSplit(4, test_size=0.2, random_state=1)),
    "leave one out": lambda: plans.Predefined(LeaveOneOut()),
    "two plans": lambda: plans.Union((plans.KFold(3), plans.Holdout())),
    "number": lambda: 3,
}
ASKED = {
    "groups": {"groups": np.arange(40) // 4},
    "time": {"time": np.arange(40)},
    "several at a time": {"time": np.arange(40) // 2},
    "groups and time": {"groups": np.arange(40) // 4, "time": np.arange(40)},
    "groups of folds": {"groups": np.arange(40) // 4, "plan": plans.KFold(5)},
    "groups of a splitter": {"groups": np.arange(40) // 4, "plan": plans.Predefined(GroupKFold(5))},
    "groups and seeds": {"groups": np.arange(40) // 4, "plan": plans.Seeds(3)},
    "stratified": {"stratify": True},
    "stratified splits": {"stratify": True, "plan": plans.Subsampling(repeats=5)},
    "baseline": {"baseline": "commonest"},
    "max-t": {"adjust": "max-t", "plan": plans.Subsampling(repeats=5)},
    "looks": {"looks": (3, 6)},
    "looks and rope": {"looks": (4, 8), "rope": 0.1},
    "another seed": {"random_state": 1},
    "unknown baseline": {"baseline": "none"},
    "too many folds": {"plan": plans.KFold(50)},
    "wrong groups": {"groups": np.arange(39)},
}
METHODS = {
    "cv-t": plans.KFold(4, repeats=2),
    "5x2cv-f": plans.FiveByTwo(),
    "5x2cv-t": plans.FiveByTwo(),
    "632": plans.Bootstrap(15, training_error=True),
    "632-plus": plans.Bootstrap(15, training_error=True),
    "bayes-correlated-t": plans.Subsampling(repeats=6),
    "conservative-z": plans.PairedHalves(repeats=4, halvings=3),
    "corrected-t": plans.Subsampling(repeats=6),
    "cv-jackknife": plans.NestedKFold(4),
    "halved-kfold-t": plans.HalvedKFold(4, halvings=3),
    "kfold-t": plans.KFold(5),
    "kfold-theta": plans.EqualKFold(5),
    "oob-bootstrap": plans.Bootstrap(15),
    "part-jackknife": plans.PartJackknife(4, folds=3, repeats=2),
    "replace-one": plans.ReplaceOne(3, replacements=5),
    "resampled-t": plans.Subsampling(repeats=6),
    "nested-cv": plans.NestedKFold(3, repeats=2),
    "binomial": None,
    "bootstrap": None,
    "cluster-t": plans.KFold(5),
    "cv-wald": plans.KFold(5),
    "diebold-mariano": plans.RollingOrigin(12, 4),
    "holdout-t": None,
    "mcnemar": None,
    "paired-proportions": None,
    "permutation": None,
    "two-proportion-z": None,
    "crossed-t": plans.Seeds(3),
    "crossed-or": plans.Seeds(3),
    "bootstrap-benchmark": plans.Bootstrap(15),
    "outperformance": plans.Bootstrap(15),
}


def compare(learners, X, y, **asked):
    return face.compare(learners, X, y, **{"random_state": 0} | asked)


def compare_all(learners, X, y, questions, **asked):
    return face.compare_all(learners, X, y, questions, random_state=0, **asked)


def evaluate(learner, X, y, **asked):
    return face.evaluate(learner, X, y, **{"random_state": 0} | asked)


def calls():
    yield from by_plan()
    yield from by_method()
    yield from by_question()
    yield from by_metric()


def by_plan():
    X, y = table(28, name="plans")
    for name, plan in PLANS.items():
        try:
            run = face.errbar.run(NUMBERS, X, y, plan=plan(), random_state=0)
        except face.REFUSED as refusal:
            yield f"{name}: table", lambda refusal=refusal: raising(refusal)
            continue
        yield f"{name}: table", lambda run=run: run
        yield (
            f"{name}: nobody says a method",
            lambda run=run: face.compare_table(run.subset(["line", "mean"])),
        )
        refused = {}
        for key in face.METHODS:
            asked = lambda run=run, key=key: face.infer(
                run, key, "line", "second", **QUICK.get(key, {})
            )
            if face.refuses(asked):
                refused[key] = 1
            else:
                yield f"{name}: {key}", asked
        yield f"{name}: refused", lambda refused=refused: {"refused_by": refused}
        yield f"{name}: absolute error", lambda run=run: run.with_loss("absolute-error")
        yield (
            f"{name}: r2",
            lambda run=run: face.compare_table(run.with_loss("r2").subset(["line", "mean"])),
        )


def raising(refusal):
    raise refusal


def by_method():
    """Each method by a small plan, of classifiers and of regressors, of two and of one."""
    for key, plan in METHODS.items():
        facts = (
            {"groups": np.arange(32) // 4}
            if key == "cluster-t"
            else {"time": np.arange(32)}
            if key == "diebold-mariano"
            else {}
        )
        for task, learners in (("numbers", NUMBERS), ("two", CLASSES)):
            X, y = table(32, task=task, name="methods")
            two = dict(list(learners.items())[:2])
            asked = facts | QUICK.get(key, {}) | {"method": key, "plan": plan}
            yield f"{key}, {task}: two", lambda a=asked, t=two, X=X, y=y: compare(t, X, y, **a)
            yield (
                f"{key}, {task}: one",
                lambda a=asked, t=two, X=X, y=y: evaluate(
                    next(iter(t.values())), X, y, level=0.9, **a
                ),
            )
    for key in ("cochran-q", "friedman", "ppi", "wilcoxon", "delong"):
        X, y = table(32, task="two", name="methods")
        yield (
            f"{key}: three",
            lambda k=key, X=X, y=y: compare(
                CLASSES, X, y, method=k, plan=plans.Bootstrap(10) if k == "friedman" else None
            ),
        )


def by_question():
    X, y = table(40, task="two", name="questions")
    for name, asked in ASKED.items():
        yield f"{name}: three", lambda a=asked: compare(CLASSES, X, y, **a)
        if "baseline" not in asked and "adjust" not in asked:
            alone = {key: value for key, value in asked.items() if key not in ("rope", "looks")}
            yield f"{name}: one", lambda a=alone: evaluate(Stump(), X, y, **a)
    numbers, target = table(40, name="questions")
    wobbles = {"a": Wobble(), "b": Wobble(1, 0.5)}
    for name, plan in (
        ("seeds", plans.Seeds(4)),
        ("seeds of folds", plans.Seeds(2, plan=plans.KFold(4))),
        ("folds", plans.KFold(4)),
    ):
        yield (
            f"random learners, {name}",
            lambda p=plan: compare(wobbles, numbers, target, plan=p, random_state=3),
        )
    yield (
        "a broken learner",
        lambda: compare(NUMBERS | {"broken": Broken()}, numbers, target, plan=plans.KFold(3)),
    )
    yield (
        "a broken learner, others kept",
        lambda: compare(
            NUMBERS | {"broken": Broken()}, numbers, target, plan=plans.KFold(3), on_error="keep"
        ),
    )
    questions = [{"method": "cv-t"}, {"method": "corrected-t", "level": 0.9}, {"method": "cv-wald"}]
    yield (
        "several questions",
        lambda: list(
            compare_all(NUMBERS, numbers, target, questions[:2], plan=plans.KFold(4, repeats=2))
        ),
    )
    yield (
        "three questions",
        lambda: list(compare_all(NUMBERS, numbers, target, questions, plan=plans.KFold(5))),
    )
    yield "above a null", lambda: evaluate(Stump(), X, y, null=0.5, alternative="less")
    yield (
        "a gap in the features",
        lambda: compare(
            NUMBERS, np.where(numbers > 1.9, np.nan, numbers), target, plan=plans.KFold(3)
        ),
    )
    yield "one class", lambda: compare(CLASSES, X, np.full(40, "yes"), plan=plans.KFold(3))
    yield "no learner", lambda: compare({}, X, y)
    yield "sizes that differ", lambda: compare(CLASSES, X, y[:-1])


def by_metric():
    X, y = table(48, task="two", name="metrics")
    two = {"stump": Stump(), "other": Stump(1)}
    for metric in (
        "f1",
        "roc_auc",
        "log-loss",
        "brier",
        "balanced_accuracy",
        "accuracy",
        "precision",
        "average_precision",
    ):
        for name, asked in (
            ("folds", {"plan": plans.KFold(3)}),
            ("stratified", {"plan": plans.KFold(3, stratify=True)}),
            ("splits", {"plan": plans.Subsampling(repeats=5, n_test=0.3)}),
        ):
            yield (
                f"{metric}, {name}",
                lambda m=metric, a=asked: compare(two, X, y, loss=m, positive="yes", **a),
            )
    yield (
        "three metrics",
        lambda: list(
            compare(
                two, X, y, loss=["f1", "roc_auc", "log-loss"], positive="yes", plan=plans.KFold(3)
            )
        ),
    )
    three, labels = table(48, task="three", name="metrics")
    for metric in ("f1_macro", "zero-one", "log-loss", "roc_auc_ovr", "kappa"):
        yield (
            f"{metric}, three classes",
            lambda m=metric: compare(
                two, three, labels, loss=m, plan=plans.KFold(3, stratify=True)
            ),
        )

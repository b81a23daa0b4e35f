"""Every metric and every loss, under every design that predictions can have."""

import numpy as np

from tests.corpus import face
from tests.corpus.data import chances, classes, folds, guesses, marks, normal, stream, uniform

DESIGNS = {
    "holdout": (40, lambda n: {"n_train": 90}),
    "folds": (40, lambda n: {"fold": folds(n, 4), "n_train": 30}),
    "repeated folds": (
        30,
        lambda n: {
            "fold": np.r_[np.arange(n) % 3, np.arange(n) * 3 // n],
            "repeat": np.repeat([0, 1], n),
            "example": np.tile(np.arange(n), 2),
            "n_train": 20,
        },
    ),
    "groups": (48, lambda n: {"groups": np.arange(n) // 4, "n_train": 90}),
    "seeds": (
        30,
        lambda n: {
            "seed": np.repeat(np.arange(3), n),
            "example": np.tile(np.arange(n), 3),
            "n_train": 90,
        },
    ),
    "time": (40, lambda n: {"time": np.arange(n), "n_train": 90}),
}
TIMES = {"repeated folds": 2, "seeds": 3}
LABELS = (
    "accuracy f1 f1_macro f1_weighted f1_micro precision precision_macro precision_weighted precision_micro recall recall_macro recall_weighted "
    "recall_micro jaccard jaccard_macro jaccard_weighted jaccard_micro specificity npv balanced_accuracy matthews_corrcoef kappa kappa_linear "
    "kappa_quadratic zero-one"
).split()
SCORES = "roc_auc average_precision".split()
CHANCES = "log_loss brier_score d2_log_loss_score d2_brier_score calibration_error log-loss brier roc_auc_ovr roc_auc_ovr_weighted roc_auc_ovo roc_auc_ovo_weighted".split()
NUMBERS = (
    "mean_squared_error mean_absolute_error mean_squared_log_error mean_absolute_percentage_error r2 explained_variance d2_absolute_error_score "
    "root_mean_squared_error root_mean_squared_log_error wape squared-error absolute-error"
).split()
AVERAGED = [
    name
    for name in LABELS
    if name.endswith(("macro", "weighted", "micro", "accuracy", "corrcoef", "one"))
    or name.startswith("kappa")
]


def calls():
    yield "names: metrics", lambda: {"known": dict.fromkeys(face.METRICS, 1)}
    yield "names: losses", lambda: {"known": dict.fromkeys(face.LOSSES, 1)}
    for design in DESIGNS:
        for kind, metrics, made in (
            ("labels", LABELS, labels),
            ("three labels", AVERAGED, three_labels),
            ("scores", SCORES, scores),
            ("chances", CHANCES, two_chances),
            ("three chances", CHANCES, three_chances),
            ("numbers", NUMBERS, numbers),
        ):
            predicted, truth, facts = made(design)
            for metric in metrics:
                yield (
                    f"{metric} of {kind}, {design}",
                    compared(predicted, truth, facts, loss=metric),
                )
    yield from pooled()
    yield from undefined()
    yield from with_methods()


def compared(predicted, truth, facts, **asked):
    return lambda: face.compare_table(face.from_predictions(predicted, truth, **facts, **asked))


def design_of(name):
    n, facts = DESIGNS[name]
    return n, TIMES.get(name, 1), facts(n)


def labels(design, kinds=("no", "yes")):
    n, times, facts = design_of(design)
    rng = stream("metrics", design, *kinds)
    truth = np.tile(classes(rng, n, kinds), times)
    positive = {"positive": "yes"} if "yes" in kinds else {}
    return {"a": guesses(rng, truth, 0.8), "b": guesses(rng, truth, 0.65)}, truth, facts | positive


def three_labels(design):
    return labels(design, (1, 2, 3))


def scores(design):
    n, times, facts = design_of(design)
    rng = stream("metrics", design, "scores")
    truth = np.tile(classes(rng, n), times)
    return (
        {"a": marks(rng, truth, pull=1.8), "b": marks(rng, truth, pull=1.0)},
        truth,
        facts | {"positive": "yes"},
    )


def two_chances(design, kinds=("no", "yes")):
    n, times, facts = design_of(design)
    rng = stream("metrics", design, "chances", *kinds)
    truth = np.tile(classes(rng, n, kinds), times)
    positive = {"positive": "yes"} if "yes" in kinds else {}
    return (
        {"a": chances(rng, truth), "b": chances(rng, truth, 0.8)},
        truth,
        facts | positive | {"classes": sorted(kinds)},
    )


def three_chances(design):
    return two_chances(design, ("high", "low", "mid"))


def numbers(design):
    n, times, facts = design_of(design)
    rng = stream("metrics", design, "numbers")
    truth = np.tile(2.0 + uniform(rng, n) * 5.0, times).round(3)
    predicted = {
        name: np.maximum(0.01, truth + sd * normal(rng, n * times)).round(3)
        for name, sd in (("a", 0.5), ("b", 0.9))
    }
    return predicted, truth, facts


def pooled():
    for design in ("folds", "repeated folds"):
        for metric, made in (
            ("f1", labels),
            ("precision", labels),
            ("roc_auc", scores),
            ("r2", numbers),
            ("root_mean_squared_error", numbers),
            ("kappa", labels),
        ):
            for pool in ("none", "folds", "splits"):
                predicted, truth, facts = made(design)
                yield (
                    f"{metric}, {design}, pool={pool}",
                    compared(predicted, truth, facts, loss=metric, pool=pool),
                )


def undefined():
    """Predictions that a metric cannot take, or hardly."""
    truth = np.array(["no"] * 18 + ["yes"] * 2)
    never = {"a": np.full(20, "no"), "b": np.array(["no"] * 17 + ["yes"] * 3)}
    for metric in (
        "f1",
        "precision",
        "recall",
        "matthews_corrcoef",
        "balanced_accuracy",
        "zero-one",
        "npv",
    ):
        yield (
            f"{metric}, never yes",
            compared(never, truth, {"positive": "yes", "n_train": 80}, loss=metric),
        )
        yield (
            f"{metric}, never yes, folds",
            compared(
                never,
                truth,
                {"positive": "yes", "n_train": 80, "fold": np.arange(20) % 2},
                loss=metric,
            ),
        )
        yield (
            f"{metric}, perfect",
            compared(
                {"a": truth, "b": truth}, truth, {"positive": "yes", "n_train": 80}, loss=metric
            ),
        )
        yield f"{metric}, positive unsaid", compared(never, truth, {"n_train": 80}, loss=metric)
    rng = stream("undefined")
    rows = chances(rng, truth)
    for metric in ("roc_auc", "log_loss", "brier_score"):
        yield (
            f"{metric}, rows that add up to 2",
            compared(
                {"a": 2 * rows, "b": rows},
                truth,
                {"n_train": 80, "classes": ["no", "yes"], "positive": "yes"},
                loss=metric,
            ),
        )
        yield (
            f"{metric}, folds of one class",
            compared(
                {"a": rows, "b": rows[::-1]},
                truth,
                {
                    "fold": np.arange(20) // 10,
                    "n_train": 10,
                    "classes": ["no", "yes"],
                    "positive": "yes",
                },
                loss=metric,
            ),
        )
        yield (
            f"{metric}, certain and wrong",
            compared(
                {"a": np.eye(2)[(truth == "no").astype(int)], "b": rows},
                truth,
                {"n_train": 80, "classes": ["no", "yes"], "positive": "yes"},
                loss=metric,
            ),
        )
    for metric in ("r2", "mean_squared_log_error", "mean_absolute_percentage_error", "wape"):
        yield (
            f"{metric}, truth is constant",
            compared(
                {"a": uniform(rng, 12), "b": uniform(rng, 12)},
                np.zeros(12),
                {"n_train": 80},
                loss=metric,
            ),
        )
    yield "unknown metric", compared(never, truth, {"n_train": 80}, loss="f_one")
    yield (
        "metric of another task",
        compared({"a": normal(rng, 12)}, normal(rng, 12), {"n_train": 80}, loss="f1"),
    )


def with_methods():
    """Metrics by methods that are named."""
    for design, methods in {
        "holdout": (
            "holdout-t",
            "bootstrap",
            "delong",
            "bootstrap-auc",
            "mcnemar",
            "two-proportion-z",
        ),
        "folds": ("cv-t", "cv-wald", "corrected-t", "kfold-t", "kfold-theta", "bayes-correlated-t"),
        "repeated folds": ("cv-t", "corrected-t", "resampled-t"),
        "groups": ("cluster-t",),
        "seeds": ("crossed-t", "crossed-or"),
        "time": ("diebold-mariano",),
    }.items():
        for metric, made in (
            ("f1", labels),
            ("zero-one", labels),
            ("roc_auc", scores),
            ("r2", numbers),
            ("recall", labels),
        ):
            predicted, truth, facts = made(design)
            for method in methods:
                quick = {"resamples": 199} if method.startswith("bootstrap") else {}
                yield (
                    f"{metric} by {method}, {design}",
                    lambda p=predicted, t=truth, f=facts, key=metric, m=method, q=quick: face.infer(
                        face.from_predictions(p, t, loss=key, **f), m, "a", "b", **q
                    ),
                )
                yield (
                    f"{metric} of a by {method}, {design}",
                    lambda p=predicted, t=truth, f=facts, key=metric, m=method, q=quick: face.infer(
                        face.from_predictions(p, t, loss=key, **f), m, "a", level=0.9, **q
                    ),
                )

"""Small comparisons with known outcomes, made from numbers."""

import numpy as np

import errbar

# Ten numbers with mean 0 and standard deviation 1 (divisor 9), so that a shift is a known multiple of it.
STANDARD = np.array([-1.5, -1.1, -0.7, -0.4, -0.1, 0.1, 0.4, 0.7, 1.1, 1.5])
STANDARD = STANDARD / STANDARD.std(ddof=1)
NASTY = ("<script>alert(1)</script>", "a_b & $x$ [bold]")


def shifted(shift, *, names=("a", "b"), higher_is_better=False, metric="score", **options):
    """Compare two learners whose difference a - b has the given mean, in standard deviations of the split scores.

    With ten splits of 90 + 10 examples the naive t is significant at 5 % from 0.72 on, the corrected t from 1.04 on.
    """
    base = 10.0 + np.cos(np.arange(10.0))
    table = errbar.from_scores(
        {names[0]: base + STANDARD + shift, names[1]: base},
        n_train=90,
        n_test=10,
        metric=metric,
        higher_is_better=higher_is_better,
    )
    return errbar.compare_table(table, **options)


def many(count, **options):
    """Compare learners of which each is worse than the one before by half a standard deviation."""
    rng = np.random.default_rng(0)
    base = rng.normal(size=15)
    scores = {f"m{i}": base + 0.5 * i + 0.3 * rng.normal(size=15) for i in range(count)}
    table = errbar.from_scores(scores, n_train=90, n_test=10, higher_is_better=False)
    return errbar.compare_table(table, **options)


def single():
    """Estimate one learner."""
    return errbar.compare_table(errbar.from_scores({"alone": 5 + STANDARD}, n_train=90, n_test=10))


def naive_misses():
    """Compare by a method that finds what the naive t does not: points vary less than folds."""
    fold = np.repeat(np.arange(10), 10)
    return errbar.compare_table(
        errbar.from_losses({"a": 0.5 + STANDARD[fold], "b": np.zeros(100)}, fold=fold),
        method="cv-wald",
    )


def constant():
    """Compare learners whose differences do not vary; two are equal."""
    scores = {"a": [0.1, 0.2, 0.3], "b": [0.1, 0.2, 0.3], "c": [0.25, 0.35, 0.45]}
    return errbar.compare_table(errbar.from_scores(scores, n_train=90, n_test=10))


def unknown_sizes():
    """Compare numbers whose splits have unknown sizes."""
    scores = {"a": STANDARD, "b": STANDARD[::-1]}
    return errbar.compare_table(
        errbar.from_scores(scores, kind="kfold"), method="kfold-t", alternative="greater"
    )


def holdout():
    """Compare on one holdout set."""
    table = errbar.from_losses({"a": [0, 1, 0, 0, 1, 0], "b": [1, 1, 0, 1, 1, 0]}, n_train=50)
    return errbar.compare_table(table, method="holdout-t", alternative="less")


def everything():
    """All of them by name."""
    return {
        "two": shifted(0.9),
        "accuracy": shifted(2.0, higher_is_better=True, metric="accuracy", rope=5.0),
        "nasty": shifted(0.5, names=NASTY, metric="m_x <b>$y$"),
        "single": single(),
        "many": many(7, rope=0.2),
        "baseline": many(5, baseline="m0", adjust="none", alternative="greater"),
        "constant": constant(),
        "unknown": unknown_sizes(),
        "holdout": holdout(),
        "missed": naive_misses(),
    }

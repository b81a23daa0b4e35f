"""Every method on plain numbers: unequal folds and sizes, every option, side, level and null, and what it refuses."""

import numpy as np

from tests.corpus import face
from tests.corpus.data import coins, folds, normal, stream, uniform, waiting

QUICK = {
    "bootstrap": {"resamples": 199},
    "bootstrap-auc": {"resamples": 199},
    "outperformance": {"resamples": 199},
    "permutation": {"resamples": 199},
    "bayes-sign": {"samples": 2000},
    "bayes-signed-rank": {"samples": 2000},
}
OPTIONS = {
    "bayes-correlated-t": [{"rope": 0.02}, {"rope": 0.3, "correlation": 0.3}, {"correlation": 0.0}],
    "bayes-sign": [{"rope": 0.1}, {"random_state": 7}],
    "bayes-signed-rank": [{"rope": 0.1}, {"random_state": 7}],
    "binomial": [
        {"kind": kind} for kind in ("normal", "clopper-pearson", "agresti-coull", "jeffreys")
    ],
    "bootstrap": [
        *({"kind": kind} for kind in ("basic", "bca", "normal")),
        {"statistic": np.median},
        {"bias_corrected": True},
        {"random_state": 7},
        {"resamples": 49},
    ],
    "632": [{"remove_monte_carlo": False}],
    "632-plus": [{"remove_monte_carlo": False}],
    "oob-bootstrap": [{"remove_monte_carlo": False}],
    "bootstrap-auc": [
        *({"kind": kind} for kind in ("basic", "bca", "normal")),
        {"bias_corrected": True},
        {"random_state": 7},
    ],
    "conservative-z": [{"reference": "t"}, {"reference": "normal"}],
    "corrected-t": [{"correlation": 0.0}, {"correlation": 0.3}, {"looks": (5, 10)}],
    "crossed-or": [{"random": "seeds"}, {"random": "examples"}],
    "crossed-t": [{"seeds": "shared"}, {"floors": False}, {"seeds": "shared", "floors": False}],
    "cv-t": [{"variance": "examples"}, {"variance": "folds"}],
    "cv-wald": [{"variance": "within-fold"}, {"variance": "all-pairs"}],
    "data-sets-t": [{"data_sets": "new"}, {"data_sets": "fixed"}],
    "diebold-mariano": [
        {"horizon": 2},
        {"horizon": 5},
        {"variance": "autocovariances"},
        {"variance": "cosines"},
        {"horizon": 3, "variance": "autocovariances"},
        {"variance": "bartlett", "horizon": 3},
    ],
    "two-way-t": [
        {"horizon": 1},
        {"horizon": 3},
        {"variance": "autocovariances"},
        {"horizon": 3, "variance": "cosines"},
        {"horizon": 12},
        {"variance": "bartlett"},
    ],
    "kfold-t": [{"rho": 0.2}, {"rho": 0.7}, {"rho": -0.1}],
    "kfold-theta": [{"estimator": name} for name in ("theta1", "theta2", "theta4", "theta5")],
    "mcnemar": [{"kind": kind} for kind in ("mid-p", "chi2", "chi2-corrected")],
    "nested-cv": [{"bias_exponent": 1.5}],
    "outperformance": [{"threshold": 0.9}, {"random_state": 7}],
    "paired-proportions": [{"kind": "newcombe"}],
    "permutation": [{"random_state": 7}, {"resamples": 49}],
    "ppi": [{"weight": 0.0}, {"weight": 1.0}, {"weight": 0.4}],
    "replace-one": [{"factor": 0.5}],
    "sign-test": [{"zeros": "split"}],
    "two-proportion-z": [{"pooled": True}],
    "wilcoxon": [{"zeros": "pratt"}, {"law": "normal"}, {"law": "exact"}],
    "cochran-q": [],
    "friedman": [{"correction": "none"}],
}
SPLITS = ("bayes-correlated-t", "corrected-t", "resampled-t", "kfold-t", "bootstrap-benchmark")
SIGNED = ("bayes-sign", "bayes-signed-rank", "outperformance", "sign-test", "wilcoxon")
ONE_TEST_SET = ("binomial", "bootstrap", "holdout-t", "permutation")


def views(key):
    """Columns for a method, by a name."""
    if key in SPLITS:
        yield from split_scores()
    elif key in SIGNED:
        yield from signed_scores()
    elif key in ("5x2cv-t", "5x2cv-f"):
        yield from five_by_two()
    elif key in ONE_TEST_SET:
        yield from one_test_set(key)
    else:
        yield from SPECIAL[key](key)


def split_scores():
    rng = stream("splits")
    yield "ten", {"value": normal(rng, 10, mean=0.2, sd=0.05), "n_train": 90, "n_test": 10}
    yield (
        "sizes",
        {
            "value": normal(rng, 8, mean=-0.4),
            "n_train": 100 - np.arange(8),
            "n_test": 12 + np.arange(8),
        },
    )
    yield "three", {"value": waiting(rng, 3), "n_train": [60, 50, 70], "n_test": [30, 40, 20]}
    yield (
        "folds",
        {
            "value": normal(rng, 20, mean=0.1, sd=0.2),
            "n_train": 45,
            "n_test": 5,
            "kind": "kfold",
            "repeats": 4,
        },
    )
    yield (
        "strata",
        {"value": normal(rng, 6, mean=0.3, sd=0.02), "n_train": 27, "n_test": 3, "between": 0.05},
    )
    yield (
        "strata unknown",
        {"value": normal(rng, 6, mean=0.3, sd=0.02), "n_train": 27, "n_test": 3, "between": np.nan},
    )
    yield "equal", {"value": np.full(5, 0.25), "n_train": 90, "n_test": 10}
    yield "no sizes", {"value": normal(rng, 5)}
    yield "one", {"value": [0.3], "n_train": 90, "n_test": 10}
    yield "nan", {"value": [0.3, np.nan, 0.2], "n_train": 90, "n_test": 10}


def runs(_):
    rng = stream("runs")
    yield "ten", {"value": normal(rng, 10, mean=0.2, sd=0.05), "kind": "runs", "n_train": 90}
    yield "three", {"value": waiting(rng, 3), "kind": "runs"}
    yield "equal", {"value": np.full(5, 0.25), "kind": "runs"}
    yield "one", {"value": [0.3], "kind": "runs"}
    yield "folds", {"value": normal(rng, 5), "kind": "kfold"}


def signed_scores():
    rng = stream("signed")
    yield "twelve", {"value": normal(rng, 12, mean=0.2), "n_train": 90, "n_test": 10}
    yield "ties", {"value": np.round(normal(rng, 15, mean=-0.3), 1), "n_train": 90, "n_test": 10}
    yield "zeros", {"value": [0.1, 0.0, -0.2, 0.3, 0.0, 0.4, 0.2, 0.2], "n_train": 90, "n_test": 10}
    yield "many", {"value": normal(rng, 60, mean=0.1), "n_train": 90, "n_test": 10}
    yield "all above", {"value": [0.1, 0.2, 0.3, 0.4, 0.5, 0.7]}
    yield "few", {"value": [0.1, -0.2, 0.4]}
    yield "only zeros", {"value": [0.0, 0.0, 0.0, 0.0]}


def five_by_two():
    rng = stream("5x2")
    yield "small", {"value": normal(rng, 5, 2, mean=0.3, sd=0.05), "n_train": 50.0}
    yield "wide", {"value": normal(rng, 5, 2)}
    yield "equal", {"value": np.full((5, 2), 0.5)}
    yield "four", {"value": normal(rng, 4, 2)}


def one_test_set(key):
    rng = stream("one test set")
    whole = key != "binomial"
    yield "zero-one", {"value": coins(rng, 23), "n_train": 50.0}
    yield "rare", {"value": np.eye(1, 30)[0]}
    yield "never", {"value": np.zeros(20)}
    yield "always", {"value": np.ones(12)}
    if whole:
        yield "losses", {"value": waiting(rng, 25), "n_train": 80.0}
        yield "differences", {"value": normal(rng, 18, mean=0.3)}
        yield "signs", {"value": coins(rng, 40) - coins(rng, 40, share=0.5)}
        yield "two", {"value": [0.4, 0.9]}
    yield "folds", {"value": coins(rng, 20), "fold": folds(20, 4)}


def fold_losses(key):
    rng = stream("folds")
    sizes = np.repeat(np.arange(5), (7, 4, 9, 5, 2))
    yield "even", {"value": waiting(rng, 24), "fold": np.arange(24) % 4, "n_train": 18.0}
    yield "uneven", {"value": waiting(rng, 27), "fold": sizes, "n_train": 21.6}
    yield (
        "zero-one",
        {"value": coins(rng, 30) - coins(rng, 30, share=0.5), "fold": np.arange(30) % 10},
    )
    yield (
        "shifted",
        {"value": np.round(normal(rng, 20) + np.arange(20) % 5, 3), "fold": np.arange(20) % 5},
    )
    twice = np.tile(np.arange(16), 2)
    shuffled = np.r_[np.arange(16) % 4, np.arange(16) // 4]
    common = np.tile(normal(rng, 16), 2)
    columns = {"fold": shuffled, "repeat": np.repeat([0, 1], 16), "example": twice, "n_train": 12.0}
    yield "repeated", {"value": np.round(common + 0.3 * normal(rng, 32), 3)} | columns
    yield "equal", {"value": np.full(20, 0.5), "fold": np.arange(20) % 4}
    yield "two folds", {"value": normal(rng, 12), "fold": np.arange(12) % 2}
    yield "one each", {"value": normal(rng, 9), "fold": np.arange(9)}
    yield "one fold", {"value": normal(rng, 9)}


def nested_losses(key):
    rng = stream("nested")
    for count, n, repeats in ((3, 14, 1), (4, 20, 2), (5, 25, 1)):
        cells = []
        for repeat in range(repeats):
            parts = np.array_split(np.argsort(rng.random(n)), count)
            cells += [(k, repeat, -1, i) for k in range(count) for i in parts[k]]
            cells += [
                (k, repeat, j, i)
                for k in range(count)
                for j in range(count)
                if j != k
                for i in parts[j]
            ]
        fold, repeat, inner, example = np.transpose(cells)
        columns = {
            "fold": fold,
            "repeat": repeat,
            "inner": inner,
            "example": example,
            "n_train": n - n / count,
        }
        value = np.round(normal(rng, n)[example] + 0.4 * normal(rng, len(cells)), 3)
        yield f"{count} of {n}, {repeats}", {"value": value} | columns
        yield f"zero-one {count} of {n}, {repeats}", {"value": coins(rng, len(cells))} | columns
    yield "not nested", {"value": normal(rng, 12), "fold": np.arange(12) % 3}


def cluster_losses(key):
    rng = stream("clusters")
    cluster = np.repeat(np.arange(7), (3, 6, 1, 4, 2, 9, 5))
    shared = normal(rng, 7)[cluster]
    yield (
        "unequal",
        {"value": np.round(shared + waiting(rng, 30), 3), "cluster": cluster, "n_train": 80.0},
    )
    yield "zero-one", {"value": coins(rng, 24), "cluster": np.arange(24) % 6}
    yield (
        "folds",
        {
            "value": np.round(shared + normal(rng, 30), 3),
            "cluster": cluster,
            "fold": (cluster > 3).astype(int),
        },
    )
    yield "alone", {"value": normal(rng, 12), "cluster": np.arange(12)}
    yield "few", {"value": normal(rng, 12), "cluster": np.arange(12) % 3}
    yield (
        "big",
        {"value": normal(rng, 40), "cluster": np.r_[np.zeros(20, int), 1 + np.arange(20) % 6]},
    )
    yield (
        "torn",
        {"value": normal(rng, 24), "cluster": np.arange(24) % 6, "fold": np.arange(24) % 4},
    )


def crossed_losses(key):
    rng = stream("crossed")

    def losses(seeds, n):
        return np.round(
            0.3 * normal(rng, seeds, 1) + normal(rng, 1, n) + 0.5 * normal(rng, seeds, n), 3
        )

    yield "pair", {"value": losses(4, 15), "minus": losses(4, 15), "n_train": 80.0}
    yield "alone", {"value": losses(3, 20)}
    yield "clusters", {"value": losses(3, 24), "minus": losses(3, 24), "cluster": np.arange(24) % 7}
    yield "zero-one", {"value": coins(rng, 5, 30), "minus": coins(rng, 5, 30, share=0.4)}
    yield "unequal seeds", {"value": losses(3, 12), "minus": losses(5, 12)}
    yield "noise", {"value": normal(rng, 6, 10), "minus": normal(rng, 6, 10)}
    yield "two seeds", {"value": losses(2, 10)}
    yield "one seed", {"value": losses(1, 10)}
    yield "folds", {"value": losses(3, 20), "minus": losses(3, 20), "fold": np.arange(20) % 4}


def series_losses(key):
    rng = stream("series")
    noise = normal(rng, 41)
    yield "noise", {"value": normal(rng, 40, mean=0.2), "n_train": 60.0}
    yield "neighbours", {"value": np.round(noise[1:] + 0.8 * noise[:-1], 3)}
    yield "walk", {"value": np.round(np.cumsum(normal(rng, 30)), 3)}
    yield "short", {"value": normal(rng, 6)}
    yield "two", {"value": [0.3, 0.1]}
    yield "equal", {"value": np.full(10, 0.3)}
    yield "several", {"value": normal(rng, 20), "several": 3, "n_splits": 4}


def panel_losses(key):
    rng = stream("panel")
    group, time = np.repeat(np.arange(8), 12), np.tile(np.arange(12), 8)
    shock = normal(rng, 12)[time]
    gap = np.round(normal(rng, 8)[group] + shock + normal(rng, 96), 3)
    facts = {"cluster": group, "time": time}
    yield "shocks", {"value": gap, **facts, "n_train": 60.0}
    kept = (group + 5 * time) % 7 != 0
    some = {name: column[kept] for name, column in facts.items()}
    yield "missing cells", {"value": np.round(waiting(rng, kept.sum()) + shock[kept], 3), **some}
    yield "zero-one", {"value": coins(rng, 96), **facts}
    yield (
        "noise",
        {"value": normal(rng, 30), "cluster": np.arange(30) % 5, "time": np.arange(30) // 5},
    )
    yield (
        "own times",
        {"value": normal(rng, 40), "cluster": np.arange(40) % 8, "time": np.arange(40)},
    )
    yield "equal", {"value": np.full(96, 0.3), **facts}
    yield (
        "few times",
        {"value": normal(rng, 24), "cluster": np.arange(24) % 6, "time": np.arange(24) // 6},
    )
    yield (
        "few clusters",
        {"value": normal(rng, 24), "cluster": np.arange(24) // 6, "time": np.arange(24) % 6},
    )
    yield "no time", {"value": normal(rng, 24), "cluster": np.arange(24) // 4}


def judged_losses(key):
    rng = stream("judged")
    people = waiting(rng, 20)
    yield (
        "numbers",
        {
            "value": people,
            "judged": np.round(people + normal(rng, 20), 3),
            "others": waiting(rng, 50),
            "n_train": 60.0,
        },
    )
    yes = coins(rng, 40)
    yield "zero-one", {"value": yes[:10], "judged": yes[5:15], "others": yes}
    yield "useless", {"value": normal(rng, 12), "judged": np.zeros(12), "others": np.zeros(30)}
    yield "same", {"value": people, "judged": people, "others": waiting(rng, 40)}


def halves(key):
    rng = stream("halves")
    six = {"value": normal(rng, 6, mean=0.3, sd=0.05), "halves": waiting(rng, 4, 2, 6)}
    yield "six", six | {"n_train": 90, "n_test": 10, "half_train": 40.0}
    yield "five", {"value": normal(rng, 5), "halves": 5.0 * normal(rng, 7, 2, 5)}
    yield (
        "means",
        {
            "value": normal(rng, 3),
            "halves": normal(rng, 2, 2),
            "n_train": [50, 60, 50],
            "n_test": [20, 10, 20],
        },
    )
    yield (
        "ten halvings",
        {
            "value": normal(rng, 10, mean=1.0),
            "halves": normal(rng, 10, 2, 10, mean=1.0),
            "n_train": 45,
            "n_test": 5,
        },
    )
    yield "equal", {"value": np.full(4, 0.5), "halves": np.full((3, 2, 4), 0.5)}


def replaced(key):
    rng = stream("replaced")
    yield (
        "six",
        {
            "estimate": 0.4,
            "baseline": 0.33,
            "value": normal(rng, 6, mean=0.33, sd=0.02),
            "n": 12,
            "n_train": 9.0,
        },
    )
    yield "five", {"estimate": -1.0, "baseline": 0.5, "value": normal(rng, 5), "n": 40}
    yield "equal", {"estimate": 0.4, "baseline": 0.4, "value": np.full(6, 0.4), "n": 12, "folds": 5}


def jackknife(key):
    rng = stream("jackknife")
    value, pair = waiting(rng, 2, 6, 4)
    yield (
        "six",
        {
            "whole": normal(rng, 4, mean=0.3, sd=0.05),
            "value": value,
            "pair": pair,
            "n_train": 90.0,
            "n_splits": 520,
        },
    )
    yield "three", {"whole": normal(rng, 2), "value": normal(rng, 3, 2), "pair": normal(rng, 3, 2)}
    yield (
        "twenty",
        {
            "whole": normal(rng, 3, mean=1.0, sd=0.1),
            "value": normal(rng, 20, 3, mean=1.0, sd=0.1),
            "pair": normal(rng, 20, 3, mean=1.0, sd=0.1),
        },
    )


def out_of_bag(key):
    rng = stream("out of bag")
    for name, n, samples, paired in (
        ("alone", 9, 6, False),
        ("pair", 12, 25, True),
        ("many", 10, 60, False),
    ):
        drawn = (rng.random((samples, n)) * n).astype(int)
        counts = np.stack([np.bincount(row, minlength=n) for row in drawn], axis=1)
        example, sample = np.nonzero(counts == 0)
        sides = [
            {
                "value": waiting(rng, sample.size) + 0.5 * k,
                "sample": sample,
                "example": example,
                "counts": counts,
            }
            | {"training_error": 0.2 + 0.3 * k, "no_information": 3.0 + k}
            for k in range(2)
        ]
        yield name, sides[0] | ({"minus": sides[1]} if paired else {})
        plain = {
            part: column
            for part, column in sides[0].items()
            if part not in ("training_error", "no_information")
        }
        yield f"{name}, no training error", plain


def rank_scores(key):
    rng = stream("ranks")
    truth = coins(rng, 30) > 0.0
    signal = np.round(truth + normal(rng, 30), 3)
    yield (
        "pair",
        {
            "truth": truth,
            "value": signal,
            "minus": np.round(truth + 2.0 * normal(rng, 30), 3),
            "n_train": 60.0,
        },
    )
    yield "ties", {"truth": truth, "value": signal, "minus": np.round(truth + normal(rng, 30))}
    yield "alone", {"truth": truth, "value": np.round(2.0 * signal)}
    yield "perfect", {"truth": truth, "value": truth.astype(float)}
    yield "one class", {"truth": np.ones(8, bool), "value": normal(rng, 8)}


def counts(key):
    yield "many", {"b": 14, "c": 9, "n": 80, "both": 6, "n_train": 90.0}
    yield "few", {"b": 3, "c": 8, "n": 40, "both": 3}
    yield "no ties", {"b": 5, "c": 0, "n": 20, "both": 0}
    yield "none", {"b": 0, "c": 0, "n": 20, "both": 4}
    yield "without n", {"b": 12, "c": 4}
    yield "large", {"b": 140, "c": 96, "n": 1000, "both": 100}


def two_samples(key):
    yield "same", {"error_1": 0.3, "n_1": 100, "error_2": 0.2, "n_2": 100, "n_train": 90.0}
    yield "other", {"error_1": 0.4, "n_1": 10, "error_2": 0.15, "n_2": 40}
    yield "zero", {"error_1": 0.0, "n_1": 30, "error_2": 0.1, "n_2": 30}
    yield (
        "same examples",
        {"error_1": 0.3, "n_1": 50, "error_2": 0.2, "n_2": 50, "same_examples": True},
    )


def blocks(key):
    rng = stream("blocks")
    if key == "cochran-q":
        yield (
            "three",
            {
                "value": np.stack([coins(rng, 40, share=p) for p in (0.2, 0.4, 0.5)]),
                "n_train": 60.0,
            },
        )
        yield "five", {"value": coins(rng, 5, 30)}
        yield "equal", {"value": np.ones((3, 10))}
        yield "numbers", {"value": uniform(rng, 3, 10)}
    else:
        yield "three", {"value": normal(rng, 3, 12) + np.array([[0.0], [0.6], [1.0]])}
        yield "ties", {"value": np.round(normal(rng, 4, 10))}
        yield "equal", {"value": np.ones((3, 10))}
        yield "data sets", {"value": normal(rng, 5, 15), "kind": "data-sets"}


def seeds_of_data_sets(_):
    rng = stream("seeds of data sets")
    for name, sizes in {"even": [3] * 7, "uneven": [2, 5, 3, 4], "one seed": [3, 1, 4]}.items():
        of_set = np.repeat(np.arange(len(sizes)), sizes)
        value = np.round(normal(rng, len(sizes), mean=0.2)[of_set] + normal(rng, of_set.size), 3)
        yield name, {"value": value, "dataset": of_set, "seed": np.arange(of_set.size)}


SPECIAL = dict.fromkeys(("cv-t", "cv-wald", "kfold-theta"), fold_losses) | {
    "nested-cv": nested_losses,
    "cv-jackknife": nested_losses,
    "cluster-t": cluster_losses,
    "crossed-t": crossed_losses,
    "crossed-or": crossed_losses,
    "data-sets-t": seeds_of_data_sets,
    "diebold-mariano": series_losses,
    "two-way-t": panel_losses,
    "ppi": judged_losses,
    "known": judged_losses,
    "conservative-z": halves,
    "halved-kfold-t": halves,
    "replace-one": replaced,
    "part-jackknife": jackknife,
    "632": out_of_bag,
    "632-plus": out_of_bag,
    "oob-bootstrap": out_of_bag,
    "bootstrap-auc": rank_scores,
    "delong": rank_scores,
    "mcnemar": counts,
    "paired-proportions": counts,
    "two-proportion-z": two_samples,
    "cochran-q": blocks,
    "friedman": blocks,
    "welch-t": runs,
}


def calls():
    for key in face.METHODS:
        quick = QUICK.get(key, {})
        several = key in ("cochran-q", "friedman")
        for view, columns in views(key):
            if face.refuses(asked(key, columns, quick)):
                yield named(key, view, {}), asked(key, columns, quick)
                continue
            for options in ({}, *OPTIONS.get(key, ())):
                yield named(key, view, options), asked(key, columns, quick | options)
            for request in ({"level": 0.9}, {"level": 0.4}) if several else requests():
                yield named(key, view, request), asked(key, columns, quick | request)


def requests():
    yield {"alternative": "less"}
    yield {"level": 0.8, "null": 0.1, "alternative": "greater"}
    yield {"level": 0.4, "null": 0.25}


def named(key, view, options):
    words = [f"{name}={getattr(value, '__name__', value)}" for name, value in options.items()]
    return " ".join([key, f"({view})", *words])


def asked(key, columns, request):
    return lambda: face.ask(key, columns, **request)

"""Inputs of the reference values: papers, R packages and other programs, with what errbar answers."""

import json
from pathlib import Path

import numpy as np

from tests.corpus import face

INPUTS = json.loads((Path(__file__).parent / "vectors.json").read_text(encoding="utf-8"))


def calls():
    for kind, cases in INPUTS.items():
        for case, inputs in cases.items():
            for words, call in KINDS[kind](inputs).items():
                yield f"{kind}: {case}{', ' * bool(words)}{words}", call


def metrics(given):
    truth = given["y"]
    if "score" in given:
        yes = np.array(["no", "yes"])[np.array(truth)]
        labels = np.array(["no", "yes"])[np.array(given["prediction"])]
        found = {
            name: predicted(labels, yes, name)
            for name in "accuracy precision recall specificity f1 jaccard balanced_accuracy matthews_corrcoef kappa".split()
        }
        found |= {
            "auc": predicted(np.array(given["score"]), yes, "roc_auc"),
            "average precision": predicted(np.array(given["score"]), yes, "average_precision"),
        }
        chance = np.array(given["probability"])
        rows = np.column_stack([1 - chance, chance])
        return found | {
            name: predicted(rows, yes, name, classes=["no", "yes"])
            for name in ("log_loss", "brier_score", "calibration_error")
        }
    if all(isinstance(one, int) for one in truth):
        return {
            name: predicted(np.array(given["prediction"]), np.array(truth), name, positive=None)
            for name in ("f1_macro", "matthews_corrcoef", "kappa", "kappa_quadratic")
        }
    return {
        name: predicted(np.array(given["prediction"]), np.array(truth), name, positive=None)
        for name in ("r2", "root_mean_squared_error", "mean_absolute_error", "wape")
    }


def predicted(values, truth, metric, positive="yes", **facts):
    return lambda: face.infer(
        face.from_predictions(
            {"a": values}, truth, loss=metric, positive=positive, n_train=100, **facts
        ),
        "holdout-t",
        "a",
    )


def delong(given):
    return {"": lambda: face.ask("delong", {"truth": given["y"], "value": given["s"]})}


def metric_folds(given):
    truth = np.array(["no", "yes"])[np.array(given["y"])]
    loss = {"f1": "f1", "auc": "roc_auc"}[given["name"]]
    values = (
        np.array(["no", "yes"])[np.array(given["p"], dtype=int)]
        if loss == "f1"
        else np.array(given["p"])
    )
    table = lambda pool=None: face.from_predictions(
        {"a": values}, truth, loss=loss, positive="yes", fold=given["fold"], n_train=20, pool=pool
    )
    return {
        f"{key}, {pool}": lambda key=key, pool=pool: face.infer(table(pool), key, "a")
        for key in ("cv-wald", "cv-t")
        for pool in (None, "none", "folds")
    }


def stratified(given):
    strata = np.array(given["strata"])
    values = np.array(given["I"])
    between = sum(
        float(np.mean(strata == one)) * float(values[strata == one].mean()) ** 2
        for one in np.unique(strata)
    )
    return {
        "": lambda: face.ask(
            "corrected-t",
            {
                "value": given["scores"],
                "n_train": given["n1"],
                "n_test": given["n2"],
                "between": between,
            },
        )
    }


def cluster_mean(given):
    return {"": lambda: face.ask("cluster-t", {"value": given["x"], "cluster": given["cluster"]})}


def crossed(given):
    if "D" in given:
        return {
            name: lambda o=options: face.ask("crossed-t", {"value": given["D"]}, **o)
            for name, options in {"own": {}, "shared": {"seeds": "shared"}}.items()
        }
    both = {"value": given["Da"], "minus": given["Db"]}
    return {
        f"{seeds}, floors {floors}": lambda s=seeds, f=floors: face.ask(
            "crossed-t", both, seeds=s, floors=f
        )
        for seeds in ("own", "shared")
        for floors in (True, False)
    }


def diebold_mariano(given):
    losses = np.abs(given["e1"]) ** given["power"] - np.abs(given["e2"]) ** given["power"]
    return {
        name: lambda v=variance: face.ask(
            "diebold-mariano", {"value": losses}, horizon=given["h"], variance=v
        )
        for name, variance in {
            "": None,
            "autocovariances": "autocovariances",
            "cosines": "cosines",
        }.items()
    }


def max_t(given):
    return {
        "": lambda: face.families.max_t(
            given["est"], given["cov"], df=given["df"], baseline=given.get("baseline")
        )
    }


def best(given):
    return {"": lambda: face.families.best(given["est"], given["cov"], df=given["df"])}


def look_alpha(given):
    return {
        "": lambda: face.methods.look_alpha(
            tuple(given["looks"]), ratio=given["ratio"], level=1 - given["level"]
        )
    }


def holdout(given):
    return {
        "": lambda: face.ask("holdout-t", {"value": given["loss"]}),
        "bootstrap": lambda: face.ask("bootstrap", {"value": given["loss"]}, resamples=999),
    }


def cv_wald(given):
    return {
        variance: lambda v=variance: face.ask(
            "cv-wald", {"value": given["loss"], "fold": given["fold"]}, variance=v
        )
        for variance in ("all-pairs", "within-fold")
    }


def corrected_t(given):
    columns = {"value": given["scores"], "n_train": given["n1"], "n_test": given["n2"]}
    return {
        key: lambda key=key: face.ask(key, columns)
        for key in ("corrected-t", "resampled-t", "bayes-correlated-t")
    }


def nested_cv(given):
    columns = {"value": given["loss"]}
    for name, column in {
        "example": "row_id",
        "repeat": "rep",
        "fold": "outer",
        "inner": "inner_test_fold",
    }.items():
        columns[name] = np.array(given[column]) - 1
    return {
        f"{bias:g}": lambda b=bias: face.ask("nested-cv", columns, bias_exponent=b)
        for bias in (1.0, 1.5)
    }


def five_by_two(given):
    values = np.reshape(given, (5, 2))
    return {key: lambda key=key: face.ask(key, {"value": values}) for key in ("5x2cv-t", "5x2cv-f")}


def five_by_two_pairs(given):
    return five_by_two(np.subtract(given["scores1"], given["scores2"]))


def oob(given):
    columns = {
        "value": given["loss"],
        "sample": np.array(given["iter"]) - 1,
        "example": np.array(given["row_id"]) - 1,
        "counts": given["counts"],
    }
    return {
        f"{remove}": lambda r=remove: face.ask("oob-bootstrap", columns, remove_monte_carlo=r)
        for remove in (True, False)
    }


def digits(text):
    return np.array([float(one) for one in text])


def ppi(given):
    columns = {
        name: digits(given[key])
        for name, key in {"value": "y", "judged": "f", "others": "u"}.items()
    }
    return {"": lambda: face.ask("ppi", columns, weight=given.get("lam"))}


def ratings(given):
    """Five readers of two kinds of pictures."""
    truth = np.where(digits(given["truth"]) > 0, "yes", "no")
    marks = [digits(row) for row in given["ratings"]]
    facts = {
        "seed": np.repeat(np.arange(5), truth.size),
        "example": np.tile(np.arange(truth.size), 5),
        "n_train": 100,
    }
    table = lambda: face.from_predictions(
        {"a": np.concatenate(marks[:5]), "b": np.concatenate(marks[5:])},
        np.tile(truth, 5),
        loss="roc_auc",
        positive="yes",
        **facts,
    )
    return {
        random: lambda r=random: face.infer(table(), "crossed-or", "a", "b", random=r)
        for random in ("both", "seeds", "examples")
    }


def cochran(given):
    return {
        "": lambda: face.ask("cochran-q", {"value": [digits(given[f"ym{k}"]) for k in (1, 2, 3)]})
    }


def binomial(given):
    losses = np.arange(given["nobs"]) < given["count"]
    return {
        kind: lambda k=kind: face.ask("binomial", {"value": losses.astype(float)}, kind=k)
        for kind in ("wilson", "normal", "clopper-pearson", "agresti-coull", "jeffreys")
    }


def two_proportions(given):
    (one, two), (n, m) = given["count"], given["nobs"]
    columns = {"error_1": one / n, "n_1": n, "error_2": two / m, "n_2": m}
    return {
        f"pooled {pooled}": lambda p=pooled: face.ask("two-proportion-z", columns, pooled=p)
        for pooled in (True, False)
    }


def two_scores(given):
    sizes = {name: given[name] for name in ("n_train", "n_test")}
    columns = {"value": np.subtract(given["scores1"], given["scores2"])} | sizes
    both = {"a": given["scores1"], "b": given["scores2"]}
    return {
        key: lambda key=key: face.ask(key, columns)
        for key in ("corrected-t", "resampled-t", "bayes-correlated-t", "kfold-t")
    } | {
        "compared": lambda: face.compare_table(
            face.from_scores(both, **sizes, higher_is_better=True)
        )
    }


def signed(given):
    values = np.subtract(given["x"], given["y"])
    return {
        key: lambda key=key: face.ask(key, {"value": values}) for key in ("wilcoxon", "sign-test")
    } | {
        key: lambda key=key: face.ask(key, {"value": values}, rope=given["rope"], samples=2000)
        for key in ("bayes-sign", "bayes-signed-rank")
    }


def friedman(given):
    scores = np.array(given)
    scores = scores if scores.shape[0] > scores.shape[1] else scores.T
    made = lambda: face.datasets.data_sets(
        scores, [f"L{k}" for k in range(scores.shape[1])], higher_is_better=True
    )
    return {
        "": lambda: face.datasets.friedman(made()),
        "ranks": lambda: face.datasets.ranks(made()),
        "holm": lambda: face.datasets.ranks(made(), baseline="L1"),
    }


def critical_difference(given):
    return {
        "": lambda: face.datasets.critical_difference(given["k"], given["n"], 1 - given["alpha"])
    }


def delong_pair(given):
    columns = {"truth": given["y"], "value": given["a"], "minus": given["b"]}
    return {key: lambda key=key: face.ask(key, columns) for key in ("delong", "bootstrap-auc")}


def adjust(given):
    return {
        name: lambda n=name: face.families.adjust(given, n) for name in face.families.ADJUSTMENTS
    }


def rho(given):
    columns = {"value": given["d"], "n_train": 90, "n_test": 10}
    return {
        "": lambda: face.ask("corrected-t", columns, correlation=given["rho"]),
        "posterior": lambda: face.ask("bayes-correlated-t", columns, correlation=given["rho"]),
    }


def ratio(given):
    columns = {"value": given["d"], "n_train": 900.0, "n_test": max(900.0 * given["ratio"], 1.0)}
    return {key: lambda key=key: face.ask(key, columns) for key in ("corrected-t", "resampled-t")}


def mcnemar(given):
    (both_right, b), (c, both) = given
    columns = {"b": b, "c": c, "n": both_right + b + c + both, "both": both}
    kinds = {
        kind: lambda k=kind: face.ask("mcnemar", columns, kind=k)
        for kind in ("exact", "mid-p", "chi2", "chi2-corrected")
    }
    return kinds | {
        kind: lambda k=kind: face.ask("paired-proportions", columns, kind=k)
        for kind in ("tango", "newcombe")
    }


KINDS = {
    "metrics": metrics,
    "delong": delong,
    "metric_folds": metric_folds,
    "corrected_t_stratified": stratified,
    "cluster_mean": cluster_mean,
    "crossed": crossed,
    "diebold_mariano": diebold_mariano,
    "max_t": max_t,
    "mcb": best,
    "look_alpha": look_alpha,
    "holdout": holdout,
    "cv_wald": cv_wald,
    "corrected_t": corrected_t,
    "nested_cv": nested_cv,
    "five_by_two": five_by_two,
    "mcnemar": mcnemar,
    "five_by_two_pairs": five_by_two_pairs,
    "oob": oob,
    "ppi": ppi,
    "ratings": ratings,
    "cochran": cochran,
    "binomial": binomial,
    "two_proportions": two_proportions,
    "two_scores": two_scores,
    "signed": signed,
    "friedman": friedman,
    "critical_difference": critical_difference,
    "delong_pair": delong_pair,
    "adjust": adjust,
    "rho": rho,
    "ratio": ratio,
}

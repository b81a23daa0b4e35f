"""Numbers of one's own in Python: arrays, frames, files, logs, and the results of other tools."""

import pathlib
import warnings

import numpy as np
import pandas as pd
import polars as pl
from sklearn.model_selection import (
    GridSearchCV,
    RepeatedKFold,
    ShuffleSplit,
    StratifiedKFold,
    cross_validate,
)

from tests.corpus import face
from tests.corpus.calls import files
from tests.corpus.data import chances, classes, coins, guesses, learners, normal, stream, table
from tests.corpus.learners import Line, Mean, Stump
from tests.test_sources_weka import HEADER, as_arff, as_csv


def calls():
    files.write()
    yield from arrays()
    yield from frames()
    yield from read()
    yield from logs()
    yield from tools()
    yield from weka()
    yield from reports()


def both(name, made):
    """A table, and the comparison that it leads to."""
    yield f"{name}: table", made
    if not face.refuses(made):
        yield f"{name}: compared", lambda: face.compare_table(made())


def arrays():
    rng = stream("arrays")
    two = learners(rng, 2, 12)
    matrix = np.column_stack([*two.values()])
    scores = face.from_scores
    yield from both("mapping", lambda: scores(two, n_train=90, n_test=10))
    yield from both("matrix", lambda: scores(matrix.T, n_train=90, n_test=10))
    yield from both(
        "matrix with names", lambda: scores(matrix, names=["a", "b"], n_train=90, n_test=10)
    )
    yield from both(
        "lists",
        lambda: scores(
            {key: column.tolist() for key, column in two.items()}, n_train=90, n_test=10
        ),
    )
    yield from both("one column", lambda: scores(two["a"], n_train=90, n_test=10))
    yield from both("pandas", lambda: scores(pd.DataFrame(two), n_train=90, n_test=10))
    yield from both("polars", lambda: scores(pl.DataFrame(two), n_train=90, n_test=10))
    yield from both(
        "labels in pandas",
        lambda: scores(
            pd.DataFrame(two | {"fold": np.arange(12) % 4, "repeat": np.arange(12) // 4}),
            n_train=30,
            n_test=10,
        ),
    )
    yield from both(
        "sizes in pandas",
        lambda: scores(pd.DataFrame(two | {"n_train": np.full(12, 90), "n_test": np.full(12, 10)})),
    )
    for kind in (
        "kfold",
        "subsampling",
        "holdout",
        "bootstrap",
        "data-sets",
        "other",
        "5x2",
        "rolling-origin",
        "unknown",
    ):
        yield from both(
            f"kind {kind}", lambda kind=kind: scores(two, n_train=90, n_test=10, kind=kind)
        )
    for metric in ("accuracy", "loss", "f1", "rmse", "score", "auc"):
        yield from both(
            f"metric {metric}",
            lambda metric=metric: scores(two, n_train=90, n_test=10, metric=metric),
        )
    for higher in (True, False):
        yield from both(
            f"higher {higher}",
            lambda higher=higher: scores(two, n_train=90, n_test=10, higher_is_better=higher),
        )
    yield from both(
        "several sizes", lambda: scores(two, n_train=np.arange(12) + 80, n_test=20 - np.arange(12))
    )
    yield from both("share for a size", lambda: scores(two, n_train=0.9, n_test=0.1))
    yield from both(
        "learners of two lengths",
        lambda: scores({"a": [0.1, 0.2, 0.3], "b": [0.1, 0.2]}, n_train=90, n_test=10),
    )
    yield from both(
        "infinite", lambda: scores({"a": [0.1, np.inf], "b": [0.1, 0.2]}, n_train=90, n_test=10)
    )
    yield from both(
        "text", lambda: scores({"a": ["x", "y"], "b": ["z", "w"]}, n_train=90, n_test=10)
    )
    yield from both(
        "text of numbers",
        lambda: scores(
            {"a": ["0.1", "0.3", "0.2"], "b": ["0.4", "0.2", "0.5"]}, n_train=90, n_test=10
        ),
    )
    yield from both("none", lambda: scores({}, n_train=90, n_test=10))
    yield from both(
        "integers", lambda: face.from_losses({"a": [0, 1, 0, 0, 1, 1], "b": [1, 1, 0, 0, 0, 1]})
    )
    yield from both(
        "booleans", lambda: face.from_losses({"a": coins(rng, 20) > 0, "b": coins(rng, 20) > 0})
    )
    yield from both(
        "missing", lambda: face.from_losses({"a": [0.1, np.nan, 0.3], "b": [0.1, 0.2, 0.3]})
    )
    yield from both(
        "folds as text",
        lambda: face.from_losses(
            learners(rng, 2, 20), fold=[f"fold {k % 4}" for k in range(20)], n_train=15
        ),
    )
    yield from both(
        "example twice",
        lambda: face.from_losses(learners(rng, 2, 20), example=np.arange(20) // 2, n_train=15),
    )
    yield from both(
        "lengths that differ",
        lambda: face.from_losses(learners(rng, 2, 20), fold=np.arange(19), n_train=15),
    )
    yield from predictions(rng)


def predictions(rng):
    truth = classes(rng, 24)
    said = {"a": guesses(rng, truth), "b": guesses(rng, truth, 0.6)}
    made = face.from_predictions
    yield from both(
        "predictions as lists",
        lambda: made(
            {key: list(map(str, column)) for key, column in said.items()},
            list(map(str, truth)),
            n_train=90,
        ),
    )
    yield from both(
        "predictions in pandas", lambda: made(pd.DataFrame(said), pd.Series(truth), n_train=90)
    )
    yield from both(
        "predictions in polars", lambda: made(pl.DataFrame(said), pl.Series(truth), n_train=90)
    )
    yield from both(
        "predictions in a matrix",
        lambda: made(np.column_stack([*said.values()]), truth, names=["a", "b"], n_train=90),
    )
    yield from both(
        "predictions of booleans",
        lambda: made(
            {key: column == "yes" for key, column in said.items()}, truth == "yes", n_train=90
        ),
    )
    yield from both(
        "predictions of a class that never occurs",
        lambda: made({"a": np.where(said["a"] == "yes", "maybe", "no")}, truth, n_train=90),
    )
    yield from both(
        "predictions of another length", lambda: made({"a": said["a"][1:]}, truth, n_train=90)
    )
    rows = chances(rng, truth)
    for loss in ("zero-one", "log-loss", "brier"):
        yield from both(
            f"rows of probabilities, {loss}",
            lambda loss=loss: made(
                {"a": rows, "b": rows[::-1]},
                truth,
                loss=loss,
                classes=["no", "yes"],
                positive="yes",
                n_train=90,
            ),
        )
    yield from both(
        "rows of probabilities, classes unsaid",
        lambda: made({"a": rows}, truth, loss="log-loss", n_train=90),
    )
    yield from both(
        "people and a judge",
        lambda: face.from_judged(
            {"a": [1.0, 0.0, np.nan, np.nan, 1.0, np.nan]}, {"a": [1.0, 0.5, 0.2, 0.9, 0.6, 0.1]}
        ),
    )
    yield from both(
        "nobody judged", lambda: face.from_judged({"a": [np.nan] * 4}, {"a": [1.0, 0.5, 0.2, 0.9]})
    )


def frames():
    """Long frames, of pandas and of polars."""
    found = {name: pd.DataFrame(frame) for name, frame in files.frames().items()}
    asked = {
        "long": ("model", "correct", {"example": "question", "ignore": "topic"}),
        "long, topics unsaid": ("model", "correct", {"example": "question"}),
        "long, higher": (
            "model",
            "correct",
            {"example": "question", "higher_is_better": True, "ignore": "topic"},
        ),
        "long, topics": ("model", "correct", {"example": "question", "groups": "topic"}),
        "long, no example": ("model", "correct", {}),
        "long, topic for the learner": ("topic", "correct", {"example": "question"}),
        "long with a gap": ("model", "correct", {"example": "question", "ignore": "topic"}),
        "long with a gap, examples": (
            "model",
            "correct",
            {"example": "question", "missing": "examples", "ignore": "topic"},
        ),
        "long with a gap, unknown": (
            "model",
            "correct",
            {"example": "question", "missing": "nothing"},
        ),
        "long seeds": ("model", "value", {"example": "question", "seed": "seed"}),
        "long seeds, repeat": ("model", "value", {"example": "question", "repeat": "seed"}),
        "long seeds, seed unsaid": ("model", "value", {"example": "question"}),
        "long labels": ("model", "said", {"example": "row", "truth": "truth", "fold": "none"}),
        "long labels, f1": (
            "model",
            "said",
            {"example": "row", "truth": "truth", "fold": "none", "loss": "f1", "positive": "yes"},
        ),
        "long fold labels": ("model", "said", {"example": "row", "truth": "truth", "fold": "fold"}),
        "long fold labels, f1": (
            "model",
            "said",
            {
                "example": "row",
                "truth": "truth",
                "fold": "fold",
                "loss": "f1",
                "positive": "yes",
                "pool": "folds",
            },
        ),
        "long returns": ("algorithm", "episode_return", {"seed": "seed"}),
        "long returns, repeat": (
            "algorithm",
            "episode_return",
            {"repeat": "seed", "n_train": 90, "n_test": 10},
        ),
        "benchmark": ("framework", "result", {"example": "task", "repeat": "fold"}),
        "benchmark, data sets": ("framework", "result", {"example": "task"}),
        "faithfulness": ("pipeline", "faithfulness", {"example": "user_input"}),
        "faithfulness, examples": (
            "pipeline",
            "faithfulness",
            {"example": "user_input", "missing": "examples", "higher_is_better": True},
        ),
        "long, no such column": ("system", "correct", {}),
    }
    for name, (learner, value, options) in asked.items():
        frame = found[name.partition(",")[0]]
        yield from both(
            f"frame {name}",
            lambda f=frame, who=learner, v=value, o=options: face.from_long(f, who, v, **o),
        )
        if not frame.isna().any().any():
            yield (
                f"polars {name}",
                lambda f=frame, who=learner, v=value, o=options: face.from_long(
                    pl.DataFrame(f.to_dict("list")), who, v, **o
                ),
            )


def read():
    """Files: wide and long, scores, losses and predictions."""
    sizes = {"n_train": 90, "n_test": 10}
    for name in (
        "scores.csv",
        "semicolons.csv",
        "tabs.tsv",
        "packed.csv.gz",
        "packed.csv.xz",
        "scores.parquet",
        "scores.json",
        "folds.csv",
        "repeats.csv",
        "named.csv",
        "index.csv",
        "seeds.csv",
        "runs.csv",
    ):
        yield from both(f"read_scores {name}", lambda n=name: face.read(n, **sizes))
    for name in (
        "sized.csv",
        "holes.csv",
        "percent.csv",
        "equal.csv",
        "one row.csv",
        "empty.csv",
        "header.csv",
        "words.csv",
        "ragged.csv",
        "noise.csv",
        "nowhere.csv",
    ):
        yield from both(f"read_scores {name}, no sizes", lambda n=name: face.read(n))
    for name in ("percent.csv", "one row.csv"):
        yield from both(
            f"read_scores {name}, kind said", lambda n=name: face.read(n, kind="subsampling")
        )
    yield from both(
        "read_scores runs.csv, split said", lambda: face.read("runs.csv", split="run", **sizes)
    )
    yield from both(
        "read_scores passages, no groups",
        lambda: face.read("passages.csv", groups="none", n_train=90),
    )
    roles = {
        "seed losses": {"seed": "seed", "example": "example"},
        "repeated losses": {"repeat": "repeat", "fold": "fold", "example": "example"},
        "passages": {"groups": "passage", "example": "example"},
        "forecast losses": {"time": "date"},
        "fold losses": {},
        "losses": {},
        "wide": {"example": "question", "groups": "topic"},
    }
    for name, said in roles.items():
        yield from both(
            f"read_scores {name}, roles",
            lambda n=name, r=said: face.read(f"{n}.csv", **r, n_train=90),
        )
        yield from both(
            f"read_scores {name}, roles unsaid",
            lambda n=name: face.read(f"{n}.csv", kind="examples", n_train=90),
        )
    yield from both(
        "read_scores, names",
        lambda: face.read("repeats.csv", columns=["a", "c"], n_train=30, n_test=10),
    )
    yield from both(
        "read_scores, unknown name",
        lambda: face.read("repeats.csv", columns=["a", "z"], n_train=30, n_test=10),
    )
    for name, facts in {
        "labels": {"fold": "none"},
        "fold labels": {"n_train": 36},
        "group labels": {"groups": "patient", "fold": "none"},
        "marks": {"positive": "yes", "fold": "none"},
        "fold marks": {"positive": "yes", "loss": "roc_auc", "n_train": 36},
        "chances": {"loss": "log-loss", "fold": "none"},
        "three": {"loss": "f1_macro", "fold": "none"},
        "numbers": {"fold": "none"},
        "forecasts": {"time": "date"},
    }.items():
        yield from both(
            f"read_predictions {name}",
            lambda n=name, f=facts: face.read(f"{n}.csv", truth="y", columns=learners_of(n), **f),
        )
    yield from both(
        "read_predictions, f1",
        lambda: face.read(
            "fold labels.csv",
            truth="y",
            columns="tree,forest",
            loss="f1",
            positive="yes",
            n_train=36,
        ),
    )
    yield from both("read_predictions, no such truth", lambda: face.read("labels.csv", truth="z"))
    for name in ("long.csv", "long.parquet", "long.jsonl"):
        yield from both(
            f"read_long {name}",
            lambda n=name: face.read(
                n, learner="model", value="correct", example="question", ignore="topic"
            ),
        )
    yield from both(
        "read_judged",
        lambda: face.read(
            "judged.csv",
            value="people",
            judge="model says",
            learner="model",
            example="question",
            higher_is_better=True,
        ),
    )


def learners_of(name):
    """The columns of predictions of a file."""
    beside = ("y", "fold", "patient", "date")
    return [column for column in files.frames()[name] if column not in beside]


def logs():
    for name in ("logs", "one", "sampled", "suite"):
        yield from both(f"lm-eval {name}", lambda n=name: face.read_logs(n))
        for groups in ("none", "page", "task"):
            yield from both(
                f"lm-eval {name}, groups {groups}",
                lambda n=name, g=groups: face.read_logs(n, groups=g),
            )
    yield from both("lm-eval, metric", lambda: face.read_logs("one", metric="loss"))
    yield from both("lm-eval, no such metric", lambda: face.read_logs("one", metric="bleu"))
    for name in ("inspected", "epochs"):
        yield from both(f"inspect {name}", lambda n=name: face.read_logs(n))
        yield from both(
            f"inspect {name}, lower", lambda n=name: face.read_logs(n, higher_is_better=False)
        )


def tools():
    """What scikit-learn and julearn return."""
    X, y = table(40, task="two", name="tools")
    numbers, target = table(40, name="tools")
    splitters = {
        "folds": StratifiedKFold(5, shuffle=True, random_state=0),
        "repeats": RepeatedKFold(n_splits=4, n_repeats=2, random_state=0),
        "splits": ShuffleSplit(6, test_size=0.2, random_state=0),
    }
    for name, cv in splitters.items():
        found = {
            key: cross_validate(learner, X, y, cv=cv, return_indices=True)
            for key, learner in (("stump", Stump()), ("other", Stump(1)))
        }
        yield from both(f"cross_validate {name}", lambda f=found: face.from_cross_validate(f))
        bare = {key: {k: v for k, v in one.items() if k != "indices"} for key, one in found.items()}
        yield from both(
            f"cross_validate {name}, no indices", lambda b=bare: face.from_cross_validate(b)
        )
        yield from both(
            f"cross_validate {name}, sizes",
            lambda b=bare: face.from_cross_validate(b, n_train=32, n_test=8),
        )
        frames = {
            key: julearn(found[key], learner, cv, name)
            for key, learner in (("stump", Stump()), ("other", Stump(1)))
        }
        yield from both(f"julearn {name}", lambda f=frames: face.from_cross_validate(f))
    errors = {
        key: cross_validate(
            learner,
            numbers,
            target,
            cv=splitters["repeats"],
            scoring="neg_mean_squared_error",
            return_indices=True,
        )
        for key, learner in (("line", Line()), ("mean", Mean()))
    }
    yield from both("cross_validate, errors", lambda: face.from_cross_validate(errors))
    yield from both(
        "cross_validate, no such metric", lambda: face.from_cross_validate(errors, metric="r2")
    )
    yield from both(
        "cross_validate, one", lambda: face.from_cross_validate({"line": errors["line"]})
    )
    yield from both(
        "cross_validate, other splits",
        lambda: face.from_cross_validate(
            {
                "a": errors["line"],
                "b": cross_validate(
                    Mean(), numbers, target, cv=splitters["splits"], return_indices=True
                ),
            }
        ),
    )
    search = GridSearchCV(Mean(), {"zeros": [0, 5, 20]}, cv=splitters["splits"]).fit(
        numbers, target
    )
    yield from both("cv_results", lambda: face.read(search, n_train=32, n_test=8))
    yield from both(
        "cv_results, candidates",
        lambda: face.read(
            pd.DataFrame(search.cv_results_).iloc[[0, 2]],
            n_train=32,
            n_test=8,
            kind="subsampling",
        ),
    )
    yield from both("cv_results, sizes unsaid", lambda: face.read(search))


def julearn(found, learner, cv, name):
    """Scores in the columns of such a frame."""
    size = len(found["test_score"])
    repeats = getattr(cv, "n_repeats", 1)
    return pd.DataFrame(
        {
            "fit_time": 0.1,
            "score_time": 0.1,
            "test_score": found["test_score"],
            "estimator": [learner] * size,
            "n_train": [len(part) for part in found["indices"]["train"]],
            "n_test": [len(part) for part in found["indices"]["test"]],
            "repeat": np.repeat(np.arange(repeats), size // repeats),
            "fold": np.tile(np.arange(size // repeats), repeats),
            "cv_mdsum": name,
        }
    )


def weka():
    """Results of Weka's Experimenter, of one data set and of several."""
    rng = stream("weka")
    schemes = (
        ("weka.classifiers.trees.J48", "-C 0.25 -M 2"),
        ("weka.classifiers.bayes.NaiveBayes", ""),
    )
    for count in (1, 4):
        rows = [
            weka_row(rng, f"set{k}", run, fold, scheme)
            for k in range(count)
            for run in (1, 2)
            for fold in range(1, 6)
            for scheme in schemes
        ]
        for name, text in (
            (f"weka{count}.csv", as_csv(rows)),
            (f"weka{count}.arff", as_arff(rows)),
        ):
            with pathlib.Path(name).open("w", encoding="utf-8") as file:
                file.write(text)
            for metric in (None, "Kappa_statistic", "Root_mean_squared_error", "nothing"):
                made = lambda n=name, m=metric: face.weka_tables(n, metric=m)["set0"]
                yield from both(f"{name}, {metric}", made)
            yield f"{name}, all", lambda n=name: face.weka_tables(n)
            yield (
                f"{name}, ranks",
                lambda n=name: face.datasets.ranks(face.datasets.from_tables(face.weka_tables(n))),
            )


def weka_row(rng, data_set, run, fold, scheme):
    right = float((30 * (0.5 + 0.5 * rng.random())) // 1)
    error = float(normal(rng, 1, mean=0.4, sd=0.05)[0])
    known = {
        "Key_Dataset": data_set,
        "Key_Run": run,
        "Key_Fold": fold,
        "Key_Scheme": scheme[0],
        "Key_Scheme_options": scheme[1],
        "Key_Scheme_version_ID": 1,
        "Date_time": 20260101.1234,
        "Number_of_training_instances": 120.0,
        "Number_of_testing_instances": 30.0,
        "Number_correct": right,
        "Percent_correct": round(100 * right / 30, 4),
        "Percent_incorrect": round(100 - 100 * right / 30, 4),
        "Kappa_statistic": round(2 * right / 30 - 1, 4),
        "Mean_absolute_error": error,
        "Root_mean_squared_error": round(error**0.5, 4),
        "Elapsed_Time_training": 0.001,
        "Summary": "",
    }
    return [known[column] for column in HEADER]


def reports():
    """Reports of skore, where it is installed."""
    try:
        import skore
    except ImportError:
        return
    X, y = table(40, task="two", name="tools")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        report = skore.evaluate(
            {"stump": Stump(), "other": Stump(1)},
            X,
            y,
            splitter=StratifiedKFold(4, shuffle=True, random_state=0),
        )
    for loss in (None, "zero-one", "brier"):
        yield from both(f"skore, {loss}", lambda loss=loss: quietly(report, loss=loss))


def quietly(report, **asked):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of skore and of what it calls
        return face.from_skore(report, **asked)

"""Files of every kind, written small into the folder at hand: what `test`, `power`, `ranks`, `compare` and the readers are tried on."""

import json
from pathlib import Path

import numpy as np
import pandas as pd

from tests.corpus.data import (
    chances,
    classes,
    coins,
    guesses,
    learners,
    marks,
    normal,
    stream,
    table,
    uniform,
    waiting,
)
from tests.eval_logs import (
    inspect_log,
    inspect_sample,
    sample,
    write_eval,
    write_json,
    write_samples,
)


def write():
    """Every file into the folder at hand."""
    for name, frame in frames().items():
        pd.DataFrame(frame).to_csv(f"{name}.csv", index=False)
    scores = pd.DataFrame(frames()["pair"])
    scores.to_csv("semicolons.csv", index=False, sep=";", decimal=",")
    scores.to_csv("tabs.tsv", index=False, sep="\t")
    scores.to_csv("packed.csv.gz", index=False)
    scores.to_csv("packed.csv.xz", index=False)
    scores.to_parquet("scores.parquet")
    pd.DataFrame(frames()["long"]).to_parquet("long.parquet")
    scores.to_json("scores.json", orient="records")
    pd.DataFrame(frames()["long"]).to_json("long.jsonl", orient="records", lines=True)
    Path("empty.csv").write_bytes(b"")
    Path("header.csv").write_text("a,b\n", encoding="utf-8")
    Path("words.csv").write_text("a,b\n0.1,x\n0.2,y\n", encoding="utf-8")
    Path("ragged.csv").write_text("a,b\n0.1,0.2\n0.3\n0.5,0.6,0.7\n", encoding="utf-8")
    Path("noise.csv").write_bytes(
        np.random.default_rng(0).integers(0, 256, 900, dtype=np.uint8).tobytes()
    )
    Path("models.py").write_text("from tests.corpus.learners import *\n", encoding="utf-8")
    logs()


def frames():
    """Every frame by the name of its file."""
    return score_frames() | loss_frames() | prediction_frames() | case_frames() | feature_frames()


def score_frames():
    rng = stream("files", "scores")
    ten = learners(rng, 3, 10)
    five = learners(rng, 2, 10)
    many = learners(rng, 3, 12)
    return {
        "scores": ten,
        "pair": five,
        "sized": five | {"n_train": np.full(10, 90), "n_test": np.full(10, 10)},
        "folds": {"fold": np.arange(10)} | five,
        "repeats": {"repeat": np.arange(12) // 4, "fold": np.arange(12) % 4} | many,
        "five": {"repeat": np.arange(10) // 2, "fold": np.arange(10) % 2} | five,
        "single": {"difference": np.round(five["a"] - five["b"], 3)},
        "seeds": {"seed": np.arange(10)} | five,
        "runs": {"run": np.arange(10)} | five,
        "index": {"": np.arange(10)} | five,
        "named": {"data set": [f"set {k}" for k in range(12)]} | many,
        "percent": {key: np.round(100 * np.exp(-column), 1) for key, column in five.items()},
        "holes": {"a": np.where(five["a"] == five["a"].max(), np.nan, five["a"]), "b": five["b"]},
        "equal": {"a": np.full(6, 0.5), "b": np.full(6, 0.5)},
        "one row": {"a": [0.3], "b": [0.2]},
        "times": {"date": [f"2026-01-{day:02d}" for day in range(1, 13)]} | many,
        "halves": {
            "halving": np.r_[[-1] * 3, np.repeat(np.arange(4), 6)],
            "half": np.r_[[-1] * 3, np.tile(np.repeat([0, 1], 3), 4)],
        }
        | learners(rng, 2, 27),
        "accuracies": {key: np.round(1 - column / 9, 3) for key, column in many.items()},
    }


def loss_frames():
    rng = stream("files", "losses")
    right = {
        key: coins(rng, 40, share=share) for key, share in (("m0", 0.7), ("m1", 0.6), ("m2", 0.4))
    }
    long = [
        {"model": key, "question": 500 + k, "topic": f"t{k // 5}", "correct": value}
        for key, column in right.items()
        for k, value in enumerate(column)
    ]
    base = normal(rng, 2, 20)
    several = {
        name: np.round(np.tile(base[k], 3) + 0.4 * normal(rng, 60), 3)
        for k, name in enumerate("ab")
    }
    seeds = {"example": np.tile(np.arange(20), 3), "seed": np.repeat(np.arange(3), 20)} | several
    return {
        "losses": {"example": np.arange(36)} | learners(rng, 3, 36),
        "fold losses": {"example": np.arange(36), "fold": np.arange(36) % 6} | learners(rng, 2, 36),
        "repeated losses": {
            "example": np.tile(np.arange(20), 3),
            "repeat": np.repeat(np.arange(3), 20),
            "fold": np.r_[
                np.arange(20) % 4, np.arange(20) // 5, (3 * np.arange(20) + np.arange(20) // 7) % 4
            ],
        }
        | several,
        "wide": {"question": np.arange(500, 540), "topic": [f"t{k // 5}" for k in range(40)]}
        | right,
        "long": pd.DataFrame(long),
        "long with a gap": pd.DataFrame(long[:-3]),
        "long seeds": pd.DataFrame(
            [
                {"model": m, "question": q, "seed": s, "value": v}
                for m, column in several.items()
                for q, s, v in zip(seeds["example"], seeds["seed"], column, strict=True)
            ]
        ),
        "seed losses": seeds,
        "passages": {"example": np.arange(40), "passage": np.arange(40) // 4}
        | learners(rng, 2, 40),
        "forecast losses": {
            "date": pd.date_range("2026-01-01", periods=40).strftime("%Y-%m-%d"),
            "example": np.arange(40),
        }
        | learners(rng, 2, 40),
        "judged": pd.DataFrame(
            [
                {
                    "model": m,
                    "question": k,
                    "people": coins(rng, 1)[0] if k < 12 else np.nan,
                    "model says": coins(rng, 1, share=0.5)[0],
                }
                for m in ("small", "large")
                for k in range(40)
            ]
        ),
    }


def prediction_frames():
    rng = stream("files", "predictions")
    truth = classes(rng, 48)
    three = classes(rng, 48, ("high", "low", "mid"))
    sure = chances(rng, truth)
    numbers = normal(rng, 40)
    labels = {"tree": guesses(rng, truth), "forest": guesses(rng, truth, 0.85)}
    return {
        "labels": {"y": truth} | labels,
        "fold labels": {"y": truth, "fold": np.arange(48) % 4} | labels,
        "group labels": {"y": truth, "patient": np.arange(48) // 4} | labels,
        "marks": {"y": truth, "tree": marks(rng, truth), "forest": marks(rng, truth, pull=2.0)},
        "fold marks": {
            "y": truth,
            "fold": np.arange(48) % 4,
            "tree": marks(rng, truth),
            "forest": marks(rng, truth, pull=2.0),
        },
        "chances": {"y": truth, "tree:no": sure[:, 0], "tree:yes": sure[:, 1]},
        "three": {"y": three, "tree": guesses(rng, three), "forest": guesses(rng, three, 0.85)},
        "numbers": {
            "y": numbers,
            "ridge": np.round(numbers + 0.5 * normal(rng, 40), 3),
            "mean": np.zeros(40),
        },
        "forecasts": {
            "date": pd.date_range("2026-01-01", periods=40).strftime("%Y-%m-%d"),
            "y": numbers,
            "last": np.r_[0.0, numbers[:-1]],
            "mean": np.zeros(40),
        },
        "long labels": pd.DataFrame(
            [
                {"model": m, "row": k, "truth": t, "said": s}
                for m, column in labels.items()
                for k, (t, s) in enumerate(zip(truth, column, strict=True))
            ]
        ),
        "long fold labels": pd.DataFrame(
            [
                {"model": m, "row": k, "fold": k % 4, "truth": t, "said": s}
                for m, column in labels.items()
                for k, (t, s) in enumerate(zip(truth, column, strict=True))
            ]
        ),
    }


def case_frames():
    """Tables as other tools and people leave them, small."""
    rng = stream("files", "cases")
    truth = np.tile(classes(rng, 20, ("control", "case")), 3)
    two = {"glmnet": marks(rng, truth, "case"), "rf": marks(rng, truth, "case", 2.0)}
    rows = np.tile(np.arange(1, 21), 3)
    fold = [f"Fold{1 + (k + k // 20) % 4:02d}" for k in range(60)]
    rep = [f"Resample{1 + k // 20:02d}" for k in range(60)]
    target = normal(rng, 40, mean=8.0, sd=2.0)
    series = [f"H{1 + k // 10}" for k in range(40)]
    dates = [f"2024-{1 + k % 10:02d}-01" for k in range(40)]
    utterances = 5 + (25 * uniform(rng, 30)).astype(int)
    errors = {
        name: np.minimum(utterances, (4 * waiting(rng, 30)).astype(int)) for name in ("base", "new")
    }
    return {
        "word errors": {"utt_id": [f"utt_{k:04d}" for k in range(30)], "ref_words": utterances}
        | {f"errors_{name}": column for name, column in errors.items()}
        | {f"wer_{name}": np.round(column / utterances, 4) for name, column in errors.items()},
        "topics": {"topic": np.arange(301, 326)}
        | {name: uniform(rng, 25, digits=4) for name in ("bm25", "dense", "hybrid")},
        "dice": {
            "subject": [f"sub-{k // 3:03d}" for k in range(30)],
            "session": [f"ses-{1 + k % 3:02d}" for k in range(30)],
            "sct_v72": uniform(rng, 30),
            "new_model": uniform(rng, 30),
        },
        "oof": {"rep": rep, "fold": fold, "rowIndex": rows, "obs": truth} | two,
        "caret": {"obs": truth}
        | two
        | {
            "rowIndex": rows,
            "Resample": [
                f"{f}.{r.replace('Resample', 'Rep')}" for f, r in zip(fold, rep, strict=True)
            ],
        },
        "benchmark": pd.DataFrame(
            [
                {
                    "id": f"t/{t}",
                    "task": f"task{t}",
                    "framework": f,
                    "fold": k,
                    "result": np.round(0.7 + 0.2 * rng.random(), 4),
                    "metric": "auc",
                }
                for t in range(6)
                for f in ("AutoA", "AutoB", "constant")
                for k in range(3)
            ]
        ),
        "sites": {
            "patient": np.arange(40),
            "site": ["Leeds", "York", "Hull", "Bath"] * 10,
            "y": target,
            "fold10": np.arange(40) % 10,
        }
        | {name: np.round(target + normal(rng, 40), 3) for name in ("lasso_cv10", "rf_cv10")},
        "series": {"unique_id": series, "ds": dates, "cutoff": ["2023-12-01"] * 40, "y": target}
        | {name: np.round(target + normal(rng, 40), 2) for name in ("AutoARIMA", "SeasonalNaive")},
        "returns": {
            "seed": np.arange(8),
            "qmix": normal(rng, 8, mean=14.0, digits=2),
            "mappo": normal(rng, 8, mean=16.0, digits=2),
        },
        "long returns": pd.DataFrame(
            [
                {
                    "algorithm": a,
                    "seed": s,
                    "episode_return": normal(rng, 1, mean=15.0, digits=2)[0],
                }
                for a in ("qmix", "mappo")
                for s in range(8)
            ]
        ),
        "resamples": {"Resample": [f"Fold{1 + k % 4:02d}.Rep{1 + k // 4}" for k in range(12)]}
        | {f"{m}~{s}": uniform(rng, 12) for m in ("rf", "glm") for s in ("Accuracy", "Kappa")},
        "accuracy": {"Resample": [f"Fold{1 + k % 4:02d}.Rep{1 + k // 4}" for k in range(12)]}
        | {m: uniform(rng, 12) for m in ("rf", "gbm", "glm")},
        "class precision": {
            "class": [f"event_{k:02d}" for k in range(20)],
            "C1": uniform(rng, 20),
            "C2": uniform(rng, 20),
        },
        "faithfulness": pd.DataFrame(
            [
                {
                    "pipeline": p,
                    "user_input": f"question {k}",
                    "faithfulness": np.nan
                    if (k, p) in ((3, "a"), (7, "b"))
                    else uniform(rng, 1)[0],
                }
                for p in ("a", "b")
                for k in range(20)
            ]
        ),
    }


def feature_frames():
    X, y = table(40, task="two", name="files")
    numbers, target = table(40, name="files")
    rng = stream("files", "features")
    plain = {f"x{k}": X[:, k] for k in range(3)}
    colours = np.array(["red", "blue", "green"])[(rng.random(40) * 3).astype(int)]
    return {
        "two": plain | {"y": y},
        "regression": {f"x{k}": numbers[:, k] for k in range(3)} | {"y": target},
        "patients": {"patient": [f"p{k // 4}" for k in range(40)]} | plain | {"y": y},
        "sales": {"date": pd.date_range("2026-01-01", periods=40).strftime("%Y-%m-%d")}
        | {f"x{k}": numbers[:, k] for k in range(3)}
        | {"y": target},
        "colours": plain
        | {"colour": colours, "gap": np.where(X[:, 0] > 1, np.nan, X[:, 1]), "y": y},
        "ids": {"id": [f"row {k}" for k in range(40)]} | plain | {"y": y},
    }


def logs():
    """Logs of lm-evaluation-harness and of Inspect."""
    rng = stream("files", "logs")
    for model, share in (("small", 0.5), ("large", 0.7)):
        for task, size in (("arc", 25), ("gsm8k", 15)):
            lines = [
                sample(k, {"acc": one}, doc={"question": f"{task} {k}?", "page": k // 5})
                for k, one in enumerate(coins(rng, size, share=share))
            ]
            write_samples(Path("logs"), model, task, lines)
        lines = [
            sample(
                k,
                {"acc": one, "loss": round(1.5 - one, 2)},
                doc={"question": f"{k}?", "page": k // 5},
            )
            for k, one in enumerate(coins(rng, 30, share=share))
        ]
        write_samples(Path("one"), model, "arc", lines)
        repeated = [
            sample(k % 12, {"acc": one}) for k, one in enumerate(coins(rng, 48, share=share))
        ]
        write_samples(Path("sampled"), model, "arc", repeated)
        for task in range(6):
            write_samples(
                Path("suite"),
                model,
                f"t{task}",
                [
                    sample(k, {"acc": one}, doc={"question": f"{task} {k}?"})
                    for k, one in enumerate(coins(rng, 10, share=share))
                ],
            )
        Path("inspected").mkdir(exist_ok=True)
        Path("epochs").mkdir(exist_ok=True)
        write_json(
            Path("inspected", f"{model}.json"),
            inspect_log(
                model,
                [
                    inspect_sample(k, "CI"[int(one)])
                    for k, one in enumerate(coins(rng, 20, share=1 - share))
                ],
            ),
        )
        epochs = [
            inspect_sample(k % 10, float(one), epoch=1 + k // 10)
            for k, one in enumerate(coins(rng, 30, share=share))
        ]
        write_eval(Path("epochs", f"{model}.eval"), inspect_log(model, epochs))
    Path("results.json").write_text(
        json.dumps({"results": {"arc": {"acc": 0.5}}}), encoding="utf-8"
    )

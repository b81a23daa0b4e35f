"""Calls of README.md and of the tutorials, as they stand there or with learners that cost less."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.datasets import load_diabetes
from sklearn.linear_model import LinearRegression
from sklearn.neighbors import KNeighborsRegressor

from tests.corpus import face
from tests.corpus.learners import Line, Mean, Stump


def calls():
    yield from readme()
    yield from language_models()
    yield from your_scores()
    yield from two_models()
    yield from imbalanced()
    yield from patients()
    yield from time()


def readme():
    X, y = load_diabetes(return_X_y=True)
    both = {"linear": LinearRegression(), "5-NN": KNeighborsRegressor(5)}
    yield "README: compare", lambda: face.compare(both, X, y, random_state=0)
    scores = {"a": [0.81, 0.84, 0.79, 0.83], "b": [0.80, 0.81, 0.78, 0.80]}
    yield (
        "README: scores",
        lambda: face.compare_table(
            face.from_scores(scores, n_train=900, n_test=100, higher_is_better=True)
        ),
    )
    truth = ["no", "yes", "no", "yes", "no", "no", "yes", "yes"]
    said = {
        "a": ["no", "yes", "no", "no", "yes", "no", "yes", "yes"],
        "b": ["no", "no", "no", "no", "no", "yes", "yes", "yes"],
    }
    yield (
        "README: predictions",
        lambda: face.compare_table(face.from_predictions(said, truth, loss="f1", positive="yes")),
    )


def language_models():
    rng = np.random.default_rng(3)

    def write(folder, tasks, answers=1):
        for task, size in tasks.items():
            page = np.arange(size) // 5
            hard = rng.normal(0, 1.2, size) + rng.normal(0, 1, size)[page]
            for model, skill in {"small": 0.2, "large": 0.8}.items():
                taste = rng.normal(0, 0.3) + rng.normal(0, 0.7, size)[page]
                chance = 1 / (1 + np.exp(hard - skill - taste))
                lines = []
                for i in np.repeat(np.arange(size), answers):
                    doc = {"question": f"{task} {i}?", "page": int(page[i])}
                    line = {
                        "doc_id": int(i),
                        "doc_hash": f"{task}{i}",
                        "doc": doc,
                        "filter": "none",
                        "metrics": ["acc"],
                    }
                    lines.append(json.dumps(line | {"acc": float(rng.random() < chance[i])}))
                Path(folder, model).mkdir(parents=True, exist_ok=True)
                Path(folder, model, f"samples_{task}_2026-03-05T10-11-12.345678.jsonl").write_text(
                    "\n".join(lines) + "\n", encoding="utf-8"
                )

    write("logs", {"arc": 150, "gsm8k": 100})
    write("suite", {f"task{k}": 50 for k in range(8)})
    write("sampled", {"arc": 150}, answers=5)
    for groups in (None, "page"):
        yield (
            f"language models: arc, groups {groups}",
            lambda g=groups: face.compare_table(
                face.read_logs(sorted(Path("logs").glob("*/samples_arc_*.jsonl")), groups=g)
            ),
        )
    for groups in (None, "none"):
        yield (
            f"language models: suite, groups {groups}",
            lambda g=groups: face.compare_table(face.read_logs("suite", groups=g)),
        )
    yield (
        "language models: apart",
        lambda: face.infer(
            face.read_logs(sorted(Path("logs").glob("*/samples_arc_*.jsonl"))),
            "holdout-t",
            "large",
            "small",
        ),
    )
    yield (
        "language models: sampled",
        lambda: face.infer(face.read_logs("sampled"), "crossed-t", "large", "small"),
    )
    yield (
        "language models: power",
        lambda: face.command(
            "power",
            "sampled",
            "--design",
            "crossed",
            "--cost-seed",
            "3",
            "--cost-example",
            "0.05",
            "--json",
        ),
    )


def your_scores():
    seeds = {"old": [0.771, 0.758, 0.764], "new": [0.782, 0.775, 0.779]}
    table = lambda: face.from_scores(seeds, n_train=900, n_test=300, seed=[1, 2, 3])
    yield "your scores: seeds", table
    yield (
        "your scores: seeds taken for splits",
        lambda: face.compare_table(table(), method="corrected-t"),
    )


def two_models():
    rng = np.random.default_rng(6)
    n = 100
    area = np.round(20 + 90 * rng.random(n))
    district = np.array(["Centre", "North", "South", "West"])[(4 * rng.random(n)).astype(int)]
    built = np.where(rng.random(n) < 0.1, np.nan, np.round(1900 + 125 * rng.random(n)))
    rent = np.round(120 + 11 * area + 90 * rng.standard_normal(n))
    pd.DataFrame(
        {
            "id": [f"F{k:03d}" for k in range(n)],
            "area": area,
            "district": district,
            "built": built,
            "rent": rent,
        }
    ).to_csv("flats.csv", index=False)

    def compared(**asked):
        flats = face.read_examples("flats.csv", "rent", drop="id")
        return face.compare(
            flats.prepared({"line": Line(), "mean": Mean()}),
            flats.X,
            flats.y,
            random_state=0,
            plan=face.plans.KFold(5),
            **asked,
        )

    for loss in ("absolute-error", "squared-error", "r2"):
        yield f"two models: {loss}", lambda loss=loss: compared(loss=loss)


def imbalanced():
    rng = np.random.default_rng(0)
    n = 300
    calls = np.floor(5 * rng.random(n))
    leaves = rng.random(n) < 0.05 + 0.08 * calls
    X = np.column_stack([calls, np.round(rng.random(n), 3)])
    y = np.where(leaves, "yes", "no")
    asked = {
        "positive": "yes",
        "stratify": True,
        "random_state": 0,
        "plan": face.plans.KFold(5, repeats=2, stratify=True),
    }
    for loss in ("f1", "roc_auc", "log-loss"):
        yield (
            f"imbalanced: {loss}",
            lambda loss=loss: face.compare(
                {"stump": Stump(), "other": Stump(1)}, X, y, loss=loss, **asked
            ),
        )


def patients():
    rng = np.random.default_rng(3)
    patient = np.repeat(np.arange(20), 2 + np.arange(20) % 5)
    own = np.round(10 * rng.standard_normal(20), 1)[patient]
    age = np.round(30 + 50 * rng.random(20))[patient]
    sbp = np.round(100 + 0.5 * age + own + 6 * rng.standard_normal(patient.size), 1)
    X = np.column_stack([age, np.round(rng.random(patient.size), 3)])
    both = {"line": Line(), "mean": Mean()}
    found = lambda **asked: face.compare(both, X, sbp, random_state=0, **asked)
    yield "patients: groups", lambda: found(groups=patient)
    yield "patients: careless", found
    yield (
        "patients: cv-wald",
        lambda: face.infer(found(groups=patient).table, "cv-wald", "line", "mean"),
    )
    for clusters, times in ((40, 8), (40, 16), (80, 8)):
        yield (
            f"patients: {clusters} x {times}",
            lambda c=clusters, t=times: face.planning.plan_study(
                face.planning.pilot(found(groups=patient).table, "line", "mean", design="clusters"),
                clusters=c,
                per_cluster=t,
            ),
        )


def time():
    rng = np.random.default_rng(0)
    n = 120
    price = np.round(rng.standard_normal(n), 2)
    demand = np.cumsum(np.round(rng.standard_normal(n), 2))
    sales = np.round(60 + demand - 4 * price, 1)
    plan = face.plans.RollingOrigin(n_train=60, n_test=10)
    asked = {"plan": plan, "time": np.arange(n), "random_state": 0}
    found = lambda **more: face.compare(
        {"line": Line(), "mean": Mean()}, price[:, None], sales, **(asked | more)
    )
    yield "time: rolling origin", found
    for variance in ("autocovariances", "cosines"):
        yield (
            f"time: {variance}",
            lambda v=variance: face.infer(
                found().table, "diebold-mariano", "line", "mean", variance=v
            ),
        )
    yield "time: random splits", lambda: found(plan=face.plans.Subsampling(n_test=20, repeats=8))

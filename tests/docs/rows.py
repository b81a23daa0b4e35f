"""Files of rows that the documentation speaks of: utterances, runs, patients, texts, detections and a board."""

import json

import numpy as np
import pandas as pd


def write(place):
    """Write them into a folder."""
    rng = np.random.default_rng(7)
    words = rng.integers(4, 30, 80)
    errors = {f"errors_{name}": rng.binomial(words, p) for name, p in (("old", 0.1), ("new", 0.08))}
    _write(place / "utterances.csv", {"utt_id": np.arange(80), "words": words, **errors})
    _write(place / "returns.csv", {name: rng.normal(15, 1, 8) for name in ("qmix", "mappo")})
    places = [
        (m, d, s) for m in ("tree", "forest") for d in ("wine", "iris", "sonar") for s in "012"
    ]
    method, data, seed = zip(*places, strict=True)
    error = rng.normal(0.2, 0.02, len(places))
    _write(place / "runs.csv", {"method": method, "data": data, "seed": seed, "error": error})
    risk = rng.normal(size=60)
    times = {"patient_no": np.arange(60), "months": rng.exponential(np.exp(-risk)).round(2)}
    risks = {name: risk + rng.normal(size=60) for name in ("cox", "forest")}
    _write(place / "survival.csv", {**times, "died": rng.integers(0, 2, 60), **risks})
    labels = [f"{who}_{what}" for who in ("true", "bert", "llm") for what in ("joy", "fear")]
    _write(
        place / "texts.csv",
        {"text_id": np.arange(60)} | {one: rng.integers(0, 2, 60) for one in labels},
    )
    series, month = np.indices((6, 24)).reshape(2, -1)
    origin = 1 + month // 6 * 6
    dates = [f"2023-{1 + m:02d}-01" if m < 12 else f"2024-{m - 11:02d}-01" for m in month]
    cutoffs = [dates[max(m - 1, 0)] for m in origin]
    sales = rng.normal(200, 20, series.size).round(2)
    forecasts = {
        name: (sales + rng.normal(0, scale, sales.size)).round(2)
        for name, scale in (("AutoARIMA", 20), ("SeasonalNaive", 30))
    }
    frame = {"unique_id": series, "ds": dates, "cutoff": cutoffs, "y": sales}
    _write(place / "cv_df.csv", frame | forecasts)
    models, questions = [f"m{i}" for i in range(6)], np.arange(40)
    rows = [(m, q, "xy"[q // 20], int(rng.random() < 0.7)) for m in models for q in questions]
    frame = pd.DataFrame(rows, columns=["model", "question_id", "task", "correct"])
    frame.to_csv(place / "board.csv", index=False)
    known = frame.drop(columns="task")
    known.to_csv(place / "known.csv", index=False)
    known[known["model"] == "m0"].head(15).replace("m0", "new").to_csv(
        place / "new.csv", index=False
    )
    scores = rng.normal(0.7, 0.1, (6, 8)).round(3)
    benchmarks = pd.DataFrame(scores, columns=[f"task_{k}" for k in range(8)])
    benchmarks.insert(0, "model", models)
    benchmarks.to_csv(place / "benchmarks.csv", index=False)
    for name in ("hc2", "rocket"):
        folds = pd.DataFrame(rng.normal(0.7, 0.1, (8, 5)).round(4), columns=[*map(str, range(5))])
        folds.insert(0, "folds:", [f"set {k}" for k in range(8)])
        folds.to_csv(place / f"{name}.csv", index=False)
    boxes = [{"image_id": i, "category_id": 1, "bbox": [5, 5, 20 + i, 20]} for i in range(20)]
    images = [{"id": i} for i in range(20)]
    whole = {"images": images, "annotations": boxes}
    (place / "instances_val.json").write_text(json.dumps(whole), encoding="utf-8")
    for name, shift in (("yolo_a", 9), ("yolo_b", 3)):
        found = [
            {**box, "bbox": [5 + rng.integers(shift), 5, 20, 20], "score": rng.random()}
            for box in boxes
        ]
        text = json.dumps(found, default=float)
        (place / f"{name}.json").write_text(text, encoding="utf-8")


def _write(path, columns):
    pd.DataFrame(columns).to_csv(path, index=False)

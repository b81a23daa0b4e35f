"""Rows of each kind that a shipped statistic takes, from arithmetic alone, so that they are the same everywhere."""

import numpy as np
import pandas as pd

TRUE, SAID = [f"true {k}" for k in range(4)], [f"said {k}" for k in range(4)]
QUANTILES = [f"q{k}" for k in range(5)]
SENTENCES = [
    "the cat sat on a mat today",
    "there was a dog in the garden",
    "he reads a book every day at home",
    "we went to the big market on sunday morning",
    "it is raining outside",
]
SAID_SENTENCES = [
    "the cat sat on the mat today",
    "there is a dog in the garden",
    "he reads books every day at home",
    "we went to the market on sunday",
    "it rains",
]


def spread(rows, multiplier, size):
    """Return whole numbers from 0 to size - 1 in no order that is seen."""
    return (np.arange(1, rows + 1) ** 2 * multiplier + 7 * np.arange(rows)) % 1009 % size


def survival(rows=80):
    time = 1.0 + spread(rows, 17, 24)
    noise = spread(rows, 5, 30)
    return pd.DataFrame(
        {"time": time, "event": 1 * (spread(rows, 23, 5) < 3), "score": noise - time}
    )


def several_labels(rows=60):
    true = np.column_stack([1 * (spread(rows, 3 + k, 7) < 2 + k) for k in range(4)])
    said = np.column_stack([spread(rows, 29 + k, 5) == 0 for k in range(4)]) ^ true
    return pd.DataFrame(np.hstack([true, said]), columns=TRUE + SAID)


def scores_of_labels(rows=60):
    found = several_labels(rows)
    for place, name in enumerate(SAID):
        found[name] = 0.5 * found[name] + spread(rows, 41 + place, 97) / 97.0
    return found


def runs(tasks=5, seeds=7):
    rows = tasks * seeds
    return pd.DataFrame(
        {"score": spread(rows, 13, 101) / 100.0, "task": np.repeat(np.arange(tasks), seeds)}
    )


def screening(rows=120):
    ill = 1 * (spread(rows, 11, 5) < 2)
    return pd.DataFrame({"ill": ill, "score": spread(rows, 19, 41) + 15 * ill})


def forecasts(rows=50):
    quantiles = np.sort(np.column_stack([spread(rows, 3 + 2 * k, 60) for k in range(5)]) / 7.0)
    return pd.DataFrame(quantiles, columns=QUANTILES).assign(y=spread(rows, 31, 70) / 7.0)


def queries(count=12, documents=15, found=10):
    rows = []
    for one in range(count):
        grades = spread(documents, 3 + one, 4) * (spread(documents, 41 + one, 5) < 2)
        order = np.argsort(spread(documents, 7 + one, 97), kind="stable")[:found]
        rows.append({"grades": [*grades[order]], "judged": [*grades], "order": [*order]})
    return pd.DataFrame(rows)


def detections(images=20):
    """Return detections with hits, and true objects, of two categories on all images but the last."""
    truths = [
        {"image_id": one, "category": kind}
        for one in range(images - 1)
        for kind in (0, 1)
        for _ in range(int(spread(images, 3 + kind, 4)[one]))
    ]
    truths = pd.DataFrame(truths)
    hit = spread(len(truths), 5, 10) < 7
    right = truths[hit].assign(hit=1)
    wrong = pd.DataFrame(
        {"image_id": spread(24, 7, images), "category": spread(24, 11, 2), "hit": 0}
    )
    found = pd.concat([right, wrong], ignore_index=True)
    return found.assign(score=spread(len(found), 13, 997) / 997.0 + 0.2 * found.hit), truths

"""Detections in the format of COCO: a JSON list of boxes with scores for each model, and a file of the true boxes."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from errbar import statistics
from errbar._check import FloatArray
from errbar.errors import InvalidInputError, one_line
from errbar.reading.rows import from_rows
from errbar.reading.sheet import UnsaidRoleError, option
from errbar.reading.tools import head
from errbar.table import LossTable

NAME = "COCO"
MOST = 100
"""So many detections of a category count in an image, those with the highest scores."""

_OVERLAPS = {"map50": [0.5], "map75": [0.75], "map": np.linspace(0.5, 0.95, 10).tolist()}


def is_results(place: Path) -> bool:
    """Tell whether a file is a list of detections."""
    start = head(place)
    return start.startswith(b"[") and all(
        word in start for word in (b'"image_id"', b'"bbox"', b'"score"')
    )


def from_results(
    results: Mapping[str, str | Path], truth: Any = None, metric: str | None = None
) -> LossTable:
    """Return the table of the mean average precision of several models over images.

    A detection is matched to the true box of its image and category with which it overlaps most, if that
    overlap is large enough and no detection with a higher score has the box, as in COCO's evaluation.
    """
    if truth is None:
        raise UnsaidRoleError("detections are judged by a file of true boxes", "--truth FILE")
    if metric not in _OVERLAPS:
        why = "the overlap with which a detection is right is not said"
        raise UnsaidRoleError(why, *(option("metric", one) for one in _OVERLAPS))
    try:
        known = json.loads(Path(truth).read_text(encoding="utf-8"))
        images = sorted(image["id"] for image in known["images"])
        boxes = _by_place(known["annotations"])
        frames = {}
        for name, place in results.items():
            found = _by_place(json.loads(Path(place).read_text(encoding="utf-8")))
            frames[name] = _matched(found, boxes, images, _OVERLAPS[metric])
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise InvalidInputError(f"these are no files of {NAME}: {one_line(error)}") from None
    key = f"mAP{metric.removeprefix('map')}"
    return from_rows(frames, statistics.average_precision(key=key), example=images)


def _by_place(boxes: Any) -> dict[tuple[Any, Any], list[Any]]:
    """Return boxes by image and category, those with a high score first."""
    found: dict[tuple[Any, Any], list[Any]] = {}
    for box in sorted(boxes, key=lambda box: -box.get("score", 0.0)):
        found.setdefault((box["image_id"], box["category_id"]), []).append(box)
    return found


def _matched(found: Any, boxes: Any, images: list[Any], overlaps: list[float]) -> Any:
    """Return the frame of `errbar.statistics.by_image`; each overlap makes a category of its own."""
    rows, true = [], []
    for overlap in overlaps:
        for (image, category), own in boxes.items():
            place = {"image_id": image, "kind": f"{category} {overlap}"}
            true += [place for box in own if not box.get("iscrowd", 0)]
        for (image, category), own in found.items():
            best = own[:MOST]
            place = {"image_id": image, "kind": f"{category} {overlap}"}
            hits = _hits(best, boxes.get((image, category), []), overlap)
            each = zip(best, hits, strict=True)
            rows += [
                {**place, "score": box["score"], "hit": hit} for box, hit in each if hit is not None
            ]
    return statistics.by_image(rows, true, category="kind", images=images)


def _hits(found: list[Any], boxes: list[Any], overlap: float) -> list[int | None]:
    """Return whether each detection is matched to a box; None of those within a crowd, which do not count."""
    if not boxes:
        return [0] * len(found)
    crowd = np.array([bool(box.get("iscrowd", 0)) for box in boxes])
    shares = _overlaps([box["bbox"] for box in found], [box["bbox"] for box in boxes], crowd)
    free = ~crowd
    hits: list[int | None] = []
    for own in shares:
        best = int(np.where(free, own, -1.0).argmax())
        if free[best] and own[best] >= overlap:
            free[best] = False
            hits.append(1)
        else:
            hits.append(None if (own[crowd] >= overlap).any() else 0)
    return hits


def _overlaps(found: Any, boxes: Any, crowd: Any) -> FloatArray:
    """Return intersection over union of boxes (left, top, width, height), of a crowd over the detection alone."""
    one, other = np.array(found, dtype=float)[:, np.newaxis], np.array(boxes, dtype=float)
    start = np.maximum(one[..., :2], other[..., :2])
    end = np.minimum(one[..., :2] + one[..., 2:], other[..., :2] + other[..., 2:])
    inside = (end - start).clip(0.0).prod(axis=-1)  # (detections, boxes)
    area, true = one[..., 2:].prod(axis=-1), other[..., 2:].prod(axis=-1)
    return inside / np.where(crowd, area, area + true - inside)

"""Detections of COCO: mean average precisions are those of pycocotools 2.0.11, with crowds and categories."""

import json

import numpy as np
import pytest

import errbar
from errbar import UnsaidRoleError
from errbar.errors import InvalidInputError

EXPECTED = {"map": 0.17291762128278704, "map50": 0.516109794818355, "map75": 0.03884234577303884}


def _box(rng):
    return [*rng.uniform(0, 60, 2).round(1).tolist(), *rng.uniform(10, 40, 2).round(1).tolist()]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Twelve images with two categories, three crowds, and detections that lie near or nowhere."""
    rng = np.random.default_rng(3)
    true, found = [], []
    for image in range(1, 13):
        for category in (1, 2):
            where = {"image_id": image, "category_id": category}
            for _ in range(rng.integers(0, 4)):
                box = _box(rng)
                crowd = int(rng.random() < 0.15)
                true.append({**where, "id": len(true) + 1, "bbox": box, "iscrowd": crowd})
                for _ in range(rng.integers(1, 4)):
                    near = (np.array(box) + rng.normal(size=4) * 3).round(1)
                    near[2:] = abs(near[2:]) + 1
                    score = round(float(rng.random()), 3)
                    found.append({**where, "bbox": near.tolist(), "score": score})
            if rng.random() < 0.6:
                box = _box(rng)
                found.append({**where, "bbox": box, "score": round(float(rng.random()), 3)})
    path = tmp_path_factory.mktemp("coco")
    images = [{"id": image} for image in range(1, 13)]
    whole = {"images": images, "annotations": true}
    (path / "true.json").write_text(json.dumps(whole))
    (path / "one.json").write_text(json.dumps(found))
    (path / "two.json").write_text(json.dumps(found[::2]))
    return path


def read(folder, **said):
    return errbar.read([folder / "one.json", folder / "two.json"], **said)


@pytest.mark.parametrize("metric", EXPECTED)
def test_it_is_that_of_pycocotools(folder, metric):
    table = read(folder, truth=str(folder / "true.json"), metric=metric)
    assert table.learners == ("one", "two")
    found = errbar.infer(table, "holdout-t", "one")
    assert found.estimate == pytest.approx(EXPECTED[metric], rel=1e-12)
    assert table.splits.n_test.tolist() == [12]


def test_what_must_be_said(folder):
    for said, argument in (({}, "truth"), ({"truth": str(folder / "true.json")}, "metric")):
        with pytest.raises(UnsaidRoleError) as caught:
            read(folder, **said)
        assert caught.value.argument == argument


def test_a_file_without_boxes(folder):
    with pytest.raises(InvalidInputError):
        read(folder, truth=str(folder / "one.json"), metric="map50")

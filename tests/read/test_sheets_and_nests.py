"""Spreadsheets with several sheets or a title, and columns that are measures of one learner."""

import json

import numpy as np
import pandas as pd
import pytest

import errbar
from errbar.reading.sheet import UnsaidRoleError
from tests.refusals import refused

PATIENTS = 12


def dice(seed):
    rng = np.random.default_rng(seed)
    return pd.DataFrame(
        {
            "Patient": [f"P{i}" for i in range(PATIENTS)],
            "Dice": rng.normal(0.8, 0.05, PATIENTS).round(3),
            "ASSD": rng.normal(0.9, 0.1, PATIENTS).round(3),
            "HD95": rng.normal(30.0, 5.0, PATIENTS).round(3),
        }
    )


def write_book(place, sheets, title=0):
    with pd.ExcelWriter(place) as book:
        for name, frame in sheets.items():
            frame.to_excel(book, sheet_name=name, startrow=title, index=False)
            if title:
                book.sheets[name]["A1"] = "Results on the test set"
        pd.DataFrame().to_excel(book, sheet_name="Sheet2")


@pytest.mark.parametrize("title", [0, 1, 2])
def test_sheets_of_the_same_columns_are_rows_of_one_table(tmp_path, title):
    place = tmp_path / "results.xlsx"
    both = {"unet": dice(1), "nnunet": dice(2)}
    write_book(place, both, title)
    with refused("learner", UnsaidRoleError) as caught:
        errbar.read_table(place)
    assert caught.value.options == ("--learner sheet", "--dataset sheet", "--ignore sheet")
    table = errbar.read_table(place, learner="sheet", metric="Dice")
    assert table.learners == ("unet", "nnunet")
    found = errbar.infer(table, "holdout-t", "unet", minus="nnunet").estimate
    assert found == pytest.approx((both["unet"]["Dice"] - both["nnunet"]["Dice"]).mean(), abs=1e-12)


def test_one_sheet_under_a_title_is_the_table(tmp_path):
    scores = pd.DataFrame({"fold": range(4), "a": [0.1, 0.2, 0.3, 0.25], "b": [0.2, 0.2, 0.1, 0.3]})
    write_book(tmp_path / "one.xlsx", {"Scores": scores}, title=2)
    table = errbar.read_table(tmp_path / "one.xlsx", fold="fold")
    assert table.scores == pytest.approx(scores[["a", "b"]].to_numpy().T)


def test_sheets_of_other_columns_are_refused(tmp_path):
    write_book(tmp_path / "two.xlsx", {"a": dice(1), "b": dice(2).drop(columns="ASSD")})
    with refused("sheets"):
        errbar.read_table(tmp_path / "two.xlsx")


def test_measures_beside_each_other_are_no_learners():
    frame = dice(1)
    for columns in (["Patient", "Dice", "ASSD", "HD95"], ["Patient", "Dice", "ASSD"]):
        with refused("columns", UnsaidRoleError):
            errbar.read_table(frame[columns])
    assert errbar.read_table(frame, metric="Dice").learners == ("Dice",)
    assert errbar.read_table(frame, columns=["Dice", "ASSD"]).learners == ("Dice", "ASSD")


def test_numbers_of_another_size_are_offered_as_measures():
    frame = dice(1).rename(columns={"Dice": "one", "ASSD": "two", "HD95": "three"})
    with refused("columns", UnsaidRoleError) as caught:
        errbar.read_table(frame)
    assert caught.value.options == ("--columns A,B", "--metric one", "--metric three")
    assert errbar.read_table(frame, metric="three").learners == ("three",)


ROWS = [
    {"model": model, "question_id": i, "metrics": {"LogLoss": 0.1 * i + shift, "AUC": 0.7}}
    for model, shift in (("a", 0.0), ("b", 0.05))
    for i in range(5)
]


@pytest.mark.parametrize("lines", [False, True])
def test_nested_objects_are_columns(tmp_path, lines):
    place = tmp_path / ("rows.jsonl" if lines else "rows.json")
    wrapped = {"version": 1, "models": [{"name": "a"}], "performances": ROWS}
    text = "\n".join(map(json.dumps, ROWS)) if lines else json.dumps(wrapped)
    place.write_text(text, encoding="utf-8")
    table = errbar.read_table(place, metric="LogLoss")
    assert table.learners == ("a", "b")
    assert table.loss.key == "LogLoss"
    found = errbar.infer(table, "holdout-t", "b", minus="a").estimate
    assert found == pytest.approx(0.05, abs=1e-12)


def test_an_object_of_values_is_a_run(tmp_path):
    accuracy = {"a": [0.8, 0.82, 0.85], "b": [0.7, 0.74, 0.72]}
    places = {}
    for name, values in accuracy.items():
        for seed, value in enumerate(values):
            place = tmp_path / name / f"seed_{seed}" / "all_results.json"
            place.parent.mkdir(parents=True)
            place.write_text(json.dumps({"epoch": 3.0, "eval_accuracy": value, "eval_loss": 0.4}))
            places.setdefault(name, []).append(place)
    with refused():
        errbar.read([*places["a"], *places["b"]])
    table = errbar.read(places, metric="eval_accuracy", kind="runs")
    assert table.learners == ("a", "b")
    assert table.loss.sign * table.scores == pytest.approx(np.array([*accuracy.values()]))


def test_types_of_a_table_of_orange_are_no_rows(tmp_path):
    rng = np.random.default_rng(4)
    truth, one, two = rng.integers(0, 2, (3, 30))
    header = ["ill\tlogistic\ttree", "0 1\t0 1\t0 1", "class\tmeta\tmeta"]
    rows = ["\t".join(map(str, row)) for row in zip(truth, one, two, strict=True)]
    (tmp_path / "predictions.tab").write_text("\n".join([*header, *rows, ""]))
    said = {"truth": "ill", "columns": ["logistic", "tree"], "fold": "none"}
    table = errbar.read_table(tmp_path / "predictions.tab", **said)
    found = errbar.infer(table, "holdout-t", "logistic", minus="tree").estimate
    assert found == pytest.approx((one != truth).mean() - (two != truth).mean(), abs=1e-12)

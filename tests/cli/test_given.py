"""errbar test on long tables and on logs of language-model evaluations."""

import numpy as np
import pandas as pd
import pytest

import errbar as library
from tests.cli.test_errors import refused
from tests.eval_logs import (
    inspect_log,
    inspect_sample,
    sample,
    write_eval,
    write_json,
    write_samples,
)


@pytest.fixture(scope="module")
def long():
    rng = np.random.default_rng(3)
    rows = [
        (
            f"m{i}",
            j,
            s,
            f"p{j // 4}",
            f"2026-01-{1 + j % 28:02}",
            int(rng.random() < 0.5 + i / 10),
            j % 2,
        )
        for i in range(3)
        for j in range(40)
        for s in range(2)
    ]
    return pd.DataFrame(rows, columns=["model", "item", "run", "passage", "date", "correct", "y"])


@pytest.fixture(scope="module")
def place(long, tmp_path_factory):
    place = tmp_path_factory.mktemp("long")
    long.to_csv(place / "long.csv", index=False)
    long[long["run"] == 0].to_csv(place / "once.csv", index=False)
    long[long["run"] == 0].rename(columns={"item": "example"}).to_csv(
        place / "usual.csv", index=False
    )
    folds = (
        long.assign(fold=long["item"] % 5)
        .groupby(["model", "fold"])["correct"]
        .mean()
        .reset_index()
    )
    folds.to_csv(place / "folds.csv", index=False)
    holes = long[(long["run"] == 0) & ~((long["model"] == "m1") & (long["item"] == 7))]
    holes.to_csv(place / "holes.csv", index=False)
    wide = long.pivot_table(
        index=["item", "run", "passage", "date"], columns="model", values="correct"
    ).reset_index()
    wide.to_csv(place / "wide.csv", index=False)
    return place


LONG = ("--learner", "model", "--value", "correct")


def test_a_number_per_example(errbar, place):
    ignored = ("--ignore", "run,passage,date,y", "--higher-is-better", "--json")
    refused(errbar("test", place / "once.csv", *LONG, "--example", "item"), "time")
    outcome = errbar(
        "test", place / "once.csv", *LONG, "--example", "item", "--groups", "none", *ignored
    )
    assert outcome.status == 0, outcome.err
    said = {"value": "correct", "example": "item", "groups": "none", "ignore": "run,passage,date,y"}
    table = library.read_table(place / "once.csv", **said, higher_is_better=True)
    expected = library.compare_table(table).to_dict()
    assert outcome.data["pairs"] == expected["pairs"]
    assert (outcome.data["direction"], outcome.data["loss"]) == ("higher is better", "correct")
    usual = errbar("test", place / "usual.csv", *LONG, *ignored).data
    assert {"roles": ["example=example"]}.items() <= usual["notes"][0]["numbers"].items()
    assert usual["pairs"] == outcome.data["pairs"]


def test_scores_per_fold(errbar, place):
    sizes = ("--n-train", "64", "--n-test", "16")
    outcome = errbar("test", place / "folds.csv", *LONG, *sizes, "--higher-is-better", "--json")
    assert outcome.status == 0, outcome.err
    assert outcome.data["method"] == "corrected-t"


def test_predictions(errbar, place):
    call = (
        *LONG,
        "--example",
        "item",
        "--ignore",
        "run,passage,date",
        "--truth",
        "y",
        "--fold",
        "none",
        "--loss",
        "f1",
        "--loss",
        "zero-one",
        "--positive",
        "1",
    )
    outcome = errbar("test", place / "once.csv", *call, "--json")
    assert outcome.status == 0, outcome.err
    assert [one["loss"] for one in outcome.data["comparisons"]] == ["f1", "zero-one"]


def test_missing_numbers(errbar, place):
    call = (
        "test",
        place / "holes.csv",
        *LONG,
        "--example",
        "item",
        "--ignore",
        "run,passage,date,y",
        "--higher-is-better",
        "--json",
    )
    assert errbar(*call).status == 2
    left = errbar(*call, "--missing", "learners").data
    assert [one["name"] for one in left["learners"]] == ["m0", "m2"]
    assert ["m1 (1)"] in [note["numbers"].get("what") for note in left["notes"]]
    assert len(errbar(*call, "--missing", "examples").data["learners"]) == 3


@pytest.mark.parametrize(
    "words",
    [
        (*LONG, "--example", "item"),
        ("--learner", "model"),
        ("--value", "correct"),
        ("--missing", "examples"),
        (*LONG,),
        ("--learner", "name", "--value", "correct"),
        (*LONG, "--filter", "strict"),
        (*LONG, "--tasks", "equal"),
    ],
)
def test_what_cannot_be_used(errbar, place, words):
    refused(errbar("test", place / "long.csv", *words))


def test_two_tables_are_refused(errbar, place):
    refused(errbar("test", place / "long.csv", place / "once.csv", *LONG))


ROLES = {"example": "item", "seed": "run", "groups": "passage", "time": "date"}


@pytest.mark.parametrize("count", range(16))
def test_roles_reach_the_design_in_every_combination(errbar, place, count):
    """A wide and a long file come to one design; a seed asks for the example where it does not tell rows apart."""
    chosen = {role: column for i, (role, column) in enumerate(ROLES.items()) if count >> i & 1}
    frame = pd.read_csv(place / "wide.csv")
    frame = frame if "seed" in chosen else frame[frame["run"] == 0]
    frame[[*chosen.values(), "m0", "m1", "m2"]].to_csv("wide.csv", index=False)
    words = [word for role, column in chosen.items() for word in (f"--{role}", column)]
    said = chosen | ({} if {"example", "groups"} & set(chosen) else {"kind": "examples"})
    if "seed" in chosen and "example" not in chosen:
        assert errbar("test", "wide.csv", *words).status == 2
        return
    wide = library.read_table("wide.csv", higher_is_better=True, **said)
    design = wide.splits.designs[0]
    assert wide.points is not None
    assert design.seeds == (2 if "seed" in chosen else 1)
    assert (design.clusters is not None) == ("groups" in chosen)
    assert (design.time is not None) == ("time" in chosen)
    long = frame.melt(list(chosen.values()), ["m0", "m1", "m2"], "model", "correct")
    long.to_csv("long.csv", index=False)
    if "example" not in chosen:
        assert errbar("test", "long.csv", *LONG, *words).status == 2
        return
    long_table = {"learner": "model", "value": "correct", "higher_is_better": True}
    other = library.read_table("long.csv", **long_table, **said)
    assert other.points.tolist() == wide.points.tolist()
    mine = other.splits.designs[0]
    assert (mine.kind, mine.seeds, mine.testing, mine.training) == (
        design.kind,
        design.seeds,
        design.testing,
        design.training,
    )
    for fact in ("clusters", "time"):
        assert np.array_equal(getattr(mine, fact), getattr(design, fact))


RIGHT = {"small": [0, 1, 0, 0, 1, 0, 1, 1] * 4, "large": [1, 1, 0, 1, 1, 1, 1, 0] * 4}


@pytest.fixture
def logs(tmp_path):
    for model, right in RIGHT.items():
        lines = [sample(i, {"acc": float(r), "acc_norm": 1.0 - r}) for i, r in enumerate(right)]
        write_samples(tmp_path / "lm", model, "arc", lines)
        samples = [inspect_sample(i, "IC"[r]) for i, r in enumerate(right)]
        (tmp_path / "inspect").mkdir(exist_ok=True)
        write_eval(tmp_path / "inspect" / f"{model}.eval", inspect_log(f"org/{model}", samples))
    return tmp_path


def test_logs_of_the_harness(errbar, logs):
    table = library.read_logs(logs / "lm")
    expected = library.compare_table(table).to_dict()["pairs"]
    for given in (
        ["lm"],
        sorted(logs.rglob("samples_*.jsonl")),
        ["lm/large", "lm/small"],
    ):
        outcome = errbar("test", *given, "--json")
        assert outcome.status == 0, outcome.err
        assert outcome.data["pairs"] == expected
    other = errbar("test", "lm", "--metric", "acc_norm", "--filter", "none", "--json").data
    assert other["loss"] == "acc_norm"
    named = errbar(
        "test", "old=lm/small", "new=lm/large", "--fail-if", "new not-better-than old", "--json"
    ).data
    assert [one["name"] for one in named["learners"]] == ["old", "new"]


def test_logs_of_inspect(errbar, logs):
    expected = library.compare_table(library.read_logs(logs / "inspect")).to_dict()["pairs"]
    for given in (["inspect"], sorted((logs / "inspect").iterdir())):
        outcome = errbar("test", *given, "--json")
        assert outcome.status == 0, outcome.err
        assert outcome.data["pairs"] == expected
    samples = [inspect_sample(i, {"match": "C", "judge": 0.5}, scorer=None) for i in range(8)]
    write_json(logs / "one.json", inspect_log("m", samples))
    refused(errbar("test", "one.json"))
    alone = errbar("test", "one.json", "--metric", "judge", "--method", "holdout-t", "--json")
    assert alone.data["result"]["estimate"] == 0.5


@pytest.mark.parametrize(
    ("words", "argument"),
    [
        (("lm", "inspect"), None),
        (("lm", "table.csv"), None),
        (("a=lm/small", "lm/large"), None),
        (("lm", "--truth", "y"), None),
        (("lm", "--metric", "match"), None),
        (("inspect", "--filter", "strict"), None),
        (("inspect", "--seed", "epoch"), None),
        (("lm", "--groups", "page"), "groups"),
        (("lm", "--out", "lm/small/samples_arc_2026-03-05T10-11-12.345678.jsonl"), None),
        (("nothing/*.eval",), None),
        (("one.json", "--out", "one.json"), None),
    ],
)
def test_logs_that_are_refused(errbar, logs, words, argument):
    (logs / "table.csv").write_text("a,b\n1,2\n2,3\n")
    write_json(logs / "one.json", inspect_log("m", [inspect_sample(1, "C")]))
    refused(errbar("test", *words), argument)

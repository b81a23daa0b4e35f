"""Statistics that need several columns of a learner: how columns are found, and the numbers."""

import json
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import f1_score, jaccard_score

import errbar
from errbar import UnsaidRoleError
from errbar.errors import InvalidInputError, PairingError
from errbar.table import LossTable

RNG = np.random.default_rng(5)
N = 60
WORDS = RNG.integers(3, 30, N)
ERRORS = {name: RNG.binomial(WORDS, share) for name, share in (("base", 0.15), ("new", 0.1))}


def wide() -> pd.DataFrame:
    columns = {f"errors_{name}": own for name, own in ERRORS.items()}
    return pd.DataFrame({"utt_id": np.arange(N), "words": WORDS, **columns})


def long() -> pd.DataFrame:
    parts = [
        pd.DataFrame({"system": name, "utt_id": np.arange(N), "words": WORDS, "errors": own})
        for name, own in ERRORS.items()
    ]
    return pd.concat(parts).sample(frac=1.0, random_state=0)


def numbers(table: LossTable) -> tuple[float, float]:
    found = errbar.infer(table, "holdout-t", "base", minus="new")
    return found.estimate, found.se


def by_hand() -> tuple[float, float]:
    rates = {name: own.sum() / WORDS.sum() for name, own in ERRORS.items()}
    left = {name: (own - rates[name] * WORDS) / WORDS.mean() for name, own in ERRORS.items()}
    gap = left["base"] - left["new"]
    return rates["base"] - rates["new"], float(gap.std(ddof=1)) / N**0.5


@pytest.mark.parametrize("frame", [wide(), long()], ids=["wide", "long"])
def test_a_ratio_of_sums_is_that_of_numpy(frame):
    found = errbar.read_table(frame, ratio="errors/words", higher_is_better=False)
    assert numbers(found) == pytest.approx(by_hand(), rel=1e-12)


def test_names_may_begin_with_the_learner():
    frame = wide().rename(columns={f"errors_{name}": f"{name}.errors" for name in ERRORS})
    found = errbar.read_table(frame, ratio="errors/words", higher_is_better=False)
    assert found.learners == ("base", "new")
    assert numbers(found) == pytest.approx(by_hand(), rel=1e-12)


def test_both_sums_of_one_learner():
    frame = pd.DataFrame({"utt_id": np.arange(N), "words": WORDS, "errors": ERRORS["base"]})
    found = errbar.read_table(frame, ratio="errors/words", higher_is_better=False)
    rate = ERRORS["base"].sum() / WORDS.sum()
    assert errbar.infer(found, "holdout-t").estimate == pytest.approx(rate, rel=1e-12)


def test_columns_choose_the_learners():
    frame = wide().assign(errors_old=ERRORS["base"])
    chosen = ["errors_base", "errors_new"]
    found = errbar.read_table(
        frame, ratio="errors/words", columns=chosen, ignore="errors_old", higher_is_better=False
    )
    assert found.learners == ("base", "new")


def test_groups_and_folds_are_used():
    frame = wide().assign(speaker=np.arange(N) // 4, fold=np.arange(N) // 20)
    told = {"ratio": "errors/words", "groups": "speaker", "higher_is_better": False}
    grouped = errbar.read_table(frame.drop(columns="fold"), **told)
    assert grouped.splits.designs[0].n_clusters == 15
    folds = errbar.read_table(frame, **told)
    assert folds.splits.kinds == ("kfold",)


@pytest.mark.parametrize("missing", [None, "examples"])
def test_a_missing_count(missing):
    frame = wide().astype({"errors_new": float})
    frame.loc[7, "errors_new"] = np.nan
    told = {"ratio": "errors/words", "higher_is_better": False, "missing": missing}
    if missing is None:
        with pytest.raises(UnsaidRoleError) as caught:
            errbar.read_table(frame, **told)
        assert caught.value.argument == "missing"
        return
    found = errbar.read_table(frame, **told)
    assert found.splits.n_test.tolist() == [N - 1]
    assert "left-out" in {note.code for note in found.notes}


@pytest.mark.parametrize(
    ("ratio", "argument"), [("errors", "ratio"), ("errors/", "ratio"), ("mistakes/words", "ratio")]
)
def test_ratios_that_cannot_be_read(ratio, argument):
    with pytest.raises(InvalidInputError) as caught:
        errbar.read_table(wide(), ratio=ratio, higher_is_better=False)
    assert caught.value.argument == argument


def test_learners_with_other_rows_are_refused():
    frame = long()
    first = frame[frame["system"] == "base"].index[0]
    frame = frame[~((frame["system"] == "base") & (frame.index == first))]
    with pytest.raises((PairingError, InvalidInputError)):
        errbar.read_table(frame, ratio="errors/words", higher_is_better=False)


# Several labels.

LABELS = ("joy", "fear", "trust")
TRUTH = RNG.integers(0, 2, (N, 3))
SAID = {name: np.where(RNG.random((N, 3)) < 0.8, TRUTH, 1 - TRUTH) for name in ("bert", "llm")}


def labelled() -> pd.DataFrame:
    columns = {f"true_{label}": TRUTH[:, k] for k, label in enumerate(LABELS)}
    for name, own in SAID.items():
        columns |= {f"{name}_{label}": own[:, k] for k, label in enumerate(LABELS)}
    return pd.DataFrame({"text_id": np.arange(N), **columns})


TRUTHS = ",".join(f"true_{label}" for label in LABELS)


@pytest.mark.parametrize("how", ["macro", "micro", "samples"])
@pytest.mark.parametrize(("kind", "function"), [("f1", f1_score), ("jaccard", jaccard_score)])
def test_labels_as_scikit_learn_has_them(kind, function, how):
    found = errbar.read_table(labelled(), truth=TRUTHS, loss=f"{kind}_{how}", fold="none")
    for name, own in SAID.items():
        expected = function(TRUTH, own, average=how, zero_division=0.0)
        assert errbar.infer(found, "holdout-t", name).estimate == pytest.approx(expected, rel=1e-12)


def test_labels_of_folds_or_of_one_test_set():
    with pytest.raises(UnsaidRoleError) as caught:
        errbar.read_table(labelled(), truth=TRUTHS, loss="f1_macro")
    assert caught.value.argument == "fold"


def test_a_learner_that_lacks_a_label():
    with pytest.raises(InvalidInputError):
        errbar.read_table(
            labelled().drop(columns="llm_fear"), truth=TRUTHS, loss="f1_macro", fold="none"
        )


# Times and events.


def survival() -> pd.DataFrame:
    risk = RNG.normal(size=N)
    return pd.DataFrame(
        {
            "patient_no": np.arange(N),
            "months": np.round(RNG.exponential(np.exp(-risk)) * 20 + 1, 1),
            "died": RNG.integers(0, 2, N),
            "cox": risk + RNG.normal(size=N) * 0.5,
            "forest": risk + RNG.normal(size=N),
        }
    )


@pytest.mark.parametrize("loss", ["c-index", "c-index-uno"])
def test_concordance_of_columns(loss):
    frame = survival()
    told = {"truth": "months", "event": "died", "columns": "cox,forest", "fold": "none"}
    found = errbar.read_table(frame, example="patient_no", loss=loss, **told)
    times = frame.assign(cox=-frame["cox"], forest=-frame["forest"])
    other = errbar.read_table(times, example="patient_no", loss=f"{loss}-of-times", **told)
    kind = "uno" if loss.endswith("uno") else "harrell"
    for name in ("cox", "forest"):
        rows = frame.rename(columns={name: "score"})
        expected = errbar.statistics.concordance("months", "died", "score", kind=kind)(rows)
        assert errbar.infer(found, "holdout-t", name).estimate == pytest.approx(expected)
        assert errbar.infer(other, "holdout-t", name).estimate == pytest.approx(expected)


def test_times_without_named_scores():
    with pytest.raises(UnsaidRoleError) as caught:
        errbar.read_table(survival(), truth="months", event="died", example="patient_no")
    assert caught.value.argument == "columns"


def test_an_event_without_times():
    with pytest.raises(InvalidInputError) as caught:
        errbar.read_table(survival(), event="died", columns="cox,forest")
    assert caught.value.argument == "truth"


def test_the_command_line(tmp_path):
    wide().to_csv(tmp_path / "wer.csv", index=False)
    command = [sys.executable, "-m", "errbar", "test", "wer.csv", "--ratio", "errors/words"]
    done = subprocess.run(
        [*command, "--lower-is-better", "--json"],
        cwd=tmp_path,
        capture_output=True,
        check=True,
        text=True,
    )
    [pair] = json.loads(done.stdout)["pairs"]
    assert (pair["estimate"], pair["se"]) == pytest.approx(by_hand(), rel=1e-12)

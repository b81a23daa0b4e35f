"""Scores of a sheet are of one kind: ids, counts and ages are asked about, however many columns hold them."""

import numpy as np
import pytest

import errbar
from errbar import UnsaidRoleError


def scores(rng, rows=20):
    return {name: rng.uniform(0.6, 0.9, rows).round(3) for name in ("a", "b")}


@pytest.mark.parametrize(
    "more",
    [
        {"répétition": np.arange(20) // 5, "pli": np.arange(20) % 5},
        {"visits": np.arange(20) + 3},
        {"age": np.linspace(31.5, 80.2, 20)},
    ],
    ids=["two numberings", "an id", "ages"],
)
@pytest.mark.parametrize("said", [{"kind": "kfold"}, {"kind": "examples"}])
def test_other_numbers_are_asked_about(more, said, rng):
    with pytest.raises(UnsaidRoleError) as error:
        errbar.read_table(scores(rng) | more, **said)
    assert error.value.argument == "columns"
    assert any(next(iter(more)) in option for option in error.value.options)
    table = errbar.read_table(scores(rng) | more, columns=["a", "b"], ignore=[*more], **said)
    assert table.learners == ("a", "b")


@pytest.mark.parametrize(
    ("name", "numbers", "likeliest"),
    [
        ("pli", np.arange(20) % 5, "--fold"),
        ("pli", np.arange(20) + 3, "--example"),
        ("repli", np.arange(20) % 5, "--repeat"),
        ("pli", np.arange(60) // 2 + 3, "--groups"),
    ],
)
def test_of_what_whole_numbers_may_be_the_likeliest_is_named_first(name, numbers, likeliest, rng):
    with pytest.raises(UnsaidRoleError) as error:
        errbar.read_table(scores(rng, len(numbers)) | {name: numbers}, kind="kfold")
    offered = [option.partition(" ")[0] for option in error.value.options]
    assert offered[:2] == ["--columns", likeliest]
    assert error.value.options[0] == "--columns a,b"
    assert len(offered) <= 4


def test_describe_proposes_no_command_where_a_name_is_no_learner(rng):
    sheet = scores(rng) | {"split": np.arange(20), "runtime_sec": rng.uniform(0.5, 1.0, 20)}
    found = errbar.describe(sheet)
    assert found.command is None
    assert found.options[0].startswith("--columns")


def test_marks_of_right_and_wrong_stand_beside_shares(rng):
    """A learner that is right in all folds, or one with points for parts, is a learner."""
    table = errbar.read_table({"a": np.ones(20), "b": rng.uniform(0.6, 0.9, 20)}, kind="kfold")
    assert table.learners == ("a", "b")


@pytest.mark.parametrize(
    ("names", "higher"),
    [
        (("rf~Accuracy", "svm~Accuracy"), True),
        (("acc_tree", "acc_forest"), True),
        (("rf RMSE", "svm RMSE"), False),
        (("dice",), True),
        (("rf", "svm"), False),
        (("acc", "f1"), False),
        (("auc_a", "mse_a"), False),
    ],
)
def test_a_measure_that_all_columns_name_says_the_direction(names, higher):
    numbers = np.random.default_rng(0).normal(0.8, 0.02, (len(names), 8))
    table = errbar.from_scores(dict(zip(names, numbers, strict=True)), n_train=90, n_test=10)
    assert table.loss.higher_is_better == higher

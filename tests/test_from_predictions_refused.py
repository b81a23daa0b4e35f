"""Predictions that cannot be used, each with one sentence that says why."""

import numpy as np
import pytest

import errbar
from errbar import InvalidInputError, PairingError
from tests.refusals import refused
from tests.test_from_predictions import (
    ANSWER,
    CHANCE,
    NUMBERS,
    SCORE,
    THREE,
    TRUTH,
    from_predictions,
)

MATRIX = [[0.5, 0.5]] * 6
REFUSED = {
    "lengths": ({"a": ANSWER[:5]}, {}, "y"),
    "missing": ({"a": [*ANSWER[:5], None]}, {}, None),
    "not finite": ({"a": [1, 2, np.nan, 4, 5, 6]}, {}, None),
    "unknown class": (
        {"a": ["maybe", *ANSWER[1:]]},
        {},
        None,
    ),
    "scores for labels": ({"a": CHANCE[:6]}, {"loss": "zero-one"}, None),
    "which class": ({"a": CHANCE[:6]}, {}, None),
    "labels for scores": ({"a": ANSWER}, {"loss": "roc_auc"}, None),
    "no probability": ({"a": SCORE[:6]}, {"loss": "brier", "positive": "no"}, None),
    "sums": ({"a": [*MATRIX[:5], [0.5, 0.6]]}, {}, None),
    "width": ({"a": [[0.5, 0.2, 0.3]] * 6}, {}, None),
    "ragged": ({"a": [[0.5, 0.5]] * 5 + [[1.0]]}, {}, None),
    "columns": ({"a": {"no": [0.5] * 6, "maybe": [0.5] * 6}}, {}, None),
    "one matrix": ({"no": [0.5] * 6, "yes": [0.5] * 6}, {"positive": "yes"}, None),
    "no names": (np.array(MATRIX), {}, "predictions"),
    "names": (np.array(MATRIX), {"names": ["a"]}, "names"),
    "positive": ({"a": ANSWER}, {"loss": "f1"}, None),
    "no class": ({"a": ANSWER}, {"positive": "maybe"}, "positive"),
    "classes": ({"a": ANSWER}, {"classes": ["no", "maybe"]}, "classes"),
    "loss": ({"a": ANSWER}, {"loss": "f1x"}, "loss"),
    "task": ({"a": [1.0] * 6}, {"loss": "r2"}, None),
    "pool": ({"a": ANSWER}, {"pool": "fold"}, "pool"),
    "nothing": ({}, {}, None),
}


class TestRefused:
    @pytest.mark.parametrize("case", REFUSED)
    def test_predictions_of_text(self, case):
        predictions, options, argument = REFUSED[case]
        with refused(argument):
            from_predictions(predictions, TRUTH, **options)

    def test_learners_with_different_rows(self):
        with pytest.raises(PairingError):
            from_predictions({"a": ANSWER, "b": ANSWER[:5]}, TRUTH)

    @pytest.mark.parametrize(
        ("predicted", "y"),
        [([0.1, 0.2, 0.3], [0, 1, 0]), ([1, 2, 4], [1, 2, 3]), (list(range(30)), list(range(30)))],
    )
    def test_whole_numbers_that_may_be_classes_or_not(self, predicted, y):
        with refused("y"):
            from_predictions({"a": predicted}, y)

    def test_a_column_of_scores_of_three_classes(self):
        with pytest.raises(InvalidInputError):
            from_predictions({"a": SCORE}, THREE, loss="roc_auc", positive=1)

    def test_few_examples(self):
        with refused("y"):
            from_predictions({"a": ["no"]}, ["no"])

    def test_a_matrix_of_numbers(self):
        with pytest.raises(InvalidInputError):
            from_predictions({"a": np.zeros((12, 3))}, NUMBERS, loss="squared-error")

    def test_a_loss_that_the_kept_predictions_do_not_have(self):
        table = from_predictions({"a": ANSWER}, TRUTH)
        with pytest.raises(InvalidInputError):
            table.with_loss("log-loss")


def test_one_test_set_is_said():
    with refused("fold", errbar.UnsaidRoleError):
        errbar.from_predictions({"a": ANSWER}, TRUTH)

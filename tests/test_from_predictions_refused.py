"""Predictions that cannot be used, each with one sentence that says why."""

import numpy as np
import pytest

import errbar
from errbar import InvalidInputError, PairingError
from tests.refusals import refused
from tests.test_from_predictions import ANSWER, CHANCE, NUMBERS, SCORE, THREE, TRUTH

MATRIX = [[0.5, 0.5]] * 6
REFUSED = {
    "lengths": ({"a": ANSWER[:5]}, {}, "`y` must hold one value for each prediction, and it has 6 for the 5 of 'a'"),
    "missing": ({"a": [*ANSWER[:5], None]}, {}, "what 'a' predicts has no value for example 5"),
    "not finite": ({"a": [1, 2, np.nan, 4, 5, 6]}, {}, "what 'a' predicts has no value for example 2"),
    "unknown class": (
        {"a": ["maybe", *ANSWER[1:]]},
        {},
        "predicts 'maybe', which is not a class of the target; name all",
    ),
    "scores for labels": ({"a": CHANCE[:6]}, {"loss": "zero-one"}, r"numpy.where\(scores >= 0.5, 'yes', 'no'\)"),
    "which class": ({"a": CHANCE[:6]}, {}, "`positive` does not say for which class: the classes are 'no' and 'yes'"),
    "labels for scores": ({"a": ANSWER}, {"loss": "roc_auc"}, "'roc_auc' needs scores, which are numbers"),
    "no probability": ({"a": SCORE[:6]}, {"loss": "brier", "positive": "no"}, "predicts -0.2 for example 2 of 6"),
    "sums": ({"a": [*MATRIX[:5], [0.5, 0.6]]}, {}, "probabilities that add up to 1.1 for example 5 of 6"),
    "width": ({"a": [[0.5, 0.2, 0.3]] * 6}, {}, "'a' has 3 columns, and the classes are 'no', 'yes'"),
    "ragged": ({"a": [[0.5, 0.5]] * 5 + [[1.0]]}, {}, "the rows of 'a' must all have as many columns"),
    "columns": ({"a": {"no": [0.5] * 6, "maybe": [0.5] * 6}}, {}, "'a' has a column 'maybe'"),
    "one matrix": ({"no": [0.5] * 6, "yes": [0.5] * 6}, {"positive": "yes"}, "called like the classes of `y`"),
    "no names": (np.array(MATRIX), {}, "its columns may be learners or classes"),
    "names": (np.array(MATRIX), {"names": ["a"]}, "`names` must hold 2 names"),
    "positive": ({"a": ANSWER}, {"loss": "f1"}, "needs to know which class is the positive one"),
    "no class": ({"a": ANSWER}, {"positive": "maybe"}, "`positive` must be one of the classes"),
    "classes": ({"a": ANSWER}, {"classes": ["no", "maybe"]}, "`classes` must name each class once, and all of `y`"),
    "loss": ({"a": ANSWER}, {"loss": "f1x"}, "did you mean 'f1'"),
    "task": ({"a": [1.0] * 6}, {"loss": "r2"}, "`y` holds text"),
    "pool": ({"a": ANSWER}, {"pool": "fold"}, "`pool` must be one of"),
    "nothing": ({}, {}, "at least one learner is needed"),
}


class TestRefused:
    @pytest.mark.parametrize("case", REFUSED)
    def test_predictions_of_text(self, case):
        predictions, options, message = REFUSED[case]
        with pytest.raises(InvalidInputError, match=message):
            errbar.from_predictions(predictions, TRUTH, **options)

    def test_learners_with_different_rows(self):
        with pytest.raises(PairingError):
            errbar.from_predictions({"a": ANSWER, "b": ANSWER[:5]}, TRUTH)

    @pytest.mark.parametrize(
        ("predicted", "y"),
        [([0.1, 0.2, 0.3], [0, 1, 0]), ([1, 2, 4], [1, 2, 3]), (list(range(30)), list(range(30)))],
    )
    def test_whole_numbers_that_may_be_classes_or_not(self, predicted, y):
        with refused("y"):
            errbar.from_predictions({"a": predicted}, y)

    def test_a_column_of_scores_of_three_classes(self):
        with pytest.raises(InvalidInputError):
            errbar.from_predictions({"a": SCORE}, THREE, loss="roc_auc", positive=1)

    def test_few_examples(self):
        with refused("minus"):
            errbar.from_predictions({"a": ["no"]}, ["no"])

    def test_a_matrix_of_numbers(self):
        with pytest.raises(InvalidInputError):
            errbar.from_predictions({"a": np.zeros((12, 3))}, NUMBERS, loss="squared-error")

    def test_a_loss_that_the_kept_predictions_do_not_have(self):
        table = errbar.from_predictions({"a": ANSWER}, TRUTH)
        with pytest.raises(InvalidInputError):
            table.with_loss("log-loss")

"""Several answers to a question, drawn anew for each question: their mean is the value of the question."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from errbar._check import FloatArray, distinct, numbered
from errbar.errors import InvalidInputError
from errbar.sources._facts import labels_of

NO_QUESTION = "must be given where `answer` is: it tells which answers are to the same question"
_OF_A_FIT = ("seed", "repeat", "inner", "fold", "example")


def mean_of_answers(values: FloatArray, labels: Mapping[str, Any], answer: Any) -> tuple[FloatArray, dict[str, Any]]:
    """Return the mean over the answers to each question, and the labels of each question.

    Parameters
    ----------
    values : ndarray, shape (learners, N)
        Losses, one per answer.
    labels : mapping of str to column
        What is said of the rows, by role; None for what nobody says.
    answer : array-like, shape (N,)
        Number of the answer, in any order.

    Raises
    ------
    InvalidInputError
        If it is not said which question an answer is to, a question has an answer twice, or a label differs between its answers.
    """
    total = values.shape[1]
    known = {role: column for role, column in labels.items() if column is not None}
    if "example" not in known:
        raise InvalidInputError(NO_QUESTION, argument="example")
    known = {role: np.broadcast_to(column, total) if np.ndim(column) == 0 else column for role, column in known.items()}
    codes = {role: labels_of(column, total, role) for role, column in known.items()}
    question = numbered(*(codes[role] for role in _OF_A_FIT if role in codes))
    first, place = np.unique(question, return_index=True, return_inverse=True)[1:]
    if distinct(place, labels_of(answer, total, "answer")) < total:
        raise InvalidInputError(
            ": a question has an answer of one number twice; name the `seed`, `repeat` or `fold` that tells the two apart",
            argument="answer",
        )
    for role, code in codes.items():
        if not np.array_equal(code[first][place], code):
            raise InvalidInputError("must be the same for all answers to a question", argument=role)
    counts = np.bincount(place)
    means = np.stack([np.bincount(place, weights=own) / counts for own in values])
    return means, {role: np.asarray(column)[first] for role, column in known.items()}

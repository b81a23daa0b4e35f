"""Laws of losses in rows: what their columns say is theirs, whatever the order of the rows."""

import numpy as np
import pytest

import errbar
from errbar import InvalidInputError


def two_learners(rng, examples=12, repeats=2):
    repeat, example = np.divmod(rng.permutation(examples * repeats), examples)
    columns = {"repeat": repeat, "fold": example % 3, "example": example}
    return columns, rng.normal(size=(2, examples * repeats))


def test_rows_are_matched_by_their_columns_and_not_by_their_order(rng):
    columns, (a, b) = two_learners(rng)
    order = rng.permutation(a.size)
    turned = {role: column[order] for role, column in columns.items()}
    one, other = errbar.Losses(a, **columns), errbar.Losses(b[order], **turned)
    assert np.array_equal(one.minus(other).value, a - b)
    assert np.array_equal(other.minus(one).value, (b - a)[order])


@pytest.mark.parametrize("change", ["another example", "a row less"])
def test_losses_of_other_rows_are_not_subtracted(change, rng):
    columns, (a, b) = two_learners(rng)
    others = {role: column.copy() for role, column in columns.items()}
    if change == "another example":
        others["example"][0] += 100
    else:
        others = {role: column[1:] for role, column in others.items()}
        b = b[1:]
    with pytest.raises(InvalidInputError) as error:
        errbar.Losses(a, **columns).minus(errbar.Losses(b, **others))
    assert error.value.argument == "other"

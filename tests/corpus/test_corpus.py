"""Every answer of the corpus is what it was: numbers to 1e-12, codes of notes, kinds of refusals, exit statuses."""

import pytest

from tests.corpus import book
from tests.corpus.calls import FAMILIES

SHOWN = 12


@pytest.mark.parametrize("family", FAMILIES)
def test_every_answer_is_what_it_was(family):
    found = list(book.changes(book.kept(family), book.answers(family)))
    lines = [f"{key}: {field}: {old} -> {new}" for key, field, old, new in found[:SHOWN]]
    assert not found, "\n".join(
        [f"{len(found)} differences; python -m tests.corpus --check --family {family}", *lines]
    )

"""Every answer of the corpus is what it was: numbers to 1e-12, codes of notes, kinds of refusals, exit statuses."""

import pytest

from tests.corpus import book
from tests.corpus.calls import FAMILIES

SHOWN = 12


# The calls of sources draw from one generator, so that they are made all or none.
WHOLE = [pytest.param(family, 1, marks=pytest.mark.long) for family in FAMILIES]


@pytest.mark.parametrize(
    ("family", "every"), [*((family, 4) for family in FAMILIES if family != "sources"), *WHOLE]
)
def test_every_answer_is_what_it_was(family, every):
    """One in four, drawn by its key, every day; all in make test-long."""
    kept = book.kept(family)
    today = book.answers(family, every=every)
    assert today.keys() == kept.keys() or every > 1
    found = list(book.changes({key: kept.get(key) for key in today}, today))
    lines = [f"{key}: {field}: {old} -> {new}" for key, field, old, new in found[:SHOWN]]
    assert not found, "\n".join(
        [f"{len(found)} differences; python -m tests.corpus --check --family {family}", *lines]
    )

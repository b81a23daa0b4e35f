"""What tests ask of a refusal: its type and the argument that it names, never its words."""

from contextlib import contextmanager

import pytest

from errbar.errors import InvalidInputError


@contextmanager
def refused(argument=None, error=InvalidInputError):
    """Expect a refusal of this type, and that it names this argument where one is given."""
    with pytest.raises(error) as caught:
        yield caught
    assert argument is None or caught.value.argument == argument

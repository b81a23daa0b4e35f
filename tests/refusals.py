"""What tests ask of a refusal: its type and the argument that it names, never its words."""

from contextlib import contextmanager

import pytest

from errbar.errors import InvalidInputError


@contextmanager
def refused(argument, error=InvalidInputError):
    """Expect a refusal of this type that names this argument."""
    with pytest.raises(error) as caught:
        yield caught
    assert caught.value.argument == argument

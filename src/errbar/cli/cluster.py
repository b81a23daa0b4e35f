"""The client of a Dask cluster whose address is given on the command line."""

import re
from typing import Any

from errbar import _check
from errbar.errors import InvalidInputError, one_line

_SECONDS = 10.0
_ADDRESS = re.compile(r"((tcp|tls|ucx|ws|wss)://)?[^\s/]+:\d+(/\S*)?")


def client_of(address: str) -> Any:
    """Return a client that is connected to the scheduler at an address."""
    if not _ADDRESS.fullmatch(address):
        raise InvalidInputError(
            f"must be an address such as tcp://10.0.0.7:8786, got {address!r}", argument="cluster"
        )
    distributed = _check.package("distributed", "cluster")
    try:
        return distributed.Client(address, timeout=_SECONDS, set_as_default=False, name="errbar")
    except (OSError, ValueError, ImportError) as error:
        raise InvalidInputError(
            f": no Dask scheduler answers at {address!r} ({one_line(error)})",
            argument="cluster",
        ) from None

"""How a record becomes a row of a table, and whether a row is what was written."""

import json
import math
from collections.abc import Mapping, Sequence
from hashlib import blake2b
from typing import Any

import numpy as np
from numpy.typing import NDArray

TABLE = (
    "record (id INTEGER PRIMARY KEY, name TEXT NOT NULL, facts TEXT NOT NULL, layout TEXT NOT NULL, "
    "digest BLOB NOT NULL, body BLOB NOT NULL)"
)
HEAD = "id, name, facts, layout, digest"
COLUMNS = f"{HEAD}, body"

_KINDS = "biufc"
_HALF = 16


def place_of(name: str) -> int:
    """Return the number of the row of a name: no index is needed, which could lead to the record of another."""
    return int.from_bytes(_digest(name.encode())[:8]) >> 1


def packed(
    name: str, arrays: Mapping[str, NDArray[Any]], facts: Mapping[str, Any]
) -> tuple[Any, ...]:
    """Return the row of a record."""
    layout, body = arrays_packed(arrays)
    texts = name, json.dumps(dict(facts), sort_keys=True), layout
    return place_of(name), *texts, _digests(*texts, _digest(body)), body


def unpacked(row: Sequence[Any]) -> tuple[dict[str, NDArray[Any]], dict[str, Any]]:
    """Return the arrays and the facts of a row that is intact."""
    _, _, facts, layout, _, body = row
    return arrays_unpacked(layout, body), json.loads(facts)


def is_intact_head(place: Any, name: Any, facts: Any, layout: Any, digest: Any) -> bool:
    """Tell whether the columns but the body are what was written, in this place."""
    if not isinstance(digest, bytes) or not all(
        isinstance(text, str) for text in (name, facts, layout)
    ):
        return False
    return bool(place == place_of(name) and digest == _digests(name, facts, layout, digest[_HALF:]))


def is_intact(place: Any, name: Any, facts: Any, layout: Any, digest: Any, body: Any) -> bool:
    """Tell whether a whole row is what was written, in this place."""
    return (
        is_intact_head(place, name, facts, layout, digest)
        and isinstance(body, bytes)
        and _digest(body) == digest[_HALF:]
    )


def _digests(name: str, facts: str, layout: str, of_body: bytes) -> bytes:
    """Return a digest of everything, followed by the one of the body: the others can be checked without it."""
    return _digest(name.encode(), facts.encode(), layout.encode(), of_body) + of_body


def _digest(*parts: bytes) -> bytes:
    state = blake2b(digest_size=_HALF)
    for part in parts:
        state.update(len(part).to_bytes(8, "little"))
        state.update(part)
    return state.digest()


def arrays_packed(arrays: Mapping[str, NDArray[Any]]) -> tuple[str, bytes]:
    """Return names, types and shapes of arrays of numbers as text, and their bytes."""
    layout, parts = [], []
    for name, given in arrays.items():
        array = np.ascontiguousarray(given)
        if array.dtype.kind not in _KINDS:
            raise TypeError(f"records hold numbers only; {name!r} is of type {array.dtype}")
        little = array.astype(array.dtype.newbyteorder("<"), copy=False)
        layout.append([name, little.dtype.str, list(np.shape(given))])
        parts.append(little.tobytes())
    return json.dumps(layout), b"".join(parts)


def arrays_unpacked(layout: str, body: bytes) -> dict[str, NDArray[Any]]:
    """Return the arrays that a layout and bytes say."""
    arrays, start = {}, 0
    for name, kind, shape in json.loads(layout):
        count = math.prod(shape)
        arrays[name] = np.frombuffer(body, dtype=np.dtype(kind), count=count, offset=start).reshape(
            shape
        )
        start += count * np.dtype(kind).itemsize
    return arrays

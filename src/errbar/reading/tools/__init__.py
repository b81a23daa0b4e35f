"""What other tools write: logs and objects, each read by what it holds."""

import json
import re
import zlib
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

_HEAD = 2**16
_LONGEST = 60


def head(place: Path) -> bytes:
    """Return the first bytes of a text."""
    with place.open("rb") as log:
        return log.read(_HEAD).removeprefix(b"\xef\xbb\xbf").lstrip()


def begins(pattern: bytes) -> Callable[[Path], bool]:
    """Return what tells by its first bytes whether a file is a log of a tool."""
    return lambda place: re.match(pattern, head(place)) is not None


def as_list(given: Any) -> list[Any]:
    """Return several files or frames, or the one, as a list."""
    one = isinstance(given, str) or hasattr(given, "columns") or not isinstance(given, Iterable)
    return [given] if one else list(given)


def loaded(place: Path) -> Any:
    """Return what a file of JSON holds."""
    return json.loads(place.read_text(encoding="utf-8"))


def label_of(asked: Any) -> str:
    """Return what a question is called: its text, of a long one the beginning and a digest."""
    text = asked if isinstance(asked, str) else json.dumps(asked, sort_keys=True)
    text = " ".join(text.split())
    if len(text) <= _LONGEST:
        return text
    return f"{text[:_LONGEST]}… {zlib.crc32(text.encode()):08x}"

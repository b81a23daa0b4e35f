"""Names of learners as labels: one line, or a few, that fit where they stand and that matplotlib takes for no formula."""

import string
import textwrap
from collections.abc import Sequence
from typing import Any

_LABEL_LENGTH, _NAME_LENGTH = 32, 16
COLUMN_NAME = 24
_LETTER_INCHES = 0.088
_SHORTEST = 14  # names of which less is left cannot be told apart


def escape(text: str) -> str:
    """Return text that matplotlib does not take for a formula."""
    return text.replace("$", r"\$")


def label(name: str) -> str:
    """Return one such name of its own: see `labels`."""
    return labels([name])[0]


def labels(names: Sequence[str]) -> list[str]:
    """Return names that matplotlib draws as they stand: on one line, not too long, no formula."""
    return [escape(name) for name in told_apart(names, _LABEL_LENGTH)]


def short(name: str, length: int = _NAME_LENGTH) -> str:
    """Return a name on one line; of a long one the middle is left out, since variants differ at the end."""
    words = " ".join("".join(c if c.isprintable() else " " for c in name).split())
    end = max(1, length // 2 - 1)
    return words if len(words) <= length else f"{words[: length - end - 1]}…{words[-end:]}"


def told_apart(names: Sequence[str], *lengths: int) -> list[str]:
    """Return names that are short, each of its own length or all of one, and still told apart.

    Of those that would look the same, the beginning that they share is left out.
    """
    room = lengths if len(lengths) == len(names) else (lengths or (_NAME_LENGTH,)) * len(names)
    found = [short(name, length) for name, length in zip(names, room, strict=True)]
    alike = [
        [other for other, text in zip(names, found, strict=True) if text == own and other != name]
        for name, own in zip(names, found, strict=True)
    ]
    return [
        _from_where_they_differ(name, others, length) if others else own
        for name, own, others, length in zip(names, found, alike, room, strict=True)
    ]


def _from_where_they_differ(name: str, others: Sequence[str], length: int) -> str:
    shared = max(_shared(name, other) for other in others)
    begin = name[:shared]
    word = len(begin) - len(begin.rstrip(string.ascii_letters + string.digits))
    rest = name[shared - (word if word <= length // 2 else 0) :]
    if not rest:
        return short(name, length)
    return f"…{rest}" if len(rest) < length else f"…{rest[: length - 2].rstrip('-_. ')}…"


def _shared(name: str, other: str) -> int:
    """Return the number of letters with which both names begin."""
    pairs = zip(name, other, strict=False)
    return next((place for place, (a, b) in enumerate(pairs) if a != b), min(len(name), len(other)))


def pair_label(a: str, b: str, link: str = "−") -> str:
    """Return a label of two names that share the room, a short one leaving it to the other."""
    room = _LABEL_LENGTH - 2 - len(link)
    half = room // 2
    return f" {link} ".join(told_apart((a, b), max(half, room - len(b)), max(half, room - len(a))))


def wrapped(name: str, width: int) -> str | None:
    """Break a name into at most three lines of so many letters; None where a word would have to be broken."""
    whole = short(name, max(len(name), 2))
    for length in (len(whole), *range(min(len(whole) - 1, 3 * width), _SHORTEST - 1, -1)):
        line = short(whole, max(length, 2))
        lines = textwrap.wrap(line, width)
        if max(map(len, line.split()), default=0) <= width and len(lines) <= 3:
            return escape("\n".join(lines))
    return None


def stands_level(names: Sequence[str], inches: float) -> bool:
    """Return whether names fit side by side if each has so much room."""
    return all(wrapped(name, _letters(inches)) is not None for name in names)


def name_columns(ax: Any, at: Sequence[float], names: Sequence[str], share: float, *, above: bool = False) -> None:
    """Write names at positions of the axis, slanted where they do not fit side by side into a share of its width each."""
    inches = share * inches_wide(ax)
    if stands_level(names, inches):
        ax.set_xticks(at, [wrapped(name, _letters(inches)) for name in names])
        return
    slanted = [escape(name) for name in told_apart(names, COLUMN_NAME)]
    ax.set_xticks(at, slanted, rotation=45, ha="left" if above else "right", rotation_mode="anchor")


def inches_wide(ax: Any) -> float:
    """Return the width of axes as they stand now; a layout that leaves room for labels may make it smaller."""
    return float(ax.get_window_extent().width / ax.figure.dpi)


def _letters(inches: float) -> int:
    return max(1, int(inches / _LETTER_INCHES))

"""Names of learners as labels: one line, or a few, that fit where they stand and that matplotlib takes for no formula."""

import textwrap
from collections.abc import Sequence
from typing import Any

_LABEL_LENGTH = 32
COLUMN_NAME = 24
_LETTER_INCHES = 0.088
_SHORTEST = 14  # names of which less is left cannot be told apart


def escape(text: str) -> str:
    """Return text that matplotlib does not take for a formula."""
    return text.replace("$", r"\$")


def label(name: str) -> str:
    """Return a name that matplotlib draws as it stands: on one line, not too long, no formula."""
    return escape(short(name, _LABEL_LENGTH))


def short(name: str, length: int = 16) -> str:
    """Return a name on one line; of a long one the middle is left out, since variants differ at the end."""
    words = " ".join("".join(c if c.isprintable() else " " for c in name).split())
    end = max(1, length // 2 - 1)
    return words if len(words) <= length else f"{words[: length - end - 1]}…{words[-end:]}"


def pair_label(a: str, b: str, link: str = "−") -> str:
    """Return a label of two names that share the room, a short one leaving it to the other."""
    room = _LABEL_LENGTH - 2 - len(link)
    half = room // 2
    return f"{short(a, max(half, room - len(b)))} {link} {short(b, max(half, room - len(a)))}"


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
    slanted = [escape(short(name, COLUMN_NAME)) for name in names]
    ax.set_xticks(at, slanted, rotation=45, ha="left" if above else "right", rotation_mode="anchor")


def inches_wide(ax: Any) -> float:
    """Return the width of axes as they stand now; a layout that leaves room for labels may make it smaller."""
    return float(ax.get_window_extent().width / ax.figure.dpi)


def _letters(inches: float) -> int:
    return max(1, int(inches / _LETTER_INCHES))

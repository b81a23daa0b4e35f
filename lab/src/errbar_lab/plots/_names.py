"""Names of learners as labels: short, told apart, and no formula to matplotlib.

Widths are counted in letters; a character of Chinese, Japanese or Korean is as wide as two.
"""

import re
import unicodedata
from collections.abc import Sequence
from itertools import count, takewhile
from typing import Any

from errbar_lab.plots._fonts import WIDENER, complete, drawable, wide

_LABEL_LENGTH, _NAME_LENGTH = 32, 16
COLUMN_NAME = 24
# Width of a letter, in sizes of the font: wider than most, so that names of capitals fit too.
_LETTER = 0.63
_SHORTEST = 14  # names of which less is left cannot be told apart
SMALL, _TITLE = 0.833, 1.2  # sizes of small text and of titles, as shares of the user's size
_EDGES, _BELOW = 0.2, 0.35  # inches at the edges of a figure, and of a legend below axes
_MARKS = " _-./,:;([{"  # between words, where names are cut without loss
_BREAKS = _MARKS.replace(".", "")  # numbers stay whole
_FINEST = 4.0  # points, of names on axes that are too small for them
_DOTS = "…"
_FIRM = "\N{NO-BREAK SPACE}%"


def escape(text: str) -> str:
    """Return text that matplotlib draws: no formula, and no character without a font."""
    return drawable(text).replace("$", r"\$")


def label(name: str) -> str:
    """Return one such name of its own: see `labels`."""
    return labels([name])[0]


def labels(names: Sequence[str], ax: Any = None) -> list[str]:
    """Return names that matplotlib draws as they stand: on one line, at most half as wide as the place of some axes, no formula."""
    length = (
        _LABEL_LENGTH
        if ax is None
        else min(_LABEL_LENGTH, max(_SHORTEST, letters_in(0.5 * place_inches(ax))))
    )
    return escaped(told_apart([drawable(name) for name in names], length))


def escaped(names: Sequence[str]) -> list[str]:
    """Return texts that matplotlib draws."""
    return [escape(name) for name in names]


def width(text: str) -> int:
    """Return how many letters text is wide."""
    return sum(2 if wide(c) else 0 if c == WIDENER or unicodedata.combining(c) else 1 for c in text)


def one_line(name: str) -> str:
    """Return a name without line feeds and other characters that are not seen."""
    return " ".join("".join(c if c.isprintable() else " " for c in name).split())


def short(name: str, length: int = _NAME_LENGTH) -> str:
    """Return a name on one line; of a long one the middle is left out, since variants differ at either end."""
    text = one_line(name)
    return text if width(text) <= length else _joined(text, "", text, length)


def told_apart(names: Sequence[str], *lengths: int) -> list[str]:
    """Return names that are short, each of its own length or all of one; names that differ stay different.

    Of those that would look the same, the part in which they differ is kept between their two ends. Where even that does not
    tell them apart, they are numbered.
    """
    room = lengths if len(lengths) == len(names) else (lengths or (_NAME_LENGTH,)) * len(names)
    whole = [one_line(name) for name in names]
    found = [short(name, length) for name, length in zip(whole, room, strict=True)]
    for alike in _alike(found, names):
        parts = _differing([whole[i] for i in alike], [room[i] for i in alike])
        for i, part in zip(alike, parts, strict=True):
            found[i] = part
    for alike in _alike(found, names):
        _number(found, [i for i in alike if names[i] != names[alike[0]]], room)
    return found


def _alike(found: Sequence[str], names: Sequence[str]) -> list[list[int]]:
    """Return groups of different names that look the same, as positions."""
    groups: dict[str, list[int]] = {}
    for i, text in enumerate(found):
        groups.setdefault(text, []).append(i)
    return [group for group in groups.values() if len({names[i] for i in group}) > 1]


def _differing(names: Sequence[str], room: Sequence[int]) -> list[str]:
    """Return names that begin and end alike with the part between, in which they differ."""
    begin = _shared(names)
    end = min(_shared([name[::-1] for name in names]), min(map(len, names)) - begin)
    half = max(2, min(room) // 2)
    while begin and names[0][begin - 1] not in _BREAKS and _widest(names, begin - 1, end) <= half:
        begin -= 1
    while end and names[0][-end] not in _BREAKS and _widest(names, begin, end - 1) <= half:
        end -= 1
    middles = [name[begin : len(name) - end] for name in names]
    space = [length - 2 * len(_DOTS) for length in room]
    if max(map(width, middles)) > min(space):
        if min(space) < _SHORTEST // 2 or not begin:
            return [short(name, length) for name, length in zip(names, room, strict=True)]
        middles = told_apart(middles, *space)
    parts = zip(names, middles, room, strict=True)
    return [
        _joined(name[:begin], middle, name[len(name) - end :], length)
        for name, middle, length in parts
    ]


def _shared(names: Sequence[str]) -> int:
    """Return the number of characters with which all names begin."""
    return sum(
        1 for _ in takewhile(lambda letters: len(set(letters)) == 1, zip(*names, strict=False))
    )


def _widest(names: Sequence[str], begin: int, end: int) -> int:
    return max(width(name[begin : len(name) - end]) for name in names)


def _joined(first: str, middle: str, last: str, length: int) -> str:
    """Return what there is room for of the beginning and the end, with the middle between."""
    room = length - width(middle) - len(_DOTS) * (2 if middle else 1)
    whole = first if middle and width(first) <= room // 2 else ""
    head = whole or _cut(first, room - max(0, room // 2))
    tail = (
        last
        if middle and width(last) <= room - width(head)
        else _cut(last[::-1], room - width(head))[::-1]
    )
    before = "" if middle and head == first else _DOTS
    after = "" if tail == last else _DOTS
    return f"{head}{before}{middle}{after}{tail}" if middle else f"{head}{_DOTS}{tail}"


def _cut(text: str, length: int) -> str:
    """Return the beginning of text, without a broken word at its end where that is short."""
    cut = text
    while width(cut) > max(0, length):
        cut = cut[:-1]
    if cut == text:
        return cut
    words = re.match(rf"(.*)[{re.escape(_MARKS)}]", cut, re.DOTALL)
    kept = words[1] if words and text[len(cut)] not in _MARKS else cut
    return (kept if 2 * width(kept) >= length else cut).rstrip(_MARKS)


def _number(found: list[str], places: Sequence[int], room: Sequence[int]) -> None:
    """Add a number to some of the names, one that makes a name unlike all others."""
    for i in places:
        texts = (f"{short(found[i], room[i] - len(f' ({n})'))} ({n})" for n in count(2))
        found[i] = next(text for text in texts if text not in found)


def pair_label(a: str, b: str, link: str = "−") -> str:
    """Return one such label of its own: see `pair_labels`."""
    return pair_labels([(a, b)], link)[0]


def pair_labels(pairs: Sequence[tuple[str, str]], link: str = "−") -> list[str]:
    """Return labels of pairs of names that share the room, a short one leaving it to the other; pairs that differ stay different."""
    room = _LABEL_LENGTH - 2 - len(link)
    half = room // 2
    found = [
        f" {link} ".join(told_apart((a, b), max(half, room - width(b)), max(half, room - width(a))))
        for a, b in pairs
    ]
    if len(set(found)) == len(set(pairs)):
        return found
    names = list(dict.fromkeys(name for pair in pairs for name in pair))
    own = dict(zip(names, told_apart(names, half), strict=True))
    return [f"{own[a]} {link} {own[b]}" for a, b in pairs]


def fold(text: str, letters: int, lines: int = 3) -> str:
    """Return text of any length on at most so many lines of so many letters each; words are broken where nothing else helps."""
    whole = short(drawable(text), max(2, lines * letters - lines))
    # A number and its unit stay on one line.
    folded = "\n".join(_fold(whole.replace(" %", _FIRM), letters, lines))
    return escape(folded.replace(_FIRM, " %"))


def _fold(text: str, letters: int, lines: int) -> list[str]:
    found: list[str] = []
    rest = text
    while width(rest) > letters and len(found) < lines - 1:
        cut = rest
        while width(cut) > letters:
            cut = cut[:-1]
        word = max(cut.rfind(mark) for mark in _MARKS)
        if rest[len(cut)] not in _MARKS and 2 * word >= len(cut):
            cut = cut[: word + 1]
        found.append(cut.strip())
        rest = rest[len(cut) :].strip()
    return [*found, rest if width(rest) <= letters else short(rest, letters)]


def wrapped(name: str, letters: int) -> str | None:
    """Break a name into at most three lines of so many letters; None where a word would have to be broken."""
    whole = drawable(one_line(name))
    if max(map(width, whole.split()), default=0) > letters and width(whole) <= _SHORTEST:
        return None
    for length in (width(whole), *range(min(width(whole) - 1, 3 * letters), _SHORTEST - 1, -1)):
        lines = _lines(short(whole, max(length, 2)), letters)
        if lines is not None and len(lines) <= 3:
            return escape("\n".join(lines))
    return None


def _lines(text: str, letters: int) -> list[str] | None:
    """Return text broken between words; None where a word is too long."""
    lines: list[str] = []
    for word in text.split():
        if width(word) > letters:
            return None
        if lines and width(lines[-1]) + 1 + width(word) <= letters:
            lines[-1] += f" {word}"
        else:
            lines.append(word)
    return lines or [""]


def stands_level(names: Sequence[str], inches: float) -> bool:
    """Return whether names fit side by side, and are told apart, if each has so much room."""
    found = [wrapped(name, letters_in(inches)) for name in names]
    return None not in found and len(set(found)) == len(set(names))


def name_columns(
    ax: Any, at: Sequence[float], names: Sequence[str], share: float, *, above: bool = False
) -> None:
    """Write names at positions of the axis, slanted where they do not fit side by side into a share of its width each."""
    from matplotlib import rcParams

    inches = share * inches_wide(ax)
    if stands_level(names, inches):
        ax.set_xticks(at, [wrapped(name, letters_in(inches)) for name in names])
        return
    slanted = escaped(told_apart([drawable(name) for name in names], COLUMN_NAME))
    style = {"rotation": 45, "ha": "left" if above else "right", "rotation_mode": "anchor"}
    ax.set_xticks(
        at, slanted, fontsize=min(rcParams["font.size"], max(_FINEST, 72.0 * inches)), **style
    )


def name_axis(ax: Any, axis: str, text: str, scale: float = 1.0) -> None:
    """Write what an axis shows, each line of it on at most two lines as long as there is room."""
    from matplotlib import rcParams

    style: dict[str, Any] = {} if scale == 1.0 else {"fontsize": scale * rcParams["font.size"]}
    inches = 0.9 * place_inches(ax) if axis == "x" else inner_height(ax) - _BELOW
    shown = escape(text)
    if not text.isascii() or max(map(points_wide, shown.split("\n"))) * scale > 72.0 * inches:
        shown = "\n".join(fold(line, letters_in(inches, scale), 2) for line in text.split("\n"))
    if axis == "x" and max(map(width, shown.split("\n"))) > letters_in(inner_inches(ax), scale):
        inner, outer = extents(ax)
        # Longer than the axes are wide, it reaches below the names at their left.
        style["loc"] = "right" if inner.x0 - outer.x0 > 2.0 * (outer.x1 - inner.x1) else "center"
    getattr(ax, f"set_{axis}label")(shown, **style)


def entitle(ax: Any, title: str) -> None:
    """Write a title of any length above the axes."""
    if title:
        ax.set_title(fold(title, letters_in(inner_inches(ax), _TITLE), 2))


def name_directions(ax: Any, left: str, right: str, names: Sequence[str]) -> None:
    """Write above the axes what it means to lie left and right of 0: beside the line at 0, or at both edges where words are long.

    The names of the rows say how much of the width is left.
    """
    from matplotlib import rcParams

    aside = max(map(width, names), default=0) + 3
    # These are proper names, often in capitals, and more is lost by an edge than by a letter.
    letters = round(0.85 * max(_SHORTEST, letters_in(place_inches(ax)) - aside) / SMALL)
    left, right = (text and short(drawable(text), letters - 2) for text in (left, right))
    low, high = ax.get_xlim()
    share = -low / (high - low)
    fits = width(left) + 2 < share * letters + aside and width(right) + 2 < (1.0 - share) * letters
    small = {"fontsize": "small", "va": "bottom", "textcoords": "offset points"}
    middle = {"xycoords": ax.get_xaxis_transform(), **small}
    edge = {"xycoords": "axes fraction", **small}
    step = 1.4 * SMALL * rcParams["font.size"]
    if left:
        place = {"xy": (0.0, 1.0), **(middle if fits else edge)}
        lift = (-3, 1) if fits else (0, 1 + step * bool(right))
        ax.annotate(escape(f"← {left}"), xytext=lift, ha="right" if fits else "left", **place)
    if right:
        place = {"xy": (0.0, 1.0), **middle} if fits else {"xy": (1.0, 1.0), **edge}
        ax.annotate(
            escape(f"{right} →"),
            xytext=(3 if fits else 0, 1),
            ha="left" if fits else "right",
            **place,
        )


def inches_wide(ax: Any) -> float:
    """Return the width of axes as they stand now; a layout that leaves room for labels may make it smaller."""
    return float(ax.get_window_extent().width / ax.figure.dpi)


def inches_tall(ax: Any) -> float:
    """Return the height of axes as they stand now."""
    return float(ax.get_window_extent().height / ax.figure.dpi)


def points_wide(line: str, scale: float = 1.0) -> float:
    """Return how wide a line is in the user's font, of the user's size or of a share of it, in points."""
    from matplotlib import rcParams
    from matplotlib.font_manager import FontProperties
    from matplotlib.textpath import TextPath

    if not line.strip():  # which has no outline
        return 0.0
    path = TextPath((0, 0), line, size=scale * rcParams["font.size"], prop=FontProperties())
    return float(path.get_extents().width)


def row_points(ax: Any, rows: int, scale: float = 1.0) -> float:
    """Return the size of the names of rows, in points: the user's or a share of it, or less where rows are close."""
    from matplotlib import rcParams

    return float(
        min(scale * rcParams["font.size"], max(_FINEST, 0.75 * 72.0 * inches_tall(ax) / rows))
    )


def inner_inches(ax: Any) -> float:
    """Return how wide axes will be beside what has been written at their sides."""
    inner, outer = extents(ax)
    return max(0.5, place_inches(ax) - float((outer.width - inner.width) / ax.figure.dpi) - _EDGES)


def inner_height(ax: Any) -> float:
    """Return how high axes will be between what has been written above and below them."""
    inner, outer = extents(ax)
    place = ax.get_subplotspec()
    rows = 1 if place is None else place.get_topmost_subplotspec().get_gridspec().nrows
    around = float((outer.height - inner.height) / ax.figure.dpi)
    return max(0.5, float(ax.figure.bbox.height / ax.figure.dpi / rows) - around - _EDGES)


def extents(ax: Any) -> tuple[Any, Any]:
    """Return the boxes of axes without and with all that has been written around them, in pixels."""
    complete(ax)
    return ax.get_window_extent(), ax.get_tightbbox(for_layout_only=True)


def place_inches(ax: Any) -> float:
    """Return the width of the part of a figure that axes have with their labels."""
    place = ax.get_subplotspec()
    columns = 1 if place is None else place.get_topmost_subplotspec().get_gridspec().ncols
    return float(ax.figure.bbox.width / ax.figure.dpi / columns)


def letters_in(inches: float, scale: float = 1.0) -> int:
    """Return how many letters fit, of the user's size or of a share of it."""
    from matplotlib import rcParams

    return max(1, int(72.0 * inches / (_LETTER * scale * rcParams["font.size"])))

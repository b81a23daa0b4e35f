r"""Characters that the user's font lacks: from another installed font or, where none has them, as ``ascii`` writes them.

Matplotlib would draw an empty box and warn once per character. Here a text gets the families that complete its own, and no
setting is changed. What no installed font has is written as ``\u6728``: two names stay two names, and either can be looked up.
The log of errbar says so once per character. On a page the browser has fonts of its own, so there everything stays as it is.
"""

import logging
import re
import unicodedata
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import lru_cache
from typing import Any

# Those that are made for text come first; any other font that has the character follows.
_PREFERRED = (
    "DejaVu Sans", "Noto Sans CJK SC", "Noto Sans CJK JP", "Noto Sans CJK KR", "Noto Sans SC", "Noto Sans JP", "Noto Sans KR",
    "Source Han Sans SC", "WenQuanYi Micro Hei", "WenQuanYi Zen Hei", "Microsoft YaHei", "SimHei", "PingFang SC", "PingFang HK",
    "Hiragino Sans", "Yu Gothic", "Meiryo", "Malgun Gothic", "Apple SD Gothic Neo", "NanumGothic", "Arial Unicode MS",
    "Segoe UI", "Segoe UI Symbol", "Segoe UI Emoji", "Noto Sans", "Noto Emoji", "Symbola",
)  # fmt: skip
# Boxes for everything, and matplotlib's own old fonts for formulas, which have other characters than they say.
_NO_TEXT = re.compile(r"Last ?Resort|STIXNonUnicode|STIXSize|cm[a-z]+10$", re.IGNORECASE)
# Stands beside a wide character while a page is drawn, whose width DejaVu Sans does not know, and is taken out of the drawing: a
# third of an em that names do not have.
WIDENER = "\N{MODIFIER LETTER HALF TRIANGULAR COLON}"

_UPRIGHT = ("400", "normal", "regular", "book")

_log = logging.getLogger("errbar.plots")
_told: set[str] = set()
_page: ContextVar[bool] = ContextVar("page", default=False)


@contextmanager
def of_the_browser() -> Iterator[None]:
    """Draw for a page: characters stay, and wide ones get the room that they will need."""
    token = _page.set(True)
    try:
        yield
    finally:
        _page.reset(token)


def wide(character: str) -> bool:
    """Return whether a character is as wide as two letters, as those of Chinese, Japanese and Korean are."""
    return unicodedata.east_asian_width(character) in "WF"


def drawable(text: str) -> str:
    """Return text without characters that no installed font has."""
    if text.isascii():
        return text
    if _page.get():
        return "".join(f"{c}{WIDENER}" if wide(c) else c for c in text.replace(WIDENER, ""))
    _, lost = _completion(_own_families(), text)
    if not lost:
        return text
    if lost - _told:
        _told.update(lost)
        _log.warning(
            "no installed font has %s, so plots write %s; install a font that has them, such as Noto Sans CJK",
            ", ".join(map(repr, sorted(lost))),
            ascii(min(lost))[1:-1],
        )
    return "".join(ascii(c)[1:-1] if c in lost else c for c in text)


def complete(artist: Any) -> None:
    """Give the texts of axes or of a legend the families that have what their own lack."""
    if _page.get():
        return
    for text in artist.findobj(lambda one: hasattr(one, "set_fontfamily")):
        shown = text.get_text()
        if shown and not shown.isascii():
            own = tuple(text.get_fontfamily())
            families, _ = _completion(own, shown)
            if families:
                text.set_fontfamily([*own, *families])


def _own_families() -> tuple[str, ...]:
    from matplotlib import rcParams

    return tuple(rcParams["font.family"])


def _completion(own: tuple[str, ...], text: str) -> tuple[tuple[str, ...], frozenset[str]]:
    """Return the families that complete some others for a text, and the characters that no font has."""
    from matplotlib.font_manager import fontManager

    missing = {c for c in text if not c.isascii() and not c.isspace()}
    for family in own:
        missing -= _had(family, frozenset(missing))
    if not missing:
        return (), frozenset()
    # Fonts can be added at any time, so their number belongs to the key of the cache.
    return _search(frozenset(missing), len(fontManager.ttflist))


@lru_cache(maxsize=256)
def _search(missing: frozenset[str], _fonts: int) -> tuple[tuple[str, ...], frozenset[str]]:
    from matplotlib.font_manager import fontManager

    # Upright faces come last, so that each family is represented by one.
    faces = sorted(
        fontManager.ttflist,
        key=lambda entry: (entry.style == "normal", str(entry.weight) in _UPRIGHT),
    )
    installed = {
        entry.name: entry.fname for entry in faces if not _NO_TEXT.match(entry.name.lstrip("."))
    }
    found, left = [], set(missing)
    for family in [
        *filter(installed.__contains__, _PREFERRED),
        *sorted(set(installed) - set(_PREFERRED)),
    ]:
        had = _glyphs(installed[family], left)
        if had:
            found.append(family)
            left -= had
        if not left:
            break
    return tuple(found), frozenset(left)


def _had(family: str, characters: frozenset[str]) -> frozenset[str]:
    """Return which characters a family of the user's has."""
    from matplotlib.font_manager import FontProperties, findfont

    try:
        return _glyphs(
            findfont(FontProperties(family=[family]), fallback_to_default=False), characters
        )
    except ValueError:  # not installed
        return frozenset()


def _glyphs(path: str, characters: Iterable[str]) -> frozenset[str]:
    """Return which characters a font has, in outlines: matplotlib cannot draw fonts of pictures, as some for emoji are."""
    from matplotlib.font_manager import get_font

    try:
        font = get_font(path)
    except (OSError, RuntimeError):  # no font that can be read
        return frozenset()
    return (
        frozenset(c for c in characters if font.get_char_index(ord(c)))
        if font.scalable
        else frozenset()
    )

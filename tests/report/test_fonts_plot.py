"""Characters that the font of plots lacks: from another font if one has them, and written out if none has."""

import logging
import re
from pathlib import Path

import numpy as np
import pytest
from matplotlib import font_manager, get_data_path, rc_context
from matplotlib.backends.backend_agg import FigureCanvasAgg

from errbar import plots
from errbar.plots import _fonts

pytest.importorskip("fontTools")
NAMES = ("随机森林", "forêt", "δένδρο", "🦖 net")
# Of the Khitan small script.
UNKNOWN = "\U00018b00"
OWN = Path(get_data_path())


@pytest.fixture(autouse=True)
def fonts_of_matplotlib(monkeypatch):
    """Install no fonts but matplotlib's own, whatever the machine has, and begin with nothing said."""
    own = [entry for entry in font_manager.fontManager.ttflist if OWN in Path(entry.fname).parents]
    monkeypatch.setattr(font_manager.fontManager, "ttflist", own)
    monkeypatch.setattr(_fonts, "_told", set())
    _fonts._search.cache_clear()
    yield
    _fonts._search.cache_clear()


@pytest.fixture
def font(tmp_path):
    """Install, for one test, a font that has a square for one character that no other font has."""
    from fontTools.fontBuilder import FontBuilder
    from fontTools.pens.ttGlyphPen import TTGlyphPen

    pen = TTGlyphPen(None)
    pen.moveTo((0, 0))
    for corner in ((0, 700), (700, 700), (700, 0)):
        pen.lineTo(corner)
    pen.closePath()
    builder = FontBuilder(1000, isTTF=True)
    builder.setupGlyphOrder([".notdef", "square"])
    builder.setupCharacterMap({ord(UNKNOWN): "square"})
    builder.setupGlyf({".notdef": TTGlyphPen(None).glyph(), "square": pen.glyph()})
    builder.setupHorizontalMetrics({".notdef": (500, 0), "square": (1000, 0)})
    builder.setupHorizontalHeader(ascent=800, descent=-200)
    builder.setupNameTable({"familyName": "Errbar Squares", "styleName": "Regular"})
    builder.setupOS2()
    builder.setupPost()
    path = tmp_path / "squares.ttf"
    builder.save(path)
    font_manager.fontManager.addfont(path)
    return "Errbar Squares"


def of(*names):
    return {name: (i, i - 1.0, i + 1.0) for i, name in enumerate(names)}


def drawn(ax):
    """Draw; a character without a glyph would warn, which fails a test."""
    FigureCanvasAgg(ax.figure).draw()
    return [text.get_text() for text in ax.get_yticklabels()]


def test_another_font_completes_that_of_the_user(font, caplog):
    ax = plots.estimates(of(f"{UNKNOWN} net", "tree"))
    assert drawn(ax) == [f"{UNKNOWN} net", "tree"]
    first, second = ax.get_yticklabels()
    assert first.get_fontfamily() == ["sans-serif", font]
    assert second.get_fontfamily() == ["sans-serif"]
    assert not caplog.records


def test_what_no_font_has_is_written_out_and_said_once(caplog):
    with caplog.at_level(logging.WARNING, "errbar"):
        assert drawn(plots.estimates(of(f"{UNKNOWN} net", "tree"))) == [r"\U00018b00 net", "tree"]
        drawn(plots.estimates(of(f"{UNKNOWN} net", "tree")))
    [record] = caplog.records
    assert r"\U00018b00" in record.getMessage()


def test_names_without_a_font_stay_different():
    names = [f"{UNKNOWN * 8}{chr(0x18B01 + i)}{UNKNOWN * 8}" for i in range(8)]
    found = drawn(plots.estimates(of(*names)))
    assert len(set(found)) == len(names)
    assert all(label.isascii() or "…" in label for label in found)


@pytest.mark.parametrize(
    "family", [["sans-serif"], ["DejaVu Serif"], ["no such font", "DejaVu Sans Mono"]]
)
def test_no_box_and_no_warning_in_any_plot(family, monkeypatch):
    rng = np.random.default_rng(0)
    scores = {name: rng.normal(size=12) for name in NAMES}
    with rc_context({"font.family": family}):
        monkeypatch.setattr(logging.getLogger("matplotlib.font_manager"), "disabled", True)
        for chart in (
            plots.comparison_matrix_of(scores, title=NAMES[0]),
            plots.paired_splits_of(scores),
            plots.critical_difference_of(
                dict(zip(NAMES, (1.0, 2.0, 3.0, 4.0), strict=True)), cd=1.5, title=NAMES[3]
            ),
            plots.differences_of(of(*NAMES), left=NAMES[0], right=NAMES[3]),
        ):
            drawn(plots.draw(chart))


def test_a_page_keeps_all_characters_and_gives_wide_ones_room():
    chart = plots.estimates_of(of(*NAMES, UNKNOWN))
    drawing = plots.svg(chart, "x", "title")
    assert [name for name in (*NAMES, UNKNOWN) if f">{name}</text>" not in drawing] == []
    assert _fonts.WIDENER not in drawing
    assert drawing == plots.svg(chart, "x", "title")
    narrow, wide = (
        plots.svg(plots.estimates_of(of(name)), "x", "t") for name in ("aaaa", "木木木木")
    )
    assert first_tick(wide) > first_tick(narrow)


def first_tick(drawing):
    """Return where the marks of the axes begin, which is further right the more room names take."""
    return min(float(x) for x in re.findall(r'<use href="[^"]*" x="([\d.]+)"', drawing))

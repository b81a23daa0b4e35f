"""What the four pictures share: their look, a figure of a column's width, names and numbers."""

import builtins
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from errbar import _check
from errbar._plain import Names

COLUMN = 3.3
"""Inches: the width of a column of a paper."""

INK, SOFT, GRID = "#1a1f24", "#57606a", "#e3e8ec"
MARK, QUIET = "#0b5cad", "#818b96"

STYLE = Path(__file__).with_name("paper.mplstyle")
"""Settings of matplotlib under which a figure of our own is drawn; on the user's axes their own hold."""


@contextmanager
def drawing(ax: Any, height: float) -> Iterator[Any]:
    _check.package("matplotlib", "app")
    if ax is not None:
        yield ax
        return
    from matplotlib import style
    from matplotlib.figure import Figure

    make: Any = Figure
    if "matplotlib.pyplot" in sys.modules or hasattr(builtins, "__IPYTHON__"):
        import matplotlib.pyplot as plt

        make = plt.figure
    with style.context(STYLE):
        figure = make(figsize=(COLUMN, height), layout="constrained")
        figure.get_layout_engine().set(w_pad=0.03, h_pad=0.03)
        yield figure.add_subplot()
        figure.draw_without_rendering()  # ticks take their look when they are first drawn


def name_rows(ax: Any, names: Names) -> None:
    ax.set_yticks(range(len(names)), shortened(names), parse_math=False)
    ax.tick_params(axis="y", length=0)
    ax.spines["left"].set_visible(False)


def shortened(names: Names, longest: int = 28) -> Names:
    whole = [" ".join(str(name).split()) for name in names]
    half = longest // 2
    short = [
        name if len(name) <= longest else f"{name[: half - 1]}…{name[-half:]}" for name in whole
    ]
    if len(set(short)) < len(set(whole)):  # numbered, since whole ones would leave the axes no room
        short = [f"{row + 1}: {name}" for row, name in enumerate(short)]
    return short

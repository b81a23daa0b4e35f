"""The web page, and what templates need: every place on an axis in percent of its width."""

import html
import json
import math
import re
from functools import cache
from typing import Any

import numpy as np

from errbar import _check, _markup
from errbar._plain import Data
from errbar._version import __version__
from errbar.report.numbers import minus, prose
from errbar.report.story import Table
from errbar.report.words import clean

_AIR = 2.0
"""Percent of the width that stay free at each end of an axis."""

_TICKS = 5
_CROWD = 31
"""So many learners have neither a triangle of p-values nor all rows at once."""

_FIRST = 20


@cache
def templates() -> Any:
    """Return the templates of all forms."""
    jinja2 = _check.package("jinja2", "app")
    found = jinja2.Environment(
        loader=jinja2.PackageLoader("errbar.report", "templates"),
        autoescape=jinja2.select_autoescape(["html", "html.jinja"]),
        trim_blocks=True,
        lstrip_blocks=True,
    )
    found.filters.update(
        md=_markup.markdown, tex=_markup.latex, minus=minus, prose=prose, code=_code
    )
    found.globals.update(view_of=view_of, version=__version__)
    return found


def view_of(story: Any, place: int, *, scripted: bool) -> Data:
    """Return what the template of a page needs; without a script nothing is sorted, filtered or chosen."""
    tables = [story.ranking, *filter(None, [story.differences])]
    crowd = len(story.names) >= _CROWD
    facts = None
    if scripted and story.many and story.turns:
        turned = {clean(name): drawn(story.against(name)) for name in story.names[:_FIRST]}
        facts = json.dumps(turned, separators=(",", ":")).replace("<", "\\u003c")
    names = [name for one in tables for name in (one.heads[0], *(row.name for row in one.rows))]
    return {
        "key": place if scripted else f"n{id(story)}",
        "story": story,
        "size": "crowd" if crowd else "many" * story.many,
        "many": scripted and story.many,
        "first": _FIRST * crowd,
        "chars": max(map(len, names)),
        "drawn": list(map(drawn, tables)),
        "triangle": story.triangle if story.many and not crowd else [],
        "facts": facts,
    }


def drawn(table: Table) -> Data:
    """Return the rows of a table with the places of their intervals, and ticks."""
    low, high = table.limits
    scale = (100.0 - 2.0 * _AIR) / (high - low)

    def at(*values: float) -> list[float]:
        inside = np.clip(values, low, high) - low
        return [round(place, 2) for place in (_AIR + scale * inside).tolist()]

    step, decimals = _step(high - low)
    ticks = [
        {"x": at(step * k)[0], "text": minus(f"{step * k:.{decimals}f}") if k else "0"}
        for k in range(math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9) + 1)
    ]
    slack = 1e-9 * (high - low)
    # The last column that is shown beside a picture: p, where there is one.
    shown = 0, 1, 3 if len(table.heads) > 4 else 2
    rows = []
    for row in table.rows:
        named = zip(("", *table.heads[2:]), row.cells, strict=True)
        told = [f"{head} {cell}" for head, cell in named if cell]
        told += [table.above] * bool(row.wide)
        cells = [row.cells[place] for place in shown]
        ends = (row.low, row.estimate, row.high) if row.drawn else [row.estimate] * 3
        rows.append(
            {
                "name": row.name,
                "estimate": row.estimate,
                "p": cells[2],
                "cells": list(map(minus, cells)),
                "strong": row.strong,
                "wide": at(*row.wide) if row.wide and row.drawn else None,
                "x": at(*ends),
                "dot": low - slack <= row.estimate <= high + slack,
                "left": row.drawn and row.low < low - slack,
                "right": row.drawn and row.high > high + slack,
                "aloud": prose(minus(f"{row.name}:" + "\n".join(told))),
            }
        )
    heads = [table.heads[0], *(table.heads[place + 1] for place in shown)]
    if table.sides:
        heads[1] = "difference"
    return {
        "heads": heads,
        "ticks": ticks,
        "rows": rows,
        "tested": table.tested,
        "sides": table.sides,
    }


def _code(text: str) -> Any:
    """Return a sentence whose names of arguments are set as code."""
    from markupsafe import Markup

    return Markup(re.sub("`([^`]+)`", r"<code>\1</code>", html.escape(text)))


def _step(width: float) -> Any:
    """Return a round distance of ticks, and the decimals that it needs."""
    raw = width / _TICKS
    unit = 10.0 ** math.floor(math.log10(raw))
    factor = min((1.0, 2.0, 2.5, 5.0, 10.0), key=lambda one: abs(math.log(one * unit / raw)))
    decimals = -math.floor(math.log10(factor * unit) + 1e-9) + (factor == 2.5)
    return factor * unit, max(0, decimals)

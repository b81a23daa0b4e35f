"""The web page, and what templates need: every place on an axis in percent of its width."""

import html
import json
import math
import re
from collections.abc import Sequence
from functools import cache
from typing import Any

from errbar import _check, _markup
from errbar._version import __version__
from errbar.report.numbers import minus, pvalue
from errbar.report.story import FEW, Row, Story, Table

_AIR = 2.0
"""Percent of the width that stay free at each end of an axis."""

_TICKS = 5
_CROWD = 31
_FIRST = 20
_MOST_CELLS = 31
"""So many learners have a triangle of p-values."""


@cache
def _templates() -> Any:
    jinja2 = _check.package("jinja2", "app")
    loader = jinja2.PackageLoader("errbar.report", "templates")
    found = jinja2.Environment(
        loader=loader,
        autoescape=jinja2.select_autoescape(["html", "html.jinja"]),
        trim_blocks=True,
        lstrip_blocks=True,
    )
    found.filters.update(md=_markup.markdown, tex=_markup.latex, minus=minus, code=_code)
    return found


def filled(name: str, **values: Any) -> str:
    """Return a template with its values."""
    return str(_templates().get_template(name).render(version=__version__, **values)).strip()


def page(stories: Sequence[Story], names: Sequence[str], remarks: Sequence[str]) -> str:
    """Return the page of one comparison or several."""
    views = [_view(story, place) | {"facts": _facts(story)} for place, story in enumerate(stories)]
    return filled("page.html.jinja", views=views, names=names, remarks=remarks)


def part(stories: Sequence[Story]) -> str:
    """Return the same as an element of another page, without script."""
    # Without a script nothing is sorted, filtered or chosen.
    views = [_view(story, f"n{id(story)}") | {"many": False} for story in stories]
    return filled("fragment.html.jinja", views=views)


def _view(story: Story, key: object) -> dict[str, Any]:
    """Return what the template of one comparison needs."""
    count = len(story.ranking.rows)
    many = count > FEW
    differences = story.differences
    tables = [story.ranking, differences] if differences else [story.ranking]
    return {
        "key": key,
        "story": story,
        "size": "crowd" if count >= _CROWD else "many" if many else "",
        "many": many,
        "first": _FIRST if count >= _CROWD else None,
        "chars": max(len(row.name) for table in tables for row in table.rows),
        "ranking": _drawn(story.ranking),
        "differences": None if differences is None else _drawn(differences),
        "triangle": _triangle(story) if many and count <= _MOST_CELLS else None,
    }


def _can_turn(story: Story) -> bool:
    """Tell whether the learner that others are compared with may be changed."""
    comparison = story.comparison
    two_sided = comparison.alternative == "two-sided"
    return comparison.baseline is None and two_sided and not comparison.quantity


def _drawn(table: Table) -> dict[str, Any]:
    """Return a table with the places of its intervals and ticks."""
    low, high = table.limits

    def at(value: float) -> float:
        inside = min(max(value, low), high)
        return round(_AIR + (100 - 2 * _AIR) * (inside - low) / (high - low), 2)

    step, digits = _step(high - low)
    ticks = [
        {"x": at(step * k), "text": minus(f"{step * k:.{digits}f}") if k else "0", "zero": not k}
        for k in range(math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9) + 1)
    ]
    rows = [_placed(table, row, at) for row in table.rows]
    zeros = bool(table.sides)
    return {"table": table, "ticks": ticks, "rows": rows, "zeros": zeros}


def _placed(table: Table, row: Row, at: Any) -> dict[str, Any]:
    low, high = table.limits
    slack = 1e-9 * (high - low)
    seen = row.drawn and row.low <= high and row.high >= low
    return {
        "row": row,
        "estimate": minus(table.digits.number(row.estimate)),
        "interval": minus(table.digits.span(row.low, row.high)) if row.drawn else "none",
        "wide": [at(end) for end in row.wide] if row.wide and row.drawn else None,
        "x": [at(row.low), at(row.estimate), at(row.high)],
        "line": seen,
        "dot": low - slack <= row.estimate <= high + slack,
        "left": row.drawn and row.low < low - slack,
        "right": row.drawn and row.high > high + slack,
        "hollow": bool(table.sides) and not row.strong,
        "aloud": _aloud(table, row),
    }


def _aloud(table: Table, row: Row) -> str:
    """Return the numbers of a row in words, for hover and for readers of screens."""
    lines = [f"{row.name}: {table.digits.number(row.estimate)}"]
    if row.drawn:
        lines.append(f"{table.heads[2]} {table.digits.span(row.low, row.high)}")
    if row.wide:
        lines.append(f"as selected best {table.digits.span(*row.wide)}")
    lines += [
        f"{head} {cell}" for head, cell in zip(table.heads[3:], row.cells, strict=True) if cell
    ]
    return minus("\n".join(lines))


def _code(text: str) -> Any:
    """Return a sentence whose names of arguments are set as code."""
    from markupsafe import Markup

    return Markup(re.sub("`([^`]+)`", r"<code>\1</code>", html.escape(text)))


def _step(width: float) -> tuple[float, int]:
    """Return a round distance of ticks, and the decimals that it needs."""
    raw = width / _TICKS
    unit = 10.0 ** math.floor(math.log10(raw))
    factor = min((1.0, 2.0, 2.5, 5.0, 10.0), key=lambda one: abs(math.log(one * unit / raw)))
    decimals = -math.floor(math.log10(factor * unit) + 1e-9) + (factor == 2.5)
    return factor * unit, max(0, decimals)


def _triangle(story: Story) -> dict[str, Any]:
    """Return the p-values, or probabilities, of all pairs by rank."""
    comparison = story.comparison
    names = comparison.listed_learners
    if comparison.baseline is not None or comparison.quantity:
        return {}
    known = {frozenset((one.pair.a, one.pair.b)): one for one in comparison.decisions}
    rows = []
    for i, name in enumerate(names):
        cells = []
        for other in names[:i]:
            found = known[frozenset((name, other))]
            p = found.pair.adjusted
            # Stars fall with p where there are p-values, and say what is decided where there are none.
            stars = sum(p < bound for bound in (0.001, 0.01)) + 1 if found.significant else 0
            text = "" if comparison.bayesian else pvalue(p, comparison.alpha)
            cells.append({"p": "" if text == "1" else text, "stars": stars})
        rows.append({"name": name, "cells": cells})
    significant = sum(one.significant for one in comparison.decisions)
    return {"rows": rows, "count": len(comparison.pairs), "significant": significant}


def _facts(story: Story) -> str | None:
    """Return what the script needs to change the learner that others are compared with, if it may."""
    names = story.comparison.listed_learners
    if len(names) <= FEW or not _can_turn(story):
        return None
    drawn = {name: _drawn(story.against(name)) for name in names[:_FIRST]}
    views = {
        name: [
            {
                "name": one["row"].name,
                "cells": [one["estimate"], one["interval"], *map(minus, one["row"].cells)],
                "strong": one["row"].strong,
                **{key: one[key] for key in ("x", "line", "dot", "left", "right", "aloud")},
                "sort": [one["row"].estimate, one["row"].cells[1]],
            }
            for one in view["rows"]
        ]
        for name, view in drawn.items()
    }
    axes = {name: view["ticks"] for name, view in drawn.items()}
    data = {"views": views, "axes": axes}
    return json.dumps(data, separators=(",", ":")).replace("<", "\\u003c")

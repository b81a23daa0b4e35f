"""Rows of sheets that are summaries of others: means, standard deviations, counts of wins."""

import re
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from errbar import _check
from errbar.errors import InvalidInputError
from errbar.result import Note
from errbar.sources._numerals import is_text

_OVER = (
    r" (over|across|of)( all| the)* ?(\d+ )?(folds?|splits?|runs?|seeds?|rows|repeats?|repetitions|data ?sets?|tasks)"
)
STRONG = re.compile(
    r"((overall|grand|weighted|macro|geometric|friedman('?s)?) )?(mean|avg\.?|average|median|std\.?|sd|s\.d\.|stdev|st\.? ?dev\.?|"
    r"std\.? ?dev(iation)?\.?|standard deviation|sem|se|s\.e\.(m\.)?|std\.? ?err(or)?\.?|standard error|ranks?|rank ?sum|sum of ranks|σ)"
    rf"( ?(ranks?|score|acc|accuracy|error|loss))?({_OVER})?( \((std|sd|se|sem|all)\))?|"
    r"(mean|avg\.?|average) ?(±|\+/?-) ?(std|sd)\.?|overall|mittel(wert)?|durchschnitt|standardabweichung|stabw\.?|moyenne|"
    r"(w|wins?) ?[/-] ?(t|d|ties?|draws?) ?[/-] ?(l|loss(es)?)|wins|(#|no\.?|number|n)( of)? ?(wins|ties|losses|best|firsts)|"
    r"top[- ]?\d+ ?(counts?|wins)|(friedman )?p[- ]?values?( \(.+\))?"
)
"""Rows that are called so are summaries where they stand first or last."""
_WEAK = re.compile(r"min(imum)?|max(imum)?|count|sum|total|best|worst|\d\d?%")
"""Rows that are called so are summaries where another one beside them surely is."""
_CODE = 2
"""So many letters, and no others in any row, are codes: SE among AT, DE, FR is Sweden."""
_NUMBERED = re.compile(r"[a-z]* ?[-.#]?\d+(\.0)?")
_LATEX = re.compile(r"\\[a-z]+\{|[{}$*]")

_FEW_ROWS = 3
_CHANCE = 1e-3
"""A last row that is by chance the mean of all others to the last digit is less likely than this, or it is not refused."""


def without_summaries(data: Any, where: str, labels: Iterable[str]) -> tuple[Any, NDArray[np.bool_], tuple[Note, ...]]:
    """Return a frame without rows that a label, or the index, calls a mean or the like, and which rows are left.

    Among labels that are numbered, such as folds, any word counts. Among words, those count that stand first or last.
    """
    pandas = _check.package("pandas", "app")
    index = [data.index.get_level_values(level) for level in range(data.index.nlevels)]
    texts = [column for column in (*(data[name] for name in labels), *index) if is_text(column)]
    out = np.zeros(len(data), dtype=bool)
    called: dict[str, None] = {}
    for column in texts:
        code, values = pandas.factorize(pandas.Series(column))
        cells = [_bare(value) for value in values]
        summaries = _summaries(cells)
        out |= np.isin(code, summaries)
        called |= dict.fromkeys(cells[i] for i in summaries)
    if not called:
        return data, ~out, ()
    if out.all():
        raise InvalidInputError(f"{where} holds summaries only, and tests need the number of each split or example")
    kept = data[~out].infer_objects()
    for name in kept.columns[[is_text(kept[name]) for name in kept.columns]]:
        numbers = pandas.to_numeric(kept[name], errors="coerce")
        kept[name] = numbers if numbers.notna().all() else kept[name]
    return kept, ~out, (Note("read", summaries_left_out=list(called)),)


def _summaries(cells: Sequence[str]) -> list[int]:
    """Return which of the labels, in the order in which they first occur, name summaries."""
    named = [bool(STRONG.fullmatch(cell) or _WEAK.fullmatch(cell)) for cell in cells]
    if all(len(cell) == _CODE and cell.isalpha() for cell in cells):
        return []
    others = [i for i, one in enumerate(named) if not one]
    if all(_NUMBERED.fullmatch(cells[i]) for i in others):
        blocks = [[i for i, one in enumerate(named) if one]]
    else:
        blocks = [list(range(others[0])), list(range(others[-1] + 1, len(cells)))]
    return [i for block in blocks if any(STRONG.fullmatch(cells[i]) for i in block) for i in block]


def _bare(value: Any) -> str:
    text = _LATEX.sub("", str(value).lower()).replace("_", " ").strip(" :")
    return text[1:-1] if text[:1] + text[-1:] == "()" else text


def digit(column: Any) -> float:
    """Return half a unit of the last digit that a column of numbers is written with."""
    places = max(len(text.partition(".")[2]) for text in (f"{value:.12f}".rstrip("0") for value in column))
    return float(0.5000001 * 10.0**-places)


def refuse_odd_labels(column: Any, name: str, where: str) -> None:
    """Raise if a few labels of rows hold no number and all others are numbered, such as Total below fold 1, fold 2 ..."""
    labels = list(dict.fromkeys(column.astype(str)))
    odd = [label for label in labels if not _NUMBERED.fullmatch(_bare(label))]
    if odd and len(labels) - len(odd) >= max(_FEW_ROWS, 2 * len(odd)):
        raise InvalidInputError(
            f"column {name!r} of {where} holds {odd[0]!r} beside {labels[0]!r} and others with numbers; take that row out, or name the column "
            "of the test examples, if rows are these, with --example (`example`)"
        )


def refuse_mean_row(data: Any, names: Sequence[str], where: str) -> None:
    """Raise if the last row holds the means, or the sums, of all others, and that is no chance.

    The chance is that of normal numbers with the correlations of the rows above: each learner adds what those before it leave open.
    """
    if len(data) <= _FEW_ROWS or not names:
        return
    numbers = data[list(names)].to_numpy(dtype=float)
    above, last = numbers[:-1], numbers[-1]
    digits = np.array([digit(data[name].iloc[-1:]) for name in names])
    made = {"means": above.mean(axis=0), "sums": above.sum(axis=0)}
    what = next((what for what, row in made.items() if (np.abs(row - last) <= digits).all()), None)
    if not np.isfinite(numbers).all() or what is None:
        return
    own = np.abs(np.diag(np.linalg.qr(above - above.mean(axis=0))[1]))
    free = len(above) - 1.0 - np.arange(own.size)
    spread = own[free > 0.0] / np.sqrt(free[free > 0.0])
    near = digits[: spread.size]
    if np.prod(np.where(near < spread, near / np.maximum(spread, near), 1.0)) >= _CHANCE:
        return
    raise InvalidInputError(
        f"the last row of {where} holds the {what} of the rows above it; take it out, as tests need the number of each split alone, or "
        f"name the learners if it is one of these, as in --columns {','.join(names)} (`names`)"
    )

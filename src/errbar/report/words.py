"""The words that all forms of a report share: what is measured, on which plan, and how things are listed and counted."""

import html
import math
import re
import tomllib
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from statistics import median_low
from typing import Any, NamedTuple

import numpy as np

from errbar import _check, _plain, metrics
from errbar._check import FloatArray
from errbar._plain import Names
from errbar._version import __version__
from errbar.comparison import Comparison
from errbar.methods import lookup
from errbar.methods._core.references import REFERENCES
from errbar.plans import KINDS
from errbar.plans._base import RUNS

WORDS = tomllib.loads(Path(__file__).with_name("words.toml").read_text(encoding="utf-8"))


def measure(key: str) -> str:
    """Return what is measured, in words."""
    if key == "correct":  # a column of zeros and ones
        return "share correct"
    known = metrics.in_words(key)
    plain = re.fullmatch("[a-z0-9_]+", key)
    return known if known != key else clean(key.replace("_", " ") if plain else key)


def measured(loss: metrics.Loss) -> str:
    """Return what a loss measures, and of which class, in words."""
    of_class = "" if loss.positive is None else clean(f" of class {loss.positive}")
    return f"{measure(loss.key)}{of_class}"


def heading(text: str) -> str:
    """Return words with a capital; a name that a user has spelled in a way of its own stays as it is."""
    return text[:1].upper() + text[1:] if re.fullmatch("[a-z0-9 -]+", text) else text


def clean(name: str) -> str:
    """Return a name on one line and without characters that control a terminal."""
    return " ".join(
        "".join(character if character.isprintable() else " " for character in name).split()
    )


def sentence(text: str) -> str:
    """Return a note as a sentence on one line."""
    text = clean(text).removesuffix(".")
    first = text.partition(" ")[0]
    named = first != first.lower()  # such as mAP50, which stays as it is
    return f"{text if named else text[:1].upper() + text[1:]}."


def listed(names: Names) -> str:
    """Return names as a list in a sentence."""
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def counted(count: int, noun: str) -> str:
    """Return a count with its noun in the singular or plural."""
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def splits_of(comparison: Comparison) -> str:
    """Return the plan in words, such as ``10 folds, twice``."""
    splits, looks = comparison.used.splits, comparison.looks
    design, kind = splits.designs[0], splits.kinds[0]
    if looks is not None and (counts := set(looks.splits.values())) > {min(counts)}:
        return f"{min(counts)} to {max(counts)} random splits"
    if kind == RUNS:
        each = sorted({*np.isfinite(comparison.used.scores).sum(axis=1).tolist()})
        return f"{' to '.join(map(str, {each[0]: 0, each[-1]: 0}))} {kind.words}"
    sizes = splits.n_test
    if design.seeds > 1:
        seeds = splits.labels["seed"]
        sizes = sizes[seeds == seeds[0]]
    found = plan_words(kind, sizes, splits.repeats(0))
    together = kind == "holdout"
    if design.clusters is not None and not design.clustered_scores:
        groups = counted(groups_tested(comparison), "group")
        found += f" {'in' if together else 'of'} {groups}"
    if design.time is not None and together and not design.backwards:
        found += " in the order of time"
    if design.seeds > 1:
        return f"{design.seeds} seeds {'on' if together else 'in'} {found}"
    return found


def groups_tested(comparison: Comparison) -> int:
    """Return the number of groups of examples that are tested."""
    [design, *_], cells = comparison.used.splits.designs, comparison.used.cells
    if design.clusters is None or cells is None:
        return design.n_clusters
    return _check.distinct(design.clusters[cells.example])


def plan_words(kind: str, n_test: FloatArray, repeats: int) -> str:
    """Return a plan in words."""
    if noun := WORDS["nouns"].get(kind):
        return counted(n_test.size, noun)
    if kind == "holdout":
        size = float(n_test[0])
        return "one test set" if math.isnan(size) else counted(int(size), "test example")
    if kind == "5x2":
        return "2 folds, 5 times"
    if kind == "nested-kfold":
        # Outer folds, and each of them inside each other.
        return f"{math.isqrt(n_test.size // repeats)} folds{_times(repeats)}, alone and in pairs"
    if kind != "kfold":
        return KINDS[kind].words if kind in KINDS else "given splits"
    folds = n_test.size // repeats
    if repeats == 1 and (n_test == 1).all():
        return f"leave-one-out of {folds} examples"
    return f"{folds} folds{_times(repeats)}"


def _times(repeats: int) -> str:
    return {1: "", 2: ", twice"}.get(repeats, f", {repeats} times")


# Rounding: from floats to the digits that people read.

_OF_ERROR, _OF_ESTIMATE = 2, 4
_MOST_DECIMALS = 8
_TOO_LARGE = 1e9


class Digits(NamedTuple):
    """How many decimals the numbers of one page get, so that they can be compared at a glance; None for powers of ten."""

    decimals: int | None

    @classmethod
    def of(cls, results: Iterable[Any]) -> "Digits":
        """Choose decimals for results."""
        rows = list(results)
        return cls.of_errors([row.se for row in rows], [row.estimate for row in rows])

    @classmethod
    def of_errors(cls, errors: Iterable[float], estimates: Iterable[float]) -> "Digits":
        """Choose decimals that show two digits of the median standard error, or four of an estimate without any."""
        known = [error for error in errors if error > 0.0 and math.isfinite(error)]
        sizes = [abs(estimate) for estimate in estimates if estimate]
        size, digits = min(sizes, default=1.0), _OF_ESTIMATE
        if known:
            size, digits = median_low(known), _OF_ERROR
        decimals = max(0, digits - 1 - math.floor(math.log10(size)))
        readable = decimals <= _MOST_DECIMALS and max(sizes + known, default=0.0) < _TOO_LARGE
        return cls(decimals if readable else None)

    def number(self, value: float) -> str:
        """Return a number in plain ASCII."""
        if not math.isfinite(value):
            return "unknown" if math.isnan(value) else f"{value:g}"
        text = f"{value:.3e}" if self.decimals is None else f"{value:.{self.decimals}f}"
        return text.removeprefix("-") if float(text) == 0.0 else text

    def span(self, low: float, high: float) -> str:
        """Return both ends of an interval."""
        if math.isinf(low) or math.isinf(high):
            if math.isinf(high):
                return "unbounded" if math.isinf(low) else f"{self.number(low)} or more"
            return f"{self.number(high)} or less"
        return f"{self.number(low)} to {self.number(high)}"


def pvalue(p: float, alpha: float) -> str:
    """Return a p-value such as ``.15``, ``.047`` or ``<.001``, with as many digits as tell on which side of `alpha` it lies."""
    if p < 0.001 <= alpha:
        return "<.001"
    if p >= 0.995:
        return "1"
    for decimals in range(2 if p >= 0.1 else 3, 13):
        text = f"{p:.{decimals}f}"
        if float(text) > 0.0 and (float(text) <= alpha) == (p <= alpha):
            return text.removeprefix("0")
    return f"{p:.2g}"


def named(p: str, name: str = "p") -> str:
    """Return a p-value or a probability as a sentence takes it."""
    return f"{name} {p[0]} {p[1:]}" if p[0] in "<>" else f"{name} = {p}"


def probability(value: float) -> str:
    """Return a probability with three decimals, or as a bound where these would make it certain."""
    if 0.9995 <= value < 1.0:
        return ">.999"
    if 0.0 < value < 0.0005:
        return "<.001"
    return f"{value:.3f}".removeprefix("0") if value < 1.0 else "1"


def plain(value: float) -> str:
    """Return a number as short as it goes without loss for reading, such as a size or a margin."""
    return f"{value:.6g}"


def percent(share: float) -> str:
    """Return a share in percent."""
    return f"{plain(100 * share)} %"


def rough(value: float) -> str:
    """Return a number with two digits, as a planned study asks for."""
    return f"{float(f'{value:.2g}'):g}"


def size(n: float) -> str:
    """Return a number of examples, which is a mean where splits differ in size."""
    return f"{n:.0f}" if n == round(n) else f"about {n:.0f}"


def at_size(n: float) -> str:
    """Return at which training size, where it is known."""
    return "" if math.isnan(n) else f" at training size {size(n)}"


def known(sizes: FloatArray) -> str:
    """Return the least and the largest of those sizes that are known."""
    found = np.sort(sizes[~np.isnan(sizes)]).tolist()
    return " to ".join(dict.fromkeys(map(size, (*found[:1], *found[-1:])))) or "unknown"


def code(text: str) -> Any:
    """Return a sentence of a page whose names of arguments are set as code."""
    from markupsafe import Markup

    return Markup(re.sub("`([^`]+)`", r"<code>\1</code>", html.escape(text)))


def minus(text: str) -> str:
    """Return numbers with a true minus sign."""
    return re.sub("(^| )-", rf"\1{_plain.MINUS}", text)


def prose(text: str) -> str:
    """Return a sentence of a page, in which no line ends between a figure and its sign or unit."""
    together = r"(?<=\d) (?=[%a-z])|(?<=\bp) (?=[<=>])|(?<=[<=>]) (?=[\d.])"
    return re.sub(together, "\N{NO-BREAK SPACE}", text)


# What is folded away, and the templates that say it.


class Fold(NamedTuple):
    """What is folded away, with its gist."""

    title: str
    gist: str
    facts: list[tuple[str, str]]


def folds_of(story: Any) -> list[Fold]:
    """Return the folds of a report: of a line ``# title: gist``, and of each ``label: text`` below; without text there is no fact, and without facts no fold."""
    found: list[Fold] = []
    template = templates().get_template(f"{story.folds}.txt.jinja")
    for line in template.render(story=story).split("\n"):
        label, _, text = line.partition(": ")
        if label.startswith("# "):
            found.append(Fold(label[2:], text, []))
        elif text:
            found[-1].facts.append((label, text))
    return [fold for fold in found if fold.facts]


@cache
def templates() -> Any:
    """Return the templates of all forms."""
    jinja2 = _check.package("jinja2", "app")
    found: Any = jinja2.Environment(
        loader=jinja2.PackageLoader("errbar.report", "templates"),
        autoescape=jinja2.select_autoescape(["html", "html.jinja"]),
        trim_blocks=True,
        lstrip_blocks=True,
    )
    found.filters |= {"md": _plain.markdown, "tex": _plain.latex}
    filters = (at_size, clean, counted, heading, known, listed, minus, named, percent, plain)
    found.filters |= {one.__name__: one for one in (*filters, code, prose, pvalue)}
    found.globals.update(
        folds_of=folds_of,
        groups_tested=groups_tested,
        lookup=lookup,
        references=REFERENCES,
        version=__version__,
        words=WORDS,
    )
    return found

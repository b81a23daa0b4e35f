"""The call that makes a comparison again."""

import ast
import re
from collections.abc import Callable
from dataclasses import replace
from importlib import import_module
from typing import Any

from errbar import metrics, plans
from errbar.comparison import DEFAULTS, Comparison
from errbar.errors import ErrbarError
from errbar.report import words
from errbar.table import LossTable

_LONGEST = 60
_SKLEARN = "sklearn.model_selection"


class Call:
    """A call of Python that makes a comparison again, with what is not the default.

    A run is repeated from learners and data, given numbers from their table. What cannot be written down, such as a function
    of somebody's own, is given by a name like the data.

    Attributes
    ----------
    text : the call on one line
    stand_ins : names in it that stand for what was given
    means : in words, what those stand for that are no data
    imports : modules that it needs besides errbar
    """

    def __init__(self, comparison: Comparison) -> None:
        self.means: dict[str, str] = {}
        self.imports: tuple[str, ...] = ()
        table = comparison.table
        seed = table.provenance.get("random_state")
        given = {name: getattr(comparison, name) for name in DEFAULTS}
        asked = {
            name: value
            for name, value in given.items()
            if name == "method" or value != DEFAULTS[name]
            if name != "adjust" or value != ("holm" if comparison.joint is None else "max-t")
        }
        own = {
            name: value
            for name, value in comparison.options.items()
            if name not in asked and name != "looks"
        }
        question = [self._argument(name, value) for name, value in (asked | own).items()]
        if seed is None:
            self.stand_ins: tuple[str, ...] = ("table",)
            self.text = words.clean(f"errbar.compare_table({', '.join(['table', *question])})")
            return
        design = table.splits.designs[0]
        more = [
            name
            for name, labels in (("groups", design.clusters), ("time", design.time))
            if labels is not None
        ]
        run = [
            *self._loss(table),
            f"plan={self._plan(table)}",
            *(f"{name}={name}" for name in more),
        ]
        looks = [] if comparison.looks is None else [f"looks={comparison.looks.planned}"]
        run += [*looks, f"random_state={seed}"]
        self.stand_ins = ("learners", "X", "y", *more, *self.means)
        arguments = ", ".join(["learners", "X", "y", *question, *run])
        self.text = words.clean(f"errbar.compare({arguments})")

    def explained(self) -> str:
        """Return in a sentence what its names stand for, and what is to be imported."""
        text = f"{words.listed(self.stand_ins)} stand for what the run was given"
        if self.means:
            text += "; " + ", ".join(f"{name} is {what}" for name, what in self.means.items())
            text += ", which cannot be written down here"
        return text + "".join(f"; it needs import {name}" for name in self.imports)

    def _argument(self, name: str, value: Any) -> str:
        value = value.item() if hasattr(value, "item") and getattr(value, "ndim", 1) == 0 else value
        return f"{name}={repr(value) if _is_python(repr(value)) else self._stand_in(name, _brief(repr(value)))}"

    def _stand_in(self, name: str, what: str) -> str:
        self.means[name] = what
        return name

    def _loss(self, table: LossTable) -> list[str]:
        """Return the arguments that name the loss, the positive class and the pooling, where they are not those by custom."""
        known = [
            key for key in (table.loss.key, f"neg_{table.loss.key}") if _stands_for(key, table.loss)
        ]
        if not known:
            return [f"loss={self._stand_in('loss', f'the loss {table.loss.key!r} of your own')}"]
        usual = metrics.lookup(known[0]).pool
        pool = [f"pool={table.loss.pool!r}"] if table.loss.pool != usual else []
        return [f"loss={known[0]!r}", *_positive_of(table), *pool]

    def _plan(self, table: LossTable) -> str:
        """Return the plans added up, or a name where one cannot be written."""
        descriptions = table.splits.descriptions
        written = [_plan(text) for text in descriptions]
        text = " + ".join(written)
        if not _is_python(text):
            return self._stand_in("plan", " + ".join(map(_brief, descriptions)))
        self.imports = (_SKLEARN,) if _SKLEARN in text else ()
        return text


def _stands_for(key: str, loss: metrics.Loss) -> bool:
    """Return whether a key means the given loss, whatever is pooled and whichever class is positive."""
    try:
        found = metrics.lookup(key)
    except ErrbarError:
        return False
    return metrics.same_measure(found, replace(loss, pool=found.pool, positive=found.positive))


def _positive_of(table: LossTable) -> list[str]:
    """Return the positive class as an argument, where it is needed and not that by custom."""
    target, loss = table.target, table.loss
    if target is None or target.classes is None or loss.about == "all":
        return []
    place = target.positive if loss.positive is None else target.position(loss.positive)
    by_custom = replace(target, positive=None).naming(None)
    return (
        []
        if place is None or place == by_custom.positive
        else [f"positive={target.classes.tolist()[place]!r}"]
    )


def _plan(description: str) -> str:
    """Return the text of a plan with the modules of its parts: ours, but within `Predefined` those of scikit-learn."""
    before, predefined, inside = description.partition("Predefined(")
    ours = re.sub(r"\b[A-Z]\w*(?=\()", _from("errbar.plans", plans.__all__), before + predefined)
    return ours + (re.sub(r"\b[A-Z]\w*(?=\()", _from(_SKLEARN), inside) if predefined else "")


def _from(module: str, names: Any = ()) -> Callable[[re.Match[str]], str]:
    """Return what writes a module before the names that are from it."""

    def qualified(found: re.Match[str]) -> str:
        known = names or import_module(module).__all__
        return f"{module}.{found[0]}" if found[0] in known else found[0]

    return qualified


def _is_python(text: str) -> bool:
    """Return whether a text is an expression that needs no names but those of errbar and scikit-learn."""
    try:
        tree = ast.parse(text.strip(), mode="eval")
    except (SyntaxError, ValueError):
        return False
    return all(
        node.id in ("errbar", "sklearn") for node in ast.walk(tree) if isinstance(node, ast.Name)
    )


def _brief(text: str) -> str:
    """Return what cannot be written, without the place in memory where it stood."""
    bare = re.sub(r"^Predefined\((.*)\)$", r"\1", text, flags=re.DOTALL)
    text = words.clean(re.sub(r" at 0x[0-9A-Fa-f]+", "", bare))
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 3]}..."

"""The catalogue of methods, as tables and as data."""

import json
from collections.abc import Sequence
from typing import Any

from rich.console import Group
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from errbar._references import REFERENCES
from errbar.cli import given, show
from errbar.cli.options import DEFAULT_METHOD
from errbar.cli.scores_app import Methods
from errbar.methods import Method, catalogue, evidence, lookup, suitable
from errbar.plans import KINDS
from errbar.report.words import counted

OPENING = (
    "Methods by what they estimate, with the fits per learner. errbar methods KEY explains one."
)
QUESTIONS = {
    "ER": "How good is the learning algorithm?",
    "R": "How good is the model fitted on all my data?",
    "PQ": "How good are the models that were trained?",
    "RS": "How good are fits, or answers, of other seeds?",
    "PD": "How would it go on resamples of these data?",
    "DS": "How does it go over several data sets?",
}
REMARKS = {"pair": " (two learners)", "all": " (all learners at once)", "learner": " (one learner)"}

SUBJECTS = {
    "either": "a learner, or the difference of two",
    "learner": "a learner",
    "pair": "a pair of learners",
    "all": "all learners at once",
}


def methods(asked: Methods) -> int:
    """Show the catalogue, explain one method, or say which fit the numbers of a file; return the exit status."""
    if asked.scores:
        return _suitable(asked, asked.scores)
    chosen = [lookup(asked.key)] if asked.key else list(catalogue().values())
    if asked.as_json:
        data = [as_data(method) for method in chosen]
        show.say(json.dumps(data[0] if asked.key else data, indent=2))
    else:
        show.say(explain(chosen[0]) if asked.key else overview())
    return 0


def _suitable(asked: Methods, scores: list[str]) -> int:
    """Say which methods fit the numbers of a file; return the exit status."""
    found = suitable(given.tables(asked, scores)[0])
    if asked.as_json:
        rows = [{"key": one.key, "suitable": one.suitable, "reason": one.reason} for one in found]
        show.say(json.dumps(rows, indent=2))
        return 0
    for suits, title in ((True, "These methods fit"), (False, "\nThese do not")):
        table = Table.grid(padding=(0, 2, 0, 0))
        for one in found:
            if one.suitable == suits:
                contrast = " (for contrast only)" * one.naive
                table.add_row(Text(f"  {one.key}", style="cyan"), Text(one.reason + contrast))
        show.say(show.styled(Group(Text(title, style="bold"), table)))
    return 0


def as_data(method: Method) -> dict[str, Any]:
    """Return one entry as plain data."""
    return {
        "key": method.key,
        "summary": method.summary,
        "claim": method.claim,
        "formula": method.formula,
        "estimand": str(method.estimand),
        "estimand_words": method.estimand.words,
        "speaks_of": SUBJECTS[method.subject],
        "partner": next(iter(method.partners), None),
        "plans": list(method.plans),
        "default_plan": None if method.default_plan is None else str(method.default_plan),
        "needs": _needs(method),
        "fits": method.fits,
        "options": {
            name: getattr(value, "__name__", value) for name, value in method.options.items()
        },
        "assumptions": list(method.assumptions),
        "evidence": [str(row) for row in evidence.of(method.key)],
        "references": [str(REFERENCES[key]) for key in method.references],
    }


def _needs(method: Method) -> str:
    if method.loss == "roc_auc":
        return "scores that rank the test examples"
    if method.loss == "zero-one":
        return "one loss per example, 0 or 1"
    return "one loss per example" if method.pointwise else "one score per split"


def overview() -> str:
    """Return every method on a line, under the question that it answers, with its cost in fits."""
    every = sorted(catalogue().values(), key=lambda m: (m.naive, m.key != DEFAULT_METHOD, m.key))
    longest = max(len(method.key) for method in every)
    parts: list[Any] = [Text(OPENING)]
    for estimand, question in QUESTIONS.items():
        table = Table.grid(padding=(0, 2, 0, 0))
        table.add_column(style="cyan", min_width=longest)
        table.add_column(style="dim", min_width=len("999 fits"), justify="right")
        methods = [method for method in every if str(method.estimand) == estimand]
        for method in methods:
            cost = "no fits" if method.default_fits is None else counted(method.default_fits, "fit")
            table.add_row(method.key, cost, method.summary + _remark(method))
        words = Text(f"{estimand}: {methods[0].estimand.words}", style="dim")
        parts += [Text(), Text(question, style="bold"), Padding(Group(words, table), (0, 0, 0, 2))]
    return show.styled(Group(*parts))


def _remark(method: Method) -> str:
    if method.key == DEFAULT_METHOD:
        return " (the default)"
    if method.naive:
        return " (for contrast only)"
    return REMARKS.get(method.subject, "")


def explain(method: Method) -> str:
    """Return one method explained."""
    table = Table.grid(padding=(0, 2, 0, 0))
    table.add_column(style="cyan", min_width=len("by default"))
    table.add_column(overflow="fold")
    for label, text in _rows(method).items():
        table.add_row(label, Text(text) if isinstance(text, str) else _list(text))
    return show.styled(Group(Text(f"{method.key}: {method.summary}", style="bold"), Text(), table))


def _list(texts: Sequence[str]) -> Table:
    table = Table.grid(padding=(0, 1, 0, 0))
    for text in texts:
        table.add_row("-", Text(text))
    return table


def _rows(method: Method) -> dict[str, str | list[str]]:
    """Return what is said of a method, under its labels."""
    data = as_data(method)
    options = (
        ", ".join(f"{name}={value!r}" for name, value in data["options"].items())
        or "none of its own"
    )
    cost = "1 fit per learner" if method.fits == "1" else f"{method.fits} fits per learner"
    others = f"; for the others, {' or '.join(method.partners)}" if method.partners else ""
    return {
        "claim": method.claim,
        "about": data["speaks_of"] + others,
        "estimates": f"{data['estimand']}: {data['estimand_words']}",
        "formula": method.formula,
        "needs": data["needs"],
        "plans": ", ".join(KINDS[kind].words for kind in method.plans)
        + ", a single repeat" * method.once,
        "by default": data["default_plan"] or "no fits: the numbers are given",
        "cost": "none" if method.default_plan is None else cost,
        "options": options,
        "assumes": data["assumptions"],
        "measured": data["evidence"] or "not in the table of coverage",
        "reference": data["references"],
    }

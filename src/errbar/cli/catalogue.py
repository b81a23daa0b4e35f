"""The catalogue of methods, as tables and as data."""

import textwrap
from typing import Any

from errbar._references import REFERENCES
from errbar.methods import Method, catalogue, evidence

PLAN_WORDS = {
    "holdout": "one split",
    "subsampling": "random splits",
    "kfold": "K-fold",
    "5x2": "5 x 2-fold",
    "nested-kfold": "nested K-fold",
    "halves": "random splits, also of halves",
    "halved-kfold": "K-fold, also of halves",
    "bootstrap": "bootstrap samples",
    "replace-one": "K-fold with replaced examples",
    "data-sets": "several data sets",
    "other": "other splits",
}
SUBJECTS = {
    "either": "a learner, or the difference of two",
    "learner": "a learner",
    "pair": "a pair of learners",
    "all": "all learners at once",
}


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
        "partner": method.partner,
        "plans": list(method.plans),
        "default_plan": None if method.default_plan is None else str(method.default_plan),
        "needs": _needs(method),
        "fits": method.fits,
        "options": {name: _shown(value) for name, value in method.options.items()},
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


def _shown(value: Any) -> Any:
    return getattr(value, "__name__", value)


def print_all() -> None:
    """Print every method on a line of a table, those of one kind together."""
    from rich.console import Console

    console = Console()
    every = list(catalogue().values())
    titles = {
        "Of a learner, or of the difference of two": [m for m in every if m.subject == "either"],
        "Of a learner or of a pair only": [m for m in every if m.subject in ("learner", "pair")],
        "Of all learners at once": [m for m in every if m.subject == "all"],
    }
    for title, methods in titles.items():
        console.print(_table(title, methods))
    used = {str(method.estimand): method.estimand.words for method in every}
    for number, (short, words) in enumerate(used.items()):
        console.print(f"{'about' if number == 0 else '':<7}{short}: {words}")
    console.print("fits   per learner; the number in brackets is the default")
    console.print("errbar methods KEY explains one: claim, formula, assumptions, literature.")


def _table(title: str, methods: list[Method]) -> Any:
    from rich import box
    from rich.table import Table

    table = Table(title=title, title_justify="left", box=box.SIMPLE_HEAD)
    for heading in ("key", "what it is", "about", "splits", "fits"):
        table.add_column(heading, no_wrap=heading in ("key", "about"))
    for method in sorted(methods, key=lambda method: method.key):
        plans = ", ".join(PLAN_WORDS.get(kind, kind) for kind in method.plans)
        table.add_row(method.key, method.summary, str(method.estimand), plans, method.fits.replace(" by default", ""))
    return table


def explain(method: Method) -> str:
    """Return one method explained."""
    data = as_data(method)
    options = ", ".join(f"{name}={_shown(value)!r}" for name, value in method.options.items()) or "none of its own"
    plans = ", ".join(PLAN_WORDS.get(kind, kind) for kind in method.plans) + (", a single repeat" * method.once)
    rows = [
        ("claim", method.claim),
        (
            "speaks of",
            data["speaks_of"] + (f"; of the rest speaks {' or '.join(method.partners)}" if method.partners else ""),
        ),
        ("estimates", f"{data['estimand']}: {data['estimand_words']}"),
        ("formula", method.formula),
        ("needs", data["needs"]),
        ("plans", plans),
        ("by default", data["default_plan"] or "no fits: the numbers are given"),
        ("cost", _cost(method)),
        ("options", options),
    ]
    for label, name in (("assumes", "assumptions"), ("measured", "evidence"), ("reference", "references")):
        rows += [(label if i == 0 else "", text) for i, text in enumerate(data[name])]
    lines = [f"{method.key}: {method.summary}", ""]
    for label, text in rows:
        lines += textwrap.wrap(text, 96, initial_indent=f"{label:<12}", subsequent_indent=" " * 12)
    return "\n".join(lines)


def _cost(method: Method) -> str:
    if method.default_plan is None:
        return "none"
    return "1 fit per learner" if method.fits == "1" else f"{method.fits} fits per learner"

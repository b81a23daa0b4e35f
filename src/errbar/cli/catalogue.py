"""The catalogue of methods, as tables and as data."""

import textwrap
from typing import Any

from errbar._references import REFERENCES
from errbar.methods import METHODS, Method

PLAN_WORDS = {
    "holdout": "one split",
    "subsampling": "random splits",
    "kfold": "K-fold",
    "5x2": "5 x 2-fold",
    "other": "other splits",
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
        "plans": list(method.plans),
        "default_plan": str(method.default_plan),
        "needs": "one loss per example" if method.pointwise else "one score per split",
        "fits": method.fits,
        "options": method.options,
        "references": [str(REFERENCES[key]) for key in method.references],
    }


def print_all() -> None:
    """Print every method on a line of a table."""
    from rich import box
    from rich.console import Console
    from rich.table import Table

    table = Table(title="Methods", title_justify="left", box=box.SIMPLE_HEAD)
    for heading in ("key", "what it is", "about", "splits", "fits"):
        table.add_column(heading, no_wrap=heading in ("key", "about"))
    for method in METHODS.values():
        plans = ", ".join(PLAN_WORDS.get(kind, kind) for kind in method.plans)
        table.add_row(method.key, method.summary, str(method.estimand), plans, method.fits.replace(" by default", ""))
    console = Console()
    console.print(table)
    console.print("about  ER: the expected risk of the learning algorithm, over training sets")
    console.print("       PQ: the mean risk of just those models that were trained")
    console.print("fits   per learner; the number in brackets is the default")
    console.print("errbar methods KEY explains one: claim, formula, assumptions, literature.")


def explain(method: Method) -> str:
    """Return one method explained."""
    data = as_data(method)
    options = ", ".join(f"{name}={value!r}" for name, value in method.options.items()) or "none of its own"
    rows = [
        ("claim", method.claim),
        ("estimates", f"{data['estimand']}: {data['estimand_words']}"),
        ("formula", method.formula),
        ("needs", data["needs"]),
        ("plans", ", ".join(PLAN_WORDS.get(kind, kind) for kind in method.plans) + (", a single repeat" * method.once)),
        ("by default", data["default_plan"]),
        ("cost", f"{method.fits} fits per learner" if method.fits != "1" else "1 fit per learner"),
        ("options", options),
    ]
    rows += [("reference" if i == 0 else "", text) for i, text in enumerate(data["references"])]
    lines = [f"{method.key}: {method.summary}", ""]
    for label, text in rows:
        lines += textwrap.wrap(text, 96, initial_indent=f"{label:<12}", subsequent_indent=" " * 12)
    return "\n".join(lines)

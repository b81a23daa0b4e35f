"""The catalogue of methods, as tables and as data."""

from collections.abc import Sequence
from typing import Any

from rich.table import Table
from rich.text import Text

from errbar._references import REFERENCES
from errbar.cli.output import Asked, say, say_json, styled
from errbar.cli.tables import tables_of
from errbar.methods import Method, catalogue, evidence, lookup, suitable

DEFAULT = "cv-t"
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
SUBJECTS = {
    "either": "a learner, or the difference of two",
    "learner": "a learner",
    "pair": "a pair of learners",
    "all": "all learners at once",
}
_NEEDS = {
    "roc_auc": "scores that rank the test examples",
    "zero-one": "one loss per example, 0 or 1",
}


def methods(key: str | None, **asked: Any) -> int:
    """Show the catalogue, explain one method, or say which fit the numbers of a file; return the exit status."""
    as_json = asked["as_json"]
    if asked["scores"]:
        _show_suitable(asked)
    elif key is None:
        every = catalogue().values()
        if as_json:
            say_json(list(map(as_data, every)))
        else:
            say(overview())
    elif as_json:
        say_json(as_data(lookup(key)))
    else:
        say(explain(lookup(key)))
    return 0


def _show_suitable(asked: Asked) -> None:
    """Say which methods fit the numbers of a file, and why others do not."""
    found = suitable(tables_of(asked)[0])
    if asked["as_json"]:
        say_json(
            [{"key": one.key, "suitable": one.suitable, "reason": one.reason} for one in found]
        )
        return
    rows = [
        (one.key, f"{'fits' if one.suitable else 'does not fit'}: {one.reason}") for one in found
    ]
    say(styled(_grid(rows)))


def _grid(rows: Sequence[tuple[str, str]]) -> Table:
    """Return rows of a key, in colour, and text that wraps."""
    table = Table.grid(padding=(0, 2, 0, 0))
    table.add_column(style="cyan")
    table.add_column(overflow="fold")
    for row in rows:
        table.add_row(*map(Text, row))
    return table


def as_data(method: Method) -> dict[str, Any]:
    """Return one entry as plain data."""
    each = "one loss per example" if method.pointwise else "one score per split"
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
        "needs": _NEEDS.get(method.loss or "", each),
        "fits": method.fits,
        "options": {
            name: getattr(value, "__name__", value) for name, value in method.options.items()
        },
        "assumptions": list(method.assumptions),
        "evidence": [str(row) for row in evidence.of(method.key)],
        "references": [str(REFERENCES[key]) for key in method.references],
    }


def overview() -> str:
    """Return every method on a line, under the question that it answers, with its cost in fits."""
    every = sorted(catalogue().values(), key=lambda m: (m.naive, m.key != DEFAULT, m.key))
    longest = max(len(method.key) for method in every)
    parts: list[Any] = [OPENING]
    for estimand, question in QUESTIONS.items():
        own = [method for method in every if str(method.estimand) == estimand]
        words = Text(f"  {estimand}: {own[0].estimand.words}", style="dim")
        rows = [(f"  {method.key.ljust(longest)}", _line(method)) for method in own]
        parts += ["", Text(question, style="bold"), words, _grid(rows)]
    return styled(*parts)


def _line(method: Method) -> str:
    remarks = [
        f"fits: {method.fits}",
        "the default" * (method.key == DEFAULT),
        "for contrast only" * method.naive,
        SUBJECTS[method.subject] * (method.subject != "either"),
    ]
    return f"{method.summary} ({', '.join(filter(None, remarks))})"


def explain(method: Method) -> str:
    """Return one method explained: all that is known of it, line by line."""
    data = as_data(method)
    title = f"{data.pop('key')}: {data.pop('summary')}"
    data["options"] = [f"{name}={value!r}" for name, value in data["options"].items()]
    rows = []
    for label, value in data.items():
        several = value if isinstance(value, list) else [value]
        for place, text in enumerate(several or [None]):
            words = "none" if text is None else str(text)
            rows.append(("" if place else label.replace("_", " "), words))
    return styled(Text(title, style="bold"), "", _grid(rows))

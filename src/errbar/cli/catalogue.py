"""The catalogue of methods, as tables and as data."""

from collections.abc import Iterable, Iterator
from typing import Any

from rich.table import Table
from rich.text import Text

from errbar._plain import Data
from errbar._references import REFERENCES
from errbar.cli.output import say, say_json, styled
from errbar.cli.tables import tables_of
from errbar.methods import Method, catalogue, evidence, lookup, suitable
from errbar.report.words import WORDS

DEFAULT = "cv-t"
OPENING = (
    "Methods by what they estimate, with the fits per learner. errbar methods KEY explains one."
)


def methods(key: str | None, **asked: Any) -> int:
    """Show the catalogue, explain one method, or say which fit the numbers of a file; return the exit status."""
    if asked["scores"]:
        found = suitable(tables_of(asked)[0])
        data: Any = [
            {"key": one.key, "suitable": one.suitable, "reason": one.reason} for one in found
        ]
        shown = _verdicts(found)
    elif key is None:
        every = catalogue().values()
        data, shown = list(map(as_data, every)), _overview(every)
    else:
        data = as_data(lookup(key))
        shown = _explanation(data)
    if asked["as_json"]:
        say_json(data)
    else:
        say(styled(*shown))
    return 0


def _grid(rows: Any) -> Table:
    """Return rows of a key, in colour, and text that wraps."""
    table = Table.grid(padding=(0, 2, 0, 0))
    table.add_column(style="cyan")
    table.add_column(overflow="fold")
    for row in rows:
        table.add_row(*map(Text, row))
    return table


def _verdicts(found: Any) -> Iterator[Any]:
    """Yield which methods fit the numbers of a file, and why others do not."""
    words = {True: "fits", False: "does not fit"}
    yield _grid((one.key, f"{words[one.suitable]}: {one.reason}") for one in found)


def as_data(method: Method) -> Data:
    """Return one entry as plain data."""
    each = "one loss per example" if method.pointwise else "one score per split"
    words = ("key", "summary", "claim", "formula")
    plan = method.default_plan
    return {name: getattr(method, name) for name in words} | {
        "estimand": str(method.estimand),
        "estimand_words": method.estimand.words,
        "speaks_of": WORDS["subjects"][method.subject],
        "partner": next(iter(method.partners), None),
        "plans": list(method.plans),
        "default_plan": plan and str(plan),
        "needs": WORDS["needs"].get(method.loss or "", each),
        "fits": method.fits,
        "options": {
            name: getattr(value, "__name__", value) for name, value in method.options.items()
        },
        "assumptions": list(method.assumptions),
        "evidence": list(map(str, evidence.of(method.key))),
        "references": [str(REFERENCES[key]) for key in method.references],
    }


def _overview(every: Iterable[Method]) -> Iterator[Any]:
    """Yield every method on a line, under the question that it answers, with its cost in fits."""
    ordered = sorted(every, key=lambda m: (m.naive, m.key != DEFAULT, m.key))
    longest = max(len(method.key) for method in ordered)
    yield OPENING
    for estimand, question in WORDS["questions"].items():
        own = [method for method in ordered if str(method.estimand) == estimand]
        yield ""
        yield Text(question, style="bold")
        yield Text(f"  {estimand}: {own[0].estimand.words}", style="dim")
        yield _grid((f"  {method.key.ljust(longest)}", _line(method)) for method in own)


def _line(method: Method) -> str:
    remarks = [
        f"fits: {method.fits}",
        "the default" * (method.key == DEFAULT),
        "for contrast only" * method.naive,
        WORDS["subjects"][method.subject] * (method.subject != "either"),
    ]
    return f"{method.summary} ({', '.join(filter(None, remarks))})"


def _explanation(data: Data) -> Iterator[Any]:
    """Yield all that is known of one method, line by line."""
    yield Text("{key}: {summary}".format(**data), style="bold")
    yield ""
    data["options"] = [f"{name}={value!r}" for name, value in data["options"].items()]
    rows: Any = []
    for label, value in list(data.items())[2:]:
        several = [value] if isinstance(value, str) else value or ["none"]
        names = [label.replace("_", " "), *[""] * len(several)]
        rows += zip(names, several, strict=False)
    yield _grid(rows)

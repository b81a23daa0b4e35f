"""Commands that ask of numbers that are there already: test, describe, ranks, power and methods."""

from collections.abc import Iterable, Iterator
from itertools import chain
from pathlib import Path
from typing import Any

from rich.table import Table
from rich.text import Text

import errbar
from errbar._check import is_number
from errbar._plain import Data, Names
from errbar.cli import gating
from errbar.cli.app import command
from errbar.cli.commands import TABLES
from errbar.cli.output import (
    PLOTS,
    REPORTS,
    Asked,
    check_file,
    say,
    say_json,
    show,
    show_one,
    styled,
    taken,
    where,
)
from errbar.errors import InvalidInputError
from errbar.losses import SIZES
from errbar.methods import Method, catalogue, evidence, infer, lookup, suitable
from errbar.methods._core.fitting import FIRST
from errbar.methods._core.references import REFERENCES
from errbar.reading.known import ROLES
from errbar.reading.tools.anything import read_files
from errbar.reading.tools.logs import NAMES, OPTIONS, tool_of
from errbar.report.words import WORDS

_NOT_KNOWN = "goes not with --known"


def _options(*groups: str) -> Names:
    """Return the names of the options of some groups."""
    return [name for group in groups for name in TABLES["options"][group] if name != "heading"]


def _reading(asked: Asked) -> Data:
    """Return what is said of how numbers are read: keyword arguments of `errbar.read_table`."""
    said: Data = {name: asked.get(name) for name in _options("table", "sizes", "given")}
    said = {name: one for name, one in said.items() if one is not None and one is not False}
    said |= {name: float(one) for name, one in said.items() if name in SIZES and is_number(one)}
    if said.pop("lower_is_better", False):
        if "higher_is_better" in said:
            _refuse(["lower_is_better"], "does not go with --higher-is-better")
        said["higher_is_better"] = False
    return said


def _refuse(names: Names, why: str) -> None:
    """Refuse the first of some options that were given."""
    for name in names:
        raise InvalidInputError(why, argument=name)


def _given(asked: Asked) -> Any:
    """Return the files that are given, by name where they have one, NAME=FILE."""
    by_name = dict[str, list[str]]()
    for text in asked["scores"]:
        name, _, place = text.partition("=")
        written = place and Path(place).exists() and not Path(text).exists()
        name, place = (name, place) if written else ("", text)
        by_name.setdefault(name, []).append(place)
    if "" in by_name and len(by_name) > 1:
        raise InvalidInputError("name every file, NAME=FILE, or none")
    return by_name.get("", by_name)


def tables_of(asked: Asked) -> Any:
    """Return the table of what is given, for each loss."""
    said, given = _reading(asked), _given(asked)
    places = chain(*given.values()) if isinstance(given, dict) else given
    if tool_of([*places]) is None:
        _refuse(["filter"] * ("filter" in said), f"is for logs of {NAMES}")
    else:
        _refuse([name for name in said if name not in OPTIONS], f"goes not with logs of {NAMES}")
    losses: Any = [{"loss": loss} for loss in dict.fromkeys(said.pop("loss", ()))]
    return [read_files(given, **said, **loss) for loss in losses or [{}]]


def _of_board(asked: Asked, *more: str) -> Data:
    """Return what is said of how a board is read."""
    said = _reading(asked)
    _refuse([name for name in said if name not in ("ignore", *ROLES, *more)], _NOT_KNOWN)
    return said


def test(**asked: Any) -> int:
    """Apply methods to scores, losses or predictions of the user's own; return the exit status."""
    check_file(asked["out"], asked, REPORTS)
    if asked["known"] is None:
        tables = tables_of(asked)
    else:
        [place, *others] = asked["scores"]
        _refuse(["scores"] * len(others), "must be one file, beside --known")
        said = _of_board(asked, "metric", "higher_is_better") | {"baseline": asked["baseline"]}
        tables = [errbar.from_known(place, asked["known"], **said)]
    null = asked["null"]
    learners = tables[0].learners
    several = len(learners) > 1
    if several and null is not None:
        _refuse(["null"], "goes with a file of a single column")
    gates = gating.read(asked, learners, [table.loss.key for table in tables])
    each = gating.questions(asked)
    found = [errbar.compare_table(table, **one) for table in tables for one in each]
    if several:
        return gating.answer(found, gates, asked)
    request = {name: asked[name] for name in ("null", "level", "alternative")}
    results = [
        infer(one.table, str(one.method), **request, **one.options).with_notes(*one.table.notes)
        for one in found
    ]
    show(found, asked, each=[{"result": result.to_dict()} for result in results])
    if not asked["as_json"] and (asked["details"] or null is not None):
        say("\n\n".join(["", *map(str, results)]))
    return 0


def describe(**asked: Any) -> int:
    """Say what the columns of a table may be, and how to read it; return the exit status."""
    return show_one(errbar.describe(asked["scores"]), asked)


def ranks(**asked: Any) -> int:
    """Rank learners over the data sets of a file; return the exit status."""
    out = asked["out"]
    check_file(out, asked, (*PLOTS, *REPORTS))
    table = read_files(_given(asked), kind="data-sets", **_reading(asked))
    found = errbar.datasets.ranks(table, **taken(errbar.datasets.ranks, asked))
    text = errbar.report.text(found, more=where(out))
    return show_one(found, asked, text, errbar.plots.ranks)


def board(**asked: Any) -> int:
    """Rank many models on the same items; return the exit status."""
    out, said = asked["out"], _reading(asked)
    check_file(out, asked, (*PLOTS, *REPORTS))
    said |= taken(errbar.board, asked)
    if asked["instances"] is not None:
        said["instances"] = asked["instances"]
    source = _given(asked)
    # A single file or folder tells by its name whose board it is.
    title = Path(*source).stem if len(source) == 1 else ""
    found = errbar.board(source, **said).named(asked["name"] or title)
    text = errbar.report.text(found, more=f"--details · {where(out)}", top=asked["top"])
    if asked["details"]:
        text += "\n\n" + errbar.report.details(found, command=command())
    return show_one(found, asked, text, errbar.plots.intervals)


def power(**asked: Any) -> int:
    """Say what a study can find and what it would need; return the exit status."""
    out = asked["out"]
    check_file(out, asked, PLOTS)
    if asked["known"] is not None:
        return _questions(asked)
    _refuse(["half_width"] * bool(asked["half_width"]), "goes with --known")
    components = _pilot(asked) if asked["scores"] else _assumed(asked)
    names = {*_options("design", "power"), "level", "alternative"} - {"design", "shared_seeds"}
    study = errbar.planning.plan_study(components, **{name: asked[name] for name in names})
    text = f"{study}\n\n{where(out)}" if out else ""
    return show_one(study, asked, text, errbar.plots.curves)


def _questions(asked: Asked) -> int:
    """Say how many questions of a board a new model must answer; return the exit status."""
    others = [name for name in _options("pilot", "design", "plot") if asked[name]]
    _refuse([name for name in others if asked[name] != "splits"], _NOT_KNOWN)
    plan = errbar.planning.plan_questions
    return show_one(plan(asked["known"], **taken(plan, asked) | _of_board(asked)), asked)


def _pilot(asked: Asked) -> Any:
    """Return components of variance from a pilot."""
    if asked["deviation"] is not None:
        _refuse(["deviation"], "is read from the pilot; leave it out")
    table, *others = tables_of(asked)
    _refuse(["loss"] * len(others), "must be one, for one study")
    pair = asked["pair"]
    learners = () if pair is None else map(str.strip, pair.split(",", 1))
    seeds = "shared" if asked["shared_seeds"] else "own"
    return errbar.planning.pilot(table, *learners, design=asked["design"], seeds=seeds)


def _assumed(asked: Asked) -> Any:
    """Return components of variance from a stated standard deviation."""
    if asked["deviation"] is None:
        raise InvalidInputError("give a pilot's file, or --deviation, --n-train and --n-test")
    said = _reading(asked)
    stated: Data = {"n_train": None, "n_test": None}
    stated |= {name: said.pop(name) for name in (*stated, "metric") if name in said}
    given = [name for name in ("pair", "shared_seeds") if asked[name]]
    given += ["design"] * (asked["design"] != "splits")
    _refuse([*said, *given], "goes with the file of a pilot")
    return errbar.planning.SplitComponents(asked["deviation"], **stated)


# The catalogue of methods, as tables and as data.

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
    ordered = sorted(every, key=lambda m: (m.naive, m.key != FIRST, m.key))
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
        "the default" * (method.key == FIRST),
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

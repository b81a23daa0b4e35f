"""Commands that ask of numbers that are there already: test, describe, ranks and power."""

import ast
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import errbar
from errbar.cli import gating
from errbar.cli.commands import TABLES
from errbar.cli.messages import NOT_LITERAL
from errbar.cli.output import PLOTS, REPORTS, Asked, check_out, say, say_found, show, show_drawn
from errbar.errors import InvalidInputError
from errbar.methods import infer, lookup
from errbar.reading.description import describe as description_of
from errbar.reading.table import read_table
from errbar.reading.tools import TOOLS, Tool, tool_of
from errbar.table import LossTable

_COMMON = ("baseline", "adjust", "rope", "level", "alternative")
_TOOLS = " or ".join(tool.name for tool in TOOLS.values())


def _options(*groups: str) -> list[str]:
    """Return the names of the options of some groups."""
    return [name for group in groups for name in TABLES["options"][group] if name != "heading"]


def _reading(asked: Asked) -> dict[str, Any]:
    """Return what is said of how numbers are read: keyword arguments of `errbar.read_table`."""
    said = {name: asked.get(name) for name in _options("table", "sizes", "given")}
    said = {name: one for name, one in said.items() if one is not None and one is not False}
    if said.pop("lower_is_better", False):
        if "higher_is_better" in said:
            _refuse(["lower_is_better"], "does not go with --higher-is-better")
        said["higher_is_better"] = False
    return said


def _refuse(names: Iterable[str], why: str) -> None:
    """Refuse the first of some options that were given."""
    for name in names:
        raise InvalidInputError(why, argument=name)


def tables_of(asked: Asked) -> list[LossTable]:
    """Return the table of what is given, for each loss: of logs by their own reader, of all else by the one of tables."""
    scores, said = asked["scores"], _reading(asked)
    named = [_named(text) for text in scores]
    tool = tool_of([place for _, place in named])
    if tool is not None:
        return [_of_logs(named, tool, said)]
    of_logs = [name for tool in TOOLS.values() for name in tool.options if name != "metric"]
    _refuse([name for name in of_logs if name in said], f"is for logs of {_TOOLS}")
    losses = dict.fromkeys(said.pop("loss", [None]))
    return [read_table(scores[0], loss=loss, **said) for loss in losses]


def questions(asked: Asked) -> list[dict[str, Any]]:
    """Return keyword arguments of `errbar.compare_table`, for each of the methods; each gets the options that it has."""
    options = dict(map(_option, asked.get("options") or ()))
    common = {name: asked[name] for name in _COMMON if name in asked}
    specs = [lookup(key) for key in dict.fromkeys(asked.get("method") or ())]
    if not specs:
        return [{"method": None, **common, **options}]
    for name in options:
        if not any(name in spec.options for spec in specs):
            specs[0].check_options({name: None})
    return [
        {"method": spec.key, **common}
        | {name: value for name, value in options.items() if name in spec.options}
        for spec in specs
    ]


def _option(text: str) -> tuple[str, Any]:
    """Return name and value from a string such as ``rho=0.7``."""
    name, equals, value = map(str.strip, text.partition("="))
    if not equals or not name:
        raise InvalidInputError(f"--option must look like rho=0.7, got {text!r}")
    try:
        return name, ast.literal_eval(value)
    except NOT_LITERAL:
        return name, value


def _named(text: str) -> tuple[str, str]:
    """Return the name of a learner, empty where it is not written NAME=FILE, and the place of its log."""
    name, _, place = text.partition("=")
    written = place and Path(place).exists() and not Path(text).exists()
    return (name, place) if written else ("", text)


def _of_logs(named: list[tuple[str, str]], tool: Tool, said: Mapping[str, Any]) -> LossTable:
    """Return the table of logs, which are all of one tool."""
    goes = {*tool.options, "groups", "missing", "higher_is_better"}
    _refuse([name for name in said if name not in goes], f"does not go with logs of {tool.name}")
    by_name: dict[str, list[str]] = {}
    for name, place in named:
        by_name.setdefault(name, []).append(place)
    if "" in by_name and len(by_name) > 1:
        raise InvalidInputError("name every log, NAME=FILE, or none")
    return tool.read(by_name.get("", by_name), **said)


def test(**asked: Any) -> int:
    """Apply methods to scores, losses or predictions of the user's own; return the exit status."""
    check_out(asked, *REPORTS)
    tables, null = tables_of(asked), asked["null"]
    learners = tables[0].learners
    if len(learners) > 1 and null is not None:
        _refuse(["null"], "goes with a file of a single column")
    gates = gating.read(asked, learners, [table.loss.key for table in tables])
    found = [errbar.compare_table(table, **one) for table in tables for one in questions(asked)]
    if len(learners) > 1:
        return gating.answer(found, gates, asked)
    request = {"null": null, "level": asked["level"], "alternative": asked["alternative"]}
    results = [
        infer(one.table, str(one.method), **request, **one.options).with_notes(*one.table.notes)
        for one in found
    ]
    show(found, asked, each=[{"result": result.to_dict()} for result in results])
    if not asked["as_json"] and (asked["details"] or null is not None):
        say("\n\n".join(["", *map(str, results)]))
    return 0


def describe(scores: str, *, as_json: bool) -> int:
    """Say what the columns of a table may be, and how to read it; return the exit status."""
    found = description_of(scores)
    say_found(found, as_json=as_json)
    return 0


def ranks(**asked: Any) -> int:
    """Rank learners over the data sets of a file; return the exit status."""
    check_out(asked, *PLOTS, *REPORTS)
    table = read_table(asked["scores"], kind="data-sets", **_reading(asked))
    found = errbar.datasets.ranks(
        errbar.datasets.DataSets.from_table(table),
        **{name: asked[name] for name in ("level", "post_hoc", "baseline", "adjust")},
    )
    return show_drawn(found, errbar.plots.ranks, asked)


def power(**asked: Any) -> int:
    """Say what a study can find and what it would need; return the exit status."""
    check_out(asked, *PLOTS)
    components = _pilot(asked) if asked["scores"] else _assumed(asked)
    names = {*_options("design", "power"), "level", "alternative"} - {"design", "shared_seeds"}
    study = errbar.planning.plan_study(components, **{name: asked[name] for name in names})
    return show_drawn(study, errbar.plots.curves, asked)


def _pilot(asked: Asked) -> Any:
    """Return components of variance from a pilot."""
    if asked["deviation"] is not None:
        _refuse(["deviation"], "is read from the pilot; leave it out")
    table, *others = tables_of(asked)
    _refuse(["loss"] * len(others), "must be one, for one study")
    pair = asked["pair"]
    learners = () if pair is None else (name.strip() for name in pair.split(",", 1))
    seeds = "shared" if asked["shared_seeds"] else "own"
    return errbar.planning.pilot(table, *learners, design=asked["design"], seeds=seeds)


def _assumed(asked: Asked) -> Any:
    """Return components of variance from a stated standard deviation."""
    if asked["deviation"] is None:
        raise InvalidInputError("give a pilot's file, or --deviation, --n-train and --n-test")
    said = _reading(asked)
    stated: dict[str, Any] = {"n_train": None, "n_test": None}
    stated |= {name: said.pop(name) for name in (*stated, "metric") if name in said}
    given = [name for name in ("pair", "shared_seeds") if asked[name]]
    given += ["design"] * (asked["design"] != "splits")
    _refuse([*said, *given], "goes with the file of a pilot")
    return errbar.planning.SplitComponents(asked["deviation"], **stated)

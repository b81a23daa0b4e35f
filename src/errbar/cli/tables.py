"""Commands that ask of numbers that are there already: test, describe, ranks and power."""

from itertools import chain
from pathlib import Path
from typing import Any

import errbar
from errbar._plain import Data, Names
from errbar.cli import gating
from errbar.cli.commands import TABLES
from errbar.cli.output import PLOTS, REPORTS, Asked, check_file, say, show, show_one, where
from errbar.errors import InvalidInputError
from errbar.methods import infer
from errbar.reading.table import read_table
from errbar.reading.tools.logs import NAMES, OPTIONS, read_logs, tool_of


def _options(*groups: str) -> Names:
    """Return the names of the options of some groups."""
    return [name for group in groups for name in TABLES["options"][group] if name != "heading"]


def _reading(asked: Asked) -> Data:
    """Return what is said of how numbers are read: keyword arguments of `errbar.read_table`."""
    said = {name: asked.get(name) for name in _options("table", "sizes", "given")}
    said = {name: one for name, one in said.items() if one is not None and one is not False}
    if said.pop("lower_is_better", False):
        if "higher_is_better" in said:
            _refuse(["lower_is_better"], "does not go with --higher-is-better")
        said["higher_is_better"] = False
    return said


def _refuse(names: Names, why: str) -> None:
    """Refuse the first of some options that were given."""
    for name in names:
        raise InvalidInputError(why, argument=name)


def tables_of(asked: Asked) -> Any:
    """Return the table of what is given, for each loss: of logs by their own reader, of all else by the one of tables."""
    said, by_name = _reading(asked), dict[str, list[str]]()
    for text in asked["scores"]:
        name, _, place = text.partition("=")
        written = place and Path(place).exists() and not Path(text).exists()
        name, place = (name, place) if written else ("", text)
        by_name.setdefault(name, []).append(place)
    if tool_of([*chain(*by_name.values())]) is None:
        _refuse([name for name in ("filter", "tasks") if name in said], f"is for logs of {NAMES}")
        losses = dict.fromkeys(said.pop("loss", [None]))
        [[place]] = by_name.values()
        return [read_table(place, loss=loss, **said) for loss in losses]
    _refuse([name for name in said if name not in OPTIONS], f"goes not with logs of {NAMES}")
    if "" in by_name and len(by_name) > 1:
        raise InvalidInputError("name every log, NAME=FILE, or none")
    return [read_logs(by_name.get("", by_name), **said)]


def test(**asked: Any) -> int:
    """Apply methods to scores, losses or predictions of the user's own; return the exit status."""
    check_file(asked["out"], asked, REPORTS)
    tables, null = tables_of(asked), asked["null"]
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
    table = read_table(asked["scores"], kind="data-sets", **_reading(asked))
    options = {name: asked[name] for name in ("level", "post_hoc", "baseline", "adjust")}
    found = errbar.datasets.ranks(table, **options)
    text = errbar.report.text(found, more=where(out))
    return show_one(found, asked, text, errbar.plots.ranks)


def power(**asked: Any) -> int:
    """Say what a study can find and what it would need; return the exit status."""
    out = asked["out"]
    check_file(out, asked, PLOTS)
    components = _pilot(asked) if asked["scores"] else _assumed(asked)
    names = {*_options("design", "power"), "level", "alternative"} - {"design", "shared_seeds"}
    study = errbar.planning.plan_study(components, **{name: asked[name] for name in names})
    text = f"{study}\n\n{where(out)}" if out else ""
    return show_one(study, asked, text, errbar.plots.curves)


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

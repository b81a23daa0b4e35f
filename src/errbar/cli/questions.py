"""What the commands that ask of given numbers do, once the command line is parsed."""

import json
from typing import TYPE_CHECKING

import errbar
from errbar.cli import answers, checks, files, given, show
from errbar.cli.numbers_app import Test
from errbar.errors import InvalidInputError
from errbar.methods import infer
from errbar.read.description import describe as description_of
from errbar.read.table import read_table

if TYPE_CHECKING:
    from errbar.cli.scores_app import Describe, Ranks


_OF_PAIRS = ("baseline", "adjust", "rope")


def test(asked: Test) -> int:
    """Apply methods to scores, losses or predictions of the user's own; return the exit status."""
    answers.check_report(asked)
    if asked.metric is not None:
        checks.name(asked.metric, "--metric")
    tables = given.tables(asked, asked.scores)
    learners = tables[0].learners
    if len(learners) > 1 and asked.null is not None:
        raise InvalidInputError("--null applies to a file with a single column")
    gates = []
    if asked.fail_if:
        from errbar.cli import gating

        gates = gating.read(asked, learners, tuple(table.loss.key for table in tables))
    each = answers.arguments(asked)
    found = [errbar.compare_table(table, **one) for table in tables for one in each]
    if len(learners) > 1:
        return answers.answer(found, gates, asked)
    results = []
    for one, comparison in zip(each * len(tables), found, strict=True):
        own = {name: value for name, value in one.items() if name not in _OF_PAIRS}
        result = infer(comparison.table, **own | {"method": comparison.method, "null": asked.null})
        results.append(result.with_notes(*comparison.table.notes))
    show.comparisons(found, asked, each=[{"result": result.to_dict()} for result in results])
    if not asked.as_json and (asked.details or asked.null is not None):
        show.say("\n\n".join(["", *map(str, results)]))
    return 0


def describe(asked: "Describe") -> int:
    """Say what the columns of a table may be, and how to read it; return the exit status."""
    found = description_of(asked.scores)
    show.say(json.dumps(found.to_dict(), indent=2) if asked.as_json else str(found))
    return 0


def ranks(asked: "Ranks") -> int:
    """Rank learners over the data sets of a file; return the exit status."""
    files.check_plot(asked.out)
    table = read_table(asked.scores, kind="data-sets", **asked.said)
    found = errbar.datasets.ranks(
        errbar.datasets.DataSets.from_table(table),
        level=asked.level,
        post_hoc=asked.post_hoc,
        baseline=asked.baseline,
        adjust=asked.adjust,
    )
    return answers.show_drawn(found, errbar.plots.ranks, asked)

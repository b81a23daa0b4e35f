"""What the commands that ask of given numbers do, once the command line is parsed."""

import json
from collections.abc import Callable, Sequence
from typing import Any

from errbar import plots, study
from errbar.cli import actions, checks, files, gating, given, powering, show
from errbar.cli.options import PlotOptions
from errbar.cli.scores_app import Describe, Power, Ranks, Sensitivity, Test
from errbar.datasets import DataSets, ranks as rank
from errbar.errors import InvalidInputError
from errbar.methods import infer, rho_sensitivity
from errbar.plans import KFold
from errbar.read.description import describe as description_of
from errbar.read.table import read_table
from errbar.table import LossTable


def test(asked: Test) -> int:
    """Apply methods to scores, losses or predictions of the user's own; return the exit status."""
    actions.check_report(asked)
    checks.metric(asked.metric)
    tables = given.tables(asked)
    learners = tables[0].learners
    if len(learners) > 1 and asked.null is not None:
        raise InvalidInputError(
            "--null applies to a file with a single column; differences are tested against 0"
        )
    gates = gating.read(asked, learners, tuple(table.loss.key for table in tables))
    each = actions.arguments(asked)
    found = [study.compare_table(table, **one) for table in tables for one in each]
    if len(learners) > 1:
        return actions.answer(found, gates, asked)
    about_pairs = ("baseline", "adjust", "rope")
    results = []
    for one, comparison in zip(each * len(tables), found, strict=True):
        own = {name: value for name, value in one.items() if name not in about_pairs}
        result = infer(comparison.table, **own | {"method": comparison.method, "null": asked.null})
        results.append(result.with_notes(*comparison.table.notes))
    if asked.as_json:
        show.comparisons(found, asked, each=[{"result": result.to_dict()} for result in results])
    else:
        show.say("\n\n".join(show.lines(str(result)) for result in results))
        show.write(found, asked)
    return 0


def describe(asked: Describe) -> int:
    """Say what the columns of a table may be, and how to read it; return the exit status."""
    found = description_of(asked.scores)
    show.say(json.dumps(found.to_dict(), indent=2) if asked.as_json else show.lines(str(found)))
    return 0


def power(asked: Power) -> int:
    """Say what a study can find and what it would need; return the exit status."""
    files.check_plot(asked.out)
    return _show(powering.planned(asked), plots.power, asked)


def ranks(asked: Ranks) -> int:
    """Rank learners over the data sets of a file; return the exit status."""
    files.check_plot(asked.out)
    table = read_table(asked.scores, kind="data-sets", **asked.said)
    if len(table.learners) < 2:
        raise InvalidInputError(
            f"ranks at least two learners, and {asked.scores} has {table.learners[0]!r} alone",
            argument="columns",
        )
    found = rank(
        DataSets.from_table(table),
        level=asked.level,
        post_hoc=asked.post_hoc,
        baseline=asked.baseline,
        adjust=asked.adjust,
    )
    return _show(found, plots.critical_difference, asked)


def sensitivity(asked: Sensitivity) -> int:
    """Say how the K-fold t depends on the between-block correlation; return the exit status."""
    files.check_plot(asked.out)
    table = read_table(
        asked.scores,
        n_train=asked.n_train,
        n_test=asked.n_test,
        kind=KFold.kind,
        columns=asked.columns,
    )
    names = _pair(table, asked.pair)
    found = rho_sensitivity(
        table.losses(*names), level=asked.level, alternative=asked.alternative, null=asked.null
    )
    subject = f"{names[0]} minus {names[1]}" if len(names) == 2 else names[0]
    return _show(found, plots.rho_sensitivity, asked, subject)


def _show(
    found: Any, draw: Callable[[Any], Any], output: PlotOptions, subject: str | None = None
) -> int:
    """Print an answer, with what it is about, and draw it where that is asked for; return the exit status."""
    if output.as_json:
        about = {} if subject is None else {"of": subject}
        show.say(json.dumps(about | found.to_dict(), indent=2))
    else:
        show.say(show.lines(str(found) if subject is None else f"{subject}\n{found}"))
    if output.out is not None:
        files.write_plot(draw(found), output.out, quiet=output.as_json)
    return 0


def _pair(table: LossTable, pair: str | None) -> Sequence[Any]:
    if pair is not None:
        return checks.pair(pair, table.learners)
    if len(table.learners) > 2:
        listed = ", ".join(table.learners)
        raise InvalidInputError(
            f"name two of the columns with --pair, such as --pair a,b; there are {listed}"
        )
    return table.learners

"""What the commands that ask of given numbers do, once the command line is parsed."""

import json
from collections.abc import Callable, Sequence
from dataclasses import asdict
from typing import Any

from errbar import plots, study
from errbar.cli import actions, checks, pictures, show
from errbar.cli.options import PairOptions, PlotOptions, ReportOptions
from errbar.cli.score_options import (
    FoldOptions,
    FoldTestOptions,
    GoalOptions,
    NullOption,
    RankOptions,
    ScoreOptions,
    SpreadOptions,
)
from errbar.datasets import DataSets, ranks as rank
from errbar.errors import InvalidInputError
from errbar.methods import infer, lookup, rho_sensitivity
from errbar.planning import Study, pilot, plan_study
from errbar.plans import KFold
from errbar.sources import read_scores
from errbar.table import LossTable
from errbar.views import SplitScores


def test(given: ScoreOptions, null: NullOption, question: PairOptions, output: ReportOptions) -> int:
    """Apply methods to scores or losses of the user's own; return the exit status."""
    actions.check_report(output)
    checks.kind(given.kind)
    checks.metric(given.metric)
    specs = [lookup(key) for key in question.methods if key is not None]
    table = read_scores(
        given.scores,
        n_train=given.n_train,
        n_test=given.n_test,
        pointwise=any(spec.pointwise for spec in specs),
        metric=given.metric,
        kind=given.kind or (specs[0].stated_kind if specs else None),
        higher_is_better=given.higher_is_better,
        roles=given.roles,
    )
    if len(table.learners) > 1 and null.null is not None:
        raise InvalidInputError("--null applies to a file with a single column; differences are tested against 0")
    gates = actions.read_gates(question, table.learners)
    asked = actions.arguments(question)
    found = [study.compare_table(table, **one) for one in asked]
    if len(table.learners) > 1:
        return actions.answer(found, gates, output)
    about_pairs = ("baseline", "adjust", "rope")
    results = []
    for one, comparison in zip(asked, found, strict=True):
        own = {name: value for name, value in one.items() if name not in about_pairs}
        result = infer(table, **own | {"method": comparison.method, "null": null.null})
        results.append(result.with_notes(*table.notes))
    if output.as_json:
        show.comparisons(found, output, each=[{"result": result.to_dict()} for result in results])
    else:
        show.say("\n\n".join(show.lines(str(result)) for result in results))
        show.write(found, output)
    return 0


def power(spread: SpreadOptions, goal: GoalOptions, output: PlotOptions) -> int:
    """Say what a study can find and what it would need; return the exit status."""
    pictures.check(output.out)
    checks.metric(spread.metric)
    planned = _from_numbers(spread, goal) if spread.scores is None else _from_pilot(spread.scores, spread, goal)
    return _show(planned, plots.power, output)


def _from_numbers(spread: SpreadOptions, goal: GoalOptions) -> Study:
    if spread.pair is not None:
        raise InvalidInputError("--pair names two columns of a file with the scores of a pilot, and no file was given")
    if (spread.deviation is None) == (spread.variance is None):
        raise InvalidInputError("give a file with the scores of a pilot, or one of --deviation and --variance")
    if spread.n_train is None or spread.n_test is None:
        raise InvalidInputError("the sizes of the splits are needed: give --n-train and --n-test")
    return plan_study(
        **asdict(goal),
        deviation=spread.deviation,
        variance=spread.variance,
        correlation=spread.correlation,
        n_train=spread.n_train,
        n_test=spread.n_test,
        metric=spread.metric or "loss",
    )


def _from_pilot(path: str, spread: SpreadOptions, goal: GoalOptions) -> Study:
    for name in ("deviation", "variance"):
        if getattr(spread, name) is not None:
            raise InvalidInputError(f"--{name} is read from the pilot {path}; leave one of the two out")
    table = read_scores(path, n_train=spread.n_train, n_test=spread.n_test, metric=spread.metric)
    names = () if spread.pair is None else checks.pair(spread.pair, table.learners)
    return plan_study(**asdict(goal), pilot=pilot(table, *names), correlation=spread.correlation)


def ranks(question: RankOptions, output: PlotOptions) -> int:
    """Rank learners over the data sets of a file; return the exit status."""
    pictures.check(output.out)
    table = read_scores(question.scores, kind="data-sets")
    if len(table.learners) < 2:
        raise InvalidInputError(
            f"{question.scores}: a column for each of at least two learners is needed, and there is one only"
        )
    found = rank(
        DataSets(table.scores.T, table.learners, higher_is_better=question.higher_is_better),
        level=question.level,
        post_hoc=question.post_hoc,
        baseline=question.baseline,
        adjust=question.adjust,
    )
    return _show(found, plots.critical_difference, output)


def sensitivity(given: FoldOptions, question: FoldTestOptions, output: PlotOptions) -> int:
    """Say how the K-fold t depends on the between-block correlation; return the exit status."""
    pictures.check(output.out)
    table = read_scores(given.scores, n_train=given.n_train, n_test=given.n_test, kind=KFold.kind)
    names = _pair(table, given.pair)
    found = rho_sensitivity(SplitScores.of(table.rows(*names)), **asdict(question))
    subject = f"{names[0]} minus {names[1]}" if len(names) == 2 else names[0]
    return _show(found, plots.rho_sensitivity, output, subject)


def _show(found: Any, draw: Callable[[Any], Any], output: PlotOptions, subject: str | None = None) -> int:
    """Print an answer, with what it is about, and draw it where that is asked for; return the exit status."""
    if output.as_json:
        about = {} if subject is None else {"of": subject}
        show.say(json.dumps(about | found.to_dict(), indent=2))
    else:
        show.say(show.lines(str(found) if subject is None else f"{subject}\n{found}"))
    if output.out is not None:
        pictures.write(draw(found), output.out, quiet=output.as_json)
    return 0


def _pair(table: LossTable, pair: str | None) -> Sequence[Any]:
    if pair is not None:
        return checks.pair(pair, table.learners)
    if len(table.learners) > 2:
        listed = ", ".join(table.learners)
        raise InvalidInputError(f"name two of the columns with --pair, such as --pair a,b; there are {listed}")
    return table.learners

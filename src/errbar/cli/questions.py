"""What the commands that ask of given numbers do, once the command line is parsed."""

import json
from collections.abc import Callable, Sequence
from typing import Any

from errbar import plots, study
from errbar.cli import actions, checks, files, gating, show
from errbar.cli.options import PlotOptions
from errbar.cli.scores_app import Power, Ranks, Sensitivity, Test
from errbar.datasets import DataSets, ranks as rank
from errbar.errors import InvalidInputError
from errbar.losses import in_words
from errbar.methods import infer, lookup, rho_sensitivity
from errbar.planning import Study, pilot, plan_study
from errbar.plans import KFold
from errbar.sources import read_long, read_predictions, read_scores
from errbar.table import LossTable
from errbar.views import SplitScores


def test(asked: Test) -> int:
    """Apply methods to scores, losses or predictions of the user's own; return the exit status."""
    actions.check_report(asked)
    checks.metric(asked.metric)
    tables = _of_scores(asked) if asked.truth is None else _of_predictions(asked)
    learners = tables[0].learners
    if len(learners) > 1 and asked.null is not None:
        raise InvalidInputError("--null applies to a file with a single column; differences are tested against 0")
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
        heads = ["" if asked.truth is None else f"{in_words(one.table.loss.key)} of {learners[0]}\n" for one in found]
        show.say("\n\n".join(show.lines(f"{head}{result}") for head, result in zip(heads, results, strict=True)))
        show.write(found, asked)
    return 0


def _of_scores(asked: Test) -> list[LossTable]:
    """Return the table of a file of scores or losses."""
    _refuse_given(
        asked, ("loss", "positive", "pool"), "goes with --truth, which names the column with the truth of predictions"
    )
    if asked.learner is not None:
        return [_of_long(asked, kind=asked.kind, metric=asked.metric, higher_is_better=asked.higher_is_better)]
    _refuse_given(
        asked, ("value", "missing"), "goes with --learner, which names the column with the learner of a long table"
    )
    specs = [lookup(key) for key in asked.methods if key is not None]
    table = read_scores(
        asked.scores,
        n_train=asked.n_train,
        n_test=asked.n_test,
        pointwise=any(spec.pointwise for spec in specs),
        metric=asked.metric,
        kind=asked.kind or (specs[0].stated_kind if specs else None),
        higher_is_better=asked.higher_is_better,
        roles=asked.roles,
    )
    return [table]


def _of_predictions(asked: Test) -> list[LossTable]:
    """Return the table of a file of predictions for each loss."""
    about_scores = ("metric", "higher_is_better", "kind", "n_test")
    _refuse_given(
        asked,
        about_scores,
        "is for numbers that are scores already, and with --truth they are computed from predictions",
    )
    wanted = list(dict.fromkeys(asked.loss)) if asked.loss else [None]
    if asked.learner is not None:
        return [_of_long(asked, truth=asked.truth, loss=loss, **asked.judged_by) for loss in wanted]
    assert asked.truth is not None
    return [
        read_predictions(
            asked.scores, asked.truth, loss=loss, n_train=asked.n_train, roles=asked.roles, **asked.judged_by
        )
        for loss in wanted
    ]


def _of_long(asked: Test, **options: Any) -> LossTable:
    """Return the table of a long table."""
    assert asked.learner is not None
    if asked.value is None:
        raise InvalidInputError(
            "--learner names the learners of a long table; say with --value which column holds their numbers"
        )
    options |= {"n_train": asked.n_train, "n_test": asked.n_test, "missing": asked.missing or "learners"}
    return read_long(asked.scores, asked.learner, asked.value, **asked.roles, **options)


def _refuse_given(asked: Test, names: Sequence[str], why: str) -> None:
    for name in names:
        if getattr(asked, name) not in (None, False):
            raise InvalidInputError(f"--{name.replace('_', '-')} {why}")


def power(asked: Power) -> int:
    """Say what a study can find and what it would need; return the exit status."""
    files.check_plot(asked.out)
    checks.metric(asked.metric)
    planned = _from_numbers(asked) if asked.scores is None else _from_pilot(asked.scores, asked)
    return _show(planned, plots.power, asked)


def _from_numbers(asked: Power) -> Study:
    if asked.pair is not None:
        raise InvalidInputError("--pair names two columns of a file with the scores of a pilot, and no file was given")
    if (asked.deviation is None) == (asked.variance is None):
        raise InvalidInputError("give a file with the scores of a pilot, or one of --deviation and --variance")
    if asked.n_train is None or asked.n_test is None:
        raise InvalidInputError("the sizes of the splits are needed: give --n-train and --n-test")
    spread = {name: getattr(asked, name) for name in ("deviation", "variance", "correlation", "n_train", "n_test")}
    return plan_study(**_goal(asked), **spread, metric=asked.metric or "loss")


def _from_pilot(path: str, asked: Power) -> Study:
    for name in ("deviation", "variance"):
        if getattr(asked, name) is not None:
            raise InvalidInputError(f"--{name} is read from the pilot {path}; leave one of the two out")
    table = read_scores(path, n_train=asked.n_train, n_test=asked.n_test, metric=asked.metric)
    names = () if asked.pair is None else checks.pair(asked.pair, table.learners)
    return plan_study(**_goal(asked), pilot=pilot(table, *names), correlation=asked.correlation)


def _goal(asked: Power) -> dict[str, Any]:
    return {name: getattr(asked, name) for name in ("difference", "power", "repeats", "level", "alternative")}


def ranks(asked: Ranks) -> int:
    """Rank learners over the data sets of a file; return the exit status."""
    files.check_plot(asked.out)
    table = read_scores(asked.scores, kind="data-sets")
    if len(table.learners) < 2:
        raise InvalidInputError(
            f"{asked.scores}: a column for each of at least two learners is needed, and there is one only"
        )
    found = rank(
        DataSets(table.scores.T, table.learners, higher_is_better=asked.higher_is_better),
        level=asked.level,
        post_hoc=asked.post_hoc,
        baseline=asked.baseline,
        adjust=asked.adjust,
    )
    return _show(found, plots.critical_difference, asked)


def sensitivity(asked: Sensitivity) -> int:
    """Say how the K-fold t depends on the between-block correlation; return the exit status."""
    files.check_plot(asked.out)
    table = read_scores(asked.scores, n_train=asked.n_train, n_test=asked.n_test, kind=KFold.kind)
    names = _pair(table, asked.pair)
    found = rho_sensitivity(
        SplitScores.of(table.rows(*names)), level=asked.level, alternative=asked.alternative, null=asked.null
    )
    subject = f"{names[0]} minus {names[1]}" if len(names) == 2 else names[0]
    return _show(found, plots.rho_sensitivity, asked, subject)


def _show(found: Any, draw: Callable[[Any], Any], output: PlotOptions, subject: str | None = None) -> int:
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
        raise InvalidInputError(f"name two of the columns with --pair, such as --pair a,b; there are {listed}")
    return table.learners

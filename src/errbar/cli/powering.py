"""What errbar power does, once the command line is parsed."""

from dataclasses import fields
from typing import Any

from errbar import plots
from errbar.cli import answers, checks, files, given
from errbar.cli.given_options import GivenOptions
from errbar.cli.power_app import DESIGNS, Power
from errbar.errors import InvalidInputError, hint
from errbar.planning import (
    ClusterComponents,
    CrossedComponents,
    DesignStudy,
    Study,
    cluster_components,
    crossed_components,
    pilot,
    plan_clusters,
    plan_crossed,
    plan_study,
)
from errbar.read.tools import kind_of_log
from errbar.table import LossTable

_SPLITS = ("deviation", "variance", "correlation", "n_train", "n_test")
_CROSSED, _CLUSTERS = ("seed_sd", "example_sd", "error_sd"), ("cluster_sd", "within_sd")
_ASSUMED = ("n_train", "n_test", "metric")
"""What is said of numbers that is said without a file too."""
_BESIDE = "is read from the pilot {}; leave one of the two out"
_OF_CROSSED = ("seeds", "examples", "cost_seed", "shared_seeds", *_CROSSED)
_OF_CLUSTERS = ("clusters", "per_cluster", "cost_cluster", *_CLUSTERS)
_OWN = {
    "splits": _SPLITS,
    "crossed": (*_OF_CROSSED, "cost_example"),
    "clusters": (*_OF_CLUSTERS, "cost_example"),
}
"""Options that belong to a design; some to two."""


def power(asked: Power) -> int:
    """Say what a study can find and what it would need; return the exit status."""
    files.check_plot(asked.out)
    return answers.show_drawn(_planned(asked), plots.curves, asked)


def _planned(asked: Power) -> Study | DesignStudy:
    """Return the answer about the study that was asked for."""
    if asked.metric is not None:
        checks.name(asked.metric, "--metric")
    design = _design(asked)
    if design == "splits":
        return _of_splits(asked)
    components = _read(asked, asked.scores, design) if asked.scores else _assumed(asked, design)
    goal = {
        name: getattr(asked, name)
        for name in ("difference", "power", "level", "alternative", "cost_example")
    }
    if isinstance(components, CrossedComponents):
        return plan_crossed(
            components,
            seeds=asked.seeds,
            examples=asked.examples,
            cost_seed=asked.cost_seed,
            **goal,
        )
    return plan_clusters(
        components,
        clusters=asked.clusters,
        per_cluster=asked.per_cluster,
        cost_cluster=asked.cost_cluster,
        **goal,
    )


def _design(asked: Power) -> str:
    """Return the design, if no option belongs to another one only."""
    if asked.design not in DESIGNS:
        raise InvalidInputError(
            f"--design must be one of {', '.join(DESIGNS)}, got {asked.design!r}{hint(asked.design, DESIGNS)}"
        )
    for name in dict.fromkeys(name for names in _OWN.values() for name in names):
        if getattr(asked, name) not in (None, False) and name not in _OWN[asked.design]:
            others = " or ".join(
                f"--design {design}" for design, names in _OWN.items() if name in names
            )
            raise InvalidInputError(
                f"{checks.written(name)} goes with {others}, and not with --design {asked.design}"
            )
    return asked.design


def _assumed(asked: Power, design: str) -> CrossedComponents | ClusterComponents:
    """Return components of variance from stated standard deviations."""
    names = _CROSSED if design == "crossed" else _CLUSTERS
    deviations = {name.removesuffix("_sd"): getattr(asked, name) for name in names}
    lacking = [checks.written(name) for name in names if getattr(asked, name) is None]
    if lacking:
        raise InvalidInputError(
            f"give a file with the losses of a pilot, or {', '.join(map(checks.written, names))}; {', '.join(lacking)} "
            f"{'is' if len(lacking) == 1 else 'are'} missing"
        )
    _refuse_without_file(asked)
    if asked.shared_seeds:
        raise InvalidInputError("--shared-seeds says how a pilot is read, and no file was given")
    for name, deviation in deviations.items():
        if deviation != 0.0 and not 1e-30 <= deviation <= 1e30:
            raise InvalidInputError(
                f"--{name}-sd must be a standard deviation, 0 or from 1e-30 to 1e30, got {deviation:g}"
            )
    kind = CrossedComponents if design == "crossed" else ClusterComponents
    if not any(deviations.values()):
        raise InvalidInputError(f"one of {', '.join(map(checks.written, names))} must be positive")
    return kind(
        **{name: deviation**2 for name, deviation in deviations.items()},
        metric=asked.metric or "loss",
    )


def _read(asked: Power, scores: list[str], design: str) -> CrossedComponents | ClusterComponents:
    """Return components of variance from a pilot."""
    checks.refuse(asked, _CROSSED if design == "crossed" else _CLUSTERS, _BESIDE.format(scores[0]))
    wanted = {"crossed": ("example", "seed"), "clusters": ("groups",)}[design]
    lacking = [checks.written(role) for role in wanted if getattr(asked, role) is None]
    if lacking and asked.answer is None and not any(map(kind_of_log, scores)):
        raise InvalidInputError(
            f"--design {design} needs {' and '.join(lacking)}, to name {'a column' if len(lacking) == 1 else 'columns'} of {scores[0]}"
        )
    table = _table(asked, scores)
    pair = _pair(asked, table)
    if design == "crossed" and table.splits.designs[0].seeds < 2:
        raise InvalidInputError(
            "--design crossed plans with several runs (--seed), and every question has one value; answers drawn anew for each question are "
            f"planned with --design clusters --groups {asked.example or 'question'}, without --answer"
        )
    if design == "clusters":
        return cluster_components(table, *pair)
    return crossed_components(table, *pair, seeds="shared" if asked.shared_seeds else "own")


def _of_splits(asked: Power) -> Study:
    goal = {
        name: getattr(asked, name)
        for name in ("difference", "power", "repeats", "level", "alternative")
    }
    if not asked.scores:
        _refuse_without_file(asked)
        if (asked.deviation is None) == (asked.variance is None):
            raise InvalidInputError(
                "give a file with the scores of a pilot, or one of --deviation and --variance"
            )
        if asked.n_train is None or asked.n_test is None:
            raise InvalidInputError(
                "the sizes of the splits are needed: give --n-train and --n-test"
            )
        spread: dict[str, Any] = {name: getattr(asked, name) for name in _SPLITS}
        return plan_study(**goal, **spread, metric=asked.metric or "loss")
    scores = asked.scores
    checks.refuse(asked, ("deviation", "variance"), _BESIDE.format(scores[0]))
    table = _table(asked, scores)
    return plan_study(
        **goal, pilot=pilot(table, *_pair(asked, table)), correlation=asked.correlation
    )


def _table(asked: Power, scores: list[str]) -> LossTable:
    """Return the numbers of the pilot, by one loss."""
    first, *others = given.tables(asked, scores)
    if others:
        raise InvalidInputError("--loss: a study is planned for one loss; give one")
    return first


def _refuse_without_file(asked: Power) -> None:
    read = ("pair", *(one.name for one in fields(GivenOptions) if one.name not in _ASSUMED))
    checks.refuse(asked, read, "says how a file with a pilot is read, and no file was given")


def _pair(asked: Power, table: LossTable) -> tuple[str, ...]:
    return () if asked.pair is None else checks.pair(asked.pair, table.learners)

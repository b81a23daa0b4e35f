"""What errbar power does, once the command line is parsed."""

from dataclasses import fields

from errbar import plots
from errbar.cli import answers, checks, files, given
from errbar.cli.given_options import GivenOptions
from errbar.cli.power_app import DESIGNS, Power
from errbar.errors import InvalidInputError, hint
from errbar.planning import (
    ClusterComponents,
    CrossedComponents,
    SplitComponents,
    Study,
    pilot,
    plan_study,
)
from errbar.planning._components import Components
from errbar.read.tools import kind_of_log
from errbar.table import LossTable

_SPLITS = ("deviation", "n_train", "n_test")
_CROSSED, _CLUSTERS = ("seed_sd", "example_sd", "error_sd"), ("cluster_sd", "within_sd")
_STUDY = (
    "difference",
    "power",
    "level",
    "alternative",
    "seeds",
    "clusters",
    "examples",
    "per_cluster",
    "cost_seed",
    "cost_cluster",
    "cost_example",
)
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


def _planned(asked: Power) -> Study:
    """Return the answer about the study that was asked for."""
    if asked.metric is not None:
        checks.name(asked.metric, "--metric")
    design = _design(asked)
    components = _read(asked, asked.scores, design) if asked.scores else _assumed(asked, design)
    question = {name: getattr(asked, name) for name in _STUDY}
    repeats = asked.repeats if design == "splits" else None
    return plan_study(components, repeats=repeats, **question)


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


def _assumed(asked: Power, design: str) -> SplitComponents | CrossedComponents | ClusterComponents:
    """Return components of variance from stated standard deviations."""
    if design == "splits":
        _refuse_without_file(asked)
        if asked.deviation is None or asked.n_train is None or asked.n_test is None:
            raise InvalidInputError(
                "give a file with the scores of a pilot, or --deviation, --n-train and --n-test"
            )
        metric = asked.metric or "loss"
        return SplitComponents(asked.deviation, asked.n_train, asked.n_test, metric=metric)
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


def _read(asked: Power, scores: list[str], design: str) -> Components:
    """Return components of variance from a pilot."""
    stated = {"splits": ("deviation",), "crossed": _CROSSED, "clusters": _CLUSTERS}[design]
    checks.refuse(asked, stated, _BESIDE.format(scores[0]))
    wanted = {"splits": (), "crossed": ("example", "seed"), "clusters": ("groups",)}[design]
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
    seeds = "shared" if asked.shared_seeds else "own"
    return pilot(table, *pair, design=design, seeds=seeds)


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

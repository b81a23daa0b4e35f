"""What errbar power does, once the command line is parsed."""

from typing import Any

from errbar.cli import checks
from errbar.cli.power_options import DESIGNS
from errbar.cli.scores_app import Power
from errbar.errors import InvalidInputError
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
from errbar.sources import read_scores
from errbar.table import LossTable

_SPLITS = ("deviation", "variance", "correlation", "n_train", "n_test")
_CROSSED, _CLUSTERS = ("seed_sd", "example_sd", "error_sd"), ("cluster_sd", "within_sd")
_OF_CROSSED = ("seeds", "examples", "cost_seed", "shared_seeds", *_CROSSED)
_OF_CLUSTERS = ("clusters", "per_cluster", "cost_cluster", *_CLUSTERS)
_OWN = {
    "splits": _SPLITS,
    "crossed": (*_OF_CROSSED, "cost_example"),
    "clusters": (*_OF_CLUSTERS, "cost_example"),
}
"""Options that belong to a design; some to two."""


def planned(asked: Power) -> Study | DesignStudy:
    """Return the answer about the study that was asked for."""
    checks.metric(asked.metric)
    design = _design(asked)
    if design == "splits":
        return _of_splits(asked)
    components = _assumed(asked, design) if asked.scores is None else _read(asked.scores, asked, design)
    goal = {name: getattr(asked, name) for name in ("difference", "power", "level", "alternative", "cost_example")}
    if isinstance(components, CrossedComponents):
        return plan_crossed(components, seeds=asked.seeds, examples=asked.examples, cost_seed=asked.cost_seed, **goal)
    return plan_clusters(
        components, clusters=asked.clusters, per_cluster=asked.per_cluster, cost_cluster=asked.cost_cluster, **goal
    )


def _design(asked: Power) -> str:
    """Return the design, if no option belongs to another one only."""
    if asked.design not in DESIGNS:
        raise InvalidInputError(
            f"--design must be one of {', '.join(DESIGNS)}, got {asked.design!r}{checks.hint(asked.design, DESIGNS)}"
        )
    for name in dict.fromkeys(name for names in _OWN.values() for name in names):
        if getattr(asked, name) not in (None, False) and name not in _OWN[asked.design]:
            others = " or ".join(f"--design {design}" for design, names in _OWN.items() if name in names)
            raise InvalidInputError(f"{_option(name)} goes with {others}, and not with --design {asked.design}")
    return asked.design


def _assumed(asked: Power, design: str) -> CrossedComponents | ClusterComponents:
    """Return components of variance from stated standard deviations."""
    names = _CROSSED if design == "crossed" else _CLUSTERS
    given = {name.removesuffix("_sd"): getattr(asked, name) for name in names}
    lacking = [_option(name) for name in names if getattr(asked, name) is None]
    if lacking:
        raise InvalidInputError(
            f"give a file with the losses of a pilot, or {', '.join(map(_option, names))}; {', '.join(lacking)} "
            f"{'is' if len(lacking) == 1 else 'are'} missing"
        )
    if asked.pair is not None or asked.roles:
        option = "--pair" if asked.pair is not None else _option(next(iter(asked.roles)))
        raise InvalidInputError(f"{option} names columns of a file with the losses of a pilot, and no file was given")
    if asked.shared_seeds:
        raise InvalidInputError("--shared-seeds says how a pilot is read, and no file was given")
    for name, deviation in given.items():
        if deviation != 0.0 and not 1e-30 <= deviation <= 1e30:
            raise InvalidInputError(
                f"--{name}-sd must be a standard deviation, 0 or from 1e-30 to 1e30, got {deviation:g}"
            )
    kind = CrossedComponents if design == "crossed" else ClusterComponents
    if not any(given.values()):
        raise InvalidInputError(f"one of {', '.join(map(_option, names))} must be positive")
    return kind(**{name: deviation**2 for name, deviation in given.items()}, metric=asked.metric or "loss")


def _read(path: str, asked: Power, design: str) -> CrossedComponents | ClusterComponents:
    """Return components of variance from a pilot."""
    names = _CROSSED if design == "crossed" else _CLUSTERS
    _refuse_beside(path, asked, names)
    wanted = {"crossed": ("example", "seed"), "clusters": ("groups",)}[design]
    lacking = [_option(role) for role in wanted if role not in asked.roles]
    if lacking:
        raise InvalidInputError(f"--design {design} needs {' and '.join(lacking)}: columns of {path}")
    table = read_scores(path, pointwise=True, metric=asked.metric, roles=asked.roles)
    pair = _pair(asked, table)
    if design == "clusters":
        return cluster_components(table, *pair)
    return crossed_components(table, *pair, seeds="shared" if asked.shared_seeds else "own")


def _of_splits(asked: Power) -> Study:
    goal = {name: getattr(asked, name) for name in ("difference", "power", "repeats", "level", "alternative")}
    if asked.scores is None:
        if asked.pair is not None:
            raise InvalidInputError(
                "--pair names two columns of a file with the scores of a pilot, and no file was given"
            )
        if (asked.deviation is None) == (asked.variance is None):
            raise InvalidInputError("give a file with the scores of a pilot, or one of --deviation and --variance")
        if asked.n_train is None or asked.n_test is None:
            raise InvalidInputError("the sizes of the splits are needed: give --n-train and --n-test")
        spread: dict[str, Any] = {name: getattr(asked, name) for name in _SPLITS}
        return plan_study(**goal, **spread, metric=asked.metric or "loss")
    _refuse_beside(asked.scores, asked, ("deviation", "variance"))
    table = read_scores(
        asked.scores, n_train=asked.n_train, n_test=asked.n_test, metric=asked.metric, roles=asked.roles
    )
    return plan_study(**goal, pilot=pilot(table, *_pair(asked, table)), correlation=asked.correlation)


def _refuse_beside(path: str, asked: Power, names: tuple[str, ...]) -> None:
    for name in names:
        if getattr(asked, name) is not None:
            raise InvalidInputError(f"{_option(name)} is read from the pilot {path}; leave one of the two out")


def _pair(asked: Power, table: LossTable) -> tuple[str, ...]:
    return () if asked.pair is None else checks.pair(asked.pair, table.learners)


def _option(name: str) -> str:
    return f"--{name.replace('_', '-')}"

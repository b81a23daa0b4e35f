"""What errbar power does, once the command line is parsed."""

from dataclasses import fields
from typing import Any

from errbar import _check, planning, plots
from errbar.cli import answers, checks, files, given
from errbar.cli.given_options import GivenOptions
from errbar.cli.power_app import DESIGNS, Power
from errbar.errors import InvalidInputError
from errbar.planning import DesignStudy, Study

_WITHOUT_FILE = ("n_train", "n_test", "metric")
"""What is said of numbers that are assumed too."""


def power(asked: Power) -> int:
    """Say what a study can find and what it would need; return the exit status."""
    files.check_plot(asked.out)
    _check.choice(asked.design, tuple(DESIGNS), "design")
    others = {name for names in DESIGNS.values() for name in names} - {*DESIGNS[asked.design]}
    checks.refuse(asked, sorted(others), f"does not go with --design {asked.design}")
    return answers.show_drawn(_planned(asked), plots.curves, asked)


def _planned(asked: Power) -> Study | DesignStudy:
    names = ("difference", "power", "level", "alternative")
    question: dict[str, Any] = {name: getattr(asked, name) for name in names}
    if asked.repeats is not None:
        question["repeats"] = asked.repeats
    if not asked.scores:
        return _of_assumed(asked, question)
    checks.refuse(asked, ["deviation"], "is read from the pilot; leave one of the two out")
    table, *others = given.tables(asked, asked.scores)
    if others:
        raise InvalidInputError("must be one: a study is planned for one loss", argument="loss")
    pair = [] if asked.pair is None else [name.strip() for name in asked.pair.split(",")]
    if len(pair) not in (0, 2):
        raise InvalidInputError(
            f"must be two names such as tree,forest, got {asked.pair!r}", argument="pair"
        )
    if asked.design == "splits":
        return planning.plan_study(**question, pilot=planning.pilot(table, *pair))
    if asked.design == "clusters":
        return planning.plan_clusters(
            planning.cluster_components(table, *pair),
            clusters=asked.clusters,
            per_cluster=asked.per_cluster,
            cost_cluster=asked.cost_cluster,
            cost_example=asked.cost_example,
            **question,
        )
    shared = "shared" if asked.shared_seeds else "own"
    return planning.plan_crossed(
        planning.crossed_components(table, *pair, seeds=shared),
        seeds=asked.seeds,
        examples=asked.examples,
        cost_seed=asked.cost_seed,
        cost_example=asked.cost_example,
        **question,
    )


def _of_assumed(asked: Power, question: dict[str, Any]) -> Study:
    if asked.deviation is None:
        raise InvalidInputError(
            "give a file with the numbers of a pilot, or --deviation, --n-train and --n-test"
        )
    read = ("pair", *(one.name for one in fields(GivenOptions) if one.name not in _WITHOUT_FILE))
    checks.refuse(asked, read, "says how a file with a pilot is read, and no file was given")
    if asked.metric is not None:
        checks.name(asked.metric, "--metric")
    return planning.plan_study(
        **question,
        deviation=asked.deviation,
        n_train=asked.n_train,
        n_test=asked.n_test,
        metric=asked.metric or "loss",
    )

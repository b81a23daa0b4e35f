"""What errbar power does, once the command line is parsed."""

from dataclasses import fields
from typing import Any

from errbar import _check, planning, plots
from errbar.cli import answers, checks, files, given
from errbar.cli.given_options import GivenOptions
from errbar.cli.power_app import DESIGNS, Power
from errbar.errors import InvalidInputError

_WITHOUT_FILE = ("n_train", "n_test", "metric")
"""What is said of numbers that are assumed too."""


def power(asked: Power) -> int:
    """Say what a study can find and what it would need; return the exit status."""
    files.check_plot(asked.out)
    _check.choice(asked.design, tuple(DESIGNS), "design")
    others = {name for names in DESIGNS.values() for name in names} - {*DESIGNS[asked.design]}
    checks.refuse(asked, sorted(others), f"does not go with --design {asked.design}")
    return answers.show_drawn(_planned(asked), plots.curves, asked)


def _planned(asked: Power) -> planning.Study:
    names = (
        *("difference", "power", "level", "alternative", "repeats", "seeds", "examples"),
        *("clusters", "per_cluster", "cost_seed", "cost_cluster", "cost_example"),
    )
    question: dict[str, Any] = {name: getattr(asked, name) for name in names}
    return planning.plan_study(
        _read(asked, asked.scores) if asked.scores else _assumed(asked), **question
    )


def _read(asked: Power, scores: list[str]) -> Any:
    """Return components of variance from a pilot."""
    checks.refuse(asked, ["deviation"], "is read from the pilot; leave it out")
    table, *others = given.tables(asked, scores)
    if others:
        raise InvalidInputError("must be one, for one study", argument="loss")
    pair = [] if asked.pair is None else [name.strip() for name in asked.pair.split(",")]
    if len(pair) not in (0, 2):
        raise InvalidInputError(
            f"must be two names such as tree,forest, got {asked.pair!r}", argument="pair"
        )
    seeds = "shared" if asked.shared_seeds else "own"
    return planning.pilot(table, *pair, design=asked.design, seeds=seeds)


def _assumed(asked: Power) -> planning.SplitComponents:
    """Return components of variance from a stated standard deviation."""
    if asked.deviation is None:
        raise InvalidInputError("give a pilot's file, or --deviation, --n-train and --n-test")
    read = ("pair", *(one.name for one in fields(GivenOptions) if one.name not in _WITHOUT_FILE))
    checks.refuse(asked, read, "goes with the file of a pilot")
    if asked.metric is not None:
        checks.name(asked.metric, "--metric")
    sizes = {name: getattr(asked, name) for name in ("n_train", "n_test")}
    return planning.SplitComponents(asked.deviation, **sizes, metric=asked.metric or "loss")

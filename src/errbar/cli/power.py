"""What `errbar power` does, once the command line is parsed."""

import json
from dataclasses import asdict, dataclass
from pathlib import Path

from errbar import plots
from errbar.cli import checks, pictures, show
from errbar.cli.pairs import names_of
from errbar.errors import InvalidInputError
from errbar.planning import Study, pilot, plan_study
from errbar.sources import read_scores


@dataclass(frozen=True)
class Assumed:
    """Numbers that are assumed, or come from a pilot."""

    deviation: float | None = None
    variance: float | None = None
    correlation: float | None = None
    n_train: float | None = None
    n_test: float | None = None


@dataclass(frozen=True)
class Goal:
    """What the study should find, and how it will be judged."""

    difference: float | None = None
    power: float = 0.8
    repeats: int = 15
    level: float = 0.95
    alternative: str = "two-sided"


def plan_of(
    path: str | None,
    *,
    pair: str | None,
    metric: str | None,
    assumed: Assumed,
    goal: Goal,
    out: Path | None,
    as_json: bool,
) -> int:
    """Say what a study can find and what it would need; return the exit status."""
    pictures.check(out)
    checks.scores_options(None, metric)
    study = (
        _from_numbers(pair, metric, assumed, goal) if path is None else _from_pilot(path, pair, metric, assumed, goal)
    )
    show.say(json.dumps(study.to_dict(), indent=2) if as_json else show.lines(str(study)))
    if out is not None:
        pictures.write(plots.power(study), out, quiet=as_json)
    return 0


def _from_numbers(pair: str | None, metric: str | None, assumed: Assumed, goal: Goal) -> Study:
    if pair is not None:
        raise InvalidInputError("--pair names two columns of a file with the scores of a pilot, and no file was given")
    if (assumed.deviation is None) == (assumed.variance is None):
        raise InvalidInputError("give a file with the scores of a pilot, or one of --deviation and --variance")
    if assumed.n_train is None or assumed.n_test is None:
        raise InvalidInputError("the sizes of the splits are needed: give --n-train and --n-test")
    return plan_study(**asdict(goal), **asdict(assumed), metric=metric or "loss")


def _from_pilot(path: str, pair: str | None, metric: str | None, assumed: Assumed, goal: Goal) -> Study:
    for name in ("deviation", "variance"):
        if getattr(assumed, name) is not None:
            raise InvalidInputError(f"--{name} is read from the pilot {path}; leave one of the two out")
    table = read_scores(path, n_train=assumed.n_train, n_test=assumed.n_test, metric=metric)
    found = pilot(table) if pair is None else pilot(table, *names_of(pair, table.learners))
    return plan_study(**asdict(goal), pilot=found, correlation=assumed.correlation)

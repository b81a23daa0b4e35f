"""The options of the commands under `errbar lab`, above all those that every study shares."""

import inspect
from collections.abc import Callable
from dataclasses import dataclass, fields
from functools import wraps
from pathlib import Path
from typing import Annotated, Any

import typer

from errbar.cli import completion
from errbar.cli.options import (
    FITS,
    LEARNERS,
    MOST,
    OUTPUT,
    QUESTION,
    AsJson,
    Cluster,
    Jobs,
    Picture,
    Quiet,
    RandomState,
)

SIMULATION = "Simulation"

Data = Annotated[
    str | None,
    typer.Option(
        metavar="PATH",
        help="File or folder with the UCI data set, plain, .gz or .xz. By default the folder in ERRBAR_DATA, else OpenML.",
        rich_help_panel=LEARNERS,
    ),
]
Store = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE",
        help="File that keeps finished replicates; run again with it to go on after an interruption.",
        rich_help_panel=FITS,
    ),
]
Raw = Annotated[
    Path | None,
    typer.Option("--csv", metavar="FILE", help="Write the raw numbers as a CSV file.", rich_help_panel=OUTPUT),
]
Truth = Annotated[
    int,
    typer.Option(
        metavar="COUNT",
        max=MOST,
        help="Independent training sets behind every true expected risk.",
        rich_help_panel=SIMULATION,
    ),
]
Replicates = Annotated[int, typer.Option(metavar="COUNT", max=MOST, help="Data sets.", rich_help_panel=SIMULATION)]
Size = Annotated[
    int, typer.Option("--n", metavar="N", max=MOST, help="Examples in a data set.", rich_help_panel=SIMULATION)
]
Sizes = Annotated[
    list[int] | None,
    typer.Option(
        "--n",
        metavar="N",
        max=MOST,
        help="Examples in a data set; give several for several sizes.",
        rich_help_panel=SIMULATION,
    ),
]
Studied = Annotated[
    list[str] | None,
    typer.Option(
        "--method",
        metavar="KEY",
        help="Key of a method; errbar methods lists all. By default several that are often used.",
        rich_help_panel=QUESTION,
        autocompletion=completion.methods,
    ),
]


@dataclass(frozen=True)
class StudyRun:
    """How a study is run, and where its results go: one field per option that all studies have."""

    jobs: Jobs = 1
    random_state: RandomState = 0
    store: Store = None
    cluster: Cluster = None
    out: Picture = None
    csv: Raw = None
    as_json: AsJson = False
    quiet: Quiet = False


def with_run(function: Callable[..., int]) -> Callable[..., int]:
    """Return a command that has the options of `StudyRun` behind its own, and takes them as its argument `run`."""
    shared = [
        inspect.Parameter(one.name, inspect.Parameter.KEYWORD_ONLY, default=one.default, annotation=one.type)
        for one in fields(StudyRun)
    ]

    @wraps(function)
    def command(**given: Any) -> int:
        run = StudyRun(**{one.name: given.pop(one.name) for one in shared})
        return function(run=run, **given)

    signature = inspect.signature(function)
    parameters = [one for one in signature.parameters.values() if one.name != "run"] + shared
    # Typer reads the options off the signature, and their types off the annotations.
    command.__signature__ = signature.replace(parameters=parameters)  # type: ignore[attr-defined]
    command.__annotations__ = {one.name: one.annotation for one in parameters} | {"return": int}
    return command

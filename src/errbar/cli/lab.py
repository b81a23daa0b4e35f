"""What the commands under `errbar lab` do, once the command line is parsed."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from errbar import _check, plots
from errbar import lab as laboratory
from errbar.cli import pictures, show
from errbar.cli.complain import complain
from errbar.cli.data import load
from errbar.cli.invocation import command
from errbar.cli.models import parse_models
from errbar.cli.plan import size
from errbar.engine import Dask, Executor
from errbar.errors import FitFailedError, InvalidInputError
from errbar.lab import studies
from errbar.lab.studies import SimulationStudy
from errbar.report import studies as pages


@dataclass(frozen=True)
class Means:
    """How the replicates are done."""

    jobs: int
    random_state: int
    store: Path | None
    cluster: str | None
    quiet: bool

    @property
    def executor(self) -> Executor | None:
        """Who does the replicates; None leaves the choice to the laboratory."""
        return None if self.cluster is None else Dask(self.cluster)


@dataclass(frozen=True)
class Source:
    """Data and learners of the user's."""

    path: str
    target: str
    models: tuple[str, ...]
    drop: tuple[str, ...]


@dataclass(frozen=True)
class Output:
    """What is shown and written."""

    out: Path | None
    csv: Path | None
    as_json: bool

    def check(self) -> None:
        """Refuse files that could not be written, before anything is computed."""
        pictures.check(self.out)
        if self.csv is not None and (self.csv.is_dir() or not self.csv.parent.is_dir()):
            raise InvalidInputError(f"--csv '{self.csv}' cannot be written: a file in a folder that is there is needed")


def means(jobs: int, random_state: int, store: Path | None, cluster: str | None, *, quiet: bool) -> Means:
    """Return how the replicates are done."""
    return Means(jobs, random_state, store, cluster, quiet)


def given(**options: Any) -> dict[str, Any]:
    """Return the options that were given."""
    return {name: value for name, value in options.items() if value is not None}


def size_of(text: str | None, option: str) -> float | None:
    """Return a size, as a count or a fraction, if one is given."""
    return None if text is None else size(text, option)


def figure1(data: str | None, options: dict[str, Any], how: Means, output: Output) -> int:
    """Do the study of figure 1; return the exit status."""
    return _study(lambda **more: studies.figure1(laboratory.load_letter(data), **options, **more), how, output)


def table2(data: str | None, dataset: str, options: dict[str, Any], how: Means, output: Output) -> int:
    """Do the study of table 2; return the exit status."""
    _check.choice(dataset, ("letter", "forest"), "dataset")

    def study(**more: Any) -> SimulationStudy:
        if dataset == "letter":
            population = laboratory.binary_letter(laboratory.load_letter(data))
        else:
            population = laboratory.binary_covertype(laboratory.load_covertype(data))
        return studies.table2(population.with_replacement(), printed=dataset, **options, **more)

    return _study(study, how, output)


def habitat(data: str | None, options: dict[str, Any], how: Means, output: Output) -> int:
    """SimulationStudy the methods where they are meant to be used; return the exit status."""
    return _on_letters(studies.habitat, data, options, how, output)


def moments(data: str | None, options: dict[str, Any], how: Means, output: Output) -> int:
    """Measure variances and covariances of losses; return the exit status."""
    return _on_letters(studies.table1, data, options, how, output)


def coverage(options: dict[str, Any], how: Means, output: Output) -> int:
    """Measure coverage where the truth is known; return the exit status."""
    return _study(lambda **more: studies.coverage(**options, **more), how, output)


def calibrate(source: Source, options: dict[str, Any], how: Means, output: Output) -> int:
    """Measure the methods with the user's data as the population; return the exit status."""
    learners = parse_models(source.models)

    def study(**more: Any) -> SimulationStudy:
        data = load(source.path, source.target, drop=source.drop)
        return studies.calibrate(data.X, data.y, learners, **options, **more)

    return _study(study, how, output)


def _on_letters(
    study: Callable[..., SimulationStudy], data: str | None, options: dict[str, Any], how: Means, output: Output
) -> int:
    def with_data(**more: Any) -> SimulationStudy:
        learners = {"A": laboratory.SplusTree(), "B": laboratory.DistortedNearestNeighbour()}
        return study(laboratory.load_letter(data), learners, **options, **more)

    return _study(with_data, how, output)


def _study(study: Callable[..., SimulationStudy], how: Means, output: Output) -> int:
    output.check()
    try:
        with show.progress_bar(shown=not how.quiet, unit="data sets") as progress:
            found = study(
                random_state=how.random_state,
                n_jobs=how.jobs,
                store=how.store,
                executor=how.executor,
                progress=progress,
            )
    except FitFailedError as error:
        complain(str(error))
        return 3
    show.say(json.dumps(found.to_dict(), indent=2) if output.as_json else pages.text(found))
    if output.csv is not None:
        _write(output.csv, pages.raw(found, command()), quiet=output.as_json)
    if output.out is not None:
        pictures.write(plots.study(found), output.out, quiet=output.as_json)
    return 0


def _write(path: Path, text: str, *, quiet: bool) -> None:
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise InvalidInputError(f"'{path}' cannot be written: {error.strerror or error}") from None
    if not quiet:
        show.say(f"\nnumbers written to {path}")

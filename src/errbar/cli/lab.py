"""The actions of the commands under `errbar lab`: load the data, run the study, show and write its results."""

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
from errbar.cli.lab_options import StudyRun
from errbar.cli.models import parse_models
from errbar.cli.plan import size
from errbar.engine import Dask
from errbar.errors import FitFailedError, InvalidInputError
from errbar.lab import studies
from errbar.lab.studies import SimulationStudy
from errbar.report import studies as pages


@dataclass(frozen=True)
class Source:
    """A file with data, and learners, of the user."""

    path: str
    target: str
    models: tuple[str, ...]
    drop: tuple[str, ...]


def size_of(text: str | None, option: str) -> float | None:
    """Return a size, as a count or a fraction, if one is given."""
    return None if text is None else size(text, option)


def figure1(data: str | None, options: dict[str, Any], run: StudyRun) -> int:
    """Run the study of figure 1; return the exit status."""
    return _study(lambda **how: studies.figure1(laboratory.load_letter(data), **options, **how), run)


def table2(data: str | None, dataset: str, options: dict[str, Any], run: StudyRun) -> int:
    """Run the study of table 2; return the exit status."""
    _check.choice(dataset, ("letter", "forest"), "dataset")

    def study(**how: Any) -> SimulationStudy:
        if dataset == "letter":
            population = laboratory.binary_letter(laboratory.load_letter(data))
        else:
            population = laboratory.binary_covertype(laboratory.load_covertype(data))
        return studies.table2(population.with_replacement(), printed=dataset, **options, **how)

    return _study(study, run)


def habitat(data: str | None, options: dict[str, Any], run: StudyRun) -> int:
    """Study the methods with the sizes that their authors recommend; return the exit status."""
    return _on_letters(studies.habitat, data, options, run)


def moments(data: str | None, options: dict[str, Any], run: StudyRun) -> int:
    """Measure variances and covariances of losses; return the exit status."""
    return _on_letters(studies.table1, data, options, run)


def coverage(options: dict[str, Any], run: StudyRun) -> int:
    """Measure coverage where the truth is known; return the exit status."""
    return _study(lambda **how: studies.coverage(**options, **how), run)


def calibrate(source: Source, options: dict[str, Any], run: StudyRun) -> int:
    """Measure the methods with the user's data as the population; return the exit status."""
    learners = parse_models(source.models)

    def study(**how: Any) -> SimulationStudy:
        data = load(source.path, source.target, drop=source.drop)
        return studies.calibrate(data.X, data.y, learners, **options, **how)

    return _study(study, run)


def _on_letters(study: Callable[..., SimulationStudy], data: str | None, options: dict[str, Any], run: StudyRun) -> int:
    def with_data(**how: Any) -> SimulationStudy:
        learners = {"A": laboratory.SplusTree(), "B": laboratory.DistortedNearestNeighbour()}
        return study(laboratory.load_letter(data), learners, **options, **how)

    return _study(with_data, run)


def _study(study: Callable[..., SimulationStudy], run: StudyRun) -> int:
    """Run a study with the options that all have, show and write its results, and return the exit status."""
    _check_files(run)
    try:
        with show.progress_bar(shown=not run.quiet, unit="data sets") as progress:
            found = study(
                random_state=run.random_state,
                n_jobs=run.jobs,
                store=run.store,
                executor=None if run.cluster is None else Dask(run.cluster),
                progress=progress,
            )
    except FitFailedError as error:
        complain(str(error))
        return 3
    show.say(json.dumps(found.to_dict(), indent=2) if run.as_json else pages.text(found))
    if run.csv is not None:
        _write(run.csv, pages.raw(found, command()), quiet=run.as_json)
    if run.out is not None:
        pictures.write(plots.study(found), run.out, quiet=run.as_json)
    return 0


def _check_files(run: StudyRun) -> None:
    """Refuse files that could not be written, before anything is computed."""
    pictures.check(run.out)
    if run.csv is not None and (run.csv.is_dir() or not run.csv.parent.is_dir()):
        raise InvalidInputError(f"--csv '{run.csv}' cannot be written: a file in a folder that is there is needed")


def _write(path: Path, text: str, *, quiet: bool) -> None:
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise InvalidInputError(f"'{path}' cannot be written: {error.strerror or error}") from None
    if not quiet:
        show.say(f"\nnumbers written to {path}")

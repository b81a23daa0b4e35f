"""What the commands under `errbar lab` do, once the command line is parsed."""

import json
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

from errbar import _check, lab as laboratory, plots
from errbar.cli import pictures, show
from errbar.cli.data import load
from errbar.cli.invocation import command
from errbar.cli.lab_options import (
    CalibrateOptions,
    CoverageOptions,
    Figure1Options,
    HabitatOptions,
    MomentsOptions,
    StudyRun,
    Table2Data,
    Table2Options,
    UciOption,
)
from errbar.cli.messages import print_error
from errbar.cli.models import parse_models
from errbar.cli.options import DataOptions
from errbar.cli.plan import size
from errbar.cli.words import DATASETS
from errbar.engine import Dask
from errbar.errors import FitFailedError, InvalidInputError
from errbar.lab import studies
from errbar.lab.studies import SimulationStudy
from errbar.report import studies as pages


def figure1(data: UciOption, options: Figure1Options, run: StudyRun) -> int:
    """Do the study of figure 1; return the exit status."""
    return _study(lambda **how: studies.figure1(laboratory.load_letter(data.data), **_given(options), **how), run)


def table2(data: Table2Data, options: Table2Options, run: StudyRun) -> int:
    """Do the study of table 2; return the exit status."""
    _check.choice(data.dataset, DATASETS, "dataset")

    def study(**how: Any) -> SimulationStudy:
        if data.dataset == "letter":
            population = laboratory.binary_letter(laboratory.load_letter(data.data))
        else:
            population = laboratory.binary_covertype(laboratory.load_covertype(data.data))
        return studies.table2(population.with_replacement(), printed=data.dataset, **_given(options), **how)

    return _study(study, run)


def habitat(data: UciOption, options: HabitatOptions, run: StudyRun) -> int:
    """Study the methods where they are meant to be used; return the exit status."""
    return _on_letters(studies.habitat, data, _given(options), run)


def moments(data: UciOption, options: MomentsOptions, run: StudyRun) -> int:
    """Measure variances and covariances of losses; return the exit status."""
    given = _given(options)
    sizes = {name: size(given[name], f"--{name.replace('_', '-')}") for name in ("n_train", "n_test") if name in given}
    return _on_letters(studies.table1, data, given | sizes, run)


def coverage(options: CoverageOptions, run: StudyRun) -> int:
    """Measure coverage where the truth is known; return the exit status."""
    return _study(lambda **how: studies.coverage(**_given(options), **how), run)


def calibrate(data: DataOptions, options: CalibrateOptions, run: StudyRun) -> int:
    """Measure the methods with the user's data as the population; return the exit status."""
    learners = parse_models(data.model)

    def study(**how: Any) -> SimulationStudy:
        content = load(data.data, data.target, drop=data.drop or ())
        return studies.calibrate(content.X, content.y, learners, **_given(options), **how)

    return _study(study, run)


def _given(options: Any) -> dict[str, Any]:
    """Return the options that were given, so that a study's own defaults hold for the others."""
    return {name: value for name, value in asdict(options).items() if value is not None}


def _on_letters(study: Callable[..., SimulationStudy], data: UciOption, options: dict[str, Any], run: StudyRun) -> int:
    def with_data(**how: Any) -> SimulationStudy:
        learners = {"A": laboratory.SplusTree(), "B": laboratory.DistortedNearestNeighbour()}
        return study(laboratory.load_letter(data.data), learners, **options, **how)

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
        print_error(str(error))
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

"""What the commands under `errbar lab` do, once the command line is parsed."""

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from errbar import _check
from errbar.cli import files, show
from errbar.cli.cluster import client_of
from errbar.cli.invocation import command
from errbar.cli.messages import print_error
from errbar.cli.models import parse_models
from errbar.errors import FitFailedError
from errbar.read.examples import read_examples
from errbar_lab import loaders, plots
from errbar_lab._atlas import _study as atlases
from errbar_lab._study import Study
from errbar_lab.commands import (
    DATASETS,
    Atlas,
    Calibrate,
    Coverage,
    Figure1,
    Habitat,
    Moments,
    StudyRun,
    Table2,
)
from errbar_lab.studies import (
    coverage as coverage_study,
    figure1 as figure1_study,
    habitat as habitat_study,
    table1 as table1_study,
    table2 as table2_study,
)


def _command(study: Callable[..., Study]) -> Callable[..., int]:
    """Return what a command does for a study: run it with the options that all have, show and write its results."""

    def does(run: StudyRun) -> int:
        files.check_plot(run.out)
        if run.csv is not None:
            files.check(run.csv)
            files.refuse_read(run.csv, run)
        try:
            with show.progress_bar(shown=not run.quiet, unit="data sets") as progress:
                found = study(
                    run,
                    random_state=run.random_state,
                    n_jobs=run.jobs,
                    store=run.store,
                    executor=None if run.cluster is None else client_of(run.cluster),
                    progress=progress,
                )
        except FitFailedError as error:
            print_error(str(error))
            return 3
        show.say(json.dumps(found.to_dict(), indent=2) if run.as_json else found.text())
        if run.csv is not None:
            with files.writing(run.csv):
                run.csv.write_text(found.csv(command()), encoding="utf-8")
            if not run.as_json:
                show.say(f"\nnumbers written to {run.csv}")
        if run.out is not None:
            files.write_plot(plots.study, found, run.out, quiet=run.as_json)
        return 0

    return does


@_command
def figure1(asked: Figure1, **how: Any) -> Study:
    """Do the study of figure 1."""
    return figure1_study.figure1(loaders.load_letter(asked.data), **asked.given, **how)


@_command
def table2(asked: Table2, **how: Any) -> Study:
    """Do the study of table 2."""
    _check.choice(asked.dataset, DATASETS, "dataset")
    if asked.dataset == "letter":
        population = loaders.binary_letter(loaders.load_letter(asked.data))
    else:
        population = loaders.binary_covertype(loaders.load_covertype(asked.data))
    return table2_study.table2(
        population.with_replacement(), printed=asked.dataset, **asked.given, **how
    )


@_command
def habitat(asked: Habitat, **how: Any) -> Study:
    """Study the methods where they are meant to be used."""
    return habitat_study.habitat(loaders.load_letter(asked.data), _learners(), **asked.given, **how)


@_command
def moments(asked: Moments, **how: Any) -> Study:
    """Measure variances and covariances of losses."""
    return table1_study.table1(loaders.load_letter(asked.data), _learners(), **asked.given, **how)


@_command
def coverage(asked: Coverage, **how: Any) -> Study:
    """Measure coverage where the truth is known."""
    return coverage_study.coverage(**asked.given, **how)


@_command
def atlas(asked: Atlas, **how: Any) -> Study:
    """Measure many methods on many problems, or put together what was measured."""
    if asked.rows is not None:
        files.check(asked.rows)
    read = asked.read
    found = atlases.read_atlas(*read) if read else atlases.atlas(**asked.given, **how)
    if asked.rows is not None:
        with files.writing(asked.rows):
            atlases.save(found, asked.rows)
    return found


@_command
def calibrate(asked: Calibrate, **how: Any) -> Study:
    """Measure the methods with the user's data as the population."""
    models = parse_models(asked.model)
    aside, features = asked.drop or (), asked.feature or ()
    content = read_examples(
        asked.data, asked.target, groups=asked.groups, drop=aside, features=features
    )
    if models.failures:
        texts = "; ".join(f"learner {one.learner} failed: {one.message}" for one in models.failures)
        raise FitFailedError(texts, models.failures)
    learners = content.prepared(models.learners)
    found = coverage_study.calibrate(
        content.X, content.y, learners, groups=content.groups, **asked.given, **how
    )
    notes = [f"{one.text}." for one in content.notes]
    told = {**found.content, "warnings": [*found.content["warnings"], *notes]}
    return replace(found, content=told, conclusion=(*found.conclusion, *notes))


def _learners() -> Any:
    """Return the learners of Nadeau & Bengio (2003)."""
    from errbar_lab.learners import DistortedNearestNeighbour, SplusTree

    return {"A": SplusTree(), "B": DistortedNearestNeighbour()}

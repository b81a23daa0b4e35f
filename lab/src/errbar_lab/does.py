"""What the commands under `errbar lab` do, once the command line is parsed."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from errbar import _check
from errbar.cli.app import command, print_error
from errbar.cli.output import (
    PLOTS,
    check_file,
    progress_bar,
    say,
    say_json,
    write_plot,
)
from errbar.cli.runs import client_of, parse_models
from errbar.errors import FitFailedError
from errbar.reading.examples import read_examples
from errbar.report import writing
from errbar_lab import loaders, plots
from errbar_lab._atlas import _study as atlases
from errbar_lab._study import Study
from errbar_lab.studies import (
    coverage as coverage_study,
    figure1 as figure1_study,
    habitat as habitat_study,
    table1 as table1_study,
    table2 as table2_study,
)


def _command(study: Callable[..., Study]) -> Callable[..., int]:
    """Return what a command does for a study: run it with the options that all have, show and write its results.

    Of the others it gets those that were given, so that its own defaults hold.
    """

    def does(
        *,
        jobs: int,
        random_state: int,
        cluster: str | None,
        store: str | None,
        as_json: bool,
        out: str | None,
        csv: str | None,
        quiet: bool,
        **asked: Any,
    ) -> int:
        check_file(out, asked, PLOTS)
        check_file(csv, asked)
        given = {name: value for name, value in asked.items() if value is not None}
        try:
            with progress_bar(shown=not quiet, unit="data sets") as progress:
                found = study(
                    **given,
                    random_state=random_state,
                    n_jobs=jobs,
                    store=store,
                    executor=None if cluster is None else client_of(cluster),
                    progress=progress,
                )
        except FitFailedError as error:
            print_error(str(error))
            return 3
        if as_json:
            say_json(found.to_dict())
        else:
            say(found.text())
        written = []
        if csv is not None:
            with writing(csv):
                Path(csv).write_text(found.csv(command()), encoding="utf-8")
            written.append(f"numbers written to {csv}")
        if out is not None:
            write_plot(plots.study, found, out)
            written.append(f"plot written to {out}")
        if written and not as_json:
            say("\n" + "\n".join(written))
        return 0

    return does


@_command
def figure1(data: str | None = None, **asked: Any) -> Study:
    """Do the study of figure 1."""
    return figure1_study.figure1(loaders.load_letter(data), **asked)


@_command
def table2(dataset: str, data: str | None = None, **asked: Any) -> Study:
    """Do the study of table 2."""
    _check.choice(dataset, ("letter", "forest"), "dataset")
    if dataset == "letter":
        population = loaders.binary_letter(loaders.load_letter(data))
    else:
        population = loaders.binary_covertype(loaders.load_covertype(data))
    return table2_study.table2(population.with_replacement(), printed=dataset, **asked)


@_command
def habitat(data: str | None = None, **asked: Any) -> Study:
    """Study the methods where they are meant to be used."""
    return habitat_study.habitat(loaders.load_letter(data), _learners(), **asked)


@_command
def moments(data: str | None = None, **asked: Any) -> Study:
    """Measure variances and covariances of losses."""
    return table1_study.table1(loaders.load_letter(data), _learners(), **asked)


@_command
def coverage(**asked: Any) -> Study:
    """Measure coverage where the truth is known."""
    return coverage_study.coverage(**asked)


@_command
def atlas(rows: str | None = None, read: list[str] | None = None, **asked: Any) -> Study:
    """Measure many methods on many problems, or put together what was measured."""
    check_file(rows, {})
    found = atlases.read_atlas(*read) if read else atlases.atlas(**asked)
    if rows is not None:
        with writing(rows):
            atlases.save(found, rows)
    return found


@_command
def calibrate(
    data: str,
    target: str,
    model: list[str],
    drop: Any = (),
    feature: Any = (),
    groups: str | None = None,
    **asked: Any,
) -> Study:
    """Measure the methods with the user's data as the population."""
    models, failures = parse_models(model)
    content = read_examples(data, target, groups=groups, drop=drop, features=feature)
    if failures:
        texts = "; ".join(f"learner {one.learner} failed: {one.message}" for one in failures)
        raise FitFailedError(texts, failures)
    found = coverage_study.calibrate(
        content.X, content.y, content.prepared(models), groups=content.groups, **asked
    )
    notes = [f"{one.text}." for one in content.notes]
    told = {**found.content, "warnings": [*found.content["warnings"], *notes]}
    return replace(found, content=told, conclusion=(*found.conclusion, *notes))


def _learners() -> dict[str, Any]:
    """Return the learners of Nadeau & Bengio (2003)."""
    from errbar_lab.learners import DistortedNearestNeighbour, SplusTree

    return {"A": SplusTree(), "B": DistortedNearestNeighbour()}

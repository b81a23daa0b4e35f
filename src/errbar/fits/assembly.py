"""From the predictions of all fits to the table of losses, or to the error that names the fits that failed."""

import json
import platform
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any

import numpy as np
from numpy.typing import NDArray

from errbar import metrics
from errbar._check import IntArray
from errbar.errors import Failure, FitFailedError, InvalidInputError, UndefinedMetricError
from errbar.fits.fit_run import FitRun, Setup
from errbar.fits.key import versions
from errbar.fits.task import Outcome, TrainingSet, joined
from errbar.measuring import Cells, Tested, measure
from errbar.metrics import Loss
from errbar.plans import Draw
from errbar.result import Note
from errbar.table import LossTable


def table_of(setup: Setup, run: FitRun, *, keep: bool) -> LossTable:
    """Return the table of the learners of a run that has been finished."""
    by_learner = run.by_learner()
    failures = [
        Failure(name, words, one.error, one.traceback)
        for name, own in by_learner.items()
        for one in own
        if one.error
        for words in run.job.words(one.task)
    ]
    failures = [*setup.failures, *failures]
    broken = dict.fromkeys(failure.learner for failure in failures)
    complete = {name: own for name, own in by_learner.items() if name not in broken}
    notes = (*setup.notes, *run.notes())
    if keep:
        notes += tuple(_failure_note(name, failures) for name in broken)
    table = _assembled(setup, run, complete, notes, tuple(failures)) if complete else None
    if table is None or (failures and not keep):
        first = failures[0]
        where = ", ".join(filter(None, (first.learner, first.split)))
        total = len(by_learner) * len(run.job.sets) + len(setup.failures)
        raise FitFailedError(
            f"{len(failures)} of {total} fits failed; first: {where}: {first.message}",
            failures,
            table,
        )
    return table


def _failure_note(name: str, failures: Sequence[Failure]) -> Note:
    [first, *_] = [failure for failure in failures if failure.learner == name]
    return Note("left-out", what=[name], why=f"failed fits ({first.message.partition(':')[0]})")


def _assembled(
    setup: Setup,
    run: FitRun,
    complete: Mapping[str, Sequence[Outcome]],
    notes: tuple[Note, ...],
    failures: tuple[Failure, ...],
) -> LossTable:
    cells = Cells.of([split.test for split in setup.draw.splits])
    places = _places(setup.draw, run.job.sets)
    found = {name: joined([one.predictions for one in own]) for name, own in complete.items()}
    predictions = tuple(
        {kind: values[places] for kind, values in own.items()} for own in found.values()
    )
    reweighted = [one.name for one in setup.prototypes if one.reweighted and one.name in complete]
    provenance = {
        "random_state": str(setup.base),
        "data": setup.data.digest,
        "splits": setup.draw.fingerprint,
        "examples": str(setup.data.n),
        **({"features": str(setup.data.features)} if setup.data.features else {}),
        **({"reweighted": json.dumps(reweighted)} if reweighted else {}),
        **versions(),
        "python": platform.python_version(),
    }
    tested = Tested(setup.data.target, setup.splits, cells)
    said = (*notes, *_warning_notes(complete), *_seed_notes(run.job.sets, found))

    def measured(loss: Loss) -> LossTable:
        scores, points = measure(loss, tested, predictions, tuple(complete))
        return LossTable(
            learners=tuple(complete),
            loss=loss,
            splits=setup.splits,
            scores=scores,
            points=points,
            cells=cells,
            predictions=predictions,
            target=setup.data.target,
            counts=run.counts(),
            notes=said,
            failures=failures,
            provenance=provenance,
        )

    try:
        return measured(setup.loss)
    except UndefinedMetricError as error:
        with suppress(InvalidInputError):  # where predictions of another kind were kept
            error.table = measured(metrics.default(setup.data.target.task))
        raise


def _places(drawn: Draw, sets: Sequence[TrainingSet]) -> IntArray:
    pieces: list[Any] = [None] * len(drawn.splits)
    start = 0
    for group in sets:
        for j in group.splits:
            pieces[j] = start + np.searchsorted(group.examples, drawn.splits[j].test)
        start += group.examples.size
    return np.concatenate(pieces)


def _seed_notes(
    sets: Sequence[TrainingSet], found: Mapping[str, Mapping[str, NDArray[Any]]]
) -> Iterator[Note]:
    first = {one.digest: place for place, one in enumerate(sets) if one.seed == 0}
    ends = np.cumsum([one.examples.size for one in sets])
    where = [slice(end - one.examples.size, end) for one, end in zip(sets, ends, strict=True)]
    pairs = [(where[first[one.digest]], where[j]) for j, one in enumerate(sets) if one.seed]
    same = [
        name
        for name, own in found.items()
        if pairs
        and all(np.array_equal(v[one], v[other]) for v in own.values() for one, other in pairs)
    ]
    if same:
        yield Note("same-for-every-seed", learners=same)


def _warning_notes(outcomes: Mapping[str, Sequence[Outcome]]) -> tuple[Note, ...]:
    notes = []
    for name, own in outcomes.items():
        warned = [block for block in own if block.warnings]
        if warned:
            counts = f"{name} ({len(warned)} of {len(own)})"
            notes.append(Note("fits", warned=[counts], first_warning=[warned[0].warnings[0][:200]]))
    return tuple(notes)

"""From the predictions of all fits to the table of losses, or to the error that names the fits that failed."""

import json
import platform
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from errbar import metrics
from errbar._check import IntArray
from errbar.errors import Failure, FitFailedError, InvalidInputError, UndefinedMetricError
from errbar.fits.collector import Collector
from errbar.fits.data import Data
from errbar.fits.key import versions
from errbar.fits.learners import Prototype
from errbar.fits.parallel import Outcome
from errbar.fits.task import TrainingSet, joined
from errbar.measuring import Cells, Tested, measure
from errbar.metrics import Loss
from errbar.plans import Draw
from errbar.result import Note
from errbar.split_columns import SplitColumns
from errbar.table import Counts, LossTable


@dataclass(frozen=True, eq=False)
class Setup:
    """A run that has been checked and not been started; a `part` is the beginning of a longer run."""

    data: Data
    prototypes: tuple[Prototype, ...]
    losses: tuple[Loss, ...]
    draw: Draw
    splits: SplitColumns
    base: int
    part: bool = False
    notes: tuple[Note, ...] = ()


def table_of(setup: Setup, run: Collector, *, keep: bool) -> LossTable:
    """Return the table of the learners of a run that has been finished."""
    by_learner = run.by_learner()
    failures = tuple(
        Failure(name, words, one.error, one.traceback)
        for name, own in by_learner.items()
        for one in own
        if one.error
        for words in run.job.words(one.task)
    )
    broken = {one.learner: one.message.partition(":")[0] for one in reversed(failures)}
    complete = {name: own for name, own in by_learner.items() if name not in broken}
    table = None
    if complete:
        left = [
            Note("left-out", what=[name], why=f"failed fits ({broken[name]})")
            for name in by_learner
            if name in broken and keep
        ]
        table = _assembled(
            setup, run, complete, (*setup.notes, *_store_notes(run), *left), failures
        )
    if table is None or (failures and not keep):
        first = failures[0]
        total = len(by_learner) * len(run.job.sets)
        raise FitFailedError(
            f"{len(failures)} of {total} fits failed; first: {first.learner}, {first.split}: {first.message}",
            failures,
            table,
        )
    return table


def _store_notes(run: Collector) -> Iterator[Note]:
    """Yield what has to be said about fits that were not kept, or damaged."""
    if run.store is not None and run.store.problem is not None:
        yield Note("fits", not_kept=[f"{len(run.store.waiting)} ({run.store.problem})"])
    if run.store is not None and run.store.damaged:
        yield Note("fits", damaged=[len(run.store.damaged)])


def _counts(run: Collector) -> Counts:
    fits = [len(one.task.sets) for one in run.outcomes.values() if not one.error]
    together = dict.fromkeys(task.learner for task in run.tasks if len(task.sets) > 1)
    seconds = time.perf_counter() - run.started
    return Counts(sum(fits) - run.reused, run.reused, run.failed, seconds, tuple(together))


def _assembled(
    setup: Setup,
    run: Collector,
    complete: Mapping[str, Sequence[Outcome]],
    notes: tuple[Note, ...],
    failures: tuple[Failure, ...],
) -> LossTable:
    cells = Cells.of([split.test for split in setup.draw.splits])
    places = _places(setup.draw, run.job.sets)
    found = {name: joined([one.arrays for one in own]) for name, own in complete.items()}
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
            counts=_counts(run),
            notes=said,
            failures=failures,
            provenance=provenance,
        )

    try:
        return measured(setup.losses[0])
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

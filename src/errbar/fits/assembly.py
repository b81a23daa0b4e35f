"""From the predictions of all fits to the table of losses, or to the error that names the fits that failed."""

import json
import platform
import time
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import numpy as np

from errbar import metrics
from errbar._check import IntArray
from errbar.errors import Failure, FitFailedError, InvalidInputError, UndefinedMetricError
from errbar.fits.collector import Collector
from errbar.fits.data import Data
from errbar.fits.key import versions
from errbar.fits.learners import Prototype
from errbar.fits.task import Predictions, joined
from errbar.measuring import Cells
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
    table = _assembled(setup, run, complete, failures, broken if keep else {}) if complete else None
    if table is None or (failures and not keep):
        first, total = failures[0], len(by_learner) * len(run.job.sets)
        raise FitFailedError(
            f"{len(failures)} of {total} fits failed; first: {first.learner}, {first.split}: {first.message}",
            failures,
            table,
        )
    return table


def _assembled(
    setup: Setup,
    run: Collector,
    complete: Any,
    failures: tuple[Failure, ...],
    left_out: Any,
) -> LossTable:
    sets, data = run.job.sets, setup.data
    found = {name: joined([one.arrays for one in own]) for name, own in complete.items()}
    notes = list(setup.notes)
    if run.store is not None and run.store.problem is not None:
        lost = f"{len(run.store.waiting)} ({run.store.problem})"
        notes.append(Note("fits", not_kept=[lost]))
    if run.store is not None and run.store.damaged:
        notes.append(Note("fits", damaged=[len(run.store.damaged)]))
    for name, why in reversed(list(left_out.items())):
        notes.append(Note("left-out", what=[name], why=f"failed fits ({why})"))
    for name, own in complete.items():
        texts = [one.warnings[0][:200] for one in own if one.warnings]
        if texts:
            counts = f"{name} ({len(texts)} of {len(own)})"
            notes.append(Note("fits", warned=[counts], first_warning=texts[:1]))
    if same := [name for name, own in found.items() if _ignores_seeds(own, sets)]:
        notes.append(Note("same-for-every-seed", learners=same))
    reweighted = [one.name for one in setup.prototypes if one.reweighted and one.name in complete]
    provenance = {
        "random_state": str(setup.base),
        "data": data.digest,
        "splits": setup.draw.fingerprint,
        "examples": str(data.n),
        **({"features": str(data.features)} if data.features else {}),
        **({"reweighted": json.dumps(reweighted)} if reweighted else {}),
        **versions(),
        "python": platform.python_version(),
    }
    places = _places(setup.draw, sets)
    usual = metrics.default(data.target.task)
    blank = LossTable(
        learners=tuple(complete),
        loss=usual,
        splits=setup.splits,
        scores=np.zeros((len(complete), len(setup.draw.splits))),
        cells=Cells.of([split.test for split in setup.draw.splits]),
        predictions=tuple(
            {kind: values[places] for kind, values in own.items()} for own in found.values()
        ),
        target=data.target,
        counts=_counts(run),
        notes=tuple(notes),
        failures=failures,
        provenance=provenance,
    )
    try:
        return blank.with_loss(setup.losses[0])
    except UndefinedMetricError as error:
        with suppress(InvalidInputError):  # where predictions of another kind were kept
            error.table = blank.with_loss(usual)
        raise


def _counts(run: Collector) -> Counts:
    fits = [len(one.task.sets) for one in run.outcomes.values() if not one.error]
    together = dict.fromkeys(task.learner for task in run.tasks if len(task.sets) > 1)
    seconds = time.perf_counter() - run.started
    return Counts(sum(fits) - run.reused, run.reused, run.failed, seconds, tuple(together))


def _places(drawn: Draw, sets: Any) -> IntArray:
    pieces: list[Any] = [None] * len(drawn.splits)
    start = 0
    for group in sets:
        for j in group.splits:
            pieces[j] = start + np.searchsorted(group.examples, drawn.splits[j].test)
        start += group.examples.size
    return np.concatenate(pieces)


def _ignores_seeds(found: Predictions, sets: Any) -> bool:
    first = {one.digest: j for j, one in enumerate(sets) if one.seed == 0}
    pairs = [(first[one.digest], j) for j, one in enumerate(sets) if one.seed]
    ends = np.cumsum([one.examples.size for one in sets])[:-1]
    parts = [np.split(values, ends) for values in found.values()]
    return bool(pairs) and all(np.array_equal(own[i], own[j]) for own in parts for i, j in pairs)

"""From the predictions of all fits to the table of losses, or to the error that names the fits that failed."""

import json
import platform
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any

import numpy as np
from numpy.typing import NDArray

from errbar import metrics
from errbar._check import IntArray, listed
from errbar.engine.identity import versions
from errbar.engine.schedule import Setup, TrainingSet
from errbar.engine.work import GIVEN_UP, Block
from errbar.errors import Failure, FitFailedError, InvalidInputError, UndefinedMetricError
from errbar.measuring import Cells, Tested, measure
from errbar.metrics import Loss
from errbar.plans import Draw
from errbar.result import Note
from errbar.table import Counts, LossTable


def table_of(
    setup: Setup,
    groups: Sequence[TrainingSet],
    blocks: Sequence[Block],
    counts: Counts,
    notes: tuple[Note, ...],
    *,
    keep: bool,
) -> LossTable:
    """Return the table of the learners; `blocks` holds those of all training sets, learner after learner.

    Raises
    ------
    FitFailedError
        If fits failed; its ``table`` holds the learners that have all of theirs. With `keep` that table is the answer,
        and this is raised only if no learner has.
    """
    failures = [
        Failure(one.learner, one.split, one.error, one.traceback) for one in blocks if one.error
    ]
    failures = [*setup.failures, *failures]
    notes = (*setup.notes, *notes)
    broken = {failure.learner for failure in failures}
    complete: dict[str, list[Block]] = {}
    for block in blocks:
        if block.learner not in broken:
            complete.setdefault(block.learner, []).append(block)
    if keep:
        notes += tuple(
            _failure_note(name, failures) for name in dict.fromkeys(one.learner for one in failures)
        )
    table = (
        _assembled(setup, groups, complete, counts, notes, tuple(failures)) if complete else None
    )
    if table is None or (failures and not keep):
        first, total = failures[0], len(blocks) + len(setup.failures)
        raise FitFailedError(
            f"{len(failures)} of {total} fits failed{_untried(failures)}; first: {_where(first)}: {first.message}{_encoding(setup, first)}",
            failures,
            table,
        )
    return table


def _encoding(setup: Setup, first: Failure) -> str:
    """Return the end of a message that says which columns a learner could not read."""
    texts = setup.data.texts if "could not convert string to float" in first.message else []
    if not texts:
        return ""
    named = listed(list(map(repr, texts)), 3)
    return f"; {named} hold{'s' * (len(texts) == 1)} text: put an encoder before the learner, as in make_pipeline(OneHotEncoder(), learner)"


def _untried(failures: Sequence[Failure]) -> str:
    """Return what must be added where some fits were not tried."""
    given_up = any(GIVEN_UP in failure.message for failure in failures)
    return " or were not tried, since the first of their learner failed" if given_up else ""


def _where(failure: Failure) -> str:
    return ", ".join(filter(None, (failure.learner, failure.split)))


def _failure_note(name: str, failures: Sequence[Failure]) -> Note:
    [first, *_] = [failure for failure in failures if failure.learner == name]
    return Note("left-out", what=[name], why=f"failed fits ({first.message.partition(':')[0]})")


def _assembled(
    setup: Setup,
    groups: Sequence[TrainingSet],
    blocks: Mapping[str, Sequence[Block]],
    counts: Counts,
    notes: tuple[Note, ...],
    failures: tuple[Failure, ...],
) -> LossTable:
    cells = Cells.of([split.test for split in setup.draw.splits])
    places = _places(setup.draw, groups)
    predictions = tuple(_on_cells(own, places) for own in blocks.values())
    reweighted = [one.name for one in setup.prototypes if one.reweighted and one.name in blocks]
    provenance = {
        "random_state": str(setup.base),
        "data": setup.data.digest,
        "splits": setup.draw.fingerprint,
        "examples": str(setup.data.n),
        **({"features": str(setup.data.features)} if setup.data.features else {}),
        **({"reweighted": json.dumps(reweighted)} if reweighted else {}),
        **_versions(blocks),
    }

    tested = Tested(setup.data.target, setup.splits, cells)

    def measured(loss: Loss) -> LossTable:
        scores, points = measure(loss, tested, predictions, tuple(blocks))
        return LossTable(
            learners=tuple(blocks),
            loss=loss,
            splits=setup.splits,
            scores=scores,
            points=points,
            cells=cells,
            predictions=predictions,
            target=setup.data.target,
            counts=counts,
            notes=(*notes, *_warning_notes(blocks), *_seed_notes(groups, blocks)),
            failures=failures,
            provenance=provenance,
        )

    try:
        return measured(setup.loss)
    except UndefinedMetricError as error:
        with suppress(InvalidInputError):  # where predictions of another kind were kept
            error.table = measured(metrics.default(setup.data.target.task))
        raise


def _versions(blocks: Mapping[str, Sequence[Block]]) -> dict[str, str]:
    """Return the versions that the fits were made with; some of them may have been kept under others."""
    kept = {id(block.versions): block.versions for own in blocks.values() for block in own}.values()
    now = versions()
    found = {
        name: ", ".join(sorted({now[name], *(one.get(name, now[name]) for one in kept)}))
        for name in now
    }
    return found | (
        {"python": platform.python_version()} if found["python"] == now["python"] else {}
    )


def _on_cells(blocks: Sequence[Block], places: IntArray) -> dict[str, NDArray[Any]]:
    """Lay the predictions of one learner out split after split, in the order of each test set."""
    everywhere = [
        kind for kind in blocks[0].predictions if all(kind in block.predictions for block in blocks)
    ]
    return {
        kind: np.concatenate([block.predictions[kind] for block in blocks])[places]
        for kind in everywhere
    }


def _places(drawn: Draw, groups: Sequence[TrainingSet]) -> IntArray:
    """Return where the prediction of each cell stands among those of all training sets, one set after another."""
    pieces: list[Any] = [None] * len(drawn.splits)
    start = 0
    for group in groups:
        for j in group.splits:
            pieces[j] = start + np.searchsorted(group.examples, drawn.splits[j].test)
        start += group.examples.size
    return np.concatenate(pieces)


def _seed_notes(
    groups: Sequence[TrainingSet], blocks: Mapping[str, Sequence[Block]]
) -> Iterator[Note]:
    """Say for which learners the seeds of a training set change nothing."""
    first = {group.digest: place for place, group in enumerate(groups) if group.seed == 0}
    pairs = [(first[group.digest], place) for place, group in enumerate(groups) if group.seed]
    same = [
        name
        for name, own in blocks.items()
        if pairs
        and all(_alike(own[one].predictions, own[other].predictions) for one, other in pairs)
    ]
    if same:
        yield Note("same-for-every-seed", learners=same)


def _alike(one: Mapping[str, NDArray[Any]], other: Mapping[str, NDArray[Any]]) -> bool:
    return all(np.array_equal(values, other[kind]) for kind, values in one.items() if kind in other)


def _warning_notes(blocks: Mapping[str, Sequence[Block]]) -> tuple[Note, ...]:
    notes = []
    for name, own in blocks.items():
        warned = [block for block in own if block.warnings]
        if warned:
            counts = f"{name} ({len(warned)} of {len(own)})"
            notes.append(Note("fits", warned=[counts], first_warning=[warned[0].warnings[0][:200]]))
    return tuple(notes)

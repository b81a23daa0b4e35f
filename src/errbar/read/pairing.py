"""Learners side by side: a long table turned, answers averaged, and what is incomplete left out."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from errbar import _check
from errbar.errors import InvalidInputError, PairingError
from errbar.index import SIZES
from errbar.plans._kinds import DATA_SETS
from errbar.read.columns import Columns
from errbar.read.places import mean_of_answers, with_repeats
from errbar.read.roles import BESIDE, PLACES, UnsaidRoleError
from errbar.read.sheet import PREDICTIONS, Sheet
from errbar.result import Note

MISSING = ("learners", "examples")
"""What may be left out where numbers are missing."""

_SHOWN = 3


def side_by_side(sheet: Sheet, missing: str | None) -> Columns:
    """Return the values of each learner and the labels of the rows, without what is incomplete."""
    labels = {role: sheet.frame[name].to_numpy() for role, name in sheet.roles.items()}
    if sheet.long:
        values, labels = _turned(sheet, labels)
    else:
        values = {name: sheet.frame[name].to_numpy() for name in sheet.learners}
    found = Columns(values, labels, sheet.notes())
    pandas = _check.package("pandas", "app")
    there = np.stack([pandas.notna(column) for column in values.values()])
    if not there.all():
        if missing is None and not sheet.long:
            name = sheet.learners[int(np.argmin(there.all(axis=1)))]
            row = int(np.argmax(sheet.frame[name].isna())) + 1
            raise UnsaidRoleError(
                f"{name!r} has no value in row {row}", "--missing examples", "--missing learners"
            )
        unit = "examples" if sheet.of_tests else "splits"
        found = complete(found, there, missing or "learners", unit)
    if sheet.rows == DATA_SETS:
        found = _mean_of_data_sets(found)
    return found._replace(labels=with_repeats(found.labels | sheet.stated))


def _turned(
    sheet: Sheet, labels: dict[str, NDArray[Any]]
) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    """Return a long table with a row for each cell: an example in a split, or a split, that several learners have."""
    pandas = _check.package("pandas", "app")
    values = sheet.frame[sheet.learners[0]].to_numpy()
    labels["learner"] = labels["learner"].astype(str)
    if "answer" in labels and sheet.rows != PREDICTIONS:
        # Each learner has answers of its own, and maybe more than another.
        means, labels = mean_of_answers(values[np.newaxis].astype(float), labels)
        values = means[0]
    of, known = pandas.factorize(labels.pop("learner"))
    places = pandas.DataFrame({role: labels[role] for role in PLACES if role in labels})
    cell = places.groupby([*places], sort=False).ngroup().to_numpy()
    first = np.unique(cell, return_index=True)[1]
    for role in (*BESIDE, *SIZES, "truth"):
        if role in labels and (labels[role][first][cell] != labels[role]).any():
            raise InvalidInputError(
                "must hold one value for each example or split, the same for all learners",
                argument=role,
            )
    turned = np.full(
        (known.size, first.size), np.nan, dtype=object if sheet.rows == PREDICTIONS else float
    )
    turned[of, cell] = values
    return dict(zip(_check.names(known, "learner"), turned, strict=True)), {
        role: column[first] for role, column in labels.items()
    }


def complete(found: Columns, there: NDArray[np.bool_], missing: str, unit: str) -> Columns:
    """Leave out what is not complete.

    Parameters
    ----------
    found : Columns
        All learners and rows.
    there : ndarray of bool, shape (learners, rows)
        Which learner has a number in which row.
    missing : {"learners", "examples"}
        What is left out. With one row, all of its example go.
    unit : {"examples", "splits"}
        What rows are of.

    Raises
    ------
    PairingError
        If less than two learners are complete, or no example is.
    """
    names = [*found.learners]
    example = found.labels.get("example", np.arange(there.shape[1]))
    of = np.unique(example.astype(str), return_inverse=True)[1]

    def of_an_example(rows: Any) -> NDArray[np.bool_]:
        return np.bincount(of, weights=rows)[of] > 0

    alone, whole = there.any(axis=0), ~of_an_example(~there.all(axis=0))
    keep = alone if missing == "learners" else whole
    lacking = (~there[:, keep]).sum(axis=1)
    if not keep.any() or (lacking == 0).sum() < min(2, len(names)):
        worst = int((alone & ~there).sum(axis=1).argmax())
        gaps = np.flatnonzero(alone & ~there[worst])
        raise PairingError(
            f"{names[worst]!r} lacks {gaps.size} of {alone.sum()} numbers, such as {_titles(found.labels, gaps[:1])}; "
            f"learners are compared on the same {unit}: --missing examples leaves out those that any learner lacks"
        )
    left_out = []
    if not keep.all():
        gone = np.flatnonzero(~keep)
        count = f"{np.unique(of[gone]).size} of {np.unique(of).size} {unit}"
        left_out.append([count, *_titles(found.labels, gone[:_SHOWN])])
    if lacking.any():
        left_out.append([f"{names[i]} ({lacking[i]})" for i in np.flatnonzero(lacking)])
    notes = [Note("left-out", what=what, why="missing numbers") for what in left_out]
    return Columns(
        {
            name: column[keep]
            for (name, column), gaps in zip(found.learners.items(), lacking, strict=True)
            if not gaps
        },
        {role: column[keep] for role, column in found.labels.items()},
        (*found.notes, *notes),
    )


def _titles(labels: Mapping[str, Any], rows: Any) -> list[str]:
    """Return how messages name rows."""
    known = [role for role in reversed(PLACES) if role in labels]
    titles = [", ".join(f"{role} {labels[role][row]}" for role in known) for row in rows]
    return titles if known else [f"row {row + 1}" for row in rows]


def _mean_of_data_sets(found: Columns) -> Columns:
    """Return the mean of each learner on each data set, in the order in which these first occur."""
    pandas = _check.package("pandas", "app")
    parts = pandas.DataFrame(found.learners).groupby(found.labels["dataset"], sort=False)
    means = parts.mean()
    notes = found.notes
    if parts.size().max() > 1:
        notes += (Note("read", averaged_rows=["dataset"]),)
    return Columns({name: means[name].to_numpy() for name in means}, {}, notes)

"""Tables that people have, as tables of losses: roles said or taken by name, then learners, then what a row is."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from errbar import _check
from errbar.errors import InvalidInputError, PairingError
from errbar.index import SIZES
from errbar.plans._kinds import DATA_SETS
from errbar.read import checks
from errbar.read.columns import Columns
from errbar.read.frame import frame_of
from errbar.read.places import mean_of_answers, with_repeats
from errbar.read.predictions import predictions_table
from errbar.read.roles import BESIDE, PLACES, ROLES, UnsaidRoleError, columns_named, roles_of, told
from errbar.read.scores import STATED, direction_of, from_judged, losses_table, scores_table
from errbar.read.sheet import EXAMPLES, PREDICTIONS, SCORES, Sheet, sheet_of, with_rows
from errbar.result import Note
from errbar.table import LossTable


def read_table(
    source: Any,
    *,
    columns: str | Sequence[str] | None = None,
    ignore: str | Sequence[str] | None = None,
    loss: Any = None,
    positive: Any = None,
    pool: str | None = None,
    metric: str | None = None,
    higher_is_better: bool | None = None,
    kind: str | None = None,
    n_train: float | str | None = None,
    n_test: float | str | None = None,
    missing: str | None = None,
    **roles: str | None,
) -> LossTable:
    """Read a table of scores, losses or predictions; needs pandas.

    The role of a column is said, or its name stands in the table of names, ``roles.toml``; a note says
    which were taken. With a `learner` the table is long: each row has a number or prediction of one
    learner. Else every column of numbers without a role is a learner. A column that fits neither, and
    may change the numbers, is refused by name.

    Parameters
    ----------
    source : str, Path, data frame or mapping
        CSV (also packed), Parquet, JSON lines, Excel, or a frame of pandas, polars or Arrow.
    columns, ignore : str or sequence of str, optional
        The learners of a wide table, needed beside a `truth`; columns that are none.
    loss, positive, pool : optional
        With a truth, as for `from_predictions`.
    metric : str, optional
        Name of the numbers; where a column ``metric`` names several, the one to read.
    higher_is_better : bool, optional
        By default as the name of the numbers says, such as ``"accuracy"``, and else not, with a note.
    kind : str, optional
        What a row is: ``"examples"``, ``"data-sets"``, or a kind of splits as for `from_scores`.
    n_train, n_test : float or str, optional
        Sizes of the splits, or the columns that hold them.
    missing : {"learners", "examples"}, optional
        What is left out where a number is missing: the learner, or the example or split. By default
        the learner of a long table, and nothing of a wide one, whose cells must all be filled.
    **roles : str, optional
        Columns by role; ``"none"`` says that no column has it.

        * ``learner``, ``value``: Of a long table: the learner, and its number or prediction.
        * ``truth``: What was to be predicted; the learners are predictions then.
        * ``judge``: What another judge gives to all examples, beside people's `value`; see
          `from_judged`.
        * ``dataset``: Each learner then has its mean on each data set.
        * ``split``: Number of a random split.
        * ``fold``, ``repeat``, ``inner``, ``halving``, ``half``, ``seed``, ``example``, ``answer``,
          ``groups``, ``time``, ``strata``: As for `from_losses` and `from_scores`.

    Returns
    -------
    LossTable

    Raises
    ------
    UnsaidRoleError, InvalidInputError, PairingError
        If a column may have several roles, or nothing says what a row is (``options`` settle it); if
        the table cannot be read, or does not fit what was said; if no two learners have all numbers.

    Examples
    --------
    >>> import errbar
    >>> answers = {"model": ["a", "a", "b", "b"], "question_id": [1, 2, 1, 2], "correct": [1, 0, 1, 1]}
    >>> table = errbar.read_table(answers, value="correct", higher_is_better=True)
    >>> str(table.notes[0])
    'read: roles: learner=model, example=question_id'
    """
    frame = frame_of(source)
    if all(map(_check.is_number, frame.columns)):
        raise InvalidInputError("the first row holds numbers; write names of columns above it")
    frame = frame.drop(columns=columns_named(ignore, frame.columns, "ignore"))
    sized = {**roles, "n_train": n_train, "n_test": n_test}
    said, stated = told(sized, (*ROLES, "judge"), frame.columns)
    if "judge" in said:
        return _judged(
            frame, said, metric=metric, higher_is_better=higher_is_better, n_train=n_train
        )
    _check.choice(kind or EXAMPLES, (*STATED, EXAMPLES), "kind")
    _check.choice(missing or MISSING[0], MISSING, "missing")
    chosen = columns_named(columns, frame.columns, "columns")
    sheet = sheet_of(frame, said, stated, chosen, metric=metric, kind=kind)
    checks.refuse_columns(sheet)
    checks.refuse_gaps(sheet)
    sheet = with_rows(sheet)
    judged_by: dict[str, Any] = {"loss": loss, "positive": positive, "pool": pool}
    numbers: dict[str, Any] = {"metric": metric, "higher_is_better": higher_is_better}
    checks.refuse_unused(sheet, kind=kind, **judged_by, **numbers)
    checks.refuse_rows(sheet)
    found = side_by_side(sheet, missing)
    of_splits = sheet.rows == SCORES and kind != DATA_SETS
    checks.refuse_odd_values(found.learners, found.labels, of_splits=of_splits, named=sheet.named)
    numbers["metric"] = sheet.metric
    if sheet.rows == PREDICTIONS:
        if not {"fold", "split", "repeat", "time"} & {*sheet.roles, *said, *stated}:
            one_set = Note("taken-as", what="all rows", kind="one test set", say=["fold"])
            found = found._replace(notes=(*found.notes, one_set))
        return predictions_table(found, **judged_by)
    if sheet.rows == EXAMPLES:
        return losses_table(found, **numbers)
    return scores_table(found, kind=DATA_SETS if sheet.rows == DATA_SETS else kind, **numbers)


def from_long(frame: Any, learner: str, value: str, **said: Any) -> LossTable:
    """Make a table from a long frame: one row per learner and example, or split; needs pandas.

    Parameters
    ----------
    frame : data frame or mapping of str to array-like
        The rows.
    learner, value : str
        Columns with the name of the learner, and with its number or prediction.
    **said : object
        Columns of labels, and all else that `read_table` takes.

    Returns
    -------
    LossTable
        The learners in the order in which they first occur.

    Raises
    ------
    InvalidInputError, PairingError
        As for `read_table`.

    Examples
    --------
    >>> import errbar
    >>> rows = {"model": ["a", "a", "b", "b"], "question": [1, 2, 1, 2], "correct": [1, 0, 1, 1]}
    >>> table = errbar.from_long(rows, "model", "correct", example="question", higher_is_better=True)
    >>> table.learners, errbar.infer(table, "holdout-t", "a").estimate
    (('a', 'b'), 0.5)
    """
    return read_table(frame, learner=learner, value=value, **said)


MISSING = ("learners", "examples")
"""What may be left out where numbers are missing."""

_SHOWN = 3


def _judged(
    frame: Any, said: Mapping[str, str], *, higher_is_better: bool | None, **options: Any
) -> LossTable:
    """Return the table of a frame in which people have judged some rows, and another judge all."""
    other = [role for role in said if role not in ("value", "judge", "learner", "example")]
    if other or "value" not in said:
        raise InvalidInputError(
            f"goes with `value`, `learner` and `example` alone, got {', '.join(said)}",
            argument=[*other, "value"][0],
        )
    roles = roles_of(frame, said, ("learner", "example"))
    people = roles.pop("value")
    judge = roles["judge"]
    left = [name for name in frame.columns if name not in (people, *roles.values())]
    sheet = Sheet(frame, roles, [people], left, said, rows=EXAMPLES)
    checks.refuse_gaps(sheet)
    checks.ask(sheet, checks.rows_alike)
    sides = [{"learner": frame[name]} for name in (people, judge)]
    if sheet.long:
        sides = [_turned(replace(sheet, learners=[name]))[0] for name in (people, judge)]
    metric = options["metric"] or people
    higher, notes = direction_of(metric, higher_is_better, frame[judge].to_numpy())
    table = from_judged(*sides, higher_is_better=higher, **options)
    return replace(table, notes=(*sheet.notes(), *notes))


def side_by_side(sheet: Sheet, missing: str | None) -> Columns:
    """Return the values of each learner and the labels of the rows, without what is incomplete."""
    if sheet.long:
        values, labels = _turned(sheet)
    else:
        values = {name: sheet.frame[name].to_numpy() for name in sheet.learners}
        labels = sheet.labels()
    pandas = _check.package("pandas", "app")
    found = Columns(values, labels, sheet.notes())
    there = np.stack([pandas.notna(column) for column in values.values()])  # (K, rows)
    if not there.all():
        if missing is None and not sheet.long:
            name = sheet.learners[there.all(axis=1).argmin()]
            row = sheet.frame[name].isna().argmax() + 1
            raise UnsaidRoleError(
                f"{name!r} has no value in row {row}", "--missing examples", "--missing learners"
            )
        unit = "examples" if sheet.of_tests else "splits"
        found = complete(found, there, missing or "learners", unit)
    if sheet.rows == DATA_SETS:  # in the order in which they first occur
        parts = pandas.DataFrame(found.learners).groupby(found.labels["dataset"], sort=False)
        notes = found.notes
        if parts.size().max() > 1:
            notes += (Note("read", averaged_rows=["dataset"]),)
        means = parts.mean()
        found = Columns({name: means[name].to_numpy() for name in means}, {}, notes)
    return found._replace(labels=with_repeats({**found.labels, **sheet.stated}))


def _turned(sheet: Sheet) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    """Return a long table with a row for each cell: an example in a split, or a split, that several learners have."""
    pandas = _check.package("pandas", "app")
    labels = sheet.labels()
    labels["learner"] = labels["learner"].astype(str)
    values = sheet.frame[sheet.learners[0]].to_numpy()
    if "answer" in labels and sheet.rows != PREDICTIONS:
        # Each learner has answers of its own, and maybe more than another.
        [values], labels = mean_of_answers(values[np.newaxis].astype(float), labels)
    of, known = pandas.factorize(labels.pop("learner"))
    places = pandas.DataFrame({role: labels[role] for role in PLACES if role in labels})
    cell = places.groupby([*places], sort=False).ngroup().to_numpy()
    first = np.unique(cell, return_index=True)[1]
    for role in (*BESIDE, *SIZES, "truth"):
        if role in labels and (labels[role][first][cell] != labels[role]).any():
            raise InvalidInputError(
                "must hold one value for each example or split",
                argument=role,
            )
    kind = object if sheet.rows == PREDICTIONS else float
    turned = np.full((known.size, first.size), np.nan, dtype=kind)
    turned[of, cell] = values
    learners = dict(zip(_check.names(known, "learner"), turned, strict=True))
    return learners, {role: column[first] for role, column in labels.items()}


def complete(found: Columns, there: NDArray[np.bool_], missing: str, unit: str) -> Columns:
    """Leave out learners, or rows with all of their example, that lack a number."""
    names = [*found.learners]
    example = found.labels.get("example", np.arange(there.shape[1])).astype(str)
    alone = there.any(axis=0)
    keep = alone
    if missing == "examples":
        keep = ~np.isin(example, example[~there.all(axis=0)])
    lacking = (~there[:, keep]).sum(axis=1)
    if not keep.any() or (lacking == 0).sum() < min(2, len(names)):
        gaps = alone & ~there
        worst = gaps.sum(axis=1).argmax()
        [title] = _titles(found.labels, [gaps[worst].argmax()])
        raise PairingError(
            f"{names[worst]!r} lacks {gaps[worst].sum()} of {alone.sum()} numbers, such as {title}; say --missing examples to leave such {unit} out"
        )
    left_out = []
    if not keep.all():
        count = f"{np.unique(example[~keep]).size} of {np.unique(example).size} {unit}"
        left_out.append([count, *_titles(found.labels, np.flatnonzero(~keep)[:_SHOWN])])
    if lacking.any():
        left_out.append([f"{names[i]} ({lacking[i]})" for i in np.flatnonzero(lacking)])
    notes = [Note("left-out", what=what, why="missing numbers") for what in left_out]
    whole = [names[i] for i in np.flatnonzero(lacking == 0)]
    return Columns(
        {name: found.learners[name][keep] for name in whole},
        {role: column[keep] for role, column in found.labels.items()},
        (*found.notes, *notes),
    )


def _titles(labels: Mapping[str, Any], rows: Any) -> list[str]:
    """Return how messages name rows."""
    known = [role for role in reversed(PLACES) if role in labels]
    if not known:
        return [f"row {row + 1}" for row in rows]
    return [", ".join(f"{role} {labels[role][row]}" for role in known) for row in rows]

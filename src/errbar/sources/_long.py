"""Tables from long tables: a row for each learner and example, split or answer."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from errbar import _check
from errbar.errors import InvalidInputError
from errbar.result import Note
from errbar.sources._columns import annotated, as_stated, direction_of
from errbar.sources._frames import read_frame
from errbar.sources._long_rows import SIZES, LongRows, Wide, given_data_sets, of_one_quantity
from errbar.sources._losses import from_losses
from errbar.sources._predictions import from_predictions
from errbar.sources._repeats import with_seeds
from errbar.sources._scores import from_scores
from errbar.table import LossTable

_OF_LOSSES = ("repeat", "fold", "inner", "seed", "answer", "example", "groups", "time", "strata")
_OF_SCORES = ("repeat", "fold", "halving", "half", "seed", "groups", "time", *SIZES)


def from_long(
    frame: Any,
    learner: str,
    value: str,
    *,
    example: str | None = None,
    seed: str | None = None,
    answer: str | None = None,
    fold: str | None = None,
    repeat: str | None = None,
    groups: str | None = None,
    time: str | None = None,
    strata: str | None = None,
    truth: str | None = None,
    loss: Any = None,
    positive: Any = None,
    pool: str | None = None,
    n_train: float | None = None,
    n_test: float | None = None,
    kind: str | None = None,
    metric: str | None = None,
    higher_is_better: bool | None = None,
    missing: str = "learners",
) -> LossTable:
    """Make a table from a long frame: one row per learner and example, or per learner and split; needs pandas.

    The names of columns say what a row is. With `example` it holds a number of one test example, with `truth` what was
    predicted of it, and else a score of one split. Columns called ``repeat``, ``fold``, ``inner``, ``halving``, ``half``,
    ``example``, ``seed``, ``n_train`` and ``n_test`` are found by their names. All others are left aside; a note names them.
    With `time` and no word on examples or splits, every time is one example.

    Parameters
    ----------
    frame : data frame or mapping of str to array-like
        The rows.
    learner, value : str
        Columns with the name of the learner, and with its number or prediction.
    example, seed, answer, fold, repeat, groups, time, strata : str, optional
        Columns with labels, as for `from_losses` and `from_scores`.
    truth : str, optional
        Column with the truth; `value` then holds predictions: labels, numbers, scores, or probabilities of the positive class.
    loss, positive, pool : optional
        With `truth`, as for `from_predictions`.
    n_train, n_test : float, optional
        Sizes of the splits, where the frame has no columns for them.
    kind : str, optional
        Kind of splits, where a row is a split; as for `from_scores`. ``"data-sets"`` where nothing but a column ``dataset`` tells the
        rows of a learner apart.
    metric : str, optional
        Name of the number, for reports; by default the name of its column. Where a column ``metric`` names several, the one to read.
    higher_is_better : bool, optional
        Whether larger numbers are better. By default as their name says, such as ``"accuracy"``, and else not; a note says so, unless
        it is the name of one of our losses.
    missing : {"learners", "examples"}, default "learners"
        What is left out where a learner lacks a number that others have: the learner, or the example, or split, for all
        learners. A note names it. An empty cell is a number that is missing.

    Returns
    -------
    LossTable
        The learners in the order in which they first occur.

    Raises
    ------
    InvalidInputError
        If there is no such column, a label is missing, or nothing tells the rows of a learner apart; rows that occur twice
        are averaged with a note where less than half of the learners have any, and refused else.
    PairingError
        If no two learners have all numbers.

    See Also
    --------
    read_long : The same from a file.

    Examples
    --------
    >>> import errbar
    >>> answers = {
    ...     "model": ["a", "a", "a", "b", "b", "b"],
    ...     "question": ["q1", "q2", "q3", "q1", "q2", "q3"],
    ...     "correct": [1, 0, 1, 1, 1, 1],
    ... }
    >>> table = errbar.from_long(
    ...     answers, "model", "correct", example="question", higher_is_better=True
    ... )
    >>> table.learners, round(errbar.infer(table, "holdout-t", "a").estimate, 3)
    (('a', 'b'), 0.667)
    """
    roles = {"truth": truth, "example": example, "seed": seed, "fold": fold, "repeat": repeat, "groups": groups}
    roles |= {"answer": answer, "time": time, "strata": strata}
    given = {"learner": learner, "value": value} | {role: column for role, column in roles.items() if column}
    if truth is None:
        frame, metric = of_one_quantity(frame, given, metric)
        frame, kind, averaged = given_data_sets(frame, given, kind)
    if truth is None and example is None and strata is not None:
        raise InvalidInputError(
            "are the classes of test examples: name the `example`, or leave it out", argument="strata"
        )
    rows = LongRows.of(frame, given)
    if truth is None:
        wide, name = rows.numbers(missing), metric or value
        seeds: tuple[Note, ...] = ()
        if seed is None and {"seed", "fold"} <= set(wide.labels) and "example" not in wide.labels:
            labels, seeds = with_seeds(wide.values, "seed", wide.labels)
            wide = wide._replace(labels=labels)
        sizes = {"n_train": n_train, "n_test": n_test}
        table = _of_numbers(
            wide, name, kind, sizes, higher_is_better=as_stated(name, higher_is_better=higher_is_better)
        )
        notes = (
            *averaged,
            *wide.notes,
            *seeds,
            *direction_of(name, higher_is_better=higher_is_better, points=wide.values),
        )
        return annotated(table, notes)
    wide = rows.predictions(missing)
    judged: dict[str, Any] = {"loss": loss, "positive": positive, "pool": pool, "n_train": _mean_size(wide, n_train)}
    known = wide.known(_OF_LOSSES)
    table = from_predictions(wide.values.T, wide.labels["truth"], names=wide.learners, **judged, **known)
    return annotated(table, wide.notes)


def read_long(path: str | Path, learner: str, value: str, **options: Any) -> LossTable:
    r"""Read a long table from a CSV (also .gz, .xz) or Parquet file; needs pandas.

    Parameters
    ----------
    path : str or Path
        File to read: one row per learner and example, or per learner and split.
    learner, value : str
        Columns with the name of the learner, and with its number or prediction.
    **options : object
        Columns of labels, and all else that `from_long` takes.

    Returns
    -------
    LossTable
        See `from_long`.

    Raises
    ------
    InvalidInputError
        If the file cannot be read, and as for `from_long`.

    Examples
    --------
    >>> from pathlib import Path
    >>> import errbar
    >>> lines = ["model,question,correct", "a,1,1", "a,2,0", "b,1,1", "b,2,1"]
    >>> characters = Path("long.csv").write_text("\n".join(lines))
    >>> errbar.read_long("long.csv", "model", "correct", example="question", higher_is_better=True)
    LossTable(2 learners, 1 splits, loss 'correct', plans ['holdout'])
    """
    frame, told = read_frame(path)
    return annotated(from_long(frame, learner, value, **options), told)


def _of_numbers(
    wide: Wide, metric: str, kind: str | None, sizes: Mapping[str, Any], *, higher_is_better: bool
) -> LossTable:
    """Return the table of losses or scores: where examples are known, a row is one of them."""
    own: dict[str, Any] = {"names": wide.learners, "metric": metric, "higher_is_better": higher_is_better}
    if "example" in wide.labels:
        return from_losses(wide.values.T, n_train=_mean_size(wide, sizes["n_train"]), **wide.known(_OF_LOSSES), **own)
    return from_scores(wide.values.T, kind=kind, **{**sizes, **wide.known(_OF_SCORES)}, **own)


def _mean_size(wide: Wide, n_train: float | None) -> float | None:
    found = wide.labels.get("n_train")
    return n_train if found is None else float(_check.vector(found, "n_train", "row").mean())

"""Tables that people have, as tables of losses: roles said or taken by name, then learners, then what a row is."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from errbar import _check
from errbar.errors import InvalidInputError, PairingError
from errbar.index import SIZES
from errbar.plans._kinds import DATA_SETS
from errbar.read import checks
from errbar.read.columns import Columns, split_columns, taken_note
from errbar.read.complete import complete
from errbar.read.direction import direction_notes, is_higher_better
from errbar.read.frame import frame_of, is_text, is_whole
from errbar.read.judged import judged_table
from errbar.read.losses import losses_table
from errbar.read.places import NO_QUESTION
from errbar.read.predictions import predictions_table
from errbar.read.roles import (
    BESIDE,
    NONE,
    PLACES,
    ROLES,
    UnsaidRoleError,
    columns_named,
    names,
    plain,
    roles_of,
    with_spoken,
)
from errbar.read.scores import STATED, scores_table
from errbar.result import Note
from errbar.table import LossTable

EXAMPLES = "examples"
"""Said of the rows in place of a kind of splits: each is a test example."""

PREDICTIONS, SCORES = "predictions", "scores"
_BETWEEN = ":"  # stands between a learner and a class in the name of a column of probabilities
_UNUSED = {
    EXAMPLES: ("halving", "half"),
    PREDICTIONS: ("halving", "half"),
    SCORES: ("inner", "strata"),
    DATA_SETS: ("inner", "strata", "halving", "half", "groups", "time"),
}
"""Roles that rows of a kind do not use, and that are refused for that reason."""

_OF_SPLITS = ("fold", "split", "repeat", "halving", "half", "seed")


def read_table(
    source: Any,
    *,
    columns: str | Sequence[str] | None = None,
    learner: str | None = None,
    value: str | None = None,
    truth: str | None = None,
    judge: str | None = None,
    fold: str | None = None,
    split: str | None = None,
    repeat: str | None = None,
    inner: str | None = None,
    halving: str | None = None,
    half: str | None = None,
    seed: str | None = None,
    example: str | None = None,
    answer: str | None = None,
    groups: str | None = None,
    time: str | None = None,
    strata: str | None = None,
    dataset: str | None = None,
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
) -> LossTable:
    r"""Read a table of scores, losses or predictions; needs pandas.

    The role of a column is said, or its name stands in the one table of names, ``roles.toml``; a note says which were taken. With a
    `learner` the table is long, with a number or prediction of one learner in each row. Else it is wide: every column of numbers
    without a role is a learner. A column that fits neither, and may change the numbers, is refused by name.

    Parameters
    ----------
    source : str, Path, data frame or mapping
        CSV (also packed), Parquet, JSON lines, Excel, or a frame of pandas, polars or Arrow.
    columns : str or sequence of str, optional
        The learners of a wide table; needed beside a `truth`.
    learner, value : str, optional
        Of a long table: columns with the learner, and with its number, or prediction where there is a truth.
    truth : str, optional
        Column with the truth; the learners are predictions then.
    judge : str, optional
        Column with the numbers that another judge gives to all examples, beside people's in `value`; see `from_judged`.
    fold, split, repeat, inner, halving, half, seed, example, answer, groups, time, strata, dataset : str, optional
        Columns with labels; ``"none"`` says that no column has the role. A `split` is a random one; all else as for
        `from_losses` and `from_scores`. With a `dataset`, each learner has its mean on each data set.
    ignore : str or sequence of str, optional
        Columns that are none of these.
    loss, positive, pool : optional
        With a truth, as for `from_predictions`.
    metric : str, optional
        Name of the numbers; where a column ``metric`` names several, the one to read.
    higher_is_better : bool, optional
        Whether larger numbers are better. By default as their name says, such as ``"accuracy"``, and else not; a note says so.
    kind : str, optional
        What a row is, where no column says it: ``"examples"``, ``"data-sets"``, or a kind of splits as for `from_scores`.
    n_train, n_test : float or str, optional
        Sizes of the splits, or the columns that hold them.
    missing : {"learners", "examples"}, optional
        What is left out where a number is missing: the learner, or the example or split. By default the learner of a long table,
        and nothing of a wide one, whose cells must all be filled.

    Returns
    -------
    LossTable
        The learners, with what is known of the rows.

    Raises
    ------
    UnsaidRoleError
        If a column may have several roles, or nothing says what a row is; an `InvalidInputError` whose ``options`` settle it.
    InvalidInputError
        If the table cannot be read, or what was said does not fit it.
    PairingError
        If less than two learners have all numbers.

    Examples
    --------
    >>> from pathlib import Path
    >>> import errbar
    >>> lines = ["model,question_id,correct", "a,1,1", "a,2,0", "a,3,1", "b,1,1", "b,2,1", "b,3,0"]
    >>> characters = Path("long.csv").write_text("\n".join(lines))
    >>> table = errbar.read_table("long.csv", value="correct", higher_is_better=True)
    >>> table
    LossTable(2 learners, 1 splits, loss 'correct', plans ['holdout'])
    >>> str(table.notes[0])
    'read: roles: learner=model, example=question_id'
    """
    said = {
        "learner": learner,
        "value": value,
        "truth": truth,
        "fold": fold,
        "split": split,
        "repeat": repeat,
    }
    said |= {
        "inner": inner,
        "halving": halving,
        "half": half,
        "seed": seed,
        "example": example,
        "answer": answer,
    }
    said |= {"groups": groups, "time": time, "strata": strata, "dataset": dataset}
    sizes = {"n_train": n_train, "n_test": n_test}
    said |= {role: size for role, size in sizes.items() if isinstance(size, str)}
    frame = frame_of(source)
    if all(_check.is_number(name) for name in frame.columns):
        raise InvalidInputError(
            "the first row holds numbers; write one above it with the names of the columns"
        )
    if ignore is not None:
        frame = frame.drop(columns=columns_named(ignore, frame.columns, "ignore"))
    given = {role: column for role, column in said.items() if column is not None}
    if judge is not None:
        given |= {"judge": judge}
        return _judged(
            frame, given, metric=metric, higher_is_better=higher_is_better, n_train=n_train
        )
    if kind is not None:
        _check.choice(kind, (*STATED, EXAMPLES), "kind")
    numbers = {
        role: size for role, size in sizes.items() if size is not None and not isinstance(size, str)
    }
    asked = _Asked(given, kind, numbers, metric, missing)
    chosen = [] if columns is None else columns_named(columns, frame.columns, "columns")
    sheet = _sheet(frame, asked, chosen)
    found = sheet.columns()
    labels = {role: found.labels[role] for role in PLACES if role in found.labels}
    checks.refuse_odd_rows(
        found.learners,
        labels,
        of_splits=sheet.rows == SCORES,
        named=bool(chosen) or "learner" in given,
    )
    about_losses = {"loss": loss, "positive": positive, "pool": pool}
    about_numbers = {
        "metric": metric,
        "higher_is_better": higher_is_better,
        "kind": kind,
        "n_test": numbers.get("n_test"),
    }
    predicted = sheet.rows == PREDICTIONS
    _refuse_unused(about_numbers if predicted else about_losses, predicted=predicted)
    if predicted:
        y = found.labels.pop("truth")
        found = found._replace(learners=_with_matrices(found.learners, y))
        return predictions_table(found, y, loss=loss, positive=positive, pool=pool)
    higher = is_higher_better(sheet.metric, said=higher_is_better)
    name = sheet.metric or ("score" if higher else "loss")
    if sheet.rows == EXAMPLES:
        table = losses_table(found, metric=name, higher_is_better=higher)
        _refuse_sizes(table, kind, numbers.get("n_test"))
    else:
        of_rows = DATA_SETS if sheet.rows == DATA_SETS else kind
        table = scores_table(found, kind=of_rows, metric=name, higher_is_better=higher)
    shown = table.scores if table.points is None else table.points
    direction = direction_notes(sheet.metric, table.loss.sign * shown, said=higher_is_better)
    return replace(table, notes=(*table.notes, *direction))


def from_long(frame: Any, learner: str, value: str, **said: Any) -> LossTable:
    """Make a table from a long frame: one row per learner and example, or per learner and split; needs pandas.

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
    InvalidInputError
        As for `read_table`.
    PairingError
        If no two learners have all numbers.

    See Also
    --------
    read_table : The same of any table.

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
    return read_table(frame, learner=learner, value=value, **said)


@dataclass(frozen=True)
class _Asked:
    """What the user says of a table."""

    said: dict[str, str]
    kind: str | None
    sizes: dict[str, Any]
    metric: str | None
    missing: str | None

    @property
    def wanted(self) -> list[str]:
        """Roles that names may give."""
        return [role for role in ROLES if role not in self.sizes]

    @property
    def declined(self) -> list[str]:
        """Roles that no column has by its name."""
        return [*self.sizes, *(role for role, column in self.said.items() if column == NONE)]


@dataclass(frozen=True)
class _Sheet:
    """A frame whose columns are known: the learners, or their values, the labels, and what a row is."""

    frame: Any
    roles: dict[str, str]
    learners: list[str]
    rows: str
    metric: str | None
    asked: _Asked
    notes: tuple[Note, ...]

    def columns(self) -> Columns:
        """Return the values of each learner side by side, with labels, and without what is incomplete."""
        found = self._long() if "learner" in self.roles else self._wide()
        if self.rows == DATA_SETS:
            found = _mean_of_data_sets(found)
        return found._replace(labels=found.labels | self.asked.sizes)

    def _wide(self) -> Columns:
        columns = {name: self.frame[name] for name in self.learners}
        for name, column in columns.items():
            if self.rows != PREDICTIONS and is_text(column):
                raise InvalidInputError(_no_number(column, name), argument="columns")
        there = np.stack([column.notna().to_numpy() for column in columns.values()])
        labels = {role: self.frame[name].to_numpy() for role, name in self.roles.items()}
        if there.all():
            return Columns(
                {name: column.to_numpy() for name, column in columns.items()}, labels, self.notes
            )
        if self.asked.missing is None:
            name = self.learners[int(np.argmin(there.all(axis=1)))]
            row = int(np.argmax(columns[name].isna())) + 1
            raise UnsaidRoleError(
                f"{name!r} has no value in row {row}", "--missing examples", "--missing learners"
            )
        example = labels.get(
            "example", np.arange(len(self.frame)) if self.rows in (EXAMPLES, PREDICTIONS) else None
        )
        codes = None if example is None else np.unique(example.astype(str), return_inverse=True)[1]
        kept = complete(
            self.learners, there, lambda row: f"row {row + 1}", codes, self.asked.missing
        )
        values = {
            self.learners[i]: columns[self.learners[i]].to_numpy()[kept.cells]
            for i in kept.learners
        }
        labels = {role: column[kept.cells] for role, column in labels.items()}
        return Columns(values, labels, (*self.notes, *kept.notes))

    def _long(self) -> Columns:
        """Turn a long frame: a cell is an example in a split, or a split, that several learners have."""
        frame, roles, value = self.frame, self.roles, self.learners[0]
        if self.rows != PREDICTIONS and is_text(frame[value]):
            raise InvalidInputError(_no_number(frame[value], value), argument="value")
        places = [role for role in PLACES if role in roles]
        if "answer" in places and self.rows != PREDICTIONS:
            places.remove("answer")
            frame = _mean_of_answers(frame, roles, places, value)
            roles = {role: name for role, name in roles.items() if role != "answer"}
        keys = [roles[role] for role in places]
        cell = frame.groupby(keys, sort=False).ngroup().to_numpy()
        first = np.unique(cell, return_index=True)[1]
        learner = frame[roles["learner"]].astype(str)
        known = _check.names(learner.unique().tolist(), "learner")
        of = learner.map({name: i for i, name in enumerate(known)}).to_numpy()
        cells = frame[value].to_numpy()
        there = np.zeros((len(known), first.size), dtype=bool)
        there[of, cell] = frame[value].notna().to_numpy()
        values = np.empty(there.shape, dtype=cells.dtype)
        values[of, cell] = cells
        labels = {role: frame[name].to_numpy() for role, name in roles.items() if role != "learner"}
        for role in (*BESIDE, *SIZES, "truth"):
            if role in labels and (labels[role][first][cell] != labels[role]).any():
                raise InvalidInputError(
                    "must hold one value for each example or split, the same for all learners",
                    argument=role,
                )
        labels = {role: column[first] for role, column in labels.items()}
        if places == ["seed"] and not there.all():
            raise PairingError(
                "each learner has seeds of its own, and no method pairs them yet; name the test `example` of each row, with the same seeds"
            )
        example = labels.get("example")
        codes = None if example is None else np.unique(example.astype(str), return_inverse=True)[1]

        def title(cell: int) -> str:
            return ", ".join(f"{role} {labels[role][cell]}" for role in reversed(places))

        kept = complete(known, there, title, codes, self.asked.missing or "learners")
        inside = {known[i]: values[i][kept.cells] for i in kept.learners}
        labels = {role: column[kept.cells] for role, column in labels.items()}
        return Columns(inside, labels, (*self.notes, *kept.notes))


def _sheet(frame: Any, asked: _Asked, chosen: Sequence[str]) -> _Sheet:
    """Find the roles, then the learners, then what a row is; refuse what would make a number wrong."""
    said = asked.said
    wanted = [
        role
        for role in asked.wanted
        if not chosen or role not in ("learner", "value", "prediction")
    ]
    roles = roles_of(frame, said, wanted, chosen)
    frame, roles, speaking = with_spoken(frame, roles, said)
    frame, metric = _of_one_metric(frame, roles.pop("metric", None), asked.metric)
    long = "learner" in roles
    if long:
        value = _value_column(frame, roles, asked)
        roles = {role: name for role, name in roles.items() if role not in ("value", "prediction")}
        learners, left = split_columns(frame, roles, [value], asked.declined)
        metric = metric or value
    else:
        if "value" in said and not chosen:
            chosen = [roles["value"]]
        roles = {role: name for role, name in roles.items() if role not in ("value", "prediction")}
        learners, left = split_columns(frame, roles, chosen, asked.declined)
        _refuse_learners(frame, roles, learners, left, chosen)
    for role, name in roles.items():
        if frame[name].isna().any():
            row = int(np.argmax(frame[name].isna())) + 1
            raise InvalidInputError(
                f"has no value in row {row} of column {name!r}; every row needs one", argument=role
            )
    roles, rows = _what_rows_are(frame, roles, asked, left, long=long)
    _refuse_unsaid(roles, asked, rows, speaking=speaking)
    apart = PLACES if rows in (EXAMPLES, PREDICTIONS) else (*PLACES, "time")
    key = [roles[role] for role in apart if role in roles]
    in_order = rows in (EXAMPLES, PREDICTIONS) and "example" not in roles
    if long and (in_order or not key):
        options = [one for name in left for one in checks.options_for(name, ())][:3]
        raise UnsaidRoleError(
            "no column tells the rows of a learner apart", *(options or ["--example"])
        )
    if key and not in_order:
        checks.refuse_repeats(frame, [*key, *([roles["learner"]] if long else [])], left)
    checks.refuse_shared(frame, left, roles, learners)
    if (
        rows == PREDICTIONS
        and "truth" in roles
        and in_order
        and not {"repeat", "seed", "groups", "time"} & set(roles)
    ):
        checks.refuse_repeated_truth(frame[roles["truth"]])
    notes = taken_note(roles, said, left)
    if rows == PREDICTIONS and not {"fold", "split", "repeat", "time"} & {*roles, *said}:
        notes += (Note("taken-as", what="all rows", kind="one test set", say=["fold"]),)
    return _Sheet(frame, roles, learners, rows, metric, asked, notes)


def _of_one_metric(frame: Any, column: str | None, metric: str | None) -> tuple[Any, str | None]:
    """Return the rows of one measure, where a column names several, and its name."""
    if column is None:
        return frame, metric
    found = frame[column].astype(str).unique().tolist()
    if len(found) > 1:
        if metric not in found:
            listed = [f"--metric {one}" for one in found[:3]]
            raise UnsaidRoleError(f"column {column!r} names several measures", *listed)
        frame = frame[frame[column].astype(str) == metric].reset_index(drop=True)
    return frame.drop(columns=column), metric or found[0]


def _value_column(frame: Any, roles: dict[str, str], asked: _Asked) -> str:
    """Return the column with the number, or prediction, of the learner of a row."""
    if frame[roles["learner"]].is_unique and not set(PLACES) & set(roles):
        raise InvalidInputError(
            "has one row for each learner; an error bar needs the rows behind it",
            argument="learner",
        )
    if "value" in asked.said:
        return roles["value"]
    if "truth" in roles and "prediction" in roles:
        return roles["prediction"]
    if "value" in roles:
        return roles["value"]
    known = names()
    used = {name for role, name in roles.items() if role != "prediction"}
    free = [name for name in frame.columns if name not in used and not is_text(frame[name])]
    free = [
        name for name in free if plain(name) not in known.aside and plain(name) not in known.ask
    ]
    if len(free) != 1 or "truth" in roles:
        listed = [f"--value {name}" for name in free[:4]] or ["--value"]
        raise UnsaidRoleError(
            f"several columns may hold the values of {roles['learner']!r}", *listed
        )
    return str(free[0])


def _refuse_learners(
    frame: Any,
    roles: dict[str, str],
    learners: Sequence[str],
    left: Sequence[str],
    chosen: Sequence[str],
) -> None:
    """Raise if the columns of learners of a wide table are not known."""
    if chosen:
        return
    if "truth" in roles:
        free = [
            name for name in (*learners, *left) if _may_predict(frame[name], frame[roles["truth"]])
        ]
        raise UnsaidRoleError(
            f"beside the truth {roles['truth']!r}, predictions are named",
            f"--columns {','.join(free[:4]) or 'A,B'}",
        )
    if not learners:
        listed = ", ".join(map(repr, left[:6])) or "none"
        raise UnsaidRoleError(
            f"no column of numbers is left for a learner; without a role: {listed}",
            "--learner",
            "--columns A,B",
        )
    checks.refuse_other_columns(frame, learners)
    checks.refuse_odd_cells(frame, left)


def _may_predict(column: Any, truth: Any) -> bool:
    """Tell whether a column holds labels of the truth, or numbers with fractions."""
    if is_text(column):
        return set(column.dropna()) <= set(truth)
    return not is_whole(column) or set(column.dropna()) <= set(truth)


def _what_rows_are(
    frame: Any, roles: dict[str, str], asked: _Asked, left: Sequence[str], *, long: bool
) -> tuple[dict[str, str], str]:
    """Return what a row is: predictions or the loss of an example, the score of a split, or that on a data set.

    The roles are returned too: a group with one row is the example itself, and so is a time, if nothing else names it.
    """
    has, learner = set(roles), [roles["learner"]] if long else []
    if {"dataset", "example"} <= has and "dataset" not in asked.said and asked.kind is None:
        name = roles["dataset"]
        raise UnsaidRoleError(
            f"the mean over all examples, or of the means of {name!r}, which differ",
            f"--dataset {name}",
            f"--dataset {NONE}",
        )
    if "groups" in has and "example" not in has and "groups" not in asked.said:
        places = [roles[role] for role in PLACES if role in has]
        if not frame.duplicated([*places, *learner, roles["groups"]]).any():
            roles = {
                ("example" if role == "groups" else role): name for role, name in roles.items()
            }
            has = set(roles)
    splits = has & set(_OF_SPLITS)
    if "truth" in has:
        return roles, PREDICTIONS
    if asked.kind == DATA_SETS and "dataset" not in has and {"example", "answer"} & has:
        role = "example" if "example" in has else "answer"
        raise InvalidInputError(
            "is given, and data sets have one score each; name the `dataset` of each row",
            argument=role,
        )
    if "dataset" in has or asked.kind == DATA_SETS:
        return roles, DATA_SETS
    if (
        asked.kind == EXAMPLES
        or {"example", "answer"} & has
        or ("groups" in has and not (long and splits))
    ):
        if "answer" in has and "example" not in has:
            raise InvalidInputError(NO_QUESTION, argument="example")
        return roles, EXAMPLES
    if "time" in has and not (splits or asked.sizes or asked.kind):
        return roles | {"example": roles["time"]}, EXAMPLES
    if splits or asked.kind or asked.sizes or set(SIZES) & has:
        return roles, SCORES
    asked_of = [name for name in left if plain(name) in names().ask] or [
        name for name in left if frame[name].is_unique
    ]
    options = checks.options_for(asked_of[0], ("example",)) if asked_of else []
    raise UnsaidRoleError(
        "nothing says what a row is",
        *options,
        "--kind examples",
        "--kind kfold",
        "--kind subsampling",
        "--kind data-sets",
    )


def _refuse_unsaid(roles: dict[str, str], asked: _Asked, rows: str, *, speaking: bool) -> None:
    """Raise where no table tells what was drawn anew, and it changes the numbers."""
    unused = next((role for role in _UNUSED[rows] if role in roles), None)
    if unused is not None and (rows != DATA_SETS or "dataset" in roles):
        raise UnsaidRoleError(
            f"{roles[unused]!r} is not used where rows are {rows}", f"--{unused} {NONE}"
        )
    fold = roles.get("fold")
    if rows != DATA_SETS:
        checks.refuse_unsaid_seed(roles, roles, asked.said)
    settled = speaking or "repeat" in roles or asked.kind or asked.sizes or set(SIZES) & set(roles)
    if fold is not None and "fold" not in asked.said and rows == SCORES and not settled:
        raise UnsaidRoleError(
            f"column {fold!r} numbers folds, or random splits", f"--fold {fold}", f"--split {fold}"
        )


def _mean_of_answers(frame: Any, roles: dict[str, str], places: Sequence[str], value: str) -> Any:
    """Return one row for each question of a learner: the mean of its answers, drawn anew for each question.

    A question lacks its value where one of its answers does, as one that ended in an error.
    """
    keys = [roles["learner"], *(roles[role] for role in places)]
    rest = [name for role, name in roles.items() if name not in keys and role != "answer"]
    whole = frame.assign(**{value: frame[value].astype(float)})
    parts = whole.groupby(keys, sort=False)
    for name in rest:
        if (parts[name].nunique() > 1).any():
            raise InvalidInputError(
                "must be the same for all answers to a question", argument="answer"
            )
    means = (
        parts[value]
        .mean()
        .where(~whole[value].isna().groupby([whole[key] for key in keys], sort=False).any())
    )
    return parts[rest].first().assign(**{value: means}).reset_index()


def _mean_of_data_sets(found: Columns) -> Columns:
    """Return the mean of each learner on each data set."""
    sets = found.labels.get("dataset")
    if sets is None:
        return found
    codes = np.unique(sets.astype(str), return_index=True, return_inverse=True)
    order = np.argsort(np.argsort(codes[1]))[codes[2].ravel()]
    count = np.bincount(order)
    means = {
        name: np.bincount(order, weights=np.asarray(own, float)) / count
        for name, own in found.learners.items()
    }
    notes = found.notes + ((Note("read", averaged_rows=["dataset"]),) if (count > 1).any() else ())
    return Columns(means, {}, notes)


def _refuse_sizes(table: LossTable, kind: str | None, n_test: Any) -> None:
    """Raise if a kind or a test size is said that the losses of examples do not have."""
    if kind not in (None, EXAMPLES) and set(table.splits.kinds) != {kind}:
        raise InvalidInputError(
            f"is of splits, and the rows are losses of examples, of kind {table.splits.kinds[0]!r}; leave it out",
            argument="kind",
        )
    if n_test is not None and (table.splits.n_test != n_test).any():
        raise InvalidInputError(
            f"is {n_test:g}, and a row is the loss of one of {table.splits.n_test[0]:g} examples; leave it out",
            argument="n_test",
        )


def _with_matrices(columns: dict[str, Any], truth: Any) -> dict[str, Any]:
    """Return columns by learner, those that are called like a learner and a class, ``forest:yes``, put together."""
    classes = set(map(str, np.unique(truth).tolist()))
    found: dict[str, Any] = {}
    for name, column in columns.items():
        head, between, tail = name.rpartition(_BETWEEN)
        if between and tail in classes:
            if head in columns:
                raise InvalidInputError(
                    f"has {head!r} and {name!r}, of one learner; give one", argument="columns"
                )
            found.setdefault(head, {})[tail] = column
        else:
            found[name] = column
    return found


def _refuse_unused(said: dict[str, Any], *, predicted: bool) -> None:
    """Raise if something is said that goes with a truth, or with none."""
    name = next((name for name, value in said.items() if value is not None), None)
    if name is not None and predicted:
        raise InvalidInputError(
            "is of numbers that are given, and with a `truth` they are computed; leave it out",
            argument=name,
        )
    if name is not None:
        raise InvalidInputError(
            "goes with predictions; name the column of the `truth` (--truth)", argument=name
        )


def _judged(
    frame: Any,
    said: dict[str, str],
    *,
    metric: str | None,
    higher_is_better: bool | None,
    n_train: Any,
) -> LossTable:
    """Return the table of losses by people and by a judge."""
    other = next(
        (role for role in said if role not in ("value", "judge", "learner", "example")), None
    )
    if other is not None:
        raise InvalidInputError(
            "does not go with `judge`; leave one of the two out", argument=other
        )
    if "value" not in said:
        raise InvalidInputError(
            "must name what people say, beside what the `judge` does", argument="value"
        )
    roles = roles_of(frame, said, ("learner", "example"))
    left = [name for name in frame.columns if name not in roles.values()]
    table = judged_table(
        frame, roles, metric=metric, higher_is_better=higher_is_better, n_train=n_train
    )
    return replace(table, notes=(*taken_note(roles, said, left), *table.notes))


def _no_number(column: Any, name: str) -> str:
    """Name the first cell of a learner that holds no number."""
    numbers = _check.package("pandas", "app").to_numeric(column, errors="coerce")
    row = int(np.argmax(numbers.isna() & column.notna()))
    return f"holds {column.iloc[row]!r} in row {row + 1} of {name!r}, and scores are numbers; write 1 and 0 for right and wrong"

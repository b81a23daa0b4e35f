"""Tables of losses from all that people have, and what a table may be: roles said or taken by name, then learners, then what a row is."""

import shlex
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import wraps
from pathlib import Path
from typing import Any, TypeVar, cast

import numpy as np
from numpy.typing import ArrayLike

from errbar import _check
from errbar.errors import ErrbarError, InvalidInputError
from errbar.metrics._loss import score_words
from errbar.plans import Training
from errbar.plans._base import DATA_SETS, RUNS
from errbar.reading import checks
from errbar.reading.examples import predictions_table
from errbar.reading.rows import asked_of, quantities_table
from errbar.reading.scores import (
    STATED,
    direction_of,
    from_judged,
    losses_table,
    require_example,
    scores_table,
    training_size,
    with_repeats,
)
from errbar.reading.sheet import (
    COLUMNS,
    EXAMPLES,
    INDEX,
    MIXED,
    PLACES,
    PREDICTIONS,
    ROLES,
    SCORES,
    Columns,
    Labels,
    Sheet,
    UnsaidRoleError,
    asked,
    columns_named,
    frame_of,
    grid_of,
    is_text,
    is_whole,
    mean_of_rows,
    option,
    require_equal_lengths,
    role_of,
    roles_of,
    says,
    sheet_of,
    spoken_for,
    told,
    with_joined,
    with_marks,
    with_rows,
)
from errbar.result import Note
from errbar.table import LossTable

_RANDOM = ("seed", "repeat")
"""Of these learners may have their own on a data set, which are then no pairs."""

REFUSE, PAIRS = "refuse", "pairs"
MISSING = ("learners", PAIRS, "examples", REFUSE)
"""What is left out where numbers are missing; a number, or the name of a learner, is put in their place."""

_SHOWN = 3


Reader = TypeVar("Reader", bound=Callable[..., LossTable])


def asking_all_at_once(read: Reader) -> Reader:
    """Return a reader that asks also what it would ask once its question is answered."""

    @wraps(read)
    def reader(source: Any, **said: Any) -> LossTable:
        try:
            return read(source, **said)
        except UnsaidRoleError as error:
            frame = frame_of(source)
            step = error.answered(frame.columns)
            if "ignore" in step:  # beside what is left aside already
                given = (said.pop("ignore", None), step["ignore"])
                step["ignore"] = [
                    name for one in given for name in columns_named(one, frame, "ignore")
                ]
            if step and all(said.get(role) is None for role in step):
                later = ""
                try:
                    if _lacks_sizes(reader(frame, **said | step)):
                        later = "the sizes of the splits are needed; say --n-train N --n-test N"
                except UnsaidRoleError as asked_then:
                    later = str(asked_then)
                except ErrbarError:
                    pass
                if later:
                    error.args = (f"{error}; then {later}",)
            raise

    return cast("Reader", reader)


@asking_all_at_once
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
    missing: str | float | None = None,
    ratio: str | None = None,
    **roles: float | str | Sequence[str] | None,
) -> LossTable:
    """Read a table of scores, losses or predictions; needs pandas.

    The role of a column is said, or its name stands in the table of names, ``roles.toml``; a note says
    which were taken. With a `learner` the table is long: each row has a number or prediction of one
    learner. Else every column of numbers without a role is a learner. A column that fits neither, and
    may change the numbers, is refused by name.

    Parameters
    ----------
    source : str, Path, data frame or mapping
        CSV (also packed), Parquet, JSON lines, Excel, or a frame of pandas, polars or Arrow. Sheets of
        Excel must have the same columns: they are rows of one table, with a column ``sheet``.
    columns, ignore : str or sequence of str, optional
        The learners: columns of a wide table, needed beside a `truth`, or names in the column of a long
        one; columns that are none.
    loss, positive, pool : optional
        With a truth, as for `from_predictions`.
    metric : str, optional
        Name of the numbers; of several in a column ``metric``, in names of columns such as
        ``rf~Accuracy``, or in columns of their own, the one to read.
    higher_is_better : bool, optional
        By default as the name of the numbers says, such as ``"accuracy"``, and else not, with a note.
    kind : str, optional
        What a row is: ``"examples"``, ``"data-sets"``, or a kind of splits as for `from_scores`.
    missing : {"learners", "examples", "pairs", "refuse"}, name or float, optional
        What is done where numbers are missing:

        * ``"refuse"`` (the default): Every learner must have a number in every row.
        * ``"learners"``: Such learners are left out.
        * ``"examples"``: Examples (or splits, or data sets) that some learner lacks are left out.
        * ``"pairs"``: Each learner has the examples it has, and each pair those that both have.
        * A number, or the name of a learner: It, or the number of that learner, takes the place of a
          missing one; the learner is then no longer compared.

        Of independent runs (``kind="runs"``) each learner may have fewer; one without a number is refused,
        and with ``"pairs"`` left out with a note.
    ratio : str, optional
        Two columns, as ``"errors/words"``: the number of a learner is the sum of the first over that of
        the second (`errbar.statistics.ratio`). Each is a column of all learners, or of this name begins
        or ends one of each learner, as ``errors_base``.
    **roles : str, sequence of str or float, optional
        Columns by role; ``"none"`` says that no column has it, and ``"columns"`` that the names of the
        columns of numbers, or of `columns`, are its labels. Several, as ``"topic,week"`` or in a list,
        are joined.

        * ``learner``, ``value``: Of a long table: the learner, and its number or prediction.
        * ``truth``: What was to be predicted; the learners are predictions then. ``fold="none"``
          says that they are of one test set, and of no folds.
        * ``judge``: What another judge gives to all examples, beside people's `value`; see
          `from_judged`.
        * ``scale``: With a truth, what the absolute error of each row is divided by, for MASE.
        * ``dataset``: Each learner then has its mean on each data set; seeds that all share are pairs.
        * ``n_train``, ``n_test``: Sizes of the splits: numbers, or the columns that hold them.
        * ``split``: Number of a random split.
        * ``fold``, ``repeat``, ``inner``, ``halving``, ``half``, ``seed``, ``example``, ``answer``,
          ``groups``, ``time``, ``strata``, ``weight``: As for `from_losses` and `from_scores`.

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
    of_numbers: Labels = {"metric": metric, "higher_is_better": higher_is_better}
    frame = with_marks(frame_of(source))
    if all(map(_check.is_number, frame.columns)):
        raise InvalidInputError("the first row holds numbers; write names of columns above it")
    ignored = columns_named(ignore, frame, "ignore")
    for name in ignored:  # numbers of unlike measures have ranks, and no mean
        if kind == DATA_SETS and role_of(name) == "metric" and frame[name].nunique() > 1:
            metric = of_numbers["metric"] = metric or MIXED
    frame = frame.drop(columns=ignored)
    several = asked_of(frame.columns, roles, ratio=ratio, loss=loss)
    frame, roles = with_joined(frame, roles)
    said, stated = told(roles, (*ROLES, "judge"), frame.columns)
    if "judge" in said:
        return _judged(frame, said, n_train=stated.get("n_train"), **of_numbers)
    _check.choice(kind or EXAMPLES, (*STATED, EXAMPLES), "kind")
    own = {role: name for role, name in said.items() if name != COLUMNS}
    learner = roles_of(frame, own, ("learner",)).get("learner")
    if columns is not None and learner is not None:
        names = frame[learner].astype(str)
        wanted = columns_named(columns, [*frame, *names.unique()], "columns")
        if {*wanted} <= {*names}:
            frame, columns = frame[names.isin(wanted)].reset_index(drop=True), None
    chosen = columns_named(columns, frame, "columns")
    frame, said, chosen = checks.with_columns_as_labels(frame, said, chosen)
    if several is not None:
        _check.require(
            positive is None, "is not used by a statistic of several columns", positive, "positive"
        )
        how: Labels = {
            "missing": missing,
            "name": metric,
            "higher_is_better": higher_is_better,
            "pool": pool,
        }
        return quantities_table(frame, several, said, stated, chosen, **how)
    for name in roles_of(frame, {}, ("metric",), [*chosen, *said.values()]).values():
        measures = frame.pop(name).astype(str)
        if measures.nunique() > 1:
            if metric not in {*measures}:
                listed = [option("metric", one) for one in measures.unique()[:_SHOWN]]
                listed += [option("ignore", name)] * (kind == DATA_SETS)
                raise UnsaidRoleError(f"column {name!r} names several measures", *listed)
            frame = frame[measures == metric].reset_index(drop=True)
        of_numbers["metric"] = metric = metric or measures[0]
    if not (chosen or "value" in said):
        frame, said = _of_measure(frame, said, metric)
    sheet = sheet_of(frame, said, stated, chosen, rows=SCORES, wanted=ROLES, kind=kind)
    checks.ask(sheet, checks.steps_of_training, checks.columns_that_are_no_learners, checks.gaps)
    sheet = with_rows(sheet)
    of_truth: Labels = {"loss": loss, "positive": positive, "pool": pool}
    checks.refuse_unused(sheet, kind=kind, **of_truth, **of_numbers)
    checks.ask(sheet, *checks.OF_ROWS)
    if sheet.rows == PREDICTIONS and missing == PAIRS:
        raise InvalidInputError(
            "'pairs' is for losses; predictions take 'examples'", argument="missing"
        )
    found = _side_by_side(sheet, missing)
    checks.ask((sheet, found), checks.odd_values)
    if sheet.rows == PREDICTIONS:
        return predictions_table(found, **of_truth)
    if sheet.long:
        of_numbers["metric"] = _measure_of(sheet.learners[0], metric)
    if sheet.rows == EXAMPLES:
        return losses_table(found, **of_numbers)
    return scores_table(found, kind=DATA_SETS if sheet.rows == DATA_SETS else kind, **of_numbers)


def _of_measure(frame: Any, said: Labels, metric: str | None) -> tuple[Any, Labels]:
    """Return the frame with the numbers of a measure alone, where columns are called so, and the roles said."""
    taken = [name for name in said.values() if isinstance(name, str)]
    free = [name for name in frame if not (name in taken or is_text(frame[name]))]
    grid = grid_of([name for name in free if role_of(name) is None])
    if metric in grid:
        own = grid.pop(metric)
        others = [name for columns in grid.values() for name in columns.values()]
        learners = {name: learner for learner, name in own.items()}
        return frame.drop(columns=others).rename(columns=learners), said
    called = [metric] if metric in free else [one for one in free if one.endswith(f".{metric}")]
    if len(called) == 1 and not roles_of(frame, {}, ("value",), taken):
        return frame, said | {"value": called[0]}
    return frame, said


def _measure_of(column: str, metric: str | None) -> str:
    """Return what the numbers of a long table are called: the error of an accuracy is an error."""
    error = score_words(column) is False and metric is not None and score_words(metric)
    return f"{metric} error" if error else metric or column


def from_scores(
    scores: Any,
    *,
    names: Sequence[str] | None = None,
    stratified: bool = False,
    kind: str | None = None,
    metric: str | None = None,
    higher_is_better: bool | None = None,
    missing: str | float | None = None,
    **labels: ArrayLike | None,
) -> LossTable:
    """Make a table from one number per split and learner.

    Parameters
    ----------
    scores : mapping, data frame or array-like of shape (J, learners)
        J numbers per learner, all from the same J splits. Columns of labels, known by their names
        (``fold``, ``seed`` ...) or in a frame by their values, are not learners; a note names them.
    names : sequence of str, optional
        Names of the columns of an array, or the columns of a frame that are learners.
    stratified : bool, default False
        Whether the splits keep the shares of classes.
    kind : {"subsampling", "kfold", "5x2", "holdout", "other", "bootstrap", "data-sets", "runs", "halves", "halved-kfold"}, optional
        Kind of resampling; with ``"data-sets"`` each number is the mean on a separate data set. With
        ``"runs"`` each is an independent run, trained and evaluated anew, and learners may have
        different numbers of them. By default ``"halves"`` if halvings are labelled, ``"rolling-origin"`` if times are known,
        ``"5x2"`` for five repeats of two folds, ``"kfold"`` if folds are labelled, and else
        ``"subsampling"``, which is an assumption with a note.
    metric : str, optional
        Name of the number, for reports; by default ``"score"``.
    higher_is_better : bool, optional
        By default as the name `metric` says, such as ``"accuracy"``, and else not.
    missing : {"learners", "examples", "pairs", "refuse"}, name or float, optional
        What is done where numbers are NaN or None, as for `read_table`; by default they are refused.
    **labels : array-like, optional
        What is known of the rows, by role: values, or the name of their column; ``"none"`` says that
        no column has the role.

        * ``n_train``, ``n_test``: Sizes of the splits, needed to correct for overlap.
        * ``repeat``, ``fold``: Labels of the splits. K-fold scores without them are taken for one
          partition after the other, with the number of folds that the sizes imply.
        * ``halving``, ``half``: Number of the halving, and 0 or 1; -1 in both for scores on all data.
        * ``seed``: Seed of the fit. Scores with one `repeat` and `fold` (all, if neither is given) are
          then refits on one training set, judged on one test set.
        * ``groups``: Group of each score, such as the laboratory of several data sets.
        * ``time``: Time of each score; as for `from_losses`.

    Returns
    -------
    LossTable

    Raises
    ------
    PairingError, InvalidInputError
        If learners have different numbers of splits; if a number is missing or not finite.

    Examples
    --------
    >>> import errbar
    >>> errbar.from_scores({"tree": [0.31, 0.28], "1-NN": [0.25, 0.27]}, n_train=90, n_test=10)
    LossTable(2 learners, 2 splits, loss 'score', plans ['subsampling'])
    """
    found = _columns_of(scores, names, labels, "scores", SCORES, metric, kind, missing)
    return scores_table(
        found,
        stratified=stratified,
        kind=kind,
        metric=metric or "score",
        higher_is_better=higher_is_better,
    )


def from_losses(
    losses: Any,
    *,
    names: Sequence[str] | None = None,
    metric: str | None = None,
    higher_is_better: bool | None = None,
    missing: str | float | None = None,
    weights: ArrayLike | None = None,
    **labels: ArrayLike | None,
) -> LossTable:
    """Make a table from one loss, or score, per test example and learner.

    Parameters
    ----------
    losses : mapping, data frame or array-like of shape (N, learners)
        N losses per learner, all of the same examples in the same splits; columns of labels are known
        as in `from_scores`.
    names : sequence of str, optional
        Names of the columns of an array, or the columns of a frame that are learners.
    metric : str, optional
        Name of the numbers; by default ``"loss"``, or ``"score"`` where higher is better. One of
        errbar's, such as ``"zero-one"`` or ``"accuracy"``, also tells their range: intervals then end
        there, and that of a learner with clusters or seeds comes from the logit or log scale.
    higher_is_better : bool, optional
        By default as the name `metric` says, such as ``"accuracy"``, and else not.
    missing : {"learners", "examples", "pairs", "refuse"}, name or float, optional
        What is done where losses are NaN or None, as for `read_table`; by default they are refused.
    weights : array-like or str, optional
        How much each example counts, at least 0, or the column that tells it: estimates are weighted
        means. Only ratios matter, and an example of weight 2 is still one draw.
    **labels : array-like, optional
        What is known of the rows, by role: values, or the name of their column; ``"none"`` says that
        no column has the role.

        * ``fold``, ``repeat``: Where each example was tested. A single fold is a holdout, and one fold
          in each of several repeats is subsampling. Folds that test an example twice in a repeat are of
          kind ``"other"``.
        * ``inner``: Of nested cross-validation: the inner fold in which the example was tested, by a
          model that was trained without `fold` and `inner`; -1 for outer losses.
        * ``example``: Which example a loss belongs to; by default every row is a separate one.
        * ``seed``: Seed of the fit, where a training set was fitted more than once.
        * ``answer``: Number of the answer, where a question (`example`) is answered several times: the
          mean of its answers is its loss.
        * ``groups``: Cluster of each example, such as the patient, where those of one are alike.
        * ``time``: Time of each example, where they follow each other: numbers, or dates, also as text.
        * ``strata``: Class of each example, where the splits keep the shares of these classes.
        * ``n_train``: Training size of the splits.

    Returns
    -------
    LossTable
        With points and the mean of each split.

    Raises
    ------
    InvalidInputError
        If a loss is not finite, an example is tested twice in a split, or folds tear a group apart.

    Examples
    --------
    >>> import errbar
    >>> table = errbar.from_losses({"tree": [0, 1, 0, 0], "1-NN": [0, 1, 1, 0]}, fold=[0, 0, 1, 1])
    >>> errbar.infer(table, "cv-wald", "tree", minus="1-NN").estimate
    -0.25
    """
    beside = labels | {"weight": weights}
    found = _columns_of(losses, names, beside, "losses", EXAMPLES, metric, missing=missing)
    if metric is None and higher_is_better is None:
        # Whoever calls numbers losses means it, but marks of right and wrong are often scores.
        numbers = found.numbers()
        marks = np.isin(numbers[~np.isnan(numbers)], (0.0, 1.0)).all()
        higher_is_better = None if marks else False
    return losses_table(found, metric=metric, higher_is_better=higher_is_better)


def from_predictions(
    predictions: Any,
    y: ArrayLike,
    *,
    loss: Any = None,
    positive: Any = None,
    pool: str | None = None,
    classes: Sequence[Any] | None = None,
    names: Sequence[str] | None = None,
    weights: ArrayLike | None = None,
    **labels: ArrayLike | None,
) -> LossTable:
    """Make a table from predictions for test examples; nothing is fitted.

    Parameters
    ----------
    predictions : mapping, data frame or array-like of shape (N, learners)
        N rows for each learner, all of the same examples in the same splits: labels, numbers, or a
        matrix of probabilities with a column for each class. Columns of a matrix are in the order of
        `classes`, or sorted; those of a frame, or mapping from class to column, are found by name.
    y : array-like, shape (N,)
        Truth of each row.
    loss : str, Loss or callable, optional
        As for `errbar.run`. By default zero-one for labels and probabilities, ``"roc_auc"`` where all
        learners give scores, and squared-error for regression. It also says what a column of numbers
        is: labels for ``"f1"`` and the like; scores, larger for the positive class, for ``"roc_auc"``
        and ``"average_precision"``; and the probability of the positive class for ``"log-loss"``.
    positive : object, optional
        Label of the positive class; of 0 and 1, False and True, or -1 and 1 it is the latter.
    pool : {"none", "folds", "splits"}, optional
        How a metric that is not a mean of losses combines splits; see `errbar.metrics.resolve`.
    classes : sequence, optional
        All classes, where some do not occur in `y`.
    names : sequence of str, optional
        Names of the columns of an array, or the columns of a frame or mapping that are learners.
    weights : array-like or str, optional
        How much each example counts, in losses and metrics, as for `from_losses`.
    **labels : array-like, optional
        What is known of the rows, by role, as for `from_losses`. ``fold="none"`` says that one model
        has made all predictions, for one test set. Of several answers to a question give the losses,
        to `from_losses`. ``scale`` is what the absolute error of each row is divided by, such as the
        mean absolute error of a naive forecast on the training data: the loss is ``"mase"`` then.

    Returns
    -------
    LossTable
        It keeps the predictions, so that `LossTable.with_loss` has other losses. The label of a
        learner with probabilities is the class of the largest one.

    Raises
    ------
    UnsaidRoleError
        If nothing says whether the rows are one test set: no fold, repeat, split or time.
    PairingError, InvalidInputError
        If learners have different numbers of rows; if a prediction is missing, is not a class of
        `y`, or is of a kind that the loss cannot use.

    Examples
    --------
    >>> import errbar
    >>> truth = ["no", "yes", "no", "yes", "no", "no", "yes", "yes"]
    >>> answers = {"a": ["no", "yes", "no", "no", "yes", "no", "yes", "yes"]}
    >>> table = errbar.from_predictions(answers, truth, fold="none", loss="f1", positive="yes")
    >>> errbar.infer(table, "holdout-t", "a").estimate
    0.75
    """
    labels |= {"weight": weights}
    found = _columns_of(predictions, names, labels, "predictions", PREDICTIONS)
    found = found._replace(labels=found.labels | {"truth": y})
    return predictions_table(found, loss=loss, positive=positive, pool=pool, classes=classes)


def _columns_of(
    given: Any,
    names: str | Sequence[str] | None,
    beside: Labels,
    argument: str,
    rows: str,
    metric: str | None = None,
    kind: str | None = None,
    missing: str | float | None = None,
) -> Columns:
    """Return the columns of learners from an array, a mapping or a frame, with all labels known.

    `beside` holds labels by role that were given beside it, and `argument` is what the caller calls
    `given`. A column that may be a label, and nobody says it, is refused.
    """
    rules: tuple[Any, ...] = (checks.several_things, checks.unsaid_seed)
    if hasattr(given, "columns"):
        frame, beside = with_joined(frame_of(given), beside)
        frame = frame if names else _of_measure(frame, beside, metric)[0]
        of_numbers = (checks.columns_that_are_no_learners,) if rows != PREDICTIONS else ()
        rules = (*of_numbers, checks.shared_values, *rules)
    elif isinstance(given, Mapping):
        frame = {str(name): column for name, column in given.items()}
    else:
        frame = _of_array(given, names, argument, rows)
        names = [*frame]
    said, stated = told(beside, INDEX)
    chosen = columns_named(names, frame, "names")
    sheet = sheet_of(frame, said, stated, chosen, rows=rows, kind=kind)
    checks.ask(sheet, *rules, checks.unsaid_test_set)
    checks.refuse_unused(sheet)
    learners = {name: sheet.frame[name] for name in _check.names(sheet.learners, "learner")}
    if missing is not None or kind == RUNS:
        if kind != RUNS:  # learners with fewer runs have gaps after the last
            require_equal_lengths(learners)
        pandas = _check.package("pandas", "app")
        values = {name: pandas.Series(np.asarray(own)) for name, own in learners.items()}
        return _complete(pandas.DataFrame(values).infer_objects(), sheet.labels(), sheet, missing)
    return Columns(learners, with_repeats(sheet.labels() | stated), sheet.notes())


def _of_array(given: Any, names: Any, argument: str, rows: str) -> Labels:
    # Of a list, NumPy would make text of what is text in part.
    array = (
        np.array(given, dtype=object) if isinstance(given, (list, tuple)) else np.asanyarray(given)
    )
    array = array[:, np.newaxis] if array.ndim == 1 else array
    _check.require(array.ndim == 2, "must have a row per split or example", array, argument)
    count = array.shape[1]
    if names is None and rows == PREDICTIONS and count > 1:
        raise InvalidInputError(
            "may hold learners or classes; give `names`, or {'learner': matrix}",
            argument=argument,
        )
    known = names or [f"learner {i + 1}" for i in range(count)]
    _check.require(len(known) == count, f"must hold {count} names, one per column", known, "names")
    return dict(zip(_check.names(known, "learner"), array.T, strict=True))


def _judged(
    frame: Any, said: Labels, *, metric: Any, higher_is_better: Any, n_train: Any
) -> LossTable:
    """Return the table of a frame in which people have judged some rows, and another judge all."""
    if "value" not in said or not {*said} <= {"value", "judge", "learner", "example"}:
        listed = ", ".join(said)
        raise InvalidInputError(
            f"goes with `value`, `learner` and `example` alone, got {listed}", argument="judge"
        )
    people, judge = said["value"], said["judge"]
    roles_of(frame, said, ())
    own = {role: name for role, name in said.items() if role != "judge"}
    sheet = sheet_of(frame, own, {}, [], rows=EXAMPLES, wanted=("learner", "example"))
    sheet = replace(sheet, left=[name for name in sheet.left if name != judge])
    checks.ask(sheet, checks.gaps, checks.rows_alike)
    sides = [{"learner": frame[name]} for name in (people, judge)]
    if sheet.long:
        sides = [_turned(replace(sheet, learners=[name]))[0] for name in (people, judge)]
    higher, notes = direction_of(metric or people, higher_is_better, frame[judge].to_numpy())
    table = from_judged(*sides, higher_is_better=higher, metric=metric, n_train=n_train)
    return replace(table, notes=(*sheet.notes(), *notes))


def _side_by_side(sheet: Sheet, missing: Any) -> Columns:
    values, labels = _turned(sheet) if sheet.long else (sheet.frame[sheet.learners], sheet.labels())
    return _complete(values, labels, sheet, missing)


def _complete(values: Any, labels: Labels, sheet: Sheet, missing: Any) -> Columns:
    """Return values (rows, learners) and labels without what is incomplete, or with the gaps that pairs, or runs, may have."""
    of_runs, notes = sheet.kind == RUNS, []
    fewer = of_runs and missing != REFUSE  # runs than another learner
    missing = REFUSE if missing is None else missing
    labels |= {role: np.asarray(one) for role, one in sheet.stated.items() if np.ndim(one)}
    if of_runs or missing in MISSING:
        _check.choice(missing, MISSING, "missing")
    else:
        values, note = _imputed(values, missing)
        notes, missing = [note], REFUSE
    of_sets = DATA_SETS in (sheet.rows, sheet.kind)
    unit = "examples" if sheet.of_tests else "data sets" if of_sets else "rows"
    names = labels.get("dataset" if of_sets else "example", np.arange(1, len(values) + 1))
    values = values.set_axis(np.asarray(names))
    checks.ask(values, *[checks.summaries] * (sheet.rows != PREDICTIONS))
    example, lacks = values.index, values.isna()  # (rows, K)
    if fewer:
        lengths = {name: len(sheet.frame[name]) for name in sheet.learners}
        if sheet.long:
            lengths = sheet.frame[sheet.roles["learner"]].astype(str).value_counts()
        lacks &= np.arange(len(values))[:, np.newaxis] < [lengths[name] for name in values]
    gaps = lacks.sum()
    gone = lacks.any(axis=1) if missing == "examples" else lacks.all(axis=1)
    keep = ~example.isin(example[gone])  # all rows of an example go
    lacking = lacks[keep].sum()
    whole = lacking.index if missing == PAIRS else lacking.index[lacking == 0]
    # Of a long table, what nobody has is no row.
    lacked = lacking if sheet.long else gaps
    if (missing == REFUSE and lacked.any()) or not keep.any() or len(whole) < min(2, len(lacking)):
        why = f"{gaps.idxmax()!r} lacks {gaps.max()} of {len(values)} numbers"
        common = not example.isin(example[lacks.any(axis=1)]).all()
        ways = ["examples"] * common + [PAIRS] + ["learners"] * (sum(gaps == 0) > 1)
        options = [option("missing", way) for way in ((PAIRS,) if of_runs else ways)]
        options += [option("kind", RUNS)] * ("seed" in sheet.roles and sheet.rows == SCORES)
        raise UnsaidRoleError(why, *options)
    gone = example[~keep].unique()
    rows = [f"{gone.size} of {example.nunique()} {unit}", *map(str, gone[:_SHOWN])]
    learners = [f"{name} ({count})" for name, count in lacking.items() if count]
    left_out = [what for what in (rows * bool(gone.size), learners) if what]
    values = values.loc[keep, whole]
    trained: Labels = {}
    if gone.size and sheet.of_tests:
        trained = training_size(labels, len(lacks))
    known = {role: np.asarray(label)[keep] for role, label in labels.items()}
    if sheet.rows == DATA_SETS:  # in the order in which they first occur
        # Seeds count where a split of a data set has several; else each fold has its own.
        places = [known[role] for role in PLACES if role in known and role != "seed"]
        seeded = "seed" in known and values.groupby(places).size().max() > 1
        by = [known[role] for role in ("dataset", "seed")[: 1 + seeded]]
        values, known = mean_of_rows(values, by), {}
        cells = [sheet.roles[role] for role in ("dataset", "learner") if role in sheet.roles]
        sizes = sheet.frame.groupby(cells).size()
        count = " to ".join(dict.fromkeys(map(str, (sizes.min(), sizes.max()))))
        averaged = bool(sizes.max() > 1) and not seeded
        notes += [Note("means", unit="data set", count=count, of="rows")] * averaged
        of_set = values.index.get_level_values(0)
        if seeded:
            known = {
                "dataset": np.asarray(of_set),
                "seed": values.groupby(of_set).cumcount().to_numpy(),
            }
        values, unit = values.set_axis(of_set), "data sets"
    several = missing == PAIRS and not of_runs and bool(lacking.any())
    if several and len(whole) > 1:
        there = values.notna().groupby(level=0).all().astype(int)
        shared = (there.T @ there).to_numpy()[np.triu_indices(len(whole), 1)]
        counts = " to ".join(dict.fromkeys(map(str, (shared.min(), shared.max()))))
        left_out[-1] = [*learners, f"so that pairs have {counts} of {len(there)} {unit}"]
    why = "missing numbers" + ", and where runs failed the mean is too good" * of_runs
    notes += [Note("left-out", what=what, why=why) for what in left_out]
    if missing == PAIRS or of_runs:
        values = values.astype(float)
    learned = {name: values[name].to_numpy() for name in values}
    _check.names([*learned], "learner")
    stated = {role: one for role, one in sheet.stated.items() if not np.ndim(one)}
    return Columns(
        learned,
        with_repeats(known | trained | stated),
        (*sheet.notes(), *notes),
        gaps=missing == PAIRS or of_runs,
    )


def _imputed(values: Any, missing: Any) -> tuple[Any, Note]:
    """Return values with a number, or those of a learner that is no longer one, in place of missing ones."""
    if isinstance(missing, str) and missing not in values and _check.is_number(missing):
        missing = float(missing)
    number = isinstance(missing, float | int)
    if not number:
        _check.choice(missing, (*MISSING, *values), "missing")
    stand_in = missing if number else values[missing]
    kept = values if number else values.drop(columns=missing)
    count = int(kept.isna().sum().sum())
    kind = f"{missing:g}" if number else f"that of {missing!r}, which is not compared"
    other = ["missing='examples'"]
    note = Note("taken-as", what=f"each of {count} missing numbers", kind=kind, say=other)
    return kept.where(kept.notna(), stand_in, axis=0), note


def _turned(sheet: Sheet) -> tuple[Any, Labels]:
    """Return a long table with a row for each example in a split, or each split, and the labels of these.

    Each learner may have answers of its own to a question, or seeds of its own on a data set, and more than another: they are averaged.
    """
    labels = _check.package("pandas", "app").DataFrame(sheet.labels(), sheet.frame.index)
    learner = labels.pop("learner").astype(str)
    if sheet.kind == RUNS:  # one after the other, whatever their seeds
        labels = labels.assign(seed=labels.groupby(learner).cumcount())[["seed"]]
    own = ["answer"] * ("answer" in labels)
    if own:
        require_example("answer", labels)
    elif sheet.rows == DATA_SETS:
        own = [role for role in _RANDOM if role in labels and not _shared(labels, learner, role)]
    places = [role for role in PLACES if role in labels and role not in own]
    cells = labels.drop(columns=own).groupby(places, sort=False)
    for role, count in cells.nunique().max().items():
        if count > 1:
            raise InvalidInputError("has two values for an example or split", argument=str(role))
    numbers, by = sheet.frame[sheet.learners[0]], [cells.ngroup(), learner]
    same = numbers.groupby(by, sort=False)
    values = mean_of_rows(numbers, by) if own else same.first()
    labels = labels.drop(columns=own).drop_duplicates(places)
    return values.unstack()[learner.unique()].sort_index(), dict(labels)


def _shared(labels: Any, learner: Any, role: str) -> bool:
    """Tell whether the learners on a data set have the same labels of a role, in each of its folds."""
    places = [labels[one] for one in PLACES if one in labels and one != role]
    counts = [labels[role].groupby(by).transform("nunique") for by in (places, [*places, learner])]
    return bool(counts[0].equals(counts[1]))


# What the columns of a table may be and why, and the command that reads it: proposals, which never decide what is read.

_MOST_STEPS = 12


@dataclass(frozen=True)
class ColumnFacts:
    """What is known of a column.

    Attributes
    ----------
    name, cells : its name, and what its cells are, in words
    may_be : roles that its name speaks for
    """

    name: str
    cells: str
    may_be: tuple[str, ...]


@dataclass(frozen=True)
class Description:
    """What a table may be.

    Attributes
    ----------
    columns : what is known of each column
    command : str or None
        The command that reads it, where names support every step; N stands for a size that only
        the user knows.
    said : the same as keyword arguments of `errbar.read_table`
    question : what only the user knows, where that is open
    options : what may be answered
    """

    columns: tuple[ColumnFacts, ...]
    command: str | None
    said: Labels
    question: str | None
    options: tuple[str, ...]

    def to_dict(self) -> Labels:
        """Return the description as plain data."""
        return asdict(self)

    def __str__(self) -> str:
        width = max(len(one.name) for one in self.columns)
        lines = []
        for one in self.columns:
            roles = f"; {' or '.join(one.may_be)}" if one.may_be else ""
            lines.append(f"{one.name:{width}}  {one.cells}{roles}")
        if self.command is not None:
            return "\n".join([*lines, "", self.command])
        return "\n".join([*lines, "", str(self.question), *(f"  {one}" for one in self.options)])


def describe(source: Any) -> Description:
    r"""Say what each column of a table may be and why, and how to read it.

    A command is proposed only where a name supports every step. Where contents alone speak, the question and its options are returned.

    Parameters
    ----------
    source : str, Path, data frame or mapping
        As for `errbar.read_table`.

    Returns
    -------
    Description
        Columns, and the command or the question; it prints as text.

    Raises
    ------
    InvalidInputError
        If it is no table that can be read.

    Examples
    --------
    >>> import errbar
    >>> found = errbar.describe({"iteration": [1, 2, 3], "tree": [0.3, 0.2, 0.4], "forest": [0.2, 0.3, 0.1]})
    >>> found.command
    'errbar test FILE --fold iteration --n-train N --n-test N'
    """
    frame = frame_of(source)
    columns = tuple(ColumnFacts(name, _cells(frame[name]), _may_be(name)) for name in frame)
    said: Labels = {}
    question = "no command was found in a few steps"
    options: tuple[str, ...] = ()
    for _ in range(_MOST_STEPS):
        try:
            table = read_table(frame, **said)
        except ErrbarError as error:
            question, options = str(error), getattr(error, "options", ())
            step = _supported(options, frame, said)
            if step is None:
                break
            said |= step
            continue
        odd = [name for name in table.learners if {*_may_be(name)} - {"learner", "value"}]
        if not odd or len(table.learners) == 1 or {"learner", "columns"} & {*said}:
            return Description(columns, _command(source, said, table), said, None, ())
        question = f"`columns`: the name of {odd[0]!r} is not that of a learner"
        options = ("--columns A,B",)
        break
    return Description(columns, None, said, question, options)


def _command(source: Any, said: Labels, table: LossTable) -> str:
    """Return the command that reads a table; N stands for a size that only the user knows."""
    words = ["errbar", "test", str(source) if isinstance(source, str | Path) else "FILE"]
    for role, column in said.items():
        words += [option(role), column]
    if _lacks_sizes(table):
        words += ["--n-train", "N", "--n-test", "N"]
    return shlex.join(words)


def _lacks_sizes(table: LossTable) -> bool:
    """Tell whether splits with training sets of their own have no sizes."""
    several = any(design.training is not Training.ONE for design in table.splits.designs)
    of_splits = table.points is None and not {DATA_SETS, RUNS} & {*table.splits.kinds}
    return bool(several and of_splits and np.isnan(table.splits.n_train).any())


def _cells(column: Any) -> str:
    kind = "text" if is_text(column) else "whole numbers" if is_whole(column) else "numbers"
    counts = column.value_counts()
    parts = [kind, f"{len(counts)} different"]
    if len(counts) and counts.max() > 1:
        parts.append(f"{counts.min()} to {counts.max()} times")
    if column.hasnans:
        parts.append(f"{column.isna().sum()} empty")
    return ", ".join(parts)


def _may_be(name: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys([*spoken_for(name), *asked(name)]))


def _supported(options: Sequence[str], frame: Any, said: Labels) -> Labels | None:
    """Return the one answer that a name supports; None where none or several do, or where names do not decide."""
    free, supported = [name for name in frame if name not in said.values()], []
    for text in options:
        role, column = next(iter(says(text).items()))
        names = [column] if column else free
        if role == "learner" and not column:
            names = [name for name in free if is_text(frame[name])]
        spoken = [name for name in names if name in frame and role in spoken_for(name)]
        supported += [(role, name) for name in spoken]
    if len(supported) != 1:
        return None
    [(role, name)] = supported
    # Whether rows of a group depend on each other is no matter of names; and where a name of the table is asked about, it was not enough.
    decided = role not in said and role != "groups" and role_of(name) != role
    return {role: name} if decided else None

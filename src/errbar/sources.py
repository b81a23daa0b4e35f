"""Tables from people's own numbers: arrays, frames, scikit-learn results, CSV files. No fits."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from lzma import LZMAError
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from errbar import _check
from errbar._check import FloatArray, IntArray
from errbar.errors import InvalidInputError, PairingError
from errbar.losses import Loss
from errbar.plans import Predefined, draw
from errbar.plans._base import NO_LABEL
from errbar.result import Note
from errbar.table import Cells, LossTable, stated_columns
from errbar.views import require_same_splits, scores_of, split_sizes

__all__ = ["from_cross_validate", "from_cv_results", "from_losses", "from_scores", "read_scores"]

KINDS = ("subsampling", "kfold", "5x2", "holdout", "other", "bootstrap", "data-sets", "halves", "halved-kfold")
LABEL_COLUMNS = ("repeat", "fold", "inner", "halving", "half", "example", "n_train", "n_test")

_NOT_TEXT = "is not a text file; a CSV file (also .gz or .xz) or a .parquet file is needed"
_UNVERIFIED = Note(
    "splits-not-verified",
    "that all learners were scored on the same splits was taken on trust; cross_validate(..., return_indices=True) lets it be checked",
)


def from_scores(
    scores: Any,
    *,
    n_train: ArrayLike | None = None,
    n_test: ArrayLike | None = None,
    names: Sequence[str] | None = None,
    repeat: ArrayLike | None = None,
    fold: ArrayLike | None = None,
    halving: ArrayLike | None = None,
    half: ArrayLike | None = None,
    kind: str | None = None,
    metric: str = "score",
    higher_is_better: bool = False,
) -> LossTable:
    """Make a table from one number per split and learner.

    Parameters
    ----------
    scores : mapping, data frame or array-like of shape (J, learners)
        Column or key per learner, J numbers each, all from the same J splits.
    n_train, n_test : float or array-like, shape (J,), optional
        Sizes of the splits; methods that correct for overlap need them.
    names : sequence of str, optional
        Names of the learners, where `scores` is an array.
    repeat, fold : array-like of int, shape (J,), optional
        Labels of the splits. K-fold scores without them are taken to be one partition after the other, of as many
        folds as the sizes say.
    halving, half : array-like of int, shape (J,), optional
        For scores on halves of the data: number of the halving, and 0 or 1; -1 in both for scores on all data.
    kind : {"subsampling", "kfold", "5x2", "holdout", "other", "bootstrap", "data-sets", "halves", "halved-kfold"}, optional
        Kind of plan; by default ``"halves"`` where halvings are labelled, ``"kfold"`` where folds are, else
        ``"subsampling"``. In ``"data-sets"`` each number is the mean score on a data set of its own.
    metric : str, default "score"
        Name of the number, for reports.
    higher_is_better : bool, default False
        Whether larger numbers are better, as for accuracy.

    Returns
    -------
    LossTable
        To be used with `errbar.infer` and `errbar.compare_table`.

    Raises
    ------
    PairingError
        If learners have different numbers of splits.
    InvalidInputError
        If a number is missing or not finite.

    Examples
    --------
    >>> import errbar
    >>> errbar.from_scores({"tree": [0.31, 0.28], "1-NN": [0.25, 0.27]}, n_train=90, n_test=10)
    LossTable(2 learners, 2 splits, loss 'score', plans ['subsampling'])
    """
    learners, columns = _columns(scores, names)
    count = columns[0].size
    labels: dict[str, IntArray] = {}
    for name, given in (("repeat", repeat), ("fold", fold), ("halving", halving), ("half", half)):
        if given is not None:
            labels[name] = _check.labels(given, count, name)
    natural = "kfold" if fold is not None else "subsampling"
    natural = "halves" if halving is not None else natural
    stated = _check.choice(kind, KINDS, "kind") if kind else natural
    train = None if n_train is None else _check.sizes(n_train, count, "n_train")
    test = None if n_test is None else _check.sizes(n_test, count, "n_test")
    if stated in ("kfold", "5x2"):
        labels = _partitions(stated, count, labels, train, test)
    splits = stated_columns(stated, count, n_train=train, n_test=test, labels=labels)
    sign = -1.0 if higher_is_better else 1.0
    return LossTable(
        learners, _given(metric, higher_is_better=higher_is_better, pointwise=False), splits, sign * np.stack(columns)
    )


def from_losses(
    losses: Any,
    *,
    fold: ArrayLike = 0,
    repeat: ArrayLike = 0,
    inner: ArrayLike | None = None,
    example: ArrayLike | None = None,
    n_train: float | None = None,
    names: Sequence[str] | None = None,
    metric: str = "loss",
) -> LossTable:
    """Make a table from one loss per test example and learner.

    Parameters
    ----------
    losses : mapping, data frame or array-like of shape (N, learners)
        Column or key per learner, N losses each, all of the same examples in the same splits.
    fold, repeat : int or array-like of int, shape (N,), default 0
        Fold and repeat in which each example was tested. One fold in all is a holdout, one in each of several
        repeats is subsampling, and folds that test an example twice in a repeat are of kind ``"other"``.
    inner : array-like of int, shape (N,), optional
        For nested cross-validation: the inner fold in which the example was tested, by a model that was trained
        without `fold` and `inner`; -1 for outer losses.
    example : array-like of int, shape (N,), optional
        Which example each loss belongs to.
    n_train : float, optional
        Training size of the splits.
    names : sequence of str, optional
        Names of the learners, where `losses` is an array.
    metric : str, default "loss"
        Name of the loss, for reports.

    Returns
    -------
    LossTable
        With points and the mean of each split.

    Raises
    ------
    InvalidInputError
        If a loss is missing or not finite.

    Examples
    --------
    >>> import errbar
    >>> table = errbar.from_losses({"tree": [0, 1, 0, 0], "1-NN": [0, 1, 1, 0]}, fold=[0, 0, 1, 1])
    >>> errbar.infer(table, "cv-wald", "tree", minus="1-NN").estimate
    -0.25
    """
    learners, columns = _columns(losses, names)
    total = columns[0].size
    folds = _check.labels(fold, total, "fold")
    repeats = _check.labels(repeat, total, "repeat")
    inners = np.full(total, NO_LABEL) if inner is None else _check.labels(inner, total, "inner")
    examples = np.arange(total) if example is None else _check.labels(example, total, "example")
    order = np.lexsort((folds, inners, repeats))
    keys, split = np.unique(np.stack([repeats, inners, folds])[:, order], axis=1, return_inverse=True)
    _refuse_twice(split, examples[order])
    points = np.stack(columns)[:, order]
    starts = np.searchsorted(split, np.arange(keys.shape[1]))
    n_test = np.diff(np.append(starts, total)).astype(np.float64)
    kind = _kind_of_points(keys[0], repeats, examples) if inner is None else "nested-kfold"
    # Without a stated size, a partition of the examples tells it: all that are not in the fold.
    whole = np.array([np.unique(examples[repeats == r]).size for r in keys[0]])
    inferred = whole - n_test if kind == "kfold" else np.full(keys.shape[1], np.nan)
    sizes = inferred if n_train is None else _check.sizes(n_train, keys.shape[1], "n_train")
    splits = stated_columns(
        kind,
        keys.shape[1],
        n_train=sizes,
        n_test=n_test,
        labels={"repeat": keys[0], "inner": keys[1], "fold": keys[2]},
    )
    scores = np.add.reduceat(points, starts, axis=1) / n_test
    given = _given(metric, higher_is_better=False, pointwise=True)
    return LossTable(learners, given, splits, scores, points, Cells(split.ravel(), examples[order]))


def from_cross_validate(
    results: Mapping[str, Mapping[str, Any]],
    *,
    metric: str = "score",
    n_train: ArrayLike | None = None,
    n_test: ArrayLike | None = None,
    kind: str | None = None,
    higher_is_better: bool = True,
) -> LossTable:
    """Make a table from results of scikit-learn's ``cross_validate``.

    Parameters
    ----------
    results : mapping of str to mapping
        Result of ``cross_validate`` by learner, all on the same splits.
    metric : str, default "score"
        Which of several metrics; the entry ``test_<metric>`` is read.
    n_train, n_test : float or array-like, optional
        Sizes of the splits; read from ``indices`` where ``return_indices=True`` was used.
    kind : {"subsampling", "kfold", "5x2", "holdout", "other"}, optional
        Kind of plan; by default read off the indices, or ``"subsampling"`` without them.
    higher_is_better : bool, default True
        As scikit-learn's scorers have it.

    Returns
    -------
    LossTable
        One score per split and learner.

    Raises
    ------
    PairingError
        If the learners were scored on different splits.
    """
    if not isinstance(results, Mapping) or not results:
        raise InvalidInputError(
            "`results` must map names to results of cross_validate, such as {'tree': cross_validate(...)}"
        )
    values = {name: scores_of(result, metric) for name, result in results.items()}
    each = list(results.values())
    verified = require_same_splits(each, [v.size for v in values.values()], list(values))
    found_train, found_test = split_sizes(each[0])
    labels: dict[str, Any] = {}
    if verified and kind is None:
        kind, labels = _structure(each[0]["indices"])
    table = from_scores(
        values,
        n_train=found_train if n_train is None else n_train,
        n_test=found_test if n_test is None else n_test,
        metric=metric,
        kind=kind,
        higher_is_better=higher_is_better,
        **labels,
    )
    return _annotated(table, () if verified or len(values) == 1 else (_UNVERIFIED,))


def from_cv_results(
    cv_results: Mapping[str, Any],
    *,
    n_train: ArrayLike,
    n_test: ArrayLike,
    candidates: Sequence[int] | None = None,
    metric: str = "score",
    kind: str = "kfold",
    higher_is_better: bool = True,
) -> LossTable:
    """Make a table from ``cv_results_`` of a scikit-learn search; each candidate is a learner.

    Parameters
    ----------
    cv_results : mapping
        The attribute ``cv_results_`` of a fitted GridSearchCV or RandomizedSearchCV.
    n_train, n_test : float or array-like
        Sizes of the splits, which ``cv_results_`` does not hold.
    candidates : sequence of int, optional
        Positions of the candidates to keep; by default all.
    metric : str, default "score"
        Which of several metrics; the entries ``split<i>_test_<metric>`` are read.
    kind : {"kfold", "subsampling", "5x2", "holdout", "other"}, default "kfold"
        Kind of the splitter that the search used.
    higher_is_better : bool, default True
        As scikit-learn's scorers have it.

    Returns
    -------
    LossTable
        Candidates are named by the parameters in which they differ.

    Raises
    ------
    InvalidInputError
        If entries are missing, or a candidate failed on a split.
    """
    if not isinstance(cv_results, Mapping) or "params" not in cv_results:
        raise InvalidInputError(
            "`cv_results` must be the attribute cv_results_ of a fitted search; it has no entry 'params'"
        )
    params = list(cv_results["params"])
    keys = [f"split{i}_test_{metric}" for i in range(len(cv_results))]
    present = [key for key in keys if key in cv_results]
    if not present:
        raise InvalidInputError(f"`cv_results` has no entry 'split0_test_{metric}'; is `metric` right?")
    chosen = list(range(len(params))) if candidates is None else [_position(i, len(params)) for i in candidates]
    names = _candidate_names([params[i] for i in chosen])
    columns = {}
    for name, i in zip(names, chosen, strict=True):
        column = np.array([cv_results[key][i] for key in present], dtype=np.float64)
        if not np.isfinite(column).all():
            split = int(np.flatnonzero(~np.isfinite(column))[0])
            raise InvalidInputError(f"candidate {i} ({name}) has no score on split {split}: its fit failed there")
        columns[name] = column
    table = from_scores(
        columns, n_train=n_train, n_test=n_test, metric=metric, kind=kind, higher_is_better=higher_is_better
    )
    selected = Note(
        "selected-candidates",
        "candidates that were picked for their scores on these same splits look better than they are",
    )
    return _annotated(table, (selected,))


def read_scores(
    path: str | Path,
    *,
    n_train: float | None = None,
    n_test: float | None = None,
    pointwise: bool = False,
    metric: str | None = None,
    kind: str | None = None,
    higher_is_better: bool = False,
) -> LossTable:
    """Read a table from a CSV (also .gz, .xz) or Parquet file; needs pandas.

    One column per learner. The optional columns ``repeat``, ``fold``, ``inner``, ``halving``, ``half``, ``example``,
    ``n_train`` and ``n_test`` describe the rows; all others are learners, but for a first column of text, which names
    the rows. A row is one split, unless there is a column ``example``, or several
    rows share a repeat and fold, or `pointwise` is true: then a row is one test example.

    Parameters
    ----------
    path : str or Path
        File to read.
    n_train, n_test : float, optional
        Sizes of the splits, where the file has no columns for them.
    pointwise : bool, default False
        Whether a row is one test example even where the columns do not say so.
    metric : str, optional
        Name of the number, for reports.
    kind : {"subsampling", "kfold", "5x2", "holdout", "other"}, optional
        Kind of plan, for one row per split.
    higher_is_better : bool, default False
        Whether larger numbers are better, as for accuracy.

    Returns
    -------
    LossTable
        One learner per column.

    Raises
    ------
    InvalidInputError
        If the file cannot be read, or a cell is missing or not a number.
    """
    frame = read_frame(path)
    labels = {name: frame[name].to_numpy() for name in LABEL_COLUMNS if name in frame.columns}
    learners = {str(name): frame[name] for name in _learner_columns(frame)}
    nameless = [name for name in learners if name.startswith("Unnamed: ")]
    if nameless:
        raise InvalidInputError(
            f"{path}: column {int(nameless[0].split()[1]) + 1} has no name; "
            "name every learner, and write frames with index=False"
        )
    if not learners:
        raise InvalidInputError(f"{path}: there is no column with a learner's numbers")
    columns = {name: _numeric_column(column, name, str(path)) for name, column in learners.items()}
    if pointwise or "example" in labels or _rows_share_a_fold(labels):
        if higher_is_better:
            raise InvalidInputError("numbers per example must be losses, where lower is better")
        known = {name: labels[name] for name in ("fold", "repeat", "inner", "example") if name in labels}
        if "n_train" in labels:
            n_train = float(_check.vector(labels["n_train"], "n_train", "row").mean())
        return from_losses(columns, n_train=n_train, metric=metric or "loss", **known)
    stated = {name: labels[name] for name in ("fold", "repeat", "halving", "half") if name in labels}
    return from_scores(
        columns,
        n_train=labels.get("n_train", n_train),
        n_test=labels.get("n_test", n_test),
        metric=metric or "score",
        kind=kind,
        higher_is_better=higher_is_better,
        **stated,
    )


def read_frame(path: str | Path) -> Any:
    """Read a CSV (also .gz, .bz2, .xz, .zip) or Parquet file into a pandas frame, or say in one sentence why not."""
    pandas = _check.package("pandas", "app")
    place = Path(path)
    if not place.is_file():
        raise InvalidInputError(
            f"{str(path)!r} is a folder, not a file" if place.is_dir() else f"there is no file {str(path)!r}"
        )
    try:
        frame = _parsed(pandas, place)
    except pandas.errors.EmptyDataError:
        raise InvalidInputError(f"{path} is empty") from None
    except UnicodeDecodeError:
        raise InvalidInputError(f"{path} {_NOT_TEXT}") from None
    except (ValueError, OSError, EOFError, LZMAError) as error:
        reason = " ".join(str(error).split())
        raise InvalidInputError(f"{path} cannot be read as {place.suffix.lstrip('.') or 'CSV'}: {reason}") from None
    if any("\x00" in str(name) for name in frame.columns):
        raise InvalidInputError(f"{path} {_NOT_TEXT}")
    if len(frame) == 0:
        raise InvalidInputError(f"{path} has a header and no rows")
    return frame


def _parsed(pandas: Any, place: Path) -> Any:
    if place.suffix == ".parquet":
        _check.package("pyarrow", "app")
        return pandas.read_parquet(place)
    return pandas.read_csv(place, low_memory=False)


def _columns(scores: Any, names: Sequence[str] | None) -> tuple[tuple[str, ...], list[FloatArray]]:
    if isinstance(scores, Mapping) or hasattr(scores, "columns"):
        keys: Iterable[Any] = scores.keys() if isinstance(scores, Mapping) else scores.columns
        pairs = [(str(key), scores[key]) for key in keys]
    else:
        array = _check.numbers(scores, "scores", "split and learner")
        array = array[:, np.newaxis] if array.ndim == 1 else array
        if array.ndim != 2:
            raise InvalidInputError(
                f"`scores` must have one row per split and one column per learner, got shape {array.shape}"
            )
        titles = [f"learner {i + 1}" for i in range(array.shape[1])] if names is None else list(names)
        if len(titles) != array.shape[1]:
            raise InvalidInputError(f"`names` must hold {array.shape[1]} names, one per column, got {len(titles)}")
        pairs = [(title, array[:, i]) for i, title in enumerate(titles)]
    learners = _check.names([name for name, _ in pairs], "learner")
    columns = [_check.vector(values, name, "row") for name, values in pairs]
    lengths = {name: column.size for name, column in zip(learners, columns, strict=True)}
    if len(set(lengths.values())) > 1:
        listed = ", ".join(f"{name}: {size}" for name, size in lengths.items())
        raise PairingError(
            f"the learners have different numbers of rows ({listed}); every learner needs one on each split"
        )
    return learners, columns


def _numeric_column(column: Any, name: str, path: str) -> FloatArray:
    missing = column.isna().to_numpy()
    if missing.any():
        row = int(np.flatnonzero(missing)[0])
        raise InvalidInputError(
            f"{path}: column {name!r} has no value in row {row + 2} of the file; every cell must be filled"
        )
    try:
        return np.asarray(column, dtype=np.float64)
    except (TypeError, ValueError):
        raise InvalidInputError(f"{path}: column {name!r} does not hold numbers only") from None


def _learner_columns(frame: Any) -> list[Any]:
    """Return the columns that are learners; a first column of words, each another one, names the rows instead."""
    names = [name for name in frame.columns if name not in LABEL_COLUMNS]
    first = frame[names[0]] if len(names) > 1 else None
    words = first is not None and not first.isna().any() and all(isinstance(value, str) for value in first)
    return names[1:] if words and first is not None and first.is_unique else names


def _rows_share_a_fold(labels: Mapping[str, Any]) -> bool:
    known = [labels[name] for name in ("repeat", "fold", "inner", "halving", "half") if name in labels]
    if not known:
        return False
    rows = np.stack([np.asarray(column, dtype=str) for column in known])
    return bool(np.unique(rows, axis=1).shape[1] < rows.shape[1])


def _partitions(
    kind: str, count: int, labels: dict[str, IntArray], n_train: FloatArray | None, n_test: FloatArray | None
) -> dict[str, IntArray]:
    """Complete the labels of folds: what is not stated follows from the order, or from the sizes."""
    if "repeat" not in labels and "fold" in labels:
        return labels | {"repeat": _repeats(labels["fold"])}
    if "repeat" in labels and "fold" in labels:
        if np.unique(np.stack([labels["repeat"], labels["fold"]]), axis=1).shape[1] < count:
            raise InvalidInputError("a fold stands twice in one repeat; give `repeat` so that it stands there once")
        return labels
    if "repeat" in labels:
        return labels
    folds = 2 if kind == "5x2" else count
    if kind == "kfold" and n_train is not None and n_test is not None:
        # One fold is n/K of the examples, so 100 scores with test sets of a tenth are ten partitions.
        folds = round(float(((n_train + n_test) / n_test).mean()))
    each = folds if 1 < folds <= count and count % folds == 0 else count
    return labels | {"repeat": np.arange(count) // each}


def _repeats(fold: IntArray) -> IntArray:
    """Number the partitions by how often a fold has occurred before."""
    seen: dict[int, int] = {}
    repeats = np.empty(fold.size, dtype=np.int64)
    for i, value in enumerate(fold.tolist()):
        repeats[i] = seen.get(value, 0)
        seen[value] = repeats[i] + 1
    return repeats


def _structure(indices: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
    """Return kind and labels of the splits that ``cross_validate`` has used."""
    pairs = list(zip(indices["train"], indices["test"], strict=True))
    drawn = draw(Predefined(pairs), 1 + max(int(np.max(part)) for pair in pairs for part in pair))
    names = drawn.splits[0].labels
    return drawn.kinds[0], {name: [split.labels[name] for split in drawn.splits] for name in names}


def _kind_of_points(repeat_of_split: IntArray, repeat: IntArray, example: IntArray) -> str:
    """Return the kind of plan: folds are K-fold where every repeat tests each of its examples once."""
    splits = np.unique(repeat_of_split, return_counts=True)[1]
    if splits.max() == 1:
        return "holdout" if splits.size == 1 else "subsampling"
    once = np.unique(np.stack([repeat, example]), axis=1).shape[1] == example.size
    return "kfold" if once and splits.min() > 1 else "other"


def _refuse_twice(split: IntArray, example: IntArray) -> None:
    pairs = np.unique(np.stack([split.ravel(), example]), axis=1)
    if pairs.shape[1] < example.size:
        raise InvalidInputError(
            "an example is tested twice in one fold; give `repeat` or `fold` so that each is tested once"
        )


def _position(value: int, count: int) -> int:
    position = _check.count(value, "candidates", 0)
    if position >= count:
        raise InvalidInputError(f"`candidates` must hold positions from 0 to {count - 1}, got {position}")
    return position


def _candidate_names(params: list[Mapping[str, Any]]) -> list[str]:
    keys = list(dict.fromkeys(key for one in params for key in one))
    varying = [key for key in keys if len({repr(one.get(key)) for one in params}) > 1] or keys
    names = [", ".join(f"{key}={one[key]!r}" for key in varying if key in one) for one in params]
    return [name if names.count(name) == 1 else f"{name} ({i})" for i, name in enumerate(names)]


def _given(metric: str, *, higher_is_better: bool, pointwise: bool) -> Loss:
    return Loss(metric, partial(_unavailable, metric), (), "any", pointwise, higher_is_better)


def _unavailable(metric: str, *_: Any) -> Any:
    raise InvalidInputError(f"{metric!r} was given as numbers and cannot be computed again")


def _annotated(table: LossTable, notes: tuple[Note, ...]) -> LossTable:
    return replace(table, notes=table.notes + notes)

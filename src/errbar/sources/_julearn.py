"""Tables from score frames of the kind that julearn's run_cross_validation returns."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from errbar import _check
from errbar.errors import InvalidInputError, PairingError
from errbar.plans import FiveByTwo, Holdout, KFold, Subsampling
from errbar.read.scores import from_scores
from errbar.result import Note
from errbar.sources._columns import annotated
from errbar.table import LossTable

NOT_REPRODUCIBLE = "non-reproducible"

_WANTED = "must map names to score frames, or be frames with a column 'model'"


def from_julearn(
    frames: Any,
    *,
    metric: str = "score",
    kind: str | None = None,
    higher_is_better: bool = True,
) -> LossTable:
    """Make a table from score frames of julearn, or of the same shape.

    A frame has one row per split and the columns ``test_<metric>``, ``n_train``, ``n_test``, ``repeat``, ``fold`` and
    ``cv_mdsum``, a digest of the splitter. pandas and polars frames are taken.

    Parameters
    ----------
    frames : mapping of str to frame, frame, or sequence of frames
        Frame by learner; or frames with a column ``model`` that names the learner of each row.
    metric : str, default "score"
        Which of several scorers; the column ``test_<metric>`` is read.
    kind : {"kfold", "subsampling", "5x2", "holdout", "other"}, optional
        Kind of plan. By default ``"kfold"`` where the test sets of every repeat add up to all examples, and else
        ``"subsampling"``; ten random splits that test on a tenth each look like ten folds, so state the kind there.
    higher_is_better : bool, default True
        As the scorers of scikit-learn have it.

    Returns
    -------
    LossTable
        One score per split and learner. A note says so if the frames could not tell that their splits were the same.

    Raises
    ------
    PairingError
        If the learners were scored on different splits, by their ``cv_mdsum``, labels or sizes.
    InvalidInputError
        If a column is missing, or a number is missing or not finite.

    See Also
    --------
    from_cross_validate : From what scikit-learn returns.

    Examples
    --------
    >>> import errbar
    >>> common = {"repeat": [0, 0], "fold": [0, 1], "n_train": [50, 50], "n_test": [50, 50], "cv_mdsum": ["1f"] * 2}
    >>> errbar.from_julearn({"svm": {"test_score": [0.8, 0.7]} | common, "tree": {"test_score": [0.7, 0.7]} | common})
    LossTable(2 learners, 2 splits, loss 'score', plans ['kfold'])
    """
    learners = {name: _columns(frame, f"test_{metric}", name) for name, frame in _by_learner(frames).items()}
    notes = _require_same(learners)
    first = next(iter(learners.values()))
    stated = kind or _kind(first)
    folds = ("repeat", "fold") if stated in (KFold.kind, FiveByTwo.kind) else ()
    labels: dict[str, Any] = {name: first[name] for name in folds}
    table = from_scores(
        {name: own[f"test_{metric}"] for name, own in learners.items()},
        n_train=first["n_train"],
        n_test=first["n_test"],
        metric=metric,
        kind=stated,
        higher_is_better=higher_is_better,
        **labels,
    )
    return annotated(table, notes)


def _by_learner(frames: Any) -> dict[str, Any]:
    """Return columns by learner."""
    if isinstance(frames, Mapping):
        if not frames:
            raise InvalidInputError(f"{_WANTED}, got an empty mapping", argument="frames")
        return {str(name): frame for name, frame in frames.items()}
    if hasattr(frames, "columns"):
        return _by_model([frames])
    if isinstance(frames, Sequence) and not isinstance(frames, str) and frames:
        return _by_model(frames)
    raise InvalidInputError(f"{_WANTED}, got {type(frames).__name__}", argument="frames")


def _by_model(frames: Sequence[Any]) -> dict[str, Any]:
    """Return columns by what the column ``model`` says."""
    found: dict[str, dict[str, list[Any]]] = {}
    for frame in frames:
        if not hasattr(frame, "columns") or "model" not in list(frame.columns):
            raise InvalidInputError(f"{_WANTED}; one of them has no column 'model'", argument="frames")
        columns = {str(name): np.asarray(frame[name]) for name in frame.columns}
        for model in dict.fromkeys(columns["model"].tolist()):
            chosen = columns["model"] == model
            own = found.setdefault(str(model), {})
            for name, column in columns.items():
                own.setdefault(name, []).extend(column[chosen].tolist())
    return dict(found)


def _columns(frame: Any, score: str, learner: str) -> dict[str, NDArray[Any]]:
    """Return the columns of one learner, sorted by repeat and fold."""
    there = list(frame.keys() if isinstance(frame, Mapping) else getattr(frame, "columns", ()))
    for name in (score, "n_train", "n_test", "repeat", "fold"):
        if name not in there:
            raise InvalidInputError(
                f"the score frame of {learner!r} has no column {name!r}; it has {', '.join(map(repr, there)) or 'none'}"
            )
    values = _check.vector(frame[score], f"{score} of {learner}", "row")
    labels = {name: _check.labels(np.asarray(frame[name]), values.size, name) for name in ("repeat", "fold")}
    if _check.distinct(*labels.values()) < values.size:
        raise InvalidInputError(f"the score frame of {learner!r} has a fold twice in one repeat")
    sizes = {name: _check.sizes(np.asarray(frame[name]), values.size, name) for name in ("n_train", "n_test")}
    digests = np.asarray(frame["cv_mdsum"] if "cv_mdsum" in there else [NOT_REPRODUCIBLE] * values.size)
    order = np.lexsort((labels["fold"], labels["repeat"]))
    found = {score: values, "cv_mdsum": digests} | labels | sizes
    return {name: column[order] for name, column in found.items()}


def _require_same(learners: Mapping[str, Mapping[str, NDArray[Any]]]) -> tuple[Note, ...]:
    """Raise if the splits differ; return a note if nothing but their labels and sizes could be compared."""
    (home, first), *others = learners.items()
    for name, other in others:
        for column in ("repeat", "fold", "n_train", "n_test"):
            if not np.array_equal(first[column], other[column]):
                raise PairingError(f"{home!r} and {name!r} were scored on different splits: their {column} differ")
    digests = {name: sorted(set(map(str, own["cv_mdsum"]))) for name, own in learners.items()}
    for name, own in digests.items():
        if own != digests[home] or len(own) > 1:
            raise PairingError(
                f"{home!r} and {name!r} were scored on different splits: `cv_mdsum` is {', '.join(digests[home])} and "
                f"{', '.join(own)}; use the same splitter for all"
            )
    if len(learners) == 1 or digests[home] != [NOT_REPRODUCIBLE]:
        return ()
    by = "a splitter with a random_state"
    return (Note("not-verified", what="that all learners were scored on the same splits", by=by),)


def _kind(columns: Mapping[str, NDArray[Any]]) -> str:
    """Return the kind of plan: the folds of a repeat test every example once."""
    total = columns["n_train"] + columns["n_test"]
    if total.size == 1:
        return Holdout.kind
    tested = [columns["n_test"][columns["repeat"] == r].sum() for r in columns["repeat"]]
    return KFold.kind if np.array_equal(total, tested) else Subsampling.kind

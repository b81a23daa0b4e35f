"""Score frames of the kind that julearn's run_cross_validation returns."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from errbar import _check
from errbar.errors import InvalidInputError, PairingError
from errbar.plans import FiveByTwo, Holdout, KFold, Subsampling
from errbar.read.tools._said import Said, table_of
from errbar.result import Note
from errbar.table import LossTable

NOT_REPRODUCIBLE = "non-reproducible"
"""What julearn writes as the digest of a splitter without a random_state."""

_SPLITS = ("n_train", "n_test", "repeat", "fold")


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
    score = f"test_{metric}"
    parts = [_rows(frame, learner, score) for learner, frame in _by_learner(frames)]
    rows = {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}
    digests = np.unique(rows["cv_mdsum"]).tolist()
    if len(digests) > 1:
        raise PairingError(
            f"the learners were scored on different splits, by their `cv_mdsum` {', '.join(digests)}; "
            "use the same splitter for all"
        )
    first = rows["learner"] == rows["learner"][0]
    kind = kind or _kind({name: rows[name][first] for name in _SPLITS})
    roles = {"learner": "learner", "value": score, "n_train": "n_train", "n_test": "n_test"}
    if kind in (KFold.kind, FiveByTwo.kind):
        roles |= {"repeat": "repeat", "fold": "fold"}
    else:
        rows["split"] = _check.numbered(rows["repeat"], rows["fold"])
        roles["split"] = "split"
    notes: tuple[Note, ...] = ()
    if digests == [NOT_REPRODUCIBLE] and not first.all():
        what = "that all learners were scored on the same splits"
        notes = (Note("not-verified", what=what, by="a splitter with a random_state"),)
    options = {"metric": metric, "kind": kind, "higher_is_better": higher_is_better}
    return table_of(Said(rows, roles, options, notes))


def _by_learner(frames: Any) -> list[tuple[str | None, Any]]:
    """Return frames with the names of their learners; None where a column ``model`` tells them."""
    if isinstance(frames, Mapping) and frames:
        return [(str(name), frame) for name, frame in frames.items()]
    several = [frames] if hasattr(frames, "columns") else frames
    listed = isinstance(several, (list, tuple)) and several
    if not listed or not all("model" in getattr(frame, "columns", ()) for frame in several):
        raise InvalidInputError(
            f"must map names to score frames, or be frames with a column 'model', got {type(frames).__name__}",
            argument="frames",
        )
    return [(None, frame) for frame in several]


def _rows(frame: Any, learner: str | None, score: str) -> dict[str, NDArray[Any]]:
    """Return the columns of one frame that are read."""
    there = list(frame if isinstance(frame, Mapping) else getattr(frame, "columns", ()))
    lacking = [name for name in (score, *_SPLITS) if name not in there]
    if lacking:
        raise InvalidInputError(f"the score frame of {learner!r} has no column {lacking[0]!r}")
    value = _check.vector(frame[score], score, "row")
    names = frame["model"] if learner is None else learner
    digests = frame["cv_mdsum"] if "cv_mdsum" in there else NOT_REPRODUCIBLE
    texts = {"learner": names, "cv_mdsum": digests}
    return {
        score: value,
        **{
            name: np.broadcast_to(np.asarray(text, str), value.shape)
            for name, text in texts.items()
        },
        **{name: _check.labels(frame[name], value.size, name) for name in ("repeat", "fold")},
        **{name: _check.sizes(frame[name], value.size, name) for name in ("n_train", "n_test")},
    }


def _kind(rows: Mapping[str, NDArray[Any]]) -> str:
    """Return the kind of plan: the folds of a repeat test every example once."""
    if rows["fold"].size == 1:
        return Holdout.kind
    tested = [rows["n_test"][rows["repeat"] == repeat].sum() for repeat in rows["repeat"]]
    whole = np.array_equal(rows["n_train"] + rows["n_test"], tested)
    return KFold.kind if whole else Subsampling.kind

"""Score frames of the kind that julearn's run_cross_validation returns."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from errbar import _check
from errbar.errors import InvalidInputError, PairingError
from errbar.plans import FiveByTwo, Holdout, KFold, Subsampling
from errbar.read.frame import frame_of
from errbar.read.table import from_long
from errbar.result import Note
from errbar.table import LossTable

NOT_REPRODUCIBLE = "non-reproducible"
"""What julearn writes as the digest of a splitter without a random_state."""


def from_julearn(
    frames: Any,
    *,
    metric: str = "score",
    kind: str | None = None,
    higher_is_better: bool = True,
) -> LossTable:
    """Make a table from score frames of julearn, or of the same shape.

    A frame has one row per split and the columns ``test_<metric>``, ``n_train``, ``n_test``,
    ``repeat``, ``fold`` and ``cv_mdsum``, a digest of the splitter.

    Parameters
    ----------
    frames : mapping of str to frame, frame, or sequence of frames
        Frame by learner; or frames with a column ``model`` that names the learner of each row.
    metric : str, default "score"
        Which of several scorers; the column ``test_<metric>`` is read.
    kind : {"kfold", "subsampling", "5x2", "holdout", "other"}, optional
        By default ``"kfold"`` where the test sets of every repeat add up to all examples, and else
        ``"subsampling"``; ten random splits that test on a tenth each look like ten folds, so say it.
    higher_is_better : bool, default True

    Returns
    -------
    LossTable
        A note says so if the frames could not tell that their splits were the same, or a learner is
        left out since it lacks splits that others have.

    Raises
    ------
    PairingError, InvalidInputError
        If the learners were scored on different splits, by their ``cv_mdsum``, or no two on all; if
        a column is missing, a number is missing or not finite, or splits differ in their sizes.

    Examples
    --------
    >>> import errbar
    >>> common = {"repeat": [0, 0], "fold": [0, 1], "n_train": [50, 50], "n_test": [50, 50]}
    >>> common["cv_mdsum"] = ["1f", "1f"]
    >>> scores = {"svm": {"test_score": [0.8, 0.7]} | common, "tree": {"test_score": [0.7, 0.7]} | common}
    >>> errbar.from_julearn(scores)
    LossTable(2 learners, 2 splits, loss 'score', plans ['kfold'])
    """
    value = f"test_{metric}"
    columns = [value, "repeat", "fold", "n_train", "n_test"]
    pandas = _check.package("pandas", "app")
    if isinstance(frames, Mapping):
        by_learner = list(frames.items())
    else:
        # A column tells the learner of each row.
        columns.append("model")
        several = [frames] if hasattr(frames, "columns") else frames
        listed = isinstance(several, (list, tuple)) and all(
            hasattr(one, "columns") for one in several
        )
        by_learner = [(None, frame) for frame in several] if listed else []
    if not by_learner:
        raise InvalidInputError(
            f"must map names to score frames, or have a column 'model', got {type(frames).__name__}",
            argument="frames",
        )
    parts = []
    for learner, given in by_learner:
        frame = frame_of(given)
        for name in columns:
            if name not in frame:
                raise InvalidInputError(
                    f": that of {learner!r} has no column {name!r}", argument="frames"
                )
        names = frame["model"] if learner is None else str(learner)
        digest = frame.get("cv_mdsum", NOT_REPRODUCIBLE)
        parts.append(frame[columns].assign(learner=names, digest=digest))
    rows = pandas.concat(parts).sort_values(["repeat", "fold"], kind="stable", ignore_index=True)
    digests = rows.pop("digest").astype(str).unique().tolist()
    if len(digests) > 1:
        raise PairingError(
            f"the learners have different splits, by their `cv_mdsum` {', '.join(digests)}"
        )
    _check.vector(rows[value], value, "row")
    first = rows[rows["learner"] == rows["learner"][0]]
    if kind is None and len(first) == 1:
        kind = Holdout.kind
    elif kind is None:  # the folds of a repeat test every example once
        tested = first.groupby("repeat")["n_test"].transform("sum")
        whole = (first["n_train"] + first["n_test"] == tested).all()
        kind = KFold.kind if whole else Subsampling.kind
    roles = ["n_train", "n_test", "repeat", "fold"]
    if kind not in (KFold.kind, FiveByTwo.kind):
        rows["split"] = rows.groupby(roles[2:]).ngroup()
        roles[2:] = ["split"]
    table = from_long(
        rows[["learner", value, *roles]],
        "learner",
        value,
        metric=metric,
        kind=kind,
        higher_is_better=higher_is_better,
        **{role: role for role in roles},
    )
    if digests != [NOT_REPRODUCIBLE] or len(first) == len(rows):
        return table
    what = "that all learners were scored on the same splits"
    note = Note("not-verified", what=what, by="a splitter with a random_state")
    return replace(table, notes=(*table.notes, note))

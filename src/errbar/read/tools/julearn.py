"""Score frames of the kind that julearn's run_cross_validation returns."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from errbar import _check
from errbar.errors import InvalidInputError, PairingError
from errbar.plans import FiveByTwo, Holdout, KFold, Subsampling
from errbar.read.frame import frame_of
from errbar.read.table import from_scores
from errbar.result import Note
from errbar.table import LossTable

NOT_REPRODUCIBLE = "non-reproducible"
"""What julearn writes as the digest of a splitter without a random_state."""
_ROLES = ["repeat", "fold", "n_train", "n_test"]


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
    frames : mapping of str to frame
        Frame by learner.
    metric : str, default "score"
        Which of several scorers; the column ``test_<metric>`` is read.
    kind : {"kfold", "subsampling", "5x2", "holdout", "other"}, optional
        By default ``"kfold"`` where the test sets of every repeat add up to all examples, and else
        ``"subsampling"``; ten random splits that test on a tenth each look like ten folds, so say it.
    higher_is_better : bool, default True

    Returns
    -------
    LossTable
        A note says so if the frames could not tell that their splits were the same.

    Raises
    ------
    PairingError, InvalidInputError
        If the learners were scored on different splits, by their ``cv_mdsum``, labels or sizes; if a
        column is missing, or a number is missing or not finite.

    Examples
    --------
    >>> import errbar
    >>> common = {"repeat": [0, 0], "fold": [0, 1], "n_train": [50, 50], "n_test": [50, 50]}
    >>> common["cv_mdsum"] = ["1f", "1f"]
    >>> scores = {"svm": {"test_score": [0.8, 0.7]} | common, "tree": {"test_score": [0.7, 0.7]} | common}
    >>> errbar.from_julearn(scores)
    LossTable(2 learners, 2 splits, loss 'score', plans ['kfold'])
    """
    named = isinstance(frames, Mapping) and frames
    _check.require(named, "must map names to score frames", type(frames).__name__, "frames")
    value = f"test_{metric}"
    found = {}
    for learner, given in frames.items():
        frame = frame_of(given)
        for name in (value, *_ROLES):
            if name not in frame:
                raise InvalidInputError(
                    f": that of {learner!r} has no column {name!r}", argument="frames"
                )
        frame["cv_mdsum"] = frame.get("cv_mdsum", NOT_REPRODUCIBLE)
        found[str(learner)] = frame.sort_values(_ROLES[:2], ignore_index=True)
    first = next(iter(found.values()))
    splits = first[[*_ROLES, "cv_mdsum"]]
    if not all(splits.equals(frame[[*splits]]) for frame in found.values()):
        raise PairingError(
            "the learners have different splits, by their `cv_mdsum`, labels or sizes"
        )
    if kind is None and len(first) == 1:
        kind = Holdout.kind
    elif kind is None:  # the folds of a repeat test every example once
        tested = first.groupby("repeat")["n_test"].transform("sum")
        whole = (first["n_train"] + first["n_test"] == tested).all()
        kind = KFold.kind if whole else Subsampling.kind
    if kind in (KFold.kind, FiveByTwo.kind):
        labels = {"repeat": first["repeat"], "fold": first["fold"]}
    else:
        labels = {"repeat": first.groupby(_ROLES[:2]).ngroup()}
    table = from_scores(
        {name: frame[value] for name, frame in found.items()},
        names=list(found),
        kind=kind,
        metric=metric,
        higher_is_better=higher_is_better,
        n_train=first["n_train"],
        n_test=first["n_test"],
        **labels,
    )
    if len(found) == 1 or (first["cv_mdsum"] != NOT_REPRODUCIBLE).all():
        return table
    what = "that all learners were scored on the same splits"
    note = Note("not-verified", what=what, by="a splitter with a random_state")
    return replace(table, notes=(*table.notes, note))

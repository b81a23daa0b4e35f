"""What scikit-learn returns: results of cross_validate and of searches; and julearn's frames of scores."""

import ast
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import chain
from typing import Any

import numpy as np

from errbar import _check
from errbar.design import designs_of
from errbar.errors import InvalidInputError, PairingError
from errbar.losses import SIZES
from errbar.plans import FiveByTwo, Holdout, KFold, Predefined, Subsampling, draw
from errbar.reading.sheet import Labels, Notes
from errbar.reading.table import from_scores
from errbar.result import Note
from errbar.table import LossTable

NOT_REPRODUCIBLE = "non-reproducible"
"""What julearn writes as the digest of a splitter without a random_state."""
_ROLES = (*SIZES, "repeat", "fold", "cv_mdsum")
"""What julearn writes of a split."""


def from_cross_validate(
    results: Mapping[str, Any],
    *,
    metric: str = "score",
    **options: Any,
) -> LossTable:
    """Make a table from results of scikit-learn's ``cross_validate``, or of julearn's ``run_cross_validation``.

    Parameters
    ----------
    results : mapping of str to mapping, or to frame
        Result by learner, all on the same splits, with an entry or column ``test_<metric>``. Frames of
        julearn also have ``n_train``, ``n_test``, ``repeat``, ``fold`` and the digest ``cv_mdsum``.
    metric : str, default "score"
        Which of several metrics; the entry ``test_<metric>`` is read.
    **options : object
        As for `errbar.from_scores`: ``n_train``, ``n_test`` and ``kind``, which are read off the
        ``indices`` where ``return_indices=True`` was used; ``stratified``, since scikit-learn keeps the
        shares of classes unless told otherwise; ``higher_is_better``, True by default. Splits of a frame
        are folds where the test sets of every repeat add up to all examples; ten random splits that test
        on a tenth each look like ten folds, so say ``kind="subsampling"``.

    Returns
    -------
    LossTable
        One score per split and learner.

    Raises
    ------
    PairingError
        If the learners were scored on different splits.
    """
    must = "must map names to results, as {'tree': cross_validate(...)}"
    _check.require(isinstance(results, Mapping) and results, must, results, "results")
    return _table(results, metric, options)


def from_search(search: Any, *, metric: str = "score", **options: Any) -> LossTable:
    """Return the table of a fitted search, or of its ``cv_results_``; each candidate is a learner."""
    found = _columns(getattr(search, "cv_results_", search))
    keys = [key for key in found if re.fullmatch(rf"split\d+_test_{re.escape(metric)}", key)]
    if not keys:
        raise InvalidInputError(f"the search has no 'split0_test_{metric}'; name its `metric`")
    if len({*found.get("n_resources", ())}) > 1:
        raise PairingError(
            "candidates were scored on samples of different sizes; give a frame of cv_results_ with one iteration"
        )
    if None in (options.get("n_train"), options.get("n_test")):
        raise InvalidInputError(
            "is needed, as is `n_test`: the sizes of the splits", argument="n_train"
        )
    options["kind"] = options.get("kind") or KFold.kind
    columns = np.array([found[key] for key in keys], dtype=np.float64)  # (splits, candidates)
    names = names_of(_parameters(found))
    scored = [bool(np.isfinite(own).all()) for own in columns.T]
    failed = [name for name, whole in zip(names, scored, strict=True) if not whole]
    notes = [Note("left-out", what=failed, why="fits that failed")] if failed else []
    results: Labels = {
        name: {f"test_{metric}": own}
        for name, own in zip(names, columns.T, strict=True)
        if name not in failed
    }
    table = _table(results, metric, options, together=True)
    picked = "a candidate picked for its scores on these splits"
    note = Note("optimistic", what=picked, instead="errbar.tune, which runs the search")
    return replace(table, notes=(*table.notes, *notes, note))


def _parameters(found: Labels) -> list[Mapping[str, Any]]:
    """Return the parameters of each candidate, which a file holds as text."""
    given = list(found["params"])
    try:
        return [ast.literal_eval(one) if isinstance(one, str) else one for one in given]
    except (ValueError, SyntaxError):  # objects, such as estimators
        return [{"params": one} for one in given]


def names_of(parameters: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return names of candidates: the parameters in which they differ, without the step that all of these have."""
    told = dict.fromkeys(name for one in parameters for name in one)
    differing = [name for name in told if len({repr(one.get(name)) for one in parameters}) > 1] or [
        *told
    ]
    steps = {name.rpartition("__")[0] for name in differing}
    step = f"{steps.pop()}__" if len(steps) == 1 else ""
    for shown in (short, repr):
        found = [
            ", ".join(
                f"{name.removeprefix(step)}={shown(one[name])}" for name in differing if name in one
            )
            for one in parameters
        ]
        if len({*found}) == len(found):
            return found
    # Candidates may be equal.
    called = [name or "candidate" for name in found]
    times = [called[: i + 1].count(name) for i, name in enumerate(called)]
    return [
        f"{name} ({time})" if time > 1 else name for name, time in zip(called, times, strict=True)
    ]


def short(value: Any) -> str:
    """Return the value of a parameter as people write it."""
    plain_value = value.item() if hasattr(value, "item") else value
    text = f"{plain_value:.4g}" if isinstance(plain_value, float) else str(plain_value)
    return " ".join(text.split())


def _table(results: Any, metric: str, options: Labels, *, together: bool = False) -> LossTable:
    key = f"test_{metric}"
    given = {str(name): _columns(result) for name, result in results.items()}
    for name, result in given.items():
        if key not in result:
            raise InvalidInputError(f"the result of {name!r} has no {key!r}; name its `metric`")
    scores = {name: result[key] for name, result in given.items()}
    splits = [own for own in map(_splits_of, given.values()) if own]
    if any(differ(own, splits[0]) for own in splits):
        raise PairingError("the learners have different splits")
    checked = len(splits) == len(scores)
    first = next(iter(given.values()))
    said: Labels = {name: value for name, value in options.items() if value is not None}
    design = None
    if "indices" in first:
        pairs = list(zip(first["indices"]["train"], first["indices"]["test"], strict=True))
        sizes = np.array([[len(part) for part in pair] for pair in pairs]).T
        said = dict(zip(SIZES, sizes, strict=True)) | said
        if checked and "kind" not in said:
            plan = draw(Predefined(pairs), 1 + max(int(part.max()) for part in chain(*pairs)))
            [design] = designs_of(plan)
            said["kind"] = design.kind
            for role in plan.splits[0].labels:
                said[role] = [split.labels[role] for split in plan.splits]
    elif {*_ROLES[:-1]} <= {*first}:
        said = _of_frame(first, said.get("kind")) | said
    notes: Notes = ()
    if not checked and not together and len(scores) > 1:
        what = "that all learners were scored on the same splits"
        notes = (Note("not-verified", what=what, by="return_indices=True, or a random_state"),)
    if "stratified" not in said:
        by = "stratified=True or stratified=False"
        notes += (Note("not-verified", what="that the folds are not stratified", by=by),)
    known: Labels = {"metric": metric, "higher_is_better": True, **said}
    table = from_scores(scores, names=list(scores), **known)
    if design is not None:
        design = replace(design, stratified=table.splits.designs[0].stratified)
        table = replace(table, splits=replace(table.splits, designs=(design,)))
    return replace(table, notes=table.notes + notes)


def _columns(result: Any) -> Labels:
    names = getattr(result, "columns", result if isinstance(result, Mapping) else ())
    return {str(name): result[name] for name in names}


def _splits_of(result: Labels) -> list[Any]:
    """Return what tells the splits of a result: indices, or what julearn writes; nothing where nobody knows."""
    if "indices" in result:
        return [*result["indices"]["train"], *result["indices"]["test"]]
    known = {*_ROLES} <= {*result} and NOT_REPRODUCIBLE not in [*result["cv_mdsum"]]
    return [np.asarray(result[role]) for role in _ROLES] if known else []


def _of_frame(frame: Any, kind: str | None) -> Labels:
    """Return sizes, labels and kind of the splits of a frame of julearn."""
    repeat, fold = (_check.compact(np.asarray(frame[role])) for role in ("repeat", "fold"))
    sizes = {role: np.asarray(frame[role]) for role in SIZES}
    if kind is None:
        # The folds of a repeat test every example once.
        tested = np.bincount(repeat, sizes["n_test"])[repeat]
        folds = (sizes["n_train"] + sizes["n_test"] == tested).all()
        kind = KFold.kind if folds else Subsampling.kind
        kind = Holdout.kind if repeat.size == 1 else kind
    labels = {"repeat": _check.numbered(repeat, fold)}
    if kind in (KFold.kind, FiveByTwo.kind):
        labels = {"repeat": repeat, "fold": fold}
    return sizes | labels | {"kind": kind}


def differ(some: list[Any], others: list[Any]) -> bool:
    """Tell whether two lists of arrays differ."""
    return len(some) != len(others) or not all(map(np.array_equal, some, others))

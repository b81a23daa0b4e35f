"""What scikit-learn returns: results of cross_validate, and cv_results_ of searches."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from typing import Any

import numpy as np

from errbar import _check
from errbar.design import designs_of
from errbar.errors import InvalidInputError, PairingError
from errbar.plans import KFold, Predefined, draw
from errbar.read.scores import from_scores
from errbar.result import Note
from errbar.table import LossTable


def from_cross_validate(
    results: Mapping[str, Mapping[str, Any]],
    *,
    metric: str = "score",
    **options: Any,
) -> LossTable:
    """Make a table from results of scikit-learn's ``cross_validate``.

    Parameters
    ----------
    results : mapping of str to mapping
        Result of ``cross_validate`` by learner, all on the same splits.
    metric : str, default "score"
        Which of several metrics; the entry ``test_<metric>`` is read.
    **options : object
        As for `errbar.from_scores`: ``n_train``, ``n_test`` and ``kind``, which are read off the
        ``indices`` where ``return_indices=True`` was used; ``stratified``, since scikit-learn keeps the
        shares of classes unless told otherwise; ``higher_is_better``, True by default.

    Returns
    -------
    LossTable
        One score per split and learner.

    Raises
    ------
    PairingError
        If the learners were scored on different splits.
    """
    named = isinstance(results, Mapping) and results
    must = "must map names to results, as {'tree': cross_validate(...)}"
    _check.require(named, must, results, "results")
    key, scores = f"test_{metric}", {}
    for name, result in results.items():
        if not isinstance(result, Mapping) or key not in result:
            raise InvalidInputError(
                f"the result of {name!r} has no entry {key!r}; name its `metric`"
            )
        scores[str(name)] = _check.vector(result[key], key, "split")
    splits = [_pairs(result["indices"]) for result in results.values() if "indices" in result]
    if any(differ(chain(*own), chain(*splits[0])) for own in splits):
        raise PairingError("the learners have different splits")
    checked = len(splits) == len(scores)
    notes: tuple[Note, ...] = ()
    if not checked and len(scores) > 1:
        what = "that all learners were scored on the same splits"
        notes = (Note("not-verified", what=what, by="return_indices=True"),)
    return _table(
        scores, splits[0] if splits else None, notes, drawn=checked, metric=metric, **options
    )


def differ(some: Iterable[Any], others: Iterable[Any]) -> bool:
    """Tell whether two sequences of arrays differ."""
    some, others = list(some), list(others)
    return len(some) != len(others) or not all(map(np.array_equal, some, others))


def from_cv_results(
    cv_results: Any,
    *,
    indices: Any = None,
    candidates: Sequence[int] | None = None,
    metric: str = "score",
    **options: Any,
) -> LossTable:
    """Make a table from ``cv_results_`` of a scikit-learn search; each candidate is a learner.

    Parameters
    ----------
    cv_results : mapping or data frame
        The attribute ``cv_results_`` of a fitted GridSearchCV or RandomizedSearchCV, or a frame of it.
    indices : sequence of (train, test), or mapping with "train" and "test", optional
        The splits that the search was given, such as ``list(cv.split(X, y))`` of a splitter with a
        ``random_state``, or ``indices`` of ``cross_validate``. They tell the sizes and the kind.
    candidates : sequence of int, optional
        Positions of the candidates to keep; by default all.
    metric : str, default "score"
        Which of several metrics; the entries ``split<i>_test_<metric>`` are read.
    **options : object
        As for `from_cross_validate`; without `indices`, ``n_train`` and ``n_test`` are needed, and
        ``kind`` is ``"kfold"`` by default.

    Returns
    -------
    LossTable
        Candidates are named by the parameters in which they differ.

    Raises
    ------
    PairingError, InvalidInputError
        If the candidates of a halving search were scored on samples of different sizes; if entries
        are missing, a candidate failed on a split, or neither sizes nor indices are given.

    Examples
    --------
    >>> import errbar
    >>> found = {"params": [{"depth": 1}, {"depth": 3}]}
    >>> found |= {"split0_test_score": [0.7, 0.9], "split1_test_score": [0.6, 0.9]}
    >>> errbar.from_cv_results(found, n_train=75, n_test=75).learners
    ('depth=1', 'depth=3')
    """
    if hasattr(cv_results, "columns"):
        cv_results = {str(name): np.asarray(cv_results[name]) for name in cv_results.columns}
    named = isinstance(cv_results, Mapping) and "params" in cv_results
    if not named or not all(isinstance(one, Mapping) for one in cv_results["params"]):
        raise InvalidInputError(
            "must be cv_results_ of a search, with an entry 'params' of mappings",
            argument="cv_results",
        )
    keys = [f"split{i}_test_{metric}" for i in range(len(cv_results))]
    each = [cv_results[key] for key in keys if key in cv_results]
    scores = np.array(each, dtype=float)  # (J, candidates)
    if not scores.size:
        raise InvalidInputError(
            f"has no entry 'split0_test_{metric}'; is `metric` right?", argument="cv_results"
        )
    every = range(scores.shape[1])
    chosen = every if candidates is None else list(candidates)
    inside = chosen and set(chosen) <= set(every)
    must = f"must hold positions from 0 to {every[-1]}"
    _check.require(inside, must, candidates, "candidates")
    params = [cv_results["params"][i] for i in chosen]
    sizes = [cv_results["n_resources"][i] for i in chosen if "n_resources" in cv_results]
    # A resource that is a parameter of the learner, such as n_estimators, is no sample.
    parameter = any([one.get(key) for one in params] == sizes for key in params[0])
    if len(set(sizes)) > 1 and not parameter:
        raise PairingError(
            "candidates were scored on samples of different sizes; choose `candidates` of one iteration"
        )
    pairs = None
    if indices is not None:
        pairs = _pairs(indices, len(scores))
    elif None in (options.get("n_train"), options.get("n_test")):
        raise InvalidInputError(
            "and `n_test` are needed, or the splits as `indices`",
            argument="n_train",
        )
    else:
        options["kind"] = options.get("kind") or KFold.kind
    picked = "a candidate picked for its scores on these splits"
    notes = (Note("optimistic", what=picked, instead="a test on other examples"),)
    # Candidates are named by the parameters in which they differ.
    keys = list(dict.fromkeys(chain(*params)))
    varying = [key for key in keys if len({repr(one.get(key)) for one in params}) > 1] or keys
    names = [", ".join(f"{key}={one[key]!r}" for key in varying if key in one) for one in params]
    names = [name if names.count(name) == 1 else f"{name} ({i})" for i, name in enumerate(names)]
    by_name = dict(zip(names, scores[:, chosen].T, strict=True))
    return _table(by_name, pairs, notes, drawn=True, metric=metric, **options)


def _pairs(indices: Any, count: int | None = None) -> list[Any]:
    """Return the splits as pairs of training and test indices; `count` are wanted."""
    try:
        if isinstance(indices, Mapping):
            indices = zip(indices["train"], indices["test"], strict=True)
        pairs = [(np.asarray(train), np.asarray(test)) for train, test in indices]
    except (KeyError, TypeError, ValueError):
        pairs = []
    if not pairs or len(pairs) != (count or len(pairs)):
        raise InvalidInputError(
            "must be pairs, as list(cv.split(X, y)), one for each score",
            argument="indices",
        )
    return pairs


def _table(
    scores: Mapping[str, Any], pairs: Any, notes: tuple[Note, ...], *, drawn: bool, **options: Any
) -> LossTable:
    """Return the table of scores by learner; splits tell their sizes and, where all have them, how they were drawn."""
    said: dict[str, Any] = {"higher_is_better": True}
    said |= {name: value for name, value in options.items() if value is not None}
    design = None
    if pairs is not None:
        sizes = {"n_train": [len(train) for train, _ in pairs]}
        sizes["n_test"] = [len(test) for _, test in pairs]
        said = sizes | said
    if pairs is not None and drawn and "kind" not in said:
        plan = draw(Predefined(pairs), 1 + max(int(part.max()) for part in chain(*pairs)))
        design = designs_of(plan)[0]
        said["kind"] = design.kind
        for name in plan.splits[0].labels:
            said[name] = [split.labels[name] for split in plan.splits]
    table = from_scores(scores, names=list(scores), **said)
    if design is not None:
        design = replace(design, stratified=table.splits.designs[0].stratified)
        table = replace(table, splits=replace(table.splits, designs=(design,)))
    if "stratified" not in said:
        by = "stratified=True or stratified=False"
        notes += (Note("not-verified", what="that the folds are not stratified", by=by),)
    return replace(table, notes=table.notes + notes)

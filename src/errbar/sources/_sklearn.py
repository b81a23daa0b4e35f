"""Tables from what scikit-learn returns: results of cross_validate, and cv_results_ of searches."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from errbar import _check
from errbar.design import Design
from errbar.errors import InvalidInputError, PairingError
from errbar.plans import KFold
from errbar.read.scores import from_scores
from errbar.result import Note
from errbar.sources._columns import annotated, structure
from errbar.table import LossTable
from errbar.views import require_same_splits, scores_of, split_sizes

_UNVERIFIED = Note("not-verified", what="that all learners were scored on the same splits", by="return_indices=True")

_SELECTED = Note(
    "optimistic", what="a candidate picked for its scores on these splits", instead="a test on other examples"
)

_MAYBE_STRATIFIED = Note(
    "not-verified", what="that the folds are not stratified", by="stratified=True or stratified=False"
)


def from_cross_validate(
    results: Mapping[str, Mapping[str, Any]],
    *,
    metric: str = "score",
    n_train: ArrayLike | None = None,
    n_test: ArrayLike | None = None,
    kind: str | None = None,
    stratified: bool | None = None,
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
    stratified : bool, optional
        Whether the splits keep the shares of classes, as scikit-learn's do for classifiers unless told otherwise. A note
        says so where this is not given.
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
            "must map names to results of cross_validate, such as {'tree': cross_validate(...)}", argument="results"
        )
    values = {name: scores_of(result, metric) for name, result in results.items()}
    each = list(results.values())
    verified = require_same_splits(each, [v.size for v in values.values()], list(values))
    found_train, found_test = split_sizes(each[0])
    design, labels = structure(each[0]["indices"]) if verified and kind is None else (None, {})
    table = from_scores(
        values,
        n_train=found_train if n_train is None else n_train,
        n_test=found_test if n_test is None else n_test,
        metric=metric,
        kind=kind if design is None else design.kind,
        stratified=bool(stratified),
        higher_is_better=higher_is_better,
        **labels,
    )
    unsure = () if stratified is not None else (_MAYBE_STRATIFIED,)
    return annotated(_designed(table, design), (*unsure, *(() if verified or len(values) == 1 else (_UNVERIFIED,))))


def from_cv_results(
    cv_results: Any,
    *,
    n_train: ArrayLike | None = None,
    n_test: ArrayLike | None = None,
    indices: Any = None,
    candidates: Sequence[int] | None = None,
    metric: str = "score",
    kind: str | None = None,
    stratified: bool | None = None,
    higher_is_better: bool = True,
) -> LossTable:
    """Make a table from ``cv_results_`` of a scikit-learn search; each candidate is a learner.

    Parameters
    ----------
    cv_results : mapping or data frame
        The attribute ``cv_results_`` of a fitted GridSearchCV or RandomizedSearchCV, or a frame of it.
    n_train, n_test : float or array-like, optional
        Sizes of the splits, which ``cv_results_`` does not hold; needed without `indices`.
    indices : sequence of (train, test), or mapping with "train" and "test", optional
        The splits that the search was given, such as ``list(cv.split(X, y))`` of a splitter with a ``random_state``, or
        the entry ``indices`` of ``cross_validate``. They tell the sizes and the kind.
    candidates : sequence of int, optional
        Positions of the candidates to keep; by default all.
    metric : str, default "score"
        Which of several metrics; the entries ``split<i>_test_<metric>`` are read.
    kind : {"kfold", "subsampling", "5x2", "holdout", "other"}, optional
        Kind of the splitter that the search used; by default read off the indices, or ``"kfold"`` without them.
    stratified : bool, optional
        Whether the splits keep the shares of classes, as scikit-learn's do for classifiers unless told otherwise. A note
        says so where this is not given.
    higher_is_better : bool, default True
        As scikit-learn's scorers have it.

    Returns
    -------
    LossTable
        Candidates are named by the parameters in which they differ.

    Raises
    ------
    PairingError
        If the candidates of a halving search were scored on samples of different sizes.
    InvalidInputError
        If entries are missing, a candidate failed on a split, or neither sizes nor indices are given.

    Examples
    --------
    >>> import errbar
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.model_selection import GridSearchCV, StratifiedKFold
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> cv = StratifiedKFold(5, shuffle=True, random_state=0)
    >>> search = GridSearchCV(DecisionTreeClassifier(random_state=0), {"max_depth": [1, 3]}, cv=cv).fit(X, y)
    >>> table = errbar.from_cv_results(search.cv_results_, indices=list(cv.split(X, y)))
    >>> table.learners
    ('max_depth=1', 'max_depth=3')
    """
    if hasattr(cv_results, "columns"):
        cv_results = {str(name): np.asarray(cv_results[name]) for name in cv_results.columns}
    named = isinstance(cv_results, Mapping) and "params" in cv_results
    if not named or not all(isinstance(one, Mapping) for one in cv_results["params"]):
        raise InvalidInputError(
            "must be the attribute cv_results_ of a fitted search; it has no entry 'params' of mappings",
            argument="cv_results",
        )
    params = list(cv_results["params"])
    keys = [f"split{i}_test_{metric}" for i in range(len(cv_results))]
    present = [key for key in keys if key in cv_results]
    if not present:
        raise InvalidInputError(f"has no entry 'split0_test_{metric}'; is `metric` right?", argument="cv_results")
    chosen = list(range(len(params))) if candidates is None else [_position(i, len(params)) for i in candidates]
    _refuse_unequal_samples(cv_results, chosen)
    names = _candidate_names([params[i] for i in chosen])
    scores = np.array([cv_results[key] for key in present], dtype=np.float64).T[chosen]
    failed = np.argwhere(~np.isfinite(scores))
    if failed.size:
        row, split = failed[0]
        raise InvalidInputError(
            f"candidate {chosen[row]} ({names[row]}) has no score on split {split}: its fit failed there"
        )
    design, known = _of_indices(indices, len(present), n_train, n_test, kind)
    known["stratified"] = bool(stratified)
    table = _designed(
        from_scores(scores.T, names=names, metric=metric, higher_is_better=higher_is_better, **known), design
    )
    return annotated(table, (_SELECTED,) if stratified is not None else (_SELECTED, _MAYBE_STRATIFIED))


def _designed(table: LossTable, design: Design | None) -> LossTable:
    """Return the table with the design that its splits' indices tell, where they are known."""
    if design is None:
        return table
    stated = table.splits.designs[0]
    return replace(table, splits=replace(table.splits, designs=(replace(design, stratified=stated.stratified),)))


def _position(value: int, count: int) -> int:
    position = _check.count(value, "candidates", 0)
    if position >= count:
        raise InvalidInputError(f"must hold positions from 0 to {count - 1}, got {position}", argument="candidates")
    return position


def _candidate_names(params: list[Mapping[str, Any]]) -> list[str]:
    keys = list(dict.fromkeys(key for one in params for key in one))
    varying = [key for key in keys if len({repr(one.get(key)) for one in params}) > 1] or keys
    names = [", ".join(f"{key}={one[key]!r}" for key in varying if key in one) for one in params]
    return [name if names.count(name) == 1 else f"{name} ({i})" for i, name in enumerate(names)]


def _of_indices(
    indices: Any, count: int, n_train: ArrayLike | None, n_test: ArrayLike | None, kind: str | None
) -> tuple[Design | None, dict[str, Any]]:
    """Return the design of the splits of a search and their sizes, kind and labels, from their indices where given."""
    if indices is None:
        if n_train is None or n_test is None:
            raise InvalidInputError(
                "and `n_test` are needed, since cv_results_ does not hold the sizes of the splits; or give "
                "the splits themselves as `indices`",
                argument="n_train",
            )
        return None, {"n_train": n_train, "n_test": n_test, "kind": kind or KFold.kind}
    both = indices
    if not isinstance(indices, Mapping):
        try:
            both = dict(zip(("train", "test"), zip(*indices, strict=True), strict=True))
        except (TypeError, ValueError):
            raise InvalidInputError(
                f"must hold pairs (train, test), such as list(cv.split(X, y)), got {type(indices).__name__}",
                argument="indices",
            ) from None
    if not {"train", "test"} <= set(both) or len(both["train"]) != count or len(both["test"]) != count:
        raise InvalidInputError(
            f"must hold the {count} splits of the search as pairs (train, test)", argument="indices"
        )
    found, labels = structure(both)
    train, test = split_sizes({"indices": both})
    sizes = {"n_train": train if n_train is None else n_train, "n_test": test if n_test is None else n_test}
    if kind is not None:
        return None, {**sizes, "kind": kind}
    return found, {**sizes, "kind": found.kind, **labels}


def _refuse_unequal_samples(cv_results: Mapping[str, Any], chosen: Sequence[int]) -> None:
    """Raise if a halving search has scored these candidates on samples of different sizes."""
    resources = cv_results.get("n_resources")
    if resources is None:
        return
    own = [cv_results["params"][i] for i in chosen]
    sizes = [int(resources[i]) for i in chosen]
    parameter = any(all(one.get(key) == size for one, size in zip(own, sizes, strict=True)) for key in own[0])
    if len(set(sizes)) > 1 and not parameter:
        raise PairingError(
            f"the candidates of this halving search were scored on samples of {min(sizes)} to {max(sizes)} examples and "
            "cannot be compared in pairs; choose `candidates` of one iteration"
        )

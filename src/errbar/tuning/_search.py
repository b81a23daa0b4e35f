"""A search on stated splits: what its candidates predicted of each test set, without a fit beyond its own."""

import math
import os
import pickle
import secrets
import tempfile
import threading
import time
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import replace
from functools import partial
from itertools import product
from numbers import Number
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.base import clone, is_classifier
from sklearn.dummy import DummyClassifier, DummyRegressor
from sklearn.exceptions import FitFailedWarning
from sklearn.metrics import check_scoring, get_scorer_names, make_scorer
from sklearn.model_selection import GridSearchCV, check_cv
from sklearn.utils import resample

from errbar import _check, _rng, fits, metrics
from errbar.errors import FitFailedError, InvalidInputError, one_line
from errbar.fits.learners import versions
from errbar.fits.run import table_of
from errbar.metrics import (
    CLASSIFICATION,
    DECISION,
    LABEL,
    PROBABILITY,
    REGRESSION,
    RESPONSES,
    Loss,
    Predictions,
    Target,
)
from errbar.metrics._loss import by_class, labels
from errbar.plans import plan_of
from errbar.reading.tools.sklearn import names_of
from errbar.result import Note
from errbar.table import Counts
from errbar.tuning._kept import joined
from errbar.tuning._tuned import Candidates, Tuned, require_any_order, told

KEPT = "errbar_kept"
"""Name of the scorers that keep predictions, among those of the search."""

_SET = ("cv", "scoring", "refit", "random_state")
"""Parameters of a search that are set for its run, and given back."""

_SCORES = "predict_proba", "decision_function"


def keep_predictions(
    truth: Any,
    predicted: Any,
    *,
    folder: str,
    sample_weight: Any = None,  # noqa: ARG001 - scikit-learn warns of scorers that take no weights
) -> float:
    """Append a test set with its predictions to the file of this thread, and return the number of the entry."""
    number = secrets.randbits(52)  # exact as a float
    entry = pickle.dumps((number, np.asarray(truth), np.asarray(predicted)))
    with Path(folder, f"{os.getpid()}-{threading.get_ident()}").open("ab") as file:
        file.write(entry)
    return float(number)


def _read(folder: str) -> dict[int, tuple[Any, Any]]:
    """Return truth and predictions by the number of the entry; one that was cut short ends its file."""
    found = {}
    for path in Path(folder).iterdir():
        with path.open("rb") as file, suppress(EOFError, pickle.UnpicklingError):
            while True:
                number, *entry = pickle.load(file)
                found[number] = tuple(entry)
    return found


class _Beside:
    """A function of the user's that returns one score or several, with the keepers beside it."""

    def __init__(self, scoring: Any, keepers: Mapping[str, Any]) -> None:
        self.scoring, self.keepers = scoring, keepers

    def __call__(self, estimator: Any, X: Any, y: Any, **weights: Any) -> Any:
        own = self.scoring(estimator, X, y, **weights)
        own = own if isinstance(own, dict) else {"score": own}
        return {**own, **{name: keep(estimator, X, y) for name, keep in self.keepers.items()}}


def _scorers_of(estimator: Any, scoring: Any) -> Any:
    """Return the scorers of a search by name; None for a function that may return several scores."""
    if callable(scoring) and not hasattr(scoring, "_score_func"):
        return None
    if isinstance(scoring, (list, tuple, set)):
        scoring = {name: name for name in scoring}
    if not isinstance(scoring, dict):
        scoring = {"score": scoring}
    return {name: check_scoring(estimator, one) for name, one in scoring.items()}


def _fitted(search: Any, X: Any, setup: fits.Setup, pairs: Any, fit_params: Any) -> Any:
    """Fit a search on stated splits; return it, and what scorers beside its own have kept: by kind, split and candidate."""
    asked = search
    # A copy with splits of its own: a generator of splits cannot be copied.
    given = search.get_params(deep=False)
    # Searches by halving take no list of splits.
    search = type(search)(**given | {"estimator": clone(search.estimator), "cv": check_cv(pairs)})
    kinds: Any = {LABEL: "predict"}
    if setup.data.target.task == CLASSIFICATION and any(
        hasattr(search.estimator, name) for name in _SCORES
    ):
        kinds["score"] = _SCORES
    with tempfile.TemporaryDirectory() as folder, _failures():
        own = _scorers_of(search.estimator, search.scoring)
        keepers = {
            f"{KEPT}_{kind}": make_scorer(keep_predictions, response_method=name, folder=folder)
            for kind, name in kinds.items()
        }
        # One call of a learner serves all scorers; of scorers that fail only their own score is lost.
        strict = search.error_score == "raise"
        scoring = _Beside(search.scoring, keepers)
        if own is not None:
            scoring = check_scoring(search.estimator, own | keepers, raise_exc=strict)
        search.set_params(scoring=scoring)
        if search.refit is True and not isinstance(asked.scoring, (dict, list, tuple, set)):
            search.set_params(refit="score")
        if not isinstance(given.get("random_state", 0), int):
            search.set_params(random_state=_rng.seed(setup.base, "search"))
        search.fit(X, setup.data.y, **fit_params)
        entries = _read(folder)
    results = search.cv_results_
    if f"split0_test_{KEPT}_{LABEL}" not in results:
        raise InvalidInputError(
            "returns no score of each split, so nothing is known of its test sets; score candidates with errbar.keep",
            argument="search",
        )
    kept: Any = {kind: [] for kind in kinds}
    for kind, place in product(kinds, range(len(pairs))):
        numbers = results[f"split{place}_test_{KEPT}_{kind}"]
        own_entries = [None if np.isnan(one) else entries.get(one, ((), ())) for one in numbers]
        kept[kind].append(own_entries)
    for name in [name for name in results if KEPT in name]:
        del results[name]
    _give_back(search, asked, own)
    return search, kept


@contextmanager
def _failures() -> Iterator[None]:
    """Say in one line why a search has failed; of fits that failed a note tells."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", FitFailedWarning)
            warnings.filterwarnings("ignore", "One or more of the test scores are non-finite")
            yield
    except Exception as error:
        # scikit-learn's own message ends with that of the fit.
        last = str(error).strip().rpartition("\n")[2] or one_line(error)
        raise FitFailedError(f"the search failed: {last}") from error


def _last_round(search: Any, pairs: Any, total: int) -> tuple[list[int], Any]:
    """Return the candidates among which the winner was selected, and their splits: by halving, those of the last round."""
    results = search.cv_results_
    if "n_resources" not in results:
        return list(range(len(results["params"]))), pairs
    places = np.flatnonzero(results["iter"] == max(results["iter"])).tolist()
    if search.resource == "n_samples":
        share = results["n_resources"][places[0]] / total
        pairs = [
            tuple(
                resample(
                    rows,
                    replace=False,
                    random_state=search.random_state,
                    n_samples=int(share * len(rows)),
                )
                for rows in pair
            )
            for pair in pairs
        ]
    return places, pairs


def _give_back(search: Any, asked: Any, own: Any) -> None:
    """Undo on a fitted search what was set: its `score` must not write files."""
    before = asked.get_params(deep=False)
    search.set_params(**{name: before[name] for name in _SET if name in before})
    results = search.cv_results_
    search.multimetric_ = "mean_test_score" not in results
    if not (search.multimetric_ or search.refit):
        search.best_index_ = int(results["rank_test_score"].argmin())
        search.best_score_ = results["mean_test_score"][search.best_index_]
        search.best_params_ = results["params"][search.best_index_]
    search.scorer_ = asked.scoring if own is None else own
    if own is not None and not search.multimetric_:
        search.scorer_ = own["score"]


def _predictions(model: Any, kept: Any, known: Any, target: Target) -> Predictions | None:
    """Return what a candidate has predicted, by kind; None where a fit has failed.

    `known` are the labels of each test set, and those that its training set has.
    """
    found = {}
    for kind, entries in kept.items():
        if None in entries:
            if kind == LABEL:
                return None
            continue
        truths, answers = zip(*entries, strict=True)
        if not all(map(np.array_equal, truths, [tested for tested, _ in known])):
            raise InvalidInputError(
                "has not used the splits that it was given, or was fitted where the temporary files of this machine "
                "are not seen; score candidates with errbar.keep",
                argument="search",
            )
        if kind == LABEL:
            found[LABEL] = labels(np.concatenate(answers), target, sum(map(len, answers)))
            continue
        own = DECISION
        if hasattr(model, "predict_proba"):
            own = PROBABILITY
            answers = tuple(np.c_[1.0 - one, one] if one.ndim == 1 else one for one in answers)
        found[own] = np.concatenate(
            [
                by_class(answer, seen, target, len(answer), own)
                for answer, (_, seen) in zip(answers, known, strict=True)
            ]
        )
    return found


def tune(
    search: Any,
    X: Any,
    y: Any,
    *,
    loss: Any = None,
    positive: Any = None,
    plan: Any = None,
    stratify: bool = False,
    groups: Any = None,
    baseline: Any = "default",
    level: float = 0.95,
    random_state: Any = None,
    **fit_params: Any,
) -> Tuned:
    """Run a search over parameters, and say what is known of the candidate that it selects.

    Without a fit beyond the search's own, the predictions for every test set are kept, so that the
    error of selecting the best of many is accounted for.

    Parameters
    ----------
    search : search of scikit-learn, or one with its interface
        Such as ``GridSearchCV(SVC(), {"C": [0.1, 1, 10]})``. It is not modified; ``found.search`` is
        the fitted one.
    X, y : array-like
        Features and target.
    loss : str, Loss or callable, optional
        What the answer is in; by default what the search selects by. A search that names no
        `scoring` selects by it. A search averages metrics over splits; the answer puts folds together
        where `errbar.run` does, as for F1.
    positive : object, optional
        Label of the positive class, as for `errbar.run`.
    plan : Plan, int, splitter or iterable of (train, test), optional
        Splits; by default those of the search's ``cv``.
    stratify : bool, default False
        Whether splits of a plan keep the shares of the classes.
    groups : array-like, shape (n,), optional
        Group of each example; splits must keep groups whole.
    baseline : "default", mapping, estimator or None, default "default"
        What the selected candidate is compared with: the estimator as it stands in the search, it
        with some parameters, or another. If it is not among the candidates it takes a fit for each
        split.
    level : float, default 0.95
    random_state : None, int or NumPy generator, optional
        Root of the splits, of the bootstrap, and of a search without a ``random_state``.
    **fit_params
        Passed to the search's ``fit``.

    Returns
    -------
    Tuned
        Its numbers and notation are those of `errbar.tuned`.

    Raises
    ------
    InvalidInputError, UnsuitablePlanError
        If an argument cannot be used, or the search returns no score of each split; if splits go
        forward in time.

    Examples
    --------
    >>> import errbar
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.model_selection import GridSearchCV
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> search = GridSearchCV(DecisionTreeClassifier(random_state=0), {"max_depth": [1, 2, 4, 8]}, cv=10)
    >>> found = errbar.tune(search, X, y, loss="roc_auc", baseline=None, random_state=0)
    >>> found.winner, found.estimate < found.reported
    ('max_depth=2', True)
    """
    level = _check.level(level)
    searches = all(hasattr(search, name) for name in ("fit", "estimator", "cv", "scoring", "refit"))
    must = "must be a search such as GridSearchCV(SVC(), {'C': [0.1, 1, 10]})"
    _check.require(searches and not isinstance(search, type), must, search, "search")
    classify = is_classifier(search.estimator)
    wanted, selecting = _losses(search, CLASSIFICATION if classify else REGRESSION, loss)
    splits = plan_of(check_cv(search.cv, y, classifier=classify) if plan is None else plan)
    # Splits and losses are checked before any fit, on a learner that predicts all there is to predict.
    setup = fits.prepare(
        {"candidates": DummyClassifier() if classify else DummyRegressor()},
        X,
        y,
        plan=splits,
        loss=list(dict.fromkeys(filter(None, (wanted, selecting)))),
        positive=positive,
        pool="none",
        groups=groups,
        stratify=stratify,
        random_state=random_state,
    )
    if "weights" in fit_params:
        raise InvalidInputError(
            "are not for errbar.tune; compare the search as a learner: errbar.compare(..., weights=w)",
            argument="weights",
        )
    require_any_order(setup.splits)
    pairs = [(split.train, split.test) for split in setup.draw.splits]
    if search.scoring is None and loss is not None:
        scoring = loss
        if positive is not None or loss not in get_scorer_names():
            own = wanted.kind(
                [one for one in RESPONSES if hasattr(search.estimator, RESPONSES[one])]
            )
            how = {"loss": wanted, "target": setup.data.target, "kind": own}
            scoring = make_scorer(score_by, response_method=RESPONSES[own], **how)
        search = type(search)(**search.get_params(deep=False) | {"scoring": scoring})
    compared = None if baseline is None else _baseline_of(search.estimator, baseline)
    run = partial(_candidates, X=X, setup=setup, fit_params=fit_params)
    candidates, pairs = run(search, pairs=pairs)
    if compared is not None:
        candidates = _with_baseline(candidates, *compared, partial(run, pairs=pairs))
    if callable(search.refit):
        rule = "the rule that `refit` selects by"
        candidates = candidates.with_note(Note("selection-not-counted", what=rule))
    # The answer puts folds together where a mean over small test sets would be biased; a search does not.
    table = candidates.table.with_loss(replace(setup.losses[0], pool=wanted.pool))
    by = candidates.table.with_loss(setup.losses[-1])
    if candidates.winner and candidates.winner not in candidates.parameters:
        raise FitFailedError(
            f"the selected candidate, {candidates.winner}, has none of the predictions that loss {wanted.key!r} needs; "
            "try another loss"
        )
    score = getattr(candidates.search, "best_score_", None) if candidates.winner else None
    if score is not None and math.isnan(score):
        raise FitFailedError(
            "the scores of the search are undefined (NaN): its `scoring` cannot be computed of these predictions"
        )
    reported = math.nan
    if score is not None and selecting is not None and selecting.key == wanted.key:
        reported = float(score if wanted.higher_is_better else 0.0 - score)
    other = None if by.loss == table.loss else by
    given = replace(candidates, table=table, selecting=other, reported=reported)
    return told(given, level=level)


def _losses(search: Any, task: str, loss: Any) -> tuple[Any, Loss | None]:
    """Return the loss of the answer, and that by which the search selects, where it is known."""
    wanted = None if loss is None else metrics.resolve(loss, task)
    scoring = search.scoring
    if scoring is None:
        if wanted is not None:
            return wanted, wanted
        scoring = "accuracy" if task == CLASSIFICATION else "r2"
    elif isinstance(scoring, (dict, list, tuple, set)):
        named = scoring if isinstance(scoring, dict) else {name: name for name in scoring}
        scoring = named.get(search.refit) if isinstance(search.refit, str) else None
    of_examples = isinstance(scoring, str) or hasattr(scoring, "_score_func")
    selecting = metrics.resolve(scoring, task) if of_examples else None
    if wanted is None and selecting is None:
        raise InvalidInputError(
            "must be named, such as 'roc_auc': the search selects by a function of its own, whose losses of examples are not known",
            argument="loss",
        )
    return wanted or selecting, selecting


def score_by(
    truth: Any,
    predicted: Any,
    *,
    loss: Loss,
    target: Target,
    kind: str,
    sample_weight: Any = None,  # noqa: ARG001 - scikit-learn warns of scorers that take no weights
) -> float:
    """Return the score by which a search selects the candidate with the least loss."""
    known = target.classes
    codes = truth if known is None else np.searchsorted(known, truth)
    shown = np.asarray(predicted)
    if kind == LABEL and known is not None:
        shown = labels(shown, target, len(codes))
    elif kind == PROBABILITY and shown.ndim == 1:
        shown = np.c_[1.0 - shown, shown]
    value, _ = loss.measured(loss.sample(target, codes, {kind: shown}))
    return 0.0 - value


def _candidates(
    search: Any, X: Any, setup: fits.Setup, pairs: Any, fit_params: Any
) -> tuple[Candidates, Any]:
    """Return the candidates of a search that have predictions of all that is asked for, and the splits that tell of them."""
    started, data, count = time.perf_counter(), setup.data, len(pairs)
    search, kept = _fitted(search, X, setup, pairs, fit_params)
    every = search.cv_results_["params"]
    made = count * len(every) + bool(search.refit)
    places, pairs = _last_round(search, pairs, data.y.size)
    known = [(data.y[test], np.unique(data.y[train])) for train, test in pairs]
    names = names_of([every[place] for place in places])
    parameters, complete = {}, {}
    for name, place in zip(names, places, strict=True):
        model = clone(search.estimator).set_params(**every[place])
        own = {kind: [one[place] for one in entries] for kind, entries in kept.items()}
        found = _predictions(model, own, known, data.target)
        if found is not None and all({*loss.needs} & {*found} for loss in setup.losses):
            parameters[name], complete[name] = every[place], found
    if not complete:
        raise FitFailedError("no candidate has predictions of the kind that the loss needs")
    notes = list(setup.notes)
    if lost := [name for name in names if name not in complete]:
        why = "failed fits, or none of the predictions that the loss needs"
        notes.append(Note("left-out", what=lost, why=why))
    if len(names) < len(every):
        notes.append(Note("selection-not-counted", what="what earlier rounds have dropped"))
    trained, tested = np.array([[train.size, test.size] for train, test in pairs], float).T
    table = table_of(
        complete,
        data.target,
        replace(setup.splits, n_train=trained, n_test=tested),
        [test for _, test in pairs],
        counts=Counts(fits=made, seconds=time.perf_counter() - started),
        notes=tuple(notes),
        provenance=setup.facts | versions(),
    )
    best = getattr(search, "best_index_", None)
    winner = "" if best is None else names[places.index(best)]
    return Candidates(table=table, parameters=parameters, winner=winner, search=search), pairs


def _baseline_of(estimator: Any, baseline: Any) -> tuple[str, Any, Any]:
    """Return name and estimator of what the selected candidate is compared with, and the parameters, if it is the search's own."""
    if isinstance(baseline, Mapping):
        known = estimator.get_params()
        unknown = [name for name in baseline if name not in known]
        _check.require(not unknown, "must hold parameters of the estimator", unknown, "baseline")
        return "baseline", clone(estimator).set_params(**baseline), baseline
    if hasattr(baseline, "fit"):
        return "baseline", baseline, None
    _check.choice(baseline, ("default",), "baseline")
    return "default parameters", estimator, {}


def _alike(some: Any, other: Any) -> bool:
    """Tell whether two values of a parameter are the same: 1 and 1.0 are, and True is another."""
    numbers = all(isinstance(one, Number) and not isinstance(one, bool) for one in (some, other))
    return bool(some == other) if numbers else repr(some) == repr(other)


def _with_baseline(
    candidates: Candidates, name: str, estimator: Any, given: Any, run: Any
) -> Candidates:
    """Return the candidates with a baseline, which is one of them, or takes a fit for each split."""
    if given is not None:
        wanted = estimator.get_params()
        for candidate, own in candidates.parameters.items():
            if {*given} <= {*own} and all(_alike(wanted.get(key), own[key]) for key in own):
                return replace(candidates, baseline=candidate)
    jobs = getattr(candidates.search, "n_jobs", None)
    alone = GridSearchCV(estimator, {}, refit=False, n_jobs=jobs, error_score="raise")
    try:
        table = run(alone)[0].table
    except FitFailedError as error:  # what the search has found is not lost
        note = Note("left-out", what=[name], why=f"failed fits ({one_line(error)})")
        return candidates.with_note(note)
    return replace(
        candidates,
        table=joined([candidates.table, table], [*candidates.table.learners, name]),
        parameters={**candidates.parameters, name: given or {}},
        baseline=name,
        extra_fits=table.scores.shape[1],
    )

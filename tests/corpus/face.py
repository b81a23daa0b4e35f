"""The public face of errbar as the corpus calls it. What is renamed is renamed here, and nowhere else in the corpus."""

import contextlib
import dataclasses
import functools
import io
import json
import math
from collections.abc import Mapping
from types import SimpleNamespace

import numpy as np
import typer.main
from scipy import special

import errbar
from errbar import (  # noqa: F401 - calls use them as face.plans
    gates,
    margins,
    methods,
    metrics,
    planning,
    plans,
    simultaneous,
    testing,
)
from errbar.cli import main
from errbar.losses import MetricValues
from tests import forms

METHODS = tuple(methods.catalogue())
METRICS = tuple(metrics.METRICS)
LOSSES = tuple(metrics.LOSSES)
ADJUSTMENTS = (*simultaneous.ADJUSTMENTS, *simultaneous.JOINT)

compare_all, evaluate = errbar.study.compare_all, errbar.evaluate


def compare(*learners_and_data, **asked):
    """A comparison, or a list of them where there are several losses."""
    found = errbar.compare(*learners_and_data, **asked)
    return list(found.values()) if isinstance(found, dict) else found


compare_table, infer, overall = errbar.compare_table, errbar.infer, errbar.overall
equivalence, non_inferiority = errbar.equivalence, errbar.non_inferiority
from_scores, from_losses = errbar.from_scores, errbar.from_losses
# Where a call says no fold, there is one test set.
from_predictions = functools.partial(errbar.from_predictions, fold="none")
from_long, from_judged = forms.from_long, errbar.from_judged
from_cross_validate = errbar.from_cross_validate
from_skore, weka_tables = errbar.from_skore, errbar.weka_tables
read, read_logs = errbar.read, errbar.read_logs
read_examples = errbar.read_examples

REFUSED = errbar.ErrbarError


def _parts_of(data, correction="iman-davenport", **_):
    """Friedman's test with what stands beside it in a ranking."""
    found = errbar.datasets.ranks(data)
    more = {"correction": correction, "n_data_sets": found.n_data_sets, "notes": found.notes}
    return Kept(numbers({"mean_ranks": found.mean_ranks} | found.to_dict()["friedman"] | more))


def _posterior(method, differences, rope=0.0, samples=50_000, **asked):
    """The probabilities of the three regions."""
    found = method(differences, rope=rope, samples=samples, **asked).posterior
    more = {"half_width": rope, "n_data_sets": len(differences), "samples": samples}
    return Kept(found | more)


datasets = SimpleNamespace(
    **{name: getattr(errbar.datasets, name) for name in errbar.datasets.__all__},
    data_sets=forms.data_sets,
    friedman=_parts_of,
    mean_ranks=lambda data: errbar.datasets.ranks(data).mean_ranks,
    nemenyi=lambda data: list(errbar.datasets.ranks(data).pairs),
    holm=lambda data, **how: list(errbar.datasets.ranks(data, post_hoc="holm", **how).pairs),
    bayesian_sign=functools.partial(_posterior, methods.bayes_sign),
    bayesian_signed_rank=functools.partial(_posterior, methods.bayes_signed_rank),
    wilcoxon=methods.wilcoxon,
    sign_test=methods.sign_test,
)


def _critical(contrasts, covariance, level, *, df=None, two_sided=True):
    """Critical value of the largest of several t, or normal, statistics."""
    df = np.inf if df is None else df
    law = simultaneous.Maximum.of(contrasts, covariance, df=df, two_sided=two_sided)
    tail = law.each(1.0 - level) / (1 + two_sided)
    return law, -float(special.ndtri(tail) if np.isinf(df) else special.stdtrit(df, tail))


def _max_t(estimates, covariance, *, df=None, baseline=None, level=0.95):
    """Single-step max-t, by the law that comparisons use."""
    means, spread = np.array(estimates), np.array(covariance)
    every = range(means.size)
    pairs = [(i, baseline) for i in every if i != baseline]
    if baseline is None:
        pairs = simultaneous.pairs_of(tuple(every))
    contrasts = simultaneous.contrasts_of(means.size, pairs)
    law, critical = _critical(contrasts, spread, level, df=df)
    difference = contrasts @ means
    se = np.sqrt(np.einsum("ij,jk,ik->i", contrasts, spread, contrasts))
    statistic = difference / se
    tails = special.ndtr(-abs(statistic)) if df is None else special.stdtr(df, -abs(statistic))
    return Kept(
        numbers(
            {
                "pairs": pairs,
                "difference": difference,
                "se": se,
                "statistic": statistic,
                "pvalue": [law.adjusted(float(2.0 * tail)) for tail in tails],
                "critical": critical,
                "low": difference - critical * se,
                "high": difference + critical * se,
            }
        )
    )


def _best(estimates, covariance, *, df=None, level=0.95, two_sided=False):
    """Multiple comparisons with the best (Hsu 1996), by the law that comparisons use."""
    means, spread = np.array(estimates), np.array(covariance)
    count = means.size
    others = [[(i, j) for j in range(count) if j != i] for i in range(count)]
    critical = [
        _critical(
            simultaneous.contrasts_of(count, pairs), spread, level, df=df, two_sided=two_sided
        )[1]
        for pairs in others
    ]
    variance = np.diag(spread)
    se = np.sqrt(variance[:, np.newaxis] + variance - 2.0 * spread)
    gap = means[:, np.newaxis] - means
    off = ~np.eye(count, dtype=bool)
    lowest = np.where(off, gap - np.array(critical)[:, np.newaxis] * se, -np.inf).max(axis=1)
    possible = lowest <= 0.0
    highest = np.where(off & possible, gap + np.array(critical) * se, -np.inf).max(axis=1)
    return Kept(
        critical=critical,
        low=np.minimum(lowest, 0.0).tolist(),
        high=np.maximum(highest, 0.0).tolist(),
        not_ruled_out=np.flatnonzero(possible).tolist(),
    )


def _shrunk(values, **how):
    covariance, share = simultaneous.shrunk(values, **how)
    return Kept(covariance=covariance.tolist(), shrinkage=share)


def _known(found):
    """What is known after a search, without seconds and versions."""
    data = found.to_dict()
    parts = {name: data[name] for name in ("result", "plain", "gain", "reported", "extra_fits")}
    known = {"winner": found.winner, "possible": list(found.possible_best)}
    return Kept(numbers(parts) | known | {"fits": data["counts"]["fits"]})


def tuned(source, **asked):
    return _known(errbar.tuned(source, **asked))


def tune(search, X, y, **asked):
    return _known(errbar.tune(search, X, y, random_state=2, **asked))


def kept(models, X, y, plan):
    found = errbar.keep(X, y, plan, random_state=2)
    scores = [found.score(model) for model in models]
    return Kept({"scores": scores} | _known(errbar.tuned(found)))


def argmin_set(losses, **asked):
    return Kept(pvalues=simultaneous.argmin_set(losses, **asked))


families = SimpleNamespace(
    ADJUSTMENTS=simultaneous.ADJUSTMENTS,
    JOINT=simultaneous.JOINT,
    adjust=simultaneous.adjust,
    pairs_of=simultaneous.pairs_of,
    max_t=_max_t,
    best=_best,
    confidence_set=lambda losses: Kept(pvalues=simultaneous.confidence_set(losses)),
    shrunk=_shrunk,
)


def ask(method, columns, **request):
    """What a method says of plain columns, without a table."""
    entry = methods.catalogue()[method]
    return entry.function(numbers_for(method, columns), **request)


_LAYOUTS = {
    "5x2cv-t": forms.ten_scores,
    "5x2cv-f": forms.ten_scores,
    "conservative-z": forms.halves,
    "halved-kfold-t": forms.halves,
    "replace-one": forms.replaced,
    "part-jackknife": forms.left_out,
    "crossed-t": forms.crossed,
    "crossed-or": forms.crossed,
    "ppi": forms.judged,
    "known": forms.judged,
}
_ROLES = {"cluster": "group"}


def numbers_for(method, columns):
    """What a method takes, from plain columns."""
    given = {_ROLES.get(name, name): column for name, column in columns.items()}
    if method in ("cluster-t", "crossed-t", "crossed-or", "two-way-t") and "fold" in given:
        given.setdefault("metric", MetricValues(by_fold=True))
    several = given.pop("several", 1)
    if several > 1:
        rows = np.repeat(
            np.arange(len(given["value"])), [several, *[1] * (len(given["value"]) - 1)]
        )
        given |= {"value": np.asarray(given["value"])[rows], "time": rows}
    view = methods.catalogue()[method].view
    if view is not errbar.Losses:
        if isinstance(given.get("minus"), Mapping):
            given["minus"] = view(**given["minus"])
        return view(**given)
    if method in _LAYOUTS:
        if "halves" in given:
            given["parts"] = given.pop("halves")
        given.pop("n_splits", None)
        return _LAYOUTS[method](**given)
    repeats = given.pop("repeats", 1)
    if repeats > 1:
        given["repeat"] = np.repeat(np.arange(repeats), len(given["value"]) // repeats)
        given["fold"] = np.tile(np.arange(len(given["value"]) // repeats), repeats)
    given.pop("n_splits", None)
    minus = given.pop("minus", None)
    if minus is None:
        return errbar.Losses(**given)
    metric = given.pop("metric", None)
    both = (np.asarray(given.pop("value")) + minus, minus)
    one, other = (errbar.Losses(value, metric=metric, **given) for value in both)
    return one.minus(other)


def refuses(call):
    """Whether a call is refused, so that its variants need not be kept as well."""
    try:
        call()
    except REFUSED:
        return True
    return False


def gate(text):
    return gates.Gate.parse(text)


def threshold(text):
    return gates.Threshold.parse(text)


@contextlib.contextmanager
def commands_built_once():
    """Keep the commands: typer builds all of them anew at every call, which takes longer than most answers."""
    built = typer.main.get_command
    typer.main.get_command = functools.cache(built)
    try:
        yield
    finally:
        typer.main.get_command = built


class Kept(dict):
    """An answer that is plain data already."""


def command(*arguments):
    """Exit status and numbers of a command, run in this process and folder."""
    said, status, raised = io.StringIO(), 0, None
    with contextlib.redirect_stdout(said), contextlib.redirect_stderr(io.StringIO()):
        try:
            main([str(argument) for argument in arguments])
        except SystemExit as ended:
            status = ended.code
        except Exception as error:  # noqa: BLE001 - what gets out is an answer too
            status, raised = 1, type(error).__name__
    answer = Kept(status=status)
    if raised:
        answer["raised"] = raised
    if "--json" in arguments and said.getvalue().strip():
        answer["json"] = numbers(json.loads(said.getvalue()))
    return answer


# Strings that are answers: keys and names. Every other one is prose, or says what was run.
WORDS = frozenset(
    "method methods estimand loss direction learner learners minus name a b key winner baseline adjust post_hoc "
    "correction law possible_best of side sides reference outer inner worth kind kinds default_plan group_of".split()
)
# Text, cost, and what holds the call once more.
LEFT_OUT = frozenset(
    "provenance counts text sentence seconds options level alternative claim formula summary assumptions references "
    "words needs speaks_of estimand_words".split()
)
MOST = 40
"""Longer lists are kept as their length, their sum and every tenth number."""


def numbers(value, name=""):
    """The numbers of a tree, with the words in it that are keys or names; what is None or empty is left out."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        value = {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}
    elif hasattr(value, "_asdict"):
        value = value._asdict()
    if isinstance(value, Mapping):
        pairs = {
            str(key): codes(part) if key == "notes" else numbers(part, str(key))
            for key, part in value.items()
            if str(key) not in LEFT_OUT
        }
        return {key: part for key, part in pairs.items() if part not in (None, {}, [])}
    if isinstance(value, str):
        return str(value) if name in WORDS or value in ("inf", "-inf") else None
    if isinstance(value, (np.ndarray, list, tuple, set, frozenset)):
        listed = value.tolist() if isinstance(value, np.ndarray) else list(value)
        return _thinned(
            [one for one in (numbers(part, name) for part in listed) if one is not None]
        )
    return value.item() if isinstance(value, np.generic) else value


def _thinned(listed):
    if len(listed) <= MOST or not all(isinstance(one, (int, float)) for one in listed):
        return listed
    return {"count": len(listed), "sum": math.fsum(listed), "tenth": listed[::10]}


def codes(notes):
    """The codes of notes, each once, sorted."""
    return sorted({_code(note) for note in notes})


def _code(note):
    if isinstance(note, Mapping):
        return note["code"]
    return str(note).partition(":")[0]


def answer(found):
    """Whatever a call returned, as plain data."""
    if isinstance(found, Kept):
        return found
    if isinstance(found, errbar.Result):
        return _result(found)
    if isinstance(found, errbar.LossTable):
        return _table(found)
    if isinstance(found, errbar.Comparison):
        naive = [
            [one.naive.pvalue, *one.naive.interval] for one in found.pairs if one.naive is not None
        ]
        return numbers(
            found.to_dict() | {"naive": naive, "possible_best": list(found.possible_best)}
        )
    if isinstance(found, errbar.Verdict):
        return {"passed": bool(found.passed)}
    if isinstance(found, Mapping):
        return {key: part if isinstance(part, str) else answer(part) for key, part in found.items()}
    if isinstance(found, (list, tuple)) and not hasattr(found, "_asdict"):
        return {"answers": [answer(part) for part in found]}
    if hasattr(found, "to_dict"):
        return numbers(found.to_dict())
    kept = numbers(found)
    return kept if isinstance(kept, dict) else {"value": kept}


def _result(result):
    facts = {
        "method": result.method,
        "estimand": str(result.estimand),
        "estimate": result.estimate,
        "se": result.se,
        "df": result.df,
        "statistic": result.statistic,
        "p": result.pvalue,
        "low": result.low,
        "high": result.high,
        "null": result.null,
        "n_train": result.n_train,
        "n_splits": result.n_splits,
        "n_fits": result.n_fits,
        "posterior": dict(result.posterior),
        "components": dict(result.components),
        "learner": result.learner,
        "minus": result.minus,
        "loss": result.loss,
        "tested": None if result.tested else False,
    }
    return numbers(facts) | {"notes": codes(result.notes)}


def _table(table):
    splits = table.splits
    facts = {
        "means": dict(
            zip(table.learners, table.loss.sign * table.scores.mean(axis=1), strict=True)
        ),
        "loss": table.loss.key,
        "direction": table.loss.direction,
        "kinds": list(splits.kinds),
        "splits": splits.n_test.size,
        "cells": None if table.cells is None else table.cells.example.size,
        "n_train": splits.n_train.mean(),
        "n_test": splits.n_test.mean(),
    }
    return numbers(facts) | {"notes": codes(table.notes)}


def rho_of_halves(losses):
    """The correlation between folds that halves tell."""
    notes = methods.halved_kfold_t(losses).notes
    return next(note.numbers["rho"] for note in notes if "rho" in note.numbers)


def variances_of_folds(losses):
    """Five estimates of the variance of the mean of one cross-validation, and what they are made of."""
    known = {"folds": losses.folds, "n": losses.value.size, "mean": float(losses.value.mean())}
    return Kept(methods.kfold_variance(losses) | known)


def split_scores(values, n_train=90, n_test=10):
    return errbar.Losses(values, n_train=n_train, n_test=n_test)

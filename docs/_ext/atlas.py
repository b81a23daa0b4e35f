"""Tables, pictures and the map of the atlas, written from its one file of rows at every build."""

import json
import re
from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np
from catalogue import link, list_table, write
from sphinx.application import Sphinx

from errbar import methods
from errbar_lab import Study, read_atlas
from errbar_lab._atlas import PROBLEMS, SUBJECTS, about, by_method, own_truth
from errbar_lab.plots import study

ROWS = Path("studies") / "numbers" / "atlas.parquet"

OF_DEFAULT = Path("studies") / "numbers" / "default.parquet"
"""Rows of the study of the default, from which those of its method are taken."""

CHEAP, FORMER = "cv-t, folds x2", "corrected-t, random splits"

MAP = """
<form id="atlas-filters">
<label>Intervals of <select id="atlas-target"></select></label>
<label>Examples <select id="atlas-size"></select></label>
</form>
<p id="atlas-legend"></p>
<div class="table-wrapper map"><table id="atlas-map"></table></div>
"""


# What somebody wants, the method to take, and its splits in the atlas, if it is there.
CHOICES = (
    ("compare learning algorithms", "cv-jackknife", "7 folds"),
    ("... with fewer fits, or by losses of folds", "cv-t", "folds x2"),
    ("... that nearly agree and take milliseconds", "part-jackknife", ""),
    ("... by random splits, or by scores alone", "corrected-t", "random splits"),
    ("... by the probabilities of better, equal and worse", "bayes-correlated-t", ""),
    ("... with the variance measured on halves", "conservative-z", "halves"),
    ("... by one cross-validation and a correlation of yours", "kfold-t", "folds x1"),
    ("... with that correlation measured on halves", "halved-kfold-t", "halved folds"),
    ("... to study estimators of the variance", "kfold-theta", "folds x1"),
    ("... that are stable, on many examples", "replace-one", "replaced"),
    ("... by Dietterich's test, one-sided too", "5x2cv-t", "5x2"),
    ("... by Alpaydin's variant, two-sided", "5x2cv-f", "5x2"),
    ("know the expected risk at size n, overfitted or not", "632-plus", "samples"),
    ("... for learners that do not overfit", "632", "samples"),
    ("... at about .632 n, without the training error", "oob-bootstrap", "samples"),
    ("see what most people compute; do not report it", "resampled-t", "random splits"),
    ("know the risk of the model fitted on all data", "nested-cv", "nested"),
    ("judge the K models of a cross-validation", "cv-wald", "folds x1"),
    ("judge trained models on a test set, any loss", "holdout-t", "one split"),
    ("... one model's error rate", "binomial", "one split"),
    ("... the error rates of two models", "paired-proportions", "one split"),
    ("... the same, by an exact test", "mcnemar", ""),
    ("... few differences, or far from normal", "permutation", ""),
    ("... a median or another statistic", "bootstrap", ""),
    ("... areas under the ROC curve", "delong", "one split"),
    ("... areas near 1", "bootstrap-auc", ""),
    ("... whether any of several classifiers differ", "cochran-q", ""),
    ("... two models, each on examples of its own", "two-proportion-z", ""),
    ("... examples in clusters", "cluster-t", "one split"),
    ("... several seeds on the same examples", "crossed-t", ""),
    ("... several readers of the same images", "crossed-or", ""),
    ("... independent runs, one number for each seed", "welch-t", ""),
    ("... forecasts in order of time", "diebold-mariano", ""),
    ("... several series at the same dates", "two-way-t", ""),
    ("... few answers judged by people, all by a model", "ppi", ""),
    ("... a part of a board that known models have answered", "known", ""),
    ("describe these very data by bootstrap samples", "bootstrap-benchmark", ""),
    ("... whether any of several learners differ", "friedman", ""),
    ("... the share of runs in which one is better", "outperformance", ""),
    ("compare two learners over data sets", "wilcoxon", ""),
    ("... with several seeds on each", "data-sets-t", ""),
    ("... where only the winner is known", "sign-test", ""),
    ("... by the probabilities of better, equal and worse", "bayes-signed-rank", ""),
    ("... by the probabilities of wins", "bayes-sign", ""),
)

LOSSES = {
    "error rate": ("zero-one",),
    "log loss": ("log-loss",),
    "F1": ("f1", "f1_macro"),
    "AUC": ("roc_auc", "roc_auc_ovr"),
    "squared error": ("squared-error",),
}
LEARNERS = {
    "logistic": "logistic",
    "naive Bayes": "naive Bayes",
    "neighbours": "neighbours",
    "tree": "tree",
    "boosting": "boosting",
    "least squares": "least squares",
}


def generate(app: Sphinx) -> None:
    """Write tables and the picture."""
    found = read_atlas(Path(app.srcdir) / ROWS)
    folder = Path(app.srcdir) / "generated"
    write(folder / "atlas-tables.inc", tables(found))
    write(folder / "atlas-settings.inc", settings(found))
    ours = of_default(app.srcdir)
    write(folder / "atlas-methods.inc", which(found, ours))
    write(folder / "atlas-candidates.inc", candidates(found))
    write(folder / "which-method.inc", choices(found, ours))
    for key, text in of_each(found, ours).items():
        write(folder / "atlas-of" / f"{key}.inc", text)
    write(
        folder / "atlas-map.inc",
        ".. raw:: html\n\n" + indented(MAP + '<script src="../_static/atlas.js"></script>'),
    )
    with mpl.rc_context({"svg.hashsalt": "errbar", "figure.facecolor": "white"}):
        figure = study(found).figure
        figure.savefig(folder / "atlas.svg", metadata={"Date": None})
    app.atlas_data = data(found)


def publish(app: Sphinx, error: Exception | None) -> None:
    """Put the numbers of the map, and what draws it, into the finished pages."""
    if error is None and app.builder.format == "html":
        drawing = Path(app.srcdir) / "_static" / "atlas.js"
        text = f"window.ATLAS = {json.dumps(app.atlas_data, separators=(',', ':'))};\n{drawing.read_text('utf-8')}"
        write(Path(app.outdir) / "_static" / "atlas.js", text)


def settings(found: Study) -> str:
    """Return what was done."""
    return list_table(("What", "How much"), list(found.settings.items()))


def of_default(folder: Any) -> Any:
    """Return the rows of the default's method from the study of the default."""
    frame = read_atlas(Path(folder) / OF_DEFAULT).outcomes
    return frame[frame["method"].astype(str).str.startswith("cv-jackknife")]


def which(found: Study, ours: Any) -> str:
    """Return which methods of the catalogue the atlas has, and which it lacks."""
    every = methods.catalogue()
    there = measured(found.outcomes) | measured(ours)
    lacking = ", ".join(link(key) for key in sorted(every) if key not in there)
    return f"The atlas has {len(there)} of the {len(every)} methods. It does not have {lacking}.\n"


def measured(frame: Any) -> set[str]:
    """Return the keys of the methods that the atlas has figures for."""
    return {str(name).partition(",")[0].partition(" ")[0] for name in frame["method"].unique()}


def tables(found: Study) -> str:
    """Return a table of all methods for each subject."""
    text = ""
    for table in found.tables:
        head = [name.capitalize() for name in table.rows[0]]
        rows = [[in_table(name, value) for name, value in row.items()] for row in table.rows]
        text += narrow(list_table(head, rows, caption=table.caption))
    return f"{text}{found.tables[0].remark} Shares are in percent.\n"


def in_table(name: str, value: Any) -> str:
    """Return a value of a table: shares in percent, ratios with two digits."""
    if not isinstance(value, float):
        return "" if value is None else str(value)
    if name in ("fits", "cells"):
        return f"{value:.0f}"
    return number(value) if name in ("width", "oracle") else percentage(value)


def narrow(table: str) -> str:
    """Return a table in small print, its first column on one line."""
    return table.replace("   :header-rows: 1\n", "   :header-rows: 1\n   :class: atlas\n", 1)


def candidates(found: Study) -> str:
    """Return the plans that were weighed as the default, by size of the data."""
    frame = found.outcomes
    kept = frame[
        frame["method"].str.startswith(("cv-t,", "cv-t variance", "corrected-t,"))
        & (frame["fits"] <= 30)
    ]
    sizes = sorted(kept["n"].unique())
    head = (
        "Method, splits",
        "Fits",
        "Width",
        "All sizes",
        *(f"n = {n}" if place == 0 else str(n) for place, n in enumerate(sizes)),
    )
    text = ""
    for subject in ("learners", "pairs"):
        own = about(kept, subject)
        by_size = own.groupby(["method", "n"], observed=True)["coverage"].mean()
        rows = [
            (
                f"**{one['method']}**" if one["method"] in (CHEAP, FORMER) else one["method"],
                f"{one['fits']:.0f}",
                f"{one['width']:.2f}",
                f"{100 * one['coverage']:.1f} ± {100 * one['error']:.1f}",
                *(percentage(by_size.get((one["method"], n))) for n in sizes),
            )
            for one in by_method(kept, subject)
        ]
        caption = f"Coverage of 95 % intervals of {SUBJECTS[subject]} in percent, width relative to {FORMER}"
        text += narrow(list_table(head, rows, caption=caption))
    return text


def choices(found: Study, ours: Any) -> str:
    """Return what to take for which question, with coverages by loss and by learner."""

    def both(subject: str, chosen: Any) -> dict[str, float]:
        return coverages(chosen(found.outcomes), subject) | coverages(chosen(ours), subject)

    columns = [
        both("pairs", lambda frame, keys=keys: frame[frame["loss"].isin(keys)])
        for keys in LOSSES.values()
    ]
    columns += [
        both("learners", lambda frame, name=name: frame[frame["learner"] == name])
        for name in LEARNERS.values()
    ]
    rows = []
    for words, key, splits in CHOICES:
        method = methods.lookup(key)
        cost = re.findall(r"\d+", method.fits)
        shares = [percentage(column.get(f"{key}, {splits}"), 0) for column in columns]
        rows.append((words, link(key), str(method.estimand), cost[-1] if cost else "none", *shares))
    head = ("You want to", "Take", "About", "Fits", *LOSSES, *LEARNERS)
    caption = (
        "Coverage of 95 % intervals in percent: differences of two learners by loss, "
        "then single learners by learner"
    )
    table = narrow(list_table(head, rows, "auto", caption))
    return table.replace(":class: atlas\n", ":class: atlas choice\n", 1)


def coverages(frame: Any, subject: str) -> dict[str, float]:
    """Return how often the intervals of each method cover what they are about."""
    return {one["method"]: one["coverage"] for one in by_method(frame, subject)}


def of_each(found: Study, ours: Any) -> dict[str, str]:
    """Return for every method of the catalogue what the atlas says of it."""
    rows: dict[str, list[tuple[str, ...]]] = {key: [] for key in methods.catalogue()}
    for subject, words in _SHORT.items():
        for one in (*by_method(found.outcomes, subject), *by_method(ours, subject)):
            name, _, splits = one["method"].partition(", ")
            key, _, option = name.partition(" ")
            rows[key].append(
                (
                    words,
                    splits + (f"; ``{option}``" if option else ""),
                    f"{one['fits']:.0f}",
                    f"{100 * one['coverage']:.1f} ± {100 * one['error']:.1f}",
                    f"{100 * one['low']:.1f}",
                    number(one["width"]),
                    number(one["oracle"]),
                )
            )
    head = (
        "Intervals of",
        "Splits",
        "Fits",
        "Coverage, %",
        "Tenth lowest",
        "Width",
        "Over the oracle",
    )
    caption = f"95 % intervals in :doc:`the atlas </studies/atlas>`; width relative to {FORMER}"
    none = "It has not been run in :doc:`the atlas </studies/atlas>` yet.\n"
    return {
        key: narrow(list_table(head, own, "24 28 8 14 8 8 10", caption)) if own else none
        for key, own in rows.items()
    }


_SHORT = {"learners": "one learner", "pairs": "two learners", "near-equal": "two that nearly agree"}


def number(value: float) -> str:
    """Return a ratio; nothing where there is none."""
    return f"{value:.2f}" if np.isfinite(value) else ""


def percentage(share: float | None, decimals: int = 1) -> str:
    """Return a share in percent; nothing where there is none."""
    return "" if share is None or not np.isfinite(share) else f"{100 * share:.{decimals}f}"


def data(found: Study) -> dict[str, Any]:
    """Return the numbers of the map.

    ``cells`` holds for each problem, size, method and target (positions in the lists), over all losses: data sets, intervals, those that
    cover what the method is about, and the mean ratio of their widths to those of the reference, in percent.
    """
    rows = []
    lists: dict[str, list[Any]] = {
        "problem": [key for key in PROBLEMS if key in set(found.outcomes["problem"])],
        "n": sorted(int(n) for n in found.outcomes["n"].unique()),
        "method": list(
            dict.fromkeys(
                one["method"] for subject in SUBJECTS for one in by_method(found.outcomes, subject)
            )
        ),
        "target": [],
    }
    targets: dict[tuple[str, str], int] = {}
    for subject in SUBJECTS:
        own = about(found.outcomes, subject)
        for (problem, n, method, learner, minus), part in own.groupby(
            ["problem", "n", "method", "learner", "minus"], observed=True
        ):
            truth = own_truth(method)
            known = part[part[f"{truth} below"] >= 0]
            answers = int(known["answers"].sum())
            if not answers:
                continue
            if (learner, minus) not in targets:
                targets[learner, minus] = len(targets)
                lists["target"].append(
                    [learner + (f" \N{MINUS SIGN} {minus}" if minus else ""), [subject]]
                )
            subjects = lists["target"][targets[learner, minus]][1]
            if subject not in subjects:
                subjects.append(subject)
            if subjects[0] != subject:
                continue  # its rows are there, as those of a pair
            wrong = int((known[f"{truth} below"] + known[f"{truth} above"]).sum())
            width = part["relative"].mean()
            places = [
                lists["problem"].index(problem),
                lists["n"].index(n),
                lists["method"].index(method),
            ]
            ratio = round(100 * width) if width == width else -1
            rows.append(
                [
                    *places,
                    targets[learner, minus],
                    int(known["data_sets"].max()),
                    answers,
                    answers - wrong,
                    ratio,
                ]
            )
    words = {key: PROBLEMS[key].words for key in lists["problem"]}
    about_what = {method: own_truth(method) for method in lists["method"]}
    return {**lists, "words": words, "about": about_what, "subjects": dict(SUBJECTS), "cells": rows}


def indented(text: str) -> str:
    """Return lines as the content of a directive."""
    return "".join(f"   {line}\n" for line in text.strip().splitlines())


def setup(app: Sphinx) -> dict[str, bool]:
    """Write before anything is read, and the map's numbers when all pages are there."""
    app.connect("builder-inited", generate)
    app.connect("build-finished", publish)
    return {"parallel_read_safe": True}

"""Tables, pictures and the map of the atlas, written from its one file of rows at every build."""

import json
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

DEFAULT, FORMER = "cv-t, folds x2", "corrected-t, random splits"

MAP = """
<form id="atlas-filters">
<label>Intervals of <select id="atlas-target"></select></label>
<label>Examples <select id="atlas-size"></select></label>
</form>
<p id="atlas-legend"></p>
<div class="table-wrapper map"><table id="atlas-map"></table></div>
"""


# The task, the learners, the size of the data, the method to take and its alternative.
SITUATIONS = (
    ("compare two learners; 20 fits of each", "pairs", None, "cv-t, folds x2", FORMER),
    ("the same, with 60 examples", "pairs", 60, "cv-t, folds x2", FORMER),
    ("the same, with 3000 examples", "pairs", 3000, "cv-t, folds x2", FORMER),
    ("the same, with time for ten fits", "pairs", None, "cv-t, folds x1", "corrected-t, folds x1"),
    ("the same, with time for five fits", "pairs", None, "cv-t, 5 folds", "corrected-t, 5 folds"),
    ("know the expected risk of one learner", "learners", None, "cv-t, folds x2", FORMER),
    ("the same, with 60 examples", "learners", 60, "cv-t, folds x2", FORMER),
    (
        "have one score for each of ten folds, and no losses",
        "pairs",
        None,
        "corrected-t, folds x1",
        "kfold-t, folds x1",
    ),
    ("have the scores of 15 random splits", "pairs", None, FORMER, "resampled-t, random splits"),
    (
        "compare learners that nearly agree, with 20 fits",
        "near-equal",
        None,
        "cv-t, folds x2",
        FORMER,
    ),
    (
        "compare two trained classifiers by errors on a test set",
        "pairs",
        None,
        "paired-proportions, one split",
        None,
    ),
    ("know the error rate of a trained classifier", "learners", None, "binomial, one split", None),
    ("compare areas under the curve on a test set", "pairs", None, "delong, one split", None),
    (
        "compare two trained models by any loss on a test set",
        "pairs",
        None,
        "holdout-t, one split",
        None,
    ),
)


def generate(app: Sphinx) -> None:
    """Write tables and the picture."""
    found = read_atlas(Path(app.srcdir) / ROWS)
    folder = Path(app.srcdir) / "generated"
    write(folder / "atlas-tables.inc", tables(found))
    write(folder / "atlas-settings.inc", settings(found))
    write(folder / "atlas-methods.inc", which(found))
    write(folder / "atlas-candidates.inc", candidates(found))
    write(folder / "atlas-situations.inc", situations(found))
    for key, text in of_each(found).items():
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


def which(found: Study) -> str:
    """Return which methods of the catalogue the atlas has, and which it lacks."""
    every = methods.catalogue()
    there = measured(found)
    lacking = ", ".join(link(key) for key in sorted(every) if key not in there)
    return f"The atlas has {len(there)} of the {len(every)} methods. It does not have {lacking}.\n"


def measured(found: Study) -> set[str]:
    """Return the keys of the methods that the atlas has figures for."""
    return {
        str(name).partition(",")[0].partition(" ")[0] for name in found.outcomes["method"].unique()
    }


def tables(found: Study) -> str:
    """Return a table of all methods for each subject."""
    shown = found.tables()
    return (
        "".join(narrow(list_table(one.headers, one.rows, caption=one.caption)) for one in shown)
        + f"{shown[0].remark}\n"
    )


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
                f"**{one['method']}**" if one["method"] in (DEFAULT, FORMER) else one["method"],
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


def situations(found: Study) -> str:
    """Return what to take in which situation, with coverage and width, beside what else might be taken."""
    rows = []
    for words, subject, n, method, other in SITUATIONS:
        records = {
            one["method"]: one
            for one in by_method(
                found.outcomes[found.outcomes["n"] == n] if n else found.outcomes, subject
            )
        }
        own, another = records.get(method), records.get(other)
        rows.append(
            (
                words,
                f":doc:`{method} </generated/methods/{method.partition(',')[0]}>`",
                own["about"] if own else "",
                f"{100 * own['coverage']:.1f} ± {100 * own['error']:.1f}"
                if own
                else "not measured yet",
                f"{other}: {100 * another['coverage']:.1f}" if another else "",
                f"{own['width'] / another['width']:.2f}" if own and another else "",
            )
        )
    head = ("You want to, or have", "Take", "About", "Coverage, %", "Instead", "Width over that")
    return narrow(
        list_table(head, rows, "34 20 8 12 16 10", "Coverage of 95 % intervals in the atlas")
    )


def of_each(found: Study) -> dict[str, str]:
    """Return for every method of the catalogue what the atlas says of it."""
    rows: dict[str, list[tuple[str, ...]]] = {key: [] for key in methods.catalogue()}
    for subject, words in _SHORT.items():
        for one in by_method(found.outcomes, subject):
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


def percentage(share: float | None) -> str:
    """Return a share in percent; nothing where there is none."""
    return "" if share is None or not np.isfinite(share) else f"{100 * share:.1f}"


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

"""Tables of the study of the default, written from its one file of rows at every build."""

from pathlib import Path
from typing import Any

from atlas import narrow, percentage, settings
from catalogue import list_table, write
from sphinx.application import Sphinx

from errbar_lab import Study, read_atlas
from errbar_lab._atlas import PROBLEMS, SUBJECTS, by_level, cells

ROWS = Path("studies") / "numbers" / "default.parquet"

DEFAULT, CHEAP = "cv-jackknife, 7 folds", "cv-t, folds x2"

HEADINGS = {
    "zero-one": "Zero-one",
    "log-loss": "Log loss",
    "f1": "F1",
    "roc_auc": "AUC",
    "squared-error": "Squared",
    "absolute-error": "Absolute",
    "r2": "R²",
    "pinball .9": "Pinball",
}

LOWEST = 12
"""So many of the lowest cells are shown."""

_OF_BOTH = ("learners", "pairs")

_FOR_A_FEATURE = 5
"""With fewer training examples for a feature, the note ``many-features`` is given."""


def generate(app: Sphinx) -> None:
    """Write the tables."""
    found = read_atlas(Path(app.srcdir) / ROWS)
    folder = Path(app.srcdir) / "generated"
    write(folder / "default-settings.inc", settings(found))
    write(folder / "default-levels.inc", levels_table(found))
    write(folder / "default-forms.inc", forms_table(found))
    write(folder / "default-groups.inc", groups_table(found))
    write(folder / "default-losses.inc", losses_table(found))
    write(folder / "default-crowded.inc", crowded_table(found))
    write(folder / "default-lowest.inc", lowest_table(found))
    write(folder / "default-problems.inc", problems_table(found))


HEAD = (
    "Method",
    "Level",
    "Cells",
    "Mean",
    "Within 3",
    "By chance",
    "Far below",
    "Lowest",
    "Width",
    "Fits",
)


def of_records(found: Any, subject: str, chosen: Any, words: str = "") -> str:
    """Return a table of records of `by_level`."""
    rows = [
        (
            one["method"],
            str(one["level"]),
            str(one["cells"]),
            f"{100 * one['coverage']:.1f} ± {100 * one['error']:.1f}",
            percentage(one["within"]),
            percentage(one["chance"]),
            percentage(one["bad"]),
            percentage(one["worst"], 0),
            f"{one['width']:.2f}",
            f"{one['fits']:.0f}",
        )
        for one in by_level(found, subject)
        if chosen(one)
    ]
    return narrow(
        list_table(HEAD, rows, caption=f"Intervals of {SUBJECTS[subject]}{words}, in percent")
    )


def levels_table(found: Study) -> str:
    """Return the default and the cheap method at every level."""
    return "".join(
        of_records(found.outcomes, subject, lambda one: one["method"] in (DEFAULT, CHEAP))
        for subject in _OF_BOTH
    )


def forms_table(found: Study) -> str:
    """Return all candidates at 95 %."""
    return "".join(
        of_records(found.outcomes, subject, lambda one: one["level"] == 95) for subject in _OF_BOTH
    )


def crowded_table(found: Study) -> str:
    """Return the default and the cheap method at 95 %, apart for few and for many features."""
    frame, text = found.outcomes, ""
    many = frame["for a feature"] * 6 / 7 < _FOR_A_FEATURE  # training sets have six of seven folds
    for subject in _OF_BOTH:
        for words, rows in (("few features", frame[~many]), ("many features", frame[many])):
            text += of_records(
                rows,
                subject,
                lambda one: one["level"] == 95 and one["method"] in (DEFAULT, CHEAP),
                f", {words}",
            )
    return text


def groups_table(found: Study) -> str:
    """Return candidates at 95 % on data in groups."""
    frame = found.outcomes
    grouped = frame[frame["problem"].map(lambda key: PROBLEMS[key].grouped).astype(bool)]
    return "".join(
        of_records(grouped, subject, lambda one: one["level"] == 95, ", data in groups")
        for subject in _OF_BOTH
    )


def of_default(found: Study, subject: str) -> Any:
    """Return the cells of the default at 95 %."""
    own = cells(found.outcomes, subject)
    return own[(own["method"] == DEFAULT) & (own["level"] == 95)]


def by_loss(found: Study) -> dict[tuple[str, str], tuple[float, float]]:
    """Return the coverage of the default by learner, or difference, and loss: its mean over cells and its lowest, in percent."""
    parts = {}
    for subject in _OF_BOTH:
        by = of_default(found, subject).groupby(["learner", "minus", "loss"], observed=True)
        for (learner, minus, loss), part in by:
            if loss in HEADINGS:
                held = 100 * part["coverage"]
                parts[named(learner, minus), loss] = held.mean(), held.min()
    return parts


def named(learner: str, minus: str) -> str:
    """Return a learner, or a difference, in words."""
    return f"{learner} \N{MINUS SIGN} {minus}" if minus else learner


def losses_table(found: Study) -> str:
    """Return the coverage of the default by learner and loss."""
    parts = by_loss(found)
    rows = [
        (name, *(of_cells(parts.get((name, loss))) for loss in HEADINGS))
        for name in dict.fromkeys(name for name, _ in parts)
    ]
    caption = (
        "Coverage of 95 % intervals of the default in percent: mean over cells, and the lowest"
    )
    return narrow(list_table(("", *HEADINGS.values()), rows, caption=caption))


def of_cells(part: tuple[float, float] | None) -> str:
    """Return a mean and the lowest of its cells; nothing where there is none."""
    return f"{part[0]:.1f}, {part[1]:.0f}" if part else ""


def lowest_table(found: Study) -> str:
    """Return the cells with the lowest coverage, of learners and differences."""
    head = ("Of", "Loss", "Problem", "n", "Coverage")
    text = ""
    for subject in _OF_BOTH:
        own = of_default(found, subject).sort_values("coverage", kind="stable").head(LOWEST)
        rows = [
            (
                named(one.learner, one.minus),
                HEADINGS.get(one.loss, one.loss),
                f"{one.problem} ({PROBLEMS[one.problem].words})",
                str(one.n),
                f"{100 * one.coverage:.0f}",
            )
            for one in own.itertuples()
        ]
        caption = f"The lowest cells, intervals of {SUBJECTS[subject]}, in percent"
        text += narrow(list_table(head, rows, caption=caption))
    return text


def problems_table(found: Study) -> str:
    """Return the problems with their sizes of data sets."""
    sizes = found.outcomes.groupby("problem", observed=True)["n"].unique()
    rows = [
        (key, PROBLEMS[key].words, ", ".join(map(str, sorted(sizes[key]))))
        for key in PROBLEMS
        if key in sizes
    ]
    return narrow(list_table(("Problem", "What is predicted", "Examples"), rows))


def setup(app: Sphinx) -> dict[str, bool]:
    """Write before anything is read."""
    app.connect("builder-inited", generate)
    return {"parallel_read_safe": True}

"""Tables of the study of tuned candidates, written from its one file of rows at every build."""

from pathlib import Path
from typing import Any

import pandas as pd
from atlas import narrow
from catalogue import list_table, write
from sphinx.application import Sphinx

ROWS = Path("studies") / "numbers" / "tuned.parquet"

LOSSES = {"zero-one": "Zero-one", "roc_auc": "AUC", "squared-error": "Squared error"}


def rows_of(folder: Any) -> Any:
    """Return the rows, with the width over that of the plain interval."""
    frame = pd.read_parquet(Path(folder) / ROWS)
    return frame.assign(wider=frame["width"] / frame["plain width"])


def generate(app: Sphinx) -> None:
    """Write the tables."""
    frame, folder = rows_of(app.srcdir), Path(app.srcdir) / "generated"
    write(folder / "tuned-summary.inc", summary(frame))
    write(folder / "tuned-forms.inc", forms(frame))
    write(folder / "tuned-cells.inc", cells(frame))


def shares(values: Any) -> str:
    """Return a mean and the lowest, in percent."""
    return f"{100 * values.mean():.1f}, {100 * values.min():.0f}"


def summary(frame: Any) -> str:
    """Return means over cells, and the lowest cell, by size and loss."""
    parts = {"All": frame} | {f"n = {n}": part for n, part in frame.groupby("n")}
    parts |= {word: frame[frame["loss"] == loss] for loss, word in LOSSES.items()}
    parts |= {"Nothing to learn": frame[frame["problem"] == "nothing"]}
    rows = [
        (
            name,
            str(len(part)),
            shares(part["covers"]),
            f"{(part['covers'] >= 0.93).sum()}, {(part['covers'] < 0.9).sum()}",
            shares(part["plain covers"]),
            f"{part['wider'].median():.2f}",
            shares(part["gain covers"]),
            shares(part["holds best"]),
        )
        for name, part in parts.items()
    ]
    head = (
        "Cells",
        "Count",
        "Covers",
        "93 or more, below 90",
        "As if it were alone",
        "Width",
        "Gain covers",
        "Holds the best",
    )
    caption = "Selected candidates, 95 % intervals, in percent: mean over cells, and the lowest"
    return narrow(list_table(head, rows, caption=caption))


FORMS = {
    "plain": "plain ",
    "shift": "shift ",
    "shift, wider": "shift, wider ",
    "union": "union ",
    "union, wider": "union, wider ",
    "half": "half ",
    "half, wider": "",
}
"""Forms of the interval, and how their columns begin."""


def forms(frame: Any) -> str:
    """Return the forms that were weighed."""
    rows = []
    for name, start in FORMS.items():
        held, wider = frame[f"{start}covers"], frame[f"{start}width"] / frame["plain width"]
        rows.append(
            (
                name,
                shares(held),
                f"{(held >= 0.93).sum()}, {(held < 0.9).sum()}",
                f"{wider.mean():.2f}, {wider.max():.2f}",
            )
        )
    head = ("Form", "Mean, lowest", "93 or more, below 90", "Width: mean, largest")
    caption = f"Forms of the interval in all {len(frame)} cells, coverage in percent"
    return narrow(list_table(head, rows, caption=caption))


def cells(frame: Any) -> str:
    """Return every cell."""
    ordered = frame.sort_values(["problem", "family", "n", "candidates", "loss"], kind="stable")
    rows = [
        (
            f"{one['problem']}, {one['family']}",
            str(one["candidates"]),
            f"{one['n']}, {one['folds']}",
            LOSSES[one["loss"]],
            f"{100 * one['covers']:.0f}",
            f"{100 * one['plain covers']:.0f}",
            f"{one['wider']:.2f}",
            f"{100 * one['gain covers']:.0f}",
            f"{100 * one['gain claimed']:.0f}",
            f"{100 * one['holds best']:.0f}",
            f"{100 * one['dropped']:.0f}",
        )
        for _, one in ordered.iterrows()
    ]
    head = (
        "Problem, candidates",
        "Count",
        "n, folds",
        "Loss",
        "Covers",
        "Alone",
        "Width",
        "Gain covers",
        "Gain claimed",
        "Holds the best",
        "Dropped",
    )
    return narrow(
        list_table(head, rows, caption="Every cell, in percent; width over the plain one")
    )


def setup(app: Sphinx) -> dict[str, bool]:
    """Write before anything is read."""
    app.connect("builder-inited", generate)
    return {"parallel_read_safe": True}

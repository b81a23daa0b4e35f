"""Pictures of concepts, drawn at every build from simulations that take a few seconds and always give the same.

Least squares on Gaussian data serves for all of them, because there the truth has a formula.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np
from matplotlib.figure import Figure
from numpy.typing import NDArray
from sphinx.application import Sphinx

from errbar import Losses, methods, plans
from errbar_lab import GaussianRegression

Numbers = NDArray[np.float64]

# Colours of Okabe & Ito, told apart by the colour-blind; every line and mark has a shape of its own besides.
BLUE, VERMILION, GREEN, GREY = "#0072B2", "#D55E00", "#009E73", "#6B7280"
N, FEATURES, LEVEL = 100, 20, 0.95
COUNTS = (2, 5, 10, 15, 25, 50, 100)
POPULATION = GaussianRegression(features=FEATURES)


@dataclass(frozen=True)
class Quantities:
    """What the word error may mean, one value per data set: R, PQ, and the estimate by ten folds."""

    risk: Numbers
    proxy: Numbers
    estimate: Numbers


@dataclass(frozen=True)
class Growth:
    """What happens with more splits, one value per number of splits.

    Attributes
    ----------
    true, naive, corrected : ndarray
        Standard deviation of the mean score over data sets, and the mean of what two methods take its square for.
    wrong_naive, wrong_corrected : ndarray
        Share of the data sets in which they reject the truth at the 5 % level.
    correlation : float
        Correlation of the scores of two splits of one data set, over data sets.
    """

    true: Numbers
    naive: Numbers
    corrected: Numbers
    wrong_naive: Numbers
    wrong_corrected: Numbers
    correlation: float


def fits(X: Numbers, y: Numbers, trains: list[NDArray[np.int64]]) -> Numbers:
    """Return intercept and coefficients of least squares on each training set."""
    design = np.column_stack([np.ones(len(y)), X])
    square = np.stack([design[rows].T @ design[rows] for rows in trains])
    product = np.stack([design[rows].T @ y[rows] for rows in trains])
    return np.linalg.solve(square, product[:, :, np.newaxis])[:, :, 0]


def scores(X: Numbers, y: Numbers, models: Numbers, tests: list[NDArray[np.int64]]) -> Numbers:
    """Return the mean squared error of each model on its test set."""
    design = np.column_stack([np.ones(len(y)), X])
    pairs = zip(models, tests, strict=True)
    return np.array([np.mean((y[rows] - design[rows] @ model) ** 2) for model, rows in pairs])


def risks(models: Numbers) -> Numbers:
    """Return the true risk of each model."""
    return np.array([POPULATION.least_squares_risk(model[1:], model[0]) for model in models])


def quantities(data_sets: int = 300) -> Quantities:
    """Draw data sets, and compute R, PQ and the cross-validation of each."""
    rows = []
    for i in range(data_sets):
        X, y = POPULATION.sample(N, np.random.default_rng([1, i]))
        drawn = plans.draw(plans.KFold(10), N, i).splits
        models = fits(X, y, [np.arange(N), *(split.train for split in drawn)])
        risk = risks(models)
        found = scores(X, y, models[1:], [split.test for split in drawn])
        rows.append((risk[0], risk[1:].mean(), found.mean()))
    return Quantities(*np.array(rows).T)


def growth(data_sets: int = 400) -> Growth:
    """Draw data sets, split each a hundred times, and ask two methods after some of the splits."""
    plan = plans.Subsampling(n_test=0.1, repeats=max(COUNTS))
    rows, truth = [], POPULATION.least_squares_expected_risk(90)
    for i in range(data_sets):
        X, y = POPULATION.sample(N, np.random.default_rng([2, i]))
        drawn = plans.draw(plan, N, i).splits
        models = fits(X, y, [split.train for split in drawn])
        rows.append(scores(X, y, models, [split.test for split in drawn]))
    table = np.array(rows)
    views = [[Losses(row[:count], n_train=90, n_test=10) for row in table] for count in COUNTS]
    naive = [[methods.resampled_t(view, null=truth) for view in found] for found in views]
    corrected = [[methods.corrected_t(view, null=truth) for view in found] for found in views]
    return Growth(
        true=np.array([table[:, :count].mean(axis=1).std(ddof=1) for count in COUNTS]),
        naive=mean_error(naive),
        corrected=mean_error(corrected),
        wrong_naive=rejected(naive),
        wrong_corrected=rejected(corrected),
        correlation=between(table),
    )


def mean_error(found: list[list[Any]]) -> Numbers:
    """Return the root of the mean squared standard error for each number of splits."""
    return np.array([np.sqrt(np.mean([result.se**2 for result in results])) for results in found])


def rejected(found: list[list[Any]]) -> Numbers:
    """Return the share of rejections for each number of splits."""
    return np.array(
        [np.mean([result.pvalue < 1.0 - LEVEL for result in results]) for results in found]
    )


def between(table: Numbers) -> float:
    """Return the correlation of two columns over rows: the variance of means, less what independence would give."""
    count = table.shape[1]
    total = table.mean(axis=1).var(ddof=1)
    single = table.var(axis=0, ddof=1).mean()
    return float((count * total / single - 1.0) / (count - 1.0))


def generate(app: Sphinx) -> None:
    """Draw all pictures."""
    folder = Path(app.srcdir) / "generated"
    folder.mkdir(parents=True, exist_ok=True)
    for name, figure in pictures().items():
        save(figure, folder / name)


def pictures() -> dict[str, Figure]:
    """Return all pictures by their file names."""
    with mpl.rc_context(style()):
        return {
            "concept-quantities.svg": quantities_figure(quantities()),
            "concept-overlap.svg": overlap_figure(),
            "concept-growth.svg": growth_figure(growth()),
        }


def style() -> dict[str, Any]:
    """Return the settings that all pictures share."""
    return {
        "font.size": 10,
        "axes.spines.top": False,
        "axes.spines.right": False,
        "axes.edgecolor": GREY,
        "axes.titlesize": 10.5,
        "axes.titlelocation": "left",
        "legend.frameon": False,
        "figure.facecolor": "white",
        "svg.hashsalt": "errbar",
    }


def save(figure: Figure, path: Path) -> None:
    """Write a picture; the same numbers give the same bytes."""
    with mpl.rc_context(style()):
        figure.savefig(path, metadata={"Date": None})


def quantities_figure(found: Quantities, shown: int = 12) -> Figure:
    """Draw R, PQ and the estimate of some data sets in rows, and estimate against risk for all of them."""
    figure = Figure(figsize=(8.4, 4.2), layout="constrained")
    left, right = figure.subplots(1, 2, width_ratios=(1.35, 1.0))
    place = np.arange(shown)
    left.hlines(place, found.risk[:shown], found.estimate[:shown], color="#D1D5DB", linewidth=1)
    left.plot(found.risk[:shown], place, "o", color=BLUE, label="R: the model fitted on all 100")
    left.plot(found.proxy[:shown], place, "^", color=GREEN, label="PQ: mean of the ten models")
    left.plot(
        found.estimate[:shown],
        place,
        "D",
        color=VERMILION,
        mfc="none",
        label="ten-fold cross-validation",
    )
    for size, dashes, words in ((100, "-", "ER(100)"), (90, "--", "ER(90)")):
        truth = POPULATION.least_squares_expected_risk(size)
        left.axvline(
            truth,
            color="black",
            linestyle=dashes,
            linewidth=1,
            zorder=0,
            label=f"{words} = {truth:.2f}",
        )
    left.set(
        xlabel="squared error",
        yticks=place,
        yticklabels=[str(i + 1) for i in place],
        ylabel="data set",
    )
    left.set_title("Twelve data sets of 100 examples")
    left.invert_yaxis()
    right.plot(
        found.risk, found.estimate, "o", color=BLUE, alpha=0.4, markersize=4, markeredgewidth=0
    )
    together = np.corrcoef(found.risk, found.estimate)[0, 1]
    right.set(xlabel="R, the risk of the model", ylabel="ten-fold cross-validation")
    right.set_title(f"{found.risk.size} data sets: correlation {together:.2f}".replace("-", "−"))
    figure.legend(*left.get_legend_handles_labels(), loc="outside lower center", ncols=3)
    return figure


def overlap_figure() -> Figure:
    """Draw which examples train and which test, for ten folds and for ten random splits of forty examples."""
    figure = Figure(figsize=(8.4, 3.2), layout="constrained")
    rng = np.random.default_rng(3)
    kinds = {
        "Ten folds": plans.KFold(10),
        "Random splits": plans.Subsampling(n_test=0.1, repeats=10),
    }
    for ax, (words, plan) in zip(figure.subplots(1, 2), kinds.items(), strict=True):
        drawn = plans.draw(plan, 40, rng).splits
        tests = np.zeros((10, 40))
        for row, split in enumerate(drawn):
            tests[row, split.test] = 1.0
        order = np.lexsort(tests[::-1]) if words == "Ten folds" else np.arange(40)
        colors = mpl.colors.ListedColormap(["#BFDCEE", VERMILION])
        ax.pcolormesh(tests[:, order[::-1]], cmap=colors, edgecolors="white", linewidth=0.6)
        ax.invert_yaxis()
        shared = [len(set(a.train) & set(b.train)) for i, a in enumerate(drawn) for b in drawn[:i]]
        ax.set_title(f"{words}: two of them share {np.mean(shared):.3g} of 36")
        ax.set(
            xlabel="example",
            ylabel="split",
            xticks=[],
            yticks=np.arange(10) + 0.5,
            yticklabels=range(1, 11),
        )
        ax.tick_params(length=0)
        ax.spines[:].set_visible(False)
    marks = [
        mpl.patches.Patch(color="#BFDCEE", label="trains"),
        mpl.patches.Patch(color=VERMILION, label="tests"),
    ]
    figure.legend(handles=marks, loc="outside lower center", ncols=2)
    return figure


def growth_figure(found: Growth) -> Figure:
    """Draw standard errors and shares of wrong rejections against the number of splits."""
    figure = Figure(figsize=(8.4, 3.7), layout="constrained")
    left, right = figure.subplots(1, 2)
    left.plot(COUNTS, found.true, "o", color="black", label="what it is, over data sets")
    left.plot(COUNTS, found.corrected, "-", color=BLUE, linewidth=2, label="corrected t")
    left.plot(COUNTS, found.naive, "--", color=VERMILION, linewidth=2, label="usual t")
    left.set_title("Standard error of the mean score")
    right.plot(COUNTS, 100 * found.wrong_corrected, "-", color=BLUE, linewidth=2)
    right.plot(COUNTS, 100 * found.wrong_naive, "--", color=VERMILION, linewidth=2)
    right.axhline(5.0, color="black", linewidth=1, linestyle=":")
    right.annotate(
        "5 %, as it should be",
        (100, 5.0),
        (0, -4),
        textcoords="offset points",
        ha="right",
        va="top",
    )
    right.set_title("Truth rejected at the 5 % level, in percent")
    for ax in (left, right):
        ax.set_xscale("log")
        ax.set(
            xlabel="number of splits", xticks=COUNTS, xticklabels=[str(count) for count in COUNTS]
        )
        ax.minorticks_off()
        ax.set_ylim(bottom=0)
    figure.legend(*left.get_legend_handles_labels(), loc="outside lower center", ncols=3)
    return figure


def setup(app: Sphinx) -> dict[str, bool]:
    """Draw before anything is read."""
    app.connect("builder-inited", generate)
    return {"parallel_read_safe": True, "parallel_write_safe": True}

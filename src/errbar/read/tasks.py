"""The mean of the means of tasks, as on leaderboards: every task counts the same, however many questions it has."""

from dataclasses import replace
from typing import Any

import numpy as np

from errbar.errors import InvalidInputError
from errbar.needs import FEWEST_CLUSTERS
from errbar.read.scores import from_losses
from errbar.table import LossTable


def of_equal_tasks(table: LossTable, *, new: bool) -> LossTable:
    """Return the table whose numbers have the mean of the means of tasks for their mean.

    Parameters
    ----------
    table : LossTable
        A number for each question, and seed if there are several, with the tasks as its clusters.
    new : bool
        Whether the tasks are the sample: then each is one example, with its mean. Else the result is about new questions of these tasks.

    Notes
    -----
    With n_t questions of variance s_t^2 in each of T tasks, the squared standard error of the mean of their means is the sum of
    s_t^2/n_t over T^2. Question i of task t contributes the mean M of all tasks plus its deviation from the mean of its task times
    sqrt(n (n - 1)/(n_t (n_t - 1)))/T: then the mean of the n contributions is M, and their variance over n that squared standard error.
    """
    design, cells, points = table.splits.designs[0], table.cells, table.points
    if design.clusters is None or cells is None or points is None:
        return table  # every task has one question
    seeds, seed = np.unique(table.splits.labels["seed"][cells.split], return_inverse=True)
    task, sizes = design.clusters[cells.example], np.bincount(design.clusters)
    fewest, needed = (sizes.size, FEWEST_CLUSTERS) if new else (sizes.min(), 2)
    if fewest < needed:
        what = (
            "tasks tell nothing about new tasks"
            if new
            else "question of a task tells nothing about others"
        )
        raise InvalidInputError(
            f"{fewest} {what}; at least {needed} are needed, or tasks='pooled' (--tasks pooled)"
        )
    shown = table.loss.sign * points  # (K, N)
    means = np.zeros((len(shown), seeds.size, sizes.size))  # (K, S, T)
    place: Any = (slice(None), seed, task)
    np.add.at(means, place, shown)
    means /= sizes
    if new:
        rows = means.reshape(len(shown), -1)
        labels: dict[str, Any] = {"example": np.tile(np.arange(sizes.size), seeds.size)}
        seed = np.repeat(np.arange(seeds.size), sizes.size)
    else:
        weight = np.sqrt(sizes.sum() * (sizes.sum() - 1.0) / (sizes * (sizes - 1.0))) / sizes.size
        centre = means.mean(axis=2)[:, seed]
        rows = centre + weight[task] * (shown - means[place])
        labels = {"example": cells.example}
    if seeds.size > 1:
        labels["seed"] = seed
    made = from_losses(
        rows.T,
        names=table.learners,
        metric=table.loss.key,
        higher_is_better=table.loss.higher_is_better,
        **labels,
    )
    # Contributions are no losses of questions: few questions may carry the variance, as for a metric.
    loss = made.loss if new else replace(table.loss, pointwise=False, influence=True)
    return replace(made, loss=loss, notes=table.notes)

"""The mean of the means of tasks, as on leaderboards: every task counts the same, however many questions it has."""

from dataclasses import replace
from typing import Any

import numpy as np

from errbar._check import FloatArray, IntArray
from errbar.errors import InvalidInputError
from errbar.needs import FEWEST_CLUSTERS
from errbar.read.losses import from_losses
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
    design = table.splits.designs[0]
    assert table.points is not None
    assert table.cells is not None
    if design.clusters is None or design.cluster_names is None:
        return table  # every task has one question
    seed, task = table.splits.labels["seed"][table.cells.split], design.clusters[table.cells.example]
    shown = table.loss.sign * table.points
    named: dict[str, Any] = {"metric": table.loss.key, "higher_is_better": table.loss.higher_is_better}
    seeds = np.unique(seed)
    means = np.stack(
        [_means(shown[:, seed == one], task[seed == one]) for one in seeds], axis=1
    )  # (learners, seeds, T)
    several = seeds.size > 1
    if new:
        count = means.shape[2]
        if count < FEWEST_CLUSTERS:
            raise InvalidInputError(
                f"{count} tasks tell nothing about new tasks, for which at least {FEWEST_CLUSTERS} are needed; leave `groups` out for new questions of "
                "these tasks"
            )
        if several:
            named |= {"seed": np.repeat(seeds, count), "example": np.tile(np.arange(count), seeds.size)}
        rows = means.reshape(len(table.learners), -1)
        made = from_losses(dict(zip(table.learners, rows, strict=True)), **named)
        return replace(made, notes=table.notes)
    sizes = np.bincount(design.clusters)
    if sizes.min() < 2:
        raise InvalidInputError(
            f"task {str(design.cluster_names[sizes.argmin()])!r} has one question, which tells nothing about new questions of it; say "
            "tasks='pooled' (--tasks pooled) for the mean over all questions"
        )
    n = sizes.sum()
    weight = np.sqrt(n * (n - 1.0) / (sizes * (sizes - 1.0))) / sizes.size
    place = np.searchsorted(seeds, seed)
    rows = means.mean(axis=2)[:, place] + weight[task] * (shown - means[:, place, task])
    named |= {"seed": seed} if several else {}
    made = from_losses(dict(zip(table.learners, rows, strict=True)), example=table.cells.example, **named)
    # Such numbers are no losses of questions: few questions may carry the variance, as for a metric.
    loss = replace(table.loss, pointwise=False, influence=True)
    return replace(made, loss=loss, notes=table.notes)


def _means(shown: FloatArray, task: IntArray) -> FloatArray:
    """Return the mean of each learner on each task."""
    counts = np.bincount(task)
    return np.stack([np.bincount(task, weights=own) / counts for own in shown])

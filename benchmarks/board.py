"""How often the intervals of all ranks of a board cover, how wide they are, and how long a large board takes.

Run ``python benchmarks/board.py`` for the coverage of 1000 boards of each kind (100 where means differ), ``--time`` for the seconds of
200 models on 10 000 items, ``--solved`` for a list of 500 instances whose top nine are equal but for 0.4 points, and ``--livebench FILE`` for what a real board says with items, and with tasks, as the sample.
"""

import argparse
import time
from itertools import product

import numpy as np
from scipy import special

import errbar

SHAPES = {
    # models, items, tasks, what is averaged, what is the sample
    "10 models, 100 items": (10, 100, 1, "pooled", "items"),
    "20 models, 10 items": (20, 10, 1, "pooled", "items"),
    "50 models, 500 items of 10 tasks, equal": (50, 500, 10, "equal", "items"),
    "100 models, 1000 items of 50 tasks, new tasks": (100, 1000, 50, "equal", "tasks"),
}
TRUTHS = ("equal", "half equal", "spread")
SCORES = ("right or wrong", "graded")
FAMILY = 5


def truth_of(kind, models, rng):
    """Return what each model's expected score is beyond 0.5."""
    if kind == "equal":
        return np.zeros(models)
    spread = rng.normal(0.0, 0.04, models).clip(-0.08, 0.08)
    return (
        np.where(np.arange(models) < models // 2, 0.0, spread) if kind == "half equal" else spread
    )


def simulated(shape, truth, scores, rng):
    """Return a board, and the expected scores of its models.

    Items and tasks are hard or easy, models good at some tasks; those of one family go wrong together.
    """
    models, items, tasks, mean, clusters = SHAPES[shape]
    better = truth_of(truth, models, rng)
    task = np.sort(rng.permutation(items) % tasks)
    if mean == "equal" and clusters == "items":  # tasks of unlike sizes
        share = np.arange(1, tasks + 1) / (tasks * (tasks + 1) / 2)
        more = rng.choice(tasks, items - 5 * tasks, p=share)
        task = np.sort(np.concatenate([np.arange(tasks).repeat(5), more]))
    own = rng.uniform(-0.1, 0.1, (models, tasks))
    if clusters == "items":
        own -= own.mean(axis=1, keepdims=True)  # the answer is about these tasks
    hard = rng.uniform(-0.1, 0.1, tasks)[task] + rng.uniform(-0.1, 0.1, items)
    chance = 0.5 + better[:, np.newaxis] + own[:, task] + hard
    family = np.arange(models) // FAMILY
    shared = rng.normal(size=(family.max() + 1, items))[family]
    luck = np.sqrt(0.5) * (shared + rng.normal(size=(models, items)))
    if scores == "graded":
        values = chance + 0.2 * (np.exp(0.7 * luck) - np.exp(0.245))
    else:
        values = (special.ndtr(luck) < chance).astype(float)
    board = errbar.Board(
        models=tuple(f"m{j}" for j in range(models)),
        tasks=tuple(f"t{t}" for t in range(tasks)),
        task=task,
        values=values,
        measure="score",
        higher_is_better=True,
        mean=mean,
        clusters=clusters,
        level=0.95,
        seed=int(rng.integers(2**31)),
    )
    return board, better


def covers(board, truth):
    """Return whether the intervals hold all ranks, of equal models all that they share, and their mean width as a share of the models."""
    places = {place.model: place for place in board.places}
    first = np.array([places[name].first for name in board.models])
    last = np.array([places[name].last for name in board.models])
    better = np.subtract.outer(truth, truth) > 0.0
    best, worst = 1 + better.sum(axis=0), truth.size - better.sum(axis=1)
    return bool((first <= best).all() and (last >= worst).all()), (
        last - first + 1
    ).mean() / truth.size


def coverage(shape, truth, scores, boards, seed=0):
    """Return how often all ranks are covered, and the mean width of the intervals."""
    rng = np.random.default_rng([seed, len(shape), TRUTHS.index(truth), SCORES.index(scores)])
    found = [covers(*simulated(shape, truth, scores, rng)) for _ in range(boards)]
    return tuple(np.mean(found, axis=0))


def solved(seed=0):
    """Return a list of 134 agents on 500 instances, of whose top nine the true shares differ by 0.4 points in all."""
    rng = np.random.default_rng(seed)
    share = np.concatenate([np.linspace(0.752, 0.748, 9), np.linspace(0.62, 0.20, 125)])
    easy = rng.normal(size=500) * 1.6
    start = special.logit(share)
    for _ in range(50):  # until the mean chance over these instances is the share
        start += special.logit(share) - special.logit(
            special.expit(start[:, np.newaxis] + easy).mean(axis=1)
        )
    values = (rng.random((share.size, 500)) < special.expit(start[:, np.newaxis] + easy)).astype(
        float
    )
    return {f"agent {j + 1}": row for j, row in enumerate(values)}


def timed():
    """Return the seconds that 200 models on 10 000 items take."""
    rng = np.random.default_rng(0)
    skill = np.linspace(0.3, 0.7, 200)[:, np.newaxis]
    values = {f"m{j}": row for j, row in enumerate((rng.random((200, 10_000)) < skill) * 1.0)}
    start = time.process_time()
    board = errbar.board(values, metric="accuracy")
    assert len(board.places) == 200  # ranks and groups are computed where they are first asked for
    assert board.groups
    return time.process_time() - start


def main():
    asked = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    asked.add_argument("--boards", type=int, default=1000)
    asked.add_argument("--time", action="store_true")
    asked.add_argument("--solved", action="store_true")
    asked.add_argument("--livebench", metavar="FILE")
    asked = asked.parse_args()
    if asked.time:
        print(f"200 models x 10000 items: {timed():.2f} s")
        return
    if asked.solved:
        board = errbar.board(solved(), metric="resolved", higher_is_better=True)
        print(len(board.leaders), "may rank first", *board.places[:10], sep="\n  ")
        return
    if asked.livebench:
        for clusters in ("items", "tasks"):
            board = errbar.board(
                asked.livebench, answer="tstamp", tasks="equal", missing="models", clusters=clusters
            )
            print(clusters, len(board.leaders), board.groups[0], *board.places[:5], sep="\n  ")
        return
    print("shape,truth,scores,boards,covered,width")
    for truth, shape, scores in product(TRUTHS, SHAPES, SCORES):
        # Where all are equal, each wrong step of one pair is a rank that is not covered.
        boards = asked.boards if truth == "equal" else asked.boards // 10
        covered, width = coverage(shape, truth, scores, boards)
        print(f'"{shape}",{truth},{scores},{boards},{covered:.3f},{width:.2f}', flush=True)


if __name__ == "__main__":
    main()

"""Coverage and width of method "known" for a new model on part of a board, beside the plain interval of its answers alone.

Each model of a board is the new one in turn, and m questions drawn at random are asked of it. The
truth is its mean over the whole board. The plain interval is Student's t with the correction for a
finite population, sqrt((1 - m/N) s^2/m); of differences, of the paired ones. `against` is what is
estimated: the mean of a new model, its difference to a known one, and that of two new ones, whose
board lacks both. Boards: "livebench" (41 models with all 1136 questions; needs ERRBAR_DATA),
"simulated" (40 models right or wrong in 1000 questions, with a difficulty and two abilities), and
"unrelated" (the same number of models and questions, all answers independent). `width` is the ratio of
mean widths, known over plain, and `error` that of root mean squared errors.

    python benchmarks/known.py > docs/studies/numbers/known.csv
"""

import argparse
import math
import os
from pathlib import Path

import numpy as np
from scipy import special

import errbar
from errbar.reading.known import predictions

MODELS, QUESTIONS = 40, 1000
ASKED = 25, 50, 100, 200, 400


def livebench():
    """Return the answers of the models that have all questions, shape (1136, 41)."""
    import pandas as pd

    frame = pd.read_parquet(Path(os.environ["ERRBAR_DATA"]) / "livebench.parquet")
    board = frame.pivot_table(index="question_id", columns="model", values="score")
    return board.dropna(axis=1).to_numpy()


def simulated(rng):
    """Return answers of models by an item response model: one ability for all questions, and one for a third of them."""
    difficulty = 1.5 * rng.standard_normal((QUESTIONS, 1))
    ability, special_one = rng.standard_normal((2, MODELS))
    third = rng.uniform(size=(QUESTIONS, 1)) < 1.0 / 3.0
    chance = special.expit(1.2 * ability + third * special_one - difficulty)
    return (rng.uniform(size=chance.shape) < chance).astype(float)


def unrelated(rng):
    """Return answers that say nothing of each other."""
    rates = rng.uniform(0.2, 0.8, MODELS)
    return (rng.uniform(size=(QUESTIONS, MODELS)) < rates).astype(float)


def losses_of(answers, predicted, asked):
    """Return what the method takes: answers to what was asked, and predictions of all."""
    places = np.flatnonzero(asked)
    return errbar.Losses(
        np.concatenate([answers[asked], predicted]),
        judge=np.repeat([0, 1], [places.size, predicted.size]),
        example=np.concatenate([places, np.arange(predicted.size)]),
    )


def plain_interval(values, total):
    """Return Student's interval of a mean of values drawn from a finite population."""
    m = values.size
    reach = special.stdtrit(m - 1, 0.975) * math.sqrt((1.0 - m / total) * values.var(ddof=1) / m)
    return values.mean() - reach, values.mean() + reach


def runs(board, count, draws, rng):
    """Yield against what, and what two intervals come to, for each model and draw of questions."""
    total, models = board.shape
    for _ in range(draws):
        for new in range(models):
            asked = np.isin(np.arange(total), rng.choice(total, count, replace=False))
            other = (new + rng.integers(1, models)) % models
            pair = board[:, [new, other]]
            truth = pair.mean(axis=0)
            own = predictions(np.delete(board, new, axis=1), asked, pair[asked, 0])
            one = losses_of(pair[:, 0], own, asked)
            yield "none", truth[0], errbar.methods.known(one), pair[asked, 0]
            # The index of both must be one for a difference.
            known = losses_of(pair[:, 1], pair[:, 1], asked)
            difference, gap = pair[asked, 0] - pair[asked, 1], truth[0] - truth[1]
            yield "known", gap, errbar.methods.known(one.minus(known)), difference
            rest = np.delete(board, [new, other], axis=1)
            both = [
                losses_of(pair[:, k], predictions(rest, asked, pair[asked, k]), asked)
                for k in (0, 1)
            ]
            yield "new", gap, errbar.methods.known(both[0].minus(both[1])), difference


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--draws", type=int, default=30)
    arguments = parser.parse_args()
    print("board,against,asked,runs,coverage,plain_coverage,width,error")
    boards = {"livebench": lambda _: livebench(), "simulated": simulated, "unrelated": unrelated}
    for name, made in boards.items():
        if name == "livebench" and "ERRBAR_DATA" not in os.environ:
            continue
        rng = np.random.default_rng(1)
        board = made(rng)
        for count in ASKED:
            found = {against: [] for against in ("none", "known", "new")}
            for against, truth, result, values in runs(board, count, arguments.draws, rng):
                low, high = plain_interval(values, len(board))
                found[against].append(
                    (
                        result.low <= truth <= result.high,
                        low <= truth <= high,
                        result.high - result.low,
                        high - low,
                        (result.estimate - truth) ** 2,
                        (values.mean() - truth) ** 2,
                    )
                )
            for against, each in found.items():
                cover, plain, width, wide, square, squares = np.mean(each, axis=0)
                print(
                    f"{name},{against},{count},{len(each)},{cover:.4f},{plain:.4f},"
                    f"{width / wide:.3f},{math.sqrt(square / squares):.3f}",
                    flush=True,
                )


if __name__ == "__main__":
    main()

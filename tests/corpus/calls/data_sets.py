"""Several data sets: ranks, tests of pairs, and posteriors."""

import numpy as np

from tests.corpus import face
from tests.corpus.data import learners, normal, stream

SIDES = ("two-sided", "less", "greater")


def data(name):
    rng = stream("data sets", name)
    if name == "ties":
        return {key: np.round(column, 1) for key, column in learners(rng, 4, 12).items()}
    if name == "equal":
        return {key: np.arange(6.0) for key in "abc"}
    count, size = {
        "three": (3, 10),
        "five": (5, 14),
        "eight": (8, 20),
        "two": (2, 9),
        "few": (3, 2),
        "clear": (3, 12),
    }[name]
    return learners(rng, count, size, shift=3.0 if name == "clear" else 0.15)


def calls():
    for name in ("three", "five", "eight", "two", "few", "clear", "ties", "equal"):
        for higher in (False, True):
            made = lambda n=name, h=higher: face.datasets.data_sets(data(n), higher_is_better=h)
            words = f"{name}, {'higher' if higher else 'lower'}"
            yield f"ranks {words}", lambda m=made: face.datasets.ranks(m())
            yield f"friedman {words}", lambda m=made: face.datasets.friedman(m())
        yield (
            f"friedman {name}, chi-square",
            lambda m=made: face.datasets.friedman(m(), correction="none", level=0.9),
        )
        yield f"mean ranks {name}", lambda m=made: face.datasets.mean_ranks(m())
        yield f"nemenyi {name}", lambda m=made: face.datasets.nemenyi(m())
        yield f"holm {name}, baseline", lambda m=made: face.datasets.holm(m(), baseline="a")
        for adjust in face.ADJUSTMENTS:
            yield (
                f"holm {name}, {adjust}",
                lambda m=made, a=adjust: face.datasets.holm(m(), adjust=a),
            )
        for post_hoc in ("nemenyi", "holm", "wilcoxon"):
            yield (
                f"ranks {name} by {post_hoc}",
                lambda m=made, p=post_hoc: face.datasets.ranks(m(), post_hoc=p, level=0.9),
            )
            if post_hoc != "nemenyi":
                yield (
                    f"ranks {name} by {post_hoc}, baseline",
                    lambda m=made, p=post_hoc: face.datasets.ranks(
                        m(), post_hoc=p, baseline="b", adjust="hommel"
                    ),
                )
    for k in (2, 3, 5, 10, 20):
        for level in (0.95, 0.9):
            yield (
                f"critical difference of {k}, {level}",
                lambda k=k, at=level: face.datasets.critical_difference(k, 15, at),
            )
    yield "ranks by an unknown test", lambda m=made: face.datasets.ranks(m(), post_hoc="tukey")
    yield (
        "all pairs with a baseline",
        lambda m=made: face.datasets.ranks(m(), post_hoc="nemenyi", baseline="b"),
    )
    yield from pairs()


def differences():
    rng = stream("differences")
    yield "twelve", normal(rng, 12, mean=0.02, sd=0.03)
    yield "ties", np.round(normal(rng, 15, mean=0.02, sd=0.05), 2)
    yield "many", normal(rng, 60, mean=0.01, sd=0.05)
    yield "zeros", [0.0, 0.1, 0.0, -0.05, 0.2, 0.02]
    yield "few", [0.1, 0.2]
    yield "only zeros", [0.0] * 5


def pairs():
    for name, values in differences():
        for side in SIDES:
            yield (
                f"wilcoxon {name}, {side}",
                lambda v=values, s=side: face.datasets.wilcoxon(v, alternative=s),
            )
            yield (
                f"sign test {name}, {side}",
                lambda v=values, s=side: face.datasets.sign_test(v, alternative=s),
            )
        for options in ({"zeros": "pratt"}, {"law": "normal"}, {"null": 0.01, "level": 0.9}):
            words = " ".join(f"{key}={value}" for key, value in options.items())
            yield (
                f"wilcoxon {name} {words}",
                lambda v=values, o=options: face.datasets.wilcoxon(v, **o),
            )
        yield (
            f"sign test {name} split",
            lambda v=values: face.datasets.sign_test(v, zeros="split", level=0.9),
        )
        for rope in (0.0, 0.01):
            yield (
                f"posterior signs {name}, rope={rope}",
                lambda v=values, r=rope: face.datasets.bayesian_sign(v, rope=r, samples=2000),
            )
            yield (
                f"posterior signed ranks {name}, rope={rope}",
                lambda v=values, r=rope: face.datasets.bayesian_signed_rank(
                    v, rope=r, samples=2000
                ),
            )
        yield (
            f"posterior signed ranks {name}, prior",
            lambda v=values: face.datasets.bayesian_signed_rank(
                v, prior=1.0, samples=1000, random_state=3
            ),
        )

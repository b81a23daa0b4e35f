"""Planning: power, detectable differences, numbers needed, pilots, seeds and examples, clusters."""

import itertools

from tests.corpus import face
from tests.corpus.calls.designs import Once

SIDES = ("two-sided", "less", "greater")
SIZES = {"n_train": 270, "n_test": 30}


def calls():
    yield from studies()
    yield from pilots()
    yield from crossed()
    yield from clusters()


def studies():
    spreads = {
        "deviation": {"deviation": 0.02},
        "variance": {"variance": 0.0004, "correlation": 0.1},
        "correlation": {"deviation": 0.05, "correlation": 0.3},
    }
    for (name, spread), side, level in itertools.product(spreads.items(), SIDES, (0.95, 0.9)):
        if level == 0.9 and side != "two-sided":
            continue
        common = spread | SIZES | {"alternative": side, "level": level}
        words = f"{name}, {side}, {level}"
        away = -0.02 if side == "less" else 0.02
        for difference in (away, 2 * away, -away, 0.0):
            yield (
                f"power at {difference}, {words}",
                lambda d=difference, c=common: face.planning.power(d, **c),
            )
        for repeats in (5, 30):
            yield (
                f"detectable, {repeats} splits, {words}",
                lambda r=repeats, c=common: face.planning.detectable_difference(repeats=r, **c),
            )
            yield (
                f"detectable by 0.9, {repeats} splits, {words}",
                lambda r=repeats, c=common: face.planning.detectable_difference(
                    0.9, repeats=r, **c
                ),
            )
        yield (
            f"splits needed, {words}",
            lambda c=common, d=away: face.planning.smallest_repeats(2 * d, **c),
        )
        yield f"study, {words}", lambda c=common, d=away: face.planning.plan_study(d, **c)
        yield f"study without a difference, {words}", lambda c=common: face.planning.plan_study(**c)
        if level == 0.95:
            yield f"curve, {words}", lambda c=common: face.planning.power_curve(**c)
    for side in SIDES:
        yield (
            f"examples needed, {side}",
            lambda s=side: face.planning.smallest_examples(
                -0.02 if s == "less" else 0.02, deviation=0.05, n_test=30, alternative=s
            ),
        )
    yield (
        "splits needed, too small a difference",
        lambda: face.planning.smallest_repeats(0.001, deviation=0.05, **SIZES),
    )
    yield "neither deviation nor variance", lambda: face.planning.power(0.01, **SIZES)
    yield "deviation below 0", lambda: face.planning.power(0.01, deviation=-1.0, **SIZES)
    yield "power of 1", lambda: face.planning.detectable_difference(1.0, deviation=0.1, **SIZES)


def pilots():
    table = Once()
    for name in (
        "random splits",
        "splits, kind unsaid",
        "fold scores",
        "repeated fold scores",
        "folds",
        "holdout",
        "two splits",
    ):
        yield f"pilot of {name}", lambda n=name: face.planning.pilot(table(n), "a", "b")
        yield (
            f"study by {name}",
            lambda n=name: face.planning.plan_study(
                0.1, pilot=face.planning.pilot(table(n), "a", "b")
            ),
        )
        yield (
            f"study by {name}, less",
            lambda n=name: face.planning.plan_study(
                -0.2,
                0.9,
                pilot=face.planning.pilot(table(n), "a", "b"),
                repeats=30,
                alternative="less",
                level=0.9,
            ),
        )


def crossed():
    table = Once()
    assumed = {
        "equal": lambda: face.planning.CrossedComponents(0.01, 0.04, 0.02),
        "seeds": lambda: face.planning.CrossedComponents(0.05, 0.01, 0.01),
        "no seeds": lambda: face.planning.CrossedComponents(0.0, 0.04, 0.02),
    }
    pilots = {
        name: lambda n=name: face.planning.crossed_components(table(n), "a", "b")
        for name in ("seeds", "seeds, zero-one", "seeds beside folds", "holdout", "one seed")
    }
    shared = {
        f"{name}, shared": lambda n=name: face.planning.crossed_components(
            table(n), "a", "b", seeds="shared"
        )
        for name in ("seeds", "seeds, zero-one")
    }
    for name, parts in (
        assumed | {f"pilot {key}": one for key, one in (pilots | shared).items()}
    ).items():
        yield f"seeds x examples, {name}: components", parts
        if face.refuses(parts):
            continue
        for words, asked in {
            "sizes": {"seeds": 5, "examples": 200},
            "difference": {"seeds": 5, "examples": 200, "difference": 0.1},
            "few": {"seeds": 2, "examples": 20, "difference": 0.3, "power": 0.9},
            "costs": {
                "seeds": 5,
                "examples": 100,
                "difference": 0.2,
                "cost_seed": 3.0,
                "cost_example": 0.05,
            },
            "less": {
                "seeds": 4,
                "examples": 50,
                "difference": -0.2,
                "alternative": "less",
                "level": 0.9,
            },
            "unsaid": {},
        }.items():
            yield (
                f"seeds x examples, {name}: {words}",
                lambda p=parts, a=asked: face.planning.plan_crossed(p(), **a),
            )


def clusters():
    table = Once()
    assumed = {
        "equal": lambda: face.planning.ClusterComponents(0.02, 0.17),
        "unequal": lambda: face.planning.ClusterComponents(0.02, 0.17, variation=0.5),
        "alike": lambda: face.planning.ClusterComponents(0.2, 0.01),
    }
    pilots = {
        name: lambda n=name: face.planning.cluster_components(table(n), "a", "b")
        for name in ("groups", "groups of folds", "holdout", "seeds in groups", "time")
    }
    for name, parts in (assumed | {f"pilot {key}": one for key, one in pilots.items()}).items():
        yield f"clusters, {name}: components", parts
        if face.refuses(parts):
            continue
        for words, asked in {
            "sizes": {"clusters": 40, "per_cluster": 5},
            "difference": {"clusters": 40, "per_cluster": 5, "difference": 0.2},
            "few": {"clusters": 6, "per_cluster": 3, "difference": 0.5, "power": 0.9},
            "costs": {
                "clusters": 30,
                "per_cluster": 4,
                "difference": 0.2,
                "cost_cluster": 10.0,
                "cost_example": 1.0,
            },
            "greater": {
                "clusters": 20,
                "per_cluster": 2,
                "difference": 0.3,
                "alternative": "greater",
                "level": 0.9,
            },
            "unsaid": {},
        }.items():
            yield (
                f"clusters, {name}: {words}",
                lambda p=parts, a=asked: face.planning.plan_clusters(p(), **a),
            )

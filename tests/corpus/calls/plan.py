"""Planning: power, detectable differences, numbers needed, pilots, seeds and examples, clusters."""

import itertools

from tests.corpus import face
from tests.corpus.calls.designs import Once

SIDES = ("two-sided", "less", "greater")


def calls():
    yield from studies()
    yield from pilots()
    yield from crossed()
    yield from clusters()


def splits(deviation):
    return face.planning.SplitComponents(deviation, n_train=270, n_test=30)


def studies():
    plan = face.planning.plan_study
    for side, level in itertools.product(SIDES, (0.95, 0.9)):
        if level == 0.9 and side != "two-sided":
            continue
        common = {"alternative": side, "level": level}
        words = f"deviation, {side}, {level}"
        away = -0.02 if side == "less" else 0.02
        for difference in (away, 2 * away, -away, 0.0):
            yield (
                f"power at {difference}, {words}",
                lambda d=difference, c=common: plan(splits(0.02), d, **c).power,
            )
        for repeats, power in itertools.product((5, 30), (0.8, 0.9)):
            asked = common | {"power": power, "repeats": repeats}
            by = "" if power == 0.8 else " by 0.9"
            yield (
                f"detectable{by}, {repeats} splits, {words}",
                lambda a=asked: plan(splits(0.02), **a).detectable,
            )
        yield (
            f"splits needed, {words}",
            lambda c=common, d=away: plan(splits(0.02), 2 * d, **c).smallest[0],
        )
        yield f"study, {words}", lambda c=common, d=away: plan(splits(0.02), d, **c)
        yield f"study without a difference, {words}", lambda c=common: plan(splits(0.02), **c)
        if level == 0.95:
            yield (
                f"curve, {words}",
                lambda c=common: next(iter(plan(splits(0.02), **c).curves().values())),
            )
    for side in SIDES:
        yield (
            f"examples needed, {side}",
            lambda s=side: plan(
                splits(0.05), -0.02 if s == "less" else 0.02, alternative=s
            ).smallest[1],
        )
    yield "too small a difference", lambda: plan(splits(0.05), 0.001)
    yield "deviation below 0", lambda: splits(-1.0)
    yield "power of 1", lambda: plan(splits(0.1), power=1.0)
    yield "a cost of splits", lambda: plan(splits(0.1), cost_example=1.0)


def pilots():
    table = Once()
    pilot, plan = face.planning.pilot, face.planning.plan_study
    for name in (
        "random splits",
        "splits, kind unsaid",
        "fold scores",
        "repeated fold scores",
        "folds",
        "holdout",
        "two splits",
    ):
        yield f"pilot of {name}", lambda n=name: pilot(table(n), "a", "b")
        yield f"study by {name}", lambda n=name: plan(pilot(table(n), "a", "b"), 0.1)
        yield (
            f"study by {name}, less",
            lambda n=name: plan(
                pilot(table(n), "a", "b"), -0.2, 0.9, repeats=30, alternative="less", level=0.9
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
        name: lambda n=name: face.planning.pilot(table(n), "a", "b", design="crossed")
        for name in ("seeds", "seeds, zero-one", "seeds beside folds", "holdout", "one seed")
    }
    shared = {
        f"{name}, shared": lambda n=name: face.planning.pilot(
            table(n), "a", "b", design="crossed", seeds="shared"
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
                lambda p=parts, a=asked: face.planning.plan_study(p(), **a),
            )


def clusters():
    table = Once()
    assumed = {
        "equal": lambda: face.planning.ClusterComponents(0.02, 0.17),
        "unequal": lambda: face.planning.ClusterComponents(0.02, 0.17, variation=0.5),
        "alike": lambda: face.planning.ClusterComponents(0.2, 0.01),
    }
    pilots = {
        name: lambda n=name: face.planning.pilot(table(n), "a", "b", design="clusters")
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
                lambda p=parts, a=asked: face.planning.plan_study(p(), **a),
            )

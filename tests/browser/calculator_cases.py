"""Inputs of the calculator, as its form has them, and what the library says of the same numbers."""

from typing import Any, NamedTuple

import numpy as np

import errbar
from errbar import methods

COUNTS = ("both_right", "only_a", "only_b", "both_wrong")
LEVELS = ("80", "90", "95", "97.5", "99", "99.9")
SEPARATORS = {
    "tab": ("\t", "."),
    "comma": (",", "."),
    "semicolon": (" ; ", ","),
    "space": ("  ", ","),
}
NAMES = ("tree", "nearest neighbour")


class Said(NamedTuple):
    """What the library says: its result, whether a test was asked for, and for folds the curve of rho."""

    result: errbar.Result
    tested: bool
    curve: Any = None


def text_of(columns, names, kind):
    """Write columns as people paste them."""
    separator, decimal = SEPARATORS[kind]
    numbers = [[repr(float(value)).replace(".", decimal) for value in column] for column in columns]
    rows = [separator.join(row) for row in zip(*numbers, strict=True)]
    head = (
        [separator.join(name.replace(" ", "_") if kind == "space" else name for name in names)]
        if names
        else []
    )
    return "\n".join(head + rows)


def some_scores(rng):
    """Return scores of splits as the form has them: few splits and many, clear differences and none, all options."""
    folds = bool(rng.random() < 0.6)
    count = int(rng.choice([2, 3, 5, 10, 10, 15, 20, 30, 150]))
    digits = int(rng.choice([2, 3, 16]))
    first = rng.uniform(0.1, 0.8, count)
    spread, gap = 10.0 ** rng.uniform(-3, -1), rng.choice([-1, 1]) * 10.0 ** rng.uniform(-4, -0.5)
    columns = [first.round(digits), (first - gap + spread * rng.normal(size=count)).round(digits)]
    given = str(rng.choice(["pair", "pair", "model", "differences"]))
    if given == "differences":
        columns = [(columns[0] - columns[1]).round(digits)]
    columns = columns[: 1 if given != "pair" else 2]
    columns[-1][0] += 1e-3
    n_test = int(rng.integers(1, 60))
    kind = (
        str(rng.choice(["tab", "comma", "semicolon", "space"]))
        if len(columns) == 2
        else "semicolon"
    )
    state = {
        "what": "scores", "data": text_of(columns, (), kind), "a": NAMES[0], "b": NAMES[1],
        "splits": "folds" if folds else "random", "column": "differences" if given == "differences" else "model",
        "n_train": n_test * (count - 1) if folds else int(rng.integers(50, 900)), "n_test": n_test,
        "measure": str(rng.choice(["", "error", "mean rank"])), "direction": str(rng.choice(["lower", "higher"])),
        "level": str(rng.choice(LEVELS)), "rho": str(rng.choice([0.0, 0.7, 0.25, 0.526, 0.99])),
    }  # fmt: skip
    if given == "pair" and rng.random() < 0.4:
        state["data"] = text_of(columns, NAMES, kind)
    if rng.random() < 0.2:
        state["stratified"] = "yes"
    if given == "model" and rng.random() < 0.5:
        state["null"] = str(round(float(columns[0].mean()), 1))
    return state, [np.asarray(column, dtype=float) for column in columns]


def some_counts(rng):
    """Return how often two models were right: few examples and many, none on which they differ, only such."""
    size = int(10 ** rng.uniform(0.3, 6))
    counts = np.round(size * rng.dirichlet([1.0, 0.3, 0.3, 0.5])).astype(int)
    counts[0] += 2 * (counts.sum() < 2)
    for name in rng.choice(4, int(rng.choice([0, 0, 1, 2])), replace=False):
        counts[name] = 0 if counts.sum() > counts[name] + 1 else counts[name]
    state = dict(zip(COUNTS, counts.tolist(), strict=True))
    return state | {"what": "pair", "a": NAMES[0], "b": NAMES[1], "level": str(rng.choice(LEVELS))}


def some_errors(rng):
    """Return errors of one model."""
    n = int(10 ** rng.uniform(0.31, 6))
    x = int(rng.choice([0, n, rng.integers(0, n + 1), min(n, 3)]))
    null = {"null": str(round(rng.uniform(0, 1), 2))} if rng.random() < 0.5 else {}
    return {
        "what": "single",
        "errors": x,
        "n": n,
        "a": NAMES[0],
        "level": str(rng.choice(LEVELS)),
    } | null


def said_of_scores(state, columns):
    """Return what the library says of scores, by method; differences are those of a model to one that scores 0."""
    pair, differences = len(columns) == 2, state["column"] == "differences"
    folds = state["splits"] == "folds"
    common = {
        "n_train": state["n_train"],
        "n_test": state["n_test"],
        "stratified": "stratified" in state,
    }
    common |= {"kind": "kfold" if folds else "subsampling", "metric": state["measure"] or "score"}
    common |= {"higher_is_better": state["direction"] == "higher"}
    names = [
        other if (other := name.replace(" ", "_")) in state["data"] else name for name in NAMES
    ]
    shown = [" minus ".join(names)] if differences else names
    own = errbar.from_scores(dict(zip(shown, columns, strict=False)), **common)
    asked = {"level": level_of(state)} | null_of(state)
    found = {}
    for method in ("corrected-t", "kfold-t")[: 1 + folds]:
        options = {"rho": float(state["rho"])} if method == "kfold-t" else {}
        result = errbar.infer(
            own, method, shown[0], minus=names[1] if pair else None, **asked, **options
        )
        found[method] = Said(result, pair or differences or "null" in state)
    if folds:
        value = errbar.losses.difference(*columns) if pair else columns[0]
        curve = methods.rho_sensitivity(
            errbar.Losses(value, n_train=state["n_train"], n_test=state["n_test"]), **asked
        )
        found["kfold-t"] = found["kfold-t"]._replace(curve=curve)
    return found


def said_of_counts(state):
    """Return what the library says of two models, by method."""
    right, only_a, only_b, wrong = (state[name] for name in COUNTS)
    counts = errbar.Discordance(only_b, only_a, n=right + only_a + only_b + wrong, both=wrong)
    results = (
        methods.mcnemar(counts, level=level_of(state)),
        methods.paired_proportions(counts, level=level_of(state)),
    )
    return {one.method: Said(one, tested=True) for one in results}


def said_of_errors(state):
    """Return what the library says of one model."""
    losses = np.repeat([1, 0], [state["errors"], state["n"] - state["errors"]])
    result = methods.binomial(errbar.Losses(losses), level=level_of(state), **null_of(state))
    return {"binomial": Said(result, "null" in state)}


def level_of(state):
    return float(state["level"] + "e-2")


def null_of(state):
    return {"null": float(state["null"])} if "null" in state else {}


def cases(rng, count):
    """Yield states of the form with what the library says of them: as many scores as counts and errors together."""
    for number in range(count):
        if number % 2:
            state, columns = some_scores(rng)
            yield state, said_of_scores(state, columns)
        elif number % 4:
            state = some_counts(rng)
            yield state, said_of_counts(state)
        else:
            state = some_errors(rng)
            yield state, said_of_errors(state)

"""Faults in how data are split."""

from tests.faults.fault import planted

_CATALOGUE = "tests/test_plans_of_the_catalogue.py"

FAULTS = (
    *planted(
        "nested folds",
        "plans/nested.py",
        (f"{_CATALOGUE} -k 'TestNestedKFold or TestAll'", "tests/methods/test_nested_cv.py"),
        ("outer fold in inner training sets", "_without(n, left_out, test)", "_without(n, test)"),
        ("inner fold in its training set", "_without(n, left_out, test)", "_without(n, left_out)"),
        ("inner and outer swapped in the labels", '"fold": fold, "inner": inner}', '"fold": inner, "inner": fold}'),
        ("same folds in all repeats", "partition(n, self.folds, base, repeat)", "partition(n, self.folds, base, 0)"),
        (
            "outer fold among the inner ones",
            "                    if inner != fold:",
            "                    if inner >= 0:",
        ),
        ("training and test examples swapped", "Split(_without(n, test), test,", "Split(test, _without(n, test),"),
    ),
    *planted(
        "paired halves",
        "plans/halves.py",
        (f"{_CATALOGUE} -k 'Halves or HalvedKFold or TestAll'",),
        ("overlapping halves", "np.sort(order[half : 2 * half])", "np.sort(order[half - 1 : 2 * half - 1])"),
        ("the same half twice", "np.sort(order[half : 2 * half])", "np.sort(order[:half])"),
        ("same halves in all halvings", '_rng.stream(base, "halving", halving)', '_rng.stream(base, "halving")'),
        (
            "same split in all repeats",
            "random_split(stream, half, half - n_test, n_test)",
            'random_split(_rng.stream(base, "halves", halving, number), half, half - n_test, n_test)',
        ),
        (
            "same split in both halves",
            '_rng.stream(base, "halves", halving, number)',
            '_rng.stream(base, "halves", halving)',
        ),
        (
            "test size of all data for that of a half",
            "random_split(stream, half, half - n_test, n_test)",
            "random_split(stream, half, half - n_test, n_test // 2)",
        ),
        (
            "training outside of the half",
            "Split(examples[train], examples[test], labels)",
            "Split(train, examples[test], labels)",
        ),
        ("halves swapped in the labels", '"half": number, "repeat": repeat}', '"half": 1 - number, "repeat": repeat}'),
        (
            "halved folds trained on all data",
            "np.setdiff1d(examples, test), test, labels)",
            "np.setdiff1d(everything, test), test, labels)",
        ),
        (
            "folds of both halves cut alike",
            '"halved folds", self.folds, halving, number)',
            '"halved folds", self.folds, halving)',
        ),
        (
            "half of the data for all of them",
            "half = n // 2\n        if self.folds",
            "half = n // 4\n        if self.folds",
        ),
    ),
    *planted(
        "bootstrap samples",
        "plans/bootstrap.py",
        ("tests/test_bootstrap_plan.py",),
        ("drawn without copies", "np.sort(rng.integers(n, size=n))", "np.unique(rng.integers(n, size=n))"),
        ("half as many draws", "rng.integers(n, size=n)", "rng.integers(n, size=n // 2)"),
        ("last example never drawn", "rng.integers(n, size=n)", "rng.integers(n - 1, size=n)"),
        ("tested on all examples", "return drawn, np.flatnonzero(left_out)", "return drawn, np.arange(n)"),
        ("tested on the training examples", "return drawn, np.flatnonzero(left_out)", "return drawn, np.unique(drawn)"),
        ("the same sample every time", '_rng.stream(base, "bootstrap", repeat)', '_rng.stream(base, "bootstrap")'),
        (
            "training error on other examples",
            "Split(np.arange(n), np.arange(n),",
            "Split(np.arange(n - 1), np.arange(n),",
        ),
    ),
    *planted(
        "replaced examples",
        "plans/replace_one.py",
        (f"{_CATALOGUE} -k 'TestReplaceOne or TestAll'", "tests/methods/test_replace_one.py"),
        ("nothing replaced", "examples[replaced] = second[replaced]", "examples[replaced] = first[replaced]"),
        ("always the same example comes in", "examples[replaced] = second[replaced]", "examples[replaced] = second[0]"),
        ("replacements add up", "examples = first.copy()", "examples = first"),
        ("half without replacement left out", "[None, *self._chosen(half, base)]", "self._chosen(half, base)"),
        ("training on the test fold", "np.sort(np.setdiff1d(examples, test))", "np.sort(examples)"),
        ("halves overlap", "order[:half], order[half : 2 * half]", "order[:half], order[half - 1 : 2 * half - 1]"),
        (
            "all examples of the half for some",
            "if self.replacements is None or self.replacements >= half:",
            "if self.replacements is None or self.replacements:",
        ),
        (
            "replacements drawn with repetition",
            "choice(half, self.replacements, replace=False)",
            "choice(half, self.replacements, replace=True)",
        ),
    ),
    *planted(
        "partition",
        "plans/_base.py",
        ("tests/test_plans.py",),
        ("shares rounded down too far", "int(value * n + 1e-9)", "int(value * n - 1e-9)"),
        ("shares rounded up", "int(value * n + 1e-9)", "int(value * n) + 1"),
        ("same folds in all repeats", '_rng.stream(base, "folds", folds, repeat)', '_rng.stream(base, "folds", folds)'),
        (
            "folds in the order of the data",
            ".permutation(n)\n    return [np.sort(part)",
            ".permutation(n) * 0 + np.arange(n)\n    return [np.sort(part)",
        ),
    ),
)

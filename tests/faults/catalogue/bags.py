"""Faults in methods that see the losses outside of bootstrap samples."""

from tests.faults.fault import laws, planted

_TESTS = "tests/methods/test_out_of_bag.py"
_REQUEST = (
    ("level forgotten", "level=level,", "level=0.95,"),
    ("null forgotten", "null=null,", "null=0.0,"),
    ("alternative forgotten", "alternative=alternative,", 'alternative="two-sided",'),
    ("noise removed unasked", "remove_monte_carlo=remove_monte_carlo,", "remove_monte_carlo=True,"),
)

FAULTS = (
    *planted("oob-bootstrap", "methods/_oob_bootstrap.py", (_TESTS, laws("oob-bootstrap")), *_REQUEST),
    *planted(
        "632",
        "methods/_bootstrap_632.py",
        (_TESTS, laws("632")),
        *_REQUEST,
        (
            "weights swapped",
            '0.368 * training_error(losses, "632") + 0.632 * error',
            '0.632 * training_error(losses, "632") + 0.368 * error',
        ),
        ("training error left out", '0.368 * training_error(losses, "632") + 0.632 * error', "0.632 * error"),
        (
            "training error for the out-of-bag error",
            '0.368 * training_error(losses, "632") + 0.632 * error',
            'training_error(losses, "632")',
        ),
    ),
    *planted(
        "632-plus",
        "methods/_bootstrap_632_plus.py",
        (_TESTS, laws("632-plus")),
        *_REQUEST,
        ("weights swapped", "0.368 * training + 0.632 * error + more", "0.632 * training + 0.368 * error + more"),
        ("correction left out", "+ 0.632 * error + more", "+ 0.632 * error"),
        ("error not capped", "capped = min(error, chance)", "capped = error"),
        (
            "overfitting upside down",
            "(capped - training) / (chance - training)",
            "(chance - capped) / (chance - training)",
        ),
        ("training error left out of the overfitting", "(capped - training) / (chance - training)", "capped / chance"),
        ("denominator left out", " / (1.0 - 0.368 * overfit)", ""),
        ("wrong weight in the denominator", "(1.0 - 0.368 * overfit)", "(1.0 - 0.632 * overfit)"),
        ("wrong sign of the correction", "more = (capped - training)", "more = (training - capped)"),
        (
            "overfitting where there is none",
            "if min(error, chance) > training else 0.0",
            "if chance != training else 0.0",
        ),
        ("< for > in the note", "if error > chance else ()", "if error < chance else ()"),
    ),
    *planted(
        "out of bag",
        "methods/_core/out_of_bag.py",
        (_TESTS,),
        (
            "mean over losses for mean over examples",
            "return mean(_example_means(value, losses)[2])",
            "return mean(value)",
        ),
        ("influence of the mean without 2", "(2.0 + 1.0 / (losses.n - 1))", "(1.0 + 1.0 / (losses.n - 1))"),
        ("n for n - 1 in the influence", "(2.0 + 1.0 / (losses.n - 1))", "(2.0 + 1.0 / losses.n)"),
        ("q_b without 1/n", "minlength=losses.samples) / losses.n", "minlength=losses.samples)"),
        ("q_b not centred", "per_sample - mean(per_sample)", "per_sample"),
        ("share of usable examples left out", "(losses.n / usable.size * squares)", "squares"),
        (
            "share of usable examples upside down",
            "(losses.n / usable.size * squares)",
            "(usable.size / losses.n * squares)",
        ),
        ("ddof 0 of the noise", "noise * losses.samples / (losses.samples - 1)", "noise"),
        (
            "wrong sign of the slope",
            "(cells.means[block] - cells.estimate) + slope",
            "(cells.means[block] - cells.estimate) - slope",
        ),
        ("slope left out", "(cells.means[block] - cells.estimate) + slope", "(cells.means[block] - cells.estimate)"),
        ("influences not centred", "(cells.means[block] - cells.estimate) + slope", "cells.means[block] + slope"),
        (
            "slope per sample for slope per loss",
            "slope = counts @ cells.centred / times",
            "slope = counts @ cells.centred / losses.samples",
        ),
        ("counts centred over examples", "counts.mean(axis=1, keepdims=True)", "counts.mean(axis=0, keepdims=True)"),
        ("common part added", "counts -= common", "counts += common"),
        ("missing square root", "se=math.sqrt(kept)", "se=kept"),
        ("noise added", "found.variance - found.noise,", "found.variance + found.noise,"),
        ("noise removed by default", "    if not remove:", "    if remove:"),
        (
            "> for >= where nothing is left",
            "if found.noise >= found.variance:",
            "if found.noise > 2.0 * found.variance:",
        ),
        (
            "n distinct examples for all estimators",
            "float(losses.n) if rule else np",
            "float(losses.n) if not rule else np",
        ),
        ("fit on all examples not counted", "losses.samples + (rule is not None)", "losses.samples"),
        ("sum of the two learners for their difference", "estimates[0] - estimates[1]", "estimates[0] + estimates[1]"),
        ("standard error of Err1 for that of the estimate", "weight = estimate / out if out else 0.0", "weight = 1.0"),
        (
            "weight upside down",
            "weight = estimate / out if out else 0.0",
            "weight = out / estimate if estimate else 0.0",
        ),
    ),
    *planted(
        "views of bags",
        "views/_out_of_bag.py",
        (_TESTS,),
        (
            "training error for that of the other learner",
            "own = resubstitution.each[position]",
            "own = resubstitution.each[0]",
        ),
        (
            "presence for counts",
            "np.bincount(train, minlength=rows.n)",
            "np.bincount(np.unique(train), minlength=rows.n)",
        ),
        ("samples in reverse", "for train in bags.train]", "for train in bags.train[::-1]]"),
        ("sizes transposed", "return int(self.counts.shape[0])", "return int(self.counts.shape[1])"),
    ),
)

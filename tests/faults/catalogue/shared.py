"""Faults in what all methods share."""

from tests.faults.fault import laws, planted

_REFERENCE = "tests/methods/test_reference.py"

FAULTS = (
    *planted(
        "pivot",
        "methods/_core/pivot.py",
        (_REFERENCE, "tests/methods/test_properties.py", laws("corrected-t")),
        ("one-sided quantile for two-sided", '0.5 + level / 2 if alternative == "two-sided" else level', "level"),
        (
            "two-sided quantile for one-sided",
            '0.5 + level / 2 if alternative == "two-sided" else level',
            "0.5 + level / 2",
        ),
        ("p of one tail for two", "min(1.0, 2.0 * lower_tail(-abs(statistic), df))", "lower_tail(-abs(statistic), df)"),
        ("size of the statistic forgotten", "2.0 * lower_tail(-abs(statistic), df)", "2.0 * lower_tail(statistic, df)"),
        ("tails swapped", "        return lower_tail(statistic, df)", "        return lower_tail(-statistic, df)"),
        ("normal quantile for t", "special.stdtrit(df, probability)", "special.ndtri(probability)"),
        ("normal tail for t", "special.stdtr(df, statistic)", "special.ndtr(statistic)"),
        ("ends swapped", 'low = -math.inf if alternative == "less"', 'low = -math.inf if alternative == "greater"'),
        ("wrong sign of the statistic", "difference = estimate - null", "difference = null - estimate"),
        ("null left out", "difference = estimate - null", "difference = estimate"),
        ("ddof 0 by default", "values.size - 1 if divisor is None", "values.size if divisor is None"),
        ("not centred", "deviations = values - mean(values)", "deviations = values"),
        ("variance of rounding", "if high - low <= _ROUNDING * max(abs(low), abs(high)):", "if high == low:"),
        ("degenerate scores not said", "notes=notes if se > 0.0 else (*notes, DEGENERATE)", "notes=notes"),
    ),
    *planted(
        "correlation",
        "methods/_core/blocks.py",
        ("tests/methods/test_rho.py", "tests/methods/test_bayes_correlated_t.py"),
        ("r for its odds", "return r / (1.0 - r)", "return r"),
        ("K for K - 1", "count * r / (1.0 + (count - 1) * r)", "count * r / (1.0 + count * r)"),
        ("K left out", "count * r / (1.0 + (count - 1) * r)", "r / (1.0 + (count - 1) * r)"),
        ("wrong sign", "share / (count - (count - 1) * share)", "share / (count + (count - 1) * share)"),
    ),
    *planted(
        "blocks",
        "methods/_core/blocks.py",
        ("tests/methods/test_kfold_theta.py", "tests/methods/test_rho.py", "tests/methods/test_conservative_z.py"),
        ("theta3 without 1/K", "return variance(scores) / scores.size", "return variance(scores)"),
        (
            "theta3 with ddof 0",
            "return variance(scores) / scores.size",
            "return variance(scores, scores.size) / scores.size",
        ),
        ("theta4 with ddof 0", "(folds * (size - 1))", "(folds * size)"),
        ("theta4 divided by K for n", "return within / blocks.size", "return within / folds"),
        (
            "within mixed with between",
            "rows - rows.mean(axis=1, keepdims=True)",
            "rows - rows.mean(axis=0, keepdims=True)",
        ),
        ("within mixed with total", "rows - rows.mean(axis=1, keepdims=True)", "rows - rows.mean()"),
        ("examples dealt to the wrong folds", ".reshape(sizes.size, low)", ".reshape(low, sizes.size).T"),
        ("examples not sorted by fold", "losses.value[order].reshape", "losses.value.reshape"),
        ("factor 2 of the halves left out", "math.sqrt(2.0 * halves.halvings)", "math.sqrt(halves.halvings)"),
        ("M - 1 for M", "math.sqrt(2.0 * halves.halvings)", "math.sqrt(2.0 * max(1, halves.halvings - 1))"),
        ("missing square root", "/ math.sqrt(2.0 * halves.halvings)", "/ (2.0 * halves.halvings)"),
        ("half with itself", "difference(means[:, 0], means[:, 1])", "difference(means[:, 0], means[::-1, 0])"),
        (
            "square root of the sum for the sum of sizes",
            "math.hypot(*values.ravel().tolist())",
            "float(np.abs(values).sum())",
        ),
    ),
)

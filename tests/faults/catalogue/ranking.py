"""Faults in methods about the area under the ROC curve."""

from tests.faults.fault import laws, planted

FAULTS = (
    *planted(
        "delong",
        "methods/_delong.py",
        ("tests/methods/test_delong.py", laws("delong")),
        ("missing square root", "se=se,", "se=se * se,"),
        ("t for the normal law", "df=None,", "df=scores.value.size - 2,"),
        ("second learner forgotten", "scores.value, scores.minus)", "scores.value)"),
        ("null forgotten", "null=null,", "null=0.0,"),
    ),
    *planted(
        "areas",
        "methods/_core/ranking.py",
        ("tests/methods/test_delong.py", laws("delong")),
        (
            "m and n swapped",
            "pivot.variance(one) / one.size + pivot.variance(other) / other.size",
            "pivot.variance(one) / other.size + pivot.variance(other) / one.size",
        ),
        ("ddof 0", "pivot.variance(one) / one.size +", "pivot.variance(one, one.size) / one.size +"),
        (
            "variance of the positive examples only",
            "pivot.variance(one) / one.size + pivot.variance(other) / other.size",
            "pivot.variance(one) / one.size",
        ),
        ("missing square root", "float(np.sqrt(squared))", "float(squared)"),
        ("sum of the two learners for their difference", "rows[0] - rows[1]", "rows[0] + rows[1]"),
        ("wrong sign of the difference", "rows[0] - rows[1]", "rows[1] - rows[0]"),
        (
            "divisors swapped",
            "above / below.size, 1.0 - below / above.size",
            "above / above.size, 1.0 - below / below.size",
        ),
        ("ties count in full", "(np.cumsum(counts) - (counts - 1) / 2.0)", "np.cumsum(counts).astype(np.float64)"),
        ("ties do not count", "(np.cumsum(counts) - (counts - 1) / 2.0)", "(np.cumsum(counts) - (counts - 1.0))"),
        (
            "classes swapped",
            "above, below = shift[positive], shift[~positive]",
            "above, below = shift[~positive], shift[positive]",
        ),
    ),
    *planted(
        "views of rankings",
        "views/_ranking.py",
        ("tests/methods/test_delong.py",),
        ("probability of the other class", '["probability"][:, 1]', '["probability"][:, 0]'),
        (
            "the same learner twice",
            "[_positive(column) for column in rows.each]",
            "[_positive(rows.each[0]) for column in rows.each]",
        ),
        (
            "predictions and examples mixed",
            "rows.target.values[rows.example]",
            "rows.target.values[np.sort(rows.example)]",
        ),
    ),
)

"""Faults in methods that compare means over halves of the data, or over data with one example replaced."""

from tests.faults.fault import laws, planted

FAULTS = (
    *planted(
        "conservative-z",
        "methods/_conservative_z.py",
        ("tests/methods/test_conservative_z.py", laws("conservative-z")),
        ("laws swapped", '"reference") == "normal"', '"reference") == "t"'),
        ("one degree of freedom too few", "else halves.halvings,", "else max(1, halves.halvings - 1),"),
        ("estimate from the halves", "estimate=mean(halves.value)", "estimate=mean(halves.means.ravel())"),
        ("variance for standard error", "se=spread_of_halves(halves),", "se=spread_of_halves(halves) ** 2,"),
        ("one tail in the note for two", 'sides = 2 if result.alternative == "two-sided" else 1', "sides = 1"),
        ("> for < in the note", "halves.halvings < _ENOUGH_HALVINGS", "halves.halvings > _ENOUGH_HALVINGS"),
    ),
    *planted(
        "halved-kfold-t",
        "methods/_halved_kfold_t.py",
        ("tests/methods/test_rho.py", laws("halved-kfold-t")),
        ("missing square root", "se=math.sqrt(theta3", "se=float(theta3"),
        ("wrong sign of rho", "(1.0 - rho)", "(1.0 + rho)"),
        ("one degree of freedom too many", "df=folds - 1,", "df=folds,"),
        ("normal law for t", "df=folds - 1,", "df=None,"),
        ("ratio not squared", "1.0 - share * share", "1.0 - share"),
        ("within and between swapped", "share = within / between", "share = between / within"),
        ("ddof 0", "(scores.shape[1] - 1)", "scores.shape[1]"),
        (
            "fold sums mixed",
            "halves.halves.reshape(2 * halves.halvings, -1)",
            "halves.halves.transpose(2, 0, 1).reshape(2 * halves.halvings, -1)",
        ),
        (
            "theta3 without its divisor",
            "math.sqrt(scores.size * (scores.shape[1] - 1))",
            "math.sqrt(scores.shape[0] * (scores.shape[1] - 1))",
        ),
        ("clip at 0 forgotten", "min(max(found, 0.0), _LARGEST)", "min(found, _LARGEST)"),
        ("clip below 1 forgotten", "min(max(found, 0.0), _LARGEST)", "max(found, 0.0)"),
        ("estimate from the halves", "estimate=mean(halves.value)", "estimate=mean(halves.means.ravel())"),
    ),
    *planted(
        "replace-one",
        "methods/_replace_one.py",
        ("tests/methods/test_replace_one.py", laws("replace-one")),
        ("missing square root", "se=math.sqrt(weight * possible / replaced)", "se=(weight * possible / replaced)"),
        ("factor left out", "weight * possible / replaced", "possible / replaced"),
        ("share replaced upside down", "weight * possible / replaced", "weight * replaced / possible"),
        ("share replaced left out", "weight * possible / replaced", "weight"),
        ("n for n/2", "means.n // 2", "means.n"),
        ("mean on all data for mean on the half", "means.baseline)", "means.estimate)"),
        ("mean on the half for mean on all data", "estimate=means.estimate", "estimate=means.baseline"),
        ("published factor for the one of the text", "factor: float = 0.25,", "factor: float = 0.5,"),
        ("t for the normal law", "df=None,", "df=replaced - 1,"),
    ),
    *planted(
        "halves",
        "views/_splits.py",
        ("tests/methods/test_conservative_z.py", "tests/methods/test_rho.py", "tests/methods/test_replace_one.py"),
        (
            "halves mixed with splits",
            "rows.score[order].reshape(count, 2, -1)",
            "rows.score[order].reshape(count, -1, 2).swapaxes(1, 2)",
        ),
        (
            "halving mixed with half",
            'rows.label("half")[inside], halving[inside]',
            'halving[inside], rows.label("half")[inside]',
        ),
        (
            "mean of means for the mean over examples",
            "np.average(rows.score[chosen], weights=rows.n_test[chosen])",
            "np.average(rows.score[chosen])",
        ),
        ("baseline on all data", "mean((half == 0) & (replaced < 0))", "mean(replaced < 0)"),
    ),
)

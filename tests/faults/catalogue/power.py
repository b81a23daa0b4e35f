"""Faults in the planning of studies."""

from tests.faults.fault import planted

_TESTS = "tests/test_planning.py"

FAULTS = (
    *planted(
        "noncentral t",
        "planning/_noncentral.py",
        (f"{_TESTS} -k 'TestLaw or TestPower'",),
        ("wrong sign of the shift", "special.ndtr(shift - threshold * s)", "special.ndtr(-shift - threshold * s)"),
        (
            "shift kept where the sides change",
            "upper_tail(-threshold, df, -shift)",
            "upper_tail(-threshold, df, shift)",
        ),
        (
            "complement forgotten",
            "return 1.0 - upper_tail(-threshold, df, -shift)",
            "return upper_tail(-threshold, df, -shift)",
        ),
        ("df for df - 1", "(df - 1.0) * np.log(s)", "df * np.log(s)"),
        ("square left out", "special.chdtr(df, df * bound * bound)", "special.chdtr(df, df * bound)"),
        ("df left out", "special.chdtr(df, df * bound * bound)", "special.chdtr(df, bound * bound)"),
        ("root of the density left out", "math.sqrt(2.0 * math.pi)", "(2.0 * math.pi)"),
        ("half left out of the exponent", "np.exp(-0.5 * z * z)", "np.exp(-z * z)"),
    ),
    *planted(
        "setting",
        "planning/_setting.py",
        (_TESTS,),
        (
            "missing square root",
            "return math.sqrt(1.0 / repeats + self.overlap)",
            "return 1.0 / repeats + self.overlap",
        ),
        ("overlap left out", "return math.sqrt(1.0 / repeats + self.overlap)", "return math.sqrt(1.0 / repeats)"),
        (
            "n1 and n2 swapped in the test",
            "1.0 / repeats + self.n_test / self.n_train",
            "1.0 / repeats + self.n_train / self.n_test",
        ),
        (
            "n1 and n2 swapped in the truth",
            "test / (train + test), test / train",
            "train / (train + test), train / test",
        ),
        ("one-sided quantile for two-sided", 'tail / 2.0 if self.alternative == "two-sided" else tail', "tail"),
        ("two-sided quantile for one-sided", 'tail / 2.0 if self.alternative == "two-sided" else tail', "tail / 2.0"),
        ("one degree of freedom too many in the quantile", "special.stdtrit(repeats - 1,", "special.stdtrit(repeats,"),
        (
            "one degree of freedom too many in the power",
            "power = upper_tail(bound, repeats - 1, towards)",
            "power = upper_tail(bound, repeats, towards)",
        ),
        ("other tail left out", "power += upper_tail(bound, repeats - 1, -towards)", "pass"),
        ("r for its odds", "overlap = true / (1.0 - true)", "overlap = true"),
        ("wrong sign for less", 'difference if self.alternative == "greater" else -difference', "difference"),
        ("variance without its odds", '"variance") / (1.0 + overlap))', '"variance"))'),
        (
            "missing square root of the variance",
            'spread = math.sqrt(positive(variance, "variance")',
            'spread = float(positive(variance, "variance")',
        ),
        (
            "deviation left out of the difference",
            "self.standard_deviation(repeats) * self.deviation",
            "self.standard_deviation(repeats)",
        ),
        (
            "one split too many",
            "low, high = (low, middle) if holds(middle) else (middle, high)\n    return high",
            "low, high = (low, middle) if holds(middle) else (middle, high)\n    return high + 1",
        ),
    ),
    *planted(
        "pilot",
        "planning/_pilot.py",
        (f"{_TESTS} -k 'TestPilot or TestStudy'",),
        ("variance for deviation", "spread = math.sqrt(variance(view.value))", "spread = variance(view.value)"),
        ("ddof 0", "variance(view.value))", "variance(view.value, view.value.size))"),
        (
            "ends swapped",
            "math.sqrt(df / upper), self.deviation * math.sqrt(df / lower)",
            "math.sqrt(df / lower), self.deviation * math.sqrt(df / upper)",
        ),
        ("missing square root", "self.deviation * math.sqrt(df / upper)", "self.deviation * (df / upper)"),
        ("one degree of freedom too many", "df = self.repeats - 1", "df = self.repeats"),
        (
            "one-sided quantile for two-sided",
            "tail = 0.5 * (1.0 - _check.level(level))",
            "tail = 1.0 - _check.level(level)",
        ),
        ("n1 and n2 swapped", "n_train=mean(view.n_train)", "n_train=mean(view.n_test)"),
        ("sign of the loss left out", "table.loss.sign * mean(view.value) + 0.0", "mean(view.value)"),
    ),
    *planted(
        "sizes",
        "planning/_power.py",
        (f"{_TESTS} -k 'TestPower or TestInverses'",),
        ("deviation upside down", "math.sqrt(setting.n_test / test)", "math.sqrt(test / setting.n_test)"),
        ("missing square root", "math.sqrt(setting.n_test / test)", "(setting.n_test / test)"),
        ("n2/n1 for the correlation", "overlap=test / train", "overlap=test / n"),
        ("rounded up", "max(1, int(n * share + 1e-9))", "max(1, int(n * share) + 1)"),
        ("> for >=", ">= wanted", "> wanted + 1e-3"),
        ("training and test sizes swapped", "n_train=train, n_test=test", "n_train=test, n_test=train"),
        ("level forgotten", "tested, tested, level, alternative)", "tested, tested, 0.95, alternative)"),
    ),
    *planted(
        "study",
        "planning/_study.py",
        (f"{_TESTS} -k 'TestStudy or TestCurves'",),
        ("ends of the power swapped", "return (least, most), (low, high)", "return (most, least), (low, high)"),
        (
            "ends of the deviation swapped",
            "for spread in pilot.deviation_interval()]",
            "for spread in pilot.deviation_interval()[::-1]]",
        ),
        (
            "share of training examples for testing",
            "share = setting.n_test / (setting.n_train + setting.n_test)\n    return splits",
            "share = setting.n_train / (setting.n_train + setting.n_test)\n    return splits",
        ),
        (
            "n2/n1 for the share",
            "share = setting.n_test / (setting.n_train + setting.n_test)\n    return splits",
            "share = setting.n_test / setting.n_train\n    return splits",
        ),
        ("wrong sign for less", 'detectable = -size if setting.alternative == "less" else size', "detectable = size"),
        (
            "curve to the other side",
            "np.linspace(0.0, -end if negative else end, _POINTS)",
            "np.linspace(0.0, end if negative else -end, _POINTS)",
        ),
        (
            "size of the test at a difference",
            "size = setting.rejects(0.0, repeats)",
            "size = setting.rejects(1.0, repeats)",
        ),
        ("other numbers of splits", "(repeats, 2 * repeats, 4 * repeats)", "(repeats, 2 * repeats, 3 * repeats)"),
    ),
)

"""Faults in the test of all learners on blocks."""

from tests.faults.fault import planted

_TESTS = "tests/methods/test_bootstrap_benchmark.py -k TestFriedman"

FAULTS = (
    *planted(
        "friedman",
        "methods/_friedman.py",
        (_TESTS,),
        ("corrections swapped", '"correction") == "none"', '"correction") != "none"'),
        ("p of the other law", "pvalue=found.chi2_pvalue if plain else found.f_pvalue", "pvalue=found.chi2_pvalue"),
        ("statistic of the other law", "statistic=found.chi2 if plain else found.f", "statistic=found.chi2"),
        ("learners and blocks mixed", "for column in ranks.T)", "for column in ranks)"),
        ("scores for ranks", "ranks = midranks(blocks.value)", "ranks = blocks.value"),
    ),
    *planted(
        "sums of ranks",
        "methods/_core/friedman.py",
        (_TESTS,),
        ("k for k - 1", "chi2 = (k - 1) * between / within", "chi2 = k * between / within"),
        ("tie correction left out", "chi2 = (k - 1) * between / within", "chi2 = 12.0 * between / (n * k * (k + 1))"),
        ("middle rank k/2", "middle = (k + 1) / 2", "middle = k / 2"),
        ("wrong degrees of freedom", "special.chdtrc(k - 1, chi2)", "special.chdtrc(k, chi2)"),
        ("J for J - 1", "k - 1, n - 1)", "k - 1, n)"),
        ("wrong second degrees of freedom", "special.fdtrc(df, df * blocks, f)", "special.fdtrc(df, blocks, f)"),
        ("wrong second degrees of freedom said", "(k - 1, (k - 1) * (n - 1))", "(k - 1, k * (n - 1))"),
        ("ties broken by order", "np.diff(ascending, axis=1) > _ROUNDING * size", "np.diff(ascending, axis=1) >= 0.0"),
        (
            "ties broken by rounding",
            "np.diff(ascending, axis=1) > _ROUNDING * size",
            "np.diff(ascending, axis=1) > 0.0",
        ),
        ("blocks in the sum over learners", "n * within - between, k - 1", "within - between / n, k - 1"),
        ("ranks over blocks", 'np.argsort(table, axis=1, kind="stable")', 'np.argsort(-table, axis=1, kind="stable")'),
    ),
    *planted(
        "adjustment",
        "families.py",
        ("tests/test_families.py",),
        ("holm: bonferroni", "np.arange(p.size, 0, -1) * p[order]", "p.size * p[order]"),
        ("holm: factors in reverse", "np.arange(p.size, 0, -1) * p[order]", "np.arange(1, p.size + 1) * p[order]"),
        (
            "holm: not monotone",
            "np.maximum.accumulate(np.arange(p.size, 0, -1) * p[order])",
            "np.arange(p.size, 0, -1) * p[order]",
        ),
        ("holm: clip forgotten", "adjusted[order] = np.minimum(1.0, steps)", "adjusted[order] = steps"),
        (
            "holm: in the order of size",
            "adjusted[order] = np.minimum(1.0, steps)",
            "adjusted[:] = np.minimum(1.0, steps)",
        ),
        ("bonferroni: clip forgotten", "np.minimum(1.0, p.size * p)", "p.size * p"),
        ("bonferroni: one test too few", "np.minimum(1.0, p.size * p)", "np.minimum(1.0, (p.size - 1) * p)"),
        (
            "hommel: smallest for largest intersection",
            "largest = np.maximum(largest, simes)",
            "largest = np.minimum(largest, simes)",
        ),
        ("hommel: last size left out", "for size in range(2, m + 1):", "for size in range(2, m):"),
        (
            "hommel: others counted from the first",
            "ascending[m - size + 1 :] / ranks[1:]",
            "ascending[m - size + 1 :] / ranks[:-1]",
        ),
        ("benjamini-hochberg for benjamini-yekutieli", '"bh" if kind == "benjamini-hochberg" else "by"', '"bh"'),
        ("baseline minus the others", "[(name, baseline) for name", "[(baseline, name) for name"),
    ),
    *planted(
        "equivalence",
        "margins.py",
        ("tests/test_margins.py",),
        ("margins swapped", "ask(null=-margin, alternative", "ask(null=margin, alternative"),
        (
            "alternatives swapped",
            'null=margin, alternative="less", level=level)\n    both',
            'null=margin, alternative="greater", level=level)\n    both',
        ),
        ("smaller for larger p", "max(below.pvalue, above.pvalue)", "min(below.pvalue, above.pvalue)"),
        ("interval of the level for 2 level - 1", "level=2.0 * level - 1.0", "level=level"),
        (
            "wrong sign of the margin",
            '("greater", -margin) if higher else ("less", margin)',
            '("greater", margin) if higher else ("less", -margin)',
        ),
        ("higher taken for better", '("greater", -margin) if higher else ("less", margin)', '("greater", -margin)'),
        ("> for < in the verdict", "< 1.0 - self.level", "> 1.0 - self.level"),
        ("adjustment forgotten", "(self.pvalue if self.adjusted is None else self.adjusted)", "self.pvalue"),
    ),
)

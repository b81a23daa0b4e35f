"""The literature that methods cite, by key."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Reference:
    """One publication."""

    authors: str
    year: int
    title: str
    where: str

    def __str__(self) -> str:
        """Return the citation on one line."""
        title = self.title if self.title.endswith("?") else f"{self.title}."
        return f"{self.authors} ({self.year}). {title} {self.where}."


REFERENCES = {
    "agresti1998": Reference(
        "Agresti, A. & Coull, B. A.",
        1998,
        "Approximate is better than 'exact' for interval estimation of binomial proportions",
        "The American Statistician 52(2), 119-126",
    ),
    "alpaydin1999": Reference(
        "Alpaydin, E.",
        1999,
        "Combined 5x2 cv F test for comparing supervised classification learning algorithms",
        "Neural Computation 11(8), 1885-1892",
    ),
    "austern2020": Reference("Austern, M. & Zhou, W.", 2020, "Asymptotics of cross-validation", "arXiv:2001.11111"),
    "bates2024": Reference(
        "Bates, S., Hastie, T. & Tibshirani, R.",
        2024,
        "Cross-validation: what does it estimate and how well does it do it?",
        "Journal of the American Statistical Association 119(546), 1434-1445",
    ),
    "bayle2020": Reference(
        "Bayle, P., Bayle, A., Janson, L. & Mackey, L.",
        2020,
        "Cross-validation confidence intervals for test error",
        "Advances in Neural Information Processing Systems 33",
    ),
    "benavoli2017": Reference(
        "Benavoli, A., Corani, G., Demsar, J. & Zaffalon, M.",
        2017,
        "Time for a change: a tutorial for comparing multiple classifiers through Bayesian analysis",
        "Journal of Machine Learning Research 18(77), 1-36",
    ),
    "bengio2004": Reference(
        "Bengio, Y. & Grandvalet, Y.",
        2004,
        "No unbiased estimator of the variance of K-fold cross-validation",
        "Journal of Machine Learning Research 5, 1089-1105",
    ),
    "bouckaert2004": Reference(
        "Bouckaert, R. R. & Frank, E.",
        2004,
        "Evaluating the replicability of significance tests for comparing learning algorithms",
        "PAKDD, LNCS 3056, 3-12",
    ),
    "bouthillier2021": Reference(
        "Bouthillier, X. et al.",
        2021,
        "Accounting for variance in machine learning benchmarks",
        "Proceedings of Machine Learning and Systems 3, 747-769",
    ),
    "brown2001": Reference(
        "Brown, L. D., Cai, T. T. & DasGupta, A.",
        2001,
        "Interval estimation for a binomial proportion",
        "Statistical Science 16(2), 101-133",
    ),
    "clopper1934": Reference(
        "Clopper, C. J. & Pearson, E. S.",
        1934,
        "The use of confidence or fiducial limits illustrated in the case of the binomial",
        "Biometrika 26(4), 404-413",
    ),
    "cochran1950": Reference(
        "Cochran, W. G.",
        1950,
        "The comparison of percentages in matched samples",
        "Biometrika 37(3/4), 256-266",
    ),
    "corani2015": Reference(
        "Corani, G. & Benavoli, A.",
        2015,
        "A Bayesian approach for comparing cross-validated algorithms on multiple data sets",
        "Machine Learning 100(2-3), 285-304",
    ),
    "davison1997": Reference(
        "Davison, A. C. & Hinkley, D. V.",
        1997,
        "Bootstrap Methods and their Application",
        "Cambridge University Press",
    ),
    "delong1988": Reference(
        "DeLong, E. R., DeLong, D. M. & Clarke-Pearson, D. L.",
        1988,
        "Comparing the areas under two or more correlated receiver operating characteristic curves: a nonparametric approach",
        "Biometrics 44(3), 837-845",
    ),
    "demsar2006": Reference(
        "Demsar, J.",
        2006,
        "Statistical comparisons of classifiers over multiple data sets",
        "Journal of Machine Learning Research 7, 1-30",
    ),
    "dietterich1998": Reference(
        "Dietterich, T. G.",
        1998,
        "Approximate statistical tests for comparing supervised classification learning algorithms",
        "Neural Computation 10(7), 1895-1923",
    ),
    "edwards1948": Reference(
        "Edwards, A. L.",
        1948,
        "Note on the 'correction for continuity' in testing the significance of the difference between correlated proportions",
        "Psychometrika 13(3), 185-187",
    ),
    "efron1981": Reference(
        "Efron, B. & Stein, C.", 1981, "The jackknife estimate of variance", "Annals of Statistics 9(3), 586-596"
    ),
    "efron1983": Reference(
        "Efron, B.",
        1983,
        "Estimating the error rate of a prediction rule: improvement on cross-validation",
        "Journal of the American Statistical Association 78(382), 316-331",
    ),
    "efron1993": Reference(
        "Efron, B. & Tibshirani, R.",
        1993,
        "An Introduction to the Bootstrap",
        "Chapman & Hall",
    ),
    "efron1997": Reference(
        "Efron, B. & Tibshirani, R.",
        1997,
        "Improvements on cross-validation: the .632+ bootstrap method",
        "Journal of the American Statistical Association 92(438), 548-560",
    ),
    "fagerland2013": Reference(
        "Fagerland, M. W., Lydersen, S. & Laake, P.",
        2013,
        "The McNemar test for binary matched-pairs data: mid-p and asymptotic are better than exact conditional",
        "BMC Medical Research Methodology 13, 91",
    ),
    "fisher1935": Reference(
        "Fisher, R. A.",
        1935,
        "The Design of Experiments",
        "Oliver & Boyd",
    ),
    "friedman1937": Reference(
        "Friedman, M.",
        1937,
        "The use of ranks to avoid the assumption of normality implicit in the analysis of variance",
        "Journal of the American Statistical Association 32(200), 675-701",
    ),
    "grandvalet2006": Reference(
        "Grandvalet, Y. & Bengio, Y.",
        2006,
        "Hypothesis testing for cross-validation",
        "Technical report 1285, DIRO, Universite de Montreal",
    ),
    "hartigan1969": Reference(
        "Hartigan, J. A.",
        1969,
        "Using subsample values as typical values",
        "Journal of the American Statistical Association 64(328), 1303-1317",
    ),
    "hollander2014": Reference(
        "Hollander, M., Wolfe, D. A. & Chicken, E.",
        2014,
        "Nonparametric Statistical Methods",
        "Wiley, third edition",
    ),
    "hothorn2005": Reference(
        "Hothorn, T., Leisch, F., Zeileis, A. & Hornik, K.",
        2005,
        "The design and analysis of benchmark experiments",
        "Journal of Computational and Graphical Statistics 14(3), 675-699",
    ),
    "iman1980": Reference(
        "Iman, R. L. & Davenport, J. M.",
        1980,
        "Approximations of the critical region of the Friedman statistic",
        "Communications in Statistics A9(6), 571-595",
    ),
    "mcnemar1947": Reference(
        "McNemar, Q.",
        1947,
        "Note on the sampling error of the difference between correlated proportions or percentages",
        "Psychometrika 12(2), 153-157",
    ),
    "mitchell1997": Reference("Mitchell, T. M.", 1997, "Machine Learning, chapter 5", "McGraw-Hill"),
    "nadeau2003": Reference(
        "Nadeau, C. & Bengio, Y.",
        2003,
        "Inference for the generalization error",
        "Machine Learning 52(3), 239-281",
    ),
    "newcombe1998": Reference(
        "Newcombe, R. G.",
        1998,
        "Improved confidence intervals for the difference between binomial proportions based on paired data",
        "Statistics in Medicine 17(22), 2635-2650",
    ),
    "phipson2010": Reference(
        "Phipson, B. & Smyth, G. K.",
        2010,
        "Permutation p-values should never be zero: calculating exact p-values when permutations are randomly drawn",
        "Statistical Applications in Genetics and Molecular Biology 9(1), article 39",
    ),
    "sun2014": Reference(
        "Sun, X. & Xu, W.",
        2014,
        "Fast implementation of DeLong's algorithm for comparing the areas under correlated receiver operating characteristic curves",
        "IEEE Signal Processing Letters 21(11), 1389-1393",
    ),
    "tango1998": Reference(
        "Tango, T.",
        1998,
        "Equivalence test and confidence interval for the difference in proportions for the paired-sample design",
        "Statistics in Medicine 17(8), 891-908",
    ),
    "wilcoxon1945": Reference(
        "Wilcoxon, F.",
        1945,
        "Individual comparisons by ranking methods",
        "Biometrics Bulletin 1(6), 80-83",
    ),
    "wilson1927": Reference(
        "Wilson, E. B.",
        1927,
        "Probable inference, the law of succession, and statistical inference",
        "Journal of the American Statistical Association 22(158), 209-212",
    ),
}

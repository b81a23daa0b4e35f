"""The literature that methods cite, by key."""

from typing import NamedTuple

_BIBLIOGRAPHY = """
Agresti, A. & Coull, B. A. (1998). Approximate is better than 'exact' for interval estimation of binomial proportions.
  The American Statistician 52(2), 119-126.
Agresti, A. & Min, Y. (2005). Simple improved confidence intervals for comparing matched proportions. Statistics in
  Medicine 24(5), 729-740.
Alpaydin, E. (1999). Combined 5x2 cv F test for comparing supervised classification learning algorithms. Neural
  Computation 11(8), 1885-1892.
Angelopoulos, A. N., Duchi, J. C. & Zrnic, T. (2023). PPI++: efficient prediction-powered inference. arXiv:2311.01453.
Austern, M. & Zhou, W. (2020). Asymptotics of cross-validation. arXiv:2001.11111.
Bates, S., Hastie, T. & Tibshirani, R. (2024). Cross-validation: what does it estimate and how well does it do it?
  Journal of the American Statistical Association 119(546), 1434-1445.
Bayle, P., Bayle, A., Janson, L. & Mackey, L. (2020). Cross-validation confidence intervals for test error. Advances
  in Neural Information Processing Systems 33.
Bell, R. M. & McCaffrey, D. F. (2002). Bias reduction in standard errors for linear regression with multi-stage samples.
  Survey Methodology 28(2), 169-181.
Benavoli, A., Corani, G., Demsar, J. & Zaffalon, M. (2017). Time for a change: a tutorial for comparing multiple
  classifiers through Bayesian analysis. Journal of Machine Learning Research 18(77), 1-36.
Bengio, Y. & Grandvalet, Y. (2004). No unbiased estimator of the variance of K-fold cross-validation. Journal of
  Machine Learning Research 5, 1089-1105.
Bouckaert, R. R. & Frank, E. (2004). Evaluating the replicability of significance tests for comparing learning
  algorithms. PAKDD, LNCS 3056, 3-12.
Bouthillier, X. et al. (2021). Accounting for variance in machine learning benchmarks. Proceedings of Machine Learning
  and Systems 3, 747-769.
Brown, L. D., Cai, T. T. & DasGupta, A. (2001). Interval estimation for a binomial proportion. Statistical Science
  16(2), 101-133.
Clopper, C. J. & Pearson, E. S. (1934). The use of confidence or fiducial limits illustrated in the case of the
  binomial. Biometrika 26(4), 404-413.
Cochran, W. G. (1950). The comparison of percentages in matched samples. Biometrika 37(3/4), 256-266.
Corani, G. & Benavoli, A. (2015). A Bayesian approach for comparing cross-validated algorithms on multiple data sets.
  Machine Learning 100(2-3), 285-304.
Davison, A. C. & Hinkley, D. V. (1997). Bootstrap Methods and their Application. Cambridge University Press.
DeLong, E. R., DeLong, D. M. & Clarke-Pearson, D. L. (1988). Comparing the areas under two or more correlated receiver
  operating characteristic curves: a nonparametric approach. Biometrics 44(3), 837-845.
Demsar, J. (2006). Statistical comparisons of classifiers over multiple data sets. Journal of Machine Learning
  Research 7, 1-30.
Diebold, F. X. & Mariano, R. S. (1995). Comparing predictive accuracy. Journal of Business & Economic Statistics 13(3),
  253-263.
Dietterich, T. G. (1998). Approximate statistical tests for comparing supervised classification learning algorithms.
  Neural Computation 10(7), 1895-1923.
Edwards, A. L. (1948). Note on the 'correction for continuity' in testing the significance of the difference between
  correlated proportions. Psychometrika 13(3), 185-187.
Efron, B. & Stein, C. (1981). The jackknife estimate of variance. Annals of Statistics 9(3), 586-596.
Efron, B. & Tibshirani, R. (1993). An Introduction to the Bootstrap. Chapman & Hall.
Efron, B. & Tibshirani, R. (1997). Improvements on cross-validation: the .632+ bootstrap method. Journal of the
  American Statistical Association 92(438), 548-560.
Efron, B. (1983). Estimating the error rate of a prediction rule: improvement on cross-validation. Journal of the
  American Statistical Association 78(382), 316-331.
Fagerland, M. W., Lydersen, S. & Laake, P. (2013). The McNemar test for binary matched-pairs data: mid-p and
  asymptotic are better than exact conditional. BMC Medical Research Methodology 13, 91.
Fisher, R. A. (1935). The Design of Experiments. Oliver & Boyd.
Friedman, M. (1937). The use of ranks to avoid the assumption of normality implicit in the analysis of variance.
  Journal of the American Statistical Association 32(200), 675-701.
Grandvalet, Y. & Bengio, Y. (2006). Hypothesis testing for cross-validation. Technical report 1285, DIRO, Universite
  de Montreal.
Hartigan, J. A. (1969). Using subsample values as typical values. Journal of the American Statistical Association
  64(328), 1303-1317.
Harvey, D., Leybourne, S. & Newbold, P. (1997). Testing the equality of prediction mean squared errors. International
  Journal of Forecasting 13(2), 281-291.
Hillis, S. L. (2007). A comparison of denominator degrees of freedom methods for multiple observer ROC analysis.
  Statistics in Medicine 26(3), 596-619.
Hollander, M., Wolfe, D. A. & Chicken, E. (2014). Nonparametric Statistical Methods. Wiley, third edition.
Hothorn, T., Leisch, F., Zeileis, A. & Hornik, K. (2005). The design and analysis of benchmark experiments. Journal of
  Computational and Graphical Statistics 14(3), 675-699.
Iman, R. L. & Davenport, J. M. (1980). Approximations of the critical region of the Friedman statistic. Communications
  in Statistics A9(6), 571-595.
Jennison, C. & Turnbull, B. W. (2000). Group Sequential Methods with Applications to Clinical Trials. Chapman & Hall/CRC.
Lazarus, E., Lewis, D. J., Stock, J. H. & Watson, M. W. (2018). HAR inference: recommendations for practice. Journal of
  Business & Economic Statistics 36(4), 541-559.
LeDell, E., Petersen, M. & van der Laan, M. (2015). Computationally efficient confidence intervals for cross-validated
  area under the ROC curve estimates. Electronic Journal of Statistics 9(1), 1583-1607.
McNemar, Q. (1947). Note on the sampling error of the difference between correlated proportions or percentages.
  Psychometrika 12(2), 153-157.
Miller, E. (2024). Adding error bars to evals: a statistical approach to language model evaluations. arXiv:2411.00640.
Mitchell, T. M. (1997). Machine Learning, chapter 5. McGraw-Hill.
Nadeau, C. & Bengio, Y. (2003). Inference for the generalization error. Machine Learning 52(3), 239-281.
Newcombe, R. G. (1998). Improved confidence intervals for the difference between binomial proportions based on paired
  data. Statistics in Medicine 17(22), 2635-2650.
Obuchowski, N. A. & Rockette, H. E. (1995). Hypothesis testing of diagnostic accuracy for multiple readers and multiple
  tests: an ANOVA approach with dependent observations. Communications in Statistics - Simulation and Computation 24(2),
  285-308.
Phipson, B. & Smyth, G. K. (2010). Permutation p-values should never be zero: calculating exact p-values when
  permutations are randomly drawn. Statistical Applications in Genetics and Molecular Biology 9(1), article 39.
Pustejovsky, J. E. & Tipton, E. (2018). Small-sample methods for cluster-robust variance estimation and hypothesis
  testing in fixed effects models. Journal of Business & Economic Statistics 36(4), 672-683.
Satterthwaite, F. E. (1946). An approximate distribution of estimates of variance components. Biometrics Bulletin 2(6),
  110-114.
Shao, J. & Wu, C. F. J. (1989). A general theory for jackknife variance estimation. Annals of Statistics 17(3),
  1176-1197.
Sun, X. & Xu, W. (2014). Fast implementation of DeLong's algorithm for comparing the areas under correlated receiver
  operating characteristic curves. IEEE Signal Processing Letters 21(11), 1389-1393.
Tango, T. (1998). Equivalence test and confidence interval for the difference in proportions for the paired-sample
  design. Statistics in Medicine 17(8), 891-908.
Wilcoxon, F. (1945). Individual comparisons by ranking methods. Biometrics Bulletin 1(6), 80-83.
Wilson, E. B. (1927). Probable inference, the law of succession, and statistical inference. Journal of the American
  Statistical Association 22(158), 209-212.
"""


class Reference(NamedTuple):
    """One publication; `work` is its title and where it appeared."""

    authors: str
    year: int
    work: str

    def __str__(self) -> str:
        """Return the citation on one line."""
        return f"{self.authors} ({self.year}). {self.work}"


def _read(entry: str) -> tuple[str, Reference]:
    """Return a citation with its key: the family name of the first author, and the year."""
    authors, _, rest = " ".join(entry.split()).partition(" (")
    year, _, work = rest.partition("). ")
    return authors.partition(",")[0].lower() + year, Reference(authors, int(year), work)


# An entry goes on where a line is indented.
REFERENCES = dict(_read(entry) for entry in _BIBLIOGRAPHY.strip().replace("\n ", " ").split("\n"))

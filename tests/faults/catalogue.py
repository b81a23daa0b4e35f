"""All planted faults, by name: those that every method can have, those of each, and those of what they share."""

from errbar.methods import catalogue
from tests.faults.fault import FOUND, Fault, laws, of_formula
from tests.faults.of_all import faults_of
from tests.faults.of_each import WRONG
from tests.faults.of_functions import SHARED

_HOME = "tests/methods/test_"
_REFERENCE = f"{_HOME}reference.py"
_FIXED = f"{_HOME}fixed_hypotheses.py"
_BAGS = f"{_HOME}out_of_bag.py"
_DATA_SETS = "tests/test_datasets.py"
_DEPENDENT = "tests/designs/test_dependent.py"
TESTS = {
    "corrected-t": _REFERENCE,
    "resampled-t": _REFERENCE,
    "welch-t": "tests/test_gaps.py -k TestWelch",
    "kfold-t": f"{_REFERENCE} {_HOME}rho.py",
    "5x2cv-t": f"{_REFERENCE} {_HOME}properties.py",
    "5x2cv-f": f"{_REFERENCE} {_HOME}properties.py",
    "bayes-correlated-t": f"{_HOME}bayes_correlated_t.py",
    "bootstrap-benchmark": f"{_HOME}bootstrap_benchmark.py -k TestBenchmark",
    "holdout-t": _REFERENCE,
    "cv-wald": _REFERENCE,
    "cv-t": f"{_HOME}cv_t.py",
    "cv-jackknife": f"{_HOME}jackknife.py",
    "part-jackknife": f"{_HOME}part_jackknife.py",
    "cluster-t": f"{_DEPENDENT} -k TestClusters",
    "crossed-t": f"{_DEPENDENT} -k TestSeeds",
    "crossed-or": f"{_DEPENDENT} -k TestObuchowskiRockette",
    "diebold-mariano": f"{_DEPENDENT} -k TestTime",
    "two-way-t": "tests/methods/test_two_way.py",
    "ppi": f"{_DEPENDENT} -k TestJudges",
    "known": f"{_HOME}known.py -k 'TestFormula or TestLaws'",
    "kfold-theta": f"{_HOME}kfold_theta.py",
    "nested-cv": f"{_HOME}nested_cv.py",
    "conservative-z": f"{_HOME}conservative_z.py",
    "halved-kfold-t": f"{_HOME}rho.py",
    "replace-one": f"{_HOME}replace_one.py",
    "oob-bootstrap": _BAGS,
    "632": _BAGS,
    "632-plus": _BAGS,
    "binomial": f"{_FIXED} -k Binomial",
    "two-proportion-z": f"{_FIXED} -k TwoProportion",
    "mcnemar": f"{_FIXED} -k McNemar",
    "paired-proportions": f"{_FIXED} -k PairedProportions",
    "cochran-q": f"{_HOME}cochran_q.py",
    "friedman": f"{_HOME}bootstrap_benchmark.py -k TestFriedman",
    "delong": f"{_HOME}delong.py",
    "bootstrap-auc": f"{_HOME}bootstrap.py",
    "bootstrap": f"{_HOME}bootstrap.py",
    "permutation": f"{_HOME}permutation.py",
    "outperformance": f"{_HOME}outperformance.py",
    "sign-test": f"{_DATA_SETS} -k 'TestSign or TestBothRankTests'",
    "wilcoxon": f"{_DATA_SETS} -k 'TestWilcoxon or TestBothRankTests'",
    "data-sets-t": "tests/test_seeds_of_data_sets.py",
    "bayes-sign": f"{_DATA_SETS} -k TestBayes",
    "bayes-signed-rank": f"{_DATA_SETS} -k TestBayes",
}
"""Where each method is tested, besides the laws."""


def _tests_of(key: str) -> tuple[str, ...]:
    common = () if catalogue()[key].subject == "all" else (laws(key),)
    return (*common, TESTS[key], FOUND)


FAULTS: dict[str, Fault] = {
    fault.name: fault
    for fault in (
        *(
            fault
            for method in catalogue().values()
            for fault in faults_of(method, _tests_of(method.key))
        ),
        *(
            of_formula(key, name, wrong, _tests_of(key))
            for key, own in WRONG.items()
            for name, wrong in own.items()
        ),
        *SHARED,
    )
}

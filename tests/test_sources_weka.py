"""Result files of Weka's Experimenter: real scores written in its format, and its own corrected test redone by hand."""

import csv
import io

import numpy as np
import pytest
from scipy import stats
from sklearn import model_selection as ms
from sklearn.datasets import load_diabetes, load_iris, load_wine
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LinearRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.tree import DecisionTreeClassifier

import errbar
from errbar import InvalidInputError
from errbar.datasets import from_tables, ranks
from tests.refusals import refused

KEYS = [
    "Key_Dataset",
    "Key_Run",
    "Key_Fold",
    "Key_Scheme",
    "Key_Scheme_options",
    "Key_Scheme_version_ID",
]
SIZES = ["Date_time", "Number_of_training_instances", "Number_of_testing_instances"]
RATES = ["Number_correct", "Percent_correct", "Percent_incorrect", "Kappa_statistic"]
ERRORS = ["Mean_absolute_error", "Root_mean_squared_error"]
HEADER = [*KEYS, *SIZES, *RATES, *ERRORS, "Elapsed_Time_training", "Summary"]
SCHEMES = {
    ("weka.classifiers.trees.J48", "-C 0.25 -M 2"): DecisionTreeClassifier(random_state=0),
    ("weka.classifiers.bayes.NaiveBayes", ""): GaussianNB(),
    (
        "weka.classifiers.lazy.IBk",
        '-K 1 -W 0 -A "weka.core.neighboursearch.LinearNNSearch -A \\"weka.core.EuclideanDistance -R first-last\\""',
    ): KNeighborsClassifier(1),
    ("weka.classifiers.lazy.IBk", "-K 5 -W 0"): KNeighborsClassifier(5),
    ("weka.classifiers.rules.ZeroR", ""): DummyClassifier(),
}


SCORES = (
    "Kappa_statistic IR_precision IR_recall F_measure Matthews_correlation "
    "Area_under_ROC Area_under_PRC True_positive_rate Num_true_positives True_negative_rate Num_true_negatives "
    "Correlation_coefficient KB_information KB_mean_information KB_relative_information SF_entropy_gain SF_mean_entropy_gain "
    "Coverage_of_Test_Cases_By_Regions Unweighted_macro_avg_F_measure Unweighted_micro_avg_F_measure"
)
LOSSES = (
    "Percent_unclassified Number_unclassified Relative_absolute_error Root_relative_squared_error False_positive_rate "
    "Num_false_positives False_negative_rate Num_false_negatives SF_scheme_entropy SF_mean_scheme_entropy "
    "Size_of_Predicted_Regions Elapsed_Time_testing UserCPU_Time_training UserCPU_Time_testing "
    "UserCPU_Time_millis_training UserCPU_Time_millis_testing Elapsed_Time_millis_training "
    "Elapsed_Time_millis_testing Serialized_Model_Size Serialized_Train_Set_Size Serialized_Test_Set_Size "
    "measureTreeSize measureNumLeaves measureNumRules"
)


def quoted(value):
    """As Weka quotes: in single quotes, with backslashes, wherever something could be misread."""
    text = str(value)
    if text == "":
        return "''"
    if not any(mark in text for mark in " ,'\"\\%{}"):
        return text
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'").replace('"', '\\"') + "'"


def row(data_set, run, fold, scheme, train, test, truth, predicted):
    name, options = scheme
    right = int((truth == predicted).sum())
    expected = sum((truth == c).mean() * (predicted == c).mean() for c in np.unique(truth))
    agreement = right / truth.size
    kappa = (agreement - expected) / (1 - expected)
    known = {
        "Key_Dataset": data_set,
        "Key_Run": run,
        "Key_Fold": fold,
        "Key_Scheme": name,
        "Key_Scheme_options": options,
        "Key_Scheme_version_ID": -217733168393644444,
        "Date_time": 20260101.1234,
        "Number_of_training_instances": float(len(train)),
        "Number_of_testing_instances": float(len(test)),
        "Number_correct": float(right),
        "Percent_correct": 100 * agreement,
        "Percent_incorrect": 100 * (1 - agreement),
        "Kappa_statistic": kappa,
        "Mean_absolute_error": 1 - agreement,
        "Root_mean_squared_error": np.sqrt(1 - agreement),
        "Elapsed_Time_training": 0.001,
        "Summary": "Number of leaves: 5, size of the tree: 9",
    }
    return [known[column] for column in HEADER]


def experiment(sets, runs=3, folds=10, schemes=SCHEMES):
    """Rows of an experiment with cross-validations: run numbers are seeds, as in Weka."""
    rows = []
    for name, (X, y) in sets.items():
        for run in range(1, runs + 1):
            cv = ms.StratifiedKFold(folds, shuffle=True, random_state=run)
            for fold, (train, test) in enumerate(cv.split(X, y), start=1):
                for scheme, learner in schemes.items():
                    predicted = learner.fit(X[train], y[train]).predict(X[test])
                    rows.append(row(name, run, fold, scheme, train, test, y[test], predicted))
    return rows


def as_csv(rows, header=HEADER):
    return "\n".join([",".join(header), *(",".join(quoted(v) for v in r) for r in rows)]) + "\n"


def as_arff(rows):
    attributes = [
        f"@attribute {name} {'string' if 'Scheme' in name else 'numeric'}" for name in HEADER
    ]
    lines = [
        "% made by an experiment",
        "@relation InstanceResultListener",
        "",
        *attributes,
        "",
        "@data",
    ]
    return "\n".join([*lines, *(",".join(quoted(v) for v in r) for r in rows)]) + "\n"


def from_weka(path, data_set=None, **asked):
    tables = errbar.weka_tables(path, **asked)
    return tables[data_set or next(iter(tables))]


@pytest.fixture(scope="module")
def rows():
    return experiment({"iris": load_iris(return_X_y=True)})


@pytest.fixture
def write(tmp_path):
    def write(text, name="results.csv"):
        path = tmp_path / name
        path.write_text(text, encoding="utf-8")
        return path

    return write


@pytest.fixture
def table(rows, write):
    return from_weka(write(as_csv(rows)))


def column(rows, scheme, name):
    """What a file holds for a scheme, in the order of runs and folds."""
    own = [r for r in rows if (r[3], r[4]) == list(SCHEMES)[scheme]]
    own.sort(key=lambda r: (r[1], r[2]))
    return np.array([r[HEADER.index(name)] for r in own])


class TestReading:
    def test_schemes_are_named_by_class_and_options_only_where_needed(self, table):
        first, second, *_ = table.learners
        assert (first, second, table.learners[-1]) == ("J48", "NaiveBayes", "ZeroR")
        assert table.learners[2].startswith(
            'IBk -K 1 -W 0 -A "weka.core.neighboursearch.LinearNNSearch -A \\"weka'
        )
        assert table.learners[3] == "IBk -K 5 -W 0"

    def test_scores_sizes_and_labels(self, table, rows):
        assert table.loss.key == "Percent_correct"
        assert table.loss.higher_is_better
        assert table.splits.kinds == ("kfold",)
        assert table.splits.repeats(0) == 3
        assert table.splits.n_train.tolist() == [135.0] * 30
        assert table.splits.n_test.tolist() == [15.0] * 30
        for i in range(5):
            assert (-table.scores[i]).tolist() == column(rows, i, "Percent_correct").tolist()

    @pytest.mark.parametrize(
        "text",
        [
            as_arff,
            lambda r: as_csv(r[::-1]),
            lambda r: "\ufeff" + as_csv(r),
            lambda r: as_csv(r).replace("\n", "\r\n"),
        ],
        ids=["arff", "other order", "byte order mark", "windows"],
    )
    def test_the_same_from_other_forms(self, rows, write, table, text):
        found = from_weka(write(text(rows), "results.arff"))
        same = [found.position(name) for name in table.learners]
        assert np.sort(found.scores[same]).tolist() == np.sort(table.scores).tolist()
        one, other = (
            errbar.compare_table(each, method="corrected-t", baseline="J48").pairs[0].result
            for each in (found.subset(table.learners), table)
        )
        assert (one.estimate, one.se) == pytest.approx((other.estimate, other.se), rel=1e-12)

    def test_double_quotes_as_spreadsheets_write_them(self, rows, write, table):
        text = io.StringIO()
        csv.writer(text).writerows([HEADER, *rows])
        found = from_weka(write(text.getvalue()))
        assert found.learners == table.learners
        assert found.scores.tolist() == table.scores.tolist()

    @pytest.mark.parametrize(
        ("metric", "higher"),
        [
            ("Percent_incorrect", False),
            ("Kappa_statistic", True),
            ("Root_mean_squared_error", False),
        ],
    )
    def test_other_columns_and_their_direction(self, rows, write, metric, higher):
        table = from_weka(write(as_csv(rows)), metric=metric)
        assert table.loss.higher_is_better is higher
        assert (table.loss.sign * table.scores[0]).tolist() == column(rows, 0, metric).tolist()

    def test_a_direction_may_be_stated(self, rows, write):
        path = write(as_csv(rows).replace("Kappa_statistic", "My_own"))
        assert not from_weka(path, metric="My_own", higher_is_better=False).loss.higher_is_better
        with pytest.raises(InvalidInputError):
            from_weka(path, metric="My_own")

    @pytest.mark.parametrize(
        ("name", "higher"),
        [
            ("Weighted_avg_false_positive_rate", False),
            ("Weighted_avg_true_positive_rate", True),
            ("Weighted_avg_F_measure", True),
            ("Weighted_avg_area_under_ROC", True),
            ("Unweighted_macro_avg_F_measure", True),
            ("Serialized_Model_Size", False),
        ],
    )
    def test_weighted_averages_are_like_what_they_average(self, rows, write, name, higher):
        path = write(as_csv(rows).replace("Kappa_statistic", name))
        assert from_weka(path, metric=name).loss.higher_is_better is higher

    def test_random_splits_without_folds(self, write):
        X, y = load_iris(return_X_y=True)
        header = [name for name in HEADER if name != "Key_Fold"]
        rows = []
        for run in range(1, 6):
            train, test = next(ms.ShuffleSplit(1, test_size=51, random_state=run).split(X))
            for scheme, learner in SCHEMES.items():
                whole = row(
                    "iris",
                    run,
                    1,
                    scheme,
                    train,
                    test,
                    y[test],
                    learner.fit(X[train], y[train]).predict(X[test]),
                )
                rows.append(whole[:2] + whole[3:])
        table = from_weka(write(as_csv(rows, header)))
        assert table.splits.kinds == ("subsampling",)
        assert table.splits.n_test.tolist() == [51.0] * 5

    def test_regression_has_errors_and_no_percentages(self, write):
        X, y = load_diabetes(return_X_y=True)
        scheme, rows = ("weka.classifiers.functions.LinearRegression", "-S 0"), []
        for fold, (train, test) in enumerate(ms.KFold(5).split(X), start=1):
            whole = row(
                "diabetes",
                1,
                fold,
                scheme,
                train,
                test,
                np.arange(len(test)) % 2,
                np.ones(len(test)),
            )
            error = np.sqrt(
                np.mean(
                    (LinearRegression().fit(X[train], y[train]).predict(X[test]) - y[test]) ** 2
                )
            )
            for name in RATES:
                whole[HEADER.index(name)] = "?"
            whole[HEADER.index("Root_mean_squared_error")] = error
            rows.append(whole)
        table = from_weka(write(as_csv(rows)))
        assert (table.loss.key, table.loss.higher_is_better) == ("Root_mean_squared_error", False)
        assert table.scores[0].tolist() == [
            r[HEADER.index("Root_mean_squared_error")] for r in rows
        ]

    @pytest.mark.parametrize(("names", "higher"), [(SCORES, True), (LOSSES, False)])
    def test_the_direction_of_every_column_of_weka_is_known(self, rows, write, names, higher):
        for name in names.split():
            path = write(as_csv(rows[:10]).replace("Kappa_statistic", name))
            assert from_weka(path, metric=name).loss.higher_is_better is higher


class TestCorrectedTest:
    def by_hand(self, rows, a, b):
        """Weka's corrected paired t: the ratio is that of all test instances to all training instances."""
        d = column(rows, a, "Percent_correct") - column(rows, b, "Percent_correct")
        test, train = column(rows, a, SIZES[2]), column(rows, a, SIZES[1])
        t = d.mean() / np.sqrt(d.var(ddof=1) * (1 / d.size + test.sum() / train.sum()))
        return d.mean(), t, 2 * stats.t.sf(abs(t), d.size - 1)

    @pytest.mark.parametrize(("a", "b"), [(0, 1), (1, 2), (3, 4)])
    def test_on_folds_of_equal_size_it_is_the_same(self, table, rows, a, b):
        mean, t, pvalue = self.by_hand(rows, a, b)
        result = errbar.infer(table, "corrected-t", table.learners[a], minus=table.learners[b])
        assert (result.estimate, result.statistic, result.pvalue) == pytest.approx(
            (mean, t, pvalue), rel=1e-9
        )

    def test_on_unequal_folds_it_nearly_is(self, write):
        rows = experiment({"wine": load_wine(return_X_y=True)}, runs=2, folds=7)
        table = from_weka(write(as_csv(rows)))
        assert len(set(table.splits.n_test)) > 1
        _, t, _ = self.by_hand(rows, 0, 1)
        result = errbar.infer(table, "corrected-t", "J48", minus="NaiveBayes")
        assert result.statistic != pytest.approx(t, rel=1e-9)
        assert result.statistic == pytest.approx(t, rel=1e-3)


@pytest.fixture(scope="module")
def several():
    sets = {"iris": load_iris(return_X_y=True), "wine, red": load_wine(return_X_y=True)}
    X, y = sets["iris"]
    sets["iris of two"] = X[:100, 1:2], y[:100]
    return experiment(sets, runs=1, folds=5)


class TestSeveralDataSets:
    def test_one_is_chosen(self, several, write):
        path = write(as_csv(several))
        table = from_weka(path, data_set="wine, red")
        assert (table.splits.n_train + table.splits.n_test).tolist() == [178.0] * 5

    def test_all_are_read_for_tests_over_data_sets(self, several, write):
        tables = errbar.weka_tables(write(as_csv(several)))
        assert list(tables) == ["iris", "wine, red", "iris of two"]
        data = from_tables(tables)
        assert data.loss.higher_is_better
        own = [
            r[HEADER.index("Percent_correct")]
            for r in several
            if r[0] == "wine, red" and r[3].endswith("J48")
        ]
        assert -data.scores[0, 1] == pytest.approx(np.mean(own))
        assert 0 < ranks(data).friedman.f_pvalue < 1


def without(rows, index):
    return [r for i, r in enumerate(rows) if i != index]


def changed(rows, index, name, value):
    altered = list(rows[index])
    altered[HEADER.index(name)] = value
    return [*rows[:index], altered, *rows[index + 1 :]]


@pytest.mark.parametrize("gone", [0, 3])
def test_a_scheme_that_lacks_a_fold_is_left_out(rows, write, table, gone):
    found = from_weka(write(as_csv(without(rows, gone))))
    assert found.learners == table.learners[:gone] + table.learners[gone + 1 :]
    assert [note.code for note in found.notes] == ["left-out"]


class TestRefusals:
    @pytest.mark.parametrize(
        ("change", "error"),
        [
            (lambda r: [*r, r[0]], InvalidInputError),
            (lambda r: changed(r, 7, SIZES[2], 16.0), InvalidInputError),
            (lambda r: [one for one in without(r, 0) if one[3] in (r[0][3], r[1][3])], InvalidInputError),
            (lambda r: changed(r, 1, "Percent_correct", "?"), InvalidInputError),
            (lambda r: changed(r, 1, "Percent_correct", "NaN"), InvalidInputError),
            (lambda r: changed(r, 1, "Key_Run", 1.5), InvalidInputError),
            (lambda r: changed(r, 1, "Key_Fold", "first"), InvalidInputError),
            (lambda r: [r[0][:-1], *r[1:]], InvalidInputError),
            (lambda _: [], InvalidInputError),
        ],
    )  # fmt: skip
    def test_rows(self, rows, write, change, error):
        with pytest.raises(error):
            from_weka(write(as_csv(change(rows))))

    @pytest.mark.parametrize(
        "text",
        [
            "",
            "a,b\n1,2\n",
            "@relation x\n@attribute a numeric\n",
            "@relation x\n@attribute Key_Run numeric\n@data\n{0 1}\n",
            "Key_Dataset,Key_Run,Key_Scheme,x\n'iris,1,J48,2\n",
            "Key_Dataset,Key_Run,Key_Scheme,x\niris,1,J48,2\n",
        ],
    )  # fmt: skip
    def test_files(self, write, text):
        with pytest.raises(InvalidInputError):
            from_weka(write(text))

    def test_columns_that_are_not_there(self, rows, write):
        with refused("metric"):
            from_weka(write(as_csv(rows)), metric="percent_correct")

    def test_paths(self, tmp_path):
        with pytest.raises(InvalidInputError):
            from_weka(tmp_path / "none.csv")
        with pytest.raises(InvalidInputError):
            errbar.weka_tables(tmp_path)
        (tmp_path / "x.csv").write_bytes(b"\xff\xfe\x00\x01")
        with pytest.raises(InvalidInputError):
            from_weka(tmp_path / "x.csv")

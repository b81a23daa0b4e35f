"""One door: what holds the numbers is known by what it is."""

import json

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import make_classification
from sklearn.experimental import enable_halving_search_cv  # noqa: F401 - it brings the next
from sklearn.model_selection import GridSearchCV, HalvingGridSearchCV, KFold, cross_validate
from sklearn.tree import DecisionTreeClassifier

import errbar
from tests.refusals import refused

X, Y = make_classification(120, random_state=0)
CV = KFold(10)
SIZES = {"n_train": 108, "n_test": 12}
GRID = {"max_depth": [1, 3, None]}


@pytest.fixture(scope="module")
def search():
    return GridSearchCV(DecisionTreeClassifier(random_state=0), GRID, cv=CV).fit(X, Y)


def of(depth):
    tree = DecisionTreeClassifier(max_depth=depth, random_state=0)
    return cross_validate(tree, X, Y, cv=CV, return_indices=True)


def equal(one, other):
    return one.learners == other.learners and np.allclose(one.scores, other.scores, atol=0)


class TestSearches:
    def test_itself_and_what_it_keeps(self, search):
        found = errbar.read(search, **SIZES)
        assert found.learners == ("max_depth=1", "max_depth=3", "max_depth=None")
        assert equal(found, errbar.read(search.cv_results_, **SIZES))
        assert equal(found, errbar.read(pd.DataFrame(search.cv_results_), **SIZES))
        assert "optimistic" in [note.code for note in found.notes]

    def test_each_candidate_has_the_scores_of_its_own_cross_validation(self, search):
        found = errbar.read(search, **SIZES)
        assert np.allclose(-found.scores[1], of(3)["test_score"])
        assert found.splits.kinds == ("kfold",)

    def test_a_file_of_them(self, search, tmp_path):
        place = tmp_path / "cv_results.csv"
        frame = pd.DataFrame(search.cv_results_)
        frame.to_csv(place)
        found = errbar.read(place, **SIZES)
        assert equal(found, errbar.read(search, **SIZES))

    def test_a_candidate_whose_fit_failed_is_left_out(self, search):
        frame = pd.DataFrame(search.cv_results_)
        frame.loc[1, "split1_test_score"] = np.nan
        found = errbar.read(frame, **SIZES)
        assert found.learners == ("max_depth=1", "max_depth=None")
        assert "left-out" in [note.code for note in found.notes]

    def test_sizes_are_needed(self, search):
        with refused(argument="n_train"):
            errbar.read(search)

    def test_candidates_of_halving_have_one_size_each(self):
        halving = HalvingGridSearchCV(
            DecisionTreeClassifier(random_state=0),
            GRID,
            cv=3,
            min_resources=30,
            factor=2,
            random_state=0,
        ).fit(X, Y)
        with refused(error=errbar.PairingError):
            errbar.read(halving, n_train=20, n_test=10)
        frame = pd.DataFrame(halving.cv_results_)
        first = errbar.read(frame[frame["iter"] == 0], n_train=20, n_test=10)
        assert len(first.learners) == 3


class TestResults:
    def test_one_and_several(self):
        one, several = errbar.read(of(1)), errbar.read({"stump": of(1), "tree": of(None)})
        assert several.learners == ("stump", "tree")
        assert np.array_equal(one.scores[0], several.scores[0])


class TestFiles:
    def test_a_table(self, tmp_path):
        path = tmp_path / "scores.csv"
        pd.DataFrame({"a": [0.1, 0.2, 0.4], "b": [0.2, 0.1, 0.3]}).to_csv(path, index=False)
        assert equal(errbar.read(path, **SIZES), errbar.read_table(path, **SIZES))

    def test_several_that_are_no_logs(self, tmp_path):
        path = tmp_path / "scores.json"
        path.write_text(json.dumps([{"a": 1}]))
        with refused():
            errbar.read([path, path])

"""Score frames of the shape that julearn returns."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import stats
from sklearn import model_selection as ms
from sklearn.datasets import load_iris
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

import errbar
from errbar import InvalidInputError, PairingError
from tests.forms import same_splits
from tests.refusals import refused

CV = ms.RepeatedStratifiedKFold(n_splits=5, n_repeats=3, random_state=0)


def frame(learner, cv=CV, mdsum="b10eef89b4192178d482d7a1587a248a", scoring=("accuracy",)):
    """Real scores in the columns of such a frame."""
    X, y = load_iris(return_X_y=True)
    found = ms.cross_validate(learner, X, y, cv=cv, scoring=list(scoring), return_indices=True)
    indices, repeats = found.pop("indices"), getattr(cv, "n_repeats", 1)
    columns = pd.DataFrame(found)
    columns["estimator"] = [learner] * len(columns)
    columns["n_train"] = [len(part) for part in indices["train"]]
    columns["n_test"] = [len(part) for part in indices["test"]]
    columns["repeat"] = np.repeat(np.arange(repeats), len(columns) // repeats)
    columns["fold"] = np.tile(np.arange(len(columns) // repeats), repeats)
    columns["cv_mdsum"] = mdsum
    return columns


@pytest.fixture(scope="module")
def frames():
    return {"bayes": frame(GaussianNB()), "tree": frame(DecisionTreeClassifier(random_state=0))}


def read(frames, **options):
    return errbar.from_cross_validate(
        frames, **{"metric": "accuracy", "stratified": True} | options
    )


def test_scores_sizes_and_labels(frames):
    table = read(frames)
    assert (table.learners, table.splits.kinds) == (("bayes", "tree"), ("kfold",))
    assert table.scores[0].tolist() == (-frames["bayes"]["test_accuracy"]).tolist()
    assert table.splits.labels["repeat"].tolist() == [0] * 5 + [1] * 5 + [2] * 5
    assert table.splits.n_test.tolist() == [30.0] * 15
    assert table.loss.higher_is_better
    assert table.notes == ()


def test_the_corrected_test_by_hand(frames):
    result = errbar.infer(read(frames), "corrected-t", "bayes", minus="tree")
    d = (frames["bayes"]["test_accuracy"] - frames["tree"]["test_accuracy"]).to_numpy()
    t = d.mean() / np.sqrt(d.var(ddof=1) * (1 / 15 + 30 / 120))
    assert result.statistic == pytest.approx(t)
    assert result.pvalue == pytest.approx(2 * stats.t.sf(abs(t), 14))


@pytest.mark.parametrize(
    "shape",
    [
        lambda f: {name: pl.from_pandas(one.drop(columns="estimator")) for name, one in f.items()},
        lambda f: {name: one.to_dict("list") for name, one in f.items()},
    ],
    ids=["polars", "lists"],
)
def test_every_shape_gives_the_same_table(frames, shape):
    found, known = read(shape(frames)), read(frames)
    rows = [found.position(name) for name in known.learners]
    assert found.scores[rows].tolist() == known.scores.tolist()
    assert same_splits(found.splits, known.splits)


def test_random_splits_are_subsampling():
    one = frame(GaussianNB(), ms.ShuffleSplit(6, test_size=0.3, random_state=0))
    assert read({"bayes": one}).splits.kinds == ("subsampling",)


def test_the_kind_may_be_stated():
    one = frame(GaussianNB(), ms.ShuffleSplit(10, test_size=0.1, random_state=0))
    assert read({"bayes": one}).splits.kinds == ("kfold",)
    assert read({"bayes": one}, kind="subsampling").splits.kinds == ("subsampling",)


def test_losses():
    one = frame(GaussianNB(), scoring=["neg_log_loss"])
    one["test_log_loss"] = -one["test_neg_log_loss"]
    table = errbar.from_cross_validate({"bayes": one}, metric="log_loss", higher_is_better=False)
    assert table.scores[0].tolist() == one["test_log_loss"].tolist()


def test_a_single_split():
    assert read({"bayes": frame(GaussianNB()).iloc[:1]}).splits.kinds == ("holdout",)


class TestPairing:
    def test_different_digests_are_refused(self, frames):
        with pytest.raises(PairingError):
            read(frames | {"tree": frames["tree"].assign(cv_mdsum="00ff")})

    @pytest.mark.parametrize("change", [{"cv_mdsum": "non-reproducible"}, None])
    def test_splits_that_nobody_can_check_get_a_note(self, frames, change):
        altered = {
            k: f.assign(**change) if change else f.drop(columns="cv_mdsum")
            for k, f in frames.items()
        }
        assert [note.code for note in read(altered).notes] == ["not-verified"]
        assert read({"bayes": altered["bayes"]}).notes == ()

    def test_one_that_can_and_one_that_cannot_be_checked(self, frames):
        altered = frames["tree"].assign(cv_mdsum="non-reproducible")
        assert [note.code for note in read(frames | {"tree": altered}).notes] == ["not-verified"]

    @pytest.mark.parametrize(
        ("column", "value"), [("n_test", 29), ("n_train", 121), ("fold", [0, 1, 2, 3, 5] * 3)]
    )
    def test_different_labels_or_sizes(self, frames, column, value):
        with pytest.raises(InvalidInputError):
            read(frames | {"tree": frames["tree"].assign(**{column: value})})

    def test_different_numbers_of_splits(self, frames):
        with pytest.raises(PairingError):
            read(frames | {"tree": frames["tree"].iloc[:10]})


@pytest.mark.parametrize(
    "frames", [{}, [], None, 3, "frame", [1], [pd.DataFrame({"test_accuracy": [1.0]})]]
)
def test_what_is_no_frame_is_refused(frames):
    with refused():
        read(frames)


def test_failed_fits_and_folds_that_stand_twice(frames):
    broken = frames["tree"].copy()
    broken.loc[3, "test_accuracy"] = np.nan
    with pytest.raises(InvalidInputError):
        read({"tree": broken})
    with pytest.raises(InvalidInputError):
        read({"tree": pd.concat([frames["tree"]] * 2)})

"""What a constant prediction gets, against scikit-learn's numbers for it."""

import json

import numpy as np
import pytest
from sklearn import metrics
from sklearn.dummy import DummyClassifier
from sklearn.model_selection import StratifiedKFold
from sklearn.naive_bayes import GaussianNB

import errbar
from errbar import report

X = np.random.default_rng(0).normal(size=(200, 2))
Y = np.where(np.arange(200) % 10 == 0, "yes", "no")
PLAN = errbar.plans.Predefined(StratifiedKFold(5))
LEARNERS = {"bayes": GaussianNB(), "shares": DummyClassifier(strategy="prior")}


def compared(loss, y=Y):
    options = {"method": "corrected-t"} if loss != "zero-one" else {}
    return errbar.compare(
        LEARNERS, X, y, loss=loss, positive="yes", plan=PLAN, random_state=0, **options
    )


@pytest.mark.parametrize(
    ("loss", "number", "shares"),
    [
        ("zero-one", 0.1, False),
        ("accuracy", 0.9, False),
        ("f1", 0.0, False),
        ("balanced_accuracy", 0.5, False),
        ("roc_auc", 0.5, False),
        ("average_precision", 0.1, False),
        ("log-loss", metrics.log_loss(Y, np.tile([0.9, 0.1], (200, 1))), True),
        ("brier", metrics.brier_score_loss(Y == "yes", np.full(200, 0.1)), True),
    ],
)
def test_the_number_of_a_constant(loss, number, shares):
    found = compared(loss)
    one = found.commonest
    assert (one.label, one.share, one.shares) == ("no", pytest.approx(0.9), shares)
    assert one.number == pytest.approx(number)
    # The learner that predicts the shares of its training sets is that constant.
    assert found.learners["shares"].estimate == pytest.approx(number)


def test_an_undefined_number_is_said_to_be_so():
    learners = {"a": GaussianNB(), "b": GaussianNB(var_smoothing=0.1)}
    shifted = X + 3.0 * (Y == "yes")[:, None]
    found = errbar.compare(
        learners,
        shifted,
        Y,
        loss="matthews_corrcoef",
        plan=PLAN,
        method="corrected-t",
        random_state=0,
    )
    assert found.commonest.number is None
    assert "'no' (90 % of the examples), gets no MCC." in report.markdown(found).replace(
        r"\_", "_"
    )


def test_even_classes_and_given_numbers_have_none():
    # Just four fifths are not more than four fifths.
    assert compared("zero-one", np.where(np.arange(200) % 5 == 0, "yes", "no")).commonest is None
    table = errbar.from_losses({"a": [0, 0, 1], "b": [1, 0, 0]}, metric="zero-one")
    assert errbar.compare_table(table).commonest is None


def test_every_form_says_it():
    found = compared("roc_auc")
    sentence = (
        "Always predicting the commonest class, 'no' (90 % of the examples), gets ROC AUC 0.5"
    )
    assert sentence in " ".join(report.text(found, width=200).split())
    assert sentence in report.markdown(found)
    assert "gets ROC AUC" in report.latex(found)
    page = report.html(found)
    assert "Always predicting the commonest class" in page
    data = json.loads(json.dumps(found.to_dict()))["commonest"]
    assert data == {"class": "no", "share": 0.9, "predicts": "commonest-class", "number": 0.5}

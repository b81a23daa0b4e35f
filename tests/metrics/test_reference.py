"""Values, influence values and standard errors from formulas, checked elsewhere by weight derivative and jackknife, and R."""

import math

import numpy as np
import pytest

import errbar
from errbar.metrics import DECISION, LABEL, METRICS, PROBABILITY, Target, resolve
from tests.metrics.cases import Says, SaysNumber, shown

# fmt: off
TWO = {
    "y": [1, 0, 0, 1, 1, 0, 0, 1, 0, 1, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1],
    "prediction": [0, 1, 0, 1, 1, 1, 0, 1, 0, 1, 0, 1, 1, 1, 0, 1, 0, 0, 1, 1],
    "score": [.5, .7, -.2, .9, 1.6, 1.8, -.7, 2.3, -1.2, 1.2, -1.2, 1.4, .8, 1.1, -.9, .7, -.5, .5, 1.5, 1.9],
    "probability": [.5, .55, .332, .599, .75, .786, .231, .858, .154, .668, .154, .711, .574, .646, .198, .55, .269, .5, .731, .802],
}
THREE = {
    "y": [0, 0, 0, 2, 1, 0, 1, 1, 1, 1, 1, 0, 0, 2, 2, 1, 1, 1, 0, 1],
    "prediction": [0, 0, 0, 2, 1, 0, 1, 1, 1, 1, 1, 0, 0, 0, 2, 1, 2, 1, 0, 1],
}
NUMBERS = {
    "y": [2.02, 4.93, 2.73, 5.29, 1.92, 3.09, 3.7, 3.56, 1.15, 2.0, 2.71, 1.72],
    "prediction": [2.66, 5.5, 1.26, 3.95, .99, 3.28, 5.43, 3.35, 1.45, 1.25, 1.97, .25],
}
# fmt: on
# value, standard error sd(influence)/sqrt(n) with divisor n - 1, and the influence values of the first six examples
OF_TWO = {
    "accuracy": (0.6000000000000002, 0.11239029738980327, [-0.6, -0.6, 0.4, 0.4, 0.4, -0.6]),
    "precision": (
        0.4999999999999999,
        0.14808721943977304,
        [0.0, -0.833333333333, -0.0, 0.833333333333, 0.833333333333, -0.833333333333],
    ),
    "recall": (0.75, 0.1570702156093858, [-1.875, 0.0, -0.0, 0.625, 0.625, 0.0]),
    "specificity": (
        0.4999999999999999,
        0.14808721943977304,
        [0.0, -0.833333333333, 0.833333333333, -0.0, -0.0, -0.833333333333],
    ),
    "f1": (0.6, 0.13298199324087373, [-0.6, -0.6, 0.0, 0.8, 0.8, -0.6]),
    "f2": (
        0.6818181818181818,
        0.1336476732296958,
        [-1.239669421488, -0.309917355372, 0.0, 0.723140495868, 0.723140495868, -0.309917355372],
    ),
    "jaccard": (
        0.42857142857142844,
        0.1356959114702793,
        [-0.612244897959, -0.612244897959, 0.0, 0.816326530612, 0.816326530612, -0.612244897959],
    ),
    "balanced_accuracy": (
        0.625,
        0.10793618159933958,
        [-0.9375, -0.416666666667, 0.416666666667, 0.3125, 0.3125, -0.416666666667],
    ),
    "mcc": (
        0.25000000000000044,
        0.21507725050365167,
        [-1.875, -0.833333333333, 0.729166666667, 0.729166666667, 0.729166666667, -0.833333333333],
    ),
    "kappa": (
        0.23076923076923084,
        0.20294355262684677,
        [
            -1.508875739645,
            -0.917159763314,
            0.710059171598,
            0.710059171598,
            0.710059171598,
            -0.917159763314,
        ],
    ),
    "auc": (
        0.8020833333333335,
        0.09841097855075795,
        [
            -0.755208333333,
            -0.086805555556,
            0.329861111111,
            -0.130208333333,
            0.286458333333,
            -0.920138888889,
        ],
    ),
    "log_loss": (
        0.5541783089787231,
        0.08783190823874859,
        [
            0.138968871581,
            0.244329387239,
            -0.150711203533,
            -0.041684628112,
            -0.266496236527,
            0.987600954982,
        ],
    ),
    "brier": (
        0.18814725000000004,
        0.03946824480361762,
        [0.06185275, 0.11435275, -0.07792325, -0.02734625, -0.12564725, 0.42964875],
    ),
}
OF_THREE = {
    "f1_macro": (
        0.8491228070175438,
        0.09761920890764789,
        [
            0.059259259259,
            0.059259259259,
            0.059259259259,
            0.740740740741,
            0.036934441367,
            0.059259259259,
        ],
    ),
    "mcc": (
        0.8401921595764712,
        0.10417142715547628,
        [
            0.162923776963,
            0.162923776963,
            0.162923776963,
            0.281362475531,
            0.111664321148,
            0.162923776963,
        ],
    ),
    "kappa": (
        0.8367346938775511,
        0.10840753096444675,
        [
            0.169929196168,
            0.169929196168,
            0.169929196168,
            0.289879216993,
            0.116618075802,
            0.169929196168,
        ],
    ),
    "kappa_quadratic": (
        0.736842105263158,
        0.20219509504661298,
        [
            0.332409972299,
            0.332409972299,
            0.332409972299,
            0.831024930748,
            0.027700831025,
            0.332409972299,
        ],
    ),
}
OF_NUMBERS = {
    "r2": (
        0.3342353330951856,
        0.2999215333089819,
        [
            0.071911190938,
            1.608593907136,
            -1.426777737231,
            1.333980687971,
            -0.148804522078,
            -0.008319468884,
        ],
    ),
    "rmse": (
        0.9995832464915898,
        0.14563689613976238,
        [
            -0.294906236542,
            -0.337273893412,
            0.581108845817,
            0.398382694052,
            -0.06716132305,
            -0.481734097709,
        ],
    ),
    "mae": (
        0.8616666666666666,
        0.15276161530669644,
        [
            -0.221666666667,
            -0.291666666667,
            0.608333333333,
            0.478333333333,
            0.068333333333,
            -0.671666666667,
        ],
    ),
    "wape": (
        0.29695577254451466,
        0.060099500258880376,
        [
            0.013836647717,
            -0.308096022508,
            0.227217946337,
            -0.079573591072,
            0.124013182096,
            -0.250750144915,
        ],
    ),
}


def two():
    y, p = np.array(TWO["y"]), np.array(TWO["probability"])
    predictions = {
        LABEL: np.array(TWO["prediction"]),
        DECISION: np.array(TWO["score"]),
        PROBABILITY: np.column_stack([1 - p, p]),
    }
    return Target(y, np.array([0, 1]), 1), predictions


def three():
    return Target(np.array(THREE["y"]), np.arange(3)), {LABEL: np.array(THREE["prediction"])}


def numbers():
    return Target(np.array(NUMBERS["y"])), {LABEL: np.array(NUMBERS["prediction"])}


CASES = [
    pytest.param(make, key, *expected, id=f"{make.__name__}-{key}")
    for make, table in ((two, OF_TWO), (three, OF_THREE), (numbers, OF_NUMBERS))
    for key, expected in table.items()
]


@pytest.mark.parametrize(("make", "key", "value", "se", "influence"), CASES)
def test_value_influence_and_standard_error(make, key, value, se, influence):
    target, predictions = make()
    found, each = shown(resolve(key, target.task), target, predictions)
    assert found == pytest.approx(value, rel=1e-8)
    assert each[:6] == pytest.approx(influence, rel=1e-8, abs=1e-12)
    assert each.std(ddof=1) / math.sqrt(each.size) == pytest.approx(se, rel=1e-8)


class Scored(Says):
    """A classifier that says labels, decisions and probabilities, each from features of its own."""

    def decision_function(self, X):
        return X[:, 3]

    def predict_proba(self, X):
        return X[:, :2]

    def predict(self, X):
        return self.classes_[X[:, 2].astype(int)]


def held_out(make, loss, rows=4):
    """A table of one split that tests exactly these examples; some are there again, to be trained on."""
    target, predictions = make()
    n = target.values.size
    if target.classes is None:
        X, learner = predictions[LABEL][:, None], SaysNumber()
    elif PROBABILITY in predictions:
        parts = (
            predictions[PROBABILITY],
            predictions[LABEL][:, None],
            predictions[DECISION][:, None],
        )
        X, learner = np.hstack(parts), Scored()
    else:
        X, learner = np.eye(3)[predictions[LABEL]], Says()
    again = np.r_[np.arange(n), np.arange(rows)]
    train = np.r_[n : n + rows]
    plan = errbar.plans.Predefined([(train, np.arange(n))])
    return errbar.run(
        {"a": learner}, X[again], target.values[again], plan=plan, loss=loss, random_state=0
    )


@pytest.mark.parametrize(("make", "key", "value", "se", "influence"), CASES)
def test_the_standard_error_of_a_test_set(make, key, value, se, influence):
    # The other programs compare with the mean of the test set; trained on the same targets, that is the training mean.
    rows = len(NUMBERS["y"]) if key == "r2" else 8
    result = errbar.infer(held_out(make, key, rows=rows), "holdout-t", "a")
    assert result.estimate == pytest.approx(value, rel=1e-8)
    assert result.se == pytest.approx(se, rel=1e-8)


class TestArea:
    """pROC 1.18.0: auc 0.85 and sqrt(var) 0.12018504251546612 of these."""

    Y = np.array([0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1])
    SCORE = np.array([1, 2, 3, 3, 4, 6, 3, 5, 6, 7, 8], dtype=float)

    def table(self):
        X = np.column_stack([np.zeros((11, 3)), self.SCORE])
        rows = np.r_[np.arange(11), [0, 10]]
        plan = errbar.plans.Predefined([(np.array([11, 12]), np.arange(11))])
        return errbar.run(
            {"a": Scored()}, X[rows], self.Y[rows], plan=plan, loss="roc_auc", random_state=0
        )

    def test_delong_is_that_of_r(self):
        result = errbar.infer(self.table(), "delong", "a")
        assert result.estimate == pytest.approx(0.85, rel=1e-12)
        assert result.se == pytest.approx(0.12018504251546612, rel=1e-8)

    def test_delong_comes_from_the_placements_that_make_the_influence_values(self):
        influence = shown(
            METRICS["roc_auc"], Target(self.Y, np.array([0, 1]), 1), {DECISION: self.SCORE}
        )[1]
        positive, negative = influence[self.Y == 1] * 5 / 11, influence[self.Y == 0] * 6 / 11
        se = math.sqrt(positive.var(ddof=1) / 5 + negative.var(ddof=1) / 6)
        assert se == pytest.approx(errbar.infer(self.table(), "delong", "a").se, rel=1e-12)

    def test_one_test_set_by_influence_values(self):
        influence = shown(
            METRICS["roc_auc"], Target(self.Y, np.array([0, 1]), 1), {DECISION: self.SCORE}
        )[1]
        result = errbar.infer(self.table(), "holdout-t", "a")
        assert result.estimate == pytest.approx(0.85, rel=1e-12)
        assert result.se == pytest.approx(influence.std(ddof=1) / math.sqrt(11), rel=1e-12)

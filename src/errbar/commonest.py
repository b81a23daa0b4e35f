"""What somebody gets who knows the shares of the classes and nothing else, beside which learners are shown."""

from typing import Any, NamedTuple

import numpy as np

from errbar.errors import InvalidInputError, UndefinedMetricError
from errbar.measuring import Tested, measure
from errbar.metrics import DECISION, LABEL, PROBABILITY, Predictions
from errbar.table import LossTable

UNEVEN = 0.8
"""Where one class has more than this share, a number that looks good may be no better than that of a constant."""


class Commonest(NamedTuple):
    """What always predicting the commonest class gets, or the shares of the classes where probabilities are judged.

    Attributes
    ----------
    label : the commonest class among the tested examples
    share : its share of them
    number : float or None
        The loss or score, in the direction shown; None where it is undefined, such as the
        precision without a positive prediction.
    shares : whether the shares of the classes are predicted, as probabilities, and not the class
    """

    label: Any
    share: float
    number: float | None
    shares: bool = False

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON."""
        predicts = "class-shares" if self.shares else "commonest-class"
        return {
            "class": self.label,
            "share": self.share,
            "predicts": predicts,
            "number": self.number,
        }


def commonest_of(table: LossTable) -> Commonest | None:
    """Return what a constant gets on a plan's cells, if one class has over four fifths of them."""
    target = table.target
    if target is None or target.classes is None or table.cells is None or table.blank:
        return None
    tested = Tested(target, table.splits, table.cells)
    count = tested.truth.size
    shares = np.bincount(tested.truth, minlength=target.n_classes) / count
    common = int(shares.argmax())
    if not shares[common] > UNEVEN:
        return None
    # The commonest class, the shares, and scores that rank nothing.
    constant: Predictions = {
        LABEL: np.full(count, common),
        PROBABILITY: np.tile(shares, (count, 1)),
        DECISION: np.zeros(count) if shares.size == 2 else np.zeros((count, shares.size)),
    }
    number = None
    try:
        scores = measure(table.loss, tested, [constant]).scores
        number = table.loss.sign * float(scores.mean()) + 0.0  # no negative zero
    except UndefinedMetricError:
        pass
    except InvalidInputError:  # a scorer that takes no constants
        return None
    of_shares = table.loss.needs[0] == PROBABILITY
    return Commonest(target.classes.tolist()[common], float(shares[common]), number, of_shares)

"""What methods share that are made for five repeats of two-fold cross-validation."""

from errbar.needs import PLAIN, TRAINING_SETS
from errbar.plans import FiveByTwo, KFold
from errbar.result import Estimand

FIVE_BY_TWO = {
    "plans": (FiveByTwo.kind, KFold.kind),
    "default_plan": FiveByTwo(),
    "needs": (TRAINING_SETS, PLAIN),
    "estimand": Estimand.EXPECTED_RISK,
    "fits": "10",
    "assumptions": (
        "The scores of the five repeats are independent of each other and close to normal.",
        "Both scores of a repeat are independent of each other.",
    ),
}
"""What they declare alike."""

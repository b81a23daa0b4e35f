"""What methods for models judged on one test set have in common."""

from errbar._check import Facts
from errbar.errors import UnsuitablePlanError
from errbar.losses import Losses
from errbar.needs import EXAMPLES
from errbar.plans import Holdout
from errbar.result import Estimand, Note

ONE_TEST_SET: Facts = {
    "default_plan": Holdout(),
    "needs": (EXAMPLES,),
    "estimand": Estimand.PROXY,
}
"""What they declare in common."""

ONE_TRAINING_SET = Note("fixed", what="trained models")


def require_one_split(
    losses: Losses, key: str, instead: str = "'cv-wald' or 'corrected-t'"
) -> None:
    losses.require_once()
    if losses.folds > 1 or losses.repeats > 1:
        raise UnsuitablePlanError(
            f"method {key!r} needs the losses of a single split, got several folds or repeats; try {instead}"
        )

"""What methods for models judged on one test set have in common."""

from errbar.errors import UnsuitablePlanError
from errbar.losses import Losses
from errbar.result import Note

ONE_TRAINING_SET = Note("fixed", what="trained models")


def require_one_split(
    losses: Losses, key: str, instead: str = "'cv-wald' or 'corrected-t'"
) -> None:
    losses.require_once()
    if losses.folds > 1 or losses.repeats > 1:
        raise UnsuitablePlanError(
            f"method {key!r} needs the losses of a single split, got several folds or repeats; try {instead}"
        )

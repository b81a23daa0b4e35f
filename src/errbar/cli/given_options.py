"""Options that say how numbers that are there already are read."""

from dataclasses import fields
from typing import Any

from errbar.cli import words
from errbar.cli.commands import NUMBERS, Options, choice, flag, option
from errbar.cli.options import LOSS_OFFERS
from errbar.errors import InvalidInputError

PANEL = "Ask of numbers that are there already"


class SizeOptions(Options, heading=NUMBERS):
    """Sizes of the splits that given numbers come from."""

    n_train: float | None = option("SIZE", "Training size of the splits, in examples.")
    n_test: float | None = option("SIZE", "Test size of the splits, in examples.")


class TableOptions(Options, heading=NUMBERS):
    """What is said of the columns of a table: alike by every command."""

    metric: str | None = option(
        "NAME",
        "Name of the loss or score; where logs or a column metric have several, the one to read.",
    )
    columns: list[str] | None = option(
        "A,B",
        "Columns of learners, as A,B; by default all of numbers without a role, and none beside --truth.",
    )
    higher_is_better: bool = flag(
        "The numbers are scores such as accuracy, not losses.", "--higher-is-better"
    )
    lower_is_better: bool = flag(
        "The numbers are losses; so are those of a file without either flag.",
        "--lower-is-better",
    )
    fold: str | None = option("COLUMN", "Column with the fold.")
    split: str | None = option("COLUMN", "Column with the number of a random split.")
    repeat: str | None = option("COLUMN", "Column with the repeat of a partition into folds.")
    inner: str | None = option("COLUMN", "Column with the inner fold, -1 for outer losses.")
    halving: str | None = option("COLUMN", "Column with the halving, -1 for all data.")
    half: str | None = option("COLUMN", "Column with the half, 0 or 1.")
    example: str | None = option("COLUMN", "Column with the test example (question).")
    seed: str | None = option(
        "COLUMN",
        "Column with the seed of a fit that has tested all examples.",
    )
    answer: str | None = option(
        "COLUMN",
        "Column with the number of an answer to an --example; their mean is its value.",
    )
    groups: str | None = option(
        "COLUMN", "Column with the group of each example, such as the passage."
    )
    time: str | None = option("COLUMN", "Column with the time of each row.")
    strata: str | None = option("COLUMN", "Column with the class, where splits keep their shares.")
    dataset: str | None = option("COLUMN", "Column with the data set.")
    learner: str | None = option(
        "COLUMN",
        "Column with the learner, of a table with a row for each.",
    )
    value: str | None = option("COLUMN", "Column with the number, or prediction, beside --learner.")
    missing: str | None = choice(
        "WHICH",
        "What is left out where a learner lacks numbers, {}; by default learners, and nothing of a wide file.",
        words.MISSING,
    )
    ignore: list[str] | None = option("A,B", "Columns that are neither learners nor labels.")

    @property
    def said(self) -> dict[str, Any]:
        """Keyword arguments of `errbar.read_table`."""
        said = {one.name: getattr(self, one.name) for one in fields(TableOptions)}
        lower, higher = said.pop("lower_is_better"), said.pop("higher_is_better")
        if lower and higher:
            raise InvalidInputError("give one of --lower-is-better and --higher-is-better")
        said["higher_is_better"] = False if lower else higher or None
        return {name: value for name, value in said.items() if value is not None}


class GivenOptions(SizeOptions, TableOptions, heading=NUMBERS):
    """How files of scores, losses or predictions, or logs, are read: alike by every command."""

    filter: str | None = option("NAME", "Of lm-evaluation-harness, the filter of responses.")
    scorer: str | None = option("NAME", "Of Inspect, the score to read.")
    tasks: str | None = choice(
        "WHICH",
        "Of several tasks, average the means or all questions: {}.",
        words.TASKS,
    )
    judge: str | None = option(
        "COLUMN",
        "Column with what another judge gives to every example; --value holds what people gave to some.",
    )
    kind: str | None = choice(
        "KIND",
        "What a row is: {}; all but the first are kinds of splits.",
        words.ROWS,
    )
    truth: str | None = option(
        "COLUMN",
        "Column with the truth: the others hold predictions, or probabilities as in forest:yes and forest:no.",
    )
    loss: list[str] | None = option(
        "KEY",
        "With --truth, a loss or metric such as f1 or r2, or several; by default zero-one for labels, roc_auc for scores, squared-error for numbers.",
        complete=LOSS_OFFERS,
    )
    positive: str | None = option("CLASS", "With --truth, the positive class, for f1 and scores.")
    pool: str | None = choice(
        "WHICH",
        "With --truth, what a metric is computed of together: {}.",
        words.POOLS,
    )

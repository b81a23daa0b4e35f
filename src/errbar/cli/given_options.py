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
        "Name of the loss or score, to be shown; where logs or a column metric have several, the one to read.",
    )
    columns: list[str] | None = option(
        "A,B",
        "Columns of learners, with commas between them; by default all columns of numbers that have no role, and none beside --truth.",
    )
    higher_is_better: bool = flag(
        "The numbers are scores such as accuracy, not losses.", "--higher-is-better"
    )
    lower_is_better: bool = flag(
        "The numbers are losses. Without either flag those of a file are read so, with a note, and those of logs where the logs say so.",
        "--lower-is-better",
    )
    fold: str | None = option("COLUMN", "Column with the fold.")
    split: str | None = option("COLUMN", "Column with the number of a random split.")
    repeat: str | None = option("COLUMN", "Column with the repeat of a partition into folds.")
    inner: str | None = option(
        "COLUMN", "Column with the inner fold of nested cross-validation; -1 for outer losses."
    )
    halving: str | None = option("COLUMN", "Column with the halving; -1 for scores on all data.")
    half: str | None = option("COLUMN", "Column with the half, 0 or 1.")
    example: str | None = option(
        "COLUMN", "Column with the test example (question); a row is then one loss."
    )
    seed: str | None = option(
        "COLUMN",
        "Column with the seed of a fit on one training set: a run that has tested (or answered) all examples.",
    )
    answer: str | None = option(
        "COLUMN",
        "Column with the number of an answer, drawn anew for each question (--example): their mean is its value.",
    )
    groups: str | None = option(
        "COLUMN", "Column with the group of each example, such as the passage."
    )
    time: str | None = option("COLUMN", "Column with the time of each row.")
    strata: str | None = option(
        "COLUMN", "Column with the class of each example, where splits keep the shares of classes."
    )
    dataset: str | None = option(
        "COLUMN", "Column with the data set; a learner has its mean on each."
    )
    learner: str | None = option(
        "COLUMN",
        "For a long table: column with the learner. A row is its number on one example, or split.",
    )
    value: str | None = option(
        "COLUMN", "With --learner, column with the number; with --truth, with the prediction."
    )
    missing: str | None = choice(
        "WHICH",
        "What is left out where a learner lacks numbers that others have, {}; by default learners, and nothing of a file with a column for each.",
        words.MISSING,
    )
    ignore: list[str] | None = option("A,B", "Columns that are neither learners nor labels.")

    @property
    def said(self) -> dict[str, Any]:
        """Keyword arguments of `errbar.read_table`."""
        said = {one.name: getattr(self, one.name) for one in fields(TableOptions)}
        lower, higher = said.pop("lower_is_better"), said.pop("higher_is_better")
        if lower and higher:
            raise InvalidInputError(
                "--lower-is-better and --higher-is-better contradict each other; give one of them"
            )
        said["higher_is_better"] = False if lower else higher or None
        return {name: value for name, value in said.items() if value is not None}


class GivenOptions(SizeOptions, TableOptions, heading=NUMBERS):
    """How files of scores, losses or predictions, or logs, are read: alike by every command."""

    filter: str | None = option(
        "NAME", "Of logs of lm-evaluation-harness, the filter of the responses."
    )
    scorer: str | None = option("NAME", "Of logs of Inspect, the score that is read.")
    tasks: str | None = choice(
        "WHICH",
        "Of logs with several tasks, what is averaged: {}; the means of tasks, or all questions.",
        words.TASKS,
    )
    judge: str | None = option(
        "COLUMN",
        "Column with the number that another judge gives to every example; --value then holds those of people, and is empty where they "
        "have not judged.",
    )
    kind: str | None = choice(
        "KIND",
        "What a row is, where no column says it: {}; all but the first are kinds of splits.",
        words.ROWS,
    )
    truth: str | None = option(
        "COLUMN",
        "Column with the truth: the others then hold what each learner predicted, labels or numbers, a row per test example. "
        "Probabilities of each class are in columns such as forest:yes and forest:no.",
    )
    loss: list[str] | None = option(
        "KEY",
        "With --truth, a loss or metric such as f1, roc_auc or r2; give several to have them all. By default zero-one for labels, "
        "roc_auc for scores of two classes, squared-error for numbers.",
        complete=LOSS_OFFERS,
    )
    positive: str | None = option(
        "CLASS", "With --truth, the positive class, for metrics such as f1, and for scores."
    )
    pool: str | None = choice(
        "WHICH",
        "With --truth, the predictions that a metric is computed of together: {}.",
        words.POOLS,
    )

"""Exceptions: one root, and children that are also the built-in a caller would expect."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any

__all__ = [
    "ErrbarError",
    "Failure",
    "FitFailedError",
    "InvalidInputError",
    "MissingPackageError",
    "PairingError",
    "StoreError",
    "UndefinedMetricError",
    "UnsuitablePlanError",
]


class ErrbarError(Exception):
    """Root of every exception raised on purpose by errbar.

    Parameters
    ----------
    sentence : str
        What is wrong and what would be right. Where an argument is named, the sentence goes on after its name.
    argument : str, optional
        The argument that cannot be used.

    Attributes
    ----------
    argument : the argument that cannot be used, where it is one
    """

    argument: str | None = None

    def __init__(self, sentence: str = "", *, argument: str | None = None) -> None:
        if argument is not None:
            sentence = f"`{argument}`{'' if sentence.startswith(':') else ' '}{sentence}"
            self.argument = argument
        super().__init__(sentence)


class InvalidInputError(ErrbarError, ValueError):
    """An argument has a value that cannot be used; the message names it and says what would be right."""


class PairingError(InvalidInputError):
    """Two learners cannot be compared because their numbers do not come from the same splits."""


class UnsuitablePlanError(InvalidInputError):
    """A method was asked to judge numbers from a resampling plan it is not made for."""


class UndefinedMetricError(InvalidInputError):
    """A metric is undefined on some split, or decided there by the class share alone, or it has no standard error there.

    Attributes
    ----------
    table : LossTable or None
        Where fits had been done: the table of the default loss, so that nothing computed is
        lost.
    learner : str or None
        Where it is the predictions of one learner for which the metric is undefined, that
        learner.
    """

    table: Any = None
    learner: str | None = None


class MissingPackageError(ErrbarError, ImportError):
    """An optional package is needed and not installed; the message holds the command that installs it."""


class StoreError(ErrbarError, OSError):
    """A store cannot be read or written; what was committed before is still in it."""


@dataclass(frozen=True)
class Failure:
    """One fit that failed.

    Attributes
    ----------
    learner : name of the learner
    split : where the training set belongs, in words, such as ``"repeat 3, fold 1"``
    message : type and text of the exception, on one line
    traceback : the full traceback
    """

    learner: str
    split: str
    message: str
    traceback: str = ""


class FitFailedError(ErrbarError, RuntimeError):
    """Some fits failed; all the others were finished first and are kept.

    Attributes
    ----------
    failures : every failed fit
    table : losses of the learners that finished all their fits, or None when there is none
    """

    def __init__(self, message: str, failures: Sequence[Failure] = (), table: Any = None) -> None:
        super().__init__(message)
        self.failures = tuple(failures)
        self.table = table


def hint(text: str, known: Iterable[str]) -> str:
    """Return the end of a message that names the nearest of the known words, if one is near but for the case of letters."""
    words = {word.lower(): word for word in reversed(list(known))}
    near = get_close_matches(text.lower(), list(words)[::-1], n=1)
    return f"; did you mean {words[near[0]]!r}?" if near else ""


def one_line(error: BaseException) -> str:
    """Return type and text of an exception on one line, even if it cannot say what it is."""
    try:
        text = " ".join(str(error).split())
    except BaseException as worse:  # noqa: BLE001 - its text is code of others too
        text = f"its text cannot be made: {type(worse).__name__}"
    return ": ".join(filter(None, (type(error).__name__, text)))

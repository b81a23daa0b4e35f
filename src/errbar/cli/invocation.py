"""The command as it was given, for files that say how they were made."""

import shlex
import sys
from collections.abc import Sequence

_given: list[str] = []

# What changes from machine to machine and does not change the numbers.
_WITH_VALUE = ("--data", "--store", "--out", "--csv", "--jobs", "--cluster")
_FLAGS = ("--json", "--quiet")


def remember(arguments: Sequence[str] | None) -> None:
    """Keep the arguments of this call; None stands for those of the process."""
    _given[:] = sys.argv[1:] if arguments is None else arguments


def command() -> str:
    """Return the command without what does not change the numbers: places of files, workers, forms of output."""
    kept, skip = ["errbar"], False
    for word in _given:
        name, equals, _ = word.partition("=")
        aside = name in _WITH_VALUE
        if not skip and not aside and word not in _FLAGS:
            kept.append(word)
        skip = aside and not equals
    return shlex.join(kept).encode(errors="backslashreplace").decode()

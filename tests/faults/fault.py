"""What a planted fault is."""

from dataclasses import dataclass

FOUND = "tests/methods/test_found_by_faults.py"
"""Tests of what faults have survived; they come last everywhere."""


@dataclass(frozen=True)
class Fault:
    """A deliberate mistake in one file of the package, and the tests that must notice it.

    `file` lies below src/errbar, and `old` must occur there exactly once. Each of `tests` holds the arguments of one
    run of pytest; they are run in order until one fails.
    """

    name: str
    file: str
    old: str
    new: str
    tests: tuple[str, ...]


def planted(subject: str, file: str, tests: tuple[str, ...], *mistakes: tuple[str, str, str]) -> tuple[Fault, ...]:
    """Return the faults of one file, each given by what is wrong, the right text and the wrong one."""
    return tuple(Fault(f"{subject}: {wrong}", file, old, new, (*tests, FOUND)) for wrong, old, new in mistakes)


def laws(key: str) -> str:
    """Arguments that try the laws of all methods on one of them."""
    return f"tests/methods/test_conformance.py -k 0-{key}-0-"

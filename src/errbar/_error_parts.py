"""What standard errors are made of, over all pairs or learners of a comparison."""

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np


class Across(NamedTuple):
    """Median, smallest and largest of a number over the pairs, or over the learners where there are no pairs."""

    median: float
    low: float
    high: float

    @classmethod
    def of(cls, values: list[float]) -> "Across":
        """Summarize numbers."""
        return cls(float(np.median(values)), min(values), max(values))


class SeedsAndExamples(NamedTuple):
    """What of the squared standard errors comes from seeds and from examples, and what more of each would do.

    Attributes
    ----------
    seed, example, both : float
        Mean shares of the squared standard error over the pairs, or the learners: from seeds, from examples, from both together.
    more_seeds, more_examples : float
        By what share of it a standard error with such shares would be smaller with twice as many seeds, or examples.
    """

    seed: float
    example: float
    both: float

    @classmethod
    def of(cls, components: Sequence[Mapping[str, float]]) -> "SeedsAndExamples | None":
        """Summarize the parts of squared standard errors; None where none of them tells."""
        parts = [one for one in components if "seed x example" in one]
        if not parts:
            return None
        shares = np.array([[one["seed"], one["example"], one["seed x example"]] for one in parts])
        seed, example, both = (shares / shares.sum(axis=1, keepdims=True)).mean(axis=0).tolist()
        return cls(seed, example, both)

    @property
    def more_seeds(self) -> float:
        """Twice as many seeds halve what comes from seeds, and from both."""
        return 1.0 - math.sqrt(max(1.0 - 0.5 * (self.seed + self.both), 0.0))

    @property
    def more_examples(self) -> float:
        """Twice as many examples halve what comes from examples, and from both."""
        return 1.0 - math.sqrt(max(1.0 - 0.5 * (self.example + self.both), 0.0))


def widening(components: Sequence[Mapping[str, float]]) -> Across | None:
    """Return how many times as large as those of independent examples standard errors are; None where none of them tells."""
    parts = [one for one in components if "cluster" in one and one["example"] > 0.0]
    return (
        Across.of([math.sqrt(sum(one.values()) / one["example"]) for one in parts])
        if parts
        else None
    )

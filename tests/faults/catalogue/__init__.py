"""All planted faults, by what they are planted in."""

from tests.faults.catalogue import (
    bags,
    counts,
    data_sets,
    halves,
    plans,
    points,
    power,
    ranking,
    resampling,
    several,
    shared,
    splits,
)

FAULTS = (
    *splits.FAULTS,
    *points.FAULTS,
    *halves.FAULTS,
    *bags.FAULTS,
    *counts.FAULTS,
    *ranking.FAULTS,
    *resampling.FAULTS,
    *several.FAULTS,
    *shared.FAULTS,
    *plans.FAULTS,
    *data_sets.FAULTS,
    *power.FAULTS,
)

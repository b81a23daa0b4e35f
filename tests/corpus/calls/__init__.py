"""Families of calls: each yields a key and a function without arguments, to be called in an empty folder."""

from tests.corpus.calls import (
    commands,
    data_sets,
    designs,
    fits,
    guide,
    methods,
    metrics,
    plan,
    questions,
    sources,
    tuned,
    vectors,
)

FAMILIES = {
    "methods": methods.calls,
    "designs": designs.calls,
    "defaults": designs.defaults,
    "metrics": metrics.calls,
    "families": questions.families,
    "margins": questions.margins,
    "gates": questions.gates,
    "looks": questions.looks,
    "sensitivity": questions.sensitivity,
    "planning": plan.calls,
    "data_sets": data_sets.calls,
    "fits": fits.calls,
    "tuned": tuned.calls,
    "vectors": vectors.calls,
    "guide": guide.calls,
    "sources": sources.calls,
    "commands": commands.calls,
    "command_fits": commands.fits,
}

"""Families of calls: each yields a key and a function without arguments, to be called in an empty folder."""

from tests.corpus.calls import designs, methods

FAMILIES = {
    "methods": methods.calls,
    "designs": designs.calls,
    "defaults": designs.defaults,
}

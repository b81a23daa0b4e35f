"""Reading ``--pair a,b``."""

from collections.abc import Iterator

from errbar.errors import InvalidInputError


def names_of(pair: str, learners: tuple[str, ...]) -> tuple[str, str]:
    """Split ``a,b`` at a comma that leaves two names; a name may hold commas."""
    cuts = list(_cuts(pair))
    for a, b in cuts:
        if a in learners and b in learners:
            return a, b
    if not cuts:
        raise InvalidInputError(
            f"--pair must be two names with a comma between them, such as tree,forest, got {pair!r}"
        )
    return cuts[0]


def _cuts(pair: str) -> Iterator[tuple[str, str]]:
    parts = pair.split(",")
    for i in range(1, len(parts)):
        yield ",".join(parts[:i]).strip(), ",".join(parts[i:]).strip()

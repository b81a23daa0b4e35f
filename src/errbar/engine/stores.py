"""Where finished fits are kept."""

from collections.abc import Iterable
from typing import Protocol

from errbar.engine.work import Block


class Store(Protocol):
    """Keeps blocks by key."""

    def done(self, keys: Iterable[str]) -> set[str]:
        """Return those of the keys that are kept."""

    def get(self, key: str) -> Block:
        """Return the block of a key."""

    def put(self, blocks: Iterable[Block]) -> None:
        """Keep blocks; one with a known key replaces it."""


class MemoryStore:
    """Keeps finished fits in memory, so that later runs in the same process reuse them.

    Examples
    --------
    >>> import errbar
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> store = errbar.MemoryStore()
    >>> plan = errbar.plans.KFold(folds=5)
    >>> tree = {"tree": DecisionTreeClassifier()}
    >>> errbar.run(tree, X, y, plan=plan, random_state=0, store=store).counts.fits
    5
    >>> errbar.run(tree, X, y, plan=plan, random_state=0, store=store).counts.reused
    5
    """

    def __init__(self) -> None:
        self._blocks: dict[str, Block] = {}

    def done(self, keys: Iterable[str]) -> set[str]:
        """Return those of the keys that are kept."""
        return {key for key in keys if key in self._blocks}

    def get(self, key: str) -> Block:
        """Return the block of a key."""
        return self._blocks[key]

    def put(self, blocks: Iterable[Block]) -> None:
        """Keep blocks; one with a known key replaces it."""
        for block in blocks:
            self._blocks[block.key] = block

    def __len__(self) -> int:
        """Return the number of kept fits."""
        return len(self._blocks)

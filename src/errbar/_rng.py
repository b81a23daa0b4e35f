"""Random streams derived from one root and from names, never from the order in which they are asked for."""

import secrets
from hashlib import blake2b
from numbers import Integral
from typing import Any

import numpy as np
from numpy.random import Generator, RandomState, SeedSequence

from errbar._check import require

Name = str | int


def root(random_state: Any) -> int:
    """Return the one integer from which every stream of a run is derived.

    Parameters
    ----------
    random_state : None, int, numpy Generator or RandomState
        None takes fresh entropy from the operating system. A generator is advanced by one draw.
    """
    if random_state is None:
        return secrets.randbits(128)
    if isinstance(random_state, Generator):
        return int(random_state.integers(0, 2**63 - 1))
    if isinstance(random_state, RandomState):
        return int(random_state.randint(0, 2**31 - 1))
    whole = isinstance(random_state, Integral) and not isinstance(random_state, bool)
    must = "must be None, a whole number of at least 0, or a NumPy random generator"
    require(whole and random_state >= 0, must, random_state, "random_state")
    return int(random_state)


def stream(base: int, *names: Name) -> Generator:
    """Return the generator that belongs to `names` under the root `base`."""
    key = tuple(np.frombuffer(_digest(names), dtype="<u4").tolist())
    return np.random.default_rng(SeedSequence(base, spawn_key=key))


def seed(base: int, *names: Name) -> int:
    """Return a 31-bit seed, as scikit-learn's `random_state` takes it, that belongs to `names`."""
    # A digest does what a generator would do with it, in a tenth of the time; a fit asks at every fit.
    return int.from_bytes(_digest((base, *names))[:4], "little") >> 1


def _digest(names: tuple[Name, ...]) -> bytes:
    # Plain types first: repr tells np.int64(2) from 2, and differs between versions of NumPy.
    # The length prefix keeps ("ab", "c") and ("a", "bc") apart.
    plain = [int(name) if isinstance(name, Integral) else str(name) for name in names]
    words = [repr(name).encode() for name in plain]
    text = b"".join(len(word).to_bytes(4, "little") + word for word in words)
    return blake2b(text, digest_size=16).digest()

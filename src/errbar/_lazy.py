"""Names of a package that are looked up on first use, so that only what is asked for is imported."""

import sys
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from typing import Any


def names_of(
    package: str, homes: Mapping[str, Sequence[str]], modules: Sequence[str] = ()
) -> Callable[[str], Any]:
    """Return the `__getattr__` of a package.

    Parameters
    ----------
    package : str
        Its name.
    homes : mapping of str to sequence of str
        Names, by the module of the package that holds them.
    modules : sequence of str
        Modules that are found as well.
    """
    home_of = {name: home for home, names in homes.items() for name in names}

    def look_up(name: str) -> Any:
        if name in home_of:
            value = getattr(import_module(f"{package}.{home_of[name]}"), name)
        elif name in modules:
            value = import_module(f"{package}.{name}")
        else:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        setattr(sys.modules[package], name, value)
        return value

    return look_up

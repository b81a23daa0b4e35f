"""Names of a package that are looked up on first use, so that only what is asked for is imported."""

import sys
from collections.abc import Callable
from importlib import import_module
from itertools import pairwise
from typing import Any


def names_in_stub(package: str, file: str) -> tuple[list[str], Callable[[str], Any]]:
    """Return the `__all__` and the `__getattr__` of a package, from the imports in the stub beside its ``__init__.py``."""
    homes: dict[str, str] = {}
    home = package
    with open(f"{file}i", encoding="utf-8") as stub:  # noqa: PTH123 - pathlib takes longer than all the rest
        for line in stub:
            words = line.replace(",", " ").split()
            home = words[1] if words[:1] == ["from"] else home
            homes |= {name: home for word, name in pairwise(words) if word == "as"}

    def look_up(name: str) -> Any:
        if name not in homes:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        is_module = homes[name] == package
        home = import_module(f"{package}.{name}" if is_module else homes[name])
        value = home if is_module else getattr(home, name)
        setattr(sys.modules[package], name, value)
        return value

    return sorted(homes), look_up

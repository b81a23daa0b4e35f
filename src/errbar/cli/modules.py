"""What Python modules hold, as their text tells: none is imported."""

import ast
import re
from functools import cache
from importlib.machinery import ModuleSpec, PathFinder
from importlib.util import find_spec
from pathlib import Path
from typing import Any

PUBLIC = re.compile(r"^[A-Z]\w*$")

ELSEWHERE = {"XGB": "xgboost", "LGBM": "lightgbm", "CatBoost": "catboost", "TabPFN": "tabpfn"}
"""Packages with learners of scikit-learn's kind, by how the names of these begin."""


def located(module: str) -> ModuleSpec | None:
    """Return where a module is, without importing any."""
    first, *rest = module.split(".")
    try:
        spec = find_spec(first)
    except (ImportError, ValueError):
        return None
    for name in rest:  # found on disk; find_spec would import the package
        spec = spec and PathFinder.find_spec(name, spec.submodule_search_locations or [])
    return spec


def classes(file: Path) -> list[str]:
    """Return the classes that a module names in ``__all__`` or defines."""
    tree = parsed(file)
    found: list[Any] = [node.name for node in tree if isinstance(node, ast.ClassDef)]
    for node in tree:
        if isinstance(node, ast.Assign) and any(
            getattr(target, "id", "") == "__all__" for target in node.targets
        ):
            found += [item.value for item in ast.walk(node.value) if isinstance(item, ast.Constant)]
    return [
        name
        for name in found
        if isinstance(name, str) and PUBLIC.match(name) and not name.startswith("Base")
    ]


@cache
def public_classes() -> dict[str, str]:
    """Return where scikit-learn's classes are that its modules offer, by name."""
    spec = located("sklearn")
    found: dict[str, str] = {}
    for folder in (spec and spec.submodule_search_locations) or []:
        packages = {file.parent.name: file for file in Path(folder).glob("[a-z]*/__init__.py")}
        modules = {file.stem: file for file in Path(folder).glob("[a-z]*.py")}
        for module, file in sorted((packages | modules).items()):
            found |= {name: f"sklearn.{module}" for name in classes(file) if name not in found}
    return found


def place_of(name: str) -> str | None:
    """Return the module that offers a class of this name: scikit-learn's, or that of a package known for it."""
    elsewhere = (module for start, module in ELSEWHERE.items() if name.startswith(start))
    return public_classes().get(name) or next(elsewhere, None)


def parsed(file: Path) -> list[ast.stmt]:
    """Return the statements of a module; none where it cannot be read."""
    try:
        return ast.parse(file.read_text(encoding="utf-8")).body
    except (OSError, SyntaxError, ValueError):
        return []

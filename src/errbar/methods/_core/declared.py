"""What each method declares of itself is data: a table of `methods.toml` under its key."""

import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

from errbar import design, plans
from errbar.methods._core.registry import register
from errbar.result import Estimand

_DECLARED = tomllib.loads(Path(__file__).parents[1].joinpath("methods.toml").read_text("utf-8"))


def method(key: str) -> Callable[..., Callable[..., Any]]:
    """Enter a function as the method of a key."""
    facts: dict[str, Any] = {
        name: tuple(value) if isinstance(value, list) else value
        for name, value in _DECLARED[key].items()
    }
    plan = None
    for name, options in facts.pop("plan", {}).items():
        plan = getattr(plans, name)(**options)
    facts["needs"] = tuple(getattr(design, name) for name in facts.get("needs", ()))
    facts["estimand"] = Estimand[facts["estimand"]]
    return register(key, default_plan=plan, **facts)

"""What the columns of a table are: said by the user, or taken from the one table of names, `roles.toml`."""

import re
import tomllib
from collections.abc import Collection, Mapping, Sequence
from functools import cache
from importlib import resources
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from errbar import _check
from errbar.errors import InvalidInputError, hint
from errbar.index import SIZES

NONE = "none"
"""Said in place of a column: no column has this role."""

PLACES = (
    "dataset",
    "repeat",
    "split",
    "fold",
    "inner",
    "halving",
    "half",
    "seed",
    "example",
    "answer",
)
"""Roles that tell the rows of a learner apart."""

BESIDE = ("groups", "time", "strata")
INDEX = (*PLACES, *BESIDE, *SIZES)
ROLES = ("learner", "value", "prediction", "truth", *INDEX, "metric")

_PARTS = {"fold": r"fold[ _-]?\d+", "repeat": r"rep(?:eat)?[ _-]?\d+"}
_PART = "|".join(_PARTS.values())
_SPOKEN = re.compile(rf"(?:{_PART})(?:[ ._-]+(?:{_PART}))?", re.IGNORECASE)


class UnsaidRoleError(InvalidInputError):
    """What a column is, or what a row is, changes the numbers, and nobody has said it.

    Parameters
    ----------
    why : str
        What stands in the table.
    *options : str
        What may be said, as on the command line; the first names the argument.
    """

    def __init__(self, why: str, *options: str) -> None:
        argument = options[0].split()[0].removeprefix("--").replace("-", "_")
        super().__init__(f": {why}; say {' or '.join(options)}", argument=argument)
        self.options = options


class Names(NamedTuple):
    """The table of names, each name in plain letters: the role of one, the roles that may be asked of, and others."""

    take: dict[str, str]
    ask: dict[str, list[str]]
    aside: set[str]
    measures: set[str]
    parts: dict[str, list[str]]

    def role(self, name: str) -> str | None:
        """Return the role that a name has."""
        return self.take.get(plain(name))

    def is_aside(self, name: str) -> bool:
        """Tell whether a name is neither of a learner nor of a role."""
        return plain(name) in self.aside

    def asked(self, name: str) -> list[str]:
        """Return the roles that a name with several meanings may have."""
        return self.ask.get(plain(name), [])


@cache
def names() -> Names:
    """Return the table of names, read when it is first asked for."""
    text = resources.files("errbar").joinpath("roles.toml").read_text(encoding="utf-8")
    known = tomllib.loads(text)
    return Names(
        {plain(name): role for role, own in known["take"].items() for name in own},
        {plain(name): roles for name, roles in known["ask"].items()},
        {plain(name) for name in known["aside"]["names"]},
        {plain(name) for name in known["measures"]["names"]},
        known["parts"],
    )


def plain(name: str) -> str:
    """Return a name in small letters and digits alone."""
    return re.sub(r"[^a-z0-9]", "", name.lower())


def option(role: str) -> str:
    """Return how the command line calls a role."""
    return f"--{role.replace('_', '-')}"


def options_for(column: str, otherwise: Sequence[str] = ("groups",)) -> list[str]:
    """Return what may be said of a column, by its name."""
    return [answer(role, column) for role in names().asked(column) or otherwise]


def answer(role: str, *columns: str) -> str:
    """Return an option of the command line with names of columns, those with a space in quotes."""
    shown = [f"'{name}'" if " " in name else name for name in columns]
    return f"{option(role)} {','.join(shown)}"


def told(
    given: Mapping[str, Any], allowed: Collection[str], columns: Collection[str] = ()
) -> tuple[dict[str, str], dict[str, Any]]:
    """Return what is told of roles: columns by role, and values by role, None where nothing has it."""
    said: dict[str, str] = {}
    stated: dict[str, Any] = {}
    for role, value in given.items():
        _check.choice(role, allowed, "role")
        if not isinstance(value, str):
            if value is not None:
                stated[role] = value
        elif value == NONE and NONE not in columns:
            stated[role] = None
        else:
            said[role] = value
    return said, stated


def columns_named(
    given: str | Sequence[str] | None, columns: Collection[str], argument: str
) -> list[str]:
    """Return names of columns that are there; one text may hold several with commas between them."""
    found: list[str] = []
    for text in [given] if isinstance(given, str) else given or ():
        found += [text] if text in columns else map(str.strip, text.split(","))
    for name in found:
        require_column(name, columns, argument)
    return found


def require_column(name: str, columns: Collection[str], argument: str) -> None:
    """Raise unless there is such a column."""
    if name not in columns:
        listed = ", ".join(map(repr, list(columns)[:12]))
        raise InvalidInputError(
            f"is {name!r}, and the columns are {listed}{hint(name, list(columns))}",
            argument=argument,
        )


def roles_of(
    columns: Any,
    said: Mapping[str, str],
    wanted: Collection[str] = ROLES,
    learners: Collection[str] = (),
) -> dict[str, str]:
    """Return the column of each role: those that are said, then those whose name is in the table of names."""
    of: dict[str, str] = {}  # role by column
    for role, column in said.items():
        require_column(column, columns, role)
        if column in of:
            raise InvalidInputError(f"is {column!r}, as `{of[column]}` is", argument=role)
        of[column] = role
    free = [name for name in columns if name not in of and name not in learners]
    for role in wanted:
        found = [
            name for name in free if names().role(name) == role and may_be(columns[name], role)
        ]
        if role in said or not found:
            continue
        if len(found) > 1:
            options = [f"{option(role)} {name!r}" for name in found[:2]]
            raise UnsaidRoleError(
                f"columns {found[0]!r} and {found[1]!r} have names of it", *options
            )
        of[found[0]] = role
    return {role: name for name, role in of.items()}


def may_be(column: Any, role: str) -> bool:
    """Tell whether the cells of a column do not rule out a role that its name says."""
    if role in (*SIZES, "metric", "value", "prediction", "truth"):
        return True
    cells = np.asarray(column)
    if cells.ndim != 1 or cells.size == 0 or (cells[:1] == cells).all():
        return False  # one value tells no rows apart
    if role == "learner":
        return cells.dtype.kind in "OUST"
    return cells.dtype.kind != "f" or not (cells[np.isfinite(cells)] % 1).any()


def spoken(labels: Any) -> dict[str, NDArray[Any]]:
    """Return the folds and the repeats that labels say, such as ``Fold03.Rep1``; nothing of other labels."""
    array = np.asarray(labels)
    if array.ndim != 1 or array.size == 0 or not _SPOKEN.fullmatch(str(array[0])):
        return {}
    texts, codes = np.unique(array.astype(str), return_inverse=True)
    if not all(map(_SPOKEN.fullmatch, texts)):
        return {}
    found = {}
    for role, pattern in _PARTS.items():
        parts = [re.search(pattern, text, re.IGNORECASE) for text in texts]
        if all(parts):
            found[role] = np.array([part[0] for part in parts if part])[codes]
    return found


def with_spoken(frame: Any, roles: Mapping[str, str], settled: Collection[str]) -> dict[str, str]:
    """Return roles in which labels have spoken, other than those that are settled."""
    of = {name: role for role, name in roles.items()}
    for column in frame.columns:
        role = of.get(column)
        if role not in (None, "split", "fold", "repeat"):
            continue
        found = spoken(frame[column])
        if found and not (found.keys() - {role}) & {*of.values(), *settled}:
            of[column] = "fold" if "fold" in found else "repeat"
    return {role: name for name, role in of.items()}

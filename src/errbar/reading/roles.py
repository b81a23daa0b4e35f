"""What the columns of a table are: said by the user, or taken from the one table of names, `roles.toml`."""

import re
import tomllib
from collections.abc import Collection, Sequence
from functools import cache
from importlib import resources
from typing import Any

import numpy as np

from errbar import _check
from errbar.errors import InvalidInputError, hint
from errbar.index import SIZES

Labels = dict[str, Any]
"""Columns, values or names of columns, by role or learner."""

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
NUMBERS = ("value", "prediction")
OF_LONG = ("learner", *NUMBERS)
"""Roles of the columns of a long table that hold learners and their numbers."""
VALUES = (*OF_LONG, "truth", "metric")
ROLES = (*VALUES, *INDEX)

_PARTS = {"fold": r"(?i)fold[ _-]?\d+", "repeat": r"(?i)rep(?:eat)?[ _-]?\d+"}


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


@cache
def _names() -> tuple[Labels, dict[str, list[str]], Labels]:
    """Return what a name says, what may be asked of it, and parts of names, by role."""
    text = resources.files("errbar").joinpath("roles.toml").read_text(encoding="utf-8")
    known = tomllib.loads(text)
    says = known["take"] | known["none"]
    return (
        {plain(name): role for role, own in says.items() for name in own},
        {plain(name): roles for name, roles in known["ask"].items()},
        known["parts"],
    )


def plain(name: str) -> str:
    """Return a name in small letters and digits alone."""
    return re.sub(r"[^a-z0-9]", "", name.lower())


def role_of(name: str) -> str | None:
    """Return the role that a name has; ``aside`` and ``measure`` are none."""
    return _names()[0].get(plain(name))


def asked(name: str) -> list[str]:
    """Return the roles that a name with several meanings may have."""
    return _names()[1].get(plain(name), [])


def spoken_for(name: str) -> list[str]:
    """Return the roles that a name, or a part of it, speaks for."""
    parts = _names()[2].items()
    by_part = [role for role, own in parts if any(part in plain(name) for part in own)]
    return [role for role in dict.fromkeys([role_of(name), *by_part]) if role in ROLES]


def option(role: str, *columns: str) -> str:
    """Return an option of the command line with names of columns, those with a space in quotes."""
    shown = [f"'{name}'" if " " in name else name for name in columns]
    return f"--{role.replace('_', '-')} {','.join(shown)}".strip()


def options_for(column: str, otherwise: Sequence[str] = ("groups",)) -> list[str]:
    """Return what may be said of a column, by its name."""
    return [option(role, column) for role in asked(column) or otherwise]


def told(
    given: Labels, allowed: Collection[str], columns: Collection[str] = ()
) -> tuple[Labels, Labels]:
    """Return what is told of roles: columns by role, and values by role, None where nothing has it."""
    said: dict[str, str] = {}
    stated: Labels = {}
    for role, value in given.items():
        _check.choice(role, allowed, "role")
        if isinstance(value, str) and (value != NONE or NONE in columns):
            said[role] = value
        elif value is not None:
            stated[role] = None if isinstance(value, str) else value
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
            f"is {name!r}, and the columns are {listed}{hint(name, columns)}", argument=argument
        )


def roles_of(
    columns: Any,
    said: Labels,
    wanted: Collection[str] = ROLES,
    learners: Collection[str] = (),
) -> dict[str, str]:
    """Return the column of each role: said, else by its name, and at last by what its labels speak."""
    of: dict[str, str] = {}  # role by column
    for role, column in said.items():
        require_column(column, columns, role)
        if column in of:
            raise InvalidInputError(f"is {column!r}, as `{of[column]}` is", argument=role)
        of[column] = role
    free = [name for name in columns if name not in of and name not in learners]
    for name in free:
        role = role_of(name) or ""
        if role not in wanted or role in said or not may_be(columns[name], role):
            continue
        for other in [one for one in of if of[one] == role]:
            why = f"columns {other!r} and {name!r} have names of it"
            raise UnsaidRoleError(why, option(role, other), option(role, name))
        of[name] = role
    # Labels speak: Fold03.Rep1 says fold and repeat, whatever its column is called.
    for name in columns:
        found = spoken(columns[name]) if of.get(name, "fold") in ("split", *_PARTS) else {}
        others = {role for one, role in of.items() if one != name}
        if found and name not in learners and not {*found} & others and {*found} <= {*wanted}:
            of[name] = "fold" if "fold" in found else "repeat"
    order = {role: name for name, role in of.items()}
    return {role: order[role] for role in (*said, *wanted, *order) if role in order}


def may_be(column: Any, role: str) -> bool:
    """Tell whether the cells of a column do not rule out a role that its name says."""
    if role in (*SIZES, *VALUES[1:]):
        return True
    cells = np.asarray(column)
    if cells.ndim != 1 or cells.size == 0 or (cells[:1] == cells).all():
        return False  # one value tells no rows apart
    if role == "learner":
        return cells.dtype.kind in "OUST"
    return cells.dtype.kind != "f" or not (cells[np.isfinite(cells)] % 1).any()


def spoken(labels: Any) -> Labels:
    """Return the folds and the repeats that labels say, such as ``Fold03.Rep1``; nothing of other labels."""
    first = next(iter(labels), None) if hasattr(labels, "__iter__") else None
    if not isinstance(first, str) or not any(re.match(one, first) for one in _PARTS.values()):
        return {}
    array = np.asarray(labels)
    if array.ndim != 1:
        return {}
    texts, codes = np.unique(array.astype(str), return_inverse=True)
    left = list(texts)
    found = {}
    for role, pattern in _PARTS.items():
        parts = [part[0] for text in texts if (part := re.search(pattern, text))]
        left = [re.sub(pattern, "", text, count=1) for text in left]
        if len(parts) == len(texts):
            found[role] = np.array(parts)[codes]
    return {} if any(text.strip(" ._-") for text in left) else found

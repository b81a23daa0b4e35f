"""The book of answers: making it, keeping it, and comparing it with what errbar answers today."""

import contextlib
import json
import math
import re
import tempfile
import warnings
import zlib
from pathlib import Path

from tests.corpus import face
from tests.corpus.calls import FAMILIES

KEPT = Path(__file__).parent / "answers"
EQUAL = 1e-12


def answers(family, only="", every=1):
    """What errbar answers today to the calls of a family whose key matches, or to one in so many, by key."""
    wanted = re.compile(only)
    found = {}
    with contextlib.ExitStack() as around:
        folder = around.enter_context(tempfile.TemporaryDirectory(prefix="errbar-corpus-"))
        around.enter_context(contextlib.chdir(folder))
        around.enter_context(face.commands_built_once())
        for key, call in FAMILIES[family]():
            if key in found:
                raise ValueError(f"{family}: two calls are named {key!r}")
            if wanted.search(f"{family}/{key}") and zlib.crc32(key.encode()) % every == 0:
                found[key] = _answered(call)
    return found


def _answered(call):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        try:
            found = face.answer(call())
        except face.REFUSED as refusal:
            found = {"refused": type(refusal).__name__}
    return found


def kept(family):
    return json.loads((KEPT / f"{family}.json").read_text(encoding="utf-8"))


def keep(family, found):
    """Write the answers of a family: a line each, in the order of their keys."""
    lines = [
        f"{json.dumps(key)}: {json.dumps(found[key], sort_keys=True)}" for key in sorted(found)
    ]
    KEPT.mkdir(exist_ok=True)
    (KEPT / f"{family}.json").write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")


def changes(old, new):
    """Every difference of two sets of answers, as (key, field, old, new)."""
    for key in sorted(set(old) | set(new)):
        if key not in new or key not in old:
            yield (
                key,
                "",
                "answered" if key in old else "not there",
                "answered" if key in new else "not there",
            )
            continue
        before, after = flat(old[key]), flat(json.loads(json.dumps(new[key])))
        for field in sorted(set(before) | set(after)):
            one, two = before.get(field), after.get(field)
            if not same(one, two):
                yield key, field, one, two


def flat(tree, path=""):
    """The leaves of a tree by their path; codes of notes are one leaf."""
    if isinstance(tree, dict):
        parts = {f"{path}.{key}" if path else key: part for key, part in tree.items()}
    elif isinstance(tree, list) and not path.endswith("notes"):
        parts = {f"{path}[{position}]": part for position, part in enumerate(tree)}
    else:
        return {path: tree}
    return {name: leaf for inner, part in parts.items() for name, leaf in flat(part, inner).items()}


def same(one, two):
    if isinstance(one, bool) or isinstance(two, bool) or not _both_numbers(one, two):
        return type(one) is type(two) and one == two
    if math.isnan(one) or math.isnan(two):
        return math.isnan(one) and math.isnan(two)
    return one == two or abs(one - two) <= EQUAL * max(1.0, abs(one))


def _both_numbers(one, two):
    return isinstance(one, (int, float)) and isinstance(two, (int, float))

"""Write the answers of the corpus anew, or say what has changed: ``python -m tests.corpus [--check] [--only REGEX]``."""

import argparse
import re
import sys
import time

from tests.corpus import book
from tests.corpus.calls import FAMILIES


def main():
    """Return 1 where ``--check`` finds a change."""
    parser = argparse.ArgumentParser(prog="python -m tests.corpus", description=__doc__)
    parser.add_argument(
        "--check",
        action="store_true",
        help="write nothing; print every change as key, field, old -> new",
    )
    parser.add_argument(
        "--family",
        metavar="NAME",
        action="append",
        choices=sorted(FAMILIES),
        help="only this family",
    )
    parser.add_argument(
        "--only", metavar="REGEX", default="", help="with --check, calls whose family/key matches"
    )
    parser.add_argument(
        "--short", action="store_true", help="with --check, one line per family and field"
    )
    asked = parser.parse_args()
    if asked.only and not asked.check:
        parser.error("--only goes with --check; --family limits what is written")
    chosen = asked.family or list(FAMILIES)
    checked = [_checked(family, asked) if asked.check else _written(family) for family in chosen]
    what = "differences" if asked.check else "answers"
    _say(f"{sum(checked)} {what} in {len(chosen)} families")
    return int(asked.check and any(checked))


def _written(family):
    start = time.process_time()
    found = book.answers(family)
    book.keep(family, found)
    refused = sum("refused" in answer for answer in found.values())
    _say(
        f"{family:14} {len(found):5} answers, {refused:4} refused, {time.process_time() - start:5.1f} s"
    )
    return len(found)


def _checked(family, asked):
    wanted = re.compile(asked.only)
    old = {
        key: answer for key, answer in book.kept(family).items() if wanted.search(f"{family}/{key}")
    }
    found = list(book.changes(old, book.answers(family, asked.only)))
    if not found:
        return 0
    _say(f"{family}: {len(found)} differences in {len({key for key, *_ in found})} answers")
    for line in _grouped(found) if asked.short else [_line(*change) for change in found]:
        _say(f"  {line}")
    return len(found)


def _line(key, field, old, new):
    return f"{key}: {field or 'the answer'}: {old} -> {new}"


def _grouped(found):
    """Fields without their positions, how often each differs, and the first that does."""
    first = {}
    for change in found:
        first.setdefault(re.sub(r"\[\d+\]", "[]", change[1]), []).append(change)
    return [
        f"{field or 'the answer'}: {len(some)}, first {_line(*some[0])}"
        for field, some in first.items()
    ]


def _say(line):
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())

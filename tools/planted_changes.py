"""Plant changes in a copy of the package, one at a time, and see that the corpus of answers finds each.

Usage: python tools/planted_changes.py

The working tree stays as it is. The status is 1 where a change is not found, or where there are differences without any.
"""

import os
import shutil
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


@dataclass(frozen=True)
class Change:
    """A piece of a file that is replaced, and the part of the corpus that is asked: families, and a pattern of the keys in them."""

    name: str
    file: str
    old: str
    new: str
    families: tuple[str, ...]
    only: str = ""


CHANGES = (
    Change(
        "degrees of freedom of cv-t: one too many",
        "methods/_folds.py",
        "answer.df = whole(min(folds.K - 1.0, folds.df, df))",
        "answer.df = whole(min(folds.K - 0.0, folds.df, df))",
        ("methods", "designs"),
    ),
    Change(
        "note of cluster-t: dropped",
        "methods/_dependent.py",
        "notes=(ONE_TRAINING_SET if n_splits == 1 else FOLD_MODELS,)",
        "notes=()",
        ("methods", "designs"),
    ),
    Change(
        "role of a column: `repeat` is not passed on by readers",
        "reading/table.py",
        "    found = _side_by_side(sheet, missing)\n",
        "    found = _side_by_side(sheet, missing)\n    found.labels.pop('repeat', None)\n",
        ("commands",),
        "/test '?repeat",
    ),
    Change(
        "sign: that of a statistic is not turned with its difference",
        "result.py",
        "statistic=0.0 - self.statistic if self.directed else self.statistic",
        "statistic=self.statistic",
        ("designs",),
    ),
    Change(
        "exit status of a failed gate: 2 for 1",
        "cli/gating.py",
        'return int(not all(one["passed"] for one in told["gates"]))',
        'return 2 * int(not all(one["passed"] for one in told["gates"]))',
        ("commands",),
        "--fail-if",
    ),
)


def main() -> int:
    """Return 0 where every change is found, and nothing is without one."""
    families = tuple(dict.fromkeys(family for change in CHANGES for family in change.families))
    with tempfile.TemporaryDirectory(prefix="errbar-planted-") as folder:
        source = Path(folder) / "src"
        shutil.copytree(ROOT / "src", source, ignore=shutil.ignore_patterns("__pycache__"))
        differs, said = _differs(source, families)
        if differs:
            print(f"without any change there are differences:\n{said}")
            return 1
        missed = [change.name for change in CHANGES if not _found(change, source)]
    print(f"{len(CHANGES) - len(missed)} of {len(CHANGES)} changes are found")
    return 1 if missed else 0


def _found(change: Change, source: Path) -> bool:
    """Plant one change, ask its families, and take it out again."""
    path = source / "errbar" / change.file
    text = path.read_text(encoding="utf-8")
    if text.count(change.old) != 1:
        raise SystemExit(
            f"{change.name}: {change.file} holds {change.old!r} {text.count(change.old)} times, not once"
        )
    start = time.monotonic()
    path.write_text(text.replace(change.old, change.new), encoding="utf-8")
    try:
        differs, said = _differs(source, change.families, change.only)
    finally:
        path.write_text(text, encoding="utf-8")
    first = next(
        (line.strip() for line in said.splitlines() if " -> " in line),
        said.strip().rpartition("\n")[2],
    )
    print(
        f"{'found' if differs else 'NOT FOUND':9} {time.monotonic() - start:5.1f} s  {change.name}  [{first}]",
        flush=True,
    )
    return differs


def _differs(source: Path, families: tuple[str, ...], only: str = "") -> tuple[bool, str]:
    """Whether the corpus differs for this copy, and what it says; whatever else goes wrong ends the script."""
    asked = [part for family in families for part in ("--family", family)]
    done = subprocess.run(
        [sys.executable, "-B", "-m", "tests.corpus", "--check", f"--only={only}", *asked],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(source), str(ROOT)])},
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode not in (0, 1) or "differences in" not in done.stdout:
        raise SystemExit(f"the corpus could not be checked:\n{done.stdout}{done.stderr}")
    return done.returncode == 1, done.stdout


if __name__ == "__main__":
    sys.exit(main())

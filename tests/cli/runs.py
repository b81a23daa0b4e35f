"""Real runs of the command line in a folder, what their learners did, and the processes that they consist of."""

import contextlib
import shutil
import subprocess
import sys
import time
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd

from errbar.fits import Store
from tests.cli.conftest import Outcome

MODELS = Path(__file__).with_name("faulty_models.py")
FIGURES = ("method", "n_train", "learners", "pairs")


@dataclass(frozen=True)
class Line:
    """A line of the log."""

    process: int
    what: str
    fit: tuple[str, tuple[int, ...]]
    time: float


class Folder:
    """A folder with data and models, in which runs take place."""

    def __init__(self, path, examples=60):
        self.path = path
        self.store = path / "runs.db"
        path.mkdir(exist_ok=True)
        shutil.copyfile(MODELS, path / "models.py")
        rng = np.random.default_rng(0)
        data = pd.DataFrame(
            {"id": range(examples), "a": rng.normal(size=examples), "b": rng.normal(size=examples)}
        )
        data.assign(label=np.where(rng.random(examples) < 0.3, "no", data["a"] > 0)).to_csv(
            path / "data.csv", index=False
        )

    def arguments(self, learners, *more, store="runs.db"):
        models = [text for name in learners for text in ("--model", f"{name}=models.py:{name}")]
        command = "compare" if len(learners) > 1 else "evaluate"
        kept = ("--store", str(store)) if store else ()
        # Without a plan, 15 random splits.
        splits = (
            ()
            if {"--plan", "--method"} & {*map(str, more)}
            else ("--plan", "Subsampling(n_test=0.1)")
        )
        return [
            command,
            "data.csv",
            "--target",
            "label",
            "--feature",
            "id",
            *models,
            *kept,
            *splits,
            "--json",
            *map(str, more),
        ]

    def start(self, learners, *more, store="runs.db", **options):
        """Start a run in a process of its own."""
        return subprocess.Popen(
            [sys.executable, "-m", "errbar.cli", *self.arguments(learners, *more, store=store)],
            cwd=self.path,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            **options,
        )

    def run(self, learners, *more, store="runs.db", **options):
        """Do a whole run."""
        return finished(self.start(learners, *more, store=store, **options))

    def log(self, start=0):
        """Return the lines of the log, from the one with a number."""
        place = self.path / "fits.log"
        lines = place.read_text().splitlines() if place.exists() else []
        found = []
        for line in lines[start:]:
            process, what, name, lacks, when = line.split(" ")
            fit = (name, tuple(int(i) for i in lacks.split(",")))
            found.append(Line(int(process), what, fit, float(when)))
        return found

    def begun(self, start=0):
        """Count how often each fit was begun, from a line of the log on."""
        return Counter(line.fit for line in self.log(start) if line.what == "begins")

    def committed(self, store=None):
        """Return the fits that are in the store, named as in the log."""
        place = store or self.store
        if not place.is_file():
            return set()
        return {
            (record.facts["learner"], tuple(record.arrays["examples"].tolist()))
            for record in fits_in(place)
        }


def fits_in(path):
    """Return the records of finished fits in a store."""
    with Store(path) as store:
        records = [record for _, record in store.each()]
    return [one for one in records if "learner" in one.facts and "error" not in one.facts]


def finished(run, timeout=600):
    """Wait for the end of a run."""
    out, err = run.communicate(timeout=timeout)
    return Outcome(run.returncode, out, err)


def figures(ended):
    """Return what a run must come to, however often it was stopped."""
    return {name: ended.data[name] for name in FIGURES}


def counts(ended):
    """Return how many fits were done, and how many found in the store."""
    return ended.data["counts"]["fits"], ended.data["counts"]["reused"]


def children(process, besides=()):
    """Return the processes that a process has started, and those that they have, as far as they live.

    Those in `besides` are left out, with all that they start: the browser of other tests starts processes at any time.
    """
    parents = {}
    for place in Path("/proc").glob("[0-9]*/stat"):
        try:
            state, parent = place.read_text().rpartition(")")[2].split()[:2]
        except OSError:
            continue
        if state != "Z":
            parents.setdefault(int(parent), []).append(int(place.parent.name))
    found, new = [], [process]
    while new:
        new = [child for one in new for child in parents.get(one, []) if child not in besides]
        found += new
    return found


def processes_in(folder):
    """Return the processes that work in a folder."""
    found = []
    for place in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            if (place / "cwd").readlink() == folder and alive(place.name):
                found.append(int(place.name))
    return found


def alive(process):
    """Tell whether a process lives; one that has died and that nobody has asked about does not."""
    try:
        return (
            Path(f"/proc/{process}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[0]
            != "Z"
        )
    except OSError:
        return False


def eventually(condition, seconds=300.0):
    """Wait until a condition holds, and tell whether it does."""
    until = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > until:
            return False
        time.sleep(0.01)
    return True

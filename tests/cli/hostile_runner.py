"""Runs command lines, each in a fork of a process that has loaded everything, under limits of time and memory.

It reads one JSON object per line, and writes what became of each in the same form.
"""

import gc
import json
import os
import resource
import signal
import sys
import tempfile
import time
from contextlib import redirect_stderr, redirect_stdout, suppress
from importlib import import_module

SECONDS, LONGEST, MEMORY = 10, 60, 12 * 2**30
"""Seconds of computing, seconds in all (the machine may be busy), and bytes of address space."""


KINDS = ("datasets", "dummy", "model_selection", "neighbors", "pipeline", "tree")
MODULES = ["errbar.cli.runs", "errbar.cli.tables"]
MODULES += ["errbar_lab.does"]


def run(line):
    """Run one command line and return its status, what it wrote, and whether it had to be killed."""
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        child = os.fork()
        if child == 0:
            _become(line, out.fileno(), err.fileno())
            from errbar.cli import main

            main(line["arguments"])
        status, killed = _ended(child)
        texts = []
        for file in (out, err):
            file.seek(0)
            texts.append(file.read().decode(errors="replace"))
    return {"status": status, "out": texts[0], "err": texts[1], "killed": killed}


def _become(line, out, err):
    os.setpgid(0, 0)
    os.chdir(line["folder"])
    with open(os.devnull, encoding="utf-8") as nothing:  # noqa: PTH123
        os.dup2(nothing.fileno(), 0)
    os.dup2(out, 1)
    os.dup2(err, 2)
    os.environ.update(line["environment"])
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS + 1))
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))


def _ended(child):
    until = time.monotonic() + LONGEST
    while True:
        found, state = os.waitpid(child, os.WNOHANG)
        if found:
            status = os.waitstatus_to_exitcode(state)
            return status, status == -signal.SIGXCPU
        if time.monotonic() > until:
            os.killpg(child, signal.SIGKILL)
            os.waitpid(child, 0)
            return None, True
        time.sleep(0.005)


def _load():
    """Import what commands need, also the parts that are imported when they run; nothing is computed, so forks are safe."""
    for name in (
        "matplotlib.pyplot",
        "pyarrow.parquet",
        *(f"sklearn.{kind}" for kind in KINDS),
        *MODULES,
    ):
        import_module(name)
    from errbar.cli import main

    for words in (
        ["methods", "corrected-t"],
        ["power", "--jobs", "x"],
        ["lab", "coverage", "--replicates", "0"],
        ["compare", "x"],
    ):
        with (
            open(os.devnull, "w", encoding="utf-8") as nothing,  # noqa: PTH123
            redirect_stdout(nothing),
            redirect_stderr(nothing),
            suppress(SystemExit),
        ):
            main(words)
    gc.freeze()


if __name__ == "__main__":
    _load()
    for text in sys.stdin:
        print(json.dumps(run(json.loads(text))), flush=True)  # noqa: T201

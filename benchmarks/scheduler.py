"""What a Dask scheduler bears, and what Dask costs next to joblib.

Usage: python benchmarks/scheduler.py [--tasks 100000] [--rounds 5]

First empty tasks go through a scheduler and two workers in processes of their own: in the batches that errbar makes of
fits that take 20 ms, and one by one. Tasks and outcomes have the size of a fit on 300 examples with 30 predictions.
Printed are tasks per second, what a batch costs the scheduler, the client and the network, and what that makes for a
million fits. Bytes and packets are those of the loopback interface, so whatever else uses it counts too.

Then fits that take 20 ms of computing are done by joblib and by Dask in turn, with two workers each; printed is the
median of the ratios within a round.
"""

import sys
from pathlib import Path

# A script's folder comes first on the path, and this one holds a file that is called like a standard module.
sys.path[:] = [
    place for place in sys.path if Path(place).resolve() != Path(__file__).resolve().parent
]

import argparse
import json
import statistics
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from typing import Any

import numpy as np
import psutil
from distributed import Client
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin

from errbar.fits import Joblib, RunOptions, execute, prepare, travel
from errbar.fits.cluster import Dask
from errbar.fits.work import Block, Bundle, FitWorkload, Outcome
from errbar.errors import FitFailedError
from errbar.plans import Subsampling

WORKERS = 2
FIT_SECONDS = 0.02


@dataclass(frozen=True, eq=False)
class DoesNothing:
    """A job that takes no time, says how long it would have taken, and predicts two probabilities per example."""

    shared: NDArray[np.float64]
    seconds: float

    def perform(self, bundle: Bundle) -> Outcome:
        [task] = bundle.tasks
        count = task.examples.size
        predictions = {"label": np.zeros(count, np.uint8), "probability": np.zeros((count, 2))}
        return Outcome(
            (Block(task.key, task.learner, "", task.examples, predictions, self.seconds),)
        )

    def packed(self, outcome: Outcome) -> bytes:
        return FitWorkload.packed(self, outcome)  # type: ignore[arg-type]  # it needs nothing of a workload

    def unpacked(self, bundle: Bundle, message: bytes) -> Outcome:
        _, arrays = travel.read(message)
        predictions = {name.partition(" ")[2]: values for name, values in arrays.items()}
        [task] = bundle.tasks
        return Outcome(
            (Block(task.key, task.learner, "", task.examples, predictions, self.seconds),)
        )

    def failed(self, bundle: Bundle, reason: str) -> Outcome:
        [task] = bundle.tasks
        return Outcome((Block(task.key, task.learner, "", task.examples, error=reason),))

    def parts(self, bundle: Bundle) -> tuple[Bundle, ...]:
        return (bundle,)


class TakesTime(ClassifierMixin, BaseEstimator):
    """Computes for 20 ms and then predicts the first class."""

    def fit(self, X: Any, y: Any) -> "TakesTime":  # noqa: ARG002 - as every learner
        end = time.thread_time() + FIT_SECONDS
        while time.thread_time() < end:
            pass
        self.classes_ = np.unique(y)
        return self

    def predict(self, X: Any) -> Any:
        return np.full(len(X), self.classes_[0])


@contextmanager
def cluster() -> Iterator[tuple[Client, psutil.Process]]:
    """Start a scheduler and workers in processes of their own."""
    with tempfile.TemporaryDirectory() as folder, ExitStack() as stack:
        file = Path(folder) / "scheduler.json"
        common = ["--scheduler-file", str(file), "--host", "127.0.0.1", "--no-dashboard"]
        quiet = {"cwd": folder, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        for program in (
            ["scheduler", "--port", "0"],
            ["worker", "--nworkers", str(WORKERS), "--nthreads", "1"],
        ):
            module = f"distributed.cli.dask_{program[0]}"
            process = subprocess.Popen(
                [sys.executable, "-m", module, *program[1:], *common], **quiet
            )
            stack.callback(process.wait)
            stack.callback(process.terminate)
            while not file.exists():
                time.sleep(0.05)
        time.sleep(0.2)
        client = stack.enter_context(
            Client(json.loads(file.read_text())["address"], set_as_default=False)
        )
        client.wait_for_workers(WORKERS, timeout=60)
        yield client, psutil.Process(client.run_on_scheduler(lambda: __import__("os").getpid()))


@dataclass(frozen=True)
class Use:
    """What has been used so far."""

    wall: float
    scheduler: float
    client: float
    transitions: int
    sent: int
    packets: int

    def since(self, before: "Use") -> "Use":
        return Use(
            *(getattr(self, name) - getattr(before, name) for name in self.__dataclass_fields__)
        )


def fits_of(learner: Any, count: int) -> list[Bundle]:
    """Return the fits of a learner on 300 examples as the engine hands them to an executor."""
    kept: list[Bundle] = []

    class Keeps:
        def run(self, job: Any, tasks: Any, emit: Any, wanted: Any = None) -> None:  # noqa: ARG002 - as every executor
            kept.extend(tasks)
            for task in tasks:
                emit(job.failed(task, "not done"))

    with suppress(FitFailedError):
        execute(setup_of(learner, count), RunOptions(executor=Keeps()))
    return kept


def setup_of(learner: Any, count: int) -> Any:
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(300, 16)), rng.integers(0, 2, 300)
    return prepare({"busy": learner}, X, y, plan=Subsampling(repeats=count), random_state=0)


def used(client: Client, scheduler: psutil.Process) -> Use:
    times, own = scheduler.cpu_times(), psutil.Process().cpu_times()
    transitions = client.run_on_scheduler(lambda dask_scheduler: dask_scheduler.transition_counter)
    wire = psutil.net_io_counters(pernic=True)["lo"]
    cpu, mine = times.user + times.system, own.user + own.system
    return Use(time.perf_counter(), cpu, mine, transitions, wire.bytes_sent, wire.packets_sent)


def load(client: Client, scheduler: psutil.Process, count: int, seconds: float) -> None:
    """Send empty tasks through and print what they cost."""
    some = fits_of(TakesTime(), 1000)
    tasks = [some[i % 1000] for i in range(count)]
    arrived: list[str] = []
    before = used(client, scheduler)
    Dask(client).run(
        DoesNothing(np.zeros((300, 16)), seconds),
        tasks,
        lambda outcome: arrived.append(outcome.queue),
    )
    use = used(client, scheduler).since(before)
    assert len(arrived) == count
    size = max(1, int(0.3 / seconds))
    batches = -(-count // size)
    print(
        f"{count:>8}{size:>7}{use.wall:>8.1f}{count / use.wall:>9.0f}{batches / use.wall:>11.0f}",
        end="",
    )
    print(
        f"{use.scheduler / use.wall:>11.0%}{1e3 * use.scheduler / batches:>12.2f}{1e3 * use.client / batches:>10.2f}",
        end="",
    )
    print(
        f"{use.transitions / batches:>13.1f}{use.packets / batches:>9.1f}{use.sent / batches / 1e3:>10.1f}{use.sent / count / 1e3:>10.2f}"
    )


def against_joblib(client: Client, rounds: int, fits: int) -> None:
    """Print how long the same fits take with joblib and with Dask."""
    setup = setup_of(TakesTime(), fits)
    executors = {"joblib": Joblib(WORKERS), "Dask": Dask(client)}
    seconds: dict[str, list[float]] = {name: [] for name in executors}
    for executor in executors.values():  # workers are up, and have imported what they need
        execute(setup, RunOptions(executor=executor))
    for _ in range(rounds):
        for name, executor in executors.items():
            started = time.perf_counter()
            execute(setup, RunOptions(executor=executor))
            seconds[name].append(time.perf_counter() - started)
    ratios = [dask / joblib for joblib, dask in zip(*seconds.values(), strict=True)]
    medians = {name: statistics.median(values) for name, values in seconds.items()}
    print(
        f"\n{fits} fits of 20 ms, {WORKERS} workers: joblib {medians['joblib']:.2f} s, Dask {medians['Dask']:.2f} s, ",
        end="",
    )
    print(f"ratio {statistics.median(ratios):.3f} ({min(ratios):.3f} to {max(ratios):.3f})")


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--tasks", type=int, default=100_000)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--fits", type=int, default=500)
    options = parser.parse_args()
    with cluster() as (client, scheduler):
        print(
            "                                        scheduler                                      per batch"
        )
        print(
            "   tasks  batch       s  tasks/s  batches/s       busy  ms (sched.)  ms (here)  transitions  packets   kB wire  kB a task"
        )
        load(client, scheduler, 2000, FIT_SECONDS)
        load(client, scheduler, options.tasks, FIT_SECONDS)
        load(client, scheduler, options.tasks // 10, 1.0)
        against_joblib(client, options.rounds, options.fits)


if __name__ == "__main__":
    main()

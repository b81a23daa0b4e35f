"""Kills that begin when the store has grown: of the whole run, or of one of its workers, again and again on one store.

Each kill waits until more was committed than before. Whatever was kept when it came is kept afterwards and is not done
again, no process is left behind, and the figures are those of a run that nobody disturbs.
"""

import os
import signal
import sqlite3
import subprocess
import sys
from contextlib import closing

import distributed
import pytest

from errbar.fits import Store
from tests.cli.conftest import Outcome
from tests.cli.runs import (
    Folder,
    alive,
    children,
    counts,
    eventually,
    figures,
    finished,
    fits_in,
)

pytestmark = pytest.mark.thorough

PATIENCE = 240.0
"""Seconds after which a test gives up; nothing is expected to take as long."""

SPLITS = ("--plan", "Subsampling(repeats=60)")
LEARNERS = ("slow", "other")
FITS = 120


@pytest.fixture
def folder(tmp_path):
    return Folder(tmp_path / "runs")


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory):
    ended = Folder(tmp_path_factory.mktemp("undisturbed") / "runs").run(
        LEARNERS, *SPLITS, "--jobs", 2, store=None
    )
    assert ended.status == 0, ended.err
    return figures(ended)


def records(store):
    """Return how many records are committed, as anybody may count them."""
    if not store.is_file():
        return 0
    with closing(sqlite3.connect(f"{store.as_uri()}?mode=ro", uri=True, timeout=30)) as database:
        try:
            return database.execute("SELECT count(*) FROM record").fetchone()[0]
        except sqlite3.OperationalError:  # it is just being made
            return 0


def grown(run, store, least):
    """Wait until so many records are committed; tell whether the run is still going on."""
    assert eventually(lambda: records(store) >= least or run.poll() is not None, PATIENCE)
    return run.poll() is None


def killed_whole(run):
    """Kill a run; all that it has started must go."""
    workers = children(run.pid)
    run.kill()
    run.communicate()
    assert eventually(lambda: not any(map(alive, workers)), PATIENCE), (
        "workers outlive a run that was killed"
    )


def killed_worker(run, rng):
    """Kill one worker of a run, if it has any at the moment; tell whether it had."""
    workers = [one for one in children(run.pid) if alive(one)]
    if not workers:
        return False
    os.kill(int(rng.choice(workers)), signal.SIGKILL)
    return True


def check_nothing_repeated(folder, kept, before):
    assert kept <= folder.committed()
    assert kept.isdisjoint(folder.begun(before))


def compare_campaign(folder, rng, kills, *more):
    """Kill runs and workers in turn, until there have been so many kills; return how the last run ended.

    A store that is complete too soon makes room for a new one, so every kill comes upon a store that has grown.
    """
    done = 0
    while done < kills:
        kept, before = folder.committed(), len(folder.log())
        if len(kept) > FITS - 12:
            folder.store.unlink()
            kept, before = set(), len(folder.log())
        run = folder.start(LEARNERS, *SPLITS, *more)
        if done % 2:
            while done < kills and grown(
                run, folder.store, records(folder.store) + int(rng.integers(2, 8))
            ):
                done += killed_worker(run, rng)
                if done % 2 == 0 and rng.random() < 0.5:
                    break
        if (
            grown(run, folder.store, records(folder.store) + int(rng.integers(2, 8)))
            and done < kills
        ):
            killed_whole(run)
            done += 1
        else:
            ended = finished(run, PATIENCE)
            assert ended.status == 0, ended.err
        check_nothing_repeated(folder, kept, before)
    kept, before = folder.committed(), len(folder.log())
    ended = folder.run(LEARNERS, *SPLITS, *more)
    assert ended.status == 0, ended.err
    check_nothing_repeated(folder, kept, before)
    assert counts(ended) == (FITS - len(kept), len(kept))
    return ended


class TestCompare:
    def test_four_kills(self, folder, undisturbed, rng, tell):
        assert figures(compare_campaign(folder, rng, 4, "--jobs", 2)) == undisturbed
        assert sorted(one.name for one in folder.path.iterdir() if "runs.db" in one.name) == [
            "runs.db"
        ]
        tell(kills=4)

    @pytest.mark.slow
    def test_twenty_kills(self, folder, undisturbed, rng, tell):
        assert figures(compare_campaign(folder, rng, 20, "--jobs", 2)) == undisturbed
        tell(kills=20)


class TestSeeds:
    SEEDS, FITS = ("--plan", "Seeds(60)", "--jobs", 2), 120
    LEARNERS = ("random", "chance")

    def blocks(self, folder):
        if not folder.store.is_file():
            return []
        return [
            (record.facts["learner"], record.arrays["label"].tobytes())
            for record in fits_in(folder.store)
        ]

    def test_two_kills_between_fits_on_one_training_set(self, folder, rng):
        undisturbed = folder.run(self.LEARNERS, *self.SEEDS, store=None)
        assert undisturbed.status == 0, undisturbed.err
        kills = 0
        while kills < 2:
            run = folder.start(self.LEARNERS, *self.SEEDS)
            if grown(run, folder.store, records(folder.store) + int(rng.integers(2, 8))):
                killed_whole(run)
                kills += 1
            else:
                assert finished(run, PATIENCE).status == 0
                folder.store.unlink()
        kept = self.blocks(folder)
        ended = folder.run(self.LEARNERS, *self.SEEDS)
        assert ended.status == 0, ended.err
        assert figures(ended) == figures(undisturbed)
        assert counts(ended) == (self.FITS - len(kept), len(kept))
        assert 0 < len(kept) <= len(self.blocks(folder)) == self.FITS
        assert len(set(self.blocks(folder))) > self.FITS // 2, "fits of other seeds are the same"


@pytest.fixture
def cluster():
    with distributed.LocalCluster(
        n_workers=2,
        threads_per_worker=1,
        processes=True,
        dashboard_address=":0",
        scheduler_kwargs={"allowed_failures": 20},
    ) as found:
        yield found


def worker_process(cluster, rng):
    """Return the process of a worker of a cluster; its nanny starts another one when it is killed."""
    running = [nanny.pid for nanny in cluster.workers.values() if nanny.pid]
    return int(rng.choice(running)) if running else None


def dask_campaign(folder, cluster, rng, kills):
    done = 0
    where = ("--cluster", cluster.scheduler_address)
    while done < kills:
        kept, before = folder.committed(), len(folder.log())
        if len(kept) > FITS - 12:
            folder.store.unlink()
            kept, before = set(), len(folder.log())
        run = folder.start(LEARNERS, *SPLITS, *where)
        if grown(run, folder.store, records(folder.store) + int(rng.integers(2, 8))):
            worker = worker_process(cluster, rng) if done % 2 else None
            os.kill(worker or run.pid, signal.SIGKILL)
            done += 1
            if worker:
                ended = finished(run, PATIENCE)
                assert ended.status == 0, ended.err
            else:
                run.communicate()
        else:
            run.communicate()
        # What a killed client had sent may still be at work in the workers: it is not kept, and nobody waits for it.
        check_nothing_repeated(folder, kept, before)
    kept, before = folder.committed(), len(folder.log())
    ended = folder.run(LEARNERS, *SPLITS, *where)
    assert ended.status == 0, ended.err
    check_nothing_repeated(folder, kept, before)
    return ended


class TestDask:
    def test_two_kills(self, folder, cluster, undisturbed, rng, tell):
        assert figures(dask_campaign(folder, cluster, rng, 2)) == undisturbed
        tell(kills=2)

    @pytest.mark.slow
    def test_twenty_kills(self, folder, cluster, undisturbed, rng, tell):
        assert figures(dask_campaign(folder, cluster, rng, 20)) == undisturbed
        tell(kills=20)


REPLICATES = 120
COVERAGE = [
    "lab",
    "coverage",
    "--problem",
    "gaussian-regression-20",
    "--method",
    "cv-wald",
    "--n",
    "60",
]
COVERAGE += ["--replicates", str(REPLICATES), "--jobs", "2", "--json", "--quiet"]

# Written into the store itself: a replicate that is run again, whoever does it, is noted down.
_WATCH = """
CREATE TABLE again (key);
CREATE TRIGGER watch BEFORE INSERT ON record WHEN EXISTS (SELECT 1 FROM record WHERE key = NEW.key)
BEGIN INSERT INTO again VALUES (NEW.key); END;
"""


def coverage(store=None):
    more = ["--store", str(store)] if store else []
    return subprocess.Popen(
        [sys.executable, "-m", "errbar.cli", *COVERAGE, *more],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


@pytest.fixture(scope="module")
def undisturbed_coverage():
    return answer(finished(coverage(), PATIENCE))


def answer(ended: Outcome):
    assert ended.status == 0, ended.err
    return {key: value for key, value in ended.data.items() if key != "seconds"}


def watched(store):
    Store(store).close()
    with closing(sqlite3.connect(store)) as database:
        database.executescript(_WATCH)


def lab_campaign(store, rng, kills):
    watched(store)
    done = 0
    while done < kills:
        if records(store) > REPLICATES - 60:
            store.unlink()
            watched(store)
        kept, run = records(store), coverage(store)
        if grown(run, store, kept + int(rng.integers(5, 30))):
            if done % 2:
                done += killed_worker(run, rng)
                if run.poll() is None and grown(run, store, records(store) + 5):
                    killed_whole(run)
            else:
                killed_whole(run)
                done += 1
        run.communicate()
        assert records(store) >= kept
    found = answer(finished(coverage(store), PATIENCE))
    with closing(sqlite3.connect(store)) as database:
        assert database.execute("SELECT count(*) FROM again").fetchone() == (0,)
    assert records(store) == REPLICATES
    return found


class TestCoverage:
    def test_two_kills(self, tmp_path, undisturbed_coverage, rng, tell):
        assert lab_campaign(tmp_path / "lab.db", rng, 2) == undisturbed_coverage
        tell(kills=2)

    @pytest.mark.slow
    def test_twenty_kills(self, tmp_path, undisturbed_coverage, rng, tell):
        assert lab_campaign(tmp_path / "lab.db", rng, 20) == undisturbed_coverage
        tell(kills=20)

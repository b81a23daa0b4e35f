"""Faults that really happen, on the command line: nothing finished is lost, the rest completes, and what failed is named."""

import os
import re
import resource
import shutil
import signal
import subprocess
import time

import pytest

from errbar.fits import Store
from tests.cli.runs import (
    Folder,
    alive,
    children,
    counts,
    eventually,
    figures,
    finished,
    fits_in,
    processes_in,
)
from tests.cli.test_errors import refused

pytestmark = pytest.mark.long

FIVE = ("--method", "cv-wald", "--plan", 5)
BOTH = ("slow", "other")
FITS = 30


@pytest.fixture
def folder(tmp_path):
    return Folder(tmp_path / "runs")


@pytest.fixture(scope="module")
def unbroken(tmp_path_factory):
    """The figures that both learners come to when nothing happens, and how long that takes."""
    folder = Folder(tmp_path_factory.mktemp("unbroken") / "runs")
    started = time.monotonic()
    ended = folder.run(BOTH)
    assert ended.status == 0, ended.err
    assert sum(folder.begun().values()) == len(folder.committed()) == FITS
    return figures(ended), time.monotonic() - started


@pytest.fixture
def here(errbar, folder, monkeypatch):
    """Run the command line in this process, in the folder, with the fits in workers."""
    monkeypatch.chdir(folder.path)

    def call(learners, *more, store="runs.db"):
        return errbar(*folder.arguments(learners, *more, store=store))

    return call


class TestFits:
    FAULTS = {  # noqa: RUF012
        "raises": "ValueError: no fit today",
        "exits": "SystemExit: 7",
        "interrupts": "KeyboardInterrupt",
        **dict.fromkeys(("quits", "segfaults", "aborts", "killed"), "WorkerDied: "),
        **dict.fromkeys(("sleeps", "computes"), "Timeout: "),
        "short": "ValueError: ",
        "nan": "ValueError: ",
    }

    def test_every_fault_at_once(self, folder):
        """Each of the learners misbehaves on one training set of five: that one is named, and all others are kept."""
        whole, kept = len(self.FAULTS), 5 + 4 * len(self.FAULTS)
        everything = (["good", *self.FAULTS], "--jobs", 2, *FIVE, "--fit-timeout", 4)
        first = folder.run(*everything)
        assert first.status == 3
        failures = first.data["failures"]
        assert {one["learner"] for one in failures} == self.FAULTS.keys()
        assert len(failures) == whole
        assert len({one["split"] for one in failures}) == 1
        for one in failures:
            assert one["message"].startswith(self.FAULTS[one["learner"]])
            assert (
                sum(
                    one["message"] in line
                    for line in first.err.splitlines()
                    if one["learner"] in line
                )
                == 1
            )
        assert [one["name"] for one in first.data["learners"]] == ["good"]
        assert len(folder.committed()) == kept
        assert eventually(lambda: processes_in(folder.path) == [])

        # Only those that failed are tried again, whether they fail again or not.
        before = len(folder.log())
        again = folder.run(["good", "raises", "segfaults", "short"], *FIVE, "--jobs", 2)
        assert (again.status, counts(again)) == (3, (0, 17))
        assert [one["learner"] for one in again.data["failures"]] == [
            "raises",
            "segfaults",
            "short",
        ]
        assert all(0 in lacks for _, lacks in folder.begun(before))

        (folder.path / "mended").touch()
        before = len(folder.log())
        mended = folder.run(*everything)
        assert (mended.status, counts(mended)) == (0, (whole, kept))
        assert sum(folder.begun(before).values()) == whole
        assert {one["estimate"] for one in mended.data["learners"]} == {
            first.data["learners"][0]["estimate"]
        }
        with Store(folder.store) as store:
            assert not any("error" in record.facts for _, record in store.each())

    @pytest.mark.thorough
    def test_without_a_store_the_limits_hold_as_well(self, here):
        ended = here(["good", "sleeps"], *FIVE, "--fit-timeout", 1, store=None)
        assert ended.status == 3
        assert [one["message"].partition(":")[0] for one in ended.data["failures"]] == ["Timeout"]
        assert [one["name"] for one in ended.data["learners"]] == ["good"]

    @pytest.mark.parametrize("store", ["runs.db", pytest.param(None, marks=pytest.mark.thorough)])
    @pytest.mark.parametrize("jobs", [1, 2])
    def test_what_learners_print_is_no_part_of_the_answer(self, folder, store, jobs):
        ended = folder.run(["talks"], *FIVE, "--jobs", jobs, store=store)
        assert ended.data["learners"][0]["name"] == "talks"
        assert ended.err.count("this is no JSON") == ended.err.count("neither is this") == 5

    def test_files_in_the_current_folder_do_not_hide_modules(self, here, folder):
        for name in ("random", "pickle", "errbar", "joblib"):
            (folder.path / f"{name}.py").write_text(
                "raise RuntimeError('a file of the same name')\n"
            )
        assert here(["good"], *FIVE).status == 0


def killed(rng, run, seconds):
    """Kill a run at a random moment of its life; tell whether it was still alive."""
    time.sleep(float(rng.uniform(0.0, seconds)))
    workers = children(run.pid)
    over = run.poll() is not None
    run.kill()
    run.communicate()
    assert eventually(lambda: not any(map(alive, workers))), "workers outlive a run that was killed"
    return not over


def check_nothing_repeated(folder, kept, before):
    """What was committed when a run was killed is still there and has not been done again."""
    assert kept <= folder.committed()
    assert kept.isdisjoint(folder.begun(before))


class TestKilledRun:
    def test_again_and_again(self, folder, here, unbroken, rng, tell):
        """Runs on the same store, each killed at a random moment, and one that goes on to the end."""
        numbers, life = unbroken
        kills = 0
        while kills < 3:
            kept, before = folder.committed(), len(folder.log())
            kills += killed(rng, folder.start(BOTH), life)
            check_nothing_repeated(folder, kept, before)
            if len(folder.committed()) == FITS:
                folder.store.unlink()
        kept, before = folder.committed(), len(folder.log())
        assert figures(here(BOTH)) == numbers
        check_nothing_repeated(folder, kept, before)
        assert sum(folder.begun(before).values()) == FITS - len(kept)
        tell(kills=kills)

    @pytest.mark.slow
    def test_at_fifty_random_moments(self, folder, unbroken, rng, tell):
        numbers, life = unbroken
        kills, halfway = 0, 0
        while kills < 50:
            folder.store.unlink(missing_ok=True)
            kills += killed(rng, folder.start(BOTH), life)
            kept, before = folder.committed(), len(folder.log())
            halfway += 0 < len(kept) < FITS
            ended = folder.run(BOTH)
            assert figures(ended) == numbers
            assert counts(ended) == (FITS - len(kept), len(kept))
            check_nothing_repeated(folder, kept, before)
            assert sum(folder.begun(before).values()) == FITS - len(kept)
        assert halfway >= 3
        tell(kills=kills)

    @pytest.mark.thorough
    def test_nothing_is_left_of_it(self, folder):
        """Neither processes in the middle of a fit that does not end, nor the data that were written for them."""
        place = folder.path / "temporary"
        place.mkdir()
        run = folder.start(["sleeps"], *FIVE, "--jobs", 2, env=os.environ | {"TMPDIR": str(place)})
        assert eventually(lambda: any(0 in lacks for _, lacks in folder.begun()))
        workers = children(run.pid)
        assert workers
        assert list(place.iterdir())
        run.kill()
        run.communicate()
        assert eventually(lambda: not any(map(alive, workers)))
        assert eventually(lambda: not any(place.iterdir()))

    @pytest.mark.thorough
    def test_files_are_sound_at_any_moment(self, folder, unbroken):
        """Copies of the store, taken while it is written: the log first, as it stands for what is not yet merged."""
        run = folder.start(BOTH)
        copies = []
        assert eventually(lambda: len(folder.committed()) > 3)
        while run.poll() is None and len(copies) < 20:
            copy = folder.path / f"copy{len(copies)}.db"
            for ending in ("-wal", ""):
                if (source := folder.path / f"runs.db{ending}").exists():
                    shutil.copyfile(source, copy.with_name(copy.name + ending))
            copies.append(copy)
            time.sleep(0.05)
        assert figures(finished(run)) == unbroken[0]
        for copy in copies:
            with Store(copy) as store:
                assert len(dict(store.each())) > 3
                assert not store.damaged


class TestKilledWorker:
    def test_again_and_again(self, folder, unbroken, rng):
        """Both workers are killed, twice: others take their place and do what they were doing."""
        run = folder.start(BOTH, "--jobs", 2)
        for _ in range(2):
            so_far = len(folder.log())
            assert eventually(lambda start=so_far: len(folder.log()) > start + 8)
            time.sleep(float(rng.uniform(0.0, 0.05)))
            for worker in children(run.pid):
                os.kill(worker, signal.SIGKILL)
        ended = finished(run)
        assert ended.status == 0, ended.err
        assert figures(ended) == unbroken[0]
        # A worker has at most a tenth of a second of work.
        assert FITS <= sum(folder.begun().values()) <= FITS + 2 * 2 * 3
        assert len(folder.committed()) == FITS

    @pytest.mark.slow
    def test_at_fifty_random_moments(self, folder, unbroken, rng, tell):
        for _ in range(50):
            run = folder.start(BOTH, "--jobs", 2)
            so_far = len(folder.log())
            assert eventually(lambda start=so_far: len(folder.log()) > start)
            time.sleep(float(rng.uniform(0.0, 0.5)))
            kept, before = folder.committed(), len(folder.log())
            if workers := children(run.pid):
                os.kill(int(rng.choice(workers)), signal.SIGKILL)
            ended = finished(run)
            assert ended.status == 0, ended.err
            assert figures(ended) == unbroken[0]
            check_nothing_repeated(folder, kept, before)
            folder.store.unlink()
        tell(kills=50)


class TestInterrupt:
    def test_it_is_saved_and_says_how_to_go_on(self, folder, here, unbroken):
        (folder.path / "hold").write_text("8", encoding="utf-8")
        run = folder.start(BOTH, "--jobs", 2, start_new_session=True)
        assert eventually(lambda: sum(line.what == "ends" for line in folder.log()) >= 8)
        workers = children(run.pid)
        done = sum(line.what == "ends" for line in folder.log())
        os.killpg(run.pid, signal.SIGINT)
        ended = finished(run)
        assert (ended.status, ended.out) == (130, "")
        assert ended.err.count("\n") == 1
        assert eventually(lambda: not any(map(alive, workers)))
        (folder.path / "hold").unlink()
        kept, before = folder.committed(), len(folder.log())
        assert done - 2 * 3 <= len(kept) < FITS
        assert figures(here(BOTH, "--jobs", 2)) == unbroken[0]
        check_nothing_repeated(folder, kept, before)
        assert sum(folder.begun(before).values()) == FITS - len(kept)

    @pytest.mark.thorough
    def test_without_a_store(self, folder):
        run = folder.start(
            ["sleeps"], *FIVE, "--fit-timeout", 500, store=None, start_new_session=True
        )
        assert eventually(lambda: any(0 in lacks for _, lacks in folder.begun()))
        os.killpg(run.pid, signal.SIGINT)
        ended = finished(run)
        assert (ended.status, ended.err.count("\n")) == (130, 1)


@pytest.fixture
def mounted(tmp_path):
    """Mount a small disk in memory."""
    places = []

    def mount(size):
        place = tmp_path / f"disk{len(places)}"
        place.mkdir()
        command = ["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", str(place)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            pytest.skip(f"this user cannot mount a disk: {done.stderr.strip()}")
        places.append(place)
        return place

    yield mount
    for place in places:
        subprocess.run(["umount", str(place)], check=True)


TWO = ("heavy", "good")
HEAVY = ("--plan", "Subsampling(repeats=30, n_test=0.2)")
"""Sixty fits of 3 kB each."""


class TestFullDisk:
    @pytest.fixture
    def folder(self, tmp_path):
        return Folder(tmp_path / "heavy", examples=1500)

    def check_rest_is_done_elsewhere(self, folder, here, full, store):
        """What the full disk holds is sound, the run gave its numbers, and one with more room does the rest."""
        assert full.status == 0, full.err
        assert sum("not_kept" in note["numbers"] for note in full.data["notes"]) == 1
        elsewhere = folder.path / "elsewhere.db"
        for ending in ("", "-wal"):
            if (source := store.with_name(store.name + ending)).exists():
                shutil.copyfile(source, elsewhere.with_name(elsewhere.name + ending))
        with Store(elsewhere) as kept:
            assert list(kept.each())
            assert not kept.damaged
        count = len(fits_in(elsewhere))
        assert 0 < count < 60
        before = len(folder.log())
        rest = here(TWO, *HEAVY, store=elsewhere)
        assert counts(rest) == (60 - count, count)
        assert figures(rest) == figures(full)
        assert sum(folder.begun(before).values()) == 60 - count

    def test_a_small_disk(self, folder, here, mounted):
        store = mounted("300k") / "runs.db"
        self.check_rest_is_done_elsewhere(folder, here, here(TWO, *HEAVY, store=store), store)

    @pytest.mark.thorough
    def test_no_file_may_grow(self, folder, here):
        """What any user can bring about: the system refuses to let a file become larger."""

        def limit():
            resource.setrlimit(resource.RLIMIT_FSIZE, (150_000, 150_000))

        full = folder.run(TWO, *HEAVY, preexec_fn=limit)
        self.check_rest_is_done_elsewhere(folder, here, full, folder.store)

    def test_no_room_for_the_file_at_all(self, folder, here, mounted):
        ended = here(TWO, *HEAVY, store=mounted("8k") / "runs.db")
        refused(ended)
        assert folder.log() == []

    @pytest.mark.thorough
    def test_no_room_for_the_workers_copy_of_the_data(self, folder, mounted):
        small = os.environ | {"TMPDIR": str(mounted("4k"))}
        ended = folder.run(TWO, *HEAVY, "--jobs", 2, env=small)
        refused(ended)


class TestReadOnlyFolder:
    def test_nothing_is_fitted_and_what_is_there_can_be_read(self, folder, here, errbar, mounted):
        place = mounted("1m")
        here(["good"], *FIVE, store=place / "old.db")
        before = len(folder.log())
        subprocess.run(["mount", "-o", "remount,ro", str(place)], check=True)
        ended = here(["good"], *FIVE, store=place / "new.db")
        refused(ended)
        assert counts(here(["good"], *FIVE, store=place / "old.db")) == (0, 5)
        assert len(folder.log()) == before
        assert errbar("store", "info", place / "old.db", "--json").data["fits"] == 5
        assert errbar("store", "info", place / "old.db").status == 0
        assert errbar("export", place / "old.db", folder.path / "fits.csv").status == 0
        assert errbar("store", "prune", place / "old.db", "--learner", "good").status == 2

    def test_a_place_where_nobody_may_make_a_file(self, here, folder):
        ended = here(["good"], *FIVE, store="/proc/errbar.db")
        refused(ended)
        assert folder.log() == []


def noise_in_two_leaves(content, noise):
    """Overwrite whole pages of the table: what only changes a record is found as a damaged record, another case."""
    page, leaf = int.from_bytes(content[16:18]), 13
    starts = [
        start for start in range(0, len(content), page) if start > 80_000 and content[start] == leaf
    ]
    for start in starts[:2]:
        content = content[:start] + noise(page) + content[start + page :]
    return content


class TestDamagedStore:
    @pytest.fixture
    def folder(self, tmp_path):
        return Folder(tmp_path / "heavy", examples=1500)

    @pytest.fixture
    def complete(self, folder, here):
        """The figures of a run whose store is complete."""
        return figures(here(TWO, *HEAVY))

    @pytest.mark.parametrize("share", [0.8, pytest.param(0.5, marks=pytest.mark.thorough)])
    @pytest.mark.usefixtures("complete")
    def test_one_that_was_cut_short_is_refused(self, here, errbar, folder, share):
        content = folder.store.read_bytes()
        content = content[: int(share * len(content))]
        folder.store.write_bytes(content)
        before = len(folder.log())
        refused(here(TWO, *HEAVY))
        assert folder.store.read_bytes() == content
        assert len(folder.log()) == before
        refused(errbar("store", "info", "runs.db"))

    @pytest.mark.thorough
    def test_noise_inside_changes_no_figure(self, here, folder, complete, rng):
        content = noise_in_two_leaves(folder.store.read_bytes(), rng.bytes)
        folder.store.write_bytes(content)
        ended = here(TWO, *HEAVY)
        if ended.status:
            refused(ended)
        else:
            assert figures(ended) == complete
            fits, reused = counts(ended)
            assert 0 < fits < 60
            assert fits + reused == 60
            assert any(note["numbers"].get("damaged") for note in ended.data["notes"])

    def test_nothing_but_noise(self, here, errbar, folder, complete, rng):
        content = rng.bytes(folder.store.stat().st_size)
        folder.store.write_bytes(content)
        refused(here(TWO, *HEAVY))
        assert folder.store.read_bytes() == content
        refused(errbar("store", "info", "runs.db"))

    @pytest.mark.thorough
    def test_one_changed_record(self, here, errbar, folder, complete):
        examples = fits_in(folder.store)[0].arrays["examples"].tobytes()
        content = bytearray(folder.store.read_bytes())
        content[content.find(examples[:64])] ^= 1
        folder.store.write_bytes(content)
        before = len(folder.log())
        verified = errbar("store", "info", "runs.db")
        assert verified.status == 1
        assert len(re.findall(r"[0-9a-f]{32}", verified.err)) == 1
        folder.damaged = folder.store.read_bytes()
        mended = here(TWO, *HEAVY)
        assert figures(mended) == complete
        assert counts(mended) == (1, 59)
        assert sum(folder.begun(before).values()) == 1
        assert [1] in [note["numbers"].get("damaged") for note in mended.data["notes"]]
        assert errbar("store", "info", "runs.db").status == 0

        folder.store.write_bytes(folder.damaged)
        assert errbar("store", "info", "runs.db").status == 1
        assert counts(here(TWO, *HEAVY)) == (1, 59)


def test_two_processes_on_one_store(folder, here):
    """Both finish with the same numbers, and what one has committed the other does not do again."""
    runs = [folder.start(["patient"]) for _ in range(2)]
    ended = [finished(run) for run in runs]
    assert [one.status for one in ended] == [0, 0]
    assert figures(ended[0]) == figures(ended[1]) == figures(here(["patient"], store=None))
    assert sum(counts(one)[0] for one in ended) + 15 == sum(folder.begun().values())
    assert len(folder.committed()) == 15
    ends, twice = {}, 0
    for line in folder.log()[:-30]:
        if line.what == "ends":
            ends.setdefault(line.fit, line.time)
        elif line.fit in ends:
            twice += 1
            assert line.time - ends[line.fit] < 2.0, (
                "done again although it had been committed before"
            )
    assert twice <= 10

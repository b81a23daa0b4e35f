"""What a terminal sees, through a real pseudo-terminal: colour, width, progress, and plain text everywhere else."""

import os
import re
import subprocess
import sys

import pytest

from tests.cli.test_commands import run
from tests.cli.test_errors import refused

pytestmark = pytest.mark.long

pty = pytest.importorskip(
    "pty", reason="pseudo-terminals are for POSIX systems", exc_type=ImportError
)

ESCAPES = re.compile(r"\x1b\[[0-9;?]*[a-zA-Z]")
COLOUR = re.compile(r"\x1b\[(?:\d+;)*[34]\d[;m]")
SLOW = """
import time
from sklearn.linear_model import Ridge
class Slow(Ridge):
    def fit(self, X, y):
        time.sleep(0.1)
        return super().fit(X, y)
class Bad(Slow):
    def fit(self, X, y):
        time.sleep(0.1)
        raise ValueError("no")
"""


def on_terminal(*arguments, cwd, columns=80, **environment):
    """Run a command on a terminal of so many columns; return the status and all that the terminal got."""
    import fcntl
    import struct
    import termios

    main, other = pty.openpty()
    fcntl.ioctl(other, termios.TIOCSWINSZ, struct.pack("HHHH", 40, columns, 0, 0))
    kept = {
        name: value
        for name, value in os.environ.items()
        if name not in ("COLUMNS", "NO_COLOR", "LINES")
    }
    process = subprocess.Popen(
        [sys.executable, "-m", "errbar.cli", *map(str, arguments)],
        stdin=other, stdout=other, stderr=other, cwd=cwd, env=kept | {"TERM": "xterm-256color"} | environment,
    )  # fmt: skip
    os.close(other)
    got = b""
    while True:
        try:
            piece = os.read(main, 65536)
        except OSError:
            break
        if not piece:
            break
        got += piece
    os.close(main)
    return process.wait(), got.decode("utf-8", "replace").replace("\r\n", "\n")


@pytest.fixture
def slow(tmp_path, folder):
    (tmp_path / "slow.py").write_text(SLOW)
    data = (folder / "diabetes.csv", "--target", "target", "--plan", "5")
    return (
        "compare",
        *data,
        "--model",
        "one=slow.py:Slow",
        "--model",
        "two=sklearn.linear_model.Ridge",
    )


@pytest.mark.parametrize(
    "columns", [40, *(pytest.param(wide, marks=pytest.mark.thorough) for wide in (80, 120))]
)
def test_tables_and_catalogue_fit(tmp_path, folder, columns):
    calls = [("methods",), ("methods", "conservative-z")]
    if columns >= 80:  # the first screen is that wide
        calls.append(("test", folder / "scores.csv", "--n-train", 270, "--n-test", 30))
    for words in calls:
        status, shown = on_terminal(*words, cwd=tmp_path, columns=columns)
        assert status == 0
        assert "\x1b[1m" in shown
        assert max(len(line) for line in ESCAPES.sub("", shown).splitlines()) <= columns


SHOWN = (("methods",), ("test", "scores.csv", "--n-train", 270, "--n-test", 30))


@pytest.mark.thorough
@pytest.mark.parametrize("environment", [{"NO_COLOR": "1"}, {"TERM": "dumb"}])
def test_no_colour_where_it_is_not_wanted(folder, environment):
    for words in SHOWN:
        _, shown = on_terminal(*words, cwd=folder, **environment)
        assert "\x1b" not in shown


def test_help_without_colour(tmp_path):
    _, coloured = on_terminal("--help", cwd=tmp_path)
    _, shown = on_terminal("--help", cwd=tmp_path, NO_COLOR="1")
    _, plain = on_terminal("--help", cwd=tmp_path, TERM="dumb")
    assert COLOUR.search(coloured)
    assert not COLOUR.search(shown)  # it may be bold
    assert "\x1b" not in plain


def test_progress_says_what_is_done_and_left_and_goes_away(tmp_path, slow):
    status, shown = on_terminal(*slow, "--model", "bad=slow.py:Bad", cwd=tmp_path)
    assert status == 3
    plain = ESCAPES.sub("", shown)
    assert re.search(r"\d+/15 fits \d+:\d\d left", plain)
    assert re.search(r"[1-5] failed +bad", plain)
    assert shown.count("\x1b[?25l") == shown.count("\x1b[?25h") == 1  # the cursor comes back
    # The line is wiped before the answer.
    assert shown.rindex("\x1b[2K") < shown.index("lower is better")


@pytest.mark.thorough
def test_quiet_and_dumb_terminals_get_no_progress(tmp_path, slow):
    _, shown = on_terminal(*slow, "--quiet", cwd=tmp_path)
    assert "fits 0" not in shown
    assert "\x1b[2K" not in shown
    _, shown = on_terminal(*slow, cwd=tmp_path, TERM="dumb")
    assert "\x1b" not in shown


def test_a_pipe_gets_no_control_character(tmp_path, slow):
    done = run(*map(str, slow), cwd=tmp_path)
    assert done.returncode == 0
    assert done.stderr == ""
    assert not [char for char in done.stdout if ord(char) < 32 and char != "\n"]


@pytest.mark.thorough
def test_a_locale_without_unicode(tmp_path, slow):
    environment = os.environ | {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    done = run(
        *map(str, slow), "--model", "bäd=sklearn.linear_model.Ridge", cwd=tmp_path, env=environment
    )
    assert done.returncode == 0, done.stderr
    assert "b\\xe4d" in done.stdout
    assert done.stdout.isascii()


def test_control_characters_in_an_error_steer_nothing(errbar):
    outcome = errbar("methods", "\x1b[31mred\nblue")
    refused(outcome)
    assert "\x1b" not in outcome.err
    assert len(errbar("methods", "x" * 100_000).err) < 2_000

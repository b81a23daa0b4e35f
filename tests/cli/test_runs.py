"""What the tests of runs ask about processes."""

import os
import subprocess
import sys

from tests.cli.runs import children, eventually, left_behind

STARTS_ANOTHER = "import subprocess, sys; sys.stdin.readline(); subprocess.run([sys.executable, '-c', 'input()'], stdin=sys.stdin)"


def started(program):
    return subprocess.Popen([sys.executable, "-c", program], stdin=subprocess.PIPE, text=True)


def test_what_others_start_is_not_left_behind():
    with started(STARTS_ANOTHER) as other:
        others = children(os.getpid())
        assert other.pid in others
        other.stdin.write("\n")
        other.stdin.flush()
        assert eventually(lambda: children(other.pid))
        assert not set(children(other.pid)) & set(others)
        assert left_behind(others) == []
        other.stdin.close()


def test_what_is_started_besides_is_named():
    others = children(os.getpid())
    with started("input()") as left:
        assert eventually(
            lambda: (
                [(left.pid, True)]
                == [(one, "input()" in told) for one, told in left_behind(others)]
            )
        )
        left.stdin.write("\n")
    assert left_behind(others) == []

"""How many tests pin words: run them with every refusal saying "refused" and every note its code.

Usage: python tools/without_words.py [arguments of pytest]; ends with status 1 where more than 2 % of the tests fail.
"""

import os
import re
import subprocess
import sys
from pathlib import Path

MOST = 0.02
"""The share of tests that may fail."""

EVERYDAY = "not long and not thorough and not slow"


def main(arguments: list[str]) -> int:
    """Run the tests, print which fail and their share."""
    folder = Path(__file__).resolve().with_suffix("")
    path = os.pathsep.join(filter(None, (str(folder), os.environ.get("PYTHONPATH"))))
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "--tb=line",
        "-p",
        "no:cacheprovider",
        "-m",
        EVERYDAY,
        "-n",
        "2",
    ]
    done = subprocess.run(
        command + arguments,
        env=os.environ | {"PYTHONPATH": path},
        stdout=subprocess.PIPE,
        text=True,
        encoding="utf-8",
        check=False,
    )
    failed = sorted(set(re.findall(r"^(?:FAILED|ERROR) (\S+)", done.stdout, flags=re.MULTILINE)))
    counts = {
        word: int(number)
        for number, word in re.findall(r"(\d+) (passed|failed|error)", done.stdout)
    }
    total = sum(counts.values())
    if not total:
        print(done.stdout)
        return 2
    print(*failed, sep="\n")
    share = 1 - counts.get("passed", 0) / total
    print(
        f"{total - counts.get('passed', 0)} of {total} tests fail without words: {100 * share:.2f} %"
    )
    return int(share > MOST)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

"""Build sdists and wheels of errbar and errbar-lab into dist/, check them, and use them as somebody would who has nothing else.

1. `build` makes each sdist, and the wheel from the sdist; `twine check --strict` reads their metadata.
2. An sdist must hold every file of its folder that git knows, a wheel every file of its package that git knows, and neither
   anything else.
3. The wheel is installed without extras in an empty environment outside the repository, where the Python blocks of README.md run and
   every module can be imported or asks for an extra.
4. With the extra `app`, `errbar demo` and every block of README.md that can be run are run there, as the tests do it.
5. The wheel of errbar-lab is added, and `errbar lab` runs a small study.
6. The sdist of errbar is installed in another empty environment, where the Python blocks run again.
"""

import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
import time
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
DIST = ROOT / "dist"
README_BLOCKS = "tests/docs/test_blocks.py::test_page_runs_from_top_to_bottom[README.md]"

PYTHON_BLOCKS = """
import sys
from pathlib import Path

import errbar

root = Path(sys.argv[1])
sys.path.append(str(root))  # for the parser of pages; errbar is not found there
from tests.docs.pages import Session, blocks_of, ordered

assert Path(errbar.__file__).is_relative_to(sys.prefix), errbar.__file__
blocks = [block for block in ordered(blocks_of(root / "README.md")) if block.language == "python"]
session = Session("README.md")
assert all(session.run(block) for block in blocks) and blocks, "a block has printed nothing"
print(f"{len(blocks)} Python blocks of README.md have run with errbar {errbar.__version__}")
"""

SMALL_STUDY = ("--n", "60", "--replicates", "4", "--truth-draws", "20", "--quiet")

EVERY_MODULE = """
import importlib
from collections import Counter
from contextlib import redirect_stderr
from io import StringIO
from pathlib import Path

import errbar

place = Path(errbar.__file__).parent
found = Counter()
for file in sorted(place.rglob("*.py")):
    name = ".".join(file.relative_to(place.parent).with_suffix("").parts).removesuffix(".__init__")
    try:
        with redirect_stderr(StringIO()) as said:
            importlib.import_module(name)
        found["imported"] += 1
    except errbar.MissingPackageError:
        found["ask for an extra"] += 1
    except SystemExit as ended:  # the command line says the same in its own way
        assert ended.code == 2 and "pip install 'errbar[app]'" in said.getvalue(), (name, said.getvalue())
        found["ask for an extra"] += 1
print("modules without extras:", dict(found))
"""


def run(*command: str | Path, cwd: Path = ROOT) -> None:
    """Run a command without this environment's paths; stop where it fails."""
    print("$", *(word for word in command if "\n" not in str(word)), flush=True)
    own = {
        name: value
        for name, value in os.environ.items()
        if name not in ("PYTHONPATH", "VIRTUAL_ENV")
    }
    if done := subprocess.run(
        [str(word) for word in command], check=False, cwd=cwd, env=own
    ).returncode:
        sys.exit(f"make dist: status {done}")


def tool(*words: str | Path) -> None:
    """Run a tool of this environment."""
    run(sys.executable, "-m", *words)


def require_files(found: list[str], expected: set[str], archive: Path) -> None:
    """Stop unless an archive holds the files that it should."""
    missing, extra = sorted(expected - set(found)), sorted(set(found) - expected)
    if missing or extra:
        sys.exit(
            f"make dist: {archive.name} lacks {missing} and holds {extra}, of which git does not know"
        )
    print(f"{archive.name} holds its {len(found)} files, {archive.stat().st_size / 1e6:.2f} MB")


def check_files(sdist: Path, wheel: Path, folder: str, package: str) -> None:
    """Compare both archives of a distribution with what git knows of its folder."""
    listed = subprocess.run(
        ["git", "ls-files", "-z"], check=True, cwd=ROOT / folder, capture_output=True, text=True
    ).stdout
    known = {name for name in listed.split("\0") if name}
    with tarfile.open(sdist) as archive:
        inside = [
            member.name.partition("/")[2] for member in archive.getmembers() if member.isfile()
        ]
    # The build adds its metadata, and the file by which it knows what git ignores.
    require_files(inside, known | {"PKG-INFO", ".gitignore"}, sdist)
    source = {name.removeprefix("src/") for name in known if name.startswith(f"src/{package}/")}
    about = {f"{package}-{wheel.name.split('-')[1]}.dist-info/{name}" for name in ABOUT}
    require_files(zipfile.ZipFile(wheel).namelist(), source | about, wheel)


ABOUT = ("METADATA", "RECORD", "WHEEL", "entry_points.txt", "licenses/LICENSE")


def environment(folder: Path, *packages: str | Path) -> Path:
    """Make an empty environment with packages, and return its folder of programs."""
    tool("uv", "venv", "--quiet", "--python", sys.executable, folder)
    programs = folder / ("Scripts" if os.name == "nt" else "bin")
    install(programs, *packages)
    return programs


def install(programs: Path, *packages: str | Path) -> None:
    """Install packages into an environment."""
    tool("uv", "pip", "install", "--quiet", "--python", programs / "python", *packages)


def built(folder: str, package: str) -> tuple[Path, Path]:
    """Build the distribution of a folder, check it, and return its sdist and its wheel."""
    tool("build", "--installer", "uv", "--outdir", DIST, ROOT / folder)
    [sdist], [wheel] = DIST.glob(f"{package}-*.tar.gz"), DIST.glob(f"{package}-*.whl")
    tool("twine", "check", "--strict", sdist, wheel)
    check_files(sdist, wheel, folder, package)
    return sdist, wheel


def main() -> None:
    """Build, check and use."""
    started = time.monotonic()
    shutil.rmtree(DIST, ignore_errors=True)
    sdist, wheel = built("", "errbar")
    _, lab = built("lab", "errbar_lab")
    with tempfile.TemporaryDirectory(prefix="errbar-dist-") as name:
        place = Path(name)
        programs = environment(place / "wheel", wheel)
        run(programs / "python", "-P", "-c", PYTHON_BLOCKS, ROOT, cwd=place)
        run(programs / "python", "-P", "-c", EVERY_MODULE, cwd=place)
        install(programs, f"errbar[app] @ {wheel.as_uri()}", "pytest")
        run(programs / "errbar", "demo", "--quiet", cwd=place)
        options = ("-q", "-p", "no:cacheprovider", "--rootdir", ROOT, "-c", ROOT / "pyproject.toml")
        run(programs / "python", "-P", "-m", "pytest", *options, ROOT / README_BLOCKS, cwd=place)
        install(programs, lab, wheel)
        run(programs / "errbar", "lab", "coverage", *SMALL_STUDY, cwd=place)
        programs = environment(place / "sdist", sdist)
        run(programs / "python", "-P", "-c", PYTHON_BLOCKS, ROOT, cwd=place)
    print(f"make dist: {sdist.name} and {wheel.name} work; {time.monotonic() - started:.0f} s")


if __name__ == "__main__":
    main()

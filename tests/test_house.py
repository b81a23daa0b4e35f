"""What those need who carry on the work: facts that several files state agree, and what is generated is in step."""

import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from packaging.utils import canonicalize_name

import errbar
from tests import windows_names

ROOT = Path(__file__).parents[1]
PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
LAB = tomllib.loads((ROOT / "lab" / "pyproject.toml").read_text(encoding="utf-8"))["project"]
WORKFLOW = yaml.safe_load((ROOT / ".github" / "workflows" / "ci.yml").read_text(encoding="utf-8"))
STEPS = [step for job in WORKFLOW["jobs"].values() for step in job["steps"]]
MAKEFILE = (ROOT / "Makefile").read_text(encoding="utf-8")

PYTHONS = re.findall(
    r"Programming Language :: Python :: (3\.\d+)", "\n".join(PYPROJECT["project"]["classifiers"])
)


def text_of(name):
    return (ROOT / name).read_text(encoding="utf-8")


PINNED = [Requirement(line) for line in text_of("requirements-dev.lock").splitlines()]


class TestVersions:
    """Of Python, and of errbar."""

    def test_every_python_that_is_stated_is_tested_on_every_system(self):
        tested = [
            WORKFLOW["jobs"][job]["strategy"]["matrix"]["python"]
            for job in ("test", "other-systems")
        ]
        assert tested == [PYTHONS] * 2

    def test_what_is_required_is_what_is_stated(self):
        required = SpecifierSet(PYPROJECT["project"]["requires-python"])
        minors = [f"3.{minor}" for minor in range(30)]
        first = minors.index(PYTHONS[0])
        assert LAB["requires-python"] == PYPROJECT["project"]["requires-python"]
        assert [version for version in minors if version in required] == minors[first:]
        assert minors[first : first + len(PYTHONS)] == PYTHONS

    def test_types_and_lowest_versions_are_checked_with_the_lowest_python(self):
        assert PYPROJECT["tool"]["mypy"]["python_version"] == PYTHONS[0]
        [setup] = [
            step
            for step in WORKFLOW["jobs"]["lowest"]["steps"]
            if "setup-python" in step.get("uses", "")
        ]
        assert setup["with"]["python-version"] == PYTHONS[0]
        assert f"--python-version {PYTHONS[0]} " in MAKEFILE  # of the lock

    def test_one_version_of_errbar(self):
        cited = yaml.safe_load(text_of("CITATION.cff"))["version"]
        assert PYPROJECT["project"]["version"] == str(cited) == errbar.__version__ == LAB["version"]


class TestWorkflow:
    def test_it_may_only_read(self):
        assert WORKFLOW["permissions"] == {"contents": "read"}
        assert not [name for name, job in WORKFLOW["jobs"].items() if "permissions" in job]
        for step in STEPS:
            if step.get("uses", "").startswith("actions/checkout@"):
                assert step["with"]["persist-credentials"] is False

    def test_actions_have_one_exact_version(self):
        used = {step["uses"] for step in STEPS if "uses" in step}
        assert all(re.fullmatch(r"actions/[a-z-]+@v\d+\.\d+\.\d+", name) for name in used), used
        assert len({name.partition("@")[0] for name in used}) == len(used)

    def test_every_job_has_an_end(self):
        assert [
            name
            for name, job in WORKFLOW["jobs"].items()
            if not 0 < job.get("timeout-minutes", 0) <= 60
        ] == []

    def test_its_targets_are_those_of_make(self):
        run = [step["run"] for step in STEPS if "run" in step]
        called = {
            word
            for line in run
            if line.startswith("make ")
            for word in line.split()[1:]
            if word.isidentifier() or "-" in word
        }
        called |= set(WORKFLOW["jobs"]["checks"]["strategy"]["matrix"]["target"])
        assert called == {
            "test",
            "test-long",
            "test-thorough",
            "lowest",
            "lint",
            "docs",
            "windows-names",
            "dist",
        }
        assert called <= targets()


def targets():
    """The targets that the Makefile declares."""
    return set(re.search(r"^\.PHONY: (.*)$", MAKEFILE, re.MULTILINE)[1].split())


def test_make_help_names_every_target():
    done = subprocess.run(
        ["make", "--no-print-directory", "help"],
        cwd=ROOT,
        check=True,
        capture_output=True,
        text=True,
    )
    assert {line.split()[1] for line in done.stdout.splitlines()} == targets() - {"help"}


def test_the_list_of_packages_is_in_step():
    done = subprocess.run(
        [sys.executable, ROOT / "tools" / "floors.py", "--check"],
        check=False,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr


class TestLock:
    """`make lock` makes it again."""

    def test_it_pins_versions_and_names_no_place(self):
        for pinned in PINNED:
            assert re.fullmatch(r"==[^,*]+", str(pinned.specifier))
            assert pinned.url is None

    def test_it_has_everything_that_is_asked_for(self):
        project, groups = PYPROJECT["project"], PYPROJECT["dependency-groups"]
        asked = list(project["dependencies"])
        asked += [
            one for extra in ("app", "cluster") for one in project["optional-dependencies"][extra]
        ]
        asked += [one for one in LAB["dependencies"] if not one.startswith("errbar")]
        asked += [
            one for group in ("test", "lint", "docs", "bench", "release") for one in groups[group]
        ]
        for wanted in map(Requirement, asked):
            own = [
                one
                for one in PINNED
                if canonicalize_name(one.name) == canonicalize_name(wanted.name)
            ]
            versions = [next(iter(one.specifier)).version for one in own]
            assert versions, f"make lock: {wanted} is not pinned"
            assert all(wanted.specifier.contains(version) for version in versions), (
                f"make lock: {wanted}, {versions}"
            )


def test_hooks_are_the_tools_of_make():
    """They have no versions of their own."""
    [repository] = yaml.safe_load(text_of(".pre-commit-config.yaml"))["repos"]
    assert repository["repo"] == "local"
    for hook in repository["hooks"]:
        command = hook["entry"].removeprefix(".venv/bin/").partition(" --force-exclude")[0]
        assert f"$(BIN)/{command.removesuffix(' --check')}" in MAKEFILE, command


@pytest.mark.parametrize(
    "form",
    sorted((ROOT / ".github" / "ISSUE_TEMPLATE").glob("[!c]*.yml")),
    ids=lambda path: path.stem,
)
def test_issue_forms_ask_for_something(form):
    content = yaml.safe_load(form.read_text(encoding="utf-8"))
    assert {"name", "description", "labels", "body"} == set(content)
    assert any(part.get("validations", {}).get("required") for part in content["body"])
    assert len({part["id"] for part in content["body"]}) == len(content["body"])


def test_parts_for_every_system_exist():
    assert [part for part in windows_names.PARTS if not (ROOT / part).exists()] == []

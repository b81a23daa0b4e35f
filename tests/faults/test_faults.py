"""Every planted fault has its place in the code, and none survives the tests."""

from collections import Counter

import pytest

from tests.faults.catalogue import FAULTS
from tests.faults.isolated import ROOT
from tests.faults.runner import misplaced, try_faults


@pytest.mark.slow
def test_none_of_some_survives(rng):
    """All of them take the better part of an hour: that is what ``make faults`` is for."""
    chosen = [FAULTS[i] for i in rng.choice(len(FAULTS), 20, replace=False)]
    assert [str(verdict) for verdict in try_faults(chosen) if verdict.outcome != "caught"] == []


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.name)
def test_every_fault_has_its_place(fault):
    assert misplaced(fault) == ""
    assert fault.old != fault.new


def test_names_are_unique():
    assert [name for name, times in Counter(fault.name for fault in FAULTS).items() if times > 1] == []


def test_every_method_has_faults_of_its_own():
    own = Counter(fault.file for fault in FAULTS)
    files = sorted((ROOT / "src" / "errbar" / "methods").glob("_[a-z0-9]*.py"))
    assert [path.name for path in files if own[f"methods/{path.name}"] < 3] == []

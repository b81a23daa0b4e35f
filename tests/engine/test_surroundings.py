"""Surroundings travel: a process that has run other files does fits apart, and one where a file fails says so."""

import pickle
import sys

import numpy as np
import pytest
import sklearn
from sklearn.dummy import DummyClassifier

import errbar
from errbar.engine import prepare
from errbar.engine.cluster import _parcel
from errbar.engine.cluster_worker import environment, perform_batch
from errbar.engine.identity import identify
from errbar.engine.schedule import ALONE, bundled, tasks_of, training_sets
from errbar.engine.surroundings import Surroundings, load, of_one_command
from errbar.engine.travel import dumps
from errbar.engine.work import FitWorkload

X = np.arange(24.0).reshape(-1, 1)
Y = np.tile([0, 0, 0, 1], 6)

PATCH = """
import numpy as np
from sklearn.dummy import DummyClassifier
DummyClassifier.predict = lambda self, X: np.ones(len(X), dtype=int)
"""


def labels(surroundings):
    """Return the labels that a worker of a cluster predicts of each test set, or what it says of the failure."""
    setup = prepare({"dummy": DummyClassifier()}, X, Y, plan=errbar.plans.KFold(2), random_state=0)
    tasks = bundled(
        tasks_of(setup, setup.prototypes[0], training_sets(setup.draw), ALONE, kept=False), ALONE
    )
    workload = FitWorkload(
        surroundings, setup.data, {one.name: one for one in setup.prototypes}, setup.base
    )
    found = perform_batch(environment(), _parcel(workload), dumps(list(tasks)), apart=False)
    blocks = [
        workload.unpacked(task, one).blocks[0] for task, one in zip(tasks, found, strict=True)
    ]
    return [one.error or set(one.predictions["label"].tolist()) for one in blocks]


@pytest.mark.long
@pytest.mark.unix
def test_a_process_that_has_run_other_files_does_fits_apart(tmp_path, monkeypatch):
    monkeypatch.setattr(DummyClassifier, "predict", DummyClassifier.predict)  # put back at the end
    (tmp_path / "patch.py").write_text(PATCH)
    with of_one_command():
        without = Surroundings.here()
        load(tmp_path / "patch.py")
        assert labels(Surroundings.here()) == [{1}, {1}]
        assert labels(without) == [{0}, {0}]


def test_a_file_that_fails_elsewhere_is_named(tmp_path, monkeypatch):
    place = tmp_path / "once.py"
    place.write_text(
        "import os\nif 'ELSEWHERE' in os.environ:\n    raise OSError('no such device')\n"
    )
    with of_one_command():
        load(place)
        sent = pickle.dumps(Surroundings.here())
    monkeypatch.setenv("ELSEWHERE", "1")
    with of_one_command():
        # As in a process that has not run it.
        name = next(
            name
            for name, module in sys.modules.items()
            if getattr(module, "__file__", "") == str(place)
        )
        monkeypatch.delitem(sys.modules, name)
        arrived = pickle.loads(sent)
        with pytest.raises(RuntimeError, match="OSError"), arrived.around():
            pass


def test_settings_are_part_of_a_fit():
    learner = DummyClassifier()
    usual = identify(learner).digest
    with sklearn.config_context(assume_finite=True):
        assert identify(learner).digest != usual
        assert identify(learner, "1").digest != usual
    with np.errstate(over="raise"):
        assert identify(learner).digest != usual
    assert identify(learner).digest == usual

"""What workers send: plain bytes that are what was sent, or are recognised as anything else."""

import json

import numpy as np
import pytest
from hypothesis import given, strategies as st
from sklearn.datasets import load_iris
from sklearn.naive_bayes import GaussianNB

from errbar.engine import prepare
from errbar.engine.schedule import ALONE, bundled, tasks_of, training_sets
from errbar.engine.surroundings import Surroundings
from errbar.engine.travel import message, read, understood
from errbar.engine.work import Bundle, FitWorkload, Outcome
from errbar.plans import KFold
from tests.engine.learners import Raises, Warns

SETUP = prepare(
    {"bayes": GaussianNB(), "raises": Raises(), "warns": Warns()},
    *load_iris(return_X_y=True),
    plan=KFold(5),
    random_state=0,
)
WORKLOAD = FitWorkload(
    Surroundings.here(), SETUP.data, {one.name: one for one in SETUP.prototypes}, SETUP.base
)
GROUPS = training_sets(SETUP.draw)
TASKS = {
    one.name: bundled(tasks_of(SETUP, one, GROUPS, ALONE, kept=True), ALONE)[0]
    for one in SETUP.prototypes
}
SENT = {name: WORKLOAD.packed(WORKLOAD.perform(task)) for name, task in TASKS.items()}


@pytest.mark.parametrize("name", TASKS)
def test_an_outcome_comes_back_as_it_was(name):
    outcome = WORKLOAD.perform(TASKS[name])
    [found] = understood(WORKLOAD, [TASKS[name]], [WORKLOAD.packed(outcome)])
    [one], [other] = outcome.blocks, found.blocks
    for field in ("key", "learner", "split", "seconds", "warnings", "error", "traceback", "data"):
        assert getattr(one, field) == getattr(other, field)
    assert one.predictions.keys() == other.predictions.keys()
    for kind, values in one.predictions.items():
        np.testing.assert_array_equal(values, other.predictions[kind])
        assert values.dtype == other.predictions[kind].dtype


def test_a_bundle_may_come_back_without_its_fits():
    both = Bundle((*TASKS["bayes"].tasks, *TASKS["warns"].tasks))
    [found] = understood(
        WORKLOAD, [both], [WORKLOAD.packed(Outcome((), shared=False, refused=True))]
    )
    assert (found.blocks, found.shared, found.refused) == ((), False, True)


def test_one_message_too_few_or_too_many():
    task, sent = TASKS["bayes"], SENT["bayes"]
    assert understood(WORKLOAD, [task, task], [sent]) is None
    assert understood(WORKLOAD, [task], [sent, sent]) is None
    assert understood(WORKLOAD, [task], None) is None


def test_an_outcome_of_another_task():
    assert (
        understood(
            WORKLOAD, [Bundle((*TASKS["bayes"].tasks, *TASKS["warns"].tasks))], [SENT["bayes"]]
        )
        is None
    )


_HEAD = st.recursive(
    st.none() | st.booleans() | st.floats() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=6),
)


@given(text=st.binary(max_size=300))
def test_noise_is_no_message(text):
    assert understood(WORKLOAD, [TASKS["bayes"]], [text]) is None


@pytest.mark.long
@given(facts=_HEAD, layout=_HEAD, body=st.binary(max_size=60))
def test_other_facts_are_no_message(facts, layout, body):
    head = json.dumps([facts, json.dumps(layout)]).encode()
    found = understood(WORKLOAD, [TASKS["bayes"]], [len(head).to_bytes(8, "little") + head + body])
    assert found is None or found[0].blocks == ()


@given(data=st.data(), name=st.sampled_from(sorted(TASKS)))
def test_a_changed_message_is_none_or_has_the_same_form(data, name):
    text = bytearray(SENT[name])
    for _ in range(data.draw(st.integers(1, 4))):
        text[data.draw(st.integers(0, len(text) - 1))] = data.draw(st.integers(0, 255))
    found = understood(WORKLOAD, [TASKS[name]], [bytes(text)])
    if found is not None:
        for block in found[0].blocks:
            assert block.key == TASKS[name].tasks[0].key
            assert np.isfinite(block.seconds)
            for values in block.predictions.values():
                assert len(values) == block.examples.size


@pytest.mark.parametrize("number", [float("nan"), float("inf")])
def test_facts_are_finite(number):
    with pytest.raises(ValueError):
        read(message([number], {}))

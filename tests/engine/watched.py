"""Work that is easy to watch: it writes down what it begins, and dies where it is told to."""

import json
import os
import signal
import time
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from errbar.engine.surroundings import Surroundings
from tests.engine.learners import Majority


@dataclass(frozen=True)
class Number:
    value: int
    queue: str = "numbers"


@dataclass(frozen=True)
class Answer:
    value: int
    found: float
    error: str = ""
    seconds: float = 0.01
    queue: str = "numbers"


@dataclass(frozen=True)
class Several:
    numbers: tuple[Number, ...]
    queue: str = "numbers"


@dataclass(frozen=True)
class Together:
    answers: list[Answer]
    error: str = ""
    seconds: float = 0.01
    queue: str = "numbers"


@dataclass(frozen=True, eq=False)
class Doubles:
    """Doubles numbers, writes down each one it begins, dies of some, and may not say how long it really takes."""

    shared: np.ndarray
    log: str = os.devnull
    deadly: tuple[int, ...] = ()
    seconds: float = 0.01
    said: float | None = None
    surroundings: Surroundings = field(default_factory=Surroundings.here)

    def perform(self, task):
        if isinstance(task, Several):
            return Together([self.perform(one) for one in task.numbers])
        with Path(self.log).open("a", encoding="utf-8") as file:
            file.write(f"{task.value}\n")
        if task.value in self.deadly:
            os.kill(os.getpid(), signal.SIGSEGV)
        time.sleep(self.seconds)
        return Answer(
            task.value, float(self.shared[task.value]) * 2, seconds=self.said or self.seconds
        )

    def packed(self, outcome):
        several = getattr(outcome, "answers", None)
        return json.dumps(
            [vars(one) for one in several] if several is not None else vars(outcome)
        ).encode()

    def unpacked(self, task, message):
        said = json.loads(message)
        if isinstance(task, Several):
            return Together([Answer(**one) for one in said])
        return Answer(**said)

    def failed(self, task, reason):
        return Answer(task.value, 0.0, reason)

    def parts(self, task):
        return task.numbers if isinstance(task, Several) else (task,)


class DiesOfTheFirstExample(Majority):
    def fit(self, X, y):
        if 0 in np.asarray(X)[:, 0]:
            os.kill(os.getpid(), signal.SIGSEGV)
        return super().fit(X, y)

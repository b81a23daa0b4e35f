"""Files and a way to call the command line."""

import json
import os
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_diabetes, load_iris

from errbar.cli import main

# Where one of these is set, typer colours help also where there is no terminal.
for name in ("GITHUB_ACTIONS", "FORCE_COLOR", "PY_COLORS"):
    os.environ.pop(name, None)

TREE = "tree=sklearn.tree.DecisionTreeClassifier(max_depth=2)"
NEIGHBOURS = "nn=sklearn.neighbors.KNeighborsClassifier(n_neighbors=1)"


@dataclass
class Outcome:
    status: int
    out: str
    err: str
    again: Callable | None = None

    @property
    def data(self):
        return json.loads(self.out)

    @property
    def refusal(self):
        """The exception with which the same call ends where it is not put in words."""
        return self.again()


@pytest.fixture
def errbar(capsys, monkeypatch, tmp_path):
    """Run the command line in this process, in an empty folder."""
    monkeypatch.chdir(tmp_path)

    def call(*arguments):
        with pytest.raises(SystemExit) as ended:
            main([str(argument) for argument in arguments])
        captured = capsys.readouterr()

        def again():
            with monkeypatch.context() as patched, pytest.raises(Exception) as raised:
                patched.setenv("ERRBAR_DEBUG", "1")
                main([str(argument) for argument in arguments])
            capsys.readouterr()
            return raised.value

        return Outcome(ended.value.code, captured.out, captured.err, again)

    return call


@pytest.fixture(scope="session")
def folder(tmp_path_factory):
    """A folder with data files of several kinds, good and bad."""
    place = tmp_path_factory.mktemp("data")
    iris = load_iris(as_frame=True).frame.assign(
        target=lambda f: np.array(["set", "ver", "vir"])[f["target"]]
    )
    iris.columns = ["sl", "sw", "pl", "pw", "species"]
    iris.to_csv(place / "iris.csv", index=False)
    iris.to_csv(place / "iris.csv.gz", index=False)
    iris.to_csv(place / "iris.csv.xz", index=False)
    iris.to_parquet(place / "iris.parquet")
    load_diabetes(as_frame=True).frame.to_csv(place / "diabetes.csv", index=False)
    colours = iris.assign(colour=np.where(iris["pl"] > 4, "red", "blue"), flag=iris["pw"] > 1)
    colours.to_csv(place / "colours.csv", index=False)
    iris.assign(id=[f"plant {i}" for i in range(150)]).to_csv(place / "ids.csv", index=False)
    iris.assign(patch=np.repeat(range(30), 5)).to_csv(place / "groups.csv", index=False)
    iris.head(1).to_csv(place / "one.csv", index=False)
    iris.head(0).to_csv(place / "header.csv", index=False)
    (place / "empty.csv").write_bytes(b"")
    noise = np.random.default_rng(0).integers(0, 256, 3000, dtype=np.uint8).tobytes()
    for name in ("noise.csv", "noise.csv.xz", "noise.csv.gz", "noise.parquet"):
        (place / name).write_bytes(noise)
    rng = np.random.default_rng(1)
    scores = pd.DataFrame({"a": rng.normal(0.3, 0.05, 10), "b": rng.normal(0.2, 0.05, 10)})
    scores.to_csv(place / "scores.csv", index=False)
    scores.assign(n_train=270, n_test=30).to_csv(place / "sized.csv", index=False)
    (scores["a"] - scores["b"]).rename("difference").to_csv(place / "single.csv", index=False)
    labels = {"repeat": np.repeat(range(5), 2), "fold": [0, 1] * 5}
    scores.assign(**labels).to_csv(place / "five.csv", index=False)
    losses = pd.DataFrame(
        {
            "example": range(60),
            "fold": np.arange(60) % 6,
            "a": rng.integers(0, 2, 60),
            "b": rng.integers(0, 2, 60),
        }
    )
    losses.to_csv(place / "losses.csv", index=False)
    scores.where(scores["a"] < scores["a"].max()).to_csv(place / "holes.csv", index=False)
    scores.assign(b="x").to_csv(place / "words.csv", index=False)
    return place

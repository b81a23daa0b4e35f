"""What people see of a search: the screen, the page, files, pictures, and the command."""

import json

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_diabetes
from sklearn.model_selection import GridSearchCV
from sklearn.neighbors import KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import errbar
from tests.refusals import refused

DATA, TARGET = load_diabetes(return_X_y=True)
GRID = {
    "kneighborsregressor__n_neighbors": [1, 2, 4, 8, 16, 32, 64],
    "kneighborsregressor__weights": ["uniform", "distance"],
}


@pytest.fixture(scope="module")
def found():
    search = GridSearchCV(make_pipeline(StandardScaler(), KNeighborsRegressor()), GRID, cv=10)
    return errbar.tune(search, DATA, TARGET, loss="squared-error", random_state=0)


def test_a_short_screen(found):
    lines = str(found).splitlines()
    assert len(lines) <= 26
    assert max(map(len, lines)) <= 80
    screen = str(found)
    for name in list(found.candidates)[:8]:
        assert name in screen
    assert "14 candidates" in lines[0]
    assert f"{found.reported:.0f}" in screen


def test_numbers_as_data(found, tmp_path):
    data = json.loads(found.save(tmp_path / "tuned.json").read_text())
    assert data["winner"] == found.winner == data["candidates"][0]["name"]
    assert data["result"]["low"] == found.interval.low
    assert data["gain"]["estimate"] == found.gain.estimate
    assert data["extra_fits"] == 10
    assert data["counts"]["fits"] == 14 * 10 + 1 + 10
    frame = found.to_frame()
    assert frame["possible"].sum() == len(found.possible_best)
    assert {"parameters_kneighborsregressor__n_neighbors", "estimate", "low", "high"} <= {*frame}
    read = pd.read_csv(found.save(tmp_path / "tuned.csv"))
    assert len(read) == 14


def test_every_form_has_the_numbers(found, tmp_path):
    for ending in (".md", ".tex", ".html"):
        text = found.named("diabetes").save(tmp_path / f"tuned{ending}").read_text(encoding="utf-8")
        assert f"{found.estimate:.0f}" in text
        assert text.replace("\\", "").count("n_neighbors") > 14
    assert found._repr_html_().startswith("<style>")
    assert "tsamardinos" in found.details().lower()


def test_curves_have_the_best_of_each_value(found):
    curves = found.curves()
    assert {*curves} == {*GRID}
    for parameter, values in GRID.items():
        shown = curves[parameter]
        assert [*shown] == [
            str(one) for one in sorted(values, key=lambda one: (not isinstance(one, int), one))
        ]
        for text, name in shown.items():
            same = [one for one, own in found.parameters.items() if str(own.get(parameter)) == text]
            assert name == next(one for one in found.tried if one in same)


def test_pictures(found):
    curve = found.plot("n_neighbors")
    assert curve.get_xscale() == "log"
    [line, mark] = curve.get_lines()
    np.testing.assert_array_equal(line.get_xdata(), GRID["kneighborsregressor__n_neighbors"])
    assert mark.get_ydata()[0] == found.plain.estimate
    named = found.plot("kneighborsregressor__weights")
    assert [one.get_text() for one in named.get_xticklabels()] == ["distance", "uniform"]
    assert len(found.plot().get_yticklabels()) == 14
    with refused("parameter"):
        found.plot("leaf_size")


class TestCommand:
    @pytest.fixture
    def file(self, tmp_path):
        frame = pd.DataFrame(DATA[:200, :4], columns=list("abcd")).assign(
            y=TARGET[:200], group=np.arange(200) // 5
        )
        frame.to_csv(tmp_path / "data.csv", index=False)
        return ("tune", tmp_path / "data.csv", "--target", "y", "--model", "KNeighborsRegressor")

    def test_the_numbers_are_those_of_python(self, command, file):
        call = (
            *file,
            "--drop",
            "group",
            "--grid",
            "n_neighbors=2,8,32; weights=uniform,distance",
            "--json",
        )
        outcome = command(*call)
        assert outcome.status == 0, outcome.err
        search = GridSearchCV(
            KNeighborsRegressor(), {"n_neighbors": [2, 8, 32], "weights": ["uniform", "distance"]}
        )
        direct = errbar.tune(
            search,
            DATA[:200, :4],
            TARGET[:200],
            loss="squared-error",
            plan=errbar.plans.KFold(folds=10),
            random_state=0,
        )
        assert outcome.data["winner"] == direct.winner
        for part in ("result", "plain", "gain"):
            shown, own = outcome.data[part], direct.to_dict()[part]
            assert [shown[key] for key in ("estimate", "low", "high")] == pytest.approx(
                [own[key] for key in ("estimate", "low", "high")]
            )
        assert command(*call).data["result"] == outcome.data["result"]

    def test_files_groups_and_a_part_of_all_candidates(self, command, file, tmp_path):
        outcome = command(
            *file,
            *(
                "--groups",
                "group",
                "--grid",
                "n_neighbors=2,8,32;p=1,2",
                "--candidates",
                "4",
                "--plan",
                "5",
            ),
            *(
                "--baseline",
                "n_neighbors=3",
                "--loss",
                "absolute-error",
                "--out",
                "tuned.html",
                "--details",
            ),
        )
        assert outcome.status == 0, outcome.err
        assert "4 candidates" in outcome.out
        assert "<h1>" in (tmp_path / "tuned.html").read_text(encoding="utf-8")
        none = command(*file, "--grid", "n_neighbors=2,8", "--baseline", "none", "--json")
        assert none.data["gain"] is None

    @pytest.mark.parametrize(
        "words",
        [
            ("--grid", "n_neighbors"),
            ("--grid", "neighbors=1,2"),
            ("--grid", "n_neighbors=1,2", "--model", "Ridge"),
            ("--grid", "n_neighbors=1,2", "--baseline", "n_neighbors=1,2"),
            ("--grid", "n_neighbors=1,2", "--loss", "r2", "--loss", "squared-error"),
            ("--grid", "n_neighbors=1,2", "--plan", "RollingOrigin(n_train=50, n_test=20)"),
            (),
        ],
    )
    def test_refused(self, command, file, words):
        outcome = command(*file, *words)
        assert outcome.status == 2
        assert len(outcome.err.strip().splitlines()) == 1

    def test_fits_that_fail(self, command, file):
        outcome = command(*file, "--grid", "n_neighbors=-1,-2")
        assert (outcome.status, outcome.out) == (3, "")
        assert len(outcome.err.strip().splitlines()) == 1
        assert (
            command(*file[:-1], "KNeighborsRegressor(metric=3)", "--grid", "n_neighbors=1,2").status
            == 3
        )

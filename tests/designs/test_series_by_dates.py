"""Forecasts of many series at the same dates: what their frames say, and errors in units of a naive forecast."""

import numpy as np
import pandas as pd
import pytest

import errbar
from errbar import Losses
from errbar.methods import cluster_t, two_way_t
from tests.refusals import refused

MODELS = ["AutoARIMA", "SeasonalNaive"]


@pytest.fixture
def write(tmp_path):
    def to_file(given):
        path = tmp_path / "cv.csv"
        given.to_csv(path, index=False)
        return path

    return to_file


def frame(rng, step=6, windows=4, horizon=6, series=12):
    """Return what statsforecast's cross_validation returns."""
    rows = []
    for window in range(windows):
        cutoff = pd.Timestamp("2024-01-01") + pd.DateOffset(months=step * window)
        dates = [cutoff + pd.DateOffset(months=month) for month in range(1, horizon + 1)]
        rows += [(f"H{one}", date, cutoff) for one in range(series) for date in dates]
    found = pd.DataFrame(rows, columns=["unique_id", "ds", "cutoff"])
    found["y"] = rng.normal(200.0, 20.0, len(found)).round(2)
    for name, error in zip(MODELS, (10.0, 20.0), strict=True):
        found[name] = (found["y"] + rng.normal(scale=error, size=len(found))).round(2)
    return found


def pair(table):
    return errbar.compare_table(table).pairs[0].result


class TestFramesOfForecasts:
    @pytest.mark.parametrize("text", [False, True])
    @pytest.mark.parametrize("roles", [{}, {"time": "ds", "groups": "unique_id"}])
    def test_windows_are_left_aside_and_said(self, rng, roles, text):
        given = frame(rng)
        if text:
            given = given.astype({"ds": str, "cutoff": str})
        table = errbar.read_table(given, truth="y", columns=MODELS, **roles)
        assert [note.numbers.get("left_aside") for note in table.notes][-1] == ("cutoff",)
        losses = np.subtract(*((given[name] - given["y"]) ** 2 for name in MODELS))
        alone = two_way_t(Losses(losses, group=given["unique_id"], time=given["ds"]))
        found = pair(table)
        assert found.method == "two-way-t"
        for name in ("estimate", "se", "df"):
            assert getattr(found, name) == pytest.approx(getattr(alone, name))

    @pytest.mark.parametrize("kind", [str, "datetime64[ns]"])
    def test_windows_that_overlap_are_asked_about(self, rng, kind):
        given = frame(rng, step=1).astype({"ds": kind, "cutoff": kind})
        with pytest.raises(errbar.UnsaidRoleError):
            errbar.read_table(given, truth="y", columns=MODELS)
        table = errbar.read_table(given, truth="y", columns=MODELS, ignore="cutoff")
        assert pair(table).method == "two-way-t"

    def test_what_follows_in_time_is_asked_about_where_no_rows_share_a_time(self, rng):
        """Visits of one patient come after those of another."""
        given = pd.DataFrame({"day": np.arange(60), "ward": np.arange(60) % 6})
        given["visitor"] = [f"P{row // 10}" for row in range(60)]
        given[["a", "b"]] = rng.random((60, 2))
        with pytest.raises(errbar.UnsaidRoleError):
            errbar.read_table(given, time="day", groups="ward", kind="examples", columns="a,b")

    def test_windows_said_to_be_folds_tear_series(self, rng):
        with refused("groups"):
            errbar.read_table(frame(rng), truth="y", columns=MODELS, fold="cutoff")

    def test_the_command(self, errbar, write, rng):
        given = frame(rng)
        path = write(given)
        call = ("test", path, "--truth", "y", "--columns", ",".join(MODELS))
        roles = ("--time", "ds", "--groups", "unique_id")
        found = errbar(*call, *roles, "--json").data
        assert (found["method"], found["pairs"][0]["df"] < 11) == ("two-way-t", True)
        told = errbar(*call, *roles, "--option", "horizon=6", "--json").data
        assert told["pairs"][0]["se"] != found["pairs"][0]["se"]


FACTS = {
    "groups": np.arange(240) % 12,
    "time": np.arange(240) // 12,
    "fold": np.arange(240) % 12 % 3,
    "repeat": np.arange(240) // 120,
    "seed": np.arange(240) // 60 % 2,
}


class TestFactsBesideSeriesAndDates:
    """A fact that is stated is used or refused: with it, there is another answer or none."""

    EXAMPLE = np.arange(240) % 60

    @pytest.mark.parametrize("several", [(), ("repeat",), ("seed",), ("repeat", "seed")])
    @pytest.mark.parametrize("fold", [(), ("fold",)])
    @pytest.mark.parametrize("beside", [(), ("groups",), ("time",), ("groups", "time")])
    def test_every_combination(self, rng, beside, fold, several):
        # Of several seeds or repeats, and no more rows than those.
        rows = np.arange(60 * 2 ** len(several)) if several else np.arange(240)
        if several == ("seed",):
            rows = np.arange(120)
        elif several == ("repeat",):
            rows = np.concatenate([np.arange(60), np.arange(120, 180)])
        example = {"example": self.EXAMPLE[rows]} if several else {}
        of = {
            name: FACTS[name][
                self.EXAMPLE if several and name in ("groups", "time", "fold") else slice(None)
            ]
            for name in FACTS
        }
        facts = {name: of[name][rows] for name in (*beside, *fold, *several)}
        values = rng.normal(size=(2, 240))
        values[0] += rng.normal(size=12)[FACTS["groups"]] + rng.normal(size=20)[FACTS["time"]]
        losses = dict(zip("ab", values[:, rows], strict=True))

        def answer(**roles):
            try:
                found = pair(errbar.from_losses(losses, **example, **roles))
            except errbar.InvalidInputError:
                return None
            notes = sorted(note.code for note in found.notes)
            return found.method, found.se, found.df, found.n_splits, notes

        found = answer(**facts)
        alone = {(): "holdout-t", ("groups",): "cluster-t", ("time",): "diebold-mariano"}
        if not (fold or several):
            assert found[0] == alone.get(beside, "two-way-t")
        if len(beside) == 2:
            assert (found is None) == bool(several)
        for name in facts:
            fewer = {key: column for key, column in facts.items() if key != name}
            assert found is None or found != answer(**fewer)


class TestScaledErrors:
    """Hyndman & Koehler (2006): errors over the mean absolute error of a naive forecast, on the training data."""

    def scaled(self, rng):
        given = frame(rng)
        past = {name: rng.normal(200.0, 20.0, 48).cumsum() for name in given["unique_id"].unique()}
        naive = {name: np.abs(own[12:] - own[:-12]).mean() for name, own in past.items()}
        return given.assign(naive=given["unique_id"].map(naive))

    def test_mase(self, rng):
        given = self.scaled(rng)
        table = errbar.read_table(given, truth="y", columns=MODELS, scale="naive")
        losses = {name: np.abs(given["y"] - given[name]) / given["naive"] for name in MODELS}
        # The mean over series of the ratio of the mean absolute error of each to that of its naive forecast.
        by_series = given.assign(**losses).groupby("unique_id")[MODELS].mean().mean()
        found = errbar.compare_table(table)
        for name in MODELS:
            assert found.learners[name].estimate == pytest.approx(by_series[name])
        gap = Losses(
            losses[MODELS[0]] - losses[MODELS[1]], group=given["unique_id"], time=given["ds"]
        )
        assert found.pairs[0].result.se == pytest.approx(two_way_t(gap).se)
        assert (table.loss.key, table.loss.range[0], table.loss.higher_is_better) == (
            "mase",
            0.0,
            False,
        )

    def test_python_and_command_agree(self, rng, errbar, write):
        import errbar as library

        given = self.scaled(rng)
        path = write(given)
        call = ("test", path, "--truth", "y", "--columns", ",".join(MODELS), "--scale", "naive")
        data = errbar(*call, "--loss", "mase", "--json").data
        facts = {
            "groups": given["unique_id"],
            "time": given["ds"].astype(str),
            "scale": given["naive"],
        }
        table = library.from_predictions(
            {name: given[name] for name in MODELS}, given["y"], **facts
        )
        assert data["pairs"][0]["se"] == pytest.approx(pair(table).se)

    def test_long_tables(self, rng):
        given = self.scaled(rng)
        long = given.drop(columns="cutoff").melt(
            ["unique_id", "ds", "y", "naive"], MODELS, "model", "pred"
        )
        long["row"] = long.groupby("model").cumcount()
        table = errbar.read_table(long, truth="y", scale="naive", example="row")
        wide = errbar.read_table(given, truth="y", columns=MODELS, scale="naive")
        assert pair(table).se == pytest.approx(pair(wide).se)

    @pytest.mark.parametrize(
        ("argument", "options"),
        [
            ("scale", {"loss": "mase"}),
            ("loss", {"loss": "squared-error", "scale": "naive"}),
            ("scale", {"scale": "naive", "pool": "folds"}),
            ("scale", {"scale": "nothing"}),
            ("scale", {"scale": "none here"}),
        ],
    )
    def test_refused(self, rng, argument, options):
        given = self.scaled(rng).assign(nothing=0.0)
        with refused(argument):
            errbar.read_table(given, truth="y", columns=MODELS, **options)

    @pytest.mark.parametrize("door", [errbar.from_losses, errbar.from_scores])
    def test_numbers_that_are_losses_already_have_no_scale(self, rng, door):
        with refused("scale"):
            door({"a": rng.random(9), "b": rng.random(9)}, scale=np.ones(9))


def test_groups_alone_are_too_short_under_a_shared_shock(rng):
    gap = rng.normal(size=(12, 20)) + 2.0 * rng.normal(size=20)
    losses = Losses.of_grid(gap, "group", "time")
    assert two_way_t(losses, horizon=1).se > 3.0 * cluster_t(losses).se

"""Times that are text: read as dates, or refused where text would be sorted in another order than time."""

from datetime import UTC, date, timedelta

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, strategies as st

import errbar
from errbar import InvalidInputError
from errbar.plans._base import times_of
from tests.refusals import refused

DAYS = pd.date_range("2023-11-15", periods=80)
HOURS = pd.date_range("2023-10-28 20:00", periods=80, freq="h", tz="UTC").tz_convert(
    "Europe/Berlin"
)
MONTHS = pd.date_range("2015-01", periods=80, freq="MS")
READ = {
    "days": DAYS.strftime("%Y-%m-%d"),
    "slashes": DAYS.strftime("%Y/%m/%d"),
    "offsets": HOURS.strftime("%Y-%m-%d %H:%M:%S%z"),
    "months": MONTHS.strftime("%Y-%m"),
    "quarters": [f"{2000 + i // 4}Q{i % 4 + 1}" for i in range(80)],
    "clock": [f"{i // 60:02}:{i % 60:02}" for i in range(80)],
    "dates": list(DAYS.date),
    "stamps": list(HOURS),
    "American": DAYS.strftime("%m/%d/%Y"),
    "German": DAYS.strftime("%d.%m.%Y"),
    "British": DAYS.strftime("%d-%m-%Y"),
}
REFUSED = {
    "American or British": [f"{1 + i % 12:02}/{1 + i // 12:02}/2023" for i in range(80)],
    "two separators": [f"{day:%d.%m.%Y}" if day.day % 2 else f"{day:%d/%m/%Y}" for day in DAYS],
    "English": DAYS.strftime("%b %d, %Y"),
    "not padded": [f"{day.year}-{day.month}-{day.day}" for day in DAYS],
    "German hours": HOURS.strftime("%d.%m.%Y %H:%M"),
    "half a day": DAYS.strftime("%Y-%m-%d %I:00 %p"),
    "steps": [f"step {i}" for i in range(80)],
}


def series(time, order, **options):
    rng = np.random.default_rng(1)
    losses = {name: rng.normal(size=80).cumsum() for name in "ab"}
    table = errbar.from_losses(
        {name: column[order] for name, column in losses.items()},
        time=[time[i] for i in order],
        **options,
    )
    return errbar.infer(table, "diebold-mariano", "a", minus="b", horizon=4)


@pytest.mark.parametrize("how", READ)
def test_the_order_is_that_of_time(how):
    expected = series(np.arange(80), np.arange(80))
    found = series(list(READ[how]), np.random.default_rng(2).permutation(80))
    assert (found.estimate, found.se) == pytest.approx((expected.estimate, expected.se))


@pytest.mark.parametrize("how", REFUSED)
def test_text_that_sorts_otherwise_is_refused(how):
    with pytest.raises(InvalidInputError):
        series(list(REFUSED[how]), np.arange(80))
    with refused("time"):
        errbar.plans.draw(5, 80, 0, time=list(REFUSED[how]))


def test_with_and_without_a_zone():
    with pytest.raises(InvalidInputError):
        times_of(["2024-01-01T00:00", "2024-01-02T00:00+01:00"], 2)


@given(st.lists(st.datetimes(timezones=st.just(UTC)), min_size=1, max_size=20))
def test_moments_keep_their_order(moments):
    texts = [moment.isoformat() for moment in moments]
    assert (
        np.argsort(times_of(texts, len(texts)), kind="stable").tolist()
        == np.argsort(moments, kind="stable").tolist()
    )


def test_scores_of_one_time_are_averaged():
    rng = np.random.default_rng(4)
    scores = {name: rng.normal(size=40) for name in "ab"}
    days = [str(date(2024, 1, 1) + timedelta(days=i // 2)) for i in range(40)]
    twice = errbar.from_scores(scores, time=days)
    means = {name: column.reshape(20, 2).mean(axis=1) for name, column in scores.items()}
    expected = errbar.infer(
        errbar.from_scores(means, time=days[::2]), "diebold-mariano", "a", minus="b"
    )
    found = errbar.infer(twice, "diebold-mariano", "a", minus="b")
    assert (found.estimate, found.se, found.df) == pytest.approx(
        (expected.estimate, expected.se, expected.df)
    )

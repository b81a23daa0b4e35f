"""The same differences seen from each learner."""

import pytest

import errbar
from errbar import report
from errbar.comparison import MANY
from errbar.report.baselines import views_of
from tests.report.comparisons import many, shifted, single

OPTIONS = {
    "plain": {},
    "rope": {"rope": 0.4},
    "none": {"adjust": "none", "level": 0.9},
    "hommel": {"adjust": "hommel", "rope": 0.4},
    "less": {"alternative": "less"},
    "greater": {"alternative": "greater", "level": 0.9},
    "posterior": {"method": "bayes-correlated-t", "rope": 0.3},
    "sign": {"method": "sign-test"},
}


def flat(data, path=()):
    """Yield the path and value of every leaf of plain data."""
    if isinstance(data, dict | list):
        for key, value in data.items() if isinstance(data, dict) else enumerate(data):
            yield from flat(value, (*path, key))
    else:
        yield path, data


@pytest.mark.long
@pytest.mark.parametrize("options", OPTIONS.values(), ids=OPTIONS)
@pytest.mark.parametrize("baseline", ["m0", "m2", "m3"])
def test_it_is_the_comparison_with_that_baseline(options, baseline):
    if options.get("method") == "sign-test":
        scores = {f"m{i}": [i + j % (i + 2) for j in range(9)] for i in range(4)}
        table = errbar.from_scores(scores, kind="data-sets")
    else:
        table = many(4).table
    turned = errbar.compare_table(table, **options).by_baseline[baseline]
    asked = errbar.compare_table(table, baseline=baseline, **options)
    one, other = dict(flat(turned.to_dict())), dict(flat(asked.to_dict()))
    assert one.keys() == other.keys()
    for name, value in one.items():
        assert value == (
            pytest.approx(other[name], rel=1e-9, abs=1e-12)
            if isinstance(value, float)
            else other[name]
        )
    for pair, same in zip(turned.pairs, asked.pairs, strict=True):
        assert (pair.naive is None) == (same.naive is None)
        if pair.naive is not None:
            ends = [
                (found.naive.estimate, found.naive.low, found.naive.high, found.naive.pvalue)
                for found in (pair, same)
            ]
            assert ends[0] == pytest.approx(ends[1])


def test_signs_are_always_learner_minus_baseline_and_intervals_mirrored():
    comparison = many(3)
    everyone = {(pair.a, pair.b): pair for pair in comparison.pairs}
    for pair in comparison.by_baseline["m0"].pairs:
        original = everyone["m0", pair.a]
        assert pair.b == "m0"
        assert pair.result.estimate == -original.result.estimate
        assert (pair.result.low, pair.result.high) == (-original.result.high, -original.result.low)
        assert pair.result.pvalue == original.result.pvalue


def test_the_family_is_that_of_the_baseline():
    comparison = many(5, adjust="bonferroni")
    for pair in comparison.by_baseline["m4"].pairs:
        assert pair.adjusted == pytest.approx(min(1.0, 4 * pair.result.pvalue))
    for pair in comparison.pairs:
        assert pair.adjusted == pytest.approx(min(1.0, 10 * pair.result.pvalue))


def test_views_name_their_family_and_say_when_they_hold():
    views = views_of(many(4))
    assert [view.title for view in views] == ["m0", "m1", "m2", "m3"]
    [table] = views[1].tables
    assert [str(row[0]) for row in table.rows] == ["m0 - m1", "m2 - m1", "m3 - m1"]
    assert "3" in table.remark
    assert "m1" in table.remark
    assert table.caption.endswith("m1")


@pytest.mark.parametrize(
    ("comparison", "count"),
    [
        (single, 0),
        (lambda: shifted(0.9), 0),
        (lambda: many(4, baseline="m0"), 0),
        (lambda: many(3), 3),
        (lambda: many(MANY - 1), MANY - 1),
        (lambda: many(MANY), 0),
    ],
)
def test_views_are_for_three_to_twelve_learners_of_all_pairs(comparison, count):
    assert len(views_of(comparison())) == count


def test_constant_differences_have_views(everything):
    assert len(views_of(everything["constant"])) == 3
    assert report.html(everything["constant"]).count('<details class="view"') == 3


def test_seeing_it_otherwise_changes_nothing():
    comparison = many(3)
    before = comparison.to_dict()
    views_of(comparison)
    assert comparison.to_dict() == before

"""Runs of search engines beside judgements: measures are those of trec_eval (pytrec-eval-terrier 0.5.11)."""

import numpy as np
import pytest

import errbar
from errbar import UnsaidRoleError

# Means over the topics with a relevant document, those that a run lacks counting 0.
EXPECTED = {
    "map": (0.4412887326092608, 0.40075985292063115),
    "ndcg": (0.6487486695909322, 0.5736113472486665),
    "recip_rank": (0.8928571428571429, 0.8571428571428571),
    "ndcg_cut_5": (0.5336800516948984, 0.5307129446878474),
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Eight topics, of which one has nothing relevant and one is lacking in a run; scores with ties."""
    rng = np.random.default_rng(11)
    path = tmp_path_factory.mktemp("trec")
    judged, lines = [], {"bm25": [], "dense": []}
    for topic in range(301, 309):
        grades = rng.choice(4, 25, p=[0.55, 0.2, 0.15, 0.1]) * (topic != 305)
        judged += [f"{topic} 0 d{i:02d} {grade}" for i, grade in enumerate(grades)]
        for name, own in lines.items():
            if (topic, name) == (303, "dense"):
                continue
            scores = np.round(grades + rng.normal(0, 2, 25), 0)
            for i in rng.permutation(30)[:20]:  # some documents are not judged
                score = scores[i] if i < 25 else 1.0
                own.append(f"{topic} Q0 d{i:02d} 1 {score} {name}")
    (path / "qrels").write_text("\n".join(judged) + "\n")
    for name, own in lines.items():
        (path / f"{name}.run").write_text("\n".join(own) + "\n")
    return path


@pytest.mark.parametrize("metric", EXPECTED)
def test_it_is_that_of_trec_eval(folder, metric):
    runs = [folder / "bm25.run", folder / "dense.run"]
    table = errbar.read(runs, truth=str(folder / "qrels"), metric=metric)
    assert table.learners == ("bm25", "dense")
    assert table.splits.n_test.tolist() == [7]
    found = [errbar.infer(table, "holdout-t", name).estimate for name in table.learners]
    assert found == pytest.approx(EXPECTED[metric], rel=1e-12)


@pytest.mark.parametrize(("truth", "argument"), [(None, "truth"), ("qrels", "metric")])
def test_what_must_be_said(folder, truth, argument):
    said = {} if truth is None else {"truth": str(folder / truth)}
    with pytest.raises(UnsaidRoleError) as caught:
        errbar.read([folder / "bm25.run"], **said)
    assert caught.value.argument == argument

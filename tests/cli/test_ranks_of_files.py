"""`errbar ranks` of several files."""

import numpy as np
import pandas as pd


def test_ranks_takes_a_file_of_each_learner(errbar, tmp_path, rng):
    for name in "ab":
        frame = pd.DataFrame({"dataset": list("uvwxyz"), "score": rng.uniform(size=6)})
        frame.to_csv(tmp_path / f"{name}.csv", index=False)
    found = errbar("ranks", tmp_path / "a.csv", tmp_path / "b.csv", "--higher-is-better", "--json")
    assert {one["name"] for one in found.data["learners"]} == {"a", "b"}
    assert np.isfinite(found.data["friedman"]["f_pvalue"])

"""Missing numbers and independent runs on the command line."""

import pandas as pd
import pytest
from scipy import stats

from tests.test_gaps import MAPPO, OTHERS, QMIX


class TestCommands:
    @pytest.fixture
    def wide(self, tmp_path):
        path = tmp_path / "returns.csv"
        pd.DataFrame({"seed": range(10), "qmix": QMIX, "mappo": MAPPO}).to_csv(path, index=False)
        return path

    @pytest.fixture
    def long(self, tmp_path):
        path = tmp_path / "long.csv"
        names, seeds = ["qmix"] * 10 + ["mappo"] * 6, [*range(10), *range(100, 106)]
        frame = {"algorithm": names, "seed": seeds, "score": QMIX + OTHERS}
        pd.DataFrame(frame).to_csv(path, index=False)
        return path

    @pytest.mark.parametrize("said", [[], ["--seed", "seed"]])
    def test_first_call_names_runs(self, errbar, wide, long, said):
        for path in (wide, long):
            told = errbar("test", path, "--higher-is-better", *said)
            assert told.status == 2
            assert "--kind runs" in told.err

    def test_runs_of_a_wide_table(self, errbar, wide):
        told = errbar("test", wide, "--higher-is-better", "--kind", "runs", "--json")
        [pair], learners = told.data["pairs"], told.data["learners"]
        assert told.data["method"] == "welch-t"
        ends = [[one["estimate"], one["low"], one["high"]] for one in learners]
        assert ends[0] == pytest.approx([14.769, 13.074, 16.464], abs=5e-4)
        assert ends[1] == pytest.approx([16.115, 15.349, 16.881], abs=5e-4)
        assert [pair["estimate"], pair["low"], pair["high"]] == pytest.approx(
            [-1.346, -3.129, 0.437], abs=5e-4
        )
        assert pair["pvalue"] == pytest.approx(0.126, abs=5e-4)

    @pytest.mark.parametrize("seeds", ["distinct", "same", "none", "empty cells"])
    def test_runs_of_other_seeds(self, errbar, long, seeds):
        frame = pd.read_csv(long)
        if seeds == "same":
            frame["seed"] = frame.groupby("algorithm").cumcount()
        elif seeds == "none":
            del frame["seed"]
        elif seeds == "empty cells":
            frame = frame.pivot(index="seed", columns="algorithm", values="score").reset_index()
        frame.to_csv(long, index=False)
        said = ["--missing", "pairs"] if seeds == "empty cells" else []
        told = errbar("test", long, "--higher-is-better", "--kind", "runs", *said, "--json")
        [pair] = told.data["pairs"]
        right = stats.ttest_ind(QMIX, OTHERS, equal_var=False)
        assert pair["pvalue"] == pytest.approx(right.pvalue, rel=1e-12)

    def test_a_seed_that_stands_there_twice(self, errbar, long):
        frame = pd.read_csv(long).replace({"seed": {1: 0}})
        frame.to_csv(long, index=False)
        assert errbar("test", long, "--higher-is-better", "--kind", "runs").status == 2

    def test_words_for_nothing(self, errbar, tmp_path):
        path = tmp_path / "answers.jsonl"
        cells = ["0.5", '"NA"', "null", "0.25", "0.125", '""']
        lines = [f'{{"question_id": {i}, "a": {one}, "b": 0.{i}1}}' for i, one in enumerate(cells)]
        path.write_text("\n".join(lines))
        told = errbar("test", path, "--lower-is-better", "--missing", "pairs", "--json")
        assert told.data["pairs"][0]["df"] == 2

    def test_power_and_methods(self, errbar, wide):
        found = errbar("power", wide, "--kind", "runs", "--runs", "20", "--json").data
        assert (found["method"], found["sizes"]) == ("welch-t", [20, 1])
        told = errbar("methods", "--for", wide, "--kind", "runs", "--json")
        assert [one["key"] for one in told.data if one["suitable"]] == ["welch-t"]

    def test_missing_words(self, errbar, tmp_path):
        path = tmp_path / "wide.csv"
        path.write_text("question_id,a,b\n1,0.5,NA\n2,0.25,0.75\n3,,\n4,0.5,0.125\n5,1,0\n")
        told = errbar("test", path, "--lower-is-better")
        assert told.status == 2
        assert "--missing examples" in told.err
        assert "--missing pairs" in told.err
        for word, count in (("examples", 3), ("pairs", 3), ("0", 5)):
            told = errbar("test", path, "--lower-is-better", "--missing", word, "--json")
            assert told.status == 0, word
            assert told.data["pairs"][0]["df"] == count - 1
        assert errbar("test", path, "--missing", "refuse").status == 2
        assert errbar("test", path, "--missing", "often").status == 2

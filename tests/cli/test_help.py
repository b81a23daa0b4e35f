"""Help like a manual page: for every command what it does, every option, and examples that run."""

import json
import os
import re
import shlex
import shutil
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_diabetes

import errbar_lab as lab
from errbar.cli import app
from errbar_lab._atlas._study import save
from tests import churn, dependent, tool_files
from tests.cli.test_commands import run
from tests.eval_logs import sample, write_samples


def commands_in(text):
    """Return the commands of a help text, each on one line."""
    return re.findall(r"^ *(errbar .*?) *$", re.sub(r" \\\s*\n *", " ", text), re.MULTILINE)


def walk(command, name=()):
    yield name, command
    for word in getattr(command, "commands", ()):
        yield from walk(command.get_command(None, word), (*name, word))


TREE = dict(walk(app))
LEAVES = {name: command for name, command in TREE.items() if not getattr(command, "commands", None)}
EXAMPLES = sorted({command for node in TREE.values() for command in commands_in(node.epilog or "")})
SMALL = {
    "--datasets": "3",
    "--replicates": "3",
    "--truth-draws": "2",
    "--jobs": "1",
}
LAB = {
    "figure1": ("--datasets", "--truth-draws"),
    "habitat": ("--datasets", "--truth-draws"),
    "table2": ("--replicates",),
    "moments": ("--datasets",),
    "coverage": ("--replicates", "--truth-draws"),
    "calibrate": ("--replicates", "--truth-draws"),
    "atlas": ("--datasets", "--truth-draws"),
}


@pytest.mark.parametrize("name", TREE, ids=" ".join)
def test_every_command_says_what_it_does_with_an_example(name):
    command = TREE[name]
    assert command.help.strip().split("\n")[0].rstrip(" .")
    assert commands_in(command.epilog)
    assert "Exit status:\n  0 done" in command.epilog
    for number in re.findall(r"^  (\d+) ", command.epilog, re.MULTILINE):
        assert number in ("0", "1", "2", "3", "130")
    if name in LEAVES:
        assert (
            any(
                example.startswith(f"errbar {' '.join(name)} ")
                for example in commands_in(command.epilog)
            )
            or len(name) == 1
        )


@pytest.mark.parametrize("name", LEAVES, ids=" ".join)
def test_every_option_has_help_a_value_and_a_group(name):
    for parameter in LEAVES[name].params:
        assert parameter.help, parameter.name
        if parameter.param_type_name == "option" and not parameter.is_flag:
            assert parameter.metavar, parameter.name
    grouped = [
        parameter for parameter in LEAVES[name].params if parameter.param_type_name == "option"
    ]
    if len(grouped) > 6:
        assert all(isinstance(parameter.rich_help_panel, str) for parameter in grouped)


@pytest.mark.long
@pytest.mark.parametrize("width", [40, 80, 120])
@pytest.mark.parametrize("name", TREE, ids=" ".join)
def test_help_fits_the_width(errbar, monkeypatch, name, width):
    monkeypatch.setenv("COLUMNS", str(width))
    outcome = errbar(*name, "--help")
    assert outcome.status == 0
    assert outcome.err == ""
    assert "\x1b" not in outcome.out
    text, _, ending = outcome.out.partition("Examples:")
    assert max(map(len, text.splitlines())) <= width
    if width >= 80:  # a narrower terminal breaks the examples itself, so that they can be copied
        assert max(map(len, ending.splitlines())) <= width
    words = re.split(r"\s+", outcome.out)
    for parameter in TREE[name].params:
        if (
            parameter.param_type_name == "option" and width >= 80
        ):  # narrower panels cut long names short
            assert parameter.opts[0] in words


def test_help_needs_no_unicode(tmp_path):
    done = run("compare", "--help", cwd=tmp_path, env=os.environ | {"PYTHONIOENCODING": "ascii"})
    assert done.returncode == 0
    assert done.stdout.isascii()


@pytest.mark.parametrize("name", TREE, ids=" ".join)
def test_examples_can_be_copied(errbar, monkeypatch, name):
    monkeypatch.setenv("COLUMNS", "60")
    shown = [
        shlex.split(line)
        for line in commands_in(errbar(*name, "--help").out.partition("Examples:")[2])
    ]
    assert shown == [shlex.split(line) for line in commands_in(TREE[name].epilog)]


def test_no_command_shows_help_and_is_wrong_usage(errbar):
    for words in ((), ("lab",), ("store",)):
        outcome = errbar(*words)
        assert outcome.status == 2
        assert outcome.out == ""
        assert outcome.err.strip().startswith(
            f"Usage: errbar{''.join(f' {word}' for word in words)} [OPTIONS] COMMAND"
        )


def test_every_command_is_in_the_guide(request):
    guide = (request.config.rootpath / "docs" / "guide" / "command-line.rst").read_text(
        encoding="utf-8"
    )
    guide = " ".join(guide.split())
    assert [name for name in LEAVES if f"errbar {' '.join(name)}" not in guide] == []


@pytest.fixture(scope="module")
def here(tmp_path_factory):
    """A folder with the files that the examples read."""
    place = tmp_path_factory.mktemp("examples")
    load_diabetes(as_frame=True).frame.to_csv(place / "diabetes.csv", index=False)
    churn.write(place / "churn.csv")
    dependent.write(place)
    scores = np.random.default_rng(0).normal([0.31, 0.27], 0.02, (15, 2))
    np.savetxt(place / "scores.csv", scores, delimiter=",", header="tree,1-NN", comments="")
    np.savetxt(place / "folds.csv", scores[:10], delimiter=",", header="tree,1-NN", comments="")
    accuracies = 1.0 - np.random.default_rng(1).normal([0.31, 0.27, 0.25], 0.05, (12, 3))
    np.savetxt(
        place / "accuracies.csv", accuracies, delimiter=",", header="tree,1-NN,forest", comments=""
    )
    answers = "\n".join(
        f"{'yn'[i % 2]},{'yn'[i % 3 > 0]},{'yn'[i % 5 > 1]},{i % 4}" for i in range(120)
    )
    (place / "answers.csv").write_text(
        "y,tree,1-NN,fold\n" + answers.replace("y", "yes").replace("n", "no") + "\n",
        encoding="utf-8",
    )
    long = "\n".join(f"{'ab'[i % 2]},{i // 2},{int(i % 3 > 0)}" for i in range(80))
    (place / "long.csv").write_text(f"model,question,correct\n{long}\n", encoding="utf-8")
    for i, model in enumerate(("small", "large")):
        write_samples(
            place / "results",
            model,
            "arc",
            [sample(j, {"acc": j % (2 + i) > 0}) for j in range(60)],
        )
        answers = [
            sample(j, {"acc": (j + k * j // 7) % (2 + i) > 0}) for j in range(60) for k in range(3)
        ]
        write_samples(place / "sampled", model, "arc", answers)
    for i, engine in enumerate(("bm25", "dense", "hybrid")):
        gains = {topic: topic % (5 + i) / 10 for topic in range(301, 351)}
        tool_files.trec_eval(place / f"{engine}.eval", {"map": gains, "ndcg_cut_10": gains})
    board = "\n".join(
        f"{'abc'[i % 3]},{i // 3},{'xy'[i // 60]},{i * i % 5 % 2}" for i in range(120)
    )
    (place / "board.csv").write_text(f"model,question,task,correct\n{board}\n", encoding="utf-8")
    for i, model in enumerate(("llama", "qwen", "mistral")):
        lines = [sample(j, {"acc": j % (2 + i) > 0}) for j in range(60)]
        write_samples(place, model, "arc", lines)
        (place / "verified").mkdir(exist_ok=True)
        solved = json.dumps({"resolved": [f"id-{j}" for j in range(20 + i)]})
        (place / "verified" / f"{model}.json").write_text(solved, encoding="utf-8")
    repeated = "\n".join(
        f"{i},{s},{i % 7 / 7 + s % 2 / 4},{i * s % 5 / 5}" for i in range(40) for s in range(3)
    )
    (place / "repeated.csv").write_text(f"question,sample,old,new\n{repeated}\n")
    judged = "\n".join(
        f"{'ab'[i % 2]},{i // 2},{i % 3 % 2 if i < 30 else ''},{i % 5 % 2}" for i in range(80)
    )
    (place / "judged.csv").write_text(
        f"model,question,people,model_says\n{judged}\n", encoding="utf-8"
    )
    answered = [(name, i, (i * k) % (k + 2) % 2) for k, name in BOARD for i in range(80)]
    for file, some in (("known.csv", answered[80:]), ("new.csv", answered[:40])):
        table = pd.DataFrame(some, columns=["model", "question", "correct"])
        table.to_csv(place / file, index=False)
    of_sets = [
        (name, data, seed, (i + 2 * seed) % 5 / 10)
        for i, name in enumerate("abc")
        for data in ("wine", "iris", "sonar")
        for seed in range(3)
    ]
    runs = pd.DataFrame(of_sets, columns=["method", "data", "seed", "error"])
    runs.to_csv(place / "runs.csv", index=False)
    (place / "models.py").write_text("from sklearn.linear_model import Ridge\npipeline = Ridge()\n")
    rng = np.random.default_rng(2)
    letters = "\n".join(
        ",".join(
            [rng.choice(list("ABCDEFGHIJKLMNOPQRSTUVWXYZ")), *map(str, rng.integers(0, 16, 16))]
        )
        for _ in range(20000)
    )
    (place / "letter-recognition.data").write_text(letters + "\n")
    few = {"data_sets": 2, "truth_draws": 2, "cheap": True}
    for name in ("part1", "part2"):
        save(lab.atlas(["friedman"], [60], **few), place / f"{name}.parquet")
    return place


BOARD = list(enumerate(("new", "gpt-4o", "b", "c", "d"), start=1))


def smaller(example):
    """Return the words of an example with small numbers."""
    words = shlex.split(example)[1:]
    for i, word in enumerate(words[:-1]):
        if word in SMALL and words[0] in ("lab", "compare", "demo"):
            words[i + 1] = SMALL[word]
    if words[0] == "lab":
        words += [
            part
            for option in LAB[words[1]]
            if option not in words
            for part in (option, SMALL[option])
        ]
    return words


@pytest.mark.long
@pytest.mark.parametrize("example", EXAMPLES)
def test_examples_run(errbar, here, monkeypatch, example):
    monkeypatch.chdir(here)
    words = smaller(example)
    if "runs.db" in words and words[0] in ("store", "export"):  # others may have pruned it
        store = here / "kept.db"
        if not store.is_file():
            model = ("--model", "tree=sklearn.tree.DecisionTreeRegressor")
            errbar(
                "evaluate",
                "diabetes.csv",
                "--target",
                "target",
                *model,
                "--store",
                store,
                "--plan",
                "2",
            )
        shutil.copyfile(store, here / "runs.db")
    outcome = errbar(*words)
    assert outcome.status == 0, outcome.err
    assert outcome.out.strip()
    assert outcome.err == ""
    if "--out" in words:
        assert (here / words[words.index("--out") + 1]).stat().st_size > 100


def test_help_comes_at_once(tmp_path):
    code = "import sys, errbar.cli\ntry: errbar.cli.main(['lab', 'calibrate', '--help'])\nexcept SystemExit: pass\n"
    heavy = "print([m for m in ('sklearn', 'scipy', 'numpy', 'pandas') if m in sys.modules])"
    done = subprocess.run(
        [sys.executable, "-c", code + heavy],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        check=True,
    )
    assert done.stdout.rstrip().endswith("[]")
    assert run("--version", cwd=tmp_path).stdout.startswith("errbar ")

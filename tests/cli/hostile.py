"""Hostile files and command lines: good ones with something wrong in them."""

import gzip
import lzma
import os
import random
import zipfile

import numpy as np
import pandas as pd

DEEP = "(" * 3000 + "1" + ")" * 3000
NUMBERS = (
    "0", "-1", "1e400", "-1e400", "nan", "inf", "-inf", "", " ", "x", "1" * 5000, "0x" + "f" * 40, "10**11", "100000000000",
    "1000000000000", "1_0", "٣", "1e-320", "9" * 19, "-" + "9" * 30, "0.5", "2", "3", "1.5", "1,5", "True", "None", DEEP,
)  # fmt: skip
TEXTS = (
    "", " ", "x" * 100_000, "\udcff", "\ud800", "\u202e", "-", "--", "=", "'", '"', "\n", "\t", "\x1b[31m", "a,b", "a", "b",
    "y", "=1+1", "../..", "/", "~", "%s", "{}", "[", "[bold]", "NaN", "None", DEEP, "é", "y\n", "[" * 3000, "-" * 3000 + "1",
)  # fmt: skip
GATES = (
    "a worse-than b by 0.5", "b not-better-than a", "a worse-than b by 1e400", "a worse-than b by nan", "a worse-than a",
    "a worse-than c", "'a worse-than b", "a worse-than b by " + "1" * 5000, "a worse-than b by -0", "worse-than", "", DEEP,
    "a worse-than b by 0x1", '"a" worse-than \'b\' by .1', "a not-better-than b by 1e-320", "\udcff worse-than b",
)  # fmt: skip
PLANS = (
    "KFold(folds=3)", "KFold(folds=1000000000)", "Subsampling(repeats=100000000000)", "Subsampling(repeats=10**11)",
    "Bootstrap(repeats=1000000000000)", "KFold(folds=1)", "KFold(folds=-3)", "KFold(folds=True)", "KFold(folds=nan)",
    "KFold(folds=3.0)", "KFold(folds='3')", "KFold(folds=[3])", "KFold(3)", "KFold(*[3])", "KFold", "Holdout", "Holdout()",
    "Holdout(n_test=1e400)", "Holdout(n_test=0)", "Holdout(n_test=150)", "Subsampling(n_train=10**9)", "NestedKFold(folds=3, repeats=1)",
    "Subsampling(n_train=1000000000000, repeats=2)", "NestedKFold(folds=100000)", "HalvedKFold(halvings=1000000000)",
    "PairedHalves(halvings=100000, repeats=100000)", "ReplaceOne(replacements=1000000000000)", "ReplaceOne(replacements=None, folds=3)",
    "Bootstrap(repeats=2, training_error=1)", "Predefined(3)", "Union()", "Nothing()", "",
    "KFold(folds=3", "KFold(folds=" + "1" * 5000 + ")", "KFold(folds=0x" + "f" * 5000 + ")", f"KFold(folds={DEEP})", "Ellipsis",
    "KFold(folds=3)(folds=3)", "KFold(folds=3, folds=4)", "errbar.plans.KFold(folds=3)", "FiveByTwo()", "EqualKFold(folds=3)",
    "KFold(folds=None)", "KFold(folds=-0)", "lambda: 1", "KFold(folds=3)\0", "Subsampling(n_test=\udcff)", "A" + ".a" * 3000,
)  # fmt: skip
METHODS = (
    "corrected-t", "cv-wald", "kfold-t", "nested-cv", "bootstrap", "permutation", "mcnemar", "delong", "bayes-correlated-t",
    "5x2cv-t", "conservative-z", "friedman", "holdout-t", "corected-t", "sign-test", "bootstrap-auc", "two-proportion-z",
)  # fmt: skip
LOSSES = (
    "zero-one",
    "roc_auc",
    "squared-error",
    "log-loss",
    "brier",
    "r2",
    "f1",
    "nothing",
    "accuracy",
    "mutual_info_score",
    "max_error",
)
OPTIONS = (
    "rho=0.5", "rho=nan", "rho=1e400", "resamples=1000000000000", "resamples=10**12", "resamples=2", "samples=1000000000000",
    "random_state=-1", "random_state=" + "1" * 5000, "reference=t", "reference=x", "rho", "=", "x=1", f"rho={DEEP}", "rho=[]",
    "folds=1000000000000", "resamples=-1", "resamples=None", "rho='x'", "rho=0x" + "f" * 5000, "level=2", "statistic=os.system",
)  # fmt: skip
A, B = (
    "a=sklearn.tree.DecisionTreeClassifier(max_depth=2)",
    "b=sklearn.neighbors.KNeighborsClassifier()",
)
MODELS = (
    A, B, "c=sklearn.dummy.DummyClassifier", "sklearn.tree.DecisionTreeClassifer", "sklearn.tree.DecisionTreeRegressor",
    "c=sklearn.dummy.DummyClassifier(strategy='x')", "c=sklearn.dummy.DummyClassifier(strategy=1e400)", "c=os.system",
    "c=sklearn.tree.DecisionTreeClassifier(max_depth=0x" + "f" * 5000 + ")", f"c=sklearn.dummy.DummyClassifier(constant={DEEP})",
    "c=sklearn.tree.DecisionTreeClassifier(max_depth=" + "1" * 5000 + ")", "c=" + "a." * 5000 + "B", "c=" + "a(" * 3000,
    "c=unittest.__main__.X", "c=test.regrtest.X", "c=turtledemo.__main__.X",
    "c=errbar.cli.__main__.X", "c=pip.__main__.X", "c=lib2to3.__main__.X", "c=__main__.X", "c=__hello__.X", "c=idlelib.__main__.X",
    "c=bad.py:exits", "c=bad.py:factory", "c=bad.py:zero", "c=bad.py:Constructor", "c=bad.py:Parameters", "c=bad.py:silent", "c=bad.py:generator", "c=bad.py:base", "c=bad.py:property_", "c=bad.py:Subclass",
    "c=bad.py:nothing", "c=bad.py:number", "c=bad.py:module", "c=bad.py:liar", "c=bad.py:closes", "c=bad.py:talks", "c=bad.py:reads",
    "c=bad.py:thread", "c=bad.py:Fit", "c=bad.py:Quits", "c=bad.py:Predicts", "c=bad.py:cloned",
    "c=exit0.py:x", "c=exitnone.py:x", "c=syntax.py:x", "c=binary.py:x", "c=empty.py:x", "c=folder.py:x",
    "c=design.py:x", "c=recursion.py:x", "c=folder:x", "c=.py:x", "c=bad.py:", "c=bad.py:a.b", "", "=", "c=", "c==",
    "\udcff=bad.py:number", "c=b\0d.py:x", "c=fifo.py:x", "[bold]c[/bold]=sklearn.dummy.DummyClassifier", "c,d=sklearn.dummy.DummyClassifier",
    "=cmd=sklearn.dummy.DummyClassifier", "c\n=sklearn.dummy.DummyClassifier", "c=sklearn.dummy.DummyClassifier(**{})", "c=.X", "c=None.X",
)  # fmt: skip
FILES = (
    "good.csv", "text.csv", "good.csv.gz", "good.parquet", "cut.csv.gz", "cut.csv.xz", "cut.csv.zip", "cut.parquet", "flipped.csv.gz",
    "flipped.parquet", "noise.csv", "noise.csv.gz", "noise.csv.zip", "noise.csv.bz2", "noise.parquet", "noise.csv.tar", "noise.csv.zst",
    "noise.zst", "zeros.csv", "bom.csv", "utf16.csv", "mixed.csv", "header.csv", "empty.csv", "newlines.csv", "one.csv", "twice.csv",
    "ragged.csv", "short.csv", "wide.csv", "commas.csv", "bomb.csv.gz", "numbers.csv", "gaps.csv", "infinite.csv", "quote.csv",
    "folder", "fifo", "/dev/zero", "/dev/null", "/dev/full", "/dev/stdin", "nothing.csv", "", ".", "x" * 5000, "a\0b", "\udcff.csv", "~",
    "twice.parquet", "rowless.parquet", "columnless.parquet", "constant.csv", "dates.csv", "two.zip", "secret.csv", "store.db",
    "http://127.0.0.1:9/x.csv", "s3://x/y.csv", "file:///dev/zero", "bad.py", "scores.csv", "losses.csv", "single.csv",
)  # fmt: skip
OUTS = (
    "out.html", "out.md", "out.tex", "out.txt", "out.json", "out.csv", "out.png", "out.svg", "out.pdf", "out.docx", "out", "", ".", "/",
    "folder", "nowhere/out.html", "/dev/full", "/dev/null", "/dev/full/x.html", "readonly/out.html", "good.csv", "good.txt", "fifo",
    "x" * 300 + ".html", "store.db", "new.db", "\udcff.html", "out.parquet", "out.csv.gz", "bad.py", "a\0.html", "/proc/out.html", "old.html",
)  # fmt: skip
ENVIRONMENTS = (
    {}, {}, {}, {"COLUMNS": "0"}, {"COLUMNS": "-5"}, {"COLUMNS": "x"}, {"COLUMNS": "1"}, {"TERM": "dumb"}, {"HOME": "/nowhere"},
    {"NO_COLOR": ""}, {"LINES": "0"}, {"TMPDIR": "/nowhere"}, {"FORCE_COLOR": "1"}, {"ERRBAR_DATA": "/dev/zero"},
)  # fmt: skip

BAD = """
import os, sys, threading, atexit
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.dummy import DummyClassifier
def exits(): sys.exit(0)
def factory(): raise ValueError("no")
def zero(): 1 / 0
def keyboard(): raise KeyboardInterrupt
def generator(): raise GeneratorExit
class Base(BaseException): pass
def base(): raise Base("mine")
class Silent(Exception):
    def __str__(self): raise ValueError
def silent(): raise Silent
def ends(): os._exit(0)
def runs(): os.execvp("true", ["true"])
def aborts(): os.abort()
def talks():
    print("noise" * 3); os.write(1, b"raw noise\\n"); os.write(2, b"more\\n"); raise ValueError("no")
def reads(): input()
def thread():
    t = threading.Thread(target=sys.exit, args=(0,)); t.start(); t.join(); return DummyClassifier()
def leaves():
    atexit.register(os._exit, 0); raise ValueError("no")
def closes():
    sys.stdout.close(); raise ValueError("no")
class Constructor(DummyClassifier):
    def __init__(self): sys.exit(0)
class Parameters(DummyClassifier):
    def get_params(self, deep=True): sys.exit(0)
class Property(DummyClassifier):
    @property
    def fit(self): sys.exit(0)
def property_(): return Property()
class Parent(BaseEstimator):
    def __init_subclass__(cls): sys.exit(0)
def Subclass():
    class Child(Parent): pass
class Liar(DummyClassifier):
    @property
    def __class__(self): sys.exit(0)
def liar(): return Liar()
class Fit(DummyClassifier):
    def fit(self, X, y): sys.exit(0)
class Quits(DummyClassifier):
    def fit(self, X, y): os._exit(0)
class Predicts(DummyClassifier):
    def predict(self, X): return [None] * len(X)
class Cloned(DummyClassifier):
    def __sklearn_clone__(self): sys.exit(0)
def cloned(): return Cloned()
number, module = 3, os
"""


def write(folder):
    """Fill a folder with files, most of them bad."""
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(
        {"x": rng.normal(size=40), "z": rng.normal(size=40), "y": rng.integers(0, 2, 40)}
    )
    frame.to_csv(folder / "good.csv", index=False)
    frame.to_csv(folder / "good.csv.gz", index=False)
    frame.to_parquet(folder / "good.parquet")
    frame.assign(t=np.where(frame["x"] > 0, "red", "blue")).to_csv(folder / "text.csv", index=False)
    for kind in ("gz", "xz", "zip"):
        frame.to_csv(folder / f"cut.csv.{kind}", index=False)
    frame.to_parquet(folder / "cut.parquet")
    for place in folder.glob("cut.*"):
        place.write_bytes(place.read_bytes()[:-60])
    for name in ("good.csv.gz", "good.parquet"):
        content = bytearray((folder / name).read_bytes())
        content[len(content) // 2] ^= 255
        (folder / name.replace("good", "flipped")).write_bytes(content)
    noise = rng.integers(0, 256, 3000, dtype=np.uint8).tobytes()
    for kind in ("csv", "csv.gz", "csv.zip", "csv.bz2", "csv.tar", "csv.zst", "zst", "parquet"):
        (folder / f"noise.{kind}").write_bytes(noise)
    text = frame.to_csv(index=False)
    contents = {
        "zeros.csv": b"\0" * 5000,
        "bom.csv": b"\xef\xbb\xbf" + text.encode(),
        "utf16.csv": text.encode("utf-16"),
        "mixed.csv": b"x,y\n\xe9,1\n" + "é,0\n".encode(),
        "header.csv": b"x,z,y\n",
        "empty.csv": b"",
        "newlines.csv": b"\n" * 100,
        "one.csv": b"x,y\n1,0\n",
        "twice.csv": b"y,y,x\n" + b"0,1,2\n1,0,3\n" * 10,
        "ragged.csv": b"x,y\n1,0,2,3\n1,0\n1\n",
        "short.csv": b"x,z,y\n" + b"1\n" * 10,
        "wide.csv": (
            ",".join([f"c{i}" for i in range(99_999)]) + ",y\n" + ("0," * 99_999 + "1\n") * 2
        ).encode(),
        "commas.csv": b"," * 10**6 + b"\n",
        "bomb.csv.gz": gzip.compress(b"0" * 10**8),
        "numbers.csv": b"x,y\n"
        + b"1e400,0\n-1e400,1\n99999999999999999999999999,0\n1e-320,1\n" * 5,
        "gaps.csv": b"x,y\n" + b",0\n1,\n,1\n" * 5,
        "infinite.csv": b"a,b\n" + b"inf,0\n0,nan\n" * 5,
        "quote.csv": b'x,y\n"' + b"1,0\n" * 50,
        "constant.csv": b"x,y\n" + b"1,1\n" * 20,
        "dates.csv": b"x,y\n" + b"2026-01-01,1\n2026-01-02,0\n" * 10,
        "good.txt": text.encode(),
        "old.html": b"old",
        "exit0.py": b"print('noise')\nraise SystemExit(0)\n",
        "exitnone.py": b"raise SystemExit\n",
        "osexit.py": b"import os\nprint('noise')\nos._exit(0)\n",
        "execs.py": b"import os\nos.execvp('true', ['true'])\n",
        "syntax.py": b"def (\n",
        "binary.py": noise,
        "empty.py": b"",
        "interrupt.py": b"raise KeyboardInterrupt\n",
        "design.py": b"import no_such_module_anywhere\n",
        "recursion.py": b"def f(): f()\nf()\n",
        "bad.py": BAD.encode(),
        "single.csv": b"d\n" + b"0.1\n0.2\n0.05\n" * 4,
        "scores.csv": (
            "a,b\n" + "".join(f"{u:.3f},{v:.3f}\n" for u, v in rng.normal(0.3, 0.1, (15, 2)))
        ).encode(),
        "losses.csv": (
            "example,fold,a,b\n"
            + "".join(f"{i},{i % 5},{i % 3 > 0:d},{i % 2}\n" for i in range(60))
        ).encode(),
        "ranks.csv": (
            "data,a,b,c\n" + "".join(f"d{i},{i % 3},{i % 5},{i % 7}\n" for i in range(12))
        ).encode(),
    }
    for name, content in contents.items():
        (folder / name).write_bytes(content)
    frame.iloc[:0].to_parquet(folder / "rowless.parquet")
    pd.DataFrame(index=range(5)).to_parquet(folder / "columnless.parquet")
    _write_twice(folder / "twice.parquet")
    with zipfile.ZipFile(folder / "two.zip", "w") as packed:
        packed.writestr("a.csv", "x,y\n")
        packed.writestr("b.csv", "x,y\n")
    (folder / "secret.csv").write_bytes(lzma.compress(b"x,y\n1,0\n"))
    for name in ("folder", "folder.py", "readonly"):
        (folder / name).mkdir()
    (folder / "readonly").chmod(0o500)
    for name in ("fifo", "fifo.py"):
        os.mkfifo(folder / name)
    (folder / "store.db").write_bytes(b"SQLite format 3\0" + noise)


def _write_twice(place):
    import pyarrow as pa
    import pyarrow.parquet as pq

    pq.write_table(
        pa.Table.from_arrays([pa.array([1, 2]), pa.array([0, 1])], names=["y", "y"]), place
    )


FAST = ("--plan", "Subsampling(repeats=3)")
GOOD = (
    (("compare", "good.csv"), ("--target", "y"), ("--model", A), ("--model", B), FAST),
    (("compare", "good.csv"), ("--target", "y"), ("--model", A), ("--model", B), FAST, ("--fail-if", GATES[0])),
    (("compare", "text.csv"), ("--target", "t"), ("--model", A), ("--model", B), FAST, ("--json",)),
    (("compare", "good.csv"), ("--target", "y"), ("--model", A), ("--model", B), ("--plan", PLANS[0]), ("--method", "kfold-t")),
    (("evaluate", "good.csv"), ("--target", "y"), ("--model", A), FAST),
    (("evaluate", "good.parquet"), ("--target", "y"), ("--model", A), ("--plan", "3"), ("--method", "cv-wald"), ("--json",)),
    (("test", "scores.csv"), ("--n-train", "270"), ("--n-test", "30")),
    (("test", "scores.csv"), ("--n-train", "270"), ("--n-test", "30"), ("--fail-if", GATES[0]), ("--method", "corrected-t")),
    (("test", "losses.csv"), ("--method", "cv-wald")),
    (("test", "single.csv"), ("--n-train", "270"), ("--n-test", "30"), ("--json",)),
    (("power",), ("--deviation", "0.02"), ("--n-train", "270"), ("--n-test", "30"), ("--difference", "0.02")),
    (("power", "scores.csv"), ("--n-train", "270"), ("--n-test", "30")),
    (("ranks", "ranks.csv"), ("--higher-is-better",)),
    (("methods", "corrected-t"),),
    (("methods",), ("--for", "losses.csv")),
    (("store", "info", "store.db"),),
    (("store", "prune", "store.db"), ("--learner", "a")),
    (("export", "store.db", "out.csv"),),
    (("demo",), ("--jobs", "0")),
    (("lab", "coverage", "--replicates", "3", "--n", "20"), ("--method", "corrected-t")),
    (("lab", "calibrate", "--n", "10", "--replicates", "3", "--truth-draws", "20", "good.csv"), ("--target", "y"), ("--model", A)),
    (("lab", "figure1", "--data", "noise.csv"), ("--datasets", "3")),
    (("lab", "habitat", "--data", "folder"), ("--datasets", "3")),
    (("lab", "table2", "--data", "good.csv"), ("--replicates", "3")),
    (("lab", "moments", "--data", "fifo"), ("--datasets", "3")),
)  # fmt: skip
"""Command lines to begin with, in pieces that belong together."""

VALUES = {
    "MODEL": MODELS, "PLAN": PLANS, "GATE": GATES, "FILE": OUTS, "NAME=VALUE": OPTIONS, "COLUMN": ("x", "z", "y", "a", "fold", *TEXTS),
    "KEY": (*METHODS, *LOSSES, *TEXTS), "ADDRESS": ("", "x", "tcp://127.0.0.1:0", "\udcff"), "NAME=TEXT": ("a=1", "a=", "=", "c=1", *TEXTS),
    "SEED": (*NUMBERS,), "PATH": FILES, "SCORES": FILES, "DATA": FILES, "STORE": FILES, "NEW": OUTS, "OUT": OUTS,
    "LEARNER": ("a", "b", "c", *TEXTS), "A,B": ("a,b", "a", ",", "a,a", *TEXTS), "NAME": TEXTS, "DIGEST": TEXTS, "SIDE": ("less", *TEXTS),
    "KIND": ("kfold", "other", *TEXTS), "[KEY]": (*METHODS, *TEXTS),
}  # fmt: skip
"""What options are given, by what their values are called in the help; numbers where nothing stands here."""


def lines(seed, count):
    """Return hostile command lines, each a list of words and what the environment is given."""
    options = _options()
    for number in range(seed, seed + count):
        draw = random.Random(number)
        pieces = draw.choice((_model, _file, _plan, _method, _value_of, _value_of, _mixed, _mixed))(
            options, draw
        )
        words = [word for piece in pieces for word in piece]
        yield words, draw.choice(ENVIRONMENTS)


def _model(_, draw):
    """A learner that is bad in itself, in front of a gate."""
    gate, more = (
        ("--fail-if", draw.choice((*GATES[:2], *GATES[:2], draw.choice(GATES)))),
        (("--json",), ("--stratify",), ("--baseline", "c"), ("--quiet",)),
    )
    begin, *rest = draw.choice(GOOD[:3])
    models = [("--model", draw.choice(MODELS)) for _ in range(draw.choice((1, 1, 2)))]
    place = draw.randrange(1, len(rest))
    return [
        begin,
        *rest[:place],
        *models,
        *rest[place:],
        gate,
        *draw.sample(more, draw.choice((0, 1))),
    ]


def _file(_, draw):
    """A file that is none."""
    begin, *rest = draw.choice(
        [line for line in GOOD if len(line[0]) > 1 and line[0][0] != "lab" and "." in line[0][-1]]
    )
    return [(*begin[:-1], draw.choice(FILES)), *rest]


def _plan(_, draw):
    begin = (("compare", "good.csv"), ("--target", "y"), ("--model", A), ("--model", B))
    return [
        *begin,
        *(("--plan", draw.choice(PLANS)) for _ in range(draw.choice((1, 1, 2)))),
        ("--method", draw.choice(METHODS)),
    ]


def _method(_, draw):
    begin, *rest = draw.choice(
        [line for line in GOOD if line[0][0] in ("test", "evaluate", "compare")]
    )
    more = (
        ("--method", draw.choice(METHODS)),
        ("--option", draw.choice(OPTIONS)),
        ("--loss", draw.choice(LOSSES)),
    )
    return [begin, *rest, *more[: 2 if begin[0] == "test" else draw.choice((2, 3))]]


def _value_of(options, draw):
    """An option with a value that makes no sense."""
    pieces = list(draw.choice(GOOD))
    known = _known(options, pieces)
    valued = sorted(name for name, metavar in known.items() if metavar)
    return [
        *pieces,
        *((name, _value(known[name], draw)) for name in draw.sample(valued, min(1, len(valued)))),
    ]


def _mixed(options, draw):
    """Several wrong things at once."""
    pieces = [list(piece) for piece in draw.choice(GOOD)]
    for _ in range(draw.choice((1, 1, 2, 2, 3))):
        _spoil(pieces, _known(options, pieces), draw)
    return pieces


def _known(options, pieces):
    words = list(pieces[0]) if pieces else []
    return next(
        (
            options[" ".join(words[:count])]
            for count in (2, 1)
            if " ".join(words[:count]) in options
        ),
        {},
    )


def _spoil(pieces, known, draw):
    """Do one wrong thing to a command line."""
    what = draw.choice(
        ("value", "value", "value", "add", "add", "add", "drop", "twice", "cut", "word", "swap")
    )
    place = draw.randrange(len(pieces))
    if what == "value" and len(pieces[place]) > 1:
        pieces[place][-1] = _value(known.get(pieces[place][0], "DATA"), draw)
    elif what == "drop" and place:
        del pieces[place]
    elif what == "twice":
        pieces.append(list(pieces[place]))
    elif what == "cut":
        pieces[place] = pieces[place][:-1]
    elif what == "word":
        pieces.append([draw.choice(TEXTS)])
    elif what == "swap":
        pieces.append(pieces.pop(place))
    elif known:
        name = draw.choice(sorted(known))
        pieces.append([name] if known[name] is None else [name, _value(known[name], draw)])


def _value(metavar, draw):
    return draw.choice(VALUES.get(metavar, NUMBERS))


def _options():
    """Return the options of every command, and what their values are called."""
    from errbar.cli.app import app

    found = {}

    def walk(command, path):
        for name in getattr(command, "commands", ()):
            walk(command.get_command(None, name), [*path, name])
        given = [
            one
            for one in command.params
            if one.param_type_name == "option" and "--help" not in one.opts
        ]
        found[" ".join(path)] = {one.opts[0]: None if one.is_flag else one.metavar for one in given}

    walk(app, [])
    return found

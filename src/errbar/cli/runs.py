"""Commands that fit learners, how models and plans are written, and the stores that keep fits."""

import ast
import inspect
import json
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from errbar import _check, fits, study
from errbar._plain import Data, Names, defused, plain
from errbar.cli import gating, output
from errbar.cli.app import StoppedError, print_error
from errbar.cli.gating import NOT_LITERAL
from errbar.cli.output import REPORTS, Asked, check_file, say, say_json, stdout_for_answers
from errbar.errors import ErrbarError, Failure, FitFailedError, InvalidInputError, hint, one_line
from errbar.fits import Store, parallel
from errbar.metrics import LABEL, Target
from errbar.plans import Plan, Union, _plans
from errbar.reading.examples import LabelledExamples, read_examples
from errbar.report import writing
from errbar.report.words import counted, templates
from errbar.table import Counts

# Models and plans that are written as calls; nothing in their text is ever evaluated.

_CALLS = (ast.Call, ast.Name, ast.Attribute)
_PIPELINES = ("make_pipeline", "sklearn.pipeline.make_pipeline")


def _call(text: str, like: str, argument: str) -> ast.expr:
    """Return a text as the call that it is."""
    try:
        node = ast.parse(text.strip(), mode="eval").body
    except NOT_LITERAL:
        node = None
    if not isinstance(node, _CALLS):
        raise InvalidInputError(f"must be written like {like}, got {text!r}", argument=argument)
    return node


def _made(node: ast.expr, kind_of: Any, argument: str) -> Any:
    """Return what a call makes, or a plain value; a name alone is a call without arguments."""
    if not isinstance(node, _CALLS):
        try:
            return ast.literal_eval(node)
        except NOT_LITERAL:
            text = ast.unparse(node)
            raise InvalidInputError(f"has {text!r}, no plain value", argument=argument) from None
    call = node if isinstance(node, ast.Call) else ast.Call(node, [], [])
    kind = kind_of(ast.unparse(call.func))
    values = [_made(one, kind_of, argument) for one in call.args]
    named = {str(one.arg): _made(one.value, kind_of, argument) for one in call.keywords}
    try:
        inspect.signature(kind).bind(*values, **named)
    except TypeError as error:
        raise InvalidInputError(f": {kind.__name__}: {error}", argument=argument) from None
    return kind(*values, **named)


def plan_of(texts: Names | None) -> Plan | None:
    """Return the plans that are written, as one; None where none is, since the method knows its own.

    A plan is a number of folds, or written as in Python, in small letters too: ``Seeds(5, plan=Holdout())``.
    """
    like = "KFold(folds=10, repeats=2)"
    calls = [
        f"KFold({one})" if one.strip().isdigit() else one for one in dict.fromkeys(texts or ())
    ]
    found = [_made(_call(call, like, "plan"), _plan_class, "plan") for call in calls]
    return Union(tuple(found)) if len(found) > 1 else next(iter(found), None)


def _plan_class(name: str) -> Any:
    """Return the class of a plan."""
    known = {
        one: kind
        for one, kind in vars(_plans).items()
        if hasattr(kind, "drawn") and kind.__module__ == _plans.__name__
    }
    for one, kind in known.items():
        if one.lower() == name.lower():
            return kind
    raise InvalidInputError(f"must be one of {', '.join(known)}, got {name!r}", argument="plan")


def parse_models(texts: Names) -> Any:
    """Return estimators by name from texts such as ``name=package.Class(parameter=value)``, and what failed by itself."""
    from sklearn.base import clone

    parallel.loaded.clear()  # the files of a command are those that it names
    learners: Any = {}
    failed: list[Failure] = []
    for text in texts:
        name, equals, source = text.partition("=")
        if not equals or re.match(r"\s*[\w.]+\s*\(", text):  # the equals sign of a parameter
            name, source = "", text
        own, make = _maker(source.strip())
        name = name.strip() or own
        if name in [*learners, *(one.learner for one in failed)]:
            raise InvalidInputError(f"two models are called {name!r}; write NAME=...")
        try:
            with stdout_for_answers():
                made = make()
                clone(made)
                learners[name] = made
        except (ErrbarError, KeyboardInterrupt):
            raise
        except BaseException as error:  # noqa: BLE001 - code of others raises anything
            failed.append(Failure(name, "", f"{source} raised {one_line(error)}"))
    return learners, failed


def _maker(source: str) -> Any:
    """Return the name of the class or object that a model is, and what makes it."""
    file, _, name = source.rpartition(":")
    if file.endswith(".py"):
        return name, partial(_from_file, Path(file), name)
    like = "'nn=KNeighborsClassifier(n_neighbors=1)' or 'mine=models.py:pipeline'"
    node = last = _call(source, like, "model")
    if isinstance(node, ast.Call) and ast.unparse(node.func) in _PIPELINES and node.args:
        last = node.args[-1]
    callee = last.func if isinstance(last, ast.Call) else last
    name = ast.unparse(callee).rpartition(".")[2]
    return name, partial(_made, node, _class_of, "model")


def _class_of(path: str) -> Any:
    """Return a class that is named, with its module unless it is scikit-learn's."""
    if path in _PIPELINES:
        from sklearn.pipeline import make_pipeline

        return make_pipeline
    module, _, name = path.rpartition(".")
    module, kind = module or _module_of(name), None
    try:
        if "__main__" not in module.split("."):
            kind = getattr(import_module(module), name, None)
    except ModuleNotFoundError as error:
        if not f"{module}.".startswith(f"{error.name}."):  # it needs another, and has failed
            raise
    if not inspect.isclass(kind) or not _is_estimator(kind):
        raise InvalidInputError(f": {module} has no estimator class {name!r}", argument="model")
    return kind


def _module_of(name: str) -> str:
    """Return the module of scikit-learn that offers a class, from its text: importing all takes a second."""
    import sklearn

    folder = Path(sklearn.__path__[0])
    offered = re.compile(rf'"{re.escape(name)}"|^class {re.escape(name)}\(', re.MULTILINE)
    for file in (*sorted(folder.glob("[a-z]*/__init__.py")), *sorted(folder.glob("[a-z]*.py"))):
        if offered.search(file.read_text(encoding="utf-8")):
            return f"sklearn.{file.parent.name if file.stem == '__init__' else file.stem}"
    from sklearn.utils import all_estimators

    known = [one for one, _ in all_estimators()]
    raise InvalidInputError(
        f"scikit-learn has no class {name!r}{hint(name, known)}; write others as package.Class or file.py:object"
    )


def _is_estimator(value: Any) -> bool:
    return all(hasattr(value, name) for name in ("fit", "get_params", "set_params"))


def _from_file(path: Path, name: str) -> Any:
    """Run a Python file of the user's and return the estimator that it defines under a name."""
    if not path.is_file():
        raise InvalidInputError(f"there is no file '{path}'")
    value = getattr(parallel.load_file(path), name, None)
    if inspect.isclass(value) or (callable(value) and not _is_estimator(value)):
        value = value()
    if not _is_estimator(value):
        raise InvalidInputError(f"{path} defines no scikit-learn estimator {name!r}")
    return value


# Commands that fit learners: compare, evaluate and demo.

_RUN = ("positive", "pool", "stratify", "random_state", "store")
DEMO = (
    "forest=RandomForestRegressor",
    "svm=make_pipeline(StandardScaler(), SVR(C=20.0))",
    "linear=LinearRegression",
)
SECONDS = 10.0
"""How long a cluster may take to answer."""


def fit(**asked: Any) -> int:
    """Compare several models on the data of a file, or evaluate a single one; return the exit status."""
    check_file(asked["out"], asked, REPORTS)
    looks = asked.get("looks")
    try:
        counts = None if looks is None else tuple(map(int, looks.split(",")))
    except ValueError:
        raise InvalidInputError(
            f"must be numbers of splits such as 15,30,60,100, got {looks!r}", argument="looks"
        ) from None
    if (len(asked["model"]) > 1) != ("looks" in asked):
        raise InvalidInputError("errbar compare takes two --model or more, errbar evaluate one")
    learners, failed = parse_models(asked["model"])
    gates = gating.read(asked, [*learners, *(one.learner for one in failed)], asked["loss"] or [])
    plan = plan_of(asked["plan"])
    data = examples(asked)
    if asked["unweighted_fits"] and data.weights is None:
        raise InvalidInputError("goes with --weight", argument="unweighted_fits")
    how = {"plan": plan, "looks": counts, "fit_weights": not asked["unweighted_fits"]}
    return _run(data.prepared(learners), data, asked, gates, failed, **how)


def examples(asked: Asked) -> LabelledExamples:
    """Return the examples of a file."""
    return read_examples(asked["data"], **output.taken(read_examples, asked))


def demo(**asked: Any) -> int:
    """Ask the blog post's question of scikit-learn's bundled diabetes data."""
    from sklearn.datasets import load_diabetes

    check_file(asked["out"], asked, REPORTS)
    learners, _ = parse_models(DEMO)
    asked |= {"name": asked["name"] or "diabetes", "loss": ["squared-error"]}
    return _run(learners, LabelledExamples(*load_diabetes(return_X_y=True)), asked)


def client_of(address: str) -> Any:
    """Return a client that is connected to the scheduler of a Dask cluster at an address."""
    distributed = _check.package("distributed", "cluster")
    place = address if "://" in address else f"tcp://{address}"
    try:
        # A client that cannot read its address waits and complains when it is thrown away.
        distributed.comm.get_address_host_port(place)
        return distributed.Client(place, timeout=SECONDS, set_as_default=False, name="errbar")
    except (OSError, ValueError, ImportError) as error:
        raise InvalidInputError(
            f"must be the address of a Dask scheduler such as tcp://10.0.0.7:8786, got {address!r} ({one_line(error)})",
            argument="cluster",
        ) from None


def _executor(asked: Asked) -> Any:
    """Return where fits run."""
    cluster, limit = asked.get("cluster"), asked.get("fit_timeout")
    if cluster is None:
        return fits.Workers(asked["jobs"], fit_timeout=limit)
    if limit is not None:
        raise InvalidInputError("is not for a cluster", argument="fit_timeout")
    return client_of(cluster)


def _run(
    learners: Data,
    data: LabelledExamples,
    asked: Asked,
    gates: Any = (),
    failed: Any = (),
    **splits: Any,
) -> int:
    """Fit the learners that could be made, and show what they and those that could not be made come to."""
    each = gating.questions(asked)
    for one in each:  # whose baseline could not be made is about all pairs
        if one.get("baseline") in [failure.learner for failure in failed]:
            one["baseline"] = None
    try:
        if not learners:
            raise FitFailedError("no learner is left")
        progress = output.progress_bar(shown=not asked["quiet"])
        with progress as told, output.stdout_for_answers():
            found = study.compare_all(
                learners,
                data.X,
                data.y,
                each,
                loss=asked["loss"],
                groups=data.groups,
                time=data.time,
                weights=data.weights,
                n_jobs=asked["jobs"],
                executor=_executor(asked),
                progress=told,
                on_error="keep",
                **{name: asked[name] for name in _RUN if name in asked},
                **splits,
            )
    except (FitFailedError, InvalidInputError) as error:
        failures = (*failed, *getattr(error, "failures", ()))
        if not failures:
            raise
        if asked["as_json"]:
            counts = plain(Counts(failed=len(failures)))
            nothing = {"learners": [], "pairs": [], "notes": [], "counts": counts}
            told_of = gating.judged(gates, ()) | output.failures(failures)
            output.say_json({"method": each[0]["method"]} | nothing | told_of)
        output.print_failures(failures)
        return 3
    except KeyboardInterrupt:
        store = asked.get("store")
        kept = f"; the same command goes on from '{store}'" if store else ""
        raise StoppedError(f"stopped{kept}") from None
    noted = [
        replace(one, table=replace(one.table, notes=(*one.table.notes, *data.notes)))
        for one in found
    ]
    failures = (*failed, *found[0].table.failures)
    status = gating.answer(noted, gates, asked, **output.failures(failures))
    output.print_failures(failures)
    return 3 if failures else status


# Commands about stores: info, prune and export.

DATA = "data "
TABLES = (".csv", ".csv.gz", ".csv.xz", ".parquet")


def _opened(path: str) -> Store:
    # SQLite would make a store of a file that is empty, or not there.
    if not Path(path).is_file() or not Path(path).stat().st_size:
        raise InvalidInputError(f"there is no store '{path}'")
    return Store(path)


def info(path: str, *, as_json: bool) -> int:
    """Say what a store holds, and which records are damaged; return the exit status."""
    with _opened(path) as store:
        facts = [record.facts for key, record in store.each() if not key.startswith(DATA)]
        size, damaged = Path(path).stat().st_size, sorted(store.damaged)
    fits = [one for one in facts if "learner" in one and "error" not in one]
    seconds, made = Counter[str](), Counter[str]()
    for one in fits:
        seconds[one["learner"]] += one["seconds"]
        made[one["learner"]] += len(one["splits"])
    failed = [
        {"learner": one["learner"], "split": one["splits"][0], "message": one["error"]}
        for one in facts
        if "error" in one
    ]
    versions = {json.dumps(one["versions"], sort_keys=True) for one in fits}
    found = {
        "path": path,
        "bytes": size,
        "fits": made.total(),
        "failed": len(failed),
        "replicates": len(facts) - len(fits) - len(failed),
        "learners": [
            {"name": name, "fits": made[name], "seconds": round(seconds[name], 3)}
            for name in sorted(made)
        ],
        "data": sorted({one["data"] for one in fits}),
        "versions": list(map(json.loads, sorted(versions))),
        "failures": failed,
        "damaged": damaged,
    }
    if as_json:
        say_json(found)
    else:
        say(templates().get_template("store.txt.jinja").render(found))
    for key in damaged:
        print_error(f"record {key} is damaged; the next run does it again")
    return int(bool(damaged))


def prune(path: str, learner: Names) -> int:
    """Remove the fits of learners, and data that no other has been fitted on; return the exit status."""
    with _opened(path) as store:
        records = [(key, record.facts) for key, record in store.each()]
        gone = {key for key, facts in records if facts.get("learner") in learner}
        data = {key for key, _ in records if key.startswith(DATA)}
        used = {f"{DATA}{facts.get('data')}" for key, facts in records if key not in gone | data}
        store.drop([*gone, *(data - used)])
    say(f"{counted(len(gone), 'record')} removed")
    return 0


def export(path: str, out: str, learner: Names | None) -> int:
    """Write kept predictions into a table, fit by fit; return the exit status."""
    pandas = _check.package("pandas", "app")
    check_file(out, {"data": path}, TABLES)
    with _opened(path) as store:
        frames = [pandas.DataFrame(one) for one in _fits(store, learner)]
        damaged = len(store.damaged)
    if damaged:  # a table that lacks some of them would look like all there is
        raise InvalidInputError(
            f"{counted(damaged, 'record')} of '{path}' cannot be read; run its command again"
        )
    if not frames:
        raise InvalidInputError(f"'{path}' holds no fits that were asked for")
    table = pandas.concat(frames, ignore_index=True)
    with writing(out):
        if out.endswith(".parquet"):
            _check.package("pyarrow", "app")
            try:
                table.to_parquet(out, index=False)
            except (TypeError, ValueError):  # of pyarrow, which has a class of its own for each
                raise InvalidInputError(
                    f"'{out}' cannot hold labels of several types; write .csv"
                ) from None
        else:
            # This line end has the csv module quote cells with either of its parts.
            table.map(defused).rename(columns=defused).to_csv(
                out, index=False, errors="backslashreplace", lineterminator="\r\n"
            )
    count = table.groupby("fit")["split"].nunique().sum()
    say(f"{counted(len(table), 'row')} of {counted(count, 'fit')} written to {out}")
    return 0


def _fits(store: Store, learners: Names | None) -> Iterator[Data]:
    """Yield what each fit has predicted, beside what is true, by column."""
    targets: Any = {}
    for key, record in store.each():
        facts, arrays = record.facts, dict(record.arrays)
        if "learner" not in facts or "error" in facts:
            continue
        if learners and facts["learner"] not in learners:
            continue
        digest = facts["data"]
        if digest not in targets:
            targets[digest] = _target(store, digest)
        target, examples = targets[digest], arrays.pop("examples")
        found = {
            "learner": facts["learner"],
            "fit": key,
            "data": digest,
            "split": np.repeat(facts["splits"], facts["sizes"]),
            "seconds": facts["seconds"],
            "example": examples,
            "truth": target.original(target.values[examples]).astype(object),
        }
        for kind, values in arrays.items():
            if kind == LABEL:  # as objects whole numbers stay whole where other fits have no labels
                found[kind] = target.original(values).astype(object)
            elif values.ndim == 2 and target.classes is not None:
                found |= {f"{kind}_{one}": values[:, k] for k, one in enumerate(target.classes)}
            else:
                found[kind] = values
        yield found


def _target(store: Store, digest: str) -> Target:
    for record in store.find([f"{DATA}{digest}"]).values():
        classes = record.facts["classes"]
        return Target(record.arrays["values"], None if classes is None else np.array(classes))
    raise InvalidInputError(f"'{store.path}' lacks the target of its fits; run their command again")

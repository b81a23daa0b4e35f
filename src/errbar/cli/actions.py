"""What the commands do, once the command line is parsed."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from errbar import engine, report, study
from errbar.cli import catalogue, checks, gating, show
from errbar.cli.complain import StoppedError
from errbar.cli.data import load
from errbar.cli.models import file_digests, parse_models
from errbar.cli.plan import options_of, plan_of, size
from errbar.errors import FitFailedError, InvalidInputError
from errbar.gates import Gate
from errbar.methods import catalogue as all_methods, infer, lookup
from errbar.plans import Plan
from errbar.result import Result
from errbar.sources import read_scores
from errbar.study import Comparison
from errbar.table import LossTable


@dataclass(frozen=True)
class Question:
    """What is asked of the learners: everything but data, learners and plan."""

    methods: Sequence[str]
    baseline: str | None = None
    adjust: str = "holm"
    rope: float | None = None
    level: float = 0.95
    alternative: str = "two-sided"
    options: Sequence[str] = ()
    gates: Sequence[str] = ()

    def arguments(self) -> list[dict[str, Any]]:
        """Return keyword arguments of `study.compare_table`, for each of the methods."""
        options = options_of(self.options)
        specs = [lookup(key) for key in dict.fromkeys(self.methods)]
        for name in options:
            if not any(name in spec.options for spec in specs):
                specs[0].check_options({name: None})
        common = {
            "baseline": self.baseline,
            "adjust": self.adjust,
            "rope": self.rope,
            "level": self.level,
            "alternative": self.alternative,
        }
        return [
            {"method": spec.key, **common} | {name: value for name, value in options.items() if name in spec.options}
            for spec in specs
        ]

    def read_gates(self, learners: Iterable[str]) -> list[Gate]:
        """Return the gates, if they are about these learners."""
        return gating.read(self.gates, learners, self.methods[0])


@dataclass(frozen=True)
class Output:
    """Where the answer goes."""

    out: Path | None = None
    as_json: bool = False
    quiet: bool = False

    def check(self) -> None:
        """Refuse a report that could not be written, before anything is computed."""
        if self.out is not None:
            report.check_path(self.out)


@dataclass(frozen=True)
class Splitting:
    """How the data are split, as far as the user has a wish."""

    plans: Sequence[str] = ()
    folds: int | None = None
    repeats: int | None = None
    halvings: int | None = None
    n_train: str | None = None
    n_test: str | None = None
    stratify: bool = False
    groups: str | None = None

    def plan(self, methods: Sequence[str]) -> Plan:
        """Return the plan for some methods."""
        return plan_of(
            methods,
            self.plans,
            folds=self.folds,
            repeats=self.repeats,
            halvings=self.halvings,
            n_train=self.n_train,
            n_test=self.n_test,
            stratify=self.stratify,
            grouped=self.groups is not None,
        )


@dataclass(frozen=True)
class Fitting:
    """How the fits are done."""

    loss: str | None = None
    jobs: int = 1
    random_state: int = 0
    drop: Sequence[str] = field(default_factory=tuple)
    draws: int | None = None


@dataclass(frozen=True)
class Keeping:
    """Where fits are kept, and what they may cost."""

    store: Path | None = None
    fit_timeout: float | None = None
    memory_limit: str | None = None
    cluster: str | None = None
    versions: tuple[str, ...] = ()
    share: bool = True

    def executor(self, jobs: int) -> Any:
        """Return who does the fits; None leaves the choice to the engine."""
        limited = self.fit_timeout is not None or self.memory_limit is not None
        if self.cluster is not None:
            if limited:
                raise InvalidInputError(
                    "--fit-timeout and --memory-limit are for workers on this machine, not for --cluster"
                )
            from errbar.engine.cluster import Dask

            return Dask(self.cluster)
        # Whoever keeps fits wants the others done even if one of them kills its process.
        if limited or (self.store is not None and engine.Isolated.available()):
            return engine.Isolated(jobs, fit_timeout=self.fit_timeout, memory_limit=self.memory_limit)
        return None

    def version(self, learners: Mapping[str, Any], texts: Sequence[str]) -> dict[str, str]:
        """Return the versions of models by name: those given, else the file of a learner that has code of its own."""
        files = file_digests(texts) if self.store is not None else {}
        unknown = {name: text for name, text in files.items() if not engine.recognisable(learners[name])}
        return unknown | self._given()

    def _given(self) -> dict[str, str]:
        parts = [text.partition("=") for text in self.versions]
        for (name, equals, version), text in zip(parts, self.versions, strict=True):
            if not (name and equals and version):
                raise InvalidInputError(f"--model-version must be written like name=1, got {text!r}")
        return {name: version for name, _, version in parts}


def compare_file(
    path: str,
    target: str,
    models: Sequence[str],
    *,
    question: Question,
    splitting: Splitting,
    fitting: Fitting,
    keeping: Keeping,
    output: Output,
    single: bool,
) -> int:
    """Compare the models on the data of a file, or evaluate a single one; return the exit status."""
    output.check()
    if single and len(models) != 1:
        raise InvalidInputError(f"errbar evaluate takes one --model, got {len(models)}; errbar compare takes several")
    if not single and len(models) < 2:
        raise InvalidInputError(
            f"errbar compare takes at least two --model, got {len(models)}; errbar evaluate takes one"
        )
    learners = parse_models(models)
    question.read_gates(learners)
    plan = splitting.plan(question.methods)
    data = load(path, target, groups=splitting.groups, drop=fitting.drop)
    version = keeping.version(learners, models)
    return _compare(
        data.encode(learners), data.X, data.y, plan, data.groups, question, fitting, keeping, output, version
    )


def demo(output: Output, *, jobs: int, random_state: int) -> int:
    """Ask the blog post's question of scikit-learn's bundled diabetes data."""
    from sklearn.datasets import load_diabetes
    from sklearn.ensemble import RandomForestRegressor
    from sklearn.linear_model import LinearRegression
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler
    from sklearn.svm import SVR

    output.check()
    X, y = load_diabetes(return_X_y=True)
    learners = {
        "forest": RandomForestRegressor(),
        "svm": make_pipeline(StandardScaler(), SVR(C=20.0)),
        "linear": LinearRegression(),
    }
    question = Question(["corrected-t"])
    fitting = Fitting("squared-error", jobs, random_state)
    return _compare(learners, X, y, Splitting().plan(question.methods), None, question, fitting, Keeping(), output)


def _compare(
    learners: Mapping[str, Any],
    X: Any,
    y: Any,
    plan: Plan,
    groups: Any,
    question: Question,
    fitting: Fitting,
    keeping: Keeping,
    output: Output,
    version: Mapping[str, str] | None = None,
) -> int:
    executor = keeping.executor(fitting.jobs)
    try:
        with show.progress_bar(shown=not output.quiet) as progress, show.learners_aside():
            found = study.compare_all(
                learners,
                X,
                y,
                question.arguments(),
                loss=fitting.loss,
                plan=plan,
                groups=groups,
                random_state=fitting.random_state,
                n_jobs=fitting.jobs,
                store=keeping.store,
                executor=executor,
                version=version,
                share=keeping.share,
                progress=progress,
                draws=fitting.draws,
            )
    except FitFailedError as error:
        _show_survivors(error, question, fitting, output, question.read_gates(learners))
        return 3
    except KeyboardInterrupt:
        if keeping.store is None:
            raise
        raise StoppedError(
            f"stopped; finished fits are kept in '{keeping.store}': give the same command again to go on"
        ) from None
    return _answer(found, question.read_gates(learners), output)


def _answer(
    found: Sequence[Comparison], gates: Sequence[Gate], output: Output, extra: Mapping[str, Any] | None = None
) -> int:
    """Show comparisons and what became of the gates; return the exit status."""
    judged = gating.judge(gates, found[0])
    show.comparisons(found, as_json=output.as_json, out=output.out, extra={**gating.data(judged), **(extra or {})})
    return gating.report(judged, as_json=output.as_json)


def _show_survivors(
    error: FitFailedError, question: Question, fitting: Fitting, output: Output, gates: Sequence[Gate]
) -> None:
    """Show what the learners that finished have to say, then what failed."""
    if error.table is not None:
        table: LossTable = error.table
        table = table if fitting.draws is None else table.with_draws(fitting.draws, fitting.random_state)
        found = []
        for arguments in question.arguments():
            baseline = arguments["baseline"] if arguments["baseline"] in table.learners else None
            found.append(study.compare_table(table, **arguments | {"baseline": baseline}))
        _answer(found, gates, output, show.failures(error))
    elif output.as_json:
        nothing: dict[str, Any] = {"method": lookup(question.methods[0]).key, "learners": [], "pairs": [], "notes": []}
        judged = gating.judge(gates, None)
        counts = {"fits": 0, "reused": 0, "failed": len(error.failures), "seconds": 0.0, "shared": []}
        show.say(json.dumps(nothing | {"counts": counts} | gating.data(judged) | show.failures(error), indent=2))
    show.complain_of(error)


def judge_scores(
    path: str,
    *,
    question: Question,
    output: Output,
    n_train: str | None,
    n_test: str | None,
    kind: str | None,
    metric: str | None,
    null: float | None,
    higher_is_better: bool,
) -> int:
    """Apply a method to scores or losses of the user's own; return the exit status."""
    output.check()
    checks.scores_options(kind, metric)
    specs = [lookup(key) for key in question.methods]
    pointwise = any(spec.pointwise for spec in specs)
    natural = None if "subsampling" in specs[0].plans or pointwise else specs[0].plans[0]
    table = read_scores(
        path,
        n_train=None if n_train is None else size(n_train, "--n-train"),
        n_test=None if n_test is None else size(n_test, "--n-test"),
        pointwise=pointwise,
        metric=metric,
        kind=natural if kind is None else kind,
        higher_is_better=higher_is_better,
    )
    if len(table.learners) > 1 and null is not None:
        raise InvalidInputError("--null applies to a file with a single column; differences are tested against 0")
    gates = question.read_gates(table.learners)
    found = [study.compare_table(table, **arguments) for arguments in question.arguments()]
    if len(table.learners) > 1:
        return _answer(found, gates, output)
    results = [_single(table, arguments, null) for arguments in question.arguments()]
    if output.as_json:
        show.comparisons(found, as_json=True, out=output.out, each=[{"result": result.to_dict()} for result in results])
        return 0
    show.say("\n\n".join(show.lines(str(result)) for result in results))
    show.write(found, output.out)
    return 0


def _single(table: LossTable, arguments: Mapping[str, Any], null: float | None) -> Result:
    """Return the test of a single column, such as ready-made differences."""
    own = {name: value for name, value in arguments.items() if name not in ("baseline", "adjust", "rope")}
    return infer(table, null=null, **own)


def list_methods(key: str | None, *, as_json: bool) -> int:
    """Show the catalogue, or explain one method; return the exit status."""
    chosen = [lookup(key)] if key else list(all_methods().values())
    if as_json:
        data = [catalogue.as_data(method) for method in chosen]
        show.say(json.dumps(data[0] if key else data, indent=2))
    elif key:
        show.say(catalogue.explain(chosen[0]))
    else:
        show.say(catalogue.overview())
    return 0

"""What the commands that fit learners do, once the command line is parsed."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from errbar import fits, study
from errbar.cli import gating, show
from errbar.cli.answers import answer, arguments, check_report
from errbar.cli.cluster import client_of
from errbar.cli.fit_options import FitOptions
from errbar.cli.learners_app import Compare, Demo, Evaluate
from errbar.cli.messages import StoppedError
from errbar.cli.models import parse_models
from errbar.cli.plan import looks_of, plan_of, written_plans
from errbar.errors import Failure, FitFailedError, InvalidInputError
from errbar.gates import Gate, Threshold
from errbar.plans import Plan
from errbar.read.examples import LabelledExamples, read_examples
from errbar.study import Comparisons
from errbar.study._looks import METHOD as LOOKS_METHOD


def executor(fitting: FitOptions) -> Any:
    """Return where fits run."""
    if fitting.cluster is None:
        return fits.Workers(fitting.jobs, fit_timeout=fitting.fit_timeout)
    if fitting.fit_timeout is not None:
        raise InvalidInputError("--fit-timeout is for workers on this machine, not for --cluster")
    return client_of(fitting.cluster)


def versions(texts: Sequence[str]) -> dict[str, str]:
    """Return the texts that stand for the code of models, by name."""
    found = {}
    for text in texts:
        name, _, version = text.partition("=")
        if not (name and version):
            raise InvalidInputError(f"--model-version must be written like name=1, got {text!r}")
        found[name] = version
    return found


def compare(asked: Compare) -> int:
    """Compare several models on the data of a file; return the exit status."""
    if len(asked.model) < 2:
        raise InvalidInputError(
            f"errbar compare takes at least two --model, got {len(asked.model)}; errbar evaluate takes one"
        )
    return _run_file(asked)


def evaluate(asked: Evaluate) -> int:
    """Evaluate a single model on the data of a file; return the exit status."""
    if len(asked.model) != 1:
        raise InvalidInputError(
            f"errbar evaluate takes one --model, got {len(asked.model)}; errbar compare takes several"
        )
    return _run_file(asked)


def _run_file(asked: Compare | Evaluate) -> int:
    check_report(asked)
    models = parse_models(asked.model)
    gating.read(asked, models.names, asked.losses)
    written = written_plans(asked)
    content = read_examples(
        asked.data,
        asked.target,
        groups=asked.groups,
        time=asked.time,
        drop=asked.drop or (),
        features=asked.feature or (),
    )
    looks = looks_of(asked) if isinstance(asked, Compare) else None
    methods = asked.methods if looks is None or asked.method else [LOOKS_METHOD]
    plan = plan_of(
        methods, asked, written, n=len(content.y), groups=content.groups, time=content.time
    )
    gone = {one.learner for one in models.failures}
    version = {
        name: text for name, text in versions(asked.model_version or ()).items() if name not in gone
    }
    return _run(
        content.prepared(models.learners), content, plan, asked, version, models.failures, looks
    )


def demo(asked: Demo) -> int:
    """Ask the blog post's question of scikit-learn's bundled diabetes data."""
    from sklearn.datasets import load_diabetes
    from sklearn.ensemble import RandomForestRegressor
    from sklearn.linear_model import LinearRegression
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler
    from sklearn.svm import SVR

    check_report(asked)
    X, y = load_diabetes(return_X_y=True)
    learners = {
        "forest": RandomForestRegressor(),
        "svm": make_pipeline(StandardScaler(), SVR(C=20.0)),
        "linear": LinearRegression(),
    }
    named = vars(asked) | {"name": asked.name or "diabetes"}
    run = FitOptions(loss=["squared-error"], **named)
    return _run(learners, LabelledExamples(X, y), plan_of(run.methods, run), run, {})


def _run(
    learners: Mapping[str, Any],
    data: LabelledExamples,
    plan: Plan | None,
    asked: FitOptions,
    version: Mapping[str, str],
    failed: Sequence[Failure] = (),
    looks: tuple[int, ...] | None = None,
) -> int:
    """Fit the learners that could be made, and show what they and those that could not be made come to."""
    gone = {one.learner for one in failed}
    gates = gating.read(asked, [*learners, *(one.learner for one in failed)], asked.losses)
    try:
        if not learners:
            raise FitFailedError("no learner is left")
        with show.progress_bar(shown=not asked.quiet) as progress, show.stdout_for_answers():
            found = study.compare_all(
                learners,
                data.X,
                data.y,
                [
                    one | {"baseline": None} if one.get("baseline") in gone else one
                    for one in arguments(asked)
                ],
                loss=list(asked.losses) or None,
                positive=asked.positive,
                pool=asked.pool,
                plan=plan,
                groups=data.groups,
                time=data.time,
                random_state=asked.random_state,
                n_jobs=asked.jobs,
                store=asked.store,
                executor=executor(asked),
                version=version,
                share=not asked.no_share,
                progress=progress,
                on_error="keep",
                draws=asked.draws,
                looks=looks,
            )
    except FitFailedError as error:
        _show_nothing((*failed, *error.failures), asked, gates)
        return 3
    except InvalidInputError:  # of a method for two learners, say, of which one is left
        if not failed:
            raise
        _show_nothing(failed, asked, gates)
        return 3
    except KeyboardInterrupt:
        if asked.store is None:
            raise
        raise StoppedError(
            f"stopped; finished fits are kept in '{asked.store}': give the same command again to go on"
        ) from None
    found = Comparisons(
        replace(one, table=replace(one.table, notes=(*one.table.notes, *data.notes)))
        for one in found
    )
    failures = (*failed, *found[0].table.failures)
    status = answer(found, gates, asked, show.failures(failures))
    show.print_failures(failures)
    return 3 if failures else status


def _show_nothing(
    failures: Sequence[Failure], asked: FitOptions, gates: Sequence[Gate | Threshold]
) -> None:
    """Say what failed where no learner has finished; no gate is passed then."""
    if asked.as_json:
        nothing: dict[str, Any] = {
            "method": asked.methods[0],
            "learners": [],
            "pairs": [],
            "notes": [],
        }
        judged = [gating.judge(gate, ()) for gate in gates]
        counts = {"fits": 0, "reused": 0, "failed": len(failures), "seconds": 0.0, "shared": []}
        show.say(
            json.dumps(
                nothing | {"counts": counts} | gating.data(judged) | show.failures(failures),
                indent=2,
            )
        )
    show.print_failures(failures)

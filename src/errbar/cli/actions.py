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
from errbar.cli.plan import looks_of, plan_of
from errbar.errors import Failure, FitFailedError, InvalidInputError
from errbar.gates import Gate, Threshold
from errbar.read.examples import LabelledExamples, read_examples


def compare(asked: Compare) -> int:
    """Compare several models on the data of a file; return the exit status."""
    looks = None if asked.looks is None else looks_of(asked.looks)
    return _run_file(asked, looks)


def evaluate(asked: Evaluate) -> int:
    """Evaluate a single model on the data of a file; return the exit status."""
    return _run_file(asked)


def _run_file(asked: Compare | Evaluate, looks: tuple[int, ...] | None = None) -> int:
    check_report(asked)
    if (len(asked.model) > 1) != isinstance(asked, Compare):
        raise InvalidInputError("errbar compare takes two --model or more, errbar evaluate one")
    models = parse_models(asked.model)
    gating.read(asked, models.names, asked.losses)
    plan = plan_of(asked.plan or ())
    data = read_examples(
        asked.data,
        asked.target,
        groups=asked.groups,
        time=asked.time,
        drop=asked.drop or (),
        features=asked.feature or (),
    )
    learners = data.prepared(models.learners)
    return _run(learners, data, asked, models.failures, plan=plan, looks=looks)


def demo(asked: Demo) -> int:
    """Ask the blog post's question of scikit-learn's bundled diabetes data."""
    from sklearn.datasets import load_diabetes
    from sklearn.ensemble import RandomForestRegressor
    from sklearn.linear_model import LinearRegression
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler
    from sklearn.svm import SVR

    check_report(asked)
    learners = {
        "forest": RandomForestRegressor(),
        "svm": make_pipeline(StandardScaler(), SVR(C=20.0)),
        "linear": LinearRegression(),
    }
    named = vars(asked) | {"name": asked.name or "diabetes"}
    run = FitOptions(loss=["squared-error"], **named)
    return _run(learners, LabelledExamples(*load_diabetes(return_X_y=True)), run)


def _executor(asked: FitOptions) -> Any:
    """Return where fits run."""
    if asked.cluster is None:
        return fits.Workers(asked.jobs, fit_timeout=asked.fit_timeout)
    if asked.fit_timeout is not None:
        raise InvalidInputError("is not for a cluster", argument="fit_timeout")
    return client_of(asked.cluster)


def _run(
    learners: Mapping[str, Any],
    data: LabelledExamples,
    asked: FitOptions,
    failed: Sequence[Failure] = (),
    **splits: Any,
) -> int:
    """Fit the learners that could be made, and show what they and those that could not be made come to."""
    gone = {one.learner for one in failed}
    gates = gating.read(asked, [*learners, *gone], asked.losses)
    questions = [
        one | {"baseline": None} if one.get("baseline") in gone else one for one in arguments(asked)
    ]
    try:
        if not learners:
            raise FitFailedError("no learner is left")
        with show.progress_bar(shown=not asked.quiet) as progress, show.stdout_for_answers():
            found = study.compare_all(
                learners,
                data.X,
                data.y,
                questions,
                loss=list(asked.losses) or None,
                positive=asked.positive,
                pool=asked.pool,
                groups=data.groups,
                time=data.time,
                stratify=asked.stratify,
                random_state=asked.random_state,
                n_jobs=asked.jobs,
                store=asked.store,
                executor=_executor(asked),
                progress=progress,
                on_error="keep",
                **splits,
            )
    except (FitFailedError, InvalidInputError) as error:
        failures = (*failed, *getattr(error, "failures", ()))
        if not failures:
            raise
        _show_nothing(failures, asked, gates)
        return 3
    except KeyboardInterrupt:
        kept = f"; the same command goes on from '{asked.store}'" if asked.store else ""
        raise StoppedError(f"stopped{kept}") from None
    noted = [
        replace(one, table=replace(one.table, notes=(*one.table.notes, *data.notes)))
        for one in found
    ]
    failures = (*failed, *found[0].table.failures)
    status = answer(noted, gates, asked, show.failures(failures))
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
            "counts": {
                "fits": 0,
                "reused": 0,
                "failed": len(failures),
                "seconds": 0.0,
                "shared": [],
            },
        }
        judged = [gating.judge(gate, ()) for gate in gates]
        show.say(json.dumps(nothing | gating.data(judged) | show.failures(failures), indent=2))
    show.print_failures(failures)

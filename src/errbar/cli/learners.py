"""Commands that fit learners: compare, evaluate and demo."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from errbar import _check, fits, study
from errbar._plain import plain
from errbar.cli import gating, output
from errbar.cli.messages import StoppedError
from errbar.cli.output import REPORTS, Asked
from errbar.cli.tables import questions
from errbar.cli.written import parse_models, plan_of
from errbar.errors import Failure, FitFailedError, InvalidInputError, one_line
from errbar.reading.examples import LabelledExamples, read_examples
from errbar.table import Counts

_RUN = ("positive", "pool", "stratify", "random_state", "store")
SECONDS = 10.0
"""How long a cluster may take to answer."""


def compare(**asked: Any) -> int:
    """Compare several models on the data of a file; return the exit status."""
    looks = asked["looks"]
    try:
        counts = None if looks is None else tuple(map(int, looks.split(",")))
    except ValueError:
        raise InvalidInputError(
            f"must be numbers of splits such as 15,30,60,100, got {looks!r}", argument="looks"
        ) from None
    return _of_file(asked, looks=counts)


def evaluate(**asked: Any) -> int:
    """Evaluate a single model on the data of a file; return the exit status."""
    return _of_file(asked)


def _of_file(asked: Asked, **splits: Any) -> int:
    output.check_out(asked, *REPORTS)
    if (len(asked["model"]) > 1) != ("looks" in asked):
        raise InvalidInputError("errbar compare takes two --model or more, errbar evaluate one")
    learners, failed = parse_models(asked["model"])
    gates = gating.read(asked, [*learners, *(one.learner for one in failed)], asked["loss"] or [])
    plan = plan_of(asked["plan"])
    data = read_examples(
        asked["data"],
        asked["target"],
        groups=asked["groups"],
        time=asked["time"],
        drop=asked["drop"] or (),
        features=asked["feature"] or (),
    )
    return _run(data.prepared(learners), data, asked, gates, failed, plan=plan, **splits)


def demo(**asked: Any) -> int:
    """Ask the blog post's question of scikit-learn's bundled diabetes data."""
    from sklearn.datasets import load_diabetes
    from sklearn.ensemble import RandomForestRegressor
    from sklearn.linear_model import LinearRegression
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler
    from sklearn.svm import SVR

    output.check_out(asked, *REPORTS)
    learners = {
        "forest": RandomForestRegressor(),
        "svm": make_pipeline(StandardScaler(), SVR(C=20.0)),
        "linear": LinearRegression(),
    }
    asked |= {"name": asked["name"] or "diabetes", "loss": ["squared-error"]}
    return _run(learners, LabelledExamples(*load_diabetes(return_X_y=True)), asked)


def client_of(address: str) -> Any:
    """Return a client that is connected to the scheduler of a Dask cluster at an address."""
    distributed = _check.package("distributed", "cluster")
    place = address if "://" in address else f"tcp://{address}"
    try:
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
    learners: Mapping[str, Any],
    data: LabelledExamples,
    asked: Asked,
    gates: Sequence[gating.AnyGate] = (),
    failed: Sequence[Failure] = (),
    **splits: Any,
) -> int:
    """Fit the learners that could be made, and show what they and those that could not be made come to."""
    each = questions(asked)
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
            nothing = dict.fromkeys(("learners", "pairs", "notes"), ())
            counts = plain(Counts(failed=len(failures)))
            judged = gating.data(gates, ())
            output.say_json(
                {"method": each[0]["method"], **nothing, "counts": counts}
                | judged
                | output.failures(failures)
            )
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

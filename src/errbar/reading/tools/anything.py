"""One door for all that holds numbers of learners: each kind is known by what it is."""

from collections.abc import Mapping
from itertools import chain
from pathlib import Path
from typing import Any

from errbar.errors import InvalidInputError
from errbar.reading.sheet import frame_of
from errbar.reading.table import read_table
from errbar.reading.tools import as_list, coco, trec_run
from errbar.reading.tools.logs import read_logs, table_of_tasks, tool_of
from errbar.reading.tools.several import is_run, together
from errbar.reading.tools.sklearn import from_cross_validate, from_search
from errbar.reading.tools.skore import from_skore
from errbar.table import LossTable


def read(source: Any, **said: Any) -> LossTable:
    """Read scores, losses or predictions, whatever holds them.

    Parameters
    ----------
    source : object
        One of

        * a file or frame of columns, as for `errbar.read_table`; with ``tasks=``, ``"equal"`` or
          ``"pooled"``, of questions of several tasks (`dataset`), as for `errbar.read_logs`;
        * several files or frames of one run each, in a list or by name: each is a learner, called like
          its file or name, unless a column says so. Several of one name are runs, told apart by a column
          ``run``. Of Hugging Face's ``trainer_state.json`` the last evaluation is read;
        * logs of lm-evaluation-harness, Inspect, promptfoo, deepeval, HELM or trec_eval: files, a folder,
          or a mapping of names to them, as for `errbar.read_logs`;
        * detections in the format of COCO, a JSON list of boxes for each model, with ``truth=``, the file of
          the true boxes, and ``metric=``, ``"map"``, ``"map50"`` or ``"map75"``;
        * runs in the format of TREC, with ``truth=``, the file of judgements (qrels), and ``metric=``,
          ``"map"``, ``"ndcg"`` or ``"recip_rank"``, with ``"_cut_10"`` for ten documents;
        * a result of scikit-learn's ``cross_validate``, or a mapping of names to such results, or to
          frames of julearn, as for `errbar.from_cross_validate`;
        * a fitted search of scikit-learn, or its ``cv_results_``, also in a file: each candidate is a learner, named
          by the parameters in which it differs; say ``n_train`` and ``n_test``, and perhaps ``metric``
          and ``kind``;
        * a report of skore, as for `errbar.from_skore`.
    **said : object
        What is said of it, such as ``fold="cv_fold"``: as for the function of the kind.

    Returns
    -------
    LossTable

    Raises
    ------
    UnsaidRoleError, InvalidInputError, PairingError
        As the function of the kind.

    Examples
    --------
    >>> import errbar
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.model_selection import GridSearchCV
    >>> from sklearn.neighbors import KNeighborsClassifier
    >>> search = GridSearchCV(KNeighborsClassifier(), {"n_neighbors": [1, 5]}, cv=10)
    >>> found = errbar.read(search.fit(*load_iris(return_X_y=True)), n_train=135, n_test=15)
    >>> found.learners
    ('n_neighbors=1', 'n_neighbors=5')
    """
    if hasattr(source, "cv_results_") or _is_search(source):
        return from_search(source, **said)
    if _has(source, "fit_time", "test_"):
        return from_cross_validate({"learner": source}, **said)
    if type(source).__module__.partition(".")[0] == "skore":
        return from_skore(source, **said)
    parts = list(source.values()) if isinstance(source, Mapping) else source
    if isinstance(source, Mapping) and all(_has(one, "", "test_") for one in parts):
        return from_cross_validate(source, **said)
    if isinstance(source, str | Path):
        return read_files([source], **said)
    if isinstance(parts, list | tuple) and parts and all(map(_is_file, parts)):
        return read_files(source, **said)
    return _of_table(source, **said)


def read_files(sources: Any, **said: Any) -> LossTable:
    """Return the table of files or frames, a sequence or by name: logs of one tool, one table, or one of each run."""
    named = isinstance(sources, Mapping)
    given = list(chain.from_iterable(map(as_list, sources.values() if named else sources)))
    places = [Path(one) for one in given if isinstance(one, str | Path)]
    of_files = len(places) == len(given)
    if of_files and tool_of(places) is not None:
        return read_logs(sources, **said)
    for tool in (coco, trec_run) if of_files else ():
        if all(one.is_file() and tool.is_results(one) for one in places):
            names = map(str, sources) if named else [one.stem for one in places]
            return tool.from_results(dict(zip(names, places, strict=True)), **said)
    if len(given) > 1 or named or (of_files and is_run(places[0])):
        frame, said = together(sources, said)
        return _of_table(frame, **said)
    return _of_table(given[0], **said)


def _of_table(source: Any, tasks: str | None = None, **said: Any) -> LossTable:
    if tasks is not None:
        return table_of_tasks(source, tasks, **said)
    frame = frame_of(source)
    if _has(frame, "number", "params_"):
        raise InvalidInputError(
            "trials of a search are candidates, no sample; keep the scores of each fold (errbar.keep, errbar.tune)"
        )
    return from_search(frame, **said) if _is_search(frame) else read_table(frame, **said)


def _is_search(source: Any) -> bool:
    return _has(source, "params", "split0_test_")


def _is_file(one: Any) -> bool:
    """Tell whether something is a path or a frame; texts in a list may be labels, unless they are paths."""
    if isinstance(one, list | tuple):
        return bool(one) and all(
            hasattr(part, "columns") or Path(str(part)).exists() for part in one
        )
    return isinstance(one, str | Path) or hasattr(one, "columns")


def _has(source: Any, column: str, beginning: str) -> bool:
    """Tell whether something has a column, and others whose names begin alike."""
    columns = getattr(source, "columns", source if isinstance(source, Mapping) else ())
    names = [name for name in columns if isinstance(name, str)]
    return (not column or column in names) and any(name.startswith(beginning) for name in names)

"""How worker processes on this machine come to a workload: through a folder, from which the data are mapped into memory."""

import pickle
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from errbar.engine.tasks import Workload
from errbar.errors import ErrbarError


class WorkerError(ErrbarError, RuntimeError):
    """Worker processes cannot be started; fits that were finished before are kept."""


def dumps(value: Any) -> bytes:
    """Return the pickle of an object; classes from a notebook or a script, which workers cannot import, go by value."""
    from joblib.externals.loky.backend.reduction import dumps as by_value

    return bytes(by_value(value))


@contextmanager
def handed_over(workload: Workload) -> Iterator[str]:
    """Write a workload into a folder that lasts as long as the context.

    Raises
    ------
    WorkerError
        If there is no room for it.
    """
    from joblib import dump

    with tempfile.TemporaryDirectory(prefix="errbar-", ignore_cleanup_errors=True) as folder:
        try:
            dump(workload.shared, str(Path(folder) / "data"))
            (Path(folder) / "workload").write_bytes(dumps(replace(workload, shared=None)))  # type: ignore[type-var]  # a dataclass
        except OSError as error:
            raise WorkerError(
                f"the data cannot be written to '{folder}', where workers would read them: {error.strerror or error}; "
                "the environment variable TMPDIR names another place"
            ) from None
        yield folder


def received(folder: str) -> Workload:
    """Return the workload that was written into a folder, its data mapped into memory."""
    from joblib import load

    light = pickle.loads((Path(folder) / "workload").read_bytes())
    workload: Workload = replace(light, shared=load(str(Path(folder) / "data"), mmap_mode="r"))
    return workload

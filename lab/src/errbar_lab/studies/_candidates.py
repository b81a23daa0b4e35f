"""Methods that a calibration tries, and why others cannot be tried on the data at hand."""

from collections.abc import Sequence
from dataclasses import dataclass

from errbar import _check, metrics
from errbar.errors import InvalidInputError
from errbar.measuring import Cells, Tested, refuse_undefined
from errbar.methods._core.infer import require_loss, suits, unsuitable
from errbar.methods._core.registry import lookup
from errbar.plans import KFold, Subsampling, draw, plan_of
from errbar.split_columns import SplitColumns
from errbar_lab._scenario import Analysis, Procedure, Target
from errbar_lab._simulation import as_procedures
from errbar_lab.studies._population import Drawn

FOLDS = 10

METHODS = (
    Analysis("holdout-t"),
    Analysis("corrected-t", Subsampling(repeats=15)),
    Analysis("corrected-t", KFold(FOLDS, repeats=3), name="corrected-t 3x10 folds"),
    Analysis("cv-t", KFold(FOLDS, repeats=2)),
    Analysis("cv-wald"),
    Analysis("cluster-t"),
    Analysis("kfold-t"),
    Analysis("resampled-t"),
)
"""The methods that are tried unless others are named; together they cost 46 fits per learner and data set."""


@dataclass(frozen=True, eq=False)
class KnownData:
    """What methods may need to know of a data set before anything is fitted.

    Attributes
    ----------
    drawn : Drawn
        Its examples.
    target : Target
        What is to be predicted of them.
    loss : Loss
        What is computed.
    targets : sequence of tuple
        Learners and differences.
    """

    drawn: Drawn
    target: metrics.Target
    loss: metrics.Loss
    targets: Sequence[Target]

    def require(self, procedure: Procedure) -> None:
        """Raise if a method does not fit, with the reason."""
        own, key = self.drawn, procedure.method if isinstance(procedure, Analysis) else None
        if not any(map(procedure.applies_to, self.targets)):
            what = (
                "compares two learners"
                if key is None or lookup(key).subject == "pair"
                else "is for one learner"
            )
            raise InvalidInputError(
                f"method {procedure.name!r} {what}, and here single learners are judged"
            )
        for plan in procedure.plans:
            splits = draw(plan, own.n, 0, own.y, own.groups)
            columns = SplitColumns.of(splits, self.target.codes)
            if key is not None:
                self._require_design(key, columns)
            cells = Cells.of([split.test for split in splits.splits])
            refuse_undefined(self.loss, Tested(self.target, columns, cells))

    def _require_design(self, key: str, columns: SplitColumns) -> None:
        spec, [design], repeats = lookup(key), columns.designs, [columns.repeats(0)]
        if spec.quantity is not None:
            raise InvalidInputError(
                f"method {spec.key!r} estimates the {spec.quantity}, and no risk that its interval could hold"
            )
        require_loss(spec, self.loss, [design], repeats)
        if not spec.takes(design.kind, repeats[0]):
            raise unsuitable(spec, [design], repeats)
        suits(spec, design)


def candidates(
    methods: Sequence[str | Procedure] | None, data: Sequence[KnownData], *, stratify: bool
) -> tuple[tuple[Procedure, ...], dict[str, str]]:
    """Return the methods that fit all of some data sets, and by name why others do not.

    Raises
    ------
    InvalidInputError
        If a method was asked for and does not fit, or none of the usual ones does.
    """
    asked = as_procedures(METHODS if methods is None else methods)
    _check.names([one.name for one in asked], "method")
    found, left_out = [], {}
    for one in asked:
        try:
            adapted = _adapted(one, data[0].drawn, stratify=stratify)
            for each in data:
                each.require(adapted)
        except InvalidInputError as error:
            if methods is not None:
                raise
            left_out[one.name] = str(error)
            continue
        found.append(adapted)
    if not found:
        name, reason = next(iter(left_out.items()))
        raise InvalidInputError(f"none of the usual methods fits such data sets; {name}: {reason}")
    return tuple(found), left_out


def _adapted(procedure: Procedure, data: Drawn, *, stratify: bool) -> Procedure:
    """Return a method on its own plan, stratified where that is asked for, and with as many folds as there are groups at most."""
    if not isinstance(procedure, Analysis):
        return procedure
    [plan] = procedure.plans
    units = FOLDS if data.groups is None else int(data.groups.max()) + 1
    if isinstance(plan, KFold) and plan.folds == FOLDS > units:
        plan = KFold(units, repeats=plan.repeats)
    return Analysis(
        procedure.method,
        plan_of(plan, stratify=True) if stratify else plan,
        procedure.options,
        procedure.name,
    )

"""What is known after a search: the selected candidate's risk, what tuning bought, and who may be the best."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from scipy import special

import errbar
from errbar import _check, _rng
from errbar._plain import Shown, plain
from errbar.design import SplitColumns
from errbar.errors import UnsuitablePlanError
from errbar.methods._core.fitting import method_for
from errbar.methods._core.infer import Settled, settle
from errbar.metrics import Loss
from errbar.plans import Holdout, KFold, Subsampling, Training
from errbar.reading.tools.sklearn import short
from errbar.result import Interval, Note, Notes, Result
from errbar.table import LossTable
from errbar.tuning._selection import Losses, Samples, possible_best

if TYPE_CHECKING:
    from errbar.tuning._kept import Kept

SAMPLES = 1000
"""Bootstrap samples of the selection."""

_KINDS = (KFold.kind, Subsampling.kind, Holdout.kind)


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Candidates:
    """Out-of-fold losses of all candidates, and which of them was selected; for attributes see `Tuned`.

    `selecting` are the losses that the search selects by, where these are others.
    """

    table: LossTable
    parameters: Mapping[str, Mapping[str, Any]]
    winner: str = ""
    baseline: str | None = None
    selecting: LossTable | None = None
    reported: float = math.nan
    search: Any = None
    extra_fits: int = 0

    @property
    def tried(self) -> tuple[str, ...]:
        """Names of the candidates of the search, the best mean first; a baseline that was fitted apart is none."""
        # It stands last, and was never selected from.
        names = self.table.learners[: len(self.table.learners) - bool(self.extra_fits)]
        means = self.table.scores.mean(axis=1)[: len(names)]
        return tuple(names[place] for place in np.argsort(means, kind="stable"))

    def with_note(self, note: Note) -> Self:
        return replace(self, table=replace(self.table, notes=(*self.table.notes, note)))


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Tuned(Shown, Candidates):
    """What is known of the candidate that was selected, and of all others.

    Attributes
    ----------
    result : Result
        The expected risk of the selected candidate, selection accounted for.
    plain : Result
        The same as if it had been the only one.
    gain : Result or None
        What tuning bought: how much better the selected candidate is than the baseline, above 0 if it
        is better in either direction; None without a baseline.
    possible_best : names of the candidates that are not ruled out as best, by their estimates
    table : LossTable
        Out-of-fold losses of all candidates; ``table.with_loss("f1")`` gives another loss.
    parameters : mapping of str to mapping
        Parameters of each candidate by its name.
    winner, baseline : names of the selected candidate, and of the one that the gain is over
    reported : float
        The winner's score or loss as the search reports it.
    search : the fitted search, as scikit-learn made it; None where there is none
    extra_fits : fits that were made for the baseline
    """

    result: Result
    plain: Result
    gain: Result | None
    possible_best: tuple[str, ...]
    settled: Settled

    samples = SAMPLES

    @property
    def estimate(self) -> float:
        """Expected score or loss of the selected candidate on new data."""
        return self.result.estimate

    @property
    def interval(self) -> Interval:
        """Its interval, selection accounted for."""
        return self.result.interval

    @property
    def level(self) -> float:
        """Level of all intervals."""
        return self.result.level

    @property
    def notes(self) -> Notes:
        """Caveats."""
        return self.result.notes

    @property
    def shift(self) -> float:
        """By how much the out-of-fold estimate of the selected candidate is too good."""
        return abs(self.plain.estimate - self.result.estimate)

    @cached_property
    def candidates(self) -> dict[str, Result]:
        """Each candidate as if it were the only one, the best first."""
        return {name: self.settled.result(name, level=self.level) for name in self.tried}

    def curves(self) -> dict[str, dict[str, str]]:
        """Return the best candidate at each value of each parameter, by name and value, in ascending order."""
        tried = [(name, self.parameters[name]) for name in self.tried]
        found: dict[str, dict[str, str]] = {}
        for parameter in dict.fromkeys(key for _, own in tried for key in own):
            values = [(own[parameter], name) for name, own in tried if parameter in own]
            best: dict[str, str] = {}
            # The best candidate comes first, and sorting keeps the order of equal values.
            for value, name in sorted(values, key=lambda one: _order(one[0])):
                best.setdefault(short(value), name)
            found[parameter] = best
        return {parameter: best for parameter, best in found.items() if len(best) > 1}

    @property
    def dropped(self) -> tuple[str, ...]:
        """Names of the candidates that are ruled out as best."""
        return tuple(name for name in self.tried if name not in {*self.possible_best})

    def plot(self, parameter: str | None = None, ax: Any = None) -> Any:
        """Draw candidates with their intervals, or the curve of a parameter, as `errbar.plots` does."""
        if parameter is None:
            return errbar.plots.intervals(self, ax=ax)
        return errbar.plots.tuning(self, parameter, ax=ax)

    def named(self, name: str) -> Self:
        """Return the same with a name of its data, which reports show."""
        return replace(self, table=replace(self.table, name=name))

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON."""
        table, rows = self.table, []
        for name, one in self.candidates.items():
            numbers = {key: getattr(one, key) for key in ("estimate", "se", "low", "high")}
            given = {key: _written(value) for key, value in self.parameters[name].items()}
            possible = name in self.possible_best
            rows.append({"name": name, "parameters": given, **numbers, "possible": possible})
        parts = ("level", "winner", "baseline", "reported", "possible_best", "extra_fits", "notes")
        results = {"result": self.result, "plain": self.plain, "gain": self.gain}
        found = {
            "loss": table.loss.key,
            "direction": table.loss.direction,
            **{name: getattr(self, name) for name in parts},
            **{name: one and one.to_dict() for name, one in results.items()},
            "candidates": rows,
            "counts": replace(table.counts, seconds=round(table.counts.seconds, 3)),
            "provenance": table.provenance,
        }
        return plain(found)

    def to_frame(self) -> Any:
        """Return a pandas frame with a row per candidate: its parameters, estimate, and whether it may be the best."""
        pandas = _check.package("pandas", "app")
        return pandas.json_normalize(self.to_dict()["candidates"], sep="_")


def _order(value: Any) -> tuple[bool, float, str]:
    """Return where a value of a parameter stands: numbers first."""
    number = isinstance(value, (int, float, np.number)) and not isinstance(value, bool)
    return not number, float(value) if number else 0.0, repr(value)


def _written(value: Any) -> Any:
    return value if isinstance(value, (bool, int, float, str, type(None))) else repr(value)


def tuned(
    source: "Kept | LossTable",
    *,
    baseline: str | None = None,
    level: float = 0.95,
    random_state: Any = None,
) -> Tuned:
    r"""Say what is known after the best of several candidates was selected by its out-of-fold losses.

    Parameters
    ----------
    source : Kept or LossTable
        What `errbar.keep` has kept, or a table of losses of examples, such as those that
        `errbar.run` and `errbar.from_predictions` make; each learner is a candidate.
    baseline : str, optional
        Name of the candidate that the selected one is compared with.
    level : float, default 0.95
    random_state : None, int or NumPy generator, optional
        Root of the bootstrap; by default that of the run.

    Returns
    -------
    Tuned

    Raises
    ------
    InvalidInputError, UnsuitablePlanError
        If there are no losses of examples; if the splits are in the order of time, or neither folds,
        random splits nor one test set.

    Notes
    -----
    Candidate c has the out-of-fold losses :math:`l_{ci}` and the mean :math:`m_c`; w, with the best
    mean, is selected. A bootstrap sample of the examples (or groups) selects :math:`w_b`, and the
    examples that it has left out assess that ([1]_): with :math:`\hat e` the mean over samples of
    the mean loss :math:`e_b` of :math:`w_b` on them, the shift is :math:`s = \hat e - m_w`. With
    :math:`[m_w - a, m_w + a']` the interval of w alone, by the method that its splits call for,

    .. math:: \left[\tfrac12 \left(\min(m_w, \hat e) - a + \hat e - q a\right),\ \hat e + q a'\right],
              \qquad q^2 = \max\left(1, \frac{v}{n\,SE^2} \left(1 + \frac{n_2}{n_1}\right)\right),

    where v is the mean variance of the losses of :math:`w_b` on the examples left out: that of w is
    too small for the same reason as its mean is. A metric such as F1 is selected by its mean over
    splits, as searches do, and told of folds put together. The lower end moves by half of the shift, since
    samples hold fewer different examples than the data, so the shift is too large where few
    candidates are good. There is no theory of that; :doc:`/studies/tuned` has its coverage. What
    tuning bought is the same for differences from the baseline, with :math:`\hat e \pm q a`. A
    candidate may be the best unless the largest of its studentized differences from all others is
    above the :math:`1 - \alpha` quantile of what it is in the samples ([2]_).

    References
    ----------
    .. [1] Tsamardinos, I., Greasidou, E. & Borboudakis, G. (2018). Bootstrapping the out-of-sample
       predictions for efficient and accurate cross-validation. Machine Learning 107, 1895-1922,
       algorithm 3.
    .. [2] Lei, J. (2020). Cross-validation with confidence. Journal of the American Statistical
       Association 115, 1978-1997.

    Examples
    --------
    >>> import errbar
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.neighbors import KNeighborsClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> learners = {f"{k} neighbours": KNeighborsClassifier(k) for k in (1, 5, 25, 75)}
    >>> table = errbar.run(learners, X, y, plan=10, random_state=0)
    >>> found = errbar.tuned(table)
    >>> found.winner, found.plain.estimate < found.estimate < found.interval.high
    ('5 neighbours', True)
    """
    if isinstance(source, LossTable):
        given = Candidates(table=source, parameters={name: {} for name in source.learners})
    else:
        must = "must be what errbar.keep returns, or a LossTable"
        _check.require(hasattr(source, "candidates"), must, source, "source")
        given = source.candidates()
    if baseline is not None:
        given = replace(given, baseline=_check.choice(baseline, given.table.learners, "baseline"))
    return told(given, level=level, random_state=random_state)


def told(given: Candidates, *, level: float, random_state: Any = None) -> Tuned:
    level = _check.level(level)
    require_any_order(given.table.splits)
    table = given.table.with_influence()
    names, losses = table.learners, Losses.of(table)
    tried = len(given.tried)
    by = (given.selecting or averaged(table)).with_influence()
    selecting = (losses if by is table else Losses.of(by)).only(tried)
    place = names.index(given.winner) if given.winner else int(selecting.means.argmin())
    settled = settle(method_for(table.subset([names[place]])), table)
    alone = settled.result(names[place], level=level)
    root = table.provenance.get("random_state", 0) if random_state is None else random_state
    base = int(root) if isinstance(root, str) else _rng.root(root)
    samples = apart = Samples.of(selecting, SAMPLES, _rng.stream(base, "selection"))
    if by is not table:
        apart = Samples.of(losses.only(tried), SAMPLES, _rng.stream(base, "possible"))
    gain = None
    if given.baseline is not None:
        gain = _gain(settled, losses, samples, place, names.index(given.baseline), level)
    tail, wider = (1.0 - level) / 2.0, 1.0
    if isinstance(alone.df, (int, float)):
        wider = float(special.stdtrit(alone.df, tail) / special.ndtri(tail))
    possible = possible_best(apart, losses.only(tried), place, 1.0 - level, wider)
    known = {
        "table": table,
        "winner": names[place],
        "reported": alone.estimate if math.isnan(given.reported) else given.reported,
    }
    return Tuned(
        **vars(given) | known,
        result=_result(alone, losses, samples, table.loss).with_notes(*table.notes),
        plain=alone,
        gain=gain,
        possible_best=tuple(name for name in given.tried if possible[names.index(name)]),
        settled=settled,
    )


def require_any_order(splits: SplitColumns) -> None:
    """Raise unless splits are of a kind for which the error of selection is known."""
    [design, *others] = splits.designs
    known = design.kind in _KINDS and not others and design.seeds == 1
    plain = design.time is None and design.weights is None
    if not known or not plain or design.training is Training.ORDERED:
        raise UnsuitablePlanError(
            "selection is accounted for on folds, random splits or one test set of examples in any order, without weights; "
            "else compare the search itself, as a learner: errbar.compare"
        )


def averaged(table: LossTable) -> LossTable:
    """Return a table whose metric is computed of each split, as searches do, where predictions are known."""
    if table.loss.pointwise or table.loss.pool == "none" or table.predictions is None:
        return table
    return table.with_loss(replace(table.loss, pool="none"))


def _result(alone: Result, losses: Losses, samples: Samples, loss: Loss) -> Result:
    """Return the result of the selected candidate with the selection accounted for."""
    left = samples.left_out(losses, samples.chosen)
    # Losses of a selected candidate vary less than they will on other data.
    se = max(alone.se, losses.squared_error(left.variance) ** 0.5) if alone.se else 0.0
    wider = se / alone.se if se else 1.0
    worse = alone.mirrored() if loss.higher_is_better else alone
    mean = worse.estimate
    expected = mean + left.mean - float(losses.means[samples.best])
    low = (min(mean, expected) + expected - (1.0 + wider) * (mean - worse.low)) / 2.0
    high = expected + wider * (worse.high - mean)
    least, most = sorted(loss.sign * end for end in loss.range)
    moved = replace(
        worse,
        method="tuned",
        estimate=expected,
        se=se,
        interval=Interval(max(low, least), min(high, most)),
        statistic=math.nan,
        pvalue=math.nan,
    )
    return moved.mirrored() if loss.higher_is_better else moved


def _gain(
    settled: Settled, losses: Losses, samples: Samples, winner: int, baseline: int, level: float
) -> Result:
    """Return by how much the selected candidate is better than the baseline, with the selection accounted for."""
    names, loss = settled.table.learners, settled.table.loss
    estimate = se = 0.0
    if winner == baseline:
        # Nothing was bought, whatever other samples would have chosen.
        alone = settled.result(names[winner], level=level)
        alone = replace(alone, minus=names[baseline], notes=())
    else:
        first, second = (winner, baseline) if loss.higher_is_better else (baseline, winner)
        alone = settled.result(names[first], names[second], level=level)
        bought = losses.minus(baseline)
        left = samples.left_out(bought, samples.chosen)
        estimate, se = left.mean, max(alone.se, bought.squared_error(left.variance) ** 0.5)
    df = alone.df if isinstance(alone.df, (int, float)) else math.inf
    half = -se * float(special.stdtrit(df, (1.0 - level) / 2.0))
    most = loss.range[1] - loss.range[0]
    statistic = estimate / se if se > 0.0 else 0.0
    return replace(
        alone,
        method="tuned",
        estimate=estimate,
        se=se,
        interval=Interval(max(estimate - half, -most), min(estimate + half, most)),
        statistic=statistic,
        pvalue=2.0 * float(special.stdtr(df, -abs(statistic))),
    )

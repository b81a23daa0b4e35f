"""Boards of many models on many items: their scores, and simultaneous intervals of their ranks."""

import base64
import json
import math
import zlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import special

import errbar
from errbar import _check, _rng
from errbar._check import FloatArray, IntArray
from errbar._plain import Shown, plain
from errbar.design import FEWEST_CLUSTERS
from errbar.errors import InvalidInputError
from errbar.reading.items import ItemScores, read_items
from errbar.reading.sheet import UnsaidRoleError
from errbar.reading.tools.logs import EQUAL, POOLED, task_weights
from errbar.result import Note

__all__ = ["Board", "Place", "board", "rank_intervals"]

_SAID = ("name", "measure", "higher_is_better", "mean", "clusters", "level", "seed", "draws")
ITEMS, TASKS = "items", "tasks"

DRAWS = 2048
"""Draws of signs for the law of the largest statistic; a multiple of 32, since each number gives 32 signs."""

_FEW_UNITS = 10
_AT_ONCE = 1024  # units whose signs are held in memory
_SAME = 1e-12  # a variance of this share of those of both models is rounding
_EQUAL = 1e-9  # scores, and statistics, this close are equal, whatever the order of their sums


class Place(NamedTuple):
    """A model's place on a board.

    Attributes
    ----------
    model : name
    score, se : its score and standard error
    low, high : confidence interval of the score, of this model alone
    rank : 1 plus the number of models with a better score
    first, last : simultaneous confidence interval of its rank
    """

    model: str
    score: float
    se: float
    low: float
    high: float
    rank: int
    first: int
    last: int


class Found(NamedTuple):
    """What the law of the largest difference says.

    Attributes
    ----------
    first, last : interval of each model's rank, shape (K,)
    better : whether the model of a row is significantly better than that of a column, shape (K, K)
    critical : critical value of the largest of all statistics, before any is left out
    """

    first: IntArray
    last: IntArray
    better: NDArray[np.bool_]
    critical: float


def rank_intervals(values: Any, *, level: float = 0.95, seed: int = 0) -> Found:
    r"""Return simultaneous confidence intervals of the ranks of K means over the same independent units.

    Parameters
    ----------
    values : array-like, shape (K, n)
        A row for each model, a column for each unit; higher is better.
    level : float, default 0.95
        Probability that the intervals of all models cover their ranks.
    seed : int, default 0
        Of the draws, below 2**31.

    Returns
    -------
    Found
        ``first`` and ``last`` for each model, ``better`` for each pair, and the ``critical`` value.

    Raises
    ------
    InvalidInputError
        If there are fewer than two models or units, or a value is not finite.

    Notes
    -----
    With :math:`d_{jki}` the difference of models j and k on unit i, the statistic of a pair is

    .. math:: T_{jk} = \sum_i d_{jki} \Big/ \sqrt{\textstyle\sum_i d_{jki}^2},

    an increasing function of the paired t. Under equal means the differences are taken to be symmetric,
    and the law of :math:`\max |T_{jk}|` is that of the same numbers with a random sign for each unit, one for
    all pairs: exact for any n where the differences of all pairs are symmetric together, and for large n
    that of the multiplier bootstrap. Pairs above the critical value are left out, and the law is taken
    again of the rest, until none is above it ([3]_, step-down). The rank of model j lies between 1 plus the
    number of significantly better models and K less the number of significantly worse ones ([1]_, [2]_).
    Where two models differ on m units at most, :math:`|T_{jk}| \le \sqrt m`, so models that hardly ever
    differ are never told apart.

    References
    ----------
    .. [1] Mogstad, Romano, Shaikh & Wilhelm (2024), The Review of Economic Studies 91(1), 476-518.
    .. [2] Klein, Wright & Wieczorek (2020), Journal of the Royal Statistical Society C 69(3), 589-606.
    .. [3] Romano & Wolf (2005), Econometrica 73(4), 1237-1282.

    Examples
    --------
    >>> from errbar.boards import rank_intervals
    >>> a = [1, 1, 1, 0, 1, 1, 1, 1, 1, 1, 1, 1]
    >>> b = [1, 1, 0, 0, 1, 1, 1, 1, 1, 0, 1, 1]
    >>> c = [0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0]
    >>> found = rank_intervals([a, b, c])
    >>> found.first.tolist(), found.last.tolist()
    ([1, 1, 3], [2, 2, 3])
    """
    given = np.asarray(values, dtype=np.float64)
    shaped = given.ndim == 2 and min(given.shape) > 1 and bool(np.isfinite(given).all())
    must = "must hold finite numbers of at least two models on at least two units"
    _check.require(shaped, must, values, "values")
    level = _check.level(level)
    # What all models have in common is in no difference.
    centred = given - given.mean(axis=0)
    count = len(centred)
    squares = np.square(centred).sum(axis=1)
    both = np.add.outer(squares, squares)
    squared = both - 2.0 * centred @ centred.T  # sums of squared differences, (K, K)
    varying = squared > _SAME * both
    scale = np.zeros_like(squared)
    scale[varying] = squared[varying] ** -0.5
    sums = centred.sum(axis=1)
    statistic = np.subtract.outer(sums, sums) * scale
    drawn = _signed_sums(centred, seed)
    better = np.zeros((count, count), dtype=bool)
    left = np.triu(varying, 1)
    critical = value = _critical(drawn, left * scale, level)
    while (beyond := left & (np.abs(statistic) > value * (1.0 + _EQUAL))).any():
        better |= (beyond & (statistic > 0.0)) | (beyond & (statistic < 0.0)).T
        left &= ~beyond
        value = _critical(drawn, left * scale, level)
    first, last = 1 + better.sum(axis=0), count - better.sum(axis=1)
    return Found(first, last, better, critical)


def _critical(drawn: FloatArray, scale: FloatArray, level: float) -> float:
    """Return the quantile of the largest statistic of the pairs that are left, whose scale is not 0."""
    largest = np.zeros(drawn.shape[1])
    for one in range(len(drawn) - 1):
        others = np.flatnonzero(scale[one])
        if others.size:
            apart = np.abs(drawn[others] - drawn[one])
            apart *= scale[one, others, np.newaxis]
            np.maximum(largest, apart.max(axis=0), out=largest)
    # The board itself is one of the draws that are as likely, so its rank among them is exact.
    place = min(math.ceil(level * (DRAWS + 1)), DRAWS) - 1
    return float(np.partition(largest, place)[place])


def _signed_sums(values: FloatArray, seed: int) -> FloatArray:
    """Return the sums of each model over the units with random signs, shape (K, draws)."""
    found: FloatArray = np.zeros((len(values), DRAWS))
    for start in range(0, values.shape[1], _AT_ONCE):
        some = values[:, start : start + _AT_ONCE]
        found += some @ _signs(seed, start, some.shape[1])
    return found


def _signs(seed: int, start: int, units: int) -> FloatArray:
    """Return a sign for each unit and draw: the bits of counters, mixed so that JavaScript gives the same.

    The two multipliers and three shifts are those that C. Wellons found to mix 32 bits best.
    """
    each = DRAWS // 32
    bits = np.arange(start * each, (start + units) * each, dtype=np.uint64) + np.uint64(seed)
    bits = bits.astype(np.uint32)
    for shift, multiplier in ((16, 0x21F0AAAD), (15, 0x735A2D97)):
        bits ^= bits >> np.uint32(shift)
        bits *= np.uint32(multiplier)
    bits ^= bits >> np.uint32(15)
    octets = bits.astype("<u4").view(np.uint8).reshape(units, 4 * each)
    return np.where(np.unpackbits(octets, axis=1, bitorder="little"), 1.0, -1.0)


@dataclass(frozen=True, eq=False, kw_only=True)
class Board(Shown, ItemScores):
    """Many models on the same items.

    Attributes
    ----------
    models, tasks : names
    task : number of each item's task, ascending, shape (n,)
    values : scores as they were given, shape (K, n)
    measure, higher_is_better : what the scores are
    notes : caveats
    mean : str
        ``"equal"`` for the mean of the means of tasks, ``"pooled"`` for that of all items.
    clusters : what is the sample: ``"items"`` of these tasks, or ``"tasks"``
    level : confidence level
    seed : seed of the draws
    name : what a report calls the data
    """

    mean: str
    clusters: str
    level: float
    seed: int
    name: str = ""

    draws = DRAWS

    def __post_init__(self) -> None:
        """Refuse a board on which nothing can be compared."""
        _check.require(len(self.models) > 1, "must be two or more", self.models, "models")
        needed = 1 if self.mean == POOLED else 2
        if self.clusters == TASKS:
            if len(self.tasks) < FEWEST_CLUSTERS:
                raise InvalidInputError(
                    f"{len(self.tasks)} tasks tell nothing about others; give {FEWEST_CLUSTERS}, or say clusters='items'",
                    argument="clusters",
                )
        elif self._sizes.min(initial=self.task.size) < needed or self.task.size < 2:
            raise InvalidInputError(
                f"each task needs {needed} or more items, and all tasks two; add items, or say tasks='pooled'",
                argument="tasks",
            )

    @cached_property
    def _sizes(self) -> IntArray:
        return np.bincount(self.task)

    @cached_property
    def _sums(self) -> FloatArray:
        """Sums of the scores over tasks, shape (K, T)."""
        starts = np.flatnonzero(np.diff(self.task, prepend=-1))
        return np.add.reduceat(self.values, starts, axis=1)

    @cached_property
    def _weighted(self) -> FloatArray:
        """Scores of items, or their sums over tasks, with weights by which their mean is the score.

        Of models that are equally good at an item, or on a task, the differences of these are symmetric; those of what
        is beyond means of small tasks would not be, and 95 % intervals of ranks covered in 90 %.
        """
        sizes, pooled = self._sizes, self.mean == POOLED
        many = self.task.size
        if self.clusters == TASKS:
            return self._sums * (sizes.size / many) if pooled else self._sums / sizes
        return self.values if pooled else self.values * (many / (sizes.size * sizes))[self.task]

    @cached_property
    def units(self) -> FloatArray:
        """Numbers of the independent units, shape (K, units): their mean is the score, and their variance over their number its squared standard error.

        With n_t items in task t of T, M the mean of the task means m_t, n the number of all items:

        * pooled, items: the scores themselves;
        * equal, items: M + (x - m_t) sqrt(n (n - 1)/(n_t (n_t - 1)))/T, as for logs of several tasks;
        * equal, tasks: the m_t;
        * pooled, tasks: the mean of all items, plus T/n times the sum over the task of what is beyond it.
        """
        found, sizes = self._weighted, self._sizes
        if (self.mean == POOLED) == (self.clusters == ITEMS):
            return found
        centre = found.mean(axis=1, keepdims=True)
        if self.clusters == TASKS:
            return centre + found - centre * (sizes.size / self.task.size * sizes)
        means = self._sums / sizes
        deviations = self.values - means[:, self.task]
        return centre + task_weights(sizes)[self.task] * deviations

    @cached_property
    def _found(self) -> Found:
        return rank_intervals(self._sign * self._weighted, level=self.level, seed=self.seed)

    @property
    def _sign(self) -> float:
        return 1.0 if self.higher_is_better else -1.0

    @property
    def critical(self) -> float:
        """Critical value of the largest of all statistics; see `errbar.boards.rank_intervals`."""
        return self._found.critical

    @cached_property
    def places(self) -> tuple[Place, ...]:
        """The models, the best first; those with equal scores in the order of their names."""
        units, found = self.units, self._found
        count = units.shape[1]
        scores = units.mean(axis=1)
        errors = units.std(axis=1, ddof=1) / math.sqrt(count)
        reach = special.stdtrit(count - 1, (1.0 + self.level) / 2.0) * errors
        shown = self._sign * scores
        slack = _EQUAL * max(1e-300, np.abs(scores).max())
        rank = 1 + (np.subtract.outer(shown, shown) > slack).sum(axis=0)
        columns = (scores, errors, scores - reach, scores + reach, rank, found.first, found.last)
        rows = zip(self.models, *(column.tolist() for column in columns), strict=True)
        return tuple(sorted(map(Place._make, rows), key=lambda one: (one.rank, one.model)))

    @property
    def leaders(self) -> tuple[str, ...]:
        """Models that no other is significantly better than: each may rank first."""
        return tuple(one.model for one in self.places if one.first == 1)

    @cached_property
    def groups(self) -> tuple[tuple[str, ...], ...]:
        """Largest groups of neighbours on the board no two of which differ significantly, two models or more."""
        names = [one.model for one in self.places]
        rows = [self.models.index(name) for name in names]
        told = self._found.better | self._found.better.T
        told = told[np.ix_(rows, rows)]
        found = []
        end = 0
        for start in range(len(names)):
            before, end = end, max(end, start + 1)
            while end < len(names) and not told[start:end, end].any():
                end += 1
            if end > max(before, start + 1):
                found.append(tuple(names[start:end]))
        return tuple(found)

    def differ(self, a: str, b: str) -> bool:
        """Return whether two models differ significantly, all pairs of the board considered.

        Parameters
        ----------
        a, b : str
            Names of models.

        Returns
        -------
        bool

        Raises
        ------
        InvalidInputError
            If there is no such model.

        Examples
        --------
        >>> import errbar
        >>> board = errbar.board({"a": [1, 0, 1, 1], "b": [1, 1, 0, 1]}, metric="accuracy")
        >>> board.differ("a", "b")
        False
        """
        one, other = (self.models.index(_check.choice(x, self.models, "model")) for x in (a, b))
        better = self._found.better
        return bool(better[one, other] or better[other, one])

    def filter(
        self, *, tasks: Sequence[str] | None = None, models: Sequence[str] | None = None
    ) -> "Board":
        """Return the board of some tasks and models, with scores, ranks and intervals of its own.

        Parameters
        ----------
        tasks, models : sequence of str, optional
            Names of those that stay; by default all.

        Returns
        -------
        Board

        Raises
        ------
        InvalidInputError
            If there is no such task or model, or too few are left.

        Examples
        --------
        >>> import errbar
        >>> board = errbar.board({"a": [1, 0, 1, 1], "b": [1, 1, 0, 1], "c": [0, 0, 0, 1]}, metric="accuracy")
        >>> [place.model for place in board.filter(models=["b", "c"]).places]
        ['b', 'c']
        """
        rows, kept = _places(models, self.models, "models"), _places(tasks, self.tasks, "tasks")
        return self.part(rows, np.isin(self.task, kept))

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON, by the schema that stands beside this module as ``board.schema.json``.

        Returns
        -------
        dict
            With the scores of all items, packed: all that is needed to compute the rest again.

        Examples
        --------
        >>> import errbar
        >>> board = errbar.board({"a": [1, 0, 1, 1], "b": [1, 1, 0, 1]}, metric="accuracy")
        >>> board.to_dict()["models"][0]["ranks"]
        [1, 2]
        """
        sizes = self._sizes.tolist()
        packed = zlib.compress(np.ascontiguousarray(self.values, dtype="<f8").tobytes())
        places = [plain(one) for one in self.places]
        for one in places:
            one["ranks"] = [one.pop("first"), one.pop("last")]
        return {
            "format": "errbar-board",
            "version": 1,
            **{name: getattr(self, name) for name in _SAID},
            "critical": self.critical if math.isfinite(self.critical) else None,
            "tasks": [
                {"name": name, "items": size} for name, size in zip(self.tasks, sizes, strict=True)
            ],
            "models": places,
            "leaders": list(self.leaders),
            "groups": list(map(list, self.groups)),
            "notes": [plain(note) for note in self.notes],
            "data": {
                "models": list(self.models),
                "scores": base64.b64encode(packed).decode("ascii"),
            },
        }

    def to_json(self) -> str:
        """Return `to_dict` as text.

        Returns
        -------
        str

        Examples
        --------
        >>> import errbar
        >>> board = errbar.board({"a": [1, 0, 1, 1], "b": [1, 1, 0, 1]}, metric="accuracy")
        >>> board.to_json()[:24]
        '{"format": "errbar-board'
        """
        return json.dumps(self.to_dict(), ensure_ascii=False, allow_nan=False)

    def named(self, name: str) -> "Board":
        """Return the board with a name for its data.

        Parameters
        ----------
        name : str
            What a report calls the data; an empty one changes nothing.

        Returns
        -------
        Board
        """
        return replace(self, name=name or self.name)

    def plot(self, ax: Any = None) -> Any:
        """Draw the intervals of the ranks of the best models, a row each; see `errbar.plots.intervals`.

        Parameters
        ----------
        ax : matplotlib axes, optional
            Where to draw.

        Returns
        -------
        matplotlib axes
        """
        return errbar.plots.intervals(self, ax=ax)


def _places(wanted: Any, known: Sequence[str], argument: str) -> list[int]:
    """Return the places of names among those that are known; of all by default."""
    asked = [wanted] if isinstance(wanted, str) else known if wanted is None else wanted
    chosen = {_check.choice(name, known, argument) for name in asked}
    return [place for place, name in enumerate(known) if name in chosen]


def board(
    source: Any,
    *,
    level: float = 0.95,
    tasks: str | None = None,
    clusters: str = ITEMS,
    missing: str | float | None = None,
    random_state: Any = 0,
    **said: Any,
) -> Board:
    r"""Rank many models on the same items, with simultaneous confidence intervals of their ranks.

    Parameters
    ----------
    source : LossTable, data frame, mapping, str, Path or sequence of paths
        Scores of models on items: a table, long or wide, as for `errbar.read_table`; logs of
        lm-evaluation-harness or Inspect; or lists of resolved instances, a JSON file for each model,
        as SWE-bench writes them. Logs and lists may be folders, or a mapping from names of models.
    level : float, default 0.95
        Probability that the intervals of all ranks cover; and that the interval of one score does.
    tasks : {"equal", "pooled"}, optional
        Whether the score is the mean of the means of tasks, or of all items. It must be said where
        tasks differ in size; of tasks of one size it is ``"equal"``.
    clusters : {"items", "tasks"}, default "items"
        What is the sample: items, so that the answer is about these tasks; or tasks, so that it is
        about other tasks like these.
    missing : "models", "examples" or float, optional
        What is done where a model lacks items: such models are left out, or such items for all models,
        or the items have this score, such as 0 where no answer is a failure. By default such a board is
        refused.
    random_state : int, optional
        Seed of the draws of signs.
    **said : object, optional
        How `source` is read:

        * ``metric``: Name of the score; of logs with several the one to read.
        * ``filter``: Of lm-evaluation-harness, which filter of the responses.
        * ``higher_is_better``: By default as the name of the score says, and else True, with a note.
        * ``instances``: Number of all instances, where lists hold those alone that were resolved.
        * ``columns``, ``ignore``: Of a wide table: the models; columns that are none.
        * ``learner`` (the model), ``value``, ``example`` (the item), ``dataset`` (the task), and
          ``answer`` or ``seed``, over which scores are averaged: Columns of a table by role.

    Returns
    -------
    Board

    Raises
    ------
    UnsaidRoleError, InvalidInputError
        If `tasks` or a role must be said; if items are missing; if there are fewer than two models,
        or, with tasks as the sample, than five tasks.

    Notes
    -----
    Standard errors are those of a mean over independent units: items, deviations from the means of
    their tasks (``tasks="equal"``), or tasks. The squared standard error of a mean of T tasks is the sum of
    :math:`s_t^2/n_t` over :math:`T^2` for items, and the variance of the means of tasks over T for tasks.
    The ranks are those of `errbar.boards.rank_intervals` of the scores of items, or their sums over tasks,
    with weights by which their mean is the score.

    Examples
    --------
    >>> import errbar
    >>> right = {"a": [1, 1, 1, 0, 1, 1], "b": [1, 1, 0, 0, 1, 1], "c": [0, 0, 1, 0, 0, 1]}
    >>> found = errbar.board(right, metric="accuracy")
    >>> [(place.model, place.rank, place.first, place.last) for place in found.places]
    [('a', 1, 1, 3), ('b', 2, 1, 3), ('c', 3, 1, 3)]
    """
    level, clusters = _check.level(level), _check.choice(clusters, (ITEMS, TASKS), "clusters")
    found = _complete(read_items(source, **said), missing)
    sizes = np.bincount(found.task)
    several = sizes.size > 1
    if tasks is None and np.unique(sizes).size > 1:
        why = f"{sizes.size} tasks have {sizes.min()} to {sizes.max()} items"
        raise UnsaidRoleError(why, "--tasks equal", "--tasks pooled")
    mean = _check.choice(tasks or (EQUAL if several else POOLED), (EQUAL, POOLED), "tasks")
    notes = found.notes
    if several and clusters == ITEMS:
        notes += (Note("fixed", what="tasks"),)
    count = sizes.size if clusters == TASKS else found.task.size
    if count < _FEW_UNITS:
        notes += (Note("few", what=clusters, count=count),)
    return Board(
        **(vars(found) | {"notes": notes}),
        mean=mean if several else POOLED,
        clusters=clusters,
        level=level,
        seed=_rng.seed(_rng.root(random_state), "board"),
    )


def _complete(found: ItemScores, missing: str | float | None) -> ItemScores:
    """Return scores without gaps, as somebody says."""
    what: Any
    lacks = np.isnan(found.values)
    if not lacks.any():
        return found
    models = [
        f"{name} ({count})"
        for name, count in zip(found.models, lacks.sum(axis=1), strict=True)
        if count
    ]
    if missing is None:
        why = f"of {found.task.size} items some models lack scores: {_check.listed(models, 3)}"
        options = ("models", "examples", "0")
        raise UnsaidRoleError(why, *(f"--missing {one}" for one in options))
    if missing == "models":
        rows = np.flatnonzero(~lacks.any(axis=1))
        _check.require(rows.size > 1, "leaves fewer than two models", missing, "missing")
        found, what = found.part(rows, slice(None)), _check.listed(models, 3)
    elif missing == "examples":
        keep = ~lacks.any(axis=0)
        if not keep.any():
            raise InvalidInputError(
                "no item has scores of all models; state a score, such as 0", argument="missing"
            )
        found = found.part(range(len(found.models)), keep)
        what = [f"{(~keep).sum()} of {keep.size} items, which some models lack"]
    else:
        try:
            value = _check.finite(float(missing), "missing")
        except ValueError:
            must = "must be 'models', 'examples' or a score"
            raise InvalidInputError(f"{must}, got {missing!r}", argument="missing") from None
        what = f"a missing score of {_check.listed(models, 3)}"
        note = Note("taken-as", what=what, kind=f"{value:g}", say=["missing='examples'"])
        values = np.where(lacks, value, found.values)
        return replace(found, values=values, notes=(*found.notes, note))
    note = Note("left-out", what=what, why="missing scores")
    return replace(found, notes=(*found.notes, note))

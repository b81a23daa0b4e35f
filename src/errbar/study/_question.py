"""The question to a table of losses, checked as far as possible before the first fit."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from errbar import _check, families
from errbar.comparison import DEFAULTS
from errbar.errors import InvalidInputError
from errbar.methods import Method, lookup
from errbar.methods._core.default import method_for
from errbar.methods._core.infer import require_subject
from errbar.table import LossTable

_REHEARSED = 200


def joins(method: Method) -> bool:
    """Return whether differences by a method can have simultaneous intervals: it has sides, and is in units of the loss."""
    return method.sides and not method.own_units


@dataclass(frozen=True)
class Question:
    """A method, and what it is asked.

    Attributes
    ----------
    method : str or None
        Key of the method; None leaves it to the design.
    baseline, adjust, rope, level, alternative
        As for `errbar.compare_table`.
    options : mapping of str to object
        Options of the method's own.
    """

    method: str | None = DEFAULTS["method"]
    baseline: str | None = DEFAULTS["baseline"]
    adjust: str | None = DEFAULTS["adjust"]
    rope: float | None = DEFAULTS["rope"]
    level: float = DEFAULTS["level"]
    alternative: str = DEFAULTS["alternative"]
    options: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def of(cls, arguments: Mapping[str, Any]) -> "Question":
        """Return the question that keyword arguments of `errbar.compare_table` ask."""
        common = {name: value for name, value in arguments.items() if name in DEFAULTS}
        return cls(
            **common,
            options={name: value for name, value in arguments.items() if name not in DEFAULTS},
        )

    def checked(self, learners: tuple[str, ...]) -> "Question":
        """Return the question with full names, or raise if it cannot be asked of these learners."""
        _check.level(self.level)
        _check.alternative(self.alternative)
        if self.baseline is not None:
            families.pairs_of(learners, self.baseline)
        if self.rope is not None and _check.finite(self.rope, "rope") <= 0.0:
            raise InvalidInputError(f"must be positive, got {self.rope!r}", argument="rope")
        adjust = None if self.adjust is None else families.check_adjustment(self.adjust)
        if self.method is None:
            return replace(self, adjust=adjust)
        spec = lookup(self.method)
        spec.check_options(dict(self.options))
        return replace(self, method=spec.key, adjust=adjust)

    def about(self, learners: Collection[str]) -> "Question":
        """Return the question about the learners that are left; without its baseline it is about all pairs."""
        return self if self.baseline in learners else replace(self, baseline=None)

    def settled(self, table: LossTable) -> "Question":
        """Return the question with the method that the design of the table calls for, if none is named."""
        settled = self
        if self.method is None:
            spec = method_for(table)
            spec.check_options(dict(self.options))
            settled = replace(self, method=spec.key)
        elif len(table.learners) == 1:
            # A single column of given numbers may hold ready-made differences.
            spec = lookup(self.method)
            require_subject(
                spec, pair=spec.subject == "pair" and not (table.provenance or table.blank)
            )
        if settled.adjust in families.JOINT:
            settled._require_joint(table)
        return settled

    def _require_joint(self, table: LossTable) -> None:
        """Raise if the adjustment needs more than the method's p-values tell."""
        pairwise = self.spec.for_pairs(table.splits.kinds)
        if "looks" in self.options:
            raise InvalidInputError(
                f"{self.adjust!r} does not go with `looks`; try 'holm'", argument="adjust"
            )
        if pairwise is None or not joins(pairwise):
            raise InvalidInputError(
                f"{self.adjust!r} is for differences with intervals on both sides, and method {self.method!r} has none; try 'holm'",
                argument="adjust",
            )

    def options_for(self, method: Method, table: LossTable) -> dict[str, Any]:
        """Return the options of a method behind the question: the user's for the one asked for, and what belongs to the run.

        Methods that draw random numbers get the run's own root, and Bayesian ones the region of equivalence.
        """
        root = table.provenance.get("random_state")
        found: dict[str, Any] = {} if root is None else {"random_state": int(root)}
        if self.rope is not None:
            found["rope"] = self.rope
        found = {name: value for name, value in found.items() if name in method.options}
        return {**found, **(self.options if method is self.spec else {})}

    @property
    def spec(self) -> Method:
        """The method that is asked."""
        return lookup(str(self.method))

    @property
    def cheaper(self) -> "Question":
        """The question with fewer random draws, which is enough to see what is refused."""
        count = self.options.get("resamples")
        if not isinstance(count, int) or isinstance(count, bool) or count <= _REHEARSED:
            return self
        return replace(self, options={**self.options, "resamples": _REHEARSED})

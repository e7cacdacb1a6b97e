"""The operators that pair the solutions of two patterns: one table, which all stages ask.

An entry says how the intervals of the two sides must lie, by comparing their ends, and which side may have
nothing to give. What the stages need to know follows from that: which side is always earlier and so waits
for the other, whether both belong to one instant, where the pair begins, by which end its goals are found,
when it is decided. The interval of a pair is the hull of both: the earlier start, the later end.

``SEQ NEXT`` is the one that looks at more than two solutions: ``next_only``.

A new operator is an entry here and a word in ``grammar.lark``.
Does not hold UNION and MINUS, which pair nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from functools import cached_property
from itertools import product
from types import MappingProxyType
from typing import Final, Literal, NamedTuple, TypeAlias

__all__ = [
    "ALIVE",
    "CHANGES_JOIN",
    "CHANGES_OPTIONAL",
    "EQUALS",
    "EQUALSOPTIONAL",
    "JOIN",
    "OPERATORS",
    "OPTIONAL",
    "OPTIONALSEQ",
    "SEQ",
    "SEQ_NEXT",
    "Comparison",
    "Endpoint",
    "Operator",
    "Order",
    "Side",
    "operator_of",
]


class Side(Enum):
    """One of the two patterns that an operator pairs."""

    LEFT = "left"
    RIGHT = "right"

    @property
    def other(self) -> Side:
        """The side beside it."""
        return Side.RIGHT if self is Side.LEFT else Side.LEFT

    @property
    def start(self) -> Endpoint:
        """Where the interval of its solution begins."""
        return Endpoint.START1 if self is Side.LEFT else Endpoint.START2

    @property
    def end(self) -> Endpoint:
        """Where the interval of its solution ends."""
        return Endpoint.END1 if self is Side.LEFT else Endpoint.END2


class Endpoint(Enum):
    """An end of the interval of the left side (1) or of the right side (2)."""

    START1 = "start1"
    END1 = "end1"
    START2 = "start2"
    END2 = "end2"


Order: TypeAlias = Literal["<", "=<", "="]
"""How two times compare, as Prolog writes it."""


class Comparison(NamedTuple):
    """What must be true of two ends."""

    first: Endpoint
    order: Order
    second: Endpoint

    def __str__(self) -> str:
        return f"{self.first.value} {self.order} {self.second.value}"


_Orders: TypeAlias = Mapping[tuple[Endpoint, Endpoint], Order]


@dataclass(frozen=True, eq=False)
class Operator:
    """One operator; each is a constant of this module, compared by identity.

    ``word`` is how a query writes it and how it is printed, ``name`` its name in the algebra; ``meaning``
    says in words how the sides lie. A pair needs all of ``relation``. ``needs_times``: solutions that
    background alone gives, which have no interval, take no part in pairs.
    """

    word: str
    name: str
    meaning: str
    relation: tuple[Comparison, ...] = ()
    optional: Side | None = None
    """The side that may have nothing to give: then the other one is given alone."""
    needs_times: bool = True
    next_only: bool = False
    """Of the solutions of the right side that fit, a left one takes those that end first."""
    intersects: bool = False
    """Intervals are lives (`algebra.Snapshot`), and that of a pair is what both have in common."""
    of_changes: bool = False
    """Solutions are changes (`algebra.CHANGE`): those of a side pair with what the other side has by then."""
    _orders: _Orders = field(init=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_orders", _closure(self.relation))

    def __reduce__(self) -> tuple[object, ...]:
        return operator_of, (self.word,)

    def order(self, first: Endpoint, second: Endpoint) -> Order | None:
        """What the relation implies of two ends, where it orders them this way round."""
        return self._orders.get((first, second))

    # ---- sides ------------------------------------------------------------------------------------------

    @cached_property
    def kept(self) -> Side | None:
        """Of an optional operator the side that each solution has."""
        return None if self.optional is None else self.optional.other

    @cached_property
    def earlier(self) -> Side | None:
        """The side that always ends before the other one does: its solutions wait as goals."""
        return next((side for side in Side if self.order(side.end, side.other.end) == "<"), None)

    @cached_property
    def same_end(self) -> bool:
        """Whether both sides end at one instant, so that goals are kept for that instant only."""
        return self.order(Endpoint.END1, Endpoint.END2) == "="

    @cached_property
    def same_interval(self) -> bool:
        """Whether both sides start and end together."""
        return self.same_end and self.order(Endpoint.START1, Endpoint.START2) == "="

    @cached_property
    def first(self) -> Side | None:
        """A side whose start is always that of the pair; None where it is the earlier of both."""
        return next((side for side in Side if self.begins(side)), None)

    @cached_property
    def whole(self) -> Side | None:
        """A side whose interval is always that of the pair."""
        return next((side for side in Side if self.begins(side) and self.ends(side)), None)

    def begins(self, side: Side) -> bool:
        """Whether the pair always begins when ``side`` does."""
        return not self.intersects and self.order(side.start, side.other.start) is not None

    def ends(self, side: Side) -> bool:
        """Whether the pair always ends when ``side`` does."""
        return not self.intersects and self.order(side.other.end, side.end) is not None

    def has(self, side: Side) -> bool:
        """Whether each solution has a part of ``side``."""
        return self.optional is not side

    def keeps_window(self, side: Side) -> bool:
        """Whether what bounds the length of the solutions bounds ``side``.

        Not so an optional side: what is too long for a pair still decides that there was a partner.
        """
        return self.has(side) or (self.begins(side) and self.ends(side))

    # ---- times ------------------------------------------------------------------------------------------

    @cached_property
    def waits_for_instant(self) -> bool:
        """Whether it is decided when the instant is complete: a partner may still come in this one."""
        return self.optional is not None and self.earlier is not self.optional and not self.of_changes

    @cached_property
    def holds_at_one_instant(self) -> bool:
        """Whether two solutions at one and the same point in time can be a pair."""
        return all(each.order != "<" for each in self.relation)

    def found_by(self, side: Side) -> Mapping[Endpoint, Endpoint]:
        """By which ends of a goal of ``side`` it is found, and the ends of the other side's they equal."""
        own, others = (side.start, side.end), (side.other.start, side.other.end)
        pairs = product(own, others)
        return {mine: other for mine, other in pairs if self.order(mine, other) == "="}


def _closure(relation: tuple[Comparison, ...]) -> _Orders:
    """All that follows from comparisons, and from that an interval ends no earlier than it starts."""
    at_most = {(end, end): False for end in Endpoint}  # pairs in order; True where strictly
    at_most |= {(side.start, side.end): False for side in Side}
    for first, order, second in relation:
        at_most[first, second] = order == "<"
        if order == "=":
            at_most[second, first] = False
    for middle, first, second in product(Endpoint, repeat=3):
        if (first, middle) in at_most and (middle, second) in at_most:
            is_strict = at_most[first, middle] or at_most[middle, second]
            at_most[first, second] = at_most.get((first, second), False) or is_strict
    found: dict[tuple[Endpoint, Endpoint], Order] = {}
    for (first, second), is_strict in at_most.items():
        found[first, second] = "<" if is_strict else "=" if (second, first) in at_most else "=<"
    return MappingProxyType(found)


# ---- The table -----------------------------------------------------------------------------------------

_S1, _E1, _S2, _E2 = Endpoint

JOIN: Final = Operator("Join", "Join", "both are there", needs_times=False)
SEQ: Final = Operator(
    "SEQ", "SeqJoin", "the left side ends before the right side starts", (Comparison(_E1, "<", _S2),)
)
EQUALS: Final = Operator(
    "EQUALS",
    "EqJoin",
    "both have the same start and end",
    (Comparison(_S1, "=", _S2), Comparison(_E1, "=", _E2)),
)
OPTIONAL: Final = Operator(
    "OPTIONAL",
    "LeftJoin",
    "the right side ends no later than the left side",
    (Comparison(_E2, "=<", _E1),),
    optional=Side.RIGHT,
    needs_times=False,
)
OPTIONALSEQ: Final = Operator("OPTIONALSEQ", "SeqRightJoin", SEQ.meaning, SEQ.relation, optional=Side.LEFT)
EQUALSOPTIONAL: Final = Operator(
    "EQUALSOPTIONAL", "EqLeftJoin", EQUALS.meaning, EQUALS.relation, optional=Side.RIGHT
)

SEQ_NEXT: Final = Operator(
    "SEQ NEXT", "SeqNextJoin", f"{SEQ.meaning}, as the first that fits", SEQ.relation, next_only=True
)

ALIVE: Final = Operator(
    "Join in windows",
    "LifeJoin",
    "both are in their windows at some instant",
    (Comparison(_S1, "<", _E2), Comparison(_S2, "<", _E1)),
    needs_times=False,
    intersects=True,
)
"""What no query writes: the join of patterns on windows."""

CHANGES_JOIN: Final = Operator("Join of changes", "ChangesJoin", "both are there", of_changes=True)
CHANGES_OPTIONAL: Final = Operator(
    "OPTIONAL of changes",
    "ChangesLeftJoin",
    "the right side is there, too",
    optional=Side.RIGHT,
    of_changes=True,
)
"""What no query writes: EQUALS and EQUALSOPTIONAL of what windows hold."""

# Allen's relations (Maintaining Knowledge about Temporal Intervals, CACM 1983), beside SEQ, which is his
# "before", and EQUALS: of any two intervals, points too, exactly one holds, or one with the sides swapped.
MEETS: Final = Operator(
    "MEETS",
    "MeetsJoin",
    "the left side ends when the right side, which goes on, starts",
    (Comparison(_S1, "<", _S2), Comparison(_E1, "=", _S2), Comparison(_E1, "<", _E2)),
)
OVERLAPS: Final = Operator(
    "OVERLAPS",
    "OverlapsJoin",
    "the right side starts while the left side lasts, and ends later",
    (Comparison(_S1, "<", _S2), Comparison(_S2, "<", _E1), Comparison(_E1, "<", _E2)),
)
STARTS: Final = Operator(
    "STARTS",
    "StartsJoin",
    "both start together, and the left side ends first",
    (Comparison(_S1, "=", _S2), Comparison(_E1, "<", _E2)),
)
DURING: Final = Operator(
    "DURING",
    "DuringJoin",
    "the left side starts after the right side and ends before it",
    (Comparison(_S2, "<", _S1), Comparison(_E1, "<", _E2)),
)
FINISHES: Final = Operator(
    "FINISHES",
    "FinishesJoin",
    "both end together, and the left side starts last",
    (Comparison(_S2, "<", _S1), Comparison(_E1, "=", _E2)),
)
PAR: Final = Operator(
    "PAR",
    "ParJoin",
    "each side starts before the other one ends",
    (Comparison(_S1, "<", _E2), Comparison(_S2, "<", _E1)),
)

OPERATORS: Final = (
    *(JOIN, SEQ, SEQ_NEXT, EQUALS, OPTIONAL, OPTIONALSEQ, EQUALSOPTIONAL),
    *(MEETS, OVERLAPS, STARTS, DURING, FINISHES, PAR),
)
_UNWRITTEN: Final = (ALIVE, CHANGES_JOIN, CHANGES_OPTIONAL)
_BY_WORD: Final = MappingProxyType({each.word: each for each in (*OPERATORS, *_UNWRITTEN)})


def operator_of(word: str) -> Operator:
    """The operator that a query writes with ``word``, in capitals.

    Raises:
        KeyError: there is none.

    >>> operator_of("SEQ").earlier, operator_of("EQUALS").same_end
    (<Side.LEFT: 'left'>, True)
    """
    return _BY_WORD[word]

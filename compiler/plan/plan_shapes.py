"""Which parts of plans are equal up to the names of their variables.

A shape is all that the rules of a part depend on: operators, patterns, filters, windows and the order of
the columns, with numbers for the variables; not the names of nodes and places in the text. What is not to be
shared has none: what draws random values, what takes rows by their order, what selects or consumes under a
policy, and groups that are asked for their rows.
"""

from __future__ import annotations

from dataclasses import fields, is_dataclass
from enum import Enum
from typing import Any, NamedTuple, TypeAlias

from etalis_py.compiler.algebra.algebra import Apply, Constant, Exists, Variable
from etalis_py.compiler.algebra.operators import Operator, Side
from etalis_py.compiler.plan.plan import (
    ClosurePlan,
    DistinctPlan,
    ExistsPlan,
    ExtendPlan,
    FilterPlan,
    GroupPlan,
    LookupPlan,
    Pair,
    PlanNode,
    ProjectPlan,
    Scan,
    TablePlan,
    UnionPlan,
    UnitPlan,
    WaitPlan,
)
from etalis_py.compiler.plan.plan import PlanBase as _PlanBase
from etalis_py.core.terms import Encoded

__all__ = ["Shape", "Shapes"]

_DRAWN = frozenset({"RAND", "UUID", "STRUUID", "BNODE"})
_LEAVES = (UnitPlan, TablePlan, LookupPlan, Scan)
_PASSING = (UnionPlan, ProjectPlan)
_WORKING = (Pair, FilterPlan, ExtendPlan, WaitPlan, ClosurePlan, GroupPlan, DistinctPlan)

_Key: TypeAlias = tuple[Any, ...]


class Shape(NamedTuple):
    """The shape of one part.

    Equal shapes have one ``identity``, and their ``variables`` in one order.
    ``works``: more is done than to look at a triple and pass it on, so that it is worth doing once.
    """

    identity: int
    variables: tuple[Variable, ...]
    works: bool


class _NoShapeError(Exception):
    """A part whose solutions are its own."""


class Shapes:
    """The shapes of the parts of some plans, whose nodes have names of their own."""

    def __init__(self) -> None:
        self._identities: dict[_Key, int] = {}
        self._shapes: dict[str, Shape | None] = {}

    def of(self, node: PlanNode) -> Shape | None:
        """The shape of ``node`` with all below it; None where it is not to be shared."""
        if node.name not in self._shapes:
            try:
                self._shapes[node.name] = self._shape(node)
            except _NoShapeError:
                self._shapes[node.name] = None
        return self._shapes[node.name]

    def left_goals(self, pair: Pair) -> int | None:
        """One number for pairs whose goals of the left side are equal; None where they are not to be shared.

        Only where the left side is earlier, as that of SEQ: its goals are not looked at in the instant in
        which they are inserted, so it does not matter when in that instant that is. What OPTIONALSEQ keeps of
        its left side depends on all of it.
        """
        operator = pair.operator
        if operator.optional is not None or operator.earlier is not Side.LEFT or pair.policy is not None:
            return None
        if operator.next_only:  # they go when they are taken
            return None
        left = self.of(pair.left)
        if left is None:
            return None
        join = tuple(left.variables.index(each) for each in pair.join)
        return self._identity(("goals", left.identity, join, pair.window))

    def _shape(self, node: PlanNode) -> Shape:
        if not isinstance(node, (*_LEAVES, *_PASSING, *_WORKING)):
            raise _NoShapeError
        if isinstance(node, Pair) and (node.policy is not None or node.asks is not None):
            raise _NoShapeError
        if node.schema.used or (isinstance(node, GroupPlan) and node.on_demand):
            raise _NoShapeError
        encoding = _Encoding(self)
        key = encoding.parts(node)
        works = isinstance(node, _WORKING) or encoding.works
        return Shape(self._identity(key), tuple(encoding.numbers), works)

    def _identity(self, key: _Key) -> int:
        return self._identities.setdefault(key, len(self._identities))


class _Encoding:
    """Makes a key of one node: variables are numbered as they come."""

    def __init__(self, shapes: Shapes) -> None:
        self._shapes = shapes
        self.numbers: dict[Variable, int] = {}
        self._tests: dict[Exists, int] = {}
        self.works = False

    def parts(self, thing: Any) -> _Key:
        """The key of a dataclass, but for what has nothing to do with its meaning."""
        left_out = {"span", "name"} if isinstance(thing, (_PlanBase, ExistsPlan)) else {"span"}
        names = (each.name for each in fields(thing) if each.name not in left_out)
        return (type(thing).__name__, *(self._value(getattr(thing, name)) for name in names))

    def _value(self, value: Any) -> Any:
        if isinstance(value, Variable):
            return ("?", self.numbers.setdefault(value, len(self.numbers)), value.is_hidden)
        if isinstance(value, Constant):
            return ("term", *_exactly(value.value))
        if isinstance(value, _PlanBase):
            return self._part(value)
        if isinstance(value, Exists):  # its pattern is that of the test
            return ("exists", self._tests.setdefault(value, len(self._tests)))
        if isinstance(value, ExistsPlan) and value.substituted is not None:
            raise _NoShapeError  # the operators of its group are its own
        if isinstance(value, Apply) and value.function in _DRAWN:
            raise _NoShapeError
        return self._of_parts(value)

    def _of_parts(self, value: Any) -> Any:
        match value:
            case tuple() | list():
                return tuple(map(self._value, value))
            case frozenset():
                return tuple(self._value(each) for each in sorted(value, key=self._place))
            case Operator(word=word):
                return ("operator", word)
            case Enum():
                return (type(value).__name__, value.name)
            case _ if is_dataclass(value):
                return self.parts(value)
            case _:
                return _exactly(value)

    def _part(self, node: Any) -> _Key:
        shape = self._shapes.of(node)
        if shape is None:
            raise _NoShapeError
        self.works = self.works or shape.works
        return ("part", shape.identity, *map(self._value, shape.variables))

    def _place(self, variable: Variable) -> tuple[int, str]:
        return (self.numbers.get(variable, len(self.numbers)), variable.name)


def _exactly(term: Encoded | object) -> tuple[str, str]:
    """What tells apart values that are equal in Python: 1 and 1.0, 0.0 and -0.0."""
    return (type(term).__name__, repr(term))

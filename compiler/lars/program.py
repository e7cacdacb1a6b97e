"""LARS programs as data: formulas, rules and the windows that they name (sections 2.3 and 2.4 of the paper).

Time points are microseconds. A stream has, at the end of each occurrence, an atom ``striple`` with its triple
and its stream; where intervals count, also with its start. An answer is true at the time point of its rule.
"""

from __future__ import annotations

from typing import Final, Literal, TypeAlias

from etalis_py.compiler.algebra.algebra import Constant, Expression, Variable
from etalis_py.compiler.algebra.windowed import StreamWindow
from etalis_py.compiler.parse.relation_to_stream import RelationToStream
from etalis_py.core.value_class import value_class

__all__ = [
    "ANSWER",
    "ANY_STREAM",
    "ANY_TRIPLE",
    "NEVER",
    "NOW",
    "NULL",
    "STREAMED",
    "TRIGGER",
    "Assign",
    "At",
    "Atom",
    "Before",
    "Bound",
    "Formula",
    "InWindow",
    "Multiple",
    "Not",
    "Null",
    "Order",
    "Program",
    "Rule",
    "Term",
    "Test",
    "Time",
]

ANSWER: Final = "ans1"
STREAMED: Final = "striple"
"""The atoms of the input."""


@value_class
class Time:
    """A time point: the value of a variable, so many microseconds later."""

    name: str
    later: int = 0


NOW: Final = Time("T")
NEVER: Final = (Time("∞"), Time("-∞"))
"""The start and end of what background alone gives: neutral to min and max."""


@value_class
class Null:
    """What stands for a variable without a value."""


NULL: Final = Null()
Term: TypeAlias = Variable | Constant | Null | Time


@value_class
class Atom:
    """``predicate(arguments)``."""

    predicate: str
    arguments: tuple[Term, ...] = ()


TRIGGER: Final = Atom("trigger")
ANY_TRIPLE: Final = (Variable("X"), Variable("Y"), Variable("Z"))
ANY_STREAM: Final = Variable("S")


@value_class
class At:
    """``@time atom``: the atom holds then."""

    time: Time
    atom: Atom


@value_class
class InWindow:
    """``⊞window ◇ atom``, with a ``time`` ``⊞window @time atom``; ``window`` is a number of the program."""

    window: int
    atom: Atom
    time: Time | None = None


@value_class
class Before:
    """``@{T - 1} formula``: it held at the time point before."""

    formula: InWindow


@value_class
class Not:
    """``not formula``."""

    formula: Atom | InWindow | Before


@value_class
class Test:
    """What is true of values, as a FILTER has it: neither false nor an error."""

    expression: Expression


@value_class
class Assign:
    """``variable := expression``, or null where that is an error."""

    variable: Variable
    expression: Expression


@value_class
class Order:
    """How two time points compare."""

    first: Time
    word: Literal["<", "=<", "="]
    second: Time


@value_class
class Bound:
    """``time = min(first, second)``, or ``max``."""

    time: Time
    word: Literal["min", "max"]
    first: Time
    second: Time


@value_class
class Multiple:
    """``time % period = 0``, counted from ``origin``, and not before it."""

    time: Time
    period: int
    origin: int | None = None


Formula: TypeAlias = Atom | At | InWindow | Before | Not | Test | Assign | Order | Bound | Multiple


@value_class
class Rule:
    """``head ← body``; a fact where the body is empty."""

    head: Atom | At
    body: tuple[Formula, ...]


@value_class
class Program:
    """Rules, each predicate's after those of the predicates it depends on; those of the answers last.

    ``windows`` have their numbers from 1 on; without any, times in rules range over the whole stream.
    ``evaluations`` say at which time points there are answers. ``gives``: what of the answers at a time point
    is given, after LARS (section 4, step 4 of the paper).
    """

    windows: tuple[StreamWindow, ...]
    evaluations: tuple[Rule, ...]
    rules: tuple[Rule, ...]
    gives: RelationToStream | None = None

"""Prolog terms as data: what rules are made of before anything is text.

Does not print: ``prolog_text.py`` does, in one place, so that no literal or IRI can break out.
"""

from __future__ import annotations

from fractions import Fraction
from functools import reduce
from typing import TypeAlias

from typing_extensions import assert_never

from etalis_py.core.literals import Encoded, LiteralValue
from etalis_py.core.value_class import value_class

__all__ = [
    "EMPTY_LIST",
    "FAIL",
    "TRUE",
    "UNBOUND",
    "Atom",
    "Compound",
    "Number",
    "Term",
    "Text",
    "Var",
    "conjunction",
    "either",
    "hand_over",
    "if_then_else",
    "list_term",
    "operands",
    "rdf_term",
    "soft_if",
    "struct",
    "unify",
]


@value_class
class Atom:
    """An atom; its name may hold any character."""

    name: str


@value_class
class Var:
    """A variable of a clause; the name is a valid Prolog variable name."""

    name: str


@value_class
class Number:
    """An integer, a rational or a float (infinities and NaN included)."""

    value: int | Fraction | float


@value_class
class Text:
    """A string."""

    value: str


@value_class
class Compound:
    """``functor(arguments...)``."""

    functor: str
    arguments: tuple[Term, ...]


Term: TypeAlias = Atom | Var | Number | Text | Compound

TRUE = Atom("true")
FAIL = Atom("fail")
EMPTY_LIST = Compound("[]", ())
"""``[]``, which in SWI-Prolog is not the atom ``'[]'``."""
UNBOUND = Atom("$unbound")
"""Stands for a variable that a solution leaves unbound; sorts before every RDF term."""


def struct(functor: str, *arguments: Term) -> Term:
    """``functor(arguments...)``, or the atom where there are no arguments."""
    return Compound(functor, arguments) if arguments else Atom(functor)


def conjunction(*goals: Term) -> Term:
    """``G1, G2, ...`` without ``true``.

    >>> conjunction(TRUE, Atom("a"), TRUE)
    Atom(name='a')
    """
    wanted = [goal for goal in goals if goal != TRUE]
    if not wanted:
        return TRUE
    return reduce(lambda right, left: Compound(",", (left, right)), reversed(wanted[:-1]), wanted[-1])


def operands(term: Compound) -> list[Term]:
    """The operands of a chain of one operator, which associates to the right and may be long."""
    operands: list[Term] = []
    rest: Term = term
    while isinstance(rest, Compound) and rest.functor == term.functor and len(rest.arguments) == 2:
        operands.append(rest.arguments[0])
        rest = rest.arguments[1]
    return [*operands, rest]


def if_then_else(condition: Term, then: Term, otherwise: Term) -> Term:
    """``( condition -> then ; otherwise )``."""
    return struct(";", struct("->", condition, then), otherwise)


def soft_if(condition: Term, then: Term, otherwise: Term) -> Term:
    """``( condition *-> then ; otherwise )``: ``then`` for every solution of the condition."""
    return struct(";", struct("*->", condition, then), otherwise)


def either(*goals: Term) -> Term:
    """``( G1 ; G2 ; ... )``; ``fail`` where there is none."""
    result = goals[-1] if goals else FAIL
    for goal in reversed(goals[:-1]):
        result = struct(";", goal, result)
    return result


def unify(left: Term, right: Term) -> Term:
    """``left = right``, or ``true`` where both are the same."""
    return TRUE if left == right else struct("=", left, right)


def hand_over(value: Term, target: Term) -> Term:
    """A goal that makes ``target`` the ``value``, unless that is unbound."""
    return if_then_else(struct("==", value, UNBOUND), TRUE, unify(target, value))


def list_term(items: tuple[Term, ...]) -> Term:
    """``[item, ...]``."""
    tail: Term = EMPTY_LIST
    for item in reversed(items):
        tail = Compound("[|]", (item, tail))
    return tail


def rdf_term(value: Encoded | None) -> Term:
    """The Prolog form of an RDF term (docs/architecture.md#terms-in-prolog)."""
    if value is None:
        return UNBOUND
    if isinstance(value, str):
        return Atom(value)
    datatype = value[-1]
    if datatype.startswith("@"):
        return struct("@", _native(value[0]), Atom(datatype[1:]))
    native = _native(value[0])
    if len(value) == 3:
        native = struct("lexical", native, Text(value[1]))
    return struct("^^", native, Atom(datatype))


def _native(value: LiteralValue) -> Term:
    match value:
        case bool():
            return Atom("true" if value else "false")
        case int() | float() | Fraction():
            return Number(value)
        case str():
            return Text(value)
        case (months, microseconds):
            return struct("duration", Number(months), Number(microseconds))
        case _:
            assert_never(value)

"""Prolog terms as data: what rules are made of before anything is text.

Does not print: ``prolog_text.py`` does, in one place, so that no literal or IRI can break out.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import reduce
from typing import TypeAlias

from etalis_py.terms import Encoded
from etalis_py.vocabulary import XSD_DURATION_TYPES

__all__ = [
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
    "for_each",
    "if_then_else",
    "list_term",
    "rdf_term",
    "soft_if",
    "struct",
    "unify",
]


@dataclass(frozen=True, slots=True)
class Atom:
    """An atom; its name may hold any character."""

    name: str


@dataclass(frozen=True, slots=True)
class Var:
    """A variable of a clause; the name is a valid Prolog variable name."""

    name: str


@dataclass(frozen=True, slots=True)
class Number:
    """An integer, a rational or a float (infinities and NaN included)."""

    value: int | Fraction | float


@dataclass(frozen=True, slots=True)
class Text:
    """A string."""

    value: str


@dataclass(frozen=True, slots=True)
class Compound:
    """``functor(arguments...)``."""

    functor: str
    arguments: tuple[Term, ...]


Term: TypeAlias = Atom | Var | Number | Text | Compound

TRUE = Atom("true")
FAIL = Atom("fail")
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


def if_then_else(condition: Term, then: Term, otherwise: Term) -> Term:
    """``( condition -> then ; otherwise )``."""
    return struct(";", struct("->", condition, then), otherwise)


def soft_if(condition: Term, then: Term, otherwise: Term) -> Term:
    """``( condition *-> then ; otherwise )``: ``then`` for every solution of the condition."""
    return struct(";", struct("*->", condition, then), otherwise)


def for_each(*goals: Term) -> Term:
    """``( G1, G2, ..., fail ; true )``: all solutions, leaving nothing on the stacks."""
    return struct(";", conjunction(*goals, FAIL), TRUE)


def unify(left: Term, right: Term) -> Term:
    """``left = right``, or ``true`` where both are the same."""
    return TRUE if left == right else struct("=", left, right)


def list_term(items: tuple[Term, ...]) -> Term:
    """``[item, ...]``."""
    return reduce(lambda tail, item: Compound("[|]", (item, tail)), reversed(items), Atom("[]"))


def rdf_term(value: Encoded) -> Term:
    """The Prolog form of an RDF term (DESIGN section 3)."""
    match value:
        case None:
            return UNBOUND
        case str():
            return Atom(value)
        case (str() as text, str() as kind) if kind.startswith("@"):
            return struct("@", Text(text), Atom(kind[1:]))
        case (native, lexical, datatype):
            kept = struct("lexical", _native(native, datatype), Text(lexical))
            return struct("^^", kept, Atom(datatype))
        case (native, datatype):
            return struct("^^", _native(native, datatype), Atom(datatype))
    raise ValueError(f"not an encoded term: {value!r}")


def _native(value: object, datatype: str) -> Term:
    match value:
        case bool():
            return Atom("true" if value else "false")
        case int() | float() | Fraction():
            return Number(value)
        case str():
            return Text(value)
        case (int() as months, int() as microseconds) if datatype in XSD_DURATION_TYPES:
            return struct("duration", Number(months), Number(microseconds))
    raise ValueError(f"not the value of a literal: {value!r}")

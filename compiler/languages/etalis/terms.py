"""Terms of Prolog with their places, as event rules and static clauses are made of."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import field
from typing import TypeAlias

from etalis_py.compiler.spans import Span
from etalis_py.core.value_class import value_class

__all__ = ["Atom", "Compound", "ListTerm", "Number", "Term", "Text", "Variable", "variables_in", "written"]


@value_class(kw_only=True)
class _Placed:
    span: Span = field(compare=False)


@value_class
class Atom(_Placed):
    """``box2``, ``'a name'``."""

    name: str


@value_class
class Variable(_Placed):
    """``X``; ``_`` is another one each time."""

    name: str


@value_class
class Number(_Placed):
    """As it is written."""

    text: str


@value_class
class Text(_Placed):
    """A string."""

    text: str


@value_class
class Compound(_Placed):
    """``functor(argument, ...)``, or an operator with its operands."""

    functor: str
    arguments: tuple[Term, ...]


@value_class
class ListTerm(_Placed):
    """``[a, b | tail]``."""

    items: tuple[Term, ...]
    tail: Term | None = None


Term: TypeAlias = Atom | Variable | Number | Text | Compound | ListTerm


def variables_in(term: Term) -> Iterator[str]:
    """The names of the variables of a term, as they come, but for ``_``."""
    match term:
        case Variable(name=name):
            if name != "_":
                yield name
        case Compound(arguments=parts):
            for each in parts:
                yield from variables_in(each)
        case ListTerm(items=items, tail=tail):
            for each in (*items, *(() if tail is None else (tail,))):
                yield from variables_in(each)
        case _:
            pass


def written(term: Term) -> str:
    """The term as any Prolog reads it, whatever its operators.

    >>> written(Compound(":-", (Atom("a", span=Span(0, 1)), Variable("X", span=Span(0, 1))), span=Span(0, 1)))
    "':-'('a', X)"
    """
    match term:
        case Atom(name=name):
            return name if name in ("[]", "!", "{}") else _quoted(name)
        case Variable(name=name):
            return name
        case Number(text=text):
            return text
        case Text(text=text):
            return '"' + text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") + '"'
        case Compound(functor=functor, arguments=arguments):
            return f"{_quoted(functor)}({', '.join(map(written, arguments))})"
        case ListTerm(items=items, tail=tail):
            rest = "" if tail is None else f"|{written(tail)}"
            return f"[{', '.join(map(written, items))}{rest}]"


def _quoted(name: str) -> str:
    return "'" + name.replace("\\", "\\\\").replace("'", "\\'").replace("\n", "\\n") + "'"

"""The one printer of Prolog terms and clauses.

Whatever an atom or a string holds (quotes, newlines, NUL, a full stop), reading the text gives the same
term back: quotes, backslashes and control characters are written as escapes.
"""

from __future__ import annotations

import math
import re
from fractions import Fraction

from etalis_py.compiler.rules.prolog_terms import (
    EMPTY_LIST,
    Atom,
    Compound,
    Number,
    Term,
    Text,
    Var,
    operands,
)

__all__ = ["clause_text", "directive_text", "term_text"]

_PLAIN_ATOM = re.compile(r"[a-z][A-Za-z0-9_]*\Z")
_UNSAFE = re.compile(r"""[\x00-\x1f\x7f-\x9f'"`\\]""")
_INFIX = {
    ":-": 1200, ";": 1100, "->": 1050, "*->": 1050, ",": 1000, "=": 700, "==": 700, "\\==": 700,
    "is": 700, "<": 700, "=<": 700, "=:=": 700, "+": 500, "-": 500, ":": 200, "^^": 650,
}  # fmt: skip
_ARGUMENT = 999


def term_text(term: Term, priority: int = _ARGUMENT) -> str:
    r"""``term`` as text on one line.

    >>> print(term_text(Atom("it's\n")))
    'it\'s\n'
    """
    match term:
        case Var(name=name):
            return name
        case Atom(name=name):
            return _atom(name)
        case Number(value=value):
            return _number(value)
        case Text(value=value):
            return f'"{_escape(value)}"'
        case Compound(functor="[|]" | "[]"):
            return _list(term)
        case Compound(functor="," | ";" as functor, arguments=(_, _)):
            own = _INFIX[functor]
            *before, last = operands(term)
            parts = [*(term_text(each, own - 1) for each in before), term_text(last, own)]
            text = _spaced(functor).join(parts)
            return f"({text})" if own > priority else text
        case Compound(functor=functor, arguments=(left, right)) if functor in _INFIX:
            own = _INFIX[functor]
            text = f"{term_text(left, own - 1)}{_spaced(functor)}{term_text(right, own - 1)}"
            return f"({text})" if own > priority else text
        case Compound(functor=functor, arguments=arguments):
            return f"{_atom(functor)}({', '.join(term_text(each) for each in arguments)})"


def clause_text(head: Term, body: Term) -> str:
    """A clause with its full stop, one goal a line."""
    if body == Atom("true"):
        return f"{term_text(head)}."
    return f"{term_text(head)} :-\n    {_body(body, 4)}."


def directive_text(goal: Term) -> str:
    """A goal that is called when the program is loaded."""
    return f":- {term_text(goal)}."


def _body(goal: Term, indent: int) -> str:
    """A goal in the layout of portray_clause/1; its first line is indented by the caller."""
    margin = " " * indent
    match goal:
        case Compound(functor=","):
            return f",\n{margin}".join(_body(each, indent) for each in operands(goal))
        case Compound(functor=";"):
            branches = f"\n{margin};   ".join(_branch(each, indent) for each in operands(goal))
            return f"(   {branches}\n{margin})"
        case _:
            return term_text(goal)


def _branch(goal: Term, indent: int) -> str:
    match goal:
        case Compound(functor="->" | "*->" as arrow, arguments=(condition, then)):
            margin = " " * indent
            return f"{_body(condition, indent + 4)}\n{margin}{arrow:<4}{_body(then, indent + 4)}"
        case _:
            return _body(goal, indent + 4)


def _spaced(functor: str) -> str:
    if functor == ",":
        return ", "
    return functor if functor in (":", "^^") else f" {functor} "


def _list(term: Term) -> str:
    items = []
    while isinstance(term, Compound) and term.functor == "[|]":
        items.append(term_text(term.arguments[0]))
        term = term.arguments[1]
    rest = "" if term == EMPTY_LIST else f"|{term_text(term)}"
    return f"[{', '.join(items)}{rest}]"


def _atom(name: str) -> str:
    if _PLAIN_ATOM.match(name) or name == "!":
        return name
    return f"'{_escape(name)}'"


def _escape(text: str) -> str:
    return _UNSAFE.sub(_escaped_character, text)


def _escaped_character(match: re.Match[str]) -> str:
    character = match.group()
    known = {"'": "\\'", '"': '\\"', "\\": "\\\\", "\n": "\\n", "\t": "\\t", "`": "\\`"}.get(character)
    if known is not None:
        return known
    return f"\\x{ord(character):x}\\"


def _number(value: int | Fraction | float) -> str:
    if isinstance(value, Fraction):
        text = f"{value.numerator}r{value.denominator}" if value.denominator != 1 else str(value.numerator)
    elif isinstance(value, float):
        text = _float(value)
    else:
        text = str(value)
    return f"({text})" if text.startswith("-") else text


def _float(value: float) -> str:
    if math.isnan(value):
        return "1.5NaN"
    if math.isinf(value):
        return "1.0Inf" if value > 0 else "-1.0Inf"
    text = repr(value)
    if "e" in text and "." not in text:
        text = text.replace("e", ".0e")
    return text.replace("e+", "e")

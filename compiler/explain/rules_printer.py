"""The one printer of EDBC rules for readers: what each rule is for, where it comes from, its head and body.

Variables are written as in the query, IRIs with its prefixes. ``?x.left`` is the value that ``?x`` has on the
left side where one side may leave it unbound. Does not write Prolog that can be loaded: ``prolog_text.py``
does, and ``annotated_program`` adds comments to that.
"""

from __future__ import annotations

import re
from typing import Final

from etalis_py.compiler.explain.readable import Readable, window_text
from etalis_py.compiler.refusals import QueryText
from etalis_py.compiler.rules.prolog_terms import (
    EMPTY_LIST,
    Atom,
    Compound,
    Number,
    Term,
    Text,
    Var,
    conjunction,
    operands,
)
from etalis_py.compiler.rules.prolog_text import clause_text, term_text
from etalis_py.compiler.rules.rules import Rule, RuleSet, Store, StoreKind
from etalis_py.compiler.spans import Span
from etalis_py.core.literals import Encoded, LiteralValue

__all__ = ["annotated_program", "rules_text"]

_EXCERPT_WIDTH: Final = 60
_SIDES: Final = {
    "": "",
    "L": ".left",
    "R": ".right",
    "B": ".new",
    "E": ".tested",
    "M": ".met",
    "A": ".between",
    "W": ".agreed",
}
_query_variable = re.compile(r"V([LRBEMAW]?)_(\w+)").fullmatch
_INFIX: Final = frozenset({"=", "==", "\\==", "is", "<", "=<", "=:=", "-", "+", ":"})


def rules_text(rules: RuleSet, readable: Readable, text: QueryText) -> str:
    """The goal stores and rules of one query, without an end of line after them."""
    printer = _Printer(readable)
    parts = ["\n".join(map(_store, rules.stores))] if rules.stores else []
    parts += [f"{_origin(rule, text)}\n{printer.clause(rule)}" for rule in rules.rules]
    return "\n\n".join(parts)


def annotated_program(rules: RuleSet, text: QueryText) -> str:
    """The rules as Prolog text, with a comment above each clause, without an end of line after them."""
    return "\n\n".join(
        f"% {_origin(rule, text)}\n{clause_text(rule.head, rule.body)}" for rule in rules.rules
    )


def _store(store: Store) -> str:
    kept = store.kind.value
    if store.kind is StoreKind.WINDOW:
        assert store.window is not None
        kept = f"for a window of {window_text(store.window)}"
    return f"goals {store.name}/{store.arity}, kept {kept}"


def _origin(rule: Rule, text: QueryText) -> str:
    return f"{rule.kind.value} (line {text.line_of(rule.span)}: {_excerpt(rule.span, text.text)})"


def _excerpt(span: Span, text: str) -> str:
    """What stands at ``span``, on one line and not too long."""
    written = " ".join(text[span.start : span.end].split())
    safe = "".join(each if each.isprintable() else "\N{REPLACEMENT CHARACTER}" for each in written)
    return safe if len(safe) <= _EXCERPT_WIDTH else safe[: _EXCERPT_WIDTH - 3] + "..."


class _Printer:
    def __init__(self, readable: Readable) -> None:
        self._readable = readable

    def clause(self, rule: Rule) -> str:
        head = self.term(rule.head)
        if rule.body == Atom("true"):
            return f"    {head}"
        return f"    {head} :-\n{self._goals(rule.body, 2)}"

    def _goals(self, goal: Term, depth: int) -> str:
        indent = "    " * depth
        match goal:
            case Compound(functor=","):
                return "\n".join(self._goals(each, depth) for each in operands(goal))
            case Compound(functor=";", arguments=(Compound(functor=",") as loop, Atom(name="true"))) if (
                _is_for_each(loop)
            ):
                return f"{indent}for each\n{self._goals(_without_fail(loop), depth + 1)}"
            case Compound(functor=";", arguments=(Compound(functor="->" | "*->") as branch, otherwise)):
                return self._branches(branch, otherwise, depth)
            case Compound(functor=";", arguments=(left, right)):
                one, other = self._goals(left, depth + 1), self._goals(right, depth + 1)
                return f"{indent}either\n{one}\n{indent}or\n{other}"
            case Compound(functor="\\+", arguments=(Compound(functor="\\+", arguments=(inner,)),)):
                return f"{indent}there is\n{self._goals(inner, depth + 1)}"
            case Compound(functor="\\+", arguments=(inner,)):
                return f"{indent}there is no\n{self._goals(inner, depth + 1)}"
            case _:
                return indent + self.term(goal)

    def _branches(self, branch: Compound, otherwise: Term, depth: int) -> str:
        indent = "    " * depth
        if branch.functor == "->" and branch.arguments[1] == Atom("true"):
            return self._first_of(branch, otherwise, depth)
        word = "if" if branch.functor == "->" else "for each"
        condition, then = branch.arguments
        test, result = self._goals(condition, depth + 1), self._goals(then, depth + 1)
        text = f"{indent}{word}\n{test}\n{indent}then\n{result}"
        if otherwise == Atom("true"):
            return text
        return f"{text}\n{indent}else\n{self._goals(otherwise, depth + 1)}"

    def _first_of(self, branch: Compound, otherwise: Term, depth: int) -> str:
        """Goals of which the first that holds is enough: a condition with ``||`` or ``IN``."""
        blocks = (self._goals(goal, depth + 1) for goal in _alternatives(branch, otherwise))
        indent = "    " * depth
        return f"{indent}either\n" + f"\n{indent}or else\n".join(blocks)

    def term(self, term: Term) -> str:
        """A term with query variables, prefixes and plain literals."""
        match term:
            case Var(name=name):
                found = _query_variable(name)
                return f"?{found[2]}{_SIDES[found[1]]}" if found else name
            case Atom(name=name):
                return self._readable.iri(name) if ":" in name else term_text(term)
            case Number() | Text():
                return term_text(term)
            case Compound(functor="^^" | "@" as functor, arguments=(value, kind)):
                literal = _literal(term)
                if literal is not None:
                    return self._readable.term(literal)
                return f"{self.term(value)}{functor}{self.term(kind)}"
            case Compound(functor="[|]" | "[]"):
                items, rest = _items(term)
                tail = "" if rest == EMPTY_LIST else f"|{self.term(rest)}"
                return f"[{', '.join(map(self.term, items))}{tail}]"
            case Compound(functor=functor, arguments=(left, right)) if functor in _INFIX:
                return f"{self.term(left)} {functor} {self.term(right)}"
            case Compound(functor=functor, arguments=arguments):
                return f"{term_text(Atom(functor))}({', '.join(map(self.term, arguments))})"


def _alternatives(branch: Compound, otherwise: Term) -> list[Term]:
    """The conditions of ``( C1 -> true ; C2 -> true ; Last )``."""
    found = [branch.arguments[0]]
    while True:
        match otherwise:
            case Compound(
                functor=";", arguments=(Compound(functor="->", arguments=(test, Atom(name="true"))), rest)
            ):
                found.append(test)
                otherwise = rest
            case _:
                return [*found, otherwise]


def _literal(term: Term) -> Encoded | None:
    """The literal that a term stands for; None where a part of it is a variable."""
    match term:
        case Compound(functor="@", arguments=(Text(value=text), Atom(name=language))):
            return text, f"@{language}"
        case Compound(functor="^^", arguments=(value, Atom(name=datatype))):
            match value:
                case Compound(functor="lexical", arguments=(inner, Text(value=lexical))):
                    native = _native(inner)
                    return None if native is None else (native, lexical, datatype)
                case _:
                    native = _native(value)
                    return None if native is None else (native, datatype)
        case _:
            return None


def _native(term: Term) -> LiteralValue | None:
    match term:
        case Number(value=number):
            return number
        case Text(value=text):
            return text
        case Atom(name="true" | "false" as name):
            return name == "true"
        case Compound(functor="duration", arguments=(Number(value=int() as m), Number(value=int() as us))):
            return m, us
        case _:
            return None


def _is_for_each(goal: Term) -> bool:
    while isinstance(goal, Compound) and goal.functor == ",":
        goal = goal.arguments[1]
    return goal == Atom("fail")


def _without_fail(goal: Term) -> Term:
    """The conjunction without the ``fail`` at its end."""
    assert isinstance(goal, Compound)
    return conjunction(*operands(goal)[:-1])


def _items(term: Term) -> tuple[list[Term], Term]:
    """The items of a list, and what is behind them."""
    items = []
    while isinstance(term, Compound) and term.functor == "[|]":
        items.append(term.arguments[0])
        term = term.arguments[1]
    return items, term

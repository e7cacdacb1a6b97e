"""From the parse tree to terms: operators and what stands beside them, by ETALIS's priorities.

Operators of ETALIS are names that may be quoted, in small letters or not (``seq``, ``'SEQ'``). ``*``
has the priority of arithmetic; between events it is ``seq`` all the same.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from types import MappingProxyType
from typing import Final

from lark import Token, Tree

from etalis_py.compiler.languages.etalis.terms import Atom, Compound, ListTerm, Number, Term, Text, Variable
from etalis_py.compiler.parse.faults import Fault
from etalis_py.compiler.spans import Span

__all__ = ["WORDS", "clause_term"]

_TEMPORAL = (
    "seq", "forall_seq", "equals", "meets", "during", "starts", "finishes", "ntimes",
)  # fmt: skip
WORDS: Final = frozenset((*_TEMPORAL, "cnot", "fnot", "not", "and", "par", "or", "check", "timestamp",
                          "event_multiply", "within", "where", "do", "iff"))  # fmt: skip
"""Operators of ETALIS that are words."""
_INFIX: Final = MappingProxyType(
    {
        **dict.fromkeys((":-", "<-", "iff", "rule:", ":"), (1200, "xfy")),
        "-->": (1200, "xfx"), "do": (1124, "yfx"), ";": (1100, "xfy"), "|": (1100, "xfy"),
        "where": (1060, "yfx"), "within": (1060, "yfx"), "or": (1053, "yfx"), "\\/": (1053, "yfx"),
        **dict.fromkeys(("check", "timestamp", "event_multiply"), (1050, "yfx")),
        "->": (1050, "xfy"), "par": (1045, "yfx"), "#": (1045, "yfx"), "and": (1040, "yfx"),
        "/\\": (1040, "yfx"), **dict.fromkeys(("cnot", "fnot", "not"), (1031, "yfx")),
        **dict.fromkeys(_TEMPORAL, (1025, "yfx")), ",": (1000, "xfy"),
        **dict.fromkeys(
            ("=", "\\=", "==", "\\==", "is", "=:=", "=\\=", "<", "=<", ">", ">=", "@<", "@=<", "@>", "@>=",
             "=..", "as", ">:<", ":<"), (700, "xfx")),
        **dict.fromkeys(("+", "-", "xor"), (500, "yfx")),
        **dict.fromkeys(("*", "/", "//", "mod", "rem", "div", "rdiv", "<<", ">>"), (400, "yfx")),
        "**": (200, "xfx"), "^": (200, "xfy"),
    }
)  # fmt: skip
_PREFIX: Final = MappingProxyType({":-": 1200, "?-": 1200, "\\+": 900, "-": 200, "+": 200, "dynamic": 1150})
_POSTFIX: Final = MappingProxyType({"star_times": 200})
_ESCAPES: Final = MappingProxyType({"n": "\n", "t": "\t", "r": "\r", "0": "\0"})


def clause_term(tree: Tree[Token]) -> Term:
    """The term of one clause.

    Raises:
        Fault: EP101, its operators do not fit together.
    """
    return _Expression(tree.children[0].children).whole()  # type: ignore[union-attr]


class _Expression:
    """What stands in a row: operands, and names that may be operators."""

    def __init__(self, items: Sequence[Tree[Token] | Token]) -> None:
        self._items = items
        self._at = 0
        self._is_glued = False

    def whole(self) -> Term:
        term = self._term(1200)
        if self._at < len(self._items):
            item = self._items[self._at]
            raise Fault("EP101", f"unexpected {self._shown()}", _span(item), self._hint(item))
        return term

    def _hint(self, item: Tree[Token] | Token) -> str:
        """Of what begins with a capital letter, which is a variable."""
        if isinstance(item, Token) and item.lower() in WORDS:
            return f"operators have small letters, or quotes: {item.lower()}"
        before = self._items[self._at - 1]
        if isinstance(item, Tree) and item.data == "round" and isinstance(before, Token):
            return "names of events have a small letter first, or quotes: a(X), 'A'(X)"
        return _HINT

    def _shown(self) -> str:
        item = self._items[self._at]
        name = self._operator()
        return repr(name) if name is not None else "a term" if isinstance(item, Tree) else repr(str(item))

    def _operator(self) -> str | None:
        """The item as the name of an operator."""
        if self._at >= len(self._items):
            return None
        item = self._items[self._at]
        if isinstance(item, Tree):
            return _name(item.children[0]) if item.data == "name" else None  # type: ignore[arg-type]
        return str(item) if item.type in ("COMMA", "BAR") else None

    def _term(self, most: int) -> Term:
        left, priority = self._first(most)
        while (step := self._infix(most, priority)) is not None:
            name, own, right_most = step
            if name in _POSTFIX:
                end = _span(self._items[self._at - 1])
                left, priority = Compound(name, (left,), span=left.span.to(end)), own
                continue
            right = self._term(right_most)
            left, priority = Compound(name, (left, right), span=left.span.to(right.span)), own
        return left

    def _infix(self, most: int, left: int) -> tuple[str, int, int] | None:
        """The operator that goes on with a term of the priority ``left``; it is taken."""
        name = self._operator() or self._glued()
        if name is None:
            return None
        name = name if name in _INFIX or name in _POSTFIX else name.lower()
        if name in _POSTFIX:
            own, kind = _POSTFIX[name], "yf"
        elif name in _INFIX:
            own, kind = _INFIX[name]
        else:
            return None
        if own > most or left > (own if kind[0] == "y" else own - 1):
            return None
        self._is_glued = self._operator() is None
        if not self._is_glued:
            self._at += 1
        return name, own, own if kind.endswith("fy") else own - 1

    def _glued(self) -> str | None:
        """``<-(a seq b)``: an operator without a blank before the bracket."""
        if self._at < len(self._items):
            item = self._items[self._at]
            if isinstance(item, Tree) and item.data == "compound":
                return _name(item.children[0], glued=True)  # type: ignore[arg-type]
        return None

    def _bracket(self) -> Term:
        """What the bracket holds that stands without a blank behind an operator."""
        tree = self._items[self._at]
        assert isinstance(tree, Tree)
        self._at += 1
        parts = [_argument(each) for each in tree.children[1:]]
        term = parts[-1]
        for each in reversed(parts[:-1]):
            term = Compound(",", (each, term), span=each.span.to(term.span))
        return term

    def _first(self, most: int) -> tuple[Term, int]:
        if self._at >= len(self._items):
            last = _span(self._items[-1])
            raise Fault("EP101", "something is missing here", Span(last.end, last.end + 1), _HINT)
        if self._is_glued:
            self._is_glued = False
            return self._bracket(), 0
        name, item = self._operator(), self._items[self._at]
        following = self._at + 1 < len(self._items)
        if name is not None and name in _PREFIX and following and not self._is_infix(self._at + 1):
            self._at += 1
            own = min(_PREFIX[name], most)
            operand = self._term(own)
            span = _span(item).to(operand.span)
            if name in "+-" and isinstance(operand, Number) and not operand.text.startswith("-"):
                return Number(name.strip("+") + operand.text, span=span), 0
            return Compound(name, (operand,), span=span), own
        if name in (",", "|") or (
            name is not None and name.lower() in _INFIX and most < 1200 and not self._is_quoted_symbol()
        ):
            raise Fault("EP101", f"unexpected {self._shown()}", _span(item), _HINT)
        self._at += 1
        return _operand(item), 0

    def _is_quoted_symbol(self) -> bool:
        """``'/'``: where a term is wanted it is an atom; words of ETALIS in quotes are operators."""
        item = self._items[self._at]
        assert isinstance(item, Tree)
        return str(item.children[0]).startswith("'") and self._operator() not in WORDS

    def _is_infix(self, place: int) -> bool:
        at, self._at = self._at, place
        name, self._at = self._operator(), at
        return name is not None and name in _INFIX and name not in _PREFIX


_HINT: Final = "write a rule as complex(X) <- a(X) seq b(X) where (X > 1), and brackets where operators meet"


def _operand(item: Tree[Token] | Token) -> Term:
    span = _span(item)
    if isinstance(item, Token):
        match item.type:
            case "VARIABLE":
                return Variable(str(item), span=span)
            case "NUMBER":
                return Number(str(item), span=span)
            case _:
                return Text(_unescaped(item[1:-1], '"'), span=span)
    match item.data:
        case "name":
            return Atom(_name(item.children[0]), span=span)  # type: ignore[arg-type]
        case "compound":
            functor, *arguments = item.children
            return Compound(_name(functor, glued=True), tuple(map(_argument, arguments)), span=span)  # type: ignore[arg-type]
        case "list":
            parts = [each for each in item.children if isinstance(each, Tree)]
            has_tail = any(isinstance(each, Token) for each in item.children)
            terms = tuple(map(_argument, parts))
            if not terms:
                return Atom("[]", span=span)
            return ListTerm(terms[:-1] if has_tail else terms, terms[-1] if has_tail else None, span=span)
        case _:
            return _Expression(item.children[0].children).whole()  # type: ignore[union-attr]


def _argument(tree: Tree[Token] | Token) -> Term:
    assert isinstance(tree, Tree)
    return _Expression(tree.children).whole()


def _name(token: Token, *, glued: bool = False) -> str:
    text = str(token)[:-1] if glued else str(token)
    return _unescaped(text[1:-1], "'") if text.startswith("'") else text


def _unescaped(text: str, quote: str) -> str:
    text = text.replace(quote + quote, quote)
    return re.sub(r"\\(.)", lambda found: _ESCAPES.get(found[1], found[1]), text, flags=re.DOTALL)


def _span(item: Tree[Token] | Token) -> Span:
    if isinstance(item, Token):
        assert item.start_pos is not None
        assert item.end_pos is not None
        return Span(item.start_pos, item.end_pos)
    return Span(item.meta.start_pos, item.meta.end_pos)

"""Random queries, as text: the parser and the translation are tested with the rest."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from etalis_py.terms import Encoded
from etalis_py.vocabulary import RDF_TYPE
from tests.oracle.chooser import Chooser
from tests.oracle.expression_texts import ExpressionWriter
from tests.oracle.vocabulary import (
    CLASSES,
    ENTITIES,
    LITERALS,
    MADE,
    PREDICATES,
    PROLOGUE,
    VARIABLES,
    written,
)

__all__ = ["ANYTHING", "QueryText", "TriplePattern", "construct_text", "select_text"]

ANYTHING = "[]"
TriplePattern: TypeAlias = tuple[Encoded, Encoded, Encoded]
"""Encoded terms; a variable is text that starts with ``?``, ANYTHING is a blank node."""

_COMBINATORS = ("SEQ", "SEQ", "EQUALS", "OPTIONALSEQ", "EQUALSOPTIONAL", "OPTIONAL", "UNION")

Written = tuple[str, list[str]]
"""A piece of a query, and the variables in scope after it."""


@dataclass(frozen=True)
class QueryText:
    """A query, and its triple patterns, so that a stream can be made that it has something to say about."""

    text: str
    patterns: tuple[TriplePattern, ...]


def select_text(choice: Chooser, *, fed: bool) -> QueryText:
    """A SELECT query; ``fed`` says that CONSTRUCT queries make what it may ask for."""
    writer = _QueryWriter(choice, fed=fed)
    text, _ = writer.select(depth=0)
    return QueryText(PROLOGUE + text, tuple(writer.patterns))


def construct_text(choice: Chooser) -> QueryText:
    """A CONSTRUCT query; what it makes may be what it, or another, asks for."""
    writer = _QueryWriter(choice, fed=True)
    text = writer.construct()
    return QueryText(PROLOGUE + text, tuple(writer.patterns))


class _QueryWriter(ExpressionWriter):
    def __init__(self, choice: Chooser, *, fed: bool) -> None:
        super().__init__(choice.even)
        self._fed = fed
        self.patterns: list[TriplePattern] = []
        self._enough = int(self.choose("1223334"))
        self._fresh = 0

    # ---- forms ------------------------------------------------------------------------------------------

    def select(self, depth: int) -> Written:
        group, known = self.group(depth)
        distinct = "DISTINCT " if self.rarely(4) else ""
        if not self.rarely(2):
            return f"SELECT {distinct}* WHERE {group}", [each for each in known if each[0] != "_"]
        chosen = [each for each in (*known, *VARIABLES[:1]) if not self.rarely(3)] or ["x"]
        columns = [f"?{each}" for each in dict.fromkeys(chosen)]
        if self.rarely(6):
            name = self._new_variable()
            columns.append(f"({self.value(known)} AS ?{name})")
            chosen.append(name)
        return f"SELECT {distinct}{' '.join(columns)} WHERE {group}", chosen

    def construct(self) -> str:
        group, known = self.group(0)
        triples = " . ".join(self._template(known) for _ in range(self.number(1, 2)))
        return f"CONSTRUCT {{ {triples} }} WHERE {group}"

    def _template(self, known: list[str]) -> str:
        variables = [f"?{each}" for each in known or VARIABLES]
        if self.rarely(6):
            return f"{self.choose(variables)} a {self.choose([written(each) for each in CLASSES])}"
        subject = ANYTHING if self.rarely(8) else self.choose([*variables, written(ENTITIES[0])])
        predicate = self.choose([written(each) for each in (*MADE, *PREDICATES[:2])])
        target = self.choose([*variables, written(ENTITIES[1]), "1"])
        return f"{subject} {predicate} {target}"

    # ---- groups -----------------------------------------------------------------------------------------

    def group(self, depth: int, outside: list[str] | None = None) -> Written:
        """A group in braces; its filters may speak of the variables ``outside``, too."""
        if depth and self.rarely(10):
            text, known = self.select(depth + 1)
            return f"{{ {text} }}", known
        parts: list[str] = []
        known = []
        for _ in range(int(self.choose("11123" if depth == 0 else "1112"))):
            text, variables = self._element(depth, known)
            parts.append(text)
            known = list(dict.fromkeys([*known, *variables]))
        filters = "0000112" if outside else "000000011" if depth else "00001112"
        for _ in range(int(self.choose(filters))):
            condition = self.condition(known) if outside is None else self.shared_condition(known, outside)
            parts.insert(self.number(0, len(parts)), f"FILTER ({condition})")
        return f"{{ {' '.join(parts)} }}", known

    def _element(self, depth: int, known: list[str]) -> Written:
        kinds = ["triple", "triple", "triple"]
        if depth < 3 and len(self.patterns) < self._enough:
            kinds += ["chain", "chain", "chain", "chain", "chain", "nested"]
            kinds += ["optional", "optional"] if known or self.rarely(8) else []
        if known and self.rarely(5):
            kinds = ["bind"]
        match self.choose(kinds):
            case "triple":
                return self._triple()
            case "chain":
                return self._chain(depth)
            case "nested":
                return self.group(depth + 1)
            case "optional":
                text, variables = self.group(depth + 1, known)
                return f"OPTIONAL {text}", variables
            case _:
                options = [each for each in VARIABLES if each not in known]
                name = self.choose(options) if options and not self.rarely(3) else self._new_variable()
                return f"BIND ({self.value(known)} AS ?{name})", [name]

    def _chain(self, depth: int) -> Written:
        depth += 1 if self.rarely(2) else 2
        text, known = self.group(depth, list(VARIABLES))  # on the left, OPTIONALSEQ's optional side
        for _ in range(2 if self.rarely(3) else 1):
            combinator = self.choose(_COMBINATORS)
            following, variables = self.group(depth, known)
            text = f"{text} {combinator} {following}"
            known = list(dict.fromkeys([*known, *variables]))
        return text, known

    def _triple(self) -> Written:
        variables = [f"?{each}" for each in VARIABLES]
        subject = self.choose((ANYTHING, ENTITIES[0])) if self.rarely(8) else self.choose(variables)
        predicate = self.choose((*PREDICATES, *PREDICATES[:2]))
        if self._fed and self.rarely(4):
            predicate = self.choose(MADE)
        elif self.rarely(5):
            predicate = self.choose((*MADE, RDF_TYPE, "?y"))
        target: Encoded = self.choose(variables)
        if predicate == RDF_TYPE:
            target = self.choose((*CLASSES, "?z"))
        elif self.rarely(6):
            target = self.choose((ENTITIES[1], *LITERALS[:2]))
        pattern = (subject, predicate, target)
        self.patterns.append(pattern)
        used = [each[1:] for each in pattern if isinstance(each, str) and each[0] == "?"]
        return f"{' '.join(map(written, pattern))} .", used

    def _new_variable(self) -> str:
        self._fresh += 1
        return f"n{self._fresh}"

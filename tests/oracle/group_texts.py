"""Random groups, as text: triples, paths, chains of combinators, and what stands between them."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Literal, TypeAlias

from etalis_py.core.terms import Encoded
from etalis_py.core.vocabulary import RDF_TYPE
from tests.oracle.chooser import Chooser
from tests.oracle.expression_texts import ExpressionWriter
from tests.oracle.operators import STREAM, Operators
from tests.oracle.vocabulary import (
    CLASSES,
    DERIVED,
    ENTITIES,
    GRAPHS,
    LITERALS,
    MADE,
    PREDICATES,
    STREAMS,
    VARIABLES,
    written,
)

__all__ = ["ANYTHING", "GroupWriter", "TriplePattern", "Written"]

ANYTHING = "[]"
TriplePattern: TypeAlias = tuple[Encoded, Encoded, Encoded]
"""Encoded terms; a variable is text that starts with ``?``, ANYTHING is a blank node."""

_COMBINATORS = (
    *("SEQ", "SEQ", "SEQ", "SEQ", "SEQ", "SEQ", "EQUALS", "EQUALS", "OPTIONALSEQ", "OPTIONALSEQ"),
    *("EQUALSOPTIONAL", "OPTIONAL", "OPTIONAL", "UNION", "UNION"),
    *("MEETS", "OVERLAPS", "STARTS", "DURING", "FINISHES", "PAR"),
)

_ELEMENTS = (":a", ":a", ":b", ":c", ":l0")
"""Names that elements may have."""

_EDGES: tuple[TriplePattern, ...] = (("?y", "urn:p", "?z"), ("?x", "urn:q", "?y"), ("?z", "urn:p", "?x"))
"""What a path may go along besides."""

Written = tuple[str, list[str]]
"""A piece of a query, and the variables in scope after it."""


class GroupWriter(ExpressionWriter):
    """Writes groups; ``patterns`` are all their triple patterns.

    ``fed`` says that CONSTRUCT queries make what may be asked for.
    """

    def __init__(self, choice: Chooser, operators: Operators, *, fed: bool) -> None:
        super().__init__(choice, operators)
        self._fed = fed
        self.patterns: list[TriplePattern] = []
        self._enough = int(self.choose("1112223" if operators else "1223334"))
        self._fresh = 0
        self._within: Literal["anything", "a stream", "any stream", "a graph", "an element"] = "anything"

    @abstractmethod
    def select(self, depth: int) -> Written:
        """A SELECT."""

    def group(self, depth: int, outside: Sequence[str] | None = None) -> Written:
        """A group in braces; its filters may speak of the variables ``outside``, too."""
        if depth and self.rarely(10 if self.operators.isdisjoint(("GROUP BY", "LIMIT")) else 4):
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

    def existing(self, outside: Sequence[str]) -> str:
        """Small, and mostly about what is known outside; with DEEP EXISTS it has operators of its own."""
        if self._within == "an element":
            return self._element_group(2, outside)[0]
        if "DEEP EXISTS" in self.operators and len(self.patterns) < self._enough + 6:
            self._enough = len(self.patterns) + self.number(1, 3)
            return self.group(self.choose((1, 1, 2)), outside)[0]
        if len(self.patterns) < self._enough + 3:
            return self.group(3, outside)[0]
        self.patterns.append(("?x", "urn:p", "?y"))
        return "{ ?x :p ?y }"

    def _element(self, depth: int, known: list[str]) -> Written:
        kind = self.choose(self._kinds(depth, known))
        if kind in ("stream", "event", "element"):
            return self._placed(kind, depth)
        match kind:
            case "triple":
                return self._triple()
            case "chain":
                return self._chain(depth)
            case "nested":
                return self.group(depth + 1)
            case "optional":
                text, variables = self.group(depth + 1, known)
                return f"OPTIONAL {text}", variables
            case "MINUS":
                return f"MINUS {self.group(max(depth + 1, 3 - self.number(0, 1)))[0]}", []
            case "GRAPH":
                return self._graph(depth)
            case "VALUES":
                return self.table([*known, *VARIABLES])
            case "PATH":
                return self._path_triple()
            case _:
                options = [each for each in VARIABLES if each not in known]
                name = self.choose(options) if options and not self.rarely(3) else self.new_variable()
                return f"BIND ({self.value(known)} AS ?{name})", [name]

    def _kinds(self, depth: int, known: list[str]) -> Sequence[str]:
        """What the next element of a group may be."""
        kinds = ["triple", "triple", "triple"]
        if depth < 3 and len(self.patterns) < self._enough:
            kinds += ["chain", "chain", "chain", "chain", "chain", "nested"]
            kinds += ["optional", "optional"] if known or self.rarely(8) else []
        if known and self.rarely(5):
            kinds = ["bind"]
        extra = sorted(self.operators & {"MINUS", "VALUES", "PATH", "GRAPH"} - self._excluded())
        placed = self._placed_kinds() if STREAM in self.operators else []
        if placed and self.rarely(2):
            kinds = placed
        elif extra and (known or self.rarely(4)) and self.rarely(2):
            kinds = extra
        return kinds

    def _chain(self, depth: int) -> Written:
        depth += 1 if self.rarely(2) else 2
        text, known = self.group(depth, list(VARIABLES))  # on the left, OPTIONALSEQ's optional side
        for _ in range(2 if self.rarely(3) else 1):
            combinator = self.choose(("OPTIONAL", "UNION") if "AT" in self.operators else _COMBINATORS)
            following, variables = self.group(depth, known)
            text = f"{text} {combinator} {following}"
            known = list(dict.fromkeys([*known, *variables]))
        return text, known

    def _graph(self, depth: int) -> Written:
        with self._inside("a graph"):
            text, known = self.group(max(depth + 1, 3 - self.number(0, 1)))
        variables = (
            () if "GROUP BY" in self.operators else VARIABLES
        )  # groups in each graph are refused, mostly
        name = self.choose((*map(written, GRAPHS), *(f"?{each}" for each in variables)))
        return f"GRAPH {name} {text}", [*known, *([name[1:]] if name[0] == "?" else [])]

    # ---- Streams and elements ------------------------------------------------------------------------

    def _placed_kinds(self) -> list[str]:
        match self._within:
            case "anything":
                return ["stream", "event"]
            case "a stream" | "any stream":
                return ["element"]
            case "a graph" | "an element":
                return []

    def _excluded(self) -> set[str]:
        return set() if self._within in ("anything", "a graph") else {"GRAPH"}

    @contextmanager
    def _inside(self, place: Literal["a stream", "any stream", "a graph", "an element"]) -> Iterator[None]:
        before, self._within = self._within, place
        yield
        self._within = before

    def _placed(self, kind: str, depth: int) -> Written:
        """STREAM, EVENT, or GRAPH over elements."""
        streams = (*STREAMS, *STREAMS[1:], *DERIVED)
        names = _ELEMENTS if kind == "element" else tuple(map(written, streams))
        name = self.choose(names)
        # Groups in each of them are refused, and the place of its column may decide among rows.
        if self.operators.isdisjoint(("GROUP BY", "LIMIT")) and self.rarely(2):
            name = f"?{self.choose((*VARIABLES, self.new_variable()))}"
        if kind != "stream":
            with self._inside("an element"):
                text, known = self._element_group(depth)
        else:
            with self._inside("any stream" if name[0] == "?" else "a stream"):
                text, known = self._stream_group(depth)
        named = [name[1:]] if name[0] == "?" else []
        match kind:
            case "stream":
                return f"STREAM {name} {text}", [*known, *named]
            case "event" if self.rarely(3):
                return f"EVENT {text}", known
            case "event":
                return f"EVENT {name} {text}", [*known, *named]
            case _:
                return f"GRAPH {name} {text}", [*known, *named]

    def _stream_group(self, depth: int) -> Written:
        """It has a triple, so that it says of which stream it is."""
        triple, known = self._triple()
        if self.rarely(2):
            return f"{{ {triple} }}", known
        text, more = self._element(depth + 1, known)
        filters = f" FILTER ({self.condition(known)})" if self.rarely(3) else ""
        return f"{{ {triple} {text}{filters} }}", list(dict.fromkeys([*known, *more]))

    def _element_group(self, depth: int, outside: Sequence[str] = ()) -> Written:
        """What may stand in an element: nothing that speaks of other times."""
        text, known = self._triple()
        parts = [text]
        for _ in range(self.choose((0, 0, 0, 1, 1, 2)) if depth < 3 else 0):
            text, variables = self._of_element(depth + 1, known)
            parts.append(text)
            known = list(dict.fromkeys([*known, *variables]))
        if self.rarely(4):
            condition = self.shared_condition(known, outside) if outside else self.condition(known)
            parts.insert(self.number(0, len(parts)), f"FILTER ({condition})")
        return f"{{ {' '.join(parts)} }}", known

    def _of_element(self, depth: int, known: list[str]) -> Written:
        kinds = ("triple", "triple", "path", "optional", "optional", "union", "values", "bind", "nested")
        match self.choose(kinds):
            case "triple":
                return self._triple()
            case "path":
                return self._path_triple()
            case "optional":
                text, variables = self._element_group(depth, known)
                return f"OPTIONAL {text}", variables
            case "union":
                (left, some), (right, more) = self._element_group(depth), self._element_group(depth)
                return f"{left} UNION {right}", list(dict.fromkeys([*some, *more]))
            case "values":
                return self.table([*known, *VARIABLES])
            case "bind":
                name = self.new_variable()
                return f"BIND ({self.value(known)} AS ?{name})", [name]
            case _:
                return self._element_group(depth)

    # ---- Tables, triples and paths -------------------------------------------------------------------

    def table(self, names: Sequence[str]) -> Written:
        """VALUES, which may have no row, and no value in a row."""
        chosen = list(dict.fromkeys(self.choose(names) for _ in range(self.choose((1, 1, 2)))))
        rows = [
            " ".join("UNDEF" if self.rarely(6) else self._constant() for _ in chosen)
            for _ in range(self.choose((1, 2, 2, 3, 0)))
        ]
        heading = " ".join(f"?{each}" for each in chosen)
        return f"VALUES ({heading}) {{ {' '.join(f'({row})' for row in rows)} }}", chosen

    def _constant(self) -> str:
        return written(self.choose((*ENTITIES, *ENTITIES, *LITERALS)))

    def _triple(self) -> Written:
        variables = [f"?{each}" for each in VARIABLES]
        subject = self.choose(variables)
        if self.rarely(8):  # what a blank node stands for may decide among rows, which tells nothing
            subject = ENTITIES[0] if "LIMIT" in self.operators or self.rarely(2) else ANYTHING
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
        return self._written_triple((subject, predicate, target), written(predicate))

    def _path_triple(self) -> Written:
        """A path next to a triple that it is joined with, from a constant, or between new variables."""
        beside, variables = self._triple()
        subject = f"?{self.choose(variables)}" if variables else ENTITIES[0]
        target: Encoded = self.choose([*(f"?{each}" for each in VARIABLES), ENTITIES[1], LITERALS[0]])
        if self.rarely(5):
            beside, variables, subject = "", [], self.choose(ENTITIES)
        elif self.rarely(8):
            beside, variables, subject, target = "", [], f"?{self.new_variable()}", f"?{self.new_variable()}"
        if self.rarely(3) and isinstance(target, str):
            subject, target = target, subject
        text, used = self._written_triple((subject, PREDICATES[0], target), self._path(2))
        used = [each for each in used if each in VARIABLES]  # nothing else is about a new one
        order = (text, beside) if self.rarely(2) else (beside, text)
        return " ".join(order), list(dict.fromkeys([*variables, *used]))

    def _path(self, depth: int) -> str:
        names = [written(each) for each in (*PREDICATES[:2], *PREDICATES[:2], *MADE[:1], RDF_TYPE)]
        one = self.choose(names)
        if depth == 0:
            return one
        match self.choose((*self._repeats(), "/", "|", "^", "!", "plain")):
            case "/" | "|" as operator:
                return f"({self._path(depth - 1)}{operator}{self._path(depth - 1)})"
            case "^":
                return f"(^{self._path(depth - 1)})"
            case "!":
                members = [self.choose(("", "^")) + self.choose(names) for _ in range(self.number(1, 2))]
                return f"!({'|'.join(members)})"
            case "plain":
                return one
            case times:
                return f"({self._path(depth - 1)}{times})"

    def _repeats(self) -> tuple[str, ...]:
        match self._within:
            case "anything" | "a graph":
                return ("*", "+", "?", "*", "+")
            case "a stream":
                return ("+", "+")
            case "any stream" | "an element":
                return ()

    def _written_triple(self, pattern: TriplePattern, verb: str) -> Written:
        subject, predicate, target = pattern
        self.patterns += [pattern] if written(predicate) == verb else [pattern, *_EDGES]
        used = [each[1:] for each in pattern if isinstance(each, str) and each[0] == "?"]
        return f"{written(subject)} {verb} {written(target)} .", used

    def new_variable(self) -> str:
        """A variable that nothing else has."""
        self._fresh += 1
        return f"n{self._fresh}"

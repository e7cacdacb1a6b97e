"""Proofs as trees: what ``Engine.why`` gives.

A proof has the shape of the plan: its leaves are occurrences and background triples, the nodes above them the
operators that put them together. What no leaf can show, that something did *not* happen, is a sentence at the
operator that asked for it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import TYPE_CHECKING, Any, TypeAlias

from etalis_py.compiler.explain.readable import Readable
from etalis_py.compiler.plan.plan import PlanNode
from etalis_py.core.terms import Encoded

if TYPE_CHECKING:
    from etalis_py.engine.matches import Match

__all__ = ["Inference", "Kind", "Proof", "Triple", "Why"]

Triple: TypeAlias = tuple[Encoded, Encoded, Encoded]


class Kind(Enum):
    """What a node of a proof is."""

    EVENT = "event"
    """An occurrence of the stream, or one that a CONSTRUCT made, matched a pattern."""
    BACKGROUND = "background"
    """A background triple matched a pattern, or a named graph was named."""
    OPERATOR = "operator"
    """An operator put its parts together."""
    WALK = "walk"
    """A path; its parts are the steps, in order."""
    ROW = "row"
    """A row of VALUES, an answer of a Prolog predicate, or the empty group."""


@dataclass(frozen=True, slots=True)
class Inference:
    """One use of an RDFS rule (RDF 1.1 Semantics, section 9.2.1).

    From the triple before it and the background triple ``schema`` it concludes ``triple``. The rule
    ``vocabulary``, always the first, says that ``triple`` holds by RDFS itself.
    """

    rule: str
    schema: Triple
    triple: Triple


@dataclass(frozen=True, slots=True)
class Proof:
    """A solution of one part of a query, and what it is made of.

    ``interval`` is in microseconds since the epoch, UTC, both ends included; None where background alone
    holds. ``bindings`` are the solution's. ``node`` is the operator or pattern of the plan.
    """

    kind: Kind
    text: str
    """The pattern or operator as the query writes it."""
    line: int
    """Its line in the query, from 1."""
    interval: tuple[int, int] | None
    bindings: Mapping[str, Encoded]
    parts: tuple[Proof, ...] = ()
    triple: Triple | None = None
    """Of an event or background triple: what matched."""
    said: Triple | None = None
    """What the stream, a CONSTRUCT or the background said: ``triple``, or what it follows from."""
    inferences: tuple[Inference, ...] = ()
    """How ``triple`` follows from ``said``."""
    graph: str | None = None
    """The named graph that the background triple is in, or the name of the event's element."""
    stream: str | None = None
    """Of an event whose stream or element the pattern asks for: its stream."""
    derivation: Why | None = field(default=None, repr=False)
    """Why a CONSTRUCT made the occurrence; several occurrences may share it."""
    witnesses: tuple[Proof, ...] = ()
    """What EXISTS found. It adds neither bindings nor time."""
    absent: tuple[str, ...] = ()
    """What did not happen: each says what would have had to."""
    node: PlanNode | None = field(default=None, repr=False, compare=False)

    @property
    def is_vocabulary(self) -> bool:
        """Whether ``said`` is what RDFS itself says of a class or property that the background has."""
        return bool(self.inferences) and self.inferences[0].rule == "vocabulary"

    def walk(self) -> Iterator[Proof]:
        """This node and all below it, parts after what they are part of; each derivation's once."""
        seen: set[int] = set()
        todo = [self]
        while todo:
            node = todo.pop()
            yield node
            if node.derivation is not None and id(node.derivation) not in seen:
                seen.add(id(node.derivation))
                todo.append(node.derivation.proof)
            todo += reversed((*node.parts, *node.witnesses))


@dataclass(frozen=True, slots=True)
class Why:
    """Why a query gave an answer, or made an occurrence.

    ``match`` is the answer, None for an occurrence that a CONSTRUCT made: that has a ``number``, which is
    higher than those of what it is made of.
    """

    query: str
    proof: Proof
    match: Match | None = None
    number: int | None = None
    readable: Readable = field(default=Readable({}), repr=False, compare=False)
    """Prints terms with the prefixes of the query."""

    @property
    def events(self) -> tuple[Proof, ...]:
        """The occurrences that the stream itself brought, in the order of their ends, each once."""
        found = (each for each in self.proof.walk() if each.kind is Kind.EVENT and each.derivation is None)
        once = {(each.interval or (0, 0), each.said): each for each in found}
        return tuple(sorted(once.values(), key=lambda each: (each.interval or (0, 0))[::-1]))

    @property
    def background(self) -> tuple[Triple, ...]:
        """The background triples used, also by RDFS rules, each once."""
        used: dict[Triple, None] = {}
        for each in self.proof.walk():
            if each.kind is Kind.BACKGROUND and each.said is not None and not each.is_vocabulary:
                used[each.said] = None
            for inference in each.inferences[1 if each.is_vocabulary else 0 :]:
                used[inference.schema] = None
        return tuple(used)

    def __str__(self) -> str:
        """The tree as text, without an end of line after it."""
        from etalis_py.why.text import why_text

        return why_text(self)

    def _repr_svg_(self) -> str:
        return self.svg()

    def _repr_pretty_(self, printer: Any, _cycle: bool) -> None:
        printer.text(str(self))

    def svg(self) -> str:
        """The tree as a picture, which a notebook shows."""
        from etalis_py.why.svg import why_svg

        return why_svg(self)

    def as_json(self) -> dict[str, object]:
        """The tree as what ``json.dumps`` takes; terms are as in SPARQL 1.1 JSON results, times are texts."""
        from etalis_py.why.as_json import why_json

        return why_json(self)

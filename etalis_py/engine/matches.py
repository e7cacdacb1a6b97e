"""What a query answers: matches, and how they come out of Prolog."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

from etalis_py.core.terms import Encoded, to_rdflib
from etalis_py.core.value_class import value_class

if TYPE_CHECKING:
    from rdflib.term import Identifier

    from etalis_py.compiler.compile import QueryForm

__all__ = ["Content", "FoundMatch", "Kind", "Match", "Source", "Triple"]

Triple = tuple[Encoded, Encoded, Encoded]
Content: TypeAlias = "tuple[Encoded | None, ...] | tuple[Triple, ...] | bool"
"""The terms of a solution, triples, or a truth value."""


@value_class
class Kind:
    """What the answers of one query have in common; ``stream`` is that of `Match`."""

    name: str
    variables: tuple[str, ...]
    form: QueryForm
    stream: str | None = None
    prefixes: Mapping[str, str] = field(default_factory=dict, compare=False, repr=False)
    """Those of the query, to show terms by."""

    @property
    def width(self) -> int:
        """How many values an answer has in the columns of answers."""
        return len(self.variables) if self.form == "select" else int(self.form != "ask")

    def values(self, terms: Sequence[Encoded | None]) -> Sequence[Any]:
        """The values of an answer that has these terms, three for each triple."""
        if self.form == "select":
            return terms
        return [tuple(zip(terms[::3], terms[1::3], terms[2::3], strict=True))] * self.width

    def content(self, values: Iterable[Any]) -> Content:
        """That of the match that an answer with some values is."""
        return tuple(values) if self.form == "select" else next(iter(values), True)


class Source(Protocol):
    """What knows the contents of matches by their places."""

    def content(self, kind: Kind, place: int) -> Content:
        """That of one of them, of a kind."""


class Match:
    """One answer: a solution of a SELECT, the triples that one solution of a CONSTRUCT or DESCRIBE gives, or
    the ``boolean`` of an ASK.

    ``start`` and ``end`` are microseconds since the epoch, UTC. Of ``values`` (for a SELECT, in the order of
    ``variables``) an unbound variable's is None. ``boolean`` is None but for an ASK: true at each instant at
    which its pattern has new solutions; false is known when the input has ended, see `no`. ``stream`` is
    the IRI of the stream that the triples of a CONSTRUCT STREAM go to, or what REGISTER calls the output. A
    match is not to be changed.

    Matches are equal where all of these are. Each answer is one, and few are looked at: so what is in it is
    made when somebody asks.
    """

    __slots__ = ("_content", "_kind", "_place", "end", "start")
    __match_args__ = ("query", "start", "end", "variables", "values", "encoded_triples", "boolean", "stream")
    start: int
    end: int
    _kind: Kind
    _content: Content | Source
    _place: int

    def __init__(
        self,
        query: str,
        start: int,
        end: int,
        variables: tuple[str, ...] = (),
        values: tuple[Encoded | None, ...] = (),
        encoded_triples: tuple[Triple, ...] | None = None,
        boolean: bool | None = None,
        stream: str | None = None,
    ) -> None:
        self.start, self.end = start, end
        self._content = values
        form: QueryForm = "select"
        if encoded_triples is not None:
            form, self._content = "construct", encoded_triples
        elif boolean is not None:
            form, self._content = "ask", boolean
        self._kind = Kind(query, variables, form, stream)

    @classmethod
    def no(cls, query: str, moment: int | None) -> Match:
        """The false answer of an ASK at an instant; ``moment`` is None where there has been no instant.

        >>> Match.no("any", 5).boolean, Match.no("any", None).interval
        (False, None)
        """
        start, end = (1, 0) if moment is None else (moment, moment)
        return cls(query, start, end, boolean=False)

    @property
    def query(self) -> str:
        """The name of the query."""
        return self._kind.name

    @property
    def variables(self) -> tuple[str, ...]:
        """Those of a SELECT."""
        return self._kind.variables if self._kind.form == "select" else ()

    @property
    def values(self) -> tuple[Encoded | None, ...]:
        """Encoded terms, one for each of the variables."""
        content = self._content
        if content.__class__ is not tuple:
            content = self._made()
        return content if self._kind.form == "select" else ()  # type: ignore[return-value]

    @property
    def encoded_triples(self) -> tuple[Triple, ...] | None:
        """The triples of a CONSTRUCT or DESCRIBE; None for other forms."""
        return self._made() if self._kind.form in ("construct", "describe") else None  # type: ignore[return-value]

    @property
    def boolean(self) -> bool | None:
        """The truth value of an ASK."""
        return self._made() if self._kind.form == "ask" else None  # type: ignore[return-value]

    @property
    def stream(self) -> str | None:
        """Where the triples of a CONSTRUCT STREAM go, or what REGISTER calls the output."""
        return None if self._kind.form == "ask" else self._kind.stream

    def _made(self) -> Content:
        content = self._content
        if not isinstance(content, (tuple, bool)):
            content = self._content = content.content(self._kind, self._place)
        return content

    @property
    def fields(self) -> tuple[Any, ...]:
        """All that it was made of, as its class takes it."""
        return tuple(getattr(self, name) for name in self.__match_args__)

    @property
    def interval(self) -> tuple[int, int] | None:
        """Start and end; None for the false answer of an ASK where there has been no instant."""
        return (self.start, self.end) if self.start <= self.end else None

    @property
    def encoded(self) -> Mapping[str, Encoded]:
        """Variable to encoded term; unbound variables are left out."""
        pairs = zip(self.variables, self.values, strict=True)
        return {name: value for name, value in pairs if value is not None}

    @property
    def bindings(self) -> Mapping[str, Identifier]:
        """Variable to rdflib term; unbound variables are left out."""
        return {name: to_rdflib(value) for name, value in self.encoded.items()}

    @property
    def triples(self) -> tuple[tuple[Identifier, Identifier, Identifier], ...] | None:
        """The triples of a CONSTRUCT or DESCRIBE as rdflib terms; None for other forms."""
        if self.encoded_triples is None:
            return None
        return tuple((to_rdflib(s), to_rdflib(p), to_rdflib(o)) for s, p, o in self.encoded_triples)

    def __getitem__(self, variable: str) -> Identifier:
        """The rdflib term of one variable; KeyError if it is unbound."""
        return to_rdflib(self.encoded[variable])

    def __eq__(self, other: object) -> bool:
        return self.fields == other.fields if isinstance(other, Match) else NotImplemented

    def __hash__(self) -> int:
        return hash(self.fields)

    def __repr__(self) -> str:
        named = zip(self.__match_args__, self.fields, strict=True)
        return f"Match({', '.join(f'{name}={value!r}' for name, value in named)})"

    def __reduce__(self) -> tuple[Any, ...]:
        return Match, self.fields


class FoundMatch(Match):
    """A match of the answer at a place of a source, which is asked for what is in it when somebody looks."""

    __slots__ = ()

    def __init__(self, kind: Kind, start: int, end: int, source: Source, place: int) -> None:
        self._kind = kind
        self.start = start
        self.end = end
        self._content = source
        self._place = place

"""What a query answers: matches, and how they come out of Prolog."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from etalis_py.core.terms import Encoded, to_rdflib

if TYPE_CHECKING:
    from rdflib.term import Identifier

__all__ = ["Match", "Triple"]

Triple = tuple[Encoded, Encoded, Encoded]


@dataclass(slots=True, unsafe_hash=True)  # made for every answer: frozen, it takes four times as long
class Match:
    """One answer: a solution of a SELECT, the triples that one solution of a CONSTRUCT or DESCRIBE gives, or
    the ``boolean`` of an ASK.

    ``start`` and ``end`` are microseconds since the epoch, UTC. Of ``values`` (for a SELECT, in the order of
    ``variables``) an unbound variable's is None. ``boolean`` is None but for an ASK: true at each instant at
    which its pattern has new solutions; false is known when the input has ended, see `no`. ``stream`` is
    the IRI of the stream that the triples of a CONSTRUCT STREAM go to, or what REGISTER calls the output. A
    match is not to be changed.
    """

    query: str
    start: int
    end: int
    variables: tuple[str, ...] = ()
    values: tuple[Encoded | None, ...] = ()
    encoded_triples: tuple[Triple, ...] | None = None
    boolean: bool | None = None
    stream: str | None = None

    @classmethod
    def no(cls, query: str, moment: int | None) -> Match:
        """The false answer of an ASK at an instant; ``moment`` is None where there has been no instant.

        >>> Match.no("any", 5).boolean, Match.no("any", None).interval
        (False, None)
        """
        start, end = (1, 0) if moment is None else (moment, moment)
        return cls(query, start, end, boolean=False)

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

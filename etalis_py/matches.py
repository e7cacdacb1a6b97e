"""What a query answers: matches, and how they come out of Prolog."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from etalis_py.terms import Encoded, to_rdflib

if TYPE_CHECKING:
    from rdflib.term import Identifier

__all__ = ["Match", "Triple"]

Triple = tuple[Encoded, Encoded, Encoded]


@dataclass(frozen=True, slots=True)
class Match:
    """One answer: a solution of a SELECT, or the triples that one solution of a CONSTRUCT gives.

    ``start`` and ``end`` are microseconds since the epoch, UTC. Of ``values`` (for a SELECT, in the order of
    ``variables``) an unbound variable's is None.
    """

    query: str
    start: int
    end: int
    variables: tuple[str, ...] = ()
    values: tuple[Encoded | None, ...] = ()
    encoded_triples: tuple[Triple, ...] | None = None

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
        """The triples of a CONSTRUCT as rdflib terms; None for a SELECT."""
        if self.encoded_triples is None:
            return None
        return tuple((to_rdflib(s), to_rdflib(p), to_rdflib(o)) for s, p, o in self.encoded_triples)

    def __getitem__(self, variable: str) -> Identifier:
        """The rdflib term of one variable; KeyError if it is unbound."""
        return to_rdflib(self.encoded[variable])

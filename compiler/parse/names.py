"""From the names a query writes to absolute IRIs.

``xsd:``, ``rdf:``, ``rdfs:`` and ``prolog:`` need no PREFIX line. A relative IRI is resolved against BASE
(or the base given by the caller); where there is neither it stays as it is written.
"""

from __future__ import annotations

import re
from difflib import get_close_matches
from types import MappingProxyType

from etalis_py.compiler.parse import syntax
from etalis_py.compiler.parse.iris import is_absolute, resolve_reference
from etalis_py.compiler.spans import Span, place_of, shorten
from etalis_py.core.errors import QuerySyntaxError

__all__ = ["KNOWN_PREFIXES", "PROLOG_NAMESPACE", "Names"]

PROLOG_NAMESPACE = "urn:etalis:prolog:"
KNOWN_PREFIXES = MappingProxyType(
    {
        "xsd": "http://www.w3.org/2001/XMLSchema#",
        "rdf": "http://www.w3.org/1999/02/22-rdf-syntax-ns#",
        "rdfs": "http://www.w3.org/2000/01/rdf-schema#",
        "prolog": PROLOG_NAMESPACE,
    }
)
WELL_KNOWN_NAMESPACES = MappingProxyType(
    {
        "f": "http://larkc.eu/csparql/sparql/jena/ext#",
        "foaf": "http://xmlns.com/foaf/0.1/",
        "geo": "http://www.w3.org/2003/01/geo/wgs84_pos#",
        "owl": "http://www.w3.org/2002/07/owl#",
        "prov": "http://www.w3.org/ns/prov#",
        "skos": "http://www.w3.org/2004/02/skos/core#",
        "sosa": "http://www.w3.org/ns/sosa/",
        "ssn": "http://www.w3.org/ns/ssn/",
        "time": "http://www.w3.org/2006/time#",
    }
)
"""Only for hints: these must be declared."""


class Names:
    """The prefixes and the base of one query.

    ``text`` and ``source`` are for the places in errors, ``base`` is the base IRI outside the query.
    """

    def __init__(
        self, prologue: syntax.Prologue, *, text: str = "", source: str | None = None, base: str | None = None
    ) -> None:
        self.base = base
        self.prefixes: dict[str, str] = dict(KNOWN_PREFIXES)
        self._text = text
        self._source = source
        for declaration in prologue.declarations:
            match declaration:
                case syntax.BaseDeclaration(iri=iri):
                    self.base = self.resolve(iri)
                case syntax.PrefixDeclaration(prefix=prefix, iri=iri):
                    self.prefixes[prefix] = self.resolve(iri)
                case syntax.Pragma():
                    pass

    def resolve(self, name: syntax.Iri) -> str:
        """The absolute IRI that a name means.

        Raises:
            QuerySyntaxError: EP106, the prefix is not declared.
        """
        if isinstance(name, syntax.IriRef):
            if self.base is None or is_absolute(name.text):
                return name.text
            return resolve_reference(name.text, self.base)
        namespace = self.prefixes.get(name.prefix)
        if namespace is None:
            raise self._undeclared(name.prefix, name.span)
        return namespace + name.local

    def _undeclared(self, prefix: str, span: Span) -> QuerySyntaxError:
        return QuerySyntaxError(
            "EP106",
            f"the prefix '{shorten(prefix)}:' is not declared",
            place=place_of(self._text, Span(span.start, span.start + len(prefix) + 1), self._source),
            hint=self._nearest(prefix),
        )

    def _nearest(self, prefix: str) -> str:
        if re.search(rf"(?i:PREFIX)\s+{re.escape(prefix)}:", self._text):
            return "after ;; each query needs PREFIX lines of its own"
        declaration = f"PREFIX {shorten(prefix)}: <{WELL_KNOWN_NAMESPACES.get(prefix, '...')}>"
        by_small_letters = {known.lower(): known for known in self.prefixes}
        close = get_close_matches(prefix.lower(), by_small_letters, n=1, cutoff=0.5)
        if close and prefix not in WELL_KNOWN_NAMESPACES:
            return f"did you mean '{by_small_letters[close[0]]}:'? If not, declare it: {declaration}"
        return f"declare it before the query: {declaration}"

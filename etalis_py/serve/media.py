"""Media types, and the formats that they are."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

__all__ = [
    "BACKGROUND",
    "EVENTS",
    "FORMAT_OF",
    "JSON",
    "METRICS",
    "NDJSON",
    "QUERY",
    "RESULTS",
    "SPARQL_CSV",
    "SPARQL_JSON",
    "SPARQL_TSV",
    "SPARQL_XML",
    "STREAMS",
    "SUFFIX_OF",
    "SVG",
    "TEXT",
    "TRIPLES",
]

JSON: Final = "application/json"
NDJSON: Final = "application/x-ndjson"
TEXT: Final = "text/plain"
SVG: Final = "image/svg+xml"
EVENTS: Final = "text/event-stream"
SPARQL_JSON: Final = "application/sparql-results+json"
SPARQL_XML: Final = "application/sparql-results+xml"
SPARQL_CSV: Final = "text/csv"
SPARQL_TSV: Final = "text/tab-separated-values"
METRICS: Final = "text/plain; version=0.0.4"
QUERY: Final = ("application/sparql-query", TEXT)
RESULTS: Final[Mapping[str, str]] = {
    SPARQL_JSON: "json",
    SPARQL_XML: "xml",
    SPARQL_CSV: "csv",
    SPARQL_TSV: "tsv",
    JSON: "json",
    "application/xml": "xml",
}
"""The forms of rows that the W3C has, by media types; the less close names stand last."""
TRIPLES: Final[Mapping[str, str]] = {
    "application/n-triples": "nquads",
    "text/turtle": "nquads",
    "application/n-quads": "nquads",
}
"""Triples without graphs are the same in all of them."""
FORMAT_OF: Final[Mapping[str, str]] = {
    NDJSON: "ndjson",
    "application/n-quads": "nquads",
    "application/trig": "trig",
    "application/ld+json": "jsonld",
    "text/csv": "csv",
    "text/tab-separated-values": "tsv",
    JSON: "json",
}
"""Of streams; tsv and json with a mapping only."""
STREAMS: Final = tuple(FORMAT_OF)
SUFFIX_OF: Final[Mapping[str, str]] = {
    "text/turtle": ".ttl",
    "application/n-triples": ".nt",
    "application/rdf+xml": ".rdf",
    "application/ld+json": ".jsonld",
}
"""Of background."""
BACKGROUND: Final = tuple(SUFFIX_OF)

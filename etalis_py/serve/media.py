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
    "STREAMS",
    "SUFFIX_OF",
    "SVG",
    "TEXT",
]

JSON: Final = "application/json"
NDJSON: Final = "application/x-ndjson"
TEXT: Final = "text/plain"
SVG: Final = "image/svg+xml"
EVENTS: Final = "text/event-stream"
SPARQL_JSON: Final = "application/sparql-results+json"
SPARQL_CSV: Final = "text/csv"
SPARQL_TSV: Final = "text/tab-separated-values"
METRICS: Final = "text/plain; version=0.0.4"
QUERY: Final = ("application/sparql-query", TEXT)
RESULTS: Final = (EVENTS, SPARQL_JSON, SPARQL_CSV)
"""Beside NDJSON; a question has no events, and may have triples, too."""
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

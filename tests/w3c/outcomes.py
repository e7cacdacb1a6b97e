"""What a query gives, and how the files of the W3C's tests tell it."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

import pyoxigraph

__all__ = ["FORMATS", "Outcome", "Row", "Solutions", "Term", "Triples", "read_outcome", "shown", "term_of"]

Term: TypeAlias = "tuple[str, ...]"
"""``("uri", iri)``, ``("bnode", label)`` or ``("literal", text, datatype, language)``."""
Row: TypeAlias = "tuple[Term | None, ...]"
"""Terms; an unbound variable is None."""

_XSD_STRING: Final = "http://www.w3.org/2001/XMLSchema#string"
_RESULT_SET: Final = "http://www.w3.org/2001/sw/DataAccess/tests/result-set#"
FORMATS: Final = {".srj": "json", ".srx": "xml", ".csv": "csv", ".tsv": "tsv"}
"""The suffixes of result files that are in a form which is written too."""
_READ = {
    ".srx": pyoxigraph.QueryResultsFormat.XML,
    ".srj": pyoxigraph.QueryResultsFormat.JSON,
    ".tsv": pyoxigraph.QueryResultsFormat.TSV,
}


@dataclass(frozen=True, slots=True)
class Solutions:
    """The rows of a SELECT, in their order."""

    variables: tuple[str, ...]
    rows: tuple[Row, ...]

    def columns(self, names: Sequence[str]) -> Iterator[Row]:
        """The rows with their terms in the order of ``names``."""
        places = [self.variables.index(name) for name in names]
        return (tuple(row[place] for place in places) for row in self.rows)


@dataclass(frozen=True, slots=True)
class Triples:
    """What a CONSTRUCT gives."""

    triples: tuple[Row, ...]


Outcome: TypeAlias = "Solutions | Triples | bool"


def shown(outcome: Outcome) -> str:
    """An outcome as text."""
    match outcome:
        case bool():
            return str(outcome).lower()
        case Triples():
            return "\n".join(map(str, outcome.triples))
        case Solutions():
            return "\n".join(map(str, (outcome.variables, *outcome.rows)))


def read_outcome(data: bytes, suffix: str, *, base: str | None = None) -> Outcome:
    """The outcome that a file with this suffix tells: ``.srx``, ``.srj``, ``.csv``, ``.tsv``, ``.ttl``.

    Cells of CSV have no kinds: one that begins with ``_:`` is a blank node, an empty one unbound, any other
    is taken for a text.
    """
    match suffix:
        case ".csv":
            return _read_csv(data)
        case ".ttl" | ".rdf":
            kind = pyoxigraph.RdfFormat.TURTLE if suffix == ".ttl" else pyoxigraph.RdfFormat.RDF_XML
            quads = pyoxigraph.parse(data, kind, base_iri=base)
            triples = [
                (term_of(each.subject), term_of(each.predicate), term_of(each.object)) for each in quads
            ]
            return _read_result_set(triples) or Triples(tuple(triples))
        case _:
            return _read_results(data, suffix)


def term_of(term: Any) -> Term:
    """A term of pyoxigraph."""
    match term:
        case pyoxigraph.NamedNode():
            return "uri", term.value
        case pyoxigraph.BlankNode():
            return "bnode", term.value
        case pyoxigraph.Literal():
            return "literal", term.value, term.datatype.value, term.language or ""
        case _:
            raise ValueError(f"{term} is no term")


def _read_results(data: bytes, suffix: str) -> Outcome:
    results = pyoxigraph.parse_query_results(data, _READ[suffix])
    if isinstance(results, pyoxigraph.QueryBoolean):
        return bool(results)
    assert isinstance(results, pyoxigraph.QuerySolutions)
    names = [each.value for each in results.variables]
    rows = [tuple(None if row[name] is None else term_of(row[name]) for name in names) for row in results]
    return Solutions(tuple(names), tuple(rows))


def _read_csv(data: bytes) -> Solutions:
    names, *lines = csv.reader(io.StringIO(data.decode(), newline=""))

    def cell(text: str) -> Term | None:
        if not text:
            return None
        return ("bnode", text[2:]) if text.startswith("_:") else ("literal", text, _XSD_STRING, "")

    return Solutions(tuple(names), tuple(tuple(map(cell, line)) for line in lines))


def _read_result_set(triples: Iterable[tuple[Term, Term, Term]]) -> Solutions | None:
    """The solutions that a graph describes in the vocabulary for result sets, if it does."""
    told: dict[tuple[Term, str], list[Term]] = {}
    for subject, predicate, value in triples:
        if predicate[1].startswith(_RESULT_SET):
            told.setdefault((subject, predicate[1].removeprefix(_RESULT_SET)), []).append(value)
    if not told:
        return None
    results = next(subject for subject, name in told if name == "resultVariable")
    names = [term[1] for term in told[results, "resultVariable"]]
    rows = []
    for solution in told.get((results, "solution"), []):
        bindings = told.get((solution, "binding"), [])
        row = {told[each, "variable"][0][1]: told[each, "value"][0] for each in bindings}
        rows.append(tuple(map(row.get, names)))
    return Solutions(tuple(names), tuple(rows))

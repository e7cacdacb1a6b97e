"""Runs one of the W3C's evaluation tests on an engine in this process.

All events are at one instant, with which EP-SPARQL is SPARQL. ``qt:data`` is the stream, each file of
``qt:graphData`` a named graph of the background under its own IRI. A query's base is the IRI of its file.
With entailment ``qt:data`` is the background.
"""

from __future__ import annotations

import io
import itertools
from collections.abc import Iterator, Sequence
from typing import Literal

from etalis_py.cli.heads import head_of
from etalis_py.compiler.compile import CompiledQuery
from etalis_py.compiler.parse.syntax import Query, Select, Variable
from etalis_py.core.errors import EtalisError
from etalis_py.core.terms import Encoded, lexical_form
from etalis_py.core.vocabulary import RDF_LANGSTRING, XSD_STRING
from etalis_py.engine.engine import Engine
from etalis_py.engine.matches import Match
from etalis_py.results import open_writer
from etalis_py.streams import open_streams
from tests.w3c.comparison import difference
from tests.w3c.manifests import W3CTest, path_of
from tests.w3c.outcomes import FORMATS, Outcome, Solutions, Term, Triples, read_outcome

__all__ = ["AT", "order_of", "problem_of", "read_expected"]

AT = 1_300_000_000_000_000
"""The instant of all events, in microseconds."""
_REGIMES = frozenset({"RDF", "RDFS"})


def problem_of(test: W3CTest) -> str:
    """Why a test fails; the empty text if it does not."""
    if test.regimes and not test.regimes & _REGIMES:
        return f"not applicable: entailment {', '.join(sorted(test.regimes))}"
    expected = read_expected(test)
    try:
        query, matches = _answers(test)
    except EtalisError as error:
        return str(error)
    suffix = path_of(test.result or "").suffix
    found = _outcome(query, matches, suffix)
    return difference(expected, found, ordered_by=order_of(query.syntax))


def read_expected(test: W3CTest) -> Outcome:
    """What the query of a test is to give."""
    assert test.result is not None
    path = path_of(test.result)
    return read_outcome(path.read_bytes(), path.suffix, base=test.result)


def _answers(test: W3CTest) -> tuple[CompiledQuery, list[Match]]:
    background = [path_of(iri) for iri in test.background]
    graphs = {iri: path_of(iri) for iri in test.graphs}
    entailment: Literal["rdfs", "none"] = "rdfs" if test.regimes else "none"
    with Engine(background, graphs=graphs, entailment=entailment, at=AT, max_derivations=1000) as engine:
        source = path_of(test.query).name
        (name,) = engine.register(test.query_text, name="query", source=source, base=test.query)
        for batch in open_streams(list(map(path_of, test.data)), at=AT):
            engine.send_encoded(batch)
        engine.finish()
        query, matches = engine.query(name), list(engine.matches(name))
    if query.form == "ask" and not matches:
        matches = [Match.no(name, AT)]
    return query, matches


def _outcome(query: CompiledQuery, matches: Sequence[Match], suffix: str) -> Outcome:
    """What was found; by way of a file where the result is in a form that is written."""
    if suffix in FORMATS:
        with open_writer(
            FORMATS[suffix], out := io.BytesIO(), heads=[head_of(query)], at_mode=True
        ) as writer:
            writer.write_all(matches)
        return read_outcome(out.getvalue(), suffix)
    match query.form:
        case "ask":
            (answer,) = matches
            return bool(answer.boolean)
        case "select":
            rows = tuple(tuple(map(_term, match.values)) for match in matches)
            return Solutions(query.variables, rows)
        case _:
            return Triples(tuple(_triples(matches)))


def _triples(matches: Sequence[Match]) -> Iterator[tuple[Term | None, ...]]:
    for match in matches:
        for triple in match.encoded_triples or ():
            yield tuple(map(_term, triple))


def _term(term: Encoded | None) -> Term | None:
    if isinstance(term, str):
        return ("bnode", term[2:]) if term.startswith("_:") else ("uri", term)
    if term is None:
        return None
    text, datatype, language = lexical_form(term)
    return "literal", text, datatype or (RDF_LANGSTRING if language else XSD_STRING), language or ""


def order_of(query: Query) -> list[str]:
    """The variables that the rows of a query are ordered by, up to the first key that is something else."""
    keys = query.form.modifiers.order_by if isinstance(query.form, Select) else ()
    variables = itertools.takewhile(lambda key: isinstance(key, Variable), (key.expression for key in keys))
    return [each.name for each in variables if isinstance(each, Variable)]

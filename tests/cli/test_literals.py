"""Literals in data, patterns and answers: kept as they are written, compared by value."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

XSD = "http://www.w3.org/2001/XMLSchema#"


def typed(text: str, name: str) -> str:
    return f'"{text}"^^<{XSD}{name}>'


KEPT = [
    typed("01", "integer"),
    typed("+1", "integer"),
    typed("1.0", "decimal"),
    typed("1.00", "decimal"),
    typed("123456789012345678901234567890.123456789012345678901234567890", "decimal"),
    typed("9" * 300, "integer"),
    typed("-0", "double"),
    typed("0.1", "float"),
    typed("1.0E-1", "float"),
    typed("16777217", "float"),
    typed("NaN", "float"),
    typed("NaN", "double"),
    typed("INF", "double"),
    typed("+INF", "double"),
    typed("-INF", "float"),
    typed("1E400", "double"),
    typed("007", "unsignedByte"),
    typed("300", "byte"),
    typed("abc", "integer"),
    typed("1", "boolean"),
    typed("2000-01-01T24:00:00+14:00", "dateTime"),
    typed("2016-12-31T23:59:60Z", "dateTime"),
    typed("1970-01-01T00:00:00.12345678Z", "dateTime"),
    typed("PT3600S", "duration"),
    typed("2000-02-30", "date"),
    '"a"^^<urn:type>',
    f'"a"^^<{XSD}token>',
    '"text"',
]


def answers(etalis, folder: Path, query: str, *objects: str) -> list[dict[str, str]]:
    """The bindings of ?o (and others) of a query over one event for each object."""
    lines = [
        json.dumps({"start": n, "s": "<urn:s>", "p": "<urn:p>", "o": each}) for n, each in enumerate(objects)
    ]
    (folder / "s.ndjson").write_text("\n".join(lines) + "\n")
    (folder / "q.rq").write_text(query)
    done = etalis("run q.rq --stream s.ndjson")
    assert (done.code, done.err) == (0, "")
    return [
        {
            name: term.get("xml:lang", "")
            + "|"
            + term["value"]
            + "|"
            + term.get("datatype", "").removeprefix(XSD)
            for name, term in each["bindings"].items()
        }
        for each in done.answers
    ]


@pytest.mark.parametrize("literal", KEPT, ids=lambda text: text[:40])
def test_a_literal_is_kept(etalis, folder: Path, literal: str) -> None:
    text, _, datatype = literal[1:].partition('"')
    query = "SELECT ?o (STR(?o) AS ?text) (sameTerm(?o, " + literal + ") AS ?same) WHERE { ?s ?p ?o }"
    name = datatype[3:-1].removeprefix(XSD)
    [found] = answers(etalis, folder, query, literal)
    assert found == {"o": f"|{text}|{name}", "text": f"|{text}|", "same": "|true|boolean"}


def test_a_pattern_matches_the_same_term_and_a_filter_the_value(etalis, folder: Path) -> None:
    ones = [typed("1", "integer"), typed("01", "integer"), typed("1.0", "decimal"), typed("1", "byte")]
    assert answers(etalis, folder, "SELECT ?s { ?s ?p '01'^^xsd:integer }", *ones) == [{"s": "|urn:s|"}]
    assert answers(etalis, folder, "SELECT ?o { ?s ?p ?o FILTER (?o = 1) }", *ones) == [
        {"o": f"|{text}|{name}"}
        for text, name in (("1", "integer"), ("01", "integer"), ("1.0", "decimal"), ("1", "byte"))
    ]


def test_language_tags_are_matched_without_case(etalis, folder: Path) -> None:
    tagged = ['"a"@en-US', '"a"@EN-us', '"a"@en', '"A"@en-us', '"a"']
    found = [{"o": "en-us|a|"}] * 2
    assert answers(etalis, folder, 'SELECT ?o { ?s ?p ?o FILTER (?o = "a"@en-Us) }', *tagged) == found
    assert answers(etalis, folder, 'SELECT ("x" AS ?o) { ?s ?p "a"@En-uS }', *tagged) == [{"o": "|x|"}] * 2
    matching = 'SELECT ?o { ?s ?p ?o FILTER LANGMATCHES(LANG(?o), "EN") }'
    assert len(answers(etalis, folder, matching, *tagged)) == 4
    join = "SELECT ?o { { ?s ?p ?o } SEQ { ?t ?q ?o } }"
    assert answers(etalis, folder, join, *tagged[:2]) == found[:1]
    assert (
        answers(
            etalis, folder, 'SELECT (LANG(?o) AS ?l) { ?s ?p ?o FILTER (LANG(?o) = "en-us") }', *tagged[:2]
        )
        == [{"l": "|en-us|"}] * 2
    )


def test_not_a_number(etalis, folder: Path) -> None:
    query = """SELECT (?o = ?o AS ?equal) (?o < 1 AS ?less) (sameTerm(?o, ?o) AS ?same) (?o + 1 AS ?sum)
    WHERE { ?s ?p ?o }"""
    for name in ("double", "float"):
        [found] = answers(etalis, folder, query, typed("NaN", name))
        assert found == {
            "equal": "|false|boolean",
            "less": "|false|boolean",
            "same": "|true|boolean",
            "sum": f"|NaN|{name}",
        }
    assert (
        len(
            answers(
                etalis, folder, "SELECT ?o { { ?s ?p ?o } SEQ { ?t ?q ?o } }", *[typed("NaN", "double")] * 2
            )
        )
        == 1
    )


def test_exact_numbers(etalis, folder: Path) -> None:
    query = "SELECT (?o * ?o AS ?square) (?o + 0.1 AS ?sum) (?o / 8 AS ?part) { ?s ?p ?o }"
    [found] = answers(etalis, folder, query, typed("9007199254740993", "long"))
    assert found == {
        "square": "|81129638414606699710187514626049|integer",
        "sum": "|9007199254740993.1|decimal",
        "part": "|1125899906842624.125|decimal",
    }


def test_floats_are_single(etalis, folder: Path) -> None:
    query = """SELECT (?o + ?o AS ?sum) (?o = 0.1 AS ?exact) (?o = 1.0e-1 AS ?double)
    (xsd:double(?o) AS ?wide) (?o * 1.0e0 AS ?product) { ?s ?p ?o }"""
    [found] = answers(etalis, folder, query, typed("0.1", "float"))
    assert found == {
        "sum": "|2.0E-1|float",
        "exact": "|true|boolean",
        "double": "|false|boolean",
        "wide": "|1.0000000149011612E-1|double",
        "product": "|1.0000000149011612E-1|double",
    }


def test_unknown_datatypes_are_compared_by_form(etalis, folder: Path) -> None:
    query = """SELECT (?o = "a"^^<urn:type> AS ?same) (?o != "b"^^<urn:type> AS ?other) (?o = <urn:a> AS ?iri)
    (?o = "a"@en AS ?tagged) WHERE { ?s ?p ?o }"""
    assert answers(etalis, folder, query, '"a"^^<urn:type>') == [
        {"same": "|true|boolean", "iri": "|false|boolean", "tagged": "|false|boolean"}
    ]


def test_a_month_against_a_day_is_an_error(etalis, folder: Path) -> None:
    query = """SELECT (?o = "P30D"^^xsd:duration AS ?equal) (?o > "P30D"^^xsd:duration AS ?more)
    (?o = "P1M"^^xsd:yearMonthDuration AS ?same) (?o < "P1M1D"^^xsd:duration AS ?less) WHERE { ?s ?p ?o }"""
    assert answers(etalis, folder, query, typed("P1M", "duration")) == [
        {"same": "|true|boolean", "less": "|true|boolean"}
    ]

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


TYPED = {text: (text[1:].partition('"')[0], text.partition("^^<")[2][:-1]) for text in KEPT if "^^" in text}
RDFXML = '<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="urn:">{}</rdf:Description></rdf:RDF>'
PROV = "http://www.w3.org/ns/prov#"


def write_turtle(path: Path) -> None:
    path.write_text("".join(f"<urn:s> <urn:p> {each} .\n" for each in TYPED))


def write_trig(path: Path) -> None:
    triples = "".join(f"<urn:s> <urn:p> {each} .\n" for each in TYPED)
    time = typed("2000-01-01T00:00:00Z", "dateTime")
    path.write_text(f"<urn:g> {{ {triples} }}\n<urn:g> <{PROV}generatedAtTime> {time} .")


def write_nquads(path: Path) -> None:
    path.write_text(
        "".join(f"<urn:s> <urn:p> {each} <urn:g> .\n" for each in TYPED)
        + f"<urn:g> <{PROV}generatedAtTime> {typed('2000-01-01T00:00:00Z', 'dateTime')} .\n"
    )


def write_jsonld(path: Path) -> None:
    values = [{"@value": text, "@type": datatype} for text, datatype in TYPED.values()]
    time = {"@value": "2000-01-01T00:00:00Z", "@type": XSD + "dateTime"}
    graph = {"@id": "urn:g", PROV + "generatedAtTime": time, "@graph": [{"@id": "urn:s", "urn:p": values}]}
    path.write_text(json.dumps(graph))


def write_rdfxml(path: Path) -> None:
    values = "".join(f'<p rdf:datatype="{datatype}">{text}</p>' for text, datatype in TYPED.values())
    path.write_text(RDFXML.format(f'<rdf:Description rdf:about="urn:s">{values}'))


WAYS = [
    ("--stream s.ttl --at 5", "s.ttl", write_turtle),
    ("--stream s.nt --at 5", "s.nt", write_turtle),
    ("--stream s.rdf --at 5", "s.rdf", write_rdfxml),
    ("--stream s.trig", "s.trig", write_trig),
    ("--stream s.nq", "s.nq", write_nquads),
    ("--stream s.jsonld", "s.jsonld", write_jsonld),
    ("--stream one.ndjson --background s.ttl", "s.ttl", write_turtle),
    ("--stream one.ndjson --background s.nt", "s.nt", write_turtle),
    ("--stream one.ndjson --background s.rdf", "s.rdf", write_rdfxml),
]


@pytest.mark.parametrize(("options", "name", "write"), WAYS, ids=[options for options, _, _ in WAYS])
def test_literals_are_kept_in_every_format(etalis, folder: Path, options: str, name: str, write) -> None:
    """No reader puts a canonical form in the place of what is written."""
    write(folder / name)
    (folder / "one.ndjson").write_text('{"start": 1, "s": "<urn:a>", "p": "<urn:b>", "o": "<urn:c>"}\n')
    (folder / "q.rq").write_text(
        "SELECT ?o { { <urn:s> <urn:p> ?o } " + ("{ ?a <urn:b> ?c }" if "one" in options else "") + "}"
    )
    done = etalis(f"run q.rq {options} --results ndjson")
    assert (done.code, done.err) == (0, "")
    found = [(term["value"], term["datatype"]) for each in done.answers for term in each["bindings"].values()]
    assert sorted(found) == sorted(TYPED.values())


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


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("b.ttl", '<urn:b> <urn:name> "chat"@FR-be .'),
        ("b.nt", '<urn:b> <urn:name> "chat"@FR-be .\n'),
        ("b.jsonld", '{"@id": "urn:b", "urn:name": {"@value": "chat", "@language": "FR-be"}}'),
        ("b.rdf", RDFXML.format('<rdf:Description rdf:about="urn:b"><name xml:lang="FR-be">chat</name>')),
    ],
)
def test_language_tags_of_stream_and_background_meet(etalis, folder: Path, name: str, text: str) -> None:
    (folder / name).write_text(text)
    (folder / "s.ndjson").write_text(
        json.dumps({"start": 1, "s": "<urn:s>", "p": "<urn:p>", "o": '"chat"@fr-BE'}) + "\n"
    )
    (folder / "q.rq").write_text("SELECT ?o ?b { ?s <urn:p> ?o . ?b <urn:name> ?o }")
    done = etalis(f"run q.rq --stream s.ndjson --background {name}")
    assert (done.code, done.err, done.found) == (0, "", [("chat", "urn:b")])


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

"""What SPARQL forbids beside its grammar; the other side of each rule parses."""

from __future__ import annotations

import pytest

from etalis_py.compiler.parse.parser import parse
from etalis_py.core.errors import QuerySyntaxError

REFUSED = [
    ("EP110", "ASK { ?s ?p ?x BIND(1 AS ?x) }"),
    ("EP110", "ASK { { ?s ?p ?x } SEQ { } BIND(1 AS ?x) }"),
    ("EP110", "ASK { { } SEQ { VALUES ?x { 1 } } BIND(1 AS ?x) }"),
    ("EP110", "ASK { { SELECT ?x { } } BIND(1 AS ?x) }"),
    ("EP110", "ASK { GRAPH ?x { } BIND(1 AS ?x) }"),
    ("EP110", "ASK { ?s ?p ( [ ?x 1 ] ) BIND(1 AS ?x) }"),
    ("EP110", "ASK { FILTER(EXISTS { ?s ?p ?x BIND(1 AS ?x) }) }"),
    ("EP110", "ASK { } SEQ { BIND(1 AS ?x) BIND(2 AS ?x) }"),
    ("EP111", "SELECT (1 AS ?x) { ?s ?p ?x }"),
    ("EP111", "SELECT (1 AS ?x) (2 AS ?x) { }"),
    ("EP111", "SELECT ?x (1 AS ?x) { }"),
    ("EP111", "SELECT (1 AS ?x) ?x { }"),
    ("EP111", "SELECT ?n { } GROUP BY (1 AS ?n) (2 AS ?n)"),
    ("EP111", "SELECT (1 AS ?x) { { } SEQ { ?x ?p ?o } }"),
    ("EP112", "ASK { _:a ?p ?o OPTIONAL { _:a ?p ?o } }"),
    ("EP112", "ASK { { _:a ?p ?o } SEQ { _:a ?p ?o } }"),
    ("EP112", "ASK { _:a ?p ?o BIND(1 AS ?x) _:a ?p ?o }"),
    ("EP112", "ASK { _:a ?p ?o FILTER(NOT EXISTS { _:a ?p ?o }) }"),
    ("EP113", "ASK { VALUES (?x ?y) { (1) } }"),
    ("EP113", "ASK { VALUES () { (1) } }"),
    ("EP113", "ASK { VALUES (?x ?x) { (1 1) } }"),
    ("EP113", "ASK { } VALUES (?x) { () }"),
    ("EP114", "SELECT ?x { ?x ?y ?z } GROUP BY ?y"),
    ("EP114", "SELECT ?x (COUNT(*) AS ?n) { ?x ?y ?z }"),
    ("EP114", "SELECT (?x + COUNT(*) AS ?n) { ?x ?y ?z }"),
    ("EP114", "SELECT ?x { ?x ?y ?z } HAVING (COUNT(*) > 1)"),
    ("EP114", "SELECT ?x (COUNT(*) AS ?n) { ?x ?y ?z } GROUP BY ?x HAVING (?n > 1)"),
    ("EP114", "SELECT ?x { ?x ?y ?z } GROUP BY ?x HAVING (COUNT(*) > 1 && ?z = 2)"),
    ("EP114", "ASK { { SELECT ?x { ?x ?y ?z } GROUP BY ?y } }"),
    ("EP115", "ASK { FILTER(COUNT(*) > 1) }"),
    ("EP115", "ASK { BIND(SUM(?x) AS ?y) }"),
    ("EP115", "SELECT (1 AS ?n) { } GROUP BY (COUNT(*) AS ?m)"),
    ("EP115", "SELECT (SUM(COUNT(?x)) AS ?n) { }"),
    ("EP115", "SELECT (1 AS ?n) { } ORDER BY (MAX(?x + MIN(?y)))"),
    ("EP116", "SELECT * { } GROUP BY ?x"),
    ("EP116", "SELECT * { } HAVING (COUNT(*) > 1)"),
    ("EP117", "CONSTRUCT { ?x <p>* ?y } WHERE { }"),
    ("EP117", "CONSTRUCT { ?x <p> [ ^<q> ?y ] } WHERE { }"),
    ("EP117", "CONSTRUCT WHERE { ?x <p>/<q> ?y }"),
]
ACCEPTED = [
    "ASK { BIND(1 AS ?x) ?s ?p ?x }",
    "ASK { ?s ?p ?x MINUS { BIND(1 AS ?x) } }",
    "ASK { { ?s ?p ?x } SEQ { BIND(1 AS ?x) } }",
    "ASK { MINUS { ?s ?p ?x } BIND(1 AS ?x) }",
    "ASK { FILTER(?x = 1) BIND(1 AS ?x) }",
    "ASK { { SELECT ?y { ?s ?x ?y } } BIND(1 AS ?x) }",
    "SELECT (1 AS ?x) (?x + 1 AS ?y) { }",
    "SELECT ?x ?x { }",
    "ASK { _:a ?p ?o FILTER(?o > 1) _:a ?p ?o . _:a ?q ?r }",
    "ASK { VALUES () { () () } }",
    "ASK { VALUES ?x { } }",
    "SELECT ?y (COUNT(?x) AS ?n) (?n * 2 AS ?m) { ?x ?y ?z } GROUP BY ?y",
    "SELECT ?s (MIN(?x) AS ?a) { ?x ?y ?z } GROUP BY (STR(?y) AS ?s) HAVING (MAX(?z) > 1) ORDER BY MIN(?z)",
    "SELECT ?x { FILTER(EXISTS { SELECT (COUNT(*) AS ?n) { } }) }",
    "CONSTRUCT { ?x ?p ( [ a <c> ] ) } WHERE { ?x <p>/<q> ?p }",
]


@pytest.mark.parametrize(("code", "text"), REFUSED)
def test_refused(code: str, text: str) -> None:
    with pytest.raises(QuerySyntaxError) as caught:
        parse(text)
    assert caught.value.code == code


@pytest.mark.parametrize("text", ACCEPTED)
def test_accepted(text: str) -> None:
    parse(text)

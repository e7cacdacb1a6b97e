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
    ("EP114", "SELECT ?x (COUNT(*) AS ?n) { ?x ?y ?z } GROUP BY ?x HAVING (?m > 1)"),
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
    ("EP118", "ASK { { ?x <p> ?y } UNION NOT { ?x <q> ?y } }"),
    ("EP118", "ASK { { ?x <p> ?y } SEQ NEXT NOT { ?x <q> ?y } SEQ { ?x <r> ?y } }"),
    ("EP118", "ASK { { ?x <p> ?y } SEQ NOT { ?x <q> ?y } EQUALS { ?x <r> ?y } }"),
    ("EP118", "ASK { { ?x <p> ?y } SEQ NOT { ?x <q> ?y } SEQ NOT { ?x <r> ?y } SEQ { ?x <p> ?y } }"),
    ("EP118", "ASK { NOT { ?x <q> ?y } FOR PT1H }"),
    ("EP118", "ASK { NOT { ?x <q> ?y } FOR PT1H FROM START SEQ { ?x <r> ?y } }"),
    ("EP118", "ASK { NOT { ?x <q> ?y } SEQ NEXT { ?x <r> ?y } }"),
    ("EP118", "ASK { AFTER PT1H }"),
    ("EP118", "ASK { { ?x <p> ?y } EQUALS AFTER PT1H }"),
    ("EP118", "ASK { { ?x <p> ?y } SEQ NEXT REPEAT { ?x <q> ?z } }"),
    ("EP118", "ASK { { ?x <p> ?y } SEQ STRICT REPEAT 2 ALL { ?x <q> ?z } }"),
    ("EP118", "ASK { REPEAT 3 TO 2 { ?x <p> ?y } }"),
    ("EP118", "ASK { REPEAT 0 { ?x <p> ?y } }"),
    ("EP118", "ASK { ?x <p> ?y FILTER(?y > PREV(?y)) }"),
    ("EP118", "ASK { REPEAT { ?x <p> ?y FILTER(PREV(?z) > 1) } }"),
    ("EP118", "ASK { REPEAT { ?x <p> ?y FILTER(LAST(?z) > 1) } }"),
    ("EP118", "ASK { REPEAT { ?x <p> ?y } MEASURES (PREV(?y) AS ?z) }"),
    ("EP118", "ASK { { ?x <q> ?z } SEQ REPEAT { ?x <p> ?y } MEASURES (SUM(?z) AS ?n) }"),
    ("EP118", "SELECT (FIRST(?y) AS ?z) { ?x <p> ?y }"),
    ("EP119", "SELECT ?y { REPEAT { ?x <p> ?y } }"),
    ("EP119", "ASK { REPEAT { ?x <p> ?y } FILTER(?y > 1) }"),
    ("EP119", "ASK { FILTER(?y > 1) REPEAT { ?x <p> ?y } }"),
    ("EP119", "ASK { { ?z <q> ?y } EQUALS REPEAT { ?x <p> ?y } }"),
    ("EP119", "ASK { REPEAT { ?x <p> ?y } SEQ { ?x <q> ?z } }"),
    ("EP119", "ASK { REPEAT PER ?z { ?x <p> ?y } }"),
    ("EP119", "ASK { REPEAT { ?x <p> ?y } MEASURES (?y AS ?z) }"),
    ("EP119", "CONSTRUCT { ?x <p> 1 } WHERE { REPEAT { ?x <p> ?y } }"),
    ("EP120", "ASK { { ?x <p> ?y } SEQ NOT { ?x <q> ?y } }"),
    ("EP120", "ASK { NOT { ?x <q> ?y } }"),
    ("EP111", "ASK { { ?x <p> ?y } SEQ REPEAT { ?x <q> ?z } MEASURES (COUNT(*) AS ?y) }"),
    ("EP111", "ASK { REPEAT { ?x <q> ?z } MEASURES (COUNT(*) AS ?y, SUM(?z) AS ?y) }"),
    ("EP115", "ASK { ?x <p> ?y FILTER(COUNT(*) > 1) }"),
    ("EP115", "ASK { REPEAT { ?x <p> ?y FILTER(SUM(COUNT(*)) > 1) } }"),
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
    "SELECT ?x ?z { { ?x <p> ?y } SEQ REPEAT { ?x <q> ?z } MEASURES (LAST(?z) AS ?z) SEQ { ?x <r> ?y } }",
    "SELECT ?z { { REPEAT { ?x <q> ?y } } UNION { ?z <p> ?y } }",
    "SELECT ?n { REPEAT { ?x <q> ?y FILTER(SUM(?y) < 9 && COUNT(*) < 3) } MEASURES (COUNT(*) AS ?n) }",
    "SELECT ?x { NOT { ?x <n> ?a } SEQ { ?x <p> ?y } SEQ NOT { ?x <n> ?a } SEQ NEXT { ?x <q> ?z } }",
    "SELECT ?x { { ?x <p> ?y } SEQ NOT { ?x <n> ?a } FOR PT1H SEQ AFTER PT1M SEQ EVERY PT5M }",
]


@pytest.mark.parametrize(("code", "text"), REFUSED)
def test_refused(code: str, text: str) -> None:
    with pytest.raises(QuerySyntaxError) as caught:
        parse(text)
    assert caught.value.code == code


@pytest.mark.parametrize("text", ACCEPTED)
def test_accepted(text: str) -> None:
    parse(text)

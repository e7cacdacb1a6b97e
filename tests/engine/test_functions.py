"""Each function of SPARQL 1.1, section 17, called from a query; corner cases are in tests/rules."""

from __future__ import annotations

import pytest

from etalis_py.compiler.algebra.functions import ARITHMETIC, FUNCTIONS
from etalis_py.core.terms import ntriples
from etalis_py.engine.engine import Engine
from tests.engine.conftest import table

X = "http://www.w3.org/2001/XMLSchema#"

# An expression over ?s = <urn:s> and ?o = "Abc"@en-GB, and its value in N-Triples, nothing for an error.
VALUES = """
BOUND(?o) | true
BOUND(?z) | false
IF(?o = "x", 1, 2) | 2
IF(?z, 1, 2) |
COALESCE(?z, 1/0, 3) | 3
COALESCE() |
?z || true | true
?z && false | false
?z || false |
!?z |
!("" || false) | true
1 = 1.0 | true
1 != 1.0 | false
"a" < "b" | true
?s = <urn:s> | true
?s < <urn:t> |
sameTerm(1, 01) | false
2 IN (1, 2, ?z) | true
3 IN (1, 2, ?z) |
3 IN () | false
2 NOT IN (1, 3) | true
2 NOT IN (1, ?z) |
isIRI(?s) | true
isURI(?o) | false
isBlank(BNODE()) | true
isLiteral(?o) | true
isNumeric("1.0"^^xsd:decimal) | true
STR(?o) | "Abc"
STR(?s) | "urn:s"
LANG(?o) | "en-gb"
LANG(?s) |
DATATYPE(?o) | <http://www.w3.org/1999/02/22-rdf-syntax-ns#langString>
DATATYPE(1.5) | <http://www.w3.org/2001/XMLSchema#decimal>
IRI("urn:x") | <urn:x>
URI("../x") | <http://base/x>
isBlank(BNODE("x")) | true
STRDT("5", xsd:byte) | "5"^^xsd:byte
STRDT(?o, xsd:byte) |
STRLANG("a", "DE-at") | "a"@de-at
STRLEN(STR(UUID())) | 45
STRLEN(STRUUID()) | 36
STRLEN(?o) | 3
SUBSTR(?o, 2) | "bc"@en-gb
SUBSTR(?o, 1, 1) | "A"@en-gb
UCASE(?o) | "ABC"@en-gb
LCASE(?o) | "abc"@en-gb
STRSTARTS(?o, "A") | true
STRENDS(?o, "bc"@en-GB) | true
CONTAINS(?o, "b"@de) |
STRBEFORE(?o, "b") | "A"@en-gb
STRAFTER(?o, "z") | ""
ENCODE_FOR_URI("a b/\u00e9") | "a%20b%2F%C3%A9"
CONCAT(?o, "d"@EN-gb) | "Abcd"@en-gb
CONCAT(?o, "d") | "Abcd"
CONCAT() | ""
CONCAT("a", 1) |
LANGMATCHES(LANG(?o), "en") | true
LANGMATCHES(LANG(?o), "*") | true
REGEX(?o, "^a") | false
REGEX(?o, "^a", "i") | true
REGEX(?o, "(") |
REPLACE(?o, "([a-z])", "<$1>") | "A<b><c>"@en-gb
REPLACE(?o, "B", "-", "i") | "A-c"@en-gb
ABS(-1.5) | "1.5"^^xsd:decimal
ROUND(2.5) | "3"^^xsd:decimal
CEIL(1.1e0) | "2.0E0"^^xsd:double
FLOOR(-1.1) | "-2"^^xsd:decimal
RAND() < 1 | true
NOW() | "1970-01-01T00:00:07Z"^^xsd:dateTime
YEAR("2011-03-11T05:46:23.5+09:00"^^xsd:dateTime) | 2011
MONTH("2011-03-11T05:46:23.5+09:00"^^xsd:dateTime) | 3
DAY("2011-03-11T05:46:23.5+09:00"^^xsd:dateTime) | 11
HOURS("2011-03-11T05:46:23.5+09:00"^^xsd:dateTime) | 5
MINUTES("2011-03-11T05:46:23.5+09:00"^^xsd:dateTime) | 46
SECONDS("2011-03-11T05:46:23.5+09:00"^^xsd:dateTime) | "23.5"^^xsd:decimal
TIMEZONE("2011-03-11T05:46:23.5+09:00"^^xsd:dateTime) | "PT9H"^^xsd:dayTimeDuration
TZ("2011-03-11T05:46:23.5+09:00"^^xsd:dateTime) | "+09:00"
MD5("a") | "0cc175b9c0f1b6a831c399e269772661"
SHA1("a") | "86f7e437faa5a7fce15d1ddcb9eaeaea377667b8"
SHA256("a") | "ca978112ca1bbdcafac231b39a23dc4da786eff8147c4e72b9807785afee48bb"
STRLEN(SHA384("a")) | 96
STRLEN(SHA512("a")) | 128
1 + 1 | 2
1 - 1.5 | "-0.5"^^xsd:decimal
2 * 1e0 | "2.0E0"^^xsd:double
1 / 4 | "0.25"^^xsd:decimal
1 / 0 |
1 / 0e0 | "INF"^^xsd:double
-(5) | -5
+("a") |
getENDTIME() - "1970-01-01T00:00:00Z"^^xsd:dateTime | "PT7S"^^xsd:dayTimeDuration
"2011-01-31T00:00:00Z"^^xsd:dateTime + "P1M"^^xsd:yearMonthDuration | "2011-02-28T00:00:00Z"^^xsd:dateTime
"PT1M"^^xsd:duration / "PT40S"^^xsd:duration | "1.5"^^xsd:decimal
xsd:string(1.0e0) | "1"
xsd:boolean("1") | true
xsd:integer(-7.9) | -7
xsd:decimal("1.50") | "1.5"^^xsd:decimal
xsd:double("0.1") | "1.0E-1"^^xsd:double
xsd:float(0.1) | "1.0E-1"^^xsd:float
xsd:nonPositiveInteger("0") | "0"^^xsd:nonPositiveInteger
xsd:negativeInteger(-1) | "-1"^^xsd:negativeInteger
xsd:nonNegativeInteger(-1) |
xsd:positiveInteger(1) | "1"^^xsd:positiveInteger
xsd:long(1) | "1"^^xsd:long
xsd:int(1) | "1"^^xsd:int
xsd:short(40000) |
xsd:byte(1) | "1"^^xsd:byte
xsd:unsignedLong(1) | "1"^^xsd:unsignedLong
xsd:unsignedInt(1) | "1"^^xsd:unsignedInt
xsd:unsignedShort(1) | "1"^^xsd:unsignedShort
xsd:unsignedByte(256) |
xsd:dateTime("2011-03-11T24:00:00Z") | "2011-03-11T24:00:00Z"^^xsd:dateTime
xsd:dateTimeStamp("2011-03-11T00:00:00") |
xsd:date("2011-03-11T05:46:23Z"^^xsd:dateTime) | "2011-03-11Z"^^xsd:date
xsd:time("2011-03-11T05:46:23Z"^^xsd:dateTime) | "05:46:23Z"^^xsd:time
xsd:gYear("2011-03-11"^^xsd:date) | "2011"^^xsd:gYear
xsd:gYearMonth("2011-03-11"^^xsd:date) | "2011-03"^^xsd:gYearMonth
xsd:gMonthDay("2011-03-11"^^xsd:date) | "--03-11"^^xsd:gMonthDay
xsd:gMonth("2011-03-11"^^xsd:date) | "--03"^^xsd:gMonth
xsd:gDay("2011-03-11"^^xsd:date) | "---11"^^xsd:gDay
xsd:duration("PT60S") | "PT1M"^^xsd:duration
xsd:dayTimeDuration("P1M1D"^^xsd:duration) | "P1D"^^xsd:dayTimeDuration
xsd:yearMonthDuration("P1M1D"^^xsd:duration) | "P1M"^^xsd:yearMonthDuration
"""
CASES = [tuple(part.strip() for part in line.rsplit(" |", 1)) for line in VALUES.strip().splitlines()]


def expected(text: str) -> str:
    """The N-Triples text that ``text`` is short for."""
    if text in ("true", "false"):
        return f'"{text}"^^<{X}boolean>'
    if text.lstrip("-").isdigit():
        return f'"{text}"^^<{X}integer>'
    before, mark, name = text.partition("^^xsd:")
    return f"{before}^^<{X}{name}>" if mark else text


@pytest.mark.parametrize(("expression", "value"), CASES)
def test_value(expression: str, value: str) -> None:
    query = f"BASE <http://base/a/b> SELECT (({expression}) AS ?x) {{ ?s <urn:p> ?o }}"
    with Engine() as engine:
        engine.register(query)
        engine.send_batch(table([(7, "s", "p", '"Abc"@en-GB')]))
        engine.finish()
        [match] = engine.matches()
    found = {name: ntriples(term) for name, term in match.encoded.items()}
    assert found == ({"x": expected(value)} if value else {})


def test_every_function_is_called_here() -> None:
    symbols = {"negate", "plus", "length"}
    for name in {*ARITHMETIC, *FUNCTIONS} - symbols:
        short = name.replace(X, "xsd:")
        called = f" {short} " if short in ARITHMETIC else f"{short}("
        assert any(called.lower() in expression.lower() for expression, _ in CASES), short

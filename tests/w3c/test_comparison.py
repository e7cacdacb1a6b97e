"""The comparison itself: what is right passes in every right form, and what is wrong never does."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from tests.w3c.comparison import difference
from tests.w3c.outcomes import Outcome, Row, Solutions, Triples, read_outcome

XSD = "http://www.w3.org/2001/XMLSchema#"
A, B, C = ("uri", "urn:a"), ("uri", "urn:b"), ("uri", "urn:c")
X, Y, Z, U, V, W = (("bnode", label) for label in "xyzuvw")


def number(text: str, kind: str = "integer") -> tuple[str, ...]:
    return "literal", text, XSD + kind, ""


def rows(*found: Row, names: Sequence[str] = "xy") -> Solutions:
    return Solutions(tuple(names), found)


@pytest.mark.parametrize(
    ("expected", "found"),
    [
        (rows((A, B), (B, None)), rows((B, None), (A, B))),
        (rows((A, B)), rows((B, A), names="yx")),
        (rows((X, A), (X, Y)), rows((V, U), (V, A))),
        (rows((A, number("2.0", "decimal"))), rows((A, number("2", "decimal")))),
        (rows((A, number("1.0E2", "double"))), rows((A, number("100", "double")))),
        (rows((A, number("+02"))), rows((A, number("2")))),
        (rows((A, ("literal", "a", "", "en-GB"))), rows((A, ("literal", "a", "", "EN-gb")))),
        (Triples(((A, B, C), (A, B, C))), Triples(((A, B, C),))),
        (Triples(((X, B, Y), (Y, B, X))), Triples(((U, B, V), (V, B, U)))),
        (True, True),
    ],
)
def test_the_same(expected: Outcome, found: Outcome) -> None:
    assert not difference(expected, found)
    assert not difference(found, expected)


@pytest.mark.parametrize(
    ("expected", "found"),
    [
        (rows((A, B)), rows((A, B), (A, B))),
        (rows((A, B), (A, C)), rows((A, B))),
        (rows((A, B)), rows((A, None))),
        (rows((A, B)), rows((A, B), names="xz")),
        (rows((A, number("2"))), rows((A, number("2", "decimal")))),
        (rows((A, number("2"))), rows((A, number("3")))),
        (rows((A, number("1", "boolean"))), rows((A, number("01", "boolean")))),
        (rows((A, ("literal", "2", XSD + "string", ""))), rows((A, number("2")))),
        (rows((A, ("literal", "a", "", "en"))), rows((A, ("literal", "a", "", "de")))),
        (rows((X, X)), rows((U, V))),
        (rows((X, Y), (X, Y)), rows((X, Y), (Y, X))),
        (rows((X, A), (X, B)), rows((U, A), (V, B))),
        (Triples(((X, B, Y), (Y, B, Z), (Z, B, X))), Triples(((U, B, U), (V, B, W), (W, B, V)))),
        (Triples(((A, B, X),)), Triples(((A, B, C),))),
        (True, False),
        (True, rows((A, B))),
        (rows(), Triples(())),
    ],
)
def test_not_the_same(expected: Outcome, found: Outcome) -> None:
    assert difference(expected, found)
    assert difference(found, expected)


def test_two_triangles_are_no_hexagon() -> None:
    """All blank nodes look alike from beside: only trying them tells."""
    names = [("bnode", str(each)) for each in range(6)]
    hexagon = Triples(tuple((names[each], A, names[(each + 1) % 6]) for each in range(6)))
    triangles = Triples(tuple((names[each], A, names[each // 3 * 3 + (each + 1) % 3]) for each in range(6)))
    turned = Triples(tuple((names[(each + 2) % 6], A, names[(each + 3) % 6]) for each in range(6)))
    assert difference(hexagon, triangles)
    assert not difference(hexagon, turned)


def test_order_counts_where_the_query_has_one() -> None:
    expected = rows((A, A), (A, B), (B, A))
    assert not difference(expected, rows((A, B), (A, A), (B, A)), ordered_by=["x"])
    assert difference(expected, rows((B, A), (A, B), (A, A)), ordered_by=["x"])
    assert not difference(rows((X, A), (Y, B)), rows((Y, B), (X, A)), ordered_by=["x"])


@pytest.mark.parametrize(
    ("suffix", "text"),
    [
        (".csv", "x,y\r\n_:r,\r\n"),
        (".tsv", "?x\t?y\n_:r\t\n"),
        (".srj", '{"head":{"vars":["x","y"]},"results":{"bindings":[{"x":{"type":"bnode","value":"r"}}]}}'),
        (
            ".srx",
            (
                '<sparql xmlns="http://www.w3.org/2005/sparql-results#">'
                '<head><variable name="x"/><variable name="y"/></head>'
                '<results><result><binding name="x"><bnode>r</bnode></binding></result></results></sparql>'
            ),
        ),
        (
            ".ttl",
            (
                "@prefix rs: <http://www.w3.org/2001/sw/DataAccess/tests/result-set#> . [] a rs:ResultSet ; "
                'rs:resultVariable "x", "y" ; rs:solution [ rs:binding [ rs:variable "x" ; rs:value _:r ] ] .'
            ),
        ),
    ],
)
def test_every_form_of_result_file_is_read(suffix: str, text: str) -> None:
    assert not difference(rows((X, None)), read_outcome(text.encode(), suffix))


def test_a_graph_and_a_boolean_are_read() -> None:
    graph = read_outcome(b"<a> <b> <c> .", ".ttl", base="urn:")
    assert not difference(Triples(((A, B, C),)), graph)
    assert read_outcome(b'{"head": {}, "boolean": true}', ".srj") is True

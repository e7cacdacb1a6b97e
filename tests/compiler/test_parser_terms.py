"""Terms: numbers, strings and their escapes, names, codepoints."""

from __future__ import annotations

import pytest

from etalis_py.compiler.parse.parser import parse
from etalis_py.compiler.parse.syntax import (
    XSD,
    BlankNode,
    Collection,
    GraphNode,
    IriRef,
    Literal,
    PrefixedName,
    TriplesBlock,
    Variable,
)
from etalis_py.compiler.spans import Span

ANY = Span(0, 0)


def term(written: str) -> GraphNode:
    form = parse(f"PREFIX : <urn:x:> PREFIX é.x: <urn:y:> ASK {{ ?s ?p {written} }}").form
    assert form.where is not None
    block = form.where.elements[0]
    assert isinstance(block, TriplesBlock)
    return block.subjects[0].properties[0].objects[0]


def number(lexical: str, datatype: str) -> Literal:
    return Literal(lexical, IriRef(XSD + datatype, span=ANY), span=ANY)


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("5", number("5", "integer")),
        ("-05", number("-05", "integer")),
        ("+.5", number("+.5", "decimal")),
        ("1e3", number("1e3", "double")),
        ("1.e-3", number("1.e-3", "double")),
        (".5E3", number(".5E3", "double")),
        ("TRUE", number("true", "boolean")),
        ("'it'", Literal("it", span=ANY)),
        (r'"a\t\"\\n"', Literal('a\t"\\n', span=ANY)),
        ('"""a"b""c\n"""', Literal('a"b""c\n', span=ANY)),
        ("''''a'''", Literal("'a", span=ANY)),
        ("''", Literal("", span=ANY)),
        ("'''''' ", Literal("", span=ANY)),
        ('"hi"@en-GB', Literal("hi", language="en-GB", span=ANY)),
        ('"1"^^xsd:byte', Literal("1", PrefixedName("xsd", "byte", span=ANY), span=ANY)),
        ('"x"^^<d>', Literal("x", IriRef("d", span=ANY), span=ANY)),
        ("<>", IriRef("", span=ANY)),
        ("<../a#b>", IriRef("../a#b", span=ANY)),
        (":", PrefixedName("", "", span=ANY)),
        (r":a\-b\~.c%20:d", PrefixedName("", "a-b~.c%20:d", span=ANY)),
        (":1.5", PrefixedName("", "1.5", span=ANY)),
        ("é.x:a.b", PrefixedName("é.x", "a.b", span=ANY)),
        ("$x1", Variable("x1", span=ANY)),
        ("_:b.1", BlankNode("b.1", span=ANY)),
        ("[ \n ]", BlankNode(None, span=ANY)),
        ("( )", Collection((), span=ANY)),
        (r"'\u00e9\U0001F300'", Literal("é\U0001f300", span=ANY)),
        (r"'\\u00e9'", Literal(r"\u00e9", span=ANY)),
        (r"?\u0061b", Variable("ab", span=ANY)),
        ("'a\0b'", Literal("a\0b", span=ANY)),
        ("'\U0001f300'", Literal("\U0001f300", span=ANY)),
    ],
)
def test_reads(written: str, expected: GraphNode) -> None:
    assert term(written) == expected


def test_a_dot_after_a_number_or_a_name_ends_the_triple() -> None:
    assert term("5.") == number("5", "integer")
    assert term(":a.") == PrefixedName("", "a", span=ANY)


def test_spans_count_in_what_the_user_wrote() -> None:
    text = r"ASK { ?s ?p '\u00e9', ?end }"
    where = parse(text).form.where
    assert where is not None
    block = where.elements[0]
    assert isinstance(block, TriplesBlock)
    literal, variable = block.subjects[0].properties[0].objects
    assert text[literal.span.start : literal.span.end] == r"'\u00e9'"
    assert text[variable.span.start : variable.span.end] == "?end"


@pytest.mark.parametrize("text", ["# c\nASK{} # d", "ASK{}#", "\ufeffASK { }", "ASK\r\n{\t}\r"])
def test_comments_and_white_space_say_nothing(text: str) -> None:
    assert parse(text) == parse("ASK { }")


def test_a_hash_in_an_iri_or_string_is_no_comment() -> None:
    assert term("<a#b>") == IriRef("a#b", span=ANY)
    assert term("'a#b'") == Literal("a#b", span=ANY)

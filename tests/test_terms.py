"""Terms come out of every form as they went in, and a wrong text is refused with its reason."""

from __future__ import annotations

import json
import re

import pytest
import rdflib
from hypothesis import given, settings
from hypothesis import strategies as st

from etalis_py.core.terms import (
    TermCache,
    TermPositionError,
    encode_column,
    encode_literal,
    encode_ntriples,
    from_rdflib,
    lexical_form,
    ntriples,
    to_rdflib,
    to_sparql_json,
)
from etalis_py.core.vocabulary import XSD, XSD_INTEGER, XSD_STRING

HOSTILE = [
    'a "quoted" text',
    "'), halt, (",
    "line\nbreak\r\ttab",
    "NUL\0 and bell\x07",
    "\\u0041 \\n \\",
    "😀 text",
    "שלום \u202e dlrow",
    "\u2028\u0085\ufeff",
    "x" * 1_000_000,
    "",
]
text = st.text(st.characters(exclude_categories=["Cs"]), max_size=30)


@pytest.mark.parametrize("lexical", HOSTILE, ids=lambda text: ascii(text[:8]))
def test_hostile_literals_survive(lexical: str) -> None:
    for term in (
        encode_literal(lexical),
        encode_literal(lexical, lang="en"),
        encode_literal(lexical, "urn:" + lexical[:50]),
    ):
        written = ntriples(term)
        assert "\n" not in written
        assert encode_ntriples(written) == term
        assert from_rdflib(to_rdflib(term)) == term
        assert json.loads(json.dumps(to_sparql_json(term)))["value"] == lexical


@pytest.mark.parametrize("rest", HOSTILE, ids=lambda text: ascii(text[:8]))
def test_hostile_iris_survive(rest: str) -> None:
    written = ntriples("urn:" + rest)
    assert encode_ntriples(written) == "urn:" + rest
    assert from_rdflib(to_rdflib("urn:" + rest)) == "urn:" + rest


@settings(max_examples=200, deadline=None)
@given(text, st.sampled_from([XSD_STRING, *(XSD + n for n in ("integer", "decimal", "double", "dateTime"))]))
def test_any_literal_round_trips(lexical: str, datatype: str) -> None:
    term = encode_literal(lexical, datatype)
    assert encode_ntriples(ntriples(term)) == term
    assert lexical_form(term) == (lexical, datatype, None)


@pytest.mark.parametrize(
    ("wrong", "reason"),
    [
        ("", "is empty"),
        ("http://a/b", "is an IRI without < >"),
        ("<a/b>", "is a relative IRI; N-Triples has only absolute ones"),
        ("<http://a/ b>", "is an IRI with ' ', which must be written \\u0020"),
        ("<http://a/b", "is an IRI without a closing >"),
        ("<http://a/\\n>", "is an IRI with a broken escape; only \\uXXXX and \\UXXXXXXXX are known there"),
        ('"abc', "is a literal without a closing quote"),
        ('"a"b"', "is a literal with 'b\"' after its closing quote"),
        ('"a\nb"', "holds a line break, which must be written \\n or \\r"),
        ('"a\\x"', "has the unknown escape '\\\\x'"),
        ('"a"@e_n', "is a literal with the broken language tag 'e_n'"),
        ('"5"^^xsd:integer', "is a literal whose datatype is not an IRI in < >"),
        ('"5"^^<integer>', "is a literal whose datatype is a relative IRI; N-Triples has only absolute ones"),
        ('"\\uD800"', "has the escape '\\\\uD800', which is not a character"),
        ('"\ud800"', "holds a lone surrogate, which is not a character"),
        ("<http://a/\ud800>", "holds a lone surrogate, which is not a character"),
        ("'a'", "is quoted with ', and N-Triples quotes with \""),
        ("42", 'is a bare value; write "42"^^<datatype>'),
        ("ex:a", "is a prefixed name, and N-Triples has only full IRIs"),
        (" <urn:a>", "has white space around it"),
        ("_:", "is not a label a blank node can have"),
        ("_:a b", "is not a label a blank node can have"),
        ("hello", 'is not a term: it starts with none of < " _:'),
    ],
)
def test_wrong_text_is_refused(wrong: str, reason: str) -> None:
    with pytest.raises(ValueError, match=re.escape(reason)) as error:
        encode_ntriples(wrong)
    assert str(error.value) == reason


def test_no_iri_can_pass_for_a_blank_node() -> None:
    with pytest.raises(ValueError, match="relative"):
        encode_ntriples("<_:b0>")
    with pytest.raises(ValueError, match="relative"):
        encode_ntriples("<\\u005F:b0>")
    with pytest.raises(ValueError, match="relative"):
        from_rdflib(rdflib.URIRef("_:b0"))


def test_sparql_json_forms() -> None:
    assert to_sparql_json("urn:a") == {"type": "uri", "value": "urn:a"}
    assert to_sparql_json("_:b") == {"type": "bnode", "value": "b"}
    assert to_sparql_json((5, XSD_INTEGER)) == {"type": "literal", "value": "5", "datatype": XSD_INTEGER}
    assert to_sparql_json((5, "05", XSD_INTEGER))["value"] == "05"
    assert to_sparql_json(("a", XSD_STRING)) == {"type": "literal", "value": "a"}
    assert to_sparql_json(("a", "@en")) == {"type": "literal", "value": "a", "xml:lang": "en"}


def test_rdflib_keeps_a_lexical_form() -> None:
    assert str(to_rdflib((1, "01", XSD_INTEGER))) == "01"
    assert to_rdflib(("a", XSD_STRING)) == rdflib.Literal("a")
    assert from_rdflib(rdflib.Literal("a", datatype=rdflib.XSD.string)) == ("a", XSD_STRING)
    with pytest.raises(ValueError, match="not an RDF term but str"):
        from_rdflib("a")
    with pytest.raises(ValueError, match="label"):
        from_rdflib(rdflib.BNode("a b"))


def test_a_column_is_read_by_distinct_text_and_position() -> None:
    cache = TermCache("subject", scope="f1-")
    assert encode_column(["<urn:a>", "_:b", "<urn:a>"], cache) == ["urn:a", "_:f1-b", "urn:a"]
    assert len(cache) == 2
    with pytest.raises(TermPositionError, match="is a literal, which cannot be a subject"):
        encode_column(['"x"'], cache)
    with pytest.raises(TermPositionError, match="cannot be a predicate"):
        encode_column(["_:b"], TermCache("predicate"))
    for absent in (None, 5, True):
        with pytest.raises(ValueError, match=r"is missing|is not text but"):
            encode_column([absent], TermCache())
    encode_column(['"' + "x" * 1000 + '"'], cache := TermCache())
    assert not cache, "long texts are not kept"

"""Says why a text is not a term in N-Triples syntax. Does not read terms: see `etalis_py.core.terms`."""

from __future__ import annotations

import re

__all__ = ["why_no_term"]


def why_no_term(text: str) -> str:
    """One clause that goes on after the name of the term's place: "is empty", "is an IRI without < >"."""
    if not text:
        return "is empty"
    if re.search(r"[\ud800-\udfff]", text):
        return "holds a lone surrogate, which is not a character"
    if text != text.strip():
        return "has white space around it"
    if text[0] == "<":
        return _why_no_iri(text)
    if text[0] == '"':
        return _why_no_literal(text)
    if text.startswith("_:"):
        return "is not a label a blank node can have"
    if text[0] == "'":
        return "is quoted with ', and N-Triples quotes with \""
    if re.fullmatch(r"[+-]?[0-9.]+([eE][+-]?[0-9]+)?|true|false", text):
        return f'is a bare value; write "{text}"^^<datatype>'
    if re.match(r"[A-Za-z][A-Za-z0-9+.\-]*://|urn:", text):
        return "is an IRI without < >"
    if re.fullmatch(r"[\w\-]*:\S*", text):
        return "is a prefixed name, and N-Triples has only full IRIs"
    return 'is not a term: it starts with none of < " _:'


def _why_no_iri(text: str) -> str:
    if text[-1] != ">":
        return "is an IRI without a closing >"
    inside = text[1:-1]
    wrong = re.search(r'[\x00-\x20<>"{}|^`]', inside)
    if wrong:
        return f"is an IRI with {wrong[0]!r}, which must be written \\u{ord(wrong[0]):04X}"
    if "\\" in inside:
        return "is an IRI with a broken escape; only \\uXXXX and \\UXXXXXXXX are known there"
    return "is a relative IRI; N-Triples has only absolute ones"


def _why_no_literal(text: str) -> str:
    if "\n" in text or "\r" in text:
        return "holds a line break, which must be written \\n or \\r"
    match = re.match(r'"[^"\\]*(?:\\.[^"\\]*)*"', text)
    if match is None:
        return "is a literal without a closing quote"
    rest = text[match.end() :]
    if rest.startswith("^^<"):
        return "is a literal whose datatype " + _why_no_iri(rest[2:])
    if rest.startswith("^^"):
        return "is a literal whose datatype is not an IRI in < >"
    if rest.startswith("@"):
        return f"is a literal with the broken language tag {rest[1:]!r}"
    return f"is a literal with {rest[:20]!r} after its closing quote"

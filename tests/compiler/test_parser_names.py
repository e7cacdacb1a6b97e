"""Prefixes, BASE, and the reference resolution of RFC 3986, section 5.4."""

from __future__ import annotations

import re

import pytest

from etalis_py.compiler.compile import compile_program
from etalis_py.compiler.parse.iris import resolve_reference
from etalis_py.compiler.parse.names import Names
from etalis_py.compiler.parse.parser import parse
from etalis_py.compiler.parse.syntax import IriRef, PrefixedName
from etalis_py.compiler.spans import Span
from etalis_py.core.errors import QuerySyntaxError

ANY = Span(0, 0)

RFC_3986 = """
g:h g:h             g http://a/b/c/g          ./g http://a/b/c/g        g/ http://a/b/c/g/
/g http://a/g       //g http://g              ?y http://a/b/c/d;p?y     g?y http://a/b/c/g?y
#s http://a/b/c/d;p?q#s                       g#s http://a/b/c/g#s      g?y#s http://a/b/c/g?y#s
;x http://a/b/c/;x  g;x http://a/b/c/g;x      g;x?y#s http://a/b/c/g;x?y#s
. http://a/b/c/     ./ http://a/b/c/          .. http://a/b/            ../ http://a/b/
../g http://a/b/g   ../.. http://a/           ../../ http://a/          ../../g http://a/g
../../../g http://a/g                         ../../../../g http://a/g  /./g http://a/g
/../g http://a/g    g. http://a/b/c/g.        .g http://a/b/c/.g        g.. http://a/b/c/g..
..g http://a/b/c/..g                          ./../g http://a/b/g       ./g/. http://a/b/c/g/
g/./h http://a/b/c/g/h                        g/../h http://a/b/c/h     g;x=1/./y http://a/b/c/g;x=1/y
g;x=1/../y http://a/b/c/y                     g?y/./x http://a/b/c/g?y/./x
g#s/../x http://a/b/c/g#s/../x
"""
EXAMPLES = re.findall(r"(\S+) (\S+)", RFC_3986)


@pytest.mark.parametrize(("reference", "expected"), EXAMPLES)
def test_examples_of_the_rfc(reference: str, expected: str) -> None:
    assert resolve_reference(reference, "http://a/b/c/d;p?q") == expected


def names(prologue: str, base: str | None = None) -> Names:
    return Names(parse(f"{prologue} ASK {{ }}").prologue, base=base)


def iri(text: str) -> IriRef:
    return IriRef(text, span=ANY)


def test_a_base_holds_for_what_follows() -> None:
    known = names("BASE <http://a/b/> PREFIX p: <c#> BASE <../d/> PREFIX q: <e#>")
    assert known.resolve(PrefixedName("p", "x", span=ANY)) == "http://a/b/c#x"
    assert known.resolve(PrefixedName("q", "x", span=ANY)) == "http://a/d/e#x"
    assert known.resolve(iri("f")) == "http://a/d/f"


def test_without_a_base_a_relative_iri_stays() -> None:
    assert names("").resolve(iri("f")) == "f"
    assert names("", base="http://a/b").resolve(iri("f")) == "http://a/f"
    assert names("BASE <http://a/b>").resolve(iri("urn:x:../y")) == "urn:x:../y"


def test_known_prefixes_can_be_declared_anew() -> None:
    name = PrefixedName("xsd", "int", span=ANY)
    assert names("").resolve(name) == "http://www.w3.org/2001/XMLSchema#int"
    assert names("PREFIX xsd: <urn:other:>").resolve(name) == "urn:other:int"
    assert names("").resolve(PrefixedName("prolog", "near", span=ANY)) == "urn:etalis:prolog:near"


@pytest.mark.parametrize(
    ("prefix", "hint"),
    [
        ("xds", "did you mean 'xsd:'?"),
        ("Event", "did you mean 'event:'?"),
        ("foaf", "PREFIX foaf: <http://xmlns.com/foaf/0.1/>"),
        ("", "PREFIX : <...>"),
    ],
)
def test_an_undeclared_prefix_is_refused_with_the_nearest(prefix: str, hint: str) -> None:
    with pytest.raises(QuerySyntaxError) as caught:
        parse(f"PREFIX event: <urn:e:>\nASK {{ ?s ?p {prefix}:x }}")
    assert (caught.value.code, caught.value.place and caught.value.place.line) == ("EP106", 2)
    assert hint in (caught.value.hint or "")


def test_each_of_several_queries_has_its_own_prefixes() -> None:
    with pytest.raises(QuerySyntaxError) as caught:
        compile_program("PREFIX e: <urn:e:>\nASK { ?s e:p ?o }\n;;\nASK { ?s e:p ?o }", name="q")
    assert (caught.value.code, caught.value.place and caught.value.place.line) == ("EP106", 4)
    assert "after ;;" in (caught.value.hint or "")

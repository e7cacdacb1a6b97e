"""IRI() resolves relative IRIs as the compiler does those that a query writes: RFC 3986, section 5.4."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from etalis_py.compiler.parse.iris import is_absolute, resolve_reference
from etalis_py.embedding import prolog

BASE = "http://a/b/c/d;p?q"
EXAMPLES = {
    "g": "http://a/b/c/g", "./g": "http://a/b/c/g", "g/": "http://a/b/c/g/", "/g": "http://a/g",
    "//g": "http://g", "?y": "http://a/b/c/d;p?y", "g?y": "http://a/b/c/g?y", "#s": "http://a/b/c/d;p?q#s",
    "g#s": "http://a/b/c/g#s", "g?y#s": "http://a/b/c/g?y#s", ";x": "http://a/b/c/;x",
    "g;x": "http://a/b/c/g;x", "g;x?y#s": "http://a/b/c/g;x?y#s", "": "http://a/b/c/d;p?q",
    ".": "http://a/b/c/", "./": "http://a/b/c/", "..": "http://a/b/", "../": "http://a/b/",
    "../g": "http://a/b/g", "../..": "http://a/", "../../": "http://a/", "../../g": "http://a/g",
    "../../../g": "http://a/g", "../../../../g": "http://a/g", "/./g": "http://a/g", "/../g": "http://a/g",
    "g.": "http://a/b/c/g.", ".g": "http://a/b/c/.g", "g..": "http://a/b/c/g..", "..g": "http://a/b/c/..g",
    "./../g": "http://a/b/g", "./g/.": "http://a/b/c/g/", "g/./h": "http://a/b/c/g/h",
    "g/../h": "http://a/b/c/h", "g;x=1/./y": "http://a/b/c/g;x=1/y", "g;x=1/../y": "http://a/b/c/y",
    "g?y/./x": "http://a/b/c/g?y/./x", "g?y/../x": "http://a/b/c/g?y/../x",
    "g#s/./x": "http://a/b/c/g#s/./x", "g#s/../x": "http://a/b/c/g#s/../x",
}  # fmt: skip
BASES = (BASE, "http://a", "http://a?q", "urn:a:b", "file:///x/y", "http://a/\u00e9/../b/")


@pytest.fixture(scope="module", autouse=True)
def _prolog() -> None:
    prolog.load_runtime()
    prolog.do("user", "use_module", str(Path(__file__).parents[2] / "rules" / "sparql" / "iri_resolution.pl"))


def resolved(reference: str, base: str) -> str:
    return str(prolog.call("etalis_iri_resolution", "resolve_reference", reference, base))


@pytest.mark.parametrize(("reference", "iri"), EXAMPLES.items())
def test_the_examples_of_the_standard(reference: str, iri: str) -> None:
    assert resolved(reference, BASE) == iri


@given(st.text("ab./?#;\u00e9", max_size=12), st.sampled_from(BASES))
def test_prolog_and_python_agree(reference: str, base: str) -> None:
    assert not is_absolute(reference)
    assert resolved(reference, base) == resolve_reference(reference, base)

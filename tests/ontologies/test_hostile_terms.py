"""Whatever a file holds comes back as it was, and nothing more happens."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from etalis_py.core.literals import Encoded, encode_literal
from etalis_py.core.terms import ntriples
from etalis_py.core.vocabulary import XSD, XSD_STRING
from etalis_py.embedding import prolog
from etalis_py.ontologies.background import Background
from tests.ontologies.conftest import Inspected, Load

TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
TYPES = st.sampled_from(
    ["string", "integer", "decimal", "double", "boolean", "dateTime", "duration", "byte", "other"]
)
LEXICAL = st.one_of(
    TEXT,
    st.integers().map(str),
    st.floats().map(repr),
    st.decimals(allow_nan=False, allow_infinity=False).map(str),
    st.sampled_from(
        ["NaN", "INF", "-INF", "-0.0E0", "1e400", "0.1", "-01.50", "true", "0", "P1Y2M", "-PT0.5S"]
    ),
)
TERM = st.one_of(
    st.builds(lambda lexical, kind: encode_literal(lexical, XSD + kind), LEXICAL, TYPES),
    st.builds(
        lambda lexical, tag: encode_literal(lexical, lang=tag), TEXT, st.sampled_from(["en", "zh-hant"])
    ),
    st.text("azAZ09._~'!$&()*+,;=:@-\u00e9\u4e00\U00010000", max_size=9).map(lambda text: "urn:x:" + text),
)


@settings(max_examples=30)
@given(st.lists(TERM, max_size=30))
@example([("a'),halt.\nb(", XSD_STRING), ("\\", XSD_STRING), ('"', XSD_STRING), ("\0x\0", XSD_STRING)])
@example([("\u2028\u0085\ufeff\U0001f600~w", "@en"), ("", XSD_STRING), (10**400, XSD + "integer")])
@example(["urn:x:it's", "urn:x:%41", "urn:x:\u00e9\U00010000", "urn:x:file:"])
def test_terms_come_back(terms: list[Encoded]) -> None:
    with TemporaryDirectory() as folder:
        path = Path(folder, "a.nt")
        path.write_text(
            "".join(f"<urn:s> <urn:p> {ntriples(term)} .\n" for term in [*terms, "urn:o"]), "utf-8"
        )
        background = Background.load(prolog, [path], "rdfs", "test_hostile", cache_dir=folder)
        try:
            found = Inspected("test_hostile").explicit()
        finally:
            background.close()
    shown = sorted(ntriples(o) for _, _, o in found)
    assert shown == sorted({ntriples(term) for term in [*terms, "urn:o"]})


@pytest.mark.parametrize("name", ["append", "is", "'), halt, ('", "[]", "$x", "halt"])
def test_no_predicate_is_mistaken_for_one_of_prolog(load: Load, tmp_path: Path, name: str) -> None:
    (tmp_path / "a.jsonld").write_text(
        f'[{{"@id": "urn:s", "urn:{name.replace(chr(39), "%27")}": {{"@id": "urn:o"}}}}]'
    )
    (tmp_path / "a.pl").write_text(f"rdf(s, {prolog_atom(name)}, o).")
    assert len(load(tmp_path / "a.pl").answers("s", name, "o")) == 1


def prolog_atom(name: str) -> str:
    return "'" + name.replace("'", "\\'") + "'"

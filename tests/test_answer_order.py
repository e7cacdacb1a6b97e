"""The order of answers in Python is the order in which an engine gives them."""

from __future__ import annotations

from fractions import Fraction
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from etalis_py.core.terms import Encoded, encode_ntriples
from etalis_py.core.vocabulary import XSD_DECIMAL, XSD_DOUBLE, XSD_INTEGER
from etalis_py.engine.answer_order import row_order
from etalis_py.engine.engine import Engine
from etalis_py.streams import Batch

XSD = "http://www.w3.org/2001/XMLSchema#"
NAMES = r"""<urn:a> <urn:B> <urn:\u00E9> <urn:\U0001F600> <urn:\uFFFD> <urn:\u0100> <urn:\u00FF>
<urn:a'),halt,(> _:b0 _:B0 <http://x/> <x:> "" "a" "$unbound" "\u0000" "a\u0000b" "a\u0000c" "\u00E9" "z"
"\U0001F600" "\uFFFD" "a"@en "a"@de "a"@en-gb "b"@de ""@en "5"^^<urn:t> "5"^^<urn:T>"""
TYPED = {
    "integer": f"0 1 -1 2 10 {2**53} {2**53 + 1} {10**40} 01 +1 x",
    "decimal": "0.5 0.3333333333333333 2 2.0 -0.1 1",
    "double": "0.0E0 -0.0E0 5.0E-1 1.0E0 NaN INF -INF 1 9.007199254740992E15 1.0E300",
    "float": "NaN 1.0E0",
    "boolean": "true false 1",
    "dateTime": "2011-03-11T05:46:23Z 2011-03-11T05:46:23+01:00",
    "duration": "P1Y P12M PT1S",
    "dayTimeDuration": "PT1S",
}
HOSTILE = NAMES.split() + [
    f'"{text}"^^<{XSD}{name}>' for name, texts in TYPED.items() for text in texts.split()
]

numbers = st.one_of(
    st.tuples(st.integers(), st.just(XSD_INTEGER)),
    st.tuples(st.floats(), st.just(XSD_DOUBLE)),
    st.tuples(st.floats(-5, 5).map(lambda value: Fraction(round(value * 4), 4)), st.just(XSD_DECIMAL)),
    st.tuples(st.integers(-3, 3).map(float), st.just(XSD_DOUBLE)),
    st.tuples(st.integers(-3, 3), st.just(XSD_DECIMAL)),
)


@pytest.fixture(scope="module")
def engine() -> Engine:
    engine = Engine()
    engine.register("SELECT ?o ?s ?z { { ?s <urn:p> ?o } UNION { ?s <urn:q> ?z } }", name="pairs")
    engine.register("CONSTRUCT { ?s <urn:r> ?o , ?s } { ?s <urn:p> ?o }", name="made")
    return engine


def check(engine: Engine, terms: list[Encoded]) -> None:
    count = len(terms)
    time = [0 if engine.clock is None else engine.clock + 1] * count
    subjects = [f"urn:{index % 3}" for index in range(count)]
    predicates = ["urn:q" if index % 7 == 3 else "urn:p" for index in range(count)]
    engine.send_encoded(Batch(time, time, subjects, predicates, terms, None, ["x"] * count, range(count)))
    engine.advance(time[0] + 1)
    for name in ("pairs", "made"):
        given = list(engine.matches(name))
        assert given
        found = sorted(Random(1).sample(given, len(given)), key=row_order)
        assert repr([each.values or each.encoded_triples for each in found]) == repr(
            [each.values or each.encoded_triples for each in given]
        )


def test_hostile_terms(engine: Engine) -> None:
    check(engine, [encode_ntriples(text) for text in HOSTILE])


@given(terms=st.lists(numbers, min_size=1, max_size=12))
def test_numbers(engine: Engine, terms: list[Encoded]) -> None:
    check(engine, terms)


@given(texts=st.lists(st.text(st.characters(exclude_categories=["Cs"]), max_size=4), min_size=1, max_size=12))
def test_texts(engine: Engine, texts: list[str]) -> None:
    check(engine, [(text, f"{XSD}string") for text in texts])

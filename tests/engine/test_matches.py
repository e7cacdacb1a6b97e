"""Matches: what is in them is made when somebody looks, and nobody can tell."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Iterator
from typing import Any

import pytest
from rdflib import Literal, URIRef

from etalis_py import Engine
from etalis_py.engine.matches import Match
from tests.engine.conftest import XSD, table

QUERIES = {
    "select": "SELECT ?x ?y ?z { ?x <urn:p> ?y OPTIONAL { ?y <urn:q> ?z } }",
    "nothing": "SELECT * { <urn:a> <urn:p> <urn:b> }",
    "construct": "CONSTRUCT { ?y <urn:r> ?x . ?x <urn:r> 5 } { ?x <urn:p> ?y }",
    "into": "CONSTRUCT STREAM <urn:s> { ?y <urn:r> ?x } { ?x <urn:p> ?y }",
    "ask": "ASK { ?x <urn:p> ?y }",
}
FIVE = (5, f"{XSD}integer")
ROWS = [(1, "a", "p", "b"), (2, "a", "p", 5), (3, "b", "p", "a"), (3, "a", "q", "c"), (4, "a", "p", "b")]
EXPECTED = [
    Match("select", 1, 1, ("x", "y", "z"), ("urn:a", "urn:b", None)),
    Match("nothing", 1, 1),
    Match("construct", 1, 1, encoded_triples=(("urn:a", "urn:r", FIVE), ("urn:b", "urn:r", "urn:a"))),
    Match("into", 1, 1, encoded_triples=(("urn:b", "urn:r", "urn:a"),), stream="urn:s"),
    Match("ask", 1, 1, boolean=True),
]


def in_batches(engine: Engine) -> Iterator[Match]:
    rows = [((row[0], row[0]), *row[1:]) for row in ROWS]
    batch = table(rows)
    batch["start"] = batch["end"] = [row[0] for row in ROWS]
    engine.send_batch(batch)
    engine.finish()
    return engine.matches()


def one_by_one(engine: Engine) -> Iterator[Match]:
    for time, s, p, o in ROWS:
        object_ = Literal(o) if isinstance(o, int) else URIRef(f"urn:{o}")
        engine.send(URIRef(f"urn:{s}"), URIRef(f"urn:{p}"), object_, time)
    engine.finish()
    return engine.matches()


@pytest.fixture(params=[in_batches, one_by_one])
def matches(request: pytest.FixtureRequest) -> list[Match]:
    with Engine() as engine:
        for name, query in QUERIES.items():
            engine.register(query, name=name)
        return list(request.param(engine))


def at(matches: list[Match], time: int) -> list[Match]:
    return [match for match in matches if match.end == time]


def test_they_are_equal_to_those_with_the_same_fields(matches: list[Match]) -> None:
    assert at(matches, 1) == EXPECTED
    assert {*at(matches, 1)} == {*EXPECTED}
    assert list(map(hash, at(matches, 1))) == list(map(hash, EXPECTED))
    assert at(matches, 4)[0] != EXPECTED[0]
    assert at(matches, 1)[0] != EXPECTED[0].fields


def test_each_field_is_there_whichever_is_asked_for_first(matches: list[Match]) -> None:
    for name in Match.__match_args__:
        made = pickle.loads(pickle.dumps(at(matches, 1)))
        assert [getattr(each, name) for each in made] == [getattr(each, name) for each in EXPECTED]
    for name in reversed(Match.__match_args__):
        found = [getattr(each, name) for each in at(matches, 1)]
        assert found == [getattr(each, name) for each in EXPECTED]


@pytest.mark.parametrize("twin", [copy.copy, copy.deepcopy, lambda each: pickle.loads(pickle.dumps(each))])
def test_copies_are_equal(matches: list[Match], twin: Any) -> None:
    copies = list(map(twin, matches))
    assert copies == matches
    assert list(map(repr, copies)) == list(map(repr, matches))


def test_their_text_says_all(matches: list[Match]) -> None:
    assert list(map(repr, at(matches, 1))) == list(map(repr, EXPECTED))
    assert [eval(repr(each)) for each in matches] == matches
    assert repr(at(matches, 1)[4]) == (
        "Match(query='ask', start=1, end=1, variables=(), values=(), encoded_triples=None, boolean=True, "
        "stream=None)"
    )


def test_they_are_read_like_mappings_and_patterns(matches: list[Match]) -> None:
    match, *_ = at(matches, 1)
    assert match["x"] == URIRef("urn:a")
    with pytest.raises(KeyError):
        match["z"]
    assert match.encoded == {"x": "urn:a", "y": "urn:b"}
    assert match.bindings == {"x": URIRef("urn:a"), "y": URIRef("urn:b")}
    match match:
        case Match(query=name, values=(first, _, None)):
            assert (name, first) == ("select", "urn:a")
        case _:
            pytest.fail("it has these")


def test_what_is_in_them_cannot_be_set(matches: list[Match]) -> None:
    for name in ("query", "variables", "values", "encoded_triples", "boolean", "stream"):
        with pytest.raises(AttributeError):
            setattr(matches[0], name, None)


def test_one_that_is_looked_at_later_is_as_it_was() -> None:
    with Engine() as engine:
        engine.register(QUERIES["select"], name="select")
        kept = []
        for time in range(30):
            engine.send(URIRef(f"urn:a{time}"), URIRef("urn:p"), Literal(f"text {time}"), time)
            kept += engine.matches()
        engine.finish()
        kept += engine.matches()
    assert [each.values[:2] for each in kept] == [
        (f"urn:a{time}", (f"text {time}", f"{XSD}string")) for time in range(30)
    ]


def test_one_of_a_query_that_is_gone_is_as_it_was() -> None:
    kept: list[Match] = []
    with Engine() as engine:
        engine.register(QUERIES["construct"], name="construct", on_match=kept.append)
        one_by_one(engine)
        engine.unregister("construct")
        assert kept[0] == EXPECTED[2]

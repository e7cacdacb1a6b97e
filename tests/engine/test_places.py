"""Streams and elements in an engine: state that is taken amid an instant, and proofs."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import Any

import pytest
from rdflib import URIRef

from etalis_py import Engine

ELEMENT = "PREFIX : <urn:> SELECT ?g ?x ?z { STREAM ?s { GRAPH ?g { ?x :p ?y . ?y :q ?z } } }"


def iri(name: str) -> URIRef:
    return URIRef(f"urn:{name}")


def send(engine: Engine, triple: str, time: int, stream: str | None = None, graph: str | None = None) -> None:
    s, p, o = (iri(each) for each in triple.split())
    named = {"stream": stream and iri(stream), "graph": graph and iri(graph)}
    engine.send(s, p, o, time, **named)


def test_an_element_goes_on_after_a_snapshot() -> None:
    #         1        | snapshot |   1
    # s/g     a p b                   b q c         one element, in two parts
    # s/h                             b q d
    with Engine() as engine:
        engine.register(ELEMENT, name="pair")
        send(engine, "a p b", 1, "s", "g")
        state = engine.snapshot()
    with Engine() as engine:
        engine.register(ELEMENT, name="pair")
        engine.restore([state])
        send(engine, "b q c", 1, "s", "g")
        send(engine, "b q d", 1, "s", "h")
        engine.finish()
        assert [dict(each.bindings) for each in engine.matches("pair")] == [
            {"g": iri("g"), "x": iri("a"), "z": iri("c")}
        ]


HEARD = "SELECT ?x { ?x <urn:p> ?y }"
LATER = "SELECT ?x { STREAM <urn:s> { ?x <urn:p> ?y } }"


def test_a_query_that_comes_later_sees_the_streams_of_the_open_instant() -> None:
    #          1       1       2       2     | LATER |  2       3
    #         s/a    none/b   s/c    t/d                s/e     s/f
    with Engine() as engine:
        engine.register(HEARD, name="any")
        for name, time, stream in (("a", 1, "s"), ("b", 1, None), ("c", 2, "s"), ("d", 2, "t")):
            send(engine, f"{name} p b", time, stream)
        engine.register(LATER, name="there")
        send(engine, "e p b", 2, "s")
        send(engine, "f p b", 3, "s")
        engine.finish()
        assert [str(each["x"])[-1] for each in engine.matches("any")] == ["a", "b", "c", "d", "e", "f"]
        assert [str(each["x"])[-1] for each in engine.matches("there")] == ["c", "e", "f"]


@pytest.mark.parametrize("options", [{}, {"trace": True}])
@pytest.mark.parametrize("seed", range(40))
def test_a_query_sees_the_open_instant_as_if_it_had_been_there(seed: int, options: dict[str, Any]) -> None:
    """However the rows came: one by one, in batches, in elements, before and after a snapshot."""
    random = Random(seed)
    rows = [
        (random.choice("abc"), random.choice((None, "s", "s", "t")), random.choice((None, None, "g", "h")))
        for _ in range(8)
    ]
    cut = random.randint(1, len(rows))
    stored = None
    texts = [LATER, LATER.replace("STREAM <urn:s>", "EVENT"), LATER.replace("STREAM <urn:s>", "GRAPH ?g")]
    with Engine(**options) as engine, Engine(**options) as other:
        engine.register(HEARD, name="any")
        send(engine, "z p b", 1, "s")
        _send_somehow(engine, rows[:cut], random)
        list(engine.matches())
        if random.random() < 0.3:
            stored = engine.snapshot()
            other.register(HEARD, name="any")
            other.restore([stored])
        going = other if stored else engine
        for number, text in enumerate(texts):
            going.register(text, name=f"late {number}")
        _send_somehow(going, rows[cut:], random)
        going.finish()
        found = sorted((each.query, str(each["x"])) for each in going.matches() if each.query != "any")
    with Engine(**options) as engine:
        for number, text in enumerate(texts):
            engine.register(text, name=f"late {number}")
        for name, stream, graph in rows:
            send(engine, f"{name} p b", 2, stream, graph)
        engine.finish()
        assert found == sorted((each.query, str(each["x"])) for each in engine.matches())


def _send_somehow(engine: Engine, rows: Sequence[tuple[str, str | None, str | None]], random: Random) -> None:
    """Rows at 2 s, in runs; what comes in a batch has columns for its places or none."""
    first = 0
    while first < len(rows):
        count = random.randint(1, 3)
        part, first = rows[first : first + count], first + count
        if random.random() < 0.5:
            for name, stream, graph in part:
                send(engine, f"{name} p b", 2, stream, graph)
        else:
            engine.send_batch(
                {
                    "start": [2] * len(part),
                    "s": [f"<urn:{name}>" for name, _, _ in part],
                    "p": ["<urn:p>"] * len(part),
                    "o": ["<urn:b>"] * len(part),
                    "stream": [stream and f"<urn:{stream}>" for _, stream, _ in part],
                    "graph": [graph and f"<urn:{graph}>" for _, _, graph in part],
                }
            )


def test_a_proof_tells_where_events_are_from() -> None:
    with Engine(trace=True) as engine:
        engine.register(
            "PREFIX : <urn:> CONSTRUCT STREAM :out { ?x :r ?y } { STREAM :s { GRAPH ?g { ?x :p ?y } } } ;; "
            "PREFIX : <urn:> SELECT ?x { STREAM :out { ?x :r ?y } }",
            name="made",
        )
        send(engine, "a p b", 1, "t", "g")
        send(engine, "a p b", 1, "s", "h")
        engine.finish()
        _, match = sorted(engine.matches(), key=lambda each: each.query)
        why = engine.why(match)
        assert [(each.stream, each.graph) for each in why.events] == [("urn:s", "urn:h")]
        assert "in graph :h in stream :s" in str(why)
        assert "in stream :out" in str(why)


def test_the_state_of_what_was_derived_and_said() -> None:
    # What a CONSTRUCT adds to a stream is the same occurrence as what the stream says itself.
    with Engine() as engine:
        engine.register(
            "PREFIX : <urn:> CONSTRUCT STREAM :out { ?x :r ?y } { ?x :p ?y } ;; "
            "PREFIX : <urn:> SELECT ?x { STREAM :out { ?x :r ?y } } ;; "
            "PREFIX : <urn:> SELECT ?x { ?x :r ?y }",
            name="q",
        )
        send(engine, "a p b", 1)
        send(engine, "a r b", 1, "out")
        send(engine, "c p d", 1)
        engine.finish()
        assert sorted(str(each["x"]) for each in engine.matches("q-2")) == ["urn:a", "urn:c"]
        assert [str(each["x"]) for each in engine.matches("q-3")] == ["urn:a"]

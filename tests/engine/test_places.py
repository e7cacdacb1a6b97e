"""Streams and elements in an engine: state that is taken amid an instant, and proofs."""

from __future__ import annotations

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


def test_a_query_that_comes_later_sees_streams_from_then_on() -> None:
    with Engine() as engine:
        engine.register("SELECT ?x { ?x <urn:p> ?y }", name="any")
        send(engine, "a p b", 1, "s")
        engine.register("SELECT ?x { STREAM <urn:s> { ?x <urn:p> ?y } }", name="there")
        send(engine, "c p b", 1, "s")
        engine.finish()
        assert [str(each["x"]) for each in engine.matches("any")] == ["urn:a", "urn:c"]
        assert [str(each["x"]) for each in engine.matches("there")] == ["urn:c"]


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

"""What a question sees of a running engine: the goals that wait, and recent occurrences."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from rdflib import Literal, URIRef

from etalis_py.core.errors import RunTimeError
from etalis_py.engine.engine import Engine

MINUTE = 60_000_000
COLD = "PREFIX : <urn:>\n"
FALL = COLD + (
    'SELECT ?x ?y { { ?x :p ?y } SEQ { ?x :q ?z } FILTER (getDURATION() < "PT10M"^^xsd:dayTimeDuration) }'
)


def send(engine: Engine, minute: int, s: str, p: str, o: Any) -> None:
    value = URIRef(f"urn:{o}") if isinstance(o, str) else Literal(o)
    engine.send(URIRef(f"urn:{s}"), URIRef(f"urn:{p}"), value, minute * MINUTE)


def waiting(engine: Engine) -> list[tuple[str, str, str, int]]:
    found = engine.prolog("waiting(Query, For, Bindings, Start, _)", prefixes={"": "urn:"})
    rows = [(str(a["Query"]), str(a["For"]), str(a["Bindings"]), int(str(a["Start"]))) for a in found]
    return [(query, text, bindings, start // MINUTE) for query, text, bindings, start in rows]


def occurrences(engine: Engine, **options: Any) -> list[tuple[str, int]]:
    found = engine.prolog("occurrence(S, _, _, _, End)", **options)
    return [(str(each["S"]), int(str(each["End"])) // MINUTE) for each in found]


def test_goals_wait_until_they_are_out_of_their_window() -> None:
    with Engine() as engine:
        engine.register(FALL, name="fall")
        assert waiting(engine) == []
        send(engine, 0, "a", "p", 5)
        send(engine, 4, "b", "p", "c")
        engine.advance(5 * MINUTE)
        text = "{ ?x :p ?y } SEQ { ?x :q ?z }"
        five = "[x='urn:a', y=5^^'http://www.w3.org/2001/XMLSchema#integer']"
        assert waiting(engine) == [("fall", text, five, 0), ("fall", text, "[x='urn:b', y='urn:c']", 4)]
        engine.advance(12 * MINUTE)
        assert [start for *_, start in waiting(engine)] == [4]


def test_goals_that_queries_share_are_those_of_each() -> None:
    other = COLD + "SELECT ?a { { ?a :p ?b } SEQ { ?a :r ?c } }"
    third = COLD + "SELECT ?a { { { ?a :p ?b } SEQ { ?a :r ?c } } SEQ { ?a :s ?d } }"
    with Engine() as engine:
        engine.register(other, name="first")
        engine.register(other, name="second")
        engine.register(third, name="third")
        engine.register(COLD + "SELECT ?o { { ?o :p ?u } SEQ { ?o :t ?v } }", name="fourth")
        send(engine, 0, "x", "p", "y")
        engine.advance(MINUTE)
        assert [(query, bindings) for query, _, bindings, _ in waiting(engine)] == [
            ("first", "[a='urn:x', b='urn:y']"),
            ("second", "[a='urn:x', b='urn:y']"),
            ("third", "[a='urn:x', b='urn:y']"),
            ("fourth", "[o='urn:x', u='urn:y']"),
        ]
        engine.register(COLD + "SELECT ?n { { ?n :p ?m } SEQ { ?n :t ?v } }", name="late")
        send(engine, 2, "x", "p", "z")
        engine.advance(3 * MINUTE)
        assert [bindings for query, _, bindings, _ in waiting(engine) if query == "late"] == [
            "[n='urn:x', m='urn:z']"
        ]


@pytest.mark.parametrize(
    "pattern",
    [
        "{ ?x :p ?y } OPTIONAL { ?x :q ?z }",
        "{ ?x :q ?z } OPTIONALSEQ { ?x :p ?y }",
        "{ ?x :q ?y } { ?x :p ?z }",
        "{ ?x :p ?y } MINUS { ?x :q ?z }",
        "?x :p ?y FILTER NOT EXISTS { ?x :q ?z }",
        "?x :q+ ?y",
    ],
)
def test_goals_of_every_operator_can_be_asked_for(pattern: str) -> None:
    with Engine() as engine:
        engine.register(f"{COLD} SELECT * {{ {pattern} }}")
        send(engine, 0, "x", "q", "y")
        engine.advance(MINUTE)
        assert all("x='urn:x'" in bindings for _, _, bindings, _ in waiting(engine))


def test_occurrences_are_kept_only_where_that_is_asked_for() -> None:
    with Engine() as engine:
        send(engine, 0, "x", "p", "y")
        engine.advance(MINUTE)
        assert occurrences(engine) == []


def test_occurrences_within_the_windows() -> None:
    with Engine(recall=True) as engine:
        engine.register(FALL)
        for minute in range(30):
            send(engine, minute, f"x{minute}", "p", 1)
        engine.advance(30 * MINUTE)
        assert occurrences(engine) == [(f"urn:x{minute}", minute) for minute in range(21, 30)]
        engine.register(COLD + "SELECT * { { ?x :p ?y } SEQ { ?x :q ?z } }")
        for minute in range(30, 60):
            send(engine, minute, f"x{minute}", "p", 1)
        assert len(occurrences(engine)) >= 39


def test_occurrences_for_a_time_derived_ones_included() -> None:
    with Engine(recall=timedelta(minutes=3), on_late="drop") as engine:
        engine.register(COLD + "CONSTRUCT { ?y :was ?x } { ?x :p ?y }")
        send(engine, 0, "a", "p", "b")
        send(engine, 2, "c", "p", 7)
        send(engine, 1, "late", "p", 7)
        send(engine, 2, "c", "p", 7)
        engine.advance(2 * MINUTE + 1)
        assert sorted(occurrences(engine)) == [("urn:a", 0), ("urn:b", 0), ("urn:c", 2)]
        engine.advance(4 * MINUTE)
        assert occurrences(engine) == [("urn:c", 2)]


def test_no_more_occurrences_than_there_is_room_for() -> None:
    rows = 120_000
    columns = {"start": list(range(rows)), "s": ["<urn:s>"] * rows, "p": ["<urn:p>"] * rows}
    with Engine(recall=True) as engine:
        engine.send_batch({**columns, "o": [f"<urn:{number % 7}>" for number in range(rows)]})
        [answer] = engine.prolog("aggregate_all(count, occurrence(_, _, _, _, _), Count)")
        assert 50_000 <= int(str(answer["Count"])) <= 100_000


def test_predicates_of_the_user_go_before_the_views(tmp_path: Any) -> None:
    (tmp_path / "r.pl").write_text("occurrence(a, b, c, d, e).\n")
    with Engine(rules=tmp_path / "r.pl", recall=True) as engine:
        send(engine, 0, "x", "p", "y")
        assert [str(each["X"]) for each in engine.prolog("occurrence(X, _, _, _, _)")] == ["a"]
        with pytest.raises(RunTimeError, match="No permission"):
            engine.prolog("assertz(waiting(a, b, c, d, e))")

"""State that events begin and end: what holds when, and that nothing depends on order within an instant.

time      1         2         3         4
events    a closed  a ?       a open    a ?
                              a ?
closed(a)        |------------------|
"""

from __future__ import annotations

import itertools

import pytest

from etalis_py.core.errors import RunTimeError
from etalis_py.engine.engine import Engine
from tests.engine.conftest import seconds, table
from tests.state.conftest import CLOSED, PREFIX, SPEED, Open, asked

ASK = "SELECT ?x { ?x :ask :now FILTER (prolog:closed(?x)) }"


def ends(engine: Engine, name: str = "q") -> list[int]:
    return [end for _, end, _ in seconds(engine, name)]


def test_a_state_holds_after_its_instant_up_to_the_one_that_ends_it(opened: Open) -> None:
    asks = [(time, "a", "ask", "now") for time in (1, 2, 3, 4)]
    changes = [(1, "a", "status", "closed"), (3, "a", "status", "open")]
    for rows in (sorted(asks + changes), sorted(changes + asks, key=lambda row: (row[0], row[2] == "ask"))):
        with opened(CLOSED, ASK) as engine:
            engine.send_batch(table(rows))
            engine.finish()
            assert ends(engine) == [2, 3]


def test_ends_first_then_begins(opened: Open) -> None:
    """Closed and opened at one instant: it is closed after that, in whatever order the two came."""
    events = [(1, "a", "status", "closed"), (1, "a", "status", "open"), (2, "a", "ask", "now")]
    for rows in itertools.permutations(events[:2]):
        with opened(CLOSED, ASK) as engine:
            engine.send_batch(table([*rows, events[2]]))
            engine.finish()
            assert ends(engine) == [2]


def test_a_variable_that_ends_has_not_is_any(opened: Open) -> None:
    rules = PREFIX + ':- state(at(Who, Where), begins("?Who :enters ?Where"), ends("?Who :leaves ?any")).'
    with opened(rules) as engine:
        engine.send_batch(table([(1, "a", "enters", "x"), (1, "a", "enters", "y"), (1, "b", "enters", "x")]))
        engine.advance(2_000_000)
        assert len(asked(engine, "at(Who, Where)")) == 3
        engine.send_batch(table([(3, "a", "leaves", "z")]))
        engine.advance(4_000_000)
        assert asked(engine, "at(Who, Where)") == [{"Who": "b", "Where": "x"}]


def test_since_when_it_holds(opened: Open) -> None:
    """Said again, or ended and begun at one instant, a state goes on."""
    with opened(SPEED) as engine:
        question = "speed(S, V^^_), since(speed(S, V^^_), T)"
        for time, speed in ((1, 50), (2, 50), (3, 30)):
            engine.send_batch(table([(time, "a", "speed", speed)]))
        assert asked(engine, question) == [{"S": "a", "V": "50", "T": "1000000"}]
        engine.send_batch(table([(4, "a", "speed", 30)]))
        engine.finish()
        assert asked(engine, question) == [{"S": "a", "V": "30", "T": "3000000"}]


def test_queries_ask_with_rdf_terms(opened: Open) -> None:
    """FILTER hands over literals as they are in the state, and BIND takes the last argument."""
    is_30 = "SELECT ?x { ?x :ask :now FILTER (prolog:speed(?x, 30)) }"
    value = "SELECT ?v { ?x :ask :now BIND (prolog:speed(?x) AS ?v) }"
    rule = SPEED + "slow(X) :- speed(X, V^^xsd:integer), V < 40.\n"
    slow = "SELECT ?x { ?x :ask :now FILTER (prolog:slow(?x)) }"
    with opened(rule, is_30, value, slow) as engine:
        engine.send_batch(table([(1, "a", "speed", 30), (2, "a", "ask", "now"), (3, "b", "ask", "now")]))
        engine.finish()
        assert ends(engine, "q") == ends(engine, "q-3") == [2]
        assert [row for _, _, row in seconds(engine, "q-2")] == [{"v": 30}, {}]


def test_a_state_without_arguments_and_one_without_end(opened: Open) -> None:
    rules = PREFIX + (
        ':- state(alarm, begins("?x :alarm :on"), ends(":all :alarm :off")).\n'
        ':- state(visited(Place), begins("?who :visits ?Place")).\n'
    )
    with opened(rules) as engine:
        engine.send_batch(table([(1, "a", "alarm", "on"), (1, "a", "visits", "x"), (2, "a", "visits", "y")]))
        engine.advance(3_000_000)
        assert asked(engine, "alarm") == [{}]
        assert asked(engine, "visited(P)") == [{"P": "x"}, {"P": "y"}]
        engine.send_batch(table([(4, "all", "alarm", "off")]))
        engine.finish()
        assert asked(engine, "alarm") == []


def test_an_unbound_argument_begins_nothing(opened: Open) -> None:
    rules = PREFIX + ':- state(pair(A, B), begins("{ ?A :p ?x } OPTIONAL { ?A :q ?B }")).'
    with opened(rules) as engine:
        engine.send_batch(table([(1, "a", "p", "x"), (2, "b", "q", "y"), (3, "b", "p", "x")]))
        engine.finish()
        assert asked(engine, "pair(A, B)") == [{"A": "b", "B": "y"}]


@pytest.mark.parametrize("one_by_one", [True, False])
def test_batches_make_no_difference(opened: Open, one_by_one: bool) -> None:
    rows = [
        (1, "a", "status", "closed"), (2, "a", "ask", "now"), (2, "b", "status", "closed"),
        (5, "b", "ask", "now"), (5, "a", "status", "open"), (6, "a", "ask", "now"), (6, "b", "ask", "now"),
    ]  # fmt: skip
    with opened(CLOSED, ASK) as engine:
        for part in [[row] for row in rows] if one_by_one else [rows]:
            engine.send_batch(table(part))
        engine.finish()
        assert ends(engine) == [2, 5, 6]


def test_two_engines_have_their_own(opened: Open) -> None:
    with opened(CLOSED) as one, opened(CLOSED) as other:
        one.send_batch(table([(1, "a", "status", "closed")]))
        one.advance(2_000_000)
        assert asked(one, "closed(X)") == [{"X": "a"}]
        assert asked(other, "closed(X)") == []


def test_questions_do_not_change_it_by_accident(opened: Open) -> None:
    with opened(CLOSED) as engine:
        engine.send_batch(table([(1, "a", "status", "closed")]))
        engine.advance(2_000_000)
        for goal in ("retract(closed(_))", "assertz(closed('urn:b'))", "retractall(closed(_))"):
            with pytest.raises(RunTimeError, match="EP301"):
                asked(engine, goal)
        assert asked(engine, "closed(X)") == [{"X": "a"}]


def test_incremental_tables_follow_the_state(opened: Open) -> None:
    rules = CLOSED + (
        ":- table reaches/2 as incremental.\n"
        "reaches(A, B) :- link(A, B), \\+ closed(B).\n"
        "reaches(A, C) :- reaches(A, B), link(B, C), \\+ closed(C).\n"
        "link('urn:a', 'urn:b'). link('urn:b', 'urn:c').\n"
    )
    with opened(rules) as engine:
        assert asked(engine, "reaches('urn:a', X)") == [{"X": "b"}, {"X": "c"}]
        for time, status, reached in ((1, "closed", []), (2, "open", [{"X": "b"}, {"X": "c"}])):
            engine.send_batch(table([(time, "b", "status", status)]))
            engine.advance(time * 1_000_000 + 1)
            assert asked(engine, "reaches('urn:a', X)") == reached


def test_at_one_instant_no_state_has_begun(opened: Open) -> None:
    with opened(CLOSED, ASK, at=1_000_000) as engine:
        engine.send_batch(table([(1, "a", "status", "closed"), (1, "a", "ask", "now")]))
        engine.finish()
        assert ends(engine) == []

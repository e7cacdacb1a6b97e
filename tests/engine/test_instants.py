"""Instants: when answers are given, what is late, and that arrival order within an instant is nothing."""

from __future__ import annotations

import itertools
from datetime import timedelta

import pytest

from etalis_py.core.errors import DataError
from etalis_py.engine.engine import Engine
from tests.engine.conftest import run, seconds, table

SEQ = "PREFIX : <urn:> SELECT ?x ?y { { ?x :p ?y } SEQ { ?y :q ?z } }"


#   time   1    2    3
#   a:p:b  |
#   b:q:c       |          the answer [1,2] is given when something later comes
#   ...              |
def test_an_answer_is_given_when_its_instant_closes(engine: Engine) -> None:
    engine.register(SEQ)
    engine.send_batch(table([(1, "a", "p", "b"), (2, "b", "q", "c")]))
    assert seconds(engine) == []
    engine.send_batch(table([(3, "z", "r", "z")]))
    assert seconds(engine) == [(1, 2, {"x": "a", "y": "b"})]


def test_advance_closes_what_is_before_it(engine: Engine) -> None:
    engine.register(SEQ)
    engine.send_batch(table([(1, "a", "p", "b"), (2, "b", "q", "c")]))
    engine.advance(2_000_000)
    assert seconds(engine) == []
    engine.send_batch(table([(2, "b", "q", "d")]))
    engine.advance(2_000_001)
    assert len(seconds(engine)) == 2


def test_advance_backwards_changes_nothing(engine: Engine) -> None:
    engine.register(SEQ)
    engine.send_batch(table([(5, "a", "p", "b")]))
    engine.advance(1_000_000)
    engine.send_batch(table([(5, "a", "p", "c")]))
    engine.finish()


def test_finish_closes_the_last_instant(engine: Engine) -> None:
    engine.register(SEQ)
    engine.send_batch(table([(1, "a", "p", "b"), (2, "b", "q", "c")]))
    engine.finish()
    assert len(seconds(engine)) == 1
    engine.finish()
    assert seconds(engine) == []


def test_a_late_element_is_an_error_and_what_came_before_it_is_taken(engine: Engine) -> None:
    engine.register(SEQ)
    rows = [(1, "a", "p", "b"), (3, "b", "q", "c"), (2, "b", "q", "d"), (4, "b", "q", "e")]
    with pytest.raises(DataError, match="too late") as raised:
        engine.send_batch(table(rows))
    assert raised.value.place is not None
    assert raised.value.place.row == 3
    engine.send_batch(table([(4, "b", "q", "e")]))
    engine.finish()
    assert [end for _, end, _ in seconds(engine)] == [3, 4]


def test_late_elements_can_be_dropped_and_are_counted() -> None:
    with Engine(on_late="drop") as engine:
        engine.register(SEQ)
        engine.send_batch(table([(1, "a", "p", "b"), (3, "b", "q", "c"), (2, "b", "q", "d")]))
        engine.finish()
        assert (len(seconds(engine)), engine.late) == (1, 1)


def test_after_finish_the_closed_instant_is_late(engine: Engine) -> None:
    engine.register(SEQ)
    engine.send_batch(table([(2, "a", "p", "b")]))
    engine.finish()
    with pytest.raises(DataError, match="EP413"):
        engine.send_batch(table([(2, "b", "q", "c")]))


#   time   1        2
#   a:p:1  |        |  five occurrences at 2, in any order
@pytest.mark.parametrize(
    "query",
    [
        "SELECT * { { ?x :p ?y } SEQ { ?x :q ?z } }",
        "SELECT * { { ?x :p ?y } EQUALS { ?x :q ?z } }",
        "SELECT * { { ?x :p ?y } OPTIONAL { ?x :q ?z } }",
        "SELECT * { { ?x :p ?y } EQUALSOPTIONAL { ?x :q ?z } }",
        "SELECT * { { ?x :p ?y } OPTIONALSEQ { ?x :q ?z } }",
        "SELECT * { ?x :p ?y . ?x :q ?z }",
    ],
)
def test_arrival_order_within_an_instant_is_nothing(query: str) -> None:
    first = (1, "a", "p", 1)
    second = [(2, "a", "p", 2), (2, "a", "q", 3), ((1, 2), "a", "q", 4), (2, "b", "p", 5)]
    answers = [run(query, [first, *order]) for order in itertools.permutations(second)]
    assert answers[0]
    assert all(each == answers[0] for each in answers)


def test_the_cut_into_batches_is_nothing() -> None:
    rows = [(time, "a", "pq"[time % 2], time % 3) for time in range(1, 12) for _ in range(2)]
    query = "SELECT * { { ?x :p ?y } SEQ { ?x :q ?z } }"
    whole = run(query, rows)
    with Engine() as engine:
        engine.register("PREFIX : <urn:> " + query)
        for row in rows:
            engine.send_batch(table([row]))
        engine.finish()
        assert seconds(engine) == whole


def test_a_stream_is_a_set() -> None:
    twice = [(1, "a", "p", 1), (1, "a", "p", 1), (2, "a", "q", 1)]
    assert len(run("SELECT * { { ?x :p ?y } SEQ { ?x :q ?y } }", twice)) == 1


def test_a_solution_counts_as_often_as_there_are_ways_to_it() -> None:
    rows = [(1, "a", "p", 1), (1, "b", "p", 1), (2, "c", "q", 1)]
    query = "{ { ?x :p ?y } SEQ { ?z :q ?y } }"
    assert len(run(f"SELECT ?y {query}", rows)) == 2
    assert len(run(f"SELECT DISTINCT ?y {query}", rows)) == 1


def test_answers_come_in_order_of_end_start_and_bindings() -> None:
    rows = [
        ((1, 3), "b", "p", 2),
        (3, "a", "p", 9),
        ((1, 3), "a", "p", 10),
        ((1, 3), "a", "p", 2),
        (4, "a", "p", 1),
    ]
    found = run("SELECT ?x ?y { ?x :p ?y }", rows)
    assert [(start, end, *row.values()) for start, end, row in found] == [
        (1, 3, "a", 2), (1, 3, "a", 10), (1, 3, "b", 2), (3, 3, "a", 9), (4, 4, "a", 1),
    ]  # fmt: skip


#   time  1   2
#   p     |   |     the row after 2 is broken: it may have been an :r at 2
def test_what_is_certain_is_given_when_the_input_breaks_off(engine: Engine) -> None:
    engine.register("PREFIX : <urn:> SELECT * { { ?x :p 1 } SEQ { ?x :p 2 } }", name="certain")
    engine.register("PREFIX : <urn:> SELECT * { { ?x :p 2 } OPTIONAL { ?x :r ?y } }", name="open")
    engine.send_batch(table([(1, "a", "p", 1), (2, "a", "p", 2)]))
    engine.give_certain()
    assert [match.query for match in engine.matches()] == ["certain"]


#   time      1    2    3    9        the element at 2 comes after that at 3, within the delay of 2 s
#   arrival   1st  3rd  2nd  4th
def test_a_delay_puts_elements_back_in_order() -> None:
    rows = [(1, "a", "p", "b"), (3, "b", "q", "c"), (2, "d", "p", "b"), (9, "z", "r", "z")]
    with Engine(on_late=timedelta(seconds=2)) as engine:
        engine.register(SEQ)
        engine.send_batch(table(rows[:3]))
        assert seconds(engine) == []
        engine.send_batch(table(rows[3:]))
        assert seconds(engine) == []
        engine.advance(4_000_000)
        assert [(start, end) for start, end, _ in seconds(engine)] == [(1, 3), (2, 3)]
        with pytest.raises(DataError, match="EP413") as raised:
            engine.send_batch(table([(6, "a", "p", "b")]))
        assert raised.value.place is not None
        engine.finish()

"""Answers leave in portions: none is lost or comes twice, whatever happens between two of them."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator
from contextlib import closing
from threading import Thread
from typing import Any

import pytest

from etalis_py import Engine
from etalis_py.core.errors import DataError, EtalisWarning, RunTimeError
from etalis_py.engine import feeding
from etalis_py.engine.matches import Match
from etalis_py.streams.table import TableReader

CROSS = "SELECT ?a ?b { ?a <urn:p> ?x . ?b <urn:q> ?x }"
MOST = 10
SIDE = 8
pytestmark = pytest.mark.filterwarnings("ignore:EW65")


@pytest.fixture(autouse=True)
def _small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(feeding, "MOST_ANSWERS_AT_ONCE", MOST)


def table(*ends: int, side: int = SIDE) -> dict[str, list[Any]]:
    """At each end so many of either side: they all fit together, those of several ends, too."""
    rows = [(end, f"<urn:{which}{end:02}{number:02}>", f"<urn:{which}>")
            for end in ends for which in "pq" for number in range(side)]  # fmt: skip
    starts, subjects, predicates = map(list, zip(*rows, strict=True))
    return {"start": starts, "s": subjects, "p": predicates, "o": ["<urn:x>"] * len(rows)}


def values(matches: list[Match]) -> list[tuple[Any, ...]]:
    return [(match.end, match.start, *match.values) for match in matches]


def reference(*ends: int, query: str = CROSS) -> list[Match]:
    """What one portion for each instant gives."""
    with pytest.MonkeyPatch.context() as patch, Engine() as engine:
        patch.setattr(feeding, "MOST_ANSWERS_AT_ONCE", 1_000_000)
        engine.register(query, name="q")
        engine.send_batch(table(*ends))
        engine.finish()
        return list(engine.matches())


def portions(engine: Engine, data: dict[str, list[Any]]) -> Iterator[list[Match]]:
    """What each step of sending gives, and what the end does."""
    for batch in TableReader().batches(data):
        with closing(engine.feed.sending((batch,))) as steps:
            for _ in steps:
                yield list(engine.matches())
        yield list(engine.matches())
    with closing(engine.feed.finishing()) as steps:
        for _ in steps:
            yield list(engine.matches())
    yield list(engine.matches())


@pytest.fixture
def engine() -> Iterator[Engine]:
    with Engine() as engine:
        engine.register(CROSS, name="q")
        yield engine


def test_an_instant_is_cut_where_it_has_a_portion(engine: Engine) -> None:
    expected = values(reference(1, 2, 3))
    given = [values(each) for each in portions(engine, table(1, 2, 3))]
    assert max(map(len, given)) == MOST
    found = [row for each in given for row in each]
    assert sorted(found) == sorted(expected)
    assert [row[0] for row in found] == [row[0] for row in expected], "instants come one after the other"
    for first in range(0, SIDE * SIDE - MOST, MOST):
        assert found[first : first + MOST] == sorted(found[first : first + MOST])


def test_it_is_cut_at_the_same_places_however_it_arrives() -> None:
    whole = table(1, 2, 3)
    count = len(whole["start"])
    found = []
    for size in (1, 5, count):
        with Engine() as engine:
            engine.register(CROSS, name="q")
            for first in range(0, count, size):
                engine.send_batch({name: column[first : first + size] for name, column in whole.items()})
            engine.finish()
            found.append(values(list(engine.matches())))
    assert found[0] == found[1] == found[2]


def test_instants_of_few_answers_stay_whole(engine: Engine) -> None:
    data = table(*range(1, 40), side=1)
    data["o"] = [f"<urn:x{end}>" for end in data["start"]]
    given = [values(each) for each in portions(engine, data)]
    assert len(given) > 3
    assert [row for each in given for row in each] == sorted(row for each in given for row in each)


def test_a_query_that_says_a_thing_once_says_it_once() -> None:
    texts = {
        "ask": "ASK { ?a <urn:p> ?x . ?b <urn:q> ?x }",
        "make": "CONSTRUCT { <urn:is> <urn:there> ?x } { ?a <urn:p> ?x . ?b <urn:q> ?x }",
        "rows": CROSS,
        "distinct": "SELECT DISTINCT ?a { ?a <urn:p> ?x . ?b <urn:q> ?x }",
    }
    with Engine() as engine:
        for name, text in texts.items():
            engine.register(text, name=name)
        engine.send_batch(table(1, 2))
        engine.finish()
        found = [(match.query, match.start, match.end, match.values) for match in engine.matches()]
    assert len(found) == len(set(found))
    assert [row[1:3] for row in found if row[0] == "ask"] == [(1, 1), (2, 2)]
    assert {row[1:3] for row in found if row[0] == "make"} == {(1, 1), (1, 2), (2, 2)}


@pytest.mark.parametrize("order", ["ORDER BY DESC(?b) ?a", "ORDER BY ?a LIMIT 25"])
def test_ordered_rows_stay_in_order(order: str) -> None:
    query = f"{CROSS} {order}"
    with Engine() as engine:
        engine.register(query, name="q")
        engine.send_batch(table(1, 2))
        engine.finish()
        assert values(list(engine.matches())) == values(reference(1, 2, query=query))


def test_what_waits_for_the_end_of_an_instant_comes_in_portions() -> None:
    query = "SELECT ?a ?b ?c { { ?a <urn:p> ?x . ?b <urn:q> ?x } OPTIONAL { ?a <urn:r> ?c } }"
    with Engine() as engine:
        engine.register(query, name="q")
        given = [values(each) for each in portions(engine, table(1, 2))]
        assert max(map(len, given)) == MOST
        assert sorted(row[:4] for each in given for row in each) == sorted(
            row[:4] for row in values(reference(1, 2, query=query))
        )


# ---- callbacks ---------------------------------------------------------------------------------------------


def called_back(on_match: Callable[[Engine, Match], object], *ends: int) -> list[Match]:
    found: list[Match] = []
    with Engine() as engine:

        def take(match: Match) -> None:
            found.append(match)
            on_match(engine, match)

        engine.register(CROSS, name="q", on_match=take)
        engine.send_batch(table(*ends))
        engine.finish()
    return found


def test_callbacks_come_while_the_batch_runs() -> None:
    waiting = []
    called_back(lambda engine, _: waiting.append(engine._deliveries.count), 1, 2)
    assert max(waiting) < MOST


def test_a_callback_may_send() -> None:
    """It is done when the batch is: as if the caller had sent it next."""
    sent = []

    def echo(engine: Engine, match: Match) -> None:
        if match.end == 1 and not sent:
            sent.append(engine._guard.pauses)
            engine.send_batch(table(9, side=1))

    found = called_back(echo, 1, 2, 3)
    assert sent == [True]
    assert {match.end for match in found} == {1, 2, 3, 9}
    assert len({(match.end, *match.values) for match in found}) == len(found) == (3 * SIDE + 1) ** 2


def test_a_callback_may_ask_and_run_another_engine() -> None:
    inner: list[Match] = []

    def use(engine: Engine, match: Match) -> None:
        if match.values[0] == "urn:p0100" and match.end == 1:
            assert len(list(engine.prolog("member(X, [1, 2, 3])"))) == 3
            inner.extend(called_back(lambda *_: None, 5, 6))

    found = called_back(use, 1, 2, 3)
    assert sorted(values(found)) == sorted(values(reference(1, 2, 3)))
    assert sorted(values(inner[: 4 * SIDE * SIDE])) == sorted(values(reference(5, 6)))


def test_a_callback_that_raises_loses_nothing() -> None:
    found: list[Match] = []

    def take(match: Match) -> None:
        found.append(match)
        if len(found) == 3:
            raise ValueError("the third")

    with Engine() as engine:
        engine.register(CROSS, name="q", on_match=take)
        with pytest.raises(ValueError, match="the third"):
            engine.send_batch(table(1, 2, 3))
        assert len(found) == 3
        engine.finish()
    assert sorted(values(found)) == sorted(values(reference(1, 2, 3)))


class Interrupted(BaseException):
    """As KeyboardInterrupt is."""


def test_an_interrupt_in_a_callback_ends_the_batch_and_the_engine() -> None:
    found: list[Match] = []

    def take(match: Match) -> None:
        found.append(match)
        raise Interrupted

    engine = Engine()
    engine.register(CROSS, name="q", on_match=take)
    with pytest.raises(Interrupted):
        engine.send_batch(table(1, 2, 3))
    assert len(found) == 1
    with pytest.raises(RunTimeError, match="EP303 the engine has failed: its answers were not taken"):
        engine.send_batch(table(4))
    engine.close()


def test_no_state_is_taken_amid_a_batch() -> None:
    refused = []

    def take(engine: Engine, match: Match) -> None:
        if match.end == 1 and not refused:
            with pytest.raises(RunTimeError, match="EP307") as caught:
                engine.snapshot()
            refused.append(caught)

    called_back(take, 1, 2)
    assert refused


def test_an_engine_may_be_closed_amid_a_batch() -> None:
    with pytest.raises(RunTimeError, match="EP303 the engine is closed"):
        called_back(lambda engine, _: engine.close(), 1, 2)


# ---- portion by portion ------------------------------------------------------------------------------------


def test_who_stops_amid_a_batch_has_to_close(engine: Engine) -> None:
    (batch,) = TableReader().batches(table(1, 2))
    steps = engine.feed.sending((batch,))
    next(steps)
    with pytest.raises(RunTimeError, match="EP307"):
        next(engine.feed.finishing())
    steps.close()
    with pytest.raises(RunTimeError, match="EP303"):
        engine.finish()
    engine.close()


def test_what_was_begun_last_ends_first(engine: Engine) -> None:
    """One stack has the work of all engines of a thread."""
    (batch,) = TableReader().batches(table(1, 2))
    first = engine.feed.sending((batch,))
    next(first)
    with Engine() as other:
        other.register(CROSS, name="q")
        second = other.feed.sending((batch,))
        next(second)
        with pytest.raises(RunTimeError, match="EP313 another engine, which began later"):
            next(first)
        assert sum(1 for _ in second) > 3
        other.finish()
        assert sorted(values(list(other.matches()))) == sorted(values(reference(1, 2)))
    engine.close()


def test_a_late_row_comes_after_what_was_found_before_it(engine: Engine) -> None:
    data = table(1, 2, 3)
    for name, value in {"start": 1, "s": "<urn:late>", "p": "<urn:p>", "o": "<urn:x>"}.items():
        data[name].append(value)
    with pytest.raises(DataError, match="EP413"):
        engine.send_batch(data)
    engine.finish()
    assert sorted(values(list(engine.matches()))) == sorted(values(reference(1, 2, 3)))


@pytest.mark.parametrize("count", [0, 1, 50])
def test_late_rows_are_counted_once(count: int) -> None:
    with Engine(on_late="drop") as engine:
        engine.register(CROSS, name="q")
        data = table(5, 6)
        late = {
            "start": [1] * count,
            "s": ["<urn:a>"] * count,
            "p": ["<urn:p>"] * count,
            "o": ["<urn:x>"] * count,
        }
        engine.send_batch({name: data[name] + late[name] + data[name][-1:] for name in data})
        engine.finish()
        assert engine.late == count
        assert sorted(values(list(engine.matches()))) == sorted(values(reference(5, 6)))


def test_in_threads() -> None:
    found: list[list[Match]] = []
    threads = [Thread(target=lambda: found.append(called_back(lambda *_: None, 1, 2))) for _ in range(3)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert [sorted(values(each)) for each in found] == [sorted(values(reference(1, 2)))] * 3


def test_the_order_of_many_answers_is_warned_of() -> None:
    with Engine() as engine:
        engine.register(CROSS, name="q")
        engine.send_batch(table(1))
        with pytest.warns(EtalisWarning, match="EW65 more than 10 answers at 1970-01-01T00:00:00.000001Z"):
            engine.finish()


def test_memory_is_that_of_a_portion(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of 90,000 answers of one instant never more than a few portions are alive: those that come and go."""
    monkeypatch.setattr(feeding, "MOST_ANSWERS_AT_ONCE", 1000)

    def alive() -> int:
        return sum(type(each) is Match for each in gc.get_objects())

    most, count, before = 0, 0, alive()
    with Engine() as engine:
        engine.register(CROSS, name="q")
        for given in portions(engine, table(1, side=300)):
            count += len(given)
            most = max(most, alive())
    assert count == 90_000
    assert most - before <= 4000

"""Engines with several threads: what they answer, refuse and keep is what an engine with one thread does."""

from __future__ import annotations

import _thread
import random
import threading
import time
from collections.abc import Iterator, Mapping
from datetime import timedelta
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from etalis_py import CompileError, DataError, Engine, Match, RunTimeError, UsageError
from etalis_py.embedding.interruption import INTERRUPTION
from etalis_py.streams.batch import Batch
from tests.engine.conftest import table
from tests.engine.counting import in_prolog
from tests.engine.test_machine import PREFIX, TAXONOMY, batch
from tests.errors.test_messages import compare

WINDOW = 'FILTER(getDURATION() < "PT0.00002S"^^xsd:dayTimeDuration)'
KEYED = {
    "pattern": "SELECT ?x ?y { ?x :p ?y }",
    "seq": "SELECT * { { ?x :p ?y } SEQ { ?x :q ?z } " + WINDOW + " }",
    "object": "SELECT * { { ?y :p ?x } SEQ { ?z :q ?x } " + WINDOW + " }",
    "across": "SELECT * { { ?y :p ?x } SEQ { ?x :q ?z } " + WINDOW + " }",
    "two": "SELECT ?x ?y { { ?x :p ?y } SEQ { ?x :q ?y } }",
    "optional": "SELECT * { ?x :p ?y OPTIONAL { ?x :q ?z } " + WINDOW + " }",
    "minus": "SELECT * { ?x :p ?y MINUS { ?x :q ?y } }",
    "distinct": "SELECT DISTINCT ?y { ?x :p ?y . ?x :q ?z }",
    "ask": "ASK { ?x :p ?y . ?x :q ?z }",
    "bind": "SELECT ?x ?n { { ?x :p ?y BIND(IF(?y > 1, 'more', ?y) AS ?n) } SEQ { ?x :q ?z } }",
    "regex": "SELECT ?x ?y { ?x :p ?y . ?x :q ?z FILTER(REGEX(STR(?y), '[ax]')) }",
}
SEQ = (
    PREFIX + "SELECT * { { ?x :p ?y } SEQ { ?x :q ?z } FILTER(getDURATION() < 'PT20S'^^xsd:dayTimeDuration) }"
)
CROSS = PREFIX + "SELECT * { { ?x :p ?y } SEQ { ?z :q ?u } }"
BACK_TO_BACK = "SELECT ?x ?n ?m { { ?x :p ?n } SEQ { ?x :q ?m } }"


def answers(
    queries: Mapping[str, str], batches: list[Mapping[str, Any]], threads: int, **options: Any
) -> tuple[list[str], int]:
    with Engine(threads=threads, **options) as engine:
        for name, query in queries.items():
            engine.register(PREFIX + query, name=name)
        found = []
        for each in batches:
            engine.send_batch(each)
            found += map(repr, engine.matches())
        engine.finish()
        return [*found, *map(repr, engine.matches())], engine.threads


@pytest.mark.parametrize("policy", ["unrestricted", "chronological", "recent"])
@pytest.mark.parametrize("name", KEYED)
def test_the_answers_are_those_of_one_thread(name: str, policy: Any) -> None:
    if name in ("minus", "distinct") and policy != "unrestricted":
        pytest.skip("it has no policy")
    chance = random.Random(name)
    batches = [batch(chance, first, 80) for first in (-40, 100, 140, 240)]
    query = {name: KEYED[name]}
    alone, one = answers(query, batches, 1, policy=policy, on_late="drop")
    assert (one, bool(alone)) == (1, True)
    for threads in (2, 3):
        assert answers(query, batches, threads, policy=policy, on_late="drop") == (alone, threads)
    with in_prolog():
        assert answers(query, batches, 2, policy=policy, on_late="drop") == (alone, 2)


@pytest.mark.parametrize("seed", range(3))
def test_programs_with_background(seed: int, tmp_path: Path) -> None:
    chance = random.Random(seed)
    (tmp_path / "t.ttl").write_text(TAXONOMY)
    queries = {
        "class": "SELECT ?x { ?x a :D }",
        "seq": KEYED["seq"],
        "sub": "SELECT * { ?x :p ?y . ?x :r ?z }",
    }
    batches = [batch(chance, first, 80) for first in (0, 100)]
    alone, _ = answers(queries, batches, 1, background=[tmp_path / "t.ttl"])
    together, threads = answers(queries, batches, 2, background=[tmp_path / "t.ttl"])
    assert (together, threads) == (alone, 2)


def test_arrow_tables_and_single_events() -> None:
    found = []
    for threads in (1, 2):
        with Engine(threads=threads) as engine:
            engine.register(PREFIX + KEYED["seq"], name="q")
            for first in range(0, 3_000, 1_000):
                chance = random.Random(first)
                engine.send_batch(pa.table(dict(batch(chance, first, 1_000))))
            engine.advance(5_000)
            engine.send_batch(table([(5_001, "a", "p", 1)]))
            engine.send_batch(table([(5_002, "a", "q", 2)]))
            tables = [engine.table("q")]
            engine.finish()
            found.append([*map(str, tables), *map(repr, engine.matches())])
            assert engine.threads == threads
            assert engine.clock == 5_002_000_000
    assert found[0] == found[1]


@pytest.mark.parametrize("on_late", ["error", "drop", timedelta(microseconds=3)])
def test_late_rows(on_late: Any) -> None:
    rows = [
        (1, "a", "p", 1),
        (5, "b", "p", 1),
        (6, "a", "q", 2),
        (4, "b", "q", 2),
        (9, "b", "q", 3),
        (1, "c", "p", 1),
    ]
    seen = []
    for threads in (1, 2):
        with Engine(threads=threads, on_late=on_late) as engine:
            engine.register(SEQ)
            errors = []
            for part in (rows[:3], rows[3:], rows[4:5]):
                try:
                    engine.send_batch(table(part))
                except DataError as error:
                    errors.append(str(error))
            engine.finish()
            seen.append((errors, engine.late, engine.clock, [*map(repr, engine.matches())]))
            assert engine.threads == threads
    assert seen[0] == seen[1]
    assert bool(seen[0][0]) is (on_late != "drop")


def test_a_bad_row() -> None:
    columns = {
        "start": [1, 2, 3],
        "s": ["<urn:a>", "<urn:a>", "nonsense"],
        "p": ["<urn:p>", "<urn:q>", "<urn:q>"],
    }
    columns["o"] = ["<urn:b>"] * 3
    seen = []
    for threads in (1, 2):
        engine = Engine(threads=threads)
        engine.register(SEQ)
        with pytest.raises(DataError) as caught:
            engine.send_batch(columns)
        engine.finish()
        seen.append((str(caught.value), [*map(repr, engine.matches())]))
        engine.close()
    assert seen[0] == seen[1]
    assert len(seen[0][1]) == 1


def test_times_beyond_64_bits() -> None:
    batches = [table([(10**20 + number, f"s{number % 5}", "pq"[number % 2], number) for number in range(40)])]
    alone, _ = answers({"q": BACK_TO_BACK}, batches, 1)
    assert answers({"q": BACK_TO_BACK}, batches, 2) == (alone, 2)
    assert alone


@pytest.mark.parametrize(
    ("query", "options"),
    [
        (CROSS, {}),
        (PREFIX + "SELECT ?x (COUNT(*) AS ?n) { ?x :p ?y } GROUP BY ?x WINDOW [RANGE PT5S]", {}),
        (PREFIX + "CONSTRUCT { ?x :r ?y } { ?x :p ?y }", {}),
        (PREFIX + "SELECT (RAND() AS ?r) { ?x :p ?y }", {}),
        (f"PRAGMA max_answers_per_instant 5 {SEQ}", {}),
        (SEQ, {"trace": True}),
        (SEQ, {"recall": True}),
        (SEQ, {"record_changes": True}),
        (SEQ, {"max_time_per_instant": timedelta(minutes=1)}),
        (SEQ, {"at": 1_000_000}),
    ],
)
def test_one_thread_is_enough_for(query: str, options: dict[str, Any]) -> None:
    with Engine(threads=2, **options) as engine:
        engine.register(query)
        engine.send_batch(table([(1, "a", "p", 1)]))
        assert engine.threads == 1


def test_queries_that_are_added_later() -> None:
    seen = []
    for threads in (1, 2):
        with Engine(threads=threads) as engine:
            engine.register(SEQ, name="first")
            engine.send_batch(
                table([(number, f"s{number % 4}", "pq"[number % 2], 1) for number in range(20)])
            )
            engine.register(SEQ, name="second")
            engine.send_batch(
                table([(number, f"s{number % 4}", "pq"[number // 4 % 2], 1) for number in range(19, 60)])
            )
            if threads == 2:
                with pytest.raises(CompileError) as caught:
                    engine.register(CROSS, name="cross")
                compare("EP219", f"{caught.value}\n")
                with pytest.raises(CompileError, match="joined by another key"):
                    engine.register(PREFIX + KEYED["object"], name="object")
                with pytest.raises(CompileError, match="it joins on another key"):
                    engine.register(PREFIX + "SELECT * { ?y :s ?x . ?z :u ?x }", name="new")
            engine.finish()
            seen.append([*map(repr, engine.matches())])
            assert engine.threads == threads
    assert seen[0] == seen[1]
    assert any("second" in each for each in seen[0])


def test_callbacks() -> None:
    class RefusedError(Exception):
        pass

    seen = []
    for threads in (1, 2):
        got: list[Match] = []

        def take(match: Match, got: list[Match] = got) -> None:
            got.append(match)
            if len(got) == 3:
                raise RefusedError

        with Engine(threads=threads) as engine:
            engine.register(SEQ, on_match=take)
            with pytest.raises(RefusedError):
                engine.send_batch(table([(n, f"s{n % 4}", "pq"[n // 4 % 2], 1) for n in range(60)]))
            engine.finish()
        seen.append([*map(repr, got)])
    assert seen[0] == seen[1]
    assert len(seen[0]) > 10


def test_questions_see_all_lanes() -> None:
    seen = []
    for threads in (1, 3):
        with Engine(threads=threads) as engine:
            assert not list(engine.prolog("waiting(Q, F, B, S, E)"))
            engine.register(SEQ, name="q")
            engine.send_batch(table([(n, f"s{n}", "p", n) for n in range(12)]))
            found = engine.prolog("waiting(Query, _, Bindings, Start, End)", written=True)
            seen.append(sorted(str(each) for each in found))
            assert engine.threads == threads
    assert seen[0] == seen[1]
    assert len(seen[0]) == 11  # the last instant is open


def test_snapshots() -> None:
    rows = [(n, f"s{n % 7}", "pq"[n // 7 % 2], n) for n in range(200)]
    with Engine(threads=2) as engine:
        engine.register(SEQ)
        engine.send_batch(table(rows))
        engine.finish()
        expected = [*map(repr, engine.matches())]
    with Engine(threads=2) as engine:
        engine.register(SEQ)
        engine.send_batch(table(rows[:103]))
        found = [*map(repr, engine.matches())]
        state = engine.snapshot()
        engine.discard()
    for threads in (1, 3):
        with Engine(threads=threads) as other:
            other.register(SEQ)
            with pytest.raises(UsageError, match=rf"EP574 .*threads was 2 and is now {threads}"):
                other.restore([state])
    with Engine(threads=2) as other:
        other.register(SEQ)
        other.restore([state])
        other.send_batch(table(rows[103:]))
        other.finish()
        assert [*found, *map(repr, other.matches())] == expected


def test_a_state_of_one_thread_is_for_one_thread() -> None:
    with Engine() as engine:
        engine.register(SEQ)
        engine.send_batch(table([(1, "a", "p", 1)]))
        state = engine.snapshot()
    with Engine(threads=2) as other:
        other.register(SEQ)
        with pytest.raises(UsageError, match=r"EP574 .*threads was 1 and is now 2"):
            other.restore([state])


def test_ctrl_c_ends_the_work_of_all_lanes() -> None:
    """Each row has thousands of partners: without the signal it would take minutes."""
    rows = 60_000
    columns = {
        "start": list(range(rows)),
        "s": [f"<urn:s{n % 2}>" for n in range(rows)],
        "p": [f"<urn:{'p' if n < rows // 2 else 'q'}>" for n in range(rows)],
        "o": [f"<urn:o{n % 50}>" for n in range(rows)],
    }
    engine = Engine(threads=2)
    engine.register(PREFIX + "SELECT ?x ?y { { ?x :p ?y } SEQ { ?x :q ?z } FILTER(STRLEN(STR(?z)) > 100) }")
    engine.advance(0)
    assert engine.threads == 2

    def interrupt() -> None:
        while not INTERRUPTION._waiting:
            time.sleep(0.01)
        _thread.interrupt_main()

    thread = threading.Thread(target=interrupt)
    thread.start()
    with pytest.raises(KeyboardInterrupt):
        engine.send_batch(columns)
    thread.join()
    with pytest.raises(RunTimeError, match="EP303 the engine has failed: a call was interrupted"):
        engine.send_batch(columns)
    engine.close()


def test_an_error_in_a_lane(monkeypatch: pytest.MonkeyPatch) -> None:
    """What ends before the instant that fails is given, whichever lane it is from."""
    rows = [(n, f"s{n % 8}", "pq"[n // 8 % 2], n) for n in range(100)]
    with Engine(threads=2) as engine:
        engine.register(SEQ)
        engine.send_batch(table(rows[:10]))
        lanes = engine._threads.lanes  # type: ignore[union-attr]
        list(engine.matches())
        original = lanes[0].engine.feed._feed

        def fail(batch: Batch) -> Iterator[None]:
            yield from original(batch.part(0, len(batch) // 2))
            raise RunTimeError("EP301", "it fails")

        monkeypatch.setattr(lanes[0].engine.feed, "_feed", fail)
        with pytest.raises(RunTimeError, match="it fails"):
            engine.send_batch(table(rows[10:]))
        clock = lanes[0].engine.clock
        ends = [match.end for match in engine.matches()]
    assert clock is not None
    assert ends == sorted(ends)
    assert ends
    assert max(ends) < clock


def test_nothing_is_left_of_it() -> None:
    before = threading.active_count()
    for _ in range(5):
        with Engine(threads=3) as engine:
            engine.register(SEQ)
            engine.send_batch(table([(1, "a", "p", 1)]))
            assert engine.threads == 3
            assert threading.active_count() == before + 3
    assert threading.active_count() == before

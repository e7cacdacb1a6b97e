"""What changed since the last part: no more than that, and all of it.

part    snapshot   changes    changes    nothing
events          a low      b low              |   a high
"""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from etalis_py.core.errors import UsageError
from etalis_py.engine.engine import Engine
from tests.engine.conftest import seconds, table
from tests.engine.counting import steps_of
from tests.snapshots.restarts import begun
from tests.state.conftest import CLOSED, asked

RISE = "PREFIX : <urn:> SELECT ?x { ?x :is :low } SEQ { ?x :is :high }"
COUNTED = "PREFIX : <urn:> SELECT ?x (COUNT(DISTINCT ?y) AS ?n) { ?x :is ?y } GROUP BY ?x"
WALKS = "PREFIX : <urn:> SELECT ?x ?y { ?x :is+ ?y }"
LOW, OTHER, HIGH = (1, "a", "is", "low"), (2, "b", "is", "low"), (3, "a", "is", "high")


def recorded(query: str, **options: Any) -> Engine:
    """An engine that records changes."""
    return begun([query], record_changes=True, **options)


def parts_of(engine: Engine, *batches: list[tuple[Any, ...]]) -> list[bytes]:
    """A snapshot of what there is, and what changes with each batch; the engine is closed."""
    parts = [engine.snapshot()]
    for batch in batches:
        engine.send_batch(table(batch))
        list(engine.matches())
        changed = engine.changes()
        assert changed is not None
        parts.append(changed)
    assert engine.changes() is None
    engine.close()
    return parts


def test_a_pattern_goes_on() -> None:
    parts = parts_of(recorded(RISE), [LOW], [OTHER])
    with recorded(RISE) as engine:
        engine.restore(parts)
        assert engine.changes() is None
        engine.send_batch(table([HIGH]))
        engine.finish()
        assert seconds(engine, "q0") == [(1, 3, {"x": "a"})]


def test_an_engine_need_not_record_to_be_restored() -> None:
    with begun([RISE]) as engine:
        engine.restore(parts_of(recorded(RISE), [LOW], [HIGH]))
        assert engine.clock == 3_000_000


def test_their_size_is_that_of_the_change() -> None:
    engine = recorded(RISE)
    many = [(time, f"s{time}", "is", "low") for time in range(3_000)]
    snapshot, changes = parts_of(_sent(engine, many), [(3_000, "a", "is", "low")])
    assert 20 * len(changes) < len(snapshot)


@pytest.mark.parametrize("query", [RISE, COUNTED, WALKS])
def test_their_cost_does_not_grow_with_the_state(query: str) -> None:
    few, many = (cost_of_changes(query, count) for count in (50, 500))
    assert many < few + 50


def cost_of_changes(query: str, count: int) -> int:
    """Inferences, where so many events came before the snapshot and ten after it."""
    with recorded(query) as engine:
        engine.send_batch(table([(time, f"s{time}", "is", f"v{time}") for time in range(count)]))
        list(engine.matches())
        engine.snapshot()
        engine.send_batch(table([(count + time, f"t{time}", "is", f"w{time}") for time in range(10)]))
        list(engine.matches())
        return steps_of(engine.changes)


def test_an_engine_that_records_runs_the_same_rules() -> None:
    """Stores note what changes by themselves."""
    rows = table([(time, f"s{time}", "is", "low") for time in range(1000)])

    def cost(engine: Engine, *, snapshot: bool) -> int:
        with engine:
            engine.send_batch(table([(0, "a", "is", "low")]))
            if snapshot:
                engine.snapshot()
            return steps_of(lambda: engine.send_batch(rows))

    plain, idle = cost(begun([RISE]), snapshot=True), cost(recorded(RISE), snapshot=False)
    assert plain == idle == cost(recorded(RISE), snapshot=True)


def _sent(engine: Engine, rows: list[tuple[Any, ...]]) -> Engine:
    engine.send_batch(table(rows))
    return engine


def test_what_waits_to_be_put_in_order() -> None:
    delay = timedelta(seconds=5)
    rows = (
        [(4, "b", "is", "low"), (4, "c", "is", "low"), HIGH],
        [LOW, (9, "c", "is", "high")],
        [(10, "b", "is", "high")],
    )
    parts = parts_of(recorded(RISE, on_late=delay), *rows)
    with recorded(RISE, on_late=delay) as engine:
        engine.restore(parts)
        engine.finish()
        assert seconds(engine, "q0") == [(4, 9, {"x": "c"}), (4, 10, {"x": "b"})]


def test_goals_that_are_forgotten_at_once() -> None:
    query = "PREFIX : <urn:> SELECT ?x { { ?x :is :low } SEQ { ?x :is :high } FILTER(getDURATION() < %s) }"
    query %= "'PT5S'^^<http://www.w3.org/2001/XMLSchema#dayTimeDuration>"
    batches = [[(time, "a", "is", "low")] for time in range(1, 30)]
    parts = parts_of(recorded(query), *batches)
    with recorded(query) as engine:
        engine.restore(parts)
        waiting = [row["S"] for row in asked(engine, "waiting(_, _, _, S, _)")]
        assert 4 <= len(waiting) <= 10
        engine.send_batch(table([(30, "a", "is", "high")]))
        engine.finish()
        assert [start for start, *_ in seconds(engine, "q0")] == [26, 27, 28, 29]


def test_the_states_of_rules_files(tmp_path: Path) -> None:
    rules = tmp_path / "rules.pl"
    rules.write_text(CLOSED, encoding="utf-8")
    ask = "PREFIX : <urn:> SELECT ?x { ?x :ask :now FILTER (prolog:closed(?x)) }"
    closed = [[(time, name, "status", "closed")] for time, name in enumerate("abc", start=1)]
    parts = parts_of(
        recorded(ask, rules=rules), *closed, [(4, "b", "status", "open")], [(5, "d", "ask", "now")]
    )
    with recorded(ask, rules=rules) as engine:
        engine.restore(parts)
        assert [row["X"] for row in asked(engine, "closed(X)")] == ["a", "c"]


def test_recent_occurrences() -> None:
    with recorded(RISE, recall=True) as engine:
        engine.restore(parts_of(recorded(RISE, recall=True), [LOW], [OTHER], [HIGH]))
        assert len(asked(engine, "occurrence(_, _, _, _, _)")) == 3


def test_parts_belong_together() -> None:
    parts = parts_of(recorded(RISE), [LOW], [OTHER], [HIGH])
    for wrong in (parts[1:], [parts[0], *parts[2:]], [parts[0], parts[2], parts[1]], [*parts[:2], parts[1]]):
        with recorded(RISE) as engine, pytest.raises(UsageError, match="EP575"):
            engine.restore(wrong)


def test_there_must_be_something_to_follow() -> None:
    with (
        begun([RISE]) as engine,
        pytest.raises(UsageError, match="EP571 this engine does not record changes"),
    ):
        engine.changes()
    with recorded(RISE) as engine:
        with pytest.raises(UsageError, match="EP571 there is no snapshot that"):
            engine.changes()
        engine.snapshot()
        engine.register(RISE, name="another")
        with pytest.raises(UsageError, match="EP571 there is no snapshot since queries were registered"):
            engine.changes()
        engine.snapshot()
        assert engine.changes() is None
        engine.send_batch(table([LOW, HIGH]))
        engine.finish()
        with pytest.raises(UsageError, match="EP571 no snapshot is possible while matches wait"):
            engine.changes()
        assert len(list(engine.matches())) == 2
        assert engine.changes() is not None

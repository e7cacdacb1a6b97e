"""What an engine remembers beside the goals of its queries is in a snapshot, too.

time      1         2   cut   3         4
events    a low         |     a high
"""

from __future__ import annotations

import os
import subprocess
import sys
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from tests.engine.conftest import seconds, table
from tests.snapshots.restarts import begun, moved, restored
from tests.state.conftest import CLOSED, SPEED, asked

RISE = "PREFIX : <urn:> SELECT ?x { ?x :is :low } SEQ { ?x :is :high }"
NAMED = "PREFIX : <urn:> CONSTRUCT { [] :of ?x } { ?x :is :low }"
LOW, HIGH = (1, "a", "is", "low"), (3, "a", "is", "high")


def test_a_pattern_goes_on() -> None:
    engine = begun([RISE])
    engine.send_batch(table([LOW]))
    with moved(engine, [RISE]) as other:
        assert other.clock == 1_000_000
        other.send_batch(table([HIGH]))
        other.finish()
        assert seconds(other, "q0") == [(1, 3, {"x": "a"})]


def test_a_query_that_came_later_has_not_seen_what_came_before() -> None:
    """At one moment registered, the two would be one."""
    with begun([RISE]) as engine:
        engine.send_batch(table([LOW]))
        engine.advance(2_000_000)
        engine.register(RISE, name="q1")
        engine.send_batch(table([(2, "b", "is", "low")]))
        with restored(engine.snapshot(), [RISE, RISE]) as other:
            other.send_batch(table([HIGH, (3, "b", "is", "high")]))
            other.finish()
            assert seconds(other, "q0") == [(1, 3, {"x": "a"}), (2, 3, {"x": "b"})]
            assert seconds(other, "q1") == [(2, 3, {"x": "b"})]


def test_labels_of_blank_nodes_are_not_given_twice() -> None:
    engine = begun([NAMED])
    engine.send_batch(table([LOW, (2, "b", "is", "low")]))
    engine.advance(3_000_000)
    first = [match.encoded_triples for match in engine.matches()]
    with moved(engine, [NAMED]) as other:
        other.send_batch(table([(3, "c", "is", "low")]))
        other.finish()
        last = [match.encoded_triples for match in other.matches()]
    labels = [triples[0][0] for triples in (*first, *last) if triples]
    assert labels == ["_:etalis1", "_:etalis2", "_:etalis3"]


def test_what_waits_to_be_put_in_order() -> None:
    delay = timedelta(seconds=5)
    engine = begun([RISE], on_late=delay)
    engine.send_batch(
        table(
            [
                (4, "b", "is", "low"),
                HIGH,
                (2, "a", "worth", '"0.5"^^<http://www.w3.org/2001/XMLSchema#decimal>'),
            ]
        )
    )
    with moved(engine, [RISE], on_late=delay) as other:
        other.send_batch(table([LOW]))
        other.finish()
        assert seconds(other, "q0") == [(1, 3, {"x": "a"})]


def test_how_many_were_late() -> None:
    engine = begun([RISE], on_late="drop")
    engine.send_batch(table([HIGH, LOW]))
    with moved(engine, [RISE], on_late="drop") as other:
        assert other.late == 1


def test_the_states_of_rules_files(tmp_path: Path) -> None:
    rules = tmp_path / "rules.pl"
    rules.write_text(CLOSED + SPEED, encoding="utf-8")
    ask = "PREFIX : <urn:> SELECT ?x { ?x :ask :now FILTER (prolog:closed(?x)) }"
    engine = begun([ask], rules=rules)
    engine.send_batch(table([(1, "a", "status", "closed"), (1, "a", "speed", 30)]))
    engine.advance(2_000_000)
    with moved(engine, [ask], rules=rules) as other:
        assert asked(other, "since(closed(X), T)") == [{"X": "a", "T": "1000000"}]
        other.send_batch(table([(2, "a", "ask", "now")]))
        other.finish()
        assert seconds(other, "q0") == [(2, 2, {"x": "a"})]


def test_recent_occurrences() -> None:
    engine = begun([RISE], recall=True)
    engine.send_batch(table([LOW]))
    with moved(engine, [RISE], recall=True) as other:
        other.send_batch(table([HIGH]))
        assert [row["O"] for row in asked(other, "occurrence(_, _, O, _, _)")] == ["high", "low"]


def test_why_of_what_was_derived_before() -> None:
    queries = [
        "PREFIX : <urn:> CONSTRUCT { ?x :was :seen } { ?x :is :low }",
        RISE.replace("is :low", "was :seen"),
    ]
    engine = begun(queries, trace=True)
    engine.send_batch(table([LOW]))
    engine.advance(2_000_000)
    assert len(list(engine.matches())) == 1
    with moved(engine, queries, trace=True) as other:
        other.send_batch(table([HIGH]))
        other.finish()
        (match,) = other.matches("q1")
        assert "low" in str(other.why(match))


def test_one_instant() -> None:
    query = "PREFIX : <urn:> SELECT ?x { ?x :is :low OPTIONAL { ?x :is :high } }"
    engine = begun([query], at=1_000_000)
    engine.send_batch(table([LOW]))
    with moved(engine, [query], at=1_000_000) as other:
        other.finish()
        assert seconds(other, "q0") == [(1, 1, {"x": "a"})]


@pytest.mark.parametrize("hash_seed", ["1", "2"])
def test_another_process(hash_seed: str, tmp_path: Path) -> None:
    """Nothing depends on the order of sets or on numbers that only one process has."""
    file = tmp_path / "state"
    program = f"""if True:
        from pathlib import Path
        from tests.engine.conftest import table
        from tests.snapshots.restarts import begun
        engine = begun({QUERIES!r})
        engine.send_batch(table({EVENTS[:4]!r}))
        list(engine.matches())
        Path({str(file)!r}).write_bytes(engine.snapshot())
    """
    environment = {**os.environ, "PYTHONHASHSEED": hash_seed, "PYTHONPATH": str(Path(__file__).parents[2])}
    subprocess.run([sys.executable, "-c", program], check=True, env=environment)
    expected = []
    with begun(QUERIES) as whole:
        whole.send_batch(table(EVENTS[:4]))
        list(whole.matches())
        whole.send_batch(table(EVENTS[4:]))
        whole.finish()
        expected = [repr(match) for match in whole.matches()]
    with restored(file.read_bytes(), QUERIES) as other:
        other.send_batch(table(EVENTS[4:]))
        other.finish()
        assert [repr(match) for match in other.matches()] == expected
    assert len(expected) == 5


QUERIES = [
    "PRAGMA policy recent\n" + RISE,
    "PREFIX : <urn:> SELECT ?x (SUM(?n) AS ?s) (COUNT(DISTINCT ?n) AS ?d) { ?x :worth ?n } GROUP BY ?x",
    "PREFIX : <urn:> SELECT ?x ?y { ?x :knows+ ?y }",
]
EVENTS: list[tuple[Any, ...]] = [
    LOW,
    (2, "a", "worth", 7),
    (2, "a", "knows", "b"),
    (3, "a", "worth", '"text"'),
    HIGH,
    (4, "a", "worth", 1),
    (4, "b", "knows", "c"),
]

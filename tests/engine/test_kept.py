"""What operators keep, and in how many bytes."""

from __future__ import annotations

import pyarrow as pa
import pytest

from etalis_py import Engine

SECOND = 1_000_000
QUERIES = {
    "goals": "SELECT ?x { { ?x <urn:p> ?y } SEQ { ?x <urn:q> ?z } WITHIN PT1000S }",
    "sums": "SELECT ?x (SUM(?y) AS ?sum) { ?x <urn:p> ?y } GROUP BY ?x WINDOW [RANGE PT1000S]",
    "kinds": "SELECT ?x (COUNT(DISTINCT ?y) AS ?kinds) { ?x <urn:p> ?y } GROUP BY ?x WINDOW [RANGE PT1000S]",
    "least": "SELECT ?x (MIN(?y) AS ?least) { ?x <urn:p> ?y } GROUP BY ?x WINDOW [RANGE PT1000S]",
}


def events(first: int, count: int) -> pa.Table:
    """As many things as events, one a second."""
    numbers = range(first, first + count)
    return pa.table(
        {
            "start": [number * SECOND for number in numbers],
            "s": [f"<urn:x{number}>" for number in numbers],
            "p": ["<urn:p>"] * count,
            "o": [f'"{number}"^^<http://www.w3.org/2001/XMLSchema#integer>' for number in numbers],
        }
    )


@pytest.mark.parametrize("name", QUERIES)
def test_memory_follows_what_is_kept(name: str) -> None:
    with Engine() as engine:
        engine.register(QUERIES[name], name=name)

        def kept() -> tuple[int, int]:
            found = engine.kept().get(name, [])  # rules come with the first events
            return sum(each.count for each in found), sum(each.bytes for each in found)

        none, at_first = kept()
        engine.send_batch(events(0, 900))
        engine.advance(900 * SECOND - 1)
        many, full = kept()
        for later in (10_000, 20_000, 30_000):  # a store forgets as much as a window when that is over
            engine.send_batch(events(later, 3))
            engine.advance((later + 3) * SECOND - 1)
        few, left = kept()
        assert (none, many) == (0, 900)
        assert few < 10
        assert full - at_first > 900 * 4 * 8  # a row has a key, a value, times
        assert full < 900 * 2_000
        assert left <= full


def test_memory_of_lanes_is_told_together() -> None:
    with Engine(threads=2) as engine:
        engine.register(QUERIES["goals"], name="goals")
        engine.send_batch(events(0, 900))
        engine.advance(900 * SECOND - 1)
        [found] = engine.kept()["goals"]
        assert found.count == 900
        assert found.bytes > 900 * 4 * 8

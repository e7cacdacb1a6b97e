"""What SEQ costs in Prolog: as much as before steps could choose, which is 6.8 inferences an event here."""

from __future__ import annotations

from typing import Any

from etalis_py import Engine
from tests.engine.counting import steps_of

QUERY = (
    'SELECT * { { ?x <urn:p> ?a } SEQ { ?x <urn:q> ?b } FILTER (getDURATION() < "PT0.0015S"^^xsd:duration) }'
)


def events(first: int, number: int) -> dict[str, Any]:
    """A pair every two microseconds, of a thousand subjects."""
    times = range(first, first + number)
    return {
        "start": list(times),
        "s": [f"<urn:k{time // 2 % 1000}>" for time in times],
        "p": [f"<urn:{'pq'[time % 2]}>" for time in times],
        "o": ["<urn:o>"] * number,
    }


def test_a_plain_sequence_takes_no_step_more() -> None:
    with Engine() as engine:
        engine.register(QUERY, name="q")
        engine.send_batch(events(2, 4000))
        some = steps_of(lambda: engine.send_batch(events(4002, 2000)))
        more = steps_of(lambda: engine.send_batch(events(6002, 6000)))
    assert 1 < (more - some) / 4000 < 7

"""What steps cost in Prolog, in inferences.

Plain SEQ takes as many as before steps could choose, which is 6.8 an event here, and a deadline as many with
a lot of them open as with few.
"""

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


def steps_of_a_deadline(number: int) -> float:
    """Inferences an event, where each has a deadline so many microseconds later."""
    with Engine() as engine:
        length = f"PT{number / 10**6:.6f}S"
        engine.register(f"SELECT * {{ {{ ?x ?p ?a }} SEQ NOT {{ ?x <urn:r> ?b }} FOR {length} }}", name="q")
        engine.send_batch(events(2, number))
        some = steps_of(lambda: engine.send_batch(events(2 + number, 2000)))
        more = steps_of(lambda: engine.send_batch(events(2002 + number, 6000)))
    return (more - some) / 4000


def test_a_deadline_takes_as_many_steps_with_many_that_are_open() -> None:
    few, many = steps_of_a_deadline(100), steps_of_a_deadline(20_000)
    assert 1 < few < many * 1.01 < few * 1.02

"""Memory stays flat: of a long stream only what can still match is kept."""

from __future__ import annotations

from itertools import pairwise

import pytest

from etalis_py.engine.engine import Engine
from tests.memory import used_bytes

ROWS = 10_000


@pytest.mark.slow
def test_a_long_stream_of_new_terms_and_many_answers() -> None:
    query = """SELECT * { { ?x <urn:p> ?y } SEQ { ?x <urn:q> ?z } OPTIONAL { ?x <urn:r> ?w }
        FILTER(getDURATION() < "PT1S"^^xsd:duration) }"""
    used: list[int] = []
    with Engine() as engine:
        engine.register(query)
        for batch in range(40):
            if batch % 10 == 0:
                used.append(used_bytes())
            numbers = range(batch * ROWS, (batch + 1) * ROWS)
            engine.send_batch(
                {
                    "start": [number * 1000 for number in numbers],
                    "s": [f"<urn:subject{number // 2}>" for number in numbers],
                    "p": ["<urn:p>", "<urn:q>"] * (ROWS // 2),
                    "o": [f'"text number {number}"' for number in numbers],
                }
            )
            assert sum(1 for _ in engine.matches()) in (ROWS // 2, ROWS // 2 - 1)
        used.append(used_bytes())
    # A table that doubled stays large; what is lost is lost each time. Here that is 8 bytes a row.
    assert min(after - before for before, after in pairwise(used[1:])) < 10 * ROWS * 8

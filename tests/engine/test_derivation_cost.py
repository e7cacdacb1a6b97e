"""CONSTRUCT queries that feed themselves cost as much as they make, and no more."""

from __future__ import annotations

from pathlib import Path
from time import process_time
from typing import Any

import pytest

from etalis_py.core.errors import RunTimeError
from etalis_py.engine.engine import Engine
from tests.engine.conftest import seconds, table

COUNTING = "PREFIX : <urn:> CONSTRUCT { ?x :n ?m } { ?x :n ?n BIND (?n + 1 AS ?m) FILTER (?n < %d) }"
FRESH = "PREFIX : <urn:> CONSTRUCT { ?x :n [] } { ?x :n ?y }"


def time_of(query: str, limit: int, count: int, **options: Any) -> float:
    """Processor time of as many derivations, the best of three."""
    times = []
    for _ in range(3):
        with Engine(max_derivations=limit, **options) as engine:
            engine.register(query)
            engine.send_batch(table([(1, "a", "n", 1)]))
            began = process_time()
            try:
                engine.finish()
            except RunTimeError as error:
                assert (error.code, limit) == ("EP302", count)  # noqa: PT017
            else:
                assert len(seconds(engine)) == count
            times.append(process_time() - began)
    return min(times)


@pytest.mark.parametrize("query", [COUNTING, FRESH])
def test_the_time_follows_what_is_made(query: str) -> None:
    """Eight times as many took 64 times as long, when an answer left by way of all that it came from."""
    few, many = (
        time_of(query.replace("%d", "1000000"), limit=count, count=count) for count in (2_000, 16_000)
    )
    assert many < 25 * few


def test_a_trace_finds_what_made_an_occurrence(tmp_path: Path) -> None:
    """With an ontology it looked through all that were made before, if they have an object in common."""
    (tmp_path / "known.ttl").write_text("@prefix : <urn:> . :a :p :b .")
    query = "PREFIX : <urn:> CONSTRUCT { [] :n :b } { ?x :n ?y }"
    few, many = (
        time_of(query, count, count, background=tmp_path / "known.ttl", trace=True)
        for count in (2_000, 16_000)
    )
    assert many < 25 * few


def test_a_chain_that_ends() -> None:
    few, many = (time_of(COUNTING % (count + 1), limit=10**6, count=count) for count in (2_000, 16_000))
    assert many < 25 * few

"""The engine against the oracle, on random programs and streams.

An answer that ends at ``t`` is to be given as soon as time has passed ``t``, and once. So after each step the
engine must have given exactly what the oracle, which knows the whole stream, says ends before the clock: that
nothing is withdrawn later, nothing held back, and nothing depends on batches or the order within an instant.

``ETALIS_ORACLE_EXAMPLES`` is the number of examples of the long test.
"""

from __future__ import annotations

import os
from collections import Counter
from pathlib import Path

import pytest
from etalis_py.compiler.algebra import Query
from hypothesis import HealthCheck, event, given, reject, settings

from etalis_py.engine import Engine
from etalis_py.errors import CompileError
from etalis_py.terms import ntriples
from tests.oracle.backgrounds import BACKGROUNDS
from tests.oracle.examples import Example, examples
from tests.oracle.program import TooMuchError, answers
from tests.oracle.running import Delivery, deliveries, open_engine, tally
from tests.oracle.solutions import Answer

NOT_STRATIFIED = "EP205"
SETTINGS = settings(deadline=None, suppress_health_check=list(HealthCheck))


@pytest.fixture(scope="session")
def backgrounds(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """Files with what may be known besides the stream."""
    folder = tmp_path_factory.mktemp("backgrounds")
    files = []
    for number, triples in enumerate(BACKGROUNDS):
        file = folder / f"background{number}.nt"
        lines = (" ".join(map(ntriples, triple)) + " .\n" for triple in triples)
        file.write_text("".join(lines), encoding="utf-8")
        files.append(file)
    return files


@settings(SETTINGS, max_examples=500)
@given(example=examples())
def test_engine_agrees_with_oracle(example: Example, backgrounds: list[Path]) -> None:
    check(example, backgrounds)


@pytest.mark.long
@pytest.mark.timeout(0)
@settings(SETTINGS, max_examples=int(os.environ.get("ETALIS_ORACLE_EXAMPLES", "20000")), derandomize=False)
@given(example=examples())
def test_engine_agrees_with_oracle_at_length(example: Example, backgrounds: list[Path]) -> None:
    check(example, backgrounds)


def check(example: Example, backgrounds: list[Path]) -> None:
    """One example: all that the engine gives, and when."""
    with _opened(example, None if example.background is None else backgrounds[example.background]) as engine:
        meanings = [engine.query(str(number)).meaning for number in range(len(example.queries))]
        expected = _expected(example, meanings)
        event(f"{min(sum(map(sum, (each.values() for each in expected))), 5)} answers")
        given_before: list[Counter[Answer]] = [Counter() for _ in meanings]
        for delivery in deliveries(engine, example):
            _check_order(delivery)
            new = tally(delivery.matches, len(meanings))
            for number, counter in enumerate(new):
                given_before[number] += counter
                wanted = _until(expected[number], delivery.clock)
                assert given_before[number] == wanted, f"query {number} at {delivery.clock}"


def _opened(example: Example, background: Path | None) -> Engine:
    try:
        return open_engine(example, background)
    except CompileError as error:
        if error.code != NOT_STRATIFIED:
            raise
        event("not stratified")
        reject()


def _expected(example: Example, meanings: list[Query]) -> list[Counter[Answer]]:
    background = () if example.background is None else BACKGROUNDS[example.background]
    try:
        return answers(meanings, example.stream, background)
    except TooMuchError:
        event("too much")
        reject()


def _until(expected: Counter[Answer], clock: int | None) -> Counter[Answer]:
    """What ends before ``clock``; None is the end of time."""
    return Counter({each: count for each, count in expected.items() if clock is None or each[2] < clock})


def _check_order(delivery: Delivery) -> None:
    keys = [(match.end, match.start) for match in delivery.matches]
    assert keys == sorted(keys)

"""What a pause costs does not follow its length, as long as nothing is due in it."""

from __future__ import annotations

import pytest

from etalis_py.core.errors import RunTimeError
from etalis_py.engine.engine import Engine
from tests.engine.conftest import seconds, table
from tests.engine.counting import steps_of

FAR = 4_000_000_000  # seconds: the year 2096
GROUPED = "SELECT ?x (COUNT(*) AS ?n) { ?x <urn:p> ?y } GROUP BY ?x WINDOW [RANGE PT3S STEP PT1S]"
ALONE = "SELECT (COUNT(*) AS ?n) { ?x <urn:p> ?y } WINDOW [RANGE PT3S STEP PT1S]"


def pass_time(engine: Engine, later: int) -> None:
    engine.send_batch(table([(later, "a", "p", 1)]))
    engine.advance((later + 50) * 1_000_000)
    engine.advance((later + FAR) * 1_000_000)


def test_steps_without_rows_are_passed_over() -> None:
    costs = []
    for later in (100, FAR):
        with Engine() as engine:
            engine.register(GROUPED)
            engine.send_batch(table([(1, "a", "p", 1)]))
            costs.append(steps_of(lambda engine=engine, later=later: pass_time(engine, later)))
            assert [row[0] for row in seconds(engine)] == [1, 2, 3, later, later + 1, later + 2]
    assert costs[1] < costs[0] + 1000


def test_steps_that_always_have_a_row_have_a_limit() -> None:
    with Engine() as engine:
        engine.register(ALONE)
        engine.send_batch(table([(1, "a", "p", 1), (10, "a", "p", 1)]))

        def send() -> None:
            with pytest.raises(
                RunTimeError, match=r"EP316 table, row 4: .* 1970-01-01T00:00:11Z and 2096-10-"
            ):
                engine.send_batch(table([(11, "a", "p", 1), (FAR, "a", "p", 1)]))

        assert steps_of(send) < 100_000, "it is known before the first step"
        assert [row[0] for row in seconds(engine)] == list(range(1, 12))
        with pytest.raises(RunTimeError, match="EP303"):
            engine.finish()


def test_a_time_to_advance_to_is_named() -> None:
    with Engine() as engine:
        engine.register(ALONE)
        engine.send_batch(table([(1, "a", "p", 1)]))
        engine.advance(1_000_000_000)
        with pytest.raises(
            RunTimeError, match=r"EP316 a window .*\nhint: is the time it is advanced to right"
        ):
            engine.advance(FAR * 1_000_000)


@pytest.mark.long
def test_a_long_window_has_the_limit_too() -> None:
    with Engine() as engine:
        engine.register(GROUPED.replace("PT3S", "P100D"))
        engine.send_batch(table([(1, "a", "p", 1)]))
        with pytest.raises(RunTimeError, match="EP316"):
            engine.advance(FAR * 1_000_000)

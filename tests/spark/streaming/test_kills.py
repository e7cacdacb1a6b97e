"""Drivers and workers are killed at random moments, and what comes out is what one engine gives, once."""

from __future__ import annotations

import os
from pathlib import Path
from random import Random

import pytest

from tests.patience import PATIENCE
from tests.spark.streaming.driver import DELAY, PROGRAMS
from tests.spark.streaming.kills import KilledStream, Victim
from tests.spark.streaming.streams import (
    SECOND,
    Event,
    answers_here,
    answers_there,
    cut,
    rows_of_sink,
    write_micro_batches,
)

pytestmark = [pytest.mark.spark, pytest.mark.slow]


@pytest.mark.timeout(0)
def test_two_kills(tmp_path: Path) -> None:
    check(tmp_path, [(2, "worker"), (4, "driver")], micro_batches=7, seconds=2 * PATIENCE)


@pytest.mark.long
@pytest.mark.timeout(0)
def test_many_kills(tmp_path: Path) -> None:
    kills, choice = int(os.environ.get("ETALIS_KILLS", "50")), Random(50)
    moments = sorted(choice.randrange(1, 198) for _ in range(kills))
    victims: list[tuple[int, Victim]] = [(moment, choice.choice(("driver", "worker"))) for moment in moments]
    check(tmp_path, victims, micro_batches=200, seconds=7200)


@pytest.mark.long
@pytest.mark.timeout(0)
def test_kills_in_stages(tmp_path: Path) -> None:
    choice = Random(9)
    moments = sorted(choice.sample(range(1, 38), 9))
    victims: list[tuple[int, Victim]] = [(moment, choice.choice(("driver", "worker"))) for moment in moments]
    check(tmp_path, victims, micro_batches=39, seconds=3600, program="stages")


def check(
    folder: Path,
    victims: list[tuple[int, Victim]],
    *,
    micro_batches: int,
    seconds: float,
    program: str = "one stage",
) -> None:
    choice = Random(len(victims))
    events = random_events(choice, 40 * micro_batches)
    write_micro_batches(folder / "in", cut(events, DELAY, (40,), choice))
    stream = KilledStream(folder, program)
    stream.run(victims, choice, seconds)
    assert stream.committed >= micro_batches
    assert stream.killed == [victim for _, victim in victims]
    queries = PROGRAMS[program]
    expected = answers_here(events, queries)
    assert {query for query, *_ in expected} == set(queries)
    assert answers_there(rows_of_sink(folder / "out")) == expected


def random_events(choice: Random, count: int) -> list[Event]:
    """So many events about a few things, some 40 a minute."""
    found: dict[Event, None] = {}
    time = 0
    while len(found) < count:
        time += choice.choice((0, 1, 1, 2, 3)) * SECOND // 2
        thing, predicate, value = choice.randrange(12), choice.choice("pqr"), choice.randrange(3)
        found[time, time, f"<urn:{thing}>", f"<urn:{predicate}>", f"<urn:v{value}>"] = None
    return list(found)

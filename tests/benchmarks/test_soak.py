"""A short soak: the feeder is killed some times, and no answer is lost, doubled or wrong."""

from __future__ import annotations

from tests.benchmarks.soak import soak
from tests.benchmarks.soak_stream import BLOCK, block, line


def test_kills_change_no_answer() -> None:
    report = soak(events=12_000, pauses=(0.1, 0.3))
    assert report.fault == ""
    assert report.kills > 0
    assert report.events == 12_000
    assert min(report.answers.values()) > 1_000
    assert report.samples


def test_a_block_is_written_whole() -> None:
    assert max(len("".join(map(line, block(number * 10**9)))) for number in range(1000)) < 4096


def test_a_block_is_the_same_whoever_makes_it() -> None:
    assert block(5) == block(5)
    assert [event.end for event in block(5)] == [(5 * BLOCK + number) * 1000 for number in range(BLOCK)]

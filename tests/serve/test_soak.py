"""The soak of a server holds in small."""

from __future__ import annotations

from pathlib import Path

import pytest

from etalis_py import Engine
from etalis_py.engine.options import EngineOptions
from etalis_py.serve.background_files import BackgroundFiles
from etalis_py.serve.commands import Feed
from etalis_py.serve.served_engine import ServedEngine
from tests.serve.beside_bare import beside_bare
from tests.serve.servers import lines
from tests.serve.soak import LoadReport, load, too_slow


@pytest.mark.parametrize("state", [True, False])
def test_each_client_gets_each_answer_once_and_in_order(state: bool) -> None:
    report = load(events=40_000, clients=20, rate=0, batch=500, state=state)
    assert (report.fault, report.events, report.answers) == ("", 40_000, 20)


def test_what_is_too_slow() -> None:
    assert too_slow(LoadReport(events=500, seconds=10.0, p99_ms=49.9), 50.0) == ""
    assert too_slow(LoadReport(events=480, seconds=10.0, p99_ms=1.0), 50.0) == "48 events/s of 50 were taken"
    assert too_slow(LoadReport(events=500, seconds=10.0, p99_ms=50.0), 50.0) == "p99 is 50.0 ms"


def test_the_same_bodies_beside_the_bare_engine() -> None:
    """Each reply says that all was taken, else it fails."""
    assert list(beside_bare(20_000, 100)) == [
        "bare",
        "POST",
        "POST, state",
        "WebSocket",
        "WebSocket, state",
    ]


def test_texts_of_bodies_are_forgotten_where_they_are_many(tmp_path: Path) -> None:
    def collect(engine: Engine) -> None:
        engine.answers()

    served = ServedEngine(EngineOptions.of(), BackgroundFiles(tmp_path), collect, lambda _batch: None)
    most = 0
    for first in range(0, 40_000, 1000):
        body = lines([(number, f"n{number}", str(number)) for number in range(first, first + 1000)])
        assert served.carry_out(Feed(body, "ndjson")) == {"taken": 1000}
        most = max(most, served._texts.most)
    served.engine.discard()
    assert 10_000 <= most <= 12_000

"""The soak of a server holds in small."""

from __future__ import annotations

import pytest

from tests.serve.beside_bare import beside_bare
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

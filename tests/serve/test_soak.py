"""The soak of a server holds in small."""

from __future__ import annotations

import pytest

from tests.serve.soak import load


@pytest.mark.parametrize("state", [True, False])
def test_each_client_gets_each_answer_once_and_in_order(state: bool) -> None:
    report = load(events=40_000, clients=20, rate=0, batch=500, state=state)
    assert (report.fault, report.events, report.answers) == ("", 40_000, 20)

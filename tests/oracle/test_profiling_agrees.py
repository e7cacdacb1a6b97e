"""An engine that measures its rules, against the oracle: the same answers, and figures that fit together."""

from __future__ import annotations

from pathlib import Path

import pytest

from etalis_py.profiling.engine import ProfilingEngine
from etalis_py.profiling.report import OperatorProfile
from tests.effort import tries
from tests.oracle import running
from tests.oracle.checking import check_seeds
from tests.oracle.examples import make_example


class CheckedEngine(ProfilingEngine):
    """Looks at its own profile when it is closed."""

    def close(self) -> None:
        super().close()
        for query in self.profile().queries:
            for operator in query.operators:
                check_figures(operator)


def check_figures(operator: OperatorProfile) -> None:
    for store in operator.stores:
        assert 0 <= store.live <= store.most, store
        if store.name != operator.name:  # groups have members that were there before any event
            assert store.most <= store.made, store
    if operator.inputs:
        assert operator.events_in == sum(each.matches_out for each in operator.inputs), operator
    assert operator.own >= 0


@pytest.mark.random
def test_engine_agrees_while_it_is_measured(backgrounds: list[Path], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(running, "Engine", CheckedEngine)
    check_seeds(tries(100), backgrounds, make_example, "profiled")

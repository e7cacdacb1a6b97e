"""Bytes that an engine cannot go on from are refused, and it is said why; the engine is as it was."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from etalis_py.core.errors import RunTimeError, UsageError
from etalis_py.engine import snapshots, state_parts
from etalis_py.engine.column_engine import ColumnEngine
from etalis_py.engine.engine import Engine
from tests.engine.conftest import seconds, table
from tests.errors.test_messages import compare
from tests.snapshots.restarts import begun

RISE = "PREFIX : <urn:> SELECT ?x { ?x :is :low } SEQ { ?x :is :high }"
FALL = "PREFIX : <urn:> SELECT ?x { ?x :is :high } SEQ { ?x :is :low }"
LOW, HIGH = (1, "a", "is", "low"), (3, "a", "is", "high")


@pytest.fixture
def state() -> bytes:
    """That of an engine that waits for HIGH."""
    with begun([RISE]) as engine:
        engine.send_batch(table([LOW]))
        return engine.snapshot()


def refusal(state: bytes, *queries: str, **options: Any) -> UsageError:
    """Why a fresh engine refuses it; that engine still works."""
    with begun(list(queries), **options) as engine:
        with pytest.raises(UsageError) as caught:
            engine.restore([state])
        assert engine.clock is None
        if queries == (RISE,):
            engine.send_batch(table([LOW, HIGH]))
            engine.finish()
            assert seconds(engine, "q0") == [(1, 3, {"x": "a"})]
    return caught.value


def test_not_while_matches_wait() -> None:
    with begun([RISE]) as engine:
        engine.send_batch(table([LOW, HIGH]))
        engine.finish()
        with pytest.raises(UsageError) as caught:
            engine.snapshot()
        compare("EP571", f"{caught.value}\n")
        assert seconds(engine, "q0") == [(1, 3, {"x": "a"})]
        assert engine.snapshot()


def test_not_while_columns_of_answers_wait() -> None:
    with ColumnEngine() as engine:
        engine.register(RISE, name="q0")
        engine.send_batch(table([LOW, HIGH]))
        engine.finish()
        with pytest.raises(UsageError, match="EP571"):
            engine.snapshot()
        assert len(engine.answers()) == 1
        assert engine.snapshot()


def test_not_of_an_engine_that_is_closed() -> None:
    engine = begun([RISE])
    engine.close()
    with pytest.raises(RunTimeError, match="EP303"):
        engine.snapshot()


def test_other_bytes(state: bytes) -> None:
    compare("EP572", f"{refusal(b'PAR1' + state, RISE)}\n")
    assert refusal(b"", RISE).code == "EP572"


@pytest.mark.parametrize(
    "damage",
    [lambda data: data[:20], lambda data: data[:-1], lambda data: data[:-9] + b"x" + data[-8:]],
    ids=["cut early", "cut late", "one byte"],
)
def test_damaged_bytes(damage: Callable[[bytes], bytes], state: bytes) -> None:
    error = refusal(damage(state), RISE)
    assert error.code == "EP572"
    assert "damaged" in str(error)


def test_another_format(state: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(state_parts, "FORMAT", state_parts.FORMAT + 1)
    newer = begun([RISE]).snapshot()
    monkeypatch.undo()
    compare("EP573", f"{refusal(newer, RISE)}\n")


def test_another_prolog(state: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(snapshots, "_prolog_version", lambda: "9.9.9")
    error = refusal(state, RISE)
    assert error.code == "EP573"
    assert "this is 9.9.9" in str(error)


def test_another_program(state: bytes, tmp_path: Path) -> None:
    background = tmp_path / "background.nt"
    background.write_text("<urn:a> <urn:b> <urn:c> .\n", encoding="utf-8")
    told = {
        "rules": refusal(state, FALL),
        "queries": refusal(state, RISE, FALL),
        "policy": refusal(state, RISE, policy="recent"),
        "background": refusal(state, RISE, background=background),
        "delay": refusal(state, RISE, on_late=timedelta(seconds=1)),
        "labels": refusal(state, RISE, blank_node_prefix="other"),
    }
    assert {error.code for error in told.values()} == {"EP574"}
    messages = {kind: error.message.partition(": ")[2] for kind, error in told.items()}
    assert messages == {
        "rules": "the query 'q0' compiles to other rules",
        "queries": "its queries were q0 and are now q0, q1",
        "policy": "the query 'q0' compiles to other rules",
        "background": "its background or its rules files have changed",
        "delay": "delay was None and is now 1000000",
        "labels": "blank_node_prefix was 'etalis' and is now 'other'",
    }
    compare("EP574", f"{told['queries']}\n")


def test_other_parts(state: bytes) -> None:
    with begun([RISE]) as engine:
        with pytest.raises(UsageError) as caught:
            engine.restore([])
        compare("EP575", f"{caught.value}\n")
        with pytest.raises(UsageError, match="part 2 of the state"):
            engine.restore([state, state])


def test_an_engine_that_is_not_fresh(state: bytes) -> None:
    with begun([RISE]) as engine:
        engine.send_batch(table([LOW]))
        with pytest.raises(UsageError) as caught:
            engine.restore([state])
        compare("EP576", f"{caught.value}\n")
    with Engine(on_late=timedelta(seconds=9)) as engine:
        engine.send_batch(table([LOW]))  # waits to be put in order
        with pytest.raises(UsageError, match="EP576"):
            engine.restore([state])

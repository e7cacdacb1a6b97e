"""What one instant may cost: limits end it with an error that names the query and the operator."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from etalis_py import Engine
from etalis_py.core.errors import CompileError, RunTimeError, UsageError
from etalis_py.embedding import prolog
from etalis_py.engine import feeding
from tests.engine.test_portions import CROSS, table

COUNTED = "SELECT (COUNT(*) AS ?n) {\n  { ?a <urn:p> ?x . ?b <urn:q> ?x } MINUS { ?a <urn:r> ?b } }"
WAITING = "SELECT ?a ?b {\n  { ?a <urn:p> ?x . ?b <urn:q> ?x } MINUS { ?a <urn:r> ?b } }"
HALF = timedelta(seconds=0.5)


def ended(query: str, side: int, *, rules: Path | None = None, **limits: Any) -> RunTimeError:
    """The error that ends a run over one instant with so many rows of either side."""
    engine = Engine(rules=rules or (), **limits)
    engine.register(query, name="pairs")
    engine.send_batch(table(1, side=side))
    with pytest.raises(RunTimeError) as caught:
        engine.finish()
    with pytest.raises(RunTimeError, match="EP303"):
        engine.finish()
    engine.close()
    return caught.value


def test_time() -> None:
    """No answer comes that could be counted: the instant is stopped all the same, within Prolog."""
    error = ended(COUNTED, 5000, max_time_per_instant=HALF)
    assert error.code == "EP311"
    assert "more than 0.5 s (1970-01-01T00:00:00.000001Z), in pairs" in error.message
    assert error.place is not None
    assert error.place.line == 2


@pytest.mark.parametrize(("code", "mega_bytes"), [("EP311", None), ("EP308", 100)])
def test_time_and_memory_of_rules_that_run_without_prolog(code: str, mega_bytes: int | None) -> None:
    used = int(Path("/proc/self/statm").read_text().split()[1]) * 4096
    limits: dict[str, Any] = {"max_time_per_instant": HALF if mega_bytes is None else timedelta(hours=1)}
    if mega_bytes is not None:
        limits["max_memory"] = used + mega_bytes * 1_000_000
    engine = Engine(**limits)
    engine.register(WAITING, name="pairs")
    with pytest.raises(RunTimeError, match=r"1970-01-01T00:00:00.000001Z\), in pairs") as caught:
        engine.send_batch(table(1, 2, side=5000))
    assert prolog.call("etalis_feed", "takes_blocks", engine._module) != []
    assert caught.value.code == code
    assert caught.value.place is not None
    assert caught.value.place.line == 2
    engine.close()


def test_time_in_a_loop_of_the_user(tmp_path: Path) -> None:
    (tmp_path / "loop.pl").write_text("loop(X, Y) :- repeat, X == none, Y = X.\n")
    query = "SELECT ?z { ?a <urn:p> ?x BIND(prolog:loop(?x) AS ?z) }"
    assert ended(query, 3, rules=tmp_path / "loop.pl", max_time_per_instant=HALF).code == "EP311"


def test_time_and_memory_of_an_instant_in_many_portions(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each portion is done before the watcher looks."""
    monkeypatch.setattr(feeding, "MOST_ANSWERS_AT_ONCE", 500)
    tenth = timedelta(seconds=0.1)
    assert ended(CROSS, 5000, max_time_per_instant=tenth).code == "EP311"
    used = int(Path("/proc/self/statm").read_text().split()[1]) * 4096
    assert ended(CROSS, 5000, max_memory=used // 2).code == "EP308"


def test_memory() -> None:
    used = int(Path("/proc/self/statm").read_text().split()[1]) * 4096
    error = ended(COUNTED, 5000, max_memory=used + 100_000_000)
    assert error.code == "EP308"
    assert ", in pairs" in error.message
    assert error.place is not None
    assert error.place.line == 2


def test_memory_that_there_is_not() -> None:
    """The stacks of Prolog are full."""
    limit = prolog.call("system", "current_prolog_flag", "stack_limit")
    prolog.do("system", "set_prolog_flag", "stack_limit", 30_000_000)
    try:
        error = ended(f"{CROSS} ORDER BY ?b", 1000)
    finally:
        prolog.do("system", "set_prolog_flag", "stack_limit", limit)
    assert error.code == "EP312"
    assert error.message.startswith("out of memory (1970-01-01T00:00:00.000001Z), in pairs")


def test_memory_of_python(monkeypatch: pytest.MonkeyPatch) -> None:
    engine = Engine()
    engine.register(CROSS, name="pairs")

    def too_much(_: object) -> None:
        raise MemoryError

    monkeypatch.setattr(engine._deliveries, "add", too_much)
    with pytest.raises(RunTimeError, match=r"EP312 .*out of memory .*, in pairs"):
        engine.send_batch(table(1))
    with pytest.raises(RunTimeError, match="EP303 the engine has failed: out of memory"):
        engine.finish()
    engine.close()


def test_limits_that_are_not_reached_change_nothing() -> None:
    limits: dict[str, Any] = {
        "max_memory": "64GiB", "max_time_per_instant": timedelta(hours=1), "max_answers_per_instant": 64,
    }  # fmt: skip
    found = []
    for options in ({}, limits):
        with Engine(**options) as engine:
            engine.register(CROSS, name="pairs")
            for end in (1, 2):
                engine.send_batch(table(end, side=4))
            engine.finish()
            found.append(list(engine.matches()))
    assert found[0] == found[1]
    assert len(found[0]) == 64


def test_answers_are_counted_for_each_query() -> None:
    with Engine(max_answers_per_instant=16) as engine:
        engine.register(CROSS, name="one")
        engine.register(CROSS, name="other")
        engine.send_batch(table(1, side=4))
        engine.finish()
        assert len(list(engine.matches())) == 32
    assert ended(CROSS, 4, max_answers_per_instant=15).code == "EP310"


@pytest.mark.parametrize(
    "options",
    [
        {"max_memory": "much"}, {"max_memory": 0}, {"max_memory": 1.5}, {"max_answers_per_instant": 0},
        {"max_answers_per_instant": True}, {"max_time_per_instant": 5},
        {"max_time_per_instant": timedelta(0)},
    ],
)  # fmt: skip
def test_a_limit_that_is_none(options: dict[str, Any]) -> None:
    with pytest.raises(UsageError, match="EP505"):
        Engine(**options)


@pytest.mark.parametrize("value", ["0", "many", "-1", "1.5"])
def test_a_pragma_that_is_none(value: str) -> None:
    with Engine() as engine, pytest.raises(CompileError, match=r"EP204 .* max_answers_per_instant cannot be"):
        engine.register(f"PRAGMA max_answers_per_instant {value}\n{CROSS}")

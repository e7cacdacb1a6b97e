"""A match of a regular expression that takes too many steps: counted, told, and never silent."""

from __future__ import annotations

from pathlib import Path

import pytest

from etalis_py import Engine
from etalis_py.cli import main
from etalis_py.core.errors import EtalisWarning, UsageError
from tests.errors.test_messages import compare

FILTER = 'SELECT ?v { ?s <urn:p> ?v FILTER(REGEX(?v, "^(a+)+$")) }'
HARD = "a" * 20 + "b"
VALUES = ["aaa", HARD, "b", HARD, "aa", HARD]


def events() -> dict[str, list[object]]:
    many = len(VALUES)
    objects: list[object] = [f'"{value}"' for value in VALUES]
    return {"start": list(range(many)), "s": ["<urn:s>"] * many, "p": ["<urn:p>"] * many, "o": objects}


def found(engine: Engine, name: str = "query") -> list[object]:
    return [match.encoded["v"][0] for match in engine.matches(name)]


def test_each_value_is_counted_and_each_pattern_told_once() -> None:
    with Engine(max_regex_steps=10_000) as engine:
        engine.register(FILTER)
        engine.send_batch(events())
        with pytest.warns(EtalisWarning) as told:
            engine.finish()
        assert found(engine) == ["aaa", "aa"]
        assert engine.regex_errors == {"^(a+)+$": 3}
    [warning] = told
    compare("EW44", f"{warning.message}\n")


@pytest.mark.parametrize(
    "query",
    [
        'SELECT ?v { ?s <urn:p> ?v BIND(REPLACE(?v, "^(a+)+$", "x") AS ?w) FILTER(!BOUND(?w)) }',
        'SELECT ?v { ?s <urn:p> ?v FILTER(COALESCE(REGEX(?v, "^(A+)+$", "i"), true) && STRLEN(?v) > 3) }',
        """SELECT ?v { ?s <urn:p> ?v FILTER(STRLEN(?v) > 3)
            FILTER EXISTS { ?s <urn:p> ?v FILTER(COALESCE(REGEX(?v, "^(a+)+$"), true)) } }""",
    ],
)
def test_wherever_it_stands(query: str) -> None:
    with Engine(max_regex_steps=10_000) as engine:
        engine.register(query)
        engine.send_batch(events())
        with pytest.warns(EtalisWarning, match="EW44"):
            engine.finish()
        assert found(engine) == [HARD] * 3
        assert sum(engine.regex_errors.values()) >= 3


def test_each_engine_has_its_own_limit_and_count() -> None:
    """They run in turn, in one thread, over one pattern."""
    with Engine(max_regex_steps=10_000_000) as patient, Engine(max_regex_steps=10_000) as hasty:
        for engine in (patient, hasty):
            engine.register(FILTER)
        for start in (0, 3):
            part = {name: column[start : start + 3] for name, column in events().items()}
            for engine in (patient, hasty):
                engine.send_batch(part)
        patient.finish()
        with pytest.warns(
            EtalisWarning, match=r'"\^\(a\+\)\+\$" takes more than 10000 steps to match 3 values'
        ):
            hasty.finish()
        assert found(patient) == found(hasty) == ["aaa", "aa"]
        assert patient.regex_errors == {}


def test_an_engine_that_goes_on_tells_as_time_goes_on() -> None:
    with Engine(max_regex_steps=10_000) as engine:
        engine.register(FILTER)
        engine.send_batch(events())
        with pytest.warns(EtalisWarning, match="EW44"):
            engine.advance(100)


def test_an_engine_that_is_broken_off_tells() -> None:
    engine = Engine(max_regex_steps=10_000)
    engine.register(FILTER)
    engine.send_batch(events())
    with pytest.warns(EtalisWarning, match="EW44"):
        engine.__exit__(ZeroDivisionError, ZeroDivisionError(), None)


@pytest.mark.parametrize("steps", [0, -1, True, "many", 10_000_001, None])
def test_no_limit(steps: object) -> None:
    with pytest.raises(UsageError, match="EP505 max_regex_steps cannot be"):
        Engine(max_regex_steps=steps)  # type: ignore[arg-type]


@pytest.mark.parametrize("engine", ["local", pytest.param("spark", marks=pytest.mark.spark)])
def test_on_the_command_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], engine: str
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("q.rq").write_text(FILTER)
    rows = (f'{time},<urn:s>,<urn:p>,"""{value}"""\n' for time, value in enumerate(VALUES))
    Path("e.csv").write_text("".join(["start,s,p,o\n", *rows]))
    line = "run q.rq --stream e.csv --results csv --max-regex-steps 10000 --engine"
    assert main([*line.split(), engine]) == 0
    out, err = capfd.readouterr()
    assert len(out.splitlines()) == 3
    if engine == "local":
        assert err.count("EW44") == 1
        assert "10000 steps to match 3 values" in err
    assert main([*line.replace("10000", "1").split(), engine]) == 0  # the workers have it, too
    assert len(capfd.readouterr().out.splitlines()) <= 1
    assert main([*line.replace("10000", "none").split(), engine]) == 2
    assert "--max-regex-steps" in capfd.readouterr().err

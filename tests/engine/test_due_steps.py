"""An instant costs what is due in it: neither other windows nor silence.

What is due does not depend on who runs the rules.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from typing import Any

import pytest

from etalis_py import Engine
from etalis_py.embedding import prolog
from tests.engine.conftest import table
from tests.engine.counting import in_prolog, steps_of
from tests.engine.test_machine import PREFIX, is_native

DAY = 86_400
WIDTHS = range(2, 22)
"""Of windows, in seconds; with some milliseconds more no two of them end at one instant."""


def window(name: str, width: str, stream: str = "s") -> str:
    return f"FROM NAMED WINDOW :{name} ON :{stream} [RANGE {width}]"


def united(count: int) -> str:
    widths = {f"w{width}": f"{width}00{width:02}ms" for width in WIDTHS[:count]}
    declared = " ".join(window(name, width) for name, width in widths.items())
    parts = " UNION ".join(f"{{ WINDOW :{name} {{ ?x :p ?y }} }}" for name in widths)
    return f"{PREFIX} SELECT ISTREAM * {declared} WHERE {{ {parts} }}"


def alone(number: int, predicate: str = "p", step: str = "") -> str:
    declared = window("w", f"{number + 2}s{step}")
    return f"{PREFIX} SELECT ISTREAM * {declared} WHERE {{ WINDOW :w {{ ?x :{predicate} ?y }} }}"


def of_stream(rows: list[tuple[Any, ...]]) -> dict[str, list[Any]]:
    columns = table(rows)
    return {**columns, "stream": ["<urn:s>"] * len(rows)}


def asked(engine: Engine, work: Callable[[], object]) -> int:
    """How often a step is asked when it is due."""
    assert is_native(engine)
    before = asked_so_far(engine)
    work()
    return asked_so_far(engine) - before


def asked_so_far(engine: Engine) -> int:
    machine = prolog.call("etalis_machine", "machine", engine._module)
    return int(prolog.call("etalis_machine", "steps_asked", machine))


@contextmanager
def engine_of(*queries: str) -> Iterator[Engine]:
    with Engine() as engine:
        for number, query in enumerate(queries):
            engine.register(query, name=f"q{number}")
        yield engine


EVENTS = [(time, f"k{time}", "p", 1) for time in range(1, 400)]


def test_a_window_more_is_asked_when_something_of_its_own_is_due() -> None:
    costs = []
    for count in (len(WIDTHS) // 2, len(WIDTHS)):
        with engine_of(united(count)) as engine:
            engine.send_batch(of_stream(EVENTS[:100]))
            costs.append(asked(engine, lambda engine=engine: engine.send_batch(of_stream(EVENTS[100:]))))
            assert sum(1 for _ in engine.matches()) >= count
    assert 0 < costs[1] <= 2.2 * costs[0], "not four times"


@pytest.mark.parametrize("step", ["", " STEP 7s"])
def test_windows_that_hold_nothing_are_not_asked_at_each_instant(step: str) -> None:
    costs = []
    for count in (0, 20):
        others = (alone(number, "z", step) for number in range(count))
        with engine_of(alone(1, "p", " STEP 1s"), united(2), *others) as engine:
            costs.append(asked(engine, lambda engine=engine: engine.send_batch(of_stream(EVENTS))))
    assert costs[1] <= costs[0] + 20 * (1 + (len(EVENTS) / 7 + 1) * 2)


SHORT_STEPS = [
    f"{PREFIX} SELECT {to} * {window('w', '1s STEP 1ms')} WHERE {{ WINDOW :w {{ ?x :p ?y }} }}"
    for to in ("ISTREAM", "DSTREAM", "RSTREAM")
]


@pytest.mark.parametrize("count", [1, 3])
def test_silence_has_no_closings_while_windows_are_empty(count: int) -> None:
    """They are a second wide and close each millisecond: in a day 86,400,000 times."""
    costs, steps = [], []
    for silence in (10, DAY):
        last = of_stream([(silence, "b", "p", 2)])
        for way in (asked, lambda _, work: steps_of(work)):
            with engine_of(*SHORT_STEPS[-count:]) as engine:
                engine.send_batch(of_stream([(1, "a", "p", 1)]))
                cost = way(engine, lambda engine=engine, last=last: engine.send_batch(last))
                (costs if way is asked else steps).append(cost)
                found = [match.end for match in engine.matches("q0")]
            if count == 1:
                assert found == list(range(1_000_000, 2_000_000, 1000))
    assert 0 < costs[1] <= costs[0] + 2 * count
    assert steps[1] <= steps[0] + 1000


@pytest.mark.parametrize("way", [nullcontext, in_prolog], ids=["native", "prolog"])
def test_where_there_is_always_a_row_silence_has_one_at_each_closing(way: Any) -> None:
    """Up to the first at which the window is empty again; with NONEMPTY it has none."""
    for report, count in (("", 401), ("REPORT NONEMPTY", 200)):
        query = (
            f"{PREFIX} REGISTER RSTREAM :out {report} AS SELECT (COUNT(*) AS ?n) "
            f"{window('w', '1s STEP 10ms')} WHERE {{ WINDOW :w {{ ?x :p ?y }} }}"
        )
        with way(), engine_of(query) as engine:
            engine.send_batch(of_stream([(1, "a", "p", 1), (4, "b", "p", 2)]))
            engine.finish()
            assert sum(1 for _ in engine.matches()) == count


ONE = "FROM NAMED WINDOW :w ON :s"
P, Q = "{ WINDOW :w { ?x :p ?y } }", "{ WINDOW :v { ?x :q ?y } }"
MIXED = {
    "whole": f"SELECT DSTREAM * {ONE} [RANGE 9ms WHOLE] WHERE {P}",
    "both": f"""SELECT RSTREAM * {ONE} [RANGE 9ms WHOLE] FROM NAMED WINDOW :v ON :s [RANGE 4ms]
        WHERE {{ {P} UNION {Q} }}""",
    "past": f"SELECT ISTREAM * {ONE} [NOW-PT0.009S TO NOW-PT0.004S] WHERE {P}",
    "missing": f"""SELECT DSTREAM * {ONE} [RANGE 9ms] FROM NAMED WINDOW :v ON :s [RANGE 5ms WHOLE]
        WHERE {{ WINDOW :w {{ ?x :p ?y }} MINUS {{ WINDOW :v {{ ?x :q ?z }} }} }}""",
    "grids": f"""SELECT RSTREAM * {ONE} [RANGE 9ms STEP 4ms] FROM NAMED WINDOW :v ON :s [RANGE 5ms STEP 3ms]
        WHERE {{ {P} UNION {Q} }}""",
    "counted": f"SELECT RSTREAM (COUNT(*) AS ?n) {ONE} [RANGE 9ms STEP 2ms WHOLE] WHERE {P}",
    "steps": "SELECT ?x (COUNT(*) AS ?n) { ?x :p ?y } GROUP BY ?x WINDOW [RANGE PT0.009S STEP PT0.002S]",
    "not": "SELECT * { { ?x :p ?y } SEQ NOT { ?x :q ?z } FOR PT0.007S FROM START }",
}


def piece(chance: random.Random, first: int) -> dict[str, list[Any]]:
    """Twelve rows of some milliseconds, which end in order and begin in another."""
    ends = sorted(1000 * chance.randrange(first, first + 12) for _ in range(12))
    return {
        "start": [end - 1000 * chance.choice([0, 0, 1, 3, 6]) for end in ends],
        "end": ends,
        "s": [chance.choice(["<urn:a>", "<urn:b>"]) for _ in ends],
        "p": [chance.choice(["<urn:p>", "<urn:p>", "<urn:q>"]) for _ in ends],
        "o": [chance.choice(["<urn:c>", "<urn:d>"]) for _ in ends],
        "stream": ["<urn:s>"] * len(ends),
    }


def found(seed: int, *, restored: bool, turns: Callable[[int], Any]) -> list[str]:
    """The answers to some pieces, between some of which time is advanced.

    ``restored``: each comes into an engine that takes the state of the one before.
    """
    chance = random.Random(seed)
    answers: list[str] = []
    first, state = 20, None
    engine = None
    for number in range(6):
        if engine is None or restored:
            engine = Engine()
            for name, query in MIXED.items():
                engine.register(PREFIX + query, name=name)
        with turns(number):
            if state is not None:
                engine.restore([state])
            engine.send_batch(piece(chance, first))
            first += chance.choice([12, 14, 17, 40])
            if chance.random() < 0.5:
                engine.advance(1000 * first - 500)
            if number == 5:
                engine.finish()
            answers += map(repr, engine.matches())
        if restored:
            state = engine.snapshot()
            engine.close()
    engine.close()
    return answers


@pytest.mark.parametrize("seed", range(12))
def test_what_is_due_is_what_prolog_finds(seed: int) -> None:
    whole = found(seed, restored=False, turns=lambda _: nullcontext())
    assert len({each.partition(",")[0] for each in whole}) >= len(MIXED) - 1
    assert whole == found(seed, restored=False, turns=lambda _: in_prolog())
    either = found(seed, restored=False, turns=lambda number: in_prolog() if number % 2 else nullcontext())
    assert either == whole, "one goes on where the other stopped"
    assert sorted(found(seed, restored=True, turns=lambda _: nullcontext())) == sorted(whole)

"""The memory of rules that run without Prolog: what is held, what is given back, and when there is none."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from etalis_py import Engine
from etalis_py.embedding import prolog
from tests.engine.counting import in_prolog
from tests.engine.failing_allocations import PROGRAMS
from tests.engine.test_machine import GROUPS, PREFIX, is_native
from tests.engine.test_machine_steps import STEPS

PROJECT = Path(__file__).resolve().parents[2]
DECIMAL = "http://www.w3.org/2001/XMLSchema#decimal"


def held(engine: Engine, what: str) -> int:
    return int(prolog.call("etalis_goals", what, prolog.call(engine._module, "goal_stores")))


def terms_held(engine: Engine) -> int:
    """Terms that are neither names nor small integers, each once."""
    return held(engine, "terms_held")


def row(time: int, p: str, o: str) -> dict[str, list[object]]:
    return {"start": [time], "s": ["<urn:a>"], "p": [f"<urn:{p}>"], "o": [o]}


def consuming(policy: str) -> list[str]:
    """Answers with a value that nothing holds but the goal that they consume."""
    query = "SELECT * { { ?x :p ?y BIND(?y + 1 AS ?n) } SEQ { ?x :q ?z } }"
    with Engine(policy=policy) as engine:  # type: ignore[arg-type]
        engine.register(PREFIX + query)
        for time in range(0, 40, 2):
            engine.send_batch(row(time, "p", f'"{time}.5"^^<{DECIMAL}>'))
            engine.send_batch(row(time + 1, "q", f'"text {time}"'))
        engine.finish()
        return list(map(repr, engine.matches()))


@pytest.mark.parametrize("policy", ["chronological", "recent"])
def test_what_an_answer_is_made_of_may_be_consumed_before_it_leaves(policy: str) -> None:
    found = consuming(policy)
    assert len(found) == 20
    with in_prolog():
        assert consuming(policy) == found


@pytest.mark.parametrize("policy", ["unrestricted", "chronological", "recent"])
def test_all_terms_are_given_back(policy: str) -> None:
    window = 'FILTER(getDURATION() < "PT0.00002S"^^xsd:dayTimeDuration)'
    optional = "OPTIONAL { ?x :r ?w }" if policy == "unrestricted" else ""  # under a policy it keeps for ever
    query = f"SELECT * {{ {{ ?x :p ?y BIND(?y + 1 AS ?n) }} SEQ {{ ?x :q ?z }} {optional} {window} }}"
    kept = []
    with Engine(policy=policy) as engine:  # type: ignore[arg-type]
        engine.register(PREFIX + query)
        for first in range(0, 6_000, 600):
            times = range(first, first + 300)
            columns = {
                "start": list(times),
                "s": ["<urn:a>"] * 300,
                "p": ["<urn:p>", "<urn:q>", "<urn:r>"] * 100,
                "o": [f'"{time}.5"^^<{DECIMAL}>' for time in times],
            }
            engine.send_batch(columns)
            assert len(list(engine.matches())) > 90
            kept.append(terms_held(engine))
        assert is_native(engine)
    assert kept[2:] == kept[1:-1]


def test_groups_give_back_all_terms() -> None:
    kept = []
    with Engine() as engine:
        for name in ("mean", "own", "distinct", "past", "steps", "whole-steps"):
            engine.register(PREFIX + GROUPS[name], name=name)
        for first in range(0, 6_000, 600):
            times = range(first, first + 300)
            columns = {
                "start": list(times),
                "s": [f"<urn:{number % 7}>" for number in times],
                "p": ["<urn:p>", "<urn:q>", "<urn:r>"] * 100,
                "o": [f'"{time}.5"^^<{DECIMAL}>' for time in times],
            }
            engine.send_batch(columns)
            engine.advance(first + 500)
            assert len(list(engine.matches())) > 300
            kept.append(terms_held(engine))
    assert kept[2:] == kept[1:-1]


def test_steps_give_back_all_terms() -> None:
    kept = []
    with Engine() as engine:
        steps = ("absence", "from-start", "all", "all-shared", "all-next", "runs", "longest-short", "skip-to")
        for name in steps:
            engine.register(PREFIX + STEPS[name], name=name)
        assert is_native(engine)
        for first in range(0, 6_000, 600):
            times = range(first, first + 300)
            columns = {
                "start": list(times),
                "s": [f"<urn:{number % 3}>" for number in times],
                "p": ["<urn:p>", "<urn:q>", "<urn:q>", "<urn:r>"] * 75,
                "o": [f'"{time}.5"^^<{DECIMAL}>' for time in times],
            }
            engine.send_batch(columns)
            engine.advance(first + 500)
            assert len(list(engine.matches())) > 300
            kept.append(terms_held(engine))
    assert kept[2:] == kept[1:-1]


@pytest.mark.parametrize("steps", [50, 400])
def test_many_steps(steps: int) -> None:
    """Each rule calls the next one."""
    query = " SEQ ".join(f"{{ ?x :p{step} ?y }}" for step in range(steps))
    with Engine() as engine:
        engine.register(f"{PREFIX} SELECT * {{ {query} }}")
        assert is_native(engine)
        columns = ([text] * steps for text in ("<urn:a>", '"b"'))
        s, o = columns
        engine.send_batch(
            {"start": list(range(steps)), "s": s, "p": [f"<urn:p{step}>" for step in range(steps)], "o": o}
        )
        engine.finish()
        assert len(list(engine.matches())) == 1


def atoms() -> int:
    prolog.do("system", "garbage_collect_atoms")
    return int(prolog.call("system", "statistics", "atoms"))


def long_stream(first: int, rows: int) -> dict[str, list[object]]:
    """Pairs of steps, whose terms all are new."""
    numbers = range(first, first + rows)
    return {
        "start": list(numbers),
        "s": [f"<urn:subject{number // 2}>" for number in numbers],
        "p": ["<urn:p>", "<urn:q>"] * (rows // 2),
        "o": [f'"text {number}"@en' for number in numbers],
    }


@pytest.mark.parametrize("policy", ["unrestricted", "chronological", "recent"])
@pytest.mark.parametrize("events", [40_000, pytest.param(10_000_000, marks=pytest.mark.long)])
@pytest.mark.timeout(0)
def test_nothing_is_left_of_a_long_stream(events: int, policy: str) -> None:
    """The state moves to another engine now and then."""
    window = 'FILTER(getDURATION() < "PT0.0001S"^^xsd:dayTimeDuration)'
    query = f"{PREFIX} SELECT * {{ {{ ?x :p ?y }} SEQ {{ ?x :q ?z }} {window} }}"
    engine, rows, kept = Engine(policy=policy), 10_000, []  # type: ignore[arg-type]
    engine.register(query, name="q")
    for first in range(0, events, rows):
        engine.send_batch(long_stream(first, rows))
        assert sum(1 for _ in engine.matches()) in (rows // 2, rows // 2 - 1)
        if first // rows % max(2, events // rows // 20) == 0:
            kept.append((terms_held(engine), atoms()))
            other = Engine(policy=policy)  # type: ignore[arg-type]
            other.register(query, name="q")
            other.restore([engine.snapshot()])
            engine.discard()
            engine = other
    engine.close()
    assert len({terms for terms, _ in kept[1:]}) == 1, kept
    assert kept[-1][1] - kept[1][1] < 2 * rows, kept
    # The atoms of some batches may be given back a little later.
    assert max(count for _, count in kept[1:]) - kept[1][1] < 10 * rows, kept


def test_names_are_given_back_and_are_no_atoms() -> None:
    """Those of the reader's words, and those that were in answers, are kept for some time."""
    window = 'FILTER(getDURATION() < "PT0.0001S"^^xsd:dayTimeDuration)'
    before, counts = atoms(), []
    with Engine() as engine:
        engine.register(f"{PREFIX} SELECT * {{ {{ ?x :p ?y }} SEQ {{ ?x :q ?z }} {window} }}", name="q")
        for first in range(0, 150_000, 10_000):
            engine.send_batch(long_stream(first, 10_000))
            assert engine.tables()["q"].num_rows in (5_000, 4_999)
            counts.append(held(engine, "names_held"))
        assert is_native(engine)
        assert atoms() - before < 5_000
    assert max(counts[5:]) <= max(counts[:5])


def names_met(*, natively: bool) -> list[str]:
    """Answers by names from rows, from Prolog (IRI, DATATYPE), and from both."""
    query = (
        "SELECT * { { ?x :p ?l BIND(IRI(CONCAT(STR(?x), '\u03b1')) AS ?n) BIND(DATATYPE(?l) AS ?t) }"
        " SEQ { ?n :q ?z } SEQ { ?t :r ?v } }"
    )
    with Engine() as engine:
        engine.register(PREFIX + query)
        assert is_native(engine) == natively
        for time in range(0, 300, 3):
            kind = ("integer", "string", "date", "double")[time % 4]
            literal = {"integer": '"7"', "string": '"x"', "date": '"2020-01-01"', "double": '"1.5E0"'}[kind]
            typed = f"{literal}^^<http://www.w3.org/2001/XMLSchema#{kind}>"
            name = f"urn:n\u00e9{time % 30}"
            subjects = [f"<{name}>", f"<{name}\u03b1>", f"<http://www.w3.org/2001/XMLSchema#{kind}>"]
            predicates = [f"<urn:{each}>" for each in "pqr"]
            columns = {"s": subjects, "p": predicates, "o": [typed, "_:b", f"<{name}>"]}
            engine.send_batch({"start": [time, time + 1, time + 2], **columns})
        engine.finish()
        return list(map(repr, engine.matches()))


def test_a_name_is_one_term_wherever_it_comes_from() -> None:
    found = names_met(natively=True)
    assert len(found) > 200
    with in_prolog():
        assert names_met(natively=False) == found


@pytest.mark.slow
@pytest.mark.timeout(0)
@pytest.mark.parametrize("name", PROGRAMS)
def test_an_allocation_that_fails_is_an_error(name: str) -> None:
    options = f"{os.environ.get('ETALIS_NATIVE_OPTIONS', '')} -DETALIS_FAIL_ALLOCATIONS"
    command = [sys.executable, "-m", "tests.engine.failing_allocations", name]
    surroundings = {**os.environ, "ETALIS_NATIVE_OPTIONS": options}
    done = subprocess.run(command, cwd=PROJECT, env=surroundings, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-4000:]
    assert int(done.stdout.split()[-1]) > 20

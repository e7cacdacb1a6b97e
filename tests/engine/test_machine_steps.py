"""Deadlines, repetitions and SKIP run without Prolog, and give what Prolog gives with the same rules."""

from __future__ import annotations

import random

import pytest

from etalis_py import Engine
from etalis_py.compiler.rules import generate
from tests.engine.counting import in_prolog
from tests.engine.test_machine import PREFIX, answers, answers_in_turn, batch, is_native, placed

RISES = "FILTER (?z > PREV(?z, 0))"
MEASURES = """MEASURES (COUNT(*) AS ?n, COUNT(?z) AS ?c, SUM(?z) AS ?s, AVG(?z) AS ?v, MIN(?z) AS ?i,
    MAX(?z) AS ?a, FIRST(?z) AS ?f, LAST(?z) AS ?l,
    SAMPLE(?z) AS ?e, COUNT(DISTINCT ?z) AS ?d, LIST(?z) AS ?t)"""
TOTALS = """MEASURES (COUNT(*) AS ?n, COUNT(?z) AS ?c, SUM(?z) AS ?s, AVG(?z) AS ?v, LAST(?z) AS ?l,
    SUM(STRLEN(STR(?z))) AS ?t)"""
SHORT, LONG = "PT0.00001S", "PT0.00003S"
STEPS = {
    "next": "{ ?x :p ?y } SEQ NEXT { ?x :q ?z }",
    "strict": "{ ?x :p ?y } SEQ STRICT { ?x :q ?z }",
    "strict-per": "{ ?x :p ?y } SEQ STRICT PER ?x { ?x :q ?z }",
    "not": f"{{ ?x :p ?y }} SEQ NOT {{ ?x :r ?w FILTER (?w > ?y) }} SEQ {{ ?x :q ?z }} WITHIN {LONG}",
    "before": f"NOT {{ ?x :r ?w }} FOR {SHORT} SEQ {{ ?x :q ?z }}",
    "absence": f"{{ ?x :p ?y }} SEQ NOT {{ ?x :q ?z }} FOR {SHORT}",
    "absence-if": f"{{ ?x :p ?y }} SEQ NOT {{ ?x :q ?z FILTER (?z > ?y) }} FOR {LONG}",
    "from-start": f"""{{ {{ ?x :p ?y }} SEQ {{ ?x :r ?w }} WITHIN {LONG} }}
        SEQ NOT {{ ?x :q ?z }} FOR {LONG} FROM START""",
    "after": f"{{ ?x :p ?y }} SEQ AFTER {SHORT} SEQ NEXT EVERY PT0.000007S",
    "every": "EVERY PT0.000013S",
    "all": f"{{ ?x :p ?y }} SEQ REPEAT {{ ?x :q ?z }} {MEASURES} SEQ {{ ?x :r ?w }} WITHIN {LONG}",
    "all-shared": f"""{{ ?x :p ?y }} SEQ REPEAT {{ ?x :q ?z }} {TOTALS} SEQ {{ ?x :r ?w }} WITHIN {LONG}""",
    "all-ever": f"""{{ ?x :p ?y }} SEQ REPEAT 1 TO 5 {{ ?v :q ?z FILTER (?z != :b) }} {TOTALS}
        SEQ {{ ?x :r ?w }}""",
    "all-if": f"""{{ ?x :p ?y }} SEQ REPEAT 1 TO 3 {{ ?x :q ?z {RISES} }} {MEASURES}
        SEQ {{ ?x :r ?w }} WITHIN {LONG}""",
    "all-open": f"{{ ?x :p ?y }} SEQ REPEAT 0 TO 4 {{ ?x :q ?z }} {MEASURES} WITHIN {LONG}",
    "all-per": f"{{ ?x :p ?y }} SEQ REPEAT PER ?z {{ ?x :q ?z }} MEASURES (COUNT(*) AS ?n) WITHIN {LONG}",
    "all-next": f"""{{ ?x :p ?y }} SEQ REPEAT PER ?x {{ ?x :q ?z }} {MEASURES}
        SEQ NEXT {{ ?x :r ?w FILTER (?n < 3) }} WITHIN {LONG}""",
    "all-not": f"""{{ ?x :p ?y }} SEQ REPEAT {{ ?x :q ?z }} {TOTALS}
        SEQ NOT {{ ?x :other ?o FILTER (?n > 1) }} SEQ {{ ?x :r ?w }} WITHIN {LONG}""",
    "longest-next": f"""REPEAT STRICT LONGEST PER ?x {{ ?x :q ?z }} MEASURES (COUNT(*) AS ?n)
        SEQ NEXT {{ ?x :r ?w FILTER (?n < 3) }} WITHIN {LONG}""",
    "longest-strict": f"""REPEAT STRICT LONGEST AMONG {{ ?x :p ?o }} PER ?x {{ ?x :q ?z }} {MEASURES}
        SEQ STRICT PER ?x {{ ?x :r ?w }} WITHIN {LONG}""",
    "runs": f"{{ ?x :p ?y }} SEQ REPEAT NEXT {{ ?x :q ?z }} {MEASURES} WITHIN {LONG}",
    "runs-strict": f"REPEAT STRICT PER ?x {{ ?x :q ?z {RISES} }} {MEASURES} WITHIN {LONG}",
    "any": f"REPEAT 2 TO 3 ANY PER ?x {{ ?x :q ?z }} {MEASURES} WITHIN {SHORT}",
    "longest": f"REPEAT STRICT LONGEST PER ?x {{ ?x :q ?z {RISES} }} {MEASURES}",
    "longest-short": f"REPEAT STRICT LONGEST PER ?x {{ ?x :q ?z {RISES} WITHIN {SHORT} }} {MEASURES}",
    "longest-after": f"""{{ ?x :p ?y }} SEQ STRICT PER ?x
        REPEAT 2 TO 4 STRICT LONGEST PER ?x {{ ?x :q ?z }} {MEASURES}""",
    "longest-before": f"""REPEAT STRICT LONGEST PER ?x {{ ?x :q ?z {RISES} }} {MEASURES}
        SEQ {{ ?x :r ?w }} WITHIN {SHORT}""",
}
STEPS = {
    **{name: f"SELECT * {{ {steps} }}" for name, steps in STEPS.items()},
    "derived": "CONSTRUCT { ?x :q ?x } { { ?x :r ?y } SEQ AFTER PT0.000003S }",
    "skip": "SELECT * { { ?x :p ?y } SEQ { ?x :q ?z } } SKIP PAST LAST PER ?x",
    "skip-to": f"SELECT * {{ {{ ?x :p ?y }} SEQ {{ ?x :q ?z }} WITHIN {LONG} }} SKIP TO NEXT",
}
OF_STREAMS = {
    "strict-of": "SELECT * FROM STREAM :s { { ?x :p ?y } SEQ STRICT { ?x :q ?z } }",
    "longest-of": "SELECT * FROM STREAM :t { REPEAT STRICT LONGEST { ?x :q ?z } MEASURES (COUNT(*) AS ?n) }",
}


@pytest.mark.parametrize("name", [*STEPS, *OF_STREAMS])
def test_it_runs_without_prolog(name: str) -> None:
    with Engine() as engine:
        engine.register(PREFIX + {**STEPS, **OF_STREAMS}[name])
        assert is_native(engine)


@pytest.mark.parametrize("seed", range(8))
def test_answers_are_those_of_prolog(seed: int) -> None:
    chance = random.Random(seed)
    batches = [batch(chance, first, 40) for first in (-40, 100, 140, 240)]
    found = answers(STEPS, batches, on_late="drop")
    with in_prolog():
        assert answers(STEPS, batches, on_late="drop") == found
    assert len({each.partition(",")[0] for each in found}) > 18


@pytest.mark.parametrize("seed", range(2))
def test_answers_from_streams(seed: int) -> None:
    chance = random.Random(seed)
    batches = [placed(chance, batch(chance, first, 60)) for first in (0, 40, 140)]
    found = answers(OF_STREAMS, batches, on_late="drop")
    with in_prolog():
        assert answers(OF_STREAMS, batches, on_late="drop") == found
    assert found


@pytest.mark.parametrize("seed", range(6))
def test_one_update_for_all_runs_gives_what_one_for_each_gives(
    seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    chance = random.Random(seed)
    batches = [batch(chance, first, 150, intervals=seed > 1) for first in (-40, 300)]
    queries = {name: STEPS[name] for name in ("all-shared", "all-ever")}
    found = answers(queries, batches, on_late="drop")
    monkeypatch.setattr(generate, "are_shared", lambda _: False)
    assert answers(queries, batches, on_late="drop") == found
    assert len({each.partition(",")[0] for each in found}) == 2


def test_one_goes_on_where_the_other_stopped() -> None:
    """Each batch in an engine of its own, that begins with the state of the one before."""
    chance = random.Random(7)
    batches = [batch(chance, first, 25) for first in range(0, 150, 25)]
    assert sorted(answers_in_turn(STEPS, batches)) == sorted(answers(STEPS, batches))


def test_times_beyond_what_a_block_can_have() -> None:
    names = ("absence", "absence-if", "from-start", "all", "longest")
    queries = {name: STEPS[name] for name in names}
    for first in (2**60 - 30, 2**63 - 30, 2**70):
        chance = random.Random(1)
        batches = [batch(chance, each, 60) for each in (0, first, first + 100)]
        found = answers(queries, batches)
        with in_prolog():
            assert answers(queries, batches) == found
        assert found

"""Steps behind SEQ at work: deadlines that pass, snapshots in the middle, limits, what is told of them.

on   0                  deadline 3
|----------------------------|
     1  heat                      taken away
"""

from __future__ import annotations

from collections.abc import Iterable

import pytest
from rdflib import Literal, URIRef

from etalis_py.core.errors import CompileError, EtalisError
from etalis_py.engine.engine import Engine

SILENT = "SELECT ?m { { ?m <urn:on> ?l } SEQ NOT { ?m <urn:heat> ?h } FOR PT3S }"
LATE = "{ { ?m <urn:on> ?l } SEQ AFTER PT1S }"
QUERIES = {
    "next": "SELECT * { { ?m <urn:on> ?l } SEQ NEXT { ?m <urn:heat> ?h FILTER (?h > ?l) } }",
    "not": "SELECT * { { ?m <urn:on> ?l } SEQ NOT { ?m <urn:off> ?o } SEQ { ?m <urn:heat> ?h } }",
    "before": "SELECT * { NOT { ?m <urn:off> ?o } FOR PT2S SEQ { ?m <urn:heat> ?h } }",
    "strict": "SELECT * { { ?m <urn:heat> ?l } SEQ STRICT { ?m <urn:heat> ?h } }",
    "silent": SILENT,
    "start": SILENT.replace("PT3S", "PT4S FROM START"),
    "after": "SELECT * { { ?m <urn:on> ?l } SEQ AFTER PT2S SEQ NEXT EVERY PT4S }",
    "all": "SELECT * { { ?m <urn:on> ?l } SEQ REPEAT { ?m <urn:heat> ?h }"
    " MEASURES (SUM(?h) AS ?t, LIST(?h) AS ?a) SEQ { ?m <urn:off> ?o } }",
    "runs": "SELECT * { REPEAT 2 NEXT PER ?m { ?m <urn:heat> ?h FILTER (?h > PREV(?h, 0)) }"
    " MEASURES (FIRST(?h) AS ?f, LAST(?h) AS ?t) }",
    "longest": "SELECT * { REPEAT STRICT LONGEST PER ?m { ?m <urn:heat> ?h FILTER (?h > PREV(?h, 0)) }"
    " MEASURES (COUNT(*) AS ?n) }",
    "any": "SELECT * { REPEAT 2 ANY PER ?m { ?m <urn:heat> ?h } MEASURES (MAX(?h) AS ?t) }",
    "skip": "SELECT * { { ?m <urn:heat> ?a } SEQ { ?m <urn:heat> ?b } } SKIP PAST LAST PER ?m",
}
EVENTS = [
    *(
        ("m1", "on", 1, 0),
        ("m2", "on", 5, 1),
        ("m1", "heat", 2, 1),
        ("m1", "heat", 4, 2),
        ("m2", "heat", 3, 2),
    ),
    *(
        ("m1", "off", 0, 3),
        ("m1", "heat", 1, 4),
        ("m2", "heat", 9, 5),
        ("m1", "on", 1, 6),
        ("m1", "heat", 7, 7),
    ),
    *(("m2", "off", 0, 8), ("m3", "on", 1, 9)),
]


def sent(engine: Engine, events: Iterable[tuple[str, str, int, int]]) -> None:
    for machine, what, value, second in events:
        engine.send(
            URIRef(f"urn:{machine}"),
            URIRef(f"urn:{what}"),
            Literal(value),
            second * 1_000_000,
            second * 1_000_000,
        )


def answers(engine: Engine) -> list[tuple[object, ...]]:
    found = ((each.query, each.start, each.end, *map(str, each.values)) for each in engine.matches())
    return sorted(found, key=str)


def opened(names: Iterable[str] = tuple(QUERIES), **options: bool) -> Engine:
    engine = Engine(**options)
    for name in names:
        engine.register(QUERIES[name], name=name)
    return engine


def test_a_deadline_passes_with_the_time() -> None:
    with opened(["silent"]) as engine:
        sent(engine, [("m1", "on", 1, 0)])
        engine.advance(3_000_000)
        assert answers(engine) == []  # an element at the deadline itself may still come
        engine.advance(3_000_001)
        assert [each[1:3] for each in answers(engine)] == [(0, 3_000_000)]
        engine.finish()
        assert answers(engine) == []


def test_what_comes_at_the_deadline_is_in_time() -> None:
    with opened(["silent"]) as engine:
        sent(engine, [("m1", "on", 1, 0), ("m1", "heat", 2, 3), ("m2", "on", 1, 3)])
        engine.finish()
        assert [each[1:] for each in answers(engine)] == [(3_000_000, 6_000_000, "urn:m2")]


def test_a_broken_input_answers_no_deadline() -> None:
    with opened(["silent"]) as engine:
        sent(engine, [("m1", "on", 1, 0)])
        engine.give_certain()
        assert answers(engine) == []


@pytest.mark.parametrize("place", range(len(EVENTS) + 1))
def test_a_snapshot_anywhere(place: int) -> None:
    with opened() as whole:
        sent(whole, EVENTS)
        whole.finish()
        expected = answers(whole)
    with opened() as first:
        sent(first, EVENTS[:place])
        found = answers(first)
        state = first.snapshot()
    with opened() as second:
        second.restore([state])
        sent(second, EVENTS[place:])
        second.finish()
        found += answers(second)
    assert sorted(found, key=str) == expected
    assert {each[0] for each in expected} == set(QUERIES)


def test_each_answer_has_its_reasons() -> None:
    with opened(trace=True) as engine:
        sent(engine, EVENTS)
        engine.finish()
        matches = list(engine.matches())
        texts = {each.query: str(engine.why(each)) for each in matches}
    with opened() as plain:
        sent(plain, EVENTS)
        plain.finish()
        assert len(answers(plain)) == len(matches)
    assert "nothing matched { ?m <urn:heat> ?h }" in texts["silent"]
    assert texts["all"].count("urn:heat") >= 2
    assert "STRICT LONGEST" in texts["longest"]


@pytest.mark.parametrize(
    ("code", "query"),
    [
        ("EP212", f"PRAGMA policy recent {SILENT}"),
        ("EP212", f"PRAGMA policy recent {QUERIES['next']}"),
        ("EP212", f"PRAGMA policy recent {QUERIES['not']}"),
        ("EP212", f"PRAGMA policy recent {QUERIES['runs']}"),
        ("EP213", "SELECT * { EVENT { { ?m <urn:on> ?l } SEQ NEXT { ?m <urn:heat> ?h } } }"),
        ("EP213", "SELECT * { EVENT { REPEAT PER ?m { ?m <urn:on> ?l } } }"),
        ("EP214", "SELECT * { REPEAT ANY PER ?m { ?m <urn:on> ?l } }"),
        ("EP215", "SELECT * { { ?m <urn:on> ?l } } SKIP TO NEXT PER ?x"),
        ("EP216", "SELECT * { REPEAT 0 TO * { ?m <urn:on> ?l } }"),
        ("EP216", "SELECT * { { ?m <urn:on> ?l } SEQ REPEAT 0 TO * PER ?x { ?x <urn:on> ?m } }"),
        ("EP118", "SELECT * { REPEAT PER ?m { ?m <urn:on> ?l } SEQ REPEAT { ?m <urn:off> ?o } }"),
        ("EP210", "SELECT * { EVERY PT0S }"),
        ("EP210", "SELECT * { { ?m <urn:on> ?l } SEQ AFTER P1M }"),
        ("EP201", f"SELECT * {{ {LATE} EQUALS {LATE} }} SKIP PAST LAST"),
    ],
)
def test_what_is_refused(code: str, query: str) -> None:
    with Engine() as engine, pytest.raises(CompileError) as caught:
        engine.register(query)
    assert caught.value.code == code


def test_an_absence_that_feeds_itself_is_stopped() -> None:
    with Engine(max_derivations=20) as engine:
        engine.register(
            "CONSTRUCT { ?m <urn:on> ?l } { { ?m <urn:on> ?l } SEQ NOT { ?m <urn:x> ?y } FOR PT1S }"
        )
        sent(engine, [("m1", "on", 1, 0)])
        with pytest.raises(EtalisError) as caught:
            engine.finish()
    assert caught.value.code == "EP302"

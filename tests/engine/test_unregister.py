"""Queries leave a running engine: the others answer as if each were alone, and memory comes back."""

from __future__ import annotations

import itertools
import random
from collections import deque
from collections.abc import Collection, Iterator
from typing import Any

import pytest

from etalis_py import Engine, UsageError
from etalis_py.engine.matches import Match
from tests.memory import used_bytes

AB = "{ ?x <urn:a> ?v } SEQ { ?x <urn:b> ?w }"
WITHIN = 'FILTER (getDURATION() < "PT0.00001S"^^xsd:duration)'
NO_A = "?x <urn:c> ?v FILTER NOT EXISTS { ?x <urn:a> ?w }"
COUNTED = "SEQ REPEAT { ?x <urn:b> ?w } MEASURES (COUNT(*) AS ?n)"
MEAN = "SELECT ?x (COUNT(?v) AS ?n) { ?x <urn:a> ?v } GROUP BY ?x WINDOW [RANGE PT0.00001S]"
PATTERNS = {
    "seq": f"SELECT ?x ?v ?w {{ {AB} }}",
    "longer": f"SELECT ?x ?u {{ {{ {AB} }} SEQ {{ ?x <urn:c> ?u }} }}",
    "other": "SELECT ?y { { ?y <urn:a> ?v } SEQ { ?y <urn:d> ?w } }",
    "third": "SELECT ?y { { ?y <urn:a> ?v } SEQ { ?y <urn:c> ?w } }",
    "join": f"SELECT ?x {{ ?x <urn:a> ?v . ?x <urn:b> ?w {WITHIN} }}",
    "wider": f"SELECT ?x {{ ?x <urn:a> ?v . ?x <urn:b> ?w {WITHIN.replace('01S', '05S')} }}",
    "optional": "SELECT ?x ?w { { ?x <urn:a> ?v } OPTIONAL { ?x <urn:b> ?w } }",
    "over optional": "SELECT ?x { { { ?x <urn:a> ?v } OPTIONAL { ?x <urn:b> ?w } } SEQ { ?x <urn:c> ?u } }",
    "exists": f"SELECT ?x {{ {NO_A} }}",
    "over exists": f"SELECT ?x {{ {{ {NO_A} }} SEQ {{ ?x <urn:d> ?u }} }}",
    "not": "SELECT ?x { { ?x <urn:a> ?v } SEQ NOT { ?x <urn:b> ?w } SEQ { ?x <urn:c> ?u } }",
    "absence": "SELECT ?x { { ?x <urn:a> ?v } SEQ NOT { ?x <urn:b> ?w } FOR PT0.000007S }",
    "repeat": f"SELECT ?x ?n {{ {{ ?x <urn:a> ?v }} {COUNTED} SEQ {{ ?x <urn:c> ?u }} }}",
    "mean": f"{MEAN}",
    "over mean": f"SELECT ?x ?n {{ {{ {MEAN} }} FILTER (?n > 1) }}",
    "path": "SELECT ?x ?y { ?x <urn:a>+ ?y }",
    "distinct": f"SELECT DISTINCT ?x {{ {AB} }}",
    "recent": f"PRAGMA policy recent SELECT ?x ?v {{ {AB} }}",
    "next": "SELECT ?x { { ?x <urn:a> ?v } SEQ NEXT { ?x <urn:b> ?w } }",
}
WINDOWS = {
    f"{kind} {width} {step}": f"SELECT {kind} ?x ?w FROM NAMED WINDOW <urn:w> ON <urn:s> "
    f"[RANGE PT0.0000{width}S{step}] {{ WINDOW <urn:w> {{ ?x <urn:a> ?v . ?x <urn:b> ?w }} }}"
    for width, kind, step in (
        ("03", "ISTREAM", ""),
        ("05", "ISTREAM", ""),
        ("07", "DSTREAM", " STEP PT0.000002S"),
        ("10", "RSTREAM", " STEP PT0.000003S"),
        ("20", "RSTREAM", ""),
    )
}

Part = list[tuple[int, str, str, str]]


def registered(engine: Engine, kind: str) -> None:
    engine.register((PATTERNS | WINDOWS)[kind], name=kind)


def rows(draw: random.Random, count: int) -> Part:
    times = sorted(draw.randint(0, 2 * count) for _ in range(count))
    return [(each, draw.choice("xyz"), draw.choice("aabbcd"), draw.choice("xyz")) for each in times]


def sent(engine: Engine, part: Part) -> None:
    if part:
        engine.send_batch(
            {
                "start": [each[0] for each in part],
                "stream": ["<urn:s>"] * len(part),
                **{
                    name: [f"<urn:{each[place]}>" for each in part]
                    for place, name in enumerate("spo", start=1)
                },
            }
        )


def told(matches: Iterator[Match]) -> list[Any]:
    return [(each.query, each.start, each.end, sorted(each.encoded.items())) for each in matches]


def alone(kind: str, before: list[Part], parts: list[Part], *, stays: bool) -> list[Any]:
    """The answers of a query that is the only one, from the open instant on; it leaves or the input ends."""
    with Engine() as engine:
        registered(engine, kind)
        rows = [row for part in before for row in part]
        sent(engine, [row for row in rows if row[0] == rows[-1][0]])
        for part in parts:
            sent(engine, part)
        found = told(engine.matches())
        if stays:
            engine.finish()
            found += told(engine.matches())
        engine.discard()
    return found


def scenario(seed: int, kinds: Collection[str] = PATTERNS) -> None:
    draw = random.Random(seed)
    parts = [rows(draw, draw.randint(0, 8)) for _ in range(6)]
    shift = 0
    for number, part in enumerate(parts):
        parts[number] = [(time + shift, *rest) for time, *rest in part]
        shift = max([shift, *(time + draw.randint(0, 1) for time, *_ in parts[number])])
    lives: dict[str, int] = {}
    expected: list[Any] = []
    found: list[Any] = []
    engine = Engine(share=draw.random() < 0.9)
    for number, part in enumerate(parts):
        leaving = [each for each in lives if draw.random() < 0.3]
        for kind in leaving:
            since = lives.pop(kind)
            expected += alone(kind, parts[:since], parts[since:number], stays=False)
        engine.unregister(leaving)
        for kind in draw.sample(sorted(kinds), min(4, len(kinds) - 2)):
            if kind not in lives:
                lives[kind] = number
                registered(engine, kind)
        found += told(engine.matches())
        if draw.random() < 0.3:
            state = engine.snapshot()
            engine.discard()
            engine = Engine(share=engine._rules.shares)
            for kind in lives:
                registered(engine, kind)
            engine.restore([state])
        sent(engine, part)
    for kind, since in lives.items():
        expected += alone(kind, parts[:since], parts[since:], stays=True)
    engine.finish()
    found += told(engine.matches())
    engine.discard()
    assert sorted(map(repr, found)) == sorted(map(repr, expected)), seed


@pytest.mark.parametrize("seed", range(25))
def test_others_answer_as_if_each_were_alone(seed: int) -> None:
    scenario(seed)


@pytest.mark.parametrize("seed", range(20))
def test_windows_of_other_widths_answer_as_if_each_were_alone(seed: int) -> None:
    scenario(seed, WINDOWS)


def test_a_window_goes_on_in_an_engine_that_never_had_the_query_before_it() -> None:
    kept, part = "RSTREAM 20 ", [(1, "x", "a", "x"), (2, "x", "b", "y")]
    with Engine() as engine:
        for kind in ("seq", kept):
            registered(engine, kind)
        sent(engine, part)
        engine.unregister(["seq"])
        deque(engine.matches(), maxlen=0)
        state = engine.snapshot()
    with Engine() as engine:
        registered(engine, kept)
        engine.restore([state])
        engine.finish()
        assert [(query, start) for query, start, *_ in told(engine.matches())] == [(kept, 2)]


def test_memory_is_flat() -> None:
    """Rules, stores, groups, paths and deadlines of 1,000 queries that came and went."""
    draw = random.Random(1)
    with Engine() as engine:
        registered(engine, "join")
        clock = 0

        def round_of(count: int) -> None:
            nonlocal clock
            for number in range(count):
                kind = sorted(PATTERNS)[number % len(PATTERNS)]
                if kind != "join":
                    registered(engine, kind)
                sent(engine, [(time + clock, *rest) for time, *rest in rows(draw, 5)])
                clock += 10
                if kind != "join":
                    engine.unregister(kind)
                list(engine.matches())

        round_of(200)
        sizes = [used_bytes()]
        for _ in range(4):
            round_of(250)
            sizes.append(used_bytes())
        grown = [after - before for before, after in itertools.pairwise(sizes)]
        assert min(grown) < 60_000, "tables of names double now and then; what leaks grows each time"
        engine.unregister("join")
        assert list(engine.prolog("waiting(Q, _, _, _, _)")) == []


def test_names() -> None:
    with Engine() as engine:
        names = engine.register(f"{PATTERNS['seq']} ;; {PATTERNS['other']}", name="q")
        with pytest.raises(UsageError, match=r"EP505.*'none'") as raised:
            engine.unregister(["q", "none"])
        assert raised.value.hint == "there are: q, q-2"
        engine.unregister(names)
        assert engine.register(PATTERNS["other"], name="q") == ["q"]
        sent(engine, [(1, "x", "a", "y"), (2, "x", "d", "y")])
        engine.finish()
        assert [each.query for each in engine.matches("q")] == ["q"]


def test_answers_that_were_found_can_be_taken() -> None:
    with Engine() as engine:
        registered(engine, "seq")
        sent(engine, [(1, "x", "a", "y"), (2, "x", "b", "z"), (3, "x", "c", "y")])
        engine.unregister("seq")
        engine.register(PATTERNS["other"], name="new")
        sent(engine, [(4, "x", "a", "y"), (5, "x", "d", "y")])
        engine.finish()
        assert [each.query for each in engine.matches()] == ["seq", "new"]


def test_it_hears_no_more_of_the_open_instant() -> None:
    with Engine() as engine:
        heard: list[Match] = []
        engine.register(PATTERNS["seq"], name="seq", on_match=heard.append)
        sent(engine, [(1, "x", "a", "y"), (2, "x", "b", "y")])
        engine.unregister("seq")
        engine.finish()
        assert heard == []


def test_what_a_construct_made_is_made_no_more() -> None:
    with Engine() as engine:
        engine.register("CONSTRUCT { ?x <urn:b> ?v } { ?x <urn:e> ?v }", name="maker")
        registered(engine, "seq")
        sent(engine, [(1, "x", "a", "y"), (2, "x", "e", "y"), (3, "x", "c", "y")])
        engine.unregister("maker")
        sent(engine, [(4, "x", "e", "y")])
        engine.finish()
        assert {(each.query, each.end) for each in engine.matches()} == {("maker", 2), ("seq", 2)}


def test_proofs_of_what_is_gone() -> None:
    with Engine(trace=True) as engine:
        registered(engine, "seq")
        sent(engine, [(1, "x", "a", "y"), (2, "x", "b", "z"), (3, "x", "c", "y")])
        [match] = engine.matches()
        engine.unregister("seq")
        registered(engine, "other")
        sent(engine, [(4, "x", "a", "y"), (5, "x", "d", "y")])
        engine.finish()
        assert "<urn:b>" in str(engine.why(match))
        assert "<urn:d>" in str(engine.why(engine.matches("other")[0]))


def test_threads_forget_it_too() -> None:
    with Engine(threads=2) as engine:
        registered(engine, "seq")
        registered(engine, "longer")
        sent(engine, [(1, "x", "a", "y"), (2, "y", "a", "y"), (3, "y", "b", "y")])
        engine.unregister("seq")
        state = [list(engine.matches()), engine.snapshot()][1]
        more = [(4, "x", "b", "y"), (5, "y", "c", "y"), (6, "x", "c", "y")]
        sent(engine, more)
        engine.finish()
        found = told(engine.matches())
        assert [each[0] for each in found] == ["longer", "longer"]
    with Engine(threads=2) as engine:
        registered(engine, "longer")
        engine.restore([state])
        sent(engine, more)
        engine.finish()
        assert told(engine.matches()) == found


def test_changes_follow_a_new_snapshot() -> None:
    with Engine(record_changes=True) as engine:
        registered(engine, "seq")
        registered(engine, "path")
        sent(engine, [(1, "x", "a", "y")])
        engine.snapshot()
        engine.unregister("path")
        with pytest.raises(UsageError, match=r"EP571.*removed"):
            engine.changes()
        state = [engine.snapshot()]
        registered(engine, "path")
        state = [engine.snapshot()]
        sent(engine, [(2, "y", "a", "z"), (3, "x", "b", "y")])
        list(engine.matches())
        state.append(engine.changes() or b"")
        sent(engine, [(4, "z", "a", "x")])
        engine.finish()
        found = told(engine.matches())
    with Engine() as engine:
        registered(engine, "seq")
        registered(engine, "path")
        engine.restore(state)
        sent(engine, [(4, "z", "a", "x")])
        engine.finish()
        assert told(engine.matches()) == found
        assert len(found) > 1

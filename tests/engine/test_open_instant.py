"""Events that come one by one: the answers are those of the same events in columns, whatever happens between.

The open instant is in Python while they come (`etalis_py.engine.open_instant`). Each test does the same to an
engine that has it there and closes it natively where it can, to one that has Prolog close it, and to one that
always leaves it in Prolog.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from rdflib import BNode, Literal, URIRef

from etalis_py import Engine
from etalis_py.core.errors import DataError, EtalisError, RunTimeError
from etalis_py.embedding import prolog
from etalis_py.embedding.interruption import INTERRUPTION
from etalis_py.engine import direct_instant, feeding, known_terms
from etalis_py.engine.direct_instant import DirectInstant
from etalis_py.engine.open_instant import OpenInstant
from tests.engine.conftest import XSD, table

S = 1_000_000
QUERIES = (
    """PREFIX : <urn:> SELECT ?x ?y {
        { ?x :p ?y } SEQ { ?y :q ?z } FILTER (getDURATION() < 'PT6S'^^xsd:duration)
    }""",
    "PREFIX : <urn:> SELECT ?x ?y { { ?x :p ?y } OPTIONAL { ?y :q ?z } }",
    "PREFIX : <urn:> CONSTRUCT { ?y :r ?x } { ?x :p ?y }",
    "PREFIX : <urn:> SELECT ?x (COUNT(*) AS ?n) { ?x :p ?y } GROUP BY ?x WINDOW [RANGE PT3S]",
    "PREFIX : <urn:> SELECT ?s ?x { STREAM ?s { ?x :p ?y } }",
    "PREFIX : <urn:> SELECT ?x ?y { { ?x :r ?y } MINUS { ?x :q ?z } }",
)
STEPPED = "PREFIX : <urn:> SELECT (COUNT(*) AS ?n) { ?x :p ?y } WINDOW [RANGE PT3S STEP PT2S]"
Action = Callable[[Engine], object]


OBJECTS = (
    *map(Literal, (5, -7, 10**30, True, 0.5, -0.0, float("nan"), "low", "l\u00f6w\U0001f600", "", "x" * 300)),
    *(Literal(text, lang=language) for text, language in (("low", "en"), ("low", "EN"), ("low", "de"))),
    *(Literal(text, datatype=URIRef(f"{XSD}integer"), normalize=False) for text in ("05", "5", "five")),
    *(Literal(text, datatype=URIRef(f"{XSD}boolean"), normalize=False) for text in ("1", "true")),
    *(Literal(text, datatype=URIRef(f"{XSD}double"), normalize=False) for text in ("1.5", "1.5E0", "-0")),
    Literal("PT60M", datatype=URIRef(f"{XSD}duration"), normalize=False),
    *(
        Literal(text, datatype=URIRef(f"{XSD}decimal"), normalize=False)
        for text in ("5", "5.50", "5.5", "0.1")
    ),
    Literal("P1DT2H", datatype=URIRef(f"{XSD}dayTimeDuration")),
    Literal("2026-03-02T08:00:00Z", datatype=URIRef(f"{XSD}dateTime"), normalize=False),
    Literal("low", datatype=URIRef("urn:type")),
    BNode("b"),
)


def in_columns(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(OpenInstant, "take", lambda _: False)


def by_prolog(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(DirectInstant, "takes", staticmethod(lambda _: False))


def results(actions: list[Action], **options: Any) -> list[Any]:
    """What each action gives or raises, and all that can be seen after it."""
    found: list[Any] = []
    called: list[Any] = []
    with Engine(**options) as engine:
        for action in actions:
            try:
                value = action(engine)
            except EtalisError as error:
                value = str(error)
            seen = engine.clock, engine.late, list(engine.matches()), list(called)
            found.append((value, seen, repr(seen)))  # which tells -0.0 from 0.0, and 5 from Fraction(5, 1)
    found.append(list(engine.matches()))
    return found


def assert_same(monkeypatch: pytest.MonkeyPatch, actions: list[Action], **options: Any) -> list[Any]:
    one_by_one = results(actions, **options)
    for way in (by_prolog, in_columns):
        with monkeypatch.context() as patch:
            way(patch)
            other = results(actions, **options)
        assert str(other) == str(one_by_one)
    return one_by_one


def random_action(chance: random.Random, now: list[int], names: list[str]) -> Action:
    now[0] += chance.choice([0, 0, 0, 1, 1, 2, 9])
    end = now[0] * S
    start = end - chance.choice([0, 0, 0, S])
    x, y = (URIRef(f"urn:{chance.choice('abc')}") for _ in range(2))
    p = URIRef(f"urn:{chance.choice('pqrz')}")
    stream = chance.choice([None, None, URIRef("urn:s"), URIRef("urn:etalis:default")])
    graph = chance.choice([None, None, BNode("g"), URIRef("urn:g")])
    z = chance.choice([y, y, *OBJECTS])
    match chance.randrange(18):
        case 0:
            return lambda engine: engine.advance(end)
        case 1:
            now[0] += 1
            return lambda engine: engine.advance(end + 1)
        case 2:
            rows = [(now[0] + step, "abc"[step], "pq"[step % 2], "abc"[-step]) for step in range(3)]
            now[0] += 2
            return lambda engine: engine.send_batch(table(rows))
        case 3:
            return lambda engine: engine.send(x, p, y, end - 2 * S)  # late
        case 4 if len(names) < 10:
            names.append(f"more-{len(names)}")
            query, name = chance.choice(QUERIES), names[-1]
            policy = chance.choice([None, "chronological", "recent"])
            return lambda engine: engine.register(query, name=name, policy=policy)
        case 5:
            return lambda engine: (list(engine.matches()), engine.snapshot())
        case 6:
            return lambda engine: (list(engine.matches()), engine.changes())
        case 7:
            return lambda engine: sorted(map(str, engine.prolog("waiting(Q, F, B, S, E)")))
        case 8:
            triples = [(x, p, y), (y, p, x), (x, p, Literal(chance.randrange(5)))]
            return lambda engine: engine.send_element(triples, start, end, stream=stream, graph=graph)
        case 9 | 10 | 11:
            return lambda engine: engine.send(x, p, z, start, end, stream=stream, graph=graph)
        case _:
            return lambda engine: engine.send(x, p, z, end)


@pytest.mark.parametrize("seed", range(30))
@pytest.mark.parametrize("on_late", ["error", "drop"])
def test_random_calls(monkeypatch: pytest.MonkeyPatch, seed: int, on_late: Any) -> None:
    chance = random.Random(seed)
    names: list[str] = []
    monkeypatch.setattr(known_terms, "_MOST_TERMS", chance.choice([3, 10, 10_000]))
    monkeypatch.setattr(direct_instant, "_ROOM", chance.choice([8, 1_000]))
    actions: list[Action] = [
        lambda engine, query=query, name=str(number): engine.register(query, name=name)
        for number, query in enumerate(chance.sample(QUERIES, 3))
    ]
    if seed % 5 == 0:
        actions.append(lambda engine: engine.register(STEPPED, name="stepped"))
    now = [10]
    actions += [random_action(chance, now, names) for _ in range(60)]
    actions.append(lambda engine: engine.finish())
    actions += [random_action(chance, now, names) for _ in range(10)]
    found = assert_same(monkeypatch, actions, on_late=on_late, record_changes=True)
    assert any(each[1][2] for each in found[:-1])
    assert not any("EP101" in str(each[0]) or "EP2" in str(each[0])[:4] for each in found[:-1])


def raising(called: list[Any]) -> Callable[[Any], None]:
    """A callback that raises at each third match."""

    def on_match(match: Any) -> None:
        called.append(match)
        if len(called) % 3 == 0:
            raise ValueError(len(called))

    return on_match


@pytest.mark.parametrize("seed", range(10))
def test_random_calls_with_background_limits_and_callbacks_that_raise(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, seed: int
) -> None:
    background = tmp_path / "background.ttl"
    background.write_text(
        "@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> . @prefix : <urn:> ."
        ":r rdfs:subPropertyOf :p . :q rdfs:range :Ended . :a :in :b . :b :in :c ."
    )
    queries = (
        *QUERIES[:4],
        "PREFIX : <urn:> SELECT ?x ?z { ?x :p ?y . ?y :in ?z }",
        "PREFIX : <urn:> SELECT ?x ?z { { ?x a :Ended } SEQ { ?z :p ?x } }",
        "PREFIX : <urn:> ASK { ?x :p ?y }",
    )
    found = []
    for way in (None, by_prolog, in_columns):
        with monkeypatch.context() as patch:
            if way is not None:
                way(patch)
            chance, now, called = random.Random(seed), [10], []
            with Engine(background=background, max_answers_per_instant=9) as engine:
                for number, query in enumerate(chance.sample(queries, 4)):
                    on_match = raising(called) if number % 2 else None
                    engine.register(query, name=str(number), on_match=on_match)
                seen = []
                for action in [random_action(chance, now, ["full"] * 10) for _ in range(60)]:
                    try:
                        action(engine)
                    except (EtalisError, ValueError) as error:
                        seen.append(str(error))
                    seen.append((engine.clock, list(engine.matches()), len(called)))
                engine.discard()
            found.append(str((seen, called)))
    assert found[0] == found[1] == found[2]
    assert "Match" in found[0]


def send(x: str, p: str, y: str, second: int) -> Action:
    return lambda engine: engine.send(URIRef(f"urn:{x}"), URIRef(f"urn:{p}"), URIRef(f"urn:{y}"), second * S)


@pytest.mark.parametrize(
    ("query", "way"),
    [
        (QUERIES[0], "close_directly"),
        ("SELECT ?y { ?x <urn:p>/<urn:p>* ?y }", "close_instant"),
    ],
)
def test_native_code_or_prolog_is_called_once_an_instant(
    monkeypatch: pytest.MonkeyPatch, query: str, way: str
) -> None:
    calls: list[str] = []
    real = prolog.native

    def native(function: Any, *inputs: Any) -> Any:
        is_of_prolog = isinstance(inputs[0], str)
        calls.append(inputs[1] if is_of_prolog else function.__name__)
        return real(function, *inputs)

    with Engine() as engine:
        engine.register(query)
        engine.advance(0)
        for x in "abc":
            send(x, "p", "b", 1)(engine)
        engine.advance(1 * S + 1)
        monkeypatch.setattr(prolog, "native", native)
        for second in range(2, 5):
            for x in "abc":
                send(x, "p", "b", second)(engine)
            engine.advance(second * S + 1)
        assert calls == [way] * 3
        monkeypatch.setattr(prolog, "native", real)


def test_a_match_is_called_back_by_the_call_that_closes_its_instant() -> None:
    found: list[int] = []
    with Engine() as engine:
        engine.register("SELECT ?x { ?x <urn:p> ?y }", on_match=lambda match: found.append(match.end // S))
        send("a", "p", "b", 1)(engine)
        assert found == []
        send("a", "p", "b", 2)(engine)
        assert found == [1]
        engine.advance(2 * S)
        assert found == [1]
        engine.advance(2 * S + 1)
        assert found == [1, 2]


def test_a_callback_may_send() -> None:
    with Engine() as engine:

        def again(match: Any) -> None:
            if match.end < 5 * S:
                send("a", "p", "b", match.end // S + 1)(engine)
                engine.advance(match.end + S + 1)

        engine.register("SELECT ?x { ?x <urn:p> ?y }", name="one", on_match=again)
        engine.register("SELECT ?x { ?x <urn:p> ?y }", name="two")
        send("a", "p", "b", 1)(engine)
        engine.advance(1 * S + 1)
        assert [match.end // S for match in engine.matches("two")] == [1, 2, 3, 4, 5]


def test_an_instant_with_many_answers_leaves_in_portions(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(feeding, "MOST_ANSWERS_AT_ONCE", 10)
    cross = "SELECT ?a ?b { ?a <urn:p> ?x . ?b <urn:q> ?x }"
    actions: list[Action] = [lambda engine: engine.register(cross, name="q")]
    for second in (1, 2):
        actions += [send(f"{which}{number}", which, "x", second) for which in "pq" for number in range(8)]
    actions += [lambda engine: engine.advance(3 * S)]
    with pytest.warns(match="EW65"):
        found = assert_same(monkeypatch, actions)
    assert sum(len(each[1][2]) for each in found[:-1]) == 4 * 64


def test_a_state_of_a_rules_file_follows(monkeypatch: pytest.MonkeyPatch, tmp_path: Any) -> None:
    rules = tmp_path / "on.pl"
    rules.write_text(":- state(on(X), begins('?X <urn:p> ?y'), ends('?X <urn:q> ?y')).\n", encoding="utf-8")

    def ask(engine: Engine) -> list[str]:
        return sorted(map(str, engine.prolog("on(X)")))

    actions = [send("a", "p", "b", 1), ask, send("b", "p", "b", 2), ask, send("a", "q", "b", 3), ask]
    actions += [lambda engine: engine.advance(5 * S), ask]
    found = assert_same(monkeypatch, actions, rules=rules)
    assert [len(each[0]) for each in found[1:-1:2]] == [0, 1, 2, 1]


def test_a_problem_names_the_event_that_closed_the_instant(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Any
) -> None:
    rules = tmp_path / "bad.pl"
    rules.write_text("bad(X) :- Y is X + a, Y > 0.\n", encoding="utf-8")

    def query(engine: Engine) -> object:
        return engine.register("SELECT ?x { ?x <urn:p> ?y FILTER(prolog:bad(?x)) }")

    for last in (send("a", "q", "b", 2), lambda engine: engine.advance(2 * S)):
        found = assert_same(
            monkeypatch, [query, send("a", "p", "b", 1), last, send("a", "p", "b", 3)], rules=rules
        )
        assert "EP301" in found[2][0]
        assert "EP303" in found[3][0]


def test_an_instant_that_takes_long_can_be_ended() -> None:
    joined = "?a :p ?w . ?b :q ?x . ?c :r ?y . ?d :p ?z"
    query = f"PREFIX : <urn:> SELECT * {{ {joined} FILTER (?w + ?x + ?y + ?z < 0) }}"
    with Engine() as engine:
        engine.register(query)
        engine.advance(0)
        for number in range(200):
            for p in "pqr":
                engine.send(URIRef(f"urn:{number}"), URIRef(f"urn:{p}"), Literal(number), 1)
        with pytest.raises(TimeoutError), INTERRUPTION.checked(TimeoutError):
            engine.advance(2)
        assert engine.failure == "a call was interrupted by TimeoutError"
        with pytest.raises(RunTimeError, match="EP303"):
            send("c", "p", "b", 3)(engine)
        engine.discard()


@pytest.mark.parametrize("when", ["before", "after"])
def test_a_call_that_is_broken_off_fails(monkeypatch: pytest.MonkeyPatch, when: str) -> None:
    real = prolog.native

    def native(function: Any, *inputs: Any) -> Any:
        if when == "after":
            real(function, *inputs)
        raise KeyboardInterrupt

    with Engine() as engine:
        engine.register("SELECT ?x { ?x <urn:p> ?y }")
        for second in range(3):
            send("a", "p", "b", second)(engine)
        with monkeypatch.context() as patch:
            patch.setattr(prolog, "native", native)
            with pytest.raises(KeyboardInterrupt):
                send("a", "p", "b", 3)(engine)
        assert [match.end // S for match in engine.matches()] == [0, 1]
        with pytest.raises(RunTimeError, match="EP303"):
            engine.advance(9 * S)
        engine.discard()


def test_late_and_wrong_events_leave_it_as_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    with Engine() as engine:
        engine.register("SELECT ?x { ?x <urn:p> ?y }")
        send("a", "p", "b", 2)(engine)
        with pytest.raises(DataError, match="EP413"):
            send("b", "p", "b", 1)(engine)
        with pytest.raises(DataError, match="EP407"):
            engine.send("a", "p", "b", 2 * S)  # type: ignore[arg-type]
        send("c", "p", "b", 2)(engine)
        engine.finish()
        assert sorted(match.values[0] for match in engine.matches()) == ["urn:a", "urn:c"]
    with pytest.raises(RunTimeError, match="EP303"):
        send("c", "p", "b", 3)(engine)

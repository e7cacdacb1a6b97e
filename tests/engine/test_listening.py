"""Rows that no rule hears are left out, and nothing else changes: answers, errors, the clock, the state."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from etalis_py import Engine
from etalis_py.core.errors import EtalisError
from etalis_py.embedding import prolog
from etalis_py.engine import listening
from etalis_py.engine.feeding import Feed
from etalis_py.engine.listening import Listening
from etalis_py.streams import heard
from tests.engine.conftest import table

S = 1_000_000
QUERIES = (
    """PREFIX : <urn:> SELECT * {
        { ?x :p ?y } SEQ { ?x :q ?z } FILTER (getDURATION() < 'PT9S'^^xsd:duration)
    }""",
    "PREFIX : <urn:> SELECT ?x { ?x a :C }",
    "PREFIX : <urn:> SELECT ?x ?y { { ?x :p ?y } OPTIONAL { ?x a :D } }",
    "PREFIX : <urn:> CONSTRUCT { ?x :r ?y } { ?x :q ?y } ;; PREFIX : <urn:> SELECT ?x { ?x :r ?y }",
    "PREFIX : <urn:> SELECT ?x { STREAM :s { ?x :p ?y } }",
    "PREFIX : <urn:> SELECT ?x { STREAM <urn:etalis:default> { ?x ?p ?y } }",
    "PREFIX : <urn:> SELECT ?x ?g { EVENT ?g { ?x :q ?y } }",
    "PREFIX : <urn:> SELECT ?x ?s { STREAM ?s { ?x a :D } }",
    "PREFIX : <urn:> SELECT ?x (COUNT(*) AS ?n) { ?x :p ?y } GROUP BY ?x WINDOW [RANGE PT3S]",
    "PREFIX : <urn:> SELECT ?x { ?x :p/:q ?y }",
)
WIDE = (
    "PREFIX : <urn:> SELECT ?x ?p { ?x ?p :b }",
    "PREFIX : <urn:> SELECT (COUNT(*) AS ?n) { ?x :p ?y } WINDOW [RANGE PT3S STEP PT2S]",
)
RDFS = """@prefix : <urn:> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
:z1 rdfs:subPropertyOf :p . :z2 rdfs:domain :C . :z3 rdfs:range :D . :E rdfs:subClassOf :C .
:F rdfs:subClassOf :E .
:z4 rdfs:subPropertyOf <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> ."""
PREDICATES = (*"pqr", "<http://www.w3.org/1999/02/22-rdf-syntax-ns#type>", *(f"z{n}" for n in range(9)))
OBJECTS = (*"bCDEFG", 5, '"t"')
Send = Callable[[Engine, dict[str, list[Any]]], None]


def as_lists(engine: Engine, columns: dict[str, list[Any]]) -> None:
    engine.send_batch(columns)


def as_text(engine: Engine, columns: dict[str, list[Any]]) -> None:
    engine.send_batch(pa.table(columns))


def as_dictionaries(engine: Engine, columns: dict[str, list[Any]]) -> None:
    arrow = pa.table(columns)
    names = [name for name in arrow.schema.names if arrow.column(name).type == pa.string()]
    for name in names:
        place = arrow.schema.get_field_index(name)
        arrow = arrow.set_column(place, name, arrow.column(name).dictionary_encode())
    engine.send_batch(arrow)


def rows_of(chance: random.Random, now: list[int], count: int) -> dict[str, list[Any]]:
    rows = []
    for _ in range(count):
        now[0] += chance.choice([0, 0, 1, 1, 1, 5])
        end = now[0] - (3 if chance.random() < 0.003 else 0)
        row = ((end - chance.choice([0, 0, 1]), end), chance.choice("abc"), chance.choice(PREDICATES))
        rows.append((*row, chance.choice(OBJECTS)))
    columns = table(rows)
    if chance.random() < 0.5:
        columns["stream"] = [chance.choice([None, "<urn:s>", "<urn:t>"]) for _ in rows]
    if chance.random() < 0.2:
        columns["graph"] = [chance.choice([None, f"<urn:g{end}-{start}>"])
                            for start, end in zip(columns["start"], columns["end"], strict=True)]  # fmt: skip
    if chance.random() < 0.05:
        columns["o"][chance.randrange(count)] = "bad"
    return columns


def results(seed: int, send: Send, options: dict[str, Any]) -> list[Any]:
    chance = random.Random(seed)
    found: list[Any] = []
    now = [10]
    queries = chance.sample(QUERIES, 3) + ([chance.choice(WIDE)] if seed % 7 == 0 else [])
    later = chance.choice(QUERIES)
    with Engine(**options) as first, Engine(**options) as second:
        engine = first
        for number, query in enumerate(queries):
            first.register(query, name=f"q{number}")
            second.register(query, name=f"q{number}")
        second.register(later, name="later")
        for step in range(12):
            if step == 6:
                first.register(later, name="later")
            elif step == 9:
                found.append([repr(each) for each in first.matches()])
                second.restore([first.snapshot()])
                engine = second
            try:
                send(engine, rows_of(chance, now, chance.choice([1, 5, 40, 150])))
            except EtalisError as error:
                found.append(str(error))
            found.append((engine.clock, engine.late, [repr(each) for each in engine.matches()]))
            if chance.random() < 0.2:
                engine.advance(now[0] * S + 1)
            if chance.random() < 0.05:
                engine.finish()
        engine.finish()
        found.append([repr(each) for each in engine.matches()])
    return found


@pytest.fixture
def schema(tmp_path: Path) -> Path:
    path = tmp_path / "schema.ttl"
    path.write_text(RDFS, encoding="utf-8")
    return path


@pytest.mark.parametrize("send", [as_lists, as_text, as_dictionaries])
@pytest.mark.parametrize("entailment", ["none", "rdfs"])
@pytest.mark.parametrize("seed", range(20))
def test_nothing_changes(
    monkeypatch: pytest.MonkeyPatch, schema: Path, seed: int, entailment: str, send: Send
) -> None:
    options = {
        "background": [schema],
        "entailment": entailment,
        "on_late": "drop" if seed % 2 else "error",
        "recall": seed % 11 == 0,
    }
    with monkeypatch.context() as patch:
        patch.setattr(Listening, "hears_anything", property(lambda _: True))
        expected = results(seed, as_lists, options)
    if seed % 4:
        monkeypatch.setattr(heard, "MOST_NEEDED", 1.0)  # each look pays
    assert results(seed, send, options) == expected


@pytest.fixture
def crossing(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[int]]:
    """How many rows each walk gets."""
    counts: list[int] = []
    real = Feed._walk

    def walk(self: Feed, batch: Any, *inputs: Any) -> Iterator[None]:
        if batch is not None:
            counts.append(len(batch))
        return real(self, batch, *inputs)

    monkeypatch.setattr(Feed, "_walk", walk)
    return iter([counts])


COUNT = 20_000


def stream(**columns: Any) -> dict[str, list[Any]]:
    plain: dict[str, Any] = {
        "start": [1000 * S + number for number in range(COUNT)],
        "s": ["<urn:a>"] * COUNT,
        "p": ["<urn:z>"] * COUNT,
        "o": ["<urn:b>"] * COUNT,
    }
    return plain | {name: [each(number) for number in range(COUNT)] for name, each in columns.items()}


TYPE = "<http://www.w3.org/1999/02/22-rdf-syntax-ns#type>"


@pytest.mark.parametrize("send", [as_lists, as_text, as_dictionaries])
@pytest.mark.parametrize(
    ("query", "columns", "count"),
    [
        ("{ ?x <urn:p> ?y }", {}, 0),
        ("{ ?x <urn:p> ?y }", {"p": lambda n: "<urn:p>" if n % 100 == 0 else "<urn:z>"}, COUNT // 100),
        (
            "{ ?x a <urn:C> }",
            {"p": lambda _: TYPE, "o": lambda n: f"<urn:{'C' if n % 50 == 0 else n % 9}>"},
            COUNT // 50,
        ),
        (
            "{ STREAM <urn:s> { ?x ?p ?y } }",
            {"stream": lambda n: f"<urn:{'s' if n % 50 == 0 else 't'}>"},
            COUNT // 50,
        ),
        ("{ ?x ?p ?y }", {}, COUNT),
        ("{ ?x !<urn:p> ?y }", {}, COUNT),
    ],
)
def test_what_crosses(
    crossing: Iterator[list[int]], send: Send, query: str, columns: dict[str, Any], count: int
) -> None:
    counts = next(crossing)
    with Engine() as engine:
        engine.register(f"SELECT ?x {query}", name="q")
        as_lists(engine, {name: column[:1] for name, column in stream().items()})
        counts.clear()
        send(engine, stream(**columns))
        assert engine.clock == 1000 * S + COUNT - 1
        engine.finish()
        found = sum(1 for _ in engine.matches())
    assert count <= sum(counts) <= min(count + 20, COUNT)
    assert found >= count


def test_some_rows_tell_that_a_look_does_not_pay(monkeypatch: pytest.MonkeyPatch) -> None:
    looked: list[int] = []
    real = Listening._needed

    def needed(self: Listening, *inputs: Any) -> Any:
        looked.append(len(inputs[-1]))
        return real(self, *inputs)

    monkeypatch.setattr(Listening, "_needed", needed)
    with Engine() as engine:
        engine.register("SELECT ?x { ?x a <urn:C> }", name="q")
        as_lists(engine, stream(p=lambda _: TYPE, o=lambda n: f"<urn:{'D' if n % 3 == 0 else 'C'}>"))
        engine.finish()
        assert len(list(engine.matches())) == COUNT - len(range(0, COUNT, 3))
    assert len(looked) == 1
    assert looked[0] <= listening.ENOUGH


def test_a_query_that_is_added_hears_the_open_instant() -> None:
    with Engine() as engine:
        engine.register("SELECT ?x { ?x <urn:p> ?y }", name="q")
        as_dictionaries(
            engine, table([(1, "a", "p", "b"), (1, "a", "z", "b"), (2, "a", "z", "b"), (2, "b", "z", "b")])
        )
        engine.register("SELECT ?x { ?x <urn:z> ?y }", name="z")
        engine.finish()
        assert [match.values for match in engine.matches("z")] == [("urn:a",), ("urn:b",)]


def test_time_passes() -> None:
    with Engine() as engine:
        engine.register("SELECT ?x { ?x <urn:p> ?y }", name="q")
        as_lists(engine, table([(1, "a", "p", "b")]))
        as_dictionaries(engine, table([(2, "a", "z", "b"), (3, "a", "z", "b")]))
        assert [match.end for match in engine.matches()] == [S]
        with pytest.raises(EtalisError, match="EP413"):
            as_dictionaries(engine, table([(2, "a", "z", "b"), (4, "a", "z", "b")]))


def test_prolog_is_asked_once_about_a_predicate(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []
    real = prolog.call

    def call(module: str, predicate: str, *inputs: Any) -> Any:
        if module == "etalis_listening":
            asked.extend(inputs[1])
        return real(module, predicate, *inputs)

    monkeypatch.setattr(prolog, "call", call)
    with Engine() as engine:
        engine.register("SELECT ?x { ?x <urn:p> ?y }", name="q")
        for second in range(1, 9):
            as_dictionaries(engine, table([(second, "a", "z", "b"), (second, "a", "y", "b")]))
    assert sorted(asked) == ["urn:y", "urn:z"]

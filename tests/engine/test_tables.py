"""Answers as Arrow tables are those that matches tell."""

from __future__ import annotations

import random
from collections.abc import Iterator
from datetime import datetime, timedelta, timezone
from typing import Any

import pyarrow as pa
import pytest

from etalis_py import Engine, Match, UsageError
from etalis_py.core.terms import ntriples
from tests.engine.test_native_answers import QUERIES, XSD, batch, in_prolog

EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)
FORMS = {"graph": ("s", "p", "o"), "asked": ()}
TERM = pa.dictionary(pa.int32(), pa.string())


def engine_of(events: list[Any], **options: Any) -> Engine:
    engine = Engine(**options)
    for name, query in QUERIES.items():
        engine.register(query, name=name)
    for each in events:
        engine.send_batch(each)
    engine.finish()
    return engine


def rows_of(match: Match) -> Iterator[tuple[Any, ...]]:
    """The rows that a table has for a match."""
    times = tuple(EPOCH + timedelta(microseconds=each) for each in (match.start, match.end))
    if match.encoded_triples is not None:
        yield from ((*times, *map(ntriples, triple)) for triple in match.encoded_triples)
    else:
        yield (*times, *(None if term is None else ntriples(term) for term in match.values))


def rows_of_table(table: pa.Table) -> list[tuple[Any, ...]]:
    return list(zip(*(column.to_pylist() for column in table.columns), strict=True))


def some_batches(many: int = 1_200) -> list[Any]:
    """Of all kinds of terms: large portions, and small ones."""
    chance = random.Random(11)
    return [
        batch(chance, first, rows) for first, rows in ((-50, 60), (1_000, many), (10_000, 2), (20_000, 3))
    ]


@pytest.mark.parametrize("trace", [False, True])
def test_tables_are_as_matches(trace: bool) -> None:
    events = some_batches(300 if trace else 1_200)
    with engine_of(events, trace=trace) as one, engine_of(events, trace=trace) as other:
        for name in reversed(QUERIES):
            table = one.table(name)
            names = FORMS.get(name, one.query(name).variables)
            assert table.schema.names == ["start", "end", *names]
            assert {each.type for each in table.schema} <= {pa.timestamp("us", "UTC"), TERM}
            assert rows_of_table(table) == [row for match in other.matches(name) for row in rows_of(match)]
            assert one.table(name).num_rows == 0  # each is given once
        assert list(one.matches()) == []


@pytest.mark.parametrize("trace", [False, True])
def test_the_tables_of_all_queries_are_those_of_each(trace: bool) -> None:
    events = some_batches(300 if trace else 1_200)
    with engine_of(events, trace=trace) as one, engine_of(events, trace=trace) as other:
        tables = one.tables(columns={"n": "double"})
        assert list(tables) == [name for name in QUERIES if name in tables]
        rows = 0
        for name in QUERIES:
            table = other.table(name, columns={"n": "double"} if "n" in other.query(name).variables else {})
            assert (name in tables) == (table.num_rows > 0)
            if name in tables:
                rows += table.num_rows
                assert tables[name].schema == table.schema
                assert rows_of_table(tables[name]) == rows_of_table(table)
        assert tables.num_rows == rows
        assert one.tables() == {}


def many_queries() -> Engine:
    engine = Engine()
    for number in range(12):
        engine.register(f"SELECT ?x ?y {{ ?x <urn:p{number}> ?y }}", name=f"pair-{number}")
        engine.register(f"SELECT ?y {{ ?x <urn:p{number}> ?y }}", name=f"single-{number}")
        engine.register(f"ASK {{ ?x <urn:p{number}> 5 }}", name=f"asked-{number}")
    return engine


def test_tables_of_many_queries_have_the_rows_of_their_own() -> None:
    chance = random.Random(7)
    rows = 300
    events = {
        "start": sorted(chance.randrange(300) for _ in range(rows)),
        "s": [f"<urn:s{chance.randrange(20)}>" for _ in range(rows)],
        "p": [f"<urn:p{chance.randrange(10)}>" for _ in range(rows)],
        "o": [
            chance.choice(["<urn:o>", '"x"', f'"5"^^<{XSD}integer>', f'"6"^^<{XSD}integer>'])
            for _ in range(rows)
        ],
    }
    with many_queries() as one, many_queries() as other:
        for engine in (one, other):
            engine.send_batch(events)
            engine.finish()
        tables = one.tables()
        assert len(tables) > 25
        for name, table in tables.items():
            assert rows_of_table(table) == [row for match in other.matches(name) for row in rows_of(match)]
        assert list(other.matches()) == []


def test_without_the_native_library_tables_are_the_same() -> None:
    with engine_of(some_batches()) as native:
        tables = {name: native.table(name) for name in QUERIES}
    with in_prolog(), engine_of(some_batches()) as engine:
        for name, table in tables.items():
            assert rows_of_table(engine.table(name)) == rows_of_table(table)
    with engine_of(some_batches()) as native, in_prolog(), engine_of(some_batches()) as engine:
        others = engine.tables()
        assert {name: rows_of_table(table) for name, table in native.tables().items()} == {
            name: rows_of_table(table) for name, table in others.items()
        }


def test_a_dictionary_has_each_text_once_and_no_other() -> None:
    with engine_of(some_batches()) as engine:
        for name in QUERIES:
            table = engine.table(name).unify_dictionaries()
            for column in table.columns[2:]:
                texts = column.chunk(0).dictionary.to_pylist()
                assert sorted(texts) == sorted(set(texts))
                assert set(texts) == set(column.to_pylist()) - {None}


def test_there_is_a_table_before_the_first_answer() -> None:
    with Engine() as engine:
        engine.register("SELECT ?x ?n { ?x <urn:p> ?n }", name="all")
        engine.register("CONSTRUCT { ?x <urn:q> ?n } WHERE { ?x <urn:p> ?n }", name="made")
        engine.register("ASK { ?x <urn:p> ?n }", name="asked")
        assert engine.table("all", columns={"n": "int"}).schema.types[2:] == [TERM, pa.int32()]
        assert engine.table("made").column_names == ["start", "end", "s", "p", "o"]
        assert engine.table("asked").column_names == ["start", "end"]


def test_what_is_constructed_can_be_sent() -> None:
    with engine_of(some_batches()) as first, Engine() as second:
        second.register("SELECT * { ?x <urn:r> ?y }", name="all")
        made = first.table("graph").sort_by("end")
        second.send_batch(made)
        second.finish()
        assert second.table("all").num_rows > 100


def numbers(texts: list[str], kind: str | None) -> pa.Table:
    with Engine() as engine:
        engine.register("SELECT ?n { <urn:a> <urn:p> ?n }", name="all")
        count = len(texts)
        rows = {"start": list(range(count)), "s": ["<urn:a>"] * count, "p": ["<urn:p>"] * count, "o": texts}
        engine.send_batch(rows)
        engine.finish()
        return engine.table("all", columns={} if kind is None else {"n": kind})


def test_typed_columns() -> None:
    integers = [f'"{number}"^^<{XSD}integer>' for number in range(-5, 15)]
    doubles = [f'"{number}.5E0"^^<{XSD}double>' for number in range(10)]
    assert numbers(integers, "bigint")["n"].to_pylist() == list(range(-5, 15))
    assert numbers(integers, "double")["n"].to_pylist() == list(map(float, range(-5, 15)))
    assert numbers(doubles, "double")["n"].to_pylist() == [number + 0.5 for number in range(10)]
    mixed = numbers([*integers, '"x"', "<urn:b>", *doubles], "tinyint")
    assert mixed["n"].type == pa.int8()
    assert mixed["n"].to_pylist() == [*range(-5, 15), *[None] * 12]


def test_terms_that_are_equal_numbers_stay_apart() -> None:
    texts = [f'"{text}"^^<{XSD}{kind}>' for text, kind in (
        ("0.0E0", "double"), ("-0.0E0", "double"), ("0", "integer"), ("00", "integer"), ("0.0", "decimal"),
        ("false", "boolean"), ("NaN", "double"), ("9223372036854775808", "integer"), ("x", "integer"),
    )] * 2  # fmt: skip
    assert numbers(texts, None)["n"].to_pylist() == texts


def test_names_of_times_that_variables_have() -> None:
    with Engine() as engine:
        engine.register("SELECT ?start { ?start <urn:p> ?end }", name="all")
        assert engine.table("all").column_names == ["_start", "end", "start"]


def test_answers_of_others_wait() -> None:
    with engine_of(some_batches()) as engine, engine_of(some_batches()) as other:
        engine.table("rows")
        others = [repr(match) for match in other.matches() if match.query != "rows"]
        assert list(map(repr, engine.matches())) == others


def test_what_cannot_be_a_table_waits_to_be_taken() -> None:
    far = [batch(random.Random(4), first, 20) for first in (2**63 - 10, 2**70)]
    with engine_of(far) as engine:
        with pytest.raises(KeyError):
            engine.table("nothing")
        with pytest.raises(UsageError) as caught:
            engine.table("same", columns={"u": "int"})
        assert caught.value.code == "EP509"
        with pytest.raises(UsageError) as caught:
            engine.table("graph", columns={"s": "int"})
        assert caught.value.code == "EP509"
        with pytest.raises(UsageError) as caught:
            engine.table("same")
        assert caught.value.code == "EP528"
        with pytest.raises(UsageError) as caught:
            engine.tables()
        assert caught.value.code == "EP528"
        assert len(list(engine.matches("same"))) > 20


def test_queries_are_taken_one_after_the_other() -> None:
    """Those that are left wait on in their order."""
    with engine_of(some_batches(300)) as engine, engine_of(some_batches(300)) as other:
        rest = list(other.matches())
        for name in ("asked", "rows", "asked", "same"):
            taken = [match for match in rest if match.query == name]
            rest = [match for match in rest if match.query != name]
            assert list(map(repr, engine.matches(name))) == list(map(repr, taken))
            assert engine._deliveries.count == len(rest)
        assert list(map(repr, engine.matches())) == list(map(repr, rest))
        assert not engine._deliveries.waiting


def test_names_of_several_tables_of_atoms() -> None:
    """Native columns speak of at most some thousand names, then of others."""
    count = 30_000
    subjects = [f"<urn:{number}>" for number in range(count)]
    events = {"start": list(range(count)), "s": subjects, "p": ["<urn:p>"] * count, "o": subjects}
    with Engine() as engine:
        engine.register("SELECT ?x { ?x <urn:p> ?x }", name="rows")
        engine.register(
            "CONSTRUCT { ?x <urn:q> ?x . <urn:c> <urn:q> ?x } WHERE { ?x <urn:p> ?x }", name="made"
        )
        engine.send_batch(events)
        engine.finish()
        parts = engine.answers()
        rows = [match for match in parts.matches() if match.query == "rows"]
        made = [match for match in parts.matches() if match.query == "made"]
        assert [match.values for match in rows] == [(subject[1:-1],) for subject in subjects]
        assert [match.encoded_triples for match in made] == [
            tuple(sorted(((name, "urn:q", name), ("urn:c", "urn:q", name))))
            for (name,) in (m.values for m in rows)
        ]
        engine.send_batch({**events, "start": [count + each for each in events["start"]]})
        engine.finish()
        assert engine.table("rows")["x"].to_pylist() == subjects
        assert sorted(engine.table("made")["o"].to_pylist()) == sorted(subjects * 2)


def test_tables_of_many_queries_at_once() -> None:
    """More answers of different queries than are looked at one by one."""
    chance = random.Random(5)
    asked = [chance.randrange(40) for _ in range(500)]
    rows = {
        "start": list(range(500)),
        "s": ["<urn:s>"] * 500,
        "p": [f"<urn:p{each}>" for each in asked],
        "o": [f"<urn:o{each}>" for each in range(500)],
    }
    with Engine() as engine:
        for number in range(45):
            engine.register(f"SELECT ?o {{ ?s <urn:p{number}> ?o }}", name=f"q{number}")
        engine.send_batch(rows)
        engine.finish()
        tables = engine.tables()
    assert {name: table.column("o").to_pylist() for name, table in tables.items()} == {
        f"q{number}": [f"<urn:o{row}>" for row, each in enumerate(asked) if each == number]
        for number in sorted(set(asked))
    }

"""Answers that leave in native columns are those that Prolog encodes."""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any

import janus_swi  # noqa: TID251 - the switch between the two ways is Prolog's
import pytest

from etalis_py import Engine, Match
from etalis_py.embedding import prolog
from tests.engine import counting

XSD = "http://www.w3.org/2001/XMLSchema#"
SUBJECTS = ["<urn:a>", "<urn:ä>", "<urn:日本>", "<urn:𝄞>", "_:b"]
PREDICATES = ["<urn:p>", "<urn:p>", "<urn:q>"]
TERMS = [*SUBJECTS, *(each.replace("^^xsd:", f"^^<{XSD}") + ">" * ("^^xsd" in each) for each in (
     '"1"^^xsd:integer', '"-9"^^xsd:integer',
    '"9223372036854775807"^^xsd:integer', '"9223372036854775808"^^xsd:integer', '"007"^^xsd:integer',
    '"2.5"^^xsd:double', '"INF"^^xsd:double', '"NaN"^^xsd:double', '"1.50"^^xsd:decimal', '"x"', '"x\\ny"@en',
    '"7.25"^^xsd:decimal', '"-0.000000000000000001"^^xsd:decimal', '"12"^^xsd:decimal',
    '"0.1234567890123456789"^^xsd:decimal', '"99999999999999999999.5"^^xsd:decimal',
    '"true"^^xsd:boolean', '"2020-01-01T00:00:00Z"^^xsd:dateTime', '"?"^^<urn:own>',
))]  # fmt: skip
QUERIES = {
    "rows": "SELECT ?x ?y ?z { ?x <urn:p> ?y OPTIONAL { ?x <urn:q> ?z } }",
    "same": "SELECT ?y { ?x <urn:p> ?y }",
    "decimals": """SELECT ?x (AVG(?n) AS ?m) (SUM(?n) AS ?s) { ?x <urn:p> ?y BIND(STRLEN(STR(?x)) / 7 AS ?n) }
        GROUP BY ?x WINDOW [ROWS 9]""",
    "means": """SELECT ?x (AVG(?n) AS ?m) (SUM(?n) AS ?s) (COUNT(?n) AS ?c) (AVG(?d) AS ?e) {
        ?x <urn:p> ?y BIND(STRLEN(STR(?y)) * IF(STRLEN(STR(?x)) > 5, -1, 3) AS ?n)
        BIND(IF(STRLEN(STR(?y)) < 9, ?n, ?n * 0.5e0) AS ?d) } GROUP BY ?x WINDOW [ROWS 40]""",
    "none": "SELECT (COUNT(*) AS ?n) { ?x <urn:p> ?y } GROUP BY ?x",
    "order": "SELECT ?y { ?x <urn:p> ?y } ORDER BY DESC(?y)",
    "graph": "CONSTRUCT { ?y <urn:r> ?x . ?x <urn:r> ?y } { ?x <urn:p> ?y }",
    "asked": "ASK { ?x <urn:p> ?y }",
}


IS_NATIVE = "etalis_answers:is_native"


@contextmanager
def in_prolog() -> Iterator[None]:
    """Without native columns."""
    with counting.in_prolog():
        janus_swi.query_once(f"retract({IS_NATIVE})")
        try:
            yield
        finally:
            janus_swi.query_once(f"assertz({IS_NATIVE})")


def answers(batches: Iterable[Mapping[str, Any]], **options: Any) -> list[str]:
    with Engine(**options) as engine:
        for name, query in QUERIES.items():
            engine.register(query, name=name)
        for batch in batches:
            engine.send_batch(batch)
        engine.finish()
        return list(map(repr, engine.matches()))


def batch(chance: random.Random, first: int, rows: int) -> Mapping[str, Any]:
    starts = sorted(chance.randrange(first, first + rows) for _ in range(rows))
    columns = ([chance.choice(choices) for _ in starts] for choices in (SUBJECTS, PREDICATES, TERMS))
    return {"start": starts, **dict(zip("spo", columns, strict=True))}


@pytest.fixture(autouse=True)
def _has_compiler() -> None:
    prolog.load_runtime()
    if not janus_swi.query_once(IS_NATIVE)["truth"]:
        pytest.skip("there is no native library: no C compiler, or no cache")


@pytest.mark.parametrize("trace", [False, True])
def test_each_kind_of_term(trace: bool) -> None:
    chance = random.Random(3)
    batches = [batch(chance, first, 60) for first in (-50, 100, 2**62)]
    found = answers(batches, trace=trace)
    with in_prolog():
        expected = answers(batches, trace=trace)
    assert found == expected
    assert len(found) > 400


def test_times_beyond_64_bits() -> None:
    batches = [batch(random.Random(4), first, 20) for first in (2**63 - 10, 2**70)]
    found = answers(batches)
    with in_prolog():
        assert found == answers(batches)
    assert found


def test_the_table_of_atoms_begins_anew() -> None:
    numbers = range(40_000)
    with Engine() as engine:
        engine.register("SELECT ?x { ?x <urn:p> 1 }")
        rows = {"start": list(numbers), "s": [f"<urn:{number}>" for number in numbers]}
        one = '"1"^^<http://www.w3.org/2001/XMLSchema#integer>'
        engine.send_batch({**rows, "p": ["<urn:p>"] * len(numbers), "o": [one] * len(numbers)})
        engine.finish()
        assert [match.encoded["x"] for match in engine.matches()] == [f"urn:{number}" for number in numbers]


def means(sizes: Iterable[int]) -> list[dict[str, str]]:
    """Means of the last three values of each key, taken after each of these batches."""
    chance, first, found = random.Random(6), 0, []
    query = "SELECT ?x (AVG(?y) AS ?m) { ?x <urn:p> ?y } GROUP BY ?x WINDOW [ROWS 3]"
    with Engine() as engine:
        engine.register(query)
        for size in sizes:
            values = [f'"{chance.randrange(12)}"^^<{XSD}integer>' for _ in range(size)]
            keys, starts = [chance.choice(SUBJECTS[:3]) for _ in values], list(range(first, first + size))
            engine.send_batch({"start": starts, "s": keys, "p": ["<urn:p>"] * size, "o": values})
            found += [row for table in engine.tables().values() for row in table.to_pylist()]
            first += size
    return found


def test_decimals_come_again() -> None:
    """A few after many, and many after a few."""
    sizes = [900, 2, 1, 3, 900]
    found = means(sizes)
    with in_prolog():
        assert found == means(sizes)
    assert len({row["m"] for row in found}) < len(found) / 10


def test_each_thread_has_columns_of_its_own() -> None:
    batches = [batch(random.Random(seed), 0, 200) for seed in range(8)]
    expected = [answers([each]) for each in batches]
    with ThreadPoolExecutor(4) as threads:
        assert list(threads.map(lambda each: answers([each]), batches)) == expected


def each_alone(events: Mapping[str, Any]) -> list[list[str]]:
    """The answers of each query: those of one by a callback, of others taken one query after the other."""
    called: list[str] = []
    with Engine() as engine:
        for name, query in QUERIES.items():
            on_match = (lambda match: called.append(repr(match))) if name == "same" else None
            engine.register(query, name=name, on_match=on_match)
        engine.send_batch(events)
        engine.finish()
        others = [name for name in reversed(QUERIES) if name != "same"]
        return [called, *(list(map(repr, engine.matches(name))) for name in others)]


def test_answers_are_dealt_out_to_their_queries() -> None:
    events = batch(random.Random(5), 0, 1500)
    found = each_alone(events)
    with in_prolog():
        assert found == each_alone(events)
    together = answers([events])
    for own in found:
        name = own[0].partition(",")[0]
        assert own == [each for each in together if each.partition(",")[0] == name]


def answers_of_one_instant(seed: int) -> list[Match]:
    """Of queries whose answers begin with names of one instant, or with names and other terms."""
    chance = random.Random(seed)
    common = "urn:" + "long/" * chance.randrange(4)
    ends = ["", "", "é", "日"] if seed % 3 else [""]
    names = [
        f"<{common}{'x' * chance.randrange(12)}{chance.randrange(40)}{chance.choice(ends)}>"
        for _ in range(90)
    ]
    others = (
        names if seed % 2 else [chance.choice([name, "_:b", '"7"', f'"7"^^<{XSD}integer>']) for name in names]
    )
    with Engine() as engine:
        engine.register("SELECT ?x ?y { ?x <urn:p> ?y }", name="first")
        engine.register("SELECT ?y ?x { ?x <urn:p> ?y }", name="second")
        engine.send_batch({"start": [1] * 90, "s": names, "p": ["<urn:p>"] * 90, "o": others})
        engine.finish()
        return list(engine.matches())


@pytest.mark.parametrize("seed", range(12))
def test_many_answers_of_an_instant_are_in_the_order_of_prolog(seed: int) -> None:
    found = answers_of_one_instant(seed)
    assert len(found) > 100
    with in_prolog():
        assert answers_of_one_instant(seed) == found

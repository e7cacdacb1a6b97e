"""Answers in files come back as they went in, in the order of one engine (no Spark is started)."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from etalis_py.compiler.compile import CompiledQuery, compile_program
from etalis_py.engine.matches import Match
from etalis_py.spark_udfs.execution.text_answers import TextForm, read_answers

QUERIES = {
    "plain": "SELECT ?x { ?x <urn:p> ?y }",
    "ordered": "SELECT ?x { ?x <urn:p> ?y } ORDER BY DESC(?x)",
    "any": "ASK { ?x <urn:p> ?y }",
    "make": "CONSTRUCT { ?x <urn:q> ?y } { ?x <urn:p> ?y }",
}


def compiled() -> list[CompiledQuery]:
    return [each for name, text in QUERIES.items() for each in compile_program(text, name=name)]


def read_back(folder: Path, parts: Sequence[Sequence[Match]], merged: frozenset[str]) -> list[Match]:
    for number, part in enumerate(parts):
        pq.write_table(pa.Table.from_batches([TextForm().table(part)]), folder / f"{number}.parquet")
    return list(read_answers(folder, compiled(), merged))


def rows(name: str, end: int, *terms: str) -> list[Match]:
    return [Match(name, end, end, ("x",), (f"urn:{term}",)) for term in terms]


def test_every_form_comes_back(tmp_path: Path) -> None:
    answers = [
        *rows("plain", 1, "a"),
        Match("any", 1, 1, boolean=True),
        Match("make", 1, 1, encoded_triples=(("urn:a", "urn:q", "urn:b"),)),
    ]
    assert read_back(tmp_path, [answers], frozenset()) == answers


def test_rows_of_order_by_keep_their_order(tmp_path: Path) -> None:
    first = [
        *rows("ordered", 1, "c", "b", "a"),
        Match("ordered", 0, 2, ("x",), ("urn:z",)),
        *rows("ordered", 2, "a"),
    ]
    second = [*rows("plain", 1, "b"), *rows("plain", 2, "b")]
    third = [*rows("plain", 1, "a"), *rows("plain", 2, "a")]
    found = [
        (match.query, match.end, match.values[0])
        for match in read_back(tmp_path, [first, second, third], frozenset())
    ]
    assert found == [
        ("plain", 1, "urn:a"), ("plain", 1, "urn:b"),
        ("ordered", 1, "urn:c"), ("ordered", 1, "urn:b"), ("ordered", 1, "urn:a"),
        ("plain", 2, "urn:a"), ("plain", 2, "urn:b"),
        ("ordered", 2, "urn:z"), ("ordered", 2, "urn:a"),
    ]  # fmt: skip


def test_what_several_parts_find_is_one_answer(tmp_path: Path) -> None:
    yes = [Match("any", 1, 1, boolean=True)]
    assert read_back(tmp_path, [yes, yes], frozenset({"any"})) == yes

"""CSV, NDJSON and Parquet: the same events from each, hostile terms unharmed, rows before a bad one first."""

from __future__ import annotations

import csv
import gzip
import json
from collections.abc import Callable, Iterator
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from rdflib import URIRef

from etalis_py import Engine
from etalis_py.core.errors import DataError, EtalisError, UsageError
from etalis_py.core.terms import ntriples
from etalis_py.core.vocabulary import XSD_INTEGER, XSD_STRING
from etalis_py.streams import Batch, concat, open_stream
from etalis_py.streams.table import TableReader

Drain = Callable[[Iterator[Batch]], tuple[list[Batch], DataError]]
Row = dict[str, Any]
HOSTILE = [
    "'), halt, (",
    'a "quoted", text\n\r',
    "NUL\0",
    "😀\u2028\u0085",
    "\u202e\u05e9\u05dc\u05d5\u05dd",
    "x" * 200_000,
    "\\",
    "",
]


def write_csv(rows: list[Row], folder: Path) -> Path:
    path = folder / "events.csv"
    with path.open("w", newline="", encoding="utf-8") as out:
        writer = csv.DictWriter(out, rows[0])
        writer.writeheader()
        writer.writerows(rows)
    return path


def write_ndjson(rows: list[Row], folder: Path) -> Path:
    path = folder / "events.ndjson"
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")
    return path


def write_parquet(rows: list[Row], folder: Path) -> Path:
    path = folder / "events.parquet"
    pq.write_table(pa.Table.from_pylist(rows), path)
    return path


every_format = pytest.mark.parametrize("write", [write_csv, write_ndjson, write_parquet])


def occurrences(batches: list[Batch]) -> list[tuple[Any, ...]]:
    return [row for b in batches for row in zip(b.start, b.end, b.s, b.p, b.o, strict=True)]


@every_format
def test_hostile_terms_come_out_as_they_went_in(write: Callable[..., Path], tmp_path: Path) -> None:
    rows = [
        {"start": "5", "s": ntriples("urn:" + text), "p": "<urn:p>", "o": ntriples((text, XSD_STRING))}
        for text in HOSTILE
    ]
    read = occurrences(list(open_stream(write(rows, tmp_path))))
    assert read == [(5, 5, "urn:" + text, "urn:p", (text, XSD_STRING)) for text in HOSTILE]


@every_format
def test_times_end_and_graph(write: Callable[..., Path], tmp_path: Path) -> None:
    triple = {"s": "_:b", "p": "<urn:p>", "o": f'"5"^^<{XSD_INTEGER}>'}
    rows = [
        {"start": "1970-01-01T00:00:01Z", "end": "2000000", **triple, "graph": "<urn:g>"},
        {"start": "3", "end": None, **triple, "graph": None},
    ]
    batch = concat(list(open_stream(write(rows, tmp_path))))
    assert (list(batch.start), list(batch.end)) == ([1_000_000, 3], [2_000_000, 3])
    assert list(batch.graph or ()) == ["urn:g", None]
    assert (list(batch.s), list(batch.o)) == (["_:b"] * 2, [(5, XSD_INTEGER)] * 2)


@every_format
def test_rows_before_a_bad_one_come_first(write: Callable[..., Path], tmp_path: Path, drain: Drain) -> None:
    rows = [{"start": str(n), "s": "<urn:s>", "p": "<urn:p>", "o": "<urn:o>"} for n in range(10)]
    rows[7]["o"] = "<urn:o"
    got, error = drain(open_stream(write(rows, tmp_path), batch_rows=4))
    assert [end for batch in got for end in batch.end] == list(range(7))
    assert "row 8: column 'o': the term is an IRI without a closing >" in str(error)


@every_format
def test_an_order_of_columns_and_others_between(write: Callable[..., Path], tmp_path: Path) -> None:
    rows = [{"note": "?", "o": "<urn:o>", "p": "<urn:p>", "s": "<urn:s>", "start": "1"}]
    assert occurrences(list(open_stream(write(rows, tmp_path)))) == [(1, 1, "urn:s", "urn:p", "urn:o")]


def test_timestamps_of_arrow(tmp_path: Path) -> None:
    times = pa.array([1, 2], pa.timestamp("ms"))
    table = pa.table({"start": times, "s": ["<urn:s>"] * 2, "p": ["<urn:p>"] * 2, "o": ["<urn:o>"] * 2})
    pq.write_table(table, tmp_path / "events.parquet")
    (batch,) = open_stream(tmp_path / "events.parquet")
    assert list(batch.end) == [1000, 2000]


def test_csv_with_a_mark_and_windows_line_ends_and_packed(tmp_path: Path) -> None:
    text = '\ufeffstart,s,p,o\r\n1,<urn:s>,<urn:p>,"""a, b"""\r\n\r\n2,<urn:s>,<urn:p>,"""c"""'
    packed = tmp_path / "events.csv.gz"
    packed.write_bytes(gzip.compress(text.encode()))
    batch = concat(list(open_stream(packed)))
    assert batch.o == [("a, b", XSD_STRING), ("c", XSD_STRING)]
    assert list(batch.rows) == [1, 2]


def test_ndjson_with_integers_blank_lines_and_no_last_line_end(tmp_path: Path) -> None:
    event = '{"start": %d, "s": "<urn:s>", "p": "<urn:p>", "o": "<urn:o>"}'
    path = tmp_path / "events.ndjson"
    path.write_text(f"\n  {event % 1}\n\n{event % 2}  ")
    batch = concat(list(open_stream(path)))
    assert (list(batch.end), list(batch.rows)) == ([1, 2], [1, 2])


def test_a_line_of_json_is_one_object(tmp_path: Path) -> None:
    path = tmp_path / "events.ndjson"
    event = '{"start": 1, "s": "<urn:s>", "p": "<urn:p>", "o": "<urn:o>"}'
    for wrong in (f"{event} {event}", "[1]", "{", '"text"', "nul", "[" * 100_000, "1" * 5000):
        path.write_text(f"{event}\n{wrong}\n{event}\n")
        batches = open_stream(path)
        assert len(next(batches)) == 1
        with pytest.raises(DataError, match=r"EP406 .*line 2"):
            next(batches)


def test_a_wrong_kind_of_json_value_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "events.ndjson"
    good = {"start": 1, "s": "<urn:s>", "p": "<urn:p>", "o": "<urn:o>"}
    for wrong in ({"start": True}, {"start": 1.0}, {"start": [1]}, {"s": 5}, {"o": None}, {"o": {}}):
        path.write_text(f"{json.dumps(good)}\n{json.dumps({**good, **wrong})}\n")
        with pytest.raises(DataError, match=r"EP40[79] .*row 2"):
            list(open_stream(path))


TERMS = {name: [f"<urn:{name}>"] for name in "spo"}


@pytest.mark.parametrize(
    ("table", "told"),
    [
        (
            {"time": [1], "subject": ["<urn:s>"], "p": [], "o": []},
            "rename 'time' to 'start', 'subject' to 's'?",
        ),
        ({**TERMS, "start": 1}, "EP504 the column 'start' is not a list but of the type int"),
        ({**TERMS, "start": [1], "s": "<urn:s>"}, "EP504 the column 's' is not a list but of the type str"),
        ({**TERMS, "start": [1], "s": [URIRef("urn:s")]}, "the term is an rdflib URIRef and not text"),
        ({**TERMS, "start": [1], "s": ["urn:s"]}, "the term is an IRI without < >"),
        ([("urn:s", "urn:p", "urn:o", 1)], "EP504 a batch is a table of pandas, polars or Arrow, or"),
    ],
)
def test_what_is_told_of_likely_mistakes(table: Any, told: str) -> None:
    with Engine() as engine, pytest.raises(EtalisError) as caught:
        engine.send_batch(table)
    assert told in str(caught.value)


def test_datetimes_are_times() -> None:
    zoned = datetime(2026, 3, 2, 9, tzinfo=timezone(timedelta(hours=1)))
    naive = datetime(2026, 3, 2, 8, 0, 0, 1)  # noqa: DTZ001 - read as UTC
    start = ["2026-03-02T08:00:00Z", zoned, naive]
    (batch,) = TableReader().batches({"start": start, **{name: 3 * TERMS[name] for name in "spo"}})
    assert [time - batch.start[0] for time in batch.start] == [0, 0, 1]


@pytest.mark.parametrize(("query", "more"), [("warm.rq", {}), (5, {}), ("ASK {}", {"on_match": "f"})])
def test_register_refuses_what_is_no_query_and_no_function(query: Any, more: dict[str, Any]) -> None:
    with Engine() as engine, pytest.raises(UsageError, match="EP505"):
        engine.register(query, **more)


TEXTS = [
    "<urn:a>",
    "<urn:\u00e9>",
    r"<urn:\u00E9>",
    "_:b",
    '""',
    '"1"^^<http://www.w3.org/2001/XMLSchema#integer>',
    '"two\nlines"',
    "<no IRI>",
    "<relative>",
    "plain",
    "",
]


def outcome(table: Any) -> Any:
    found: list[Batch] = []
    try:
        found.extend(TableReader().batches(table))
    except DataError as error:
        return occurrences(found), str(error)
    return occurrences(found), None


@pytest.mark.parametrize("column", ["s", "p", "o"])
@pytest.mark.parametrize("text", TEXTS)
def test_texts_of_arrow_are_read_as_those_of_lists(column: str, text: str) -> None:
    columns: dict[str, list[Any]] = {
        "start": list(range(5)), "s": ["<urn:s>"] * 5, "p": ["<urn:p>"] * 5, "o": ["<urn:o>"] * 5,
    }  # fmt: skip
    columns[column][1::2] = [text] * 2
    table = pa.table(columns)
    assert outcome(table) == outcome(columns)
    assert outcome(table[1:4]) == outcome({name: each[1:4] for name, each in columns.items()})
    assert outcome(table[:0]) == ([], None)

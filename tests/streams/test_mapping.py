"""Rows with a mapping in YARRRML: the same events from each form, and what is wrong with its place."""

from __future__ import annotations

import gzip
import json
import random
from array import array
from collections.abc import Callable, Iterator
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from etalis_py.core.errors import DataError, EtalisError, UsageError
from etalis_py.core.terms import ntriples
from etalis_py.core.times import format_time
from etalis_py.core.vocabulary import RDF_TYPE, XSD
from etalis_py.streams import Batch, concat, open_stream
from etalis_py.streams.mapping.mapped_tables import MappedTables
from etalis_py.streams.mapping.templates import Template
from etalis_py.streams.mapping.yarrrml import StreamMap, read_mapping
from tests.streams.test_errors import compare

Event = tuple[str, str, str, str, str]
EX = "http://example.org/"
HEAD = f'prefixes: {{ex: "{EX}"}}\nmappings:\n  reading:\n    s: ex:sensor/$(sensor)\n'
READING = HEAD + "    po: [[ex:heat, $(heat), xsd:decimal], [a, ex:Reading], [ex:room, ex:room/$(room)]]\n"
ROWS = [
    {"sensor": "s 1", "room": "hall", "heat": "21.5", "when": "2026-03-02T08:00:00Z"},
    {"sensor": "s2", "room": None, "heat": "19", "when": "2026-03-02T08:00:30Z"},
    {"sensor": "ü/\"'", "room": "a,b\nc", "heat": None, "when": "2026-03-02T08:01:00Z"},
]


def mapping(text: str) -> StreamMap:
    return read_mapping("readings.yml", text)


def write_csv(rows: list[dict[str, Any]], folder: Path, separator: str = ",") -> Path:
    def quoted(value: object) -> str:
        text = "" if value is None else str(value)
        return '"' + text.replace('"', '""') + '"' if set(text) & set('",\n;') else text

    path = folder / "rows.csv"
    lines = [separator.join(rows[0]), *(separator.join(map(quoted, row.values())) for row in rows)]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def write_tsv(rows: list[dict[str, Any]], folder: Path) -> Path:
    return write_csv(rows, folder, "\t").rename(folder / "rows.tsv")


def write_ndjson(rows: list[dict[str, Any]], folder: Path) -> Path:
    path = folder / "rows.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def write_json(rows: list[dict[str, Any]], folder: Path) -> Path:
    path = folder / "rows.json"
    path.write_text(json.dumps(rows, indent=1), encoding="utf-8")
    return path


def write_parquet(rows: list[dict[str, Any]], folder: Path) -> Path:
    path = folder / "rows.parquet"
    pq.write_table(pa.Table.from_pylist(rows), path)
    return path


def write_arrow(rows: list[dict[str, Any]], folder: Path) -> Path:
    path, table = folder / "rows.arrow", pa.Table.from_pylist(rows)
    with pa.ipc.new_file(path, table.schema) as out:
        out.write_table(table, max_chunksize=2)
    return path


def write_feather(rows: list[dict[str, Any]], folder: Path) -> Path:
    path, table = folder / "rows.feather", pa.Table.from_pylist(rows)
    with pa.ipc.new_stream(path, table.schema) as out:
        out.write_table(table)
    return path


every_format = pytest.mark.parametrize(
    "write", [write_csv, write_tsv, write_ndjson, write_json, write_parquet, write_arrow, write_feather]
)


def events(batches: Iterator[Batch]) -> list[Event]:
    return [
        (format_time(start), format_time(end), ntriples(s), ntriples(p), ntriples(o))
        for batch in batches
        for start, end, s, p, o in zip(batch.start, batch.end, batch.s, batch.p, batch.o, strict=True)
    ]


def events_of(path: Path, text: str, **options: Any) -> list[Event]:
    return events(open_stream(path, mapping=mapping(text), **options))


def objects(path: Path, text: str, **options: Any) -> list[str]:
    return [each[4] for each in events_of(path, text, **options)]


@every_format
def test_each_form_gives_the_same_events(write: Callable[..., Path], tmp_path: Path) -> None:
    found = events_of(write(ROWS, tmp_path), READING + "    time: $(when)\n")
    times = [f"2026-03-02T08:{each}Z" for each in ("00:00", "00:30", "01:00")]
    names = [f"<{EX}sensor/{each}>" for each in ("s%201", "s2", "ü%2F%22%27")]
    heat, kind, room = f"<{EX}heat>", f"<{RDF_TYPE}>", f"<{EX}room>"
    assert [(start, *rest) for start, _, *rest in found] == [
        (times[0], names[0], heat, f'"21.5"^^<{XSD}decimal>'),
        (times[0], names[0], kind, f"<{EX}Reading>"),
        (times[0], names[0], room, f"<{EX}room/hall>"),
        (times[1], names[1], heat, f'"19"^^<{XSD}decimal>'),
        (times[1], names[1], kind, f"<{EX}Reading>"),
        (times[2], names[2], kind, f"<{EX}Reading>"),
        (times[2], names[2], room, f"<{EX}room/a%2Cb%0Ac>"),
    ]
    assert all(start == end for start, end, *_ in found)


def test_many_rows_are_those_of_a_reader_that_takes_one(tmp_path: Path) -> None:
    """Plain rows and others in turn, in parts of any size, as each is by itself."""
    chance = random.Random(5)
    rows = [
        {
            "sensor": chance.choice(["a", "b", "ü", 'with "quotes"', "two\nlines", "<urn:x>"]),
            "room": chance.choice(["", "hall", "x" * 300]),
            "heat": f"{chance.uniform(-5, 40):.1f}",
            "when": f"2026-03-02T08:{i // 60 % 60:02}:{i % 60:02}Z",
        }
        for i in range(700)
    ]
    path = write_csv(rows, tmp_path)
    text = READING + "    time: $(when)\n"
    whole = events_of(path, text)
    assert events_of(path, text, batch_rows=7) == whole
    assert len(whole) == sum(2 + bool(row["room"]) for row in rows)
    one_by_one = [
        each
        for row in rows
        for each in events_of(write_ndjson([{**row, "room": row["room"] or None}], tmp_path), text)
    ]
    assert one_by_one == whole


TIMES = {
    "$(t)": [("2026-03-02 08:00:00,5+01", "2026-03-02T07:00:00.5Z"), ("5", "1970-01-01T00:00:00.000005Z")],
    "{start: $(t), unit: s}": [
        ("1772438400.25", "2026-03-02T08:00:00.25Z"),
        ("1772438400", "2026-03-02T08:00:00Z"),
    ],
    "{start: $(t), unit: ms}": [("1772438400000", "2026-03-02T08:00:00Z")],
    "{start: $(t), format: '%d.%m.%Y %H:%M'}": [("2.3.2026 8:05", "2026-03-02T08:05:00Z")],
    "{start: $(t), format: '%d.%m.%Y %H:%M', zone: Europe/Vienna}": [
        ("02.03.2026 08:05", "2026-03-02T07:05:00Z"),
        ("02.07.2026 08:05", "2026-07-02T06:05:00Z"),
        ("25.10.2026 02:30", "2026-10-25T00:30:00Z"),  # the first of two
    ],
    "{start: $(t), format: '%b %d %Y %I:%M %p'}": [("Mar 02 2026 08:05 PM", "2026-03-02T20:05:00Z")],
    "{start: $(t), format: '%Y-%m-%d %H:%M:%S %z'}": [("2026-03-02 08:00:00 +0200", "2026-03-02T06:00:00Z")],
    "{start: $(t), zone: '+05:30'}": [
        ("2026-03-02T08:00:00", "2026-03-02T02:30:00Z"),
        ("2026-03-02 08:00", "2026-03-02T02:30:00Z"),
        ("2026-03-02T08:00:00Z", "2026-03-02T08:00:00Z"),
    ],
    "{start: $(t), zone: America/New_York}": [("2026-07-02T08:00:00", "2026-07-02T12:00:00Z")],
    "$(t)T12:00:00Z": [("2026-03-02", "2026-03-02T12:00:00Z")],
}


@pytest.mark.parametrize("time", TIMES)
@pytest.mark.parametrize("write", [write_csv, write_ndjson, write_parquet])
def test_times(time: str, write: Callable[..., Path], tmp_path: Path) -> None:
    text = f"mappings: {{m: {{s: urn:x, po: [[urn:p, 1]], time: {time!r}}}}}".replace(
        repr(time), time if time[0] == "{" else f'"{time}"'
    )
    for written, expected in TIMES[time]:
        rows = [{"t": written}, {"t": written}]
        assert [each[0] for each in events_of(write(rows, tmp_path), text)] == [expected] * 2, written


WRONG_TIMES = [
    ("$(t)", "5", "tomorrow", "EP409", r"the time \$\(t\) is neither an xsd:dateTime"),
    ("$(t)", "5", "", "EP409", r"the time \$\(t\) is missing"),
    ("$(t)", None, "1772438400", "EP418", "looks like seconds"),
    ("{start: $(t), unit: s}", None, "1772438400123", "EP418", "looks like milliseconds"),
    ("{start: $(t), format: '%d.%m.%Y'}", "1.3.2026", "2026-03-02", "EP409", "in the format '%d.%m.%Y'"),
    (
        "{start: $(t), zone: Europe/Vienna}",
        "2026-03-29T01:30:00",
        "2026-03-29T02:30:00",
        "EP409",
        "does not exist",
    ),
    ("{start: $(t), end: $(e)}", "2026-03-02T07:00:00Z", "2026-03-02T08:00:00Z", "EP410", "before its start"),
]


@pytest.mark.parametrize(("time", "good", "written", "code", "told"), WRONG_TIMES)
@pytest.mark.parametrize("write", [write_csv, write_ndjson, write_parquet])
def test_a_time_that_cannot_be_read(
    time: str,
    good: str | None,
    written: str,
    code: str,
    told: str,
    write: Callable[..., Path],
    tmp_path: Path,
) -> None:
    rows = [{"t": each, "e": "2026-03-02T07:30:00Z"} for each in (good, written) if each is not None]
    quoted = time if time[0] == "{" else f'"{time}"'
    text = f"mappings: {{m: {{s: urn:x, po: [[urn:p, 1]], time: {quoted}}}}}"
    taken: list[Batch] = []
    with pytest.raises(DataError, match=rf"{code} \S+rows[\s\S]*{told}") as caught:
        taken.extend(open_stream(write(rows, tmp_path), mapping=mapping(text)))
    assert caught.value.place is not None
    assert caught.value.place.row == len(rows)
    if write is not write_parquet:
        assert caught.value.place.line == len(rows) + (write is write_csv)
    assert sum(map(len, taken)) == len(rows) - 1, "the rows before it were read"


@pytest.mark.parametrize(
    ("time", "value", "told"),
    [
        ("$(t)", [1], "is a list"),
        ("$(t)", {"a": 1}, "is a dict"),
        ("$(t)", True, "is not a time but bool"),
        ("$(t)T00:00:00Z", [1], "is a list"),
        ("{start: $(t), format: '%Y'}", [1], "is a list"),
        ("$(t)", 1 << 70, "is more than 292,000 years from 1970"),
    ],
)
def test_a_time_of_json_that_is_none(time: str, value: Any, told: str, tmp_path: Path) -> None:
    quoted = time if time[0] == "{" else f'"{time}"'
    text = f"mappings: {{m: {{s: urn:x, po: [[urn:p, 1]], time: {quoted}}}}}"
    with pytest.raises(DataError, match=rf"EP409 \S+, line 1, row 1: the time \$\(t\) {told}"):
        events_of(write_ndjson([{"t": value}], tmp_path), text)


def test_formats_are_read_by_arrow() -> None:
    """And not one by one, which takes ten times as long."""
    from etalis_py.core.coded import Coded
    from etalis_py.streams.mapping.made_times import TimeMaker

    for layout in ("%d.%m.%Y %H:%M", "%Y/%m/%d %H:%M:%S.%f", "[%Y]|%m|(%d)", "%Y%m%dT%H%M%S"):
        maker = TimeMaker(Template(("", ""), ("t",)), layout, None, "Europe/Vienna")
        texts = [datetime(2026, 3, day, 8, 5, 7).strftime(layout) for day in (1, 2)]  # noqa: DTZ001
        found = maker.times({"t": Coded(texts, array("i", [0, 1, 0]))})
        assert isinstance(found.values, array), layout
        maker._at_once = lambda _texts: None  # type: ignore[method-assign]
        assert list(maker.times({"t": Coded(texts, array("i", [0, 1, 0]))})) == list(found)


def test_a_format_is_of_texts_alone(tmp_path: Path) -> None:
    """A timestamp of Parquet or a database is a time already, in the zone if it has none of its own."""
    how = "{start: $(t), format: '%d.%m.%Y %H:%M', zone: Europe/Vienna}"
    text = f"mappings: {{m: {{s: urn:x, po: [[urn:p, 1]], time: {how}}}}}"
    moments = (datetime(2026, 3, 2, 8), datetime(2026, 3, 2, 7, tzinfo=timezone.utc))  # noqa: DTZ001
    written = [write_csv([{"t": "02.03.2026 08:00"}], tmp_path)]
    written += [
        write_parquet([{"t": each}], tmp_path).rename(tmp_path / f"{n}.parquet")
        for n, each in enumerate(moments)
    ]
    assert {events_of(path, text)[0][0] for path in written} == {"2026-03-02T07:00:00Z"}


def test_an_end_that_is_missing_is_the_start(tmp_path: Path) -> None:
    rows = [
        {"t": "2026-03-02T07:00:00Z", "e": ""},
        {"t": "2026-03-02T08:00:00Z", "e": "2026-03-02T09:00:00Z"},
    ]
    text = "mappings: {m: {s: urn:x, po: [[urn:p, 1]], time: {start: $(t), end: $(e)}}}"
    expected = [("2026-03-02T07:00:00Z",) * 2, ("2026-03-02T08:00:00Z", "2026-03-02T09:00:00Z")]
    assert [each[:2] for each in events_of(write_csv(rows, tmp_path), text)] == expected


OBJECTS = {
    "[urn:p, $(a)]": '"5"',
    "[urn:p, $(a), xsd:integer]": f'"5"^^<{XSD}integer>',
    "[urn:p, '$(a) and $(b)', en~lang]": '"5 and x y"@en',
    "[urn:p, 'ex:$(b)']": f"<{EX}x%20y>",
    "[urn:p, 'ex:$(b)', xsd:string]": '"ex:x y"',
    "[urn:p, 'urn:n:$(b)~iri']": "<urn:n:x%20y>",
    "[urn:p, $(iri)~iri]": "<urn:whole/iri>",
    "[urn:p, '_:$(b)']": "<urn:p>",
    "{p: urn:p, o: {value: $(a), datatype: ex:kind}}": f'"5"^^<{EX}kind>',
    "{predicates: urn:p, objects: {value: $(b), language: de}}": '"x y"@de',
    "{p: urn:p, o: {value: $(iri), type: iri}}": "<urn:whole/iri>",
    "{p: urn:p, o: [$(a), xsd:integer]}": f'"5"^^<{XSD}integer>',
    "[urn:p, [[$(a), xsd:byte]]]": f'"5"^^<{XSD}byte>',
    "[[urn:p], ex:constant]": f"<{EX}constant>",
    "[urn:p, 'a text']": '"a text"',
    r"[urn:p, '\$\(a\)']": '"$(a)"',
}


@pytest.mark.parametrize("po", [each for each in OBJECTS if "_:" not in each])
def test_objects(po: str, tmp_path: Path) -> None:
    path = write_csv([{"a": "5", "b": "x y", "iri": "urn:whole/iri", "t": "1"}], tmp_path)
    text = f'prefixes: {{ex: "{EX}"}}\nmappings: {{m: {{s: urn:x, po: [{po}], time: $(t)}}}}'
    assert objects(path, text) == [OBJECTS[po]]


def test_lists_of_predicates_and_objects_are_all_their_pairs(tmp_path: Path) -> None:
    path = write_csv([{"a": "5", "t": "1"}], tmp_path)
    text = "mappings: {m: {s: [urn:x, urn:y], po: [[[urn:p, urn:q], [$(a), b]]], time: $(t)}}"
    found = [each[2:] for each in events_of(path, text)]
    pairs = [(f"<urn:{p}>", f'"{o}"') for p in "pq" for o in "5b"]
    assert found == [(f"<urn:{s}>", *pair) for s in "xy" for pair in pairs]


def test_blank_nodes_of_several_files_are_kept_apart(tmp_path: Path) -> None:
    path = write_csv([{"a": "x-y", "t": "1"}], tmp_path)
    text = "mappings: {m: {s: '_:n$(a)', po: [[urn:p, '_:n$(a)~iri']], time: $(t)}}"
    [(_, _, s, _, o)] = events_of(path, text, scope="f1-")
    assert s == o == "_:f1-nx_2D_y"


def test_values_of_json_and_parquet_have_their_types(tmp_path: Path) -> None:
    when = datetime(2026, 3, 2, tzinfo=timezone.utc)
    row = {"whole": 5, "real": 0.5, "yes": True, "text": "5", "none": None, "deep": {"list": [{"a b": 7}]}}
    names = ("whole", "real", "yes", "text", "none", "deep.list[0]['a b']")
    pairs = ", ".join(f'[urn:p, "$({each})"]' for each in names)
    text = f"mappings: {{m: {{s: urn:x, po: [{pairs}], time: $(t)}}}}"
    expected = [
        f'"5"^^<{XSD}integer>',
        f'"5.0E-1"^^<{XSD}double>',
        f'"true"^^<{XSD}boolean>',
        '"5"',
        f'"7"^^<{XSD}integer>',
    ]
    for write, time in ((write_ndjson, 1), (write_json, 1), (write_parquet, when)):
        rows = [{**row, "t": time}, {**row, "none": "x", "t": time}]
        assert objects(write(rows, tmp_path), text) == [*expected, *expected[:4], '"x"', expected[4]]
    decimals = write_ndjson([{"t": 1, "a": 20.0, "b": 0.1}], tmp_path)
    text = (
        "mappings: {m: {s: urn:x, po: [[urn:p, $(a), xsd:integer], [urn:p, $(b), xsd:decimal]], time: $(t)}}"
    )
    assert objects(decimals, text) == [f'"20"^^<{XSD}integer>', f'"0.1"^^<{XSD}decimal>']


def test_streams_and_elements(tmp_path: Path) -> None:
    path = write_csv([{"a": "1", "t": "1"}, {"a": "2", "t": "2"}], tmp_path)
    pairs = "[[urn:p, $(a)], [urn:q, $(a)]]"
    text = f"mappings: {{m: {{s: urn:x, po: {pairs}, time: $(t), graphs: urn:g$(a), stream: urn:s}}}}"
    batch = concat(list(open_stream(path, mapping=mapping(text))))
    assert list(batch.graph or ()) == ["urn:g1", "urn:g1", "urn:g2", "urn:g2"]
    assert list(batch.stream or ()) == ["urn:s"] * 4
    with pytest.raises(DataError, match="EP419"):
        list(open_stream(path, mapping=mapping(text), stream="urn:other"))
    twice = write_csv([{"a": "1", "t": "1"}, {"a": "1", "t": "2"}], tmp_path)
    taken: list[Batch] = []
    with pytest.raises(DataError, match=r"EP414 \S+, line 3, row 2[\s\S]*<urn:g1> has two times"):
        taken.extend(open_stream(twice, mapping=mapping(text)))
    assert sum(map(len, taken)) == 2


def test_a_mapping_with_sources_is_for_these(tmp_path: Path) -> None:
    text = """
sources:
  all: [rows.json~jsonpath, "$.items[*]"]
mappings:
  one: {sources: all, s: urn:x, po: [[urn:p, $(a)]], time: $(t)}
  two: {sources: [[other.csv~csv]], s: urn:x, po: [[urn:q, $(b)]], time: $(t)}
"""
    path = tmp_path / "rows.json"
    path.write_text(json.dumps({"items": [{"a": "x", "t": 1}]}))
    assert objects(path, text) == ['"x"']
    other = write_csv([{"b": "y", "t": "1"}], tmp_path).rename(tmp_path / "other.csv")
    assert objects(other, text) == ['"y"']
    with pytest.raises(DataError, match=r"EP435[\s\S]*no mapping is for"):
        events_of(write_csv(ROWS, tmp_path), text)
    with pytest.raises(DataError, match=r"EP434[\s\S]*an iterator over csv"):
        events_of(write_csv(ROWS, tmp_path), text.replace("rows.json", "rows.csv"))


@every_format
def test_a_value_that_does_not_fit_stops_behind_the_rows_before(
    write: Callable[..., Path], tmp_path: Path
) -> None:
    rows = [dict(ROWS[0]) for _ in range(4)]
    rows[2]["heat"] = "warm"
    path = write(rows, tmp_path)
    text = READING + "    time: $(when)\n"
    taken: list[Batch] = []
    with pytest.raises(
        DataError, match=r"EP436[\s\S]*\$\(heat\) is not of the datatype[\s\S]*warm"
    ) as caught:
        taken.extend(open_stream(path, mapping=mapping(text)))
    assert sum(map(len, taken)) == 6
    assert caught.value.place is not None
    assert caught.value.place.row == 3
    refused: list[tuple[DataError, str | None]] = []
    found = events(open_stream(path, mapping=mapping(text), on_bad=lambda *each: refused.append(each)))
    assert len(found) == 9, "no triple of a bad row is taken"
    assert [error.code for error, _ in refused] == ["EP436"]
    assert "warm" in (refused[0][1] or "")


def test_rows_that_are_none_are_refused_with_their_place(tmp_path: Path) -> None:
    path = tmp_path / "rows.csv"
    path.write_text("a,t\n1,1\n1,2,3\n2,3\n")
    text = "mappings: {m: {s: urn:x, po: [[urn:p, $(a)]], time: $(t)}}"
    with pytest.raises(DataError, match=r"EP405 \S+, line 3, row 2"):
        events_of(path, text)
    refused: list[Any] = []
    assert (
        len(events(open_stream(path, mapping=mapping(text), on_bad=lambda *each: refused.append(each)))) == 2
    )
    assert refused[0][1] == "1,2,3"
    lines = tmp_path / "rows.ndjson"
    lines.write_text('{"a": 1, "t": 1}\n[1]\nnothing\n\n{"a": 2, "t": 2}\n')
    refused.clear()
    assert (
        len(events(open_stream(lines, mapping=mapping(text), on_bad=lambda *each: refused.append(each)))) == 2
    )
    assert [(error.code, error.place.line, error.place.row, record) for error, record in refused] == [
        ("EP406", 2, 2, "[1]"),
        ("EP406", 3, 3, "nothing"),
    ]


def test_what_is_no_arrow(tmp_path: Path) -> None:
    path = tmp_path / "rows.arrow"
    path.write_text("sensor,heat")
    with pytest.raises(DataError, match=r"EP415[\s\S]*not a file of Arrow"):
        events_of(path, READING + "    time: $(when)\n")
    whole = write_arrow(ROWS * 50, tmp_path).read_bytes()
    path.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(DataError, match="EP415"):
        events_of(path, READING + "    time: $(when)\n")


@pytest.mark.parametrize("write", [write_csv, write_tsv, write_parquet, write_arrow])
def test_a_column_that_is_not_there_is_named(write: Callable[..., Path], tmp_path: Path) -> None:
    text = READING.replace("$(heat)", "$(heta)") + "    time: $(when)\n"
    with pytest.raises(DataError, match=r"EP435[\s\S]*'heta'[\s\S]*\$\(heat\)\?[\s\S]*'sensor'"):
        events_of(write(ROWS, tmp_path), text)


def test_a_key_that_no_record_has_is_warned_of(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    path = write_ndjson(ROWS, tmp_path)
    assert len(events_of(path, READING.replace("$(heat)", "$(heta)") + "    time: $(when)\n")) == 5
    assert "no 'heta': keys are ['heat', 'room', 'sensor', 'when']" in caplog.text
    with pytest.raises(DataError, match=r"EP435[\s\S]*'wen'"):
        events_of(path, "mappings: {m: {s: 'urn:$(sensr)', po: [[urn:p, 1]], time: $(wen)}}")


def test_semicolons_and_packed_files(tmp_path: Path) -> None:
    text = READING + "    time: $(when)\n"
    expected = events_of(write_csv(ROWS, tmp_path), text)
    path = write_csv(ROWS, tmp_path, ";")
    assert events_of(path, text) == expected
    packed = tmp_path / "packed.csv.gz"
    packed.write_bytes(gzip.compress(path.read_bytes()))
    assert events_of(packed, text) == expected
    modern = tmp_path / "packed.csv.zst"
    modern.write_bytes(pa.Codec("zstd").compress(path.read_bytes(), asbytes=True))
    assert events_of(modern, text) == expected
    modern.write_bytes(modern.read_bytes()[:40])
    with pytest.raises(DataError, match="EP401"):
        events_of(modern, text)


def test_tables(tmp_path: Path) -> None:
    text = READING + "    time: $(when)\n"
    expected = events_of(write_csv(ROWS, tmp_path), text)
    (tmp_path / "readings.yml").write_text(text)
    columns = {name: [row[name] for row in ROWS] for name in ROWS[0]}
    tables = MappedTables()
    for table in (columns, pa.table(columns), pa.table(columns).to_batches()[0]):
        assert events(tables.batches(table, tmp_path / "readings.yml")) == expected
    with pytest.raises(DataError, match=r"EP436 table, row 10"):
        list(tables.batches({**columns, "heat": ["x", "1", "2"]}, mapping(text)))
    with pytest.raises(UsageError, match="EP505"):
        list(tables.batches(columns, 5))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("a: [", "EP432 readings.yml, line 1, column 5: this is not YAML"),
        ("", "EP432 readings.yml: there is nothing in it"),
        ("a: 1\na: 2", "EP433 readings.yml, line 2, column 1: the key 'a' is there twice"),
        ("[1, 2]", "EP433 readings.yml, line 1, column 1: keys are expected in a mapping file, not a list"),
        (
            "maps: {}",
            "line 1, column 1: 'maps' is not a key of a mapping file\n    maps: {}\n    ^\nhint: 'mappings'?",
        ),
        ("prefixes: {ex: ex}\nmappings: {}", "line 1, column 16: 'ex' is a relative IRI"),
        (HEAD + "    time: $(t)", "column 3: the mapping 'reading' has no 'po'"),
        (HEAD + "    po: [[ex:p, 1]]", "has no 'time'"),
        (
            HEAD + "    po: [[ex:p, 1]]\n    time: now",
            "line 6, column 11: the start is the same for all records",
        ),
        (
            HEAD + "    po: [[ex:p, $(heat]]\n    time: $(t)",
            "EP433 readings.yml, line 5, column 17: a reference in",
        ),
        (HEAD + "    po: [[ex:p, $()]]\n    time: $(t)", "a reference without a name"),
        (
            HEAD + "    po: [[ex:p, '$(a[*])']]\n    time: $(t)",
            "EP434 readings.yml, line 5, column 17: $(a[*]) is all",
        ),
        (HEAD + "    po: [[ex:p]]\n    time: $(t)", "a predicate and an object, not 1 items"),
        (HEAD + "    po: [[xe:p, 1]]\n    time: $(t)", "line 5, column 11: the prefix 'xe' is not declared"),
        (HEAD + "    po: [[heat, 1]]\n    time: $(t)", "'heat' is not an IRI and has no known prefix"),
        (
            HEAD + "    po: [[ex:p, {function: f}]]\n    time: $(t)",
            "EP434 readings.yml, line 5, column 28: a function",
        ),
        (
            HEAD + "    condition: {function: f}\n    po: [[ex:p, 1]]\n    time: $(t)",
            "EP434 readings.yml, line 5",
        ),
        (HEAD + "    po: [[ex:p, {mapping: other}]]\n    time: $(t)", "a join with another mapping"),
        (HEAD + "    po: [[ex:p, 1, e n~lang]]\n    time: $(t)", "'e n~lang'"),
        (HEAD + "    po: [[ex:p, 1]]\n    time: {start: $(t), unit: h}", "line 6, column 31: the unit 'h'"),
        (HEAD + "    po: [[ex:p, 1]]\n    time: {start: $(t), zone: Mars}", "there is no zone 'Mars' here"),
        (HEAD + "    po: [[ex:p, 1]]\n    time: {start: $(t), format: '%Q'}", "the format '%Q'"),
        (HEAD + "    po: [[ex:p, 1]]\n    time: {start: $(t), format: '%H:%M'}", "has no year"),
        (HEAD + "    po: [[ex:p, 1]]\n    time: {end: $(t)}", "a time without 'start'"),
        (HEAD + "    sources: nothing\n    po: [[ex:p, 1]]\n    time: $(t)", "there is no source 'nothing'"),
        (
            HEAD + "    sources: [[a.xml~xpath]]\n    po: [[ex:p, 1]]\n    time: $(t)",
            "EP434 readings.yml, line 5",
        ),
        (HEAD + "    po: [[ex:p, {value: 1, type: url}]]\n    time: $(t)", "the type 'url'"),
        (HEAD + "    po: [['_:p', 1]]\n    time: $(t)", "'_:p'"),
        (HEAD + "    po: [[ex:p, 1]]\n    time: $(t)\n    stream: '_:s'", "line 7, column 13: '_:s'"),
        ("a: &a [x]\nb: [*a, *a, *a]\n" + "x: [" * 60 + "]" * 60, "EP432"),
    ],
)
def test_what_is_wrong_with_a_mapping_has_its_place(text: str, told: str) -> None:
    with pytest.raises(EtalisError) as caught:
        mapping(text)
    assert told in str(caught.value)


MESSAGES = {
    "EP431": None,
    "EP432": "mappings:\n  reading: {s: ex:sensor/$(sensor), po: [[ex:heat, $(heat)]\n",
    "EP433": HEAD + "    po:\n      - [ex:heat, $(heat), xsd:decimal]\n    tiem: $(when)\n",
    "EP434": HEAD + "    po: [[ex:heat, {function: ex:celsius}]]\n    time: $(when)\n",
    "EP435": READING.replace("$(heat)", "$(temperature)") + "    time: $(when)\n",
    "EP436": READING + "    time: $(when)\n",
}


@pytest.mark.parametrize("code", MESSAGES)
def test_message(code: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    text = MESSAGES[code]
    if text is not None:
        Path("readings.yml").write_text(text)
    write_csv([{**ROWS[0], "heat": "21,5"}], Path())
    with pytest.raises(DataError) as caught:
        events(open_stream("rows.csv", mapping=read_mapping("readings.yml")))
    compare(code, caught.value)


def test_a_document_that_repeats_itself_without_end_is_refused() -> None:
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]" for n in range(1, 9)]
    with pytest.raises(DataError, match="EP432"):
        mapping("\n".join(lines))


def test_a_mapping_that_is_no_file(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"EP431[\s\S]*no such file"):
        read_mapping(tmp_path / "none.yml")
    latin = tmp_path / "latin.yml"
    latin.write_bytes(b"prefixes: {}\n# \xe4")
    with pytest.raises(DataError, match=r"EP431 \S+, line 2: it is not UTF-8"):
        read_mapping(latin)


def test_templates() -> None:
    from etalis_py.streams.mapping.yaml_nodes import read_yaml

    def template(text: str) -> Template:
        return Template.of(read_yaml("x", "a"), text)

    assert template("a$(b)c") == Template(("a", "c"), ("b",))
    assert template(r"\$\(b\)") == Template(("$(b)",), ())
    assert template(r"$(a\)b)").references == ("a)b",)
    assert template("$5").texts == ("$5",)

"""Frames in and frames out: pandas, polars, and whatever gives a stream of Arrow."""

from __future__ import annotations

import builtins
from datetime import date, datetime, timedelta, timezone
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.csv
import pytest

from etalis_py import DataError, Engine, Matches, UsageError, run
from etalis_py.core.terms import ntriples
from etalis_py.core.vocabulary import XSD

VALUES = {
    "whole": [f'"{n}"^^<{XSD}int>' for n in (1, 2, 3)],
    "number": [f'"1"^^<{XSD}integer>', f'"0.5"^^<{XSD}decimal>', f'"2e0"^^<{XSD}double>'],
    "yes": [f'"{each}"^^<{XSD}boolean>' for each in ("true", "false", "1")],
    "time": [f'"2026-01-0{n}T00:00:00Z"^^<{XSD}dateTime>' for n in (1, 2, 3)],
    "day": [f'"2026-01-0{n}"^^<{XSD}date>' for n in (1, 2, 3)],
    "long": [f'"PT{n}S"^^<{XSD}dayTimeDuration>' for n in (1, 2, 3)],
    "name": ["<urn:a>", '"b"@en', "_:c"],
    "mixed": [f'"1"^^<{XSD}integer>', f'"true"^^<{XSD}boolean>', '"x"'],
    "large": [f'"{1 << 70}"^^<{XSD}integer>', f'"1"^^<{XSD}integer>', f'"2"^^<{XSD}integer>'],
}
TYPES = {
    "whole": pa.int64(),
    "number": pa.float64(),
    "yes": pa.bool_(),
    "time": pa.timestamp("us", "UTC"),
    "day": pa.date32(),
    "long": pa.duration("us"),
    "name": pa.string(),
    "mixed": pa.string(),
    "large": pa.string(),
}
NATIVE = {
    "whole": [1, 2, 3],
    "number": [1.0, 0.5, 2.0],
    "yes": [True, False, True],
    "time": [datetime(2026, 1, n, tzinfo=timezone.utc) for n in (1, 2, 3)],
    "day": [date(2026, 1, n) for n in (1, 2, 3)],
    "long": [timedelta(seconds=n) for n in (1, 2, 3)],
    "name": ["urn:a", "b", "_:c"],
    "mixed": ["1", "true", "x"],
    "large": [str(1 << 70), "1", "2"],
}
ALL = "SELECT ?v { ?x <urn:value> ?v }"
EVENTS = {"start": [1, 2, 3], "s": ["<urn:x>"] * 3, "p": ["<urn:value>"] * 3, "o": VALUES["whole"]}


class Exported:
    """A table that Arrow can read, and that is no more; with texts as polars and pandas 3 have them."""

    def __init__(self, text: pa.DataType, **columns: list[Any]) -> None:
        table = pa.table(columns)
        fields = [
            pa.field(each.name, text if each.type == pa.string() else each.type) for each in table.schema
        ]
        self._reader = pa.RecordBatchReader.from_batches(
            pa.schema(fields), table.cast(pa.schema(fields)).to_batches(max_chunksize=2)
        )

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return self._reader.__arrow_c_stream__(requested_schema)


@pytest.mark.parametrize("kind", VALUES)
@pytest.mark.parametrize("trace", [False, True])
def test_a_column_has_the_type_of_its_values(kind: str, trace: bool) -> None:
    matches = run(ALL, EVENTS | {"o": VALUES[kind]}, trace=trace)
    table = matches.to_arrow()
    assert table.schema.field("v").type == TYPES[kind]
    assert table["v"].to_pylist() == NATIVE[kind]
    assert table["start"].cast(pa.int64()).to_pylist() == [1, 2, 3]
    terms = matches.to_arrow(terms=True)["v"].to_pylist()
    assert terms == [ntriples(match.encoded["v"]) for match in matches]


@pytest.mark.parametrize("text", [pa.string(), pa.large_string(), pa.string_view()])
def test_a_stream_of_arrow_is_read_part_by_part(text: pa.DataType) -> None:
    assert run(ALL, Exported(text, **EVENTS)).to_arrow()["v"].to_pylist() == [1, 2, 3]
    with pytest.raises(DataError, match="EP407") as caught:
        run(ALL, Exported(text, **EVENTS | {"o": ['"1"', '"2"', "3 apples"]}))
    assert caught.value.place is not None
    assert caught.value.place.row == 3


def test_a_stream_of_something_else_is_no_table() -> None:
    with pytest.raises(UsageError, match="EP504"):
        run(ALL, pa.chunked_array([[1, 2]]))
    with pytest.raises(DataError, match="EP404"):
        run(ALL, Exported(pa.string(), start=[1]))


def test_pandas_in_and_out() -> None:
    days = pd.to_datetime(["2026-01-01", "2026-01-02", "2026-01-03"])
    frame = pd.DataFrame(EVENTS | {"start": days.tz_localize("Europe/Vienna")})
    found = run(ALL, frame).to_pandas()
    assert list(found.columns) == ["start", "end", "v"]
    assert found["v"].tolist() == [1, 2, 3]
    assert found["start"].tolist() == [
        pd.Timestamp(f"{day}T23:00", tz="UTC") for day in ("2025-12-31", "2026-01-01", "2026-01-02")
    ]
    again = run(ALL, frame).to_pandas(terms=True)
    assert again["v"].tolist()[0] == f'"1"^^<{XSD}int>'


def test_missing_values_of_pandas_are_as_none() -> None:
    frame = pd.DataFrame(EVENTS | {"end": [None, None, 7], "graph": [None, None, "<urn:g>"]})
    assert frame["end"].dtype == "float64"
    assert [(each.start, each.end) for each in run(ALL, frame)] == [(1, 1), (2, 2), (3, 7)]


def test_a_bad_value_of_pandas_has_its_row() -> None:
    frame = pd.DataFrame(EVENTS | {"o": ['"1"', '"2"', 3]})
    with Engine() as engine:
        engine.register(ALL)
        with pytest.raises(DataError, match="EP407") as caught:
            engine.send_batch(frame)
        assert caught.value.place is not None
        assert caught.value.place.row == 3
        engine.finish()
        assert len(engine.matches()) == 2


def test_unbound_integers_stay_integers_in_pandas() -> None:
    query = "SELECT ?v ?w { { ?x <urn:value> ?v } OPTIONAL { ?x <urn:other> ?w } }"
    found = run(query, EVENTS).to_pandas()
    assert found["v"].tolist() == [1, 2, 3]
    assert found["w"].isna().all()
    some = "SELECT ?v ?w { { ?x <urn:value> ?v } UNION { ?x <urn:value> ?w FILTER (?w > 1) } }"
    table = run(some, EVENTS).to_pandas()
    assert str(table["v"].dtype) == "Int64"
    assert sorted(table["w"].dropna().tolist()) == [2, 3]


def test_matches_are_a_sequence() -> None:
    with Engine() as engine:
        engine.register(ALL, name="all")
        engine.register("CONSTRUCT { ?x <urn:seen> ?v } { ?x <urn:value> ?v FILTER (?v > 1) }", name="made")
        engine.register("ASK { ?x <urn:value> ?v FILTER (?v = 3) }", name="asked")
        engine.send_batch(EVENTS)
        engine.finish()
        matches = engine.matches()
        assert isinstance(matches, Matches)
        assert len(matches) == 6
        assert list(matches) == [matches[place] for place in range(6)]
        assert matches[-1] == list(matches)[-1]
        assert matches[1:3] == list(matches)[1:3]
        with pytest.raises(IndexError):
            matches[6]
        with pytest.raises(UsageError, match=r"EP505[\s\S]*all, made, asked[\s\S]*of\(name\)"):
            matches.to_arrow()
        assert matches.of("all").to_arrow()["v"].to_pylist() == [1, 2, 3]
        made = matches.of("made").to_arrow()
        assert made.column_names == ["start", "end", "s", "p", "o"]
        assert made["o"].to_pylist() == [f'"{n}"^^<{XSD}int>' for n in (2, 3)]
        assert matches.of("asked").to_arrow().column_names == ["start", "end"]
        assert list(engine.matches()) == []
        assert engine.matches("all").to_arrow().column_names == ["start", "end", "v"]
        with pytest.raises(KeyError):
            matches.of("nothing")


def test_files_and_tables_are_run_alike(tmp_path: Any) -> None:
    path = tmp_path / "events.csv"
    pa.csv.write_csv(pa.table(EVENTS), path)
    assert (
        list(run(ALL, path)) == list(run(ALL, str(path))) == list(run(ALL, [path])) == list(run(ALL, EVENTS))
    )
    assert [each.start for each in run(ALL, path, time_unit="s")] == [10**6, 2 * 10**6, 3 * 10**6]
    twice = run(ALL, [path, path])
    assert len(twice) == 3, "a stream is a set"


def test_the_stream_of_a_file_has_a_name(tmp_path: Any) -> None:
    path = tmp_path / "events.csv"
    pyarrow.csv.write_csv(pa.table(EVENTS), path)
    query = "SELECT ?x { STREAM <urn:s> { ?x ?p ?o } }"
    assert len(run(query, f"urn:s={path}")) == 3
    assert len(run(query, path)) == 0


def test_a_package_that_is_missing_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    real = builtins.__import__

    def importing(name: str, *rest: Any) -> Any:
        if name in ("pandas", "polars"):
            raise ImportError(name)
        return real(name, *rest)

    matches = run(ALL, EVENTS)
    monkeypatch.setattr(builtins, "__import__", importing)
    for make in (matches.to_pandas, matches.to_polars):
        with pytest.raises(UsageError, match="EP543"):
            make()


def test_polars_in_and_out() -> None:
    pl = pytest.importorskip("polars")
    frame = pl.DataFrame(EVENTS).with_columns(pl.col("p").cast(pl.Categorical))
    found = run(ALL, frame).to_polars()
    assert found["v"].to_list() == [1, 2, 3]
    assert run(ALL, frame).to_polars(terms=True)["v"].to_list() == VALUES["whole"]
    with pytest.raises(UsageError, match=r"collect\(\)"):
        run(ALL, object.__new__(type("Lazy", (), {"collect": None})))


def test_duckdb_reads_matches_and_is_read() -> None:
    duckdb = pytest.importorskip("duckdb")
    rows = "n * 1000000 AS start, '<urn:a>' AS s, '<urn:p>' AS p, '\"' || n || '\"' AS o"
    events = duckdb.sql(f"SELECT {rows} FROM range(3000) t(n)")
    found = run("SELECT ?o { ?x <urn:p> ?o }", events)
    assert duckdb.sql("SELECT count(*), min(o), max(epoch(start)) FROM found").fetchall() == [
        (3000, "0", 2999.0)
    ]
    stream = pa.RecordBatchReader.from_stream(found)
    assert stream.read_all().equals(found.to_arrow())

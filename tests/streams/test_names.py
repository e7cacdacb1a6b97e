"""Names of streams and of elements: columns of rows, the name of a file, and what each may be."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rdflib import BNode, Graph, Literal, URIRef

from etalis_py import Engine
from etalis_py.core.errors import DataError, EtalisError, UsageError
from etalis_py.core.vocabulary import DEFAULT_STREAM
from etalis_py.streams import Batch, StreamFile, concat, open_stream, open_streams
from etalis_py.streams.columns import RowReader
from etalis_py.streams.table import TableReader, one_element
from tests.streams.test_tables import Row, every_format, write_csv, write_ndjson, write_parquet

TRIPLE = {"s": "<urn:s>", "p": "<urn:p>", "o": "<urn:o>"}
QUADS = (
    "<urn:s> <urn:p> <urn:o> <urn:g> .\n"
    '<urn:g> <http://www.w3.org/ns/prov#generatedAtTime> "1970-01-01T00:00:01Z"'
    "^^<http://www.w3.org/2001/XMLSchema#dateTime> .\n"
)


def names_of(batches: list[Batch]) -> list[tuple[Any, Any]]:
    """Stream and graph of each occurrence."""
    found: list[tuple[Any, Any]] = []
    for batch in batches:
        none = [None] * len(batch)
        found += zip(batch.stream or none, batch.graph or none, strict=True)
    return found


def row(start: int = 1, **names: Any) -> Row:
    return {"start": start, **TRIPLE, "stream": None, "graph": None, **names}


# ---- columns -----------------------------------------------------------------------------------------------

rows = st.lists(
    st.builds(
        row,
        st.integers(0, 9),
        stream=st.sampled_from([None, "<urn:a>", "<urn:b>", f"<{DEFAULT_STREAM}>"]),
        graph=st.sampled_from([None, "<urn:g>", "_:b"]),
    ),
    min_size=1,
    max_size=20,
    unique_by=lambda each: (each["stream"], each["graph"]),
)


@given(rows, st.integers(1, 20))
def test_every_format_has_them(found: list[Row], size: int) -> None:
    plain = {None: None, "<urn:a>": "urn:a", "<urn:b>": "urn:b", f"<{DEFAULT_STREAM}>": None}
    known: dict[Any, int] = {}
    for each in found:  # one time for each element that has a name
        if each["graph"] is not None:
            each["start"] = known.setdefault((plain[each["stream"]], each["graph"]), each["start"])
    graphs = {None: None, "<urn:g>": "urn:g", "_:b": "_:b"}
    expected = [(plain[each["stream"]], graphs[each["graph"]]) for each in found]
    with tempfile.TemporaryDirectory() as folder:
        for write in (write_csv, write_ndjson, write_parquet):
            wanted = [{**each, "start": str(each["start"])} for each in found]
            assert names_of(list(open_stream(write(wanted, Path(folder)), batch_rows=size))) == expected
    table = {name: [each[name] for each in found] for name in found[0]}
    assert names_of(list(TableReader().batches(table))) == expected


def test_without_names_there_are_no_columns(tmp_path: Path) -> None:
    for write in (write_csv, write_ndjson, write_parquet):
        (batch,) = open_stream(write([row(1), row(2, stream=f"<{DEFAULT_STREAM}>")], tmp_path))
        assert (batch.graph, any(batch.stream or ())) == (None, False)


@every_format
@pytest.mark.parametrize(
    ("name", "told"),
    [
        ('"dock"', "EP408 events.*row 2: column 'stream': the term is a literal, which cannot be a stream"),
        ("_:b", "EP408 events.*row 2: column 'stream': the term is a blank node, which cannot be a stream"),
        ("urn:dock", "EP407 events.*row 2: column 'stream': the term is an IRI without < >"),
    ],
)
def test_a_stream_is_named_by_an_iri(write: Any, name: str, told: str, tmp_path: Path) -> None:
    path = write([row(1), row(2, stream=name), row(3, stream="<urn:a>")], tmp_path)
    bad: list[DataError] = []
    batches = list(open_stream(path, on_bad=lambda error, _: bad.append(error)))
    assert [end for batch in batches for end in batch.end] == [1, 3]
    with pytest.raises(DataError, match=told.replace("events", str(path))):
        raise bad[0]


# ---- one element, one time ---------------------------------------------------------------------------------


@every_format
def test_rows_of_an_element_have_one_time(write: Any, tmp_path: Path) -> None:
    path = write(
        [
            row(1, graph="<urn:g>"),
            row(1, graph="<urn:h>"),
            row(1, graph="<urn:g>"),
            row(2, graph="<urn:g>"),
            row(2, graph="<urn:g>", stream="<urn:a>"),
            row(3),
        ],
        tmp_path,
    )
    for size in (1, 2, 10):
        bad: list[str] = []
        batches = open_stream(path, batch_rows=size, on_bad=lambda error, _, to=bad: to.append(str(error)))
        assert [end for batch in batches for end in batch.end] == [1, 1, 1, 2, 3]
        (told,) = bad
        assert "row 4: the graph <urn:g> has two times: 1970-01-01T00:00:00.000001Z and " in told
    with pytest.raises(DataError, match="EP414"):
        list(open_stream(path))


def test_only_the_last_elements_are_remembered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("etalis_py.streams.columns._REMEMBERED", 2)
    reader = TableReader()
    table = {name: [text] * 2 for name, text in TRIPLE.items()}
    for start, graph in ((1, "<urn:g>"), (2, "<urn:h>"), (3, "<urn:i>"), (4, "<urn:g>")):
        list(reader.batches({**table, "start": [start] * 2, "graph": [graph] * 2}))
    with pytest.raises(DataError, match="EP414"):
        list(reader.batches({**table, "start": [5] * 2, "graph": ["<urn:i>"] * 2}))


# ---- the name of a file ------------------------------------------------------------------------------------


def files(folder: Path) -> Iterator[Path]:
    for write in (write_csv, write_ndjson, write_parquet):
        yield write([{"start": "1000000", **TRIPLE, "graph": "<urn:g>"}], folder)
    (folder / "events.nq").write_text(QUADS)
    yield folder / "events.nq"
    named = QUADS.replace("<urn:s> <urn:p> <urn:o> <urn:g> .", "<urn:g> { <urn:s> <urn:p> <urn:o> }")
    (folder / "events.trig").write_text(named)
    yield folder / "events.trig"
    path = folder / "events.jsonld"
    path.write_text(
        '[{"@id": "urn:g", "@graph": [{"@id": "urn:s", "urn:p": {"@id": "urn:o"}}], '
        '"http://www.w3.org/ns/prov#generatedAtTime": {"@value": "1970-01-01T00:00:01Z", '
        '"@type": "http://www.w3.org/2001/XMLSchema#dateTime"}}]'
    )
    yield path


def test_every_format_can_be_named(tmp_path: Path) -> None:
    for path in files(tmp_path):
        assert names_of(list(open_stream(path, stream="urn:a"))) == [("urn:a", "urn:g")]
        assert names_of(list(open_stream(path, stream=DEFAULT_STREAM))) == [(None, "urn:g")]
    (tmp_path / "a.ttl").write_text("<urn:s> <urn:p> <urn:o> .")
    assert names_of(list(open_stream(tmp_path / "a.ttl", at=1, stream="urn:a"))) == [("urn:a", None)]


def test_two_files_may_be_of_one_stream(tmp_path: Path) -> None:
    for name, start in (("a.csv", 1), ("b.csv", 2), ("c.csv", 3)):
        write_csv([{"start": start, **TRIPLE}], tmp_path).rename(tmp_path / name)
    one, other, plain = (str(tmp_path / f"{name}.csv") for name in "abc")
    batches = open_streams([StreamFile(one, "urn:a"), plain, StreamFile(other, "urn:a")])
    whole = concat(list(batches))
    assert list(zip(whole.end, whole.stream or (), strict=True)) == [(1, "urn:a"), (2, "urn:a"), (3, None)]


@pytest.mark.parametrize("write", [write_csv, write_parquet])
def test_a_named_file_has_no_column_of_streams(write: Any, tmp_path: Path) -> None:
    path = write([row(1, stream="<urn:a>")], tmp_path)
    with pytest.raises(DataError, match="EP419") as caught:
        list(open_stream(path, stream="urn:a"))
    bad: list[Any] = []
    assert list(open_stream(path, stream="urn:a", on_bad=lambda *each: bad.append(each))) == []
    assert [(str(error), record) for error, record in bad] == [(str(caught.value), None)]


def test_a_named_file_has_no_key_of_streams(tmp_path: Path) -> None:
    path = write_ndjson([row(1), row(2, stream="<urn:a>"), row(3)], tmp_path)
    bad: list[tuple[str, int | None]] = []

    def on_bad(error: DataError, _record: str | None) -> None:
        assert error.place is not None
        bad.append((error.code, error.place.row))

    batches = list(open_stream(path, stream="urn:a", on_bad=on_bad))
    assert [end for batch in batches for end in batch.end] == [1, 3]
    assert bad == [("EP419", 2)]


@pytest.mark.parametrize(
    ("word", "path", "stream"),
    [
        ("a.csv", "a.csv", None),
        ("urn:a=a.csv", "a.csv", "urn:a"),
        ("urn:a?b=c=a.csv", "a.csv", "urn:a?b=c"),
        ("<urn:a>=b=1.csv", "b=1.csv", "urn:a"),
        ("urn:a=-", "-", "urn:a"),
        ("b=1.csv", "b=1.csv", None),
        ("none=2.csv", "none=2.csv", None),
        ("a=", "a=", None),
        ("http://h/s=a.csv", "a.csv", "http://h/s"),
        ("http://h/s=-", "-", "http://h/s"),
        ("http://h/s=none.csv", "http://h/s=none.csv", None),
        ("http://h/s?file=a.csv", "http://h/s?file=a.csv", None),
    ],
)
def test_words(word: str, path: str, stream: str | None, tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("a.csv", "b=1.csv", "1.csv"):
        (tmp_path / name).touch()
    assert StreamFile.parse(word, "--stream") == StreamFile(path, stream)
    assert StreamFile.parse(str(StreamFile(path, stream)), "--stream") == StreamFile(path, stream)


@pytest.mark.parametrize("word", ["dock=a.csv", "<dock>=a.csv", "a b:c=a.csv", "urn:a b=a.csv", "dock=-"])
def test_words_that_name_no_iri(word: str, tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.csv").touch()
    with pytest.raises(UsageError, match=r"EP505 --stream: .* is not an absolute IRI"):
        StreamFile.parse(word, "--stream")


# ---- Python ------------------------------------------------------------------------------------------------

S, P, O = (URIRef(f"urn:{name}") for name in "spo")  # noqa: E741


def test_elements_of_rdflib() -> None:
    batch = one_element([(S, P, O), (S, P, Literal(5))], 1, 2, stream=URIRef("urn:a"), graph=BNode("b"))
    assert (batch.start, batch.end, list(batch.s)) == ([1, 1], [2, 2], ["urn:s", "urn:s"])
    assert (batch.stream, batch.graph) == (["urn:a"] * 2, ["_:b"] * 2)
    plain = one_element([(S, P, O)], 1, stream=URIRef(DEFAULT_STREAM))
    assert (plain.stream, plain.graph) == (None, None)
    assert len(one_element(Graph(), 1)) == 0


@pytest.mark.parametrize(
    ("names", "told"),
    [
        ({"stream": BNode("b")}, "EP408 the name of a stream is an IRI, not _:b"),
        ({"stream": Literal("dock")}, 'EP408 the name of a stream is an IRI, not "dock"'),
        ({"graph": Literal("dock")}, 'EP408 the name of a graph is an IRI or a blank node, not "dock"'),
        ({"stream": "urn:a"}, "EP407 the term is not an RDF term but str"),
    ],
)
def test_names_of_rdflib_that_are_none(names: Any, told: str) -> None:
    with Engine() as engine:
        with pytest.raises(EtalisError, match=told):
            engine.send(S, P, O, 1, **names)
        with pytest.raises(EtalisError, match=told):
            engine.send_element([(S, P, O)], 1, **names)


@pytest.mark.parametrize("triple", [(S, P), (S, P, O, O), [S, P, O], "spo"])
def test_what_is_no_triple(triple: Any) -> None:
    with pytest.raises(DataError, match=r"EP407 .* is not a triple"):
        one_element([triple], 1)


def test_an_engine_takes_them_in_every_way() -> None:
    found = []
    with Engine() as engine:
        engine.register("SELECT ?x { ?x <urn:p> ?y }", name="all")
        engine.send(URIRef("urn:1"), P, O, 1, stream=URIRef("urn:a"), graph=URIRef("urn:g"))
        engine.send_element([(URIRef("urn:2"), P, O), (URIRef("urn:3"), P, O)], 2, 3, stream=URIRef("urn:a"))
        terms = {"s": ["<urn:4>"], "p": ["<urn:p>"], "o": ["<urn:o>"]}
        engine.send_batch({"start": [4], **terms, "stream": ["<urn:a>"], "graph": [None]})
        engine.send_element([], 5)
        engine.finish()
        found = [(match.start, match.end, match.encoded["x"]) for match in engine.matches()]
    assert found == [(1, 1, "urn:1"), (2, 3, "urn:2"), (2, 3, "urn:3"), (4, 4, "urn:4")]


def test_what_is_late_tells_its_stream() -> None:
    with Engine() as engine:
        engine.register("SELECT ?x { ?x <urn:p> ?y }", name="all")
        engine.send(S, P, O, 5)
        with pytest.raises(DataError, match=r"EP413 .*: an element of the stream <urn:a> that ends at"):
            engine.send(S, P, O, 4, stream=URIRef("urn:a"))


def test_a_cache_of_names_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    reader = RowReader("table")
    monkeypatch.setattr("etalis_py.core.terms.TermCache.limit", 100)
    tables = TableReader()
    tables._readers[None] = reader
    for first in range(0, 1000, 100):
        names = [f"<urn:{number}>" for number in range(first, first + 100)]
        table = {name: [text] * 100 for name, text in TRIPLE.items()}
        list(tables.batches({**table, "start": [first] * 100, "graph": names}))
    assert len(reader.texts.terms["graph"]) <= 200

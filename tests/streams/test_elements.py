"""Named graphs with PROV times: N-Quads, TriG and JSON-LD give the same elements, sorted by end."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from pathlib import Path

from etalis_py.core.errors import DataError
from etalis_py.streams import Batch, open_stream

Drain = Callable[[Iterator[Batch]], tuple[list[Batch], DataError]]

PROV = "http://www.w3.org/ns/prov#"
XSD = "http://www.w3.org/2001/XMLSchema#"


def time(graph: str, second: int, kind: str = "generatedAtTime") -> str:
    return f'<{graph}> <{PROV}{kind}> "1970-01-01T00:00:{second:02}Z"^^<{XSD}dateTime> .\n'


def quad(graph: str, o: str = "<urn:o>") -> str:
    return f"<urn:s> <urn:p> {o} <{graph}> .\n"


def told(batches: list[Batch]) -> list[tuple[int, int, object, object]]:
    second = 1_000_000
    return [
        (start // second, end // second, graph, o)
        for batch in batches
        for start, end, graph, o in zip(batch.start, batch.end, batch.graph or [], batch.o, strict=True)
    ]


EXPECTED = [(1, 1, "urn:g1", "urn:o"), (2, 4, "urn:g2", "urn:o"), (2, 4, "urn:g2", "urn:o2")]


def test_nquads_in_any_order(tmp_path: Path) -> None:
    path = tmp_path / "events.nq"
    path.write_text(
        quad("urn:g2")
        + time("urn:g2", 4, "endedAtTime")
        + quad("urn:g1")
        + "# a comment\n\n"
        + quad("urn:g2", "<urn:o2>")
        + time("urn:g1", 1)
        + time("urn:g2", 2, "startedAtTime")
    )
    assert told(list(open_stream(path))) == EXPECTED


def test_trig(tmp_path: Path) -> None:
    path = tmp_path / "events.trig"
    path.write_text(
        f"""@prefix prov: <{PROV}> . @prefix xsd: <{XSD}> .
        <urn:g2> {{ <urn:s> <urn:p> <urn:o>, <urn:o2> }}
        <urn:g1> {{ <urn:s> <urn:p> <urn:o> }}
        <urn:g1> prov:generatedAtTime "1970-01-01T00:00:01Z"^^xsd:dateTime .
        <urn:g2> prov:startedAtTime "1970-01-01T00:00:02Z"^^xsd:dateTime ;
                 prov:endedAtTime "1970-01-01T00:00:04Z"^^xsd:dateTimeStamp ."""
    )
    assert told(list(open_stream(path))) == EXPECTED


def test_jsonld(tmp_path: Path) -> None:
    def moment(second: int) -> dict[str, str]:
        return {"@value": f"1970-01-01T00:00:{second:02}Z", "@type": f"{XSD}dateTime"}

    def graph(name: str, times: dict[str, int], *objects: str) -> dict[str, object]:
        triples = [{"@id": "urn:s", "urn:p": [{"@id": o} for o in objects]}]
        return {"@id": name, "@graph": triples, **{PROV + kind: moment(s) for kind, s in times.items()}}

    path = tmp_path / "events.jsonld"
    path.write_text(
        json.dumps(
            [
                graph("urn:g2", {"startedAtTime": 2, "endedAtTime": 4}, "urn:o", "urn:o2"),
                graph("urn:g1", {"generatedAtTime": 1}, "urn:o"),
            ]
        )
    )
    assert told(list(open_stream(path))) == EXPECTED


def test_an_element_is_never_cut(tmp_path: Path) -> None:
    path = tmp_path / "events.nq"
    path.write_text("".join(time(f"urn:g{n}", n) + quad(f"urn:g{n}") * 3 for n in range(5)))
    assert [len(batch) for batch in open_stream(path, batch_rows=4)] == [6, 6, 3]


def test_elements_before_a_broken_line_come_first(tmp_path: Path, drain: Drain) -> None:
    path = tmp_path / "events.nq"
    path.write_text(time("urn:g2", 2) + quad("urn:g2") + time("urn:g1", 1) + quad("urn:g1") + "<urn:x\n")
    got, error = drain(open_stream(path))
    assert str(error).startswith(f"EP412 {path}, line 5:")
    assert told(got) == [(2, 2, "urn:g2", "urn:o")], "g1 may not be all there"


def piped(text: str) -> int:
    reading, writing = os.pipe()
    os.write(writing, text.encode())
    os.close(writing)
    return reading


def test_a_graph_that_goes_on_in_a_pipe_is_an_error(tmp_path: Path, drain: Drain) -> None:
    text = time("urn:g1", 1) + quad("urn:g1") + time("urn:g2", 2) + quad("urn:g1", "<urn:o2>")
    got, error = drain(open_stream("-", format="nq", stdin=piped(text)))
    assert str(error).startswith("EP416 standard input, line 4:")
    assert told(got) == EXPECTED[:1]
    (tmp_path / "events.nq").write_text(text + quad("urn:g2"))
    assert len(told(list(open_stream(tmp_path / "events.nq")))) == 3


def test_all_triples_at_one_instant(tmp_path: Path) -> None:
    (tmp_path / "data.ttl").write_text("<a> <urn:p> 1, 'x'@EN, _:b .")
    (batch,) = open_stream(tmp_path / "data.ttl", at=7)
    assert list(batch.start) == list(batch.end) == [7, 7, 7]
    assert batch.s[0] == (tmp_path / "a").as_uri()
    assert batch.o == [(1, XSD + "integer"), ("x", "@en"), "_:b"]
    (tmp_path / "data.nq").write_text(time("urn:g1", 1) + quad("urn:g1"))
    (batch,) = open_stream(tmp_path / "data.nq", at=7)
    assert batch.graph == [None, "urn:g1"]
    (tmp_path / "none.ttl").write_text("")
    assert list(open_stream(tmp_path / "none.ttl", at=7)) == []


def test_triples_before_a_broken_one_come_first(tmp_path: Path, drain: Drain) -> None:
    (tmp_path / "data.nt").write_text("<urn:a> <urn:p> <urn:b> .\n<urn:a> <urn:p> <urn:c .\n")
    got, error = drain(open_stream(tmp_path / "data.nt", at=7))
    assert error.code == "EP412"
    assert error.place is not None
    assert error.place.line == 2
    assert [len(batch) for batch in got] == [1]

"""One stream in every format gives the same answers."""

from __future__ import annotations

import csv
import gzip
import json
from pathlib import Path

import pytest

TIME = "http://www.w3.org/2001/XMLSchema#dateTime"
PROV = "http://www.w3.org/ns/prov#"


@pytest.fixture
def rows(folder: Path) -> list[dict[str, str]]:
    return [json.loads(line) for line in (folder / "rise.ndjson").read_text().splitlines()]


def quads(rows: list[dict[str, str]]) -> str:
    lines = []
    for number, row in enumerate(rows):
        lines.append(f"{row['s']} {row['p']} {row['o']} <urn:g{number}> .\n")
        lines.append(f'<urn:g{number}> <{PROV}generatedAtTime> "{row["start"]}"^^<{TIME}> .\n')
    return "".join(lines)


def write_csv(rows: list[dict[str, str]], path: Path) -> None:
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)


def write_parquet(rows: list[dict[str, str]], path: Path) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    pq.write_table(pa.Table.from_pylist(rows), path)


def write_quads(rows: list[dict[str, str]], path: Path) -> None:
    path.write_text(quads(rows))


def write_trig(rows: list[dict[str, str]], path: Path) -> None:
    parts = [
        f"<urn:g{number}> {{ {row['s']} {row['p']} {row['o']} }}\n"
        f'<urn:g{number}> <{PROV}generatedAtTime> "{row["start"]}"^^<{TIME}> .\n'
        for number, row in enumerate(rows)
    ]
    path.write_text("".join(parts))


def write_jsonld(rows: list[dict[str, str]], path: Path) -> None:
    graphs = [
        {
            "@id": f"urn:g{number}",
            f"{PROV}generatedAtTime": {"@value": row["start"], "@type": TIME},
            "@graph": [{"@id": row["s"].strip("<>"), row["p"].strip("<>"): row["o"].strip('"')}],
        }
        for number, row in enumerate(rows)
    ]
    path.write_text(json.dumps(graphs))


def write_gzip(rows: list[dict[str, str]], path: Path) -> None:
    path.write_bytes(gzip.compress("".join(json.dumps(row) + "\n" for row in rows).encode()))


@pytest.mark.parametrize(
    ("name", "write"),
    [
        ("s.csv", write_csv),
        ("s.parquet", write_parquet),
        ("s.nq", write_quads),
        ("s.trig", write_trig),
        ("s.jsonld", write_jsonld),
        ("s.ndjson.gz", write_gzip),
    ],
)
def test_same_answers(etalis, rows, folder: Path, name: str, write) -> None:
    write(rows, folder / name)
    done = etalis(f"run rise.rq --stream {name}")
    assert (done.code, done.err) == (0, "")
    assert done.out == etalis("run rise.rq --stream rise.ndjson").out


def test_a_format_can_be_named(etalis, rows, folder: Path) -> None:
    write_quads(rows, folder / "strange.name")
    assert etalis("run rise.rq --stream strange.name --stream-format nquads").found == [
        ("http://example.org/a",)
    ]


def test_streams_are_merged_by_time(etalis, rows, folder: Path) -> None:
    write_csv(rows[1:], folder / "late.csv")
    write_quads(rows[:1], folder / "early.nq")
    together = etalis("run rise.rq --stream late.csv early.nq").out
    assert together == etalis("run rise.rq --stream late.csv --stream early.nq").out
    assert together == etalis("run rise.rq --stream rise.ndjson").out


def test_quads_that_were_written_are_read_as_a_stream(etalis, rows, folder: Path) -> None:
    (folder / "copy.rq").write_text("CONSTRUCT { ?s ?p ?o } WHERE { ?s ?p ?o }")
    (folder / "rows.rq").write_text("SELECT ?s ?p ?o WHERE { ?s ?p ?o }")
    assert etalis("run copy.rq --stream rise.ndjson --output copy.nq").code == 0
    assert etalis("run rows.rq --stream copy.nq").out == etalis("run rows.rq --stream rise.ndjson").out

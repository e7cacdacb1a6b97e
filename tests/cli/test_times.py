"""Times of elements far from today go in and come out as they are, in every stream format."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

TIME = "http://www.w3.org/2001/XMLSchema#dateTime"
PROV = "http://www.w3.org/ns/prov#"
S, P = "<urn:s>", "<urn:p>"

# What a file says, and what it means: start and end.
GIVEN = (
    ("-12000-02-28T23:59:59.999999Z", "-0001-12-31T24:00:00Z"),
    ("-0004-02-29T00:00:00Z", "0000-02-29T12:00:00.000001Z"),
    ("1969-12-31T23:59:59.999999Z", "1970-01-01T00:59:59.9999990+01:00"),
    ("1969-12-31T19:00:00.5-05:00", "1970-01-01T00:00:00.5"),
    ("2000-02-28T24:00:00Z", "9999-12-31T24:00:00Z"),
    ("9999-12-31T23:59:59.999999Z", "12000-03-01T00:00:00.1Z"),
    ("294247-01-10T04:00:54.775807Z", "294247-01-10T04:00:54.775807Z"),  # 2**63 - 1 microseconds
    ("294247-01-10T04:00:54.775808Z", "999999999-12-31T23:59:59.9Z"),
)
MEANT = (
    ("-12000-02-28T23:59:59.999999Z", "0000-01-01T00:00:00Z"),
    ("-0004-02-29T00:00:00Z", "0000-02-29T12:00:00.000001Z"),
    ("1969-12-31T23:59:59.999999Z", "1969-12-31T23:59:59.999999Z"),
    ("1970-01-01T00:00:00.5Z", "1970-01-01T00:00:00.5Z"),
    ("2000-02-29T00:00:00Z", "10000-01-01T00:00:00Z"),
    ("9999-12-31T23:59:59.999999Z", "12000-03-01T00:00:00.1Z"),
    ("294247-01-10T04:00:54.775807Z", "294247-01-10T04:00:54.775807Z"),
    ("294247-01-10T04:00:54.775808Z", "999999999-12-31T23:59:59.9Z"),
)
QUERY = """
SELECT (getSTARTTIME() AS ?start_) (getENDTIME() AS ?end_) (STR(getENDTIME()) AS ?text) (YEAR(?end_) AS ?year)
WHERE { ?s ?p ?o }"""


def rows() -> list[dict[str, str]]:
    return [
        {"start": start, "end": end, "s": S, "p": P, "o": f'"{n}"'} for n, (start, end) in enumerate(GIVEN)
    ]


def write_csv(path: Path) -> None:
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, list(rows()[0]))
        writer.writeheader()
        writer.writerows(rows())


def write_ndjson(path: Path) -> None:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows()))


def write_parquet(path: Path) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    pq.write_table(pa.Table.from_pylist(rows()), path)


def about(number: int, graph: str) -> str:
    start, end = GIVEN[number]
    return "".join(
        f'{graph} <{PROV}{kind}AtTime> "{time}"^^<{TIME}> .\n'
        for kind, time in (("started", start), ("ended", end))
    )


def write_nquads(path: Path) -> None:
    path.write_text(
        "".join(f'{S} {P} "{n}" <urn:g{n}> .\n{about(n, f"<urn:g{n}>")}' for n in range(len(GIVEN)))
    )


def write_trig(path: Path) -> None:
    path.write_text(
        "".join(f'<urn:g{n}> {{ {S} {P} "{n}" }}\n{about(n, f"<urn:g{n}>")}' for n in range(len(GIVEN)))
    )


def write_jsonld(path: Path) -> None:
    graphs = [
        {
            "@id": f"urn:g{number}",
            f"{PROV}startedAtTime": {"@value": start, "@type": TIME},
            f"{PROV}endedAtTime": {"@value": end, "@type": TIME},
            "@graph": [{"@id": "urn:s", "urn:p": str(number)}],
        }
        for number, (start, end) in enumerate(GIVEN)
    ]
    path.write_text(json.dumps(graphs))


@pytest.mark.parametrize(
    ("name", "write"),
    [
        ("s.csv", write_csv),
        ("s.ndjson", write_ndjson),
        ("s.parquet", write_parquet),
        ("s.nq", write_nquads),
        ("s.trig", write_trig),
        ("s.jsonld", write_jsonld),
    ],
)
def test_far_times(etalis, folder: Path, name: str, write) -> None:
    (folder / "times.rq").write_text(QUERY)
    write(folder / name)
    done = etalis(f"run times.rq --stream {name}")
    assert (done.code, done.err) == (0, "")
    assert [(each["start"], each["end"]) for each in done.answers] == list(MEANT)
    years = [end.rpartition("T")[0][:-6] for _, end in MEANT]
    expected = [(start, end, end, str(int(year))) for (start, end), year in zip(MEANT, years, strict=True)]
    assert done.found == expected


@pytest.mark.parametrize("results", ["json", "xml", "csv", "tsv", "table", "nquads"])
def test_far_times_in_each_form_of_results(etalis, folder: Path, results: str) -> None:
    (folder / "times.rq").write_text(
        "CONSTRUCT { ?s ?p ?o } WHERE { ?s ?p ?o }" if results == "nquads" else QUERY
    )
    write_csv(folder / "s.csv")
    done = etalis(f"run times.rq --stream s.csv --results {results}")
    assert (done.code, done.err) == (0, "")
    for start, end in MEANT:
        assert start in done.out.decode()
        assert end in done.out.decode()


def test_a_time_that_parquet_cannot_hold_is_an_error(etalis, folder: Path) -> None:
    (folder / "times.rq").write_text(QUERY)
    write_csv(folder / "s.csv")
    done = etalis("run times.rq --stream s.csv --results parquet --output out.parquet")
    assert done.code == 2
    assert "EP528" in done.err


@pytest.mark.parametrize(
    ("at", "shown"),
    [
        ("12000-01-01T00:00:00Z", "12000-01-01T00:00:00Z"),
        ("-0001-12-31T24:00:00Z", "0000-01-01T00:00:00Z"),
        ("1969-12-31T23:59:59.999999", "1969-12-31T23:59:59.999999Z"),
        ("2000-01-01T00:00:00+14:00", "1999-12-31T10:00:00Z"),
        ("-1", "1969-12-31T23:59:59.999999Z"),
    ],
)
def test_at(etalis, folder: Path, at: str, shown: str) -> None:
    (folder / "at.rq").write_text("SELECT (getSTARTTIME() AS ?start_) WHERE { ?s ?p ?o }")
    (folder / "plain.nt").write_text(f'{S} {P} "1" .\n')
    done = etalis("run at.rq --stream plain.nt", f"--at={at}")
    assert (done.code, done.err) == (0, "")
    assert done.found == [(shown,)]


@pytest.mark.parametrize(
    ("time", "reason"),
    [
        ("2016-12-31T23:59:60Z", "leap second"),
        ("1970-01-01T00:00:00.0000001Z", "finer than a microsecond"),
        ("2011-02-29T00:00:00Z", "a day that its month does not have"),
    ],
)
def test_times_that_are_refused(etalis, folder: Path, time: str, reason: str) -> None:
    (folder / "s.csv").write_text(f"start,s,p,o\n{time},{S},{P},{S}\n")
    (folder / "s.nq").write_text(
        f'{S} {P} {S} <urn:g> .\n<urn:g> <{PROV}generatedAtTime> "{time}"^^<{TIME}> .\n'
    )
    for name in ("s.csv", "s.nq"):
        done = etalis(f"run rise.rq --stream {name}")
        assert done.code == 3
        assert reason in done.err
    (folder / "plain.nt").write_text(f"{S} {P} {S} .\n")
    done = etalis(f"run rise.rq --stream plain.nt --at {time}")
    assert done.code == 2
    assert reason in done.err

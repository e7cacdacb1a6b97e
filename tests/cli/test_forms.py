"""etalis run: ASK in each form of results, and --final."""

from __future__ import annotations

import csv
import io
import json
import subprocess
from pathlib import Path

import pytest

from tests.cli.conftest import PREFIX, ndjson, time
from tests.patience import PATIENCE

LOW = "<http://example.org/low>"
EVENTS = [(1, f"<urn:{name}>", LOW, f'"{name}"') for name in "ab"] + [(3, "<urn:c>", LOW, '"c"')]
NONE = f"{PREFIX}ASK {{ ?x ex:none ?y }}"
SOME = f"{PREFIX}ASK {{ ?x ex:low ?y }}"


@pytest.fixture(autouse=True)
def files(folder: Path) -> None:
    (folder / "low.rq").write_text(f"{PREFIX}SELECT ?x {{ ?x ex:low ?y }}")
    (folder / "some.rq").write_text(SOME)
    (folder / "none.rq").write_text(NONE)
    (folder / "s.ndjson").write_text(ndjson([*EVENTS, (4, "<urn:d>", "<urn:p>", '"d"')]))
    (folder / "s.ttl").write_text(f"<urn:a> {LOW} 1 .")


def test_an_ask_says_yes_at_each_instant_with_solutions(etalis) -> None:
    done = etalis("run some.rq none.rq --stream s.ndjson --quiet")
    assert done.answers == [
        {"query": "some", "start": time(second), "end": time(second), "boolean": True} for second in (1, 3)
    ]
    rows = list(
        csv.DictReader(io.StringIO(etalis("run some.rq --stream s.ndjson --results csv").out.decode()))
    )
    assert rows == [{"boolean": "true", "start": time(second), "end": time(second)} for second in (1, 3)]
    document = json.loads(etalis("run some.rq --stream s.ndjson --results json").out)
    assert document["head"]["vars"] == ["boolean", "start", "end"]
    assert [row["boolean"]["value"] for row in document["results"]["bindings"]] == ["true", "true"]
    table = etalis("run some.rq --stream s.ndjson --results table").out.decode().splitlines()
    assert table[1].split() == ["start", "end", "boolean"]
    assert table[3].split() == [time(1), time(1), "true"]


@pytest.mark.parametrize(("name", "value"), [("some", "true"), ("none", "false")])
def test_with_at_an_ask_is_answered_in_any_case(etalis, name: str, value: str) -> None:
    at = f"run {name}.rq --stream s.ttl --quiet --at 1970-01-01T00:00:01Z"
    (answer,) = etalis(at).answers
    assert answer == {"query": name, "start": time(1), "end": time(1), "boolean": value == "true"}
    assert etalis(f"{at} --results json").out.decode() == f'{{"head": {{}}, "boolean": {value}}}\n'
    assert etalis(f"{at} --results csv").out.decode() == f"boolean\r\n{value}\r\n"
    assert etalis(f"{at} --results table").out.decode() == f"{name}: {'yes' if value == 'true' else 'no'}\n"


@pytest.mark.parametrize("results", ["parquet", "nquads"])
def test_forms_without_booleans_say_so(etalis, results: str) -> None:
    done = etalis(f"run some.rq --stream s.ndjson --results {results} --output out")
    assert done.code == 2
    assert "EP526" in done.err


def test_final_gives_the_last_rows_of_each_query(etalis, folder: Path) -> None:
    (folder / "pairs.rq").write_text(
        f"{PREFIX}SELECT ?x ?y {{ {{ ?x ex:low 'a' }} EQUALS {{ ?y ex:low ?z }} }}"
    )
    (folder / "make.rq").write_text(f"{PREFIX}CONSTRUCT {{ ?x ex:was ?y }} {{ ?x ex:low ?y }}")
    done = etalis("run low.rq pairs.rq make.rq some.rq none.rq --stream s.ndjson --final --quiet")
    told = [(each["query"], each["end"]) for each in done.answers]
    assert told == [
        ("pairs", time(1)), ("pairs", time(1)), ("low", time(3)), ("make", time(3)), ("some", time(3)),
        ("none", time(4)),
    ]  # fmt: skip
    assert done.answers[2]["bindings"]["x"]["value"] == "urn:c"
    assert done.answers[-1]["boolean"] is False


@pytest.mark.parametrize("results", ["csv", "tsv", "json", "xml", "table", "parquet"])
def test_final_in_each_form(etalis, results: str, folder: Path) -> None:
    assert etalis(f"run low.rq --stream s.ndjson --final --results {results} --output out").code == 0
    out = (folder / "out").read_bytes()
    assert b"urn:c" in out
    assert b"urn:a" not in out


def test_final_waits_for_the_end_of_standard_input(start) -> None:
    process: subprocess.Popen[bytes] = start("run low.rq none.rq --stream - --stream-format ndjson --final")
    out, _ = process.communicate(ndjson(EVENTS).encode(), timeout=PATIENCE)
    assert [json.loads(line)["query"] for line in out.splitlines()] == ["low", "none"]
    assert process.returncode == 0


def test_an_ask_over_nothing_has_no_time(etalis, folder: Path) -> None:
    (folder / "empty.ndjson").write_text("\n")
    done = etalis("run some.rq --stream empty.ndjson --final --quiet")
    assert done.answers == [{"query": "some", "boolean": False}]


def test_where_the_data_breaks_off_nothing_is_denied(etalis, folder: Path) -> None:
    with (folder / "s.ndjson").open("a") as stream:
        stream.write("{\n")
    done = etalis("run low.rq none.rq --stream s.ndjson --final --quiet")
    assert done.code == 3
    assert done.found == [("urn:c",)]
    (folder / "bad.ttl").write_text("<urn:a> <urn:b>")
    done = etalis("run none.rq --stream bad.ttl --at 1 --results json --quiet")
    assert (done.code, done.out) == (3, b"")


@pytest.mark.parametrize("final", ["", "--final"])
def test_rows_keep_the_order_of_order_by(etalis, folder: Path, final: str) -> None:
    (folder / "order.rq").write_text(f"{PREFIX}SELECT ?x {{ ?x ex:low ?y }} ORDER BY DESC(?x)")
    events = [(1, f"<urn:{name}>", LOW, '"1"') for name in "bdac"] + [
        (2, f"<urn:{name}>", LOW, '"1"') for name in "fegh"
    ]
    (folder / "o.ndjson").write_text(ndjson(events))
    line = f"run order.rq --stream o.ndjson {final}"
    expected = [f"urn:{name}" for name in ("hgfe" if final else "dcbahgfe")]
    assert [value for (value,) in etalis(line).found] == expected
    rows = csv.DictReader(io.StringIO(etalis(f"{line} --results csv").out.decode()))
    assert [row["x"] for row in rows] == expected
    table = etalis(f"{line} --results table").out.decode().splitlines()[3:-1]
    assert [row.split()[-1].strip("<>") for row in table] == expected


def test_a_describe_gives_triples(etalis, folder: Path) -> None:
    (folder / "d.rq").write_text(f"{PREFIX}DESCRIBE ?x {{ ?x ex:low 'a' }}")
    (answer,) = etalis("run d.rq --stream s.ndjson").answers
    assert answer["triples"] == [
        [
            {"type": "uri", "value": "urn:a"},
            {"type": "uri", "value": "http://example.org/low"},
            {"type": "literal", "value": "a"},
        ]
    ]
    assert (
        b'<urn:a> <http://example.org/low> "a"' in etalis("run d.rq --stream s.ndjson --results nquads").out
    )
    assert "EP526" in etalis("run d.rq --stream s.ndjson --results csv").err

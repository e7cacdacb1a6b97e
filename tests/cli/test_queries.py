"""Queries that are in no file: -c, and standard input; and etalis map."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path

from tests.cli.conftest import RISE, Etalis
from tests.patience import PATIENCE


def test_a_query_on_the_command_line(etalis: Etalis) -> None:
    done = etalis("run --stream rise.ndjson", "-c", RISE)
    assert done.found == [("http://example.org/a",)]
    assert {each["query"] for each in done.answers} == {"query"}
    done = etalis("run rise.rq --stream rise.ndjson", "-c", RISE, "--query", RISE)
    assert sorted(each["query"] for each in done.answers) == ["query", "query-2", "rise"]


def test_names_of_files_come_first(etalis: Etalis, folder: Path) -> None:
    (folder / "query.rq").write_text(RISE)
    done = etalis("run query.rq --stream rise.ndjson", "-c", RISE)
    assert sorted(each["query"] for each in done.answers) == ["query", "query-2"]


def test_an_error_in_it_has_its_place(etalis: Etalis) -> None:
    done = etalis("run --stream rise.ndjson", "-c", "SELECT ?x { ?x ?y }")
    assert done.code == 2
    assert "EP101 -c, line 1" in done.err


def test_relative_names_are_in_the_folder(etalis: Etalis, folder: Path) -> None:
    done = etalis("explain --stage algebra", "-c", "SELECT ?x { ?x <y> ?z }")
    assert f"<{folder.as_uri()}/y>".encode() in done.out


def test_a_query_on_standard_input(start: Callable[..., subprocess.Popen[bytes]]) -> None:
    out, _ = start("run - --stream rise.ndjson").communicate(RISE.encode(), timeout=PATIENCE)
    assert json.loads(out)["query"] == "query"


def test_standard_input_is_read_once(etalis: Etalis) -> None:
    for line in ("run - --stream - --stream-format ndjson", "run - - --stream rise.ndjson"):
        done = etalis(line)
        assert done.code == 2
        assert "EP501 standard input can be read only once" in done.err


def test_no_query(etalis: Etalis) -> None:
    assert "EP501 missing: QUERY.rq" in etalis("run --stream rise.ndjson").err
    assert "etalis explain rise.rq" in etalis("explain --profile rise.ndjson rise.rq").err


def test_a_mapping_is_proposed(etalis: Etalis, folder: Path) -> None:
    (folder / "heat.csv").write_text(
        "sensor,heat,when\na,20.5,2026-03-02T08:00:00Z\na,30.5,2026-03-02T08:01:00Z\n"
    )
    done = etalis("map heat.csv")
    assert (done.code, done.err) == (0, "")
    (folder / "heat.yml").write_bytes(done.out)
    query = "PREFIX ex: <http://example.org/> SELECT ?h { ?x ex:heat ?h FILTER (?h > 25) }"
    assert etalis("run --stream heat.csv --map heat.yml", "-c", query).found == [("30.5",)]
    assert "EP521" in etalis("map heat.dat").err
    assert "EP401" in etalis("map none.csv").err

"""Ordinary files with --map, in folders and by patterns, through each command that reads streams."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.conftest import PREFIX, Etalis
from tests.patience import PATIENCE

MAP = """
prefixes: {ex: "http://example.org/"}
mappings:
  reading:
    s: ex:$(sensor)
    po: [[ex:heat, $(heat), xsd:integer]]
    time: {start: $(when), unit: s}
"""
RISE = PREFIX + "SELECT ?x ?b { { ?x ex:heat ?a } SEQ { ?x ex:heat ?b FILTER (?b > ?a + 5) } }\n"
ROWS = ("a,20,1773820800", "b,21,1773820801", "a,26,1773820802", "b,22,1773820803", "b,28,1773820804")
RISES = [("http://example.org/a", "26"), ("http://example.org/b", "28"), ("http://example.org/b", "28")]


@pytest.fixture(autouse=True)
def files(folder: Path) -> None:
    (folder / "rise.rq").write_text(RISE)
    (folder / "map.yml").write_text(MAP)
    write(folder / "rows.csv", ROWS)


def write(path: Path, rows: tuple[str, ...]) -> None:
    path.parent.mkdir(exist_ok=True)
    path.write_text("sensor,heat,when\n" + "".join(row + "\n" for row in rows))


def test_run(etalis: Etalis) -> None:
    assert etalis("run rise.rq --stream rows.csv --map map.yml").found == RISES


def test_folders_and_patterns_are_their_files(etalis: Etalis, folder: Path) -> None:
    for place, row in enumerate(ROWS):
        write(folder / "parts" / f"part-{place % 2}-{place}.csv", (row,))
    (folder / "parts" / "_notes.csv").write_text("?")
    (folder / "parts" / "notes.txt").write_text("?")
    for name in ("parts", "parts/part-*.csv"):
        assert etalis(f"run rise.rq --stream {name} --map map.yml").found == RISES
    (folder / "empty").mkdir()
    for name, told in (("empty", "has no file with .csv"), ("x*.csv", "no file matches the pattern")):
        done = etalis(f"run rise.rq --stream {name} --map map.yml")
        assert done.code == 3
        assert f"EP401 {name}: the stream cannot be read: " in done.err
        assert told in done.err


def test_standard_input(start: Callable[..., subprocess.Popen[bytes]]) -> None:
    lines = "".join(
        json.dumps({"sensor": each[0], "heat": int(each[1]), "when": int(each[2])}) + "\n"
        for each in (row.split(",") for row in ROWS)
    )
    process = start("run rise.rq --stream - --stream-format ndjson --map map.yml")
    out, _ = process.communicate(lines.encode(), timeout=PATIENCE)
    assert [json.loads(each)["bindings"]["b"]["value"] for each in out.splitlines()] == ["26", "28", "28"]


def test_answers_before_a_bad_row_are_given(etalis: Etalis, folder: Path) -> None:
    write(folder / "rows.csv", (*ROWS[:4], "a,warm,1773820804", ROWS[4]))
    done = etalis("run rise.rq --stream rows.csv --map map.yml")
    assert done.code == 3
    assert done.found == RISES[:1]
    assert "EP436 rows.csv, line 6, row 5" in done.err


def test_a_bad_mapping_is_told_before_anything_runs(etalis: Etalis, folder: Path) -> None:
    (folder / "map.yml").write_text(MAP.replace("po:", "op:"))
    for line in ("run rise.rq --stream", "check rise.rq --stream", "explain rise.rq --profile"):
        done = etalis(f"{line} rows.csv --map map.yml")
        assert (done.code, done.out) == (3, b"")
        assert "EP433 map.yml, line 6" in done.err


def test_check_knows_the_names_that_a_mapping_makes(etalis: Etalis, folder: Path) -> None:
    (folder / "rise.rq").write_text(RISE.replace("ex:heat ?b", "ex:haet ?b"))
    done = etalis("check rise.rq --stream rows.csv --map map.yml")
    assert b"ex:heat" in done.out + done.err.encode()
    assert b"EW10" in done.out + done.err.encode()


def test_profile(etalis: Etalis) -> None:
    done = etalis("explain rise.rq --profile rows.csv --map map.yml")
    assert b"5 events" in done.out


def test_shell(start: Callable[..., subprocess.Popen[bytes]]) -> None:
    process = start("shell rise.rq --map map.yml")
    out, _ = process.communicate(b":stream rows.csv\n", timeout=PATIENCE)
    assert out.count(b"b=26") == 1


def test_a_run_goes_on_where_it_was(etalis: Etalis, folder: Path) -> None:
    line = "run rise.rq --stream rows.csv --map map.yml --state kept --output found.ndjson"
    write(folder / "rows.csv", ROWS[:3])
    assert etalis(line).code == 0
    write(folder / "rows.csv", ROWS)
    assert etalis(line).code == 0
    found = [json.loads(each) for each in (folder / "found.ndjson").read_text().splitlines()]
    assert [each["bindings"]["b"]["value"] for each in found] == ["26", "28", "28"]
    (folder / "map.yml").write_text(MAP.replace("xsd:integer", "xsd:decimal"))
    assert "--map" in etalis(line).err


def test_a_time_for_all_is_refused(etalis: Etalis) -> None:
    assert "EP523" in etalis("run rise.rq --stream rows.csv --map map.yml --at 2026-01-01T00:00:00Z").err

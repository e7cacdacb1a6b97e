"""etalis run --starting-at and --at-end, for queries with windows on streams."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

READINGS = "start,s,p,o\n1,<urn:a>,<urn:p>,<urn:b>\n8,<urn:c>,<urn:p>,<urn:b>\n"
WINDOW = "FROM NAMED WINDOW <w> ON <urn:s> [RANGE 4s STEP 2s]"
QUERY = f"SELECT ?x {WINDOW} {{ WINDOW <w> {{ ?x <urn:p> ?y }} }}"


@pytest.fixture
def readings(folder: Path) -> Path:
    (folder / "r.csv").write_text(READINGS)
    (folder / "w.rq").write_text(QUERY)
    return folder


def ends(etalis, words: str) -> list[str]:
    done = etalis(f"run {words} --stream urn:s=r.csv --time-unit s --results ndjson")
    assert done.code == 0, done.err
    return [json.loads(line)["end"][-4:-1] for line in done.out.splitlines()]


def test_windows_begin_where_the_option_says(etalis, readings: Path) -> None:
    assert ends(etalis, "w.rq") == [":02", ":04", ":08", ":10"]
    assert ends(etalis, "w.rq --starting-at 1970-01-01T00:00:01Z") == [":09", ":11"]


def test_a_query_says_it_first(etalis, readings: Path) -> None:
    (readings / "w.rq").write_text(QUERY.replace("2s]", '2s STARTING AT "1970-01-01T00:00:00Z"]'))
    assert ends(etalis, "w.rq --starting-at 1970-01-01T00:00:01Z") == [":04", ":08", ":10"]
    (readings / "w.rq").write_text(f"PRAGMA starting-at 1970-01-01T00:00:00Z\n{QUERY}")
    assert ends(etalis, "w.rq --starting-at 1970-01-01T00:00:01Z") == [":04", ":08", ":10"]


def test_nothing_follows_the_last_event_if_the_end_stops_it(etalis, readings: Path) -> None:
    assert ends(etalis, "w.rq --at-end all") == [":02", ":04", ":08", ":10"]
    assert ends(etalis, "w.rq --at-end stop") == [":02", ":04", ":08"]
    (readings / "w.rq").write_text("SELECT ?x { { ?x <urn:p> ?y } SEQ NOT { ?x <urn:q> ?y } FOR PT2S }")
    assert ends(etalis, "w.rq --at-end stop") == [":03"]


@pytest.mark.parametrize(
    ("words", "code"), [("--starting-at soon", "EP505"), ("--at-end stop --engine spark", "EP506")]
)
def test_what_cannot_be(etalis, readings: Path, words: str, code: str) -> None:
    done = etalis(f"run w.rq --stream urn:s=r.csv {words}")
    assert done.code == 2
    assert done.err.startswith(code)

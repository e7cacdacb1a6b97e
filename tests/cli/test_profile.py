"""etalis explain --profile."""

from __future__ import annotations

import json
import signal
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import RISE_EVENTS, ndjson
from tests.patience import PATIENCE


def operators(plan: dict[str, Any]) -> dict[str, dict[str, Any]]:
    found = {plan["operator"]: plan}
    for each in plan["inputs"]:
        found |= operators(each)
    return found


def test_json_has_all_figures(etalis) -> None:
    done = etalis("explain rise.rq --profile rise.ndjson --format json")
    assert (done.code, done.err) == (0, "")
    report = json.loads(done.out)
    assert report["events"] == 3
    (query,) = report["queries"]
    assert (query["query"], query["source"], query["answers"]) == ("rise", "rise.rq", 1)
    seq = operators(query["plan"])["SEQ on ?x"]
    names = ("line", "events_in", "goals_made", "goals_live", "goals_most", "matches_out")
    assert [seq[name] for name in names] == [2, 3, 1, 1, 1, 1]
    assert [(rule["rule"], rule["calls"]) for rule in seq["rules"]] == [
        ("goal insertion", 1),
        ("checking", 2),
    ]
    assert [store["made"] for store in seq["stores"]] == [1]
    assert query["plan"]["total_seconds"] >= seq["total_seconds"] >= seq["own_seconds"] >= 0
    total = sum(report["outside"].values()) + query["plan"]["total_seconds"]
    assert report["seconds"] == pytest.approx(total, abs=1e-7)


def test_table(etalis) -> None:
    done = etalis("explain rise.rq --profile rise.ndjson")
    text = done.out.decode()
    assert (done.code, done.err) == (0, "")
    assert text.startswith("rise: 1 answer\n")
    seq = next(line for line in text.splitlines() if "SEQ on ?x" in line)
    assert seq.split()[:10] == ["└─", "SEQ", "on", "?x", "2", "3", "1", "1", "1", "1"]
    assert "outside of all operators" in text
    assert "3 events in " in text


def test_several_queries_and_streams(etalis, folder: Path) -> None:
    (folder / "two.rq").write_text((folder / "rise.rq").read_text())
    (folder / "more.ndjson").write_text(ndjson(RISE_EVENTS[:1]))
    done = etalis("explain rise.rq two.rq --profile rise.ndjson more.ndjson --format json")
    report = json.loads(done.out)
    assert report["events"] == 4
    assert [each["query"] for each in report["queries"]] == ["rise", "two"]


def test_text_of_a_query_is_no_markup(etalis, folder: Path) -> None:
    (folder / "q.rq").write_text("SELECT ?x { ?x ?p ?y FILTER(?y != '[bold]:smile:[/bold]') }")
    assert "[bold]:smile:[/bold]" in etalis("explain q.rq --profile rise.ndjson").out.decode()


@pytest.mark.parametrize(
    ("line", "code", "message"),
    [
        ("rise.rq --profile nowhere.csv", 3, "EP401 nowhere.csv"),
        ("rise.rq --profile rise.rq", 2, "EP521 rise.rq"),
        ("rise.rq --profile", 2, "EP501"),
        ("nowhere.rq --profile rise.ndjson", 2, "EP502 nowhere.rq"),
        ("bad.rq --profile rise.ndjson", 2, "EP102 bad.rq"),
        ("rise.rq --profile late.ndjson", 3, "EP413"),
        ("rise.rq --profile rise.ndjson --on-late soon", 2, "EP505 --on-late"),
        ("rise.rq --profile rise.ndjson --stage plan", 2, "EP501 --stage"),
        ("rise.rq --profile - -", 2, "EP501 standard input"),
        ("rise.rq --format json", 2, "EP501 --format"),
        ("rise.rq --stream-format csv", 2, "EP501 --stream-format"),
        ("rise.rq --profile rise.ndjson --background nowhere.ttl", 3, "EP4"),
    ],
)
def test_errors_are_messages(etalis, folder: Path, line: str, code: int, message: str) -> None:
    (folder / "bad.rq").write_text("SELECT")
    (folder / "late.ndjson").write_text(ndjson(RISE_EVENTS[::-1]))
    done = etalis(f"explain {line}")
    assert done.code == code
    assert done.err.startswith(message)
    assert "Traceback" not in done.err


def test_late_elements_can_be_waited_for(etalis, folder: Path) -> None:
    (folder / "late.ndjson").write_text(ndjson(RISE_EVENTS[::-1]))
    done = etalis("explain rise.rq --profile late.ndjson --on-late 10s --format json")
    assert json.loads(done.out)["queries"][0]["answers"] == 1
    done = etalis("explain rise.rq --profile late.ndjson --on-late drop --format json")
    assert json.loads(done.out)["queries"][0]["answers"] == 0
    assert "2 elements came too late" in done.err


def test_ctrl_c_shows_what_was_measured(start) -> None:
    process = start("explain rise.rq --profile - --stream-format ndjson --format json")
    row = '{{"start": {0}, "s": "<urn:s{0}>", "p": "<urn:p>", "o": "\\"{0}\\""}}\n'
    rows = "".join(row.format(number) for number in range(10_000))
    process.stdin.write(rows.encode())  # more than a pipe holds: it is being read when this is done
    process.stdin.flush()
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=PATIENCE)
    assert (process.returncode, err) == (130, b"")
    assert json.loads(out)["queries"][0]["query"] == "rise"

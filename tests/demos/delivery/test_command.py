"""``etalis demo delivery``: what it prints and writes."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pytest

from etalis_py.cli import main
from etalis_py.demos.delivery.measure import QUICK
from etalis_py.demos.delivery.outputs import ALERT_COLUMNS, ROUTE_COLUMNS
from etalis_py.demos.delivery.roads import load_roads


def rows(path: Path) -> list[dict[str, str]]:
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


@pytest.mark.slow
def test_a_run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["demo", "delivery", "--agents", "3", "--stops", "6", "--output", str(tmp_path)]) == 0
    printed = capsys.readouterr().out
    assert "A made-up city: 1,381 junctions, 3,000 segments. The traffic is simulated." in printed
    assert "cut off at" in printed
    routes, alerts, costs = (rows(tmp_path / name) for name in ("routes.csv", "alerts.csv", "cost.csv"))
    assert tuple(routes[0]) == ROUTE_COLUMNS
    assert {row["answer"] for row in routes} == {"open", "new way", "cut off"}
    for row in routes:
        assert len(row["way"].split()) == int(row["segments"] or 0)
    assert routes == sorted(routes, key=lambda row: row["asked"])
    assert tuple(alerts[0]) == ALERT_COLUMNS
    assert {row["kind"] for row in alerts} >= {"cut off", "congestion"}
    assert [(row["measured"], int(row["agents"]), int(row["stops"])) for row in costs] == [
        *(("stops", agents, stops) for agents in QUICK.agents for stops in QUICK.stops),
        *(("agents", agents, 20) for agents in QUICK.growth),
    ]
    check_map(json.loads((tmp_path / "map.geojson").read_text(encoding="utf-8"))["features"], routes, alerts)
    assert len(load_roads(tmp_path / "roads.geojson", 0).segments) == 3_000
    for name in ("map.png", "cost.png"):
        assert (tmp_path / name).read_bytes().startswith(b"\x89PNG")


def check_map(features: list[Any], routes: list[dict[str, str]], alerts: list[dict[str, str]]) -> None:
    """Each route and alert of the tables is on the map; what is driven begins and ends where it should."""
    by_kind: dict[str, list[Any]] = {}
    for each in features:
        by_kind.setdefault(each["properties"]["kind"], []).append(each)
    assert by_kind.keys() == {"closure", "planned", "driven", "new way", "cut off", "late"}
    told = {(each["properties"]["asked"], each["properties"]["leg"]) for each in by_kind["new way"]}
    assert told == {(row["asked"], row["leg"]) for row in routes if row["answer"] == "new way"}
    for kind in ("cut off", "late"):
        told = {(each["properties"]["time"], each["properties"]["leg"]) for each in by_kind[kind]}
        assert told == {(row["time"], row["leg"]) for row in alerts if row["kind"] == kind}
    for planned, driven in zip(by_kind["planned"], by_kind["driven"], strict=True):
        assert planned["properties"]["leg"] == driven["properties"]["leg"]
        ways = (planned["geometry"]["coordinates"], driven["geometry"]["coordinates"])
        assert (ways[0][0], ways[0][-1]) == (ways[1][0], ways[1][-1])


@pytest.mark.slow
def test_roads_of_ones_own(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A grid without places, and a tour through it."""
    size = 8
    arcs = ["from,to,length"]
    for x in range(size):
        for y in range(size):
            for other in ((x + 1, y), (x, y + 1)):
                if max(other) < size:
                    arcs += [f"{x}-{y},{other[0]}-{other[1]},100", f"{other[0]}-{other[1]},{x}-{y},100"]
    (tmp_path / "arcs.csv").write_text("\n".join(arcs) + "\n")
    (tmp_path / "tours.csv").write_text("agent,junction\nann,0-0\nann,7-7\nann,3-4\nann,0-7\n")
    words = ["--roads", str(tmp_path / "arcs.csv"), "--tours", str(tmp_path / "tours.csv")]
    words += ["--closed", "100%", "--no-measure", "--output", str(tmp_path / "out")]
    assert main(["demo", "delivery", *words]) == 0
    printed = capsys.readouterr().out
    assert "The road network: 64 junctions, 224 segments." in printed
    assert {row["agent"] for row in rows(tmp_path / "out" / "routes.csv")} == {"ann"}
    assert not list((tmp_path / "out").glob("cost.*"))


def test_bad_roads_are_told_in_two_lines(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "arcs.csv").write_text("from,to,length\n1,2,3\n")
    assert main(["demo", "delivery", "--roads", str(tmp_path / "arcs.csv"), "--output", str(tmp_path)]) == 3
    assert capsys.readouterr().err.count("\n") == 2

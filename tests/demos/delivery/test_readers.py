"""Road networks and tours from files."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable
from pathlib import Path

import pytest

from etalis_py.core.errors import DataError, UsageError
from etalis_py.demos.delivery.network import Network
from etalis_py.demos.delivery.read_tours import read_tours
from etalis_py.demos.delivery.roads import load_roads
from etalis_py.demos.delivery.write_geojson import roads_of


def test_turtle_there_and_back(city: Network, written: Callable[[Network], Path]) -> None:
    found = load_roads(written(city), 0)
    assert (found.junctions, found.segments) == (city.junctions, city.segments)
    assert (found.districts, set(found.boroughs)) == (city.districts, set(city.boroughs))


def test_a_real_size_as_csv(city: Network, tmp_path: Path) -> None:
    path = tmp_path / "arcs.csv"
    with path.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["from", "to", "length", "from_x", "from_y", "to_x", "to_y", "speed"])
        for one in city.segments.values():
            for start, end in [(one.start, one.end)] + ([] if one.one_way else [(one.end, one.start)]):
                writer.writerow([start, end, one.length, *city.place(start), *city.place(end), one.speed])
    found = load_roads(path, 0)
    assert 4_500 < len(found.segments) < 5_500
    assert {name: (one.x, one.y) for name, one in found.junctions.items()} == {
        name: city.place(name) for name in found.junctions
    }


def test_csv_without_places(tmp_path: Path) -> None:
    path = tmp_path / "arcs.csv"
    path.write_text("from,to,length\n1,2,100\n2,1,110\n1,2,90.5\n")
    found = load_roads(path, 0)
    assert list(found.segments) == ["1-2", "2-1", "1-2-2"]
    assert [(one.length, one.one_way) for one in found.segments.values()] == [
        (100.0, True), (110.0, True), (90.5, True),
    ]  # fmt: skip
    assert not found.has_places


def test_rows_of_csv_that_lead_both_ways(tmp_path: Path) -> None:
    path = tmp_path / "arcs.csv"
    path.write_text("from,to,length,oneway\n1,2,100,\n2,3,110,yes\n1,3,90,-1\n1,4,5,no\n")
    found = load_roads(path, 0, two_way=True)
    assert [(one.start, one.end, one.one_way) for one in found.segments.values()] == [
        ("1", "2", False), ("2", "3", True), ("3", "1", True), ("1", "4", False),
    ]  # fmt: skip
    assert load_roads(path, 0).segments["1-2"].one_way


def test_only_roads_in_csv_are_made_two_way(tmp_path: Path) -> None:
    for path in (None, tmp_path / "roads.ttl", tmp_path / "roads.geojson"):
        with pytest.raises(UsageError, match="EP544"):
            load_roads(path, 0, two_way=True)


def test_geojson_there_and_back(city: Network, tmp_path: Path) -> None:
    path = tmp_path / "roads.geojson"
    path.write_text(roads_of(city), encoding="utf-8")
    found = load_roads(path, 0)
    assert found.segments == city.segments
    assert {name: one.label for name, one in found.junctions.items()} == {
        name: one.label for name, one in city.junctions.items()
    }
    assert (found.districts, found.boroughs) == (city.districts, city.boroughs)
    before, after = (network.place("j0812") for network in (city, found))
    shift = after[0] - before[0], after[1] - before[1]
    for name in city.junctions:  # the middle of a file is that of its places
        (x, y), (x_found, y_found) = city.place(name), found.place(name)
        assert (x_found, y_found) == pytest.approx((x + shift[0], y + shift[1]), abs=0.3)


def street(*points: tuple[float, float], kind: str = "LineString", **properties: object) -> dict[str, object]:
    return {
        "type": "Feature",
        "id": properties.pop("id", "way/7"),
        "geometry": {"type": kind, "coordinates": [list(each) for each in points]},
        "properties": properties,
    }


def geojson(folder: Path, *features: object) -> Path:
    path = folder / "roads.geojson"
    path.write_text(json.dumps({"type": "FeatureCollection", "features": features}))
    return path


def test_lines_are_cut_where_others_meet_them(tmp_path: Path) -> None:
    """As OpenStreetMap has them: a street with a bend, and one that begins at its third point.

    n1 ----.---- n2 ---- n3
                 |
                 n4
    """
    path = geojson(
        tmp_path,
        street((8.40, 49.0), (8.41, 49.001), (8.42, 49.0), (8.43, 49.0), maxspeed="20 mph", length=5_000),
        street((8.42, 49.0), (8.42, 48.99), id="way/8", oneway="-1"),
        street((8.42, 48.99), (8.40, 49.0), id=9, oneway="no", speed=30, district="Docks"),
        {"type": "Feature", "geometry": {"type": "Polygon", "coordinates": []}, "properties": None},
    )
    found = load_roads(path, 0)
    assert [(one.name, one.start, one.end, one.one_way, one.speed) for one in found.segments.values()] == [
        ("way-7", "n1", "n2", False, 32.2), ("way-7-2", "n2", "n3", False, 32.2),
        ("way-8", "n4", "n2", True, 50.0), ("9", "n4", "n1", False, 30.0),
    ]  # fmt: skip
    assert found.segments["way-7"].length == pytest.approx(1_477, rel=0.01)  # of two, so measured
    assert len(found.segments["way-7"].bends) == 1
    assert found.line("way-7")[1] == found.segments["way-7"].bends[0]
    assert found.line_of_way("n2", ["way-7", "9"])[::2] == [found.place("n2"), found.place("n1")]
    assert found.boroughs == ("Docks", "Town")
    longitude, latitude = found.projection.to_degrees(found.place("n3"))
    assert (longitude, latitude) == pytest.approx((8.43, 49.0), abs=2e-6)


def test_ends_that_have_names(tmp_path: Path) -> None:
    path = geojson(
        tmp_path,
        street((0.01, 0), (0.02, 0), id="b", **{"from": "bridge"}),
        street((0, 0), (0.01, 0), (0.02, 0), id="a", **{"from": "mill", "to": "church"}, length=70),
        street((0.01, 0), (0, 0), id="c", **{"from": "bridge", "to": "mill"}),
    )
    found = load_roads(path, 0)
    assert [(one.name, one.start, one.end, one.length) for one in found.segments.values()] == [
        ("b", "bridge", "church", 1112.0), ("a", "mill", "church", 70), ("c", "bridge", "mill", 1112.0),
    ]  # fmt: skip


def test_degrees_become_metres(tmp_path: Path) -> None:
    path = tmp_path / "roads.ttl"
    path.write_text(
        "@prefix : <urn:etalis:delivery:> . @prefix geo: <http://www.w3.org/2003/01/geo/wgs84_pos#> .\n"
        '<urn:x:1> a :Junction ; geo:lat "49.0" ; geo:long "8.4" .\n'
        '<urn:x:2> a :Junction ; geo:lat "49.01" ; geo:long "8.4" .\n'
        "<urn:x:road> a :TwoWaySegment ; :from <urn:x:1> ; :to <urn:x:2> ; :length 1200 .\n"
    )
    found = load_roads(path, 0)
    assert found.place("urn:x:2")[1] - found.place("urn:x:1")[1] == pytest.approx(1112, abs=1)
    assert found.segments["urn:x:road"].speed == 50


def test_the_largest_part(tmp_path: Path) -> None:
    path = tmp_path / "arcs.csv"
    path.write_text("from,to,length\n1,2,100\n2,1,100\n2,3,100\n8,9,5\n9,8,5\n1,8,7\n")
    with pytest.raises(DataError, match="EP465"):
        load_roads(path, 0)
    assert sorted(load_roads(path, 0, only_largest_part=True).junctions) in (["1", "2"], ["8", "9"])


def test_tours(tmp_path: Path, roads: Callable[..., Network]) -> None:
    path = tmp_path / "tours.csv"
    path.write_text("agent,junction\nann,a\nbob,c\nann,c\nann,b\nbob,a\n")
    ann, bob = read_tours(path, roads([("a", "b", 100), ("b", "c", 100)]))
    assert [(leg.start, leg.goal, leg.planned) for leg in ann.legs] == [
        ("a", "c", ("ab", "bc")), ("c", "b", ("bc",)),
    ]  # fmt: skip
    assert [leg.name for leg in bob.legs] == ["bob-leg1"]

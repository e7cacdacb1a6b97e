"""Road networks and tours from files."""

from __future__ import annotations

import csv
from collections.abc import Callable
from pathlib import Path

import pytest

from etalis_py.core.errors import DataError
from etalis_py.demos.delivery.network import Network
from etalis_py.demos.delivery.read_tours import read_tours
from etalis_py.demos.delivery.roads import load_roads


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

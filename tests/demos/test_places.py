"""Stations, oceans and towns."""

from __future__ import annotations

from pathlib import Path

import pytest

from etalis_py.core.errors import DataError
from etalis_py.demos.tsunami.oceans import ocean_at
from etalis_py.demos.tsunami.stations import bundled_stations, read_stations, to_turtle
from etalis_py.demos.tsunami.towns import read_towns, town_finder


def test_the_table_and_the_borders_agree() -> None:
    stations = bundled_stations()
    assert len(stations) > 30
    for station in stations.values():
        assert station.ocean == ocean_at(station.latitude, station.longitude), station


@pytest.mark.parametrize(
    ("latitude", "longitude", "ocean"),
    [
        (0, -150, "PacificOcean"), (0, -30, "AtlanticOcean"), (-10, 70, "IndianOcean"),
        (25, -90, "AtlanticOcean"), (10, -100, "PacificOcean"), (15, -75, "AtlanticOcean"),
        (-40, 80, "IndianOcean"), (-40, 160, "PacificOcean"), (15, 115, "PacificOcean"),
        (-56, -60, "AtlanticOcean"), (35, 18, "AtlanticOcean"), (80, 0, "ArcticOcean"),
        (-65, 100, "SouthernOcean"), (15, 60, "IndianOcean"), (52, 178, "PacificOcean"),
        (56, -150, "PacificOcean"),
    ],
)  # fmt: skip
def test_oceans(latitude: float, longitude: float, ocean: str) -> None:
    assert ocean_at(latitude, longitude) == ocean


@pytest.mark.parametrize("separator", ["\t", ",", "  "])
def test_stations_of_the_user(tmp_path: Path, separator: str) -> None:
    path = tmp_path / "stations.tsv"
    rows = [["station", "lat", "lon"], ["55012", "-15.8", "158.5"], ["46999", "40", "215"]]
    path.write_text("\n".join(separator.join(row) for row in rows))
    stations = read_stations(path)
    assert (stations["55012"].latitude, stations["55012"].longitude) == (-15.8, 158.5)
    assert stations["46999"].longitude == -145
    assert {station.ocean for station in stations.values()} == {"PacificOcean"}


@pytest.mark.parametrize("line", ["21418", "21418 north 5", "21418 91 0", "21418 0 361", "21418 nan 0"])
def test_no_place(tmp_path: Path, line: str) -> None:
    path = tmp_path / "stations.tsv"
    path.write_text(f"station lat lon\n{line}\n")
    with pytest.raises(DataError, match=r"EP457.*line 2"):
        read_stations(path)


def test_background_of_a_run_is_turtle() -> None:
    from pyoxigraph import RdfFormat, parse

    text = to_turtle({"21418": bundled_stations()["21418"], "my-buoy": None}, 0.03)
    triples = {(quad.subject.value, quad.predicate.value) for quad in parse(text, format=RdfFormat.TURTLE)}
    assert ("urn:etalis:tsunami:buoy:21418", "urn:etalis:tsunami:ocean") in triples
    assert ("urn:etalis:tsunami:buoy:my-buoy", "urn:etalis:tsunami:ocean") not in triples
    assert ("urn:etalis:tsunami:buoy:my-buoy", "urn:etalis:tsunami:threshold") in triples


def test_towns_are_nearest_first_and_in_reach() -> None:
    towns = town_finder()(38.711, 148.694)
    distances = [town.distance for town in towns]
    assert distances == sorted(distances)
    assert distances[-1] <= 2000
    assert "Sendai" in {town.name for town in towns}


def test_where_there_are_no_big_towns_small_ones_are_named() -> None:
    finder = town_finder()
    hawaii, nowhere = finder(19.6, -156.5), finder(-45.0, -120.0)
    assert hawaii[0].name == "Kailua-Kona" or hawaii[0].distance < 500
    assert nowhere == []


def test_towns_of_the_user_are_all_there_are(tmp_path: Path) -> None:
    path = tmp_path / "towns.csv"
    path.write_text(
        "country,town,longitude,latitude\nJP,Miyako,141.96,39.64\n,Rikuzentakata,141.63,39.02\nUS,Hilo,204.9,19.7\n"
    )
    finder = town_finder(read_towns(path))
    assert list(map(str, finder(38.711, 148.694))) == ["Miyako (JP, 589 km)", "Rikuzentakata (612 km)"]
    assert [town.name for town in finder(19.6, -156.5)] == ["Hilo"]

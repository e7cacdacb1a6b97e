"""Which ocean a place at sea is in: coarse borders, for buoys that no table knows.

After the limits of the International Hydrographic Organization, drawn with a few straight lines; marginal
seas count to their ocean. Does not know land from sea.
"""

from __future__ import annotations

from itertools import pairwise

__all__ = ["ocean_at"]

_AMERICA = (
    (66.5, -100.0), (50.0, -100.0), (20.0, -98.0), (16.5, -94.5), (14.0, -88.0), (10.5, -84.5), (8.8, -81.0),
    (8.9, -79.8), (7.5, -77.5), (0.0, -77.0), (-20.0, -67.5), (-56.0, -67.27), (-60.0, -67.27),
)  # fmt: skip
"""Between Pacific and Atlantic: (latitude, longitude) from north to south, the last ones at Cape Horn."""

_CAPE_OF_GOOD_HOPE = 20.0


def ocean_at(latitude: float, longitude: float) -> str:
    """The local name of the ocean at a place; degrees, longitude -180 to 180.

    >>> ocean_at(38.7, 148.7), ocean_at(23.4, -63.9), ocean_at(-15.0, 118.1), ocean_at(13.0, -107.0)
    ('PacificOcean', 'AtlanticOcean', 'IndianOcean', 'PacificOcean')
    """
    if latitude > 66.5:
        return "ArcticOcean"
    if latitude < -60:
        return "SouthernOcean"
    if longitude < 0:
        return "PacificOcean" if longitude < _america_at(latitude) else "AtlanticOcean"
    if longitude < _CAPE_OF_GOOD_HOPE or (
        latitude > 30 and longitude < 60
    ):  # with Mediterranean and Black Sea
        return "AtlanticOcean"
    return "IndianOcean" if longitude < _indies_at(latitude) else "PacificOcean"


def _indies_at(latitude: float) -> float:
    """The longitude that parts Indian Ocean and Pacific at a latitude: Malaya, Sumatra, Timor, Tasmania."""
    for south, longitude in ((-5.0, 100.0), (-8.0, 105.0), (-30.0, 130.0)):
        if latitude > south:
            return longitude
    return 146.9


def _america_at(latitude: float) -> float:
    """The longitude that parts Pacific and Atlantic at a latitude."""
    for (north, west), (south, east) in pairwise(_AMERICA):
        if latitude >= south:
            return west + (east - west) * (north - latitude) / (north - south)
    return _AMERICA[-1][1]

"""Degrees to metres, for a map of one city."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace

from etalis_py.demos.delivery.network import Junction

__all__ = ["project"]

EARTH_RADIUS = 6_371_008.8
"""Metres (IUGG mean radius)."""


def project(junctions: Mapping[str, Junction]) -> dict[str, Junction]:
    """Junctions whose ``x`` and ``y`` are longitude and latitude, in metres east and north of their middle.

    The equirectangular projection: right to some thousandths over a city.

    >>> project({"a": Junction("a", 9.0, 49.0), "b": Junction("b", 9.0, 49.01)})["b"].y
    556.0
    """
    known = [(one.x, one.y) for one in junctions.values() if one.x is not None and one.y is not None]
    if not known:
        return dict(junctions)
    middle_x = (min(x for x, _ in known) + max(x for x, _ in known)) / 2
    middle_y = (min(y for _, y in known) + max(y for _, y in known)) / 2
    degree = math.radians(1) * EARTH_RADIUS
    narrow = math.cos(math.radians(middle_y))
    return {
        name: junction
        if junction.x is None or junction.y is None
        else replace(
            junction,
            x=round((junction.x - middle_x) * degree * narrow, 1),
            y=round((junction.y - middle_y) * degree, 1),
        )
        for name, junction in junctions.items()
    }

"""Make a city: rings and radials around an old town, blocks between them, a river with few bridges.

Nothing of it exists. Junctions lie on rings, the more the farther out; every fifth ring and twelve radials
are main roads; of the streets between them some are one-way. A river flows through, and only some roads
cross it. The same seed gives the same city: about 1,400 junctions and 3,000 segments.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Mapping
from dataclasses import replace

from etalis_py.demos.delivery.network import Junction, Network, Segment, arcs_of, strong_parts

__all__ = ["make_city"]

RINGS = 25
BLOCK = 205.0
"""Metres between two rings."""
BRIDGES = 7
SEGMENTS = 3_000
ONE_WAY = 0.45
"""Share of the small streets that are one-way."""

_INNER = ("Cathedral", "Market", "Castle", "Guildhall")
_MIDDLE = ("Granary", "Weavers", "Orchard", "Station", "Tannery", "Vineyard", "Arsenal", "Abbey")
_OUTER = (
    "Eastfield", "Kiln", "Northgate", "Heath", "Mill", "Westwood",
    "Quarry", "Brickyard", "Southmoor", "Docks", "Airfield", "Meadow",
)  # fmt: skip
_SIDES = ("EastSide", "NorthSide", "WestSide", "SouthSide")


def make_city(seed: int) -> Network:
    """The city of a seed; strongly connected."""
    dice = random.Random(f"city {seed}")  # noqa: S311 - a city, not a secret
    junctions = _junctions(dice)
    river = _river(dice)
    segments = _roads(junctions, river, dice)
    segments = _one_way(segments, dice)
    return Network(junctions, segments, _districts(), ("OldTown", *_SIDES), tuple(river))


def _columns(ring: int) -> int:
    """How many junctions a ring has."""
    return 1 if ring == 0 else 12 if ring < 4 else 24 if ring < 8 else 48 if ring < 16 else 96


def _name(ring: int, column: int) -> str:
    return f"j{ring:02}{column % _columns(ring):02}"


def _junctions(dice: random.Random) -> dict[str, Junction]:
    found = {}
    for ring in range(RINGS):
        columns = _columns(ring)
        for column in range(columns):
            main = ring % 5 == 0 or column * 12 % columns == 0
            jitter = 0.0 if ring == 0 else 0.06 if main else 0.22
            angle = 2 * math.pi * (column + dice.uniform(-jitter, jitter)) / columns
            radius = BLOCK * (ring + dice.uniform(-jitter, jitter)) * (1 + 0.07 * math.cos(2 * angle + 0.6))
            name = _name(ring, column)
            label = "Centre" if ring == 0 else f"Ring {ring}, radial {round(360 * column / columns):03}"
            x, y = round(radius * math.cos(angle), 1), round(radius * math.sin(angle), 1)
            found[name] = Junction(name, x, y, label)
    return found


def _river(dice: random.Random) -> list[tuple[float, float]]:
    """The middle of the river, from west to east, south of the centre."""
    shift, swing = dice.uniform(0, math.pi), dice.uniform(350, 500)
    reach = BLOCK * (RINGS + 2)
    return [
        (
            x := -reach + 2 * reach * step / 120,
            -900 + swing * math.sin(x / 1_700 + shift) + 150 * math.sin(x / 600),
        )
        for step in range(121)
    ]


def _north_of(river: list[tuple[float, float]], x: float, y: float) -> bool:
    first, last = river[0][0], river[-1][0]
    place = min(max((x - first) / (last - first) * (len(river) - 1), 0), len(river) - 1.001)
    before = int(place)
    share = place - before
    return y > river[before][1] * (1 - share) + river[before + 1][1] * share


def _roads(
    junctions: Mapping[str, Junction], river: list[tuple[float, float]], dice: random.Random
) -> dict[str, Segment]:
    def place(name: str) -> tuple[float, float]:
        junction = junctions[name]
        assert junction.x is not None
        assert junction.y is not None
        return junction.x, junction.y

    pairs = _ring_pairs() + _radial_pairs()
    known = {frozenset(pair[:2]) for pair in pairs}
    diagonals = [pair for pair in _diagonal_pairs() if frozenset(pair[:2]) not in known]
    dice.shuffle(diagonals)
    crossing = [
        pair for pair in pairs if _north_of(river, *place(pair[0])) != _north_of(river, *place(pair[1]))
    ]
    bridges = _bridges(crossing, place)
    land = [pair for pair in pairs if pair not in crossing] + sorted(bridges)
    short = [
        pair for pair in diagonals if _north_of(river, *place(pair[0])) == _north_of(river, *place(pair[1]))
    ]
    chosen = land + short[: max(0, SEGMENTS - len(land))]
    found = {}
    for number, (one, other, speed) in enumerate(chosen, start=1):
        (x1, y1), (x2, y2) = place(one), place(other)
        length = math.ceil(math.hypot(x2 - x1, y2 - y1) * dice.uniform(1.0, 1.12) * 10) / 10
        name = f"s{number:04}"
        district = _district_at((x1 + x2) / 2, (y1 + y2) / 2)
        found[name] = Segment(name, one, other, length, speed, False, district, number)
    return found


def _ring_pairs() -> list[tuple[str, str, float]]:
    return [
        (_name(ring, column), _name(ring, column + 1), 60.0 if ring % 5 == 0 else 30.0)
        for ring in range(1, RINGS)
        for column in range(_columns(ring))
    ]


def _radial_pairs() -> list[tuple[str, str, float]]:
    pairs = []
    for ring in range(1, RINGS):
        columns, inner = _columns(ring), _columns(ring - 1)
        for column in range(columns):
            if ring == 1 or column * inner % columns == 0:
                main = column * 12 % columns == 0
                inside = _name(ring - 1, column * inner // columns)
                pairs.append((inside, _name(ring, column), 50.0 if main else 30.0))
    return pairs


def _diagonal_pairs() -> list[tuple[str, str, float]]:
    return [
        (_name(ring - 1, column * _columns(ring - 1) // _columns(ring) + 1), _name(ring, column), 30.0)
        for ring in range(3, RINGS)
        for column in range(_columns(ring))
    ]


def _bridges(
    crossing: list[tuple[str, str, float]], place: Callable[[str], tuple[float, float]]
) -> list[tuple[str, str, float]]:
    """Crossings spread over the river, main roads first."""
    by_x = sorted(crossing, key=lambda pair: (place(pair[0])[0], pair))
    size = math.ceil(len(by_x) / BRIDGES)
    parts = [by_x[begin : begin + size] for begin in range(0, len(by_x), size)]
    return [max(part, key=lambda pair: (pair[2], pair)) for part in parts]


def _one_way(segments: dict[str, Segment], dice: random.Random) -> dict[str, Segment]:
    """Small streets become one-way, and two-way again where somebody could not get out or home."""
    found = {}
    for name, segment in segments.items():
        ends = [segment.start, segment.end]
        dice.shuffle(ends)
        small = segment.speed <= 30
        found[name] = replace(segment, start=ends[0], end=ends[1], one_way=small and dice.random() < ONE_WAY)
    junctions = sorted({end for segment in segments.values() for end in (segment.start, segment.end)})
    parts = strong_parts(junctions, arcs_of(found.values()))
    part_of = {junction: number for number, part in enumerate(parts) for junction in part}
    return {
        name: segment if part_of[segment.start] == part_of[segment.end] else replace(segment, one_way=False)
        for name, segment in found.items()
    }


def _district_at(x: float, y: float) -> str:
    ring = math.hypot(x, y) / BLOCK
    turn = (math.atan2(y, x) / (2 * math.pi)) % 1
    names = _INNER if ring < 6 else _MIDDLE if ring < 14 else _OUTER
    return names[int(turn * len(names)) % len(names)]


def _districts() -> dict[str, str]:
    """Quarter -> borough -> city."""
    found = dict.fromkeys(_INNER, "OldTown")
    for names in (_MIDDLE, _OUTER):
        for place, name in enumerate(names):
            middle = (place + 0.5) / len(names)
            found[name] = _SIDES[int((middle + 0.125) % 1 * 4)]
    return found | dict.fromkeys(("OldTown", *_SIDES), "City")

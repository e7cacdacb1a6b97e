"""Read a road network from CSV: a row an arc, ``from,to,length`` and, where known, speed and places.

An arc leads one way. A street that can be driven both ways has two rows, and is then two segments: one
direction may be closed alone.
"""

from __future__ import annotations

import csv
import math
import re
from collections.abc import Mapping
from pathlib import Path

from etalis_py.core.errors import Place
from etalis_py.demos.delivery.network import Junction, Network, Segment
from etalis_py.demos.delivery.projection import project
from etalis_py.demos.delivery.read_turtle import NORMAL_SPEED
from etalis_py.demos.delivery.road_errors import CSV_COLUMNS, bad_value, missing, nothing_in, unreadable

__all__ = ["TOWN", "read_csv"]

TOWN = "Town"
"""The one district of a network whose file tells none."""

_PLACES = (("from_x", "from_y", "to_x", "to_y"), ("from_long", "from_lat", "to_long", "to_lat"))


def read_csv(path: Path) -> Network:
    """The network of a file; whether it is whole is checked in ``roads``.

    Raises ``DataError``: EP461 a file that cannot be read, EP462 a column or all rows missing, EP463 a value
    that is not valid.
    """
    try:
        text = path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise unreadable(Place(str(path)), error.strerror or str(error)) from error
    except UnicodeDecodeError as error:
        raise unreadable(Place(str(path)), "it is not UTF-8 text") from error
    rows = csv.DictReader(text.splitlines(), skipinitialspace=True)
    columns = rows.fieldnames or []
    for name in ("from", "to", "length"):
        if name not in columns:
            raise missing(Place(str(path), line=1), f"the column {name}")
    places = next((names for names in _PLACES if all(name in columns for name in names)), None)
    junctions: dict[str, Junction] = {}
    segments: dict[str, Segment] = {}
    for row in rows:
        place = Place(str(path), line=rows.line_num)
        start, end = (_name(row, side, place) for side in ("from", "to"))
        for side, junction in (("from", start), ("to", end)):
            x, y = (None, None) if places is None else _coordinates(row, places, side, place)
            if junction not in junctions or junctions[junction].x is None:
                junctions[junction] = Junction(junction, x, y)
        name = _unused(f"{start}-{end}", segments, junctions)
        length = _number(row, "length", place)
        speed = _number(row, "speed", place) if row.get("speed") else NORMAL_SPEED
        segments[name] = Segment(name, start, end, length, speed, True, TOWN, len(segments) + 1)
    if not segments:
        raise nothing_in(Place(str(path)), f"rows; expected {CSV_COLUMNS}")
    found = project(junctions) if places == _PLACES[1] else junctions
    return Network(found, segments, {}, (TOWN,))


def _name(row: Mapping[str, str | None], side: str, place: Place) -> str:
    text = (row[side] or "").strip()
    if not re.fullmatch(r"[\w.~-]+", text, re.ASCII):
        raise bad_value(
            place, f"the junction in column {side}", text, "letters, digits and the signs . ~ _ -"
        )
    return text


def _unused(name: str, segments: Mapping[str, Segment], junctions: Mapping[str, Junction]) -> str:
    """The name, with a number behind it where another segment, or a junction, has it."""
    found, number = name, 1
    while found in segments or found in junctions:
        number += 1
        found = f"{name}-{number}"
    return found


def _coordinates(
    row: Mapping[str, str | None], columns: tuple[str, ...], side: str, place: Place
) -> tuple[float | None, float | None]:
    names = [name for name in columns if name.startswith(side)]
    if not all(row[name] for name in names):
        return None, None
    x, y = (_number(row, name, place, -math.inf) for name in names)
    return x, y


def _number(row: Mapping[str, str | None], column: str, place: Place, low: float = 0.0) -> float:
    text = row[column] or ""
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not low < value < math.inf:
        expected = "a number above 0" if low == 0 else "a number"
        raise bad_value(place, f"the {column}", text, expected)
    return value

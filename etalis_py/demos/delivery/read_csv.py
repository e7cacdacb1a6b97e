"""Read a road network from CSV: a row an arc, ``from,to,length`` and, where known, speed and places.

An arc leads one way, unless its column ``oneway`` or the user says otherwise. A street that has two rows is
two segments: one direction may be closed alone.
"""

from __future__ import annotations

import csv
import math
from collections.abc import Mapping
from pathlib import Path

from etalis_py.core.errors import Place
from etalis_py.demos.delivery.network import Junction, Network, Segment, in_metres
from etalis_py.demos.delivery.road_errors import CSV_COLUMNS, missing, nothing_in, unreadable
from etalis_py.demos.delivery.road_values import NORMAL_SPEED, TOWN, direction, number, safe_name, unused

__all__ = ["read_csv"]

_PLACES = (("from_x", "from_y", "to_x", "to_y"), ("from_long", "from_lat", "to_long", "to_lat"))


def read_csv(path: Path, *, two_way: bool = False) -> Network:
    """The network of a file; whether it is whole is checked in ``roads``.

    ``two_way``: rows that do not say ``oneway`` can be driven both ways.

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
        leads = direction(row["oneway"], place) if row.get("oneway") else int(not two_way)
        if leads < 0:
            start, end = end, start
        name = unused(f"{start}-{end}", segments, junctions)
        length = number(row["length"], "the length", place)
        speed = number(row["speed"], "the speed", place) if row.get("speed") else NORMAL_SPEED
        segments[name] = Segment(name, start, end, length, speed, leads != 0, TOWN, len(segments) + 1)
    if not segments:
        raise nothing_in(Place(str(path)), f"rows; expected {CSV_COLUMNS}")
    found = Network(junctions, segments, {}, (TOWN,))
    return in_metres(found) if places == _PLACES[1] else found


def _name(row: Mapping[str, str | None], side: str, place: Place) -> str:
    return safe_name((row[side] or "").strip(), f"the junction in column {side}", place)


def _coordinates(
    row: Mapping[str, str | None], columns: tuple[str, ...], side: str, place: Place
) -> tuple[float | None, float | None]:
    names = [name for name in columns if name.startswith(side)]
    if not all(row[name] for name in names):
        return None, None
    x, y = (number(row[name], f"the {name}", place, -math.inf) for name in names)
    return x, y

"""The files of a run: tables of alerts, arrivals, towns, warnings and readings, and a map."""

from __future__ import annotations

import csv
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from etalis_py.core.times import format_time
from etalis_py.demos.geojson import Feature, collection, point
from etalis_py.demos.tsunami.detection import Alert, Arrival
from etalis_py.demos.tsunami.pipeline import Buoy, Run
from etalis_py.demos.tsunami.towns import Town, travel_time

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = [
    "ALERT_COLUMNS",
    "ARRIVAL_COLUMNS",
    "TOWN_COLUMNS",
    "WARNING_COLUMNS",
    "alert_before",
    "arrivals_of",
    "iso",
    "not_before",
    "to_geojson",
    "towns_of",
    "write_files",
]

ALERT_COLUMNS = (
    "raised", "first", "buoy", "ocean", "latitude", "longitude", "difference_m", "largest_m", "simulated",
    "towns",
)  # fmt: skip
"""``raised`` and ``first``: times of the third and the first reading; ``difference_m``: of the third
reading, observed less predicted, ``largest_m``: the one farthest from zero in the whole recording; towns
nearest first."""

ARRIVAL_COLUMNS = (
    "arrived",
    "buoy",
    "ocean",
    "latitude",
    "longitude",
    "mean_m",
    "after_alert_s",
    "simulated",
)
"""``mean_m``: mean difference of the ten minutes before; ``after_alert_s``: seconds since the alert."""

TOWN_COLUMNS = ("buoy", "town", "country", "latitude", "longitude", "distance_km", "not_before", "simulated")
"""``not_before``: when a wave that runs from the buoy straight over deep water is there; empty before it has
arrived at the buoy."""

_TIMES = ("alert", "arrived", "not_before")

WARNING_COLUMNS = ("raised", "ocean", "first_buoy", "second_buoy", "simulated")


def iso(second: int) -> str:
    """A time as xsd:dateTime in UTC.

    >>> iso(1299822525)
    '2011-03-11T05:48:45Z'
    """
    return format_time(second * 1_000_000)


def towns_of(run: Run, finder: Callable[[float, float], list[Town]]) -> dict[str, list[Town]]:
    """The towns in reach of each buoy that alerted and whose place is known, nearest first."""
    alerted = {alert.buoy for alert in run.detection.alerts}
    return {
        buoy.name: finder(buoy.station.latitude, buoy.station.longitude)
        for buoy in run.buoys
        if buoy.name in alerted and buoy.station is not None
    }


def write_files(run: Run, towns: dict[str, list[Town]], folder: Path) -> list[Path]:
    """Write the files into ``folder`` (which exists) and return their paths."""
    import pyarrow.parquet as pq

    tables = {
        "alerts.csv": (ALERT_COLUMNS, _alert_rows(run, towns)),
        "arrivals.csv": (ARRIVAL_COLUMNS, _arrival_rows(run)),
        "towns.csv": (TOWN_COLUMNS, _town_rows(run, towns)),
        "warnings.csv": (WARNING_COLUMNS, _warning_rows(run)),
    }
    for name, (columns, rows) in tables.items():
        _write_csv(folder / name, columns, rows)
    (folder / "map.geojson").write_text(to_geojson(run, towns), encoding="utf-8")
    pq.write_table(judged_readings(run), folder / "readings.parquet")
    return [folder / name for name in (*tables, "map.geojson", "readings.parquet")]


def _write_csv(path: Path, columns: Sequence[str], rows: list[list[object]]) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(columns)
        writer.writerows(rows)


def arrivals_of(run: Run) -> dict[str, Arrival]:
    """The first arrival at each buoy that has one."""
    return {arrival.buoy: arrival for arrival in reversed(run.detection.arrivals)}


def alert_before(run: Run, arrival: Arrival) -> Alert | None:
    """The last alert of its buoy before the wave came."""
    before = [each for each in run.detection.alerts if each.buoy == arrival.buoy and each.end <= arrival.time]
    return before[-1] if before else None


def not_before(arrival: Arrival | None, town: Town) -> int | None:
    """The second at which a wave that was at the buoy can be at a town: straight, and over deep water."""
    return None if arrival is None else arrival.time + round(travel_time(town.distance))


def _alert_rows(run: Run, towns: dict[str, list[Town]]) -> list[list[object]]:
    buoys: dict[str, Buoy] = {buoy.name: buoy for buoy in run.buoys}
    rows = []
    for alert in run.detection.alerts:
        place = _place(buoys[alert.buoy])
        largest = run.detection.largest(alert.buoy)
        rows.append(
            [
                iso(alert.end), iso(alert.start), alert.buoy, *place,
                f"{run.detection.difference[alert.buoy, alert.end]:.4f}",
                "" if largest is None else f"{largest[1]:.4f}",
                str(buoys[alert.buoy].simulated).lower(), "; ".join(map(str, towns.get(alert.buoy, []))),
            ]
        )  # fmt: skip
    return rows


def _arrival_rows(run: Run) -> list[list[object]]:
    buoys = {buoy.name: buoy for buoy in run.buoys}
    rows: list[list[object]] = []
    for arrival in run.detection.arrivals:
        buoy, alert = buoys[arrival.buoy], alert_before(run, arrival)
        since = "" if alert is None else arrival.time - alert.end
        rows.append(
            [
                iso(arrival.time),
                buoy.name,
                *_place(buoy),
                f"{arrival.mean:.4f}",
                since,
                str(buoy.simulated).lower(),
            ]
        )
    return rows


def _town_rows(run: Run, towns: dict[str, list[Town]]) -> list[list[object]]:
    arrived, simulated = arrivals_of(run), {buoy.name: str(buoy.simulated).lower() for buoy in run.buoys}
    return [
        [
            buoy, town.name, town.country, town.latitude, town.longitude, round(town.distance),
            "" if (second := not_before(arrived.get(buoy), town)) is None else iso(second), simulated[buoy],
        ]
        for buoy, near in towns.items()
        for town in near
    ]  # fmt: skip


def _place(buoy: Buoy) -> list[object]:
    station = buoy.station
    return ["", "", ""] if station is None else [station.ocean_label, station.latitude, station.longitude]


def to_geojson(run: Run, towns: dict[str, list[Town]]) -> str:
    """Buoys and towns as points (RFC 7946), with what is known of each."""
    arrived = arrivals_of(run)
    raised = {alert.buoy: alert.end for alert in reversed(run.detection.alerts)}
    points = [
        _point(
            buoy.station.latitude, buoy.station.longitude, kind="buoy", name=buoy.name,
            alert=raised.get(buoy.name), arrived=arrived[buoy.name].time if buoy.name in arrived else None,
        )
        for buoy in run.buoys
        if buoy.station is not None
    ]  # fmt: skip
    points += [
        _point(
            town.latitude, town.longitude, kind="town", name=town.name, country=town.country, buoy=name,
            distance_km=round(town.distance), not_before=not_before(arrived.get(name), town),
        )
        for name, near in towns.items()
        for town in near
    ]  # fmt: skip
    return collection(points, simulated=run.simulated)


def _point(latitude: float, longitude: float, **properties: object) -> Feature:
    """A place; times are seconds, and are left out where they are not known."""
    shown = {
        name: iso(value) if name in _TIMES and isinstance(value, int) else value
        for name, value in properties.items()
    }
    return point((longitude, latitude), **shown)


def _warning_rows(run: Run) -> list[list[object]]:
    return [
        [iso(warning.time), warning.ocean.replace("Ocean", " Ocean"), warning.first, warning.second,
         str(run.simulated).lower()]
        for warning in run.detection.warnings
    ]  # fmt: skip


def judged_readings(run: Run) -> pa.Table:
    """All usable readings and, where judged, their prediction, difference and verdict."""
    import pyarrow as pa

    table = run.readings
    keys = list(zip(table["buoy"].to_pylist(), table["second"].to_pylist(), strict=True))
    found = run.detection
    columns: dict[str, pa.Array] = {
        "buoy": table["buoy"],
        "time": pa.compute.multiply(table["second"], 1_000_000).cast(pa.timestamp("us", tz="UTC")),
        "height": pa.compute.divide(table["height_mm"].cast(pa.float64()), 1000.0),
    }
    columns["predicted"] = pa.array([found.predicted.get(key) for key in keys], pa.float64())
    columns["difference"] = pa.array([found.difference.get(key) for key in keys], pa.float64())
    columns["above"] = pa.array(
        [key in found.above if key in found.difference else None for key in keys], pa.bool_()
    )
    about = {
        "simulated": str(run.simulated).lower(),
        "threshold_m": repr(run.threshold),
        "units": "metres, seconds",
    }
    return pa.table(columns).replace_schema_metadata(about)

"""The files of a run: ``alerts.csv``, ``warnings.csv`` and ``readings.parquet``."""

from __future__ import annotations

import csv
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from etalis_py.core.times import format_time
from etalis_py.demos.tsunami.pipeline import Buoy, Run
from etalis_py.demos.tsunami.towns import Town

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["ALERT_COLUMNS", "WARNING_COLUMNS", "iso", "towns_of", "write_files"]

ALERT_COLUMNS = (
    "raised", "first", "buoy", "ocean", "latitude", "longitude", "difference_m", "largest_m", "simulated",
    "towns",
)  # fmt: skip
"""``raised`` and ``first``: times of the third and the first reading; ``difference_m``: of the third
reading, observed less predicted, ``largest_m``: the one farthest from zero in the whole recording; towns
nearest first."""

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

    alerts, warnings, readings = (
        folder / name for name in ("alerts.csv", "warnings.csv", "readings.parquet")
    )
    _write_csv(alerts, ALERT_COLUMNS, _alert_rows(run, towns))
    _write_csv(warnings, WARNING_COLUMNS, _warning_rows(run))
    pq.write_table(judged_readings(run), readings)
    return [alerts, warnings, readings]


def _write_csv(path: Path, columns: Sequence[str], rows: list[list[object]]) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(columns)
        writer.writerows(rows)


def _alert_rows(run: Run, towns: dict[str, list[Town]]) -> list[list[object]]:
    buoys: dict[str, Buoy] = {buoy.name: buoy for buoy in run.buoys}
    rows = []
    for alert in run.detection.alerts:
        station = buoys[alert.buoy].station
        place = (
            ["", "", ""] if station is None else [station.ocean_label, station.latitude, station.longitude]
        )
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

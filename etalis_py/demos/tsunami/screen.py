"""What a run found, as tables on the screen."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from etalis_py.core.durations import brief_duration
from etalis_py.demos.tsunami.detection import BasinWarning
from etalis_py.demos.tsunami.names import HERE
from etalis_py.demos.tsunami.outputs import alert_before, iso, not_before
from etalis_py.demos.tsunami.pipeline import Buoy, Run
from etalis_py.demos.tsunami.towns import Town

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

__all__ = ["show"]

_TOWNS_SHOWN = 3


def show(run: Run, towns: dict[str, list[Town]], files: Sequence[Path], console: Console) -> None:
    """Print the tables of a run and where its files are."""
    millimetres = f"{run.threshold * 1000:g} mm"
    if run.simulated:
        console.print("[bold]This recording is simulated: no such wave was measured.[/]\n")
    console.print("[bold]Readings[/]" + (" (simulated)" if run.simulated else ""))
    console.print(_buoy_table(run, millimetres))
    if run.detection.alerts:
        console.print("[bold]Alerts[/]: three readings above the threshold within five minutes")
        console.print(_alert_table(run, towns))
    else:
        console.print(f"No alert: no buoy had three readings above {millimetres} within five minutes.")
    if run.detection.arrivals:
        console.print("[bold]The tsunami itself[/]: the mean of ten minutes is three thresholds off")
        console.print(_arrival_table(run, towns))
    if run.detection.warnings:
        console.print("[bold]Basin warnings[/]: alerts at two buoys of one ocean within three hours")
        console.print(_warning_table(run.detection.warnings))
    lost = [buoy.name for buoy in run.buoys if buoy.station is None]
    if lost:
        console.print(
            f"Place not known: {', '.join(lost)}. Judged all the same, but without towns and basin warnings; "
            "--stations FILE tells a place.",
            soft_wrap=True,
        )
    console.print("Written: " + ", ".join(map(str, files)), soft_wrap=True)
    console.print(f"The queries, to be read and changed: {HERE / '*.rq'}", soft_wrap=True)


def _table(*columns: tuple[str, str]) -> Table:
    from rich import box
    from rich.table import Table

    table = Table(box=box.SIMPLE_HEAD)
    for name, justify in columns:
        table.add_column(name, justify="right" if justify == "right" else "left")
    return table


def _buoy_table(run: Run, millimetres: str) -> Table:
    table = _table(
        ("Buoy", "left"), ("Place", "left"), ("Usable", "right"), ("Missing", "right"), ("Judged", "right"),
        (f"Above {millimetres}", "right"), ("Largest difference", "right"), ("at (UTC)", "left"),
    )  # fmt: skip
    for buoy in run.buoys:
        largest = run.detection.largest(buoy.name)
        table.add_row(
            buoy.name, _place(buoy), f"{buoy.usable:,}", f"{buoy.missing:,}",
            f"{run.detection.judged(buoy.name):,}",
            f"{sum(name == buoy.name for name, _ in run.detection.above):,}",
            *(("", "") if largest is None else (f"{largest[1]:+.3f} m", _time(largest[0]))),
        )  # fmt: skip
    return table


def _alert_table(run: Run, towns: dict[str, list[Town]]) -> Table:
    table = _table(
        ("Raised (UTC)", "left"), ("Buoy", "left"), ("Ocean", "left"), ("Difference", "right"),
        ("Nearest towns", "left"),
    )  # fmt: skip
    oceans = {buoy.name: buoy.station.ocean_label for buoy in run.buoys if buoy.station is not None}
    for alert in run.detection.alerts:
        near = towns.get(alert.buoy, [])
        more = f" and {len(near) - _TOWNS_SHOWN} more" if len(near) > _TOWNS_SHOWN else ""
        table.add_row(
            _time(alert.end), alert.buoy, oceans.get(alert.buoy) or "not known",
            f"{run.detection.difference[alert.buoy, alert.end]:+.3f} m",
            (", ".join(f"{town.name} {town.distance:,.0f} km" for town in near[:_TOWNS_SHOWN]) or "not known")
            + more,
        )  # fmt: skip
    return table


def _arrival_table(run: Run, towns: dict[str, list[Town]]) -> Table:
    table = _table(
        ("Arrived (UTC)", "left"), ("Buoy", "left"), ("after its alert", "right"), ("10 min mean", "right"),
        ("Nearest town, not before (UTC)", "left"),
    )  # fmt: skip
    for arrival in run.detection.arrivals:
        alert, near = alert_before(run, arrival), towns.get(arrival.buoy, [])
        town = near[0] if near else None
        second = None if town is None else not_before(arrival, town)
        table.add_row(
            _time(arrival.time), arrival.buoy,
            "" if alert is None else brief_duration((arrival.time - alert.end) * 1_000_000),
            f"{arrival.mean:+.3f} m",
            "not known" if town is None or second is None else f"{town.name}, {_time(second)}",
        )  # fmt: skip
    return table


def _warning_table(warnings: Sequence[BasinWarning]) -> Table:
    """One row an ocean and buoy that confirmed: later pairs with the same second buoy say nothing new."""
    table = _table(
        ("Raised (UTC)", "left"), ("Ocean", "left"), ("Alert at", "left"), ("after", "left"),
    )  # fmt: skip
    earlier: dict[tuple[int, str, str], list[str]] = {}
    for warning in warnings:
        earlier.setdefault((warning.time, warning.ocean, warning.second), []).append(warning.first)
    for (time, ocean, second), firsts in earlier.items():
        table.add_row(_time(time), ocean.replace("Ocean", " Ocean"), second, ", ".join(firsts))
    return table


def _place(buoy: Buoy) -> str:
    return "not known" if buoy.station is None else buoy.station.label or _degrees(buoy)


def _degrees(buoy: Buoy) -> str:
    if buoy.station is None:
        return ""
    latitude, longitude = buoy.station.latitude, buoy.station.longitude
    north, east = "S" if latitude < 0 else "N", "W" if longitude < 0 else "E"
    return f"{abs(latitude):.1f}°{north} {abs(longitude):.1f}°{east}"


def _time(second: int) -> str:
    return iso(second).replace("T", " ").removesuffix("Z")

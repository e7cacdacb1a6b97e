"""The files of a run: ``routes.csv``, a row an answer to an agent that asked, and ``alerts.csv``."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Sequence
from pathlib import Path

from etalis_py.core.durations import brief_duration
from etalis_py.core.times import format_time
from etalis_py.demos.delivery.network import Network, Segment, travel_time
from etalis_py.demos.delivery.pipeline import Run
from etalis_py.demos.delivery.tours import Leg

__all__ = ["ALERT_COLUMNS", "ROUTE_COLUMNS", "legs_of", "minutes", "way_time", "write_files"]

ROUTE_COLUMNS = (
    "asked", "agent", "leg", "junction", "goal", "answer", "planned_minutes", "minutes", "segments", "way",
)  # fmt: skip
"""``answer``: open (the way it had), new way, or cut off. ``planned_minutes``: of the whole leg, with open
roads; ``minutes``: of the new way, by what is permitted. ``way``: the names of its segments."""

ALERT_COLUMNS = ("time", "kind", "agent", "leg", "place", "detail")
"""``kind``: late, cut off, congestion. ``place``: the stop, the junction, the borough."""


def write_files(run: Run, folder: Path) -> list[Path]:
    """Write the files into ``folder`` (which exists) and return their paths."""
    routes, alerts = folder / "routes.csv", folder / "alerts.csv"
    _write(routes, ROUTE_COLUMNS, sorted(_routes(run)))
    _write(alerts, ALERT_COLUMNS, sorted(_alerts(run)))
    return [routes, alerts]


def legs_of(run: Run) -> dict[str, Leg]:
    """All legs by name."""
    return {leg.name: leg for tour in run.tours for leg in tour.legs}


def minutes(microseconds: int) -> float:
    """Minutes, to a tenth."""
    return round(microseconds / 60_000_000, 1)


def way_time(network: Network, way: Sequence[str]) -> int:
    """The time of a way when nothing is slow, in microseconds."""
    segments: list[Segment] = [network.segments[name] for name in way]
    return sum(travel_time(segment) for segment in segments)


def _write(path: Path, columns: Sequence[str], rows: list[list[str]]) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(columns)
        writer.writerows(rows)


def _routes(run: Run) -> Iterator[list[str]]:
    legs = legs_of(run)
    asked = {(time, trip.leg.name): here for trip in run.day.trips for time, here, _ in trip.asked}

    def row(time: int, name: str, answer: str, *rest: str) -> list[str]:
        leg = legs[name]
        here = asked.get((time, name), "")
        planned = str(minutes(leg.time))
        return [format_time(time), leg.agent, name, here, leg.goal, answer, planned, *(rest or ("", "", ""))]

    for time, name in run.outcome.kept:
        yield row(time, name, "open")
    for cut in run.outcome.cut_off:
        yield row(cut.time, cut.leg, "cut off")
    for new in run.outcome.reroutes:
        takes = str(minutes(way_time(run.network, new.way)))
        yield row(new.time, new.leg, "new way", takes, str(len(new.way)), " ".join(new.way))


def _alerts(run: Run) -> Iterator[list[str]]:
    legs = legs_of(run)
    for late in run.outcome.late:
        taken, promised = (brief_duration(each) for each in (late.taken, late.promised))
        detail = f"took {taken}, promised {promised}"
        yield [format_time(late.time), "late", late.agent, late.leg, legs[late.leg].goal, detail]
    for cut in run.outcome.cut_off:
        yield [format_time(cut.time), "cut off", cut.agent, cut.leg, cut.here, f"no open way to {cut.goal}"]
    for one in run.outcome.warned:
        detail = f"{one.segment} closed, {brief_duration(one.time - one.first)} after a neighbour"
        yield [format_time(one.time), "congestion", "", "", one.borough, detail]

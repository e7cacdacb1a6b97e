"""Draw the city: what closed, and how one agent drove around it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from etalis_py.core.times import format_time
from etalis_py.demos.delivery import map_parts as parts
from etalis_py.demos.delivery.network import Network
from etalis_py.demos.delivery.outputs import minutes
from etalis_py.demos.delivery.pipeline import Run
from etalis_py.demos.delivery.write_geojson import CLOSED, PLANNED, TAKEN

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from etalis_py.demos.delivery.simulate import Trip

__all__ = ["write_map"]

_BOTH = "#8d99ae"


def write_map(run: Run, network: Network, path: Path) -> Path:
    """Write the picture: the whole city at the left, at the right the leg with the longest detour.

    ``network`` is that of the run, with places.
    """
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(14, 7.6), layout="constrained")
    FigureCanvasAgg(figure)
    whole, near = figure.subplots(1, 2)
    trip = _detour(run)
    _draw_whole(whole, run, network, trip)
    _draw_trip(near, run, network, trip)
    if not run.network.has_places:
        figure.supxlabel(
            "The file tells no places: these are made up from the lengths of the segments.", fontsize=9
        )
    figure.savefig(path, dpi=110, bbox_inches="tight", pad_inches=0.12)
    return path


def _detour(run: Run) -> Trip:
    """The trip that took most of what was not planned, without waiting."""

    def unplanned(trip: Trip) -> tuple[bool, int]:
        waited = any(way is None for _, _, way in trip.asked)
        return trip.met_closed and not waited, len(set(trip.taken) - set(trip.leg.planned))

    return max(run.day.trips, key=unplanned)


# ---- the whole city -----------------------------------------------------------------------------------


def _draw_whole(axes: Axes, run: Run, network: Network, trip: Trip) -> None:
    parts.streets(axes, network, 0.5)
    closed = {closure.segment for closure in run.day.closures}
    parts.segments(axes, network, closed, color=CLOSED, lw=2.2, zorder=4)
    tour = next(tour for tour in run.tours if tour.agent == trip.leg.agent)
    trips = [each for each in run.day.trips if each.leg.agent == tour.agent]
    taken = {segment for each in trips for segment in each.taken}
    planned = {segment for leg in tour.legs for segment in leg.planned}
    parts.segments(axes, network, planned - taken, color=PLANNED, lw=2.2, zorder=3)
    parts.segments(axes, network, taken & planned, color=_BOTH, lw=2.6, zorder=2)
    parts.segments(axes, network, taken - planned, color=TAKEN, lw=2.6, zorder=3)
    stops = [tour.legs[0].start, *(leg.goal for leg in tour.legs)]
    xs, ys = zip(*map(network.place, stops), strict=True)
    axes.plot(xs[1:], ys[1:], "o", ms=5, mfc="white", mec="0.1", zorder=6)
    axes.plot(xs[0], ys[0], "s", ms=8, mfc="0.1", mec="white", zorder=7)
    axes.set_title(
        f"{len(network.segments):,} segments, {len(closed):,} of them closed some time;\n"
        f"the {len(tour.legs)} leg{'s' if len(tour.legs) > 1 else ''} of agent {tour.agent}",
        fontsize=10,
    )
    parts.legend(
        axes,
        [("driven as planned", _BOTH, "-"), ("driven, not planned", TAKEN, "-"),
         ("planned, not driven", PLANNED, "-"), ("closed some time in the day", CLOSED, "-")],
    )  # fmt: skip
    parts.frame(axes, network, network.junctions)
    parts.scale(axes)


# ---- one leg -------------------------------------------------------------------------------------------


def _draw_trip(axes: Axes, run: Run, network: Network, trip: Trip) -> None:
    parts.streets(axes, network, 0.9)
    parts.way(
        axes, network, trip.leg.start, trip.leg.planned, color=PLANNED, lw=3, ls=(0, (3, 1.5)), zorder=5
    )
    parts.way(axes, network, trip.leg.start, trip.taken, color=TAKEN, lw=4.5, alpha=0.75, zorder=4)
    met = [each for each in run.day.closures if each.begin < trip.reached and each.end > trip.left]
    parts.segments(axes, network, {each.segment for each in met}, color=CLOSED, lw=3.5, zorder=6)
    for here, (numbers, way) in _asked_at(trip).items():
        x, y = network.place(here)
        size, edge = 11 + 4 * len(numbers), TAKEN if way else "0.4"
        axes.plot(x, y, "o", ms=size, mfc="white", mec=edge, mew=1.8, zorder=8)
        axes.text(x, y, numbers, ha="center", va="center", fontsize=8.5, zorder=9)
    x, y = network.place(trip.leg.goal)
    axes.plot(x, y, "*", ms=19, mfc="#ffd166", mec="0.1", zorder=7)
    axes.set_title(
        f"{trip.leg.name}, to the star: planned {minutes(trip.leg.time)} min, driven "
        f"{minutes(trip.reached - trip.left)} min, promised {minutes(trip.leg.promised):.0f} min\n"
        f"{_answers(trip)}",
        fontsize=10,
    )
    parts.legend(
        axes,
        [("planned way", PLANNED, "--"), ("way taken", TAKEN, "-"), ("closed meanwhile", CLOSED, "-")],
    )
    shown = {trip.leg.start} | parts.ends(network, [*trip.leg.planned, *trip.taken])
    parts.frame(axes, network, shown, margin=0.14)  # room for the legend and the scale
    parts.scale(axes)


def _answers(trip: Trip) -> str:
    """Where the agent asked, by the numbers on the map, and what it was answered."""
    answers = [
        f"{number}: {format_time(time)[11:16]} {_answer(way)}"
        for number, (time, _, way) in enumerate(trip.asked, start=1)
    ]
    return "\n".join("     ".join(line) for line in (answers[:3], answers[3:6], answers[6:]) if line)


def _answer(way: tuple[str, ...] | None) -> str:
    if way is None:
        return "cut off"
    return "a new way" if way else "its way is open"


def _asked_at(trip: Trip) -> dict[str, tuple[str, tuple[str, ...] | None]]:
    """By junction, the numbers of the questions asked there (``2-4``), and the last answer."""
    found: dict[str, tuple[int, int, tuple[str, ...] | None]] = {}
    for number, (_, here, way) in enumerate(trip.asked, start=1):
        found[here] = (found[here][0] if here in found else number, number, way)
    return {
        here: (str(first) if first == last else f"{first}-{last}", way)
        for here, (first, last, way) in found.items()
    }
